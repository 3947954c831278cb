"""Compares each answer with /openapi.json."""

from __future__ import annotations

import json
import re
from functools import cache
from typing import Any
from urllib.parse import quote, urlsplit

from jsonschema_rs import Draft202012Validator, Registry

from tests.spec.client import Response

BEFORE = {
    400: {"malformed_request"},
    405: {"method_not_allowed"},
    408: {"timeout"},
    413: {"payload_too_large"},
    414: {"uri_too_long"},
    431: {"headers_too_large"},
}
"""What a request may be refused with before its operation matters: `default` stands for it."""
_HOME = "urn:contract"
_VARIABLE = re.compile(r"\\{\w+\\}")


class Contract:
    """One service's document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document
        self._registry = Registry([(_HOME, document)])
        self._validators: dict[str, Draft202012Validator] = {}
        # A path with a word outweighs one that has a variable in its place.
        paths = sorted(document["paths"], key=lambda path: path.count("{"))
        self._paths = [
            (re.compile(_VARIABLE.sub("[^/]+", re.escape(path))), path) for path in paths
        ]

    def wrong(self, method: str, path: str, response: Response) -> str | None:
        """How the answer to this request differs from what the document says of it, if it does.

        Nothing is said of what is no operation.
        """
        method = "get" if method == "HEAD" else method.lower()
        path = urlsplit(path).path.replace("/methods/v1/user", "/api/v1/user", 1)
        template = next((known for pattern, known in self._paths if pattern.fullmatch(path)), None)
        operation = self.document["paths"].get(template, {}).get(method)
        if operation is None:
            return None
        status = str(response.status)
        if status not in operation["responses"]:
            code = response.json().get("code") if response.body else None
            known = code in BEFORE.get(response.status, ())
            return None if known else f"{operation['operationId']} has no {status} {code}"
        place = f"/paths/{_escaped(template)}/{method}/responses/{status}"
        declared = operation["responses"][status]
        if "$ref" in declared:
            place = declared["$ref"].removeprefix("#")
            declared = self.document
            for step in place.split("/")[1:]:
                declared = declared[step]
        for name in declared.get("headers", {}).keys() - {"Link"}:
            if response.header(name) is None:
                return f"{operation['operationId']} {status} has no {name}"
        return self._body(place, declared, response)

    def _body(self, place: str, declared: dict[str, Any], response: Response) -> str | None:
        if not response.body:
            return None
        media = (response.header("Content-Type") or "").partition(";")[0]
        if media not in declared.get("content", {}):
            return f"{place} is no {media}"
        return self._misfit(f"{place}/content/{_escaped(media)}/schema", response.json())

    def wrong_message(self, message: Any) -> str | None:
        """How a message on the socket differs from what the document says of them, if it does."""
        return self._misfit("/components/schemas/ServerMessage", message)

    def _misfit(self, pointer: str, value: Any) -> str | None:
        if pointer not in self._validators:
            self._validators[pointer] = Draft202012Validator(
                {"$ref": f"{_HOME}#{quote(pointer)}"},
                registry=self._registry,
                validate_formats=True,
            )
        for error in self._validators[pointer].iter_errors(value):
            place = "/".join(map(str, ["", *error.instance_path]))
            return f"{pointer}: {place or 'the whole'}: {error.message[:300]}"
        return None


def _escaped(step: str | None) -> str:
    return (step or "").replace("~", "~0").replace("/", "~1")


@cache
def contract_of(document: bytes) -> Contract:
    """That of this document, which daemons with the same options share."""
    return Contract(json.loads(document))
