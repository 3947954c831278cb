/** What is known of a content beside what its author says. */
import { html } from "../vendor/preact.js";
import { address } from "../router.js";
import { client } from "../session.js";
import { ago, moment, number } from "../format.js";
import { t } from "../texts.js";
import { useLoad, useSession } from "./hooks.js";
import { Count } from "./icons.js";
import { typeName } from "./names.js";
import { inWords } from "./requires.js";
import { typeText } from "./types.js";

/** @typedef {import("../client.js").ContentDetail} Detail */

const COUNTS = /** @type {const} */ ([
  "plays",
  "players",
  "completions",
  "downloads",
  "subscribers",
  "favourites",
]);
/** With fewer votes than this, a share says nothing. */
const ENOUGH = 3;

/** Its type, and what is special about it.
 * @param {{content: Detail}} props */
export function Badges({ content }) {
  const { status, visibility } = content;
  return html`
    <p class="kind-of">
      <span class="faint small">${typeName(content.type)}</span>
      ${content.featured && html`<span class="badge static">${t("content.featured")}</span>`}
      ${status !== "active" && html`<span class="badge warn static">${t(`status.${status}`)}</span>`}
      ${
        visibility &&
        visibility !== "public" &&
        html`<span class="badge warn static">${t(`visibility.${visibility}`)}</span>`
      }
    </p>
  `;
}

/** How it is liked and used, as far as that says something.
 * @param {{content: Detail}} props */
export function Numbers({ content: { votes, counts } }) {
  const all = votes.up + votes.down;
  const share = Math.round((100 * votes.up) / all);
  const used = /** @type {const} */ (["plays", "downloads"]).filter((name) => counts?.[name] > 0);
  if (all < ENOUGH && !used.length) return null;
  return html`
    <p class="facts faint">
      ${
        all >= ENOUGH &&
        html`<${Count} name="votes" count=${all} shown=${t("votes.share", { share })} values=${{ share }} />`
      }
      ${used.map((name) => html`<${Count} key=${name} name=${name} count=${counts[name]} />`)}
    </p>
  `;
}

/** @param {{at: number}} props */
function Time({ at }) {
  return html`
    <time datetime=${new Date(at * 1000).toISOString()} title=${moment(at)}>${ago(at)}</time>
  `;
}

/** @param {{content: Detail}} props */
export function Facts({ content }) {
  const { counts, created, updated } = content;
  const kind = typeText(content.type);
  return html`
    <section class="panel" aria-labelledby="about">
      <h2 id="about">${t("content.about")}</h2>
      ${kind && html`<p class="hint">${typeName(content.type)}: ${kind}</p>`}
      <dl>
        ${
          content.revision.version &&
          html`
            <dt>${t("content.version")}</dt>
            <dd dir="auto">${content.revision.version}</dd>
          `
        }
        ${
          content.requires &&
          html`
            <dt>${t("requires.title")}</dt>
            <dd>
              ${inWords(content.requires).map(
                (one) =>
                  html`
                    <div key=${one} dir="auto">
                      ${one}
                    </div>
                  `,
              )}
            </dd>
          `
        }
        <dt>${t("content.created")}</dt>
        <dd><${Time} at=${created} /></dd>
        ${
          updated > created &&
          html`
            <dt>${t("content.updated")}</dt>
            <dd><${Time} at=${updated} /></dd>
          `
        }
        ${
          counts &&
          COUNTS.filter((name) => counts[name] > 0).map(
            (name) =>
              html`
                <dt key=${name}>${t(`count.${name}`)}</dt>
                <dd>${number(counts[name])}</dd>
              `,
          )
        }
      </dl>
    </section>
  `;
}

/** So many notifications are looked through. */
const MOST = 100;

/** Tells an author why it was suspended: that is in the notification of it, as long as they have that.
 * @param {{content: Detail}} props */
export function Suspended({ content }) {
  const { user } = useSession();
  const found = useLoad(
    async (signal) => {
      const { newest } = await client.getNotificationState({}, { signal });
      const after = String(Math.max(newest - MOST, 0));
      /** @type {any[]} */
      const all = await client.listNotifications({ after, limit: MOST }, { signal });
      const one = all.findLast(({ kind, content: id }) => kind === "ContentSuspended" && id === content.id);
      return one ?? null;
    },
    [content.id, user?.id],
  );
  return html`
    <div class="notice" role="note">
      <p>${t("content.suspended")}</p>
      ${
        found.data?.reason &&
        html`
          <blockquote class="text" dir="auto">
            ${found.data.reason}
          </blockquote>
        `
      }
      ${
        found.data?.decision
          ? html`
              <p>
                <a href=${address(`/decisions/${found.data.decision}`)}>${t("decision.read")}</a>
              </p>
            `
          : html`<p class="small faint">${t("content.suspended-hint")}</p>`
      }
    </div>
  `;
}
