"""Warnings about scores that could be read, which `check` reports."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import ReadError, some_of
from betterthan.messages import Message, Option
from betterthan.read.protocol import WHOLE_SYSTEM, Problem
from betterthan.tables.scores import Scores

UNTESTABLE = (
    "There is only one score for each system, and significance tests need segment scores. Use a file of segment "
    "scores to rank or compare systems."
)
_SYSTEM_LEVEL = (
    "There is only one score for each system, and paired tests need the score of every segment. Use the file of "
    "segment scores."
)
_FEW_TASKS = 3
"""So many columns of a table with one row per system may be tasks."""
_SAMPLE = 10_000
_DECIMALS = 4
_TIED = 0.05
_NEAR = 3  # units of the last digit
# Beyond this, decimals are below what a float can hold, and rounding would overflow.
_LARGE = 1e9


def doubts(scores: Scores, *, place: str) -> tuple[Problem, ...]:
    """Return the problems of a table, each with a code, a location and a hint."""
    if scores.segments == (WHOLE_SYSTEM,):
        return (Problem(code="BT203", place=place, message=UNTESTABLE),)
    warnings = (_direction(scores), _one_system(scores), _missing(scores), _rounded(scores))
    return tuple(Problem(code=code, place=place, message=text) for code, text in filter(None, warnings))


def refuse_system_level(scores: Scores, *, path: str | None, n_metrics: int = 1) -> Scores:
    """Return the table unless it has one score for each system (BT103); `n_metrics` are there in all."""
    if scores.segments == (WHOLE_SYSTEM,):
        board = " If each column is a task, use board." if n_metrics >= _FEW_TASKS else ""
        raise ReadError(_SYSTEM_LEVEL + board, path=path, code="BT103")
    return scores


def doubts_of(tables: Iterable[Scores], *, place: str) -> tuple[Problem, ...]:
    """Return the problems of several tables, without repetitions."""
    return tuple(dict.fromkeys(problem for table in tables for problem in doubts(table, place=place)))


def _direction(scores: Scores) -> tuple[str, str] | None:
    return ("BT220", scores.direction_doubt) if scores.direction_doubt else None


def _one_system(scores: Scores) -> tuple[str, str] | None:
    if scores.n_systems > 1:
        return None
    return "BT104", f'Only one system ("{scores.systems[0]}"), so nothing can be compared. Add another one.'


def _missing(scores: Scores) -> tuple[str, str] | None:
    gaps = np.isnan(scores.values)
    if not gaps.any():
        return None
    rows = np.flatnonzero(gaps.any(axis=1))[:3]
    places = "; ".join(
        f"{scores.systems[i]}: segments {some_of([scores.segments[j] for j in np.flatnonzero(gaps[i])], limit=3)}"
        for i in rows
    )
    more = "; …" if gaps.any(axis=1).sum() > 3 else ""
    return "BT102", Message(
        '{n_missing} of {n_scores} scores of "{metric}" are missing ({places}{more}). '
        "Use {fix} to leave these segments out for all systems.",
        n_missing=int(gaps.sum()),
        n_scores=gaps.size,
        metric=scores.name,
        places=places,
        more=more,
        fix=Option("missing", "drop"),
    )


def _rounded(scores: Scores) -> tuple[str, str] | None:
    step = max(1, scores.n_segments // _SAMPLE)
    values = scores.values[:, ::step]
    known = values[~np.isnan(values)]
    if np.abs(known).max(initial=0.0) > _LARGE:
        return None
    decimals = next((d for d in range(_DECIMALS + 1) if np.array_equal(np.round(known, d), known)), None)
    # Integers are counts, grades or right/wrong; they are not rounded.
    if not decimals or scores.n_systems < 2:
        return None
    share, near = _tied_and_near(values, decimals)
    if not min(share, near) > _TIED:
        return None
    text = (
        f'{100 * share:.0f}% of the comparisons in "{scores.name}" are exact ties and no score has more than '
        f"{decimals} decimals, so the ties may be due to rounding. Write the scores with more digits."
    )
    return "BT201", text


def _tied_and_near(values: FloatArray, decimals: int) -> tuple[float, float]:
    """Return the share of pairs of systems, over all segments, that are tied, and the share expected from rounding.

    If rounding causes the ties, adjacent differences are equally frequent: pairs that differ by one, two or three units
    of the last digit are six times as many as ties. Summed penalties, shares of counts and equal texts are often tied
    without such adjacent values.
    """
    known = ~np.isnan(values)
    n_known = known.sum(axis=0)
    pairs = float((n_known * (n_known - 1) / 2).sum())
    if not pairs:
        return 0.0, 0.0
    units = np.rint(values[known] * 10**decimals)
    units -= units.min()
    segment = np.nonzero(known)[1]
    place = np.sort(units + segment * (units.max() + 2 * _NEAR))  # segments differ by more than _NEAR
    after = np.arange(1, len(place) + 1)
    tied = float((np.searchsorted(place, place, side="right") - after).sum())
    within = float((np.searchsorted(place, place + _NEAR, side="right") - after).sum())
    return tied / pairs, (within - tied) / (2 * _NEAR) / pairs
