"""The family of progress data."""

from contentsvc.api.context import Context
from contentsvc.api.progress.progress import Progress
from contentsvc.framework.http.operations import Family

ABOUT = "Data that a game keeps for its players."
FAMILIES = (Family("progress", Progress),)


def install(context: Context) -> list[object]:
    """Make the family."""
    settings = context.settings
    return [Progress(context.db, keys=settings.progress_keys, bytes=settings.progress_bytes)]
