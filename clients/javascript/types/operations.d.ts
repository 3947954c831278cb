// scripts/openapi makes this of docs/openapi.json.

/** Options of each call. */
export interface CallOptions {
  /** Ends the call, which rejects with the signal's reason. */
  signal?: AbortSignal | undefined;
  /** How many times at most it is sent again. */
  retries?: number | undefined;
  /** Further fields of the request's head. */
  headers?: Headers | Record<string, string> | [string, string][] | undefined;
  /** A token that is good for this alone, in place of that of the log-in. */
  token?: string | undefined;
  /** Seconds to wait for an answer. */
  timeout?: number | undefined;
  /** Keeps how something is when it is read. What replaces it with the same object is refused with
   * `precondition_failed` if it has changed since. */
  seen?: Seen | undefined;
}

/** How something was when it was read: begin with `{}`, or `{etag: "*"}` for whatever is there. */
export interface Seen {
  etag?: string | null | undefined;
}

/** The answer of what makes something. */
export interface Created {
  /** The path of what was made. */
  location: string;
}

// A name that a later release of the service may bring: a string, and another one than all that are
// known, so that these narrow.
declare enum Later {
  name = "(a later one)",
}
export {};

/** The version of the terms that a user accepted last, and when. */
export interface AcceptedTerms {
  version: string;
  /** Unix seconds */
  accepted: number;
}

/** An admin warns the user. `decision` is the id of the decision. */
export interface AccountWarning {
  kind: "AccountWarning";
  reason: string;
  decision?: string | null;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** An achievement, as it was stored. */
export interface Achievement {
  key: string;
  name: string;
  description: string;
  visibilityStart: number | null;
  visibilityStop: number | null;
}

/** An achievement. The bounds of its visibility are Unix seconds. */
export interface AchievementDefinition {
  key: string;
  /** a name that is not blank */
  name: string;
  description: string;
  visibilityStart?: number | null;
  visibilityStop?: number | null;
}

/**
 * A file that a client announces. `size` is in bytes. `mediaType` is required unless `use` is
 * `entity` or `package`.
 */
export interface AnnouncedFile {
  use: "avatar" | "emblem" | "entity" | "package" | "screenshot";
  /** a SHA-256 digest of 64 lower-case hexadecimal digits */
  sha256: string;
  /** a number of bytes */
  size: number;
  mediaType?: string | null;
}

/**
 * An announcement of the studio to everybody. It is current from `from` until just before
 * `until`. Null is at once, and until it is deleted.
 */
export interface Announcement {
  /** a GUID with dashes, in lower case */
  id: string;
  title: string;
  text: string;
  level: "info" | "warning";
  from: number | null;
  until: number | null;
}

/**
 * An announcement to everybody. It is current from `from` until just before `until`. Null is
 * at once, and until it is deleted.
 */
export interface AnnouncementBody {
  /** a name that is not blank */
  title: string;
  text: string;
  level: "info" | "warning";
  from?: number | null;
  until?: number | null;
}

/**
 * To the client: the announcements have changed. Read them again after a random part of
 * `within` seconds.
 */
export interface AnnouncementsMessage {
  type: "announcements";
  /** seconds, over which clients spread */
  within: number;
}

/**
 * An appeal. `from` is `author` if the user whom the `decision` concerns appeals. It is
 * `reporter` or `notifier` if the user's report, or the `notice`, was dismissed; `decision` is
 * null then. `user` is null for a notice, and if the user has left. `answer` is null while the
 * appeal is open.
 */
export interface Appeal {
  /** a GUID with dashes, in lower case */
  id: string;
  from: "author" | "reporter" | "notifier";
  decision: string | null;
  subject: AppealSubject;
  user: UserInfo | null;
  notice: string | null;
  text: string;
  /** Unix seconds */
  created: number;
  state: "open" | "confirmed" | "reversed";
  answer: AppealAnswer | null;
}

/** Who has answered an appeal, with which reason, and when. */
export interface AppealAnswer {
  /** a GUID with dashes, in lower case */
  by: string;
  reason: string;
  /** Unix seconds */
  created: number;
}

/** The outcome of an appeal, and why. Whoever has appealed is told both. */
export interface AppealAnswerBody {
  outcome: "confirmed" | "reversed";
  reason: string;
}

/** Why the decision, or the outcome, is wrong. */
export interface AppealBody {
  text: string;
}

/**
 * A moderator has answered an appeal of the user, against a `decision`, or against the outcome
 * of the user's report of a `subject`.
 */
export interface AppealDecided {
  kind: "AppealDecided";
  outcome: "confirmed" | "reversed";
  reason: string;
  /** a GUID with dashes */
  decision?: string;
  subject?: ReportedSubject;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/**
 * What an appeal is about. The id of a comment is its number, and `content` is the content
 * that it is on. The id of a file is its sha256. `user` is the sender of a message.
 */
export interface AppealSubject {
  kind: "content" | "comment" | "user" | "collection" | "file" | "message";
  id: string;
  /** a GUID with dashes, in lower case */
  content?: string;
  /** a GUID with dashes, in lower case */
  user?: string;
}

/**
 * An audience: the followers of a user, or the entrants of a design challenge. The body has
 * exactly one of the two.
 */
export interface AudienceOf {
  followersOf?: string | null;
  entrantsOf?: string | null;
}

/**
 * What an admin did, and could do only as an admin. `adminKind` says whether `admin` is the id
 * of a user or of a service account. If it is `operator`, somebody has used a command, and
 * `admin` is the nil GUID. `reason` is empty if none was given. `decision` is the id of the
 * decision that this belongs to; null if there is none. `counts` is there if the action was
 * about several things: how many of each kind.
 */
export interface AuditLogEntry {
  /** a GUID with dashes, in lower case */
  id: string;
  /** a GUID with dashes, in lower case */
  admin: string;
  adminKind: "user" | "service" | "operator";
  action: "content_suspended" | "content_restored" | "content_featured" | "content_unfeatured" | "content_changed" | "staff_tags_changed" | "content_renamed" | "visibility_changed" | "revision_published" | "revision_selected" | "revision_requires" | "comments_locked" | "comments_unlocked" | "comment_deleted" | "comment_restored" | "message_removed" | "message_restored" | "collection_deleted" | "user_changed" | "profile_cleared" | "profile_restored" | "user_banned" | "ban_lifted" | "user_warned" | "warning_withdrawn" | "user_restricted" | "restriction_lifted" | "user_cleared" | "user_renamed" | "email_changed" | "token_issued" | "password_set" | "challenge_created" | "challenge_changed" | "challenge_closed" | "challenge_deleted" | "entry_removed" | "reward_removed" | "file_blocked" | "file_unblocked" | "announcement_created" | "announcement_changed" | "announcement_deleted" | "notification_sent" | "notification_stopped" | "report_upheld" | "report_dismissed" | "reversal_noted" | "appeal_confirmed" | "appeal_reversed" | "hold_placed" | "hold_changed" | "hold_erased" | "hold_read" | "hold_escalated" | "role_changed" | "service_account_created" | "service_account_changed" | "service_account_deleted" | "service_secret_created" | "service_secret_deleted" | "webhook_created" | "webhook_changed" | "webhook_deleted" | "webhook_secret_created";
  subject: Subject;
  reason: string;
  /** Unix seconds */
  created: number;
  decision: string | null;
  /** what it was about */
  counts?: Record<string, number>;
}

/**
 * To the server, as the first message: the token of session/connect. `resume` and `resumeId`
 * are the seq and id of the last notification that the client has handled. `resume` alone is
 * enough.
 */
export interface AuthMessage {
  type: "auth";
  token: string;
  /** the number of a notification among its recipient's: 1, 2, 3, without holes */
  resume?: number;
  resumeId?: string | null;
}

/** A ban. `until` is null if it has no end. */
export interface Ban {
  reason: string;
  until: number | null;
}

/** A ban. Without `until` (Unix seconds, up to the year 9999) it has no end. */
export interface BanBody {
  reason: string;
  until?: number | null;
}

/** Why a file is blocked. With `preserve`, its bytes are kept in a hold. */
export interface BlockBody {
  reason: string;
  preserve?: boolean;
}

/** A user who is blocked, and since when. */
export interface BlockedUser {
  user: UserInfo;
  /** Unix seconds */
  since: number;
}

/** Where a body is not valid, as a JSON pointer, and why. */
export interface BodyFault {
  pointer: string;
  detail: string;
}

/**
 * A design challenge: its definition and its state. `entries` counts those that the caller may
 * see. `winners` are the ids of the content that has won.
 */
export interface Challenge {
  name: string;
  /** the place in the list of challenges */
  ordinal: number;
  description: string;
  theme: string;
  win: Reward;
  participate: Reward;
  opens: number | null;
  closes: number | null;
  types: string[] | null;
  judging: "admins" | "votes";
  /** a GUID with dashes, in lower case */
  id: string;
  state: "upcoming" | "open" | "judging" | "closed";
  /** how many */
  entries: number;
  winners: string[];
}

/** The content that has won, in any order. There may be none. */
export interface ChallengeClose {
  winners: string[];
}

/**
 * The definition of a design challenge. It is open from `opens` (null: at once) to `closes`
 * (null: without end). Only content of these `types` may enter (null: all types). `judging`
 * says whether admins choose the winners, or the votes do.
 */
export interface ChallengeCreate {
  /** a name that is not blank */
  name: string;
  /** the place in the list of challenges */
  ordinal: number;
  description: string;
  theme: string;
  win: RewardDefinition;
  participate: RewardDefinition;
  opens?: number | null;
  closes?: number | null;
  types?: ("game" | "asset" | "avatar_box" | "gameplay_box" | "scene_box" | (string & {}))[] | null;
  judging?: "admins" | "votes";
}

/** A design challenge has closed. The user has taken part in it with this content. */
export interface ChallengeParticipated {
  kind: "ChallengeParticipated";
  /** a GUID with dashes */
  challenge: string;
  /** a GUID with dashes */
  content: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** A content of the user has won a design challenge. */
export interface ChallengeWon {
  kind: "ChallengeWon";
  /** a GUID with dashes */
  challenge: string;
  /** a GUID with dashes */
  content: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/**
 * How much there is of a user that can be removed at once. Of content and comments only the
 * newest 1,000 are looked at. Of collections at most 1,000 are counted.
 */
export interface ClearableCounts {
  /** how many */
  content: number;
  /** how many */
  comments: number;
  /** how many */
  collections: number;
}

/**
 * A message of the socket from the client, by `type`. The service leaves out what it does not
 * know.
 */
export type ClientMessage = AuthMessage | PingMessage;

/**
 * A collection. `items` is how many items it has, including those that the caller does not
 * see.
 */
export interface Collection {
  /** a GUID with dashes, in lower case */
  id: string;
  owner: UserInfo;
  name: string;
  description: string;
  public: boolean;
  /** how many */
  items: number;
  /** Unix seconds */
  updated: number;
  kind: "favourites" | "collection";
}

/** The name of a collection, its description, and whether everybody sees it. */
export interface CollectionBody {
  /** a name that is not blank */
  name: string;
  public: boolean;
  description?: string;
}

/** A comment. A deleted one keeps its place and loses its text. */
export interface Comment {
  /** the number of a comment */
  id: number;
  parentId: number | null;
  /** a GUID with dashes, in lower case */
  authorId: string;
  body: string;
  /** Unix seconds */
  created: number;
  /** Unix seconds */
  updated: number;
  deleted: boolean;
  /** how many */
  replies?: number;
}

/** A new comment. With `parentId` it is a reply. A repeat has the same `writeId`. */
export interface CommentCreate {
  body: string;
  parentId?: number | null;
  writeId?: string | null;
}

/** A user has commented on a content of the user. `comment` is the comment's number. */
export interface CommentOnContent {
  kind: "CommentOnContent";
  /** a GUID with dashes */
  sender: string;
  /** a GUID with dashes */
  content: string;
  /** the number of a comment */
  comment: number;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** A page of comments. */
export interface CommentPage {
  /** the number of the page: 0 is the first */
  page: number;
  /** the most on a page */
  pageSize: number;
  /** how many are on this page */
  count: number;
  /** how many are on all pages */
  total: number;
  items: Comment[];
}

/**
 * Somebody else has deleted a comment of the user. `decision` is the id of the admin's
 * decision; null if the author of the content has deleted the comment.
 */
export interface CommentRemoved {
  kind: "CommentRemoved";
  /** a GUID with dashes */
  content: string;
  /** the number of a comment */
  comment: number;
  reason: string;
  decision?: string | null;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** A user has replied to a comment of the user. `comment` is the number of the reply. */
export interface CommentReply {
  kind: "CommentReply";
  /** a GUID with dashes */
  sender: string;
  /** a GUID with dashes */
  content: string;
  /** the number of a comment */
  comment: number;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** The new text of a comment. */
export interface CommentUpdate {
  body: string;
}

/** Whether the comments on a content are locked, and why. */
export interface CommentsLock {
  locked: boolean;
  reason?: string;
}

/** The URL of the socket, and a token for it, which is valid for 60 seconds. */
export interface ConnectAnswer {
  socketUrl: string;
  accessToken: string;
}

/** The kind of client: the game, or the portal web site. */
export interface ConnectBody {
  client: "game" | "portal";
}

/** A new content, with its first revision. The first of `screenshotUris` is the primary image. */
export interface ContentCreate {
  /** a GUID with dashes */
  revisionId: string;
  revisionDescription: string;
  version: string;
  entity: EntityDefinition;
  originating: EntityDefinition[];
  using: EntityReference[];
  packagesOriginating?: PackageDefinition[];
  packagesUsing?: string[];
  requires?: Requires | null;
  /** a name that is not blank */
  name: string;
  description: string;
  screenshotUris: string[];
  type: "game" | "asset" | "avatar_box" | "gameplay_box" | "scene_box" | (string & {});
  tags?: string[];
  visibility?: "friends" | "private" | "public" | "unlisted";
  attributes?: Record<string, string | boolean | number>;
}

/**
 * What changed for a content on a day of UTC. `players` are those who played it for the first
 * time. `seconds` is how long it was played.
 */
export interface ContentDay {
  /** a day of UTC */
  day: string;
  /** how many on this day */
  plays: number;
  /** how many on this day */
  players: number;
  /** how many on this day */
  completions: number;
  /** how many on this day */
  seconds: number;
  /** how many on this day */
  downloads: number;
  /** more subscribers, or fewer if negative */
  subscribers: number;
}

/** A content, with its current revision. */
export interface ContentDetail {
  /** a GUID with dashes, in lower case */
  id: string;
  /** grows with each publication of any content */
  listingId: number;
  /** a GUID with dashes, in lower case */
  revisionId: string;
  /** a GUID with dashes, in lower case */
  authorId: string;
  authorUsername: string;
  authorAvatar: string;
  authorEmblem: string | null;
  /** a content type */
  type: string;
  status: "active" | "suspended" | "deleted";
  name: string;
  thumbnailUri: string;
  featured: boolean;
  rating: number;
  /** Unix seconds */
  created: number;
  /** how many comments, without deleted ones */
  comments: number;
  votes: Votes;
  /**
   * who sees it: everybody; whoever has the id; friends of the author; or nobody but the author,
   * testers and members
   */
  visibility: "public" | "unlisted" | "friends" | "private";
  attributes: Record<string, string | boolean | number>;
  counts: Counts;
  /**
   * the revision that fits what the query says of the client; null if none does. It is there
   * only if the query says something
   */
  fitting?: string | null;
  description: string;
  screenshotUris: string[];
  tags: string[];
  /** Unix seconds */
  updated: number;
  revision: Revision;
  entity: Entity;
  originating: Entity[];
  using: Entity[];
  packages: Package[];
  requires: ShownRequires | null;
  /** the same as comments */
  commentCount: number;
  commentsLocked: boolean;
}

/**
 * A file of a content item. `size` is in bytes. `url` and `expires` are null if the file
 * cannot be downloaded. `platform` is null unless the file is of a package. `name` is null if
 * the author gave none, or it is hidden. A file of several parts is listed once for each of
 * them.
 */
export interface ContentFile {
  path: string;
  use: "avatar" | "emblem" | "entity" | "package" | "screenshot";
  /** a SHA-256 digest of 64 lower-case hexadecimal digits */
  sha256: string;
  /** a number of bytes */
  size: number;
  mediaType: string;
  url: string | null;
  expires: number | null;
  platform: string | null;
  name: string | null;
}

/** A content in a list. */
export interface ContentInfo {
  /** a GUID with dashes, in lower case */
  id: string;
  /** grows with each publication of any content */
  listingId: number;
  /** a GUID with dashes, in lower case */
  revisionId: string;
  /** a GUID with dashes, in lower case */
  authorId: string;
  authorUsername: string;
  authorAvatar: string;
  authorEmblem: string | null;
  /** a content type */
  type: string;
  status: "active" | "suspended" | "deleted";
  name: string;
  thumbnailUri: string;
  featured: boolean;
  rating: number;
  /** Unix seconds */
  created: number;
  /** how many comments, without deleted ones */
  comments: number;
  votes: Votes;
  /**
   * who sees it: everybody; whoever has the id; friends of the author; or nobody but the author,
   * testers and members
   */
  visibility: "public" | "unlisted" | "friends" | "private";
  attributes: Record<string, string | boolean | number>;
  counts: Counts;
  /**
   * the revision that fits what the query says of the client; null if none does. It is there
   * only if the query says something
   */
  fitting?: string | null;
}

/**
 * A present or former name of a content, and since when. `by` is the user who gave it; null if
 * that was staff, or a user who has left.
 */
export interface ContentName {
  name: string;
  /** Unix seconds */
  since: number;
  by: UserInfo | null;
}

/** The new name of a content. */
export interface ContentNameChange {
  /** a name that is not blank */
  name: string;
}

/** An author whom the user follows has published a content. */
export interface ContentPublished {
  kind: "ContentPublished";
  /** a GUID with dashes */
  author: string;
  /** a GUID with dashes */
  content: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/**
 * An admin has restored a content of the user. `decision` is the id of the decision that this
 * reverses; null if the content was suspended without one.
 */
export interface ContentRestored {
  kind: "ContentRestored";
  /** a GUID with dashes */
  content: string;
  reason: string;
  decision?: string | null;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** An admin has suspended a content of the user. `decision` is the id of the decision. */
export interface ContentSuspended {
  kind: "ContentSuspended";
  /** a GUID with dashes */
  content: string;
  reason: string;
  decision?: string | null;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/**
 * The parts of a content that can change. The first of `screenshotUris` is the primary image.
 * Without `tags`, the tags stay. Without `attributes`, the attributes stay; otherwise the new
 * ones replace all of them. A `revisionId` must be a revision of this content.
 */
export interface ContentUpdate {
  revisionId?: string | null;
  description: string;
  screenshotUris: string[];
  tags?: string[];
  attributes?: Record<string, string | boolean | number>;
}

/** A user with whom the user has exchanged messages, and the newest message. */
export interface Conversation {
  user: UserInfo;
  last: Message;
}

/**
 * The totals of a content. `plays` are all plays, and `completions` those that reached the
 * end. `players` has each player once, and `downloads` each user once a day. `subscribers` and
 * `favourites` are the users who have the content there.
 */
export interface Counts {
  /** how many */
  plays: number;
  /** how many */
  players: number;
  /** how many */
  completions: number;
  /** how many */
  downloads: number;
  /** how many */
  subscribers: number;
  /** how many */
  favourites: number;
}

/** The revision that becomes the current one. */
export interface CurrentRevision {
  /** a GUID with dashes */
  revisionId: string;
}

/**
 * The numbers of a day of UTC. `registered` are new full accounts, also those that guests have
 * become, and `guests` are new guests. `active` are the users who logged in or renewed a log-
 * in. `downloads` are the files that were downloaded, and `bytes` their bytes.
 */
export interface DayStatistics {
  /** a day of UTC */
  day: string;
  /** how many on this day */
  registered: number;
  /** how many on this day */
  guests: number;
  /** how many on this day */
  active: number;
  /** how many on this day */
  deleted: number;
  /** how many on this day */
  published: number;
  /** how many on this day */
  revised: number;
  /** how many on this day */
  comments: number;
  /** how many on this day */
  messages: number;
  /** how many on this day */
  ratings: number;
  /** how many on this day */
  downloads: number;
  /** how many on this day */
  bytes: number;
}

/** A notification that debug/notify has sent. */
export interface Debug {
  kind: "Debug";
  text: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** The user to notify, and the text. */
export interface DebugNotify {
  /** a GUID with dashes */
  recipient: string;
  text: string;
}

/**
 * The subject of a decision. The id of a comment is its number, and `content` is the content
 * that it is on. The id of a file is its sha256. `user` is the sender of a message.
 */
export interface DecidedSubject {
  kind: "content" | "comment" | "user" | "file" | "message";
  id: string;
  /** a GUID with dashes, in lower case */
  content?: string;
  /** a GUID with dashes, in lower case */
  user?: string;
}

/**
 * A decision. `user` is the user whom it concerns; null for a file. `until` is null if it has
 * no end. `facts` are the subject as it was; null once nobody can appeal any more. `replaced`
 * is the id of the decision that has replaced it. `territory` is where it holds. `appeals` are
 * its newest 100, the oldest first.
 */
export interface Decision {
  /** a GUID with dashes, in lower case */
  id: string;
  action: "suspend" | "remove" | "lock_comments" | "clear_profile" | "warn" | "ban" | "restrict" | "block_file";
  subject: DecidedSubject;
  user: string | null;
  what: ("publish" | "comment" | "message" | "rate" | "report")[] | null;
  ground: Ground;
  /** a GUID with dashes, in lower case */
  by: string;
  /** Unix seconds */
  created: number;
  until: number | null;
  facts: Record<string, unknown> | null;
  reversed: Reversal | null;
  replaced: string | null;
  territory: "everywhere";
  appeals: DecisionAppeal[];
}

/** An appeal against a decision. */
export interface DecisionAppeal {
  /** a GUID with dashes, in lower case */
  id: string;
  state: "open" | "confirmed" | "reversed";
}

/**
 * A decision. The caller chooses its `id`. Only `ban` and `restrict` have `until`, and only
 * `restrict` has `what`. The decision upholds the open reports of the subject up to the one
 * with the id `upTo`.
 */
export interface DecisionBody {
  /** a GUID with dashes */
  id: string;
  action: "ban" | "block_file" | "clear_profile" | "lock_comments" | "remove" | "restrict" | "suspend" | "warn";
  subject: SubjectBody;
  ground: GroundBody;
  until?: number | null;
  what?: ("comment" | "message" | "publish" | "rate" | "report")[] | null;
  upTo?: string | null;
}

/** A decision that concerned the user was reversed. */
export interface DecisionReversed {
  kind: "DecisionReversed";
  /** a GUID with dashes */
  decision: string;
  reason: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/**
 * An admin has taken a decision that concerns the user, and that has no kind of its own:
 * `action` says which.
 */
export interface DecisionTaken {
  kind: "DecisionTaken";
  /** a GUID with dashes */
  decision: string;
  action: string;
  subject: DecidedSubject;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/**
 * A notification that the user has deleted. Only the socket sends it, from the backlog. Its
 * `read` is true.
 */
export interface Deleted {
  kind: "Deleted";
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/**
 * A content was suspended, restored or deleted, and content of the user depends on it.
 * `status` is its status now. `contents` is how many of the user's contents depend on it, and
 * `content` is the newest of them.
 */
export interface DependencyStatus {
  kind: "DependencyStatus";
  /** a GUID with dashes */
  dependency: string;
  status: "active" | "suspended" | "deleted";
  /** a GUID with dashes */
  content: string;
  /** how many */
  contents: number;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** An achievement that a user has earned, and in which challenge. */
export interface EarnedAchievement {
  key: string;
  name: string;
  description: string;
  /** Unix seconds */
  earned: number;
  /** a GUID with dashes, in lower case */
  challenge: string;
}

/** An emblem that a user has earned, and in which challenge. Users wear it by its `id`. */
export interface EarnedEmblem {
  /** a GUID with dashes, in lower case */
  id: string;
  name: string;
  description: string;
  image: string;
  color: string;
  /** Unix seconds */
  earned: number;
  /** a GUID with dashes, in lower case */
  challenge: string;
}

/** The new address, and the present password. */
export interface EmailChange {
  /** an e-mail address */
  email: string;
  password: string;
}

/** The new address of an account that has no password, and a token of another service. */
export interface EmailChangeBySubject {
  subject_token: string;
  subject_token_type: string;
  /** an e-mail address */
  email: string;
}

/** The token of a mailed link. */
export interface EmailConfirmation {
  /** a token of a link that was mailed */
  token: string;
}

/** The new address of a user, and why. */
export interface EmailReplacement {
  /** an e-mail address */
  email: string;
  reason: string;
}

/** An emblem, as it was stored, and the id with which users wear it. */
export interface Emblem {
  name: string;
  description: string;
  image: string;
  color: string;
  /** a GUID with dashes, in lower case */
  id: string;
}

/** An emblem. */
export interface EmblemDefinition {
  /** a name that is not blank */
  name: string;
  description: string;
  /** a relative path without empty, . or .. segments, without backslashes and control characters */
  image: string;
  /** a colour written as #rrggbb */
  color: string;
}

/** A revision of an entity, and its file. `path` is relative to the content bucket. */
export interface Entity {
  /** a GUID with dashes */
  entityId: string;
  /** a GUID with dashes */
  revisionId: string;
  path: string;
}

/**
 * An entity to register. `path` is relative to the content bucket. `name` is the name of the
 * file in downloads.
 */
export interface EntityDefinition {
  /** a GUID with dashes */
  entityId: string;
  /** a GUID with dashes */
  revisionId: string;
  /** a relative path without empty, . or .. segments, without backslashes and control characters */
  path: string;
  name?: string | null;
}

/** The revision of an entity. */
export interface EntityReference {
  /** a GUID with dashes */
  entityId: string;
  /** a GUID with dashes */
  revisionId: string;
}

/**
 * To the client: something is wrong. `code` does not change in later releases; `detail` is a
 * sentence that may change. The socket stays open, unless the server closes it. Only
 * `log_changed` has `seq` and `id`: those of the notification after which the socket goes on.
 */
export interface ErrorMessage {
  type: "error";
  code: string;
  detail: string;
  /** the number of a notification among its recipient's: 1, 2, 3, without holes */
  seq?: number;
  id?: string | null;
}

/**
 * A note that the copy of a hold was given to somebody, such as an authority: to whom, when,
 * and under which reference. `by` is who wrote the note.
 */
export interface Escalation {
  /** a GUID with dashes, in lower case */
  id: string;
  to: string;
  reference: string;
  /** Unix seconds */
  at: number;
  note: string;
  /** a GUID with dashes, in lower case */
  by: string;
  /** Unix seconds */
  created: number;
}

/** To whom the copy of a hold was given, and when. Another one with the same id replaces it. */
export interface EscalationBody {
  /** a name that is not blank */
  to: string;
  reference: string;
  /** a moment in Unix seconds */
  at: number;
  note?: string;
}

/**
 * Something that happened at `created`. `actor` is the id of the user or the service account
 * that did it; null if nobody did, or nobody is to be named.
 */
export interface Event {
  /** the number of an event: each is above the one before */
  number: number;
  kind: string;
  /** Unix seconds */
  created: number;
  actor: string | null;
  subject: EventSubject;
  data: EventData;
}

/**
 * The details of an event. Its kind says which members they have. A later release may have
 * other members.
 */
export interface EventData {
  /** of the content that was published */
  author?: string;
  /** the revision that was published */
  revision?: string;
  /** the content's type */
  type?: string;
  /** what the content shows since */
  status?: string;
  /** who sees the content since */
  visibility?: string;
  until?: number | null;
  /** the new role */
  role?: string;
  /** whether a guest was made */
  guest?: boolean;
  /** bytes of the file */
  size?: number;
  /** what the file was announced for */
  use?: string;
  /** the reason of the report: a word */
  reason?: string;
  /** what was decided about reports */
  outcome?: string;
  /** what was decided about the subject */
  action?: string;
  /** who has sent the message */
  sender?: string;
  /** the content that was entered */
  entry?: string;
  /** the entries that have won */
  winners?: string[];
}

/**
 * Events in the order of their numbers. `next` is the `after` of the next call. No event with
 * this or a lower number appears later.
 */
export interface EventPage {
  items: Event[];
  /** the number of an event: each is above the one before */
  next: number;
}

/**
 * What an event is about. The id of a comment is its number, and `content` is the content that
 * it is on. The id of a file is its sha256. The id of a message is unique only together with
 * its sender, who is `sender` in the data.
 */
export interface EventSubject {
  kind: "user" | "content" | "comment" | "collection" | "file" | "message" | "challenge" | "webhook" | "notice" | "appeal";
  id: string;
  /** a GUID with dashes, in lower case */
  content?: string;
}

/** All data that the service stores about a user. Times are Unix seconds. */
export interface Export {
  /** grows when a member changes its meaning, or goes */
  schema: number;
  /** Unix seconds */
  created: number;
  account: Record<string, unknown>;
  formerNames: Record<string, unknown>[];
  identities: Record<string, unknown>[];
  sessions: Record<string, unknown>[];
  failedLogIns: Record<string, unknown>[];
  mails: Record<string, unknown>[];
  content: Record<string, unknown>[];
  contentNames: Record<string, unknown>[];
  namesGiven: Record<string, unknown>[];
  guests: Record<string, unknown>[];
  memberships: Record<string, unknown>[];
  invitations: Record<string, unknown>[];
  revisions: Record<string, unknown>[];
  publications: Record<string, unknown>[];
  files: Record<string, unknown>[];
  comments: Record<string, unknown>[];
  ratings: Record<string, unknown>[];
  subscriptions: Record<string, unknown>[];
  collections: Record<string, unknown>[];
  collectionItems: Record<string, unknown>[];
  played: Record<string, unknown>[];
  plays: Record<string, unknown>[];
  downloads: Record<string, unknown>[];
  friends: Record<string, unknown>[];
  friendRequests: Record<string, unknown>[];
  friendAsks: Record<string, unknown>[];
  blocked: Record<string, unknown>[];
  following: Record<string, unknown>[];
  unfollows: Record<string, unknown>[];
  followers: Record<string, unknown>[];
  messages: Record<string, unknown>[];
  partyInvites: Record<string, unknown>[];
  progress: Record<string, unknown>[];
  deletedProgress: Record<string, unknown>[];
  notifications: Record<string, unknown>[];
  entries: Record<string, unknown>[];
  rewards: Record<string, unknown>[];
  reports: Record<string, unknown>[];
  moderation: Record<string, unknown>[];
  decisions: Record<string, unknown>[];
  appeals: Record<string, unknown>[];
  actions: Record<string, unknown>[];
}

/** Whether everybody sees the user's favourites. Nothing else of them can be changed. */
export interface FavouritesBody {
  public: boolean;
}

/** Whether a content is featured. */
export interface FeaturedChange {
  featured: boolean;
}

/** A friend, and since when. */
export interface Friend {
  user: UserInfo;
  /** Unix seconds */
  since: number;
}

/** A user has agreed to be a friend. */
export interface FriendConfirm {
  kind: "FriendConfirm";
  /** a GUID with dashes */
  sender: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/**
 * A message of a friend. `message` is its id, if it is stored. If the message was taken away,
 * `removed` is true and the text is empty.
 */
export interface FriendMessage {
  kind: "FriendMessage";
  /** a GUID with dashes */
  sender: string;
  text: string;
  /** a GUID with dashes */
  message?: string;
  removed?: boolean;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** A user asks for friendship. */
export interface FriendRequest {
  kind: "FriendRequest";
  /** a GUID with dashes */
  sender: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** The username, the address and the password with which a guest becomes a full account. */
export interface FullAccount {
  /** a name made of A to Z, a to z, 0 to 9, _, . and - */
  username: string;
  /** an e-mail address */
  email: string;
  password: string;
}

/**
 * The whole record of a user. `email` is empty if the account has no address. `emailVerified`
 * is true if mail has reached the user there.
 */
export interface FullUser {
  /** a GUID with dashes, in lower case */
  id: string;
  username: string;
  email: string;
  emailVerified: boolean;
  avatar: string | null;
  emblem: string | null;
  fullProfile: Profile;
  publicProfile: Profile;
  /** player, curator, moderator or admin. Later releases may have further roles */
  role: string;
  /** whether it is a guest, and no full account yet */
  guest: boolean;
  terms: AcceptedTerms | null;
}

/**
 * A range of versions of the game. `max` is inclusive, and compared on as many numbers as it
 * has: 1.4 includes 1.4.9.
 */
export interface GameVersions {
  /** a version: 1 to 4 numbers up to 2147483647, with dots between them */
  min?: string;
  /** a version: 1 to 4 numbers up to 2147483647, with dots between them */
  max?: string;
}

/**
 * To the client, as the last message before the close. `retryAfter` is the least number of
 * seconds to wait before connecting again.
 */
export interface GoodbyeMessage {
  type: "goodbye";
  reason: string;
  /** the least seconds to wait before connecting again */
  retryAfter: number;
}

/**
 * Why something was decided: see the body of the decision. `explanation` is empty if nobody
 * has given a reason. `notice` is the id of the notice by which it was found.
 */
export interface Ground {
  basis: "terms" | "illegal";
  reference: string;
  explanation: string;
  category: string | null;
  source: "own" | "report" | "trusted" | "order";
  notice: string | null;
  automated: "no" | "detected" | "decided";
}

/**
 * Why something is decided. `basis` says whether it breaks the terms or the law, and
 * `reference` which clause or which law. `source` is how it was found: by the service's own
 * people, a report, a trusted flagger, or an order of an authority. `automated` says whether a
 * program has only detected it, or has decided it too.
 */
export interface GroundBody {
  basis: "illegal" | "terms";
  reference: string;
  explanation: string;
  category?: string | null;
  source: "order" | "own" | "report" | "trusted";
  notice?: string | null;
  automated: "decided" | "detected" | "no";
}

/**
 * A token of the account of another service with which a guest becomes a full account, and the
 * name of the full account.
 */
export interface GuestLink {
  subject_token: string;
  subject_token_type: string;
  username?: string | null;
}

/** The copy of what is held: the `record` as it was, and the files. */
export interface HeldCopy {
  kind: "content" | "user" | "file";
  id: string;
  reason: string;
  /** Unix seconds */
  until: number;
  /** a GUID with dashes, in lower case */
  by: string;
  /** Unix seconds */
  created: number;
  state: "copying" | "kept" | "failed";
  record: Record<string, unknown>;
  files: HeldFile[];
}

/**
 * A file of a hold. `size` is in bytes. `url` and `expires` are null if the bytes are not
 * kept.
 */
export interface HeldFile {
  path: string;
  sha256: string;
  /** a number of bytes */
  size: number;
  mediaType: string;
  url: string | null;
  expires: number | null;
}

/**
 * To the client, once: it is logged in. This socket's notifications start after the number
 * `seq`. `unread` is how many notifications the user has not read. `heartbeat` is the seconds
 * between the server's pings. `id` is the id of the notification with the number `seq`. It is
 * null at 0, and if retention has deleted the notification.
 */
export interface HelloMessage {
  type: "hello";
  /** the number of a notification among its recipient's: 1, 2, 3, without holes */
  seq: number;
  /** how many notifications are not read */
  unread: number;
  /** seconds between the server's pings */
  heartbeat: number;
  id: string | null;
}

/**
 * A hold. The `id` of a held file is its sha256. `by` is who placed the hold. `bytes` is the
 * size of its files.
 */
export interface Hold {
  kind: "content" | "user" | "file";
  id: string;
  reason: string;
  /** Unix seconds */
  until: number;
  /** a GUID with dashes, in lower case */
  by: string;
  /** Unix seconds */
  created: number;
  state: "copying" | "kept" | "failed";
  /** a number of bytes */
  bytes: number;
  escalations: Escalation[];
}

/**
 * Why something is held, and until when: at most 5 years from now. Without `until` it is one
 * year.
 */
export interface HoldBody {
  reason: string;
  until?: number | null;
}

/**
 * An account of another service that is linked to the user. `subject` names it at `issuer`.
 * `linked` is when it was linked.
 */
export interface Identity {
  /** a GUID with dashes, in lower case */
  id: string;
  issuer: string;
  subject: string;
  /** Unix seconds */
  linked: number;
}

/** The user to whom an account of another service is linked, and since when. */
export interface IdentityOwner {
  user: UserInfo;
  /** Unix seconds */
  linked: number;
}

/**
 * The place of an item in a collection: before the item with the id `before`, or at the end if
 * that is null. Without `before`, a new item comes first, and an old one stays where it is.
 */
export interface ItemBody {
  before?: string | null;
}

/**
 * The state of a subscription, and the revision that the client should have. `revision` is
 * null if `state` is not `active`, or if no revision fits the client.
 */
export interface Kept {
  revision: string | null;
  state: "active" | "unavailable" | "gone";
}

/** What something is called, in each language of the portal. */
export interface Label {
  en: string;
  de: string;
}

/**
 * The operator's legal information. The operator chooses the names in `contacts`. `notices` is
 * the URL of the portal's page where anyone reports illegal content; null without the portal.
 */
export interface LegalInfo {
  /** whom to write to */
  contacts: Record<string, string>;
  terms: Terms | null;
  notices: string | null;
}

/**
 * To the client: the user's subscriptions have changed, or may have. Read the map
 * `…/subscriptions/state` again.
 */
export interface LibraryMessage {
  type: "library";
}

/** A token of the account to link, and the user's password. */
export interface LinkByPassword {
  subject_token: string;
  subject_token_type: string;
  password: string;
}

/**
 * A token of the account to link, and a token of an account that is already linked. The second
 * token is the proof of a user who has no password.
 */
export interface LinkByToken {
  subject_token: string;
  subject_token_type: string;
  proof_token: string;
  proof_token_type: string;
}

/** The process responds. */
export interface Live {
  status: "live";
}

/**
 * An issuer with which a page can log users in, by the code flow of OpenID Connect with PKCE
 * (RFC 7636). `clientId` is the id of the page's client there. The endpoints are null until
 * the issuer has answered the service. If `sendsIss` is true, the issuer's answer to the page
 * has `iss` (RFC 9207).
 */
export interface LogInIssuer {
  name: string;
  issuer: string;
  clientId: string;
  authorizationEndpoint: string | null;
  tokenEndpoint: string | null;
  sendsIss: boolean;
}

/** Who the token is of, by `kind`. Later releases have further kinds. */
export type Me = UserMe | ServiceMe | UnknownMe;

/** A member of a content, when they were invited, and whether they have `accepted`. */
export interface Member {
  user: UserInfo;
  /** Unix seconds */
  since: number;
  accepted: boolean;
}

/** An author invites the user to become a member of a content. Members may edit it. */
export interface MemberInvited {
  kind: "MemberInvited";
  /** a GUID with dashes */
  content: string;
  /** a GUID with dashes */
  sender: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** A content that a user is a tester or a member of, or is invited to. Testers need not accept. */
export interface Membership {
  content: ContentInfo;
  role: "tester" | "editor";
  accepted: boolean;
  /** Unix seconds */
  since: number;
}

/** A message. If it was taken away, `removed` is true and the text is empty. */
export interface Message {
  /** a GUID with dashes, in lower case */
  id: string;
  /** a GUID with dashes, in lower case */
  sender: string;
  text: string;
  /** Unix seconds */
  created: number;
  removed: boolean;
}

/** A new message. With `id`, a GUID that the client makes, the request can be sent again. */
export interface MessageCreate {
  text: string;
  id?: string | null;
}

/**
 * An account, as moderators see it. `email` is "" if the account has no address. `email` and
 * `identities` are null without the permission `users.read`. `sessions` is how many log-ins
 * have not ended. `identities` are the newest 200.
 */
export interface ModeratedUser {
  user: UserInfo;
  email: string | null;
  emailVerified: boolean;
  /** player, curator, moderator or admin. Later releases may have further roles */
  role: string;
  /** whether it is a guest, and no full account yet */
  guest: boolean;
  /** Unix seconds */
  created: number;
  ban: Ban | null;
  /** how many */
  sessions: number;
  identities: Identity[] | null;
}

/** The `name` that requests and answers have, and the label that people read. */
export interface Named {
  name: string;
  label: Label;
}

/** Another user follows the user. */
export interface NewFollower {
  kind: "NewFollower";
  /** a GUID with dashes */
  sender: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** A new secret of a service account. Only this answer shows its value. */
export interface NewServiceSecret {
  /** a GUID with dashes, in lower case */
  id: string;
  /** begins with csvc_ */
  value: string;
}

/**
 * A notice. `state` is `open` while one of its subjects is open, else `upheld` if one was
 * upheld. `due` is when it must be answered. `redress` is the operator's text about what can
 * be done against a decision. `appeal` is the sender's newest appeal. If a subject was
 * dismissed, the sender can appeal until `appealUntil`. Only moderators see `reason` and the
 * members after it; `name`, `email` and `signature` are null once they are erased.
 */
export interface Notice {
  /** a GUID with dashes, in lower case */
  id: string;
  state: "open" | "upheld" | "dismissed";
  /** Unix seconds */
  created: number;
  /** Unix seconds */
  due: number;
  subjects: NoticeSubject[];
  redress: string;
  appeal?: NoticeAppeal;
  /** Unix seconds */
  appealUntil?: number;
  reason?: "illegal" | "intimate" | "child" | "copyright" | "trademark" | "personal";
  explanation?: string;
  law?: string | null;
  name?: string | null;
  email?: string | null;
  signature?: string | null;
}

/**
 * The newest appeal of the sender of a notice, about one of its subjects. `reason` is that of
 * the answer; null while the appeal is open.
 */
export interface NoticeAppeal {
  /** a GUID with dashes, in lower case */
  id: string;
  state: "open" | "confirmed" | "reversed";
  reason: string | null;
}

/**
 * A notice: what is against the law, and why. `name` and `email` are required, unless `reason`
 * is `child`. `signature` is required if `reason` is `intimate` or `copyright`. `goodFaith`
 * must be true: to the best of the sender's knowledge, the notice is true.
 */
export interface NoticeBody {
  subjects: NoticeTarget[];
  reason: "child" | "copyright" | "illegal" | "intimate" | "personal" | "trademark";
  /** a name that is not blank */
  explanation: string;
  goodFaith: boolean;
  law?: string | null;
  name?: string | null;
  email?: string | null;
  signature?: string | null;
}

/** A notice that was filed. With `token`, its sender can read the notice and appeal. */
export interface NoticeReceipt {
  /** a GUID with dashes, in lower case */
  id: string;
  /** a secret */
  token: string;
}

/**
 * A subject of a notice, and what was decided about it. `url` is the URL by which the sender
 * named it; only moderators see it. If the subject was dismissed, the sender can appeal until
 * `appealUntil`.
 */
export interface NoticeSubject {
  kind: "content" | "comment" | "user" | "file" | "message";
  id: string;
  state: "open" | "upheld" | "dismissed";
  /** a GUID with dashes, in lower case */
  content?: string;
  /** a GUID with dashes, in lower case */
  user?: string;
  url?: string;
  appeal?: NoticeAppeal;
  /** Unix seconds */
  appealUntil?: number;
}

/**
 * A subject of a notice: its `kind` and `id`, or a `url` whose path names it. The id of a
 * comment is its number, and `content` is the content that it is on. The id of a file is its
 * sha256. `user` is the sender of a message.
 */
export interface NoticeTarget {
  kind?: "comment" | "content" | "file" | "message" | "user" | null;
  id?: string | null;
  content?: string | null;
  user?: string | null;
  url?: string | null;
}

/**
 * A notification: one of its kinds, by `kind`. Later releases have further kinds; leave out
 * those that you do not know, or show them as such.
 */
export type Notification = FriendRequest | FriendConfirm | FriendMessage | NewFollower | Debug | PartyInvite | PartyInviteAccept | PartyInviteDecline | ContentSuspended | ContentRestored | ContentPublished | RevisionPublished | DependencyStatus | SubscriptionUpdated | TesterInvited | MemberInvited | ChallengeWon | ChallengeParticipated | CommentOnContent | CommentReply | CommentRemoved | AccountWarning | DecisionTaken | DecisionReversed | AppealDecided | ReportResolved | Studio | Deleted | UnknownNotification;

/** To the client. `notification` is the same object as in REST. */
export interface NotificationMessage {
  type: "notification";
  /** the number of a notification among its recipient's: 1, 2, 3, without holes */
  seq: number;
  notification: Notification;
}

/** The kinds of notifications that the user has muted. */
export interface NotificationSettings {
  muted: string[];
}

/** The kinds of notifications that the user has muted. A later release may have other kinds. */
export interface NotificationSettingsAnswer {
  muted: string[];
}

/**
 * The numbers of the newest notification and of the oldest that is kept, and how many are not
 * read. Without notifications these are 0, 1 and 0. `oldest` is above `newest` if none is
 * kept.
 */
export interface NotificationState {
  /** the number of the newest notification */
  newest: number;
  /** the number of the oldest that is kept */
  oldest: number;
  /** how many notifications are not read */
  unread: number;
}

/** An error of an OAuth endpoint (RFC 6749 §5.2). */
export interface OAuthError {
  error: string;
  error_description: string;
}

/** A package. It has one path for each platform that it supports. */
export interface Package {
  /** a GUID with dashes */
  id: string;
  win64?: string;
  osx64?: string;
  linux64?: string;
  /** The path for another platform of the service. */
  [platform: string]: string | undefined;
}

/**
 * A package to register, with one path for each platform that it supports. `name` is the name
 * of its files in downloads.
 */
export interface PackageDefinition {
  /** a GUID with dashes */
  id: string;
  /** a relative path without empty, . or .. segments, without backslashes and control characters */
  win64?: string;
  /** a relative path without empty, . or .. segments, without backslashes and control characters */
  osx64?: string;
  /** a relative path without empty, . or .. segments, without backslashes and control characters */
  linux64?: string;
  name?: string | null;
  /** The path for another platform of the service. */
  [platform: string]: string | null | undefined;
}

/** The id of a party. */
export interface PartyBody {
  /** a GUID with dashes */
  party: string;
}

/** Another user invites the user to a party. */
export interface PartyInvite {
  kind: "PartyInvite";
  /** a GUID with dashes */
  sender: string;
  /** a GUID with dashes */
  party: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** A user has accepted an invite to a party. */
export interface PartyInviteAccept {
  kind: "PartyInviteAccept";
  /** a GUID with dashes */
  sender: string;
  /** a GUID with dashes */
  party: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** A user has declined an invite to a party. */
export interface PartyInviteDecline {
  kind: "PartyInviteDecline";
  /** a GUID with dashes */
  sender: string;
  /** a GUID with dashes */
  party: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** The present password and the new one. */
export interface PasswordChange {
  current: string;
  new: string;
}

/** The password of the account. It proves that the caller owns the account. */
export interface PasswordProof {
  password: string;
}

/** The token of a mailed link, and the new password. */
export interface PasswordReset {
  /** a token of a link that was mailed */
  token: string;
  new: string;
}

/** The address of the account whose password is lost. */
export interface PasswordResetRequest {
  /** an e-mail address */
  email: string;
}

/** An invite to a party that the user has not answered. */
export interface PendingInvite {
  sender: UserInfo;
  /** a GUID with dashes, in lower case */
  party: string;
  /** Unix seconds */
  created: number;
}

/**
 * A request for friendship that nobody has answered. `incoming`: `user` has asked. `outgoing`:
 * `user` was asked.
 */
export interface PendingRequest {
  user: UserInfo;
  direction: "incoming" | "outgoing";
  /** Unix seconds */
  created: number;
}

/** To the server, for clients that cannot send the pings of WebSocket itself. */
export interface PingMessage {
  type: "ping";
}

/**
 * A play that is over. `id` is a GUID that the client makes; the same `id` again is a repeat.
 * `seconds` is how long the play took. `completed` says whether the player got to the end.
 */
export interface PlayBody {
  /** a GUID with dashes */
  id: string;
  /** a GUID with dashes */
  content: string;
  revision?: string | null;
  /** a number of seconds: how long it was played */
  seconds?: number;
  completed?: boolean;
}

/** To the client: the answer to `ping`. */
export interface PongMessage {
  type: "pong";
}

/**
 * A code with which a game opens the portal, and the URL that contains it. The code can be
 * used once, until `expires`.
 */
export interface PortalCode {
  code: string;
  url: string;
  /** Unix seconds */
  expires: number;
}

/** The page of the portal to open after the log-in. */
export interface PortalCodeBody {
  then?: string | null;
}

/**
 * The content that is to be uploaded and published. `entity` says which of several
 * dependencies is the core. `type` is the type of new content.
 */
export interface Precheck {
  /** a GUID with dashes */
  contentId: string;
  operation: "create" | "update";
  dependencies: PrecheckDependency[];
  packages: string[];
  entity?: EntityReference | null;
  tags?: string[] | null;
  type?: "game" | "asset" | "avatar_box" | "gameplay_box" | "scene_box" | (string & {}) | null;
}

/**
 * The entities and packages to upload before the next step, and the reasons why that step
 * would fail.
 */
export interface PrecheckAnswer {
  needed: EntityReference[];
  neededPackages: string[];
  problems: PrecheckProblem[];
}

/**
 * A dependency to check. With `path`, the check also finds that the entity is registered with
 * another path.
 */
export interface PrecheckDependency {
  /** a GUID with dashes */
  entityId: string;
  /** a GUID with dashes */
  revisionId: string;
  path?: string | null;
}

/** A reason why the next step would fail, with the code that this step would answer. */
export interface PrecheckProblem {
  code: string;
  detail: string;
  entities?: EntityReference[];
  packages?: string[];
  tags?: string[];
  /** the key of a group of tags */
  group?: string;
  /** the most tags of the group */
  most?: number;
}

/** An error (RFC 9457). Programs decide by `code`. */
export interface Problem {
  /** The cause, as a URN. */
  type: string;
  /** The status, for people. */
  title: string;
  /** The status of the answer. */
  status: number;
  /** The cause, for people. */
  detail: string;
  /** The cause, in a word that does not change. */
  code: string;
  /** The request in the log of the service. */
  requestId: string;
}

/** A profile. `profile` is missing if the user has none. */
export interface Profile {
  profile?: string;
}

/**
 * Data to store. `version` is the version that this replaces: 0 for a key that was never
 * written. A repeat has the same `writeId`.
 */
export interface ProgressBody {
  value: Record<string, unknown>;
  version?: number | null;
  writeId?: string | null;
}

/**
 * Data at a key. `version` is 1 at the first write of the key. Each write and each deletion
 * adds 1.
 */
export interface ProgressData {
  key: string;
  value: Record<string, unknown>;
  /** Unix seconds */
  timestamp: number;
  /** the version of the data at a key */
  version: number;
}

/** Which query parameter is not valid, and why. */
export interface QueryFault {
  parameter: string;
  detail: string;
}

/**
 * A subject with open reports. `reports` is how many there are, `notices` how many of these
 * are notices, and `reasons` how many have each reason. `first` and `last` are the times of
 * the oldest and the newest, and `upTo` is the id of the newest. `due` is when the first must
 * be answered. `author` is the user who has made the subject, or who is the subject; null if
 * that user has left. `excerpt` and `thumbnailUri` are of what the subject shows now: null if
 * it shows no text, or no picture.
 */
export interface QueuedSubject {
  subject: ReportedSubject;
  /** how many */
  reports: number;
  /** how many */
  notices: number;
  reasons: Record<string, number>;
  /** Unix seconds */
  first: number;
  /** Unix seconds */
  last: number;
  /** Unix seconds */
  due: number;
  /** a GUID with dashes, in lower case */
  upTo: string;
  author: UserInfo | null;
  /** at most 200 characters */
  excerpt: string | null;
  thumbnailUri: string | null;
}

/** A rating. The ids may be missing; if present, they repeat the path. */
export interface RatingBody {
  value: "0" | "1";
  accountId?: string | null;
  contentId?: string | null;
}

/** The read flag of a notification. */
export interface ReadChange {
  read: boolean;
}

/** The last notification to mark as read: its id or its number. */
export interface ReadUpTo {
  upTo: string | number;
}

/** The process can serve. If it is `degraded` only reads succeed, for these `reasons`. */
export interface Ready {
  status: "degraded" | "ready";
  reasons?: string[];
}

/** A new user. `terms` is the version of the terms that the user accepts. */
export interface Registration {
  /** a name made of A to Z, a to z, 0 to 9, _, . and - */
  username: string;
  /** an e-mail address */
  email: string;
  password: string;
  terms?: string | null;
}

/**
 * A report. `evidence` is the subject as it was then. A notice makes a report too: `notice` is
 * its id, and there is no reporter.
 */
export interface Report {
  /** a GUID with dashes, in lower case */
  id: string;
  reporter: string | null;
  notice: string | null;
  reason: string;
  text: string;
  evidence: Record<string, unknown>;
  /** Unix seconds */
  created: number;
  state: "open" | "upheld" | "dismissed";
}

/** Why something is reported. */
export interface ReportBody {
  reason: "abuse" | "cheating" | "copyright" | "other" | "sexual" | "spam" | "violence";
  text?: string;
}

/** What is decided about the open reports of a subject up to the one with the id `upTo`. */
export interface ReportDecision {
  outcome: "dismissed" | "upheld";
  /** a GUID with dashes */
  upTo: string;
  note?: string;
}

/** An admin has decided about what the user had reported. */
export interface ReportResolved {
  kind: "ReportResolved";
  subject: ReportedSubject;
  outcome: "upheld" | "dismissed";
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/**
 * What was reported. The id of a comment is its number, and `content` is the content that it
 * is on. The id of a file is its sha256. `user` is the sender of a message.
 */
export interface ReportedSubject {
  kind: "content" | "comment" | "user" | "collection" | "file" | "message";
  id: string;
  /** a GUID with dashes, in lower case */
  content?: string;
  /** a GUID with dashes, in lower case */
  user?: string;
}

/**
 * What a revision requires of a client: a version of the game, one of the platforms, and all
 * of the features. An absent member fits all clients.
 */
export interface Requires {
  game?: GameVersions;
  platforms?: ("win64" | "osx64" | "linux64" | (string & {}))[];
  features?: string[];
}

/** What a revision requires from now on; null: nothing. */
export interface RequiresChange {
  requires: Requires | null;
}

/** Who has reversed a decision, why, and when. `reason` is empty if none was given. */
export interface Reversal {
  /** a GUID with dashes, in lower case */
  by: string;
  reason: string;
  /** Unix seconds */
  created: number;
}

/** Why a decision is reversed. */
export interface ReversalBody {
  reason: string;
}

/** A revision. */
export interface Revision {
  /** a GUID with dashes, in lower case */
  id: string;
  version: string;
  description: string;
  /** Unix seconds */
  created: number;
}

/**
 * A new revision: its change notes, its version, what it is made of, and what it requires of a
 * client.
 */
export interface RevisionCreate {
  /** a GUID with dashes */
  revisionId: string;
  revisionDescription: string;
  version: string;
  entity: EntityDefinition;
  originating: EntityDefinition[];
  using: EntityReference[];
  packagesOriginating?: PackageDefinition[];
  packagesUsing?: string[];
  requires?: Requires | null;
}

/**
 * A revision, with its entities and packages. `gone` is there, and true, only if its author
 * has deleted it.
 */
export interface RevisionDetail {
  /** a GUID with dashes, in lower case */
  id: string;
  version: string;
  description: string;
  /** Unix seconds */
  created: number;
  entity: Entity;
  originating: Entity[];
  using: Entity[];
  packages: Package[];
  requires: ShownRequires | null;
  gone?: boolean;
}

/**
 * A revision in the list of its content. `current` says whether the content shows it. `gone`
 * is there, and true, only if its author has deleted it.
 */
export interface RevisionInfo {
  /** a GUID with dashes, in lower case */
  id: string;
  version: string;
  description: string;
  /** Unix seconds */
  created: number;
  current: boolean;
  gone?: boolean;
}

/** An author whom the user follows has published a revision of a content. */
export interface RevisionPublished {
  kind: "RevisionPublished";
  /** a GUID with dashes */
  author: string;
  /** a GUID with dashes */
  content: string;
  /** a GUID with dashes */
  revision: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** The access token or the refresh token of the log-in to end (RFC 7009 §2.1). */
export interface RevokeForm {
  token: string;
  token_type_hint?: string;
}

/** An object without members. */
export interface Revoked {
}

/** A reward, as it was stored. */
export interface Reward {
  achievement: Achievement;
  emblem: Emblem;
}

/** A reward. */
export interface RewardDefinition {
  achievement: AchievementDefinition;
  emblem: EmblemDefinition;
}

/** The new role of a user. */
export interface RoleBody {
  role: "admin" | "curator" | "moderator" | "player";
}

/**
 * A message of the socket to the client, by `type`. Later releases have further types; leave
 * out those that you do not know.
 */
export type ServerMessage = HelloMessage | NotificationMessage | StateMessage | AnnouncementsMessage | LibraryMessage | PongMessage | ErrorMessage | GoodbyeMessage | UnknownServerMessage;

/**
 * A service account. `lastUsed` is the start of the last UTC day on which it got a token; null
 * if it has never got one.
 */
export interface ServiceAccount {
  /** a GUID with dashes, in lower case */
  id: string;
  name: string;
  scopes: string[];
  /** Unix seconds */
  created: number;
  expires: number | null;
  lastUsed: number | null;
  secrets: ServiceSecret[];
}

/**
 * A service account. From `expires` on (Unix seconds, up to the year 9999) it gets no token.
 * Without `expires` it has no end.
 */
export interface ServiceAccountBody {
  /** a name that is not blank */
  name: string;
  scopes: ("curate" | "events" | "moderate" | "notify" | "plays" | "progress" | "users.read")[];
  expires?: number | null;
}

/**
 * What this service is and does. `platforms` and `types` are those that new packages and new
 * content may have. If `freeTags` is true, tags of no group are allowed too. If `guests` is
 * true, the service takes guests, who may do what `guestsMay` names. If `registration` is
 * true, anyone may register. `markup` says how descriptions are written: `markdown` or `none`.
 * If `mail` is true, the service sends mails, by which users confirm their address and reset a
 * password. For `unsendMinutes` after a message was sent, its sender can take it away; 0:
 * without limit.
 */
export interface ServiceInfo {
  name: string;
  platforms: Named[];
  types: Named[];
  tagGroups: TagGroup[];
  freeTags: boolean;
  guests: boolean;
  guestsMay: string[];
  registration: boolean;
  issuers: ServiceIssuer[];
  markup: string;
  links: ServiceLink[];
  mail: boolean;
  /** how many */
  unsendMinutes: number;
}

/** An issuer with which a page can log users in, as GET /issuers has it. */
export interface ServiceIssuer {
  issuer: string;
  name: string;
  clientId: string;
}

/** A link to a page of the studio. */
export interface ServiceLink {
  label: Label;
  url: string;
}

/** The service account of the token, and the token's scopes. */
export interface ServiceMe {
  kind: "service";
  /** a GUID with dashes, in lower case */
  id: string;
  name: string;
  scopes: string[];
}

/** A secret of a service account, without its value. */
export interface ServiceSecret {
  /** a GUID with dashes, in lower case */
  id: string;
  /** Unix seconds */
  created: number;
}

/**
 * The access token of a service account, and its scopes, with blanks between them (RFC 6749
 * §4.4.3).
 */
export interface ServiceToken {
  access_token: string;
  token_type: "Bearer";
  /** seconds for which the access token is good */
  expires_in: number;
  scope: string;
}

/**
 * A log-in that has not ended. `current` is true for the session of this request. `device` is
 * what logged in, as its User-Agent says; null if that says nothing. `kind` is how the session
 * began: `client` at /oauth/token, `portal` in the portal, `portal-in-game` in the portal with
 * a code from the game.
 */
export interface Session {
  /** a GUID with dashes, in lower case */
  id: string;
  /** Unix seconds */
  created: number;
  /** Unix seconds */
  used: number;
  current: boolean;
  /** a browser and its system, or else a program and its version */
  device: string | null;
  kind: "client" | "portal" | "portal-in-game";
}

/**
 * What a revision requires of a client, in answers. Some platforms may be ones that the
 * service no longer has.
 */
export interface ShownRequires {
  game?: GameVersions;
  platforms?: string[];
  features?: string[];
}

/** A user whose role is not player, and since when the user has this role. */
export interface StaffMember {
  user: UserInfo;
  /** player, curator, moderator or admin. Later releases may have further roles */
  role: string;
  /** Unix seconds */
  since: number;
}

/** All staff tags of a content: they replace those that it has. Only curators give them. */
export interface StaffTags {
  tags: string[];
}

/**
 * To the client: read flags have changed, or notifications were deleted. `unread` is how many
 * of the user's notifications up to the number `seq` are not read.
 */
export interface StateMessage {
  type: "state";
  /** the number of a notification among its recipient's: 1, 2, 3, without holes */
  seq: number;
  /** how many notifications are not read */
  unread: number;
}

/** The status that an admin gives a content, and why. */
export interface StatusChange {
  status: "active" | "suspended";
  reason?: string;
}

/** Where files are stored, and which files the service accepts. */
export interface StorageInfo {
  files: "external" | "local" | "s3";
  mediaUrl: string;
  mediaTypes: string[];
  imageWidths: number[];
  limits: StorageLimits;
}

/**
 * The most bytes of a file, of an image, and of all files of a user; 0: no limit. The most
 * pixels of a side of an image, and of the whole image.
 */
export interface StorageLimits {
  /** a number of bytes */
  fileBytes: number;
  /** a number of bytes */
  imageBytes: number;
  /** a number of bytes */
  userBytes: number;
  /** a number of pixels */
  imageSide: number;
  /** a number of pixels */
  imagePixels: number;
}

/**
 * A notification of the studio. The studio chooses what `data` contains. From `expires` on,
 * clients do not show the notification.
 */
export interface Studio {
  kind: "Studio";
  topic: string;
  data: Record<string, unknown>;
  /** Unix seconds */
  expires?: number;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/**
 * A notification of the studio. `told` is how many users have got it, `muted` how many have
 * muted it, and `failed` how many could not get it, because they have left, or had too many on
 * this day. `data` is there only if the query asks for it, as the studio sent it.
 */
export interface StudioNotification {
  /** a GUID with dashes, in lower case */
  id: string;
  topic: string;
  /** Unix seconds */
  created: number;
  /** a GUID with dashes, in lower case */
  by: string;
  state: "telling" | "done" | "stopped";
  /** how many */
  told: number;
  /** how many */
  muted: number;
  /** how many */
  failed: number;
  data?: Record<string, unknown>;
}

/** A notification of the studio to everybody, or to an audience. `data` has at most 4 KiB. */
export interface StudioNotificationToAudience {
  /** a GUID with dashes */
  id: string;
  /** a topic: 1 to 64 of a-z, 0-9, `.`, `_` and `-` */
  topic: string;
  data: Record<string, unknown>;
  expires?: number | null;
  audience: "everybody" | AudienceOf;
}

/** A notification of the studio to the users in `to`. `data` has at most 4 KiB. */
export interface StudioNotificationToUsers {
  /** a GUID with dashes */
  id: string;
  /** a topic: 1 to 64 of a-z, 0-9, `.`, `_` and `-` */
  topic: string;
  data: Record<string, unknown>;
  expires?: number | null;
  to: string[];
}

/** What an admin acted on. The id of a comment is its number, that of a file its sha256. */
export interface Subject {
  kind: "content" | "comment" | "message" | "user" | "collection" | "challenge" | "file" | "announcement" | "notification" | "service_account" | "webhook";
  id: string;
}

/**
 * The subject of a decision: a content item, a comment, a user, a file or a message. The id of
 * a comment is its number, and `content` is the content that it is on. The id of a file is its
 * sha256. `user` is the sender of a message.
 */
export interface SubjectBody {
  kind: "comment" | "content" | "file" | "message" | "user";
  /** an id: a GUID, the number of a comment, or the sha256 of a file */
  id: string;
  content?: string | null;
  user?: string | null;
}

/**
 * A token of another service, and its type (RFC 8693 §2.1). It proves that the account there
 * is the caller's.
 */
export interface SubjectProof {
  subject_token: string;
  subject_token_type: string;
}

/**
 * A subscription to a content. If `state` is not `active`, `content` and `revision` are null.
 * `revision` is also null if none fits the client.
 */
export interface Subscription {
  /** a GUID with dashes, in lower case */
  id: string;
  content: ContentInfo | null;
  /** Unix seconds */
  since: number;
  /** the revision to stay with; null: the current one */
  pin: string | null;
  revision: string | null;
  state: "active" | "unavailable" | "gone";
}

/**
 * The revision that the subscription stays with. Without `pin` it follows the current
 * revision.
 */
export interface SubscriptionBody {
  pin?: string | null;
}

/** A content to which the user subscribes has a new revision. */
export interface SubscriptionUpdated {
  kind: "SubscriptionUpdated";
  /** a GUID with dashes */
  content: string;
  /** a GUID with dashes */
  revision: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/** A search with its misspelt words corrected. */
export interface Suggestion {
  q: string | null;
}

/** A tag, and how much public active content has it. */
export interface TagCount {
  tag: string;
  group: string | null;
  /** how many */
  count: number;
}

/**
 * A group of tags. Only content of these `types` can have them; null: of any type. A content
 * can have at most `most` of them; null: any number. If `staff` is true, only curators give
 * them.
 */
export interface TagGroup {
  key: string;
  label: Label;
  tags: Named[];
  types: string[] | null;
  most: number | null;
  staff: boolean;
}

/** The terms of the service: the present version, and where to read them. */
export interface Terms {
  version: string;
  url: string;
}

/** The version of the terms that the user accepts. It must be the present one. */
export interface TermsAcceptance {
  /** a version of the terms */
  version: string;
}

/** A tester of a content, and since when. */
export interface Tester {
  user: UserInfo;
  /** Unix seconds */
  since: number;
}

/** An author invites the user to test a content. */
export interface TesterInvited {
  kind: "TesterInvited";
  /** a GUID with dashes */
  content: string;
  /** a GUID with dashes */
  sender: string;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
}

/**
 * Tokens, and the id of their user (RFC 6749 §5.1). In the answer to a token exchange,
 * `issued_token_type` is the type of the access token (RFC 8693 §2.2.1).
 */
export interface TokenAnswer {
  access_token: string;
  token_type: "Bearer";
  /** seconds for which the access token is good */
  expires_in: number;
  refresh_token: string;
  /** a GUID with dashes, in lower case */
  userId: string;
  issued_token_type?: "urn:ietf:params:oauth:token-type:access_token";
}

/**
 * The grant (RFC 6749 §4.3.2, §4.4.2 and §6, RFC 8693 §2.1). `password` needs `username`,
 * which may be the e-mail address, and `password`. `refresh_token` needs `refresh_token`. The
 * token exchange needs `subject_token` and `subject_token_type`. Its `requested_token_type`
 * can only be that of access tokens. It does not take `resource`, `audience` and
 * `actor_token`. `client_credentials` is for service accounts, which send `client_id` and
 * `client_secret` here, or as HTTP Basic in the header Authorization. The token has the scopes
 * in `scope`; without it, all scopes of the account. The grant of guests needs `secret`.
 */
export interface TokenForm {
  grant_type: "password" | "refresh_token" | "urn:ietf:params:oauth:grant-type:token-exchange" | "client_credentials" | "urn:contentsvc:grant:guest";
  username?: string;
  password?: string;
  refresh_token?: string;
  subject_token?: string;
  subject_token_type?: string;
  requested_token_type?: "urn:ietf:params:oauth:token-type:access_token";
  resource?: string;
  audience?: string;
  actor_token?: string;
  client_id?: string;
  client_secret?: string;
  /** scopes, with blanks between them */
  scope?: string;
  /** a secret: 43 to 128 of A-Z, a-z, 0-9, _ and -, 16 different ones */
  secret?: string;
}

/**
 * A token of another service, and its type. They prove that the caller owns an account that
 * has no password.
 */
export interface TokenProof {
  proof_token: string;
  proof_token_type: string;
}

/** One that this document does not know, by its `kind`. It may have any further members. */
export interface UnknownMe {
  /** a `kind` of a later release */
  kind: Later;
  /** a GUID with dashes, in lower case */
  id: string;
  [member: string]: unknown;
}

/** One that this document does not know, by its `kind`. It may have any further members. */
export interface UnknownNotification {
  /** a `kind` of a later release */
  kind: Later;
  /** a GUID with dashes */
  id: string;
  /** Unix seconds */
  created: number;
  read: boolean;
  [member: string]: unknown;
}

/** One that this document does not know, by its `type`. It may have any further members. */
export interface UnknownServerMessage {
  /** a `type` of a later release */
  type: Later;
  [member: string]: unknown;
}

/**
 * The request by which a client sends a file. It needs exactly these headers, and no token.
 * The URL is good until `expires`.
 */
export interface Upload {
  method: "PUT";
  url: string;
  headers: Record<string, string>;
  /** Unix seconds */
  expires: number;
}

/**
 * The path of an announced file, and the `upload` to send it with. `upload` is null if the
 * service has the file.
 */
export interface UploadedFile {
  /** a SHA-256 digest of 64 lower-case hexadecimal digits */
  sha256: string;
  path: string;
  upload: Upload | null;
}

/** The announced files, in their order. */
export interface UploadsAnswer {
  files: UploadedFile[];
}

/** The files that a client is going to publish. */
export interface UploadsBody {
  files: AnnouncedFile[];
}

/** What to remove of a user, and why: one or more of `content`, `comments` and `collections`. */
export interface UserClearance {
  what: ("collections" | "comments" | "content")[];
  reason: string;
}

/** A comment of a user, and the content that it is on. */
export interface UserComment {
  /** a GUID with dashes, in lower case */
  content: string;
  comment: Comment;
}

/**
 * A decision, as the user whom it concerns sees it. `appeals` are the user's own. The user can
 * appeal until `appealUntil`. `redress` is the operator's text about what else the user can
 * do.
 */
export interface UserDecision {
  /** a GUID with dashes, in lower case */
  id: string;
  action: "suspend" | "remove" | "lock_comments" | "clear_profile" | "warn" | "ban" | "restrict" | "block_file";
  subject: DecidedSubject;
  user: string | null;
  what: ("publish" | "comment" | "message" | "rate" | "report")[] | null;
  ground: Ground;
  /** Unix seconds */
  created: number;
  until: number | null;
  facts: Record<string, unknown> | null;
  reversed: UserReversal | null;
  replaced: string | null;
  territory: "everywhere";
  appeals: DecisionAppeal[];
  /** Unix seconds */
  appealUntil: number;
  redress: string;
}

/** The public part of a user. `profile` is present only if it is public. */
export interface UserInfo {
  /** a GUID with dashes, in lower case */
  id: string;
  username: string;
  avatar: string | null;
  emblem: string | null;
  profile?: string;
}

/**
 * The user of the token, with the role and its permissions. After a change of the role, the
 * next token has the new role.
 */
export interface UserMe {
  kind: "user";
  /** a GUID with dashes, in lower case */
  id: string;
  username: string;
  /** whether it is a guest, and no full account yet */
  guest: boolean;
  /** player, curator, moderator or admin. Later releases may have further roles */
  role: string;
  permissions: string[];
}

/** A page of users. */
export interface UserPage {
  items: UserInfo[];
  /** the number of the page: 0 is the first */
  page: number;
  /** the most on a page */
  pageSize: number;
  /** how many are on all pages */
  total: number;
}

/**
 * Why a user is reported. `messages` are ids of messages that the caller has received from
 * them.
 */
export interface UserReportBody {
  reason: "abuse" | "cheating" | "copyright" | "other" | "sexual" | "spam" | "violence";
  text?: string;
  messages?: string[];
}

/** Why a decision was reversed, and when. */
export interface UserReversal {
  reason: string;
  /** Unix seconds */
  created: number;
}

/**
 * The bytes that a user has announced, stored or published, the user's limit of bytes, and the
 * number of announced files that have no bytes yet.
 */
export interface UserStorage {
  /** a number of bytes */
  used: number;
  /** a number of bytes */
  limit: number;
  /** how many */
  pending: number;
}

/**
 * The parts of a user that can change. An admin who changes another user's record gives the
 * `reason`.
 */
export interface UserUpdate {
  avatar: string | null;
  emblem: string | null;
  fullProfile: Profile;
  publicProfile: Profile;
  reason?: string;
}

/** The new name of a user. */
export interface UsernameChange {
  /** a name made of A to Z, a to z, 0 to 9, _, . and - */
  username: string;
}

/** Who sees a content from now on. */
export interface VisibilityChange {
  visibility: "friends" | "private" | "public" | "unlisted";
}

/** The numbers of up-votes and down-votes. */
export interface Votes {
  /** how many */
  up: number;
  /** how many */
  down: number;
}

/** A warning. If the user has already got one with the same `id`, nothing happens. */
export interface WarningBody {
  reason: string;
  id?: string | null;
}

/**
 * A webhook, and how far its delivery is. `delivered` is the number of the last event that it
 * has got, or at first of the newest event before the webhook was made. `newest` is the number
 * of the newest event of all kinds.
 */
export interface Webhook {
  /** a GUID with dashes, in lower case */
  id: string;
  url: string;
  kinds: string[] | null;
  enabled: boolean;
  /** the number of an event: each is above the one before */
  delivered: number;
  /** the number of an event: each is above the one before */
  newest: number;
  failingSince: number | null;
  lastError: string | null;
}

/**
 * The URL that events are sent to, their kinds (null: all kinds, also those of later
 * releases), and whether they are sent now.
 */
export interface WebhookBody {
  /** an absolute URL of ASCII characters */
  url: string;
  kinds: ("AppealOpened" | "BanLifted" | "ChallengeClosed" | "ChallengeEntered" | "CommentPosted" | "CommentRemoved" | "ContentChanged" | "ContentPublished" | "ContentStatus" | "ContentVisibility" | "DecisionReversed" | "DecisionTaken" | "FileStored" | "GuestBecameUser" | "NoticeFiled" | "ReportOpened" | "ReportResolved" | "RevisionPublished" | "RoleChanged" | "UserBanned" | "UserDeleted" | "UserRegistered" | "UserRenamed" | "WebhookDisabled")[] | null;
  enabled: boolean;
}

/** The secret that signs the requests to a webhook. Only this answer shows it. */
export interface WebhookSecret {
  secret: string;
}

/**
 * The result of a test: the status of the receiver's answer, why it does not count as
 * delivered, and how long it took.
 */
export interface WebhookTest {
  status: number | null;
  error: string | null;
  /** how long it took */
  milliseconds: number;
}

/** The methods that a client has for the operations of the service. */
export interface Operations {
  /** List the current announcements, newest first. */
  listAnnouncements(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** true or false: those that are over or to come, too */
      all?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Announcement[]>;

  /** Get a current announcement. */
  getAnnouncement(
    parameters: {
      /** A GUID with dashes. */
      announcementId: string;
    },
    options?: CallOptions,
  ): Promise<Announcement>;

  /** Make an announcement, or replace it. */
  putAnnouncement(
    parameters: {
      /** A GUID with dashes. */
      announcementId: string;
      body: AnnouncementBody;
    },
    options?: CallOptions,
  ): Promise<Created | undefined>;

  /** Delete an announcement. */
  deleteAnnouncement(
    parameters: {
      /** A GUID with dashes. */
      announcementId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get a collection. */
  getCollection(
    parameters: {
      /** A GUID with dashes. */
      collectionId: string;
    },
    options?: CallOptions,
  ): Promise<Collection>;

  /** List the content of a collection that the caller sees, in the collection's order. */
  listCollectionItems(
    parameters: {
      /** A GUID with dashes. */
      collectionId: string;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ContentInfo[]>;

  /** Report a collection. */
  reportCollection(
    parameters: {
      /** A GUID with dashes. */
      collectionId: string;
      body: ReportBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Browse and search content. */
  listContent(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /**
       * a text of 1 to 256 characters. Content has all of its words in the name, the tags or the
       * description; the last may be the beginning of a word
       */
      q?: string | undefined;
      /** a comma list of content types, or all */
      category?: string | readonly string[] | undefined;
      /** a comma list of up to 64 tags. Content has all of them, whatever the case */
      tags?: string | readonly string[] | undefined;
      /** a GUID with dashes: the author's */
      author?: string | undefined;
      /** true or false: is it featured */
      featured?: boolean | undefined;
      /**
       * a comma list of 1 to 100 ids of content: then the answer has these, in this order, without
       * those that do not fit. sort, limit and after have no effect
       */
      ids?: string | readonly string[] | undefined;
      /**
       * newest; updated, by the latest publication; top, by all votes; trending, by votes of which
       * those of a week ago count half; played, by players; subscribed, by subscribers; relevance,
       * by where the words of q are. The default is relevance with q, otherwise newest
       */
      sort?: "newest" | "played" | "relevance" | "subscribed" | "top" | "trending" | "updated" | undefined;
      /** a comma list of statuses, or all. Only for admins; others' is ignored */
      status?: string | readonly string[] | undefined;
      /**
       * an attribute, as `attr.KEY=VALUE` or `attr[KEY]=VALUE`, up to 4: content has all of these
       * attributes. A value is compared as text, numbers and booleans as JSON has them
       */
      attr?: Record<string, string> | undefined;
      /** a version of the game: that of the client */
      game?: string | undefined;
      /** a platform: the client's */
      platform?: "win64" | "osx64" | "linux64" | (string & {}) | undefined;
      /** a comma list of up to 256 features: those that the client has. Empty if it has none */
      features?: string | readonly string[] | undefined;
    },
    options?: CallOptions,
  ): Promise<ContentInfo[]>;

  /**
   * Check, before a create or an update, which dependencies must be uploaded first, and what
   * would make it fail.
   */
  checkUpload(
    parameters: {
      body: Precheck;
    },
    options?: CallOptions,
  ): Promise<PrecheckAnswer>;

  /** Create content if it does not exist, and update it otherwise. */
  putContent(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      body: ContentCreate | ContentUpdate;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get a content item with all its details. */
  getContent(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** a version of the game: that of the client */
      game?: string | undefined;
      /** a platform: the client's */
      platform?: "win64" | "osx64" | "linux64" | (string & {}) | undefined;
      /** a comma list of up to 256 features: those that the client has. Empty if it has none */
      features?: string | readonly string[] | undefined;
    },
    options?: CallOptions,
  ): Promise<ContentDetail>;

  /** Withdraw a content item. */
  deleteContent(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get a page of the comments on a content item, oldest first. */
  listComments(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** a number: the most on a page */
      size?: number | undefined;
      /** a page number: 0 is the first */
      page?: number | undefined;
      /** which come first */
      order?: "newest" | "oldest" | undefined;
      /** a number of a comment: what answers it directly; or none: what answers no comment */
      parent?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<CommentPage>;

  /** Comment on a content item. */
  createComment(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      body: CommentCreate;
    },
    options?: CallOptions,
  ): Promise<Created>;

  /** Lock or unlock the comments on a content item. */
  setCommentsLocked(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      body: CommentsLock;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get one comment. */
  getComment(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A number. */
      commentId: number;
    },
    options?: CallOptions,
  ): Promise<Comment>;

  /** Change the text of a comment. */
  updateComment(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A number. */
      commentId: number;
      body: CommentUpdate;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Delete a comment. */
  deleteComment(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A number. */
      commentId: number;
      /** a text for the author of the comment */
      reason?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Report a comment. */
  reportComment(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A number. */
      commentId: number;
      body: ReportBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /**
   * List the active content whose current revision uses an entity or package of this content
   * item, newest first.
   */
  listDependents(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ContentInfo[]>;

  /** Set or clear a content item's featured flag. */
  setContentFeatured(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      body: FeaturedChange;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /**
   * List the files that a content item needs: those of its core entity, of all dependencies and
   * of its packages.
   */
  listContentFiles(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** a platform: leaves out packages' files for others */
      platform?: "win64" | "osx64" | "linux64" | (string & {}) | undefined;
    },
    options?: CallOptions,
  ): Promise<ContentFile[]>;

  /** List the members of a content item, the newest first. */
  listMembers(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Member[]>;

  /**
   * Invite a user to be a member of a content item of yours, and notify them the first time; or,
   * if its author has invited you, accept the invitation.
   */
  putMember(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A GUID with dashes. */
      otherId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Remove a member, or an invited user, from a content item. */
  removeMember(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A GUID with dashes. */
      otherId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Change the name of a content item. */
  setContentName(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      body: ContentNameChange;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List all names of a content item, the present name first. */
  listContentNames(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ContentName[]>;

  /** Report a content item. */
  reportContent(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      body: ReportBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Restore a withdrawn content item. */
  restoreContent(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Publish a new revision of a content item, which becomes the current one. */
  publishRevision(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      body: RevisionCreate;
    },
    options?: CallOptions,
  ): Promise<Created>;

  /** List the revisions of a content item, newest first. */
  listContentRevisions(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<RevisionInfo[]>;

  /** Make another revision of a content item the current one, older or newer. */
  setCurrentRevision(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      body: CurrentRevision;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get one revision of a content item, with its entities and packages. */
  getRevision(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A GUID with dashes. */
      revisionId: string;
    },
    options?: CallOptions,
  ): Promise<RevisionDetail>;

  /** Delete an older revision of a content item, which gives up its files. */
  deleteRevision(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A GUID with dashes. */
      revisionId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the files that one revision of a content item needs, in the same way. */
  listRevisionFiles(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A GUID with dashes. */
      revisionId: string;
      /** a platform: leaves out packages' files for others */
      platform?: "win64" | "osx64" | "linux64" | (string & {}) | undefined;
    },
    options?: CallOptions,
  ): Promise<ContentFile[]>;

  /**
   * Replace what a revision of a content item requires of a client: a patch of the game may have
   * broken it.
   */
  putRequires(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A GUID with dashes. */
      revisionId: string;
      body: RequiresChange;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Replace the tags of a content item that only curators give; its other tags stay. */
  setStaffTags(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      body: StaffTags;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /**
   * List how the counts of a content item changed on each day of UTC, from the first to the last
   * that is asked for, at most 366.
   */
  listContentStatistics(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** a day of UTC */
      from: string;
      /** a day of UTC */
      to: string;
    },
    options?: CallOptions,
  ): Promise<ContentDay[]>;

  /** Suspend a content item, or lift its suspension. */
  setContentStatus(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      body: StatusChange;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the testers of a content item, the newest first. */
  listTesters(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Tester[]>;

  /**
   * Let a user see a content item of yours, whatever its visibility, and notify them the first
   * time.
   */
  addTester(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A GUID with dashes. */
      otherId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Remove a tester from a content item. */
  removeTester(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      /** A GUID with dashes. */
      otherId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /**
   * Choose who sees a content item: everybody, everybody who has its id, friends of the author,
   * or only its author, testers and members.
   */
  setContentVisibility(
    parameters: {
      /** A GUID with dashes. */
      contentId: string;
      body: VisibilityChange;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Send a user a notification of kind Debug. */
  sendDebugNotification(
    parameters: {
      body: DebugNotify;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Create a design challenge. */
  createChallenge(
    parameters: {
      body: ChallengeCreate;
    },
    options?: CallOptions,
  ): Promise<Created>;

  /** List all design challenges, in the order of their ordinals. */
  listChallenges(
    parameters?: Record<string, never>,
    options?: CallOptions,
  ): Promise<Challenge[]>;

  /** Get one design challenge. */
  getChallenge(
    parameters: {
      /** A GUID with dashes. */
      challengeId: string;
    },
    options?: CallOptions,
  ): Promise<Challenge>;

  /** Replace the definition of a design challenge that is not closed. */
  replaceChallenge(
    parameters: {
      /** A GUID with dashes. */
      challengeId: string;
      body: ChallengeCreate;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Delete a design challenge that has no entries. */
  deleteChallenge(
    parameters: {
      /** A GUID with dashes. */
      challengeId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Close a design challenge that is open or judged, with these winners. */
  closeChallenge(
    parameters: {
      /** A GUID with dashes. */
      challengeId: string;
      body: ChallengeClose;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /**
   * List the entries of a design challenge: those that entered last come first, or those with
   * the best votes.
   */
  listChallengeEntries(
    parameters: {
      /** A GUID with dashes. */
      challengeId: string;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** newest: the last to enter first; top: the best votes first */
      sort?: "newest" | "top" | undefined;
    },
    options?: CallOptions,
  ): Promise<ContentInfo[]>;

  /** Enter a public content item of your own in a design challenge. */
  enterChallenge(
    parameters: {
      /** A GUID with dashes. */
      challengeId: string;
      /** A GUID with dashes. */
      contentId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Take a content item out of a design challenge. */
  leaveChallenge(
    parameters: {
      /** A GUID with dashes. */
      challengeId: string;
      /** A GUID with dashes. */
      contentId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get events after a number, in order. */
  listEvents(
    parameters?: {
      /** a number: that of the last event read */
      after?: number | undefined;
      /** a comma list of kinds */
      kinds?: string | readonly string[] | undefined;
      /** a number: the most items */
      limit?: number | undefined;
      /** a number: seconds to wait for the first */
      wait?: number | undefined;
    },
    options?: CallOptions,
  ): Promise<EventPage>;

  /** Block a file, known or not: its bytes are deleted, and nobody can upload or publish it. */
  blockFile(
    parameters: {
      /** A SHA-256 digest of 64 lower-case hexadecimal digits. */
      sha256: string;
      body: BlockBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Let a file be uploaded again. */
  unblockFile(
    parameters: {
      /** A SHA-256 digest of 64 lower-case hexadecimal digits. */
      sha256: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Find the user to whom an account of another service is linked: one or none. */
  listIdentityOwners(
    parameters: {
      /** an issuer: who vouches for the account, as the identity shows it */
      issuer: string;
      /** an account's name there, case and all */
      subject: string;
    },
    options?: CallOptions,
  ): Promise<IdentityOwner[]>;

  /** List the issuers with which a page can log in, in the order of the operator's file. */
  listIssuers(
    parameters?: Record<string, never>,
    options?: CallOptions,
  ): Promise<LogInIssuer[]>;

  /**
   * Get the contacts for legal matters, the terms of the service, and the page where anyone
   * reports illegal content.
   */
  getLegal(
    parameters?: Record<string, never>,
    options?: CallOptions,
  ): Promise<LegalInfo>;

  /** Get who is signed in, a user or a service account, and the permissions or scopes. */
  getMe(
    parameters?: Record<string, never>,
    options?: CallOptions,
  ): Promise<Me>;

  /**
   * List the actions of admins and moderators, newest first: all, or those on one `subject` or
   * by one `admin`, and by `action`, by the `kind` of the subject and by `adminKind`.
   */
  listModerationActions(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** an id: a GUID, the number of a comment, or the sha256 of a file */
      subject?: string | undefined;
      /** a GUID with dashes */
      admin?: string | undefined;
      /** a comma list of actions, or all */
      action?: string | readonly string[] | undefined;
      /** what was acted on */
      kind?: "announcement" | "challenge" | "collection" | "comment" | "content" | "file" | "message" | "notification" | "service_account" | "user" | "webhook" | undefined;
      /** who acted */
      adminKind?: "operator" | "service" | "user" | undefined;
    },
    options?: CallOptions,
  ): Promise<AuditLogEntry[]>;

  /** List appeals, oldest first. */
  listAppeals(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** what they have come to */
      state?: "confirmed" | "open" | "reversed" | undefined;
      /** who appeals */
      from?: "author" | "notifier" | "reporter" | undefined;
    },
    options?: CallOptions,
  ): Promise<Appeal[]>;

  /** Answer an appeal: confirm the decision, or reverse it. */
  decideAppeal(
    parameters: {
      /** A GUID with dashes. */
      appealId: string;
      body: AppealAnswerBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /**
   * Make a decision about a content item, a comment, a user, a file or a message, and carry it
   * out.
   */
  createDecision(
    parameters: {
      body: (Omit<DecisionBody, "id"> & Partial<Pick<DecisionBody, "id">>);
    },
    options?: CallOptions,
  ): Promise<Created>;

  /** List decisions, newest first. */
  listDecisions(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** a GUID with dashes */
      user?: string | undefined;
      /** an id: a GUID, the number of a comment, or the sha256 of a file */
      subject?: string | undefined;
      /** what was decided */
      action?: "ban" | "block_file" | "clear_profile" | "lock_comments" | "remove" | "restrict" | "suspend" | "warn" | undefined;
      /** true or false: whether the decision stands, which is not reversed, replaced or over */
      open?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<Decision[]>;

  /** Get one decision. */
  getDecision(
    parameters: {
      /** A GUID with dashes. */
      decisionId: string;
    },
    options?: CallOptions,
  ): Promise<Decision>;

  /**
   * Reverse a decision, and undo its effects that still last: a comment gets its text again, and
   * a profile the members that are empty now.
   */
  reverseDecision(
    parameters: {
      /** A GUID with dashes. */
      decisionId: string;
      body: ReversalBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the holds, newest first. */
  listHolds(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** what is held */
      kind?: "content" | "file" | "user" | undefined;
    },
    options?: CallOptions,
  ): Promise<Hold[]>;

  /** Hold a content item, a user or a file: keep it as it is now, whatever happens to it. */
  putHold(
    parameters: {
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      kind: string;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      id: string;
      body: HoldBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** End a hold, and erase the copy: the record at once, the bytes soon after. */
  deleteHold(
    parameters: {
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      kind: string;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      id: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /**
   * Get a hold: its reason, its end and its admin, how much is copied, and to whom the copy was
   * given.
   */
  getHold(
    parameters: {
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      kind: string;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      id: string;
    },
    options?: CallOptions,
  ): Promise<Hold>;

  /**
   * Get the copy of what is held, as one JSON object, with URLs of the bytes that are good for
   * one to two hours.
   */
  getHoldCopy(
    parameters: {
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      kind: string;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      id: string;
    },
    options?: CallOptions,
  ): Promise<HeldCopy>;

  /** Record to whom the copy was given, such as an authority. */
  putEscalation(
    parameters: {
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      kind: string;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      id: string;
      /** A GUID with dashes. */
      escalationId: string;
      body: EscalationBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the subjects with open reports. */
  listReportedSubjects(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** what is reported */
      kind?: "collection" | "comment" | "content" | "file" | "message" | "user" | undefined;
      /** a reason of open reports */
      reason?: "abuse" | "cheating" | "child" | "copyright" | "illegal" | "intimate" | "other" | "personal" | "sexual" | "spam" | "trademark" | "violence" | undefined;
      /** what comes first */
      sort?: "due" | "reports" | undefined;
    },
    options?: CallOptions,
  ): Promise<QueuedSubject[]>;

  /**
   * List all reports of a subject, newest first: of a content item, a comment, a user, a
   * collection, a file or a message.
   */
  listReports(
    parameters: {
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      kind: string;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      id: string;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** a GUID with dashes */
      user?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Report[]>;

  /** Close the open reports of a subject, up to the one that `upTo` names. */
  resolveReports(
    parameters: {
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      kind: string;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      id: string;
      /** a GUID with dashes */
      user?: string | undefined;
      body: ReportDecision;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List all users who are not players, the latest change of a role first. */
  listStaff(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<StaffMember[]>;

  /** Find the account with an address or a username, whatever the case: one or none. */
  listModeratedUsers(
    parameters?: {
      /** an account's whole address, whatever the case */
      email?: string | undefined;
      /** a whole username, whatever the case */
      name?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ModeratedUser[]>;

  /** Get an account. */
  getModeratedUser(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ModeratedUser>;

  /** Count the content, comments and collections of a user that can be cleared. */
  getUserClearance(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ClearableCounts>;

  /**
   * Clear what a user has made: suspend all content, delete all comments, delete all
   * collections, or several of these.
   */
  clearUser(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: UserClearance;
    },
    options?: CallOptions,
  ): Promise<Created>;

  /**
   * List the comments of a user, newest first, on hidden content too, with the tombstones of
   * deleted comments.
   */
  listUserComments(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<UserComment[]>;

  /** Give another address to a user who has lost the mailbox. */
  setUserEmail(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: EmailReplacement;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Send a notice of illegal content, without an account. */
  createNotice(
    parameters: {
      body: NoticeBody;
    },
    options?: CallOptions,
  ): Promise<NoticeReceipt>;

  /**
   * Get the state of a notice, with its own token as the bearer token, or as a moderator, who
   * sees all that was sent.
   */
  getNotice(
    parameters: {
      /** A GUID with dashes. */
      noticeId: string;
    },
    options?: CallOptions,
  ): Promise<Notice>;

  /** Appeal against the dismissal of a notice, with its token as the bearer token. */
  appealNotice(
    parameters: {
      /** A GUID with dashes. */
      noticeId: string;
      body: AppealBody;
    },
    options?: CallOptions,
  ): Promise<Created>;

  /**
   * Notify users, with kind `Studio`: those in `to`, or all who belong to the `audience` now,
   * and still when it is their turn.
   */
  sendStudioNotification(
    parameters: {
      body: (Omit<StudioNotificationToUsers, "id"> & Partial<Pick<StudioNotificationToUsers, "id">>) | (Omit<StudioNotificationToAudience, "id"> & Partial<Pick<StudioNotificationToAudience, "id">>);
    },
    options?: CallOptions,
  ): Promise<Created>;

  /** List the studio's notifications, newest first, with how many users were notified. */
  listStudioNotifications(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** true or false: what each says, too */
      data?: boolean | undefined;
    },
    options?: CallOptions,
  ): Promise<StudioNotification[]>;

  /** Get the state of one of the studio's notifications. */
  getStudioNotification(
    parameters: {
      /** A GUID with dashes. */
      notificationId: string;
    },
    options?: CallOptions,
  ): Promise<StudioNotification>;

  /** Stop one of the studio's notifications: users who are not notified yet will not be. */
  stopStudioNotification(
    parameters: {
      /** A GUID with dashes. */
      notificationId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get the service's name, platforms, types, tags and rules. */
  getService(
    parameters?: Record<string, never>,
    options?: CallOptions,
  ): Promise<ServiceInfo>;

  /** List the service accounts, newest first. */
  listServiceAccounts(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ServiceAccount[]>;

  /** Make a service account, or replace its members. */
  putServiceAccount(
    parameters: {
      /** A GUID with dashes. */
      accountId: string;
      body: ServiceAccountBody;
    },
    options?: CallOptions,
  ): Promise<Created | undefined>;

  /** Get a service account. */
  getServiceAccount(
    parameters: {
      /** A GUID with dashes. */
      accountId: string;
    },
    options?: CallOptions,
  ): Promise<ServiceAccount>;

  /** Delete a service account with its secrets, and end its tokens. */
  deleteServiceAccount(
    parameters: {
      /** A GUID with dashes. */
      accountId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Make a secret. */
  createServiceSecret(
    parameters: {
      /** A GUID with dashes. */
      accountId: string;
    },
    options?: CallOptions,
  ): Promise<NewServiceSecret>;

  /** Delete a secret, and end the tokens that were got with it. */
  deleteServiceSecret(
    parameters: {
      /** A GUID with dashes. */
      accountId: string;
      /** A GUID with dashes. */
      secretId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get the socket's URL, and a token to connect with, valid for a minute. */
  connectSession(
    parameters: {
      body: ConnectBody;
    },
    options?: CallOptions,
  ): Promise<ConnectAnswer>;

  /** List the numbers of each day of UTC, from `from` to `to`, at most 366 days. */
  listStatistics(
    parameters?: {
      /** a day of UTC */
      from?: string | undefined;
      /** a day of UTC */
      to?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<DayStatistics[]>;

  /**
   * Get where files lie, which types of images are taken, in which widths there are smaller ones
   * of each, and the limits.
   */
  getStorage(
    parameters?: Record<string, never>,
    options?: CallOptions,
  ): Promise<StorageInfo>;

  /** Correct a misspelt search. */
  getSuggestion(
    parameters: {
      /** a text of 1 to 256 characters, as GET /content takes it */
      q: string;
    },
    options?: CallOptions,
  ): Promise<Suggestion>;

  /**
   * List tags, and how much public active content has each: the most frequent first, then by
   * tag.
   */
  listTags(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** a text of 1 to 64 characters: tags that begin so, whatever the case */
      q?: string | undefined;
      /** a key of a group: its tags */
      group?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<TagCount[]>;

  /**
   * Say which files you are going to publish, and get the requests that upload them. `upload` is
   * null for a file that is there.
   */
  announceFiles(
    parameters: {
      body: UploadsBody;
    },
    options?: CallOptions,
  ): Promise<UploadsAnswer>;

  /** Get the public infos of several users, in the order of `ids`. */
  listUsers(
    parameters: {
      /** a comma list of 1 to 100 ids */
      ids: string | readonly string[];
    },
    options?: CallOptions,
  ): Promise<UserInfo[]>;

  /** Register a user. */
  registerUser(
    parameters: {
      body: Registration;
    },
    options?: CallOptions,
  ): Promise<Created>;

  /** Confirm an address, with the token of a mailed link. */
  verifyEmail(
    parameters: {
      body: EmailConfirmation;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Send a mail with a link to set a new password, if an account has this address. */
  requestPasswordReset(
    parameters: {
      body: PasswordResetRequest;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Set a new password, with the token of a mailed link. */
  resetPassword(
    parameters: {
      body: PasswordReset;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Search users by name. */
  searchUsers(
    parameters: {
      /** a text of 3 to 64 characters: a username, or a part of it, or something similar */
      q: string;
      /** a number: the most on a page */
      pageSize?: number | undefined;
      /** a page number: 0 is the first */
      page?: number | undefined;
    },
    options?: CallOptions,
  ): Promise<UserPage>;

  /** Get a user's complete record. */
  getUser(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<FullUser>;

  /** Change a user's avatar, emblem and profiles. */
  updateUser(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: UserUpdate;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Delete the account, for good. */
  deleteUser(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body?: PasswordProof | SubjectProof | undefined;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Make a guest a full account, which keeps all that the guest has. */
  putAccount(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: FullAccount;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List a user's achievements, newest first. */
  listAchievements(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<EarnedAchievement[]>;

  /** Get the ban of a user. */
  getBan(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Ban>;

  /** Ban a user whose role is below the caller's, and end all their log-ins. */
  banUser(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: BanBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Let a user log in again. */
  unbanUser(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the users whom the user blocks. */
  listBlockedUsers(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<BlockedUser[]>;

  /** Block a user. */
  blockUser(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      otherId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Take back a block. */
  unblockUser(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      otherId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /**
   * List a user's collections, the favourites first, then the newest: to the user all, to others
   * those that are public.
   */
  listCollections(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** a GUID with dashes: a content's */
      content?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Collection[]>;

  /**
   * Make a collection, or change its name, its description and who sees it: the caller chooses
   * the id.
   */
  putCollection(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      collectionId: string;
      body: CollectionBody | FavouritesBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Delete a collection. */
  deleteCollection(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      collectionId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /**
   * Add a content item to a collection, or move it: before the item `before`, or to the end with
   * null.
   */
  putCollectionItem(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      collectionId: string;
      /** A GUID with dashes. */
      contentId: string;
      body: ItemBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Remove a content item from a collection. */
  deleteCollectionItem(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      collectionId: string;
      /** A GUID with dashes. */
      contentId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the content that a user has created, newest first. */
  listUserContent(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** a comma list of content types, or all */
      category?: string | readonly string[] | undefined;
      /** a comma list of statuses, or all. Only for admins; others' is ignored */
      status?: string | readonly string[] | undefined;
      /**
       * an attribute, as `attr.KEY=VALUE` or `attr[KEY]=VALUE`, up to 4: content has all of these
       * attributes. A value is compared as text, numbers and booleans as JSON has them
       */
      attr?: Record<string, string> | undefined;
      /** a version of the game: that of the client */
      game?: string | undefined;
      /** a platform: the client's */
      platform?: "win64" | "osx64" | "linux64" | (string & {}) | undefined;
      /** a comma list of up to 256 features: those that the client has. Empty if it has none */
      features?: string | readonly string[] | undefined;
    },
    options?: CallOptions,
  ): Promise<ContentInfo[]>;

  /** List the content that a user has withdrawn, newest first. */
  listDeletedContent(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ContentInfo[]>;

  /**
   * List what moderators have decided about a user, and about what the user has made, newest
   * first.
   */
  listUserDecisions(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<UserDecision[]>;

  /** Get one decision that concerns a user. */
  getUserDecision(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      decisionId: string;
    },
    options?: CallOptions,
  ): Promise<UserDecision>;

  /** Appeal against a decision that concerns the user. */
  appealDecision(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      decisionId: string;
      body: AppealBody;
    },
    options?: CallOptions,
  ): Promise<Created>;

  /** Ask for a new address. */
  changeEmail(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: EmailChange | EmailChangeBySubject;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /**
   * Send again the mail that confirms the account's address, and the one that confirms a new
   * address.
   */
  requestEmailVerification(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the emblems that a user has earned and may wear, newest first. */
  listEmblems(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<EarnedEmblem[]>;

  /** Get all data that the service has about the user, as one JSON object. */
  exportUser(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Export>;

  /** List the users who follow this user, newest first. */
  listFollowers(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<UserInfo[]>;

  /** List the users whom this user follows, newest first. */
  listFollowing(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<UserInfo[]>;

  /** Follow a user, and notify them, at most once in 24 hours. */
  followUser(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      otherId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Stop following a user. */
  unfollowUser(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      otherId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the requests for friendship that are not answered, to the user and by the user. */
  listFriendRequests(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** `incoming`: the others have asked; `outgoing`: the user has asked */
      direction?: "incoming" | "outgoing" | undefined;
    },
    options?: CallOptions,
  ): Promise<PendingRequest[]>;

  /** Invite a user to a party, and notify them. */
  sendPartyInvite(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      friendUserId: string;
      body: PartyBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Accept an invite to a party, and notify the user who sent it. */
  acceptPartyInvite(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      friendUserId: string;
      body: PartyBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Decline an invite to a party, and notify the user who sent it. */
  declinePartyInvite(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      friendUserId: string;
      body: PartyBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Ask a user for friendship, and notify them. */
  addFriend(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      otherId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** End a friendship, take back a request for it, or turn the other's request down. */
  removeFriend(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      otherId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Send a message to a friend, and notify them. */
  sendMessage(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      otherId: string;
      body: MessageCreate;
    },
    options?: CallOptions,
  ): Promise<Created>;

  /** List the messages between the user and another, of both, newest first. */
  listMessages(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      otherId: string;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Message[]>;

  /** Get one message. */
  getMessage(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      otherId: string;
      /** A GUID with dashes. */
      messageId: string;
    },
    options?: CallOptions,
  ): Promise<Message>;

  /** Remove a message for both users, also after the friendship has ended. */
  unsendMessage(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      otherId: string;
      /** A GUID with dashes. */
      messageId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the user's friends. */
  listFriends(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Friend[]>;

  /** List the accounts of other services that are linked to the user, newest first. */
  listIdentities(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Identity[]>;

  /** Link an account of another service to the user, who can then log in with it. */
  linkIdentity(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: LinkByPassword | LinkByToken | GuestLink;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Unlink an account of another service. */
  unlinkIdentity(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      identityId: string;
      body: PasswordProof | TokenProof;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get a user's public info. */
  getUserInfo(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<UserInfo>;

  /** List the content that the user is a tester or a member of, or is invited to be. */
  listMemberships(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Membership[]>;

  /**
   * List the users with whom this user has exchanged messages, each with the newest message,
   * newest first.
   */
  listConversations(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Conversation[]>;

  /** List the user's notifications, oldest first. */
  listNotifications(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a notification's id or number: the last one that you have seen */
      after?: string | undefined;
      /** a number of Unix seconds: only what came later is listed */
      since?: number | undefined;
    },
    options?: CallOptions,
  ): Promise<Notification[]>;

  /** Delete one notification and all before it. */
  clearNotifications(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a notification's id or number */
      upTo: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Mark one notification and all before it as read. */
  markNotificationsRead(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: ReadUpTo;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get the kinds of notifications that the user has muted. */
  getNotificationSettings(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<NotificationSettingsAnswer>;

  /** Mute exactly these kinds of notifications. */
  setNotificationSettings(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: NotificationSettings;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /**
   * Get the numbers of the newest and the oldest notification of the user, and how many are
   * unread.
   */
  getNotificationState(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<NotificationState>;

  /** Set or clear the read flag of one notification. */
  updateNotification(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      notificationId: string;
      body: ReadChange;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Delete one notification. */
  deleteNotification(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      notificationId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the invites to parties of the last hour that the user has not answered. */
  listPartyInvites(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<PendingInvite[]>;

  /** Change the password. */
  changePassword(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: PasswordChange;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Report that the user has played a content item, at the end of the play. */
  reportPlay(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: PlayBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Make a code that logs the user in to the portal, and a URL with it for a game's web view. */
  createPortalCode(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: PortalCodeBody;
    },
    options?: CallOptions,
  ): Promise<PortalCode>;

  /**
   * List the user's progress data, in the order of the keys: all, or only those that the query
   * names.
   */
  listProgress(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a text: only keys that begin with it are listed */
      prefix?: string | undefined;
      /** a text: only this key is listed */
      key?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<ProgressData[]>;

  /** Store an object at a key of the query. */
  putProgressByKey(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a text: the key. No segment of it, between slashes or backslashes, is `..` */
      key: string;
      body: ProgressBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Delete the data at a key of the query. */
  deleteProgressByKey(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a version: only this one is deleted */
      version?: number | undefined;
      /** a text: the key */
      key: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get the data at one key. */
  getProgress(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      key: string;
    },
    options?: CallOptions,
  ): Promise<ProgressData>;

  /** Store an object at a key. */
  putProgress(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      key: string;
      body: ProgressBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Delete the data at a key. */
  deleteProgress(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      key: string;
      /** a version: only this one is deleted */
      version?: number | undefined;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Rate a content item. */
  putRating(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      contentId: string;
      body: RatingBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Remove the user's rating of a content item. */
  deleteRating(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      contentId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get the user's ratings, by the id of the content. */
  getRatings(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Record<string, "0" | "1">>;

  /** Report a user, and messages that they have sent to the caller. */
  reportUser(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: UserReportBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Appeal against the dismissal of the user's newest report of a subject. */
  appealReport(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      kind: string;
      /** A text. No segment of it, between slashes or backslashes, is `..`. */
      id: string;
      body: AppealBody;
    },
    options?: CallOptions,
  ): Promise<Created>;

  /** Take back the rewards of a design challenge from a user. */
  revokeRewards(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      challengeId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Give a user a role, and end all log-ins of the user. */
  setUserRole(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: RoleBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the user's log-ins that have not ended. */
  listSessions(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Session[]>;

  /** End all log-ins except the log-in of this request. */
  endOtherSessions(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** End one log-in. */
  endSession(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      sessionId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get how much of their quota the user has used. */
  getUserStorage(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<UserStorage>;

  /** Subscribe to a content item, with `pin` to one of its revisions, else to the current one. */
  putSubscription(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      contentId: string;
      body: SubscriptionBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Unsubscribe from a content item. */
  deleteSubscription(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      contentId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Get the user's subscription to one content item. */
  getSubscription(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** A GUID with dashes. */
      contentId: string;
      /** a version of the game: that of the client */
      game?: string | undefined;
      /** a platform: the client's */
      platform?: "win64" | "osx64" | "linux64" | (string & {}) | undefined;
      /** a comma list of up to 256 features: those that the client has. Empty if it has none */
      features?: string | readonly string[] | undefined;
    },
    options?: CallOptions,
  ): Promise<Subscription>;

  /** List the user's subscriptions, newest first. */
  listSubscriptions(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
      /** a version of the game: that of the client */
      game?: string | undefined;
      /** a platform: the client's */
      platform?: "win64" | "osx64" | "linux64" | (string & {}) | undefined;
      /** a comma list of up to 256 features: those that the client has. Empty if it has none */
      features?: string | readonly string[] | undefined;
    },
    options?: CallOptions,
  ): Promise<Subscription[]>;

  /** Get all of the user's subscriptions by the id of the content, as of one moment. */
  getLibrary(
    parameters?: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      /** a version of the game: that of the client */
      game?: string | undefined;
      /** a platform: the client's */
      platform?: "win64" | "osx64" | "linux64" | (string & {}) | undefined;
      /** a comma list of up to 256 features: those that the client has. Empty if it has none */
      features?: string | readonly string[] | undefined;
    },
    options?: CallOptions,
  ): Promise<Record<string, Kept>>;

  /** Accept the present version of the terms. */
  acceptTerms(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: TermsAcceptance;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Change a user's name. */
  setUsername(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: UsernameChange;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Warn a user, who is notified. */
  warnUser(
    parameters: {
      /** the caller's own where it is left out */
      userId?: string | undefined;
      body: WarningBody;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** List the webhooks, newest first, and how far each has come. */
  listWebhooks(
    parameters?: {
      /** a number: the most items of the answer */
      limit?: number | undefined;
      /** a cursor, from the Link header of the part before */
      after?: string | undefined;
    },
    options?: CallOptions,
  ): Promise<Webhook[]>;

  /** Get a webhook, and how far it has come. */
  getWebhook(
    parameters: {
      /** A GUID with dashes. */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<Webhook>;

  /** Make a webhook, which sends events to a URL, or change it. */
  putWebhook(
    parameters: {
      /** A GUID with dashes. */
      webhookId: string;
      body: WebhookBody;
    },
    options?: CallOptions,
  ): Promise<Created | undefined>;

  /** Delete a webhook: nothing more is sent to it. */
  deleteWebhook(
    parameters: {
      /** A GUID with dashes. */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<undefined>;

  /** Make a secret, which signs everything from now on. */
  createWebhookSecret(
    parameters: {
      /** A GUID with dashes. */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<WebhookSecret>;

  /** Send one event of kind `Test`, which has no number, and return the result. */
  sendWebhookTest(
    parameters: {
      /** A GUID with dashes. */
      webhookId: string;
    },
    options?: CallOptions,
  ): Promise<WebhookTest>;

  /** Check that the process responds. */
  checkLiveness(
    parameters?: Record<string, never>,
    options?: CallOptions,
  ): Promise<Live>;

  /** Check that the process can serve. */
  checkReadiness(
    parameters?: Record<string, never>,
    options?: CallOptions,
  ): Promise<Ready>;

  /** Log out (RFC 7009). */
  revokeToken(
    parameters: {
      body: RevokeForm;
    },
    options?: CallOptions,
  ): Promise<Revoked>;

  /** Log in with a password, or get new tokens for a refresh token (RFC 6749). */
  createToken(
    parameters: {
      body: TokenForm;
    },
    options?: CallOptions,
  ): Promise<TokenAnswer | ServiceToken>;
}
