"""The files of the JavaScript client and of the portal that are made of docs/openapi.json."""

import json
from pathlib import Path

from scripts.javascript.limits import PORTAL, limits
from scripts.javascript.table import table
from scripts.javascript.types import types

ROOT = Path(__file__).resolve().parent.parent.parent
_CLIENT = ROOT / "clients/javascript"


def files() -> dict[Path, str]:
    """Their texts, by their paths."""
    document = json.loads((ROOT / "docs/openapi.json").read_text("utf-8"))
    return {
        _CLIENT / "src/operations.js": table(document),
        _CLIENT / "types/operations.d.ts": types(document),
        PORTAL / "limits.js": limits(document),
    }


def write() -> None:
    """Write them anew."""
    for path, text in files().items():
        path.write_text(text, "utf-8")
