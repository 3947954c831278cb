/** The kinds of notifications that a player may mute, and what they are called. */
import { client } from "../session.js";
import { replace } from "../replace.js";
import { hasText, t } from "../texts.js";

/** What is done to a player's own cannot be muted.
 * @type {string[]} */
export const MUTABLE = [
  "FriendRequest",
  "FriendConfirm",
  "FriendMessage",
  "NewFollower",
  "PartyInvite",
  "PartyInviteAccept",
  "PartyInviteDecline",
  "ContentPublished",
  "RevisionPublished",
  "DependencyStatus",
  "SubscriptionUpdated",
  "TesterInvited",
  "MemberInvited",
  "ChallengeWon",
  "ChallengeParticipated",
  "CommentOnContent",
  "CommentReply",
  "ReportResolved",
  "Studio",
];

/** What mutes a notification's like: of the studio's, those of its topic.
 * @param {{kind: string, topic?: string}} one */
export function muteOf(one) {
  return one.kind === "Studio" ? `Studio:${one.topic}` : one.kind;
}

/** Mute one of them, or let it come. The others stay as they are by now.
 * @param {string} kind @param {boolean} isMuted */
export function setMuted(kind, isMuted) {
  return replace(
    (options) => client.getNotificationSettings({}, options),
    ({ muted }, options) => {
      const others = /** @type {any[]} */ (muted).filter((one) => one !== kind);
      return client.setNotificationSettings(
        { body: { muted: isMuted ? [...others, kind] : others } },
        options,
      );
    },
  );
}

/** @param {string} kind, or one topic of the studio's */
export function kindName(kind) {
  if (kind.startsWith("Studio:")) return t("mute.topic", { topic: kind.slice("Studio:".length) });
  const key = `mute.${kind}`;
  return hasText(key) ? t(key) : kind;
}
