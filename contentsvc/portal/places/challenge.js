/** `/challenges/{id}`: a design challenge, its entries and winners. */
import { html, useState } from "../vendor/preact.js";
import { inGame } from "../layout.js";
import { client } from "../session.js";
import { address, logInAddress } from "../router.js";
import { moment } from "../format.js";
import { t } from "../texts.js";
import { Card, Cards } from "../parts/card.js";
import { timing } from "../parts/challenge-card.js";
import { CopyLink } from "../parts/copy-link.js";
import { Alert, Button, Choice } from "../parts/form.js";
import { Found } from "../parts/found.js";
import { useChange, useKept, useLoad, useNews, useSession, useTitle } from "../parts/hooks.js";
import { HowMany } from "../parts/how-many.js";
import { List, useList } from "../parts/list.js";
import { Picture } from "../parts/pictures.js";
import { Empty, Loaded } from "../parts/states.js";

/** @typedef {import("../client.js").Challenge} Shape */

/** @param {import("../router.js").PlaceProps} props */
export default function Challenge({ parameters }) {
  const challengeId = parameters.id;
  const found = useLoad((signal) => client.getChallenge({ challengeId }, { signal }), [challengeId]);
  useTitle(found.data?.name ?? t("place.challenges"));
  useNews("notification", ({ notification }) => {
    if (notification.challenge === challengeId) void found.reload();
  });
  return html`
    <${Found} of=${found}>
      ${(/** @type {Shape} */ challenge) => html`<${Shown} challenge=${challenge} reload=${found.reload} />`}
    <//>
  `;
}

/** @param {{challenge: Shape, reload: () => Promise<void>}} props */
function Shown({ challenge, reload }) {
  const { user } = useSession();
  const { state, opens, closes } = challenge;
  const when = state === "upcoming" ? opens : closes;
  const [sort, setSort] = useKept("sort", "newest");
  const entries = useList("listChallengeEntries", { challengeId: challenge.id, sort, limit: 24 }, [
    challenge.id,
    sort,
    challenge.entries,
  ]);
  const changed = async () => {
    await reload();
    await entries.reload();
  };
  return html`
    <header class="profile challenge-head">
      <${Picture}
        path=${challenge.win.emblem.image}
        name=${challenge.name}
        id=${challenge.id}
        width=${128}
        height=${128}
        kind="emblem"
      />
      <div>
        <h1 dir="auto">${challenge.name}</h1>
        <p class="facts">
          <span class=${`badge static state-${challenge.state}`}>
            ${t(`challenge.state-${challenge.state}`)}
          </span>
          ${challenge.state !== "closed" && html`<span>${timing(challenge)}</span>`}
          ${
            when &&
            html`
              <time class="faint" datetime=${new Date(when * 1000).toISOString()}>
                ${moment(when)}
              </time>
            `
          }
        </p>
        ${challenge.theme && html`<p class="lead">${t("challenge.theme")} <bdi>${challenge.theme}</bdi></p>`}
        ${
          !inGame &&
          html`
            <p class="actions">
              <${CopyLink} path=${`/challenges/${challenge.id}`} kind="plain small" />
            </p>
          `
        }
      </div>
    </header>
    <p class="text" dir="auto">
      ${challenge.description}
    </p>
    <section class="rewards" aria-labelledby="rewards">
      <h2 class="unseen" id="rewards">
        ${t("challenge.rewards")}
      </h2>
      <${Prize} title=${t("challenge.win")} reward=${challenge.win} />
      <${Prize} title=${t("challenge.participate")} reward=${challenge.participate} />
    </section>
    ${
      challenge.state === "open" &&
      (user
        ? html`<${Take} challenge=${challenge} onChange=${changed} />`
        : html`
          <p>
            <a class="button main" href=${logInAddress()}>${t("challenge.log-in")}</a>
          </p>
        `)
    }
    ${challenge.winners.length > 0 && html`<${Winners} ids=${challenge.winners} />`}
    <section aria-labelledby="entries">
      <header class="row-head">
        <h2 id="entries">${t("challenge.entries-title")}</h2>
        <${Choice}
          label=${t("field.sort")}
          value=${sort}
          onChange=${setSort}
          options=${[
            ["newest", t("sort.newest")],
            ["top", t("sort.top")],
          ]}
        />
      </header>
      <${HowMany} of=${entries} />
      <${List}
        of=${entries}
        kind="cards"
        item=${(/** @type {any} */ one) =>
          html`
            ${challenge.winners.includes(one.id) && html`<p class="winner">${t("challenge.winner")}</p>`}
            <${Card} content=${one} />
          `}
        empty=${html`<${Empty} title=${t("challenge.no-entries")} />`}
      />
    </section>
  `;
}

/** Those that have won, wherever they are in the list of entries.
 * @param {{ids: string[]}} props */
function Winners({ ids }) {
  const found = useLoad(
    (signal) => client.listContent({ ids: ids.slice(0, 100).join(",") }, { signal }),
    [ids.join()],
  );
  if (found.data?.length === 0) return null;
  return html`
    <section aria-labelledby="winners">
      <h2 id="winners">${t("challenge.winners")}</h2>
      <${Loaded} of=${found}>
        ${(/** @type {any[]} */ all) => html`<${Cards} of=${all} aria-labelledby="winners" />`}
      <//>
    </section>
  `;
}

/** @param {{title: string, reward: import("../client.js").Reward}} props */
function Prize({ title, reward }) {
  return html`
    <div class="prize">
      <${Picture}
        path=${reward.emblem.image}
        name=${reward.emblem.name}
        id=${reward.emblem.id}
        width=${64}
        height=${64}
        kind="emblem"
      />
      <div>
        <h3>${title}</h3>
        <p>
          <b dir="auto">${reward.achievement.name}</b>
        </p>
        <p class="small" dir="auto">
          ${reward.achievement.description}
        </p>
      </div>
    </div>
  `;
}

/** Enter one's own content, or take it out.
 * @param {{challenge: Shape, onChange: () => Promise<void>}} props */
function Take({ challenge, onChange }) {
  const challengeId = challenge.id;
  const [chosen, setChosen] = useState("");
  const own = useLoad(
    async (signal) => {
      /** @type {any[]} */
      const all = [];
      for await (const one of client.each("listUserContent", { limit: 100 }, { signal })) all.push(one);
      /** @type {Set<string>} */
      const entered = new Set();
      for await (const one of client.each("listChallengeEntries", { challengeId, limit: 100 }, { signal }))
        entered.add(one.id);
      const fits = all.filter(
        (one) =>
          one.status === "active" &&
          one.visibility === "public" &&
          (!challenge.types || challenge.types.includes(one.type)),
      );
      return {
        free: fits.filter((one) => !entered.has(one.id)),
        mine: all.filter((one) => entered.has(one.id)),
      };
    },
    [challengeId, challenge.entries],
  );
  const act = useChange(async () => {
    setChosen("");
    await onChange();
    await own.reload();
  });
  return html`
    <section class="owner" aria-labelledby="take-part">
      <h2 id="take-part">${t("challenge.take-part")}</h2>
      <${Loaded} of=${own}>
        ${(/** @type {{free: any[], mine: any[]}} */ { free, mine }) =>
          html`
            ${
              free.length > 0
                ? html`
                  <div class="actions">
                    <${Choice}
                      label=${t("challenge.your-content")}
                      value=${chosen || free[0].id}
                      onChange=${setChosen}
                      options=${free.map((one) => [one.id, one.name])}
                    />
                    <${Button}
                      kind="main"
                      busy=${act.busy}
                      onClick=${() =>
                        act.run(() =>
                          client.enterChallenge({ challengeId, contentId: chosen || free[0].id }),
                        )}
                    >
                      ${t("action.enter")}
                    <//>
                  </div>
                `
                : mine.length === 0 &&
                  html`
                    <p>
                      ${t("challenge.nothing-fits")} <a href=${address("/publish")}>${t("place.publish")}</a>
                    </p>
                  `
            }
            ${mine.map(
              (one) =>
                html`
                  <p class="actions" key=${one.id} role="group" aria-label=${one.name}>
                    <b dir="auto">${one.name}</b>
                    <${Button}
                      busy=${act.busy}
                      onClick=${() =>
                        act.run(() => client.leaveChallenge({ challengeId, contentId: one.id }))}
                    >
                      ${t("action.leave")}
                    <//>
                  </p>
                `,
            )}
          `}
      <//>
      <${Alert} error=${act.error} />
    </section>
  `;
}
