/** Tabs: of one place, with what each shows, or of places side by side. The address says which is shown. */
import { html, useEffect, useRef } from "../vendor/preact.js";
import { address, here, note } from "../router.js";
import { useId } from "./form.js";

/** Scroll a row that is longer than the page, so that what is chosen is seen.
 * @param {string} chosen */
export function useRow(chosen) {
  const row = useRef(/** @type {HTMLElement | null} */ (null));
  useEffect(() => {
    const one = row.current?.querySelector("[aria-current], [aria-selected=true]");
    if (!row.current || !one) return;
    const [around, inside] = [row.current.getBoundingClientRect(), one.getBoundingClientRect()];
    row.current.scrollLeft += inside.left - around.left - (around.width - inside.width) / 2;
  }, [chosen]);
  return row;
}

/** Tabs of one place. `?tab=` names the one that is shown; the first needs no name. The arrow keys, Home and
 * End move between them.
 * @param {{tabs: [string, string][], query: URLSearchParams, label: string, children: (name: string) => any}}
 *   props `tabs` are names and texts; the children give what a tab shows */
export function Tabs({ tabs, query, label, children }) {
  const id = useId();
  const names = tabs.map(([name]) => name);
  const chosen = Math.max(names.indexOf(query.get("tab") ?? ""), 0);
  const row = useRow(names[chosen]);
  /** @param {number} at */
  const choose = (at) => {
    const now = new URLSearchParams(query);
    if (at) now.set("tab", names[at]);
    else now.delete("tab");
    note(`${here().replace(/\?.*/, "")}${now.size ? `?${now}` : ""}`);
  };
  /** @param {KeyboardEvent} event */
  const press = (event) => {
    const last = tabs.length - 1;
    const from = [...(row.current?.children ?? [])].indexOf(/** @type {Element} */ (event.target));
    const at = { ArrowRight: from + 1, ArrowLeft: from - 1, Home: 0, End: last }[event.key];
    if (at === undefined) return;
    event.preventDefault();
    const next = (at + tabs.length) % tabs.length;
    choose(next);
    document.getElementById(`${id}-${names[next]}`)?.focus();
  };
  return html`
    <div class="tabs" role="tablist" aria-label=${label} ref=${row} onKeyDown=${press}>
      ${tabs.map(
        ([name, text], at) =>
          html`
            <button
              key=${name}
              type="button"
              role="tab"
              id=${`${id}-${name}`}
              aria-controls=${`${id}-panel`}
              aria-selected=${at === chosen}
              tabindex=${at === chosen ? 0 : -1}
              onClick=${() => choose(at)}
            >
              ${text}
            </button>
          `,
      )}
    </div>
    <div role="tabpanel" id=${`${id}-panel`} aria-labelledby=${`${id}-${names[chosen]}`}>
      ${children(names[chosen])}
    </div>
  `;
}

/** Places side by side, as links.
 * @param {{places: readonly (readonly [path: string, text: string])[], place: string, label: string}} props
 *   `place` is the path of the one that is shown */
export function PlaceTabs({ places, place, label }) {
  const row = useRow(place);
  return html`
    <nav class="tabs" ref=${row} aria-label=${label}>
      ${places.map(
        ([path, text]) =>
          html`
            <a key=${path} href=${address(path)} aria-current=${place === path ? "page" : undefined}>
              ${text}
            </a>
          `,
      )}
    </nav>
  `;
}
