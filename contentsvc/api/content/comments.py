"""Comments: content#comments, and writing them."""

from msgspec import Struct

from contentsvc.api.call import Call
from contentsvc.api.checks import check_visible, check_wait, required
from contentsvc.api.errors import (
    Blocked,
    CommentDeleted,
    CommentNotFound,
    CommentsLocked,
    ContentNotFound,
    TooManyRequests,
    UnknownParent,
)
from contentsvc.api.guests import COMMENT, PUBLISH
from contentsvc.api.moderation.acts import Acts
from contentsvc.framework.db.database import Database
from contentsvc.framework.db.query import Db
from contentsvc.framework.http.errors import Forbidden
from contentsvc.framework.http.permissions import ANYONE, SIGNED_IN
from contentsvc.framework.http.reply import Created
from contentsvc.framework.http.route import route
from contentsvc.push.notifier import Notifier
from contentsvc.roles import MODERATE
from contentsvc.store.content import comments, items
from contentsvc.store.moderation import decisions, evidence
from contentsvc.wire.comments import (
    Comment,
    CommentCreate,
    CommentPage,
    CommentQuery,
    CommentRemoval,
    CommentsLock,
    CommentUpdate,
)
from contentsvc.wire.notifications import CommentRemoved


class Comments(Struct):
    """The comments on content. Everybody who may see the content sees them.

    A user may write `per_minute` new ones, 0 for any number.
    """

    db: Database
    notifier: Notifier
    acts: Acts
    per_minute: int

    @route("GET", "/content/<guid:content>/comments", allow=ANYONE, raises=(ContentNotFound,))
    async def list_comments(self, call: Call, content: str, query: CommentQuery) -> CommentPage:
        """Get a page of the comments on a content item (content#comments), oldest first. With
        `order=newest`, the newest come first. With `parent`, the page has only the replies to that
        comment; with `parent=none`, only comments that are no replies. With either, each comment
        has `replies`."""
        newest = query.order == "newest"
        parent = None if query.parent is None else int(query.parent.replace("none", "0"))
        place = *call.viewer, query.size, query.page
        if parent is None and not newest:
            page = await comments.page(self.db, content, *place)
        else:
            page = await comments.answered_page(self.db, content, parent, newest, *place)
        return required(page, ContentNotFound)

    @route(
        "POST",
        "/content/<guid:content>/comments",
        allow=SIGNED_IN,
        guests=COMMENT,
        restricts="comment",
        raises=(ContentNotFound, Blocked, CommentsLocked, TooManyRequests, UnknownParent),
    )
    async def create_comment(self, call: Call, content: str, body: CommentCreate) -> Created:
        """Comment on a content item. This notifies its author, or the author of the comment to
        which this one replies. Again with the same `writeId`, it is the same comment."""
        if call.restricted and not await comments.written(
            self.db, content, call.user, body.write_id
        ):
            await check_visible(call, self.db, content)
            await call.unrestricted(self.db)
        given = content, call.user, call.viewer.moderate, body.parent_id, body.body
        made = await comments.create(self.db, *given, self.per_minute, body.write_id)
        written = required(made, ContentNotFound)
        if written.blocked:
            raise Blocked()
        check_wait(written.wait)
        if written.id is None:
            if await comments.locked(self.db, content, call.user, call.viewer.moderate):
                raise CommentsLocked()
            raise ContentNotFound()
        self.notifier.publish(self.db, written.notified)
        return Created(f"/api/v1/content/{content}/comments/{written.id}")

    @route(
        "GET",
        "/content/<guid:content>/comments/<int:comment>",
        allow=ANYONE,
        raises=(CommentNotFound,),
    )
    async def get_comment(self, call: Call, content: str, comment: int) -> Comment:
        """Get one comment."""
        found = await comments.get(self.db, content, comment, *call.viewer)
        return required(found, CommentNotFound)

    @route(
        "PATCH",
        "/content/<guid:content>/comments/<int:comment>",
        allow=SIGNED_IN,
        guests=COMMENT,
        heeds="/content/<guid:content>/comments/<int:comment>",
        restricts="comment",
        raises=(CommentNotFound, CommentDeleted, Blocked, CommentsLocked, Forbidden),
    )
    async def update_comment(
        self, call: Call, content: str, comment: int, body: CommentUpdate
    ) -> None:
        """Change the text of a comment. Only its author may, and only while the author could still
        write it: not while there is a block between the author and the author of the content, or of
        the comment to which it replies."""
        state = await self._state(call, content, comment)
        if call.user != state.author_id:
            raise Forbidden("Only its author can change this comment.")
        if call.restricted:
            there = required(
                await comments.get(self.db, content, comment, *call.viewer), CommentNotFound
            )
            if there.body != body.body:
                await call.unrestricted(self.db)
        if call.conditional:
            async with self.db.transaction() as tx:
                await comments.lock_comment(tx, content, comment)
                await call.unchanged(tx)
                edited = await comments.update(tx, content, comment, body.body)
        else:
            edited = await comments.update(self.db, content, comment, body.body)
        if edited is None:
            raise CommentNotFound()
        if edited.blocked:
            raise Blocked()
        if edited.locked:
            raise CommentsLocked()
        if not edited.changed:
            raise CommentDeleted()

    @route(
        "DELETE",
        "/content/<guid:content>/comments/<int:comment>",
        allow=SIGNED_IN | MODERATE,
        raises=(CommentNotFound, Forbidden),
    )
    async def delete_comment(
        self, call: Call, content: str, comment: int, query: CommentRemoval
    ) -> None:
        """Delete a comment. Its author, the content's author and admins may. The comment keeps its
        place and loses its text. If somebody else has deleted it, its author is told the reason."""
        state = await self._state(call, content, comment)
        authors = {state.author_id, state.content_author_id}
        if call.user not in authors and not call.may(MODERATE):
            raise Forbidden(
                "Only its author, the author of the content and admins can delete this."
            )
        writer = state.author_id
        if call.user == writer:
            if not await comments.delete(self.db, writer, content, comment):
                await self._keep_deleted(writer, content, comment)
            return
        if call.user not in authors:
            order = self.acts.order_of_query(query.reason)
            async with self.db.transaction() as tx:
                await self.acts.remove(tx, call.actor, content, comment, order)
            return
        async with self.db.transaction() as tx:
            if await comments.delete(tx, call.user, content, comment):
                reason = query.reason
                removed = CommentRemoved(
                    content=content, comment=comment, reason=reason, decision=None
                )
                await self.notifier.send_many(tx, [(writer, removed)])

    @route(
        "PUT",
        "/content/<guid:content>/comments-locked",
        allow=SIGNED_IN | MODERATE,
        guests=PUBLISH,
        raises=(ContentNotFound, Forbidden),
    )
    async def set_comments_locked(self, call: Call, content: str, body: CommentsLock) -> None:
        """Lock or unlock the comments on a content item. While they are locked, nobody can write or
        change one. Comments can still be deleted. Only the content's author and admins may lock
        them."""
        async with self.db.transaction() as tx:
            if body.locked and await self._locks_anothers(tx, call, content):
                order = self.acts.order(body.reason)
                await self.acts.lock_comments(tx, call.actor, content, order)
                return
            given = content, call.user, call.may(MODERATE), body.locked
            locking = required(await comments.lock(tx, *given), ContentNotFound)
            if not locking.may:
                raise Forbidden("Only the content's author and admins can lock its comments.")
            if not body.locked and locking.changed:
                given_back = tx, call.actor, content, body.reason
                await self.acts.unlock_comments(*given_back, act=locking.act)

    async def _locks_anothers(self, tx: Db, call: Call, content: str) -> bool:
        """Whether the caller needs the permission to lock the comments on a content. Raises
        ContentNotFound."""
        if not call.may(MODERATE):
            return False
        state = required(await items.state_of(tx, content, *call.viewer), ContentNotFound)
        return state.author_id != call.user

    async def _keep_deleted(self, writer: str, content: str, comment: int) -> None:
        """Have a comment stay deleted, as its author wants, where a moderator has removed it and
        that is taken back."""
        async with self.db.transaction() as tx:
            await evidence.lock_comment(tx, content, comment)
            if not await comments.delete(tx, writer, content, comment):
                await decisions.forget_taken(tx, "comment", str(comment), "remove")

    async def _state(self, call: Call, content: str, comment: int) -> comments.CommentState:
        user, moderate = call.user, call.viewer.moderate
        state = await comments.state_of(self.db, content, comment, user, moderate)
        return required(state, CommentNotFound)
