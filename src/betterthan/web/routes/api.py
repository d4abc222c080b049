"""The API: the same as the pages, in JSON. Everything it can answer is documented."""

# ruff: noqa: FAST003  (the run's id is taken by the dependency that finds the run)

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

from fastapi import APIRouter, Body, File, Path, Query, Request, UploadFile
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.responses import Response

from betterthan import __version__
from betterthan.web.details.battle_list import BattleFilter, BattleOrder, battles_page
from betterthan.web.details.comparing import compare_runs
from betterthan.web.details.items import Filter, ItemOrder, Who, items_page
from betterthan.web.routes import actions, models
from betterthan.web.routes.actions import check_capacity
from betterthan.web.routes.choices import ChoicesIn
from betterthan.web.routes.requests import (
    Finished,
    NameQuery,
    RunId,
    TheCache,
    TheRun,
    TheService,
    delete_run,
    finished_run,
    requested_pair,
    saved_by,
    scores_of,
    stored_changes,
    stored_pair,
    table_named,
)
from betterthan.web.runs.run import Choices, RunRecord
from betterthan.web.runs.uploads import EXAMPLES, store_all

PREFIX = "/api/v1"
_WORDS = {
    400: "The request lacks something.",
    403: "The token is missing or wrong, or the request comes from another site's page.",
    404: "There is no such run, or it has nothing of this kind.",
    409: "The run is not in a state for this.",
    413: "Too large.",
    421: "The server was addressed by a name that is not its own.",
    422: "The request is not as documented.",
    503: "The server is busy. Try again in a while.",
    507: "There is no space left on the disk.",
}
_ALWAYS = (400, 403, 413, 421, 422, 503)


def wrongs(*codes: int) -> dict[int | str, dict[str, Any]]:
    """Return the documentation of the ways in which a request can fail."""
    return {code: {"model": models.Wrong, "description": _WORDS[code]} for code in sorted({*_ALWAYS, *codes})}


router = APIRouter(prefix=PREFIX)


@router.get("/health", responses=wrongs())
def health(service: TheService) -> models.Health:
    """Return the version and the number of runs."""
    return models.Health(version=__version__, runs=service.runs.count())


@router.get("/examples", responses=wrongs())
def examples() -> list[models.ExampleOut]:
    """List the examples."""
    return [models.ExampleOut.model_validate(example) for example in EXAMPLES.values()]


@router.post("/examples/{name}", status_code=201, responses=wrongs(404, 507))
def begin_example(name: str, service: TheService) -> models.RunOut:
    """Begin a run with the files of an example."""
    check_capacity(service)
    return models.RunOut.of(actions.begin_example(service, name))


@router.get("/runs", responses=wrongs())
def runs(
    service: TheService,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    offset: Annotated[int, Query(ge=0, le=1_000_000_000)] = 0,
) -> models.RunList:
    """List runs, the newest first."""
    page = service.runs.page(limit=limit, offset=offset)
    return models.RunList(total=service.runs.count(), runs=[models.RunOut.of(run) for run in page])


@router.post("/runs", status_code=201, responses=wrongs(507))
def upload(
    service: TheService,
    files: Annotated[list[UploadFile], File(min_length=1, description="The files of the run.")],
) -> models.RunOut:
    """Upload files. They are looked at; ask for what was recognized, then start the run."""
    check_capacity(service)
    store = partial(store_all, files, most_files=service.settings.limits.files)
    return models.RunOut.of(service.take_in(store))


@router.get("/runs/{run_id}", responses=wrongs(404))
def one_run(run: TheRun) -> models.RunOut:
    """Show a run."""
    return models.RunOut.of(run)


@router.delete("/runs/{run_id}", status_code=204, responses=wrongs(404, 507))
def delete(run: TheRun, service: TheService, cache: TheCache) -> Response:
    """Delete a run with all its files."""
    delete_run(service, cache, run)
    return Response(status_code=204)


@router.get("/runs/{run_id}/progress", responses=wrongs(404))
def progress(run: TheRun, service: TheService) -> models.ProgressOut:
    """Show how far a run is."""
    now = service.progress(run.id)
    return models.ProgressOut(state=run.state, label=now.label, done=now.done, total=now.total)


@router.get("/runs/{run_id}/recognized", responses=wrongs(404, 409))
def recognized(run: TheRun, service: TheService) -> models.Look:
    """Show what was recognized in the files, with problems and how to fix them."""
    look = service.folder(run.id).read("look.json")
    if run.state == "looking" or look is None:
        raise HTTPException(409, f"This run is {run.state}; the files have not been looked at.")
    return models.Look.model_validate(look)


@router.post("/runs/{run_id}/recognized", status_code=202, responses=wrongs(404, 409, 507))
def look_again(run: TheRun, service: TheService, choices: ChoicesIn) -> models.RunOut:
    """Look at the files again with these choices."""
    return _now(service.look_again(run, fitting(choices, run)), run, service)


@router.post("/runs/{run_id}/start", status_code=202, responses=wrongs(404, 409, 507))
def start(
    run: TheRun, service: TheService, choices: Annotated[ChoicesIn | None, Body()] = None
) -> models.RunOut:
    """Make the report, with these choices or those the run has."""
    return _now(service.start(run, None if choices is None else fitting(choices, run)), run, service)


@router.post("/runs/{run_id}/cancel", status_code=202, responses=wrongs(404, 409, 507))
def cancel(run: TheRun, service: TheService) -> models.RunOut:
    """Stop a run."""
    return _now(service.cancel(run.id), run, service)


@router.get("/runs/{run_id}/results", responses=wrongs(404, 409), response_model=models.Results)
def results(request: Request, run: Finished, service: TheService, cache: TheCache) -> Response:
    """Show all results with all digits."""
    from betterthan.web.routes.run_pages import as_json  # noqa: PLC0415  (the page's answer, word for word)

    return as_json(request, run, service, cache)


def fitting(choices: ChoicesIn, run: RunRecord) -> Choices:
    """Return the choices if they say what each file is, or nothing of it.

    Raises
    ------
    HTTPException
        409 otherwise.
    """
    if choices.parts and len(choices.parts) != len(run.files):
        raise HTTPException(
            409,
            f"parts names {len(choices.parts)} files, and the run has {len(run.files)}. "
            "Name the part of each file, or of none.",
        )
    return choices.choices()


def _now(done: bool, run: RunRecord, service: TheService) -> models.RunOut:  # noqa: FBT001  (whether it could be done)
    if not done:
        raise HTTPException(409, f"This run is {run.state}; that cannot be done now.")
    return models.RunOut.of(service.runs.get(run.id) or run)


SystemPart = Annotated[str, Path(description="A system; what is not a letter, digit, - or _ is written ~HH.")]


@router.get("/runs/{run_id}/pairs/{a}/{b}", responses=wrongs(404, 409))
async def pair(
    run: Finished, service: TheService, a: SystemPart, b: SystemPart, metric: NameQuery = ""
) -> dict[str, Any]:
    """Explain how two systems compare: by scores, by the pooled score of counts, or by battles."""
    tables = await run_in_threadpool(saved_by, service, run)
    stored = await stored_pair(service, run, tables, requested_pair(tables, a, b, metric))
    data: dict[str, Any] = stored["data"]
    return data


@router.get("/runs/{run_id}/items", responses=wrongs(404, 409))
def items(
    run: Finished,
    service: TheService,
    a: Annotated[str, Query(max_length=500, description="A system; the first when left out.")] = "",
    b: Annotated[str, Query(max_length=500, description="Another; the next when left out.")] = "",
    metric: NameQuery = "",
    who: Who = "all",
    group: NameQuery = "",
    find: NameQuery = "",
    order: ItemOrder = "file",
    page: Annotated[int, Query(ge=1, le=10_000_000)] = 1,
) -> models.ItemsOut:
    """List segments with their scores, filtered and ordered."""
    tables = saved_by(service, run)
    scores = table_named(scores_of(tables), metric)
    systems = scores.systems
    first = a or systems[0]
    second = b or next((system for system in systems if system != first), "")
    if first not in systems or second not in systems or first == second:
        raise HTTPException(404, f"Two different systems are needed. Known: {', '.join(systems[:20])}.")
    filters = Filter(a=first, b=second, who=who, group=group, find=find, order=order, page=page)
    page_of_items = asdict(items_page(scores, filters, tables.texts))
    return models.ItemsOut(a=first, b=second, **page_of_items)


@router.get("/runs/{run_id}/battles", responses=wrongs(404, 409))
def battles(
    run: Finished,
    service: TheService,
    a: Annotated[str, Query(max_length=500, description="Only battles of this system.")] = "",
    b: Annotated[str, Query(max_length=500, description="Only battles of this system.")] = "",
    who: Who = "all",
    find: NameQuery = "",
    order: BattleOrder = "file",
    page: Annotated[int, Query(ge=1, le=10_000_000)] = 1,
) -> models.BattlesOut:
    """List battles, filtered and ordered."""
    held = saved_by(service, run).battles
    if held is None:
        raise HTTPException(404, "This run is not about battles.")
    unknown = [name for name in (a, b) if name and name not in held.matches.systems]
    if unknown:
        raise HTTPException(404, f"There is no such system. Known: {', '.join(held.matches.systems[:20])}.")
    page_of_battles = battles_page(held, BattleFilter(a=a, b=b, who=who, find=find, order=order, page=page))
    return models.BattlesOut.model_validate(asdict(page_of_battles))


@router.get("/compare/{before}/{after}", responses=wrongs(404, 409))
async def compare(before: RunId, after: RunId, service: TheService) -> list[models.ComparisonOut]:
    """Compare the rankings that two runs share; a system that is in both is tested against itself."""
    old, new = (finished_run(run_id, service) for run_id in (before, after))
    changes = await stored_changes(service, old, new)
    results = [service.folder(run.id).read("results.json")["results"] for run in (old, new)]
    outcome = compare_runs(results[0], results[1], changes)
    return [models.ComparisonOut.model_validate(asdict(comparison)) for comparison in outcome]
