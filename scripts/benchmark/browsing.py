"""The requests that browse and search content."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from http.client import HTTPConnection
from urllib.parse import urlencode, urlsplit

import psycopg2

from . import world, wrk
from .operations import API, FEW, Context, Operation, read
from .wrk import Request

SORTS = ("newest", "updated", "top", "trending", "played", "subscribed")
_VARIANTS = 500
"""Different requests of an operation."""
_PAGES = 20
"""Pages that are followed, one after the other, in each of so many lists."""

Query = dict[str, str]


def _rare(context: Context) -> list[Query]:
    """Words of names, most of which are in a few contents."""
    return [{"q": words.split()[0]} for words in _names(context)]


def _beginnings(context: Context) -> list[Query]:
    return [{"q": words[:3].lower()} for words in _names(context)]


def _tenth(context: Context) -> list[Query]:
    return [{"q": word} for word in world.TENTH]


def _two(context: Context) -> list[Query]:
    """Two words of every tenth content; a word and a beginning; a word and a rare one."""
    pairs = [f"{one} {other}" for one in world.TENTH for other in world.TENTH if one != other]
    for number, words in enumerate(_names(context)[:100]):
        word = world.TENTH[number % len(world.TENTH)]
        pairs += [f"{word} {words[:3].lower()}", f"{words.split()[0]} {word}"]
    return [{"q": pair} for pair in pairs]


def _narrowed(context: Context) -> list[Query]:
    """Words of every tenth content, and a filter."""
    narrow = [*_categories(context), *_tags(context), {"featured": "true"}]
    return [{**query, "q": word} for query in narrow for word in world.TENTH]


def _fitting_tenth(context: Context) -> list[Query]:
    """Words of every tenth content, for the same clients."""
    return [{**query, "q": word} for query in _fitting(context) for word in world.TENTH]


def _names(context: Context) -> list[str]:
    with closing(psycopg2.connect(context.url)) as connection, connection.cursor() as cursor:
        cursor.execute(
            "select name from contents where id = any(%s::uuid[]) order by id",
            ([world.active_content(number) for number in _chosen(context)],),
        )
        return [name for (name,) in cursor.fetchall()]


def _chosen(context: Context) -> list[int]:
    sizes = context.sizes
    return context.random.sample(range(sizes.active), min(_VARIANTS, sizes.active))


def _everything(context: Context) -> list[Query]:
    return [{}]


def _categories(context: Context) -> list[Query]:
    """One that is common, the one that only old content has, and several."""
    return [{"category": each} for each in ("game", world.OLD_TYPE, "asset,scene_box")]


def _tags(context: Context) -> list[Query]:
    """A tag of all content, of every 17th and 23rd, of both, of a season, and of a few."""
    tags = [world.COMMON_TAG, "tag 3", "tag 25", "Tag 3,tag 25", world.SEASON]
    few = [f"series {number * 7 % (1 + context.sizes.contents // 5000)}" for number in range(5)]
    return [{"tags": each} for each in [*tags, *few, f"{world.SEASON},tag 3"]]


def _authors(context: Context) -> list[Query]:
    first, authors = context.sizes.regulars, context.sizes.authors
    chosen = (first + context.random.randrange(authors) for _ in range(_VARIANTS))
    return [{"author": world.user(author)} for author in chosen]


def _featured(context: Context) -> list[Query]:
    return [{"featured": "true"}, {"featured": "false"}]


def _attributes(context: Context) -> list[Query]:
    """What half of the content has, a tenth, both, and 50."""
    series = [f"s{number * 7 % (1 + context.sizes.contents // 50)}" for number in range(5)]
    many = [
        {"attr.co-op": "true"},
        {"attr.players": "4"},
        {"attr.co-op": "true", "attr.players": "3"},
    ]
    return [*many, *({"attr.series": each} for each in series)]


def _fitting(context: Context) -> list[Query]:
    """For clients that all content fits, half of it, a thousandth, and none."""
    none = {"game": "0.9", "features": ""}
    return [{"game": "3.1", "features": "vr"}, {"game": "1.5"}, {"game": "0.9"}, none]


def _path(query: Query) -> str:
    return f"{API}/content?{urlencode(query)}"


def _sorted(
    queries: Callable[[Context], list[Query]], sort: str, context: Context
) -> list[Request]:
    return [Request("GET", _path({**query, "sort": sort})) for query in queries(context)]


def _further(context: Context, port: int) -> str:
    """Pages further on: of all content, and of what every tenth and every 17th content has."""
    requests = []
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        for sort in SORTS:
            for query in ({}, {"q": world.TENTH[0]}, {"tags": "tag 3"}):
                path = _path({**query, "sort": sort})
                for _ in range(_PAGES):
                    connection.request("GET", path)
                    answer = connection.getresponse()
                    answer.read()
                    link = answer.getheader("Link", "")
                    if not link:
                        break
                    url = urlsplit(link[link.index("<") + 1 : link.index(">")])
                    path = f"{url.path}?{url.query}"
                    requests.append(Request("GET", path))
    context.random.shuffle(requests)
    return wrk.of_requests(requests)


_BROWSED = (
    ("", "", _everything),
    ("-category", ", a category", _categories),
    ("-tags", ", tags", _tags),
    ("-author", ", an author", _authors),
    ("-featured", ", featured or not", _featured),
    ("-attributes", ", attributes", _attributes),
    ("-fitting", ", what fits", _fitting),
)
_SEARCHED = (
    ("rare", "a rare word", _rare),
    ("tenth", "a word of every tenth", _tenth),
    ("prefix", "three letters", _beginnings),
    ("two", "two words", _two),
    ("narrowed", "a word of every tenth, filtered", _narrowed),
    ("fitting", "a word of every tenth that fits", _fitting_tenth),
)


def _operations() -> list[Operation]:
    found = []
    for sort in SORTS:
        for suffix, title, queries in _BROWSED:
            requests = partial(_sorted, queries, sort)
            key = f"browse-{sort}{suffix}"
            found.append(read(key, f"browse by {sort}{title}", requests, connections=FEW))
    found.append(Operation("browse-next", "browse, a page further on", 200, FEW, _further))
    for key, title, queries in _SEARCHED:
        for sort in ("relevance", *SORTS):
            requests = partial(_sorted, queries, sort)
            found.append(read(f"q-{key}-{sort}", f"{title}, by {sort}", requests, connections=FEW))
    return found


BROWSES = tuple(_operations())
