"""The bodies, forms and queries of all operations."""

import inspect
from collections.abc import Iterator
from typing import Any, get_args, get_origin

from msgspec import Struct, structs
from twisted.trial.unittest import SynchronousTestCase

from contentsvc.api.families import OPERATIONS
from contentsvc.web.type_descriptions import wanted
from contentsvc.wire.progress import ProgressText

Steps = tuple[str | int, ...]


def members(hint: Any, steps: Steps = ()) -> Iterator[Steps]:
    """The places in a type's values, each as names and indexes."""
    if inspect.isclass(hint) and issubclass(hint, Struct):
        for field in structs.fields(hint):
            yield (*steps, field.encode_name)
            yield from members(field.type, (*steps, field.encode_name))
    elif get_origin(hint) is list:
        yield (*steps, 0)
        yield from members(get_args(hint)[0], (*steps, 0))
    else:
        for part in get_args(hint):
            yield from members(part, steps)


class WordsTests(SynchronousTestCase):
    def test_members(self) -> None:
        """For each member, the words of its type can follow "This must be"."""
        inputs = {
            hint: None
            for operation in OPERATIONS
            for hint in (*operation.route.bodies, operation.route.form, operation.route.query)
            if hint is not None
        }
        for hint in inputs:
            for steps in members(hint):
                if (hint, steps) != (ProgressText, ("value",)):  # which has a check of its own
                    words = wanted(hint, steps) or ""
                    self.assertRegex(words, r'^(an? |one of |true or false|")', (hint, steps))
