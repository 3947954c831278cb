"""All that is made: the files, and their texts."""

from pathlib import Path

from scripts.references import client, errors, limits, log_lines, metrics, operations, settings
from scripts.references.markdown import items, page

ROOT = Path(__file__).resolve().parents[2]
_FOLDER = "docs/reference"
_PAGES = {
    "errors": ("every code, its status, and who answers it", errors.reference),
    "settings": ("every option, its default, and what it does", settings.reference),
    "limits": ("how often, how many, how large, how long", limits.reference),
    "log-lines": ("what a line for operators means, and what to do", log_lines.reference),
    "metrics": ("what Prometheus reads: name, type, labels, meaning", metrics.reference),
    "client": ("every method of the Python client", client.reference),
    "operations": ("every method and path, who may call it, and its errors", operations.reference),
}
"""What each page has, and the function that makes it."""


def texts() -> dict[Path, str]:
    """The text of each file."""
    made = {f"{_FOLDER}/{name}.md": make() for name, (_, make) in _PAGES.items()}
    made[f"{_FOLDER}/index.md"] = _index()
    made["etc/contentsvc.toml.sample"] = settings.sample()
    made["tests/operations.txt"] = operations.listing()
    return {ROOT / name: text for name, text in made.items()}


def write() -> None:
    """Write them."""
    for path, text in texts().items():
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _index() -> str:
    about = "What can be looked up. [Docs](../index.md) leads to the guides."
    lines = [
        f"[{name.replace('-', ' ').capitalize()}]({name}.md): {what}."
        for name, (what, _) in _PAGES.items()
    ]
    return page("Reference", about, items(lines))
