/** `/console/tags`: content with tags of the studio, and any other to give them to. */
import { html, useEffect, useState } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { go } from "../router.js";
import { t } from "../texts.js";
import { Card } from "../parts/card.js";
import { Button, Field, Form, joined, separated } from "../parts/form.js";
import { HowMany } from "../parts/how-many.js";
import { List, useList } from "../parts/list.js";
import { control } from "../parts/names.js";
import StaffTags from "../parts/staff-tags.js";
import { Empty } from "../parts/states.js";
import { Facets } from "../parts/tags.js";
import { Frame } from "./frame.js";

/** @param {import("../router.js").PlaceProps} props */
export default function Tags({ query }) {
  return html`
    <${Frame} place="/console/tags" needs="curate">
      <${All} q=${query.get("q") ?? ""} tags=${query.get("tags") ?? ""} />
    <//>
  `;
}

/** @param {{q: string, tags: string}} props */
function All({ q, tags }) {
  const [text, setText] = useState(q);
  useEffect(() => setText(q), [q]);
  const [open, setOpen] = useState(/** @type {{id: string, name: string} | null} */ (null));
  const asked = { ...(q && { q }), ...(tags && { tags }) };
  const found = useList("listContent", { ...asked, limit: 24 }, [q, tags]);
  /** @param {{q?: string, tags?: string}} change */
  const ask = (change) => {
    const now = Object.entries({ q: text.trim(), tags, ...change }).filter(([, value]) => value);
    go(`/console/tags${now.length ? `?${new URLSearchParams(now)}` : ""}`);
  };
  return html`
    <${Form}
      role="search"
      aria-label=${t("console.tags")}
      of=${found}
      limits=${limits.listContent}
      onSend=${() => ask({})}
    >
      <div class="filters">
        <${Field}
          label=${t("field.search")}
          type="search"
          name="q"
          value=${text}
          sent=${text.trim()}
          onChange=${setText}
        />
        <${Button} type="submit" kind="main">${t("action.search")}<//>
      </div>
      <div class="facets">
        <${Facets}
          only="staff"
          chosen=${separated(tags)}
          onChange=${(/** @type {string[]} */ now) => ask({ tags: joined(now) })}
        />
      </div>
    <//>
    <${HowMany} of=${found} />
    <${List}
      of=${found}
      kind="cards"
      label=${t("console.tags")}
      item=${(/** @type {any} */ one) =>
        html`
          <${Card} content=${one} />
          <p class="actions">
            <${Button}
              class="button plain small"
              aria-label=${control(t("tags.staff"), one.name)}
              onClick=${() => setOpen(one)}
            >
              ${t("tags.staff")}
            <//>
          </p>
        `}
      empty=${html`<${Empty} title=${t("browse.nothing")} text=${t("browse.nothing-text")} />`}
    />
    ${
      open &&
      html`
        <${StaffTags}
          key=${open.id}
          contentId=${open.id}
          name=${open.name}
          onClose=${() => setOpen(null)}
          onDone=${found.reload}
        />
      `
    }
  `;
}
