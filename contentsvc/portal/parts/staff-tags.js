/** The tags that a curator gives content. */
import { limits } from "../limits.js";
import { client } from "../session.js";
import { html, useState } from "../vendor/preact.js";
import { t } from "../texts.js";
import { Button, Dialog, Form, Problem, Refused, useField, useId } from "./form.js";
import { useAction, useLoad } from "./hooks.js";
import { Loaded } from "./states.js";
import { divided, groupsFor } from "./tag-names.js";
import { TagChoices } from "./tags.js";

/** @typedef {import("../client.js").ContentDetail} Detail */

/** The dialog in which they are chosen.
 * @param {{contentId: string, name: string, onClose: () => void, onDone: () => unknown}} props */
export default function StaffTags({ contentId, name, onClose, onDone }) {
  const found = useLoad((signal) => client.getContent({ contentId }, { signal }), [contentId]);
  return html`
    <${Dialog} title=${t("tags.staff-of", { name })} onClose=${onClose}>
      <${Loaded} of=${found}>
        ${(/** @type {Detail} */ content) =>
          html`<${Chosen} content=${content} onDone=${async () => (await onDone(), onClose())} />`}
      <//>
    <//>
  `;
}

/** @param {{content: Detail, onDone: () => Promise<unknown>}} props */
function Chosen({ content, onDone }) {
  const groups = groupsFor(content.type, true);
  const given = divided(content.tags, content.type).staff;
  const [tags, setTags] = useState(given);
  const save = useAction(async () => {
    await client.setStaffTags({ contentId: content.id, body: { tags } });
    await onDone();
  });
  return html`
    <${Form} of=${save} limits=${limits.setStaffTags} onSend=${() => save.run()}>
      ${
        groups.length
          ? html`<${Groups} groups=${groups} tags=${tags} onChange=${setTags} />`
          : t("tags.none-fits")
      }
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${save.busy}>${t("action.save")}<//>
      </p>
    <//>
  `;
}

/** @param {{groups: import("./tag-names.js").TagGroup[], tags: string[], onChange: (tags: string[]) => void}}
 *   props */
function Groups({ groups, tags, onChange }) {
  const id = useId();
  const [problem, forget] = useField("tags", { value: tags });
  return html`
    <${TagChoices}
      groups=${groups}
      chosen=${tags}
      onChange=${(/** @type {string[]} */ now) => (forget(), onChange(now))}
      problem=${problem ? `${id}-problem` : undefined}
    />
    <${Problem} id=${id} text=${problem} />
  `;
}
