"""Verdicts of a judge and of humans on battles, as shares of points that corrected means are taken of."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.budget import MOST_SEGMENTS
from betterthan.errors import BetterThanError, TableError
from betterthan.messages import COLUMN, Message, Option
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores

_MOST_CELLS = 50_000_000
"""Systems × comparisons; the two tables take 0.8 GB."""


class BattleScores(NamedTuple):
    """The points of both systems of each comparison, one column per question and pair of systems."""

    judge: Scores
    human: Scores


class _Verdicts(NamedTuple):
    """Verdicts by question and pair of systems; `share` is what the first of the two names wins."""

    key: list[tuple[str, str, str]]
    share: FloatArray


def scores_of_battles(judge: Matches, human: Matches) -> BattleScores:
    """Return the verdicts of a judge, and those of humans on some of the same comparisons, as scores.

    A comparison is a question and two systems; verdicts on it, in both orders or of several people, are averaged. Each
    of the two systems has its share of the points: 1 for a win and 0.5 for a tie. Other systems have none.

    Raises
    ------
    BetterThanError
        When the questions are not known.
    TableError
        When humans and judge share no comparison.

    Examples
    --------
    >>> rows = {"systems": ["A", "B"], "left": [0, 1], "right": [1, 0], "segment": [0, 1], "segments": ["q1", "q2"]}
    >>> judged, labeled = scores_of_battles(Matches(**rows, outcome=[1, 1]), Matches(**rows, outcome=[1, 0.5]))
    >>> judged.values.tolist(), labeled.values.tolist()
    ([[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.5], [0.0, 0.5]])
    """
    ours, theirs = _verdicts(judge), _verdicts(human)
    systems = sorted({name for _, *pair in ours.key for name in pair})
    if len(systems) * len(ours.key) > _MOST_CELLS or len(ours.key) > MOST_SEGMENTS:
        raise TableError(
            f"{len(ours.key):,} comparisons of {len(systems):,} systems are too many to correct. Draw a part of the "
            f"questions."
        )
    column = {key: k for k, key in enumerate(ours.key)}
    shared = [i for i, key in enumerate(theirs.key) if key in column]
    if not shared:
        raise TableError(
            "Judge and humans share no comparison: the same question with the same two systems. Check the ids of "
            "questions and the names of systems."
        )
    labels = np.full(len(ours.key), np.nan)
    labels[[column[theirs.key[i]] for i in shared]] = theirs.share[shared]
    row = {name: i for i, name in enumerate(systems)}
    first, second = (np.array([row[key[side]] for key in ours.key], dtype=np.int64) for side in (1, 2))
    names = tuple(f"{question}: {a} vs {b}" for question, a, b in ours.key)
    questions = tuple(question for question, _, _ in ours.key)
    notes = _notes(len(set(questions)), len(names), len(theirs.key) - len(shared), human)

    def table(name: str, share: FloatArray, notes: tuple[str, ...]) -> Scores:
        return Scores(
            name=name,
            systems=tuple(systems),
            segments=names,
            values=_points(share, first, second, len(systems)),
            groups=questions,
            notes=notes,
        )

    return BattleScores(
        table("win rate by the judge", ours.share, judge.notes), table("win rate", labels, notes)
    )


def _points(share: FloatArray, first: IntArray, second: IntArray, n_systems: int) -> FloatArray:
    values = np.full((n_systems, share.size), np.nan)
    every = np.arange(share.size)
    values[first, every] = share
    values[second, every] = 1 - share
    return values


def _verdicts(matches: Matches) -> _Verdicts:
    """Average the outcomes of each question and pair of systems, in the order of the data."""
    if matches.segment is None or not matches.segments:
        raise BetterThanError(
            Message(
                "Battles of judge and humans are matched by the ids of questions. Name their column with {item}.",
                item=Option("item", COLUMN),
            )
        )
    total: dict[tuple[str, str, str], tuple[float, float]] = {}
    rows = (matches.segment, matches.left, matches.right, matches.outcome, matches.weight)
    for question, left, right, outcome, weight in zip(*(each.tolist() for each in rows), strict=True):
        a, b, name = matches.systems[left], matches.systems[right], matches.segments[question]
        key, points = ((name, a, b), outcome) if a < b else ((name, b, a), 1 - outcome)
        sums = total.get(key, (0.0, 0.0))
        total[key] = sums[0] + weight * points, sums[1] + weight
    known = {key: sums for key, sums in total.items() if sums[1] > 0}
    n = np.array([sums[1] for sums in known.values()])
    return _Verdicts(list(known), np.array([sums[0] for sums in known.values()]) / n)


def _notes(n_questions: int, n_comparisons: int, n_lost: int, human: Matches) -> tuple[str, ...]:
    notes = list(human.notes)
    if n_questions < n_comparisons:
        notes.append(f"Unit: {n_questions:,} questions with {n_comparisons:,} comparisons.")
    if n_lost:
        notes.append(f"{n_lost:,} comparisons that only humans have made were left out.")
    if human.group is not None and np.unique(human.group).size < human.group.size:
        notes.append("Verdicts of one person on several questions are taken as independent.")
    return tuple(notes)
