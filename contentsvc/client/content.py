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
        """Get content with all its details (content#detail). With a query, the answer also says
        which revision fits this client (content#fitting-revisions)."""
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
        """Suspend or restore content, as an admin (moderation#suspension)."""
        await self._calls.send("PUT", _path(content, "status"), body)

    async def set_featured(self, content: str, body: FeaturedChange) -> None:
        """Set or clear the featured flag, as a curator (moderation#featuring)."""
        await self._calls.send("PUT", _path(content, "featured"), body)

    async def set_staff_tags(
        self, content: str, body: StaffTags, *, seen: Seen | None = None
    ) -> None:
        """Replace the tags that only curators may set, as a curator (content#tags)."""
        await self._calls.send("PUT", _path(content, "staff-tags"), body, seen=seen)


class Search(Family):
    """Searches through all content (content#browsing)."""

    async def list(self, query: ContentSearch | None = None) -> Page[ContentInfo]:
        """List the active content that matches the query. Without `q`, the newest comes first."""
        return await self._calls.page("/content", ContentInfo, query)

    async def get_suggestion(self, query: SuggestionQuery) -> Suggestion:
        """Correct a misspelt search (content#suggestions). The answer's `q` is None if there is
        nothing to correct, or no similar word."""
        return await self._calls.get("/suggestions", Suggestion, query)

    async def list_tags(self, query: TagsQuery | None = None) -> Page[TagCount]:
        """List tags with the number of contents that have each, the most frequent first
        (content#tags)."""
        return await self._calls.page("/tags", TagCount, query)


class UploadPrecheck(Family):
    """The check before an upload."""

    async def check(self, body: Precheck) -> PrecheckAnswer:
        """List the parts to upload first, and the problems that publishing would have
        (content#pre-check)."""
        path = "/content/upload-precheck"
        return await self._calls.ask(path, body, PrecheckAnswer, operation="checkUpload")


class Revisions(Family):
    """Publishing revisions, and choosing the current one (content#revisions).
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
        """Make another revision the current one, older or newer."""
        await self._calls.send("PUT", _path(content, "revisions", "current"), body, seen=seen)

    async def delete(self, content: str, revision: str) -> None:
        """Delete an older revision of the user's own content. Its files are given up, and it stays
        in the list. Raises ApiError (`revision_current`)."""
        await self._calls.send("DELETE", _path(content, "revisions", revision))

    async def put_requires(
        self, content: str, revision: str, body: RequiresChange, *, seen: Seen | None = None
    ) -> None:
        """Replace what a revision requires of a client (content#requirements)."""
        await self._calls.send(
            "PUT", _path(content, "revisions", revision, "requires"), body, seen=seen
        )


class Withdrawal(Family):
    """Withdrawing one's own content, and restoring it (content#withdrawal)."""

    async def delete(self, content: str) -> None:
        """Withdraw the user's own content."""
        await self._calls.send("DELETE", _path(content))

    async def restore(self, content: str) -> None:
        """Restore withdrawn content, within 30 days. Raises ApiError (`content_purged`)."""
        await self._calls.send("POST", _path(content, "restore"), operation="restoreContent")

    async def list_deleted(
        self, query: Part | None = None, *, user: str | None = None
    ) -> Page[ContentInfo]:
        """List the content that the user has withdrawn, newest first. Admins may read any
        user's."""
        path = f"/user/{quoted(user or self._calls.user)}/content/deleted"
        return await self._calls.page(path, ContentInfo, query)


class Dependents(Family):
    """The content that uses parts of other content (content#dependents)."""

    async def list(self, content: str, query: Part | None = None) -> Page[ContentInfo]:
        """List the active content that uses an entity or package of this one, newest first."""
        return await self._calls.page(_path(content, "dependents"), ContentInfo, query)


class Names(Family):
    """The present and the former names of content (content#names)."""

    async def set(self, content: str, body: ContentNameChange, *, seen: Seen | None = None) -> None:
        """Give content another name."""
        await self._calls.send("PUT", _path(content, "name"), body, seen=seen)

    async def list(self, content: str, query: Part | None = None) -> Page[ContentName]:
        """List all names of the user's own content, the present name first."""
        return await self._calls.page(_path(content, "names"), ContentName, query)


class Visibility(Family):
    """Who sees content (content#visibility)."""

    async def set(self, content: str, body: VisibilityChange, *, seen: Seen | None = None) -> None:
        """Choose who sees content: everybody, everybody who has its id, friends of the author, or
        only its author, testers and members."""
        await self._calls.send("PUT", _path(content, "visibility"), body, seen=seen)


class Guests(Family):
    """Testers and members: users to whom an author gives access to content (content#members)."""

    async def add_tester(self, content: str, other: str) -> None:
        """Let a user see content of the user's own."""
        await self._calls.send("PUT", _path(content, "testers", other))

    async def remove_tester(self, content: str, other: str) -> None:
        """Remove a tester from the user's own content. If `other` is the user, leave content of
        another user."""
        await self._calls.send("DELETE", _path(content, "testers", other))

    async def list_testers(self, content: str, query: Part | None = None) -> Page[Tester]:
        """List the testers of the user's own content, newest first."""
        return await self._calls.page(_path(content, "testers"), Tester, query)

    async def put_member(self, content: str, other: str) -> None:
        """Invite a user to be a member of the user's own content. If `other` is the user, accept an
        invitation. Raises ApiError (`invitation_not_found`, `quota_exceeded`)."""
        await self._calls.send("PUT", _path(content, "members", other))

    async def remove_member(self, content: str, other: str) -> None:
        """Remove a member from the user's own content. If `other` is the user, leave content of
        another user."""
        await self._calls.send("DELETE", _path(content, "members", other))

    async def list_members(self, content: str, query: Part | None = None) -> Page[Member]:
        """List the members of content, newest first."""
        return await self._calls.page(_path(content, "members"), Member, query)

    async def list_memberships(self, query: Part | None = None) -> Page[Membership]:
        """List the content of which the user is a tester or a member, newest first."""
        return await self._calls.page(f"/user/{self._calls.user}/memberships", Membership, query)


class Comments(Family):
    """Comments on content (content#comments)."""

    async def list(self, content: str, query: CommentQuery | None = None) -> CommentPage:
        """Get a page of comments, oldest first or in the order of the query."""
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
        """Delete a comment. If it is another user's, that user is notified with the reason."""
        await self._calls.send("DELETE", _path(content, "comments", comment), query=query)

    async def set_locked(self, content: str, body: CommentsLock) -> None:
        """Lock or unlock the comments on the user's own content, or as an admin on any
        (content#comment-locks)."""
        await self._calls.send("PUT", _path(content, "comments-locked"), body)


class Ratings(Family):
    """The user's votes (content#ratings)."""

    async def put(self, content: str, body: RatingBody) -> None:
        """Rate content."""
        await self._calls.send("PUT", self._path(content), body)

    async def delete(self, content: str) -> None:
        """Remove the user's rating of content."""
        await self._calls.send("DELETE", self._path(content))

    async def get(self) -> dict[str, str]:
        """Get the user's ratings by content id: "1" is an up-vote, "0" a down-vote."""
        return await self._calls.get(f"/user/{self._calls.user}/ratings", dict[str, str])

    def _path(self, content: str) -> str:
        return f"/user/{self._calls.user}/rating/{quoted(content)}"


class Plays(Family):
    """Plays of content, and statistics of them (content#plays)."""

    async def report(self, body: PlayBody, user: str | None = None) -> None:
        """Report a play when it is over. It is the user's; a service account names the `user`
        (studio#service-accounts)."""
        path = f"/user/{quoted(user or self._calls.user)}/plays"
        await self._calls.send("POST", path, body, operation="reportPlay")

    async def list_statistics(
        self, content: str, query: ContentStatisticsQuery
    ) -> list[ContentDay]:
        """List the daily changes of the counts of the user's own content (content#counts), oldest
        day first. Days are of UTC."""
        path = _path(content, "statistics")
        return await self._calls.get(path, list[ContentDay], query=query)


class Collections(Family):
    """Collections of content (content#collections). The id of the user's favourites is the user's
    id."""

    async def put(
        self, collection: str, body: CollectionBody | FavouritesBody, *, seen: Seen | None = None
    ) -> None:
        """Make a collection, whose id is a GUID of your choice, or change it. Of the favourites,
        only `public` can be changed. Raises ApiError (`collection_exists`, `quota_exceeded`)."""
        await self._calls.send("PUT", self._path(collection), body, seen=seen)

    async def delete(self, collection: str, user: str | None = None) -> None:
        """Delete a collection of the user's, or as a moderator one of another `user`. Raises
        ApiError (`collection_kept`) for the favourites."""
        await self._calls.send("DELETE", self._path(collection, user))

    async def list(
        self, user: str | None = None, query: CollectionsQuery | None = None
    ) -> Page[Collection]:
        """List the user's collections, or the public ones of another `user`."""
        path = f"/user/{quoted(user or self._calls.user)}/collections"
        return await self._calls.page(path, Collection, query)

    async def get(self, collection: str, *, seen: Seen | None = None) -> Collection:
        """Get a collection."""
        return await self._calls.get(f"/collections/{quoted(collection)}", Collection, seen=seen)

    async def list_items(
        self, collection: str, query: SortedPart | None = None
    ) -> Page[ContentInfo]:
        """List the content of a collection, in the collection's order."""
        path = f"/collections/{quoted(collection)}/items"
        return await self._calls.page(path, ContentInfo, query)

    async def put_item(self, collection: str, content: str, body: ItemBody | None = None) -> None:
        """Add content to a collection, or move it to another place."""
        await self._calls.send("PUT", self._item(collection, content), body or ItemBody())

    async def delete_item(self, collection: str, content: str) -> None:
        """Remove content from a collection."""
        await self._calls.send("DELETE", self._item(collection, content))

    def _path(self, collection: str, user: str | None = None) -> str:
        return f"/user/{quoted(user or self._calls.user)}/collections/{quoted(collection)}"

    def _item(self, collection: str, content: str) -> str:
        return f"{self._path(collection)}/items/{quoted(content)}"


class Subscriptions(Family):
    """The content to which the user subscribes: the user's library (content#subscriptions)."""

    async def put(
        self, content: str, body: SubscriptionBody | None = None, *, seen: Seen | None = None
    ) -> None:
        """Subscribe to content. `pin` of `body` is the id of a revision with which the user stays;
        without it, the subscription follows the current revision. Raises ApiError
        (`quota_exceeded`, `revision_gone`)."""
        given = body or SubscriptionBody()
        await self._calls.send("PUT", self._path(content), given, seen=seen)

    async def delete(self, content: str) -> None:
        """Unsubscribe from content."""
        await self._calls.send("DELETE", self._path(content))

    async def get(
        self, content: str, query: ClientQuery | None = None, *, seen: Seen | None = None
    ) -> Subscription:
        """Get the subscription to one content. Raises ApiError (`not_subscribed`)."""
        return await self._calls.get(self._path(content), Subscription, query, seen=seen)

    async def list(self, query: SubscriptionsQuery | None = None) -> Page[Subscription]:
        """List the user's subscriptions, newest first."""
        path = f"/user/{self._calls.user}/subscriptions"
        return await self._calls.page(path, Subscription, query)

    async def get_library(self, query: ClientQuery | None = None) -> dict[str, Kept]:
        """Get all subscriptions by the id of the content, as of one moment (content#library-map).
        With a query, the revisions are those that fit the client (content#fitting-revisions)."""
        path = f"/user/{self._calls.user}/subscriptions/state"
        return await self._calls.get(path, dict[str, Kept], query)

    def _path(self, content: str) -> str:
        return f"/user/{self._calls.user}/subscription/{quoted(content)}"


def _path(content: str, *rest: object) -> str:
    return "/".join(("/content", quoted(content), *map(quoted, rest)))
