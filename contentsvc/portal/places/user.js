/** `/user/{id}`: a player. */
import { html, useState } from "../vendor/preact.js";
import { inGame } from "../layout.js";
import { block, client, may, readBlocked, state } from "../session.js";
import { address, logInAddress } from "../router.js";
import { ago } from "../format.js";
import { t } from "../texts.js";
import { settle, takeAway } from "../undo.js";
import { Card } from "../parts/card.js";
import { CollectionLine } from "../parts/collection-form.js";
import { Confirm } from "../parts/confirm.js";
import { CopyLink } from "../parts/copy-link.js";
import { Folded } from "../parts/folded.js";
import { Alert, Button, useId } from "../parts/form.js";
import { Found } from "../parts/found.js";
import { useGone } from "../parts/gone.js";
import { useInstant, useLoad, useNews, useSession, useTitle } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { Avatar } from "../parts/people.js";
import { Picture } from "../parts/pictures.js";
import { Report } from "../parts/report.js";
import { Empty } from "../parts/states.js";
import { Tabs } from "../parts/tabs.js";

/** @typedef {Awaited<ReturnType<typeof read>>} About */

/** What the visitor and this player are to each other.
 * @param {string} id @param {AbortSignal} signal */
async function read(id, signal) {
  const user = await client.getUserInfo({ userId: id }, { signal });
  const me = state.user?.id;
  if (!me || me === id) return { user, following: false, friend: "none", blocked: false };
  /** @param {import("../client.js").ListName} list @param {(item: any) => boolean} test */
  const among = async (list, test) => {
    for await (const item of client.each(list, {}, { signal }))
      if (test(item)) return /** @type {any} */ (item);
    return null;
  };
  const [following, friend, asked] = await Promise.all([
    among("listFollowing", (one) => one.id === id),
    among("listFriends", (one) => one.user.id === id),
    among("listFriendRequests", (one) => one.user.id === id),
    readBlocked(),
  ]);
  return {
    user,
    following: !!following,
    friend: friend ? "friend" : (asked?.direction ?? "none"),
    blocked: state.blocked.has(id),
  };
}

/** @param {import("../router.js").PlaceProps} props */
export default function User({ parameters, query }) {
  const id = parameters.id;
  const session = useSession();
  const found = useLoad((signal) => read(id, signal), [id, session.user?.id]);
  useTitle(found.data?.user.username ?? t("place.user"));
  useNews("notification", ({ notification }) => {
    if (notification.sender === id) void found.reload();
  });
  return html`
    <${Found} of=${found}>
      ${(/** @type {About} */ about) =>
        html`
          <header class="profile">
            <${Avatar} person=${about.user} size=${96} />
            <div>
              <h1>
                <bdi>${about.user.username}</bdi>
              </h1>
              ${
                about.user.profile &&
                html`
                  <${Folded} by=${id}>
                    <p class="text" dir="auto">
                      ${about.user.profile}
                    </p>
                  <//>
                `
              }
              ${
                session.user && session.user.id !== id
                  ? html`<${Actions} about=${about} found=${found} />`
                  : html`
                    <p class="actions">
                      ${
                        session.user
                          ? html`
                              <a class="button plain" href=${address("/settings")}>
                                ${t("action.edit")}
                              </a>
                            `
                          : html`
                              <a class="button main" href=${logInAddress()}>
                                ${t("user.log-in")}
                              </a>
                            `
                      }
                      <${Link} id=${id} kind="plain" />
                    </p>
                  `
              }
            </div>
          </header>
          <${Folded} by=${id}>
            <${Made} id=${id} own=${session.user?.id === id} query=${query} />
          <//>
        `}
    <//>
  `;
}

/** Copies the address of the page. A game shows no other, to which one could take it.
 * @param {{id: string, kind?: string}} props */
const Link = ({ id, kind = "quiet" }) => !inGame && html`<${CopyLink} path=${`/user/${id}`} kind=${kind} />`;

/** Leads those who keep order to the account.
 * @param {{id: string}} props */
function Moderate({ id }) {
  if (!may("moderate")) return null;
  return html`
    <a class="button plain" href=${address(`/console/users/${id}`)}>
      ${t("action.moderate")}
    </a>
  `;
}

/** What can be taken back is shown at once.
 * @param {{about: About, found: import("../parts/hooks.js").Loaded<About>}} props */
function Actions({ about, found }) {
  const otherId = about.user.id;
  // Who follows need not wait for that to do the next thing.
  const following = useInstant(found);
  const others = useInstant(found);
  const says = useId();
  const [blocking, setBlocking] = useState(false);
  const { username } = about.user;
  const isGone = useGone("friend", (id) => id === otherId && found.reload());
  const part = () =>
    takeAway({
      key: `friend ${otherId}`,
      what: "friend",
      name: username,
      send: (userId) => client.removeFriend({ userId, otherId }),
    });
  const act = { error: following.error ?? others.error };
  /** @param {string} text @param {() => Promise<unknown>} work @param {Partial<About>} [shown] @param
   *   {string} [kind] */
  const button = (text, work, shown = {}, kind = "plain", act = others) =>
    html`
      <${Button}
        kind=${kind}
        busy=${act.busy}
        onClick=${() =>
          act.run(
            (was) => ({ ...was, ...shown }),
            () => work().then(() => void found.reload()),
          )}
      >
        ${text}
      <//>
    `;
  if (about.blocked) {
    return html`
      <p class="notice">${t("user.blocked")}</p>
      <p class="actions">
        ${button(t("action.unblock"), () => block(otherId, false), { blocked: false })}
        <${Report} operation="reportUser" parameters=${{ userId: otherId }} />
        <${Moderate} id=${otherId} />
      </p>
      <${Alert} error=${act.error} />
    `;
  }
  /** @type {Record<string, [string, () => Promise<unknown>, Partial<About>?]>} */
  const friendships = {
    // Who has just been parted from is asked as anybody else.
    none: [
      t("action.ask"),
      async () => (await settle(), await client.addFriend({ otherId })),
      { friend: "outgoing" },
    ],
    incoming: [t("action.accept"), () => client.addFriend({ otherId })],
    outgoing: [t("action.take-back"), () => client.removeFriend({ otherId }), { friend: "none" }],
  };
  const friend = isGone(otherId) ? "none" : about.friend;
  const friendship = friendships[friend];
  return html`
    <p class="actions">
      ${
        about.following
          ? button(
              t("action.unfollow"),
              () => client.unfollowUser({ otherId }),
              { following: false },
              "plain",
              following,
            )
          : button(
              t("action.follow"),
              () => client.followUser({ otherId }),
              { following: true },
              "main",
              following,
            )
      }
      ${friendship && button(...friendship)}
      ${friend === "incoming" && button(t("action.decline"), () => client.removeFriend({ otherId }))}
      ${
        friend === "friend" &&
        html`
          <a class=${`button ${about.following ? "main" : "plain"}`} href=${address(`/messages/${otherId}`)}>
            ${t("action.write")}
          </a>
          <${Button} class="button quiet" onClick=${part}>${t("action.end-friendship")}<//>
        `
      }
      <${Button}
        class="button quiet"
        aria-describedby=${says}
        aria-haspopup="dialog"
        onClick=${() => setBlocking(true)}
      >
        ${t("action.block")}
      <//>
      <${Report} operation="reportUser" parameters=${{ userId: otherId }} kind="quiet" />
      <${Link} id=${otherId} />
      <${Moderate} id=${otherId} />
    </p>
    ${
      blocking &&
      html`
        <${Confirm}
          title=${t("user.block-title", { name: username })}
          text=${t("user.block-says")}
          action=${t("action.block")}
          onClose=${() => setBlocking(false)}
          work=${async () => (await settle(), await block(otherId, true), await found.reload())}
        />
      `
    }
    <p class="unseen" id=${says}>${t("user.block-says")}</p>
    <${Alert} error=${act.error} />
  `;
}

/** @param {{id: string, own: boolean, query: URLSearchParams}} props */
function Made({ id, own, query }) {
  /** @type {[string, string][]} */
  const tabs = [
    ["content", t("user.content")],
    ["achievements", t("user.achievements")],
    ["emblems", t("user.emblems")],
    ["collections", t("library.collections")],
    ...(own ? [/** @type {[string, string]} */ (["withdrawn", t("user.withdrawn")])] : []),
  ];
  return html`
    <${Tabs} tabs=${tabs} query=${query} label=${t("user.made")}>
      ${(/** @type {string} */ tab) =>
        html`
          <h2 class="unseen">${tabs.find(([name]) => name === tab)?.[1]}</h2>
          ${tab === "content" && html`<${Works} key=${tab} name="listUserContent" id=${id} />`}
          ${tab === "withdrawn" && html`<${Works} key=${tab} name="listDeletedContent" id=${id} />`}
          ${tab === "collections" && html`<${Collections} id=${id} />`}
          ${tab === "achievements" && html`<${Achievements} id=${id} />`}
          ${tab === "emblems" && html`<${Emblems} id=${id} />`}
        `}
    <//>
  `;
}

/** @param {{name: "listUserContent" | "listDeletedContent", id: string}} props */
function Works({ name, id }) {
  const found = useList(name, { userId: id, limit: 24 }, [name, id]);
  return html`
    <${List}
      of=${found}
      kind="cards"
      item=${(/** @type {any} */ one) => html`<${Card} content=${one} />`}
      empty=${html`<${Empty} title=${t("user.nothing")} />`}
    />
  `;
}

/** Those that are public; one's own are all there.
 * @param {{id: string}} props */
function Collections({ id }) {
  const found = useList("listCollections", { userId: id, limit: 24 }, [id]);
  return html`
    <${List}
      of=${found}
      item=${(/** @type {any} */ one) => html`<${CollectionLine} collection=${one} />`}
      empty=${html`<${Empty} title=${t("user.no-collections")} />`}
    />
  `;
}

/** @param {{id: string}} props */
function Achievements({ id }) {
  const found = useList("listAchievements", { userId: id }, [id]);
  return html`
    <${List}
      of=${found}
      item=${(/** @type {any} */ one) =>
        html`
          <h3 dir="auto">${one.name}</h3>
          <p dir="auto">${one.description}</p>
          <p class="small faint">
            ${ago(one.earned)} ·${" "}
            <a href=${address(`/challenges/${one.challenge}`)}>${t("user.challenge")}</a>
          </p>
        `}
      empty=${html`<${Empty} title=${t("user.no-achievements")} />`}
    />
  `;
}

/** @param {{id: string}} props */
function Emblems({ id }) {
  const found = useList("listEmblems", { userId: id }, [id]);
  return html`
    <${List}
      of=${found}
      kind="emblems"
      item=${(/** @type {any} */ one) =>
        html`
          <${Picture}
            path=${one.image}
            name=${one.name}
            id=${one.id}
            width=${96}
            height=${96}
            kind="emblem"
          />
          <h3 dir="auto">${one.name}</h3>
          <p class="small" dir="auto">
            ${one.description}
          </p>
        `}
      empty=${html`<${Empty} title=${t("user.no-emblems")} />`}
    />
  `;
}
