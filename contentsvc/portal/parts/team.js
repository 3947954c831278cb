/** Who works on content beside its author. */
import { html } from "../vendor/preact.js";
import { t } from "../texts.js";
import { PersonLink } from "./people.js";

/** Who else works on content.
 * @param {{members: import("../client.js").Member[]}} props */
export function Team({ members }) {
  if (!members.length) return null;
  return html`
    <section>
      <h2>${t("content.team")}</h2>
      <ul class="team">
        ${members.map(
          ({ user }) =>
            html`
              <li key=${user.id}>
                <${PersonLink} person=${user} />
              </li>
            `,
        )}
      </ul>
    </section>
  `;
}
