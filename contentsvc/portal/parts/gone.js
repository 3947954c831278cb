/** What was taken away. */
import { useEffect, useRef, useState } from "../vendor/preact.js";
import { isGone, onGone } from "../undo.js";

/** What was taken away and can still be put back: whether a thing of this kind is. `sent` hears the id of one
 * that the service has taken away, or has given back, to show what there is now.
 * @param {string} kind @param {(id: string) => unknown} [sent]
 * @returns {(id: string | number) => boolean} */
export function useGone(kind, sent) {
  const [, draw] = useState({});
  const last = useRef(sent);
  last.current = sent;
  useEffect(
    () =>
      onGone((key, isSent) => {
        if (!key.startsWith(`${kind} `)) return;
        draw({});
        if (isSent) return last.current?.(key.slice(kind.length + 1));
      }),
    [kind],
  );
  return (id) => isGone(`${kind} ${id}`);
}
