"""Which way a metric points: said by the user or the file, else judged by its name and values, and always shown."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import ReadError
from betterthan.messages import Message, Option
from betterthan.read.doubts.metric_names import Told, told_by
from betterthan.read.protocol import EVERY, Options

DIRECTION_NOTE = "direction"
"""The code of a note on a direction that was decided by the name or the values of a metric."""
_FULL_MARKS = 100.0
_MOST_PENALTY = 25.0  # an unreadable translation; MQM gives a segment no more


class Direction(NamedTuple):
    """Whether higher is better, what to tell the user about the choice, and what speaks against making one."""

    higher_is_better: bool
    note: str | None = None
    doubt: str = ""


def direction(
    metric: str, values: FloatArray, options: Options, *, declared: bool | None = None
) -> Direction:
    """Decide the direction of a metric.

    A name that says nothing is read as higher-is-better, which every table shows. Where the name could mean both, or
    contradicts the values, there is a doubt, and nothing can be ranked until the user has said which it is.

    Parameters
    ----------
    metric : str
        Its name.
    values : array of float
        Its scores, as systems × segments or in any order.
    options : Options
        What the user said goes before everything.
    declared : bool, optional
        What the file says.
    """
    said = _said(metric, options)
    told = told_by(metric)
    if said is not None or declared is not None or told is None:
        return Direction(next((way for way in (said, declared) if way is not None), True))
    known = values[~np.isnan(values)]
    if told.way == "by values":
        return _by_values(metric, known)
    if told.way == "rank":
        return _of_ranks(metric, values)
    if told.way == "unclear":
        return _doubt(metric, f"its name ({told.word}) does not say whether higher or lower is better")
    return _of_lower(metric, known, told) if told.way == "lower" else _of_higher(metric, known, told)


def _of_lower(metric: str, known: FloatArray, told: Told) -> Direction:
    if _are_negated(known):
        note = f'No score of "{metric}" is above 0: it is an error rate negated, so higher is better.'
        return _decided(metric, note, higher_is_better=True)
    if told.is_positive and (known < 0).any():
        return _doubt(metric, "by its name lower is better, but some scores are below 0 and some above")
    return _decided(metric, f'Lower is better for "{metric}", judged by its name.', higher_is_better=False)


def _of_higher(metric: str, known: FloatArray, told: Told) -> Direction:
    if told.is_positive and _are_negated(known):
        return _doubt(
            metric, "by its name higher is better, but no score is above 0, as if they were negated"
        )
    return Direction(True)


def _are_negated(known: FloatArray) -> bool:
    """Whether error rates were turned round, as the files of the metrics task do it."""
    return bool((known <= 0).all()) and bool((known < 0).any())


def _of_ranks(metric: str, values: FloatArray) -> Direction:
    """Ranks of the systems on each segment are known by their values; grades from 1 to 5 may point either way."""
    ranked = values[:, ~np.isnan(values).any(axis=0)] if values.ndim == 2 else np.empty((0, 0))
    n_systems = len(ranked)
    if n_systems > 1 and ranked.size and (ranked >= 1).all() and (ranked <= n_systems).all():
        best, worst = ranked.min(axis=0), ranked.max(axis=0)
        # Tied ranks are written as 1, 1 or as 1.5, 1.5.
        if (best <= (n_systems + 1) / 2).all() and (best == 1).any() and (worst == n_systems).any():
            note = f'"{metric}" holds the ranks of {n_systems} systems, so lower is better.'
            return _decided(metric, note, higher_is_better=False)
    return _doubt(metric, "a rank of 1 may be the best or, as a grade, the worst")


def _by_values(metric: str, known: FloatArray) -> Direction:
    """Decide about MQM and MetricX: penalties, penalties negated, or marks out of 100."""
    above, below = bool((known > 0).any()), bool((known < 0).any())
    if below and above:
        # Predictions of MetricX reach a little beyond 0; people's MQM does not.
        if "metricx" in metric.casefold():
            note = f'Not every score of "{metric}" is of one sign, so higher is better.'
            return _decided(metric, note, higher_is_better=True)
        return _doubt(
            metric, "some scores are below 0 and some above, so they may be penalties or standardised scores"
        )
    if not above:
        return _decided(
            metric, f'No score of "{metric}" is above 0, so higher is better.', higher_is_better=True
        )
    middle, most = float(np.median(known)), float(known.max())
    if most <= _FULL_MARKS and middle > _FULL_MARKS / 2:
        note = f'Most scores of "{metric}" are between 50 and 100, so they are marks and higher is better.'
        return _decided(metric, note, higher_is_better=True)
    if (most <= _FULL_MARKS and middle > _MOST_PENALTY) or (most <= 1 and middle > 0.5):
        return _doubt(
            metric, f"scores around {middle:.3g} may be penalties or marks (out of {100 if most > 1 else 1})"
        )
    note = f'No score of "{metric}" is below 0, so they are penalties and lower is better.'
    return _decided(metric, note, higher_is_better=False)


def _said(metric: str, options: Options) -> bool | None:
    low, high = (
        metric in names or EVERY in names for names in (options.lower_is_better, options.higher_is_better)
    )
    if low and high:
        raise ReadError(
            f'"{metric}" is said to be both lower-is-better and higher-is-better. Say one of them.'
        )
    return None if low == high else high


def _doubt(metric: str, why: str) -> Direction:
    return Direction(
        True,
        doubt=Message(
            'The direction of "{metric}" is not clear: {why}. Use {lower} or {higher}.',
            metric=metric,
            why=why,
            **both_directions(metric),
        ),
    )


def both_directions(metric: str) -> dict[str, Any]:
    """Return the options that say which way a metric points, as fields of a message.

    Examples
    --------
    >>> {name: str(option) for name, option in both_directions("TER").items()}
    {'lower': 'lower_is_better=True', 'higher': 'lower_is_better=False'}
    """
    return {
        "lower": Option("lower_is_better", metric),
        "higher": Option("higher_is_better", metric),
    }


def _decided(metric: str, note: str, *, higher_is_better: bool) -> Direction:
    return Direction(higher_is_better, direction_note(metric, note, higher_is_better=higher_is_better))


def direction_note(metric: str, note: str, *, higher_is_better: bool) -> Message:
    """Return a note on a direction that was decided, with the option for the other one.

    Examples
    --------
    >>> direction_note("TER", "Lower is better.", higher_is_better=False)
    'Lower is better. If not, use lower_is_better=False.'
    """
    other = Option("lower_is_better" if higher_is_better else "higher_is_better", metric)
    return Message(
        "{note} If not, use {other}.", code=DIRECTION_NOTE, severity="info", note=note, other=other
    )
