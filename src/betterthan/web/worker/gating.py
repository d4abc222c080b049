"""The worker's part in the page of a gate."""

from __future__ import annotations

from betterthan.analysis.gate.gate import gate
from betterthan.errors import BetterThanError
from betterthan.messages import Option, spelled
from betterthan.report.page import section_fragment
from betterthan.report.sections.gate import gate_section
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores
from betterthan.web.details.gate_request import PREFIX, GateRequest
from betterthan.web.names import on_page
from betterthan.web.runs.saved_tables import saved_tables
from betterthan.web.runs.task import Task
from betterthan.web.worker.watching import forget_oldest
from betterthan.web.worker.worker import News, with_shown_names


def on_gate_page(option: Option) -> str:
    """Return an option as the field that it is on the page of a gate.

    Examples
    --------
    >>> on_gate_page(Option("margin", 0.7)), on_gate_page(Option("margin"))
    ('“Margin: 0.7”', '“Margin”')
    """
    if option.name != "margin":
        return on_page(option)
    return "“Margin”" if option.value is None else f"“Margin: {option.value}”"


def compute_gate(task: Task, news: News) -> None:
    """Compute a gate with the options of its page and store it, with the reason where there is no answer."""
    request = GateRequest.of(task.details)
    news.stage("Comparing with the margin")
    try:
        table = _table(task, request)
        missing = {"missing": "drop"} if isinstance(table, Scores) else {}
        result = gate(
            table,
            margin=request.margin,
            systems=[request.baseline, request.candidate],
            **missing,  # type: ignore[arg-type]
        )
        html = section_fragment(gate_section(result), spelling=on_gate_page)
        stored = {"html": with_shown_names(html, task.files), "data": result.to_dict(), "problem": ""}
    except BetterThanError as error:
        problem = with_shown_names(spelled(error.text, on_gate_page), task.files)
        stored = {"html": "", "data": {}, "problem": problem}
    forget_oldest(task, PREFIX)
    task.folder.write(request.file, stored)


def _table(task: Task, request: GateRequest) -> Scores | Matches:
    saved = saved_tables(task.folder)
    if saved.battles is not None:
        return saved.battles.matches
    return next(table for table in saved.scores if request.metric in ("", table.name))
