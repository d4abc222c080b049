"""Scores of an automatic judge and human labels of some of them, from one file or two."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

from betterthan.errors import BetterThanError, ReadError
from betterthan.messages import COLUMN, Message, Option
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.inputs import TableReader
from betterthan.read.protocol import Options
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

WEIGHT = "weight"
"""The column in which :func:`betterthan.sample` writes the weights of labels."""


class LabeledScores(NamedTuple):
    """Scores of a judge, human labels, and the weights of the labels where there are any."""

    judge: Scores
    human: Scores
    weight: Scores | None


def read_labeled(
    judge: Any,  # noqa: ANN401  (anything)
    human: Any = None,  # noqa: ANN401
    *,
    judge_score: str | None = None,
    human_score: str | None = None,
    weight: str | Scores | None = None,
    options: Options | None = None,
    format: str | None = None,  # noqa: A002
) -> LabeledScores:
    """Read the scores of a judge and human labels; without `human` both are in the same data.

    Names are those of columns or metrics. A column "weight" of the labels is used where no other is named.
    """
    base = options or Options()
    if human is None and (judge_score is None or human_score is None):
        raise BetterThanError(
            Message(
                "Judge and labels are in the same data. Name both columns: {judge} and {human}; "
                "or pass the labels separately.",
                judge=Option("judge_score", COLUMN),
                human=Option("human_score", COLUMN),
            )
        )
    labels = judge if human is None else human
    judged = _scores(judge, judge_score, base, format)
    labeled = _scores(labels, human_score, base, format)
    return LabeledScores(judged, labeled, _weights(labels, weight, base, format))


def _weights(data: Any, weight: str | Scores | None, options: Options, format: str | None) -> Scores | None:  # noqa: A002, ANN401
    if isinstance(weight, Scores):
        return weight
    if isinstance(data, Scores):
        if weight is not None:
            raise BetterThanError(
                Message(
                    "{weight} names a column, and a table of scores has none. Pass the weights as a table of scores.",
                    weight=Option("weight", weight),
                )
            )
        return None
    if weight is None and WEIGHT not in _columns(data):
        return None
    return _scores(data, weight or WEIGHT, options, format)


def _scores(data: Any, name: str | None, options: Options, format: str | None) -> Scores:  # noqa: A002, ANN401
    """Return one table of scores: that in a column, that of a metric, or the only one."""
    if isinstance(data, Scores):
        if name is not None and name != data.name:
            raise BetterThanError(
                f'"{name}" is not the name of this table of scores, which is "{data.name}".'
            )
        return data
    if name is None or name not in _columns(data):
        reader = TableReader(options, format=format)
        table: Scores = reader.table(data, kinds=(Scores,), metric=name)
        return table
    chosen = replace(options, columns={**options.columns, "score": name}, name=name)
    named: Scores = TableReader(chosen, format=format).table(data, kinds=(Scores,))
    return replace(named, name=name)


def _columns(data: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Return the columns of a table; none for data that are no table."""
    if isinstance(data, Mapping):
        return tuple(map(str, data))
    if hasattr(data, "columns") and not isinstance(data, Scores):
        return tuple(map(str, data.columns))
    several = data if isinstance(data, list | tuple) else [data]
    try:
        source = several[0] if isinstance(several[0], Source) else TableReader().source(several[0])
        with open_grid(source) as grid:
            return grid.header
    except (ReadError, OSError, TypeError, IndexError):
        return ()
