"""What players read of the names of types and platforms, if the studio says nothing else."""

from collections.abc import Mapping
from typing import Final

from contentsvc.framework.config.toml_files import Label

TYPES: Final[Mapping[str, Label]] = {
    "game": Label("Game", "Spiel"),
    "asset": Label("Asset", "Baustein"),
    "avatar_box": Label("Avatar box", "Avatar-Box"),
    "gameplay_box": Label("Gameplay box", "Gameplay-Box"),
    "scene_box": Label("Scene box", "Szenen-Box"),
}
PLATFORMS: Final[Mapping[str, Label]] = {
    name: Label(text, text)
    for name, text in (
        ("win64", "Windows"),
        ("osx64", "macOS"),
        ("linux64", "Linux"),
        ("android", "Android"),
        ("ios", "iOS"),
        ("ps4", "PlayStation 4"),
        ("ps5", "PlayStation 5"),
        ("xbox", "Xbox"),
        ("switch", "Nintendo Switch"),
        ("quest", "Meta Quest"),
        ("web", "Web"),
    )
}


def type_label(name: str, own: Mapping[str, Label]) -> Label:
    """What players read of a type: the studio's `own` words, ours, or else the name itself."""
    return own.get(name) or TYPES.get(name) or Label(name, name)


def platform_label(name: str, own: Mapping[str, Label]) -> Label:
    """What players read of a platform, as `type_label`."""
    return own.get(name) or PLATFORMS.get(name) or Label(name, name)
