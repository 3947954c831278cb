"""The people and things of `contentsvc demo`, and what is printed of them.

They are in world.json. People and contents are named by their keys, and what is a list happens in
its order; the code that reads a row names its columns.

All ids except those that the database gives are made from names. So a second run recognises the
world.
"""

from pathlib import Path
from string import Template
from typing import Any, Final
from uuid import UUID, uuid5

from msgspec import json

FOLDER: Final = Path(__file__).parent
TAGS: Final = FOLDER / "tags.toml"
"""The file of the option `tags` that has its groups."""
WORLD: Final[dict[str, Any]] = json.decode((FOLDER / "world.json").read_bytes())


def id_of(name: str) -> str:
    """The GUID of the demo's thing with this name."""
    return str(uuid5(UUID("f6f4ad6c-6b0a-4d0f-9f0e-6d0f3f0b7c11"), name))


def revision_of(content: str, number: int) -> str:
    """The id of a revision of a content. The first has the number 1."""
    return id_of(f"{content}/{number}")


def age(content: str) -> int:
    """How many days ago a content was published: they came one after the other."""
    names = list(WORLD["contents"])
    return int(WORLD["days_apart"]) * (len(names) - names.index(content))


def brought(content: str) -> list[str]:
    """The names of the entities that are published with a content, beside its core."""
    return [f"{content}/{part}" for part in WORLD["contents"][content].get("brings", ())]


def names() -> str:
    """All people, and who has a role."""
    roles = {name: person.get("role") for name, person in WORLD["people"].items()}
    return ", ".join(f"{name} ({role})" if role else name for name, role in roles.items())


def guide(base: str, media: str | None, secret: str, guest: str, *, portal: bool) -> list[str]:
    """Which log-ins to try, and where the parts of the world can be seen, a line for each. `base`
    is where the daemon is, `media` the URL of a picture, None if the service has no files;
    `secret` is that of the service account, `guest` that of a guest; `portal` says whether it has
    pages."""
    given = {name: id_of(name) for name in WORLD["contents"]}
    given |= {"service": id_of(WORLD["service"]), "collection": id_of(WORLD["collections"][0][1])}
    given |= {"base": base, "media": media or "", "secret": secret, "users": names()}
    given |= {"guest": guest, "guests": ", ".join(WORLD["playing"])}
    shown = {"portal": portal, "files": media is not None, "external": media is None, "": True}
    lines = []
    for line in (FOLDER / "guide.txt").read_text("utf-8").splitlines():
        # Before a bar is when the line is shown; after a hash, what is there, on a line of its own.
        when, _, text = line.rpartition("|")
        place, _, what = Template(text).substitute(given).partition(" # ")
        if shown[when]:
            lines += [place, f"    {what}"] if what else [place]
    return lines
