"""Figure 2 and table 2 of the paired-evaluation paper: other pairings, the same scores of each system."""

from __future__ import annotations

from itertools import permutations
from typing import NamedTuple

import numpy as np
from scipy.special import ndtr

from betterthan.analysis.wording import counted
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import stream
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.reporting import Claim, Mark, figure, printed_table
from betterthan.studies.request import StudyRequest

TABLE_2 = np.array(list(printed_table("paired", "table_2").values().values()))
"""Strengths of S and B for five types of segments."""
_NAMES = ("S", "B")
_ROUNDING = 1e-12


class _Pairing(NamedTuple):
    """One way to pair the scores of two systems."""

    name: str
    first: FloatArray
    second: FloatArray


def run(request: StudyRequest) -> Study:
    """Pair the same scores in three ways and let mean, median and wins judge each."""
    if request.setups:
        return _of_data(request)
    every = _all_pairings()
    chosen = {
        "as in table 2": every[0],
        "nearest to even": min(every, key=lambda each: abs(each[1] - 0.5)),
        "fewest wins for S": min(every, key=lambda each: each[1]),
    }
    drawn = [_drawn(name, order, request) for name, (order, _) in chosen.items()]
    expected = tuple(share for _, share in chosen.values())
    better = [_better(share) for _, share in every]
    return request.answer(
        tables=[_verdicts(drawn, _NAMES, expected), _permutations(every)],
        claims=_claims(drawn, _NAMES),
        charts=[_chart(drawn, _NAMES)],
        sentences=(
            (
                f"Of the {len(every)} ways to pair the types of S with those of B, S wins most segments in "
                f"{better.count('S')}, B in {better.count('B')} and neither in {better.count('neither')}; mean and "
                "median of each system are the same in all of them."
            ),
        ),
        differences=_DIFFERENCES,
    )


_DIFFERENCES = (
    (
        "Caption and text of figure 2 swap the axes of the two systems. Here the first system stands at the "
        "vertical axis, and wins on the segments above the diagonal."
    ),
    (
        "The paper does not say which permutations figure 2 shows; here they are that of table 2, the most even one "
        "and the one that favors B most."
    ),
)


def _all_pairings() -> list[tuple[tuple[int, ...], float]]:
    r"""All orders of the types of S, with the share of segments that S is expected to win.

    Two scores with variance 1 differ with variance 2: :math:`P = \frac1k \sum_t \Phi((\lambda_{\pi(t), S} -
    \lambda_{t, B}) / \sqrt 2)`.
    """
    orders = list(permutations(range(TABLE_2.shape[1])))
    shares = ndtr((TABLE_2[0][np.array(orders)] - TABLE_2[1]) / np.sqrt(2)).mean(axis=1)
    return [(order, float(share)) for order, share in zip(orders, shares, strict=True)]


def _drawn(name: str, order: tuple[int, ...], request: StudyRequest) -> _Pairing:
    """Scores of both systems: the same for all pairings, in another order."""
    n = request.number("segments")
    noise = stream(request.seed, "triptych", 0).normal(size=(2, TABLE_2.shape[1], n))
    first, second = TABLE_2[:, :, None] + noise
    return _Pairing(name, first[list(order)].reshape(-1), second.reshape(-1))


def _of_data(request: StudyRequest) -> Study:
    setup = request.setups[0]
    scores = setup.scores
    best = np.argsort(-scores.goodness.mean(axis=1), kind="stable")[:2]
    names = (scores.systems[best[0]], scores.systems[best[1]])
    first, second = scores.goodness[best]
    drawn = [
        _Pairing("as observed", first, second),
        _Pairing(f"most wins for {names[0]}", *_most_wins(first, second)),
        _Pairing(f"most wins for {names[1]}", *_most_wins(second, first)[::-1]),
    ]
    wins = [int((each.first > each.second).sum()) for each in drawn]
    return request.answer(
        tables=[_verdicts(drawn, names, None)],
        claims=_claims(drawn, names),
        charts=[_chart(drawn, names)],
        sentences=(
            (
                f"{names[0]} and {names[1]} have the highest means of {setup.dataset}, {setup.metric}. With the same "
                f"scores of each, paired otherwise, {names[0]} could win anything from {wins[2]} to {wins[1]} of "
                f"{first.size:,} segments; it wins {wins[0]}."
            ),
        ),
        used=request.setups,
        draws=False,
    )


def _most_wins(winner: FloatArray, loser: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Pair scores so that `winner` is strictly higher as often as can be.

    The lowest scores of the loser are each met by the smallest score that beats them; what is left over is paired
    anyhow. No pairing wins more: a greedy matching of intervals that share an end is largest.

    Examples
    --------
    >>> _most_wins(np.array([1.0, 2, 3]), np.array([3.0, 2, 1]))
    (array([2., 3., 1.]), array([1., 2., 3.]))
    """
    high, low = np.sort(winner), np.sort(loser)
    used: list[int] = []
    place = 0
    for score in high.tolist():
        used.append(place if score > low[place] else -1)
        place += score > low[place]
    matched: IntArray = np.array([i for i, partner in enumerate(used) if partner >= 0], dtype=np.int64)
    rest = np.setdiff1d(np.arange(high.size), matched)
    return np.concatenate([high[matched], high[rest]]), low


def _verdicts(
    drawn: list[_Pairing], names: tuple[str, str], expected: tuple[float, ...] | None
) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = []
    for place, each in enumerate(drawn):
        wins, losses = int((each.first > each.second).sum()), int((each.first < each.second).sum())
        better = names[0] if wins > losses else names[1] if losses > wins else "neither"
        marginals = [
            float(f(scores))
            for f in (np.mean, np.median)
            for scores in (np.sort(each.first), np.sort(each.second))
        ]
        expected_share = () if expected is None else (expected[place],)
        rows.append((each.name, *marginals, wins, losses, *expected_share, better))
    a, b = names
    columns = ("pairing", f"mean {a}", f"mean {b}", f"median {a}", f"median {b}", f"wins {a}", f"wins {b}")
    return StudyTable(
        name="verdicts",
        title="Three pairings of the same scores: means and medians stay, wins do not",
        columns=(*columns, *(() if expected is None else (f"expected share {a}",)), "better by wins"),
        rows=tuple(rows),
    )


def _claims(drawn: list[_Pairing], names: tuple[str, str]) -> list[Claim]:
    marginals = {
        tuple(float(f(np.sort(scores))) for f in (np.mean, np.median) for scores in (each.first, each.second))
        for each in drawn
    }
    leads = [int((each.first > each.second).sum() - (each.first < each.second).sum()) for each in drawn]
    mean_a, mean_b, median_a, median_b = next(iter(marginals))
    against = sum(
        bool(np.sign(lead) == -np.sign(mean_a - mean_b) == -np.sign(median_a - median_b) != 0)
        for lead in leads
    )
    shown = ", ".join(f"{lead:+d}".replace("-", "−") for lead in leads)
    return [
        Claim(
            "other pairings leave the mean and median of each system as they are",
            "figure 2",
            len(marginals) == 1,
            f"{counted(len(marginals), 'set')} of means and medians",
        ),
        Claim(
            "a pairing exists in which the wins contradict both mean and median",
            "figure 2, in the middle",
            against > 0,
            f"{against} of {len(drawn)}; {names[0]} leads by {shown} segments",
        ),
    ]


def _permutations(every: list[tuple[tuple[int, ...], float]]) -> StudyTable:
    rows = tuple(
        (", ".join(f"{TABLE_2[0, i]:g}" for i in order), share, _better(share))
        for order, share in sorted(every, key=lambda each: -each[1])
    )
    return StudyTable(
        name="all-pairings",
        title=f"Every order of the strengths of S against B = {', '.join(f'{b:g}' for b in TABLE_2[1])}",
        columns=("S", "share that S wins", "better"),
        rows=rows,
        digits=3,
        is_detail=True,
    )


def _better(share: float) -> str:
    """Return who wins most segments; sums of probabilities that cancel differ from a half by rounding only."""
    return "neither" if abs(share - 0.5) < _ROUNDING else "S" if share > 0.5 else "B"


def _chart(pairings: list[_Pairing], names: tuple[str, str]) -> StudyChart:
    return figure(
        (
            Mark(each.name, "", x, y)
            for each in pairings
            for y, x in zip(each.first.tolist(), each.second.tolist(), strict=True)
        ),
        name="figure-2",
        title="Figure 2: the same scores of each system, paired in three ways",
        kind="scatter",
        x=names[1],
        y=names[0],
    )
