/** `/appeal?kind=…&id=…`: who has reported something says why it was wrong to dismiss that. */
import { html } from "../vendor/preact.js";
import { client } from "../session.js";
import { t } from "../texts.js";
import { AppealForm } from "../parts/appeal.js";
import { SubjectLink } from "../parts/decision.js";
import { useTitle } from "../parts/hooks.js";
import { LoggedIn } from "../parts/logged-in.js";
import NotFound from "./not-found.js";

const KINDS = ["content", "comment", "user", "collection"];

/** @param {import("../router.js").PlaceProps} props */
export default function Appeal({ query }) {
  useTitle(t("appeal.title"));
  const kind = query.get("kind") ?? "";
  const id = query.get("id") ?? "";
  if (!KINDS.includes(kind) || !id) return html`<${NotFound} />`;
  const subject = { kind, id, content: query.get("content") ?? undefined };
  return html`
    <div class="narrow">
      <h1>${t("appeal.title")}</h1>
      <${LoggedIn}>
        <p>${t("appeal.report-lead")}</p>
        <p><${SubjectLink} subject=${subject} own=${false} /></p>
        <${AppealForm}
          key=${`${kind} ${id}`}
          name=${`${kind}.${id}`}
          hint=${t("appeal.report-hint")}
          send=${(/** @type {string} */ text) =>
            client.appealReport({ kind: /** @type {any} */ (kind), id, body: { text } })}
        />
      <//>
    </div>
  `;
}
