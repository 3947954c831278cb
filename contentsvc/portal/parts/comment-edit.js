/** A comment as a form, for who has written it. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { Both, useEdit } from "./edit.js";
import { Alert, Button, Field, Form } from "./form.js";

/** @param {import("../client.js").Comment} comment */
const fields = ({ body }) => ({ body });

/** @param {{contentId: string, comment: import("../client.js").Comment, onDone: () => Promise<unknown>}}
 *   props */
export default function CommentEdit({ contentId, comment, onDone }) {
  const parameters = { contentId, commentId: comment.id };
  const { values, change, save, both } = useEdit(`comment.${contentId}.${comment.id}.edit`, fields(comment), {
    read: (options) => client.getComment(parameters, options),
    fields,
    write: (body, _, options) => client.updateComment({ ...parameters, body }, options),
    done: onDone,
  });
  const label = t("field.comment");
  return html`
    <${Form} onSend=${() => save.run()}>
      <${Field}
        label=${label}
        lines=${3}
        value=${values.body}
        onChange=${(/** @type {string} */ body) => change({ body })}
      />
      <${Both} of=${both} labels=${{ body: label }} />
      <${Alert} error=${save.error} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${save.busy}>
          ${t("action.save")}
        <//>
      </p>
    <//>
  `;
}
