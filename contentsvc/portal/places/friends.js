/** `/friends`: friends, requests both ways, invites to parties, and conversations. */
import { html } from "../vendor/preact.js";
import { client, news } from "../session.js";
import { address } from "../router.js";
import { ago } from "../format.js";
import { t } from "../texts.js";
import { Folded } from "../parts/folded.js";
import { Alert, Button } from "../parts/form.js";
import { useGone } from "../parts/gone.js";
import { useChange, useLoad, useNews, useTitle } from "../parts/hooks.js";
import { List, useList } from "../parts/list.js";
import { LoggedIn } from "../parts/logged-in.js";
import { control } from "../parts/names.js";
import { PersonLink } from "../parts/people.js";
import { Empty } from "../parts/states.js";

export default function Friends() {
  useTitle(t("place.friends"));
  return html`
    <h1>${t("place.friends")}</h1>
    <${LoggedIn}>
      <div class="columns">
        <${Requests} />
        <${All} />
        <${Conversations} />
        <${Invites} />
      </div>
    <//>
  `;
}

/** A list that is read again when notifications of these kinds come, and its actions.
 * @param {import("../client.js").ListName} name @param {RegExp} kinds */
function useLive(name, kinds) {
  const list = useList(name, {}, []);
  useNews("notification", ({ notification }) => {
    if (kinds.test(notification.kind)) void list.reload();
  });
  useNews("missed", () => void list.reload());
  useNews("changed", () => void list.reload());
  const act = useChange(async () => {
    // Who is accepted goes from one list to another.
    news.dispatchEvent(new CustomEvent("changed"));
    await list.reload();
  });
  return { list, act };
}

function Requests() {
  const { list, act } = useLive("listFriendRequests", /^Friend(Request|Confirm)$/);
  return html`
    <section aria-labelledby="requests">
      <h2 id="requests">${t("friends.requests")}</h2>
      <${Alert} error=${act.error} />
      <${List}
        of=${list}
        label=${t("friends.requests")}
        item=${(/** @type {any} */ { user, direction, created }) =>
          html`
            <div class="line" role="group" aria-label=${user.username}>
              <${PersonLink} person=${user} />${" "}
              <span class="faint small">
                ${t(direction === "incoming" ? "friends.incoming" : "friends.outgoing")} · ${ago(created)}
              </span>
              <span class="actions">
                ${
                  direction === "incoming"
                    ? html`
                      <${Button}
                        kind="main"
                        busy=${act.busy}
                        onClick=${() => act.run(() => client.addFriend({ otherId: user.id }))}
                      >
                        ${t("action.accept")}
                      <//>
                      <${Button}
                        busy=${act.busy}
                        onClick=${() => act.run(() => client.removeFriend({ otherId: user.id }))}
                      >
                        ${t("action.decline")}
                      <//>
                    `
                    : html`
                      <${Button}
                        busy=${act.busy}
                        aria-label=${control(t("action.take-back"), user.username)}
                        onClick=${() => act.run(() => client.removeFriend({ otherId: user.id }))}
                      >
                        ${t("action.take-back")}
                      <//>
                    `
                }
              </span>
            </div>
          `}
        empty=${html`<${Empty} title=${t("friends.no-requests")} />`}
      />
    </section>
  `;
}

function All() {
  const { list, act } = useLive("listFriends", /^FriendConfirm$/);
  const isGone = useGone("friend", () => list.reload());
  const friends = list.data && {
    ...list,
    data: { ...list.data, items: list.data.items.filter(({ user }) => !isGone(user.id)) },
  };
  return html`
    <section aria-labelledby="all">
      <h2 id="all">${t("place.friends")}</h2>
      <${Alert} error=${act.error} />
      <${List}
        of=${friends ?? list}
        label=${t("place.friends")}
        item=${(/** @type {any} */ { user, since }) =>
          html`
            <div class="line">
              <${PersonLink} person=${user} />${" "}
              <span class="faint small">${t("friends.since", { when: ago(since) })}</span>
              <span class="actions">
                <a
                  class="button plain small"
                  href=${address(`/messages/${user.id}`)}
                  aria-label=${control(t("action.write"), user.username)}
                >
                  ${t("action.write")}
                </a>
              </span>
            </div>
          `}
        empty=${html`
          <${Empty} title=${t("friends.none")} text=${t("friends.none-text")}>
            <a class="button main" href=${address("/search")}>
              ${t("place.search")}
            </a>
          <//>
        `}
      />
    </section>
  `;
}

function Conversations() {
  const { list } = useLive("listConversations", /^FriendMessage$/);
  useNews("state", () => void list.reload());
  return html`
    <section aria-labelledby="conversations">
      <h2 id="conversations">${t("friends.conversations")}</h2>
      <${List}
        of=${list}
        label=${t("friends.conversations")}
        item=${(/** @type {any} */ { user, last }) =>
          html`
            <div class="line">
              <${PersonLink} person=${user} /> <span class="faint small">${ago(last.created)}</span>
              <${Folded} by=${user.id}>
                <a class="excerpt" href=${address(`/messages/${user.id}`)} dir="auto">
                  ${last.removed ? t("messages.removed") : last.text}
                </a>
              <//>
            </div>
          `}
        empty=${html`<${Empty} title=${t("friends.no-conversations")} />`}
      />
    </section>
  `;
}

function Invites() {
  const invites = useLoad((signal) => client.listPartyInvites({}, { signal }), []);
  useNews("notification", ({ notification }) => {
    if (notification.kind.startsWith("Party")) void invites.reload();
  });
  const act = useChange(invites.reload);
  if (!invites.data?.length) return null;
  return html`
    <section aria-labelledby="invites">
      <h2 id="invites">${t("friends.invites")}</h2>
      <${Alert} error=${act.error} />
      <ul class="rows">
        ${invites.data.map(({ sender, party, created }) => {
          const answer = { friendUserId: sender.id, body: { party } };
          return html`
            <li key=${`${sender.id} ${party}`}>
              <${Folded} by=${sender.id}>
                <div class="line" role="group" aria-label=${sender.username}>
                  <${PersonLink} person=${sender} />${" "}
                  <span class="faint small">${t("friends.invited")} · ${ago(created)}</span>
                  <span class="actions">
                    <${Button}
                      kind="main"
                      busy=${act.busy}
                      onClick=${() => act.run(() => client.acceptPartyInvite(answer))}
                    >
                      ${t("action.accept")}
                    <//>
                    <${Button}
                      busy=${act.busy}
                      onClick=${() => act.run(() => client.declinePartyInvite(answer))}
                    >
                      ${t("action.decline")}
                    <//>
                  </span>
                </div>
              <//>
            </li>
          `;
        })}
      </ul>
    </section>
  `;
}
