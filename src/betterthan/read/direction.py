"""Which way a metric points: told by the user or the file, else judged by its name and sign, and said aloud."""

from __future__ import annotations

import re
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import ReadError
from betterthan.read.protocol import EVERY, Options

LOWER_IS_BETTER = frozenset(
    [
        "ter",
        "wer",
        "cer",
        "mer",
        "hter",
        "sacreter",
        "character",
        "eed",
        "ppl",
        "perplexity",
        "loss",
        "nll",
        "error",
        "errors",
        "err",
        "mse",
        "rmse",
        "mae",
        "edits",
        "distance",
        "divergence",
        "js",  # the Jensen–Shannon divergence, as JS_1 and JS_2
        "jsd",
    ]
)
# Learned metrics are named after what they learned from (COMET-HTER, COMET-MQM), and yet more is better.
LEARNED = ("comet", "xcomet", "bleurt", "openkiwi", "kiwi")
# Raw files hold penalties (positive), score files of the metrics task hold the same negated.
BY_SIGN = ("mqm", "metricx")


class Direction(NamedTuple):
    """Whether higher is better, and what to tell the user about the choice."""

    higher_is_better: bool
    note: str | None = None


def direction(
    metric: str, values: FloatArray, options: Options, *, declared: bool | None = None
) -> Direction:
    """Decide the direction of a metric.

    Parameters
    ----------
    metric : str
        Its name.
    values : array of float
        Its scores; only their signs are looked at, for MQM, MetricX and error rates.
    options : Options
        What the user said goes before everything.
    declared : bool, optional
        What the file says.
    """
    told = _told(metric, options)
    if told is not None:
        return Direction(told)
    if declared is not None:
        return Direction(declared)
    words = re.findall(r"[a-z]+", metric.casefold())
    if any(word.startswith(LEARNED) for word in words):
        return Direction(True)
    if any(word.startswith(BY_SIGN) for word in words):
        return _by_sign(metric, values)
    return _of_error_rate(metric, values) if LOWER_IS_BETTER.intersection(words) else Direction(True)


def _of_error_rate(metric: str, values: FloatArray) -> Direction:
    if _are_negated(values):
        note = f'No score of "{metric}" is above 0: it is an error rate negated, so higher is better.'
        return Direction(True, f"{note} {_override(metric, 'lower')}")
    return Direction(
        False, f'Lower is better for "{metric}", judged by its name. {_override(metric, "higher")}'
    )


def _are_negated(values: FloatArray) -> bool:
    """Whether error rates were turned round, as the files of the metrics task do it."""
    known = values[~np.isnan(values)]
    return bool((known <= 0).all()) and bool((known < 0).any())


def _told(metric: str, options: Options) -> bool | None:
    low, high = (
        metric in names or EVERY in names for names in (options.lower_is_better, options.higher_is_better)
    )
    if low and high:
        raise ReadError(
            f'"{metric}" is said to be both lower-is-better and higher-is-better. Say one of them.'
        )
    return None if low == high else high


def _by_sign(metric: str, values: FloatArray) -> Direction:
    known = values[~np.isnan(values)]
    penalties = known.size > 0 and bool((known >= 0).all()) and bool((known > 0).any())
    if penalties:
        what = f'No score of "{metric}" is below 0, so they are penalties and lower is better.'
        return Direction(False, f"{what} {_override(metric, 'higher')}")
    sign = "No score" if not (known > 0).any() else "Not every score"
    word = "above" if sign == "No score" else "of one sign"
    what = f'{sign} of "{metric}" is {word}{" 0" if word == "above" else ""}, so higher is better.'
    return Direction(True, f"{what} {_override(metric, 'lower')}")


def _override(metric: str, word: str) -> str:
    return f'If not, say --{word}-is-better "{metric}".'
