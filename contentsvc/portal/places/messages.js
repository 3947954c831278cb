/** `/messages/{user}`: a conversation, live. */
import { html, useEffect, useRef } from "../vendor/preact.js";
import { limits } from "../limits.js";
import { wasLeft } from "../history.js";
import { client } from "../session.js";
import { moment } from "../format.js";
import { language, t } from "../texts.js";
import { Folded } from "../parts/folded.js";
import { Button, Field, Form, Refused } from "../parts/form.js";
import { Found } from "../parts/found.js";
import { useAction, useDraft, useLoad, useNews, useSession, useTitle } from "../parts/hooks.js";
import { useList } from "../parts/list.js";
import { LoggedIn } from "../parts/logged-in.js";
import { PersonLink } from "../parts/people.js";
import { Empty, Loaded } from "../parts/states.js";
import { guid } from "../client.js";

/** @param {import("../router.js").PlaceProps} props */
export default function Messages({ parameters }) {
  const found = useLoad(
    (signal) => client.getUserInfo({ userId: parameters.id }, { signal }),
    [parameters.id],
  );
  useTitle(found.data?.username ?? t("place.messages"));
  return html`
    <${Found} of=${found}>
      ${(/** @type {any} */ person) =>
        html`
          <div class="thread-page">
            <h1>
              <${PersonLink} person=${person} size=${32} />
            </h1>
            <${LoggedIn}>
              <${Thread} other=${person} />
            <//>
          </div>
        `}
    <//>
  `;
}

/** @param {{other: import("../parts/people.js").Person}} props */
function Thread({ other }) {
  const { user } = useSession();
  const otherId = other.id;
  const list = useList("listMessages", { otherId, limit: 50 }, [otherId]);
  const bottom = useRef(/** @type {HTMLElement | null} */ (null));
  const [values, change, forget] = useDraft(`message.${otherId}`, { text: "", id: "" });
  useNews("notification", ({ notification }) => {
    if (notification.kind !== "FriendMessage" || notification.sender !== otherId) return;
    void list.reload();
    void client.updateNotification({ notificationId: notification.id, body: { read: true } }).catch(() => {});
  });
  useNews("missed", () => void list.reload());
  const newest = list.data?.items[0]?.id;
  // Who comes back is where they were.
  const isBack = useRef(wasLeft());
  useEffect(() => {
    if (!isBack.current) bottom.current?.scrollIntoView({ block: "nearest" });
    isBack.current &&= newest === undefined;
  }, [newest]);
  const send = useAction(async () => {
    // The id is kept with the text, so that what is sent again is one message.
    const id = values.id || guid();
    change({ id });
    await client.sendMessage({ otherId, body: { text: values.text, id } });
    forget();
    await list.reload();
  });
  return html`
    <${Loaded} of=${list}>
      ${(/** @type {{items: any[], next: object | null}} */ { items, next }) =>
        html`
          ${
            next &&
            html`
              <p class="more">
                <${Button} busy=${list.more.busy} onClick=${() => list.more.run()}>
                  ${t("messages.earlier")}
                <//>
              </p>
            `
          }
          ${
            items.length
              ? html`
                <${Folded} by=${otherId}>
                  <ol class="thread" aria-label=${t("messages.thread")}>
                    ${[...items].reverse().map(
                      (one) =>
                        html`
                          <li key=${one.id} class=${one.sender === user?.id ? "mine" : ""}>
                            <p class="text" dir="auto">
                              ${one.text}
                            </p>
                            <time class="faint small" title=${moment(one.created)}>
                              ${new Intl.DateTimeFormat(language, {
                                dateStyle: "short",
                                timeStyle: "short",
                              }).format(one.created * 1000)}
                            </time>
                          </li>
                        `,
                    )}
                  </ol>
                <//>
              `
              : html`<${Empty} title=${t("messages.none")} />`
          }
        `}
    <//>
    <div ref=${bottom}></div>
    <${Form} class="write" of=${send} limits=${limits.sendMessage} onSend=${() => send.run()}>
      <${Field}
        label=${t("field.message")}
        name="text"
        lines=${2}
        value=${values.text}
        onChange=${(/** @type {string} */ text) => change({ text, id: "" })}
      />
      <${Refused} />
      <p class="actions">
        <${Button} type="submit" kind="main" busy=${send.busy}>
          ${t("action.send")}
        <//>
      </p>
    <//>
  `;
}
