"""Do several rankings of the same systems agree?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from itertools import combinations
from typing import Any, TypeVar

import numpy as np

from betterthan.analysis.rank.rank import of_each_method, rank
from betterthan.analysis.wording import counted, listing
from betterthan.arrays import BoolArray, FloatArray, digest
from betterthan.errors import BetterThanError, NotEstimable, TableError, some_of
from betterthan.kernels.agreement.rankings import order_agreement, same_top, top_set
from betterthan.messages import Message
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import NEXT_COMMAND, Agreement, Ranking, RankingComparison
from betterthan.results.settings import Settings, unit_line
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores

PRIOR = (
    0.5  # wins and losses added for every system where Bradley–Terry strengths do not exist without a prior
)
_FEW = 3
_BRADLEY_TERRY = "bradley_terry"
Found = TypeVar("Found", Ranking, PairwiseTable)


def rank_each(
    table: Scores | Matches,
    by: Sequence[str],
    *,
    prior: float | None = None,
    **options: Any,  # noqa: ANN401  (what rank takes)
) -> dict[str, Ranking]:
    """Rank the same systems by several aggregations, for :func:`agreement`.

    Parameters
    ----------
    table : Scores or Matches
    by : sequence of str
        Aggregations, by their names in :func:`betterthan.rank`.
    prior : float, optional
        Prior of Bradley–Terry. By default 0 where its strengths exist. Where they do not, because a system never lost
        or never won, half a win and half a loss are added for every system, with a note.
    **options
        Further arguments of :func:`betterthan.rank`, each for the aggregations that it applies to.

    Returns
    -------
    dict of str to Ranking

    Examples
    --------
    >>> scores = Scores(name="acc", systems=["A", "B"], segments=["1", "2"], values=[[1, 1], [0, 0]])
    >>> rankings = rank_each(scores, ["mean", "bradley_terry"])
    >>> rankings["bradley_terry"].systems, rankings["bradley_terry"].strength.round(2)
    (('A', 'B'), array([1., 0.]))
    """
    return {method: _ranked(table, method, prior, own) for method, own in of_each_method(table, by, options)}


def _ranked(table: Scores | Matches, method: Any, prior: float | None, options: dict[str, Any]) -> Ranking:  # noqa: ANN401
    if method != _BRADLEY_TERRY:
        return rank(table, by=method, **options)
    return with_needed_prior(partial(rank, table, by=method, **options), prior)


def with_needed_prior(compute: Callable[..., Found], prior: float | None) -> Found:
    """Return a result of Bradley–Terry strengths, with a prior where they do not exist without one.

    Parameters
    ----------
    compute : callable
        Takes the keyword `prior` and returns a Ranking or a PairwiseTable.
    prior : float, optional
        By default 0, or 0.5 with a note where a system never lost or never won.

    Examples
    --------
    >>> import betterthan as bt
    >>> table = bt.read_scores({"A": [3, 3], "B": [2, 1], "C": [1, 2]})
    >>> with_needed_prior(partial(bt.rank, table, by="bradley_terry"), None).systems
    ('A', 'B', 'C')
    """
    try:
        return compute(prior=prior or 0.0)
    except NotEstimable as error:
        if prior is not None or not error.systems:
            raise
        fitted: Found = compute(prior=PRIOR)
        note = (
            f"Bradley–Terry strengths exist only with a prior: {some_of(error.systems, limit=_FEW)} won all or none "
            f"of the decided comparisons with the other systems. Half a win and half a loss were added for every "
            f"system (prior {PRIOR:g})."
        )
        return replace(fitted, notes=(note, *fitted.notes))


def agreement(
    rankings: Sequence[Ranking] | Mapping[str, Ranking], *, top: int = 3, names: Sequence[str] | None = None
) -> Agreement:
    r"""Compare rankings of the same systems, pair by pair and at the top.

    For every two rankings: the share of pairs of systems that they order in the same way, in opposite ways, or tie in
    one of the two; Kendall's tau-b; whether the best system is the same, and whether the top k are. These are the three
    measures of disagreement of [1]_, with explicit treatment of ties: opposite pairs are counted, not derived from tau,

    .. math:: \text{flipped} = \frac{\#\{(i, j) : (r_i - r_j)(r'_i - r'_j) < 0\}}{m (m - 1) / 2}

    which equals :math:`(1 - \tau) / 2` only without ties, and the best systems are compared as sets.

    Parameters
    ----------
    rankings : sequence of Ranking, or mapping of name to Ranking
        Two or more, of the same systems.
    top : int, default 3
        How many systems count as the top; a tie at the boundary includes all of its members.
    names : sequence of str, optional
        Names of the rankings in a sequence; by default their methods, with the metric where methods are the same.

    Returns
    -------
    Agreement

    Raises
    ------
    TableError
        When the rankings are not of the same systems; the differences are named.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, §5.1.

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.Scores(name="acc", systems=["A", "B"], segments=["1", "2", "3"],
    ...                    values=[[1, 0, 0], [1, 1, 0]])
    >>> errors = bt.Scores(name="errors", systems=["A", "B"], segments=["1", "2", "3"],
    ...                    values=[[0, 1, 0], [1, 1, 1]], higher_is_better=False)
    >>> found = bt.agreement({"acc": bt.rank(scores), "errors": bt.rank(errors)}, top=1)
    >>> found.comparisons[0].flipped, found.comparisons[0].flipped_pairs
    (1.0, (('B', 'A'),))
    """
    chosen, labels = _named(rankings, names)
    _check(chosen, labels, top)
    systems = chosen[0].systems
    merit = [_merit(ranking, systems) for ranking in chosen]
    found = [
        _concord((labels[i], labels[j]), (merit[i], merit[j]), systems, top)
        for i, j in combinations(range(len(chosen)), 2)
    ]
    best, tops = ([_members(top_set(values, k), values, systems) for values in merit] for k in (1, top))
    data = sorted({ranking.settings.data for ranking in chosen})
    silent = Agreement(
        rankings=labels,
        systems=systems,
        top=top,
        best=tuple(best),
        tops=tuple(tops),
        comparisons=tuple(found),
        sentences=(),
        notes=_notes(chosen),
        settings=Settings(
            method="agreement",
            options={"of": ",".join(labels), "top": top},
            data=data[0] if len(data) == 1 else digest(*data),
            n_systems=len(systems),
        ),
    )
    return replace(silent, sentences=_sentences(silent))


def _named(
    rankings: Sequence[Ranking] | Mapping[str, Ranking], names: Sequence[str] | None
) -> tuple[list[Ranking], tuple[str, ...]]:
    if isinstance(rankings, Mapping):
        if names is not None:
            raise BetterThanError("The rankings already have names. Pass names only with a list.")
        return list(rankings.values()), tuple(rankings)
    chosen = list(rankings)
    if odd := [each for each in chosen if not isinstance(each, Ranking)]:
        raise TableError(
            f"agreement needs rankings, not {type(odd[0]).__name__}. Rank the data first: bt.rank(…)."
        )
    labels = tuple(names) if names is not None else _default_names(chosen)
    if len(labels) != len(chosen):
        raise BetterThanError(f"There are {len(labels)} names for {len(chosen)} rankings.")
    if len(set(labels)) < len(labels):
        raise BetterThanError(f"The names of the rankings must differ; they are {', '.join(labels)}.")
    return chosen, labels


def _default_names(rankings: Sequence[Ranking]) -> tuple[str, ...]:
    """Method, else method and unit, else numbered."""
    methods = [ranking.settings.method.replace("_", " ") for ranking in rankings]
    labelled = [
        f"{method} of {r.unit.partition(',')[0]}" for method, r in zip(methods, rankings, strict=True)
    ]
    for labels in (methods, labelled):
        if len(set(labels)) == len(labels):
            return tuple(labels)
    return tuple(f"{i} {label}" for i, label in enumerate(labelled, 1))


def _check(rankings: Sequence[Ranking], names: Sequence[str], top: int) -> None:
    if len(rankings) < 2:
        raise BetterThanError(f"Agreement needs two rankings or more; there is {len(rankings)}.")
    if top < 1:
        raise BetterThanError(f"top must be 1 or more; it is {top}.")
    known = set(rankings[0].systems)
    for name, ranking in zip(names[1:], rankings[1:], strict=True):
        apart = {names[0]: sorted(known - set(ranking.systems)), name: sorted(set(ranking.systems) - known)}
        if only := [f"only in {n}: {some_of(systems)}" for n, systems in apart.items() if systems]:
            raise TableError(f'"{names[0]}" and "{name}" do not rank the same systems ({"; ".join(only)}).')


def _merit(ranking: Ranking, systems: Sequence[str]) -> FloatArray:
    """Goodness for ordering: higher is better, equal is tied, whatever the direction of the metric."""
    rank = dict(zip(ranking.systems, ranking.rank.tolist(), strict=True))
    return np.array([-float(rank[system]) for system in systems])


def _concord(
    names: tuple[str, str], merit: tuple[FloatArray, FloatArray], systems: Sequence[str], top: int
) -> RankingComparison:
    first, second = merit
    counts = order_agreement(first, second)
    i, j = np.nonzero((first[:, None] > first[None, :]) & (second[:, None] < second[None, :]))
    return RankingComparison(
        first=names[0],
        second=names[1],
        alike=counts.share_alike,
        flipped=counts.share_flipped,
        tied=(counts.tied_in_first + counts.tied_in_second) / counts.n_pairs if counts.n_pairs else np.nan,
        tau_b=counts.kendall_b,
        same_best=same_top(first, second, 1),
        same_top=same_top(first, second, top),
        flipped_pairs=tuple((systems[a], systems[b]) for a, b in zip(i.tolist(), j.tolist(), strict=True)),
    )


def _members(inside: BoolArray, merit: FloatArray, systems: Sequence[str]) -> tuple[str, ...]:
    """Names of the systems in the set, best first."""
    best_first = np.argsort(-merit, kind="stable").tolist()
    return tuple(systems[i] for i in best_first if inside[i])


def _notes(rankings: Sequence[Ranking]) -> tuple[str, ...]:
    """Units and notes of all rankings, without duplicates."""
    lines = [(unit_line(ranking.unit_note, ranking.units), *ranking.notes) for ranking in rankings]
    return tuple(dict.fromkeys(line for each in lines for line in each if line))


def _sentences(found: Agreement) -> tuple[str, ...]:
    m = len(found.systems)
    n_pairs = m * (m - 1) // 2
    pairs = counted(n_pairs, "pair")
    if all(concord.alike == 1 for concord in found.comparisons):
        every = "the one pair" if n_pairs == 1 else f"all {pairs}"
        return (f"All {counted(len(found.rankings), 'ranking')} order {every} of systems in the same way.",)
    told = [_on_top("The best system", found.best, found.rankings)]
    if m > found.top > 1:
        told.append(_on_top(f"The top {found.top}", found.tops, found.rankings))
    worst = max(found.comparisons, key=lambda concord: concord.flipped)
    if not worst.flipped_pairs:
        return (
            *told,
            "No pair of systems is ordered in opposite ways; some are tied in one ranking and not in another.",
        )
    a, b = worst.flipped_pairs[0]
    flipped = some_of([f"{better} and {worse}" for better, worse in worst.flipped_pairs], limit=_FEW)
    told.append(
        f"The two that differ most are {worst.first} and {worst.second}: they order {len(worst.flipped_pairs)} of "
        f"{pairs} in opposite ways ({flipped})."
    )
    advice = Message(
        "To see why: betterthan explain FILE {a} {b}.", code=NEXT_COMMAND, severity="info", a=a, b=b
    )
    return (*told, advice)


def _on_top(what: str, sets: Sequence[tuple[str, ...]], names: Sequence[str]) -> str:
    by: dict[frozenset[str], tuple[tuple[str, ...], list[str]]] = {}
    for systems, name in zip(sets, names, strict=True):
        by.setdefault(frozenset(systems), (systems, []))[1].append(name)
    if len(by) == 1:
        return f"{what} {'is' if len(sets[0]) == 1 else 'are'} the same in all rankings: {listing(list(sets[0]))}."
    parts = [f"by {listing(which)}, {listing(list(systems))}" for systems, which in by.values()]
    return f"{what} differ{'s' if what.endswith('system') else ''}: {'; '.join(parts)}."
