/** A part of a page that is fetched when it is needed. */
import { html } from "../vendor/preact.js";
import { useLoad } from "./hooks.js";
import { Loaded } from "./states.js";

/** @param {{load: () => Promise<{default: any}>, of: string, [name: string]: any}} props `of` is the module's
 *   name; the rest are the part's own */
export function Lazy({ load, of, ...rest }) {
  const found = useLoad(load, [of]);
  return html`
    <${Loaded} of=${found}>
      ${(/** @type {{default: any}} */ module) => html`<${module.default} ...${rest} />`}
    <//>
  `;
}
