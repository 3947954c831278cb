"""The family of progress data."""

from contentsvc.api.context import Context
from contentsvc.api.progress.progress import Progress


def install(context: Context) -> list[object]:
    """Make the family."""
    settings = context.settings
    return [Progress(context.db, keys=settings.progress_keys, bytes=settings.progress_bytes)]
