"""What a task is: a thing to do once its cause has committed, with all that has to be known for it.

A service declares its tasks as subclasses of Task and Effect. A task has the JSON of its row as
fields, and its class's tag as its kind, so that a row can be read by another release: give a new
field a default.
"""

from typing import Final, NamedTuple

from msgspec import Struct, json

STEPS: Final = "steps"
"""The queue of all steps. Each kind of effects has a queue by its name."""


class Encoded(NamedTuple):
    """A task as its row has it."""

    queue: str
    kind: str
    task: str
    topic: str | None


class Task(Struct, tag_field="kind", rename="camel", kw_only=True, frozen=True):
    """Something to do in steps, each a transaction, with all that a step has to know."""

    @property
    def topic(self) -> str | None:
        """What it is about, if tasks about it must be done one after the other, in the order in
        which they were put."""
        return None


class Effect(Task, frozen=True):
    """Something to do outside of the database, by one process at a time."""


def kind_of(task: Task | type[Task]) -> str:
    """The kind of a task, as its row has it."""
    return str(task.__struct_config__.tag)


def encoded(task: Task) -> Encoded:
    """The columns of a task's row."""
    kind = kind_of(task)
    queue = kind if isinstance(task, Effect) else STEPS
    return Encoded(queue, kind, json.encode(task).decode(), task.topic)
