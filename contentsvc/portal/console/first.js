/** `/console`: leads to the first place of it that the visitor may see. */
import { go } from "../router.js";
import { html, useEffect } from "../vendor/preact.js";
import { useSession } from "../parts/hooks.js";
import { Waiting } from "../parts/states.js";
import NotFound from "../places/not-found.js";
import { firstPlace } from "./frame.js";

export default function First() {
  const first = firstPlace(useSession().permissions);
  useEffect(() => void (first && go(first, { replace: true })), [first]);
  return first ? html`<${Waiting} />` : html`<${NotFound} />`;
}
