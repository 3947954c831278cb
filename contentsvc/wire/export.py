"""The export of an account (extensions §8)."""

from msgspec import Struct

from contentsvc.wire.base import JsonObject, Seconds


class Export(Struct, rename="camel"):
    """All that the service holds of a user. Times are Unix seconds."""

    schema: int
    """Grows when a member changes its meaning, or goes."""
    created: Seconds
    account: JsonObject
    identities: list[JsonObject]
    sessions: list[JsonObject]
    failed_log_ins: list[JsonObject]
    mails: list[JsonObject]
    content: list[JsonObject]
    revisions: list[JsonObject]
    publications: list[JsonObject]
    files: list[JsonObject]
    comments: list[JsonObject]
    ratings: list[JsonObject]
    friends: list[JsonObject]
    friend_requests: list[JsonObject]
    friend_asks: list[JsonObject]
    blocked: list[JsonObject]
    following: list[JsonObject]
    unfollows: list[JsonObject]
    followers: list[JsonObject]
    messages: list[JsonObject]
    party_invites: list[JsonObject]
    progress: list[JsonObject]
    deleted_progress: list[JsonObject]
    notifications: list[JsonObject]
    entries: list[JsonObject]
    rewards: list[JsonObject]
    reports: list[JsonObject]
    moderation: list[JsonObject]
    actions: list[JsonObject]
