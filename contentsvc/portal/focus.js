/** The focus stays where the eye is: when what has it goes, what stood around it gets it. */

/** What has had the focus last, then what is around it, outwards.
 * @type {HTMLElement[]} */
let chain = [];

/** @param {HTMLElement | null} element */
function around(element) {
  const found = [];
  for (let at = element; at && at !== document.body; at = at.parentElement) found.push(at);
  return found;
}

function mend() {
  const [last] = chain;
  if (!last || (last.isConnected && !last.matches(":disabled"))) return;
  if (document.activeElement !== document.body && document.activeElement !== last) return;
  const next = chain.find((one) => one !== last && one.isConnected && one.checkVisibility());
  if (!next) return;
  if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
  next.focus({ preventScroll: true });
}

/** Do so from now on. */
export function keepFocus() {
  addEventListener("focusin", (event) => (chain = around(/** @type {HTMLElement} */ (event.target))));
  // Who presses beside everything has left it.
  addEventListener("pointerdown", () => (chain = []));
  const options = { subtree: true, childList: true, attributeFilter: ["disabled"] };
  new MutationObserver(mend).observe(document.body, options);
}
