"""What types and platforms are called, unless the studio says otherwise."""

from collections.abc import Iterable, Mapping
from typing import Final

from contentsvc.config.brand import Brand
from contentsvc.wire.service import Label, Named

TYPES: Final = {
    "game": Label("Game", "Spiel"),
    "asset": Label("Asset", "Baustein"),
    "avatar_box": Label("Avatar", "Avatar"),
    "gameplay_box": Label("Game rules", "Spielregeln"),
    "scene_box": Label("Scene", "Szene"),
}
PLATFORMS: Final = {
    "win64": Label("Windows", "Windows"),
    "osx64": Label("macOS", "macOS"),
    "linux64": Label("Linux", "Linux"),
    "android": Label("Android", "Android"),
    "ios": Label("iOS", "iOS"),
    "ps4": Label("PlayStation 4", "PlayStation 4"),
    "ps5": Label("PlayStation 5", "PlayStation 5"),
    "xbox": Label("Xbox", "Xbox"),
    "switch": Label("Nintendo Switch", "Nintendo Switch"),
    "quest": Label("Meta Quest", "Meta Quest"),
    "web": Label("Browser", "Browser"),
}


def all_labels(brand: Brand | None) -> dict[str, dict[str, Label]]:
    """Those of `types` and of `platforms`: the brand's, or else ours."""
    found = {"types": TYPES, "platforms": PLATFORMS}
    for kind in found if brand is not None else ():
        own = getattr(brand, kind)
        found[kind] = found[kind] | {name: Label(*label) for name, label in own.items()}
    return found


def named(names: Iterable[str], labels: Mapping[str, Label]) -> list[Named]:
    """These names with their labels. One without a label is called as it is."""
    return [Named(name, labels.get(name) or Label(name, name)) for name in names]
