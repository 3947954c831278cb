"""A model of many processes on one clock: relays and reconcilers as in production, and a memory
bus.

Commits, deaths and broken connections come at random. The model knows when each notification was
committed, and when each process with its user's socket got it.
"""

from collections.abc import Callable, Iterable
from heapq import heappop, heappush
from itertools import count
from random import Random
from typing import Any, NamedTuple

from twisted.internet.defer import Deferred
from twisted.internet.task import deferLater

from contentsvc.push.bus import ProcessReport
from contentsvc.push.reconcile import Reconciler
from contentsvc.push.relay import Relay
from contentsvc.push.streams import PARTS
from tests.push.memory_bus import Exchange, MemoryBus

CHECKED = 500
"""Users whom one statement reads."""
CHECK = 0.5
"""Seconds that a full check of a process takes."""
AGAIN = 2.0
"""Seconds after which a process that has died is replaced."""
ORPHAN = 1.5
"""Most seconds after its process's death that a statement commits: it waited for a lock."""


class Agenda:
    """The clock of all: Twisted's own sorts its timers with each new one, and here are many."""

    def __init__(self) -> None:
        self._now = 0.0
        self._numbers = count()
        self._due: list[tuple[float, int, Callable[[], object]]] = []

    def seconds(self) -> float:
        return self._now

    def call(self, seconds: float, act: Callable[[], object]) -> None:
        """Call `act` after so many seconds."""
        heappush(self._due, (self._now + seconds, next(self._numbers), act))

    def run(self, seconds: float) -> None:
        """Let time pass."""
        end = self._now + seconds
        while self._due and self._due[0][0] <= end:
            self._now, _, act = heappop(self._due)
            act()
        self._now = end


class Later:
    """A timer of a process: it fires when the process runs."""

    def __init__(self, process: "Process", act: Callable[[], object]) -> None:
        self._process = process
        self._act = act
        self._active = True

    def fire(self) -> None:
        if self._process.frozen:
            self._process.late.append(self.fire)
        elif self._active and not self._process.dead:
            self._active = False
            self._act()

    def active(self) -> bool:
        return self._active

    def cancel(self) -> None:
        self._active = False


class Process:
    """A process: its reactor, its users' sockets, and how it ends."""

    def __init__(self, model: "Model") -> None:
        self._model = model
        self.frozen = self.dead = False
        self.thawed = -1.0
        """When it was frozen for the last time."""
        self.late: list[Callable[[], None]] = []
        self.users: dict[int, int] = {}
        """The number of the last notification that each user's sockets got."""
        self._part = 0
        self.bus = MemoryBus(model.exchange, self)
        self.report = ProcessReport()
        self.reconciler = Reconciler(self, self, self)
        self.relay = Relay(self, self.bus, self.report.report, self, random=model.random)

    def start(self) -> None:
        self.reconciler.start()
        Deferred.fromCoroutine(self.relay.start(self, self, self.reconciler))

    # Its reactor.

    def seconds(self) -> float:
        return self._model.clock.seconds()

    def callLater(self, seconds: float, act: Callable[..., object], *args: Any) -> Later:
        later = Later(self, lambda: act(*args))
        self._model.clock.call(seconds, later.fire)
        return later

    # Its pool.

    used = 0

    def busy(self, before: float) -> bool:
        return False

    # What happens to it.

    def die(self) -> None:
        """It is killed."""
        self.dead = True
        # The database closes its end.
        self._model.exchange.ends = [
            end for end in self._model.exchange.ends if end is not self.bus
        ]
        self._model.clock.call(AGAIN, lambda: self._model.replace(self))

    def freeze(self, seconds: float) -> None:
        """It stands still."""
        if not self.frozen and not self.dead:
            self.frozen = True
            self._model.clock.call(seconds, self._thaw)

    def _thaw(self) -> None:
        self.frozen, self.thawed = False, self.seconds()
        late, self.late = self.late, []
        for fire in late:
            fire()

    # Its hub and its revocation.

    def heard(self, sids: Iterable[str]) -> None: ...
    def changed(self, user: str) -> None: ...

    async def learn(self) -> None:
        self._model.statements += 1

    def noticed(self, user: str, seq: int) -> None:
        if self.frozen:
            self.late.append(lambda: self.noticed(user, seq))
        elif int(user) in self.users:
            self._model.got(self, int(user), seq)

    async def check(self) -> None:
        newest = dict.fromkeys(self.users, 0)
        for user in newest:
            newest[user] = self._model.newest(user)
        self._asked(len(newest))
        await deferLater(self, CHECK)  # type: ignore[arg-type]
        for user, seq in newest.items():
            self._model.got(self, user, seq)

    async def check_part(self) -> None:
        part = [user for place, user in enumerate(self.users) if place % PARTS == self._part]
        self._part = (self._part + 1) % PARTS
        self._asked(len(part))
        for user in part:
            self._model.got(self, user, self._model.newest(user))

    def _asked(self, users: int) -> None:
        self._model.rows += users
        self._model.statements += -(-users // CHECKED)


class Commit(NamedTuple):
    """A notification that was committed."""

    user: int
    seq: int
    at: float


class Model:
    """So many processes, each with the sockets of so many users. Each user has two, on different
    processes."""

    def __init__(self, processes: int, users: int, seed: int) -> None:
        self.clock = Agenda()
        self.random = Random(seed)
        self.exchange = Exchange(self.clock)
        self.statements = self.rows = 0
        self.commits: list[Commit] = []
        self.delays: list[float] = []
        self._newest: dict[int, int] = {}
        self.processes = [Process(self) for _ in range(processes)]
        for user in range(processes * users // 2):
            for process in self.random.sample(self.processes, 2):
                process.users[user] = 0
        for process in self.processes:
            # They do not start at once.
            self.clock.call(self.random.uniform(0, 4), process.start)

    def replace(self, dead: Process) -> None:
        """Another process has the sockets of a dead one, which have got all there is."""
        self.processes.remove(dead)
        process = Process(self)
        process.users = {user: self.newest(user) for user in dead.users}
        self.processes.append(process)
        process.start()

    def newest(self, user: int) -> int:
        return self._newest.get(user, 0)

    def commit(self, user: int) -> int:
        """Store a notification."""
        self._newest[user] = seq = self.newest(user) + 1
        self.commits.append(Commit(user, seq, self.clock.seconds()))
        return seq

    def got(self, process: Process, user: int, seq: int) -> None:
        """The user's sockets of a process have all up to a number."""
        before = process.users[user]
        if seq <= before:
            return
        process.users[user] = seq
        now = self.clock.seconds()
        self.delays += [
            now - max(each.at, process.thawed)
            for each in self.commits
            if each.user == user and before < each.seq <= seq
        ]

    def missing(self) -> list[Commit]:
        """What a process that lives has not given to its sockets."""
        return [
            each
            for process in self.processes
            if not process.dead
            for each in self.commits
            if process.users.get(each.user, each.seq) < each.seq
        ]

    # What happens.

    def happen(self) -> None:
        """Something, at random."""
        alive = [each for each in self.processes if not each.dead and not each.frozen]
        if len(alive) > 1:
            writer = self.random.choice(alive)
            user = self.random.randrange(len(self.processes[0].users) * len(self.processes) // 2)
            acts = (
                self.announce,
                self.die_silently,
                self.die_before_commit,
                self.freeze_silently,
                self.lose_outcome,
                self.cut_loudly,
                self.cut_silently,
                self.cut_for_long,
                self.write_by_hand,
            )
            self.random.choice(acts)(writer, user)

    def announce(self, writer: Process, user: int) -> None:
        """A process commits, and announces it."""
        seq = self.commit(user)
        if user in writer.users:
            self.got(writer, user, seq)
        writer.relay.announce(str(user), seq)

    def die_silently(self, writer: Process, user: int) -> None:
        """It dies between the commit and NOTIFY."""
        self.commit(user)
        writer.die()

    def die_before_commit(self, writer: Process, user: int) -> None:
        """It dies while its statement waits for a lock."""
        writer.die()
        self.clock.call(self.random.uniform(0, ORPHAN), lambda: self.commit(user))

    def freeze_silently(self, writer: Process, user: int) -> None:
        """It stands still between the commit and NOTIFY, and then goes on."""
        seq = self.commit(user)
        writer.freeze(self.random.uniform(1, 20))
        writer.late.append(lambda: writer.relay.announce(str(user), seq))
        writer.late.append(lambda: writer.noticed(str(user), seq))

    def lose_outcome(self, writer: Process, user: int) -> None:
        """A connection of its pool breaks after the commit, before the answer."""
        self.commit(user)
        writer.relay.suspect_loss()

    def cut_loudly(self, writer: Process, user: int) -> None:
        """Its LISTEN connection is closed, and what it commits then is not announced."""
        writer.bus.close()
        self.announce(writer, user)

    def cut_silently(self, writer: Process, user: int) -> None:
        """Nothing comes through its LISTEN connection any more, in either direction."""
        writer.bus.mute = True
        self.announce(writer, user)
        self._notify_sockets_of(writer)

    def cut_for_long(self, writer: Process, user: int) -> None:
        """The database accepts no other connection for a while."""
        writer.bus.refused = True
        self.cut_loudly(writer, user)
        self.clock.call(self.random.uniform(0.5, 12), lambda: setattr(writer.bus, "refused", False))
        self._notify_sockets_of(writer)

    def _notify_sockets_of(self, deaf: Process) -> None:
        """Soon, others commit and announce what a process does not hear."""
        for _ in range(3):
            self.clock.call(self.random.uniform(0, 10), lambda: self._notify_socket_of(deaf))

    def _notify_socket_of(self, deaf: Process) -> None:
        writers = [
            each for each in self.processes if not (each is deaf or each.frozen or each.dead)
        ]
        if not deaf.dead and writers:
            self.announce(self.random.choice(writers), self.random.choice(list(deaf.users)))

    def write_by_hand(self, writer: Process, user: int) -> None:
        """Somebody commits with SQL of their own, and the trigger announces it."""
        self.commit(user)
        self.exchange.publish('{"o":"","d":true}')
