"""Pages of a run: progress, the report with its other formats, pairs, segments; and two runs side by side.

Progress is told as it happens, by server-sent events, until the run is somewhere.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response, StreamingResponse

from betterthan.present.tables.metrics import tag_measure_name
from betterthan.report.wording import digits_of
from betterthan.tables.scores import Scores
from betterthan.web.details.battle_list import BATTLE_ORDERS, BattleFilter, BattleOrder, battles_page
from betterthan.web.details.comparing import compare_runs
from betterthan.web.details.items import ORDERS, PAGE, WHO, Filter, ItemOrder, Who
from betterthan.web.details.segments import address_of, place_in_list, segment_reading, segment_rows
from betterthan.web.names import url_name
from betterthan.web.response_cache import ResponseCache, answer
from betterthan.web.routes.pages import waiting
from betterthan.web.routes.requests import (
    Finished,
    NameQuery,
    RunId,
    TheCache,
    TheRun,
    TheService,
    finished_run,
    requested_pair,
    saved_by,
    show,
    stored_changes,
    stored_pair,
    table_named,
)
from betterthan.web.runs.run import RunRecord
from betterthan.web.runs.saved_tables import ListedBattles, SavedTables, stamp_of
from betterthan.web.runs.service import Service

EVERY = 0.25
_STILL_THERE = 40  # silent looks after which a comment keeps the line open


def snapshot(service: Service, run_id: str) -> dict[str, Any]:
    """Return state and progress of a run as plain data; a run that is gone is "deleted"."""
    run = service.runs.get(run_id)
    progress = service.progress(run_id)
    return {
        "state": "deleted" if run is None else run.state,
        "on_the_way": run is not None and run.is_on_the_way,
        "label": progress.label,
        "done": progress.done,
        "total": progress.total,
    }


async def events(request: Request, service: Service, run_id: str) -> AsyncIterator[str]:
    """Yield an event at every change, and end when there is nothing more to come."""
    last, silent = "", 0
    if not service.streams.acquire(blocking=False):
        yield "retry: 5000\n\n"  # too many listen; the page then loads itself again, as it does without a script
        return
    try:
        while not await request.is_disconnected():
            now = await run_in_threadpool(snapshot, service, run_id)
            text = json.dumps(now)
            silent = 0 if text != last else silent + 1
            if text != last:
                yield f"event: progress\ndata: {text}\n\n"
                last = text
            elif silent % _STILL_THERE == 0:
                yield ": still there\n\n"
            if not now["on_the_way"]:
                return
            await asyncio.sleep(EVERY)
    finally:
        service.streams.release()


# ruff: noqa: FAST003  (the run's id is taken by the dependency that finds the run)


MEDIA = {
    "json": ("results.json", "application/json"),
    "csv": ("table.csv", "text/csv; charset=utf-8"),
    "tex": ("table.tex", "application/x-tex; charset=utf-8"),
}

router = APIRouter(include_in_schema=False)


def _other_format(
    request: Request, run: RunRecord, service: Service, cache: ResponseCache, suffix: str
) -> Response:
    name, media_type = MEDIA[suffix]
    copy = cache.get(service.folder(run.id).answers / name)
    if copy is None:
        raise HTTPException(404, f"This run has no {suffix}.")
    shown = {"Content-Disposition": f'inline; filename="betterthan-{run.id[:6]}.{suffix}"'}
    return answer(request, copy, media_type, shown)


@router.get("/runs/{run_id}.json")
def as_json(request: Request, run: Finished, service: TheService, cache: TheCache) -> Response:
    """Hand out all results with all digits."""
    return _other_format(request, run, service, cache, "json")


@router.get("/runs/{run_id}.csv")
def as_csv(request: Request, run: Finished, service: TheService, cache: TheCache) -> Response:
    """Hand out the first table, formula-safe."""
    return _other_format(request, run, service, cache, "csv")


@router.get("/runs/{run_id}.tex")
def as_tex(request: Request, run: Finished, service: TheService, cache: TheCache) -> Response:
    """Hand out the tables for a paper."""
    return _other_format(request, run, service, cache, "tex")


@router.get("/runs/{run_id}")
def report(request: Request, run: TheRun, service: TheService, cache: TheCache) -> Response:
    """Show the report, or how far it is, or why there is none."""
    if run.state in {"waiting", "running"}:
        return waiting(request, run, service)
    if run.state in {"looking", "ready"}:
        return RedirectResponse(f"/new/{run.id}", 303)
    if run.state != "done":
        earlier = service.folder(run.id).has_previous
        return show(request, "ended.html.j2", title=run.title, here="files", run=run, has_previous=earlier)
    folder = service.folder(run.id).answers
    copy, policy = cache.get(folder / "report.html"), cache.get(folder / "policy.txt")
    if copy is None or policy is None:
        raise HTTPException(404, "The report is gone from the disk. Start the run again.")
    return answer(
        request, copy, "text/html; charset=utf-8", {"Content-Security-Policy": policy.plain.decode()}
    )


@router.get("/runs/{run_id}/events")
async def follow(request: Request, run: TheRun, service: TheService) -> Response:
    """Send progress as it happens."""
    stream = events(request, service, run.id)
    return StreamingResponse(stream, media_type="text/event-stream", headers={"X-Accel-Buffering": "no"})


@router.get("/runs/{run_id}/manage")
def manage(request: Request, run: TheRun) -> Response:
    """Show the files and choices of a run, with buttons to run it again or delete it."""
    return show(request, "manage.html.j2", title=run.title, here="files", run=run)


@router.get("/runs/{run_id}/pairs")
def pick_pair(
    run: Finished, service: TheService, a: NameQuery = "", b: NameQuery = "", metric: NameQuery = ""
) -> RedirectResponse:
    """Lead from two chosen systems to the page of their pair; from none, to the two best."""
    tables = saved_by(service, run)
    if len(tables.systems) < 2:
        raise HTTPException(404, "A pair needs two systems, and this run has one.")
    top = tables.top_pair(tables.systems)
    first = a or next(name for name in top if name != b)
    second = b if b != first and b else next(name for name in top if name != first)
    query = f"?{urlencode({'metric': metric})}" if metric else ""
    return RedirectResponse(f"/runs/{run.id}/pairs/{url_name(first)}/{url_name(second)}{query}", 303)


@router.get("/runs/{run_id}/pairs/{a}/{b}")
async def pair(
    request: Request, run: Finished, service: TheService, a: str, b: str, metric: NameQuery = ""
) -> Response:
    """Show one pair of systems."""
    tables = await run_in_threadpool(saved_by, service, run)
    requested = requested_pair(tables, a, b, metric)
    stored = await stored_pair(service, run, tables, requested)
    return show(
        request,
        "pair.html.j2",
        title=f"{requested.a} against {requested.b}",
        here="pair",
        run=run,
        a=requested.a,
        b=requested.b,
        metric=requested.metric,
        # Of tags one page shows all measures.
        metrics=[table.name for table in tables.scores] if tables.tags is None else [],
        systems=tables.systems if requested.scores is None else requested.scores.systems,
        what="Battles" if requested.scores is None else "Segments",
        body=Markup(stored["html"]),  # noqa: S704  (the report's templates escape what they show)
    )


@router.get("/runs/{run_id}/items")
def items(
    request: Request,
    run: Finished,
    service: TheService,
    metric: NameQuery = "",
    a: NameQuery = "",
    b: NameQuery = "",
    who: Who = "all",
    group: NameQuery = "",
    find: NameQuery = "",
    order: ItemOrder | BattleOrder | None = None,
    segment: NameQuery = "",
    page: Annotated[int, Query(ge=1, le=10_000_000)] = 1,
) -> Response:
    """Show a segment beside the list of all, or battles; the filter is in the address, which can be sent to others.

    Without a filter the segments are those of the two best systems, the largest difference first.
    """
    tables = saved_by(service, run)
    if len(tables.systems) < 2:
        raise HTTPException(404, "Segments are compared between two systems, and this run has one.")
    if tables.battles is not None:
        some = BattleFilter(
            a=_known(a, tables.systems),
            b=_known(b, tables.systems),
            who=who,
            find=find,
            order=order if order in BATTLE_ORDERS else "file",
            page=page,
        )
        return _battles(request, run, tables.battles, some)
    scores = table_named(tables.scores, metric)
    top = tables.top_pair(scores.systems)
    first = a if a in scores.systems else next(name for name in top if name != b)
    second = b if b in scores.systems and b != first else next(name for name in top if name != first)
    filters = Filter(
        a=first,
        b=second,
        who=who,
        group=group,
        find=find,
        order=order if order in ORDERS else "largest",
        page=page,
    )
    same = first if a == b == first else ""
    return _segments(request, run, service, tables, scores, filters, segment=segment, same_system=same)


def _known(name: str, systems: tuple[str, ...]) -> str:
    return name if name in systems else ""


def _segments(
    request: Request,
    run: RunRecord,
    service: Service,
    tables: SavedTables,
    scores: Scores,
    filters: Filter,
    *,
    segment: str,
    same_system: str,
) -> Response:
    folder = service.folder(run.id)
    stamp = stamp_of(folder)
    place = place_in_list(folder, stamp, scores, filters, segment=segment, per_page=PAGE)
    reading = None if place is None else segment_reading(folder, stamp, scores, filters, place)
    shown = filters if place is None else replace(filters, page=place // PAGE + 1)
    here = "" if reading is None else reading.item.segment
    rows = segment_rows(folder, stamp, scores.name, shown, here)
    plain = {name: getattr(filters, name) for name in ("a", "who", "group", "find", "order")}
    names = {table.name: _measure_name(tables, table.name) for table in tables.scores}
    pair = f"/runs/{run.id}/pairs/{url_name(filters.a)}/{url_name(filters.b)}"
    return show(
        request,
        "items.html.j2",
        title="Segments",
        here="items",
        run=run,
        scores=scores,
        wanted=filters,
        same_system=same_system,
        reading=reading,
        found=rows.items,
        table=rows.table,
        digits=digits_of(scores),
        names=names,
        metrics=list(names.items()),
        measure=names[scores.name],
        against=lambda system: (
            address_of(run.id, metric=scores.name, b=system, segment=here, **plain) + "#reading"
        ),
        pair_address=pair + (f"?{urlencode({'metric': scores.name})}" if len(names) > 1 else ""),
        groups=sorted(set(scores.groups or ())),
        has_texts=tables.texts is not None,
        has_references=tables.texts is not None and bool(tables.texts.references),
        orders=ORDERS,
        whos=WHO,
        address=rows.address,
        per_page=PAGE,
    )


def _battles(request: Request, run: RunRecord, battles: ListedBattles, filters: BattleFilter) -> Response:
    plain = {name: getattr(filters, name) for name in ("a", "b", "who", "find")}
    return show(
        request,
        "battles.html.j2",
        title="Battles",
        here="items",
        run=run,
        systems=battles.matches.systems,
        wanted=filters,
        found=battles_page(battles, filters),
        has_segments=bool(battles.segments),
        has_weights=bool((battles.matches.weight != 1).any()),
        has_judges=bool(battles.judges) and battles.matches.group is not None,
        whos=WHO,
        address=address_of(run.id, order=filters.order, **plain),
        ordered_by=lambda order: address_of(run.id, order=order, **plain),
        per_page=PAGE,
    )


def _measure_name(tables: SavedTables, metric: str) -> str:
    """Return a metric's name as people write it."""
    return metric if tables.tags is None else tag_measure_name(metric)


@router.get("/compare/{before}/{after}")
async def compare(request: Request, before: RunId, after: RunId, service: TheService) -> Response:
    """Show two runs side by side."""
    old, new = (finished_run(run_id, service) for run_id in (before, after))
    changes = await stored_changes(service, old, new)
    results = [service.folder(run.id).read("results.json")["results"] for run in (old, new)]
    comparison = compare_runs(results[0], results[1], changes)
    return show(
        request,
        "compare.html.j2",
        title="What changed",
        here="runs",
        before=old,
        after=new,
        comparisons=comparison,
    )
