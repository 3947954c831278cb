"""Which modules run: the three sizes, a topic in all layers, or what a change touches."""

import ast
import re
import subprocess
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

SIZES = ("quick", "all", "nightly")
"""Each has the one before. `scripts/test` runs the first."""
SIZED = {
    "nightly": (
        # Stress, kills at random, and servers that fail over.
        *(
            "contract.test_fuzz",
            "faults.test_kills",
            "faults.test_replica",
            "spec.portal.test_kills",
        ),
        *("framework.db.test_replica", "framework.postgres.test_embedded_gone"),
        *("api.files.test_uploads_stress", "api.files.test_unused_stress"),
        # Deaths, locks and disks, of which the next size has those of the database, of decisions
        # and of webhooks.
        *("faults.test_back_in_time", "faults.test_departures", "faults.test_events"),
        *("faults.test_fanout", "faults.test_guests", "faults.test_image_scaling"),
        *("faults.test_libraries", "faults.test_limits", "faults.test_locks"),
        *("faults.test_releases", "faults.test_restore", "faults.test_writers"),
        *("javascript.test_files.KillTests", "command.test_backup.RestoreTests.test_killed"),
        "command.test_sync_trouble",
        # Another walk, another server, and patience.
        "spec.social.walk.test_walk.WalkTests.test_other_walk",
        "store.test_plans.PlanTests.test_debian",
        "conformance.test_python.PythonTests.test_events_patient",
        "conformance.test_javascript.JavaScriptTests.test_events_patient",
        # Starts and ends of daemons beyond the usual ones.
        *("app.test_brand", "app.test_folder", "app.test_folder_away", "app.test_gone"),
        *("app.test_issuer_through_proxy", "app.test_log_format", "app.test_surroundings"),
        *("app.test_daemon.AwayTests", "app.test_metrics.FrozenTests"),
        *("app.test_metrics.LifeTests", "app.test_metrics.LifeOfTwoTests"),
        *("app.test_rolling.StartTests", "app.test_rolling.UpgradeTests"),
        *("app.test_stores.AwayTests", "app.test_stores.BadStoreTests"),
        *("app.test_workers.KillTests.test_frozen", "app.test_workers.KillTests.test_parent"),
        *("app.test_workers.KillTests.test_postgres", "app.test_workers.StopTests"),
        *("spec.accounts.test_mail_servers.ServerTests.test_away", "spec.content.test_lifecycle"),
        "spec.accounts.test_mail_servers.ServerTests.test_restart",
        # The same commands elsewhere: other places, proxies, links, other disks.
        *("command.demo.test_place.BesideTests", "command.demo.test_files.BrokenTests"),
        *("command.demo.test_files.StoreTests", "command.demo.test_files.FolderTests.test_before"),
        *("command.test_files_import", "command.test_files_move", "command.test_watch"),
        *("command.test_names_and_proxies", "command.test_publish_tls"),
        "command.test_cli.EmbeddedTests",
        # The same through the other proxy, and patience.
        *("proxies.test_below.HaproxyTests", "proxies.test_below.BrowserTests"),
        *("proxies.test_files.HaproxyFileTests", "proxies.test_files.HaproxyHastyTests"),
        *("proxies.test_files.NginxHastyTests", "proxies.test_proxies.HaproxyFaultTests"),
        # Sweeps through every place of the portal, and visits in other forms.
        *("portal.test_still.StillTests.test_player", "portal.test_still.StillTests.test_console"),
        *("portal.test_accessibility.CompanyTests", "portal.test_accessibility.ConsoleTests"),
        *(
            "portal.test_accessibility.PlacesTests.test_in_game",
            "portal.test_shape.ShapeTests.test_time",
        ),
        *("portal.test_brand.OtherTests", "portal.test_brand.FrameTests", "portal.test_keys"),
        *("portal.test_issuers.AttackTests", "portal.test_issuers.AwayTests"),
        *("portal.test_undo.AwayTests", "portal.test_comments.HostileTests"),
        *(
            "portal.test_in_game.InGameTests.test_reach",
            "portal.test_in_game.InGameTests.test_hostile",
        ),
        *(
            "portal.test_from_game.FromGameTests.test_at_the_log_in",
            "portal.test_walk.WalkTests.test_lost",
        ),
        *("portal.test_account_acts", "portal.test_announcements", "portal.test_blocked"),
        *(
            "portal.test_events",
            "portal.test_history",
            "portal.test_options",
            "portal.test_renewal",
        ),
        *("portal.test_sharing", "portal.test_webhooks", "portal.test_fitting"),
        *("spec.portal.test_bad_days", "spec.portal.test_maintenance"),
        # Tools around the service.
        *("client.test_distribution", "contract.test_page", "javascript.test_newest"),
        *("monitoring.test_grafana", "test_benchmark"),
    ),
    "all": (
        *("portal", "javascript", "conformance", "contract", "spec.portal"),
        *("proxies", "faults", "monitoring", "framework.storage", "framework.postgres"),
        *("app", "command", "framework.images"),
        *("client.files", "client.test_service"),
        *(
            "framework.mail.test_smtp",
            "framework.mail.test_smtp_tls",
            "framework.identity.test_fetch",
        ),
        "framework.db.test_silent_server",
        *("store.test_upgrade", "store.test_plans", "store.test_migrate"),
        *("spec.files.test_store", "spec.files.test_files_on_s3", "spec.test_maintenance"),
        *("spec.accounts.test_token_exchange_provider", "spec.accounts.test_mail_servers"),
        *("spec.accounts.test_deletion_reads", "spec.accounts.test_addresses.PlainTests"),
        # Daemons with other settings, and tests that wait for seconds.
        *("spec.accounts.test_service_tokens.TwoDaemonsTests", "spec.files.test_files_two_daemons"),
        *(
            "spec.challenges.test_votes.TwoDaemonsVotesTests",
            "spec.files.test_external.DefaultTests",
        ),
        "spec.notifications.test_followers.TwoDaemonsFollowersTests",
        "spec.matrix.test_own",
        *("spec.content.test_platforms.LeavingTests", "spec.test_model.ModelTests.test_other_walk"),
        *("spec.files.test_upload_urls.KilledTests", "spec.files.test_upload_urls.SlowTests"),
        "spec.notifications.test_socket_closing.RefusalTests.test_silence",
        "spec.events.test_webhooks.DeliveryTests.test_failing",
        *("spec.test_bad_requests.StalledTests", "test_docs.BackupTests", "test_docs.GrowthTests"),
        "spec.test_configuration.ConfigurationTests.test_debug_notify_auto",
        "spec.test_configuration.CommandTests.test_demo",
        *("test_config.StartTests", "test_readme", "test_containers", "test_metrics_page"),
        *("test_accounts_page", "test_files_page", "test_moderation_page", "test_players_page"),
        "test_studio_page",
        # Deaths of processes and losses of connections; and what looks through the whole tree, or
        # is about this runner.
        *("jobs.test_files_deaths", "jobs.test_steps_deaths", "jobs.test_moderation.DeathTests"),
        *("push.test_relay_loss", "store.content.test_dependents.AuthorTests.test_at_size"),
        *("runner", "framework.core.test_internals"),
    ),
}
"""The smallest size that has a test, by its name, or that of its class, its module or a folder
above; the others are quick."""

SCRIPTS = ("scripts/test-failover", "scripts/test-patroni", "scripts/test-image")
"""What the largest size runs after its modules. They install what is missing."""


def name_of(path: Path) -> str:
    """The dotted name of a module of this repository."""
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


@cache
def modules() -> tuple[str, ...]:
    """All modules with tests."""
    return tuple(map(name_of, sorted((ROOT / "tests").rglob("test_*.py"))))


def size_of(name: str) -> str:
    """The smallest size that has a module, a class or a test."""
    short = f"{name.removeprefix('tests.')}."
    for size, names in SIZED.items():
        if any(short.startswith(f"{name}.") for name in names):
            return size
    return "quick"


def of_size(size: str) -> list[str]:
    """All modules of a size and those below it."""
    sizes = SIZES[: SIZES.index(size) + 1]
    return [module for module in modules() if size_of(module) in sizes]


def runs(test: str, size: str) -> bool:
    """Whether a test of a module that runs is in a run of this size. A module that is larger by
    itself was named: all of it runs."""
    module = test.rsplit(".", 2)[0]
    return SIZES.index(size_of(test)) <= max(SIZES.index(size), SIZES.index(size_of(module)))


def topic(word: str) -> list[str]:
    """The modules with this word in their names, or in those of their folders, in all layers."""
    wanted = word.removeprefix("test_").removesuffix(".py").replace("-", "_")
    found = []
    for module in modules():
        parts = module.removeprefix("tests.").split(".")
        *folders, last = parts
        if wanted in folders or f"_{wanted}_" in f"_{last.removeprefix('test_')}_":
            found.append(module)
    return found


def named(name: str) -> list[str]:
    """The modules of a dotted name, a path or a topic. Raises LookupError if there is none."""
    path = ROOT / name
    if "/" in name and path.exists():
        name = name_of(path) if path.is_file() else ".".join(path.relative_to(ROOT).parts)
    if name.partition(".")[0] == "tests":
        found = [module for module in modules() if f"{module}.".startswith(f"{name}.")]
        # Else a class or a test of one.
        found = found or [module for module in modules() if name.startswith(f"{module}.")]
    else:
        found = topic(name)
    if not found:
        raise LookupError(f"no module of tests has {name!r} in its name")
    return found


def changed() -> list[str]:
    """The modules that the change since the last commit on main touches: those that have changed,
    those of the same topic as a module of contentsvc that has, and all that import either."""
    base = _git("merge-base", "HEAD", "main").strip()
    paths = {*_git("diff", "--name-only", base).split("\n")}
    paths |= {*_git("ls-files", "--others", "--exclude-standard").split("\n")}
    return touched(sorted(paths - {""}))


def touched(paths: Iterable[str]) -> list[str]:
    """The modules of tests that a change of these files touches."""
    found, changed = set[str](), set[str]()
    for path in map(Path, paths):
        match path.parts:
            case ("contentsvc", "portal", *_) if path.suffix != ".py":
                found.update(topic("portal"))
            case ("contentsvc", "store", "schema", *_):
                found |= {*named("tests.store.test_migrate"), *named("tests.store.test_upgrade")}
                changed |= set(_mention(path.stem))
            case ("contentsvc", *_) if path.suffix == ".py":
                changed.add(name_of(ROOT / path).removesuffix(".__init__"))
            case ("tests", *_) if path.suffix == ".py":
                changed.add(name_of(ROOT / path))
            case ("clients", *_):
                found |= {*named("tests.javascript"), *named("tests.conformance")}
            case ("docs", *_) | ("README.md",):
                found |= {module for module in modules() if module.count(".") == 1}
            case ("etc", *_):
                found |= {*named("tests.proxies"), *named("tests.monitoring")}
            case ("setup.cfg",) | ("pyproject.toml",):
                found.update(of_size("quick"))
    support = {module for module in _imports() if module.startswith("tests.")}
    support -= {*modules()}
    # Through the support of tests, but not through the service: all of it hangs together.
    while more := {m for m in support - changed if _imports()[m] & changed}:
        changed |= more
    for module in changed:
        if module.startswith("contentsvc."):
            found |= _own(module)
    found |= {m for m in modules() if m in changed or _imports()[m] & changed}
    return [module for module in modules() if module in found]


def _own(module: str) -> set[str]:
    """The tests of a module of contentsvc: tests/a/b/test_c.py, and test_c_more.py, of a/b/c.py."""
    *layers, last = module.split(".")[1:]
    start = ".".join(["tests", *layers, f"test_{last}"])
    return {m for m in modules() if m == start or m.startswith(f"{start}_")}


def _mention(stem: str) -> Iterator[str]:
    """The modules of the store that name a file of SQL."""
    for path in (ROOT / "contentsvc" / "store").rglob("*.py"):
        if re.search(rf"\b{re.escape(stem)}\b", path.read_text()):
            yield name_of(path)


@cache
def _imports() -> dict[str, set[str]]:
    """For each module of tests, what it imports of contentsvc and of tests."""
    found = {}
    for path in (ROOT / "tests").rglob("*.py"):
        targets = set[str]()
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                targets |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and node.module:
                targets |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        found[name_of(path)] = targets
    return found


def _git(*words: str) -> str:
    command = ["git", "-C", str(ROOT), *words]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout
