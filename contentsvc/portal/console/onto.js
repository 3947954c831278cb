/** What can be done about a subject, and about who has made it. Each act keeps its place, whatever was
 * done. */
import { client, may } from "../session.js";
import { t } from "../texts.js";

/** @typedef {import("./steps.js").About} About */
/**
 * What can be done. What has `decides` is a decision, which can be taken back for a while; all else is done
 * at once by `work`.
 * @typedef {object} Act
 * @property {string} name
 * @property {string} key
 * @property {string} text
 * @property {string | false | null} [done] what its button says once it is done
 * @property {boolean} [off] whether there is nothing to do now
 * @property {"reads" | "needs"} [reason] whether it tells the player the reason
 * @property {boolean} [more] whether it stands behind `More`
 * @property {"danger"} [kind]
 * @property {{action: string, subject: import("./deciding.js").Subject, said: string,
 *   plain?: () => Promise<unknown>}} [decides] `said` is what it says of what was done
 * @property {(reason: string) => any} [work] gives what is to be shown at once
 */

/** @param {{kind: string, id: string, about: About, now: any, isPending: (action: string,
 *   subject: {kind: string, id: string}) => boolean, setBlocking: (on: boolean) => void}} props
 * @returns {Act[]} */
export function actsOnIt({ kind, id, about, now, isPending, setBlocking }) {
  const { contentId, standing } = about;
  /** @param {string} action */
  const stands = (action) =>
    isPending(action, { kind, id }) || standing.some((one) => one.action === action && one.subject.id === id);
  /** @param {string} what */
  const said = (what) => t("console.deed", { what, name: about.name });
  const isSuspended = now?.status === "suspended" || isPending("suspend", { kind, id });
  return /** @type {(Act | false)[]} */ ([
    kind === "content" && {
      name: "suspend",
      key: "s",
      text: t("console.suspend"),
      done: isSuspended && t("status.suspended"),
      off: !now,
      reason: "reads",
      kind: "danger",
      decides: {
        action: "suspend",
        subject: { kind, id },
        said: said(t("status.suspended")),
        plain: () => client.setContentStatus({ contentId: id, body: { status: "suspended" } }),
      },
    },
    kind === "content" && {
      name: "restore",
      key: "e",
      text: t("action.restore"),
      off: !isSuspended,
      reason: "reads",
      work: async (/** @type {string} */ reason) => {
        await client.setContentStatus({
          contentId: id,
          body: { status: "active", ...(reason && { reason }) },
        });
        return { now: { ...now, status: "active" } };
      },
    },
    kind === "content" && {
      name: "block",
      key: "x",
      text: t("console.block-files"),
      off: !now,
      kind: "danger",
      work: () => setBlocking(true),
    },
    kind === "content" &&
      may("curate") && {
        name: "feature",
        key: "f",
        text: t(now?.featured ? "console.unfeature" : "console.feature"),
        off: !now,
        work: async () => {
          await client.setContentFeatured({ contentId: id, body: { featured: !now.featured } });
          return { now: { ...now, featured: !now.featured } };
        },
      },
    kind === "content" && {
      name: "lock",
      key: "k",
      text: t("console.lock"),
      done: (now?.commentsLocked || isPending("lock_comments", { kind, id })) && t("console.locked"),
      off: !now,
      more: true,
      decides: {
        action: "lock_comments",
        subject: { kind, id },
        said: said(t("console.locked")),
        plain: () => client.setCommentsLocked({ contentId: id, body: { locked: true } }),
      },
    },
    kind === "comment" && {
      name: "remove",
      key: "r",
      text: t("console.remove"),
      done: (now?.deleted || isPending("remove", { kind, id })) && t("console.removed"),
      off: !now,
      reason: "reads",
      kind: "danger",
      decides: {
        action: "remove",
        subject: { kind, id, content: contentId ?? undefined },
        said: said(t("console.removed")),
        plain: () =>
          client.deleteComment({ contentId: /** @type {string} */ (contentId), commentId: Number(id) }),
      },
    },
    kind === "message" && {
      name: "remove",
      key: "r",
      text: t("console.remove"),
      done: stands("remove") && t("console.removed"),
      reason: "needs",
      kind: "danger",
      decides: {
        action: "remove",
        subject: { kind, id, user: about.author ?? undefined },
        said: said(t("console.removed")),
      },
    },
    kind === "file" && {
      name: "block",
      key: "x",
      text: t("console.block-file"),
      done: stands("block_file") && t("console.blocked"),
      reason: "needs",
      kind: "danger",
      decides: { action: "block_file", subject: { kind, id }, said: said(t("console.blocked")) },
    },
    kind === "collection" && {
      name: "remove",
      key: "r",
      text: t("console.remove"),
      done: !now && t("console.removed"),
      off: now?.kind !== "collection",
      kind: "danger",
      work: async () => {
        await client.deleteCollection({ userId: now.owner.id, collectionId: id });
        return { now: null };
      },
    },
    kind === "user" && {
      name: "clear",
      key: "c",
      text: t("console.clear-profile"),
      done: isPending("clear_profile", { kind, id }) && t("console.profile-cleared"),
      more: true,
      reason: "needs",
      decides: {
        action: "clear_profile",
        subject: { kind, id },
        said: said(t("console.profile-cleared")),
      },
    },
  ]).filter((one) => !!one);
}

/** @param {{userId: string | null, name: string, isPending: (action: string, subject: {kind: string,
 *   id: string}) => boolean, ban: {until: number | null} | null | undefined, isNew: boolean,
 *   warned: boolean, restricted: boolean, lifted: () => void}} props `isNew` is whether another end of the
 *   ban was chosen; `warned` and `restricted` are whether nothing has changed since that was done
 * @returns {Act[]} */
export function actsOnAuthor({ userId, name, isPending, ban, isNew, warned, restricted, lifted }) {
  if (!userId) return [];
  const subject = { kind: "user", id: userId };
  /** @param {string} what */
  const said = (what) => t("console.deed", { what, name });
  const isBanned = !!ban || isPending("ban", subject);
  return [
    {
      name: "warn",
      key: "w",
      text: t("console.warn"),
      done: (warned || isPending("warn", subject)) && t("console.warned"),
      reason: "needs",
      decides: { action: "warn", subject, said: said(t("console.warned")) },
    },
    {
      name: "ban",
      key: "b",
      text: t("console.ban"),
      done: isBanned && !isNew && t("console.banned"),
      reason: "needs",
      kind: "danger",
      decides: { action: "ban", subject, said: said(t("console.banned")) },
    },
    {
      name: "lift",
      key: "l",
      text: t("console.lift"),
      off: !isBanned,
      work: async () => {
        await client.unbanUser({ userId });
        lifted();
        return { ban: null };
      },
    },
    {
      name: "restrict",
      key: "t",
      text: t("console.restrict"),
      done: (restricted || isPending("restrict", subject)) && t("console.restricted"),
      more: true,
      reason: "needs",
      kind: "danger",
      decides: { action: "restrict", subject, said: said(t("console.restricted")) },
    },
  ];
}
