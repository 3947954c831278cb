/** Lists that are longer than a page: the next part comes with a button. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { recall, remember } from "../history.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { useAction, useLoad } from "./hooks.js";
import { Alert, Button } from "./form.js";
import { CardsWaiting, Loaded } from "./states.js";

/** So many empty parts are read at once. */
const PARTS = 8;

/** Read a list in parts. Its items are what the operation gives. As many parts as were shown are read again
 * when the visitor comes back.
 * @param {import("../client.js").ListName} name of the operation
 * @param {Record<string, any>} parameters
 * @param {unknown[]} keys
 * @param {(items: any[], before: number) => boolean} [enough] whether there is something to show beside
 *   those from `before`: else the next part is read too
 * @param {(items: any[]) => Promise<unknown>} [prepare] what the items wait for */
export function useList(
  name,
  parameters,
  keys,
  enough = (items, before) => items.length > before,
  prepare = async () => {},
) {
  // What is read again is as long as what is shown.
  const parts = useRef({ count: 1, of: "" });
  const of = `parts ${name} ${JSON.stringify(keys)}`;
  if (parts.current.of !== of) parts.current = { count: recall(of) ?? 1, of };
  /** @param {object} from @param {{signal?: AbortSignal}} [options] */
  const read = async (from, options) => {
    const part = /** @type {{items: any[], next: object | null}} */ (await client.part(name, from, options));
    await prepare(part.items);
    return part;
  };
  const loaded = useLoad(async (signal) => {
    let found = await read(parameters, { signal });
    const longer = async () => {
      const part = await read(/** @type {object} */ (found.next), { signal });
      found = { items: [...found.items, ...part.items], next: part.next };
    };
    // A part may be empty where few fit, and the next one not.
    for (let n = 0; n < PARTS && !enough(found.items, 0) && found.next; n += 1) await longer();
    for (let n = 1; n < parts.current.count && found.next; n += 1) await longer();
    return found;
  }, keys);
  const more = useAction(async () => {
    const was = loaded.data;
    let next = was?.next ?? null;
    /** @type {any[]} */
    let items = [];
    for (let n = 0; n < PARTS && next; n += 1) {
      const part = await read(next);
      parts.current.count += 1;
      items = [...items, ...part.items];
      next = part.next;
      if (enough([...(was?.items ?? []), ...items], was?.items.length ?? 0)) break;
    }
    if (!was?.next) return;
    remember(of, parts.current.count);
    loaded.change((now) => ({ items: [...now.items, ...items], next }));
  });
  return { ...loaded, more };
}

/** Who asks for more by keys goes on with the first of what comes. `list` is the element whose children the
 * rows are, and `ask` is called before more is asked for.
 * @param {number} count of the rows that are shown */
export function useOnwards(count) {
  const list = useRef(/** @type {HTMLElement | null} */ (null));
  const next = useRef(-1);
  useEffect(() => {
    const row = next.current >= 0 && next.current < count && list.current?.children[next.current];
    if (!row) return;
    next.current = -1;
    const controls = /** @type {HTMLElement[]} */ ([...row.querySelectorAll("a[href], button")]);
    controls.find((one) => one.checkVisibility())?.focus({ preventScroll: true });
  }, [count]);
  return { list, ask: () => void (next.current = count) };
}

/**
 * A list with what it shows when it is empty.
 * @param {{of: ReturnType<typeof useList>, item: (item: any) => any, kind?: string, label?: string,
 *   empty: any}} props
 */
export function List({ of, item, kind = "rows", label, empty }) {
  const { list, ask } = useOnwards(of.data?.items.length ?? 0);
  const more = () => {
    ask();
    void of.more.run();
  };
  return html`
    <${Loaded} of=${of} waiting=${kind === "cards" ? html`<${CardsWaiting} />` : undefined}>
      ${(/** @type {{items: any[], next: object | null}} */ found) =>
        found.items.length === 0 && !found.next
          ? empty
          : html`
            ${
              found.items.length > 0 &&
              html`
                <ul class=${kind} aria-label=${label} ref=${list}>
                  ${found.items.map((one) => html`<li key=${one.id ?? one.user?.id}>${item(one)}</li>`)}
                </ul>
              `
            }
            ${
              found.next &&
              html`
                <${Alert} error=${of.more.error} />
                <p class="more">
                  <${Button} busy=${of.more.busy} onClick=${more}>
                    ${t("action.more")}
                  <//>
                </p>
              `
            }
          `}
    <//>
  `;
}
