"""Make the pictures of docs/guides/brand.md."""

from __future__ import annotations

import shutil

from playwright.sync_api import sync_playwright

from tests.contract.browser import chromium
from tests.portal.pictures import FLAGS, NARROW, ROOT, WIDE, demo, keep

FOLDER = ROOT / "docs/figures/brand"
SAMPLE = ROOT / "etc/brand.sample"
LOOKS = (
    ("before", (), "light"),
    ("kitea", ("--brand", str(SAMPLE / "brand.toml")), "light"),
    ("nyx-vale", ("--brand", str(SAMPLE / "night.toml")), "dark"),
)
"""What is shown, the options of the daemon, and the theme of the wide picture. The narrow one has
the other."""
OTHER = {"light": "dark", "dark": "light"}


def main() -> None:
    """Make all of them."""
    shutil.rmtree(FOLDER, ignore_errors=True)
    FOLDER.mkdir(parents=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium(), args=FLAGS)
        for name, options, theme in LOOKS:
            with demo(*options) as (url, _):
                for width, form, scheme in (
                    (WIDE, "wide", theme),
                    (NARROW, "narrow", OTHER[theme]),
                ):
                    page = browser.new_context(
                        viewport={"width": width, "height": 800},
                        color_scheme=scheme,  # type: ignore[arg-type]
                    ).new_page()
                    page.goto(url)
                    page.get_by_role("main").get_by_role("article").first.wait_for()
                    keep(page, f"{name}.{form}", FOLDER)
                    if name == "kitea":
                        page.evaluate("() => scrollTo(0, document.body.scrollHeight)")
                        keep(page, f"{name}.end.{form}", FOLDER)
        browser.close()


if __name__ == "__main__":
    main()
