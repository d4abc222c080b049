"""The API's details of a finished run: one pair, segments, and two runs side by side."""

# ruff: noqa: FAST003  (the run's id is taken by the dependency that finds the run)
from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.exceptions import HTTPException

from betterthan.web import models
from betterthan.web.api import PREFIX, wrongs
from betterthan.web.asking import (
    Finished,
    RunId,
    TheService,
    finished_run,
    kept_of,
    table_named,
    tables_of,
)
from betterthan.web.battle_list import BattleFilter, battles_page
from betterthan.web.comparing import compare_runs
from betterthan.web.drill import pair_asked, pair_data
from betterthan.web.items import Filter, Order, Who, items_page

Name = Annotated[str, Query(max_length=500)]
SystemPart = Annotated[str, Path(description="A system; what is no letter, digit, - or _ is written ~HH.")]

router = APIRouter(prefix=PREFIX)


@router.get("/runs/{run_id}/pairs/{a}/{b}", responses=wrongs(404, 409))
def pair(
    run: Finished, service: TheService, a: SystemPart, b: SystemPart, metric: Name = ""
) -> dict[str, Any]:
    """Explain how two systems compare: by scores, by the pooled score of counts, or by battles."""
    kept = kept_of(service, run)
    return pair_data(service.folder(run.id), kept, pair_asked(kept, a, b, metric))


@router.get("/runs/{run_id}/items", responses=wrongs(404, 409))
def items(
    run: Finished,
    service: TheService,
    a: Annotated[str, Query(max_length=500, description="A system; the first when left out.")] = "",
    b: Annotated[str, Query(max_length=500, description="Another; the next when left out.")] = "",
    metric: Name = "",
    who: Who = "all",
    group: Name = "",
    find: Name = "",
    order: Order = "file",
    page: Annotated[int, Query(ge=1, le=10_000_000)] = 1,
) -> models.ItemsOut:
    """List segments with their scores, filtered and ordered."""
    scores = table_named(tables_of(service, run), metric)
    systems = scores.systems
    first = a or systems[0]
    second = b or next((system for system in systems if system != first), "")
    if first not in systems or second not in systems or first == second:
        raise HTTPException(404, f"Two different systems are needed. Known: {', '.join(systems[:20])}.")
    wanted = Filter(a=first, b=second, who=who, group=group, find=find, order=order, page=page)
    found = asdict(items_page(scores, wanted))
    return models.ItemsOut(a=first, b=second, **found)


@router.get("/runs/{run_id}/battles", responses=wrongs(404, 409))
def battles(
    run: Finished,
    service: TheService,
    a: Annotated[str, Query(max_length=500, description="Only battles of this system.")] = "",
    b: Annotated[str, Query(max_length=500, description="Only battles of this system.")] = "",
    who: Who = "all",
    find: Name = "",
    page: Annotated[int, Query(ge=1, le=10_000_000)] = 1,
) -> models.BattlesOut:
    """List battles, filtered, in the order of the file."""
    held = kept_of(service, run).battles
    if held is None:
        raise HTTPException(404, "This run is not about battles.")
    unknown = [name for name in (a, b) if name and name not in held.matches.systems]
    if unknown:
        raise HTTPException(404, f"There is no such system. Known: {', '.join(held.matches.systems[:20])}.")
    found = battles_page(held, BattleFilter(a=a, b=b, who=who, find=find, page=page))
    return models.BattlesOut.model_validate(asdict(found))


@router.get("/compare/{before}/{after}", responses=wrongs(404, 409))
def compare(before: RunId, after: RunId, service: TheService) -> list[models.ComparisonOut]:
    """Compare the rankings that two runs share."""
    runs = [finished_run(run_id, service) for run_id in (before, after)]
    results = [service.folder(run.id).read("results.json")["results"] for run in runs]
    return [models.ComparisonOut.model_validate(asdict(found)) for found in compare_runs(*results)]
