"""Content: publishing, revisions, comments, ratings, collections, subscriptions, search."""

from uuid import uuid4

from msgspec import structs

from contentsvc.client.calls import Family, Page, Seen, quoted
from contentsvc.wire.base import Part, SortedPart
from contentsvc.wire.comments import (
    Comment,
    CommentCreate,
    CommentPage,
    CommentQuery,
    CommentRemoval,
    CommentsLock,
    CommentUpdate,
)
from contentsvc.wire.content import (
    ContentCreate,
    ContentDetail,
    ContentInfo,
    ContentNameChange,
    ContentUpdate,
    CurrentRevision,
    FeaturedChange,
    Precheck,
    PrecheckAnswer,
    RatingBody,
    RequiresChange,
    RevisionCreate,
    RevisionDetail,
    RevisionInfo,
    StaffTags,
    StatusChange,
    VisibilityChange,
    detail_type,
)
from contentsvc.wire.library import (
    Collection,
    CollectionBody,
    CollectionsQuery,
    ContentDay,
    ContentName,
    ContentStatisticsQuery,
    FavouritesBody,
    ItemBody,
    Kept,
    Member,
    Membership,
    PlayBody,
    Subscription,
    SubscriptionBody,
    SubscriptionsQuery,
    Tester,
)
from contentsvc.wire.searches import (
    ClientQuery,
    ContentQuery,
    ContentSearch,
    Suggestion,
    SuggestionQuery,
    TagCount,
    TagsQuery,
)


class Content(Family):
    """Publishing, changing and reading content."""

    async def put(
        self, content: str, body: ContentCreate | ContentUpdate, *, seen: Seen | None = None
    ) -> None:
        """Publish new content, or change the description of existing content
        (content#publishing)."""
        await self._calls.send("PUT", _path(content), body, seen=seen)

    async def list(self, user: str, query: ContentQuery | None = None) -> Page[ContentInfo]:
        """List a user's content, newest first (content#by-author)."""
        return await self._calls.page(f"/user/{quoted(user)}/content", ContentInfo, query)

    async def get(
        self, content: str, query: ClientQuery | None = None, *, seen: Seen | None = None
    ) -> ContentDetail:
        """Get content with all its details; with a query, and which revision fits."""
        return await self._calls.get(
            _path(content), ContentDetail, query, seen=seen, shape=detail_type
        )

    async def get_revision(
        self, content: str, revision: str, *, seen: Seen | None = None
    ) -> RevisionDetail:
        """Get one revision of content."""
        path = _path(content, "revisions", revision)
        return await self._calls.get(path, RevisionDetail, seen=seen, shape=detail_type)

    async def set_status(self, content: str, body: StatusChange) -> None:
        """Suspend or restore content, as an admin."""
        await self._calls.send("PUT", _path(content, "status"), body)

    async def set_featured(self, content: str, body: FeaturedChange) -> None:
        """Set or clear the featured flag, as an admin."""
        await self._calls.send("PUT", _path(content, "featured"), body)

    async def set_staff_tags(
        self, content: str, body: StaffTags, *, seen: Seen | None = None
    ) -> None:
        """Replace the tags of the studio's groups for curators, as one of them."""
        await self._calls.send("PUT", _path(content, "staff-tags"), body, seen=seen)


class Search(Family):
    """The lists of all content (content#content)."""

    async def list(self, query: ContentSearch | None = None) -> Page[ContentInfo]:
        """List the active content that is asked for, newest first without a `q`."""
        return await self._calls.page("/content", ContentInfo, query)

    async def get_suggestion(self, query: SuggestionQuery) -> Suggestion:
        """Mend a misspelt search. The answer's `q` is None if nothing has to be mended, or nothing
        is near."""
        return await self._calls.get("/suggestions", Suggestion, query)

    async def list_tags(self, query: TagsQuery | None = None) -> Page[TagCount]:
        """List tags with the number of contents that have each, the most frequent first."""
        return await self._calls.page("/tags", TagCount, query)


class UploadPrecheck(Family):
    """The check before an upload."""

    async def check(self, body: Precheck) -> PrecheckAnswer:
        """List the parts to upload first, and the problems that the next step would have
        (content#pre-check)."""
        path = "/content/upload-precheck"
        return await self._calls.ask(path, body, PrecheckAnswer, operation="checkUpload")


class Revisions(Family):
    """Publishing new revisions, and choosing which of them a content shows (content#content).
    `content.get_revision` reads one."""

    async def publish(self, content: str, body: RevisionCreate) -> str:
        """Publish a new revision, which becomes the current one. Returns its id. The client
        repeats this if it gets no answer: a second time changes nothing."""
        return await self._calls.create(
            _path(content, "revisions"), body, operation="publishRevision"
        )

    async def list(self, content: str, query: Part | None = None) -> Page[RevisionInfo]:
        """List the revisions of a content, newest first."""
        return await self._calls.page(_path(content, "revisions"), RevisionInfo, query)

    async def set_current(
        self, content: str, body: CurrentRevision, *, seen: Seen | None = None
    ) -> None:
        """Go back to an older revision, or forward to a newer one."""
        await self._calls.send("PUT", _path(content, "revisions", "current"), body, seen=seen)

    async def delete(self, content: str, revision: str) -> None:
        """Delete an older revision of the user's own content: it gives up its files, and stays in
        the list."""
        await self._calls.send("DELETE", _path(content, "revisions", revision))

    async def put_requires(
        self, content: str, revision: str, body: RequiresChange, *, seen: Seen | None = None
    ) -> None:
        """Say what a revision requires of a client, from now on."""
        await self._calls.send(
            "PUT", _path(content, "revisions", revision, "requires"), body, seen=seen
        )


class Withdrawal(Family):
    """Deleting one's own content, and taking that back (content#content)."""

    async def delete(self, content: str) -> None:
        """Withdraw the user's own content."""
        await self._calls.send("DELETE", _path(content))

    async def restore(self, content: str) -> None:
        """Take a withdrawal back."""
        await self._calls.send("POST", _path(content, "restore"), operation="restoreContent")

    async def list_deleted(
        self, query: Part | None = None, *, user: str | None = None
    ) -> Page[ContentInfo]:
        """List the content that the user has withdrawn, newest first. Admins may read any
        user's."""
        path = f"/user/{quoted(user or self._calls.user)}/content/deleted"
        return await self._calls.page(path, ContentInfo, query)


class Dependents(Family):
    """The content that uses what other content has brought (content#content)."""

    async def list(self, content: str, query: Part | None = None) -> Page[ContentInfo]:
        """List the active content that uses an entity or package of this one, newest first."""
        return await self._calls.page(_path(content, "dependents"), ContentInfo, query)


class Names(Family):
    """What content is called, and what it was called (content#names)."""

    async def set(self, content: str, body: ContentNameChange, *, seen: Seen | None = None) -> None:
        """Give content another name."""
        await self._calls.send("PUT", _path(content, "name"), body, seen=seen)

    async def list(self, content: str, query: Part | None = None) -> Page[ContentName]:
        """List all that content of the user's own was called, the present name first."""
        return await self._calls.page(_path(content, "names"), ContentName, query)


class Visibility(Family):
    """Who sees content (content#visibility)."""

    async def set(self, content: str, body: VisibilityChange, *, seen: Seen | None = None) -> None:
        """Say who sees content: everybody, whoever has its id, friends of the author, or nobody but
        its author, testers and members."""
        await self._calls.send("PUT", _path(content, "visibility"), body, seen=seen)


class Guests(Family):
    """Testers and members: whom authors let in to their content (content#visibility)."""

    async def add_tester(self, content: str, other: str) -> None:
        """Let a user see content of the user's own."""
        await self._calls.send("PUT", _path(content, "testers", other))

    async def remove_tester(self, content: str, other: str) -> None:
        """End that somebody is a tester: of the user's own content, or the user themself."""
        await self._calls.send("DELETE", _path(content, "testers", other))

    async def list_testers(self, content: str, query: Part | None = None) -> Page[Tester]:
        """List the testers of the user's own content, newest first."""
        return await self._calls.page(_path(content, "testers"), Tester, query)

    async def put_member(self, content: str, other: str) -> None:
        """Invite a user to be a member of the user's own content; or accept, as the user
        themself."""
        await self._calls.send("PUT", _path(content, "members", other))

    async def remove_member(self, content: str, other: str) -> None:
        """End that somebody is a member: of the user's own content, or the user themself."""
        await self._calls.send("DELETE", _path(content, "members", other))

    async def list_members(self, content: str, query: Part | None = None) -> Page[Member]:
        """List the members of content, newest first."""
        return await self._calls.page(_path(content, "members"), Member, query)

    async def list_memberships(self, query: Part | None = None) -> Page[Membership]:
        """List what the user is a tester or a member of, newest first."""
        return await self._calls.page(f"/user/{self._calls.user}/memberships", Membership, query)


class Comments(Family):
    """Comments on content."""

    async def list(self, content: str, query: CommentQuery | None = None) -> CommentPage:
        """Get a page of comments, oldest first or in the order of the query (content#comments)."""
        return await self._calls.get(_path(content, "comments"), CommentPage, query)

    async def create(self, content: str, body: CommentCreate) -> int:
        """Write a comment. Returns its id. A body without a write_id gets one, so that a repeat
        after a lost answer is the same comment."""
        if body.write_id is None:
            body = structs.replace(body, write_id=str(uuid4()))
        return int(
            await self._calls.create(_path(content, "comments"), body, operation="createComment")
        )

    async def get(self, content: str, comment: int, *, seen: Seen | None = None) -> Comment:
        """Get one comment."""
        return await self._calls.get(_path(content, "comments", comment), Comment, seen=seen)

    async def update(
        self, content: str, comment: int, body: CommentUpdate, *, seen: Seen | None = None
    ) -> None:
        """Change the text of the user's own comment."""
        await self._calls.send("PATCH", _path(content, "comments", comment), body, seen=seen)

    async def delete(self, content: str, comment: int, query: CommentRemoval | None = None) -> None:
        """Delete a comment. The author of somebody else's comment is told the reason."""
        await self._calls.send("DELETE", _path(content, "comments", comment), query=query)

    async def set_locked(self, content: str, body: CommentsLock) -> None:
        """Lock or unlock the comments on the user's own content, or on any as an admin."""
        await self._calls.send("PUT", _path(content, "comments-locked"), body)


class Ratings(Family):
    """The user's votes."""

    async def put(self, content: str, body: RatingBody) -> None:
        """Rate content (content#ratings)."""
        await self._calls.send("PUT", self._path(content), body)

    async def delete(self, content: str) -> None:
        """Take a rating back."""
        await self._calls.send("DELETE", self._path(content))

    async def get(self) -> dict[str, str]:
        """Get the user's ratings: "1" or "0" by content id (content#ratings)."""
        return await self._calls.get(f"/user/{self._calls.user}/ratings", dict[str, str])

    def _path(self, content: str) -> str:
        return f"/user/{self._calls.user}/rating/{quoted(content)}"


class Plays(Family):
    """What users have played (content#counts)."""

    async def report(self, body: PlayBody, user: str | None = None) -> None:
        """Report a play that is over: the user's, or as a service account that of a `user`."""
        path = f"/user/{quoted(user or self._calls.user)}/plays"
        await self._calls.send("POST", path, body, operation="reportPlay")

    async def list_statistics(
        self, content: str, query: ContentStatisticsQuery
    ) -> list[ContentDay]:
        """List how the counts of content of yours changed on each day."""
        path = _path(content, "statistics")
        return await self._calls.get(path, list[ContentDay], query=query)


class Collections(Family):
    """The user's collections, and those of others (content#collections). The id of the favourites
    is the user's."""

    async def put(
        self, collection: str, body: CollectionBody | FavouritesBody, *, seen: Seen | None = None
    ) -> None:
        """Make a collection, with an id of your own, or change it. Of the favourites a request can
        change only whether everybody sees them."""
        await self._calls.send("PUT", self._path(collection), body, seen=seen)

    async def delete(self, collection: str, user: str | None = None) -> None:
        """Delete a collection: the user's, or as a moderator that of another `user`."""
        await self._calls.send("DELETE", self._path(collection, user))

    async def list(
        self, user: str | None = None, query: CollectionsQuery | None = None
    ) -> Page[Collection]:
        """List the user's collections, or those of another `user` that are public."""
        path = f"/user/{quoted(user or self._calls.user)}/collections"
        return await self._calls.page(path, Collection, query)

    async def get(self, collection: str, *, seen: Seen | None = None) -> Collection:
        """Get a collection."""
        return await self._calls.get(f"/collections/{quoted(collection)}", Collection, seen=seen)

    async def list_items(
        self, collection: str, query: SortedPart | None = None
    ) -> Page[ContentInfo]:
        """List the content of a collection, in its order."""
        path = f"/collections/{quoted(collection)}/items"
        return await self._calls.page(path, ContentInfo, query)

    async def put_item(self, collection: str, content: str, body: ItemBody | None = None) -> None:
        """Add content to a collection, or move it."""
        await self._calls.send("PUT", self._item(collection, content), body or ItemBody())

    async def delete_item(self, collection: str, content: str) -> None:
        """Take content out of a collection."""
        await self._calls.send("DELETE", self._item(collection, content))

    def _path(self, collection: str, user: str | None = None) -> str:
        return f"/user/{quoted(user or self._calls.user)}/collections/{quoted(collection)}"

    def _item(self, collection: str, content: str) -> str:
        return f"{self._path(collection)}/items/{quoted(content)}"


class Subscriptions(Family):
    """What the user keeps (content#subscriptions)."""

    async def put(
        self, content: str, body: SubscriptionBody | None = None, *, seen: Seen | None = None
    ) -> None:
        """Keep content, and stay with one of its revisions, if `body` names one as `pin`."""
        given = body or SubscriptionBody()
        await self._calls.send("PUT", self._path(content), given, seen=seen)

    async def delete(self, content: str) -> None:
        """Keep content no more."""
        await self._calls.send("DELETE", self._path(content))

    async def get(
        self, content: str, query: ClientQuery | None = None, *, seen: Seen | None = None
    ) -> Subscription:
        """Get one of what the user keeps."""
        return await self._calls.get(self._path(content), Subscription, query, seen=seen)

    async def list(self, query: SubscriptionsQuery | None = None) -> Page[Subscription]:
        """List what the user keeps, newest first."""
        path = f"/user/{self._calls.user}/subscriptions"
        return await self._calls.page(path, Subscription, query)

    async def get_library(self, query: ClientQuery | None = None) -> dict[str, Kept]:
        """Get all that the user keeps, as it was at one moment, by the id of the content. With a
        query, the revisions are those that fit."""
        path = f"/user/{self._calls.user}/subscriptions/state"
        return await self._calls.get(path, dict[str, Kept], query)

    def _path(self, content: str) -> str:
        return f"/user/{self._calls.user}/subscription/{quoted(content)}"


def _path(content: str, *rest: object) -> str:
    return "/".join(("/content", quoted(content), *map(quoted, rest)))
