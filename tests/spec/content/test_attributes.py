"""What content says of itself, and is found by (content#attributes)."""

from __future__ import annotations

from typing import Any

from tests.spec.data import Content, User, draft, guid, word
from tests.spec.harness import SpecCase
from tests.spec.notifications.support import bare
from tests.spec.shapes import CONTENT, CONTENT_INFO

WHOLE = (76561198012345678, 2**53 + 1, -(2**53) - 3, 10**18 + 1, 2**63 - 1, -(2**63))
"""Whole numbers that no double holds, but for the last."""


class AttributesTests(SpecCase):
    """`attributes` of create and PUT content."""

    async def shown(self, of: Content) -> dict[str, Any]:
        """The attributes that the detail has."""
        found: dict[str, Any] = (await self.read(of.path, CONTENT))["attributes"]
        return found

    async def change(self, of: Content, expect: int = 204, **changes: Any) -> None:
        """PUT content, with these members beside those that are needed."""
        body = {"description": "x", "screenshotUris": ["a.png"], **changes}
        await self.put(of.path, body, by=of.author, expect=expect)

    async def test_kinds(self):
        """content#attributes: texts, numbers and booleans; detail and ContentInfo show them."""
        given = {"mode": "race", "players": 4, "ratio": 0.5, "vr": False, "a.b_c-9": "", "low": -7}
        made = await self.content(await self.user(), attributes=given)
        self.assertEqual(given, await self.shown(made))
        (info,) = await self.read(f"user/{made.author.id}/content", [CONTENT_INFO])
        self.assertEqual(given, info["attributes"])

    async def test_without(self):
        """content#attributes: {} without."""
        self.assertEqual({}, await self.shown(await self.content(await self.someone())))

    async def test_limits(self):
        """content#attributes: 32 members, keys of 32 and texts of 256 characters."""
        given = {f"{n:02}" + "k" * 30: "é" * 256 for n in range(32)}
        made = await self.content(await self.someone(), attributes=given)
        self.assertEqual(given, await self.shown(made))

    async def test_refused(self):
        """content#attributes: anything else is 400."""
        user = await self.someone()
        for wrong in (
            None,
            [],
            "mode",
            {"": "x"},
            {"k" * 33: "x"},
            {"Mode": "x"},
            {"mode x": "x"},
            {"mode\n": "x"},
            {"mode": None},
            {"mode": ["race"]},
            {"mode": {}},
            {"mode": "x" * 257},
            {"mode": "a\0b"},
            {str(n): n for n in range(33)},
        ):
            body = draft(attributes=wrong)
            answer = await self.put(f"content/{guid()}", body, by=user)
            found = self.problem(answer, 400, "invalid_body")
            self.assertTrue(found["errors"][0]["pointer"].startswith("/attributes"), found)

    async def test_whole_numbers(self):
        """content#attributes: whole numbers are exact from -2^63 to 2^63-1, in
        the detail and in lists."""
        given = {str(n): number for n, number in enumerate(WHOLE)}
        made = await self.content(await self.user(), attributes=given)
        (info,) = await self.read(f"user/{made.author.id}/content", [CONTENT_INFO])
        for shown in (await self.shown(made), info["attributes"]):
            self.assertEqual(given, shown)
            self.assertEqual({int}, {type(number) for number in shown.values()})
        await self.change(made, attributes={"owner": WHOLE[0]})
        self.assertEqual({"owner": WHOLE[0]}, await self.shown(made))

    async def test_number_out_of_range(self):
        """content#attributes: a whole number beyond is 400 in a create and in
        a change, and so is what no double holds."""
        made = await self.content(await self.user())
        change = {"description": "x", "screenshotUris": ["a.png"]}
        for number in (2**63, -(2**63) - 1, 2**64, 10**30, -(10**30), 10**400):
            body = draft(attributes={"a": 1, "n": number})
            for answer in (
                await self.put(f"content/{guid()}", body, by=made.author),
                await self.put(made.path, change | {"attributes": {"n": number}}, by=made.author),
            ):
                found = self.problem(answer, 400, "invalid_body")
                self.assertEqual("/attributes/n", found["errors"][0]["pointer"])
        self.assertEqual({}, await self.shown(made))

    async def test_replaced(self):
        """content#attributes: PUT replaces them whole; without `attributes` they stay."""
        made = await self.content(await self.user(), attributes={"mode": "race", "vr": True})
        await self.change(made)
        self.assertEqual({"mode": "race", "vr": True}, await self.shown(made))
        await self.change(made, attributes={"players": 2})
        self.assertEqual({"players": 2}, await self.shown(made))
        await self.change(made, attributes={})
        self.assertEqual({}, await self.shown(made))

    async def test_order(self):
        """The order of the members does not matter: a repeat in another one is none."""
        made = await self.content(await self.user(), attributes={"b": 1, "a": 2})
        before = (await self.read(made.path, CONTENT))["updated"]
        body = {"description": made.sent["description"], "tags": made.sent["tags"]}
        body |= {"screenshotUris": made.sent["screenshotUris"], "attributes": {"a": 2, "b": 1}}
        await self.put(made.path, body, by=made.author, expect=204)
        found = await self.read(made.path, CONTENT)
        self.assertEqual((before, ["a", "b"]), (found["updated"], list(found["attributes"])))


class AttributeSearchTests(SpecCase):
    """`attr.KEY=VALUE` of GET /content and GET /user/{user}/content."""

    async def found(self, of: User | None = None, **query: str) -> list[str]:
        """The ids of the list with these parameters."""
        path = "content" if of is None else f"user/{of.id}/content"
        asked = {name.replace("__", "."): value for name, value in query.items()}
        found = await self.read(path, [CONTENT_INFO], query=asked)
        return [item["id"] for item in found]

    async def test_compared_as_text(self):
        """content#attributes: a value is compared as text, numbers and booleans as JSON has
        them."""
        mark, author = word(), await self.user()
        for value, text in (
            ("race", "race"),
            (4, "4"),
            (1.0, "1"),
            (0.5, "0.5"),
            (True, "true"),
            ("", ""),
        ):
            made = await self.content(author, attributes={"mark": mark, "value": value}, **bare())
            for of in (None, author):
                asked = {"attr__mark": mark, "attr__value": text}
                self.assertEqual([made.id], await self.found(of, **asked), value)
                asked["attr__value"] = f"{text}x"
                self.assertEqual([], await self.found(of, **asked))

    async def test_whole_numbers(self):
        """content#attributes: a whole number is found by all of its digits,
        and its neighbours are not."""
        mark, author = word(), await self.user()
        for number in WHOLE:
            made = await self.content(author, attributes={"m": mark, "owner": number}, **bare())
            for of in (None, author):
                asked = {"attr__m": mark, "attr__owner": str(number)}
                self.assertEqual([made.id], await self.found(of, **asked), number)
                for other in (number - 1, number + 1, -number):
                    asked["attr__owner"] = str(other)
                    self.assertEqual([], await self.found(of, **asked), other)

    async def test_all_match(self):
        """content#attributes: up to four, and all must match; with the other parameters."""
        mark, author = word(), await self.user()
        both = await self.content(author, attributes={"m": mark, "a": 1, "b": 2, "c": 3}, **bare())
        one = await self.content(author, attributes={"m": mark, "a": 1, "b": 3}, **bare())
        self.assertEqual([one.id, both.id], await self.found(attr__m=mark))
        four = {"attr__m": mark, "attr__a": "1", "attr__b": "2", "attr__c": "3"}
        for of in (None, author):
            self.assertEqual([both.id], await self.found(of, **four))
        self.assertEqual([both.id], await self.found(attr__m=mark, attr__b="2", sort="top"))
        self.assertEqual([], await self.found(attr__m=mark, category="asset"))

    async def test_brackets(self):
        """content#attributes: brackets do too, as OpenAPI writes such
        parameters."""
        mark = word()
        made = await self.content(await self.user(), attributes={"m": mark}, **bare())
        self.assertEqual([made.id], await self.found(**{"attr[m]": mark}))

    async def test_changed(self):
        """content#attributes: what has changed is found by its new attributes alone."""
        mark, author = word(), await self.user()
        made = await self.content(author, attributes={"m": mark}, **bare())
        body = {"description": "x", "screenshotUris": ["a.png"], "attributes": {"m": f"{mark}2"}}
        await self.put(made.path, body, by=author, expect=204)
        self.assertEqual([], await self.found(attr__m=mark))
        self.assertEqual([made.id], await self.found(attr__m=f"{mark}2"))

    async def test_refused(self):
        """content#attributes: more than four, other keys, and the same one twice are 400."""
        author = await self.someone()
        for path in ("content", f"user/{author.id}/content"):
            for query in (
                "attr.a=1&attr.b=1&attr.c=1&attr.d=1&attr.e=1",
                "attr.A=1",
                "attr.=1",
                f"attr.{'k' * 33}=1",
                f"attr.k={'x' * 513}",
                "attr.k=1&attr.k=2",
                "attr.k=%00",
                "attr.k=%ff",
                "attr=1",
            ):
                self.problem(await self.get(f"{path}?{query}"), 400, "invalid_query")

    async def test_pages(self):
        """content#attributes: the parts of such a list follow each other."""
        mark, author = word(), await self.user()
        made = [await self.content(author, attributes={"m": mark}, **bare()) for _ in range(3)]
        for path in ("content", f"user/{author.id}/content"):
            found = await self.pages(f"{path}?attr.m={mark}&limit=2", [CONTENT_INFO])
            shown = [item["id"] for page in found for item in page]
            self.assertEqual([each.id for each in reversed(made)], shown)
