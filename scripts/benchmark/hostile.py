"""What others notice of an attack: `python -m scripts.benchmark.hostile [--help] [ATTACK ...]`.

A daemon of its own, with its own Postgres, 150,000 users and a folder for files, answers 200
requests a second by the clock: reads, searches, user searches and comments. It does so alone, and
then, for each attack of `attacks.py`, beside eight connections that send its request again and
again, each of an account of its own. Printed are the milliseconds from the moment at which a
request was due to its answer, and what the attackers were answered. Nothing else should run on the
machine.
"""

import argparse
import os
import shutil
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from multiprocessing import get_context
from multiprocessing.connection import Connection
from multiprocessing.synchronize import Event
from pathlib import Path
from random import Random
from typing import Final

import psycopg2

from contentsvc.store.migrate import migrate
from contentsvc.tokens import Keys

from . import people
from .attacks import ATTACKS
from .callers import API, Caller, CallError, joined, published
from .postgres import Embedded, fresh
from .processes import Process, free_port, script

RATE: Final = 200.0
"""Requests of others in a second."""
READERS: Final = 8
"""Connections for them."""
ATTACKERS: Final = 8
"""Connections of the attack, all from one client address."""
NAMES: Final = ("mira", "stachi", "taru1", "chonyt", "gofi")


def steady(port: int, contents: list[str], seconds: float, number: int, took: list[float]) -> None:
    """Send one connection's share of the others' requests, each when it is due."""
    random = Random(number)  # noqa: S311
    with closing(joined(port, f"198.51.100.{number}")) as caller:
        begun = time.perf_counter() + random.uniform(0, READERS / RATE)
        for count in range(int(seconds * RATE / READERS)):
            due = begun + count * READERS / RATE
            time.sleep(max(0.0, due - time.perf_counter()))
            content, dice = random.choice(contents), random.random()
            if dice < 0.1:
                path = f"{API}/content/{content}/comments"
                caller.ask("POST", path, {"body": "Nineteen floors."})
            elif dice < 0.2:
                caller.ask("GET", f"{API}/user/search?q={random.choice(NAMES)}")
            elif dice < 0.35:
                caller.ask("GET", f"{API}/content?q=tower&limit=20")
            elif dice < 0.6:
                caller.ask("GET", f"{API}/content/{content}")
            else:
                caller.ask("GET", f"{API}/user/{caller.user}/info")
            took.append((time.perf_counter() - due) * 1000)


def measured(port: int, contents: list[str], seconds: float) -> list[float]:
    """The milliseconds of all requests of the others, in order. Raises CallError."""
    took: list[float] = []
    sending = [
        threading.Thread(target=steady, args=(port, contents, seconds, n, took))
        for n in range(READERS)
    ]
    for each in sending:
        each.start()
    for each in sending:
        each.join()
    if len(took) < int(seconds * RATE / READERS) * READERS:
        raise CallError("a request was refused; what it said is above")
    return sorted(took)


def attack(port: int, name: str, begin: Event, over: Event, said: Connection) -> None:
    """Send the attack from all its connections until it is over, and then say the answers.

    It is a process of its own, and gives way to all others: an attacker's processor is not ours."""
    os.nice(10)
    answers: Counter[int] = Counter()
    callers = [joined(port, "203.0.113.9") for _ in range(ATTACKERS)]
    sends = [ATTACKS[name](caller, Random(n)) for n, caller in enumerate(callers)]  # noqa: S311

    def run(caller: Caller, send: Callable[[], None]) -> None:
        while not over.is_set():
            send()
            answers[caller.status] += 1

    said.send("made")
    begin.wait()
    running = [threading.Thread(target=run, args=each) for each in zip(callers, sends, strict=True)]
    for each in running:
        each.start()
    for each in running:
        each.join()
    said.send(answers)


def beside(
    port: int, contents: list[str], seconds: float, name: str
) -> tuple[list[float], Counter[int]]:
    """The milliseconds beside an attack, and the statuses of its answers. Raises CallError."""
    forks = get_context("fork")
    begin, over, (here, there) = forks.Event(), forks.Event(), forks.Pipe()
    attacking = forks.Process(target=attack, args=(port, name, begin, over, there))
    attacking.start()
    there.close()
    try:
        here.recv()
        begin.set()
        took = measured(port, contents, seconds)
        over.set()
        return took, here.recv()
    finally:
        over.set()
        attacking.join()


def filled(server: Embedded, users: int) -> str:
    """The URL of a new database that has so many users."""
    url = fresh(server, "hostile")
    migrate(url)
    values = {"users": users, "first_writer": 0, "writers": 0, "password_hash": "-"}
    with closing(psycopg2.connect(url)) as connection, connection.cursor() as cursor:
        cursor.execute("select setseed(0.5)")
        cursor.execute(people.SYLLABLES)
        cursor.execute(people.USERS, {**values, "moment": datetime.now(UTC)})
        connection.commit()
        connection.autocommit = True
        cursor.execute("vacuum analyze")
    return url


def line(name: str, took: list[float], answers: Counter[int]) -> str:
    """A row of the table."""
    at = [took[min(len(took) - 1, int(len(took) * share))] for share in (0.5, 0.9, 0.99)]
    said = ", ".join(f"{count} x {status}" for status, count in sorted(answers.items()))
    return f"{name:<16}" + "".join(f"{value:8.1f}" for value in (*at, took[-1])) + f"  {said}"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="what others notice of attacks")
    parser.add_argument("attacks", nargs="*", metavar="ATTACK", help=", ".join(ATTACKS))
    parser.add_argument("--seconds", type=float, default=20, help="of each part (20)")
    parser.add_argument("--users", type=int, default=150_000, help="in the database (150000)")
    chosen = parser.parse_args()
    if unknown := set(chosen.attacks) - set(ATTACKS):
        parser.error(f"no such attack: {', '.join(sorted(unknown))}")
    folder = Path(tempfile.mkdtemp(prefix="contentsvc-hostile-"))
    server = Embedded(folder, {})
    try:
        port, url = free_port(), filled(server, chosen.users)
        options = ["--listen", f"tcp:{port}:interface=127.0.0.1", "--data-dir", str(folder / "var")]
        options += ["--database", url, "--trusted-proxies", "127.0.0.1", "--files", "local"]
        options += ["--secret-file", str(folder / "secret"), "--comments-per-minute", "0"]
        Keys.load_or_generate(folder / "secret")
        command = [script("twistd"), "-n", "--pidfile=", "contentsvc", *options]
        log = folder / "daemon.log"
        daemon = Process("daemon", command, port=port, ready="/health/ready", log=log)
        try:
            with closing(joined(port, "192.0.2.1")) as author:
                contents = [published(author) for _ in range(50)]
            measured(port, contents, 3)  # everything was done once
            head = "".join(f"{name:>8}" for name in ("p50", "p90", "p99", "max"))
            print(f"{'milliseconds':<16}{head}  answers to the attack")
            for name in chosen.attacks or ATTACKS:
                alone = measured(port, contents, chosen.seconds)
                print(line("alone", alone, Counter()), flush=True)
                print(line(name, *beside(port, contents, chosen.seconds, name)), flush=True)
        finally:
            daemon.stop()
    finally:
        server.stop()
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
