"""The operations that browse and search content."""

from collections.abc import Callable
from functools import partial
from urllib.parse import urlencode, urlsplit

from . import ids, wrk
from .context import Context
from .operations import API, FEW, Operation, header, read
from .wrk import Request

SORTS = ("newest", "updated", "top", "trending", "played", "subscribed")
_VARIANTS = 500
"""Different requests of an operation."""
_PAGES = 20
"""Pages that are followed, one after the other, in each of so many lists."""

Query = dict[str, str]


def _names(context: Context) -> list[str]:
    chosen = context.random.sample(
        range(context.sizes.active), min(_VARIANTS, context.sizes.active)
    )
    return context.column(
        "select name from contents where id = any(%s::uuid[]) order by id",
        [ids.active_content(number) for number in chosen],
    )


def _rare(context: Context) -> list[Query]:
    """Words of names, most of which are in a few contents."""
    return [{"q": words.split()[0]} for words in _names(context)]


def _beginnings(context: Context) -> list[Query]:
    return [{"q": words[:3].lower()} for words in _names(context)]


def _tenth(context: Context) -> list[Query]:
    return [{"q": word} for word in ids.TENTH]


def _two(context: Context) -> list[Query]:
    """Two words of every tenth content; one of them and a beginning."""
    pairs = [f"{one} {other}" for one in ids.TENTH for other in ids.TENTH if one != other]
    pairs += [f"{ids.TENTH[0]} {words[:3].lower()}" for words in _names(context)[:100]]
    return [{"q": pair} for pair in pairs]


def _misspelt(context: Context) -> list[Query]:
    """Names in whose last word a letter is left out, doubled, changed, or swapped."""
    queries = []
    for name in _names(context):
        at = context.random.randrange(name.rindex(" ") + 2, len(name) - 1)
        others = "", 2 * name[at], "x", name[at + 1] + name[at]
        other = context.random.choice(others)
        queries.append({"q": name[:at] + other + name[at + 1 + (other == others[3]) :]})
    return queries


def _eight(context: Context) -> list[Query]:
    """Eight such words."""
    words = [query["q"].split()[1] for query in _misspelt(context)]
    return [{"q": " ".join(context.random.sample(words, 8))} for _ in words]


def _everything(context: Context) -> list[Query]:
    return [{}]


def _tags(context: Context) -> list[Query]:
    """A tag of all content, of every 17th and 23rd, of both, of a season, and of a few."""
    tags = [ids.COMMON_TAG, "tag 3", "tag 25", "Tag 3,tag 25", ids.SEASON]
    few = [f"series {number * 7 % (1 + context.sizes.contents // 5000)}" for number in range(5)]
    return [{"tags": each} for each in [*tags, *few, f"{ids.SEASON},tag 3"]]


def _authors(context: Context) -> list[Query]:
    first, authors = context.sizes.regulars, context.sizes.authors
    chosen = (first + context.random.randrange(authors) for _ in range(_VARIANTS))
    return [{"author": ids.user(author)} for author in chosen]


def _attributes(context: Context) -> list[Query]:
    """What half of the content has, a tenth, both, and 50."""
    series = [f"s{number * 7 % (1 + context.sizes.contents // 50)}" for number in range(5)]
    half, tenth = {"attr.co-op": "true"}, {"attr.players": "4"}
    return [half, tenth, {**half, "attr.players": "3"}, *({"attr.series": each} for each in series)]


def _sorted(
    queries: Callable[[Context], list[Query]], sort: str, context: Context
) -> list[Request]:
    every = ({**query, "sort": sort} for query in queries(context))
    return [Request("GET", f"{API}/content?{urlencode(each)}") for each in every]


def _suggested(queries: Callable[[Context], list[Query]], context: Context) -> list[Request]:
    return [Request("GET", f"{API}/suggestions?{urlencode(each)}") for each in queries(context)]


def _further(context: Context, port: int) -> str:
    """Pages further on: of all content, and of what every tenth and every 17th content has."""
    requests = []
    queries: list[Query] = [{}, {"q": ids.TENTH[0]}, {"tags": "tag 3"}]
    for request in (each for sort in SORTS for each in _sorted(lambda _: queries, sort, context)):
        page = request
        for _ in range(_PAGES):
            link = header(port, page, "Link")
            if not link:
                break
            url = urlsplit(link[link.index("<") + 1 : link.index(">")])
            page = Request("GET", f"{url.path}?{url.query}")
            requests.append(page)
    context.random.shuffle(requests)
    return wrk.of_requests(requests)


_BROWSED = (
    ("", "", _everything),
    ("-tags", ", tags", _tags),
    ("-author", ", an author", _authors),
    ("-attributes", ", attributes", _attributes),
)
_SEARCHED = (
    ("rare", "a rare word", _rare),
    ("tenth", "a word of every tenth", _tenth),
    ("prefix", "three letters", _beginnings),
    ("two", "two words", _two),
)
BROWSES = (
    *(
        read(
            f"browse-{sort}{suffix}", f"browse by {sort}{title}", partial(_sorted, query, sort), FEW
        )
        for sort in SORTS
        for suffix, title, query in _BROWSED
    ),
    Operation("browse-next", "browse, a page further on", 200, FEW, _further),
    read("suggest", "suggestion for a misspelt name", partial(_suggested, _misspelt), FEW),
    read("suggest-eight", "suggestion for eight words", partial(_suggested, _eight), FEW),
    *(
        read(f"q-{key}-{sort}", f"{title}, by {sort}", partial(_sorted, query, sort), FEW)
        for key, title, query in _SEARCHED
        for sort in ("relevance", *SORTS)
    ),
)
