"""HEAD: what GET would answer, without the body."""

from __future__ import annotations

from starlette.types import ASGIApp, Message, Receive, Scope, Send


class HeadAsGet:
    """Middleware that has every HEAD answered as the GET of the same address, and keeps the body back.

    To the app the caller then has hung up, so that an answer without end, such as the progress of a run, ends.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http" or scope["method"] != "HEAD":
            await self._app(scope, receive, send)
            return
        is_started = False

        async def received() -> Message:
            return {"type": "http.disconnect"} if is_started else await receive()

        async def sent(message: Message) -> None:
            nonlocal is_started
            if message["type"] == "http.response.start":
                is_started = True
                await send(message)
                await send({"type": "http.response.body", "body": b""})

        # A copy: whoever handed the request in still sees that it was HEAD, and sends no body either.
        await self._app({**scope, "method": "GET"}, received, sent)
