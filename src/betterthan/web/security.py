"""Who may ask, from where, and with how much; and what every answer tells the browser."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import secrets
import socket
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.requests import cookie_parser
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp, Receive, Scope, Send
from starlette.types import Message as Event

from betterthan.messages import NAME, Message, Option, spelled
from betterthan.web.names import on_page
from betterthan.web.routes.errors import API, refusal
from betterthan.web.settings import LOOPBACK, WebSettings

UPLOADS = ("/upload", "/api/v1/runs")
_SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
# Bytes of a multipart body that are not the files: boundaries, headers, the form's own fields.
_ENVELOPE = 1 << 20
_LONGEST_NUMBER = 15
_WRONG = "That is not the token of this server. "
_NOT_OUR_NAME = Message(
    "This server was not addressed by one of its own names. Use http://127.0.0.1, or add the name with {name}.",
    name=Option("name", NAME),
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    # Not "no-referrer": with it browsers send no Origin with forms, and that is what tells ours from others'.
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "X-Frame-Options": "DENY",
}


def content_policy(nonce: str) -> str:
    """Return the policy of our own pages: own files and what carries the nonce, nothing else, and no eval."""
    return (
        f"default-src 'none'; script-src 'self' 'nonce-{nonce}'; style-src 'self' 'nonce-{nonce}'; "
        "img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
    )


class AccessControl:
    """Middleware that turns away what must not come in, and puts the safety headers on what goes out."""

    def __init__(self, app: ASGIApp, settings: WebSettings, secret: bytes) -> None:
        self._app = app
        self._settings = settings
        self._cookie = hmac.new(secret, f"token:{settings.token}".encode(), hashlib.sha256).hexdigest()
        # Browsers ignore the port of a cookie: servers of two folders would overwrite each other's cookie.
        self.cookie_name = (
            "betterthan_" + hmac.new(secret, b"name of the cookie", hashlib.sha256).hexdigest()[:8]
        )
        host_names = () if settings.is_local else (socket.gethostname().lower(),)
        self._names = frozenset({*LOOPBACK, settings.host, *settings.names, *host_names})

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        headers = Headers(scope=scope)
        nonce = secrets.token_urlsafe(16)
        scope.setdefault("state", {})["nonce"] = nonce
        answer = self._answer(scope, headers)
        handler = answer if answer is not None else self._app
        await handler(scope, self._limited(scope, receive), _with_headers(send, nonce))

    def _answer(self, scope: Scope, headers: Headers) -> Response | None:
        """Return the answer to what is not let in, or None."""
        if not self._is_name_of_server(headers.get("host", "")):
            return refusal(
                scope,
                421,
                spelled(_NOT_OUR_NAME, on_page),
            )
        if self._settings.token is not None:
            answer = self._token_answer(scope, headers)
            if answer is not None:
                return answer
        if scope["method"] not in _SAFE and not _is_same_origin(scope, headers):
            return refusal(scope, 403, "This request comes from another site's page, and is not carried out.")
        length = headers.get("content-length", "0")
        if not length.isdecimal() or len(length) > _LONGEST_NUMBER or int(length) > self._most_bytes(scope):
            return refusal(scope, 413, self._too_large(scope))
        return None

    def _is_name_of_server(self, host: str) -> bool:
        name = host.rsplit(":", 1)[0] if not host.endswith("]") else host
        name = name.strip("[]").lower()
        if name in self._names:
            return True
        # A numeric address cannot be rebound to this server as a name can; only servers open to others are at risk.
        return not self._settings.is_local and _is_number(name)

    def _token_answer(self, scope: Scope, headers: Headers) -> Response | None:
        """Return None when the caller has shown the token; it stays out of addresses and of the history."""
        token = self._settings.token or ""
        kind, _, shown = _as_utf8(headers.get("authorization", "")).partition(" ")
        if kind.lower() == "bearer" and _same(shown.strip(), token):
            return None
        # Not http.cookies, which refuses all cookies for the odd name of one.
        cookies = cookie_parser("; ".join(headers.getlist("cookie")))
        if _same(cookies.get(self.cookie_name, ""), self._cookie):
            return None
        query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True)
        query_token = dict(query).get("token")
        if scope["method"] == "GET" and query_token is not None and _same(query_token, token):
            rest = urlencode([(name, value) for name, value in query if name != "token"])
            answer = RedirectResponse(_local_path(scope["path"]) + (f"?{rest}" if rest else ""), 303)
            # "lax": the first page is opened by a program or a file, which to a browser is another site. A request
            # from another site that changes something comes without it, and is refused anyway.
            answer.set_cookie(self.cookie_name, self._cookie, httponly=True, samesite="lax")
            return answer
        if scope["path"].startswith(API):
            return refusal(
                scope,
                403,
                "The token is missing or wrong. Send the one that the server printed when it started, "
                "as Authorization: Bearer TOKEN.",
            )
        message = "Open the link that the server printed when it started, or paste the token from it."
        # After signing in, the requested page is shown; a form would have to be filled in again.
        page = _local_path(scope["path"]) if scope["method"] == "GET" else "/"
        return refusal(scope, 403, message if query_token is None else _WRONG + message, sign_in=page)

    def _most_bytes(self, scope: Scope) -> int:
        limits = self._settings.limits
        return limits.upload_bytes + _ENVELOPE if scope["path"] in UPLOADS else limits.body_bytes

    def _too_large(self, scope: Scope) -> str:
        limits = self._settings.limits
        if scope["path"] not in UPLOADS:
            return "The request is too large."
        message = Message(
            "One upload may have at most {most:,} MB. Compress the files (gzip, Parquet), use a part of the data, or "
            "start the server with a higher {upload}.",
            most=limits.upload_bytes >> 20,
            upload=Option("upload"),
        )
        return spelled(message, on_page)

    def _limited(self, scope: Scope, receive: Receive) -> Receive:
        """Count the body as it comes: a length is not always announced, and not always true."""
        most, seen = self._most_bytes(scope), 0

        async def counted() -> Event:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > most:
                raise HTTPException(413, self._too_large(scope))
            return message

        return counted


def _is_same_origin(scope: Scope, headers: Headers) -> bool:
    """Whether a request that changes something comes from a page of this server, or from no page at all."""
    origin = headers.get("origin")
    if origin is not None:
        return origin == f"{scope['scheme']}://{headers.get('host', '')}"
    return headers.get("sec-fetch-site", "none") in {"same-origin", "none"}


def _local_path(path: str) -> str:
    return "/" + path.lstrip("/\\")  # "//elsewhere" would lead to another machine


def _as_utf8(header: str) -> str:
    # A header is bytes, which Starlette shows as Latin-1.
    return header.encode("latin-1").decode("utf-8", "replace")


def _is_number(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _same(shown: str, expected: str) -> bool:
    """Whether two texts are the same; how long that takes says nothing about either, nor about their lengths."""
    digests = (hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest() for text in (shown, expected))
    return hmac.compare_digest(*digests)


def _with_headers(send: Send, nonce: str) -> Send:
    async def sent(message: Event) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in _HEADERS.items():
                headers.setdefault(name, value)
            headers.setdefault("Content-Security-Policy", content_policy(nonce))
            headers.setdefault("Cache-Control", "no-store")
        await send(message)

    return sent
