/** What can be done in the console, as the filter of what was done has it. */
import { hasText, t } from "../texts.js";

/** By what it is about.
 * @type {Record<string, string[]>} */
export const ACTS = {
  report: ["report_upheld", "report_dismissed"],
  hold: ["hold_placed", "hold_changed", "hold_erased", "hold_read", "hold_escalated"],
  appeal: ["appeal_confirmed", "appeal_reversed"],
  content: [
    ...["content_suspended", "content_restored", "content_featured", "content_unfeatured"],
    ...["content_changed", "content_renamed", "visibility_changed", "comments_locked", "comments_unlocked"],
    ...["revision_published", "revision_selected", "revision_requires", "staff_tags_changed"],
  ],
  comment: ["comment_deleted", "comment_restored", "reversal_noted"],
  message: ["message_removed", "message_restored"],
  collection: ["collection_deleted"],
  user: [
    ...["user_banned", "ban_lifted", "user_warned", "user_cleared", "user_renamed", "user_changed"],
    ...["user_restricted", "restriction_lifted", "warning_withdrawn", "profile_cleared", "profile_restored"],
    ...["email_changed", "password_set", "token_issued", "role_changed"],
  ],
  file: ["file_blocked", "file_unblocked"],
  challenge: [
    ...["challenge_created", "challenge_changed", "challenge_closed", "challenge_deleted"],
    ...["entry_removed", "reward_removed"],
  ],
  announcement: ["announcement_created", "announcement_changed", "announcement_deleted"],
  notification: ["notification_sent", "notification_stopped"],
  service_account: [
    ...["service_account_created", "service_account_changed", "service_account_deleted"],
    ...["service_secret_created", "service_secret_deleted"],
  ],
  webhook: ["webhook_created", "webhook_changed", "webhook_deleted", "webhook_secret_created"],
};

/** Acts on subjects of several kinds, and what they are called together.
 * @type {Record<string, string>} */
const SEVERAL = { report: "console.queue", hold: "console.holds", appeal: "console.appeals" };

/** What can be acted on. */
export const KINDS = Object.keys(ACTS).filter((kind) => !(kind in SEVERAL));

const ALL = Object.values(ACTS).flat();

/** The acts of a comma list that there are.
 * @param {string} text */
export const known = (text) => text.split(",").filter((one) => ALL.includes(one));

/** What an act is called before what it was done to: `Banned:`.
 * @param {string} action */
export function actName(action) {
  const key = `act.${action}`;
  return hasText(key) ? t(key) : action;
}

/** The same alone.
 * @param {string} action */
export const actWord = (action) => actName(action).replace(/:$/, "");

/** @param {string} kind */
export function kindName(kind) {
  const key = SEVERAL[kind] ?? `subject.${kind}`;
  return hasText(key) ? t(key) : kind;
}
