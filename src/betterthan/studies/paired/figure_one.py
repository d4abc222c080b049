"""Figure 1 of the paired-evaluation paper: three systems with equal means that are not equal."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from betterthan.analysis.compare.mechanisms import mean_of, winner_of
from betterthan.arrays import FloatArray
from betterthan.examples.figure_one import figure_one
from betterthan.kernels.comparisons.strengths import to_shares
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.paired.strengths import three_strengths
from betterthan.studies.reporting import Claim, Mark, figure
from betterthan.studies.request import StudyRequest
from betterthan.studies.setups import Setup
from betterthan.tables.scores import Scores

_MOST_POINTS = 400


def run(request: StudyRequest) -> Study:
    """Hold mean, median and Bradley–Terry against each other on three systems with equal means, or on a table."""
    setup = request.setups[0] if request.setups else _figure_setup()
    tables = [_strengths(setup.scores, as_published=request.as_published), _pairs(setup.scores)]
    sentences = (_swayed(tables[1]),) if request.setups else (_swayed(tables[1]), _HELD)
    return request.answer(
        tables=tables,
        claims=() if request.setups else _claims(setup.scores),
        charts=[_chart(setup.scores)],
        sentences=sentences,
        differences=() if request.setups else _DIFFERENCES,
        used=[setup],
        draws=False,
        notes=(
            [f"Of {len(request.setups)} tables the first is shown: {setup.dataset}, {setup.metric}."]
            if len(request.setups) > 1
            else []
        ),
        is_from_paper=not request.setups,
    )


_HELD = "A and C have the same scores on other segments: only a paired comparison distinguishes them."
_DIFFERENCES = (
    (
        "Section 3 gives the medians of A and C as 10 and 7. In the data behind the plot the medians of A, B and C "
        "are 11, 7 and 11: the sentence is true of A and B, with 11 against 7."
    ),
    "Section 3 says that B outperforms C on all segments but one. In the data C outperforms B on four of five.",
)


def _figure_setup() -> Setup:
    scores = figure_one()
    segments = tuple(str(i + 1) for i in range(len(scores["A"])))
    table = Scores(
        name="score", systems=tuple(scores), segments=segments, values=np.array(list(scores.values()))
    )
    return Setup("figure 1", "score", table)


def _strengths(scores: Scores, *, as_published: bool) -> StudyTable:
    goodness = scores.goodness
    wins = win_counts(goodness).wins
    fitted = three_strengths([goodness], as_published=as_published).values[0, 2]
    shares = fitted if as_published else to_shares(fitted)
    rows = tuple(
        (
            system,
            mean_of(scores.values[i]),
            float(np.median(scores.values[i])),
            float(shares[i]),
            int(wins[i].sum()),
        )
        for i, system in enumerate(scores.systems)
    )
    return StudyTable(
        name="strengths",
        title=f"Three mechanisms on {scores.n_systems} systems and {scores.n_segments:,} segments",
        columns=("system", "mean", "median", "Bradley–Terry", "wins"),
        rows=rows,
        digits=3,
    )


def _pairs(scores: Scores) -> StudyTable:
    goodness, names = scores.goodness, scores.systems
    counts = win_counts(goodness)
    rows: list[tuple[StudyCell, ...]] = []
    for a, b in combinations(range(len(names)), 2):
        of = (names[a], names[b])
        lead = float(counts.wins[a, b] - counts.wins[b, a])
        means = mean_of(goodness[a]) - mean_of(goodness[b])
        medians = float(np.median(goodness[a]) - np.median(goodness[b]))
        better = [winner_of(effect, of) or "neither" for effect in (means, medians, lead)]
        won = (int(counts.wins[a, b]), int(counts.wins[b, a]), int(counts.ties[a, b]))
        rows.append((*of, *won, means, medians, *better))
    columns = ("A", "B", "A wins", "B wins", "ties", "difference of means", "difference of medians")
    return StudyTable(
        name="pairs",
        title="Pair by pair: who is better, by mean, median and wins",
        columns=(*columns, "by mean", "by median", "by wins"),
        rows=tuple(rows),
    )


def _swayed(pairs: StudyTable) -> str:
    by_mean, by_median, by_wins = (pairs.column(f"by {name}") for name in ("mean", "median", "wins"))
    n = len(by_wins)
    other_mean, other_median = (
        sum(one != wins for one, wins in zip(by, by_wins, strict=True)) for by in (by_mean, by_median)
    )
    return (
        f"The mean disagrees with the majority of segments on {other_mean} of {n:,} pairs, "
        f"the median {other_median}."
    )


def _claims(scores: Scores) -> list[Claim]:
    goodness = scores.goodness
    a, b, c = (scores.systems.index(name) for name in "ABC")
    means, medians = goodness.mean(axis=1), np.median(goodness, axis=1)
    wins, n = win_counts(goodness).wins, scores.n_segments
    fitted = three_strengths([goodness], as_published=False).values[0, 2]
    order = "C, B, A" if fitted[c] > fitted[b] else "B, C, A"
    checks = (
        ("all systems have the same mean", "figure 1", np.ptp(means) < 1e-9, f"means {_list(means)}"),
        (
            *("C is better than A on all segments but one", "figure 1"),
            *(wins[c, a] == n - 1, f"C wins {wins[c, a]:g} of {n}"),
        ),
        (
            *("B is better than A on all segments but one", "figure 1"),
            *(wins[b, a] == n - 1, f"B wins {wins[b, a]:g} of {n}"),
        ),
        ("Bradley–Terry puts C and B above A", "figure 1", min(fitted[c], fitted[b]) > fitted[a], order),
        (
            *("the median of A is greater than that of B", "figure 1"),
            *(medians[a] > medians[b], f"medians {_list(medians[[a, b]])}"),
        ),
        (
            *("the median of A is greater than that of C, 10 and 7", "section 3"),
            *(medians[a] > medians[c], f"medians {_list(medians[[a, c]])}"),
        ),
        (
            *("B outperforms C on all segments but one", "section 3"),
            *(wins[b, c] == n - 1, f"B wins {wins[b, c]:g} of {n}"),
        ),
    )
    return [Claim(text, where, bool(holds), seen) for text, where, holds, seen in checks]


def _list(values: FloatArray) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _chart(scores: Scores) -> StudyChart:
    shown = [(i, j) for j in range(scores.n_segments) for i in range(scores.n_systems)][:_MOST_POINTS]
    return figure(
        (Mark("", scores.systems[i], j + 1, float(scores.values[i, j])) for i, j in shown),
        name="figure-1",
        title="Figure 1: scores of the same segments",
        kind="points",
        x="segment",
        y=scores.name,
    )
