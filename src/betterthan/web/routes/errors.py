"""What goes wrong, as a page for people and as JSON for programs."""

from __future__ import annotations

import errno
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Match
from starlette.types import Scope

from betterthan.web.render import page, style_of_app
from betterthan.web.runs.disk import FULL, is_disk_full

API = "/api/"
NO_RUN = "There is no such run. It may have been deleted; the list of runs is at /."
_LONGEST = 60
_EXHAUSTED = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOMEM})
_TOO_MANY_FILES = "The server has too many files open. Try again in a moment."


def refusal(
    scope: Scope,
    status: int,
    message: str,
    headers: Mapping[str, str] | None = None,
    *,
    sign_in: str = "",
) -> Response:
    """Return the answer to a request that is not carried out: what, and what to do.

    `sign_in` is the address that takes the token, where it is the token that is missing.
    """
    if scope["path"].startswith(API):
        return JSONResponse({"error": message}, status, dict(headers or {}))
    nonce = scope.get("state", {}).get("nonce", "")
    # The style is part of the page: who is refused here is refused the style sheets too.
    body = page(
        "error.html.j2",
        nonce=nonce,
        title=HTTPStatus(status).phrase,
        status=status,
        message=message,
        style=style_of_app(),
        sign_in=sign_in,
    )
    return Response(body, status, dict(headers or {}), media_type="text/html")


async def on_http_error(request: Request, error: HTTPException) -> Response:
    """Answer what was refused by a route or by the router."""
    if is_disk_full(error.__cause__):  # met while the body was read, and taken for a fault of the body
        return refusal(request.scope, 507, FULL)
    message = _MEANING.get(error.detail, error.detail)
    headers = {"Allow": ", ".join(_methods(request))} if error.status_code == 405 else error.headers
    return refusal(request.scope, error.status_code, message, headers)


async def on_system_error(request: Request, error: Exception) -> Response:
    """Answer where the machine has no more to give; anything else is a fault of ours.

    Raises
    ------
    Exception
        The error itself, when it is another.
    """
    if is_disk_full(error):
        return refusal(request.scope, 507, FULL)
    if (
        getattr(error, "errno", None) in _EXHAUSTED
        or getattr(error, "sqlite_errorname", "") == "SQLITE_CANTOPEN"
    ):
        return refusal(request.scope, 503, _TOO_MANY_FILES, {"Retry-After": "5"})
    raise error


async def on_fault(request: Request, error: Exception) -> Response:  # noqa: ARG001  (the log has it)
    """Answer where we are at fault; the log of the server has the error."""
    words = "This is a fault in betterthan, not in your data. The log of the server says what it was."
    return refusal(request.scope, 500, words)


def _methods(request: Request) -> list[str]:
    """Return every method that an address knows; a route by itself knows only its own."""
    methods: set[str] = set()
    for route in request.app.state.routes:
        if route.matches(request.scope)[0] is not Match.NONE:
            methods |= getattr(route, "methods", None) or set()
    return sorted(methods | ({"HEAD"} if "GET" in methods else set()))


async def on_wrong_request(request: Request, error: RequestValidationError) -> Response:
    """Answer a request whose fields are not as documented; the first fault is named."""
    if not request.scope["path"].startswith(API):
        place, *names = error.errors()[0]["loc"]
        if place == "path":
            return refusal(request.scope, 404, NO_RUN)
        if place == "query":
            return refusal(request.scope, 400, _in_words(error.errors()[0], str(names[-1])))
    faults = [
        f"{' → '.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in error.errors()[:5]
    ]
    return refusal(request.scope, 422, "The request is not as documented. " + "; ".join(faults))


def _in_words(fault: dict[str, Any], name: str) -> str:
    """Return what is wrong with a value in an address, for people."""
    context = fault.get("ctx", {})
    if "expected" in context:
        allowed = f"It can be {context['expected'].replace(chr(39), '')}"
    elif "max_length" in context:
        allowed = f"It has at most {context['max_length']} characters"
    else:
        allowed = "It is a whole number from 1"
    value = str(fault["input"])
    shown = value if len(value) <= _LONGEST else value[: _LONGEST - 1] + "…"
    return f"The address says {name}={shown}, which has no meaning here. {allowed}; or leave it out."


_MEANING = {
    "Not Found": "There is no such page. The list of runs is at /.",
    "Method Not Allowed": "This address cannot be asked in this way.",
    "There was an error parsing the body": "The body of the request cannot be understood.",
}
