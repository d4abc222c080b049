"""How well do predicted quality scores of sentences agree with the true ones?"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor
from typing import Literal

import numpy as np

from betterthan.analysis.pairs.pairwise import shared_ranks
from betterthan.analysis.resampling import Resampling, Rng
from betterthan.analysis.tags.tag_tests import unit_name
from betterthan.analysis.units import Units, unit_note, units_of
from betterthan.analysis.wording import listing
from betterthan.arrays import FloatArray, digest
from betterthan.budget import MOST_RESAMPLES, check_count, check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.kernels.agreement.correlation import pearson, spearman, williams_all_pairs
from betterthan.kernels.agreement.prediction_errors import (
    correlation_tests,
    correlations_without,
    mean_absolute_error,
    means_without,
    root_mean_squared_error,
)
from betterthan.kernels.comparisons.tied_ranks import tied_ranks
from betterthan.kernels.display.letters import letter_display
from betterthan.kernels.intervals.intervals import ScaleName, jackknife_interval, percentile_interval
from betterthan.kernels.significance.pvalues import adjusted_pairs
from betterthan.messages import Message, Option
from betterthan.results.metrics import SentenceQuality
from betterthan.results.settings import Settings
from betterthan.tables.row_order import check_identity
from betterthan.tables.scores import Scores

MEASURES: dict[str, Callable[[FloatArray, FloatArray], FloatArray]] = {
    "pearson": pearson,
    "spearman": spearman,
    "mae": mean_absolute_error,
    "rmse": root_mean_squared_error,
}
_TESTS = ("jackknife", "williams")
_INTERVALS = ("jackknife", "percentile")
_SCALES: dict[str, ScaleName] = {"pearson": "fisher", "spearman": "fisher", "mae": "log", "rmse": "log"}
_NAMES = {
    "pearson": "Pearson's correlation",
    "spearman": "Spearman's correlation",
    "mae": "MAE",
    "rmse": "RMSE",
}
_FEW_UNITS = 6
_WARNING = "MAE and RMSE reward predicting the mean for every sentence; judge by the correlation."


@with_one_blas_thread
def sentence_quality(
    predicted: Scores,
    gold: Scores,
    *,
    missing: Literal["raise", "drop"] = "raise",
    units: Literal["auto", "segments", "groups"] = "auto",
    test: Literal["jackknife", "williams"] = "jackknife",
    interval: Literal["jackknife", "percentile"] = "jackknife",
    alpha: float = 0.05,
    confidence: float = 0.95,
    n_resamples: int = 1000,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> SentenceQuality:
    r"""Compare predicted scores of sentences with true ones: Pearson, Spearman, MAE and RMSE.

    Systems are ordered by Pearson's correlation. The two errors are shown with a warning: always predicting the mean of
    the true scores makes them small without any information about single sentences [1]_. Correlations with the same
    true scores are compared by a test that accounts for the correlation between the predictions.

    .. math:: \text{MAE} = \frac1n \sum_i \lvert y_i - \hat y_i \rvert, \qquad
              \text{RMSE} = \sqrt{\frac1n \sum_i (y_i - \hat y_i)^2}

    Parameters
    ----------
    predicted : Scores
        One or more systems, on the scale of `gold` (HTER, post-editing time, direct assessment).
    gold : Scores
        The true scores: a single row, of the same segments in any order.
    missing : {"raise", "drop"}, default "raise"
        "drop" leaves out segments with a missing score for all systems, with a note.
    units : {"auto", "segments", "groups"}, default "auto"
        The unit that is left out or resampled: documents where `predicted` has them, otherwise sentences.
    test : {"jackknife", "williams"}, default "jackknife"
        Test of correlations: the jackknife over units, which makes no assumption on the distribution of the scores
        (:func:`~betterthan.kernels.agreement.prediction_errors.correlation_tests`), or Williams' test [1]_ for scores
        that are jointly normal, of independent sentences. Both are two-sided.
    interval : {"jackknife", "percentile"}, default "jackknife"
        Student's with the jackknife's standard error, on Fisher's scale for correlations and the logarithmic one for
        errors; or percentiles of the bootstrap.
    alpha : float, default 0.05
        Significance level of the groups, Holm-corrected.
    confidence : float, default 0.95
    n_resamples : int, default 1000
        Bootstrap samples, for percentiles.
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    SentenceQuality

    Notes
    -----
    The coverage of 95% jackknife intervals is 93% to 97% for correlations and mean absolute error from 20 sentences on,
    for normal, skewed and heavy-tailed scores. The root mean squared error depends on a few large errors: with heavy
    tails its coverage is 79% to 94%, and a note says so.

    References
    ----------
    .. [1] Graham (2015), Improving evaluation of machine translation quality estimation, ACL.
    .. [2] Logacheva, Lukasik, Specia (2016), Metrics for evaluation of word-level machine translation quality
       estimation, ACL, section 1.

    Examples
    --------
    A follows the true scores but is too high; B predicts nearly the same value for every sentence:

    >>> import betterthan as bt
    >>> names = [str(i) for i in range(6)]
    >>> gold = bt.Scores(name="HTER", systems=["truth"], segments=names, values=[[0.1, 0.2, 0.3, 0.4, 0.5, 0.6]])
    >>> systems = bt.Scores(name="HTER", systems=["A", "B"], segments=names,
    ...                     values=[[0.4, 0.5, 0.6, 0.7, 0.8, 0.9], [0.35, 0.34, 0.36, 0.35, 0.34, 0.36]])
    >>> found = bt.sentence_quality(systems, gold, n_resamples=99)
    >>> found.systems, found.pearson.round(2).tolist(), found.mae.round(2).tolist()
    (('A', 'B'), [1.0, 0.24], [0.3, 0.15])
    """
    _check(alpha, confidence, n_resamples)
    for name, choice, choices in (("test", test, _TESTS), ("interval", interval, _INTERVALS)):
        if choice not in choices:
            raise unknown_name(name, choice, choices)
    table, truth, notes = _joined(predicted, gold, missing)
    chosen = unit_name(table, units)
    unit = units_of(table, chosen)
    resampling = Resampling.of(
        rng, n_resamples, workers=workers, executor=executor, cache=cache, progress=progress
    )
    value = np.stack([measure(table.values, truth[None]) for measure in MEASURES.values()], axis=1)
    if interval == "percentile":
        draws = _draws(table, truth, resampling.on(digest(table.digest, truth), unit))
        low, high = (ends.reshape(value.shape) for ends in percentile_interval(draws, confidence))
    else:
        low, high, rough = _jackknife_limits(table, truth, unit, value, confidence)
        notes = (*notes, *rough)
    order = np.argsort(shared_ranks(value[:, 0]), kind="stable")
    pvalue = _tested(test, table.values[order], truth, unit, value[order, 0])
    constant = np.full(truth.shape, truth.mean())
    systems = tuple(table.systems[i] for i in order)
    constant_mae = float(mean_absolute_error(constant, truth))
    return SentenceQuality(
        systems=systems,
        **{name: value[order, i] for i, name in enumerate(MEASURES)},
        low=low[order],
        high=high[order],
        pvalue=pvalue,
        letters=_letters(pvalue, alpha),
        constant_mae=constant_mae,
        constant_rmse=float(root_mean_squared_error(constant, truth)),
        alpha=alpha,
        confidence=confidence,
        sentences=(_WARNING, *_beaten(systems, value[order, 2], constant_mae)),
        notes=notes,
        unit_note=unit_note(table, unit),
        settings=Settings(
            method="sentence_quality",
            options={
                "ci": f"{100 * confidence:g},{interval}"
                + (f",{n_resamples}" if interval == "percentile" else ""),
                "test": f"{test},holm,{alpha:g}",
                "units": chosen,
            },
            data=digest(table.digest, truth),
            seed=resampling.seed if interval == "percentile" else None,
            n_systems=table.n_systems,
            n_segments=table.n_segments,
        ),
    )


def _check(alpha: float, confidence: float, n_resamples: int) -> None:
    for name, value in (("alpha", alpha), ("confidence", confidence)):
        check_share(name, value)
    if n_resamples < 1:
        raise BetterThanError(f"n_resamples must be 1 or more; it is {n_resamples}.")
    check_count("n_resamples", n_resamples, MOST_RESAMPLES)


def _joined(
    predicted: Scores, gold: Scores, missing: Literal["raise", "drop"]
) -> tuple[Scores, FloatArray, tuple[str, ...]]:
    """Predictions and true scores on the same segments, without missing scores, with notes."""
    if gold.n_systems != 1:
        raise TableError(
            f'The true scores "{gold.name}" have {gold.n_systems} rows. Choose one with gold.select(["…"]).'
        )
    check_identity([predicted, gold], names=[predicted.name, gold.name])
    if set(predicted.segments) != set(gold.segments):
        raise TableError(
            f"Predictions have {predicted.n_segments:,} segments and the true scores {gold.n_segments:,}, and these "
            f"differ. Give both the same segments."
        )
    name = "the true scores"
    while name in predicted.systems:
        name += "'"
    both = Scores(
        name=predicted.name,
        systems=(*predicted.systems, name),
        segments=predicted.segments,
        values=np.vstack([predicted.values, gold.select(None, predicted.segments).values]),
        groups=predicted.groups,
        row_order=predicted.row_order,
        notes=tuple(dict.fromkeys((*predicted.notes, *gold.notes))),
    ).complete(missing=missing)
    turned = () if predicted.higher_is_better == gold.higher_is_better else (
        f'Higher is better for only one of "{predicted.name}" and "{gold.name}"; errors need one scale.',
    )  # fmt: skip
    return both.select(predicted.systems), both.values[-1], (*both.notes, *turned)


def _jackknife_limits(
    table: Scores, truth: FloatArray, unit: Units, value: FloatArray, confidence: float
) -> tuple[FloatArray, FloatArray, tuple[str, ...]]:
    """Jackknife intervals (m, 4), and notes on them."""
    codes, n = unit.of_segment, unit.n_units
    ranks = tied_ranks(np.vstack([table.values, truth])).middle
    errors = np.abs(table.values - truth)
    without = {
        "pearson": correlations_without(table.values, truth, codes, n),
        # Ranks are not recomputed: leaving out one sentence changes them by at most one.
        "spearman": correlations_without(ranks[:-1], ranks[-1], codes, n),
        "mae": means_without(errors, codes, n),
        "rmse": np.sqrt(means_without(errors**2, codes, n)),
    }
    low, high = np.empty(value.shape), np.empty(value.shape)
    rough: list[str] = []
    for i, (name, each) in enumerate(without.items()):
        found = jackknife_interval(value[:, i], each, confidence=confidence, scale=_SCALES[name])
        low[:, i], high[:, i] = found.low, found.high
        with np.errstate(invalid="ignore"):
            if (found.units < _FEW_UNITS).any(where=~np.isnan(found.low)):
                rough.append(_NAMES[name])
    if not rough:
        return low, high, ()
    note = f"Fewer than {_FEW_UNITS} sentences decide an interval of {listing(rough)}: it may be too narrow."
    return low, high, (note,)


def _tested(
    test: str, values: FloatArray, truth: FloatArray, unit: Units, correlation: FloatArray
) -> FloatArray:
    """Two-sided p-values of all pairs, (m, m)."""
    if test == "williams":
        one_sided = williams_all_pairs(values, truth)
        return np.asarray(np.minimum(1.0, 2 * np.minimum(one_sided, one_sided.T)))
    without = correlations_without(values, truth, unit.of_segment, unit.n_units)
    return correlation_tests(correlation, without).pvalue


def _draws(table: Scores, truth: FloatArray, resampling: Resampling) -> FloatArray:
    """All measures of all systems on bootstrap samples, shape (n_resamples, m · 4)."""
    if not resampling.units.are_segments:
        raise BetterThanError(
            Message(
                "{given} draws single sentences. Use {units}, or {jackknife} for documents.",
                given=Option("interval", "percentile"),
                units=Option("units", "segments"),
                jackknife=Option("interval", "jackknife"),
            )
        )
    blocks = resampling.run(
        "bootstrap of sentences",
        (table.values, truth),
        _bootstrap_block,
        # Ranking needs about six arrays of the size of the drawn predictions.
        bytes_each=48 * table.n_segments * (table.n_systems + 1),
    )
    return np.concatenate(blocks)


def _bootstrap_block(
    payload: tuple[FloatArray, FloatArray], part: range, rng: np.random.Generator
) -> FloatArray:
    values, truth = payload
    drawn = rng.integers(0, truth.size, size=(len(part), truth.size))
    of_systems = np.ascontiguousarray(values[:, drawn].transpose(1, 0, 2))
    of_truth = truth[drawn][:, None]
    measured = [measure(of_systems, of_truth) for measure in MEASURES.values()]
    return np.stack(measured, axis=2).reshape(len(drawn), -1)


def _letters(pvalue: FloatArray, alpha: float) -> tuple[str, ...]:
    if len(pvalue) < 2:
        return ("a",) * len(pvalue)
    with np.errstate(invalid="ignore"):
        return letter_display(np.asarray(adjusted_pairs(pvalue, correction="holm") <= alpha)).labels


def _beaten(systems: tuple[str, ...], mae: FloatArray, constant: float) -> tuple[str, ...]:
    worse = [name for name, error in zip(systems, mae.tolist(), strict=True) if error >= constant]
    said = f"Always predicting the mean of the true scores has an MAE of {constant:.4g}"
    do = "does" if len(worse) == 1 else "do"
    return (f"{said}; {len(worse)} of {len(systems)} systems {do} no better.",) if worse else (f"{said}.",)
