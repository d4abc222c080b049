"""A study as a folder of files: the result, its tables in three formats, its figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import click

from betterthan.cli.wording import as_typed, typed_option
from betterthan.errors import BetterThanError, MissingExtra
from betterthan.present.renderers.html import render_html
from betterthan.present.renderers.latex import render_latex
from betterthan.present.renderers.markdown import render_markdown
from betterthan.present.renderers.text import render_text
from betterthan.present.table import Table
from betterthan.present.tables.study import study_csv, study_tables
from betterthan.receipts.receipt import record
from betterthan.results.base import json_text
from betterthan.results.study import Study, StudyTable
from betterthan.writing import write_whole

_RENDERERS: dict[str, Callable[[Table], str]] = {
    "table": render_text,
    "markdown": render_markdown,
    "latex": render_latex,
    "html": render_html,
}


def all_tables(study: Study, format_: str) -> str:
    """Return the tables of a study, what is said of them last; details are named only."""
    both = list(zip(study.tables, study_tables(study), strict=True))
    tables = [shown for own, shown in both if not own.is_detail]
    details = [own.name for own, _ in both if own.is_detail]
    more = (f"Further tables, written with -o: {', '.join(details)}.",) if details else ()
    tables[-1] = replace(
        tables[-1],
        words=(*tables[-1].words, *study.sentences, *study.differences, *more),
        notes=(*tables[-1].notes, *study.notes),
        signature=study.settings.signature,
    )
    tables[0] = replace(tables[0], title=f"{study.name}: {tables[0].title}")
    return "\n".join(_RENDERERS[format_](table.spelled(typed_option())) for table in tables)


def write_study(
    study: Study, folder: Path, times: tuple[StudyTable, ...] = (), *, figures: str = "svg"
) -> int:
    """Write a study into a folder, which is made, and return the number of files.

    ``study.json`` with the command that made it, every table as ``.csv``, ``.md`` and ``.tex``, and every figure as
    ``.svg``, ``.png`` or ``.pdf`` where the extra ``charts`` is installed; without it that is said, and everything else
    is written. Tables of `times` are files of their own and stand nowhere else: the others have the same bytes every
    time.
    """
    files = {"study.json": _as_json(study)}
    both = replace(study, tables=(*study.tables, *times))
    for own, table in zip(both.tables, study_tables(both), strict=True):
        signed = replace(table, signature=study.settings.signature).spelled(typed_option())
        files[f"{own.name}.csv"] = study_csv(own)
        files[f"{own.name}.md"] = render_markdown(signed)
        files[f"{own.name}.tex"] = render_latex(signed)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in files.items():
            write_whole(folder / name, text)
    except OSError as error:
        raise BetterThanError(
            f"{folder} cannot be written ({error.strerror}). Choose another place."
        ) from error
    return len(files) + _write_figures(study, folder, figures)


def _as_json(study: Study) -> str:
    command = record(click.get_current_context(silent=True))
    data = study.to_dict() if command is None else {**study.to_dict(), "command": command}
    return json_text(data, indent=2) + "\n"


def _write_figures(study: Study, folder: Path, suffix: str) -> int:
    from betterthan.present.charts.save import save_chart
    from betterthan.present.charts.study import study_chart
    from betterthan.present.charts.theme import LIGHT

    try:
        for chart in study.charts:
            save_chart(study_chart(study, LIGHT, figure=chart.name), folder / f"{chart.name}.{suffix}")
    except MissingExtra as error:
        click.echo(f"The figures are left out: {as_typed(error.text)}", err=True)
        return 0
    return len(study.charts)
