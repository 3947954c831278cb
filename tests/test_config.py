"""Settings: where they come from, and what is said of a wrong one."""

import os
import socket
from pathlib import Path
from typing import Any

from twisted.internet.utils import getProcessOutputAndValue
from twisted.trial.unittest import SynchronousTestCase, TestCase

from contentsvc import config
from contentsvc.config import ConfigError, Settings
from contentsvc.framework.config.kinds import is_loopback
from contentsvc.tokens import Keys
from tests.support import lists, postgres
from tests.support.daemon import ROOT, script

WRONG: dict[str, list[Any]] = {
    "listen": ["", 8080, "tcp:65536", "tcp:interface=::1:port=99999", "ssl:70000"],
    "admin": ["tcp:70000", ""],
    "markup": ["", "html", "Markdown", True],
    "log_format": ["", "xml", "JSON", 5, True],
    "database": ["", "host", "postgresql://[::1/x", 5],
    "database_read": ["", "host", 5],
    "replica_max_lag": [0, 0.05, 601, "", "soon", True],
    "data_dir": ["", 5],
    "public_url": [
        *("", "content.example", "ftp://x", "https://x?y", "https://x#y", "http://[x", 5),
        *("https://a b", "https://:80", "https://x:y", "https://x:99999"),
    ],
    "portal": ["maybe", "", 1, []],
    "workers": [0, 65],
    "secret_file": ["", 5],
    "issuers": ["", 5],
    "brand": ["", 5],
    "legal": ["", 5],
    "tags": ["", 5],
    "embed_origins": [
        *("*", "https://*.x", "http://game.example", "https://x/", "https://x/a", "https://x?"),
        *("https://u@x", "https://x:", "https://x:0", "https://x;y", "null", "'self'", "https://"),
        *(5, [5], ",".join(f"https://{n}.example" for n in range(17))),
    ],
    "registration": ["maybe", "", 1, []],
    "smtp": [
        *("", 5, "mail.example", "http://mail.example", "smtp://", "smtp://a:b@", "smtp://x:0"),
        *("smtp://user@x", "smtp://:password@x", "smtp://x/path", "smtp://x?y", "smtp://x:99999"),
        *("smtp://a:b c@x", "smtp://a:\u2100@x"),
    ],
    "mail_from": ["", 5, "nobody", "a@b, c@d", "<a@b", "a@b\nBcc: c@d", "A\nB <a@b>", "a b@c"],
    "reset_url": ["", 5, "portal.example", "ftp://x", "https://x y"],
    "mail_templates": ["", 5],
    "mails_per_address": [-1, 1_000_001],
    "mails_per_recipient": [-1, 1_000_001],
    "debug_notify": ["maybe", 1, "AUTO", ""],
    "party_invites": ["nobody", True, ""],
    "require_party_invite": [0],
    "content_types": ["all", "Music", ["a b"], ["x" * 33], ["a", "a"], [""], 5, [5]],
    "studio_unmutable": ["Season", ["a b"], ["x" * 65], [""], 5, [5]],
    "studio_per_user_day": [-1, 1_000_001, "x"],
    "webhook_insecure": ["maybe", 1],
    "webhook_networks": ["internal.example", "10.0.0.0/33", [5], 5],
    "platforms": [
        *("", [], "id", ["win64", "name"], "Win64", ["a b"], ["x" * 33], ["a", "a"], [""], 5, [5]),
        *("a-b", "a.b", "\uff41", [f"p{k}" for k in range(33)]),
    ],
    "required_platforms": [5, [5]],
    "specified_types": ["maybe", 1, ""],
    "cors_origins": ["portal.example", "https://x/portal", ["https://"], 5],
    "trusted_proxies": ["proxy.example", "10.0.0.0/33", "10.0.0.1,,x", [5], 5],
    "reserved_names": ["a b", ["ab"], ["x" * 33], [""], 5, [5]],
    "service_requests_per_minute": [-1, "many"],
    "comments_per_minute": [-1, 1_000_001],
    "plays_per_minute": [-1, 1_000_001],
    "messages_per_minute": [-1, "many"],
    "unsend_minutes": [-1, 5_256_001, "many"],
    "follows_per_day": [-1],
    "friend_requests_per_day": [-1],
    "publications_per_day": [-1],
    "invitations_per_day": [-1],
    "subscriptions": [-1],
    "reports_per_day": [-1],
    "prechecks_per_minute": [-1, 1_000_001],
    "rollbacks_per_hour": [-1, "many"],
    "uploads_per_minute": [-1, 1_000_001],
    "user_updates_per_minute": [-1, 1.5],
    "username_days": [-1, 3651, 1.5],
    "guests": ["maybe", "", 1, []],
    "guests_per_address": [-1, 1_000_001],
    "guests_may": ["vote", "rate, Comment", ["rate", "play"], 7],
    "require_reasons": ["maybe", 1],
    "terms_reference": ["", 5, "x" * 501],
    "require_terms": ["maybe", 1],
    "due_hours": [0, 8761, 1.5],
    "due_hours_notices": [0, 8761],
    "due_hours_child": [0, "soon"],
    "notices_per_address": [-1, 1_000_001],
    "notice_retention": [-1, 36_501, "never"],
    "report_retention": [-1, 36_501, 1.5],
    "redress": ["", 5],
    "guest_retention": [-1, 36_501, 1.5],
    "exports_per_day": [-1, 1_000_001],
    "changes_per_hour": [-1, 1_000_001],
    "renames_per_day": [-1, 1_000_001],
    "invites_per_hour": [-1, "many"],
    "failed_log_ins_per_address": [-1, 1_000_001, "none", 1.5],
    "pool_size": [0, 501, "many", "", 1.5, True],
    "statement_timeout": [0, 601, "soon", "nan", "inf", True, []],
    "body_timeout": [0, -1],
    "drain_timeout": [-1, "1e9"],
    "slow_request": [-1, 601, "never", True],
    "body_memory": [3, 65_537, "64MB"],
    "connections": [0, 2_000_001],
    "sockets": [-1, 1_000_001],
    "sockets_per_user": [0, 1001],
    "sessions_per_user": [-1, 1_000_001],
    "progress_keys": [-1, "many"],
    "collections": [-1, "many"],
    "progress_bytes": [-1, 2**54, "16 MiB"],
    "notification_retention": [-1, 36_501, 90.5, "never"],
    "events": ["maybe"],
    "event_retention": [-1, 36_501, 30.5, "never"],
    "fan_out_seen_within": [-1, 36_501, 90.5, "never"],
    "files": ["", "disk", True],
    "s3_endpoint": [
        "store.example",
        "ftp://x",
        "https://key:secret@store.example",
        "https://store..example",
        f"https://{'s' * 64}.example",
    ],
    "s3_region": ["", 5, "eu west", "eu/west"],
    "s3_style": ["", 5, "host", "Virtual"],
    "s3_content_bucket": ["", 5, "a", "a/b", "x" * 64],
    "s3_media_bucket": ["", ".."],
    "media_url": ["media.example", "https://x?y"],
    "require_files": ["maybe"],
    "image_metadata": ["strip", True, ""],
    "scale_images": ["maybe"],
    "file_bytes": [0, 5 * 1024**3 + 1, "512 MiB"],
    "image_bytes": [0],
    "user_bytes": [-1],
    "new_user_bytes": [-1, 2**53 + 1],
    "pending_files": [-1, "many"],
    "disk_reserve": [-1, "10 %"],
}


def read(given: dict[str, Any] | None = None, **environ: str) -> Settings:
    """The settings of these options, and of CONTENTSVC_… variables."""
    return config.read(given or {}, {f"CONTENTSVC_{k.upper()}": v for k, v in environ.items()})


class ReadTests(SynchronousTestCase):
    def file(self, text: str) -> str:
        """The path of a configuration file."""
        path = Path(self.mktemp())
        path.write_text(text)
        return str(path)

    def refused(self, *words: str, **given: Any) -> None:
        """Assert one line with these words in it."""
        with self.assertRaises(ConfigError) as caught:
            read(**given)
        said = str(caught.exception)
        self.assertNotIn("\n", said)
        for word in words:
            self.assertIn(word, said)

    def test_defaults(self) -> None:
        """Nothing needs to be set: the defaults are good, and listen on the loopback only."""
        settings = read()
        self.assertTrue(settings.listen.startswith("tcp:8080:interface=127.0.0.1"))
        self.assertIsNone(settings.database)
        self.assertEqual(settings.data_dir, Path.cwd() / "var")
        self.assertEqual(settings.keys_path, Path.cwd() / "var" / "secret.keys")

    def test_backlog(self) -> None:
        """As many may wait to be accepted as Linux lets, unless the endpoint says how many; one
        that cannot say is left as it is."""
        for given in "tcp:80", "tcp6:80", "ssl:443:privateKey=k", "unix:/x", "haproxy:tcp:80":
            self.assertEqual(read({"listen": given}).listen, f"{given}:backlog=4096")
        for given in "tcp:80:backlog=5", "haproxy:tcp:80:backlog=9", "systemd:domain=INET:index=0":
            self.assertEqual(read({"listen": given}).listen, given)

    def test_precedence(self) -> None:
        """An option overrides the environment. The environment overrides the file, and the file the
        default."""
        file = self.file("pool_size = 3\nsockets = 3\nsockets_per_user = 3\n")
        settings = read(
            {"config": file, "pool-size": "1"}, pool_size="2", sockets="2", drain_timeout="2"
        )
        self.assertEqual(settings.pool_size, 1)
        self.assertEqual(settings.sockets, 2)
        self.assertEqual(settings.sockets_per_user, 3)
        self.assertEqual(settings.drain_timeout, 2.0)
        self.assertEqual(settings.body_timeout, 30.0)

    def test_config_variable(self) -> None:
        """CONTENTSVC_CONFIG names the file where no option does."""
        first, second = self.file("pool_size = 1\n"), self.file("pool_size = 2\n")
        self.assertEqual(read(config=first).pool_size, 1)
        self.assertEqual(read({"config": second}, config=first).pool_size, 2)

    def test_lists(self) -> None:
        """A list is written with commas, or as an array of the file."""
        file = self.file('required_platforms = ["win64", "linux64"]\n')
        self.assertEqual(read(config=file).required_platforms, ("win64", "linux64"))
        self.assertEqual(read(required_platforms="osx64, win64").required_platforms[0], "osx64")
        self.assertEqual(read(required_platforms="").required_platforms, ())

    def test_platforms(self) -> None:
        """The platforms that may be required are those that a package can have."""
        self.assertEqual(read().platforms, ("win64", "osx64", "linux64"))
        settings = read(platforms="ps5, win64", required_platforms="ps5")
        self.assertEqual(settings.platforms, ("ps5", "win64"))
        self.assertEqual(settings.required_platforms, ("ps5",))
        self.refused("required_platforms", "osx64", platforms="ps5", required_platforms="osx64")
        self.refused("required_platforms", "amiga", "linux64", required_platforms="win64,amiga")
        most = [f"p{k}" for k in range(32)]
        self.assertEqual(len(read(platforms=",".join(most)).platforms), 32)

    def test_types(self) -> None:
        """The types are the specified ones and those of the list, or those of the list alone, which
        then may have any of the specified ones."""
        five = ("game", "asset", "avatar_box", "gameplay_box", "scene_box")
        self.assertEqual(read(content_types="map").types, (*five, "map"))
        own = read(specified_types="no", content_types="map,asset")
        self.assertEqual(own.types, ("map", "asset"))
        for name in five:
            self.refused("content_types", name, content_types=f"map,{name}")
        self.refused("content_types", "specified_types", specified_types="no")

    def test_flags(self) -> None:
        """A flag is on or off, true or false, yes or no, or a boolean of the file."""
        for texts, flag in ((("on", "true", "yes"), True), (("off", "false", "no"), False)):
            for text in texts:
                self.assertEqual(read(registration=text).registration, flag)
        self.assertFalse(read(config=self.file("registration = false\n")).registration)

    def test_debug_notify(self) -> None:
        """`auto`, the default, is on only with the embedded Postgres, a loopback listener, and
        neither a public URL nor proxies; workers get what their parent has."""
        own = {"database": "dbname=x", "secret-file": "/k"}
        for given, on in (
            ({}, True),
            ({"debug-notify": "auto", "listen": "tcp:80:interface=\\:\\:1"}, True),
            ({"listen": "tcp:80"}, False),
            (own, False),
            ({"public-url": "https://x"}, False),
            ({"trusted-proxies": "127.0.0.1"}, False),
            ({"debug-notify": "off"}, False),
            ({**own, "debug-notify": "on", "listen": "tcp:80", "public-url": "https://x"}, True),
        ):
            settings = read(given)
            self.assertEqual(settings.debug_notify, on, given)
            worker = {**config.variables(settings), "CONTENTSVC_DATABASE": "dbname=embedded"}
            self.assertEqual(
                config.read({}, {**worker, "CONTENTSVC_SECRET_FILE": "/k"}).debug_notify, on
            )
        self.assertTrue(
            read(config=self.file("debug_notify = true\npublic_url = 'https://x'\n")).debug_notify
        )
        self.assertFalse(read(config=self.file("debug_notify = false\n")).debug_notify)

    def test_account_page(self) -> None:
        """Links in mails lead to the portal's page below `public_url`, unless `reset_url` says
        where; without portal or `public_url` it must."""
        mail = {"smtp": "smtp://localhost", "mail_from": "a@studio.example"}
        public = {**mail, "public_url": "https://play.example/games/"}

        def page(given: dict[str, str]) -> str | None:
            found = config.mail_of(
                config.read({k.replace("_", "-"): v for k, v in given.items()}, {})
            )
            return found and found.reset_url

        self.assertEqual("https://play.example/games/account", page(public))
        self.assertEqual(
            "https://x.example/y", page({**public, "reset_url": "https://x.example/y"})
        )
        for given in (mail, {**public, "portal": "no"}):
            with self.assertRaises(config.ConfigError) as raised:
                page(given)
            self.assertIn("reset_url is required", str(raised.exception))

    def test_loopback(self) -> None:
        """Only an endpoint that names a loopback address is surely reached by this machine
        alone."""
        for listen in (
            *("tcp:8080:interface=127.0.0.1", "tcp:port=0:interface=127.8.9.1:backlog=5"),
            *("tcp:8080:interface=localhost", "tcp6:8080:interface=\\:\\:1"),
            *("tcp:interface=LOCALHOST:port=1", "tcp:1:interface=\\:\\:ffff\\:127.0.0.1"),
            "ssl:8443:privateKey=/a\\:b\\\\:interface=127.0.0.1",
        ):
            self.assertTrue(is_loopback(listen), listen)
        for listen in (
            *("tcp:8080", "tcp:8080:interface=", "tcp:8080:interface=0.0.0.0", "tcp6:8080"),
            *("tcp:8080:interface=10.0.0.1", "tcp:8080:interface=\\:\\:", "ssl:443:privateKey=k"),
            *("tcp:1:interface=127.0.0.1:interface=0.0.0.0", "tcp:1:interface=127.0.0.1.example"),
            *("tcp:1:127.0.0.1", "tcp:1:interface=\\:\\:ffff\\:10.0.0.1"),
            "tcp:1:interface=2130706433",
            *("haproxy:tcp:8080:interface=127.0.0.1", "unix:/run/x", "unix:/interface=127.0.0.1"),
            *("systemd:domain=INET:index=0", "ssl:443:privateKey=k\\:interface=127.0.0.1", "", ":"),
        ):
            self.assertFalse(is_loopback(listen), listen)

    def test_variables(self) -> None:
        """The settings can be written as variables, and read again from those."""
        given = {
            "database": "host=db password='a b'",
            "secret-file": "/k",
            "public-url": "https://x",
            "registration": "off",
            "required-platforms": "win64,osx64",
            "cors-origins": "",
            "drain-timeout": "0.25",
        }
        for settings in (read(), read(given)):
            self.assertEqual(config.read({}, config.variables(settings)), settings)

    def test_wrong_values(self) -> None:
        """A wrong value is refused in one line that names its key, wherever it comes from."""
        there = [setting.name for setting in config.SETTINGS]
        lists.same(self, "tests/test_config.py, WRONG", WRONG, there, '    "{}": [-1],'.format)
        for setting in config.SETTINGS:
            for value in WRONG[setting.name]:
                self.refused(f"--{setting.option} ", given={setting.option: value})
                if isinstance(value, str):
                    variable = f"CONTENTSVC_{setting.name.upper()}"
                    self.refused(variable, **{setting.name: value})

    def test_wrong_value_in_file(self) -> None:
        """A wrong value of the file is named with the file."""
        file = self.file("pool_size = 0\n")
        self.refused(file, "pool_size", config=file)

    def test_unknown_key(self) -> None:
        """A key of the file that is no setting is refused."""
        file = self.file("listne = 'tcp:1'\n")
        self.refused(file, "listne", config=file)

    def test_byte_order_mark(self) -> None:
        """The file may begin with a byte order mark, as some editors write it."""
        file = self.file("\ufeffpool_size = 7\r\nlog_format = 'json'\r\n")
        self.assertEqual(config.read({"config": file}, {}).pool_size, 7)
        self.assertEqual(config.log_format({"config": file}, {}), "json")

    def test_bad_file(self) -> None:
        """A file that is missing, no TOML or no UTF-8 is refused in one line."""
        self.refused("missing.toml", config="missing.toml")
        file = self.file("listen: tcp\n")
        self.refused(file, config=file)
        Path(file).write_bytes(b"\xff")
        self.refused(file, config=file)

    def test_replica_alone(self) -> None:
        """A replica needs the database that it is one of."""
        self.refused("database is required", database_read="postgresql://replica.example/x")

    def test_secret_required(self) -> None:
        """With a database, the secret file has no default."""
        self.refused("secret_file", database="postgresql://db.example/x")
        settings = read(database="postgresql://db.example/x", secret_file="/keys")
        self.assertEqual(settings.keys_path, Path("/keys"))


class StoreTests(SynchronousTestCase):
    """The settings of an S3 store, and its keys."""

    GIVEN = {
        "files": "s3",
        "s3-endpoint": "https://s3.example",
        "s3-content-bucket": "content",
        "s3-media-bucket": "media",
    }
    KEYS = {"AWS_ACCESS_KEY_ID": "an id", "AWS_SECRET_ACCESS_KEY": "a secret"}

    def setUp(self) -> None:
        self.keys = {name: value.replace(" ", "-") for name, value in self.KEYS.items()}

    def file(self, text: str) -> str:
        """The path of a configuration file."""
        path = Path(self.mktemp())
        path.write_text(text)
        return str(path)

    def refused(self, word: str, given: dict[str, Any], environ: dict[str, str]) -> None:
        """Assert that the store cannot be used, in one line with this word."""
        with self.assertRaises(ConfigError) as caught:
            config.store_of(config.read(given, environ))
        said = str(caught.exception)
        self.assertRegex(said, rf"\A[^\n]*{word}[^\n]*\Z")
        self.assertNotIn("secret-", said)

    def test_whole(self) -> None:
        """With all of them, there is a store."""
        store = config.store_of(config.read(self.GIVEN, self.keys))
        self.assertEqual(store.s3_endpoint, "https://s3.example")
        self.assertEqual(store.aws_access_key_id.value, "an-id")
        self.assertEqual(store.aws_secret_access_key.value, "a-secret")
        self.assertIsNone(store.aws_session_token)

    def test_virtual(self) -> None:
        """Buckets that are host names can be ones, and the store has a name."""
        virtual = {**self.GIVEN, "s3-style": "virtual"}
        self.assertTrue(config.store_of(config.read(virtual, self.keys)).virtual)
        self.assertFalse(config.store_of(config.read(self.GIVEN, self.keys)).virtual)
        for name in ("my_bucket", "Bucket", "a..b", "bucket."):
            self.refused("s3_media_bucket", {**virtual, "s3-media-bucket": name}, self.keys)
        for host in ("127.0.0.1:9000", "[::1]"):
            given = {**virtual, "s3-endpoint": f"http://{host}"}
            self.refused("must have a name", given, self.keys)

    def test_missing(self) -> None:
        """Each of them is required, and named; the region has a default."""
        for option in ("s3-endpoint", "s3-content-bucket", "s3-media-bucket"):
            given = {name: value for name, value in self.GIVEN.items() if name != option}
            self.refused(f"{option.replace('-', '_')} is required", given, self.keys)
        for name in self.keys:
            keys = {other: value for other, value in self.keys.items() if other != name}
            self.refused(f"{name} or {name.lower()} is required", self.GIVEN, keys)

    def test_same_bucket(self) -> None:
        """The two buckets differ."""
        self.refused("s3_media_bucket", self.GIVEN | {"s3-media-bucket": "content"}, self.keys)

    def test_not_needed(self) -> None:
        """Settings can be read without the keys, and with wrong ones: a command on the database
        needs none, and the environment may have those of something else."""
        self.assertIsNone(config.read(self.GIVEN, {}).aws_access_key_id)
        config.read({}, {"AWS_SESSION_TOKEN": "of something else"})

    def test_keys_of_file(self) -> None:
        """The keys can be in the file. A key of the environment goes with none of the file."""
        file = self.file(
            "aws_access_key_id = 'file-id'\naws_secret_access_key = 'file-secret'\n"
            "aws_session_token = 'file-token'\n"
        )
        given = self.GIVEN | {"config": file}
        store = config.store_of(config.read(given, {}))
        self.assertEqual(store.aws_secret_access_key.value, "file-secret")
        self.assertEqual(store.aws_session_token.value, "file-token")
        store = config.store_of(config.read(given, self.keys))
        self.assertEqual(store.aws_secret_access_key.value, "a-secret")
        self.assertIsNone(store.aws_session_token)
        self.refused("AWS_SECRET_ACCESS_KEY", given, {"AWS_ACCESS_KEY_ID": "an-id"})

    def test_wrong_keys(self) -> None:
        """A key that no header can have is refused, and not repeated."""
        for value in ("secret- with spaces", "secret-\n", "secret-ü"):
            keys = self.keys | {"AWS_SECRET_ACCESS_KEY": value}
            self.refused("AWS_SECRET_ACCESS_KEY", self.GIVEN, keys)
        file = self.file("aws_secret_access_key = 5\n")
        self.refused(f"{file}: aws_secret_access_key", self.GIVEN | {"config": file}, {})

    def test_hidden(self) -> None:
        """No text that is made of the settings shows the keys, and no option takes them."""
        settings = config.read(self.GIVEN, self.keys | {"AWS_SESSION_TOKEN": "a-token"})
        for text in (repr(settings), str(settings), repr(config.store_of(settings))):
            for value in ("an-id", "a-secret", "a-token"):
                self.assertNotIn(value, text)
        self.assertFalse([s.name for s in config.SETTINGS if s.name.startswith("aws")])

    def test_variables(self) -> None:
        """Workers get the keys in their environment, wherever they come from."""
        settings = config.read(self.GIVEN, self.keys | {"AWS_SESSION_TOKEN": "a-token"})
        variables = config.variables(settings)
        self.assertEqual(variables["AWS_SESSION_TOKEN"], "a-token")
        self.assertEqual(config.read({}, variables), settings)
        self.assertTrue(all(map(config.is_ours, variables)))
        self.assertFalse(config.is_ours("AWS_REGION"))


class StartTests(TestCase):
    """twistd, with a configuration that it cannot start with."""

    async def twistd(self, *options: str, **environ: str) -> tuple[str, str, int]:
        """Its output, its errors and its exit status."""
        kept = {name: v for name, v in os.environ.items() if not name.startswith("CONTENTSVC_")}
        words = ["--nodaemon", "--pidfile=", "contentsvc", *options]
        out, err, status = await getProcessOutputAndValue(
            script("twistd"), words, env={**kept, **environ}, path=str(ROOT)
        )
        return out.decode(), err.decode(), status

    async def refused(self, expected: str, *options: str, **environ: str) -> None:
        """Assert exit status 1 and one line, with this in it."""
        out, err, status = await self.twistd(*options, **environ)
        self.assertEqual((status, out), (1, ""))
        self.assertRegex(err, r"\Acontentsvc: .*\n\Z")
        self.assertIn(expected, err)

    async def test_store(self):
        """So is an S3 store without its settings."""
        await self.refused("s3_endpoint is required when files is s3", "--files", "s3")

    async def test_unknown_option(self):
        """An unknown option is one line, not the usage."""
        await self.refused("--bad", "--bad")

    async def test_wrong_value(self):
        """So is a wrong value in the environment."""
        await self.refused("CONTENTSVC_SOCKETS", CONTENTSVC_SOCKETS="few")

    async def test_listen(self):
        """So is an endpoint that Twisted does not know."""
        await self.refused("listen bogus:1", "--listen", "bogus:1")

    async def test_listen_with_files(self):
        """So is a TLS endpoint whose key is not there, or is none."""
        key = postgres.new_folder() / "key"
        listen = f"ssl:0:privateKey={key}:certKey={key}"
        await self.refused("No such file or directory", "--listen", listen)
        key.write_text("no key")
        await self.refused(f"listen {listen}", "--listen", listen)
        await self.refused(f"listen {listen}", "--listen", listen, "--workers", "2")

    async def test_secret_file(self):
        """So is a secret file that is not there, or is not named where it must be."""
        database = ["--database", "postgresql://127.0.0.1:1/none"]
        await self.refused("secret_file", *database)
        await self.refused("secret_file /nowhere/keys", *database, "--secret-file", "/nowhere/keys")

    async def test_issuers(self):
        """A file of issuers that is missing or wrong is named with the reason."""
        await self.refused("issuers /nowhere/x.toml: No such file", "--issuers", "/nowhere/x.toml")
        file = postgres.new_folder() / "issuers.toml"
        file.write_text('[[issuer]]\nissuer = "http://id.example"\naudience = "game"\n')
        reason = f"issuers {file}: issuer 'http://id.example' is not an https URL"
        await self.refused(reason, "--issuers", str(file), "--workers", "2")

    async def test_brand(self):
        """A file of the brand that is missing or wrong is named with the key and the reason."""
        await self.refused("brand /nowhere/x.toml: No such file", "--brand", "/nowhere/x.toml")
        file = postgres.new_folder() / "brand.toml"
        file.write_text('nam = "Skyforge"\n')
        await self.refused(
            f"brand {file}: nam is no key of it", "--brand", str(file), "--workers", "2"
        )

    async def test_tags(self):
        """So is a file of tags."""
        await self.refused("tags /nowhere/x.toml: No such file", "--tags", "/nowhere/x.toml")
        file = postgres.new_folder() / "tags.toml"
        file.write_text('[[groups]]\nkey = "A"\nlabel = "A"\ntags = [{name = "x"}]\n')
        reason = f"tags {file}: groups[0].key 'A' is not 1 to 32"
        await self.refused(reason, "--tags", str(file), "--workers", "2")

    async def test_legal(self):
        """So is what is said of the law; without terms, nobody can be asked to accept any."""
        await self.refused("legal /nowhere/x.toml: No such file", "--legal", "/nowhere/x.toml")
        file = postgres.new_folder() / "legal.toml"
        file.write_text("[contacts]\n")
        reason = "require_terms needs the table [terms] in the file of legal"
        await self.refused(reason, "--require-terms", "yes", "--legal", str(file))

    async def test_secret_file_of_others(self):
        """So is one that others may read, be it named or generated."""
        data_dir = postgres.new_folder()
        keys = data_dir / "secret.keys"
        Keys.load_or_generate(keys)
        keys.chmod(0o644)
        url = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, url)
        reason = f"secret_file {keys}: users other than its owner may read or write it (mode 0644)"
        await self.refused(reason, "--database", url, "--secret-file", str(keys))
        await self.refused(reason, "--data-dir", str(data_dir))

    async def test_data_dir(self):
        """A data folder that cannot be made is one line of the log, and the exit status is 1."""
        file = postgres.new_folder() / "file"
        file.touch()
        out, err, status = await self.twistd("--data-dir", str(file / "data"))
        self.assertEqual((status, err), (1, ""))
        (line,) = [line for line in out.splitlines() if "cannot start" in line]
        self.assertIn(f"data_dir {file / 'data'}: Not a directory", line)

    async def test_port_in_use(self):
        """Where the port is taken, one line of the log says so, and the exit status is 1."""
        url = postgres.database(postgres.embedded())
        self.addCleanup(postgres.drop, url)
        keys = postgres.new_folder() / "keys"
        Keys.load_or_generate(keys)
        with socket.socket() as taken:
            taken.bind(("127.0.0.1", 0))
            taken.listen()
            port = taken.getsockname()[1]
            out, err, status = await self.twistd(
                *("--listen", f"tcp:{port}:interface=127.0.0.1"),
                *("--database", url, "--secret-file", str(keys)),
            )
        self.assertEqual((status, err), (1, ""))
        (line,) = [line for line in out.splitlines() if "cannot start" in line]
        self.assertIn(f"127.0.0.1:{port}", line)
        self.assertNotIn("Traceback", out)
