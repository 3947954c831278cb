"""Where a user's id is stored, and what becomes of it (accounts#deletion).

Each column that holds the id of a user is here: what a deletion of the account does with it, and
which member of the export has it. A test compares this with the schema: a new column of GUIDs must
be in PERSONAL or in IMPERSONAL.
"""

from typing import Final, Literal, NamedTuple

Fate = Literal["goes", "later", "lapses", "stays"]
"""goes: with the user's row, in the same transaction. later: in the batches that follow. lapses: by
itself, within the time of its note. stays: it names nobody any more."""


class Column(NamedTuple):
    """What becomes of a column. `member` is that of the export, None if it is in none; the `note`
    says why, and why it stays."""

    fate: Fate
    member: str | None
    note: str = ""


_VISIBLE = "what others see keeps its author's id"
_REPORTS = "moderation needs it: reports, their evidence and decisions are proof"
_HOLDS = "what admins hold is kept for a court, until the hold ends"
_DECISIONS = "each is owed its reason, and is proof, as reports are"

PERSONAL: Final[dict[str, Column]] = {
    "users.id": Column("goes", "account"),
    "bans.user_id": Column("goes", "account"),
    "notification_counters.user_id": Column("goes", "account"),
    "storage.user_id": Column("goes", "account"),
    "identities.user_id": Column("goes", "identities"),
    "guest_secrets.user_id": Column("goes", "account", "that it is a guest; not the secret"),
    "mails.user_id": Column("goes", "mails"),
    "pairs.lesser": Column("goes", "friends"),
    "pairs.greater": Column("goes", "friends"),
    "pairs.requester": Column("goes", "friendRequests"),
    "conversations.lesser": Column("goes", "messages"),
    "conversations.greater": Column("goes", "messages"),
    "follows.follower": Column("goes", "following"),
    "follows.followed": Column("goes", "followers"),
    "rate_limits.subject": Column("goes", "friendAsks"),
    "rate_limits.account": Column("goes", "failedLogIns"),
    "party_invites.sender": Column("goes", "partyInvites"),
    "party_invites.recipient": Column("goes", "partyInvites"),
    "progress.user_id": Column("goes", "progress"),
    "progress_deleted.user_id": Column("goes", "deletedProgress"),
    "progress_usage.user_id": Column("goes", None, "sums of what progress has"),
    "collections.id": Column("goes", "collections", "the favourites have the id of their user"),
    "collections.owner_id": Column("goes", "collections"),
    "collection_items.collection_id": Column("goes", "collectionItems"),
    "content_players.user_id": Column("goes", "played", "the content counts the player still"),
    "content_tallies.user_id": Column("lapses", "plays", "what was played lately; within a day"),
    "challenge_rewards.user_id": Column("goes", "rewards"),
    "subscriptions.user_id": Column("goes", "subscriptions"),
    "revisions.publisher_id": Column("goes", "publications", "it becomes null"),
    "content_names.user_id": Column("goes", "namesGiven", "it becomes null"),
    "content_guests.user_id": Column("goes", "memberships"),
    "guests_told.user_id": Column("goes", "invitations"),
    "messages.sender": Column("later", "messages"),
    "removed_messages.sender": Column(
        "lapses", "messages", "the text goes later, this when reports have lost it; within 30 days"
    ),
    "removed_messages.recipient": Column(
        "lapses", "messages", "the text goes later, this when reports have lost it; within 30 days"
    ),
    "notifications.user_id": Column("later", "notifications"),
    "ratings.user_id": Column("later", "ratings"),
    "user_files.user_id": Column("later", "files"),
    "uncounted_comments.author_id": Column("later", None, "a note for the batches"),
    "claims.owner_id": Column("lapses", "files", "when content gives up its files, in a minute"),
    "claims.holder": Column("goes", "account", "of an avatar; else it is no user"),
    "sessions.user_id": Column("lapses", "sessions", "ended; kept as long as access tokens live"),
    "dependency_tellings.recipient": Column("lapses", None, "it tells once a day; within a day"),
    "subscription_tellings.user_id": Column("lapses", None, "it tells once a day; within a day"),
    "former_names.user_id": Column(
        "lapses", "formerNames", "it keeps the name from others; within 30 days"
    ),
    "departures.user_id": Column("lapses", None, "it keeps name and address; within 30 days"),
    "tasks.task": Column("lapses", None, "what is still to be told; within seconds"),
    "tasks.place": Column("lapses", None, "whose image it is; until its smaller ones are made"),
    "tasks.topic": Column("lapses", None, "what is still to be told; within seconds"),
    "told_followers.author": Column(
        "lapses", None, "a note for what is to be told; within seconds"
    ),
    **{
        f"{table}.{column}": Column("lapses", None, "ids alone; within event_retention")
        for table in ("new_events", "events")
        for column in ("actor", "subject", "data")
    },
    "webhooks.body": Column(
        "lapses", None, "ids alone; until it has arrived, or within event_retention"
    ),
    "contents.author_id": Column("stays", "content", _VISIBLE),
    "documents.terms": Column("stays", None, "the search finds deleted content by its author's id"),
    "comments.author_id": Column("stays", "comments", _VISIBLE),
    "challenge_entries.author_id": Column("stays", "entries", _VISIBLE),
    "notifications.data": Column("stays", "notifications", "what others were told"),
    "studio_notifications.author": Column("stays", None, "the studio's own; actions has it too"),
    "reports.reporter": Column("stays", "reports", _REPORTS),
    "report_subjects.id": Column("stays", None, _REPORTS),
    "report_subjects.user_id": Column("stays", None, _REPORTS),
    "reports.messages": Column("stays", None, _REPORTS),
    "report_evidence.evidence": Column("stays", None, _REPORTS),
    "holds.subject": Column("stays", None, _HOLDS),
    "holds.admin": Column("stays", "actions", "who has placed it; it is an action too"),
    "held_pieces.piece": Column("stays", None, _HOLDS),
    "escalations.admin": Column("stays", "actions", "who has noted it; it is an action too"),
    "notice_subjects.id": Column("stays", None, _REPORTS),
    "notice_subjects.user_id": Column("stays", None, _REPORTS),
    "decisions.user_id": Column("stays", "decisions", _DECISIONS),
    "decisions.subject": Column("stays", "decisions", _DECISIONS),
    "decisions.moderator": Column("stays", "actions", _DECISIONS),
    "decisions.reverser": Column("stays", "actions", _DECISIONS),
    "decisions.facts": Column("stays", "decisions", _DECISIONS),
    "appeals.user_id": Column("stays", "appeals", _DECISIONS),
    "appeals.subject": Column("stays", "appeals", _DECISIONS),
    "appeals.subject_user": Column("stays", None, _DECISIONS),
    "appeals.moderator": Column("stays", "actions", _DECISIONS),
    "report_decisions.moderator": Column("stays", "actions", _REPORTS),
    "decision_users.user_id": Column("stays", "decisions", _DECISIONS),
    "standing_decisions.subject": Column("stays", None, _DECISIONS),
    "moderation_actions.admin": Column("stays", "actions", "nothing changes what admins did"),
    "moderation_actions.subject": Column("stays", "moderation", "nothing changes what admins did"),
}
"""The columns that may hold the id of a user."""

IMPERSONAL: Final = frozenset(
    {
        *("challenges.id", "challenges.win_emblem", "challenges.participate_emblem"),
        *("challenges.winners", "challenge_tallies.challenge_id"),
        *("challenge_entries.challenge_id", "challenge_entries.content_id"),
        *("challenge_rewards.challenge_id", "challenge_rewards.content_id"),
        *("contents.id", "contents.revision_id", "content_uses.used", "content_uses.content_id"),
        "content_names.content_id",
        *("content_guests.content_id", "guests_told.content_id"),
        *("content_ranks.content_id", "documents.content_id", "comments.content_id"),
        *("claims.content_id", "ratings.content_id", "uncounted_comments.content_id"),
        *("entities.entity_id", "entities.revision_id", "entities.content_id"),
        *("packages.id", "packages.content_id"),
        *("subscriptions.content_id", "subscriptions.pin", "subscription_tellings.content_id"),
        *(
            "revisions.id",
            "revisions.content_id",
            "revisions.entity_id",
            "revisions.entity_revision",
        ),
        *("file_folder.id", "new_events.content_id", "events.content_id"),
        *("revision_entities.revision_id", "revision_entities.entity_id"),
        *("revision_entities.entity_revision", "revision_packages.revision_id"),
        *("revision_packages.package_id", "dependency_tellings.dependency"),
        *("identities.id", "sessions.id", "refresh_tokens.session_id"),
        *("portal_codes.session_id", "portal_codes.begun"),
        *("messages.id", "removed_messages.id", "notifications.id", "notification_counters.newest"),
        *("notification_counters.previous", "party_invites.party", "progress.write_id"),
        "collection_items.content_id",
        *("content_players.content_id", "content_days.content_id"),
        *("content_tallies.content_id", "content_tallies.play"),
        "comments.write_id",
        *("holds.id", "held_pieces.hold", "held_files.hold", "escalations.hold", "escalations.id"),
        *(
            "mails.id",
            "processes.id",
            "mails.notice",
            "notices.id",
            "notice_subjects.notice",
            "notice_subjects.content_id",
            "reports.id",
            "reports.notice",
            "report_subjects.content_id",
            "tasks.lease",
            "user_files.token",
        ),
        *("announcements.id", "studio_notifications.id", "webhooks.id"),
        *("service_accounts.id", "service_secrets.id", "service_secrets.account_id"),
        *("service_secrets.grant_id", "ended_grants.id"),
        *("users.emblem", "moderation_actions.id", "moderation_actions.warning"),
        *("moderation_actions.decision", "mails.decision", "decisions.id", "decisions.content_id"),
        *("decisions.notice", "decisions.replaced", "mails.appeal", "appeals.id"),
        *("appeals.decision", "appeals.content_id", "appeals.notice"),
    }
)
"""The columns of GUIDs that are none of users."""
