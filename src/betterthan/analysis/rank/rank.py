"""Which system is best, and how sure are we?

Ranking of systems that ran several times: for other items and other runs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from betterthan.analysis.compare.compare_runs import (
    Over,
    RunsDesign,
    decide_runs,
    design_of,
    pass_rule,
    refuse_of_items,
    refuse_without_runs,
)
from betterthan.analysis.compare.decide import ComparisonOptions
from betterthan.analysis.matches.matches import TiesModel
from betterthan.analysis.pairs.pairwise import require_pairs
from betterthan.analysis.rank.rank_corrected import rank_corrected
from betterthan.analysis.rank.rank_matches import rank_matches
from betterthan.analysis.rank.rank_scores import COUNT_METHODS, rank_counts, rank_scores
from betterthan.analysis.resampling import Resampling, Rng
from betterthan.analysis.strengths.aggregations import NAMES, ORDERED
from betterthan.analysis.strengths.ordered import PlayOrder
from betterthan.analysis.strengths.ranking import RankOptions, SystemStrengths, ranking
from betterthan.analysis.strengths.strength_intervals import mean_limits
from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.analysis.units import UnitName, few_units_note, units_of
from betterthan.arrays import FloatArray
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError, TableError, some_of, unknown_name
from betterthan.kernels.runs.limits import joined_limits, run_variance
from betterthan.messages import COLUMN, HUMANS_RANKED, Message, Option, joined
from betterthan.results.judges import Corrected
from betterthan.results.ranking import Ranking
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.metric_names import is_human_translation
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores


def rank_runs(runs: Runs, options: RankOptions, resampling: Resampling, *, over: str) -> Ranking:
    """Rank by the mean over items and runs, by pass@k, or by any aggregation of the means over these runs.

    Raises
    ------
    BetterThanError
        When an option was given that applies to the means over these runs only.
    """
    rule = pass_rule(options.by)
    design = design_of(runs, over, options.by, options.missing)
    if design.over == "items":
        by = options.by if rule is None else "mean"
        ranked = rank_scores(design.scores, replace(options, by=by), resampling)
        return _named(ranked, design)
    usual = {"by": (None, "mean"), "interval": ("default",)}
    refuse_of_items(usual, {name: getattr(options, name) for name in usual})
    comparison = ComparisonOptions(units=options.units)
    pairs = decide_runs(design, comparison, options.pair_options(), resampling, ranked=options)
    return ranking(_strengths(design, options), pairs, options)


def _named(ranked: Ranking, design: RunsDesign) -> Ranking:
    """Return the ranking with the name of its aggregation and the notes on runs."""
    method = design.method if design.method != "mean" else ranked.settings.method
    settings = replace(ranked.settings, method=method)
    return replace(ranked, settings=settings, notes=(*ranked.notes, *design.notes))


def _strengths(design: RunsDesign, options: RankOptions) -> SystemStrengths:
    """Means with their intervals: joint for other items and other runs."""
    scores = design.scores
    units = units_of(scores, options.units)
    mean = scores.goodness.mean(axis=1)
    fixed_items = design.over == "runs"
    low = high = mean
    if not fixed_items:
        low, high, *_ = mean_limits(
            scores.goodness, units, systems=scores.systems, confidence=options.confidence
        )
    between = run_variance(design.moments, np.eye(mean.size), fixed_items=fixed_items, is_pooled=True)
    low, high = joined_limits(mean, low, high, between, confidence=options.confidence)
    least, most = float(design.runs.goodness.min()), float(design.runs.goodness.max())
    low, high = np.maximum(low, least), np.minimum(high, most)  # a mean lies within the scores
    is_turned = not scores.higher_is_better
    return SystemStrengths(
        systems=scores.systems,
        method="mean",
        unit=f"{scores.name}, {scores.direction}",
        strength=0.0 - mean if is_turned else mean,
        low=-high if is_turned else low,
        high=-low if is_turned else high,
        higher_is_better=not is_turned,
        data=design.runs.digest,
        n_segments=scores.n_segments,
        options={
            "ci": f"{100 * options.confidence:g},items+runs",
            "over": design.over,
            "units": units.name,
        },
        notes=(*scores.notes, *design.notes, *few_units_note(units)),
        drew=False,
    )


DEFAULTS: dict[str, Any] = {
    "ties": "default",
    "prior": 0.0,
    "scale": "share",
    "anchor": None,
    "order": "shuffled",
    "size": 1000,
}
"""Options that may have no effect. The amount of resampling (`n_resamples`, `n_orders`) is not among them."""

_USED_BY = {
    "ties": ("bradley_terry",),
    "prior": ("bradley_terry",),
    "scale": ("bradley_terry",),
    "anchor": ("bradley_terry",),
    "order": ("elo", "trueskill"),
    "size": ("bootstrap_mean",),
}

RankTable = Scores | Counts | Matches | Runs


def refuse_unused(table: RankTable, by: object, options: Mapping[str, Any]) -> None:
    """Raise when an option was given that has no effect.

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=["1"], values=[[1], [2]])
    >>> refuse_unused(scores, "mean", {"prior": 1.0})
    Traceback (most recent call last):
    ...
    betterthan.errors.BetterThanError: prior=1 has no effect with by="mean". Leave it out, or use by="bradley_terry".
    """
    for name in unused(table, by, options):
        method = getattr(_method(table, by), "__name__", _method(table, by))
        raise BetterThanError(
            Message(
                "{option} has no effect with {given}. Leave it out, or use {by}.",
                option=Option(name, options[name]),
                given=Option("by", method),
                by=joined([Option("by", one) for one in _USED_BY[name]], " or "),
            )
        )


def unused(table: RankTable, by: object, options: Mapping[str, Any]) -> list[str]:
    """Return the options that differ from their default and have no effect on a ranking of this table."""
    used = _used(_method(table, by))
    changed = (name for name, default in DEFAULTS.items() if options.get(name, default) != default)
    return [name for name in changed if name not in used]


def of_each_method(
    table: RankTable, methods: Sequence[Any], options: Mapping[str, Any]
) -> list[tuple[Any, dict[str, Any]]]:
    """Return each method with the options that apply to it.

    An option that applies to some of the methods is left out for the others. One that applies to none is kept, and the
    ranking raises an error.

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=["1"], values=[[1], [2]])
    >>> of_each_method(scores, ["mean", "elo"], {"order": "listed", "scale": "log"})
    [('mean', {'scale': 'log'}), ('elo', {'order': 'listed', 'scale': 'log'})]
    """
    idle = [set(unused(table, by, options)) for by in methods]
    nowhere = set.intersection(*idle) if idle else set()
    return [
        (by, {name: value for name, value in options.items() if name not in one - nowhere})
        for by, one in zip(methods, idle, strict=True)
    ]


def _method(table: RankTable, by: object) -> object:
    if by is not None:
        return by
    if isinstance(table, Matches):
        return "bradley_terry"
    return "pooled" if isinstance(table, Counts) else "mean"


def _used(by: object) -> tuple[str, ...]:
    if by == "bradley_terry":
        return "ties", "prior", "scale", "anchor"
    if by == "plackett_luce":
        return "scale", "anchor"
    if by in ORDERED:
        return ("order",)
    return ("size",) if by == "bootstrap_mean" else ()


Method = Literal[
    "mean",
    "median",
    "win_rate",
    "bradley_terry",
    "plackett_luce",
    "elo",
    "trueskill",
    "irt",
    "irt_2pl",
    "pooled",
    "segment_mean",
    "bootstrap_mean",
]


@with_one_blas_thread
def rank(
    table: AnyData,
    *more: AnyData,
    metric: str | None = None,
    system: str | Sequence[str] | None = None,
    run: str | None = None,
    by: Method | str | Callable[[FloatArray], FloatArray] | None = None,
    ties: TiesModel = "default",
    prior: float = 0.0,
    scale: Literal["share", "log", "elo"] = "share",
    anchor: str | None = None,
    order: PlayOrder = "shuffled",
    n_orders: int = 100,
    rating: Mapping[str, float] | None = None,
    missing: Literal["raise", "drop"] = "raise",
    units: UnitName = "auto",
    over: Over = "items and runs",
    interval: Literal["default", "percentile", "bca", "robust"] = "default",
    confidence: float = 0.95,
    n_resamples: int | None = None,
    size: int = 1000,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Ranking:
    r"""Rank systems from best to worst, with confidence intervals of strengths and of ranks.

    The mean is what most papers report; the median is robust to outliers; Bradley–Terry uses the number of segments on
    which a system beats each other one, and so respects the pairing by segment [1]_:

    .. math:: P(a \text{ beats } b) = \frac{\lambda_a}{\lambda_a + \lambda_b}

    Parameters
    ----------
    table, *more : Scores, Counts, Matches or Runs, or what they are read from
        A path, a folder, a pattern or several of them; a data frame; a dict of columns, or of names and paths; or an
        array for each system, which are then called A, B, … At least two systems.
    metric : str, optional
        The metric, if several are read.
    system : str or sequence of str, optional
        The column that names the systems, or several columns that name them together, such as ["model", "prompt"].
    run : str, optional
        The column that numbers repeated runs (seed, repeat, epoch, …); found by its name where rows repeat.
    by : {"mean", "median", "win_rate", "bradley_terry", "plackett_luce", "elo", "trueskill", "irt", …} or callable
        By default the mean for scores, the pooled score for counts, Bradley–Terry for matches. A callable maps goodness
        (systems × segments, higher is better) to one strength per system. "irt" and "irt_2pl" are item response models
        of right and wrong answers, whose items differ in difficulty (1PL), and in discrimination too (2PL); the result
        has `items`. "plackett_luce" is for rankings of several systems, with ties and of the best only: every place is
        a choice among the systems below [6]_. For counts there are three more [3]_:

        * "pooled": sums first, the formula once (corpus level; default).
        * "segment_mean": the formula on each segment, then the mean (segment level).
        * "bootstrap_mean": the mean pooled score of `n_resamples` corpora of `size` segments drawn with replacement.

        For runs of right and wrong there are two more, with k any number: "pass@k", the chance that one of k runs is
        right [4]_, and "pass^k", the chance that all of k runs are [5]_. Both are unbiased estimates for every item.
    ties : {"default", "half", "drop", "davidson", "rao_kupper", "as_published"}
        For Bradley–Terry. The default drops ties of scores (only strict wins count, as in [1]_) and counts ties of
        matches half (as arenas do); "davidson" models them as a third outcome, "rao_kupper" as a difference below a
        threshold; "as_published" gives them to the second system, as the code of [1]_ does.
    prior : float, default 0
        Regularizes Bradley–Terry: wins and losses added for every system against a hypothetical average system. Needed
        when a system never won or never lost.
    scale : {"share", "log", "elo"}, default "share"
        Scale of Bradley–Terry strengths: normalized to sum 1 as in [1]_, natural logarithms, or 400 points for odds of
        ten to one.
    anchor : str, optional
        For battles by Bradley–Terry with ``scale="elo"`` or ``"log"``: the system fixed at 1500 points, or at 0.
        Intervals are then those of the differences from it. By default the average of all systems is fixed.
    order : {"shuffled", "listed", "segments", "as_published"}, default "shuffled"
        Order of play for Elo and TrueSkill: averaged over `n_orders` shuffles, with the variation shown; as the matches
        are listed, where the last ones count most; segment by segment; or pair by pair with ties given to the second
        system, as the code of [1]_ does.
    n_orders : int, default 100
    rating : mapping of str to float, optional
        Parameters that differ from their defaults: for Elo `k` (20), `start` (1500) and `scale` (400); for TrueSkill
        `mu` (25), `sigma` (25/3), `beta` (25/6), `tau` (25/300) and `draw_probability` (0.1).
    missing : {"raise", "drop"}, default "raise"
        "drop" leaves out segments with a missing score for all systems, with a note.
    units : {"auto", "segments", "groups"}, default "auto"
        The units that are resampled and permuted. "auto": whole documents ("groups") where the table has them, because
        segments of a document are correlated; otherwise single segments. Matches are always clustered by their
        groups.
    over : {"items and runs", "items", "runs"}, default "items and runs"
        For repeated runs, what intervals and tests hold for. "items and runs": other items and other runs;
        "items": the means over exactly these runs, on other items; "runs": exactly these items, in other runs.
    interval : {"default", "percentile", "bca", "robust"}
        "default" is the interval with the best coverage in simulations: by formula for means, medians, win rates,
        Bradley–Terry and pooled scores; from the joint draws for Elo, TrueSkill and functions; "robust" for matches.
        "percentile" and "bca" come from the paired bootstrap; "robust" from the sandwich covariance, clustered by judge
        and question when the matches have them.
    confidence : float, default 0.95
        Confidence level of the intervals, and 1 minus the level of the tests behind the rank ranges.
    n_resamples : int, optional
        Bootstrap resamples: 2000, or 1000 for "bootstrap_mean". For Elo and TrueSkill in a fixed order, fewer beyond
        100,000 matches, but at least 100.
    size : int, default 1000
        Segments in a corpus of "bootstrap_mean".
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    Ranking
        Best first; systems with equal strength share a rank. `rank_low` to `rank_high` are the ranks compatible with
        the data, simultaneously for all systems.

    Raises
    ------
    BetterThanError
        When an option is given that has no effect on this ranking, such as `scale` with a mean.
    NotEstimable
        When Bradley–Terry strengths do not exist: a system never won, never lost, or never met the others.
    MissingScores
        When scores are missing and `missing` is "raise".

    Notes
    -----
    Rank ranges, clusters and groups come from tests of the strengths that are ranked: the permutation test of mean
    differences with Holm's correction for the mean, Wald tests for matches, and the joint bootstrap distribution of the
    strengths (step-down studentized maximum over all pairs) for every other aggregation. So a rank always lies in its
    range, and :func:`betterthan.compare` reaches the same verdicts. For counts the pooled score itself is permuted,
    also for "bootstrap_mean", whose bootstrap corpora vary like `size` segments and not like the test set; its interval
    reflects the sampling of segments, by the infinitesimal jackknife.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL.
    .. [2] Koehn (2004), Statistical significance tests for machine translation evaluation, EMNLP.
    .. [3] Cavalin, Domingues and Pinhanez (2024), Sentence-level aggregation of lexical metrics correlate stronger with
       human judgments than corpus-level aggregation, §4.2.
    .. [4] Chen et al. (2021), Evaluating large language models trained on code.
    .. [5] Yao, Shinn, Razavi and Narasimhan (2024), τ-bench: a benchmark for tool-agent-user interaction in real-world
       domains.
    .. [6] Turner, van Etten, Firth and Kosmidis (2020), on the PlackettLuce package of R, Computational Statistics 35.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.read_scores({"A": [1, 5, 11, 12, 17], "B": [2, 6, 7, 13, 18], "C": [5, 11, 12, 17, 1]})
    >>> bt.rank(scores, by="mean").strength.tolist()
    [9.2, 9.2, 9.2]
    >>> bt.rank(scores, by="bradley_terry").systems
    ('C', 'B', 'A')
    """
    kinds = (Scores, Counts, Matches, Runs)
    corrected = table if isinstance(table, Corrected) and not more else None
    table = as_table(table, *more, kinds=kinds, verb="rank", metric=metric, system=system, run=run, by=by)
    refuse_without_runs(table, over, by)
    check_systems(table)
    options = RankOptions(
        by=by,
        ties=ties,
        prior=prior,
        scale=scale,
        anchor=anchor,
        order=order,
        n_orders=n_orders,
        rating=tuple(sorted((rating or {}).items())),
        missing=missing,
        units=units,
        interval=interval,
        confidence=confidence,
        size=size,
    )
    resampling = Resampling.of(
        rng, n_resamples, workers=workers, executor=executor, cache=cache, progress=progress
    )
    if anchor is not None:
        _check_anchor(table, anchor, by, scale)
    refuse_unused(table, by, {name: getattr(options, name) for name in DEFAULTS})
    if corrected is not None and isinstance(table, Scores):
        return rank_corrected(corrected, table, options)
    if isinstance(table, Matches):
        check_matches(table, options)
        return rank_matches(table, options, resampling)
    if isinstance(table, Counts):
        return _with_humans(rank_counts(table, options, resampling))
    if isinstance(table, Runs):
        return _with_humans(rank_runs(table, options, resampling, over=over))
    return _with_humans(rank_scores(table, options, resampling))


def check_systems(table: RankTable) -> None:
    """Raise unless there are two or more systems, and no more than fit in memory as pairs.

    Examples
    --------
    >>> check_systems(Scores(name="m", systems=["A", "B"], segments=["1"], values=[[1], [2]]))
    """
    if table.n_systems < 2:
        raise TableError(
            f"There is only one system, {table.systems[0]}; a ranking needs two or more. "
            f"If the columns are not systems, name the column that holds them."
        )
    require_pairs(len(table.systems))


def _with_humans(ranked: Ranking) -> Ranking:
    """Return a note on systems whose names suggest human translations, because ranking them may be unintended."""
    human = [name for name in ranked.systems if is_human_translation(name)]
    if not human:
        return ranked
    several = len(human) > 1
    what = "look like human translations and are" if several else "looks like a human translation and is"
    note = Message(
        "{names} {what} ranked among the systems.",
        code=HUMANS_RANKED,
        severity="warning",
        names=some_of(human),
        what=what,
    )
    return replace(ranked, notes=(*ranked.notes, note))


def _check_anchor(table: RankTable, anchor: str, by: object, scale: str) -> None:
    if anchor not in table.systems:
        raise unknown_name("system", anchor, table.systems)
    if not isinstance(table, Matches):
        raise BetterThanError(
            Message("{anchor} is for battles. Leave it out for scores.", anchor=Option("anchor", anchor))
        )
    if scale == "share" and by in (None, "bradley_terry", "plackett_luce"):
        raise BetterThanError(
            Message(
                "{anchor} fixes a point of a scale of differences, and shares sum to 1. Use {elo} or {log}.",
                anchor=Option("anchor", anchor),
                elo=Option("scale", "elo"),
                log=Option("scale", "log"),
            )
        )


def check_matches(matches: Matches, options: RankOptions) -> None:
    """Raise when matches cannot be ranked with these options."""
    if not matches.n_matches:
        raise TableError(
            "There are no matches: all weights are 0. Leave out the weights, or use other matches."
        )
    if options.units == "groups" and matches.group is None:
        raise TableError(
            Message(
                "The matches have no groups (judges, sessions) to use as units. Name their column with "
                "{cluster}, or use {units}.",
                cluster=Option("cluster", COLUMN),
                units=Option("units", "segments"),
            )
        )
    if options.units == "segments" and matches.group is not None:
        raise BetterThanError(
            Message(
                "{units} has no effect on matches, which are clustered by their groups. Use {cluster}.",
                units=Option("units", "segments"),
                cluster=Option("cluster", False),
            )
        )
    if options.interval == "bca":
        raise BetterThanError(
            Message(
                "{bca} is for scores. Use {robust} or {percentile} for matches.",
                bca=Option("interval", "bca"),
                robust=Option("interval", "robust"),
                percentile=Option("interval", "percentile"),
            )
        )


METHODS = (*NAMES, *COUNT_METHODS)
