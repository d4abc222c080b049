"""Pages of a run: progress, the report with its other formats, pairs, segments; and two runs side by side."""

# ruff: noqa: FAST003  (the run's id is taken by the dependency that finds the run)
from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from markupsafe import Markup
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response, StreamingResponse

from betterthan.present.tables.tags import tag_measure_name
from betterthan.tables.scores import Scores
from betterthan.web.details.battle_list import BattleFilter, battles_page
from betterthan.web.details.comparing import compare_runs
from betterthan.web.details.items import ORDERS, PAGE, WHO, Filter, ItemOrder, Who
from betterthan.web.details.segment_rows import address_of, segment_rows
from betterthan.web.response_cache import ResponseCache, answer
from betterthan.web.routes.events import events
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
from betterthan.web.runs.saved_tables import Battles, SavedTables, stamp_of
from betterthan.web.runs.service import Service

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
        return show(request, "ended.html.j2", title=run.title, run=run, has_previous=earlier)
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
    return show(request, "manage.html.j2", title=run.title, run=run)


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
    order: ItemOrder = "file",
    page: Annotated[int, Query(ge=1, le=10_000_000)] = 1,
) -> Response:
    """Show segments, or battles; the filter is in the address, so that it can be sent to someone."""
    tables = saved_by(service, run)
    if len(tables.systems) < 2:
        raise HTTPException(404, "Segments are compared between two systems, and this run has one.")
    if tables.battles is not None:
        some = BattleFilter(
            a=_known(a, tables.systems), b=_known(b, tables.systems), who=who, find=find, page=page
        )
        return _battles(request, run, tables.battles, some)
    scores = table_named(tables.scores, metric)
    first = a if a in scores.systems else scores.systems[0]
    second = b if b in scores.systems and b != first else next(s for s in scores.systems if s != first)
    filters = Filter(a=first, b=second, who=who, group=group, find=find, order=order, page=page)
    return _segments(
        request, run, service, tables, scores, filters, same_system=first if a == b == first else ""
    )


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
    same_system: str,
) -> Response:
    folder = service.folder(run.id)
    rows = segment_rows(folder, stamp_of(folder), scores.name, filters)
    return show(
        request,
        "items.html.j2",
        title="Segments",
        run=run,
        scores=scores,
        wanted=filters,
        same_system=same_system,
        found=rows.items,
        table=rows.table,
        metrics=[(table.name, _measure_name(tables, table.name)) for table in tables.scores],
        groups=sorted(set(scores.groups or ())),
        has_texts=tables.texts is not None,
        has_references=tables.texts is not None and bool(tables.texts.references),
        has_tags=tables.tags is not None,
        orders=ORDERS,
        whos=WHO,
        address=rows.address,
        per_page=PAGE,
    )


def _battles(request: Request, run: RunRecord, battles: Battles, filters: BattleFilter) -> Response:
    plain = {name: getattr(filters, name) for name in ("a", "b", "who", "find")}
    return show(
        request,
        "battles.html.j2",
        title="Battles",
        run=run,
        systems=battles.matches.systems,
        wanted=filters,
        found=battles_page(battles, filters),
        has_segments=bool(battles.segments),
        has_weights=bool((battles.matches.weight != 1).any()),
        has_judges=bool(battles.judges) and battles.matches.group is not None,
        whos=WHO,
        address=address_of(run.id, **plain),
        per_page=PAGE,
    )


def _measure_name(tables: SavedTables, metric: str) -> str:
    """Return a metric's name as people write it."""
    return metric if tables.tags is None else tag_measure_name(metric)


@router.get("/compare/{before}/{after}")
async def compare(request: Request, before: RunId, after: RunId, service: TheService) -> Response:
    """Show two runs side by side."""
    old, new = (finished_run(run_id, service) for run_id in (before, after))
    tests = (await stored_changes(service, old, new))["tests"]
    results = [service.folder(run.id).read("results.json")["results"] for run in (old, new)]
    comparison = compare_runs(results[0], results[1], tests)
    return show(request, "compare.html.j2", title="Two runs", before=old, after=new, comparisons=comparison)
