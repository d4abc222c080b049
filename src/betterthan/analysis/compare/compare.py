"""Is A better than B? Tests of every pair of systems.

All pairs reduced to one question: which systems differ from a baseline, by which metrics?

Scores that only say right or wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Literal, get_args

import numpy as np

from betterthan.analysis.compare.compare_corrected import compare_corrected
from betterthan.analysis.compare.compare_counts import compare_counts
from betterthan.analysis.compare.compare_matches import compare_matches, compare_ratings
from betterthan.analysis.compare.compare_runs import Over, compare_runs, pass_rule, refuse_without_runs
from betterthan.analysis.compare.compare_win_rates import compare_win_rates, fitted_win_rates
from betterthan.analysis.compare.decide import ComparisonOptions, MissingPolicy, decide
from betterthan.analysis.matches.match_units import refuse_covariates
from betterthan.analysis.matches.matches import TiesModel, refuse_unmet
from betterthan.analysis.pairs.pairwise import PairOptions, edge_note, require_pairs
from betterthan.analysis.pairs.permutation import PermutationMethod
from betterthan.analysis.pairs.significance import OWN_TEST
from betterthan.analysis.resampling import Resampling, Rng
from betterthan.analysis.strengths.aggregations import ITEM_RESPONSE, ORDERED
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.strengths.rated_matches import rate_matches
from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.analysis.units import UnitName
from betterthan.arrays import FloatArray
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.kernels.comparisons.wins import WinCounts
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.messages import Message, Option, joined
from betterthan.results.judges import Corrected
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores


def against_baseline(tables: Sequence[PairwiseTable], baseline: str) -> list[PairwiseTable]:
    """Return the pairs of every metric with p-values adjusted (Holm) for the comparisons with the baseline alone.

    Those of all metrics are adjusted together. Pairs without the baseline have no adjusted p-value and no verdict: they
    are not asked about.

    Parameters
    ----------
    tables : sequence of PairwiseTable
        One for each metric, two-sided, of all systems.
    baseline : str

    Raises
    ------
    UnknownName
        When there is no such system.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.read_scores({"A": [3, 5, 4, 6, 5, 7], "B": [2, 3, 3, 3, 4, 5], "C": [2, 3, 3, 3, 4, 4]})
    >>> (pairs,) = against_baseline([bt.compare(scores)], "A")
    >>> pairs["A", "B"].adjusted, pairs["B", "C"].adjusted
    (0.0625, nan)
    """
    asked = []
    for pairs in tables:
        if baseline not in pairs.systems:
            raise unknown_name("system", baseline, pairs.systems)
        at = pairs.systems.index(baseline)
        asked.append((at, np.arange(len(pairs.systems)) != at))
    own = [pairs.pvalue[at, others] for pairs, (at, others) in zip(tables, asked, strict=True)]
    every = adjusted(np.concatenate(own), correction="holm")
    parts = np.split(every, np.cumsum([part.size for part in own])[:-1])
    found = []
    for pairs, (at, others), part in zip(tables, asked, parts, strict=True):
        values = np.full_like(pairs.pvalue, np.nan)
        values[at, others] = values[others, at] = part
        options = {**pairs.settings.options, "baseline": baseline, "adjust": "holm"}
        found.append(
            replace(
                pairs, adjusted=values, correction="holm", settings=replace(pairs.settings, options=options)
            )
        )
    return found


def both_right(scores: Scores, systems: Sequence[str]) -> FloatArray | None:
    """Return on how many segments each two systems are right, or None where scores are not 0 and 1.

    With wins and losses, which are the segments on which only one of the two is right, this is the table of McNemar's
    test. A missing score is neither right nor wrong.

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=["1", "2", "3"], values=[[1, 1, 0], [1, 0, 0]])
    >>> both_right(scores, ["A", "B"])
    array([[2., 1.],
           [1., 1.]])
    """
    if not scores.is_binary:
        return None
    right = (scores.values == (1.0 if scores.higher_is_better else 0.0)).astype(np.float64)
    right = right[[scores.systems.index(name) for name in systems]]
    return np.asarray(right @ right.T)


TestName = Literal["auto", "t", "sign", "wilcoxon", "mood", "permutation", "bootstrap", "strengths"]
CorrectionName = Literal["auto", "none", "bonferroni", "holm", "benjamini_hochberg", "max_statistic"]


@with_one_blas_thread
def compare(
    table: AnyData,
    *more: AnyData,
    metric: str | None = None,
    system: str | Sequence[str] | None = None,
    run: str | None = None,
    systems: Sequence[str] | None = None,
    test: TestName = "auto",
    by: str | Callable[[FloatArray], FloatArray] = "mean",
    method: PermutationMethod = "auto",
    ties: TiesModel = "default",
    prior: float = 0.0,
    missing: MissingPolicy = "raise",
    units: UnitName = "auto",
    over: Over = "items and runs",
    alternative: Alternative = "two-sided",
    correction: CorrectionName = "auto",
    alpha: float = 0.05,
    confidence: float = 0.95,
    simultaneous: bool = False,
    n_resamples: int | None = None,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> PairwiseTable:
    r"""Compare every pair of systems: effect, interval, p-value before and after correction.

    All systems are scored on the same segments, so scores are compared segment by segment. The permutation test gives
    the probability of a mean difference at least as large as the observed one under the null hypothesis that the two
    scores of every segment are exchangeable:

    .. math:: p = P\Big( \big| \sum_i \varepsilon_i d_i \big| \ge \big| \sum_i d_i \big| \Big),
              \qquad d_i = x_{ai} - x_{bi}, \quad \varepsilon_i = \pm 1 .

    Parameters
    ----------
    table, *more : Scores, Counts, Matches or Runs, or what they are read from
        A path, a folder, a pattern or several of them; a data frame; a dict of columns, or of names and paths; or an
        array for each system, which are then called A, B, …
        Counts (corpus BLEU, F1, …) are permuted with their true corpus score. Matches are compared by the
        Bradley–Terry model with robust standard errors, or by "elo", "trueskill" or "win_rate".
    metric : str, optional
        The metric, if several are read.
    system : str or sequence of str, optional
        The column that names the systems, or several columns that name them together, such as ["model", "prompt"].
    run : str, optional
        The column that numbers repeated runs (seed, repeat, epoch, …); found by its name where rows repeat.
    systems : sequence of str, optional
        Systems to compare; all by default. Matches against other systems still inform the strengths.
    test : {"auto", "t", "sign", "wilcoxon", "mood", "permutation", "bootstrap", "strengths"}, default "auto"
        * "auto": the test that belongs to `by`: permutation for the mean and the win rate, "strengths" for every other
          aggregation.
        * "strengths": tests whether the two strengths that `by` gives are equal, from their joint bootstrap
          distribution, as :func:`betterthan.rank` does.
        * "t": paired t-test of the mean difference; with `units="groups"` its standard error is clustered.
        * "sign": exact binomial test of wins against losses.
        * "wilcoxon": signed ranks, exact with ties up to 50 nonzero differences.
        * "mood": medians, unpaired.
        * "permutation": mean difference under sign flips; see `method`.
        * "bootstrap": mean difference in standard errors, bootstrap distribution shifted to the null hypothesis.
    by : str or callable, default "mean"
        The aggregation that is compared, as in :func:`betterthan.rank`; for runs also "pass@5" or "pass^5".
    method : {"auto", "exact", "bracket", "monte_carlo", "analytic"}, default "auto"
        How permutation p-values are computed. "auto" inverts the characteristic function, to about ten decimal places,
        and computes an exact or certified p-value wherever a verdict or the second digit depends on it; "analytic"
        omits that step. "exact" counts every permutation or refuses; "bracket" reports the upper end of an interval
        that is certain to contain the exact p-value; "monte_carlo" is (b + 1) / (B + 1) with `n_resamples`. Counts are
        permuted `n_resamples` times; where fewer than 25 of these are as extreme as the data, "auto" extrapolates.
    ties : {"default", "drop", "half", "davidson", "rao_kupper", "as_published"}
        In the sign test: left out (the default), split evenly, or counted against the leader as the code of [1]_ does.
        In matches: half a win for each (the default), left out, given to the second system, or as one of the two models
        of :func:`betterthan.rank`.
    prior : float, default 0
        Regularizes the model of matches; needed when a system never won or never lost (see :func:`betterthan.rank`).
    missing : {"raise", "drop", "pairwise"}, default "raise"
        "drop" leaves out a segment for all systems, "pairwise" only for the pairs concerned.
    units : {"auto", "segments", "groups"}, default "auto"
        Units that are permuted or resampled. "auto": whole documents ("groups") where the table knows them, because
        segments of a document are correlated; otherwise single segments.
    over : {"items and runs", "items", "runs"}, default "items and runs"
        For repeated runs, what intervals and p-values hold for. "items and runs": other items and other runs;
        "items": the means over exactly these runs, on other items; "runs": exactly these items, in other runs.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater": is the row better than the column?
    correction : {"auto", "none", "bonferroni", "holm", "benjamini_hochberg", "max_statistic"}, default "auto"
        Over all pairs; with a one-sided `alternative` over both directions of each, unless there is only one pair.
        "max_statistic" steps down the resampled maximum over all pairs (Westfall and Young): it accounts for the
        correlation between pairs. "auto" is Holm, or the maximum statistic where p-values come from resampling or where
        there are so few units that nothing could be significant after Holm's correction.
    alpha : float, default 0.05
        Significance level of the verdicts, applied to corrected p-values.
    confidence : float, default 0.95
        Confidence level of each interval.
    simultaneous : bool, default False
        Whether the intervals of all pairs cover simultaneously at that level. They are wider, and agree better
        with verdicts that are corrected for many pairs.
    n_resamples : int, optional
        For "monte_carlo", "bootstrap" and "max_statistic" 9999 by default; for "strengths" as in
        :func:`betterthan.rank`.
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    PairwiseTable
        Matrices over systems sorted best first; ``.pair("A", "B")`` is one comparison.

    Raises
    ------
    BetterThanError
        When an option is given that has no effect here, such as `by` together with a `test` of your own.

    Notes
    -----
    A positive effect means that the row is better, also for metrics where lower is better.
    p-values lie in (0, 1].

    By documents, the interval of a mean difference is all :math:`\delta` that the permutation test does not reject
    [3]_, with :math:`D_g` the sum of differences in document g and :math:`n_g` its number of segments:

    .. math:: P\Big( \big| \sum_g \varepsilon_g (D_g - \delta n_g) \big| \ge \big| \sum_g (D_g - \delta n_g) \big| \Big)
              > 1 - \text{confidence} .

    It therefore excludes 0 exactly where the p-value is at most 1 − `confidence`. With too few documents to reject
    anything (fewer than 6 at 95%), and where the difference does not vary between documents, it is a Student t interval
    with a clustered standard error, as with ``test="t"``. Where the systems differ on at most half of the documents, it
    is the smallest interval that contains both.

    Repeated runs of each system (other seeds, samples, epochs) vary like items do. The interval of a mean difference
    joins that for other items, from l to u, with the variance of the runs [4]_:

    .. math:: d - \sqrt{(d - l)^2 + t_\nu^2 Q}, \qquad d + \sqrt{(u - d)^2 + t_\nu^2 Q}, \qquad
              Q = \max\Big(0, \sum_s \frac{\hat\sigma^2_s}{R_s} + \frac{\hat\sigma^2_e}{2 n R_s}\Big),

    with the variance between runs σ² of both systems, their numbers of runs R and ν Satterthwaite's degrees of freedom;
    the p-value is the largest level at which it contains 0. Where the table says that every score was drawn on its
    own, as with several answers to each prompt, Q is left out: item means already vary with the draws.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL; 3.2.
    .. [2] Riezler and Maxwell (2005), On some pitfalls in automatic evaluation and significance testing for MT.
    .. [3] Hartigan (1969), Using subsample values as typical values, J. American Statistical Association 64; Tritchler
       (1984), On inverting permutation tests, J. American Statistical Association 79.
    .. [4] Zou and Donner (2008), Construction of confidence limits about effect measures, Statistics in Medicine 27.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.read_scores({"A": [3, 5, 4, 6, 5, 7], "B": [2, 3, 3, 3, 4, 5]})
    >>> bt.compare(scores).pair("A", "B").pvalue
    0.03125
    >>> runs = {"item": [1, 1, 2, 2, 3, 3] * 2, "system": ["A"] * 6 + ["B"] * 6, "seed": [1, 2] * 6,
    ...         "score": [3, 4, 5, 6, 4, 4, 2, 3, 3, 4, 3, 3]}
    >>> bt.compare(runs, run="seed").unit_note
    'Unit: 3 items, 2 runs each.'
    >>> bt.compare([3, 5, 4, 6, 5, 7], [2, 3, 3, 3, 4, 5]).pair("A", "B").pvalue
    0.03125
    """
    options = PairOptions(
        alternative=alternative,
        correction=correction,
        alpha=alpha,
        confidence=confidence,
        simultaneous=simultaneous,
    )
    resampling = Resampling.of(
        rng, n_resamples, workers=workers, executor=executor, cache=cache, progress=progress
    )
    kinds, asked = (Scores, Counts, Matches, Runs), test if by == "mean" else by
    corrected = table if isinstance(table, Corrected) and not more else None
    table = as_table(
        table, *more, kinds=kinds, verb="compare", metric=metric, system=system, run=run, by=asked
    )
    chosen = table.systems if systems is None else tuple(systems)
    if len(chosen) < 2:
        raise TableError(f"There is only one system, {', '.join(chosen)}; a comparison needs two or more.")
    require_pairs(len(chosen))
    if method not in get_args(PermutationMethod):
        raise unknown_name("method", method, get_args(PermutationMethod))
    refuse_without_runs(table, over, by)
    if isinstance(table, Matches):
        _check_matches(table, test, by, method, ties, prior, units, n_resamples)
        return _compared_matches(table, by, ties, prior, chosen, options, resampling)
    _refuse_prior(prior, test, by)
    table = table if systems is None else table.select(chosen)
    if isinstance(table, Counts):
        _check_counts(test, by, method, ties)
        pairs = compare_counts(table, units, options, resampling, is_extrapolated=method == "auto")
        return _finished(pairs, table)
    test = test if corrected is None else "t"
    _refuse_unused(test, "mean" if pass_rule(by) else by, method, ties)
    if n_resamples is not None:
        _refuse_resamples(n_resamples, _own_test(test, by), by, method, correction)
    if corrected is not None:
        return _finished(compare_corrected(corrected, table, options, units=units), table)
    comparison = ComparisonOptions(
        by=by,
        test=test,
        method=method,
        ties="drop" if ties == "default" else ties,  # type: ignore[arg-type]  # the sign test says which it knows
        missing=missing,
        units=units,
    )
    # The options of a ranking with its defaults, so that both verbs compare the same strengths.
    ranked = RankOptions(by=by, ties=ties, prior=prior, confidence=confidence)
    if isinstance(table, Runs):
        return compare_runs(table, over, comparison, options, resampling, ranked=ranked)
    return _finished(decide(table, comparison, options, resampling, ranked=ranked), table)


def _compared_matches(
    matches: Matches,
    by: object,
    ties: TiesModel,
    prior: float,
    systems: tuple[str, ...],
    options: PairOptions,
    resampling: Resampling,
) -> PairwiseTable:
    """Compare systems by the model of matches, their ratings or their win rates."""
    if by in ORDERED:
        ranked = RankOptions(by=str(by), confidence=options.confidence)
        found = rate_matches(matches, str(by), ranked, resampling.on(matches.digest))
        return compare_ratings(matches, found, options, systems=systems, seed=resampling.seed)
    if by == "win_rate":
        counts = WinCounts(np.asarray(matches.wins()), np.asarray(matches.ties()))
        refuse_unmet(counts, matches.systems)
        return compare_win_rates(matches, fitted_win_rates(matches, counts), options, systems=systems)
    return compare_matches(matches, ties, options, prior=prior, systems=systems)


def _finished(pairs: PairwiseTable, table: Scores | Counts) -> PairwiseTable:
    """Return the table of pairs with its measurements, and a note on verdicts close to the threshold."""
    return replace(
        pairs,
        measured=f"{table.name}, {table.direction}",
        notes=(*pairs.notes, *edge_note(pairs)),
        both_right=both_right(table, pairs.systems) if isinstance(table, Scores) else None,
    )


def _check_matches(
    matches: Matches,
    test: str,
    by: object,
    method: str,
    ties: str,
    prior: float,
    units: str,
    n_resamples: int | None,
) -> None:
    _refuse_other("Matches", "test", test, ("auto",))
    _refuse_other("Matches", "method", method, ("auto",))
    _refuse_other("Matches", "by", _name(by), ("mean", "bradley_terry", "win_rate", *ORDERED))
    if by not in ("mean", "bradley_terry") and (matches.covariates is not None or prior or ties != "default"):
        _refuse_model_options(matches, _name(by), ties, prior)
    if n_resamples is not None and by not in ORDERED:
        raise BetterThanError(
            Message(
                "{resamples} has no effect on matches. Leave it out.",
                resamples=Option("n_resamples", n_resamples),
            )
        )
    if units == "segments" and matches.group is not None:
        raise BetterThanError(
            Message(
                "{units} has no effect on matches, which are clustered by their groups. Use {cluster}.",
                units=Option("units", "segments"),
                cluster=Option("cluster", False),
            )
        )


def _check_counts(test: str, by: object, method: str, ties: str) -> None:
    _refuse_other("Counts", "test", test, ("auto", "permutation"))
    _refuse_other("Counts", "method", method, ("auto", "monte_carlo"))
    _refuse_other("Counts", "by", _name(by), ("mean", "pooled"))
    _refuse_other("Counts", "ties", ties, ("default",))


def _refuse_model_options(matches: Matches, by: str, ties: str, prior: float) -> None:
    """Raise when an option of the Bradley–Terry model was given for another aggregation."""
    refuse_covariates(matches, by, ties=ties, prior=prior, interval="default")
    raise BetterThanError(
        Message(
            "{option} has no effect with {given}. Leave it out, or use {by}.",
            option=Option("prior", prior) if prior else Option("ties", ties),
            given=Option("by", by),
            by=Option("by", "bradley_terry"),
        )
    )


def _refuse_prior(prior: float, test: str, by: object) -> None:
    if prior and (test not in ("auto", "strengths") or by != "bradley_terry"):
        raise BetterThanError(
            Message(
                "{prior} regularizes Bradley–Terry strengths. Use it with matches, or with {by}.",
                prior=Option("prior", prior),
                by=Option("by", "bradley_terry"),
            )
        )


def _name(by: object) -> str:
    return str(getattr(by, "__name__", by))


def _own_test(test: str, by: object) -> str:
    return OWN_TEST.get(_name(by), "strengths") if test == "auto" else test


def _refuse_unused(test: str, by: object, method: str, ties: str) -> None:
    """Raise when an option was given that has no effect on a comparison of scores."""
    own = _own_test(test, by)
    if by != "mean" and test not in ("auto", "strengths"):
        raise BetterThanError(
            Message(
                "{by} has no effect with {test}, which does not compare strengths. Leave out one of them.",
                by=Option("by", _name(by)),
                test=Option("test", test),
            )
        )
    if method != "auto" and own != "permutation":
        raise BetterThanError(
            Message(
                "{method} belongs to the permutation test and has no effect with {own}. Leave it out, or use {test}.",
                method=Option("method", method),
                own=Option("test", own),
                test=Option("test", "permutation"),
            )
        )
    if ties != "default" and own != "sign" and not (own == "strengths" and by == "bradley_terry"):
        raise BetterThanError(
            Message(
                "{ties} has no effect with {own}. Leave it out, or use {sign} or {by}.",
                ties=Option("ties", ties),
                own=Option("test", own),
                sign=Option("test", "sign"),
                by=Option("by", "bradley_terry"),
            )
        )


def _refuse_resamples(n_resamples: int, test: str, by: object, method: str, correction: str) -> None:
    """Raise when a number of resamples was given that cannot matter; with few units the permutation test resamples."""
    may_draw = {
        "bootstrap": True,
        "permutation": method == "monte_carlo" or correction in ("auto", "max_statistic"),
        "strengths": by not in ("bradley_terry", *ITEM_RESPONSE),
    }
    if not may_draw.get(test, correction == "max_statistic"):
        raise BetterThanError(
            Message(
                "{resamples} has no effect with {own}, which does not resample. Leave it out, or use {bootstrap}, or "
                "{permutation} with {method}.",
                resamples=Option("n_resamples", n_resamples),
                own=Option("test", test),
                bootstrap=Option("test", "bootstrap"),
                permutation=Option("test", "permutation"),
                method=Option("method", "monte_carlo"),
            )
        )


def _refuse_other(table: str, option: str, value: str, possible: tuple[str, ...]) -> None:
    if value not in possible:
        tables, tested = {
            "Matches": ("Battles", "by the Bradley–Terry model"),
            "Counts": ("Pooled scores", "by permuting the counts of segments"),
        }[table]
        raise BetterThanError(
            Message(
                "{tables} are compared {tested}, not with {given}. Use {known}.",
                tables=tables,
                tested=tested,
                given=Option(option, value),
                known=joined([Option(option, name) for name in possible], " or "),
            )
        )
