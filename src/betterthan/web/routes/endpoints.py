"""What the API can be asked, from its OpenAPI document, for a page that people read."""

from __future__ import annotations

from typing import Any, NamedTuple


class Parameter(NamedTuple):
    """A value in an address: its name, what it can be, and what it means."""

    name: str
    allowed: str
    description: str


class Endpoint(NamedTuple):
    """A method on an address, what it does, and the values that the address takes."""

    method: str
    path: str
    description: str
    parameters: tuple[Parameter, ...]


def endpoints(document: dict[str, Any]) -> tuple[Endpoint, ...]:
    """Return all methods and addresses in the order of the document.

    Examples
    --------
    >>> parameter = {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}}
    >>> document = {"paths": {"/a": {"get": {"description": "List.", "parameters": [parameter]}}}}
    >>> endpoints(document)[0].parameters
    (Parameter(name='page', allowed='integer, 1 by default', description=''),)
    """
    return tuple(
        Endpoint(method.upper(), path, operation.get("description", ""), _parameters(operation))
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    )


def _parameters(operation: dict[str, Any]) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(one["name"], _allowed(one["schema"]), one.get("description", ""))
        for one in operation.get("parameters", ())
        if one["in"] == "query"
    )


def _allowed(schema: dict[str, Any]) -> str:
    kind = " | ".join(map(str, schema["enum"])) if "enum" in schema else str(schema.get("type", "text"))
    default = schema.get("default")
    return kind if default in (None, "") else f"{kind}, {default} by default"
