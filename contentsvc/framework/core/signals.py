"""Signals: one part of a process sends them to others, and neither knows the other."""

from collections.abc import Callable
from typing import Generic, ParamSpec

P = ParamSpec("P")


class Signal(Generic[P]):
    """Something that happens. The part that knows of it calls the signal, which calls its
    subscribers in the order in which they subscribed."""

    def __init__(self) -> None:
        self._subscribers: list[Callable[P, object]] = []

    def subscribe(self, subscriber: Callable[P, object]) -> None:
        """Have it called from now on, each time."""
        self._subscribers.append(subscriber)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> None:
        """It has happened. What a subscriber raises comes out: the later ones are not called."""
        for subscriber in self._subscribers:
            subscriber(*args, **kwargs)
