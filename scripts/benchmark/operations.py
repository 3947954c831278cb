"""The operations of the first table: the requests that wrk sends."""

from collections.abc import Callable, Iterable
from contextlib import closing
from http.client import HTTPConnection
from typing import Any, NamedTuple
from urllib.parse import quote

from . import ids, wrk
from .context import Context
from .ids import PICTURES, PUBLISHED
from .wrk import Request

API = "/api/v1"
BUSY = 32
"""Connections that keep one process busy."""
FEW = 2
"""Connections of a search, which keeps the database busy: with more, its latency would be that
of a queue."""
_VARIANTS = 10_000
"""Different requests of a read, so that it is not the same few rows again and again."""
_VOTABLE, _CORES, _OWNED = 20_000, 2_000, 5
"""Contents that are rated and commented, cores that are used, and contents of each author that get
revisions, at most: wrk takes no more."""
_CONVERSATIONS = 1000
"""Pairs of friends who write to each other."""
_TAGGED = 300
"""Different requests of a read with If-None-Match."""
_NOTIFIED = 100
"""Recipients of notifications, where they are several."""


class Operation(NamedTuple):
    """One line of the table. `script` gives the Lua text of one run, for the daemon at a port."""

    key: str
    title: str
    status: int
    connections: int
    script: Callable[[Context, int], str]


Reads = Callable[[Context], list[Request]]


def read(key: str, title: str, reads: Reads, connections: int = BUSY) -> Operation:
    """A read, with its requests."""

    def script(context: Context, port: int) -> str:
        return wrk.of_requests(reads(context))

    return Operation(key, title, 200, connections, script)


def unchanged(key: str, title: str, reads: Reads) -> Operation:
    """The same read, by a client that has what it asks for: 304. The tags are the daemon's own."""

    def script(context: Context, port: int) -> str:
        tagged = []
        for request in reads(context)[:_TAGGED]:
            tag = {"If-None-Match": header(port, request, "ETag")}
            tagged.append(Request("GET", request.path, request.headers | tag))
        return wrk.of_requests(tagged)

    return Operation(f"{key}-304", f"{title}, 304", 304, BUSY, script)


def header(port: int, request: Request, name: str) -> str:
    """A header of the answer to a GET; "" if it has none."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        connection.request("GET", request.path, headers=request.headers)
        return connection.getresponse().getheader(name, "")


def write(
    key: str,
    title: str,
    status: int,
    make: str,
    tables: Callable[[Context], dict[str, object]] = lambda context: {},
) -> Operation:
    """A write. `make` is the Lua text that makes a request, `tables` are its globals."""

    def script(context: Context, port: int) -> str:
        writers = [(ids.user(user), context.token(user)) for user in context.writers]
        seed = context.random.randrange(2**31)
        return wrk.of_maker(make, seed, writers=writers, **tables(context))

    return Operation(key, title, status, BUSY, script)


def _info(context: Context) -> list[Request]:
    users = (context.random.randrange(context.sizes.users) for _ in range(_VARIANTS))
    return [Request("GET", f"{API}/user/{ids.user(user)}/info") for user in users]


def _contents(context: Context) -> list[Request]:
    first, authors = context.sizes.regulars, context.sizes.authors
    chosen = (first + context.random.randrange(authors) for _ in range(_VARIANTS))
    return [Request("GET", f"{API}/user/{ids.user(author)}/content") for author in chosen]


def _comments(context: Context) -> list[Request]:
    requests = []
    for _ in range(_VARIANTS):
        number = context.random.randrange(context.sizes.active)
        number += number // (ids.HIDDEN_EVERY - 1)
        page = context.random.randrange(context.sizes.pages(number))
        path = f"{API}/content/{ids.content(number)}/comments"
        requests.append(Request("GET", f"{path}?size={ids.PAGE}&page={page}"))
    return requests


def _notifications(context: Context) -> list[Request]:
    callers = {user: context.caller(user) for user in context.regulars}
    requests = []
    for _ in range(_VARIANTS):
        user = context.random.choice(context.regulars)
        after = context.random.randrange(ids.NOTIFIED - 20)
        path = f"{API}/user/{ids.user(user)}/notifications?after={after}&limit=20"
        requests.append(Request("GET", path, callers[user]))
    return requests


def _own(list_of: str) -> Reads:
    """A list that only the user reads."""

    def requests(context: Context) -> list[Request]:
        return [
            Request("GET", f"{API}/user/{ids.user(user)}/{list_of}", context.caller(user))
            for user in context.regulars
        ]

    return requests


def _content_files(context: Context) -> list[Request]:
    """Of any content, for anybody: most of them download it for the first time on this day."""
    callers = [context.caller(user) for user in context.writers]
    requests = []
    for _ in range(_VARIANTS):
        content = ids.active_content(context.random.randrange(context.sizes.active))
        path = f"{API}/content/{content}/files"
        requests.append(Request("GET", path, context.random.choice(callers)))
    return requests


def _searches(context: Context, queries: Iterable[str]) -> list[Request]:
    found = list(queries)
    context.random.shuffle(found)
    return [Request("GET", f"{API}/user/search?q={quote(query)}") for query in found]


def _beginnings(context: Context) -> list[Request]:
    return _searches(context, (name[:3].lower() for name in context.names))


def _misspelt(context: Context) -> list[Request]:
    queries = []
    for name in context.names:
        if len(name) > 10:
            at = context.random.randrange(2, len(name) - 3)
            # Two letters changed places, and the last is there twice.
            queries.append(name[:at] + name[at + 1] + name[at] + name[at + 2 :] + name[-1])
    return _searches(context, queries)


def _challenges(context: Context) -> list[Request]:
    return [Request("GET", f"{API}/design-challenges")]


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
_BODY = """
        '{"body":"Nineteen floors, then a gust. More cranes, please! Number ' ..
        math.random(1, 999999) .. '"}'
"""
_COMMENT = f"""
    return "POST", "{API}/content/" .. pick(contents) .. "/comments", pick(writers)[2], {_BODY}
"""
_OWN_COMMENT = f"""
    local it = pick(owned)
    return "POST", "{API}/content/" .. it[1] .. "/comments", authors[it[3]], {_BODY}
"""
_MESSAGE = f"""
    local it = pick(friends)
    return "POST", "{API}/user/" .. it[1] .. "/friend/" .. it[3] .. "/messages", it[2],
        '{{"text":"Your tower is the tallest of the week. Number ' .. math.random(1, 999999) ..
        '"}}'
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
_PUBLICATION = f"""
    return "PUT", "{API}/content/" .. guid(), writer[2],
        '{{"name":"Tilting Tower","description":"Stack it as high as it goes.","type":"game",' ..
        '"screenshotUris":[' .. table.concat(shots, ",") .. '],"tags":["physics","co-op"],' ..
        '"revisionId":"' .. guid() .. '","revisionDescription":"The first one","version":"1.0",' ..
        '"entity":{{"entityId":"' .. guid() .. '","revisionId":"' .. guid() ..
        '","path":"' .. core .. '"}},"originating":[' .. table.concat(parts, ",") ..
        '],"using":[' .. table.concat(used, ",") .. ']}}'
"""
_CREATE = f"""
    {_PARTS}
    local writer, core = pick(writers), "entities/new/core.bin"
    local shots = {{'"shots/new/1.png"', '"shots/new/2.png"'}}
    {_PUBLICATION}
"""
_FILES = f"""
    local at = math.random(#writers)
    local first = math.random(0, {ids.SETS - 1}) * {PUBLISHED}
    local function path(n)
        local begin = (first + n) * 64 + 1
        local digest = string.sub(digests[at], begin, begin + 63)
        local extension = n < {PUBLISHED - PICTURES} and "" or ".png"
        return string.sub(digest, 1, 2) .. "/" .. digest .. extension
    end
    local writer, core, parts, shots, used = writers[at], path(0), {{}}, {{}}, {{}}
    for n = 1, {PUBLISHED - PICTURES - 1} do
        parts[n] = '{{"entityId":"' .. guid() .. '","revisionId":"' .. guid() ..
            '","path":"' .. path(n) .. '"}}'
    end
    for n = {PUBLISHED - PICTURES}, {PUBLISHED - 1} do
        shots[#shots + 1] = '"' .. path(n) .. '"'
    end
    {_PUBLICATION}
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
_NOTIFY = f"""
    return "POST", "{API}/debug/notify", pick(writers)[2],
        '{{"recipient":"' .. writers[math.random(RECIPIENTS)][1] ..
        '","text":"Your tower is the tallest of the week. Number ' .. math.random(1, 999999) ..
        '"}}'
"""


def _notify(recipients: int) -> str:
    return _NOTIFY.replace("RECIPIENTS", str(recipients))


def _votable(context: Context) -> dict[str, object]:
    active = context.sizes.active
    chosen = context.random.sample(range(active), min(_VOTABLE, active))
    return {"contents": [ids.active_content(number) for number in chosen]}


def _cores(context: Context) -> dict[str, object]:
    # Those of hidden content would be refused, which the first of each fifty are not.
    chosen = range(0, context.sizes.contents, ids.HIDDEN_EVERY)
    return {"cores": [ids.core(number) for number in chosen[:_CORES]]}


def _digests(context: Context) -> dict[str, object]:
    """Those of each writer's files, as one text."""
    numbers = range(PUBLISHED * ids.SETS)
    return {"digests": ["".join(ids.digest(w, n) for n in numbers) for w in context.writers]}


def _owned(context: Context) -> dict[str, Any]:
    """Contents with their core entities and authors. The last author, whom many follow, has none
    of them."""
    sizes = context.sizes
    authors = range(min(ids.WRITERS, sizes.authors - 1))
    owned = [
        (ids.content(number), ids.core(number)[0], author + 1)
        for author in authors
        for number in range(author * ids.LISTED, (author + 1) * ids.LISTED)[:_OWNED]
        if number % ids.HIDDEN_EVERY != ids.HIDDEN_EVERY - 1
    ]
    tokens = [context.token(sizes.regulars + author) for author in authors]
    return {"owned": owned, "authors": tokens, **_cores(context)}


def _friends(context: Context) -> dict[str, object]:
    """Regulars, their tokens, and a friend of each."""
    tokens = {regular: context.token(regular) for regular in context.regulars}
    pairs = []
    for _ in range(_CONVERSATIONS):
        regular = context.random.choice(context.regulars)
        friend = context.sizes.friend(regular, context.random.randrange(ids.FRIENDS))
        pairs.append((ids.user(regular), tokens[regular], ids.user(friend)))
    return {"friends": pairs}


_CACHED = (
    ("info", "user info", _info),
    ("contents", "content list of an author", _contents),
    ("comments", "page of 20 comments", _comments),
    ("notifications", "20 notifications since a cursor", _notifications),
    ("ratings", "ratings map of 200", _own("ratings")),
    ("content-files", "files of a content", _content_files),
)
"""Reads that are measured with If-None-Match too."""
READS = (
    *(read(*each) for each in _CACHED),
    *(unchanged(*each) for each in _CACHED),
    read("search", "search, three letters", _beginnings, FEW),
    read("search-misspelt", "search, long and misspelt", _misspelt, FEW),
    read("friends", "list of 200 friends", _own("friends?limit=200"), FEW),
    read("following", "list of who is followed", _own("following")),
    read("followers", "list of followers", _own("followers")),
    read("sessions", "list of sessions", _own("sessions")),
    read("progress", "list of progress", _own("progress")),
    read("challenges", "list of challenges", _challenges),
)
WRITES = (
    write("put-rating", "PUT rating", 204, _RATE, _votable),
    write("play", "POST play", 204, _PLAY, _votable),
    write("put-progress", "PUT progress", 204, _SAVE),
    write("post-comment", "POST comment", 201, _COMMENT, _votable),
    write("post-comment-own", "POST comment on own content", 201, _OWN_COMMENT, _owned),
    write("message", "message to a friend", 201, _MESSAGE, _friends),
    write("put-content", "PUT content, 20 dependencies", 204, _CREATE, _cores),
    write("put-content-ours", "PUT content, 20 paths of ours", 204, _FILES, _digests),
    write("post-revision", "POST revision, 20 dependencies", 201, _REVISE, _owned),
    write("notify", f"debug notify, {_NOTIFIED} recipients", 204, _notify(_NOTIFIED)),
    write("notify-one", "debug notify, one recipient", 204, _notify(1)),
)
