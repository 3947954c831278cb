"""The operations of the REST API: one method each, with the Structs of `contentsvc.wire`.

Where the path names the user themself, it is the one who is signed in. All raise ApiError
(its `code` is the cause), SessionEnded, NotSignedIn and Unreachable.
"""

from collections.abc import Mapping
from typing import Any, TypeVar
from urllib.parse import parse_qs, quote, urlsplit
from uuid import uuid4

from msgspec import DecodeError, Raw, Struct, json, structs, to_builtins

from contentsvc.client import reading
from contentsvc.client.errors import ApiError, NotSignedIn
from contentsvc.client.http import Answer, Http, error_of
from contentsvc.client.reading import Page, UnknownNotification
from contentsvc.client.session import Session
from contentsvc.wire.accounts import BanBody, PasswordChange, Registration
from contentsvc.wire.base import Paging
from contentsvc.wire.challenges import Challenge, ChallengeCreate
from contentsvc.wire.comments import (
    Comment,
    CommentCreate,
    CommentPage,
    CommentQuery,
    CommentUpdate,
)
from contentsvc.wire.content import (
    ContentCreate,
    ContentDetail,
    ContentInfo,
    ContentQuery,
    ContentUpdate,
    FeaturedChange,
    Precheck,
    PrecheckAnswer,
    RevisionDetail,
    StatusChange,
)
from contentsvc.wire.notifications import (
    AnyNotification,
    DebugNotify,
    NotificationQuery,
    ReadChange,
    ReadUpTo,
)
from contentsvc.wire.progress import ProgressBody, ProgressData, ProgressDelete, ProgressQuery
from contentsvc.wire.ratings import RatingBody
from contentsvc.wire.sessions import ConnectAnswer, ConnectBody
from contentsvc.wire.sessions import Session as LogIn
from contentsvc.wire.social import PartyBody
from contentsvc.wire.users import FullUser, UserInfo, UserPage, UserSearch, UserUpdate

T = TypeVar("T")

_REPEATABLE = frozenset({"GET", "PUT", "PATCH", "DELETE"})


class Operations:
    """Everything under /api/v1 and /health."""

    def __init__(self, http: Http, session: Session) -> None:
        self._http = http
        self._session = session

    @property
    def user(self) -> str:
        """The id of the user who is signed in. Raises NotSignedIn."""
        return self._session.tokens.userId

    # Accounts.

    async def register(self, body: Registration) -> str:
        """Make an account; its user's id. This does not log in."""
        return await self._create("/user", body)

    async def change_password(self, body: PasswordChange) -> None:
        """Change one's password, which ends the other sessions."""
        await self._send("PUT", f"/user/{self.user}/password", body, repeat=False)

    async def ban(self, user: str, body: BanBody) -> None:
        """Shut an account out; admins."""
        await self._send("PUT", f"/user/{_(user)}/ban", body)

    async def lift_ban(self, user: str) -> None:
        """Let the account in again; admins."""
        await self._send("DELETE", f"/user/{_(user)}/ban")

    async def sessions(self) -> list[LogIn]:
        """One's log-ins that go on."""
        return await self._get(f"/user/{self.user}/sessions", list[LogIn])

    async def end_session(self, session: str) -> None:
        """End one of them, this one too."""
        await self._send("DELETE", f"/user/{self.user}/sessions/{_(session)}")

    async def end_other_sessions(self) -> None:
        """End all of them but this one."""
        await self._send("DELETE", f"/user/{self.user}/sessions")

    async def connect(self, body: ConnectBody, *, repeat: bool = True) -> ConnectAnswer:
        """Where the session socket is, and a token for it (spec §4.19)."""
        answer = await self._call("POST", "/api/v1/session/connect", body, repeat=repeat)
        return _read(answer, ConnectAnswer)

    # Users.

    async def search_users(self, query: UserSearch) -> UserPage:
        """Find users by name (spec §4.5)."""
        return await self._get("/user/search", UserPage, query)

    async def user_info(self, user: str) -> UserInfo:
        """What all may know of a user (spec §4.6)."""
        return await self._get(f"/user/{_(user)}/info", UserInfo)

    async def full_user(self) -> FullUser:
        """One's own record (spec §4.7)."""
        return await self._get(f"/user/{self.user}", FullUser)

    async def update_user(self, body: UserUpdate, user: str | None = None) -> None:
        """Change one's avatar and profile, or as an admin another's (spec §4.8)."""
        await self._send("PUT", f"/user/{_(user or self.user)}", body)

    # Who knows whom.

    async def followers(self, query: Paging | None = None) -> Page[UserInfo]:
        """Spec §4.9."""
        return await self._page(f"/user/{self.user}/followers", UserInfo, query)

    async def following(self, query: Paging | None = None) -> Page[UserInfo]:
        """Spec §4.10."""
        return await self._page(f"/user/{self.user}/following", UserInfo, query)

    async def follow(self, other: str) -> None:
        """Follow a user."""
        await self._send("PUT", f"/user/{self.user}/following/{_(other)}")

    async def unfollow(self, other: str) -> None:
        """Follow no longer."""
        await self._send("DELETE", f"/user/{self.user}/following/{_(other)}")

    # The service takes the same party-invite call again, within a minute, for a repeat.

    async def invite(self, friend: str, body: PartyBody) -> None:
        """Invite a user to a party."""
        await self._send("POST", self._party(friend), body, repeat=True)

    async def accept_invite(self, friend: str, body: PartyBody) -> None:
        """Spec §4.15."""
        await self._send("POST", f"{self._party(friend)}/accept", body, repeat=True)

    async def decline_invite(self, friend: str, body: PartyBody) -> None:
        """Spec §4.16."""
        await self._send("POST", f"{self._party(friend)}/decline", body, repeat=True)

    def _party(self, friend: str) -> str:
        return f"/user/{self.user}/friend/{_(friend)}/party-invite"

    # Content.

    async def precheck(self, body: Precheck) -> PrecheckAnswer:
        """What an upload needs, and what would make it fail (spec §4.1)."""
        answer = await self._call("POST", "/api/v1/content/upload-precheck", body, repeat=True)
        return _read(answer, PrecheckAnswer)

    async def create_content(self, content: str, body: ContentCreate) -> None:
        """Publish a new content (spec §4.2)."""
        await self._send("PUT", f"/content/{_(content)}", body)

    async def update_content(self, content: str, body: ContentUpdate) -> None:
        """Change a content's description, screenshots and tags (spec §4.2)."""
        await self._send("PUT", f"/content/{_(content)}", body)

    async def content(self, content: str) -> ContentDetail:
        """All that was published of a content."""
        return await self._get(f"/content/{_(content)}", ContentDetail)

    async def revision(self, content: str, revision: str) -> RevisionDetail:
        """One revision of a content."""
        return await self._get(f"/content/{_(content)}/revisions/{_(revision)}", RevisionDetail)

    async def user_content(
        self, user: str, query: ContentQuery | None = None
    ) -> Page[ContentInfo]:
        """A user's contents, newest first (spec §4.3)."""
        return await self._page(f"/user/{_(user)}/content", ContentInfo, query)

    async def set_content_status(self, content: str, body: StatusChange) -> None:
        """Suspend or restore; admins."""
        await self._send("PUT", f"/content/{_(content)}/status", body)

    async def set_content_featured(self, content: str, body: FeaturedChange) -> None:
        """Feature or no longer; admins."""
        await self._send("PUT", f"/content/{_(content)}/featured", body)

    # Comments and ratings.

    async def comments(self, content: str, query: CommentQuery | None = None) -> CommentPage:
        """A page of a content's comments (spec §4.4)."""
        return await self._get(f"/content/{_(content)}/comments", CommentPage, query)

    async def comment(self, content: str, comment: int) -> Comment:
        """One comment."""
        return await self._get(f"/content/{_(content)}/comments/{_(comment)}", Comment)

    async def add_comment(self, content: str, body: CommentCreate) -> int:
        """Comment on a content; the new comment's id."""
        return int(await self._create(f"/content/{_(content)}/comments", body))

    async def change_comment(self, content: str, comment: int, body: CommentUpdate) -> None:
        """Change the text of one's comment."""
        await self._send("PATCH", f"/content/{_(content)}/comments/{_(comment)}", body)

    async def delete_comment(self, content: str, comment: int) -> None:
        """Delete a comment."""
        await self._send("DELETE", f"/content/{_(content)}/comments/{_(comment)}")

    async def rate(self, content: str, body: RatingBody) -> None:
        """Vote (spec §4.13)."""
        await self._send("PUT", f"/user/{self.user}/rating/{_(content)}", body)

    async def unrate(self, content: str) -> None:
        """Take the vote back."""
        await self._send("DELETE", f"/user/{self.user}/rating/{_(content)}")

    async def ratings(self) -> dict[str, str]:
        """One's votes: "1" or "0" by content id (spec §4.14)."""
        return await self._get(f"/user/{self.user}/ratings", dict[str, str])

    # Notifications; Client.notifications has them live.

    async def list_notifications(
        self, query: NotificationQuery | None = None
    ) -> Page[AnyNotification | UnknownNotification]:
        """The log of one's notifications (spec §4.11)."""
        page = await self._page(f"/user/{self.user}/notifications", Raw, query)
        return Page([reading.notification(raw) for raw in page.items], page.after)

    async def mark_notification(self, notification: str, body: ReadChange) -> None:
        """Set the read flag of one."""
        path = f"/user/{self.user}/notifications/{_(notification)}"
        await self._send("PATCH", path, body)

    async def mark_notifications_read(self, body: ReadUpTo) -> None:
        """Set the read flag of one and all before it."""
        await self._send("POST", f"/user/{self.user}/notifications/read", body, repeat=True)

    async def debug_notify(self, body: DebugNotify) -> None:
        """Send anyone a Debug notification (spec §4.18). Never repeated by itself: each
        repeat would be another notification."""
        await self._send("POST", "/debug/notify", body)

    # Progress.

    async def progress(self, query: ProgressQuery | None = None) -> list[ProgressData]:
        """All that is kept for the user (spec §4.12), or what the query's prefix leaves of it."""
        return await self._get(f"/user/{self.user}/progress", list[ProgressData], query)

    async def progress_at(self, key: str) -> ProgressData:
        """What is kept at one key."""
        return await self._get(f"/user/{self.user}/progress/{_(key)}", ProgressData)

    async def put_progress(self, key: str, body: ProgressBody) -> None:
        """Keep an object at a key. ApiError `progress_conflict` where that is no longer at the
        body's version; one that has a version and no write_id is given one, so that a repeat
        after a lost answer is no conflict with itself."""
        if body.version is not None and body.write_id is None:
            body = structs.replace(body, write_id=str(uuid4()))
        await self._send("PUT", f"/user/{self.user}/progress/{_(key)}", body)

    async def delete_progress(self, key: str, query: ProgressDelete | None = None) -> None:
        """Forget a key. ApiError `progress_conflict` where it is not at the query's version."""
        await self._send("DELETE", f"/user/{self.user}/progress/{_(key)}", query=query)

    # Design challenges.

    async def create_challenge(self, body: ChallengeCreate) -> str:
        """Make a design challenge, and give its id; admins (spec §4.17)."""
        return await self._create("/design-challenges", body)

    async def challenges(self) -> list[Challenge]:
        """All of them, in order."""
        return await self._get("/design-challenges", list[Challenge])

    async def challenge(self, challenge: str) -> Challenge:
        """One of them."""
        return await self._get(f"/design-challenges/{_(challenge)}", Challenge)

    # Health.

    async def is_live(self) -> None:
        """Returns while the process of the service works."""
        await self._call("GET", "/health/live", repeat=False)

    async def is_ready(self) -> None:
        """Returns if the service can do its work; ApiError `not_ready` says why it cannot."""
        await self._call("GET", "/health/ready", repeat=False)

    # How they are called.

    async def _get(self, path: str, answer: type[T], query: Struct | None = None) -> T:
        return _read(await self._call("GET", f"/api/v1{path}", query=query), answer)

    async def _page(self, path: str, item: type[T], query: Struct | None) -> Page[T]:
        answer = await self._call("GET", f"/api/v1{path}", query=query)
        items: list[T] = _read(answer, list[item])  # type: ignore[valid-type]
        return Page(items, _next(answer.header("Link")))

    async def _create(self, path: str, body: Struct) -> str:
        answer = await self._call("POST", f"/api/v1{path}", body)
        return (answer.header("Location") or "").rpartition("/")[2]

    async def _send(
        self,
        method: str,
        path: str,
        body: Struct | None = None,
        *,
        query: Struct | None = None,
        repeat: bool | None = None,
    ) -> None:
        await self._call(method, f"/api/v1{path}", body, query=query, repeat=repeat)

    async def _call(
        self,
        method: str,
        path: str,
        body: Struct | None = None,
        *,
        query: Struct | None = None,
        repeat: bool | None = None,
    ) -> Answer:
        sent: Any = {
            "body": None if body is None else json.encode(body),
            "query": _parameters(query),
            "repeat": method in _REPEATABLE if repeat is None else repeat,
        }
        token = await self._session.access_token() if self._session.signed_in else None
        answer = await self._http.request(method, path, token=token, **sent)
        if answer.status == 401 and token is not None:
            # Refused before anything was done, so once more is safe for every operation.
            error = error_of(answer)
            if error.code != "invalid_token":
                raise error
            token = await self._session.instead_of(token)
            answer = await self._http.request(method, path, token=token, **sent)
        if answer.status >= 300:
            error = error_of(answer)
            if error.code == "unauthorized" and token is None:
                raise NotSignedIn("log_in first") from error
            raise error
        return answer


def _(value: object) -> str:
    """A segment of a path."""
    return quote(str(value), safe="")


def _parameters(query: Struct | None) -> Mapping[str, str] | None:
    if query is None:
        return None
    members = to_builtins(query)
    return {name: str(value) for name, value in members.items() if value is not None}


def _read(answer: Answer, type: type[T]) -> T:
    try:
        return json.decode(answer.body, type=type)
    except DecodeError as error:
        raise ApiError(answer.status, "malformed_answer", str(error), {}) from None


def _next(link: str | None) -> str | None:
    """The cursor in `<…?after=CURSOR>; rel="next"`."""
    target, _, relation = (link or "").partition(">")
    if 'rel="next"' not in relation:
        return None
    found = parse_qs(urlsplit(target.lstrip("<")).query).get("after")
    return found[0] if found else None
