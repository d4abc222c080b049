"""Which metric can we trust? On one test set, or on several test sets and language pairs together."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from concurrent.futures import Executor
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, Literal, get_args

import numpy as np

from betterthan.analysis.meta.comparisons import (
    ALTERNATIVES,
    CORRECTIONS,
    SIGNIFICANCE,
    SWAPS,
    SignificanceOptions,
    bootstrap_tails,
    chosen_test,
    untested,
)
from betterthan.analysis.meta.inputs import (
    MetricTables,
    Panel,
    panel_of,
    points_as_scores,
    strengths_as_scores,
    tables_of,
    with_pairs,
    with_texts,
)
from betterthan.analysis.meta.measures import (
    LEVELS,
    Measure,
    MeasuredMetrics,
    MeasureLevel,
    MeasureOptions,
    MeasureRequest,
    PValues,
    UnitChoice,
    check_level,
    request_for,
)
from betterthan.analysis.meta.result import (
    MetricFindings,
    Systems,
    about_gaps,
    about_undefined,
    caveats_of,
    evaluated,
    meta_evaluation,
    taken_and_drawn,
    unit_choice,
    unit_sentence,
)
from betterthan.analysis.meta.segment import (
    AccuracyWithTies,
    OwnFunction,
    SegmentCoefficient,
    TieTau,
    UserFunction,
)
from betterthan.analysis.meta.swaps import SwapTails, swapped_leads, tails_of_systems
from betterthan.analysis.meta.system import MeansMeasure, SoftPairwiseAccuracy
from betterthan.analysis.resampling import Resampling, Rng
from betterthan.analysis.table_argument import AnyData, as_metrics_and_human
from betterthan.arrays import FloatArray, digest
from betterthan.budget import check_share
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError, TableError, some_of, unknown_name
from betterthan.kernels.agreement.correlation import kendall_b_rows, pearson, spearman
from betterthan.kernels.agreement.soft_pairwise import pairwise_accuracy
from betterthan.messages import Message, Option, joined
from betterthan.results.metrics import MetaEvaluation
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

POOLS = ("average", "pairs")
METRIC_KINDS = ("all", "reference_based", "reference_free")


def panels_of(
    metrics: MetricTables | Mapping[str, MetricTables],
    human: Mapping[str, Scores],
    *,
    leave_out: Collection[str] = (),
    outliers: Literal["keep", "drop"] = "keep",
    leave_out_metrics: Collection[str] = (),
    metric_kind: str = "all",
) -> dict[str, Panel]:
    """Return a panel for each test set, with the metrics that all of them share.

    Parameters
    ----------
    metrics : mapping from test set to metrics
    human : mapping from test set to Scores
    leave_out : collection of str
        Systems to leave out of every test set.
    outliers : {"keep", "drop"}
    leave_out_metrics, metric_kind
        As in :func:`betterthan.analysis.meta.inputs.panel_of`.
    """
    if not isinstance(metrics, Mapping) or set(metrics) != set(human):
        having = some_of(list(metrics)) if isinstance(metrics, Mapping) else "no names"
        raise TableError(
            f"Metrics and human scores must be for the same test sets. Human scores are for {some_of(list(human))}; "
            f"metrics for {having}."
        )
    panels = {
        name: panel_of(
            metrics[name],
            table,
            leave_out=_occurring(leave_out, table.systems),
            outliers=outliers,
            leave_out_metrics=_occurring(leave_out_metrics, [one.name for one in tables_of(metrics[name])]),
            metric_kind=metric_kind,
        )
        for name, table in human.items()
    }
    common = set.intersection(*[set(panel.names) for panel in panels.values()])
    if not common:
        raise TableError("No metric has scores for all of the test sets. Evaluate them one by one.")
    return {name: _restricted(panel, common) for name, panel in panels.items()}


def _occurring(patterns: Collection[str], names: Collection[str]) -> list[str]:
    several = [patterns] if isinstance(patterns, str) else list(patterns)
    return [pattern for pattern in several if any(fnmatchcase(name, pattern) for name in names)]


def _restricted(panel: Panel, common: set[str]) -> Panel:
    without = [name for name in panel.names if name not in common]
    if not without:
        return panel
    note = f"Metrics left out, because another test set does not have them: {some_of(without)}."
    kept = tuple(metric for metric in panel.metrics if metric.name in common)
    return replace(panel, metrics=kept, notes=(*panel.notes, note))


def evaluated_together(
    panels: Mapping[str, Panel],
    measure: Measure,
    options: MeasureOptions,
    resampling: Resampling,
    significance: SignificanceOptions,
    *,
    pool: str,
) -> MetaEvaluation:
    """Compare metrics with human scores on every test set, and pool the measures with weights."""
    names = next(iter(panels.values())).names
    ordered = {part: _in_order(panel, names) for part, panel in panels.items()}
    requests = {
        part: request_for(panel.human, options, resampling, unit_choice(significance), part=f" {part}")
        for part, panel in ordered.items()
    }
    parts = {
        part: taken_and_drawn(panel, measure, requests[part], significance) for part, panel in ordered.items()
    }
    weights = _weights([taken for taken, _ in parts.values()], pool)
    value = np.stack([taken.value for taken, _ in parts.values()])
    draws = _pooled([drawn for _, drawn in parts.values()], weights)
    test = chosen_test(measure, list(ordered.values()), significance)
    pooled = MeasuredMetrics(
        value=weights @ value,
        n_pairs=sum(taken.n_pairs for taken, _ in parts.values()),
        options=next(iter(parts.values()))[0].options,
    )
    findings = MetricFindings(
        metrics=names,
        human=", ".join(dict.fromkeys(panel.human.name for panel in ordered.values())),
        taken=pooled,
        draws=draws,
        test=test if len(names) > 1 else "none",
        tails=_tails(test, ordered, measure, requests, weights, pooled.value, draws),
        systems=Systems(),
        n_systems=sum(panel.human.n_systems for panel in ordered.values()),
        n_segments=sum(panel.human.n_segments for panel in ordered.values()),
        n_drawn=sum(request.drawn.n_units for request in requests.values()),
        data=digest(tuple((part, panel.digest) for part, panel in ordered.items())),
        unit_note=_unit_sentence(ordered, requests, measure, test),
        lower_is_better=tuple(
            dict.fromkeys(name for panel in ordered.values() for name in panel.lower_is_better)
        ),
        notes=_notes(ordered, parts),
        options={"pool": pool, "parts": len(parts)},
        caveats=tuple(dict.fromkeys(one for panel in ordered.values() for one in caveats_of(panel, None, 0))),
        part_names=tuple(parts),
        part_value=value.T,
        resample=None if options.resample == "both" else options.resample,
    )
    return meta_evaluation(findings, measure, resampling, significance)


def _in_order(panel: Panel, names: tuple[str, ...]) -> Panel:
    at = {metric.name: metric for metric in panel.metrics}
    return replace(panel, metrics=tuple(at[name] for name in names))


def _weights(taken: list[MeasuredMetrics], pool: str) -> FloatArray:
    size = np.array([one.n_pairs if pool == "pairs" else 1 for one in taken], dtype=np.float64)
    return np.asarray(size / size.sum())


def _pooled(draws: list[FloatArray | None], weights: FloatArray) -> FloatArray | None:
    known = [one for one in draws if one is not None]
    if len(known) < len(draws):
        return None
    return np.asarray(np.tensordot(weights, np.stack(known), axes=1))


def _tails(
    test: str,
    panels: Mapping[str, Panel],
    measure: Measure,
    requests: Mapping[str, MeasureRequest],
    weights: FloatArray,
    value: FloatArray,
    draws: FloatArray | None,
) -> SwapTails:
    """P-values of the pooled measure; every test set is swapped or resampled separately."""
    if test == "none" or value.size < 2:
        return untested(value.size)
    if test == "bootstrap":
        return bootstrap_tails(draws, value, measure)
    if test not in SWAPS:
        raise BetterThanError(
            Message(
                "{given} cannot compare metrics over several test sets together. Use {known}.",
                given=Option("significance", test),
                known=joined([Option("significance", name) for name in (*SWAPS, "bootstrap")], " or "),
            )
        )
    parts = [swapped_leads(measure, panel, requests[part], test) for part, panel in panels.items()]  # type: ignore[arg-type]
    pooled = parts[0]._replace(
        observed=np.tensordot(weights, np.stack([part.observed for part in parts]), axes=1),
        swapped=np.tensordot(weights, np.stack([part.swapped for part in parts]), axes=1),
    )
    fewest = min(panel.human.n_systems for panel in panels.values())
    return tails_of_systems(pooled, test, fewest)  # type: ignore[arg-type]


def _unit_sentence(
    panels: Mapping[str, Panel], requests: Mapping[str, MeasureRequest], measure: Measure, test: str
) -> str:
    """Return notes on the resampling unit; for each test set where they differ."""
    said = {part: unit_sentence(panel.human, requests[part], measure, test) for part, panel in panels.items()}
    return " ".join(f"{part}: {one}" for part, one in said.items() if one)


def _notes(
    panels: Mapping[str, Panel], parts: Mapping[str, tuple[MeasuredMetrics, FloatArray | None]]
) -> tuple[str, ...]:
    said = []
    for part, panel in panels.items():
        taken = parts[part][0]
        notes = (
            *panel.notes,
            *taken.notes,
            *about_undefined(panel.names, taken.value),
            *about_gaps(panel),
        )
        said += [Message("{part}: {note}", severity="info", part=part, note=note) for note in notes]
    return tuple(said)


COEFFICIENTS = {"pearson": pearson, "spearman": spearman, "kendall_b": kendall_b_rows}
TAUS = ("tau_ties_ignored", "tau_ties_soft", "tau_ties_hard", "tau_human_ties")
MEASURES = (*COEFFICIENTS, "pairwise_accuracy", "soft_pairwise_accuracy", "accuracy_with_ties", *TAUS)


def meta_evaluate(
    metrics: AnyData,
    human: AnyData = None,
    *,
    by: str | UserFunction = "soft_pairwise_accuracy",
    level: MeasureLevel | None = None,
    significance: str = "default",
    alternative: str = "two-sided",
    p_values: PValues = "monte_carlo",
    mid_p: bool = False,
    units: UnitChoice = "auto",
    margin: float = 0.0,
    metric_margin: float = 0.0,
    leave_out: Collection[str] = (),
    outliers: Literal["keep", "drop"] = "keep",
    leave_out_metrics: Collection[str] = (),
    metric_kind: str = "all",
    human_by: str | None = None,
    texts: Texts | None = None,
    resample: str = "both",
    pool: str = "average",
    correction: str = "auto",
    alpha: float = 0.05,
    confidence: float | None = 0.95,
    n_resamples: int = 1000,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> MetaEvaluation:
    r"""Evaluate metrics by their agreement with human scores, and test which metrics differ significantly.

    The default is soft pairwise accuracy [1]_: with :math:`p^h_{ij}` and :math:`p^m_{ij}` the one-sided p-values of
    human and of metric scores that system i is better than system j,

    .. math:: \text{SPA} = \binom{N}{2}^{-1} \sum_{i<j} 1 - \lvert p^h_{ij} - p^m_{ij} \rvert .

    Parameters
    ----------
    metrics : mapping of name to Scores or Counts, or a sequence of them
        Corpus metrics (Counts) are permuted and resampled with their true corpus score. For several test sets or
        language pairs, a mapping from the name of each to its metrics. Or what they are read from: files of scores, a
        data frame, or a folder of the WMT metrics task.
    human : Scores or Matches
        NaN where there is no human score: pairs of systems are compared on the segments judged for both. Matches, such
        as relative rankings, are compared as they are by the taus, and by the strengths of systems (`human_by`) at the
        system level. For several test sets, a mapping with the same names. Or what they are read from; a folder of the
        metrics task contains its own.
    by : str or callable, default "soft_pairwise_accuracy"
        At the system level: "pearson", "spearman", "kendall_b", "pairwise_accuracy", "soft_pairwise_accuracy". At
        segment levels: "pearson", "spearman", "kendall_b", "accuracy_with_ties" [2]_, and the taus over pairs of
        systems of [3]_: "tau_ties_ignored" (table 4a), "tau_ties_soft" (4b), "tau_ties_hard" (4c, official in WMT
        2019 and 2020), "tau_human_ties" (table 5). Or a function of a metric's scores and human scores, both systems ×
        segments, that returns a number.
    level : {"system", "segment", "within_system", "global"}, optional
        "segment": across systems for each segment, averaged. "within_system": across segments for each system,
        averaged. "global": all scores at once. By default the level that the measure is defined at.
    significance : str, default "default"
        Test of the difference between two metrics: "perm_inputs", "perm_systems", "perm_both" or "perm_cells" swap the
        metrics' scores on whole segments, for whole systems, both, or cell by cell [4]_; "perm_pairs" swaps pairs of
        systems (accuracy with ties, closed form); "williams" (Pearson at the system level) [5]_; "bootstrap" over
        segments; "none". By default "perm_systems" at the system level ("perm_inputs" below six systems), "perm_inputs"
        at the others, "williams" for Pearson where metrics have one score per system, "bootstrap" for a function of
        your own. ``comparisons.generalises_to`` and ``comparisons.null`` of the result state what a test generalizes to
        and its null hypothesis.
    alternative : {"two-sided", "wmt"}, default "two-sided"
        "wmt" is the convention of the WMT shared tasks: one-sided in favor of the metric with the higher value, by
        "perm_inputs" and without correction by default. Its type I error rate is 10% at level 0.05, because the data
        choose the direction.
    p_values : {"monte_carlo", "analytic", "exact"}, default "monte_carlo"
        Of pairs of systems in soft pairwise accuracy. "monte_carlo" is the published protocol: the share of
        permutations, the same for all, that are at least as good. "analytic" has neither seed nor Monte Carlo error.
        "exact" is exact, or certified to four digits. Bootstrap intervals always use analytic ones, and so do
        comparisons of metrics unless it is "monte_carlo" without `mid_p`, because every resample needs new ones.
    mid_p : bool, default False
        Count ties as half: soft pairwise accuracy then does not depend on the order of the systems, and identical
        systems have p = 0.5.
    units : {"auto", "segments", "groups"} or int, default "auto"
        The unit that is permuted, swapped or resampled: segments, documents, or windows of this number of segments.
        With "auto", intervals resample whole documents where the human scores name them, and swaps of measures that are
        sums over segments swap whole documents; the p-values in soft pairwise accuracy permute single segments, as
        published. The alternative "wmt" uses single segments throughout.
    margin : float, default 0
        For the taus: human scores that differ by less than this are ties. WMT's relative rankings from direct
        assessment use 25.
    metric_margin : float, default 0
        For the taus: metric scores that differ by at most this much are ties.
    leave_out : collection of str
        Systems to leave out, such as references; ``"Human-*"`` names several.
    outliers : {"keep", "drop"}, default "keep"
        "drop" leaves out systems whose human score is more than 2.5 robust standard deviations from the median [6]_.
    leave_out_metrics : collection of str
        Metrics to leave out, such as ``"*-QE"``.
    metric_kind : {"all", "reference_based", "reference_free"}, default "all"
        Which metrics to keep, by what their names say: ``QE``, ``src``, ``[noref]`` or ``Kiwi``.
    human_by : str, optional
        At the system level: "bradley_terry", "elo", "trueskill", "win_rate", "median" or "mean" of the human judgments;
        or "cluster" or "fuzzy_rank", their ranks with ties of systems that do not differ significantly [7]_. By default
        the mean of scores, and Bradley–Terry of matches.
    texts : Texts, optional
        For the taus: the outputs; two systems with the same text on a segment are a human tie [3]_.
    resample : {"both", "human"}, default "both"
        At the system level: whether intervals draw the segments of human and metric scores together, or those of the
        human scores alone, with the metrics' scores fixed.
    pool : {"average", "pairs"}, default "average"
        For several test sets: the unweighted average, or weighted by the number of pairs of systems, which for
        accuracies equals pooling all pairs.
    correction : {"auto", "none", "bonferroni", "holm", "benjamini_hochberg", "max_statistic"}, default "auto"
        For multiple comparisons of metrics. "max_statistic" is the step-down procedure with the largest difference over
        all pairs after each random swap; "auto" is that where scores are swapped at random, "holm" for the other tests,
        and "none" with the alternative "wmt".
    alpha : float, default 0.05
    confidence : float or None, default 0.95
        Confidence level of the intervals of values; None for no intervals. An interval is for the expected value on
        test sets of the same size, with these systems: bootstrap percentiles over units, shifted so that their mean is
        the value and widened for few units.
    n_resamples : int, default 1000
        Permutations, swaps and bootstrap samples.
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    MetaEvaluation
        Metrics sorted best first, with p-values of all pairs, significance clusters and groups.

    Notes
    -----
    All metrics are evaluated on the same systems, segments and cells. Systems that most metrics did not score are left
    out: usually these are the reference. P-values of metric comparisons are never 0.

    References
    ----------
    .. [1] Thompson, Mathur, Deutsch and Khayrallah (2024), Improving statistical significance in human evaluation of
       automatic metrics via soft pairwise accuracy, WMT.
    .. [2] Deutsch, Foster and Freitag (2023), Ties matter, EMNLP.
    .. [3] Stanchev, Wang and Ney (2020), Towards a better evaluation of metrics for machine translation, WMT.
    .. [4] Deutsch, Dror and Roth (2021), A statistical analysis of summarization evaluation metrics using resampling
       methods, TACL 9.
    .. [5] Graham and Baldwin (2014), Testing for significance of increased correlation with human judgment, EMNLP.
    .. [6] Mathur, Baldwin and Cohn (2020), Tangled up in BLEU, ACL.
    .. [7] Macháček and Bojar (2013), Results of the WMT13 metrics shared task, WMT.

    Examples
    --------
    >>> import numpy as np
    >>> import betterthan as bt
    >>> rng = np.random.default_rng(1)
    >>> human = rng.normal(size=(5, 60)) + np.arange(5)[:, None] / 4
    >>> def table(name, noise):
    ...     values = human + noise * rng.normal(size=human.shape)
    ...     return bt.Scores(name=name, systems=list("ABCDE"), segments=[str(i) for i in range(60)], values=values)
    >>> found = bt.meta_evaluate([table("sharp", 1.0), table("blunt", 6.0)], table("people", 0.0), p_values="analytic")
    >>> found.metrics, found.value.round(3)
    (('sharp', 'blunt'), array([0.894, 0.755]))
    """
    metrics, human = as_metrics_and_human(metrics, human)
    measure = measure_named(by, level)
    comparing = SignificanceOptions(
        significance=_known("significance", significance, SIGNIFICANCE),
        alternative=_known("alternative", alternative, ALTERNATIVES),
        correction=_known("correction", correction, CORRECTIONS),
        alpha=_share("alpha", alpha),
        confidence=None if confidence is None else _share("confidence", confidence),
        units=units,
    )
    options = MeasureOptions(
        p_values=_known("p_values", p_values, get_args(PValues)),  # type: ignore[arg-type]
        mid_p=mid_p,
        margin=_not_negative("margin", margin),
        metric_margin=_not_negative("metric_margin", metric_margin),
        resample=_known("resample", resample, ("both", "human")),
    )
    resampling = Resampling.of(
        rng, _positive(n_resamples), workers=workers, executor=executor, cache=cache, progress=progress
    )
    far: Literal["keep", "drop"] = _known("outliers", outliers, ("keep", "drop"))  # type: ignore[assignment]
    kept: dict[str, Any] = {
        "leave_out": leave_out,
        "outliers": far,
        "leave_out_metrics": leave_out_metrics,
        "metric_kind": _known("metric_kind", metric_kind, METRIC_KINDS),
    }
    _check_human_side(measure, human, options, human_by=human_by, has_texts=texts is not None)
    matches, human = human, _human_scores(measure, metrics, human, human_by, resampling)
    if isinstance(human, Mapping):
        panels = panels_of(metrics, human, **kept)
        pooling = _known("pool", pool, POOLS)
        return evaluated_together(panels, measure, options, resampling, comparing, pool=pooling)
    panel = panel_of(metrics, human, **kept)
    if isinstance(matches, Matches) and isinstance(measure, TieTau):
        panel = with_pairs(panel, matches)
    if texts is not None:
        panel = with_texts(panel, texts)
    return evaluated(panel, measure, options, resampling, comparing)


def _human_scores(
    measure: Measure,
    metrics: Any,  # noqa: ANN401  (tables, or mappings of them)
    human: Any,  # noqa: ANN401
    by: str | None,
    resampling: Resampling,
) -> Any:  # noqa: ANN401
    """Return the human scores that are compared: as they are, strengths of systems, or points of relative rankings."""
    if isinstance(human, Mapping):
        if by is None or set(human) != set(metrics):  # names that differ are refused with the panels
            return human
        return {
            name: _human_scores(measure, metrics[name], one, by, resampling) for name, one in human.items()
        }
    if isinstance(human, Matches) and isinstance(measure, TieTau):
        return points_as_scores(human)
    if isinstance(human, Matches) or by is not None:
        seed = {"rng": resampling.seed}
        return strengths_as_scores(human, by or "bradley_terry", metrics, **seed)
    return human


def _check_human_side(
    measure: Measure, human: object, options: MeasureOptions, *, human_by: str | None, has_texts: bool
) -> None:
    """Raise when the measure cannot use these judgments, or an option would change nothing."""
    is_tau, is_means = isinstance(measure, TieTau), isinstance(measure, MeansMeasure)
    of_pairs = [
        isinstance(one, Matches) for one in (human.values() if isinstance(human, Mapping) else [human])
    ]
    several = isinstance(human, Mapping)
    if any(of_pairs) and (several or not (is_tau or is_means)):
        raise BetterThanError(
            Message(
                "Relative rankings have no scores of segments. Use {tau}, or {pearson} for the strengths of systems.",
                tau=Option("by", "tau_ties_hard"),
                pearson=Option("by", "pearson"),
            )
        )
    fine = {
        "human_by": human_by is None or is_means,
        "texts": not has_texts or (is_tau and not several and not any(of_pairs)),
        "margin": not (options.margin and any(of_pairs)),
        "resample": options.resample == "both" or measure.level == "system",
    }
    given = {"human_by": human_by, "texts": True, "margin": options.margin, "resample": options.resample}
    for name, is_fine in fine.items():
        if not is_fine:
            raise BetterThanError(
                Message(
                    "{option} has no effect with {by} and these human judgments. Leave it out.",
                    option=Option(name, given[name]),
                    by=Option("by", measure.name),
                )
            )


def measure_named(by: str | UserFunction, level: MeasureLevel | None) -> Measure:
    """Return the measure with this name at this level.

    Examples
    --------
    >>> measure_named("pearson", None).level, measure_named("accuracy_with_ties", None).level
    ('system', 'segment')
    """
    if not isinstance(by, str):
        if not callable(by):
            raise BetterThanError(f"by must be the name of a measure or a function, not {by!r:.60}.")
        check_level(level or "global", LEVELS, getattr(by, "__name__", "function"))
        return OwnFunction(function=by, level=level or "global")
    _known("measure", by, MEASURES)
    if by in COEFFICIENTS:
        check_level(level or "system", ("system", "segment", "within_system", "global"), by)
        is_of_means = level in (None, "system")
        return (
            MeansMeasure(name=by, statistic=COEFFICIENTS[by])
            if is_of_means
            else SegmentCoefficient(name=by, level=level or "segment")
        )
    if by == "accuracy_with_ties":
        check_level(level or "segment", ("segment", "within_system", "global"), by)
        return AccuracyWithTies(level=level or "segment")
    if by in TAUS:
        check_level(level or "segment", ("segment",), by)
        return TieTau(name=by)
    check_level(level or "system", ("system",), by)
    is_soft = by == "soft_pairwise_accuracy"
    return SoftPairwiseAccuracy() if is_soft else MeansMeasure(name=by, statistic=pairwise_accuracy)


def _known(what: str, name: str, names: Collection[str]) -> str:
    if name not in names:
        raise unknown_name(what, name, names)
    return name


def _positive(number: int) -> int:
    if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
        raise BetterThanError(f"n_resamples must be a positive integer, not {number!r}.")
    return int(number)


def _not_negative(what: str, number: float) -> float:
    if not isinstance(number, int | float | np.number) or not 0 <= number < np.inf:
        raise BetterThanError(f"{what} must be a non-negative number, not {number!r}.")
    return float(number)


def _share(name: str, number: float) -> float:
    check_share(name, number)
    return float(number)
