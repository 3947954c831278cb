"""The requests of each operation that wrk measures."""

import json
from collections.abc import Callable
from contextlib import closing
from http.client import HTTPConnection
from random import Random
from typing import Any, NamedTuple
from urllib.parse import quote

import psycopg2

from contentsvc.framework.core.timers import WallClock
from contentsvc.tokens import Keys, Tokens

from . import world, wrk
from .world import PICTURES, PUBLISHED, Sizes
from .wrk import Request

API = "/api/v1"
BUSY = 32
"""Connections that keep one process busy."""
FEW = 2
"""Connections of a search, which keeps the database busy: with more, its latency would be that
of a queue."""
SOME = 8
"""Connections of a write that takes tens of milliseconds."""
OURS, STUDIOS = "put-content-ours", "put-content-studio"
"""Keys of two operations that differ only in whose paths they have."""
SAME, LONG = "put-content-same", "put-content-long"
"""Keys of two operations that differ only in whether they change anything."""
_VARIANTS = 10_000
"""Different requests of a read, so that it is not the same few rows again and again."""
_TOKENS = world.WRITERS
"""Different callers at most; a token is verified once and then remembered by the daemon."""
_VOTABLE, _CORES, _OWNED = 20_000, 2_000, 5
"""Contents that are rated and commented, cores that are used, and contents of each author that get
revisions, at most: wrk takes no more."""
_TAGGED = 300
"""Different requests of a read with If-None-Match."""
_LONG = 11
"""Letters of a long name."""
_UPDATED = 20
"""Contents with a long description."""
_NOTIFIED = 100
"""Recipients of notifications, where they are several."""


class Context:
    """The world that requests are about, and who makes them."""

    def __init__(self, sizes: Sizes, keys: Keys, url: str, seed: int) -> None:
        self.sizes = sizes
        self._tokens = Tokens(keys, WallClock())
        self.random = Random(seed)  # noqa: S311
        self.url = url
        self.names = _names(url)

    def token(self, number: int) -> str:
        """An access token of a user, good for the next quarter of an hour."""
        return self._tokens.issue(world.user(number), world.session(number))

    def admin(self) -> dict[str, str]:
        """The header for an admin."""
        token = self._tokens.issue(world.user(0), world.session(0), "admin")
        return {"Authorization": f"Bearer {token}"}

    @property
    def regulars(self) -> list[int]:
        """Users with as many ratings and notifications as world.py says, who only read."""
        return list(range(min(_TOKENS, self.sizes.regulars)))

    @property
    def writers(self) -> list[int]:
        """Users who write, none of them regulars or authors."""
        first = self.sizes.regulars + self.sizes.authors
        return list(range(first, min(first + _TOKENS, self.sizes.users)))

    def caller(self, number: int) -> dict[str, str]:
        """The header for a user."""
        return {"Authorization": f"Bearer {self.token(number)}"}


def _nothing(context: Context) -> list[Request]:
    return []


class Operation(NamedTuple):
    """One line of the table. `script` gives the Lua text of one run against the server at a port,
    `reads` the requests of a read, nothing for others. `compared`: the floor and the peer have it
    too."""

    key: str
    title: str
    status: int
    connections: int
    script: Callable[[Context, int], str]
    reads: Callable[[Context], list[Request]] = _nothing
    compared: bool = False


def read(
    key: str,
    title: str,
    reads: Callable[[Context], list[Request]],
    *,
    compared: bool = False,
    connections: int = BUSY,
) -> Operation:
    """A read, with its requests."""

    def script(context: Context, port: int) -> str:
        return wrk.of_requests(reads(context))

    return Operation(key, title, 200, connections, script, reads, compared)


def unchanged(operation: Operation) -> Operation:
    """The same read, by a client that has what it asks for: 304. The tags are the server's own."""

    def script(context: Context, port: int) -> str:
        tagged = []
        with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            for request in operation.reads(context)[:_TAGGED]:
                connection.request("GET", request.path, headers=request.headers)
                answer = connection.getresponse()
                answer.read()
                tag = answer.getheader("ETag", "")
                headers = {**request.headers, "If-None-Match": tag}
                tagged.append(Request("GET", request.path, headers))
        return wrk.of_requests(tagged)

    key, title = f"{operation.key}-304", f"{operation.title}, 304"
    return Operation(key, title, 304, operation.connections, script)


def _info(context: Context) -> list[Request]:
    users = (context.random.randrange(context.sizes.users) for _ in range(_VARIANTS))
    return [Request("GET", f"{API}/user/{world.user(user)}/info") for user in users]


def _contents(context: Context) -> list[Request]:
    first, authors = context.sizes.regulars, context.sizes.authors
    chosen = (first + context.random.randrange(authors) for _ in range(_VARIANTS))
    return [Request("GET", f"{API}/user/{world.user(author)}/content") for author in chosen]


def _comments(context: Context) -> list[Request]:
    requests = []
    for _ in range(_VARIANTS):
        number = context.random.randrange(context.sizes.active)
        number += number // (world.HIDDEN_EVERY - 1)
        page = context.random.randrange(context.sizes.pages(number))
        path = f"{API}/content/{world.content(number)}/comments"
        requests.append(Request("GET", f"{path}?size={world.PAGE}&page={page}"))
    return requests


def _notifications(context: Context) -> list[Request]:
    callers = {user: context.caller(user) for user in context.regulars}
    requests = []
    for _ in range(_VARIANTS):
        user = context.random.choice(context.regulars)
        after = context.random.randrange(world.NOTIFIED - 20)
        path = f"{API}/user/{world.user(user)}/notifications?after={after}&limit=20"
        requests.append(Request("GET", path, callers[user]))
    return requests


def _ratings(context: Context) -> list[Request]:
    return [
        Request("GET", f"{API}/user/{world.user(user)}/ratings", context.caller(user))
        for user in context.random.sample(context.regulars, len(context.regulars))
    ]


def _content_files(context: Context) -> list[Request]:
    """Of any content, for anybody: most of them download it for the first time on this day."""
    callers = [context.caller(user) for user in context.writers]
    requests = []
    for _ in range(_VARIANTS):
        content = world.active_content(context.random.randrange(context.sizes.active))
        path = f"{API}/content/{content}/files"
        requests.append(Request("GET", path, context.random.choice(callers)))
    return requests


def _search(queries: Callable[[Context], list[str]]) -> Callable[[Context], list[Request]]:
    def requests(context: Context) -> list[Request]:
        found = queries(context)
        context.random.shuffle(found)
        return [Request("GET", f"{API}/user/search?q={quote(query)}") for query in found]

    return requests


def _beginnings(context: Context) -> list[str]:
    return [name[:3].lower() for name in context.names]


def _misspelt(context: Context) -> list[str]:
    queries = []
    for name in context.names:
        if len(name) >= _LONG:
            at = context.random.randrange(2, len(name) - 3)
            # Two letters changed places, and the last is there twice.
            queries.append(name[:at] + name[at + 1] + name[at] + name[at + 2 :] + name[-1])
    return queries


def _names(url: str) -> list[str]:
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        # Every so many of them in the order of the ids, which are scattered.
        cursor.execute(
            "select username from (select username, row_number() over (order by id) as n"
            " from users) as u where n %% (select 1 + count(*) / 1000 from users) = 0",
            (),
        )
        return [name for (name,) in cursor.fetchall()]


_RATE = f"""
    local writer, content = pick(writers), pick(contents)
    return "PUT", "{API}/user/" .. writer[1] .. "/rating/" .. content, writer[2],
        '{{"value":"' .. math.random(0, 1) .. '"}}'
"""
_PLAY = f"""
    local writer, content = pick(writers), pick(contents)
    return "POST", "{API}/user/" .. writer[1] .. "/plays", writer[2],
        '{{"id":"' .. guid() .. '","content":"' .. content .. '","seconds":' ..
        math.random(1, 3600) .. ',"completed":true}}'
"""
_SAVE = f"""
    local writer = pick(writers)
    return "PUT", "{API}/user/" .. writer[1] .. "/progress/save-" .. math.random(1, 6), writer[2],
        '{{"value":{{"level":' .. math.random(1, 99) .. ',"coins":' .. math.random(1, 9999) ..
        ',"inventory":["rope","lantern","map","key"],"place":{{"x":12.5,"y":0.25,"z":-3.75}}}}}}'
"""
_COMMENT = f"""
    return "POST", "{API}/content/" .. pick(contents) .. "/comments", pick(writers)[2],
        '{{"body":"Nineteen floors, then a gust. More cranes, please! Number ' ..
        math.random(1, 999999) .. '"}}'
"""
_PARTS = """
    local parts, used = {}, {}
    for n = 1, 10 do
        parts[n] = '{"entityId":"' .. guid() .. '","revisionId":"' .. guid() ..
            '","path":"entities/new/' .. n .. '.bin"}'
        local core = pick(cores)
        used[n] = '{"entityId":"' .. core[1] .. '","revisionId":"' .. core[2] .. '"}'
    end
"""
_CREATE = f"""
    {_PARTS}
    return "PUT", "{API}/content/" .. guid(), pick(writers)[2],
        '{{"name":"Tilting Tower","description":"Stack it as high as it goes.","type":"game",' ..
        '"screenshotUris":["shots/new/1.png","shots/new/2.png"],"tags":["physics","co-op"],' ..
        '"revisionId":"' .. guid() .. '","revisionDescription":"The first one","version":"1.0",' ..
        '"entity":{{"entityId":"' .. guid() .. '","revisionId":"' .. guid() ..
        '","path":"entities/new/core.bin"}},"originating":[' .. table.concat(parts, ",") ..
        '],"using":[' .. table.concat(used, ",") .. ']}}'
"""
_FILES = f"""
    local at = math.random(#writers)
    local mine, first = digests[at], math.random(0, SETS - 1) * {PUBLISHED}
    local function path(n)
        local begin = (first + n) * 64 + 1
        local digest = string.sub(mine, begin, begin + 63)
        local extension = n < {PUBLISHED - PICTURES} and "" or ".png"
        return string.sub(digest, 1, 2) .. "BETWEEN" .. digest .. extension
    end
    local parts = {{}}
    for n = 1, {PUBLISHED - PICTURES - 1} do
        parts[n] = '{{"entityId":"' .. guid() .. '","revisionId":"' .. guid() ..
            '","path":"' .. path(n) .. '"}}'
    end
    local shots = {{}}
    for n = {PUBLISHED - PICTURES}, {PUBLISHED - 1} do
        shots[#shots + 1] = '"' .. path(n) .. '"'
    end
    return "PUT", "{API}/content/" .. guid(), writers[at][2],
        '{{"name":"Tilting Tower","description":"Stack it as high as it goes.","type":"game",' ..
        '"screenshotUris":[' .. table.concat(shots, ",") .. '],"tags":["physics","co-op"],' ..
        '"revisionId":"' .. guid() .. '","revisionDescription":"The first one","version":"1.0",' ..
        '"entity":{{"entityId":"' .. guid() .. '","revisionId":"' .. guid() ..
        '","path":"' .. path(0) .. '"}},"originating":[' .. table.concat(parts, ",") ..
        '],"using":[]}}'
"""
_REVISE = f"""
    local owned = pick(owned)
    {_PARTS}
    return "POST", "{API}/content/" .. owned[1] .. "/revisions", authors[owned[3]],
        '{{"revisionId":"' .. guid() .. '","revisionDescription":"Better","version":"2.0",' ..
        '"entity":{{"entityId":"' .. owned[2] .. '","revisionId":"' .. guid() ..
        '","path":"entities/new/core.bin"}},"originating":[' .. table.concat(parts, ",") ..
        '],"using":[' .. table.concat(used, ",") .. ']}}'
"""
_UPDATE = f"""
    local owned = pick(owned)
    return "PUT", "{API}/content/" .. owned[1], authors[owned[3]],
        '{{"screenshotUris":["shots/new/1.png","shots/new/2.png"],"description":"' .. TEXT .. '"}}'
"""
_TEXT = """(function()
        local words = {}
        for n = 1, 8191 do words[n] = string.format("%07x", math.random(0, 0xfffffff)) end
        return table.concat(words, " ")
    end)()"""
_NOTIFY = f"""
    return "POST", "{API}/debug/notify", pick(writers)[2],
        '{{"recipient":"' .. writers[math.random(RECIPIENTS)][1] ..
        '","text":"Your tower is the tallest of the week. Number ' .. math.random(1, 999999) ..
        '"}}'
"""


def _with_files(between: str) -> str:
    return _FILES.replace("BETWEEN", between).replace("SETS", str(world.SETS))


def _update(text: str) -> str:
    return _UPDATE.replace("TEXT", text)


def _long(context: Context) -> dict[str, object]:
    """Few contents, whose first update is the only one that changes anything, and its text."""
    found = owned(context)
    words = (f"{context.random.getrandbits(28):07x}" for _ in range(8191))
    return {**found, "owned": found["owned"][:_UPDATED], "long": " ".join(words)}


def _notify(recipients: int) -> str:
    return _NOTIFY.replace("RECIPIENTS", str(recipients))


def _votable(context: Context) -> dict[str, object]:
    active = context.sizes.active
    chosen = context.random.sample(range(active), min(_VOTABLE, active))
    return {"contents": [world.active_content(number) for number in chosen]}


def _cores(context: Context) -> dict[str, object]:
    # Those of hidden content would be refused, which the first of each fifty are not.
    chosen = range(0, context.sizes.contents, world.HIDDEN_EVERY)
    return {"cores": [world.core(number) for number in chosen[:_CORES]]}


def _digests(context: Context) -> dict[str, object]:
    """Those of each writer's files, as one text."""
    numbers = range(PUBLISHED * world.SETS)
    return {"digests": ["".join(world.digest(w, n) for n in numbers) for w in context.writers]}


def owned(context: Context) -> dict[str, Any]:
    """Contents with their core entities and authors. The last author, whom many follow, has none
    of them."""
    sizes = context.sizes
    authors = range(min(_TOKENS, sizes.authors - 1))
    owned = [
        (world.content(number), world.core(number)[0], author + 1)
        for author in authors
        for number in range(author * world.LISTED, (author + 1) * world.LISTED)[:_OWNED]
        if number % world.HIDDEN_EVERY != world.HIDDEN_EVERY - 1
    ]
    tokens = [context.token(sizes.regulars + author) for author in authors]
    return {"owned": owned, "authors": tokens, **_cores(context)}


def write(
    key: str,
    title: str,
    status: int,
    make: str,
    tables: Callable[[Context], dict[str, object]] = lambda context: {},
    *,
    compared: bool = False,
    connections: int = BUSY,
) -> Operation:
    """A write. `make` is the Lua text that makes a request, `tables` are its globals."""

    def script(context: Context, port: int) -> str:
        writers = [(world.user(user), context.token(user)) for user in context.writers]
        seed = context.random.randrange(2**31)
        return wrk.of_maker(make, seed, writers=writers, **tables(context))

    return Operation(key, title, status, connections, script, compared=compared)


READS = (
    read("info", "user info", _info, compared=True),
    read("contents", "content list of an author", _contents),
    read("comments", "page of 20 comments", _comments, compared=True),
    read("notifications", "20 notifications since a cursor", _notifications),
    read("ratings", "ratings map of 200", _ratings, compared=True),
    read("content-files", "files of a content", _content_files),
    read("search", "search, three letters", _search(_beginnings), connections=FEW),
    read("search-misspelt", "search, long and misspelt", _search(_misspelt), connections=FEW),
)
WRITES = (
    write("put-rating", "PUT rating", 204, _RATE, _votable, compared=True),
    write("play", "POST play", 204, _PLAY, _votable),
    write("put-progress", "PUT progress", 204, _SAVE),
    write("post-comment", "POST comment", 201, _COMMENT, _votable),
    write("put-content", "PUT content, 20 dependencies", 204, _CREATE, _cores),
    write(OURS, "PUT content, 20 paths of ours", 204, _with_files("/"), _digests),
    write(STUDIOS, "PUT content, 20 of the studio's", 204, _with_files("-"), _digests),
    write("post-revision", "POST revision, 20 dependencies", 201, _REVISE, owned),
    write(SAME, "PUT content, 64 KiB unchanged", 204, _update("long"), _long, connections=SOME),
    write(LONG, "PUT content, 64 KiB changed", 204, _update(_TEXT), owned, connections=SOME),
    write("notify", f"debug notify, {_NOTIFIED} recipients", 204, _notify(_NOTIFIED)),
    write("notify-one", "debug notify, one recipient", 204, _notify(1)),
)


def answer(port: int, request: Request) -> object:
    """The JSON that a server gives to one request."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request(request.method, request.path, request.body, request.headers)
        return json.loads(connection.getresponse().read())
