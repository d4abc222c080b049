"""All systems over all tasks, where the tables of the data are tasks with items of their own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from betterthan.analysis.board.board import board
from betterthan.errors import BetterThanError
from betterthan.present.tables.describe import describe
from betterthan.report.copies import csv_of_result
from betterthan.report.document import Bullets, Section, TableBlock
from betterthan.report.inputs import Inputs
from betterthan.report.wording import page_table
from betterthan.results.tasks import Board


def are_tasks(inputs: Inputs) -> bool:
    """Whether there are several tables, and they are about different items: tasks, not metrics of the same answers."""
    return len({table.segments for table in inputs.metrics.values()}) > 1


def over_tasks(inputs: Inputs) -> Board | None:
    """Rank the systems over all tasks, by mean win rate where lower is better on some only.

    None for two systems, whose tasks have a section of their own, and where tasks cannot be combined.
    """
    if not are_tasks(inputs) or inputs.scores.n_systems == 2:
        return None
    tables = list(inputs.metrics.values())
    options: dict[str, Any] = {key: inputs.options[key] for key in ("units", "rng") if key in inputs.options}
    if any(table.groups is None for table in tables):
        options.pop("units", None)
    is_mixed = len({table.higher_is_better for table in tables}) > 1
    try:
        return board(
            tables,
            by="mean_win_rate" if is_mixed else "mean",
            missing="drop",
            **options,
            **inputs.computing(),
        )
    except BetterThanError:
        return None


def board_section(result: Board) -> Section:
    """Return the table of all systems with both kinds of intervals."""
    shown = describe(result)
    table = TableBlock(
        key="board-table",
        table=page_table(replace(shown, verdict=())),
        csv=csv_of_result(result),
        words=True,
    )
    return Section(
        key="board",
        title="Which system is best over all tasks?",
        menu="All tasks",
        lead=shown.verdict[0],
        blocks=(*([Bullets(shown.verdict[1:])] if shown.verdict[1:] else []), table),
    )
