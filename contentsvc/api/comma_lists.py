"""Query parameters that are comma lists."""

from collections.abc import Sequence

from contentsvc.framework.http.errors import at_parameter
from contentsvc.framework.http.guids import is_guid
from contentsvc.wire.base import MOST_IDS


def choice(parameter: str, text: str, allowed: Sequence[str]) -> list[str]:
    """The words of a list; all allowed ones for `all`. Raises InvalidQuery."""
    if text == "all":
        return list(allowed)
    chosen = words(text)
    for word in chosen:
        if word not in allowed:
            raise at_parameter(
                parameter, f"This must be all, or a comma-separated list of {', '.join(allowed)}."
            )
    return chosen


def ids(parameter: str, text: str) -> list[str]:
    """The GUIDs of a list of at most MOST_IDS, each once, in lower case. Raises InvalidQuery."""
    found = words(text.lower())
    if text.count(",") >= MOST_IDS or not all(map(is_guid, found)):
        raise at_parameter(
            parameter, f"This must be a comma-separated list of 1 to {MOST_IDS} GUIDs with dashes."
        )
    return found


def words(text: str) -> list[str]:
    """The words of a list, each once, in their order."""
    return list(dict.fromkeys(word.strip() for word in text.split(",")))
