"""Coverage of the intervals of bt.rank, bt.compare and bt.judges at their defaults."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from scipy.special import expit
from tests.calibration.cells import Cell
from tests.calibration.simulate import EQUAL, compare, counts_of, gumbel_scores, rank, scores_of

import betterthan as bt
from betterthan.kernels.comparisons.strengths import to_shares
from betterthan.kernels.text.formulas import chrf_score
from betterthan.tables.counts import Formula

LOW, HIGH = 0.93, 0.97
SYSTEMS = 2


# --- What scores look like ------------------------------------------------------------------------------------


def _normal(rng, size):
    return rng.normal(size=size)


def _heavy(rng, size):
    return rng.standard_t(3, size=size)


def _lognormal(rng, size):
    return rng.lognormal(size=size)


def _penalties(rng, size):
    """Sums of minor (1) and major (5) errors as in MQM, on segments of very different difficulty."""
    hard = rng.gamma(0.5, 2.0, size=size[-1])
    return -np.minimum(25.0, rng.poisson(0.5 * hard, size) + 5.0 * rng.poisson(0.25 * hard, size))


def _rare_penalties(rng, size):
    """Many zeros, few -5, rare -25."""
    drawn = rng.random(size)
    return -np.select([drawn < 0.03, drawn < 0.23, drawn < 0.43], [25.0, 5.0, 1.0], 0.0)


def _right(rng, size):
    return (rng.random(size) < 0.8).astype(np.float64)


def _grades(rng, size):
    return np.clip(np.rint(2.6 + rng.normal(size=size)), 0, 4)


DRAWS = {
    "normal": _normal,
    "heavy tails (t3)": _heavy,
    "lognormal": _lognormal,
    "MQM penalties": _penalties,
    "MQM, rare -25": _rare_penalties,
    "right or wrong, 80%": _right,
    "grades 0-4": _grades,
}


@cache
def _truth(kind, by):
    values = DRAWS[kind](np.random.default_rng(2_718_281), (1, 4_000_000))
    return float(np.mean(values) if by == "mean" else np.median(values))


def _held(low, high, truth):
    return float(np.mean((low <= truth) & (truth <= high)))


def strength(kind, n, rng, by="mean"):
    """The interval of a system's mean or median; systems are unrelated, so that each is a trial."""
    found = rank(scores_of(DRAWS[kind](rng, (SYSTEMS, n))), by=by, workers=1)
    return _held(found.low, found.high, _truth(kind, by))


MEAN_LIMITS = {
    (
        "lognormal",
        8,
    ): "Eight lognormal scores hardly show how long their tail is: about 90%, and a note says so.",
    (
        "lognormal",
        12,
    ): "Twelve lognormal scores hardly show how long their tail is: about 92%, and a note says so.",
    ("MQM penalties", 8): "Among eight segments there may be no major error: about 85%, and a note says so.",
    ("MQM penalties", 12): "Among twelve segments there may be no major error: about 92%.",
    ("MQM, rare -25", 8): "Without a -25 among the segments none can be known of: about 88%.",
    (
        "MQM, rare -25",
        50,
    ): "Every fifth set of 50 segments has no -25, and then none can be known of: about 87%.",
}
_WIDE = {"MQM penalties", "MQM, rare -25", "right or wrong, 80%", "grades 0-4", "heavy tails (t3)"}


# --- Differences ----------------------------------------------------------------------------------------------


def changes(n, better, worse, rng):
    """Two systems that are right or wrong, of which one gains and loses a few segments."""
    drawn = rng.random((3, n))
    first = (drawn[0] < 0.7).astype(np.float64)
    # Chances on all segments that a wrong answer becomes right, and a right one wrong.
    gains = (first == 0) & (drawn[1] < better / 0.3)
    losses = (first == 1) & (drawn[2] < worse / 0.7)
    second = np.where(gains, 1.0, np.where(losses, 0.0, first))
    pair = compare(scores_of(np.array([second, first])), workers=1).pair("S0", "S1")
    return float(pair.low <= better - worse <= pair.high)


def contradiction(n, better, worse, rng):
    """Whether the verdict and the interval of a pair of right or wrong systems contradict each other."""
    drawn = rng.random((3, n))
    first = (drawn[0] < 0.7).astype(np.float64)
    gains = (first == 0) & (drawn[1] < better / 0.3)
    losses = (first == 1) & (drawn[2] < worse / 0.7)
    second = np.where(gains, 1.0, np.where(losses, 0.0, first))
    pair = compare(scores_of(np.array([second, first])), workers=1).pair("S0", "S1")
    return float((pair.pvalue <= 0.05) != (pair.low > 0 or pair.high < 0))


def mean_difference(kind, n, rng):
    """Mean differences of equally good systems on the same segments."""
    found = compare(scores_of(DRAWS[kind](rng, (2, n))), workers=1).pair("S0", "S1")
    return float(found.low <= 0 <= found.high)


def all_differences_held(shape, m, n, rng):
    """Whether the simultaneous intervals of all pairs of equal systems contain 0."""
    pairs = compare(scores_of(EQUAL[shape](rng, m, n)), simultaneous=True, workers=1).pairs()
    return float(all(not pair.low > 0 and not pair.high < 0 for pair in pairs))


def median_difference(kind, n, rng):
    """Differences of medians."""
    found = compare(scores_of(DRAWS[kind](rng, (2, n))), by="median", workers=1).pair("S0", "S1")
    return float(found.low <= 0 <= found.high)


# --- Strengths of wins ----------------------------------------------------------------------------------------


def of_wins(by, scale, m, n, rng):
    """Scores that obey the model, a fifth of the segments tied."""
    log_strength = np.linspace(0.8, -0.8, m)
    values = gumbel_scores(rng, log_strength, n)
    try:
        found = rank(scores_of(values), by=by, scale=scale, workers=1)
    except bt.NotEstimable:
        return 1.0
    chance = expit(log_strength[:, None] - log_strength[None, :])
    truth = {
        "share": to_shares(log_strength),
        "log": log_strength,
        "rate": 0.8 * (chance.sum(axis=1) - 0.5) / (m - 1) + 0.1,
    }["rate" if by == "win_rate" else scale]
    return _held(found.low, found.high, truth[[int(name[1:]) for name in found.systems]])


# --- Counts ---------------------------------------------------------------------------------------------------


def _lengths(rng, n):
    return np.maximum(1, np.rint(rng.lognormal(2.7, 0.8, n))).astype(np.int64)


def _ratio(sums):
    return sums[..., 0] / sums[..., 1]


def _bleu(sums):
    matched, possible = sums[..., :4], sums[..., 4:8]
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.exp(np.log(np.maximum(matched, 1e-9) / np.maximum(possible, 1e-9)).mean(axis=-1))
    return 100 * precision * np.exp(np.minimum(0.0, 1 - sums[..., 9] / sums[..., 8]))


def _accuracy_counts(rng, m, n):
    length = _lengths(rng, n)
    right = rng.binomial(length, expit(0.8 + rng.normal(size=n)), size=(m, n))
    return np.stack([right, np.broadcast_to(length, (m, n))], axis=2).astype(np.float64)


def _bleu_counts(rng, m, n):
    reference = _lengths(rng, n) + 3
    length = np.maximum(4, np.rint(reference * rng.lognormal(-0.02, 0.12, size=(m, n)))).astype(np.int64)
    chance = expit(0.3 + 0.9 * rng.normal(size=n) + 0.5 * rng.normal(size=(m, n)))
    matched = [rng.binomial(length, chance)]
    for order in range(1, 4):
        most = np.maximum(np.minimum(matched[-1], length - order), 0)
        matched.append(rng.binomial(most, 0.55 + 0.35 * chance))
    possible = [length - order for order in range(4)]
    return np.stack([*matched, *possible, length, np.broadcast_to(reference, (m, n))], axis=2).astype(
        np.float64
    )


def _chrf_counts(rng, m, n):
    """n-grams of 1 to 6 characters: of the output, of the reference, and matches; words have about six characters."""
    reference = 6 * (_lengths(rng, n) + 3)
    length = np.maximum(6, np.rint(reference * rng.lognormal(-0.02, 0.12, size=(m, n)))).astype(np.int64)
    chance = expit(1.2 + 0.7 * rng.normal(size=n) + 0.4 * rng.normal(size=(m, n)))
    matched = rng.binomial(np.minimum(length, reference), 0.5 + 0.5 * chance)
    columns = []
    for order in range(6):
        ours, theirs = length - order, np.broadcast_to(reference - order, (m, n))
        if order:
            matched = rng.binomial(np.minimum(matched, np.minimum(ours, theirs)), 0.35 + 0.6 * chance)
        columns += [ours, theirs, matched]
    return np.stack(columns, axis=2).astype(np.float64)


def _ter_counts(rng, m, n):
    reference = _lengths(rng, n) + 2
    edits = rng.poisson(reference * np.exp(-0.8 + 0.5 * rng.normal(size=n) + 0.3 * rng.normal(size=(m, n))))
    return np.stack([edits, np.broadcast_to(reference, (m, n))], axis=2).astype(np.float64)


COUNTS = {
    "accuracy": (_accuracy_counts, Formula(name="accuracy", pooled=_ratio)),
    "BLEU": (_bleu_counts, Formula(name="bleu", pooled=_bleu)),
    "chrF": (_chrf_counts, Formula(name="chrf", pooled=chrf_score)),
    "TER": (_ter_counts, Formula(name="ter", pooled=_ratio)),
}


@cache
def _pooled_truth(kind):
    draw, formula = COUNTS[kind]
    return float(formula.pooled(draw(np.random.default_rng(2_718_281), 1, 2_000_000).sum(axis=(0, 1))))


def pooled(kind, n, rng):
    """Corpus scores of two equally good systems; lengths of segments are lognormal."""
    draw, formula = COUNTS[kind]
    found = rank(counts_of(draw(rng, 2, n), formula), workers=1)
    return _held(found.low, found.high, _pooled_truth(kind))


def pooled_difference(kind, n, rng):
    """Their difference."""
    draw, formula = COUNTS[kind]
    pair = compare(counts_of(draw(rng, 2, n), formula), n_resamples=99, workers=1).pair("S0", "S1")
    return float(pair.low <= 0 <= pair.high)


# --- Judges ---------------------------------------------------------------------------------------------------

UNIT_EFFECTS = {
    "normal": lambda rng, n: rng.normal(size=n),
    "skewed": lambda rng, n: rng.exponential(size=n) - 1,
}


def _points(kind, judges, items, rng):
    """Scores whose judges share half of the variance."""
    effect = UNIT_EFFECTS[kind](rng, items)
    return 50 + 10 * (effect[:, None] + rng.normal(size=(items, judges)))


def _judged_grades(kind, judges, items, rng):
    """Grades 0 to 4; where outputs are skewed, most are good and a few are bad."""
    effect = UNIT_EFFECTS[kind](rng, items)
    return np.clip(np.rint(2.8 - 0.8 * effect[:, None] + 0.7 * rng.normal(size=(items, judges))), 0, 4)


@cache
def _shared_variance(kind):
    """The intraclass correlation of grades, which is that of two judges, from a large sample."""
    grades = _judged_grades(kind, 2, 2_000_000, np.random.default_rng(2_718_281))
    return float(np.corrcoef(grades.T)[0, 1])


def _intraclass_limits(score):
    items, judges = score.shape
    rows = {
        "item": np.repeat(np.arange(items), judges).tolist(),
        "system": ["A"] * (items * judges),
        "rater": np.tile([f"r{j}" for j in range(judges)], items).tolist(),
        "score": score.ravel().tolist(),
    }
    found = bt.judges(bt.read_ratings(rows, name="DA")).agreement
    return found.icc_low, found.icc_high


def intraclass(kind, judges, items, rng):
    """ICC of judges whose scores share half of their variance."""
    low, high = _intraclass_limits(_points(kind, judges, items, rng))
    return float(low <= 0.5 <= high)


def intraclass_of_grades(kind, judges, items, rng):
    """The same of grades 0 to 4."""
    low, high = _intraclass_limits(_judged_grades(kind, judges, items, rng))
    return float(low <= _shared_variance(kind) <= high)


# --- The cells ------------------------------------------------------------------------------------------------


def _averages():
    for kind in DRAWS:
        for n in (8, 12, 20, 50, 200):
            yield Cell(
                table="rank-scores/coverage of means",
                row=kind,
                column=f"n = {n}",
                trial=partial(strength, kind, n),
                low=LOW,
                high=1.0 if kind in _WIDE else 0.975,
                limit=MEAN_LIMITS.get((kind, n), ""),
            )
            if kind not in ("right or wrong, 80%", "MQM, rare -25"):
                yield Cell(
                    table="compare-scores/coverage of mean differences",
                    row=kind,
                    column=f"n = {n}",
                    trial=partial(mean_difference, kind, n),
                    low=LOW,
                    high=1.0,
                )


def _simultaneous():
    for shape in ("normal", "heavy tails (t₃)", "MQM-like"):
        for m in (6, 20):
            for n in (20, 80):
                yield Cell(
                    table="compare-scores/simultaneous coverage",
                    row=f"{m} systems, {shape}",
                    column=f"n = {n}",
                    trial=partial(all_differences_held, shape, m, n),
                    low=0.93,
                    high=1.0,
                )


def _medians():
    for kind in ("normal", "heavy tails (t3)", "lognormal"):
        for n in (8, 12, 20, 50, 200):
            yield Cell(
                table="rank-scores/coverage of medians",
                row=kind,
                column=f"n = {n}",
                trial=partial(strength, kind, n, by="median"),
                seconds=0.15,
                low=LOW,
                high=HIGH,
            )
            yield Cell(
                table="compare-scores/coverage of differences of medians",
                row=kind,
                column=f"n = {n}",
                trial=partial(median_difference, kind, n),
                seconds=0.08,
                low=LOW,
                high=1.0,
            )


def _changes():
    for n in (20, 50, 100, 200, 500):
        for share in (0.02, 0.04, 0.1, 0.2):
            for name, ratio in (("even", 1 / 2), ("two to one", 2 / 3)):
                row, column = f"{100 * share:g}% of segments changed, {name}", f"n = {n}"
                better, worse = share * ratio, share * (1 - ratio)
                yield Cell(
                    table="compare-scores/coverage of differences of right and wrong",
                    row=row,
                    column=column,
                    trial=partial(changes, n, better, worse),
                    low=0.94,
                    high=1.0,
                )
                yield Cell(
                    table="compare-scores/verdict against interval of right and wrong",
                    row=row,
                    column=column,
                    trial=partial(contradiction, n, better, worse),
                    low=0.0,
                    high=0.01,
                )


def _wins():
    for by, scale in (("bradley_terry", "share"), ("bradley_terry", "log"), ("win_rate", "share")):
        for m in (3, 8):
            for n in (12, 30, 100):
                yield Cell(
                    table="rank-scores/coverage of strengths of wins",
                    row=f"{'win rate' if by == 'win_rate' else f'Bradley–Terry, {scale}'}, {m} systems",
                    column=f"n = {n}",
                    trial=partial(of_wins, by, scale, m, n),
                    low=LOW,
                    high=0.985 if n == 12 else 0.975,
                )


def _corpus_scores():
    for kind in COUNTS:
        for n in (30, 100, 300):
            yield Cell(
                table="rank-counts/coverage of corpus scores",
                row=kind,
                column=f"n = {n}",
                trial=partial(pooled, kind, n),
                seconds=0.1,  # with the truth, which each process finds once
                low=LOW,
                high=HIGH,
                limit="A few long, bad segments carry TER: about 92%." if kind == "TER" and n == 30 else "",
            )
            yield Cell(
                table="compare-counts/coverage of differences of corpus scores",
                row=kind,
                column=f"n = {n}",
                trial=partial(pooled_difference, kind, n),
                low=LOW,
                high=HIGH,
            )


def _agreement():
    for row, trial in (("", intraclass), ("grades 0-4, ", intraclass_of_grades)):
        for kind in UNIT_EFFECTS:
            for judges in (3, 5):
                for items in (20, 50, 100):
                    yield Cell(
                        table="judges/coverage of the intraclass correlation",
                        row=f"{row}{kind} outputs, {judges} judges",
                        column=f"{items} outputs",
                        trial=partial(trial, kind, judges, items),
                        low=LOW,
                        high=0.98,
                        tables=2000 if judges == 3 else 500,
                    )


CELLS = [*_averages(), *_simultaneous(), *_medians(), *_changes(), *_wins(), *_corpus_scores(), *_agreement()]
