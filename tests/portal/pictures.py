"""Make the pictures of docs/portal.md."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from io import BytesIO
from pathlib import Path
from urllib.request import urlopen

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

from tests.contract.browser import chromium

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs/figures/portal"
BIN = ROOT / ".venv/bin"
FLAGS = ("--no-sandbox", "--disable-background-networking", "--disable-component-update")
WIDE, NARROW = 1280, 375
QUALITY = 80
PLAYER, VISITOR, MODERATOR = "mira", "tomas", "odile"


@contextmanager
def demo(*options: str) -> Iterator[tuple[str, str]]:
    """A daemon with the demo world: its URL, and the password of all."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    url, data = f"http://127.0.0.1:{port}", tempfile.mkdtemp(prefix="contentsvc-pictures-")
    listen = f"tcp:{port}:interface=127.0.0.1"
    command = [BIN / "twistd", "--nodaemon", "--pidfile=", "contentsvc"]
    tags = ["--tags", ROOT / "contentsvc/command/demo/tags.toml"]
    shown = ["--files", "local", *tags, *options]
    started = [*command, "--listen", listen, "--data-dir", data, *shown]
    daemon = subprocess.Popen(started, cwd=ROOT, stdout=subprocess.DEVNULL)
    try:
        while not _answers(url):
            if daemon.poll() is not None:
                raise SystemExit("The daemon has ended.")
            time.sleep(0.2)
        make = [BIN / "contentsvc", "--data-dir", data, "demo", "--url", url]
        said = subprocess.run(make, cwd=ROOT, check=True, capture_output=True, text=True).stdout
        (password,) = re.findall(r"^Password of each: (\S+)$", said, re.MULTILINE)
        yield url, password
    finally:
        daemon.terminate()
        daemon.wait()
        shutil.rmtree(data, ignore_errors=True)


def _answers(url: str) -> bool:
    try:
        with urlopen(f"{url}/health/ready") as answer:
            return bool(answer.status == 200)
    except OSError:
        return False


def visitor(browser: Browser, url: str, width: int, dark: bool, log_in: tuple[str, str]) -> Page:
    """A page of somebody who is logged in."""
    scheme = "dark" if dark else "light"
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{url}/log-in")
    name, password = log_in
    page.get_by_label("Username", exact=True).fill(name)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_role("main").get_by_role("button", name="Log in").click()
    page.wait_for_url(f"{url}/")
    return page


def places(page: Page, url: str) -> dict[str, tuple[str, bool]]:
    """The path of each picture's place, and whether a moderator looks at it."""
    page.goto(f"{url}/browse?q=tower")
    page.locator("article a").first.wait_for()
    content = (page.locator("article h3 a").first.get_attribute("href") or url).removeprefix(url)
    page.goto(f"{url}/challenges")
    page.locator("article a").first.wait_for()
    challenge = (page.locator("article h3 a").first.get_attribute("href") or url).removeprefix(url)
    page.goto(f"{url}/friends")
    page.get_by_role("link", name="Write").first.wait_for()
    thread = (
        page.get_by_role("link", name="Write").last.get_attribute("href") or url
    ).removeprefix(url)
    page.goto(f"{url}/library/collections")
    page.locator("article a").last.wait_for()
    shelf = (page.locator("article h3 a").last.get_attribute("href") or url).removeprefix(url)
    return {
        "discover": ("/", False),
        "browse": ("/browse", False),
        "content": (content, False),
        "player": (thread.replace("/messages/", "/user/"), False),
        "statistics": (f"{content}/statistics", False),
        "library": ("/library", False),
        "collection": (shelf, False),
        "challenge": (challenge, False),
        "notifications": ("/notifications", False),
        "friends": ("/friends", False),
        "conversation": (thread, False),
        "publish": ("/publish", False),
        "console": ("/console", True),
    }


def keep(page: Page, name: str, folder: Path = FOLDER) -> None:
    """Keep what the page shows."""
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)
    image = Image.open(BytesIO(page.screenshot()))
    image.save(folder / f"{name}.webp", quality=QUALITY, method=6)


def in_game(browser: Browser, url: str, log_in: tuple[str, str], content: str) -> None:
    """Make those of the layout for the web view of a game, by its keys."""
    page = visitor(browser, url, WIDE, True, log_in)
    page.set_viewport_size({"width": WIDE, "height": 720})
    for name, path, keys in (
        ("discover", "/?layout=game", "ArrowDown ArrowDown ArrowRight"),
        ("content", content, "ArrowDown"),
        ("search", "/search", "ArrowDown ArrowRight"),
        ("choice", "/browse", "ArrowDown Enter"),
    ):
        page.goto(url + path)
        page.wait_for_load_state("networkidle")
        page.locator("main :focus").wait_for()
        for key in keys.split():
            page.keyboard.press(key)
        keep(page, f"in-game.{name}")
    page.context.close()


def main() -> None:
    """Make all of them."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with demo() as (url, password), sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for width, form in ((WIDE, "wide"), (NARROW, "narrow")):
            # The wide ones are light, the narrow ones dark: all four ways to look are seen.
            pages = {
                moderates: visitor(browser, url, width, form == "narrow", (user, password))
                for moderates, user in ((False, PLAYER), (True, MODERATOR))
            }
            for name, (path, moderates) in places(pages[False], url).items():
                pages[moderates].goto(url + path)
                if name == "console":
                    pages[moderates].get_by_role("main").get_by_role("listitem").first.get_by_role(
                        "link"
                    ).click()
                    pages[moderates].get_by_role("button", name="Dismiss").wait_for()
                keep(pages[moderates], f"{name}.{form}")
        content, _ = places(pages[False], url)["content"]
        in_game(browser, url, (VISITOR, password), content)
        browser.close()


if __name__ == "__main__":
    main()
