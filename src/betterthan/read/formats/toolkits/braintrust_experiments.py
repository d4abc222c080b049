"""Experiments of Braintrust: rows of its export, of its API, or of the results that ``Eval`` returns.

A test case is identified by its input, as Braintrust does to compare experiments. A trace has several rows: that of the
case, and one for each step and scorer; they are joined by their root.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from betterthan.read.formats.toolkits.toolkit_json import (
    GradedCase,
    case_rows,
    content_name,
    failures,
    number,
    odd_shape,
    reading_of_rows,
    whole_json,
)
from betterthan.read.grid.beginning import peek
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source

FORMAT = Format(
    name="braintrust",
    kind="scores",
    description="experiment of Braintrust as JSON, JSON lines or CSV: rows with input, output and scores",
    is_run=True,
)
_NEEDED = frozenset({"input", "scores"})
_TYPICAL = frozenset({"expected", "root_span_id", "span_id", "experiment_id", "span_attributes", "exc_info"})
_LISTS = ("events", "data", "results", "rows")
"""Where a response of the API, or a result that was saved, keeps its rows."""


@dataclass(slots=True)
class _Trace:
    """The rows of one test case: its own, and those of its scorers."""

    case: Mapping[str, Any] | None = None
    scores: dict[str, list[float]] = field(default_factory=dict)
    names: dict[str, None] = field(default_factory=dict)
    failed: bool = False


def sniff(source: Source) -> Guess | None:
    """Recognize rows with input, scores and what else Braintrust writes."""
    if source.is_folder or source.is_parquet:
        return None
    head = source.head.removeprefix(b"\xef\xbb\xbf").lstrip()
    keys = frozenset(peek(source).header)
    if keys >= _NEEDED and len(keys & _TYPICAL) > 1:
        return Guess(confidence=0.97, because="columns input, scores and expected, as Braintrust writes them")
    if (
        head[:1] == b"{"
        and any(f'"{name}"'.encode() in head[:4096] for name in _LISTS)
        and all(key in head for key in (b'"root_span_id"', b'"span_id"', b'"input"'))
    ):
        return Guess(
            confidence=0.97, because="rows with root_span_id and input, as Braintrust's API returns them"
        )
    return None


def read(source: Source, options: Options) -> Reading:
    """Read every score of every test case; inputs that occur several times are trials."""
    guess = sniff(source)
    system = options.run.system if options.run else source.stem
    rows = list(_rows(source))
    experiments = {row.get("experiment_id") for row in rows} - {None}
    cases = [
        _case(trace, _name(trace, experiments, system), source) for trace in _traces(rows, source).values()
    ]
    found = case_rows([case for case in cases if case is not None])
    problems = list(
        failures(
            [case for case in cases if case is not None],
            source.name,
            fix="Run them again, or look at the errors in the experiment.",
        )
    )
    notes = [f"{quoted(metric)} has no score and was left out." for metric in found.left_out]
    return reading_of_rows(
        found.rows,
        source,
        options,
        format=FORMAT,
        guess=guess,
        dropped={"metric without any score": sum(found.left_out.values())},
        notes=[*notes, *(problem.message for problem in problems)],
        problems=problems,
    )


def _rows(source: Source) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a JSON array, of an object with a list of rows, of JSON lines, or of a table."""
    container = peek(source).container
    if container == "delimited":
        yield from _table_rows(source)
        return
    if container == "jsonl" and len(frozenset(peek(source).header) & {"input", *_TYPICAL}) > 1:
        yield from (row for _, row in numbered_objects(source.lines(), source))
        return
    parsed = whole_json(source)
    if isinstance(parsed, dict):
        parsed = next((parsed[name] for name in _LISTS if isinstance(parsed.get(name), list)), None)
    if not isinstance(parsed, list) or not all(isinstance(row, dict) for row in parsed):
        raise odd_shape("The file has no list of rows with input and scores.", source)
    yield from parsed


def _table_rows(source: Source) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of a table, in which objects are JSON in a cell; empty cells are left out."""
    with open_grid(source) as grid:
        columns = {name: grid.texts(column) for column, name in enumerate(grid.header)}
        for row in range(grid.n_rows):
            yield {name: _parsed(texts[row]) for name, texts in columns.items() if texts[row].strip()}


def _parsed(text: str) -> Any:  # noqa: ANN401  (JSON)
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            return text
    return None if text.strip() == "null" else text


def _traces(rows: Sequence[Mapping[str, Any]], source: Source) -> dict[object, _Trace]:
    traces: dict[object, _Trace] = {}
    for place, row in enumerate(rows):
        root = row.get("root_span_id")
        trace = traces.setdefault(root if isinstance(root, str) else place, _Trace())
        scores = row.get("scores") or {}
        if not isinstance(scores, dict):
            raise odd_shape("The scores of a row are not an object.", source)
        is_case = not row.get("span_parents") and row.get("is_root") is not False
        if is_case:
            trace.case = row
            trace.failed |= bool(row.get("error"))
        for name, value in (*scores.items(), *_flat_scores(row)):
            trace.names.setdefault(name)
            score = number(name, value, source)
            if score is not None:
                trace.scores.setdefault(name, []).append(score)
        about = row.get("metadata")
        errors = about.get("scorer_errors") if is_case and isinstance(about, dict) else None
        if isinstance(errors, dict):
            trace.names.update(dict.fromkeys(errors))
            trace.failed |= bool(errors)
    return traces


def _flat_scores(row: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    yield from (
        (name.removeprefix("scores."), value) for name, value in row.items() if name.startswith("scores.")
    )


def _name(trace: _Trace, experiments: set[Any], system: str) -> str:
    """Return the system: the file, or the experiment where a query returned several."""
    experiment = trace.case.get("experiment_id") if trace.case else None
    return f"{system} {experiment}" if len(experiments) > 1 else system


def _case(trace: _Trace, system: str, source: Source) -> GradedCase | None:
    """Return the test case of a trace; None where only steps of it were exported."""
    if trace.case is None:
        return None
    if "input" not in trace.case:
        raise odd_shape("A row has no input.", source)
    means = {
        name: math.fsum(trace.scores[name]) / len(trace.scores[name]) if name in trace.scores else None
        for name in trace.names
    }
    return GradedCase(
        system=system,
        item=content_name(trace.case["input"], trace.case.get("expected")),
        scores=means,
        failed=trace.failed and (not means or None in means.values()),
    )
