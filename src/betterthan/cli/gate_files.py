"""Files of a gate: the tables and slices that it reads, and what it leaves for services of continuous integration."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import click

from betterthan.analysis.gate.gate import KINDS, GatedTable
from betterthan.analysis.gate.pairing import Slicing, slicing_of
from betterthan.cli.streams import refuse_overwriting, say
from betterthan.cli.wording import typed_option
from betterthan.errors import BetterThanError
from betterthan.messages import Message, Option
from betterthan.present.renderers.github import job_summary, workflow_commands
from betterthan.present.renderers.junit import render_junit
from betterthan.read.inputs import TableReader
from betterthan.read.protocol import Options
from betterthan.results.decisions import Gate
from betterthan.tables.any_table import AnyTable
from betterthan.writing import write_whole


class GateInputs:
    """Reader of the files of a gate, each of which is opened once.

    Parameters
    ----------
    files : sequence of str
    options : Options
    format : str, optional
    """

    def __init__(self, files: Sequence[str], options: Options, format: str | None) -> None:  # noqa: A002
        self.files, self.options, self.format = tuple(files), options, format
        self._reader = TableReader(options, format=format)

    def tables(self, margins: Mapping[str | None, float]) -> list[GatedTable]:
        """Return the table of each metric with its margin; items that changed between the files are an error."""
        tables = [
            GatedTable(self._reader.table(self.files, kinds=KINDS, metric=name), margin)
            for name, margin in margins.items()
        ]
        self._reader.refuse_changed_items(self.files)
        return tables

    def slicing(self, column: str, gated: GatedTable) -> Slicing:
        """Return the slice of each item by a column."""
        grouped = replace(self.options, columns={**self.options.columns, "group": column})
        metric = (
            gated.table.name if isinstance(gated.table, AnyTable) and hasattr(gated.table, "name") else None
        )
        table = TableReader(grouped, format=self.format).table(self.files, kinds=KINDS, metric=metric)
        return slicing_of(column, table)


def margins_of(metrics: Sequence[str], margin: float | None) -> dict[str | None, float]:
    """Return the margin of each metric, as typed: ``NAME=MARGIN``, or ``NAME`` with the margin of all others.

    Raises
    ------
    BetterThanError
        When a metric has no margin or is named twice, or the common margin is not used.

    Examples
    --------
    >>> margins_of(["correct=0.02", "toxicity"], 0.01), margins_of([], 0.05)
    ({'correct': 0.02, 'toxicity': 0.01}, {None: 0.05})
    """
    margins: dict[str | None, float] = {}
    unused = margin is not None and bool(metrics)
    for text in metrics:
        name, own = _split(text)
        if name in margins:
            raise BetterThanError(f'The metric "{name}" is named twice.')
        if own is None and margin is None:
            raise BetterThanError(
                Message(
                    'The metric "{name}" has no margin. Use {margin}.',
                    name=name,
                    margin=Option("metric", f"{name}=0.02"),
                )
            )
        unused = unused and own is not None
        margins[name] = margin if own is None else own  # type: ignore[assignment]  # one of them is a number
    if unused:
        raise BetterThanError(
            Message("{margin} has no effect: every metric has its own.", margin=Option("margin", margin))
        )
    if not metrics:
        if margin is None:
            raise BetterThanError(Message("A gate needs a margin: {margin}.", margin=Option("margin", 0.02)))
        margins[None] = margin
    return margins


def _split(text: str) -> tuple[str, float | None]:
    name, sign, own = text.rpartition("=")
    try:
        return (name, float(own)) if sign and name else (text, None)
    except ValueError:
        return text, None


_SUMMARY, _OUTPUT = "GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT"


def write_junit(result: Gate, path: str) -> None:
    """Write a JUnit report."""
    refuse_overwriting(path)
    write_whole(path, render_junit(result))
    say(f"Wrote {path}")


def tell_github(result: Gate) -> None:
    """Write annotations to standard error, and summary and outputs to the files that GitHub's variables name."""
    for line in workflow_commands(result):
        click.echo(line, err=True)
    _append(_SUMMARY, job_summary(result, typed_option()))
    _append(_OUTPUT, f"verdict={result.verdict}\nexit-code={result.exit_code}\n")


def _append(variable: str, text: str) -> None:
    """Append text to the file that a variable names, if there is one."""
    path = os.environ.get(variable)
    if not path:
        return
    try:
        with Path(path).open("a", encoding="utf-8") as file:
            file.write(text)
    except OSError as error:
        raise BetterThanError(
            f"{path}, named by {variable}, cannot be written ({error.strerror})."
        ) from error
