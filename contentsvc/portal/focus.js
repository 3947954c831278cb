/** The focus stays where the eye is: when what has it goes, what stood around it gets it, of a list the row
 * that is there now. */

/** What has had the focus last, then what is around it, outwards, each with its place among its siblings.
 * @type {{element: HTMLElement, at: number}[]} */
let chain = [];

/** @param {HTMLElement | null} element */
function around(element) {
  const found = [];
  for (let at = element; at && at !== document.body; at = at.parentElement)
    found.push({ element: at, at: [...(at.parentElement?.children ?? [])].indexOf(at) });
  return found;
}

function mend() {
  const last = chain[0]?.element;
  if (!last || (last.isConnected && !last.matches(":disabled"))) return;
  if (document.activeElement !== document.body && document.activeElement !== last) return;
  const index = chain.findIndex(
    ({ element }) => element !== last && element.isConnected && element.checkVisibility(),
  );
  if (index < 0) return;
  const next = chain[index].element;
  const rows = next.matches("ul, ol") ? [...next.children] : [];
  const row = rows[Math.min(chain[index - 1].at, rows.length - 1)];
  const control = row?.querySelector("a[href], button:not(:disabled), input, select, textarea");
  const target = control instanceof HTMLElement ? control : next;
  if (target === next && !next.hasAttribute("tabindex")) next.tabIndex = -1;
  target.focus({ preventScroll: true });
}

/** Do so from now on. */
export function keepFocus() {
  addEventListener("focusin", (event) => (chain = around(/** @type {HTMLElement} */ (event.target))));
  // Who presses beside everything has left it.
  addEventListener("pointerdown", () => (chain = []));
  const options = { subtree: true, childList: true, attributeFilter: ["disabled"] };
  new MutationObserver(mend).observe(document.body, options);
}
