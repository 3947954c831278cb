/** What goes on by itself is read again while somebody looks. */
import { useEffect, useRef } from "../vendor/preact.js";

/** Read again with a pause between, as long as this is so and the tab is shown.
 * @param {boolean} isNeeded @param {number} pause milliseconds @param {() => Promise<unknown>} read */
export function useRetry(isNeeded, pause, read) {
  const last = useRef(read);
  last.current = read;
  useEffect(() => {
    if (!isNeeded) return;
    let timer = 0;
    const look = async () => {
      // What fails is said by the next thing that somebody does.
      if (document.visibilityState !== "hidden") await last.current().catch(() => {});
      if (timer >= 0) timer = setTimeout(look, pause);
    };
    timer = setTimeout(look, pause);
    return () => {
      clearTimeout(timer);
      timer = -1;
    };
  }, [isNeeded, pause]);
}
