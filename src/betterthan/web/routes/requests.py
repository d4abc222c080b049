"""What every route needs: the service, the run that an address names, and a page with its session."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import Depends, Path, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from betterthan.tables.scores import Scores
from betterthan.web.kept_answers import Shelf
from betterthan.web.names_in_addresses import from_tilde
from betterthan.web.render import page
from betterthan.web.routes.choices import form_token, remember, session_of
from betterthan.web.routes.errors import NO_RUN
from betterthan.web.runs.kept_tables import Kept, kept
from betterthan.web.runs.run import Run
from betterthan.web.runs.service import Service

RunId = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{22}$", description="Id of a run, as its address has it.")
]


def service_of(request: Request) -> Service:
    """Return the service that the app was made with."""
    service: Service = request.app.state.service
    return service


def shelf_of(request: Request) -> Shelf:
    """Return the shelf of answers in memory."""
    shelf: Shelf = request.app.state.shelf
    return shelf


# A dependency that is a coroutine costs no change of threads; these do next to nothing.
async def _service(request: Request) -> Service:
    return service_of(request)


async def _shelf(request: Request) -> Shelf:
    return shelf_of(request)


TheService = Annotated[Service, Depends(_service)]
TheShelf = Annotated[Shelf, Depends(_shelf)]


def found_run(run_id: str, service: Service) -> Run:
    """Return the run of an id.

    Raises
    ------
    HTTPException
        404 when there is none.
    """
    run = service.runs.get(run_id)
    if run is None:
        raise HTTPException(404, NO_RUN)
    return run


def finished_run(run_id: str, service: Service) -> Run:
    """Return the run of an id, if its report is there.

    Raises
    ------
    HTTPException
        404 when there is none, 409 when it is not done.
    """
    run = found_run(run_id, service)
    if run.state != "done":
        raise HTTPException(409, f"This run is {run.state}; it has no report yet. See /runs/{run.id}.")
    return run


async def _run(run_id: RunId, service: TheService) -> Run:
    return found_run(run_id, service)


async def _finished(run_id: RunId, service: TheService) -> Run:
    return finished_run(run_id, service)


TheRun = Annotated[Run, Depends(_run)]
Finished = Annotated[Run, Depends(_finished)]


def show(request: Request, template: str, *, status: int = 200, **values: Any) -> HTMLResponse:  # noqa: ANN401
    """Return a page whose forms carry this browser's token."""
    service = service_of(request)
    session = session_of(request)
    token = form_token(service.secret, session)
    nonce = request.scope["state"]["nonce"]
    response = HTMLResponse(page(template, nonce=nonce, token=token, **values), status)
    remember(response, session)
    return response


def kept_of(service: Service, run: Run) -> Kept:
    """Return what a run keeps for pages of pairs and segments.

    Raises
    ------
    HTTPException
        404 when it keeps nothing.
    """
    found = kept(service.folder(run.id))
    if not found.systems:
        raise HTTPException(
            404,
            "This run keeps nothing for pages of pairs or segments: it is too large, or of an older version. "
            "Run it again, or use the command line.",
        )
    return found


def tables_of(service: Service, run: Run) -> tuple[Scores, ...]:
    """Return the tables of scores that a run keeps.

    Raises
    ------
    HTTPException
        404 when it has no scores by segment.
    """
    tables = kept_of(service, run).scores
    if not tables:
        raise HTTPException(404, "Battles have no scores by segment. Ask for the battles instead.")
    return tables


def table_named(tables: tuple[Scores, ...], metric: str) -> Scores:
    """Return the table of a metric, the first one when none is named.

    Raises
    ------
    HTTPException
        404 when there is no such metric.
    """
    for table in tables:
        if metric in ("", table.name):
            return table
    raise HTTPException(404, f"There is no metric of this name. Known: {', '.join(t.name for t in tables)}.")


def system_named(part: str, systems: tuple[str, ...]) -> str:
    """Return the system that a part of an address stands for.

    Raises
    ------
    HTTPException
        404 when there is no such system.
    """
    name = from_tilde(part)
    if name is None or name not in systems:
        raise HTTPException(
            404, f"There is no system of this name in the run. Known: {', '.join(systems[:20])}."
        )
    return name
