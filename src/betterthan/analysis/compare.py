"""Is A better than B? Every pair of systems, tested."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from typing import Literal, get_args

import numpy as np

from betterthan.analysis.compare_counts import compare_counts
from betterthan.analysis.compare_matches import compare_matches
from betterthan.analysis.computing import Computing, Rng, seed_of
from betterthan.analysis.effects import EFFECTS, Setting
from betterthan.analysis.given import check_table
from betterthan.analysis.pairwise import Decision, Findings, pairwise_table
from betterthan.analysis.permutation import stepped_down
from betterthan.analysis.question import Answer, PermutationMethod, Question, SignificanceTest, TestTies
from betterthan.analysis.significance import OWN_TEST, TESTS
from betterthan.analysis.units import UnitName, units_of
from betterthan.analysis.wording import counted
from betterthan.arrays import BoolArray, FloatArray
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.engine.streams import stream
from betterthan.errors import BetterThanError, TableError, some_of, unknown_name
from betterthan.kernels.pvalues import Alternative
from betterthan.kernels.wins import win_counts
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores

TestName = Literal["auto", "t", "sign", "wilcoxon", "mood", "permutation", "bootstrap"]
CorrectionName = Literal["none", "bonferroni", "holm", "benjamini_hochberg", "max_statistic"]
Missing = Literal["raise", "drop", "pairwise"]


@with_one_blas_thread
def compare(
    table: Scores | Counts | Matches,
    *,
    systems: Sequence[str] | None = None,
    test: TestName = "auto",
    by: str = "mean",
    method: PermutationMethod = "auto",
    ties: Literal["default", "drop", "half", "as_published"] = "default",
    prior: float = 0.0,
    missing: Missing = "raise",
    units: UnitName = "segments",
    alternative: Alternative = "two-sided",
    correction: CorrectionName = "holm",
    alpha: float = 0.05,
    confidence: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> PairwiseTable:
    r"""Compare every pair of systems: effect, interval, p-value before and after correction.

    The systems met the same segments, so their scores are compared segment by segment. The permutation test asks
    how often a mean difference as large as the one seen would arise if, on every segment, it were a toss-up which
    of the two systems got which score:

    .. math:: p = P\Big( \big| \sum_i \varepsilon_i d_i \big| \ge \big| \sum_i d_i \big| \Big),
              \qquad d_i = x_{ai} - x_{bi}, \quad \varepsilon_i = \pm 1 .

    Parameters
    ----------
    table : Scores, Counts or Matches
        Counts (corpus BLEU, F1, …) are permuted with their true corpus score. Matches are compared by the
        Bradley–Terry model with robust standard errors.
    systems : sequence of str, optional
        Only these; all by default. Matches with others still tell how strong they are.
    test : {"auto", "t", "sign", "wilcoxon", "mood", "permutation", "bootstrap"}, default "auto"
        * "auto": the test that belongs to `by`: permutation for the mean, Mood's for the median, the sign test for
          win rate, Bradley–Terry, Elo and TrueSkill.
        * "t": paired t-test of the mean difference; with `units="groups"` its standard error is clustered.
        * "sign": exact binomial test of wins against losses.
        * "wilcoxon": signed ranks, exact with ties up to 50 nonzero differences.
        * "mood": medians, unpaired.
        * "permutation": mean difference under sign flips; see `method`.
        * "bootstrap": mean difference in standard errors, bootstrap distribution shifted to the null.
    by : str, default "mean"
        The mechanism whose test "auto" takes.
    method : {"auto", "exact", "bracket", "monte_carlo", "analytic"}, default "auto"
        How permutation p-values are found. "auto" is exact by enumeration or convolution where that is possible,
        and elsewhere an interval certain to hold the exact p-value, whose upper end is reported. "monte_carlo" is
        (b + 1) / (B + 1) with `n_resamples`; "analytic" an Edgeworth expansion.
    ties : {"default", "drop", "half", "as_published"}
        In the sign test: left out (the default), shared, or counted against the leader as the code of [1]_ does.
        In matches: half a win for both (the default), left out, or given to the second system.
    prior : float, default 0
        Regularises the model of matches; needed when a system never won or never lost (see :func:`betterthan.rank`).
    missing : {"raise", "drop", "pairwise"}, default "raise"
        "drop" leaves out a segment for all systems, "pairwise" only for the pairs concerned.
    units : {"segments", "groups"}, default "segments"
        What is permuted or drawn as one; "groups" are documents.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater": is the row better than the column?
    correction : {"none", "bonferroni", "holm", "benjamini_hochberg", "max_statistic"}, default "holm"
        Over all pairs; with a one-sided `alternative` over both directions of each, unless there is only one pair.
        "max_statistic" is the step-down of Westfall and Young on the permutation test; it knows
        how the pairs hang together and is the most powerful that keeps the family-wise error.
    alpha : float, default 0.05
        Level of the verdicts, on corrected p-values.
    confidence : float, default 0.95
        Coverage of the effects' intervals, each by itself.
    n_resamples : int, default 9999
        For "monte_carlo", "bootstrap" and "max_statistic".
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        Who does the work; none of it changes a number.

    Returns
    -------
    PairwiseTable
        Matrices over systems sorted best first; ``.pair("A", "B")`` is one comparison.

    Notes
    -----
    Effects speak of goodness: positive means that the row is better, also for metrics where lower is better.
    p-values lie in (0, 1].

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL; 3.2.
    .. [2] Riezler and Maxwell (2005), On some pitfalls in automatic evaluation and significance testing for MT.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.read_scores({"A": [3, 5, 4, 6, 5, 7], "B": [2, 3, 3, 3, 4, 5]})
    >>> bt.compare(scores).pair("A", "B").pvalue
    0.03125
    """
    decision = Decision(
        alternative=alternative,
        correction=correction,
        alpha=alpha,
        confidence=confidence,
        n_resamples=n_resamples,
        seed=seed_of(rng),
        computing=Computing(workers=workers, executor=executor, cache=cache, progress=progress),
    )
    check_table(table, (Scores, Counts, Matches), verb="compare")
    chosen = table.systems if systems is None else tuple(systems)
    if len(chosen) < 2:
        raise TableError(f"There is only one system, {', '.join(chosen)}; a comparison needs two or more.")
    if method not in get_args(PermutationMethod):
        raise unknown_name("method", method, get_args(PermutationMethod))
    if isinstance(table, Matches):
        _refuse_other("Matches", "test", test, ("auto",))
        return compare_matches(table, ties, decision, prior=prior, systems=chosen)
    if prior:
        raise BetterThanError("prior is for matches; a test of scores needs none.")
    table = table if systems is None else table.select(chosen)
    if isinstance(table, Counts):
        _refuse_other("Counts", "test", test, ("auto", "permutation"))
        _refuse_other("Counts", "method", method, ("auto", "monte_carlo"))
        return compare_counts(table, units, decision)
    asked = _Asked(
        test=_chosen(test, by),
        method=method,
        ties="drop" if ties == "default" else ties,
        missing=missing,
        units=units,
    )
    return _compare_scores(table, asked, decision)


def _refuse_other(table: str, option: str, given: str, possible: tuple[str, ...]) -> None:
    if given not in possible:
        known = " or ".join(f'{option}="{name}"' for name in possible)
        tested = {"Matches": "by the Bradley–Terry model", "Counts": "by permuting the pooled score"}[table]
        raise BetterThanError(f'{table} are compared {tested}, not with {option}="{given}". Use {known}.')


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    test: SignificanceTest
    method: PermutationMethod
    ties: TestTies
    missing: Missing
    units: UnitName


def _chosen(test: str, by: str) -> SignificanceTest:
    if test == "auto":
        if by not in OWN_TEST:
            raise unknown_name("method", by, OWN_TEST)
        return TESTS[OWN_TEST[by]]
    if test not in TESTS:
        raise unknown_name("test", test, ("auto", *TESTS))
    return TESTS[test]


def _compare_scores(scores: Scores, asked: _Asked, decision: Decision) -> PairwiseTable:
    usable = usable_scores(scores, asked.missing)
    units = units_of(usable, asked.units)
    _check_fit(usable, asked)
    question = Question(
        goodness=usable.goodness,
        units=units,
        alternative=decision.alternative,
        ties=asked.ties,
        method=asked.method,
        n_resamples=decision.n_resamples,
        seed=decision.seed,
        digest=usable.digest,
        computing=decision.computing,
    )
    answer = _with_maximum(asked.test.run(question), question, asked, decision)
    return pairwise_table(_findings(usable, asked, answer, question, decision), decision)


def usable_scores(scores: Scores, missing: Missing) -> Scores:
    """Return the scores without gaps, or as they are when pairs may leave out their own gaps."""
    if missing not in get_args(Missing):
        raise unknown_name("missing", missing, get_args(Missing))
    if missing == "pairwise":
        return scores
    return scores.complete(missing=missing)


def _check_fit(scores: Scores, asked: _Asked) -> None:
    if asked.units == "groups" and not asked.test.takes_groups:
        able = ", ".join(name for name, test in TESTS.items() if test.takes_groups)
        raise BetterThanError(
            f'The {asked.test.name} test takes segments one by one. For units="groups" use: {able}.'
        )
    if scores.n_missing and (asked.test.name == "bootstrap" or asked.units == "groups"):
        raise BetterThanError(
            'Documents and bootstrap samples need every score. Pass missing="drop", or test="permutation" by segments.'
        )


def _with_maximum(answer: Answer, question: Question, asked: _Asked, decision: Decision) -> Answer:
    if decision.correction != "max_statistic" or asked.test.name != "permutation":
        return answer
    return replace(answer, stepped=stepped_down(question), drew=True)


def _findings(
    scores: Scores, asked: _Asked, answer: Answer, question: Question, decision: Decision
) -> Findings:
    effect = EFFECTS[asked.test.effect]
    goodness = question.goodness
    rng = stream(decision.seed, "intervals of effects", 0)
    setting = Setting(question.units, decision.confidence, asked.ties, rng)
    low, high = effect.interval(goodness, setting)
    counts = win_counts(goodness)
    apart = counts.wins + counts.wins.T + counts.ties == 0
    return Findings(
        systems=scores.systems,
        goodness=_means(goodness),
        test=asked.test.name,
        effect_name=effect.name,
        size_name=effect.size_name,
        effect=effect.of(goodness, setting),
        low=low,
        high=high,
        size=effect.size(goodness),
        wins=counts.wins,
        ties=counts.ties,
        pvalue=_without(answer.pvalue, apart),
        p_low=None if answer.p_low is None else _without(answer.p_low, apart),
        p_high=None if answer.p_high is None else _without(answer.p_high, apart),
        stepped=None if answer.stepped is None else _without(answer.stepped, apart),
        drew=answer.drew or asked.test.effect == "median_difference",
        data=scores.digest,
        n_segments=scores.n_segments,
        options={
            "p": answer.how,
            "units": asked.units,
            "missing": asked.missing if scores.n_missing else None,
        },
        notes=(
            *scores.notes,
            *answer.notes,
            *_direction(scores),
            *_apart(scores.systems, apart),
            *_too_few(question, asked, decision),
            *_unbounded(low, decision.confidence),
        ),
    )


def _too_few(question: Question, asked: _Asked, decision: Decision) -> tuple[str, ...]:
    """Say when so few units are swapped that no outcome could be significant."""
    n = question.units.n_units
    least = 2.0 ** (-n + (decision.alternative == "two-sided"))
    if asked.test.name != "permutation" or least <= decision.alpha:
        return ()
    many = counted(n, "segment" if question.units.are_segments else "group")
    return (
        f"With {many} no p-value can be below {least:g}, so nothing is significant at level {decision.alpha:g}.",
    )


def _without(pvalues: FloatArray, apart: BoolArray) -> FloatArray:
    """Nothing was tested where nothing is shared: such a pair must not count in a correction either."""
    return np.where(apart, np.nan, pvalues)


def _apart(systems: Sequence[str], apart: BoolArray) -> tuple[str, ...]:
    pairs = [f"{systems[a]} and {systems[b]}" for a, b in np.argwhere(np.triu(apart, 1)).tolist()]
    return (f"Without a common segment, and so not compared: {some_of(pairs)}.",) if pairs else ()


def _means(goodness: FloatArray) -> FloatArray:
    """Mean of the scores that are there; NaN for a system without any."""
    present = np.count_nonzero(~np.isnan(goodness), axis=1)
    return np.asarray(np.nansum(goodness, axis=1) / np.where(present > 0, present, np.nan))


def _unbounded(low: FloatArray, confidence: float) -> tuple[str, ...]:
    if not np.isinf(low).any():
        return ()
    return (f"Some pairs have too few segments for an interval that covers {100 * confidence:g} %.",)


def _direction(scores: Scores) -> tuple[str, ...]:
    if scores.higher_is_better:
        return ()
    return (f"Lower {scores.name} is better; a positive effect means that the first system is better.",)
