"""The signals between the parts of a daemon: which part sends each, and what it means.

contentsvc.app.daemon subscribes the parts, and what each domain has installed.
"""

from attrs import Factory, define

from contentsvc.framework.core.signals import Signal


@define(eq=False)
class Signals:
    """All signals of a process."""

    task_put: Signal[[]] = Factory(Signal)
    """This process has put a task, and that has committed."""
    shared_task_put: Signal[[]] = Factory(Signal)
    """The same for a task of which each process does a part before its time."""
    shared_task_announced: Signal[[]] = Factory(Signal)
    """Another process has put such a task (the relay)."""
    events_written: Signal[[]] = Factory(Signal)
    """This process may have written events that have no numbers yet."""
    events_awaited: Signal[[]] = Factory(Signal)
    """A reader waits for events, though this process has written none (the feed)."""
    events_numbered: Signal[[int]] = Factory(Signal)
    """This process has given events their numbers, up to this one (the feed)."""
    events_announced: Signal[[int]] = Factory(Signal)
    """Another process has given events their numbers, up to this one (the relay)."""
    users_restricted: Signal[[list[str]]] = Factory(Signal)
    """Another process has shut these users out of something (the relay)."""
    sessions_ended: Signal[[]] = Factory(Signal)
    """Sessions have ended, here or elsewhere (the revocation)."""
    commit_unknown: Signal[[]] = Factory(Signal)
    """A connection to the database is lost while it was in use: what ran on it may have committed,
    and nobody was notified (the pool)."""
    maintenance_read: Signal[[str]] = Factory(Signal)
    """It was read whether the service is closed, with the JSON of the function maintenance_now (the
    relay)."""
    reconciled: Signal[[]] = Factory(Signal)
    """This process has checked for notifications that were not announced (the reconciler)."""
    file_blocked: Signal[[]] = Factory(Signal)
    """Somebody has blocked a file."""
    file_stored: Signal[[]] = Factory(Signal)
    """The bytes of a file have come."""
    files_downloaded: Signal[[int, int]] = Factory(Signal)
    """So many files were handed out, with so many bytes."""
    content_downloaded: Signal[[str, str]] = Factory(Signal)
    """A user got the list of the files of a content."""
