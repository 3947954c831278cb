"""The tree that the portal makes of a text with a shape."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path
from typing import Any, cast

from contentsvc.portal.assets import FOLDER
from tests.javascript.harness import NpmCase
from tests.support.sizes import rounds

DEEPEST, MOST, LONGEST = 16, 5_000, 65_536
MOST_TIMES = 6
"""What the longest text may cost, as so many times what prose of its length costs. The dearest
costs four times as much. What grows with the square of a text costs hundreds."""
PROSE = "The quick *brown* fox has **it**: `code`, a [link](https://a.example) or two.\n\n"
_SHAPE = """
import { readFileSync } from "node:fs";
globalThis.document = { documentElement: { dataset: {} } };
const { shape } = await import(process.argv[1]);
const [texts, rounds] = JSON.parse(readFileSync(process.argv[2], "utf8"));
const best = (text) => {
  const times = [];
  for (let n = 0; n < rounds; n += 1) {
    const begun = process.cpuUsage();
    shape(text);
    const { user, system } = process.cpuUsage(begun);
    times.push((user + system) / 1000);
  }
  return Math.min(...times);
};
console.log(JSON.stringify(texts.map((text) => (rounds ? best(text) : shape(text)))));
"""
Tree = list[Any]


def filled(part: str, length: int = LONGEST) -> str:
    """A text of this length, of this part again and again."""
    return (part * (length // len(part) + 1))[:length]


def growing(line: str) -> str:
    """The same of lines of which each has one more of this before it."""
    lines, size = [], 0
    while size < LONGEST:
        lines.append(line * len(lines) + "a\n")
        size += len(lines[-1])
    return "".join(lines)[:LONGEST]


def outline(nodes: Tree) -> str:
    """A tree in one line: `p(a em(b))`."""
    found = []
    for node in nodes:
        if isinstance(node, str):
            found.append(node)
            continue
        more = "".join(f"@{node[key]}" for key in ("href", "start", "shot", "alt") if key in node)
        found.append(f"{node['tag']}{more}({outline(node['children'])})")
    return "|".join(found)


def said(nodes: Tree) -> str:
    """The text of a tree."""
    return "".join(node if isinstance(node, str) else said(node["children"]) for node in nodes)


def elements(nodes: Tree, depth: int = 1) -> list[tuple[int, dict[str, Any]]]:
    """All elements, with how deep they are."""
    found = []
    for node in nodes:
        if not isinstance(node, str):
            found += [(depth, node), *elements(node["children"], depth + 1)]
    return found


SHAPES = {
    "a\nb": "p(a|br()|b)",
    "a  \nb\\\nc": "p(a|br()|b|br()|c)",
    "a\r\n\r\nb": "p(a)|p(b)",
    "*a* **b** _c_ __d__ ***e***": "p(em(a)| |strong(b)| |em(c)| |strong(d)| |em(strong(e)))",
    "# a\n###### b\nc\n-": "h1(a)|h6(b)|h2(c)",
    "- a\n- b\n  - c": "ul(li(a)|li(b|ul(li(c))))",
    "- a\n\n- b": "ul(li(p(a))|li(p(b)))",
    "7. a\n8. b": "ol@7(li(a)|li(b))",
    "> a\n> b": "blockquote(p(a|br()|b))",
    "`a *b*`": "p(code(a *b*))",
    "```js\n<b>\n```": "pre(code(<b>))",
    "    a\n\n    b": "pre(code(a\n\nb))",
    "a\n\n---\nb": "p(a)|hr()|p(b)",
    "[a *b*](https://c.example/d 'e')": "p(a@https://c.example/d(a |em(b)))",
    "<https://a.example/b>": "p(a@https://a.example/b(https://a.example/b))",
    "[a][b]\n\n[b]: http://c.example": "p(a@http://c.example/(a))",
    "\\*a\\* &lt;b&gt; &auml;": "p(*a* <b> ä)",
    "![a *b*](screenshot:2)": "p(img@2@a b())",
    "![a](screenshot:0) ![b](screenshot:x) ![c *d*](https://e.example/f.png)": "p(a| |b| |c d)",
    "[![a](screenshot:1)](https://b.example/)": "p(a@https://b.example/(img@1@a()))",
    "~~a~~ | b |\nhttps://c.example www.d.example": "p(~~a~~ | b ||br()|"
    "https://c.example www.d.example)",
}
"""Texts, and their trees."""
WRITTEN = (
    *("<b>a</b>", "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<!-- a -->"),
    *("<div>\na\n</div>", "<?php a ?>", "<![CDATA[a]]>", "<a href='https://b.example'>c</a>"),
    "<svg/onload=alert(1)>",
)
"""HTML, which is shown as written."""
REFUSED = (
    *("javascript:alert(1)", "JaVaScRiPt:alert(1)", "java\\script:a", "&#106;avascript:alert(1)"),
    *("javascript&colon;alert(1)", "vbscript:a", "data:text/html,<b>a</b>", "file:///etc/passwd"),
    *("blob:https://a.example/b", "ftp://a.example", "mailto:a@b.example", "tel:1", "/browse"),
    *("//a.example/b", "b.html", "#c", "?d", "screenshot:1", "https://", "http://[", "https:///"),
    *("\u202ehttps://a.example", "<\tjavascript:a>", "x:https://a.example"),
)
"""Addresses of which no link is made."""
TAKEN = {
    "HTTPS://A.Example/B": "https://a.example/B",
    "https://a.example:8443/b?c=d#e": "https://a.example:8443/b?c=d#e",
    "https://b\u00fccher.example/": "https://xn--bcher-kva.example/",
    "https://\u0430pple.com/": "https://xn--pple-43d.com/",
    "https://bank.example@evil.example/": "https://bank.example@evil.example/",
    "<https://a.example/b c>": "https://a.example/b%20c",
}
"""Addresses that are taken, as URL has them."""
WORST = {
    **{text: filled(text) for text in ("[", "![", "]", "[]( ", "[a](b", "[a](<b", "[a][b] ")},
    **{text: filled(text) for text in ("[a](b) ", "[a](http://b.c/d 'e') ", "[a](http://[) ")},
    **{text: filled(text) for text in ("> ", ">", "- ", "1. ", "> - ", "> - 1. ", "* * ")},
    **{text: filled(text) for text in ("`", "`a``b", "` `` ```", "*a ", "**a *", "a**b*c ", "*")},
    **{
        text: filled(text) for text in ("*a _b ", "_a", "a*", "a***b**c* ", "*a **a ", "\\*", "~~a")
    },
    **{text: filled(text) for text in ("<http://a.b>", "<a:", "<", "<a b='", "<!--a", "<![CDATA[")},
    **{text: filled(text) for text in ("&amp;", "&a", "&#1", "&#x10ffff;", "[a]: b\n", "[a]:\n")},
    **{text: filled(text) for text in ("[a]: b '\n", "[a]: <b", "[[[[[[a]: ", "[a\\\n")},
    **{text: filled(text) for text in ("- a\n", "- a\n\n", "a\n", "a\n\n", "\n", "\t", "# a\n")},
    **{
        text: filled(text)
        for text in ("a\n=\n", "---\n", "```\n", "a  \n", "    a\n", "\U0001d482*")
    },
    **{
        text: filled(text) for text in ("![a](screenshot:1)", "[*a](b)*", "*a*", "**a** ", "[a](((")
    },
    "brackets": filled("[", LONGEST // 2) + filled("]", LONGEST // 2),
    "emphasis": filled("*a", LONGEST // 2) + filled("a*", LONGEST // 2),
    "links": filled("[a", LONGEST // 3) + filled("](b)", LONGEST // 2),
    "images": filled("![a", LONGEST // 3) + filled("](b)", LONGEST // 2),
    "references": f"[a]: b\n\n{filled('[a', LONGEST // 3)}{filled('][a]', LONGEST // 2)}",
    "definitions": "".join(f"[a{n}]: b\n" for n in range(5_500)),
    "backticks": growing("`"),
    "quotes": growing(">"),
    "lists": "".join(f"{' ' * 2 * n}- a\n" for n in range(250)),
}
"""What costs parsers most, each 64 Ki characters."""
FENCED = re.compile("```[^`\n]*")
MARKS = (
    *(
        "*",
        "**",
        "_",
        "`",
        "<",
        ">",
        "\n> ",
        "\n- ",
        "\n1. ",
        "\n# ",
        "\n\n",
        "\n",
        "  \n",
        "\n---\n",
    ),
    *("\n===\n", "    ", "\t", "&lt;", "\\", "<i>", "!", "]", "\u202e", "\u05d0", "\U0001f600"),
)
"""Of what random texts are made, without what takes letters: links, images and fences."""
LINKS = (
    *("[", "](https://a.b/)", "](c:d)", "![", "[a]", "\n[a]: https://b.c\n", "](screenshot:1)"),
    *("<https://a.b>", "```\n", "~~~\n"),
)


class ShapeTests(NpmCase):
    timeout = 480.0

    def given(self, text: str) -> str:
        """The path of a file with this text."""
        path = Path(self.mktemp()).absolute()
        path.write_text(text)
        return str(path)

    async def run_shape(self, texts: list[str], rounds: int) -> list[Any]:
        """What the program says of these texts."""
        module = (FOLDER / "parts/markdown.js").as_uri()
        script = ("--input-type=module", "--eval", _SHAPE)
        given = self.given(json.dumps([texts, rounds]))
        made, status = await self.run_program(self.node, *script, module, given)
        self.assertEqual(0, status, made)
        return cast(list[Any], json.loads(made))

    async def shapes(self, *texts: str) -> list[Tree]:
        """The trees of these texts."""
        return await self.run_shape(list(texts), 0)

    async def test_shapes(self) -> None:
        """Paragraphs, emphasis, headings, lists, quotes, code, rules, links and screenshots have
        their elements, and each end of a line is a break; nothing else has one."""
        for text, made in zip(SHAPES, await self.shapes(*SHAPES), strict=True):
            self.assertEqual(SHAPES[text], outline(made), text)

    async def test_html(self) -> None:
        """HTML is text."""
        for text, made in zip(WRITTEN, await self.shapes(*WRITTEN), strict=True):
            self.assertEqual(f"p({text})".replace("\n", "|br()|"), outline(made))

    async def test_refused(self) -> None:
        """What leads to anything but http and https is shown as written, in each form of a link."""
        forms = ("[a]({})", "[a](<{}> 'b')", "**[a]({})** c", "x [a\n*b*]({})")
        texts = [form.format(address) for form in forms for address in REFUSED]
        texts += [f"[a][b]\n\n[b]: {address}" for address in REFUSED]
        texts += [f"<{address}>" for address in REFUSED]
        for text, made in zip(texts, await self.shapes(*texts), strict=True):
            self.assertNotIn("a", {node["tag"] for _, node in elements(made)}, text)
        written = ("[a](x:y)", "<x:y>")
        self.assertEqual(
            [f"p({text})" for text in written], [*map(outline, await self.shapes(*written))]
        )

    async def test_taken(self) -> None:
        """The address of a link is as browsers have it: its host has Latin letters alone."""
        made = await self.shapes(*(f"[a]({address})" for address in TAKEN))
        self.assertEqual([f"p(a@{href}(a))" for href in TAKEN.values()], [*map(outline, made)])

    async def test_deep(self) -> None:
        """What is nested over 16 deep is shown as written."""
        quotes, lists, emphasis, fits = await self.shapes(
            "> " * 20 + "a *b*",
            "- " * 20 + "a",
            "*a " * 20 + "x" + " b*" * 20,
            "> " * DEEPEST + "a",
        )
        self.assertEqual(f"{'blockquote(' * 16}> > > > a *b*{')' * 16}", outline(quotes))
        self.assertEqual(f"{'ul(li(' * 8}{'- ' * 12}a{'))' * 8}", outline(lists))
        self.assertIn(f"{'em(a |' * 15}{'*a ' * 5}x{' b*' * 5}|", outline(emphasis))
        self.assertEqual(f"{'blockquote(' * 16}a{')' * 16}", outline(fits))

    async def test_many(self) -> None:
        """What comes after 5,000 elements is shown as written."""
        for line, each in (("- *a*\n", 2), ("a\n\n", 1), ("> # a\n\n", 2), ("*a* `b` ", 2)):
            (made,) = await self.shapes(line * 6_000)
            found = len(elements(made))
            self.assertTrue(MOST - each <= found <= MOST, f"{line}: {found}")
            self.assertTrue(said(made).rstrip().endswith((line * 20).rstrip()), line)

    async def random(self, *marks: str) -> None:
        """Assert of random texts that nothing in them is too deep, that only http and https are
        links, and, without links, that no word is lost."""
        chance = random.Random(43)
        texts, words = [], [f"w{n}x" for n in range(12)]
        for _ in range(rounds(300, 3_000, 10_000)):
            parts = [chance.choice(marks) for _ in range(chance.randrange(1, 60))]
            for word in words:
                parts.insert(chance.randrange(len(parts) + 1), f"{word} ")
            texts.append("".join(parts))
        for text, made in zip(texts, await self.shapes(*texts), strict=True):
            found = elements(made)
            self.assertLessEqual(max((depth for depth, _ in found), default=0), DEEPEST, text)
            for _, node in found:
                self.assertRegex(node.get("href", "https://"), "^https?://", text)
            if marks == MARKS:
                # What stands beside the marks of a block of code names its language.
                shown = said(made) + "".join(FENCED.findall(text))
                self.assertEqual([], [word for word in words if word not in shown], text)

    async def test_random(self) -> None:
        """Whatever the text, no word is lost but the language of code, and nothing is too deep."""
        await self.random(*MARKS)

    async def test_random_links(self) -> None:
        """Whatever the text, nothing is too deep, and nothing else is a link."""
        await self.random(*MARKS, *LINKS)

    async def test_time(self) -> None:
        """64 Ki characters of whatever costs most cost at most so many times what prose does."""
        prose = filled(PROSE)
        warm = [WORST["- a\n"], WORST["*a*"], WORST["brackets"], prose, prose] * 3
        yardstick, *times = (await self.run_shape([*warm, prose, *WORST.values()], 5))[len(warm) :]
        costs = {name: time / yardstick for name, time in zip(WORST, times, strict=True)}
        self.assertEqual({}, {name: cost for name, cost in costs.items() if cost > MOST_TIMES})
