export { Fragment, createContext, h, render } from "preact";
export type { ComponentType } from "preact";
export { useCallback, useContext, useEffect, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks";
export { html } from "htm/preact";
