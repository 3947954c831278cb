/** Votes for content, and one's own. They are shown at once, and taken back if they are refused. */
import { html, useEffect, useRef, useState } from "../vendor/preact.js";
import { client } from "../session.js";
import { number } from "../format.js";
import { t } from "../texts.js";
import { Alert } from "./form.js";
import { useAction, useSession } from "./hooks.js";
import { Icon } from "./icons.js";

/** @param {{content: import("../client.js").ContentDetail}} props */
export function Votes({ content }) {
  const { user } = useSession();
  const [mine, setMine] = useState(/** @type {string | null} */ (null));
  const [votes, setVotes] = useState(content.votes);
  const casts = useRef(0);
  useEffect(() => setVotes(content.votes), [content]);
  useEffect(() => {
    if (!user) return setMine(null);
    // A vote that is cast meanwhile is newer than the answer.
    const before = casts.current;
    client.getRatings({}).then(
      (all) => before === casts.current && setMine(all[content.id] ?? null),
      () => {},
    );
  }, [user?.id, content.id]);
  const vote = useAction(async (/** @type {"0" | "1"} */ value) => {
    const before = { mine, votes };
    const now = mine === value ? null : value;
    casts.current += 1;
    /** @param {string | null} of */
    const has = (of) => Number(now === of) - Number(mine === of);
    setMine(now);
    setVotes({ up: votes.up + has("1"), down: votes.down + has("0") });
    try {
      if (now === null) await client.deleteRating({ contentId: content.id });
      else await client.putRating({ contentId: content.id, body: { value: now } });
    } catch (error) {
      setMine(before.mine);
      setVotes(before.votes);
      throw error;
    }
  });
  // Nobody votes for what is their own.
  if (!user || user.id === content.authorId) {
    return html`
      <p class="votes">
        <span class="vote"><${Icon} name="votes" /> <span aria-hidden="true">${number(votes.up)}</span></span>
        <span class="unseen">${t("votes.up", { count: votes.up })}</span>
        <span class="vote down">
          <${Icon} name="votes" /> <span aria-hidden="true">${number(votes.down)}</span>
        </span>
        <span class="unseen">${t("votes.down", { count: votes.down })}</span>
      </p>
    `;
  }
  /** @param {"0" | "1"} value @param {string} label @param {string} said @param {number} count */
  const button = (value, label, said, count) =>
    html`
      <button
        type="button"
        class=${`button plain vote ${value === "0" ? "down" : ""}`}
        aria-label=${label}
        aria-pressed=${mine === value}
        title=${label}
        onClick=${() => vote.run(value)}
      >
        <${Icon} name="votes" filled=${mine === value} />
        <span class="number" data-number=${number(count)}></span>
      </button>
      <span class="unseen">${said}</span>
    `;
  return html`
    <div class="votes">
      ${button("1", t("action.vote-up"), t("votes.up", { count: votes.up }), votes.up)}
      ${button("0", t("action.vote-down"), t("votes.down", { count: votes.down }), votes.down)}
    </div>
    <${Alert} error=${vote.error} />
  `;
}
