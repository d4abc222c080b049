"""The five mechanisms of the paired-evaluation paper on a table of scores, as its words have them and as published."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.engine.blocks import stream
from betterthan.kernels.comparisons.bradley_terry import bradley_terry_batch
from betterthan.kernels.comparisons.fixed_point import fixed_point
from betterthan.kernels.comparisons.wins import WinCounts, win_counts, with_ties
from betterthan.kernels.compiled import load_compiler
from betterthan.kernels.ratings.elo import elo, shuffled_elo
from betterthan.kernels.ratings.match_play import as_published as published_order
from betterthan.kernels.ratings.match_play import score_matches, ties_to_second
from betterthan.kernels.ratings.trueskill import shuffled_trueskill, trueskill

THREE = ("mean", "median", "bradley_terry")
FIVE = (*THREE, "elo", "trueskill")
TITLES = {
    "mean": "mean",
    "median": "median",
    "bradley_terry": "Bradley–Terry",
    "elo": "Elo",
    "trueskill": "TrueSkill",
}
PRIOR = 0.5
"""Wins and losses against a fictive system where strengths would not exist."""


class Strengths(NamedTuple):
    """Strengths of the systems of many tables, higher is better.

    Attributes
    ----------
    values : array, shape (b, k, m)
        Of b tables by k mechanisms.
    n_regularized : int
        Tables whose Bradley–Terry strengths do not exist, so that a prior was needed.
    """

    values: FloatArray
    n_regularized: int


def three_strengths(tables: list[FloatArray], *, as_published: bool) -> Strengths:
    """Mean, median and Bradley–Terry of many tables of the same systems.

    Ties are left out of Bradley–Terry, and where no strengths exist every system gets half a win and half a loss
    against a fictive one. As published [1]_, the later system wins every tie, and the fixed-point iteration is stopped
    when the squared change is below 1e-9, whether or not there is a maximum.

    Parameters
    ----------
    tables : list of array, shape (m, n)
        Goodness, complete; n may differ.
    as_published : bool

    Returns
    -------
    Strengths
        Of k = 3 mechanisms.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than Average: Paired Evaluation of NLP Systems, ACL. Appendix E, and
       the programs released with it.

    Examples
    --------
    >>> figure_one = np.array([[1.0, 5, 11, 12, 17], [2, 6, 7, 13, 18], [5, 11, 12, 17, 1]])
    >>> three_strengths([figure_one], as_published=False).values[0, :2]
    array([[ 9.2,  9.2,  9.2],
           [11. ,  7. , 11. ]])
    """
    means = np.stack([table.mean(axis=1) for table in tables])
    medians = np.stack([np.median(table, axis=1) for table in tables])
    counts = [win_counts(table) for table in tables]
    fitted, n_regularized = _published_fits(counts) if as_published else _fits(counts)
    return Strengths(np.stack([means, medians, fitted], axis=1), n_regularized)


def _fits(counts: list[WinCounts]) -> tuple[FloatArray, int]:
    wins = np.stack([count.wins for count in counts])
    fit = bradley_terry_batch(wins)
    without = np.flatnonzero(np.isnan(fit.log_strength[:, 0]))
    log_strength = fit.log_strength.copy()
    if without.size:
        log_strength[without] = bradley_terry_batch(wins[without], prior=PRIOR).log_strength
    return log_strength, int(without.size)


def _published_fits(counts: list[WinCounts]) -> tuple[FloatArray, int]:
    wins = [with_ties(count.wins, count.ties, "as_published") for count in counts]
    return np.stack([fixed_point(table).shares for table in wins]), 0


def played_strengths(
    table: FloatArray, *, as_published: bool, orders: int, seed: int, label: str
) -> FloatArray:
    """Elo and TrueSkill of one table: means over shuffled orders of play, or the published order.

    Parameters
    ----------
    table : array, shape (m, n)
        Goodness, complete.
    as_published : bool
        All segments of one pair, then of the next; ties go to the later system in Elo and are draws in TrueSkill.
    orders : int
        Shuffles to average over.
    seed : int
    label : str
        What the table is, so that its orders are its own.

    Returns
    -------
    array, shape (2, m)

    Examples
    --------
    >>> table = np.array([[3.0, 2.0, 4.0], [1.0, 5.0, 2.0]])
    >>> played_strengths(table, as_published=True, orders=1, seed=1, label="example").round(1)
    array([[1509.5, 1490.5],
           [  27.1,   22.9]])
    """
    load_compiler()
    matches, m = score_matches(table), len(table)
    if as_published:
        listed = published_order(matches)
        points = elo(*ties_to_second(listed)[:3], n_systems=m)
        return np.stack([points, trueskill(*listed[:3], n_systems=m).mu])
    drawn = [
        shuffled_elo(*matches[:3], n_systems=m, n_shuffles=orders, rng=stream(seed, f"elo {label}", 0)),
        shuffled_trueskill(
            *matches[:3], n_systems=m, n_shuffles=orders, rng=stream(seed, f"trueskill {label}", 0)
        ).mu,
    ]
    return np.stack([ratings.mean(axis=0) for ratings in drawn])
