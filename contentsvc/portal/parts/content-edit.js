/** What a content says of itself, as a form for those who work on it. */
import { html, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { AttributeFields, attributesOf, rowsOf, wrong } from "./attributes.js";
import { Both, same, useEdit } from "./edit.js";
import { Alert, Button, Field, Form, joined, separated } from "./form.js";

/** @typedef {import("../client.js").ContentDetail} Detail */

/** @param {Detail} content */
const fields = ({ description, tags, attributes }) => ({
  description,
  tags: joined(tags),
  attributes: rowsOf(attributes),
});

/** @param {import("./attributes.js").Row[]} rows */
const said = (rows) => rows.map(({ key, value }) => `${key}: ${value}`).join(", ");

/** @param {{content: Detail, onDone: () => Promise<unknown>}} props */
export default function Edit({ content, onDone }) {
  const contentId = content.id;
  const [problem, setProblem] = useState(/** @type {string | null} */ (null));
  const { values, change, save, both } = useEdit(`content.${contentId}`, fields(content), {
    read: (options) => client.getContent({ contentId }, options),
    fields,
    check: ({ attributes }, was) => {
      const bad = same(attributes, was.attributes) ? null : wrong(attributes);
      setProblem(bad);
      return !bad;
    },
    write: ({ description, tags, attributes }, now, options) => {
      const was = fields(now);
      const body = {
        description,
        screenshotUris: now.screenshotUris,
        ...(tags !== was.tags && { tags: separated(tags) }),
        ...(!same(attributes, was.attributes) && { attributes: attributesOf(attributes) }),
      };
      return client.putContent({ contentId, body }, options);
    },
    done: onDone,
  });
  const labels = {
    description: t("field.description"),
    tags: t("field.tags"),
    attributes: t("attributes.title"),
  };
  return html`
    <${Form} onSend=${() => save.run()}>
      <${Field}
        label=${labels.description}
        lines=${6}
        value=${values.description}
        onChange=${(/** @type {string} */ description) => change({ description })}
      />
      <${Field}
        label=${labels.tags}
        value=${values.tags}
        onChange=${(/** @type {string} */ tags) => change({ tags })}
        hint=${t("publish.tags-hint")}
      />
      <${AttributeFields}
        rows=${values.attributes}
        problem=${problem}
        onChange=${(/** @type {any} */ attributes) => (setProblem(null), change({ attributes }))}
      />
      <${Both} of=${both} labels=${labels} words=${{ attributes: said }} />
      <${Alert} error=${save.error} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${save.busy}>
          ${t("action.save")}
        <//>
      </p>
    <//>
  `;
}
