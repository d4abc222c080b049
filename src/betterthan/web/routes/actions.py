"""What forms ask for: upload, look again, start, stop, delete. Every one carries its token, and ends in a page."""

# ruff: noqa: FAST003  (the run's id is taken by the dependency that finds the run)
from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from fastapi import APIRouter, Request
from python_multipart.exceptions import FormParserError
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.responses import RedirectResponse, Response

from betterthan.web.routes.choices import FIELD, ChoicesIn, check_form
from betterthan.web.routes.pages import listed
from betterthan.web.routes.requests import TheCache, TheRun, TheService, delete_run
from betterthan.web.runs.run import ID, Choices, RunRecord
from betterthan.web.runs.service import Service
from betterthan.web.runs.uploads import EXAMPLES, free_bytes, store_all, store_example

_RESERVED_BYTES = 64 << 20  # bytes that stay free on the disk
_BUSY = "This run is busy, or too many runs are waiting. Wait, or cancel it first."

router = APIRouter(include_in_schema=False)


@asynccontextmanager
async def checked_form(request: Request, service: Service, *, files: int = 0) -> AsyncIterator[FormData]:
    """Give the fields of a form that is ours; its files are closed at the end."""
    try:
        async with request.form(max_files=files, max_fields=500) as form:
            check_form(request, service.secret, form.get(FIELD))
            yield form
    except FormParserError as error:  # older versions of Starlette let it through
        raise HTTPException(400, "The form is malformed.") from error


async def check(request: Request, service: Service) -> None:
    """Refuse a form that is not ours and says nothing but its token."""
    async with checked_form(request, service):
        pass


def check_capacity(service: Service) -> None:
    """Refuse an upload that would fill the disk, or that could not be checked in a reasonable time.

    Raises
    ------
    HTTPException
        503 when too many wait already, 507 when there is no space left on the disk.
    """
    if not service.can_take_in:
        raise HTTPException(
            503, "Too many uploads are waiting to be looked at. Try again in a while.", {"Retry-After": "60"}
        )
    if free_bytes(service.root) < service.settings.limits.upload_bytes + _RESERVED_BYTES:
        raise HTTPException(507, "The disk is nearly full. Delete runs that are no longer needed.")


@router.post("/upload")
async def upload(request: Request, service: TheService) -> RedirectResponse:
    """Take in files and show what they are."""
    check_capacity(service)
    limits = service.settings.limits
    async with checked_form(request, service, files=limits.files) as form:
        parts = [part for part in form.getlist("files") if isinstance(part, UploadFile)]
        run = await run_in_threadpool(service.take_in, partial(store_all, parts, most_files=limits.files))
    return RedirectResponse(f"/new/{run.id}", 303)


@router.post("/examples/{name}")
async def example(request: Request, name: str, service: TheService) -> RedirectResponse:
    """Begin with an example."""
    await check(request, service)
    check_capacity(service)
    run = await run_in_threadpool(begin_example, service, name)
    return RedirectResponse(f"/new/{run.id}", 303)


def begin_example(service: Service, name: str) -> RunRecord:
    """Begin a run with the files of an example.

    Raises
    ------
    HTTPException
        404 when there is none of this name.
    """
    if name not in EXAMPLES:
        raise HTTPException(404, f"There is no example of this name. Known: {', '.join(EXAMPLES)}.")
    example = EXAMPLES[name]
    return service.take_in(partial(store_example, example), title=f"Example: {example.title}")


@router.post("/new/{run_id}")
async def decide(request: Request, run: TheRun, service: TheService) -> RedirectResponse:
    """Look again with other choices, or make the report."""
    async with checked_form(request, service) as form:
        choices, then = _choices(form, len(run.files)), form.get("then")
    if then == "look":
        done = await run_in_threadpool(service.look_again, run, choices)
        where = f"/new/{run.id}"
    else:
        done = await run_in_threadpool(service.start, run, choices)
        where = f"/runs/{run.id}"
    if not done:
        raise HTTPException(409, _BUSY)
    return RedirectResponse(where, 303)


@router.post("/runs/{run_id}/restart")
async def restart(request: Request, run: TheRun, service: TheService) -> RedirectResponse:
    """Make the report again with the same choices; what was finished before is not done again."""
    await check(request, service)
    if not await run_in_threadpool(service.start, run):
        raise HTTPException(409, _BUSY)
    return RedirectResponse(f"/runs/{run.id}", 303)


@router.post("/runs/{run_id}/back")
async def back(request: Request, run: TheRun, service: TheService) -> RedirectResponse:
    """Show the report again that was there before the last start."""
    await check(request, service)
    if not await run_in_threadpool(service.go_back, run):
        raise HTTPException(409, "There is no earlier report, or the run is busy.")
    return RedirectResponse(f"/runs/{run.id}", 303)


@router.post("/runs/{run_id}/cancel")
async def cancel(request: Request, run: TheRun, service: TheService) -> RedirectResponse:
    """Stop a run; one that has just ended is left as it is."""
    await check(request, service)
    await run_in_threadpool(service.cancel, run.id)
    return RedirectResponse(f"/runs/{run.id}", 303)


@router.post("/runs/{run_id}/delete")
async def delete(request: Request, run: TheRun, service: TheService, cache: TheCache) -> RedirectResponse:
    """Delete a run with all its files."""
    await check(request, service)
    await run_in_threadpool(delete_run, service, cache, run)
    return RedirectResponse("/", 303)


@router.post("/compare")
async def compare(request: Request, service: TheService) -> Response:
    """Lead to the page of the two runs that were ticked; if they are not two, say so where they were ticked."""
    async with checked_form(request, service) as form:
        page = str(form.get("page", ""))
        ids = [value for value in form.getlist("run") if isinstance(value, str) and ID.fullmatch(value)]
    if len(ids) != 2:
        ticked = f"{len(ids) or 'none'} {'is' if len(ids) < 2 else 'are'} ticked"
        message = f"Tick exactly two runs to compare them; {ticked}."
        where = int(page) if page.isascii() and page.isdigit() and len(page) < 7 else 1
        return await run_in_threadpool(
            listed, request, service, page=max(1, where), ticked=ids, problem=message, status=400
        )
    return RedirectResponse(f"/compare/{ids[1]}/{ids[0]}", 303)  # the list has the newest first


def _choices(form: FormData, n_files: int) -> Choices:
    """Return the choices of the form, checked by the same rules as those of the API."""
    plain: dict[str, Any] = {
        name: value
        for name in (
            "question",
            "direction",
            "duplicates",
            "both_bad",
            "format",
            "metric",
            "missing",
            "units",
        )
        if isinstance(value := form.get(name), str)
    }
    columns = {
        name.removeprefix("column-"): value
        for name, value in form.items()
        if name.startswith("column-") and isinstance(value, str) and value
    }
    parts = [str(form.get(f"part-{position}", "data")) for position in range(n_files)]
    chosen = {name: [str(value) for value in form.getlist(name) if value] for name in ("ignore", "keep")}
    choices = ChoicesIn.checked(
        {
            **plain,
            **chosen,
            "columns": columns,
            "parts": parts,
            "winner_labels": _winner_labels(str(form.get("winner_labels", ""))),
            "with_texts": form.get("with_texts") == "yes",
        }
    )
    return choices.choices()


def _winner_labels(text: str) -> dict[str, str]:
    """Return what was written as "1=left, 0=right"; what is not of this form is left to the check to name."""
    parts = (part.rpartition("=") for part in text.replace(",", " ").split())
    return {label: meaning for label, _, meaning in parts}
