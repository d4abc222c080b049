"""Pages of a run: progress, the report with its other formats, pairs, segments; and two runs side by side."""

# ruff: noqa: FAST003  (the run's id is taken by the dependency that finds the run)
from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response, StreamingResponse

from betterthan.tables.scores import Scores
from betterthan.web.details.battle_list import BattleFilter, battles_page
from betterthan.web.details.comparing import compare_runs
from betterthan.web.details.items import ORDERS, PAGE, WHO, Filter, Order, Who
from betterthan.web.details.pair_views import measure_name, pair_asked, pair_html
from betterthan.web.details.segment_rows import address_of, segment_rows
from betterthan.web.kept_answers import Shelf, answer
from betterthan.web.routes.events import events
from betterthan.web.routes.pages import waiting
from betterthan.web.routes.requests import (
    Finished,
    RunId,
    TheRun,
    TheService,
    TheShelf,
    finished_run,
    kept_of,
    show,
    table_named,
)
from betterthan.web.runs.kept_tables import Battles, Kept, stamp_of
from betterthan.web.runs.run import Run
from betterthan.web.runs.service import Service

MEDIA = {
    "json": ("results.json", "application/json"),
    "csv": ("table.csv", "text/csv; charset=utf-8"),
    "tex": ("table.tex", "application/x-tex; charset=utf-8"),
}
Name = Annotated[str, Query(max_length=500)]

router = APIRouter(include_in_schema=False)


def _other_format(request: Request, run: Run, service: Service, shelf: Shelf, suffix: str) -> Response:
    name, media_type = MEDIA[suffix]
    copy = shelf.get(service.folder(run.id).answers / name)
    if copy is None:
        raise HTTPException(404, f"This run has no {suffix}.")
    shown = {"Content-Disposition": f'inline; filename="betterthan-{run.id[:6]}.{suffix}"'}
    return answer(request, copy, media_type, shown)


@router.get("/runs/{run_id}.json")
def as_json(request: Request, run: Finished, service: TheService, shelf: TheShelf) -> Response:
    """Hand out all results with all digits."""
    return _other_format(request, run, service, shelf, "json")


@router.get("/runs/{run_id}.csv")
def as_csv(request: Request, run: Finished, service: TheService, shelf: TheShelf) -> Response:
    """Hand out the first table, formula-safe."""
    return _other_format(request, run, service, shelf, "csv")


@router.get("/runs/{run_id}.tex")
def as_tex(request: Request, run: Finished, service: TheService, shelf: TheShelf) -> Response:
    """Hand out the tables for a paper."""
    return _other_format(request, run, service, shelf, "tex")


@router.get("/runs/{run_id}")
def report(request: Request, run: TheRun, service: TheService, shelf: TheShelf) -> Response:
    """Show the report, or how far it is, or why there is none."""
    if run.state in {"waiting", "running"}:
        return waiting(request, run, service)
    if run.state in {"looking", "ready"}:
        return RedirectResponse(f"/new/{run.id}", 303)
    if run.state != "done":
        earlier = service.folder(run.id).has_previous
        return show(request, "ended.html.j2", title=run.title, run=run, has_previous=earlier)
    folder = service.folder(run.id).answers
    copy, policy = shelf.get(folder / "report.html"), shelf.get(folder / "policy.txt")
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
def pair(
    request: Request, run: Finished, service: TheService, shelf: TheShelf, a: str, b: str, metric: Name = ""
) -> Response:
    """Show one pair of systems."""
    kept = kept_of(service, run)
    asked = pair_asked(kept, a, b, metric)
    return show(
        request,
        "pair.html.j2",
        title=f"{asked.a} against {asked.b}",
        run=run,
        a=asked.a,
        b=asked.b,
        metric=asked.metric,
        # Of tags one page shows all measures.
        metrics=[table.name for table in kept.scores] if kept.tags is None else [],
        systems=kept.systems if asked.scores is None else asked.scores.systems,
        what="Battles" if asked.scores is None else "Segments",
        body=pair_html(service.folder(run.id), kept, asked, shelf),
    )


@router.get("/runs/{run_id}/items")
def items(
    request: Request,
    run: Finished,
    service: TheService,
    metric: Name = "",
    a: Name = "",
    b: Name = "",
    who: Who = "all",
    group: Name = "",
    find: Name = "",
    order: Order = "file",
    page: Annotated[int, Query(ge=1, le=10_000_000)] = 1,
) -> Response:
    """Show segments, or battles; the filter is in the address, so that it can be sent to someone."""
    kept = kept_of(service, run)
    if len(kept.systems) < 2:
        raise HTTPException(404, "Segments are compared between two systems, and this run has one.")
    if kept.battles is not None:
        some = BattleFilter(
            a=_known(a, kept.systems), b=_known(b, kept.systems), who=who, find=find, page=page
        )
        return _battles(request, run, kept.battles, some)
    scores = table_named(kept.scores, metric)
    first = a if a in scores.systems else scores.systems[0]
    second = b if b in scores.systems and b != first else next(s for s in scores.systems if s != first)
    wanted = Filter(a=first, b=second, who=who, group=group, find=find, order=order, page=page)
    return _segments(request, run, service, kept, scores, wanted, asked_same=first if a == b == first else "")


def _known(name: str, systems: tuple[str, ...]) -> str:
    return name if name in systems else ""


def _segments(
    request: Request,
    run: Run,
    service: Service,
    kept: Kept,
    scores: Scores,
    wanted: Filter,
    *,
    asked_same: str,
) -> Response:
    folder = service.folder(run.id)
    rows = segment_rows(folder, stamp_of(folder), scores.name, wanted)
    return show(
        request,
        "items.html.j2",
        title="Segments",
        run=run,
        scores=scores,
        wanted=wanted,
        asked_same=asked_same,
        found=rows.found,
        table=rows.table,
        metrics=[(table.name, measure_name(kept, table.name)) for table in kept.scores],
        groups=sorted(set(scores.groups or ())),
        has_texts=kept.texts is not None,
        has_references=kept.texts is not None and bool(kept.texts.references),
        has_tags=kept.tags is not None,
        orders=ORDERS,
        whos=WHO,
        address=rows.address,
        per_page=PAGE,
    )


def _battles(request: Request, run: Run, battles: Battles, wanted: BattleFilter) -> Response:
    plain = {name: getattr(wanted, name) for name in ("a", "b", "who", "find")}
    return show(
        request,
        "battles.html.j2",
        title="Battles",
        run=run,
        systems=battles.matches.systems,
        wanted=wanted,
        found=battles_page(battles, wanted),
        has_segments=bool(battles.segments),
        has_weights=bool((battles.matches.weight != 1).any()),
        has_judges=bool(battles.judges) and battles.matches.group is not None,
        whos=WHO,
        address=address_of(run.id, **plain),
        per_page=PAGE,
    )


@router.get("/compare/{before}/{after}")
def compare(request: Request, before: RunId, after: RunId, service: TheService) -> Response:
    """Show two runs side by side."""
    old, new = (finished_run(run_id, service) for run_id in (before, after))
    results = [service.folder(run.id).read("results.json") for run in (old, new)]
    found = compare_runs(results[0]["results"], results[1]["results"])
    return show(request, "compare.html.j2", title="Two runs", before=old, after=new, comparisons=found)
