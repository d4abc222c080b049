"""Results of Ragas: what ``evaluate(...).to_pandas()`` holds, written as CSV, JSON, JSON lines or Parquet.

A file is the evaluation of one system: the fields of its samples, and a column for each metric. Samples are identified
by their question and reference, because the table has no ids.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import some_of
from betterthan.read.formats.toolkits.toolkit_json import GradedCase, case_rows, content_name, reading_of_rows
from betterthan.read.grid.beginning import peek
from betterthan.read.grid.grid import Grid, check_numbers, quoted
from betterthan.read.grid.open_grid import leave_out_nameless, open_grid
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source

FORMAT = Format(
    name="ragas",
    kind="scores",
    description="results of Ragas, evaluate(...).to_pandas() as CSV, JSON, JSON lines or Parquet",
    is_run=True,
)
_QUESTIONS = {"user_input": "response", "question": "answer"}
"""The column of the question and that of the answer, in the current and in older versions."""
_REFERENCES = ("reference", "ground_truth", "ground_truths")
_FIELDS = frozenset({
    "user_input", "retrieved_contexts", "reference_contexts", "retrieved_context_ids", "reference_context_ids",
    "response", "multi_responses", "reference", "rubrics", "persona_name", "query_style", "query_length",
    "reference_tool_calls", "reference_topics", "synthesizer_name", "question", "contexts", "answer", "ground_truth",
    "ground_truths", "episode_done",
})  # fmt: skip
"""Fields of a sample, in all versions; other columns are metrics."""
_TYPICAL = frozenset({"retrieved_contexts", "reference", "contexts", "ground_truth", "ground_truths", "response",
                      "answer"})  # fmt: skip
_CONVERSATION = ("[{", "[Human", "[AI", "[HumanMessage")


class _Metrics(NamedTuple):
    """The columns of metrics with their values, and the names of those that hold texts."""

    columns: tuple[int, ...]
    values: FloatArray
    texts: tuple[str, ...]


def sniff(source: Source) -> Guess | None:
    """Recognize the columns of a sample: its question, and an answer, contexts or a reference."""
    if source.is_folder:
        return None
    header = frozenset(peek(source).header)
    question = next((name for name in _QUESTIONS if name in header), None)
    answer = None if question is None else _QUESTIONS[question]
    if question is None or not ({answer, *_TYPICAL} & header - {question}) or not header - _FIELDS - {""}:
        return None
    if question == "question" and len(header & _FIELDS) < 3:
        return None  # other tables have questions and answers, too
    return Guess(
        confidence=0.97, because=f"columns {question} and {', '.join(sorted(header & _TYPICAL))} of Ragas"
    )


def read(source: Source, options: Options) -> Reading:
    """Read every metric of one system, which is named after the file."""
    guess = sniff(source)
    with open_grid(source) as grid:
        nameless, notes = leave_out_nameless(grid)
        metrics = _metrics(grid, nameless)
        items, by_position = _items(grid, source)
        system = options.run.system if options.run else source.stem
        names = [grid.header[column] for column in metrics.columns]
        cases = [
            GradedCase(
                system=system,
                item=item,
                scores={
                    name: None if math.isnan(value) else value
                    for name, value in zip(names, values.tolist(), strict=True)
                },
            )
            for item, values in zip(items, metrics.values.T, strict=True)
        ]
    if metrics.texts:
        notes = (*notes, f"Columns of text were left out: {some_of(list(map(quoted, metrics.texts)))}.")
    found = case_rows(cases)
    return reading_of_rows(
        found.rows,
        source,
        options,
        format=FORMAT,
        guess=guess,
        dropped={"metric without any score": sum(found.left_out.values())},
        notes=[*notes, *(f"{quoted(metric)} has no score and was left out." for metric in found.left_out)],
        by_position=by_position,
    )


def _metrics(grid: Grid, nameless: set[int]) -> _Metrics:
    """Return the columns of metrics; a few texts among many numbers are an error of their column."""
    free = [i for i, name in enumerate(grid.header) if i not in nameless and name not in _FIELDS]
    values = grid.numbers(free)
    is_text = np.isinf(values).sum(axis=1) > np.isfinite(values).sum(axis=1)
    columns = tuple(column for column, text in zip(free, is_text, strict=True) if not text)
    check_numbers(grid, values[~is_text], columns)
    texts = tuple(grid.header[column] for column, text in zip(free, is_text, strict=True) if text)
    return _Metrics(columns, values[~is_text], texts)


def _items(grid: Grid, source: Source) -> tuple[Sequence[str], bool]:
    """Name samples by their content; a conversation contains the system's own turns, so its position counts."""
    question = next((name for name in _QUESTIONS if name in grid.header), None)
    if question is None:
        raise source.error(
            "No column is called user_input or question. Write the result again with to_pandas().",
            code="BT021",
        )
    texts = grid.texts(grid.header.index(question))
    if texts and all(text.lstrip().startswith(_CONVERSATION) for text in texts):
        return [str(number) for number in range(1, len(texts) + 1)], True
    reference = next((name for name in _REFERENCES if name in grid.header), None)
    if reference is None:
        return [content_name(text) for text in texts], False
    references = grid.texts(grid.header.index(reference))
    return [content_name(*pair) for pair in zip(texts, references, strict=True)], False
