"""Pages that belong to no finished run: the list, the look at new files, the lesson, and the API for people.

What the API can be asked is read from its OpenAPI document.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any, NamedTuple
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, RedirectResponse, Response

from betterthan.web.details.overview import file_summary
from betterthan.web.names import FOLD, FORMAT_NAMES, ROLE_LABELS
from betterthan.web.render import HERE, REPORT_STYLE
from betterthan.web.response_cache import answer
from betterthan.web.routes.requests import NameQuery, TheCache, TheRun, TheService, show
from betterthan.web.runs.run import PARTS
from betterthan.web.runs.service import Service
from betterthan.web.runs.store import RunOrder
from betterthan.web.runs.uploads import EXAMPLES


class Parameter(NamedTuple):
    """A value in an address: its name, what it can be, and what it means."""

    name: str
    allowed: str
    description: str


class Endpoint(NamedTuple):
    """A method on an address, what it does, and the values that the address takes."""

    method: str
    path: str
    description: str
    parameters: tuple[Parameter, ...]


def endpoints(document: dict[str, Any]) -> tuple[Endpoint, ...]:
    """Return all methods and addresses in the order of the document.

    Examples
    --------
    >>> parameter = {"name": "page", "in": "query", "schema": {"type": "integer", "default": 1}}
    >>> document = {"paths": {"/a": {"get": {"description": "List.", "parameters": [parameter]}}}}
    >>> endpoints(document)[0].parameters
    (Parameter(name='page', allowed='integer, 1 by default', description=''),)
    """
    return tuple(
        Endpoint(method.upper(), path, operation.get("description", ""), _parameters(operation))
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    )


def _parameters(operation: dict[str, Any]) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(one["name"], _allowed(one["schema"]), one.get("description", ""))
        for one in operation.get("parameters", ())
        if one["in"] == "query"
    )


def _allowed(schema: dict[str, Any]) -> str:
    kind = " | ".join(map(str, schema["enum"])) if "enum" in schema else str(schema.get("type", "text"))
    default = schema.get("default")
    return kind if default in (None, "") else f"{kind}, {default} by default"


# ruff: noqa: FAST003  (the run's id is taken by the dependency that finds the run)


PER_PAGE = 50
STATIC = {
    "report.css": "text/css",
    "app.css": "text/css",
    "bar.css": "text/css",
    "app.js": "text/javascript",
    "learn.js": "text/javascript",
    "icon.svg": "image/svg+xml",
}
QUESTIONS_IN_WORDS = {
    "auto": "as the files suggest",
    "scores": "scores: which system is best?",
    "battles": "battles: which system is best?",
    "meta": "metrics and human judgments: which metric can we trust?",
    "texts": "texts: which system is best?",
    "tags": "tags: which system tags words best?",
}
router = APIRouter(include_in_schema=False)


@router.get("/")
def home(
    request: Request,
    service: TheService,
    page: Annotated[int, Query(ge=1, le=100_000)] = 1,
    find: NameQuery = "",
    order: RunOrder = "newest",
) -> HTMLResponse:
    """Show where to drop files, and the past runs with their verdicts; beyond the last page, the last one."""
    return listed(request, service, page=page, find=find, order=order)


def listed(
    request: Request,
    service: Service,
    *,
    page: int = 1,
    find: str = "",
    order: RunOrder = "newest",
    ticked: Collection[str] = (),
    problem: str = "",
    status: int = 200,
) -> HTMLResponse:
    """Show the list of runs, with what was wrong with a request and the ticks it came with."""
    total = service.runs.count(find)
    pages = max(1, -(-total // PER_PAGE))
    shown = min(page, pages)
    return show(
        request,
        "home.html.j2",
        status=status,
        title="Runs",
        here="runs",
        runs=service.runs.page(limit=PER_PAGE, offset=(shown - 1) * PER_PAGE, find=find, order=order),
        find=find,
        order=order,
        has_runs=bool(total or service.runs.count()),
        address="/?" + urlencode({"find": find, "order": order}),
        total=total,
        page=shown,
        pages=pages,
        ticked=ticked,
        problem=problem,
        examples=EXAMPLES,
        limits=service.settings.limits,
    )


@router.get("/new")
def new(request: Request, service: TheService) -> HTMLResponse:
    """Show the form for files alone."""
    return show(
        request,
        "upload.html.j2",
        title="New run",
        here="new",
        examples=EXAMPLES,
        limits=service.settings.limits,
    )


@router.get("/new/{run_id}")
def recognized(request: Request, run: TheRun, service: TheService) -> Response:
    """Show what was recognized, and let it be changed."""
    look = service.folder(run.id).read("look.json")
    if run.state == "looking" or (look is None and run.is_on_the_way):
        return waiting(request, run, service)
    if run.is_on_the_way:
        return RedirectResponse(f"/runs/{run.id}", 303)
    return show(
        request,
        "recognized.html.j2",
        title=run.title,
        here="files",
        run=run,
        look=look or {"files": [], "question": "auto"},
        summary=file_summary((look or {"files": []})["files"]),
        columns=_columns(look),
        is_open=bool(run.choices.columns or run.problem) or _has_problem_in_fold(look),
        roles=ROLE_LABELS,
        fold=FOLD,
        questions=QUESTIONS_IN_WORDS,
        kinds_of_file=PARTS,
        formats=FORMAT_NAMES,
    )


def _has_problem_in_fold(look: dict[str, Any] | None) -> bool:
    return any(entry["is_in_fold"] for file in (look or {}).get("files", ()) for entry in file["problems"])


def waiting(request: Request, run: TheRun, service: TheService) -> HTMLResponse:
    """Show how far a run is; with a script it follows, without one the page loads itself again."""
    return show(
        request, "progress.html.j2", title=run.title, here="new", run=run, progress=service.progress(run.id)
    )


@router.get("/learn")
def learn(request: Request) -> HTMLResponse:
    """Show the lesson: the same five segments by mean, median and Bradley–Terry."""
    return show(
        request, "learn.html.j2", title="Mean, median and wins", here="learn", lesson=request.app.state.lesson
    )


@router.get("/api")
def api_for_people(request: Request, service: TheService) -> HTMLResponse:
    """Show how to use the API, with examples that can be run as they are."""
    newest = next((run for run in service.runs.page() if run.state == "done"), None)
    return show(
        request,
        "api.html.j2",
        title="API",
        here="api",
        server=str(request.base_url).rstrip("/"),
        needs_token=service.settings.token is not None,
        newest=newest,
        endpoints=endpoints(request.app.openapi()),
    )


@router.get("/static/{name}")
def static(request: Request, name: str, cache: TheCache) -> Response:
    """Hand out one of our own few files."""
    copy = cache.get(_path(name)) if name in STATIC else None
    if copy is None:
        raise HTTPException(404, "There is no such file.")
    return answer(request, copy, STATIC[name], {"Cache-Control": "private, max-age=3600"})


def _path(name: str) -> Path:
    return REPORT_STYLE if name == "report.css" else HERE / "static" / name


@router.get("/favicon.ico")
def icon() -> RedirectResponse:
    """Lead browsers that ask by habit to the icon."""
    return RedirectResponse("/static/icon.svg", 308)


def _columns(look: dict[str, Any] | None) -> list[str]:
    """Return every column of the files, for the lists to choose from."""
    return list(dict.fromkeys(name for file in (look or {}).get("files", ()) for name in file["header"]))
