/** The kinds of events, what they are called, and how some of them are chosen. */
import { html } from "../vendor/preact.js";
import { hasText, t } from "../texts.js";
import { Details } from "../parts/details.js";

export const EVENT_KINDS = /** @type {const} */ ([
  "UserRegistered",
  "GuestBecameUser",
  "UserDeleted",
  "UserBanned",
  "BanLifted",
  "RoleChanged",
  "UserRenamed",
  "ContentPublished",
  "RevisionPublished",
  "ContentChanged",
  "ContentStatus",
  "ContentVisibility",
  "CommentPosted",
  "CommentRemoved",
  "FileStored",
  "ReportOpened",
  "ReportResolved",
  "DecisionTaken",
  "DecisionReversed",
  "NoticeFiled",
  "AppealOpened",
  "ChallengeEntered",
  "ChallengeClosed",
  "WebhookDisabled",
]);

/** @param {string} kind */
export function eventName(kind) {
  const key = `event.${kind}`;
  return hasText(key) ? t(key) : kind;
}

/** Some kinds, or all of them, which are none that is chosen.
 * @param {{label?: string, value: string[], onChange: (kinds: string[]) => void}} props */
export function Kinds({ label, value, onChange }) {
  // What is chosen already may be of a later release.
  const all = [...EVENT_KINDS, ...value.filter((one) => !EVENT_KINDS.some((kind) => kind === one))];
  /** @param {string} kind */
  const turn = (kind) =>
    onChange(all.filter((one) => (one === kind ? !value.includes(one) : value.includes(one))));
  return html`
    <${Details}
      name="kinds"
      kind="kinds"
      summary=${html`
        ${label && `${label}: `}
        <span>
          ${value.length ? t("console.kinds-chosen", { count: value.length }) : t("console.kinds-all")}
        </span>
      `}
    >
      <fieldset>
        <legend class="unseen">${t("console.kinds")}</legend>
        <div class="checks">
          ${all.map(
            (kind) =>
              html`
                <div key=${kind}>
                  <label class="check">
                    <input
                      type="checkbox"
                      checked=${value.includes(kind)}
                      onChange=${() => turn(kind)}
                    />${" "}
                    ${eventName(kind)}
                  </label>
                </div>
              `,
          )}
        </div>
        ${
          value.length > 0 &&
          html`
            <p>
              <button type="button" class="button plain small" onClick=${() => onChange([])}>
                ${t("console.kinds-reset")}
              </button>
            </p>
          `
        }
      </fieldset>
    <//>
  `;
}
