"""The texts of mails, which an operator can replace (extensions §8).

A text is a file: a line `Subject: …`, an empty line, and the body. `$username` and the like stand
for what differs; `$$` is a dollar sign.

Anybody can register with the address of somebody else, and with a name that mail programs show as a
link. So a mail to an address that its owner has not confirmed has NOBODY instead of the name.
"""

from collections.abc import Mapping
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import Final, NamedTuple

_ALL: Final = frozenset({"username", "email"})
_LINK: Final = _ALL | {"link"}
_ISSUERS: Final = _ALL | {"issuer", "linked"}
TEXTS: Final[Mapping[str, frozenset[str]]] = {
    "reset": _LINK | {"linked"},
    "confirm": _LINK,
    "change": _LINK,
    "changed": _ALL,
    "linked": _ISSUERS,
    "unlinked": _ISSUERS,
}
"""The texts by their names, and the placeholders that each may have."""
NOBODY: Final = "player"
"""`$username` where nobody has confirmed that the address is the account's."""
MOST: Final = 64 * 1024
"""Most bytes of a file."""


class TextsError(Exception):
    """A text cannot be used: `str()` is one line with its file and the reason."""


class Text(NamedTuple):
    """One text."""

    subject: Template
    body: Template

    def fill(self, values: Mapping[str, str]) -> tuple[str, str]:
        """The subject and the body with these values."""
        return self.subject.substitute(values), self.body.substitute(values)


def load(folder: Path | None) -> dict[str, Text]:
    """All texts: the files of `folder`, and ours where it has none. Raises TextsError."""
    own = {} if folder is None else _own(folder)
    return {name: own.get(name) or _ours(name) for name in TEXTS}


def _ours(name: str) -> Text:
    text = files(__package__).joinpath("mail_texts", f"{name}.txt").read_text("utf-8")
    return parse(name, text)


def _own(folder: Path) -> dict[str, Text]:
    found = {}
    try:
        paths = sorted(folder.iterdir())
    except OSError as error:
        raise TextsError(f"{folder}: {error.strerror}") from None
    for path in paths:
        if path.suffix != ".txt":
            continue
        if path.stem not in TEXTS:
            known = ", ".join(f"{name}.txt" for name in TEXTS)
            raise TextsError(f"{path}: there is no such text; there are {known}")
        try:
            with path.open("rb") as file:
                raw = file.read(MOST + 1)
            if len(raw) > MOST:
                raise ValueError(f"it is longer than {MOST // 1024} KiB")
            found[path.stem] = parse(path.stem, raw.decode())
        except OSError as error:
            raise TextsError(f"{path}: {error.strerror}") from None
        except UnicodeDecodeError:
            raise TextsError(f"{path}: it is not UTF-8") from None
        except ValueError as error:
            raise TextsError(f"{path}: {error}") from None
    return found


def parse(name: str, text: str) -> Text:
    """The text of this name. Raises ValueError, whose text follows the name of the file."""
    lines = text.removeprefix("\ufeff").splitlines()
    subject = lines[0].removeprefix("Subject:").strip() if lines else ""
    if not subject or not lines[0].startswith("Subject:") or not subject.isprintable():
        raise ValueError("the first line must be `Subject: …`")
    body = "\n".join(lines[1:]).strip()
    made = Text(Template(subject), Template(f"{body}\n"))
    for template in made:
        if not template.is_valid():
            raise ValueError("it has a $ without the name of a placeholder; $$ is a dollar sign")
        if unknown := sorted({*template.get_identifiers()} - TEXTS[name]):
            known = ", ".join(f"${word}" for word in sorted(TEXTS[name]))
            raise ValueError(f"it has the unknown placeholder ${unknown[0]}; there are {known}")
    if "link" in TEXTS[name] and "link" not in made.body.get_identifiers():
        raise ValueError("the body must have $link")
    return made
