"""Which system is best, and how sure are we?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, Literal

from betterthan.analysis.computing import Rng
from betterthan.analysis.matches.matches import TiesModel
from betterthan.analysis.pairs.pairwise import require_pairs
from betterthan.analysis.rank.rank_matches import rank_matches
from betterthan.analysis.rank.rank_scores import COUNT_METHODS, rank_counts, rank_scores
from betterthan.analysis.resampling import Resampling
from betterthan.analysis.strengths.aggregations import NAMES, ORDERED
from betterthan.analysis.strengths.ordered import PlayOrder
from betterthan.analysis.strengths.ranking import RankOptions
from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.analysis.units import UnitName
from betterthan.arrays import FloatArray
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError, TableError, some_of
from betterthan.messages import COLUMN, Message, Option, joined
from betterthan.results.ranking import Ranking
from betterthan.tables.counts import Counts
from betterthan.tables.human_names import is_human_translation
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores

DEFAULTS: dict[str, Any] = {
    "ties": "default",
    "prior": 0.0,
    "scale": "share",
    "order": "shuffled",
    "size": 1000,
}
"""What a user may give in vain. How much is drawn (`n_resamples`, `n_orders`) and by whom is a budget."""

_USED_BY = {
    "ties": ("bradley_terry",),
    "prior": ("bradley_terry",),
    "scale": ("bradley_terry",),
    "order": ("elo", "trueskill"),
    "size": ("bootstrap_mean",),
}

RankTable = Scores | Counts | Matches


def refuse_unused(table: RankTable, by: object, options: Mapping[str, Any]) -> None:
    """Refuse an option that was given and would change nothing.

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=["1"], values=[[1], [2]])
    >>> refuse_unused(scores, "mean", {"prior": 1.0})
    Traceback (most recent call last):
    ...
    betterthan.errors.BetterThanError: prior=1 changes nothing with by="mean". Leave it out, or use by="bradley_terry".
    """
    for name in unused(table, by, options):
        method = getattr(_method(table, by), "__name__", _method(table, by))
        raise BetterThanError(
            Message(
                "{option} changes nothing with {given}. Leave it out, or use {by}.",
                option=Option(name, options[name]),
                given=Option("by", method),
                by=joined([Option("by", one) for one in _USED_BY[name]], " or "),
            )
        )


def unused(table: RankTable, by: object, options: Mapping[str, Any]) -> list[str]:
    """Return the options that differ from their default and change nothing in a ranking of this table."""
    used = _used(table, _method(table, by))
    changed = (name for name, default in DEFAULTS.items() if options.get(name, default) != default)
    return [name for name in changed if name not in used]


def of_each_method(
    table: RankTable, methods: Sequence[Any], options: Mapping[str, Any]
) -> list[tuple[Any, dict[str, Any]]]:
    """Return each method with its options, where the same were given for all.

    An option that matters to some of the methods is left out for the others. One that matters to none stays, and is
    refused by the ranking.

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


def _used(table: RankTable, by: object) -> tuple[str, ...]:
    if by == "bradley_terry":
        return "ties", "prior", "scale"
    if by in ORDERED:
        # Of matches groups and ranges of ranks rest on Bradley–Terry.
        return ("order", "ties", "prior") if isinstance(table, Matches) else ("order",)
    return ("size",) if by == "bootstrap_mean" else ()


Method = Literal[
    "mean",
    "median",
    "win_rate",
    "bradley_terry",
    "elo",
    "trueskill",
    "pooled",
    "segment_mean",
    "bootstrap_mean",
]


@with_one_blas_thread
def rank(
    table: AnyData,
    *more: AnyData,
    metric: str | None = None,
    by: Method | Callable[[FloatArray], FloatArray] | None = None,
    ties: TiesModel = "default",
    prior: float = 0.0,
    scale: Literal["share", "log", "elo"] = "share",
    order: PlayOrder = "shuffled",
    n_orders: int = 100,
    rating: Mapping[str, float] | None = None,
    missing: Literal["raise", "drop"] = "raise",
    units: UnitName = "auto",
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
    r"""Rank systems from best to worst, with intervals of strengths and of ranks.

    The mean is what most papers report; the median does not mind outliers; Bradley–Terry counts on how many
    segments a system beats each other one, and so respects that all met the same segments [1]_:

    .. math:: P(a \text{ beats } b) = \frac{\lambda_a}{\lambda_a + \lambda_b}

    Parameters
    ----------
    table, *more : Scores, Counts or Matches, or what they are read from
        A path, a folder, a pattern or several of them; a data frame; a dict of columns, or of names and paths; or an
        array for each system, which are then called A, B, … At least two systems.
    metric : str, optional
        Which metric, where several are read.
    by : {"mean", "median", "win_rate", "bradley_terry", "elo", "trueskill"} or callable
        By default the mean for scores, the pooled score for counts, Bradley–Terry for matches. A callable takes
        goodness (systems × segments, higher is better) to one strength a system. Counts have three of their own [3]_:

        * "pooled": sums first, the formula once (corpus level; default).
        * "segment_mean": the formula on each segment, then the mean (segment level).
        * "bootstrap_mean": the mean pooled score of `n_resamples` corpora of `size` segments drawn with replacement.
    ties : {"default", "half", "drop", "davidson", "as_published"}
        For Bradley–Terry. The default drops ties of scores (only strict wins count, as in [1]_) and counts ties of
        matches half (as arenas do); "davidson" models them; "as_published" gives them to the second system, as the
        code of [1]_ does.
    prior : float, default 0
        Regularises Bradley–Terry: wins and losses of every system against an imagined average one. Needed when a
        system never won or never lost.
    scale : {"share", "log", "elo"}, default "share"
        Of Bradley–Terry strengths: with sum 1 as in [1]_, natural logarithms, or 400 points for ten to one.
    order : {"shuffled", "listed", "segments", "as_published"}, default "shuffled"
        Of play, for Elo and TrueSkill: averaged over `n_orders` shuffles, with the spread shown; as the matches are
        listed, where the last count most; segment by segment; or pair by pair with ties to the second, as the code of
        [1]_ does.
    n_orders : int, default 100
    rating : mapping of str to float, optional
        Parameters that shall differ from the usual ones: of Elo `k` (20), `start` (1500) and `scale` (400); of
        TrueSkill `mu` (25), `sigma` (25/3), `beta` (25/6), `tau` (25/300) and `draw_probability` (0.1).
    missing : {"raise", "drop"}, default "raise"
        "drop" leaves out the segments with an empty cell for all systems, and says so.
    units : {"auto", "segments", "groups"}, default "auto"
        What is drawn and permuted as one. "auto": whole documents ("groups") where the table knows them, because
        segments of a document resemble each other; otherwise single segments. Matches are always clustered by their
        groups.
    interval : {"default", "percentile", "bca", "robust"}
        "default" is the interval that covered best in simulations: by formula for means, medians, win rates,
        Bradley–Terry and pooled scores; from the joint draws for Elo, TrueSkill and functions; "robust" for matches.
        "percentile" and "bca" come from the paired bootstrap; "robust" from the sandwich covariance, clustered by judge
        and question when the matches have them.
    confidence : float, default 0.95
        Coverage of the intervals, and one minus the level of the tests behind the rank intervals.
    n_resamples : int, optional
        Bootstrap resamples: 2000, or 1000 for "bootstrap_mean". For Elo and TrueSkill in a fixed order fewer beyond
        100,000 matches, at least 100.
    size : int, default 1000
        Segments in a corpus of "bootstrap_mean".
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        Who does the work; none of it changes a number.

    Returns
    -------
    Ranking
        Best first; systems with equal strength share a rank. `rank_low` to `rank_high` are the ranks compatible with
        the data, for all systems at once.

    Raises
    ------
    BetterThanError
        When an option is given that changes nothing in this ranking, such as `scale` of a mean.
    NotEstimable
        When Bradley–Terry strengths do not exist: somebody never won, never lost, or never met the others.
    MissingScores
        When cells are empty and `missing` is "raise".

    Notes
    -----
    Rank intervals, clusters and letters rest on the strengths that are ranked: on the permutation test of mean
    differences with Holm's correction for the mean, on Wald tests for matches, and on the joint bootstrap distribution
    of the strengths (studentised maximum over all pairs, stepping down) for every other mechanism. So a rank always
    lies in its range, and :func:`betterthan.compare` reaches the same verdicts. Of counts, the pooled score is permuted
    itself, and so it is for "bootstrap_mean", whose drawn corpora spread as `size` segments do and not as the test set
    does; its interval is for other segments of the same kind, by the infinitesimal jackknife.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger and West (2021), Better than average: paired evaluation of NLP systems, ACL.
    .. [2] Koehn (2004), Statistical significance tests for machine translation evaluation, EMNLP.
    .. [3] Cavalin, Domingues and Pinhanez (2024), Sentence-level aggregation of lexical metrics correlate stronger with
       human judgments than corpus-level aggregation, §4.2.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.read_scores({"A": [1, 5, 11, 12, 17], "B": [2, 6, 7, 13, 18], "C": [5, 11, 12, 17, 1]})
    >>> bt.rank(scores, by="mean").strength.tolist()
    [9.2, 9.2, 9.2]
    >>> bt.rank(scores, by="bradley_terry").systems
    ('C', 'B', 'A')
    """
    table = as_table(table, *more, kinds=(Scores, Counts, Matches), verb="rank", metric=metric)
    if table.n_systems < 2:
        raise TableError(
            f"There is only one system, {table.systems[0]}; a ranking needs two or more. "
            f"If the columns are not systems, name the column that holds them."
        )
    require_pairs(len(table.systems))
    options = RankOptions(
        by=by,
        ties=ties,
        prior=prior,
        scale=scale,
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
    refuse_unused(table, by, {name: getattr(options, name) for name in DEFAULTS})
    if isinstance(table, Matches):
        _check_matches(table, options)
        return rank_matches(table, options, resampling)
    if isinstance(table, Counts):
        return _with_humans(rank_counts(table, options, resampling))
    return _with_humans(rank_scores(table, options, resampling))


def _with_humans(ranked: Ranking) -> Ranking:
    """Say which systems are human translations by their names: they are ranked, and may not have been meant."""
    human = [name for name in ranked.systems if is_human_translation(name)]
    if not human:
        return ranked
    several = len(human) > 1
    what = "look like human translations and are" if several else "looks like a human translation and is"
    note = f"{some_of(human)} {what} ranked among the systems."
    return replace(ranked, notes=(*ranked.notes, note))


def _check_matches(matches: Matches, options: RankOptions) -> None:
    if not matches.n_matches:
        raise TableError(
            "There are no matches: all weights are 0. Leave out the weights, or read other matches."
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
                "{units} changes nothing for matches, which are clustered by their groups. Use {cluster}.",
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
