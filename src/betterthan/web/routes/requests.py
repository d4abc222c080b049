"""What every route needs: the service, the run that an address names, and a page with its session."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

from fastapi import Depends, Path, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse

from betterthan.tables.scores import Scores
from betterthan.web.details.gate_request import GateRequest
from betterthan.web.details.overview import stored_tabs
from betterthan.web.details.pair_files import changes_file, pair_file
from betterthan.web.details.segments import forget_rows
from betterthan.web.details.watch_request import WatchRequest
from betterthan.web.names import name_from_url
from betterthan.web.render import page
from betterthan.web.response_cache import ResponseCache
from betterthan.web.routes.choices import form_token, remember, session_of
from betterthan.web.routes.errors import NO_RUN
from betterthan.web.runs.run import RunRecord
from betterthan.web.runs.saved_tables import SavedTables, saved_tables
from betterthan.web.runs.service import DetailFailed, Service, TooManyWaiting

RunId = Annotated[
    str, Path(pattern=r"^[A-Za-z0-9_-]{22}$", description="Id of a run, as its address has it.")
]
NameQuery = Annotated[str, Query(max_length=500)]
"""The name of a system, a metric or a group, as a parameter of an address."""


def service_of(request: Request) -> Service:
    """Return the service that the app was made with."""
    service: Service = request.app.state.service
    return service


def cache_of(request: Request) -> ResponseCache:
    """Return the answers in memory."""
    cache: ResponseCache = request.app.state.cache
    return cache


# A dependency that is a coroutine costs no change of threads, and these only look up an attribute.
async def _service(request: Request) -> Service:
    return service_of(request)


async def _cache(request: Request) -> ResponseCache:
    return cache_of(request)


TheService = Annotated[Service, Depends(_service)]
TheCache = Annotated[ResponseCache, Depends(_cache)]


def run_or_404(run_id: str, service: Service) -> RunRecord:
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


def finished_run(run_id: str, service: Service) -> RunRecord:
    """Return the run of an id, if its report is there.

    Raises
    ------
    HTTPException
        404 when there is none, 409 when it is not done.
    """
    run = run_or_404(run_id, service)
    if run.state != "done":
        raise HTTPException(409, f"This run is {run.state}; it has no report yet. See /runs/{run.id}.")
    return run


async def _run(run_id: RunId, service: TheService) -> RunRecord:
    return run_or_404(run_id, service)


async def _finished(run_id: RunId, service: TheService) -> RunRecord:
    return finished_run(run_id, service)


TheRun = Annotated[RunRecord, Depends(_run)]
Finished = Annotated[RunRecord, Depends(_finished)]


def show(
    request: Request,
    template: str,
    *,
    here: str,
    status: int = 200,
    run: RunRecord | None = None,
    **values: Any,  # noqa: ANN401  (what the template shows)
) -> HTMLResponse:
    """Return a page whose forms carry this browser's token.

    Parameters
    ----------
    request : Request
    template : str
    here : str
        Which link of the bar leads to this page.
    status : int
    run : RunRecord, optional
        The run that the page is about; the bar then leads to its other pages.
    **values : object
        What the template shows.
    """
    service = service_of(request)
    is_readable = run is not None and run.state == "done"
    tabs = stored_tabs(service.folder(run.id)) if run is not None and is_readable else ()
    session = session_of(request)
    token = form_token(service.secret, session)
    nonce = request.scope["state"]["nonce"]
    response = HTMLResponse(
        page(template, nonce=nonce, token=token, here=here, tabs=tabs, run=run, **values), status
    )
    remember(response, session)
    return response


def saved_by(service: Service, run: RunRecord) -> SavedTables:
    """Return the tables that a run saved for pages of pairs and segments.

    Raises
    ------
    HTTPException
        404 when it saved none.
    """
    saved = saved_tables(service.folder(run.id))
    if not saved.systems:
        raise HTTPException(
            404,
            "This run keeps nothing for pages of pairs or segments: it is too large, or of an older version. "
            "Run it again, or use the command line.",
        )
    return saved


def scores_of(tables: SavedTables) -> tuple[Scores, ...]:
    """Return the tables of scores that a run keeps.

    Raises
    ------
    HTTPException
        404 when it has no scores by segment.
    """
    if not tables.scores:
        raise HTTPException(404, "Battles have no scores by segment. Ask for the battles instead.")
    return tables.scores


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
    raise HTTPException(404, f"No metric has this name. Known: {', '.join(t.name for t in tables)}.")


def system_named(part: str, systems: tuple[str, ...]) -> str:
    """Return the system that a part of an address stands for.

    Raises
    ------
    HTTPException
        404 when there is no such system.
    """
    name = name_from_url(part)
    if name is None or name not in systems:
        raise HTTPException(404, f"No system of this run has this name. Known: {', '.join(systems[:20])}.")
    return name


class PairPageRequest(NamedTuple):
    """Two different systems of a run, and by which metric they are compared; battles have none."""

    a: str
    b: str
    scores: Scores | None

    @property
    def metric(self) -> str:
        """The metric's name, empty for battles."""
        return "" if self.scores is None else self.scores.name


def requested_pair(tables: SavedTables, a: str, b: str, metric: str) -> PairPageRequest:
    """Return the pair that an address names.

    Raises
    ------
    HTTPException
        404 when there is no such system or metric, or both are the same.
    """
    scores = None if tables.battles is not None else table_named(tables.scores, metric)
    systems = tables.systems if scores is None else scores.systems
    first, second = system_named(a, systems), system_named(b, systems)
    if first == second:
        raise HTTPException(404, "A pair needs two different systems.")
    return PairPageRequest(first, second, scores)


_LONGEST_WAIT = 30.0  # seconds that a request waits for a worker
_EVERY = 0.1
_IN_WORK = "This is being computed. It will be here in a while: load the page again."


async def stored_pair(
    service: Service, run: RunRecord, tables: SavedTables, pair: PairPageRequest
) -> dict[str, Any]:
    """Return what a worker found about a pair: with the run, or now.

    Raises
    ------
    HTTPException
        409 when the data do not say anything about the pair, with the reason; 503 while it is computed.
    """
    file = pair_file(tables, pair.a, pair.b, pair.metric)
    details = {"a": pair.a, "b": pair.b, "metric": pair.metric}
    stored = await _computed(lambda: service.detail(run.id, "pair", file, **details))
    if stored["problem"]:
        raise HTTPException(409, str(stored["problem"]))
    return stored


async def stored_changes(service: Service, before: RunRecord, after: RunRecord) -> dict[str, Any]:
    """Return the tests of what changed between two runs, which a worker makes when they are first asked for.

    Raises
    ------
    HTTPException
        404 when a report is gone from the disk; 503 while it is computed.
    """
    try:
        file = changes_file(service.folder(before.id), service.folder(after.id))
    except FileNotFoundError as error:
        raise HTTPException(404, "A report is gone from the disk. Start the run again.") from error
    return await _computed(lambda: service.detail(after.id, "changes", file, before=before.id))


async def stored_watch(service: Service, run: RunRecord, request: WatchRequest) -> dict[str, Any]:
    """Return a watch that a worker computes when it is first asked for; it may be only the reason why there is none.

    Raises
    ------
    HTTPException
        503 while it is computed.
    """
    return await _computed(lambda: service.detail(run.id, "watch", request.file, **request.details))


async def stored_gate(service: Service, run: RunRecord, request: GateRequest) -> dict[str, Any]:
    """Return a gate that a worker computes when it is first asked for; it may be only the reason why there is none.

    Raises
    ------
    HTTPException
        503 while it is computed.
    """
    return await _computed(lambda: service.detail(run.id, "gate", request.file, **request.details))


async def _computed(detail: Callable[[], dict[str, Any] | None]) -> dict[str, Any]:
    """Wait for a worker, without a thread of the server's."""
    end = time.monotonic() + _LONGEST_WAIT
    while True:
        try:
            result = await run_in_threadpool(detail)
        except DetailFailed as error:
            raise HTTPException(409, str(error)) from error
        except TooManyWaiting as error:
            raise HTTPException(503, str(error), {"Retry-After": "60"}) from error
        if result is not None:
            return result
        if time.monotonic() > end:
            raise HTTPException(503, _IN_WORK, {"Retry-After": "3", "Refresh": "3"})
        await asyncio.sleep(_EVERY)


def delete_run(service: Service, cache: ResponseCache, run: RunRecord) -> None:
    """Delete a run with all its files, and what is in memory of it."""
    service.delete(run.id)
    cache.forget(service.folder(run.id).path)
    forget_rows()
