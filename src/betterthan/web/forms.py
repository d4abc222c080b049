"""Form tokens: a form counts only if this server wrote it for this browser."""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

COOKIE = "betterthan_session"
FIELD = "form_token"
_OURS = re.compile(r"[A-Za-z0-9_-]{32}")  # as it is made; anything else was made up by somebody


def session_of(request: Request) -> str:
    """Return the browser's session, a new one if it has none."""
    known: str = request.cookies.get(COOKIE, "")
    return known if _OURS.fullmatch(known) else secrets.token_urlsafe(24)


def form_token(secret: bytes, session: str) -> str:
    """Return the token of all forms of a session.

    Examples
    --------
    >>> form_token(b"key", "a") == form_token(b"key", "a"), form_token(b"key", "a") == form_token(b"key", "b")
    (True, False)
    """
    return hmac.new(secret, f"form:{session}".encode(), hashlib.sha256).hexdigest()


def check_form(request: Request, secret: bytes, shown: object) -> None:
    """Refuse a form without its token.

    Raises
    ------
    HTTPException
        403, when the token is absent or another session's.
    """
    session = request.cookies.get(COOKIE, "")
    wanted = form_token(secret, session)
    if not session or not isinstance(shown, str) or not hmac.compare_digest(shown.encode(), wanted.encode()):
        raise HTTPException(
            403, "This form is out of date or not from this server. Go back, load the page again and repeat."
        )


def remember(response: Response, session: str) -> None:
    """Have the browser keep its session for as long as it is open."""
    response.set_cookie(COOKIE, session, httponly=True, samesite="strict")
