/** What a content says of itself, as a form for those who work on it. */
import { html } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { AttributeFields, attributesOf, rowsOf } from "./attributes.js";
import { Both, same, useEdit } from "./edit.js";
import { Button, Field, Form, joined, Refused, separated } from "./form.js";

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
  const { values, change, save, both } = useEdit(`content.${contentId}`, fields(content), {
    read: (options) => client.getContent({ contentId }, options),
    fields,
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
    <${Form} of=${save} limits=${limits.putContent} onSend=${() => save.run()}>
      <${Field}
        label=${labels.description}
        lines=${6}
        name="description"
        focused
        value=${values.description}
        onChange=${(/** @type {string} */ description) => change({ description })}
      />
      <${Field}
        label=${labels.tags}
        name="tags"
        value=${values.tags}
        sent=${separated(values.tags)}
        onChange=${(/** @type {string} */ tags) => change({ tags })}
        hint=${t("publish.tags-hint")}
      />
      <${AttributeFields}
        rows=${values.attributes}
        onChange=${(/** @type {any} */ attributes) => change({ attributes })}
      />
      <${Both} of=${both} labels=${labels} words=${{ attributes: said }} />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${save.busy}>
          ${t("action.save")}
        <//>
      </p>
    <//>
  `;
}
