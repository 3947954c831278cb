/** A comment as a form, for who has written it. */
import { html } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { Both, useEdit } from "./edit.js";
import { Button, Field, Form, Refused } from "./form.js";

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
    <${Form} of=${save} limits=${limits.updateComment} onSend=${() => save.run()}>
      <${Field}
        label=${label}
        name="body"
        focused
        lines=${3}
        value=${values.body}
        onChange=${(/** @type {string} */ body) => change({ body })}
      />
      <${Both} of=${both} labels=${{ body: label }} />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${save.busy}>
          ${t("action.save")}
        <//>
      </p>
    <//>
  `;
}
