"""How often a 95 % interval holds the truth."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import expit
from tests.calibration.false_positives import ALONE
from tests.calibration.simulate import (
    COUNTED,
    STRENGTHS,
    Arena,
    compare,
    document_scores,
    documents,
    gumbel_scores,
    rank,
    scores_of,
    single_segments,
    tally,
)

from betterthan.analysis.aggregations import aggregation
from betterthan.analysis.effects import EFFECTS, Setting
from betterthan.analysis.resampling import Bootstrap, bootstrap
from betterthan.kernels.counts_permutation import counts_bootstrap_block
from betterthan.kernels.elo import elo
from betterthan.kernels.intervals import bca_interval, jackknife_means, percentile_interval
from betterthan.kernels.match_order import score_matches
from betterthan.kernels.strengths import to_shares
from betterthan.kernels.trueskill import trueskill

CONFIDENCE = 0.95
RESAMPLES = 1000
TABLES, ROWS = 60, 50  # intervals of 50 unrelated systems share their draws of segments, as they do in use


def held(limits, truth):
    """Whether each interval holds the truth."""
    low, high = limits
    return (low <= truth) & (truth <= high)


class Held:
    """Collects, for each row of a report, which intervals held the truth."""

    def __init__(self):
        self.rows = {}

    def add(self, row, limits, truth):
        """Note the intervals of one table."""
        self.rows.setdefault(row, []).append(held(limits, truth).ravel())

    def in_column(self, column):
        """The counts, as one column of a report."""
        return {row: {column: tally(np.concatenate(parts))} for row, parts in self.rows.items()}


def drawn(by, values, units, seed, scale="log"):
    """Strengths in bootstrap samples, by the functions that :func:`betterthan.rank` calls."""
    method = aggregation(by, ties="drop", prior=0.0, scale=scale)
    how = Bootstrap(units=units, n_resamples=RESAMPLES, seed=seed, digest="", computing=ALONE)
    return bootstrap(method.name, values, method.resampled, how, bytes_each=1000)


# --- Mean and median ------------------------------------------------------------------------------------------

SHAPES = {
    "normal": (lambda rng, size: rng.normal(size=size), 0.0, 0.0),
    "skewed": (lambda rng, size: rng.exponential(size=size), 1.0, float(np.log(2))),
}


def of_averages(shape, n, rng):
    """Mean and median of scores that are normal, or skewed like an exponential."""
    draw, mean, median = SHAPES[shape]
    found = Held()
    for i in range(TABLES):
        values = draw(rng, (ROWS, n))
        draws = drawn("mean", values, single_segments(n), i)
        found.add(f"mean, percentile, {shape}", percentile_interval(draws, CONFIDENCE), mean)
        jackknife = jackknife_means(values)
        limits = bca_interval(draws, values.mean(axis=1), jackknife, confidence=CONFIDENCE)
        found.add(f"mean, BCa, {shape}", limits, mean)
        draws = drawn("median", values, single_segments(n), i)
        found.add(f"median, percentile, {shape}", percentile_interval(draws, CONFIDENCE), median)
    return found.in_column(f"n = {n}")


def of_wins(n, rng, trials=500):
    """Win rates and Bradley–Terry of scores that obey the model, a fifth of the segments tied."""
    found = Held()
    chance = expit(STRENGTHS[:, None] - STRENGTHS[None, :])
    rate = 0.8 * (chance.sum(axis=1) - 0.5) / (STRENGTHS.size - 1) + 0.2 / 2
    for i in range(trials):
        values = gumbel_scores(rng, STRENGTHS, n)
        found.add(
            "win rate, percentile",
            percentile_interval(drawn("win_rate", values, single_segments(n), i), CONFIDENCE),
            rate,
        )
        draws = drawn("bradley_terry", values, single_segments(n), i)
        draws = draws[~np.isnan(draws).any(axis=1)]
        found.add("Bradley–Terry, log, percentile", percentile_interval(draws, CONFIDENCE), STRENGTHS)
        limits = percentile_interval(to_shares(draws), CONFIDENCE)
        found.add("Bradley–Terry, share, percentile", limits, to_shares(STRENGTHS))
    return found.in_column(f"n = {n}")


# --- Documents ------------------------------------------------------------------------------------------------


def of_documents(n_documents, rng):
    """Means of systems that do well on some documents, and their differences; the truth is 0."""
    found = Held()
    for i in range(TABLES):
        units = documents(rng, n_documents)
        # Without the shared segment effect each interval is a trial of its own.
        values = document_scores(rng, units, ROWS, shared=0.0)
        single = single_segments(values.shape[1])
        for what, unit in (("documents", units), ("segments", single)):
            limits = percentile_interval(drawn("mean", values, unit, i), CONFIDENCE)
            found.add(f"mean, {what} drawn", limits, 0.0)
            setting = Setting(unit, CONFIDENCE, rng)
            limits = neighbours(EFFECTS["mean_difference"].interval(values, setting))
            found.add(f"difference of means, t by {what}", limits, 0.0)
    return found.in_column(f"{n_documents} documents")


def neighbours(limits):
    """The limits of the pairs (0, 1), (2, 3) …, which have no system in common."""
    pick = np.arange(0, len(limits[0]), 2)
    return limits[0][pick, pick + 1], limits[1][pick, pick + 1]


# --- Effects --------------------------------------------------------------------------------------------------


SHIFT = 0.3


def _paired(shape, n, rng):
    """Pairs of systems with a shared segment effect, the first a little better."""
    segment = rng.normal(size=n)
    shift = np.tile([SHIFT, 0.0], ROWS // 2)[:, None]
    if shape == "grades":
        return np.clip(np.rint(2 + segment + shift + rng.normal(size=(ROWS, n))), 0, 4)
    if shape == "heavy":
        return segment + shift + rng.standard_t(2, size=(ROWS, n))
    return segment + shift + rng.normal(size=(ROWS, n))


def effect_truth(shape):
    """Each effect of the first system of a pair over the second, in an endless test set."""
    rng = np.random.default_rng(1_618_033)
    values = np.concatenate([_paired(shape, 100_000, rng)[:2] for _ in range(20)], axis=1)
    difference = values[0] - values[1]
    beats = {"win_probability": float((difference > 0).mean() + (difference == 0).mean() / 2)}
    if shape == "grades":
        return {
            **beats,
            "mean_difference": float(difference.mean()),
            "median_of_differences": float(np.median(difference)),
            "median_difference": float(np.median(values[0]) - np.median(values[1])),
        }
    shifts = ["mean_difference", "median_of_differences"]
    if shape == "normal":
        shifts.append("median_difference")
    return {**beats, **dict.fromkeys(shifts, SHIFT)}


EFFECT_ROWS = {
    "mean_difference": "difference of means, t",
    "win_probability": "P(beats), Wilson",
    "median_of_differences": "median of differences, order statistics",
    "median_difference": "difference of medians, percentile",
}


def of_effects(shape, n, rng):
    """The intervals that :func:`betterthan.compare` gives with its tests."""
    found, truth = Held(), effect_truth(shape)
    for i in range(4 * TABLES):
        values = _paired(shape, n, rng)
        setting = Setting(single_segments(n), CONFIDENCE, rng)
        for name, true in truth.items():
            if name != "median_difference" or i < TABLES:  # the slowest is not made more often than needed
                limits = neighbours(EFFECTS[name].interval(values, setting))
                found.add(f"{EFFECT_ROWS[name]}, {shape}", limits, true)
    return found.in_column(f"n = {n}")


# --- Counts and matches ---------------------------------------------------------------------------------------


def of_counts(n, rng):
    """Scores of summed counts; lengths differ between segments."""
    found = Held()
    for name, counted in COUNTED.items():
        truth = counted.truth()
        for _ in range(TABLES):
            # Two systems at a time share their segments.
            values = np.concatenate([counted.draw(rng, 2, n) for _ in range(ROWS // 2)])
            draws = counts_bootstrap_block(values, RESAMPLES, rng, formula=counted.formula.pooled)
            found.add(f"pooled {name}, percentile", percentile_interval(draws, CONFIDENCE), truth)
            limits = percentile_interval(draws[:, ::2] - draws[:, 1::2], CONFIDENCE)
            found.add(f"difference of pooled {name}, percentile", limits, 0.0)
    return found.in_column(f"n = {n}")


ARENAS = {
    "100 matches": Arena(100),
    "400 matches": Arena(400),
    "20 judges": Arena(400, n_judges=20, taste=0.7),
    "60 judges": Arena(1200, n_judges=60, taste=0.7),
}


def of_matches(column, rng, trials=500):
    """Bradley–Terry and win rates of matches, with a fifth of them tied."""
    arena = ARENAS[column]
    truth = arena.truth(STRENGTHS)
    rates = arena.chances(STRENGTHS).sum(axis=1) / (STRENGTHS.size - 1)
    kind = "robust" if arena.n_judges is None else "clustered"
    found = Held()
    for i in range(trials):
        matches = arena.matches(rng, STRENGTHS)
        found.add(f"Bradley–Terry, {kind}", *_ranked(matches, truth, scale="log"))
        found.add("win rate", *_ranked(matches, rates, by="win_rate"))
        pairs = [_beats(pair) for pair in compare(matches, workers=1).pairs()]
        winner, loser, low, high = (np.array(column) for column in zip(*pairs, strict=True))
        found.add(f"P(beats), Wald, {kind}", (low, high), expit(truth[winner] - truth[loser]))
        if arena.n_judges is not None:
            matches = matches.aggregated()
            found.add("Bradley–Terry, judges not told", *_ranked(matches, truth, scale="log"))
        elif i < trials // 2:
            options = {"interval": "percentile", "scale": "log", "n_resamples": RESAMPLES, "rng": i}
            found.add("Bradley–Terry, percentile", *_ranked(matches, truth, **options))
    return found.in_column(column)


def _beats(pair):
    return int(pair.a[1:]), int(pair.b[1:]), pair.low, pair.high


def _ranked(table, truth, **options):
    """The limits of a ranking and the truth, both in the ranking's order."""
    ranking = rank(table, workers=1, **options)
    order = [int(name[1:]) for name in ranking.systems]
    return (ranking.low, ranking.high), truth[order]


# --- Elo and TrueSkill ----------------------------------------------------------------------------------------

RATED = {"elo": elo, "trueskill": lambda *a, **k: trueskill(*a, **k).mu}


def expected_ratings(by, n, trials=20_000):
    """Mean rating over test sets and orders of play: what averaged ratings estimate."""
    rng = np.random.default_rng(577_215)
    m = STRENGTHS.size
    wide = score_matches(gumbel_scores(rng, STRENGTHS, n * trials, tie_share=0.0))
    t = n * m * (m - 1) // 2
    rows = np.argsort(wide.segment // n, kind="stable").reshape(trials, t)
    orders = rng.permuted(rows, axis=1)
    parts = [
        RATED[by](*_part(wide, orders[k : k + 2000]), n_systems=m, order=_local(orders[k : k + 2000]))
        for k in range(0, trials, 2000)
    ]
    return np.concatenate(parts).mean(axis=0)


def _part(wide, orders):
    kept = orders.ravel()
    return wide.left[kept], wide.right[kept], wide.outcome[kept]


def _local(orders):
    return np.arange(orders.size).reshape(orders.shape)


def of_ratings(by, n, rng, trials=200):
    """Ratings averaged over orders of play; the truth is their expectation."""
    truth, found = expected_ratings(by, n), Held()
    for i in range(trials):
        table = scores_of(gumbel_scores(rng, STRENGTHS, n, tie_share=0.0))
        found.add(f"{by}, averaged over orders", *_ranked(table, truth, by=by, rng=i))
    return found.in_column(f"n = {n}")


EXPERIMENTS = {
    **{
        f"strengths: {shape}, {n}": partial(of_averages, shape, n) for shape in SHAPES for n in (30, 100, 300)
    },
    **{f"strengths: wins, {n}": partial(of_wins, n) for n in (30, 100, 300)},
    **{f"documents: {n}": partial(of_documents, n) for n in (20, 60)},
    **{
        f"effects: {shape}, {n}": partial(of_effects, shape, n)
        for shape in ("normal", "heavy", "grades")
        for n in (30, 100)
    },
    **{f"strengths: counts, {n}": partial(of_counts, n) for n in (30, 100)},
    **{f"matches: {column}": partial(of_matches, column) for column in ARENAS},
    **{f"ratings: {by}": partial(of_ratings, by, 40) for by in RATED},
}
