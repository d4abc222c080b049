"""Scores of an automatic judge and human labels of some of them, from one file or two."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from typing import Any, NamedTuple

from betterthan.errors import BetterThanError, ReadError, UnknownName, unknown_name
from betterthan.messages import COLUMN, Message, Option
from betterthan.read.grid.grid import Grid
from betterthan.read.grid.open_grid import frame_grid, is_frame, open_grid
from betterthan.read.inputs import TableReader
from betterthan.read.protocol import Options
from betterthan.read.source.source import Source
from betterthan.tables.matches import Matches
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

WEIGHT = "weight"
"""The column in which :func:`betterthan.sample` writes the weights of labels."""


class LabeledScores(NamedTuple):
    """Scores of a judge, human labels, and the weights of the labels where there are any."""

    judge: Scores | Matches
    human: Scores | Matches
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
    """Read the scores or battles of a judge and human labels; without `human` both are in the same data.

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
    judged = _scores_or_battles(judge, judge_score, base, format)
    labeled = _scores_or_battles(labels, human_score, base, format)
    if not isinstance(labeled, Matches):
        return LabeledScores(judged, labeled, weights_of(labels, weight, base, format))
    if weight is not None:
        raise BetterThanError(
            Message(
                "{weight} is for scores, and these labels are battles. Leave it out.",
                weight=Option("weight", weight if isinstance(weight, str) else COLUMN),
            )
        )
    return LabeledScores(judged, labeled, None)


def _scores_or_battles(data: Any, name: str | None, options: Options, format: str | None) -> Scores | Matches:  # noqa: A002, ANN401
    if isinstance(data, Matches):
        return data
    named = replace(options, keep=("item",), names_items=True)
    table: Scores | Matches = _scores(data, name, named, format, kinds=(Scores, Matches))
    return table


class Audited(NamedTuple):
    """What a judge said, what humans said, and the lengths of outputs where they are known."""

    judge: Scores | Runs | Matches
    human: Scores | Matches | None
    length: Scores | None


def read_audited(
    judge: Any,  # noqa: ANN401  (anything)
    human: Any = None,  # noqa: ANN401
    *,
    judge_score: str | None = None,
    human_score: str | None = None,
    length: str | Scores | None = None,
    options: Options | None = None,
    format: str | None = None,  # noqa: A002
) -> Audited:
    """Read scores, repeated scores or battles of a judge, and those of people; names are of columns or metrics."""
    base = replace(options or Options(), keep=("item",), names_items=True)
    judged = _said(judge, judge_score, base, format)
    labels = judge if human is None and human_score is not None else human
    said = None if labels is None else _said(labels, human_score, base, format)
    if isinstance(said, Runs):
        said = said.to_scores()
    if isinstance(length, Scores) or length is None:
        return Audited(judged, said, length)
    if isinstance(judge, Scores | Runs | Matches):
        raise BetterThanError(
            Message(
                "{length} names a column, and a table has none. Pass the lengths as a table of scores.",
                length=Option("length", length),
            )
        )
    lengths: Scores = _column(judge, length, options or Options(), format)
    return Audited(judged, said, lengths)


def _said(data: Any, name: str | None, options: Options, format: str | None) -> Scores | Runs | Matches:  # noqa: A002, ANN401
    if isinstance(data, Runs | Matches):
        return data
    said: Scores | Runs | Matches = _scores(data, name, options, format, kinds=(Scores, Runs, Matches))
    return said


def weights_of(data: Any, weight: str | Scores | None, options: Options, format: str | None) -> Scores | None:  # noqa: A002, ANN401
    """Return the weights of labels in the named column, or in the column "weight"; None where there is none."""
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
    return _column(data, weight or WEIGHT, options, format)


def _column(data: Any, name: str, options: Options, format: str | None) -> Scores:  # noqa: A002, ANN401
    """Return the numbers in a column, or of a metric of that name, as a table.

    Raises
    ------
    UnknownName
        When there is neither, with the columns.
    """
    try:
        table: Scores = _scores(data, name, options, format)
    except UnknownName as error:
        raise unknown_name("column", name, _columns(data) or error.choices) from error
    if table.name != name:  # a part of the name of a metric is no column
        raise unknown_name("column", name, _columns(data) or [table.name])
    return table


def _scores(
    data: Any,  # noqa: ANN401
    name: str | None,
    options: Options,
    format: str | None,  # noqa: A002
    *,
    kinds: tuple[type, ...] = (Scores,),
) -> Any:  # noqa: ANN401  (one of the kinds)
    """Return one table of scores: that in a column, that of a metric, or the only one."""
    if isinstance(data, Scores):
        if name is not None and name != data.name:
            raise BetterThanError(
                f'"{name}" is not the name of this table of scores, which is "{data.name}".'
            )
        return data
    if name is None or name not in _columns(data):
        reader = TableReader(options, format=format)
        return reader.table(data, kinds=kinds, metric=name)
    chosen = replace(options, columns={**options.columns, "score": name}, name=name)
    named = TableReader(chosen, format=format).table(data, kinds=tuple(set(kinds) - {Matches}))
    return replace(named, name=name)


def _columns(data: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Return the columns of a table; none for data that are no table."""
    if hasattr(data, "columns") and not isinstance(data, Scores):
        return tuple(map(str, data.columns))
    with _grid(data) as grid:
        return () if grid is None else grid.header


@contextmanager
def _grid(data: Any) -> Iterator[Grid | None]:  # noqa: ANN401
    """Open data as a table; None for data that are no table."""
    several = data if isinstance(data, list | tuple) else [data]
    with ExitStack() as stack:
        try:
            if is_frame(data):
                grid: Grid = frame_grid(data)
            else:
                source = several[0] if isinstance(several[0], Source) else TableReader().source(several[0])
                grid = stack.enter_context(open_grid(source))
        except (ReadError, OSError, TypeError, IndexError):
            yield None
            return
        yield grid
