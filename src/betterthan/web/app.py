"""The app: what stands around the routes. HEAD is answered as GET, without the body.

The lesson is three systems on five segments: the same scores by mean, median and Bradley–Terry.
"""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from statistics import fmean, median

import numpy as np
from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from betterthan import __version__
from betterthan.examples.figure_one import figure_one
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.web.response_cache import ResponseCache
from betterthan.web.routes import actions, api, gate_pages, pages, run_pages, watch_pages
from betterthan.web.routes.errors import on_fault, on_http_error, on_system_error, on_wrong_request
from betterthan.web.runs.service import Service
from betterthan.web.security import AccessControl
from betterthan.web.settings import WebSettings


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What the page shows before a point is moved.

    Attributes
    ----------
    systems : tuple of str
    scores : tuple of tuples of float
        One row per system.
    means, medians : tuple of float
    shares : tuple of float
        Bradley–Terry strengths as shares that sum to 1; NaN where they do not exist.
    wins : tuple of tuples of float
        The number of segments that the row wins against the column, ties as half.
    """

    systems: tuple[str, ...]
    scores: tuple[tuple[float, ...], ...]
    means: tuple[float, ...]
    medians: tuple[float, ...]
    shares: tuple[float, ...]
    wins: tuple[tuple[float, ...], ...]


def lesson(scores: dict[str, list[float]]) -> Lesson:
    """Return the three summaries of some scores, more being better.

    Examples
    --------
    >>> from betterthan.examples.figure_one import figure_one
    >>> found = lesson(figure_one())
    >>> [round(mean, 1) for mean in found.means], found.medians
    ([9.2, 9.2, 9.2], (11.0, 7.0, 11.0))
    >>> [round(share, 3) for share in found.shares]
    [0.094, 0.249, 0.657]
    """
    values = np.array(list(scores.values()))
    above = (values[:, None, :] > values[None, :, :]).sum(axis=2)
    level = (values[:, None, :] == values[None, :, :]).sum(axis=2)
    wins = above + 0.5 * level
    np.fill_diagonal(wins, 0.0)
    strength = np.exp(bradley_terry(wins).log_strength)
    return Lesson(
        systems=tuple(scores),
        scores=tuple(tuple(row) for row in scores.values()),
        means=tuple(fmean(row) for row in scores.values()),
        medians=tuple(float(median(row)) for row in scores.values()),
        shares=tuple(float(share) for share in strength / strength.sum()),
        wins=tuple(tuple(float(count) for count in row) for row in wins),
    )


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

        # A copy: the caller of this middleware still sees that it was HEAD, and sends no body either.
        await self._app({**scope, "method": "GET"}, received, sent)


_ABOUT = (
    "Is A better than B, how sure are we, and which metric can we trust? Upload files, ask what was recognized, "
    "start, follow, read. Nothing leaves the machine that the server runs on."
)


def create_app(settings: WebSettings) -> FastAPI:
    """Return the app that serves the runs of `settings.folder`.

    Raises
    ------
    BetterThanError
        When another server uses the folder.
    """
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        service.recover()
        yield
        service.close()

    app = FastAPI(
        title="betterthan",
        version=__version__,
        description=_ABOUT,
        lifespan=lifespan,
        openapi_url=f"{api.PREFIX}/openapi.json",
        docs_url=None,  # its page is loaded from elsewhere, and nothing of ours is
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.service = service
    app.state.cache = ResponseCache()
    app.state.lesson = lesson(figure_one())
    app.add_exception_handler(HTTPException, on_http_error)  # type: ignore[arg-type]  # called for this class alone
    app.add_exception_handler(RequestValidationError, on_wrong_request)  # type: ignore[arg-type]
    for kind in (OSError, sqlite3.Error):
        app.add_exception_handler(kind, on_system_error)
    app.add_exception_handler(Exception, on_fault)
    routers = [module.router for module in (pages, actions, run_pages)]
    routers += [watch_pages.pages, gate_pages.pages, api.router, watch_pages.api, gate_pages.api]
    app.state.routes = [route for router in routers for route in router.routes]
    for router in routers:
        app.include_router(router)
    app.add_middleware(AccessControl, settings=settings, secret=service.secret)
    app.add_middleware(HeadAsGet)  # outside the door, which then asks of HEAD what it asks of GET
    return app
