"""The family of progress data."""

from contentsvc.api.progress.progress import Progress
from contentsvc.app.context import Context, Installed
from contentsvc.framework.http.operations import Family

ABOUT = "Data that a game keeps for its players."
FAMILIES = (Family("progress", Progress),)


def install(context: Context) -> Installed:
    """Install it."""
    settings = context.settings
    return Installed(
        [Progress(context.db, keys=settings.progress_keys, bytes=settings.progress_bytes)]
    )
