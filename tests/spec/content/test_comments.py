"""Comments: content#comments."""

from typing import Any

from tests.spec.data import Content, guid
from tests.spec.harness import SpecCase
from tests.spec.shapes import ANSWERED_PAGE, COMMENT, COMMENT_PAGE, CONTENT


class CommentTests(SpecCase):
    """The comments of a content item, one by one."""

    async def test_comment(self):
        """conventions#answers: POST is 201 with a Location that GET answers with the comment."""
        made, writer = await self.content(await self.user()), await self.someone()
        path = await self.comment(made, writer, "A fine moat ✓")
        self.assertRegex(path, f"^/api/v1/content/{made.id}/comments/[0-9]+$")
        got = await self.read(path, COMMENT)
        expected = {
            "id": int(path.rpartition("/")[2]),
            "parentId": None,
            "authorId": writer.id,
            "body": "A fine moat ✓",
            "deleted": False,
        }
        self.assertEqual(expected, {member: got[member] for member in expected})
        self.assertEqual(got["created"], got["updated"])

    async def test_reply(self):
        """content#comments: parentId is the ID of the parent comment."""
        made = await self.content(await self.someone())
        parent = (await self.read(await self.comment(made, made.author), COMMENT))["id"]
        path = await self.comment(made, made.author, parentId=parent)
        self.assertEqual(parent, (await self.read(path, COMMENT))["parentId"])

    async def test_repeat(self):
        """content#comments: again with its writeId, in either case, it is the same comment, a reply
        too; what was written first stays, and counts once."""
        made, writer = await self.content(await self.someone()), await self.someone()
        parent = int((await self.comment(made, writer)).rpartition("/")[2])
        for number, more in enumerate(({}, {"parentId": parent}), 2):
            write = guid()
            path = await self.comment(made, writer, "one", writeId=write, **more)
            again = {"writeId": write.upper(), "parentId": 987_654_321}
            self.assertEqual(path, await self.comment(made, writer, "two", **again))
            self.assertEqual("one", (await self.read(path, COMMENT))["body"])
            page = await self.read(f"{made.path}/comments", COMMENT_PAGE)
            self.assertEqual(number, page["total"])

    async def test_repeat_told_once(self):
        """content#comments: the author of the content is told of a comment once, however often it
        is sent."""
        made, writer = await self.content(await self.user()), await self.user()
        write = guid()
        paths = [await self.comment(made, writer, writeId=write) for _ in range(3)]
        last = await self.comment(made, writer, writeId=guid())
        told = await self.notifications(made.author)
        numbers = [int(path.rpartition("/")[2]) for path in (paths[0], last)]
        found = [each["comment"] for each in told if each["kind"] == "CommentOnContent"]
        self.assertEqual(sorted(numbers), sorted(found))

    async def test_repeat_refused_by_now(self):
        """content#comments: a repeat has the same answer when the comment is deleted, when comments
        are locked, and when the two are blocked."""
        made, writer = await self.content(await self.user()), await self.user()
        write = guid()
        path = await self.comment(made, writer, writeId=write)
        await self.delete(path, by=writer, expect=204)
        self.assertEqual(path, await self.comment(made, writer, writeId=write))
        await self.put(f"{made.path}/comments-locked", {"locked": True}, by=made.author, expect=204)
        self.assertEqual(path, await self.comment(made, writer, writeId=write))
        blocked = f"user/{made.author.id}/blocked/{writer.id}"
        await self.put(blocked, by=made.author, expect=204)
        self.assertEqual(path, await self.comment(made, writer, writeId=write))
        self.assertTrue((await self.read(path, COMMENT))["deleted"])

    async def test_repeat_hidden(self):
        """content#comments: a repeat on content that is hidden by now is 404."""
        made, writer = await self.content(await self.user()), await self.user()
        body = {"body": "x", "writeId": guid()}
        await self.post(f"{made.path}/comments", body, by=writer, expect=201)
        await self.delete(made.path, by=made.author, expect=204)
        response = await self.post(f"{made.path}/comments", body, by=writer)
        self.problem(response, 404, "content_not_found")

    async def test_same_write_id(self):
        """content#comments: of another author, or on another content, the same writeId is another
        comment."""
        one, two = [await self.content(await self.someone()) for _ in range(2)]
        ann, ben = await self.user(), await self.user()
        write = guid()
        given = ((one, ann), (one, ben), (two, ann))
        paths = [await self.comment(*each, writeId=write) for each in given]
        self.assertEqual(3, len(set(paths)))

    async def test_root(self):
        """content#comments: parentId null makes a root-level comment."""
        made = await self.content(await self.someone())
        path = await self.comment(made, made.author, parentId=None)
        self.assertIsNone((await self.read(path, COMMENT))["parentId"])

    async def test_unknown_parent(self):
        """content#comments: an unknown parentId is 422 unknown_parent."""
        made = await self.content(await self.someone())
        body = {"body": "re", "parentId": 987_654_321}
        response = await self.post(f"{made.path}/comments", body, by=made.author)
        self.problem(response, 422, "unknown_parent")

    async def test_change(self):
        """content#comments: PATCH by its author changes the text; nothing else but
        updated."""
        made = await self.content(await self.someone())
        path = await self.comment(made, made.author)
        before = await self.read(path, COMMENT)
        await self.amend(path, {"body": "On second thought"}, by=made.author, expect=204)
        got = await self.read(path, COMMENT)
        self.assertEqual(before | {"body": "On second thought", "updated": got["updated"]}, got)
        self.assertGreaterEqual(got["updated"], got["created"])

    async def test_change_by_others(self):
        """content#comments: only a comment's author may change it: not the content's,
        not an admin."""
        made = await self.content(await self.user())
        path = await self.comment(made, await self.user())
        for user in (made.author, await self.admin()):
            self.problem(await self.amend(path, {"body": "x"}, by=user), 403, "forbidden")
        self.assertEqual("Well made", (await self.read(path, COMMENT))["body"])

    async def test_delete(self):
        """content#comments: DELETE leaves a tombstone: deleted true, body empty, the
        rest as it was."""
        made = await self.content(await self.someone())
        path = await self.comment(made, made.author)
        before = await self.read(path, COMMENT)
        await self.delete(path, by=made.author, expect=204)
        got = await self.read(path, COMMENT)
        self.assertEqual(before | {"deleted": True, "body": "", "updated": got["updated"]}, got)

    async def test_delete_twice(self):
        """content#comments: DELETE of a deleted comment is 204."""
        made = await self.content(await self.someone())
        path = await self.comment(made, made.author)
        for _ in range(2):
            await self.delete(path, by=made.author, expect=204)

    async def test_who_deletes(self):
        """content#comments: its author, the content's author and admins may delete,
        nobody else."""
        made, writer = await self.content(await self.user()), await self.user()
        for user in (writer, made.author, await self.admin()):
            path = await self.comment(made, writer)
            self.problem(await self.delete(path, by=await self.someone()), 403, "forbidden")
            self.assertFalse((await self.read(path, COMMENT))["deleted"])
            await self.delete(path, by=user, expect=204)
            self.assertTrue((await self.read(path, COMMENT))["deleted"])

    async def test_change_deleted(self):
        """content#comments: PATCH of a deleted comment is 409 comment_deleted."""
        made = await self.content(await self.someone())
        path = await self.comment(made, made.author)
        await self.delete(path, by=made.author, expect=204)
        response = await self.amend(path, {"body": "back"}, by=made.author)
        self.problem(response, 409, "comment_deleted")

    async def test_count(self):
        """content#comments: commentCount counts comments that are not deleted; total
        counts all."""
        made = await self.content(await self.someone())
        first = await self.comment(made, made.author)
        await self.comment(made, made.author)
        await self.delete(first, by=made.author, expect=204)
        self.assertEqual(1, (await self.read(made.path, CONTENT))["commentCount"])
        page = await self.read(f"{made.path}/comments", COMMENT_PAGE)
        self.assertEqual((2, 2), (page["total"], page["count"]))


class CommentListTests(SpecCase):
    """GET /api/v1/content/{contentId}/comments."""

    async def commented(self, *texts: str) -> str:
        """The path of the comments of a new item that has these."""
        made = await self.content(await self.someone())
        for text in texts:
            await self.comment(made, made.author, text)
        return f"{made.path}/comments"

    async def test_empty(self):
        """content#comments: page, pageSize, count, total and items; size is 100 and page 0."""
        page = await self.read(await self.commented(), COMMENT_PAGE)
        empty = {"page": 0, "pageSize": 100, "count": 0, "total": 0, "items": []}
        self.assertEqual(empty, page)

    async def test_chronological(self):
        """content#comments: sorted chronologically, oldest to newest."""
        texts = ["first", "second", "third"]
        page = await self.read(await self.commented(*texts), COMMENT_PAGE)
        self.assertEqual(texts, [one["body"] for one in page["items"]])

    async def test_pages(self):
        """content#comments: size and page cut the list; count is this page's, total that of all."""
        path = await self.commented("a", "b", "c", "d", "e")
        for number, texts in enumerate((["a", "b"], ["c", "d"], ["e"], [])):
            query = {"size": "2", "page": str(number)}
            page = await self.read(path, COMMENT_PAGE, query=query)
            self.assertEqual(texts, [one["body"] for one in page["items"]])
            expected = {"page": number, "pageSize": 2, "count": len(texts), "total": 5}
            self.assertEqual(expected, {member: page[member] for member in expected})

    async def test_tombstones_keep_their_place(self):
        """content#comments: a deleted comment stays in the list."""
        made = await self.content(await self.someone())
        paths = [await self.comment(made, made.author, text) for text in "abc"]
        await self.delete(paths[1], by=made.author, expect=204)
        page = await self.read(f"{made.path}/comments", COMMENT_PAGE)
        self.assertEqual(["a", "", "c"], [one["body"] for one in page["items"]])
        self.assertEqual([False, True, False], [one["deleted"] for one in page["items"]])

    async def test_size_range(self):
        """conventions#limits: size is 1 to 200."""
        path = await self.commented("a")
        for size in ("0", "201", "-1", "x", "1" + "0" * 30):
            self.invalid_query(await self.get(path, query={"size": size}), "size")
        for size in ("1", "200"):
            page = await self.read(path, COMMENT_PAGE, query={"size": size})
            self.assertEqual(int(size), page["pageSize"])

    async def test_page_range(self):
        """conventions#limits: page is 0 to 2^31-1."""
        path = await self.commented("a")
        for number in ("-1", "2147483648", "1" + "0" * 30, "x"):
            self.invalid_query(await self.get(path, query={"page": number}), "page")
        page = await self.read(path, COMMENT_PAGE, query={"page": "2147483647"})
        self.assertEqual([], page["items"])

    async def test_of_this_content(self):
        """content#comments: the comments of one content item, not of others."""
        await self.commented("elsewhere")
        path = await self.commented("here")
        page = await self.read(path, COMMENT_PAGE)
        self.assertEqual(["here"], [one["body"] for one in page["items"]])


class AnsweringTests(SpecCase):
    """The same list with `order` and `parent`."""

    async def connect(self) -> None:
        await super().connect()
        self.made: Content = await self.content(await self.user())

    async def write(self, body: str, parent: int | None = None) -> int:
        """The number of a new comment."""
        path = await self.comment(self.made, self.made.author, body, parentId=parent)
        return int(path.rpartition("/")[2])

    async def page(self, **query: Any) -> dict[str, Any]:
        """A page, with the replies of each comment."""
        path = f"{self.made.path}/comments"
        return dict(await self.read(path, ANSWERED_PAGE, query=query))

    async def bodies(self, **query: Any) -> list[str]:
        """The texts of a page."""
        return [one["body"] for one in (await self.page(**query))["items"]]

    async def test_newest(self):
        """content#comments: with order=newest the pages go from the newest back, replies among
        them; total is that of all."""
        root = await self.write("a")
        for text in "bcde":
            await self.write(text, root if text == "c" else None)
        for number, texts in enumerate((["e", "d"], ["c", "b"], ["a"], [])):
            query = {"order": "newest", "size": "2", "page": str(number)}
            page = await self.page(**query)
            self.assertEqual(texts, [one["body"] for one in page["items"]])
            expected = {"page": number, "pageSize": 2, "count": len(texts), "total": 5}
            self.assertEqual(expected, {member: page[member] for member in expected})

    async def test_oldest(self):
        """content#comments: order=oldest is the default, without `replies`."""
        for text in "ab":
            await self.write(text)
        path = f"{self.made.path}/comments"
        page = await self.read(path, COMMENT_PAGE, query={"order": "oldest"})
        self.assertEqual(await self.read(path, COMMENT_PAGE), page)

    async def test_none(self):
        """content#comments: parent=none has what answers no comment, in either order; total is
        that of these, and `replies` says how many answer each directly."""
        first = await self.write("a")
        second = await self.write("b", first)
        for text, parent in (("c", None), ("d", second), ("e", first), ("f", None)):
            await self.write(text, parent)
        page = await self.page(parent="none", size="2")
        found = [(one["body"], one["replies"]) for one in page["items"]]
        self.assertEqual(([("a", 2), ("c", 0)], 3), (found, page["total"]))
        self.assertEqual(["f"], await self.bodies(parent="none", size="2", page="1"))
        self.assertEqual([], await self.bodies(parent="none", size="2", page="2"))
        newest = {"parent": "none", "order": "newest", "size": "2"}
        self.assertEqual(["f", "c"], await self.bodies(**newest))
        self.assertEqual(["a"], await self.bodies(**newest, page="1"))
        self.assertEqual([], await self.bodies(**newest, page="2147483647"))

    async def test_parent(self):
        """content#comments: with the number of a comment the list has what answers it directly,
        in either order, with its total."""
        root = await self.write("a")
        reply = await self.write("b", root)
        for text, parent in (("c", root), ("d", reply), ("e", root), ("f", None)):
            await self.write(text, parent)
        page = await self.page(parent=root)
        found = [(one["body"], one["replies"], one["parentId"]) for one in page["items"]]
        self.assertEqual([("b", 1, root), ("c", 0, root), ("e", 0, root)], found)
        self.assertEqual((3, 3), (page["total"], page["count"]))
        self.assertEqual(["e", "c"], await self.bodies(parent=root, order="newest", size="2"))
        self.assertEqual(["d"], await self.bodies(parent=reply))

    async def test_no_answers(self):
        """content#comments: nothing answers a number of no comment, or of one on other content."""
        await self.write("a")
        other = await self.content(self.made.author)
        path = await self.comment(other, other.author)
        number = int(path.rpartition("/")[2])
        await self.comment(other, other.author, parentId=number)
        for parent in (987_654_321, 10**18 - 1, number):
            page = await self.page(parent=parent)
            self.assertEqual((0, []), (page["total"], page["items"]))

    async def test_tombstones(self):
        """content#comments: a deleted comment keeps its place in each list, and counts among the
        replies."""
        root = await self.write("a")
        reply = await self.write("b", root)
        await self.write("c", root)
        for number in (reply, root):
            path = f"{self.made.path}/comments/{number}"
            await self.delete(path, by=self.made.author, expect=204)
        (shown,) = (await self.page(parent="none"))["items"]
        self.assertEqual(("", True, 2), (shown["body"], shown["deleted"], shown["replies"]))
        self.assertEqual(["", "c"], await self.bodies(parent=root))
        self.assertEqual(["c", "", ""], await self.bodies(order="newest"))

    async def test_writer_leaves(self):
        """content#comments: so does a comment whose writer has left."""
        writer = await self.user()
        path = await self.comment(self.made, writer, "a")
        await self.write("b", int(path.rpartition("/")[2]))
        body = {"password": writer.password}
        await self.delete(f"user/{writer.id}", body=body, by=writer, expect=204)
        (shown,) = (await self.page(parent="none"))["items"]
        self.assertEqual(("", True, 1), (shown["body"], shown["deleted"], shown["replies"]))

    async def test_blocked(self):
        """content#comments: a block takes nothing out of the lists: what was there stays."""
        writer = await self.user()
        root = await self.write("a")
        await self.comment(self.made, writer, "b", parentId=root)
        blocked = f"user/{self.made.author.id}/blocked/{writer.id}"
        await self.put(blocked, by=self.made.author, expect=204)
        path = f"{self.made.path}/comments"
        for by in (self.made.author, writer):
            page = await self.read(path, ANSWERED_PAGE, query={"parent": root}, by=by)
            self.assertEqual(["b"], [one["body"] for one in page["items"]])

    async def test_hidden(self):
        """content#comments: on hidden content both are 404 for who does not see it."""
        root = await self.write("a")
        await self.moderate(self.made, "suspended")
        path, author = f"{self.made.path}/comments", self.made.author
        for query in ({"order": "newest"}, {"parent": "none"}, {"parent": str(root)}):
            response = await self.get(path, query=query, by=await self.someone())
            self.problem(response, 404, "content_not_found")
            await self.read(path, ANSWERED_PAGE, query=query, by=author)

    async def test_meanwhile(self):
        """content#comments: each new comment moves what is older one place back, and loses
        nothing."""
        root = await self.write("a")
        for text in "bc":
            await self.write(text, root)
        for query in ({"order": "newest"}, {"order": "newest", "parent": str(root)}):
            first = await self.bodies(**query, size="1")
            await self.write("new", root)
            second = await self.bodies(**query, size="1", page="1")
            self.assertEqual(first, second)
