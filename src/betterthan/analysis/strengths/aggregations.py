"""The dictionary of aggregations, which turn scores into strengths: what each needs and returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from betterthan.analysis.matches.matches import TIE_MODELS
from betterthan.analysis.resampling import drawn_segments
from betterthan.arrays import FloatArray
from betterthan.errors import unknown_name
from betterthan.kernels.comparisons.bradley_terry import bradley_terry_batch
from betterthan.kernels.comparisons.davidson import davidson_exists
from betterthan.kernels.comparisons.rao_kupper import rao_kupper_batch
from betterthan.kernels.comparisons.strengths import to_elo, to_shares
from betterthan.kernels.comparisons.tied_ranks import counted_medians
from betterthan.kernels.comparisons.wins import WinCounts, resampled_win_counts, win_counts, with_ties

StrengthFunction = Callable[[FloatArray], FloatArray]
WeightedStrengths = Callable[[FloatArray, FloatArray, np.random.Generator], FloatArray]
SCALES: dict[str, tuple[str, StrengthFunction]] = {
    "share": ("strengths that sum to 1", to_shares),
    "log": ("log strength", lambda theta: theta),
    "elo": ("Elo points", to_elo),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregationMethod:
    """An aggregation of goodness (m, n) to strengths (m,).

    Attributes
    ----------
    name : str
    unit : str
        Unit of the strength; "" means the unit of the metric itself.
    estimate : callable
        goodness (m, n) to (m,).
    resampled : callable
        (goodness (m, n), weights (b, n), generator) to (b, m).
    bytes_each : callable
        (m, n) to the memory that one resample needs.
    is_ours : bool
    """

    name: str
    unit: str
    estimate: StrengthFunction
    resampled: WeightedStrengths
    bytes_each: Callable[[int, int], int]
    is_ours: bool = True


def _weighted_means(goodness: FloatArray, weights: FloatArray, _rng: np.random.Generator) -> FloatArray:
    return np.asarray((weights @ goodness.T) / weights.sum(axis=1, keepdims=True))


def _means(goodness: FloatArray) -> FloatArray:
    return np.asarray(goodness.mean(axis=1))


def _medians(goodness: FloatArray) -> FloatArray:
    return np.asarray(np.median(goodness, axis=1))


def _resampled_medians(goodness: FloatArray, weights: FloatArray, _rng: np.random.Generator) -> FloatArray:
    return counted_medians(goodness, weights)


def one_by_one(
    strengths: StrengthFunction, goodness: FloatArray, weights: FloatArray, _rng: np.random.Generator
) -> FloatArray:
    """Apply a function of a table to each resampled table in turn."""
    return np.array([strengths(goodness[:, drawn_segments(row)]) for row in weights], dtype=np.float64)


def win_rates(counts: WinCounts) -> FloatArray:
    r"""Share of all comparisons that each system wins, with ties counted as half; shape (…, m).

    .. math:: r_a = \frac{\sum_b (w_{ab} + \frac12 t_{ab})}{\sum_b n_{ab}}
    """
    points = (counts.wins + counts.ties / 2).sum(axis=-1)
    played = (counts.wins + np.swapaxes(counts.wins, -1, -2) + counts.ties).sum(axis=-1)
    with np.errstate(invalid="ignore"):
        return np.asarray(points / played)


def log_strengths(counts: WinCounts, *, ties: str, prior: float) -> FloatArray:
    """Bradley–Terry log strengths of a batch of tables, NaN where they do not exist."""
    if ties == "rao_kupper":
        return rao_kupper_batch(counts.wins, counts.ties)
    if ties in TIE_MODELS:
        fit, lost = TIE_MODELS[ties], np.full(counts.wins.shape[-1], np.nan)
        pairs = zip(counts.wins, counts.ties, strict=True)
        return np.array([fit(w, t).log_strength if davidson_exists(w, t) else lost for w, t in pairs])
    wins = with_ties(counts.wins, counts.ties, ties)  # type: ignore[arg-type]  # checked by the verb
    return bradley_terry_batch(wins, prior=prior).log_strength


def _of_wins(
    strengths: Callable[[WinCounts], FloatArray],
    goodness: FloatArray,
    weights: FloatArray,
    _rng: np.random.Generator,
) -> FloatArray:
    return strengths(resampled_win_counts(goodness, weights))


def _bradley_terry(counts: WinCounts, *, ties: str, prior: float, scale: str) -> FloatArray:
    return SCALES[scale][1](log_strengths(counts, ties=ties, prior=prior))


def _once(strengths: Callable[[WinCounts], FloatArray], goodness: FloatArray) -> FloatArray:
    counts = win_counts(goodness)
    return np.asarray(strengths(WinCounts(counts.wins[None], counts.ties[None]))[0])


def by_wins(name: str, unit: str, strengths: Callable[[WinCounts], FloatArray]) -> AggregationMethod:
    """Return an aggregation that needs only win counts."""
    return AggregationMethod(
        name=name,
        unit=unit,
        estimate=partial(_once, strengths),
        resampled=partial(_of_wins, strengths),
        bytes_each=lambda m, n: 64 * m * m + 8 * n,
    )


def by_values(
    name: str, strengths: StrengthFunction, *, unit: str = "", is_ours: bool = True
) -> AggregationMethod:
    """Return an aggregation that needs the scores themselves."""
    return AggregationMethod(
        name=name,
        unit=unit,
        estimate=strengths,
        resampled=partial(one_by_one, strengths),
        bytes_each=lambda m, n: 8 * m + 16 * n,
        is_ours=is_ours,
    )


MEAN = AggregationMethod(
    name="mean",
    unit="",
    estimate=_means,
    resampled=_weighted_means,
    bytes_each=lambda m, n: 8 * m + 8 * n,
)
MEDIAN = AggregationMethod(
    name="median",
    unit="",
    estimate=_medians,
    resampled=_resampled_medians,
    bytes_each=lambda m, n: 8 * m + 16 * n,
)
WIN_RATE = by_wins("win_rate", "share of comparisons won, ties as half", win_rates)
ORDERED = ("elo", "trueskill")
ITEM_RESPONSE = ("irt", "irt_2pl")
NAMES = ("mean", "median", "win_rate", "bradley_terry", *ORDERED, *ITEM_RESPONSE)


def aggregation(by: str | StrengthFunction, *, ties: str, prior: float, scale: str) -> AggregationMethod:
    """Return the aggregation with this name, or a wrapper of the user's function."""
    if callable(by):
        name = getattr(by, "__name__", "own function")
        return by_values(
            name, by, unit="strength by a user-defined function, higher is better", is_ours=False
        )
    if by == "bradley_terry":
        strengths = partial(_bradley_terry, ties=ties, prior=prior, scale=scale)
        return by_wins("bradley_terry", SCALES[scale][0], strengths)
    known = {"mean": MEAN, "median": MEDIAN, "win_rate": WIN_RATE}
    if by not in known:
        raise unknown_name("method", by, NAMES)
    return known[by]
