"""What a page has for those that run no script: what it shows, in short, and where to go on."""

from html import escape
from typing import Final

from contentsvc.framework.config.toml_files import Label
from contentsvc.portal.previews import Preview

NEEDED: Final = Label("This page needs JavaScript.", "Diese Seite braucht JavaScript.")


def of_place(title: str, about: str, links: list[tuple[str, str]]) -> str:
    """What a place for all has: its `links` are paths with what they are called."""
    items = "".join(f'<li><a href="{path}">{escape(name)}</a></li>' for path, name in links)
    return f"<h1>{escape(title)}</h1><p>{escape(about)}</p><ul>{items}</ul>"


def of_thing(shown: Preview, base: str, picture: str) -> str:
    """What the page of one thing has. What people have written is escaped, and turns the direction
    of nothing around it. `picture` is a URL; "" without one."""
    text = f'<h1 dir="auto">{escape(shown.title)}</h1>'
    if shown.author is not None:
        id, name = shown.author
        text += f'<p><a href="{base}/user/{escape(id)}"><bdi>{escape(name)}</bdi></a></p>'
    if picture:
        text += f'<p><img src="{escape(picture)}" alt="{escape(shown.title)}"></p>'
    if shown.text:
        text += f'<p dir="auto">{escape(shown.text)}</p>'
    return text
