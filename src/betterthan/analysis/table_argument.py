"""Conversion of a verb's argument to a table: tables pass unchanged, everything else is read by ``read.inputs``.

This is the only place where a verb may read; the import is inside the function, so that a verb on a table loads no
reader.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

from betterthan.analysis.corrected_scores import corrected_scores
from betterthan.errors import BetterThanError, TableError
from betterthan.messages import COLUMN, Message, Option
from betterthan.results.judges import Corrected
from betterthan.tables.any_table import AnyTable
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

AcceptedTable = TypeVar("AcceptedTable")
AnyData = Any
"""A table; a path, folder or pattern, or several; a data frame; a dict of columns, or of names and paths; arrays."""


def as_table(
    *data: AnyData,
    kinds: tuple[type[AcceptedTable], ...],
    verb: str,
    metric: str | None = None,
    system: str | Sequence[str] | None = None,
    run: str | None = None,
    group: str | None = None,
    in_order: bool = False,
    by: object = None,
) -> AcceptedTable:
    """Return the table that a verb takes; `group` names the column of groups.

    Battles are read one by one where `in_order`, otherwise counted. `by` is what the verb computes from scores, of
    which corrected means allow only means.

    Raises
    ------
    TableError
        When `data` is a kind of table that the verb does not accept, or cannot be converted to a table.
    BetterThanError
        When `metric` is given together with a table, which has one metric.

    Examples
    --------
    >>> as_table({"A": [0.5, 0.75], "B": [0.25, 0.5]}, kinds=(Scores,), verb="rank")
    Scores('score', 2 systems × 2 segments, higher is better)
    >>> as_table([0.5, 0.75], [0.25, 0.5], kinds=(Scores,), verb="compare").systems
    ('A', 'B')
    """
    first = data[0]
    if len(data) == 1 and isinstance(first, Corrected) and Scores in kinds:
        _check_corrected(verb, by)
        first = corrected_scores(first)
    if len(data) == 1 and isinstance(first, kinds):
        if metric is not None:
            raise BetterThanError(
                Message(
                    "{metric} has no effect: a table has one metric. Leave it out.",
                    metric=Option("metric", metric),
                )
            )
        for name, value in (("system", system), ("run", run), ("group", group)):
            if value is not None:
                raise BetterThanError(
                    Message(
                        "{option} names columns to be read and has no effect on a table. Leave it out.",
                        option=Option(name, value),
                    )
                )
        return first
    names = [kind.__name__ for kind in kinds]
    some = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    if any(isinstance(each, AnyTable) for each in data):
        raise TableError(f"{verb} takes {some}, not {' and '.join(type(each).__name__ for each in data)}.")
    if first is None or isinstance(first, bool | int | float):
        raise TableError(
            f"{verb} takes {some}, or what they can be read from: a path, a data frame, a dict or arrays; "
            f"not {type(first).__name__}."
        )
    from betterthan.read.inputs import TableReader  # noqa: PLC0415  (a verb on a table loads no reader)
    from betterthan.read.scores import naming  # noqa: PLC0415

    reader = TableReader(replace(naming(system, run, group=group), in_order=in_order))
    table: AcceptedTable = reader.table(data if len(data) > 1 else first, kinds=kinds, metric=metric)
    return table


_OF_MEANS = ("rank", "compare", "board")
_INSTEAD = {
    "gate": "Compare the interval of the pair with the margin.",
    "plan": "Plan from the number of judged items and the correlation of judge and labels.",
}
_MEANS = (None, "mean", "auto", "t")


def _check_corrected(verb: str, by: object) -> None:
    """Raise unless a verb asks for nothing but means: a corrected result has no scores of single items.

    Examples
    --------
    >>> _check_corrected("rank", "median")
    Traceback (most recent call last):
    ...
    betterthan.errors.TableError: rank by "median" needs scores of single items, and a corrected result has means only.
    """
    if verb not in _OF_MEANS:
        raise TableError(
            f"{verb} needs scores of single items, and a corrected result has means only. "
            f"{_INSTEAD.get(verb, 'Its own means, intervals and pairs are the answer.')}"
        )
    if by not in _MEANS:
        raise TableError(
            f'{verb} by "{by}" needs scores of single items, and a corrected result has means only.'
        )


def as_divided_battles(data: AnyData, by: str | None, *, verb: str) -> Matches:
    """Return battles with their categories, which are in the column `by` of data that are read.

    Raises
    ------
    TableError
        When there are no categories.
    BetterThanError
        When `by` is missing, or has no effect.

    Examples
    --------
    >>> battles = {"left": ["A", "B"], "right": ["B", "A"], "winner": ["tie", "tie"], "topic": ["x", "y"]}
    >>> as_divided_battles(battles, "topic", verb="boards").categories
    ('x', 'y')
    """
    if isinstance(data, Matches):
        if by is not None:
            raise BetterThanError(
                Message(
                    "{by} names a column to be read and has no effect on a table. Leave it out.",
                    by=Option("by", by),
                )
            )
        found = data
    else:
        if by is None:
            raise BetterThanError(
                Message("Name the column of categories with {by}.", by=Option("by", COLUMN))
            )
        if isinstance(data, AnyTable):
            raise TableError(f"{verb} takes battles, not {type(data).__name__}.")
        from betterthan.read.inputs import TableReader  # noqa: PLC0415  (a verb on a table loads no reader)
        from betterthan.read.protocol import Options  # noqa: PLC0415

        found = TableReader(Options(columns={"category": by})).table(data, kinds=(Matches,))
    if found.category is None:
        raise TableError(
            Message(
                "These battles have no categories. Read one battle per row, and name the column with {category}.",
                category=Option("category" if by is None else "by", COLUMN),
            )
        )
    return found


def refuse_changed_items(
    *data: AnyData, system: str | Sequence[str] | None = None, run: str | None = None
) -> None:
    """Raise when two files have another question or correct answer for the same item; tables and arrays have none.

    Raises
    ------
    ReadError
        With the column and the items.
    """
    if any(isinstance(each, AnyTable) for each in data):
        return
    from betterthan.read.inputs import TableReader  # noqa: PLC0415  (a verb on a table loads no reader)
    from betterthan.read.scores import naming  # noqa: PLC0415

    TableReader(naming(system, run)).refuse_changed_items(data if len(data) > 1 else data[0])


def usual_direction(name: str) -> str:
    """Return which direction the name of a metric suggests, such as "higher" or "lower"; empty if none.

    Examples
    --------
    >>> usual_direction("accuracy"), usual_direction("error rate"), usual_direction("quux")
    ('higher', 'lower', '')
    """
    from betterthan.read.plausibility.direction import (  # noqa: PLC0415  (a verb on a table loads no reader)
        hint_of,
    )

    hint = hint_of(name)
    return "" if hint is None else hint.way


def as_judgements(data: AnyData, *, verb: str) -> Ratings | Scores:
    """Return single judgments, or means of them where the data have no judges.

    Raises
    ------
    TableError
        When `data` is a table of another kind.

    Examples
    --------
    >>> as_judgements({"item": [1, 1], "system": ["A", "B"], "rater": ["x", "x"], "score": [70, 40]}, verb="judges")
    Ratings('score', 2 judgments of 2 systems × 1 segments by 1 judges)
    """
    if isinstance(data, Ratings | Scores):
        return data
    if isinstance(data, AnyTable):
        raise TableError(f"{verb} takes Ratings or Scores, not {type(data).__name__}.")
    from betterthan.read.inputs import TableReader  # noqa: PLC0415  (a verb on a table loads no reader)

    return TableReader().judgements(data)


def judgements_with_judges(data: AnyData, *, verb: str) -> Ratings:
    """Return single judgments.

    Raises
    ------
    TableError
        When the data have no judges.
    """
    found = as_judgements(data, verb=verb)
    if not isinstance(found, Ratings):
        raise TableError(
            Message(
                "{verb} needs judgments with judges, and these scores have none. Name their column with {judge}.",
                verb=verb,
                judge=Option("judge", COLUMN),
            )
        )
    return found


class LabeledTables(NamedTuple):
    """Scores of a judge, human labels, and the weights of the labels where there are any.

    Of battles, the scores are the points of both systems of each comparison.
    """

    judge: Scores
    human: Scores
    weight: Scores | None
    are_battles: bool = False


def as_labeled(
    judge: AnyData,
    human: AnyData,
    *,
    judge_score: str | None,
    human_score: str | None,
    weight: str | Scores | None,
    verb: str,
) -> LabeledTables:
    """Return the scores of a judge, human labels, and their weights; without `human` they are in the same data.

    Raises
    ------
    TableError
        When one is a table of another kind.
    """
    for each in (judge, human):
        if isinstance(each, AnyTable) and not isinstance(each, Scores | Matches):
            raise TableError(f"{verb} takes Scores or Matches, not {type(each).__name__}.")
    is_read = judge_score is None and human_score is None and not isinstance(weight, str)
    if is_read and isinstance(judge, Scores) and isinstance(human, Scores):
        return LabeledTables(judge, human, weight)  # type: ignore[arg-type]  # no text
    from betterthan.read.labels import read_labeled  # noqa: PLC0415  (a verb on a table loads no reader)

    read = read_labeled(judge, human, judge_score=judge_score, human_score=human_score, weight=weight)
    if isinstance(read.judge, Scores) and isinstance(read.human, Scores):
        return LabeledTables(read.judge, read.human, read.weight)
    if not (isinstance(read.judge, Matches) and isinstance(read.human, Matches)):
        raise TableError(
            "One of judge and humans gave scores and the other battles. Both need the same kind of data."
        )
    from betterthan.analysis.judge.battle_scores import scores_of_battles  # noqa: PLC0415  (few have battles)

    return LabeledTables(*scores_of_battles(read.judge, read.human), None, are_battles=True)


class AuditedTables(NamedTuple):
    """What a judge said, what humans said, and the lengths of outputs where they are known."""

    judge: Scores | Runs | Matches
    human: Scores | Matches | None
    length: Scores | None


def as_audited(
    judge: AnyData,
    human: AnyData,
    *,
    judge_score: str | None,
    human_score: str | None,
    length: str | Scores | None,
) -> AuditedTables:
    """Return scores, runs or battles of a judge, human labels or battles, and lengths of outputs.

    Raises
    ------
    TableError
        When one is a table of another kind.
    """
    for each in (judge, human):
        if isinstance(each, AnyTable) and not isinstance(each, Scores | Runs | Matches):
            raise TableError(f"audit_judge takes Scores, Runs or Matches, not {type(each).__name__}.")
    from betterthan.read.labels import read_audited  # noqa: PLC0415  (a verb on a table loads no reader)

    return AuditedTables(
        *read_audited(judge, human, judge_score=judge_score, human_score=human_score, length=length)
    )


def as_judged(data: AnyData, *, metric: str | None, verb: str) -> Scores | Ratings:
    """Return the scores of a judge, or of each of several.

    Raises
    ------
    TableError
        When `data` is a table of another kind.
    """
    if isinstance(data, AnyTable):
        return as_table(data, kinds=(Scores, Ratings), verb=verb, metric=metric)  # type: ignore[return-value]
    from betterthan.read.inputs import TableReader  # noqa: PLC0415  (a verb on a table loads no reader)

    return TableReader().judgements(data, metric)


def as_metrics_and_human(metrics: AnyData, human: AnyData) -> tuple[Any, Any]:
    """Return metrics and human scores as tables; tables pass unchanged.

    A folder of the metrics task holds both, so `human` is None for one.
    """
    from betterthan.read.inputs import TableReader, is_path  # noqa: PLC0415  (a verb on a table loads no reader)

    several = metrics if isinstance(metrics, list | tuple) else [metrics]
    is_frame = hasattr(metrics, "columns") and not isinstance(metrics, AnyTable)
    if not (all(is_path(each) for each in several) or is_frame):
        if human is None:
            raise TableError(
                "meta_evaluate needs human scores in addition to the metrics: a table, or a path."
            )
        if isinstance(human, Mapping | Scores | Counts | Matches):
            return metrics, human
        return metrics, TableReader().table(human, kinds=(Scores, Matches))
    found = TableReader().metrics_and_people(metrics, human=human)
    return found.metrics, found.people
