"""The worker's part in the page of a watch: battles are read again, because their order counts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from betterthan.analysis.watch.watch import watch
from betterthan.errors import BetterThanError
from betterthan.messages import Option, spelled
from betterthan.read.inputs import TableReader
from betterthan.report.page import section_fragment
from betterthan.report.sections.watch import watch_section
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores
from betterthan.web.details.watch_request import PREFIX, WatchRequest
from betterthan.web.names import on_page
from betterthan.web.runs.saved_tables import saved_tables
from betterthan.web.runs.task import Task
from betterthan.web.worker.composing import files_by_part
from betterthan.web.worker.file_tables import options_of
from betterthan.web.worker.worker import News, with_shown_names

_MOST_STORED = 50
FIELDS = {
    "systems": "System",
    "horizon": "Planned number",
    "margin": "Margin",
    "top": "Best systems wanted",
}


def on_watch_page(option: Option) -> str:
    """Return an option as the field that it is on the page of a watch.

    Examples
    --------
    >>> on_watch_page(Option("top", 7)), on_watch_page(Option("margin")), on_watch_page(Option("alpha", 0.1))
    ('“Best systems wanted: 7”', '“Margin”', '--alpha 0.1 (on the command line)')
    """
    if option.name not in FIELDS:
        return on_page(option)
    value = ", ".join(map(str, option.value)) if isinstance(option.value, list | tuple) else option.value
    return f"“{FIELDS[option.name]}”" if value is None else f"“{FIELDS[option.name]}: {value}”"


def compute_watch(task: Task, news: News) -> None:
    """Compute a watch with the options of its page and store it, with the reason where there is no answer."""
    request = WatchRequest.of(task.details)
    news.stage("Counting the evidence")
    options: dict[str, Any] = {
        "systems": request.systems,
        "horizon": request.horizon or None,
        "margin": request.margin or None,
        "top": request.top or None,
    }
    try:
        table = _table(task, request)
        if isinstance(table, Scores):
            options |= {"missing": "drop"}
        result = watch(table, **options)
        html = section_fragment(watch_section(result), spelling=on_watch_page)
        stored = {"html": with_shown_names(html, task.files), "data": result.to_dict(), "problem": ""}
    except BetterThanError as error:
        stored = {
            "html": "",
            "data": {},
            "problem": with_shown_names(spelled(error.text, on_watch_page), task.files),
        }
    forget_oldest(task, PREFIX)
    task.folder.write(request.file, stored)


def _table(task: Task, request: WatchRequest) -> Scores | Matches:
    saved = saved_tables(task.folder)
    if saved.battles is None:
        return next(table for table in saved.scores if request.metric in ("", table.name))
    reader = TableReader(replace(options_of(task.choices), in_order=True), format=task.choices.format or None)
    found = reader.table([files_by_part(task)["data"][0].stored], kinds=(Matches,))
    assert isinstance(found, Matches)  # noqa: S101  (asked for)
    return found


def forget_oldest(task: Task, prefix: str) -> None:
    """Keep the latest answers of a page: options may be anything, and a disk is finite."""
    paths = sorted(task.folder.answers.glob(f"{prefix}*"), key=lambda path: path.stat().st_mtime_ns)
    for path in paths[: max(0, len(paths) - _MOST_STORED + 1)]:
        path.unlink(missing_ok=True)
