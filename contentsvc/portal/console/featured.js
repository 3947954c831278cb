/** `/console/featured`: what everybody is shown first, and the end of that. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { address } from "../router.js";
import { t } from "../texts.js";
import { Card } from "../parts/card.js";
import { Alert, Button } from "../parts/form.js";
import { useChange } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { control } from "../parts/names.js";
import { Empty } from "../parts/states.js";
import { Frame } from "./frame.js";

export default function Featured() {
  return html`
    <${Frame} place="/console/featured" needs="curate">
      <${All} />
    <//>
  `;
}

function All() {
  const found = useList("listContent", { featured: true, limit: 24 }, []);
  const act = useChange(found.reload);
  /** @param {string} contentId */
  const end = (contentId) =>
    act.run(() => client.setContentFeatured({ contentId, body: { featured: false } }));
  return html`
    <${Alert} error=${act.error} />
    <${List}
      of=${found}
      kind="cards"
      label=${t("discover.featured")}
      item=${(/** @type {any} */ one) =>
        html`
          <${Card} content=${one} />
          <p class="actions">
            <${Button}
              class="button plain small"
              busy=${act.busy}
              aria-label=${control(t("console.unfeature"), one.name)}
              onClick=${() => end(one.id)}
            >
              ${t("console.unfeature")}
            <//>
          </p>
        `}
      empty=${html`
        <${Empty} title=${t("console.none-featured")} text=${t("console.none-featured-text")}>
          <a class="button main" href=${address("/browse")}>
            ${t("place.browse")}
          </a>
        <//>
      `}
    />
  `;
}
