"""The dearest requests that one account, or nobody, can send: what an attack is made of.

Each attack makes, for one of its connections, what sends one request. What it needs is made first.
"""

from collections.abc import Callable, Iterator, Mapping
from itertools import count, cycle
from random import Random
from typing import Any, Final
from urllib.parse import quote
from uuid import uuid4

from PIL import Image

from tests.support import pictures

from .callers import API, Caller, published, revision, upload

PARTS: Final = 4000
"""Parts of a pre-check and of a revision; 4,096 are the most."""
FILES: Final = 1000
"""Files of one announcement: the most."""
PAGE: Final = 40
"""Contents whose attributes are as long as they may be: more than a part of a list has."""
_LONG: Final = {f"key-{n:02}": "\u20ac" * 256 for n in range(32)}
_REFUSED: Final = (400, 403, 409, 413, 422, 429, 503)

Send = Callable[[], None]
Attack = Callable[[Caller, Random], Send]


def _search(length: int) -> Attack:
    def made(caller: Caller, random: Random) -> Send:
        def send() -> None:
            # Parts of many names: what is like them has to be compared with most users.
            text = "".join(random.choice("bdfgkmnrst") + random.choice("aeiou") for _ in range(128))
            path = f"{API}/user/search?q={quote(text[:length])}"
            caller.ask("GET", path, None, *_REFUSED)

        return send

    return made


def _again(caller: Caller, method: str, path: str, bodies: Iterator[Any]) -> Send:
    return lambda: caller.ask(method, f"{API}/{path}", next(bodies), *_REFUSED)


def _infos(caller: Caller, random: Random) -> Send:
    """No attack, but ordinary reads, with which the others compare."""
    return _again(caller, "GET", f"user/{caller.user}/info", cycle([None]))


def _entities(number: int) -> list[dict[str, str]]:
    return [{"entityId": str(uuid4()), "revisionId": str(uuid4())} for _ in range(number)]


def _prechecks(caller: Caller, random: Random) -> Send:
    body = {"contentId": str(uuid4()), "operation": "create", "dependencies": _entities(PARTS)}
    return _again(caller, "POST", "content/upload-precheck", cycle([{**body, "packages": []}]))


def _lists(caller: Caller, random: Random) -> Send:
    for _ in range(PAGE):
        published(caller, attributes=_LONG)
    return _again(caller, "GET", f"content?author={caller.user}&limit=200", cycle([None]))


def _collections(caller: Caller, random: Random) -> Send:
    collection = f"collections/{uuid4()}"
    own = f"{API}/user/{caller.user}/{collection}"
    caller.ask("PUT", own, {"name": "Castles", "public": True})
    for _ in range(PAGE):
        content = published(caller, attributes=_LONG)
        caller.ask("PUT", f"{own}/items/{content}", {})
    return _again(caller, "GET", f"{collection}/items?limit=200", cycle([None]))


def _rollbacks(caller: Caller, random: Random) -> Send:
    core = upload(caller, "entity", uuid4().bytes)
    parts = [[{**each, "path": core} for each in _entities(PARTS)] for _ in range(2)]
    first, second = ({**revision(core), "originating": each} for each in parts)
    content = published(caller, **first)
    caller.ask("POST", f"{API}/content/{content}/revisions", {**second, "version": "2"})
    bodies = cycle({"revisionId": each["revisionId"]} for each in (first, second))
    return _again(caller, "PUT", f"content/{content}/revisions/current", bodies)


def _announcements(caller: Caller, random: Random) -> Send:
    files = [
        {"use": "entity", "sha256": random.randbytes(32).hex(), "size": 10} for _ in range(FILES)
    ]
    return _again(caller, "POST", "uploads", cycle([{"files": files}]))


def _profiles(caller: Caller, random: Random) -> Send:
    bodies = (
        {
            "avatar": None,
            "emblem": None,
            "fullProfile": {"profile": f"{n} " * 1000},
            "publicProfile": {"profile": f"{n}"},
        }
        for n in count()
    )
    return _again(caller, "PUT", f"user/{caller.user}", bodies)


def _exports(caller: Caller, random: Random) -> Send:
    for _ in range(PAGE):
        published(caller, attributes=_LONG)
    return _again(caller, "GET", f"user/{caller.user}/export", cycle([None]))


def _bomb(random: Random) -> tuple[bytes, str]:
    picture = Image.new("RGB", (5790, 5790), (random.randrange(256), 0, 0))
    return pictures.written(picture), pictures.PNG


def _noise(wide: int, tall: int) -> Image.Image:
    return Image.effect_noise((600, 400), 90).resize((wide, tall))


def _cut(kind: str) -> Callable[[Random], tuple[bytes, str]]:
    def made(random: Random) -> tuple[bytes, str]:
        whole = pictures.written(_noise(3000, 2000), kind)
        return whole[: len(whole) // 2], kind

    return made


def _turned(random: Random) -> tuple[bytes, str]:
    exif = Image.Exif()
    exif[0x0112] = random.randint(2, 8)
    return pictures.written(_noise(4000, 3000), pictures.JPEG, exif=exif), pictures.JPEG


HOSTILE_PICTURES: Final[Mapping[str, Callable[[Random], tuple[bytes, str]]]] = {
    "33 million pixels in some KB": _bomb,
    "9000 x 9000 pixels": lambda random: (pictures.png(9000, 9000), pictures.PNG),
    "PNG, cut off": _cut(pictures.PNG),
    "JPEG, cut off": _cut(pictures.JPEG),
    "turned by EXIF": _turned,
    "thousands of scans": lambda random: (pictures.many_scans(), pictures.JPEG),
    "a header alone": lambda random: (pictures.webp(8000, 4000), pictures.WEBP),
}
"""What makes each kind of picture: its bytes and their type."""


def _pictures(caller: Caller, random: Random) -> Send:
    made = [make(random) for make in HOSTILE_PICTURES.values() for _ in range(3)]
    random.shuffle(made)
    turn = cycle(made)

    def send() -> None:
        upload(caller, "screenshot", *next(turn), *_REFUSED)

    return send


ATTACKS: Final[Mapping[str, Attack]] = {
    "infos": _infos,
    "search-256": _search(256),
    "search-64": _search(64),
    "search-32": _search(32),
    "prechecks": _prechecks,
    "lists": _lists,
    "collections": _collections,
    "rollbacks": _rollbacks,
    "announcements": _announcements,
    "profiles": _profiles,
    "exports": _exports,
    "pictures": _pictures,
}
"""By the names that the command takes."""
