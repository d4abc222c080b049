"""The page of a gate: may one system of a run replace another, given a margin; and the same in JSON."""

# ruff: noqa: FAST003  (the run's id is taken by the dependency that finds the run)
from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from betterthan.web.details.gate_request import GateRequest
from betterthan.web.routes.api import PREFIX, wrongs
from betterthan.web.routes.requests import (
    Finished,
    NameQuery,
    TheService,
    saved_by,
    show,
    stored_gate,
    table_named,
)
from betterthan.web.runs.run import RunRecord
from betterthan.web.runs.saved_tables import SavedTables
from betterthan.web.runs.service import Service

pages = APIRouter(include_in_schema=False)
api = APIRouter(prefix=PREFIX)
_MOST = 1e12
Margin = Annotated[float, Query(ge=0, le=_MOST, description="How much worse the candidate may be.")]
_NO_GATE = "A gate is for scores of items and battles; this run is about other data."


async def _asked(service: Service, run: RunRecord, request: GateRequest) -> tuple[SavedTables, GateRequest]:
    """Return the tables of a run, and the request about systems and metrics that are there."""
    tables = await run_in_threadpool(saved_by, service, run)
    if tables.tags is not None or len(tables.systems) < 2:
        raise HTTPException(404, _NO_GATE)
    scores = None if tables.battles is not None else table_named(tables.scores, request.metric)
    systems = tables.systems if scores is None else scores.systems
    chosen = (request.baseline or systems[0], request.candidate or systems[1])
    if any(name not in systems for name in chosen):
        raise HTTPException(404, f"There is no such system. Known: {', '.join(systems[:20])}.")
    if chosen[0] == chosen[1]:
        raise HTTPException(404, "Choose two different systems, the baseline and the candidate.")
    metric = "" if scores is None else scores.name
    return tables, GateRequest(metric, *chosen, request.margin)


@pages.get("/runs/{run_id}/gate")
async def page(
    request: Request,
    run: Finished,
    service: TheService,
    metric: NameQuery = "",
    baseline: NameQuery = "",
    candidate: NameQuery = "",
    margin: Annotated[str, Query(max_length=20)] = "",
) -> Response:
    """Show the verdict; without a margin only the form, because no margin is right for all data."""
    wanted = GateRequest(metric, baseline, candidate, _number(margin))
    tables, asked = await _asked(service, run, wanted)
    stored = await stored_gate(service, run, asked) if margin.strip() else {"html": "", "problem": ""}
    return show(
        request,
        "gate.html.j2",
        title="May it ship?",
        here="gate",
        run=run,
        asked=asked,
        margin=margin.strip(),
        metrics=[table.name for table in tables.scores],
        systems=tables.systems,
        is_battles=tables.battles is not None,
        address="?" + urlencode({**asked._asdict(), "margin": margin.strip()}),
        problem=stored["problem"],
        body=Markup(stored["html"]),  # noqa: S704  (the report's templates escape what they show)
    )


def _number(text: str) -> float:
    """Return what was typed as the margin, 0 where it is empty."""
    try:
        value = float(text or 0)
    except ValueError:
        value = -1.0
    if not 0 <= value <= _MOST:
        raise HTTPException(404, f"“Margin” takes a number from 0, not “{text}”.")
    return value


@api.get("/runs/{run_id}/gate", responses=wrongs(404, 409))
async def as_json(
    run: Finished,
    service: TheService,
    margin: Margin,
    metric: NameQuery = "",
    baseline: NameQuery = "",
    candidate: NameQuery = "",
) -> dict[str, Any]:
    """Return whether a candidate is shown not to be worse than a baseline by more than a margin."""
    _, asked = await _asked(service, run, GateRequest(metric, baseline, candidate, margin))
    stored = await stored_gate(service, run, asked)
    if stored["problem"]:
        raise HTTPException(409, str(stored["problem"]))
    data: dict[str, Any] = stored["data"]
    return data
