"""The page of a watch: are the data of a run enough, and if not, how many more; and the same in JSON."""

# ruff: noqa: FAST003  (the run's id is taken by the dependency that finds the run)
from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from betterthan.web.details.watch_request import WatchRequest
from betterthan.web.routes.api import PREFIX, wrongs
from betterthan.web.routes.requests import (
    Finished,
    NameQuery,
    TheService,
    saved_by,
    show,
    stored_watch,
    table_named,
)
from betterthan.web.runs.run import RunRecord
from betterthan.web.runs.saved_tables import SavedTables
from betterthan.web.runs.service import Service

pages = APIRouter(include_in_schema=False)
api = APIRouter(prefix=PREFIX)
_MOST = 1_000_000_000
Number = Annotated[int, Query(ge=0, le=_MOST)]
Margin = Annotated[float, Query(ge=0, le=1e12)]
_NO_WATCH = "Only scores of items and battles are watched; this run is about other data."


async def _asked(
    service: Service, run: RunRecord, request: WatchRequest
) -> tuple[SavedTables, WatchRequest, dict[str, Any]]:
    """Return the tables of a run, the request about systems and metrics that are there, and its answer."""
    tables = await run_in_threadpool(saved_by, service, run)
    if tables.tags is not None:
        raise HTTPException(404, _NO_WATCH)
    scores = None if tables.battles is not None else table_named(tables.scores, request.metric)
    systems = tables.systems if scores is None else scores.systems
    request = request._replace(metric="" if scores is None else scores.name)
    unknown = [name for name in (request.a, request.b) if name and name not in systems]
    if unknown:
        raise HTTPException(404, f"There is no such system. Known: {', '.join(systems[:20])}.")
    if bool(request.a) != bool(request.b) or (request.a and request.a == request.b):
        raise HTTPException(404, "Choose two different systems, or neither for all.")
    if request.margin and not request.a:
        if len(systems) != 2:
            raise HTTPException(404, "A margin is for two systems. Choose the baseline and the candidate.")
        request = request._replace(a=systems[0], b=systems[1])
    return tables, request, await stored_watch(service, run, request)


@pages.get("/runs/{run_id}/watch")
async def page(
    request: Request,
    run: Finished,
    service: TheService,
    metric: NameQuery = "",
    a: NameQuery = "",
    b: NameQuery = "",
    horizon: Annotated[str, Query(max_length=20)] = "",
    margin: Annotated[str, Query(max_length=20)] = "",
    top: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """Show whether the data are enough; fields that are left empty ask nothing."""
    wanted = WatchRequest(
        metric=metric,
        a=a,
        b=b,
        horizon=int(_number(horizon, "Planned number")),
        margin=_number(margin, "Margin"),
        top=int(_number(top, "Best systems wanted")),
    )
    tables, asked, stored = await _asked(service, run, wanted)
    plain = {name: value for name, value in asked._asdict().items() if value}
    return show(
        request,
        "watch.html.j2",
        title="May we stop?",
        here="watch",
        run=run,
        asked=asked,
        metrics=[table.name for table in tables.scores],
        systems=tables.systems,
        is_battles=tables.battles is not None,
        address="?" + urlencode(plain) if plain else "",
        problem=stored["problem"],
        body=Markup(stored["html"]),  # noqa: S704  (the report's templates escape what they show)
    )


def _number(text: str, field: str) -> float:
    """Return what was typed into a field, 0 where it is empty."""
    try:
        value = float(text or 0)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _MOST:
        raise HTTPException(404, f"“{field}” takes a number above 0, not “{text}”.")
    return value


@api.get("/runs/{run_id}/watch", responses=wrongs(404, 409))
async def as_json(
    run: Finished,
    service: TheService,
    metric: NameQuery = "",
    a: NameQuery = "",
    b: NameQuery = "",
    horizon: Number = 0,
    margin: Margin = 0.0,
    top: Number = 0,
) -> dict[str, Any]:
    """Return whether the data are enough to decide, and about how many more would be; 0 leaves an option out."""
    _, _, stored = await _asked(service, run, WatchRequest(metric, a, b, horizon, margin, top))
    if stored["problem"]:
        raise HTTPException(409, str(stored["problem"]))
    data: dict[str, Any] = stored["data"]
    return data
