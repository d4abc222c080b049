"""The app: routes behind the door, workers behind the routes."""

from __future__ import annotations

import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException

from betterthan import __version__
from betterthan.web import actions, api, api_details, pages, run_pages
from betterthan.web.errors import on_fault, on_http_error, on_system_error, on_wrong_request
from betterthan.web.guard import Guard
from betterthan.web.head import HeadAsGet
from betterthan.web.service import Service
from betterthan.web.settings import WebSettings
from betterthan.web.shelf import Shelf

_ABOUT = (
    "Is A better than B, how sure are we, and which metric may we trust? Upload files, ask what was recognised, "
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
    app.state.shelf = Shelf()
    app.add_exception_handler(HTTPException, on_http_error)  # type: ignore[arg-type]  # called for this class alone
    app.add_exception_handler(RequestValidationError, on_wrong_request)  # type: ignore[arg-type]
    for kind in (OSError, sqlite3.Error):
        app.add_exception_handler(kind, on_system_error)
    app.add_exception_handler(Exception, on_fault)
    routers = [room.router for room in (pages, actions, run_pages, api, api_details)]
    app.state.routes = [route for router in routers for route in router.routes]
    for router in routers:
        app.include_router(router)
    app.add_middleware(Guard, settings=settings, secret=service.secret)
    app.add_middleware(HeadAsGet)  # outside the door, which then asks of HEAD what it asks of GET
    return app
