"""Appendix F of the paired-evaluation paper: a third system may change what Bradley–Terry says of two.

How often it does is counted over all triples.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Literal, NamedTuple

import numpy as np

from betterthan.analysis.wording import amount, counted
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.engine.blocks import even_parts, stream
from betterthan.kernels.comparisons.bradley_terry import bradley_terry, bradley_terry_batch
from betterthan.kernels.comparisons.connectivity import is_connected
from betterthan.kernels.comparisons.davidson import davidson
from betterthan.kernels.comparisons.rao_kupper import rao_kupper
from betterthan.kernels.comparisons.strengths import to_shares
from betterthan.kernels.comparisons.wins import win_counts, with_ties
from betterthan.kernels.influence.diagnosis import majority_cycles
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.reporting import UNKNOWN, Claim, Mark, figure
from betterthan.studies.request import StudyRequest
from betterthan.studies.setups import Setup, setups_digest

CLOSE = 0.55
"""A pair whose winner has no more of the decided segments is as good as level."""
_LEVEL = 1e-9
_CHUNK = 50_000
_PLACES = ((0, 1, 2), (0, 2, 1), (1, 2, 0))


class Changes(NamedTuple):
    """Counts over all triples of systems.

    Attributes
    ----------
    triples : int
    circles : int
        Triples in which each beats one of the others on most segments.
    flips, levels : int
        Pairs whose order the third system turns round, or makes level.
    close : int
        How many of these pairs the winner wins with no more than 55% of the decided segments.
    without : int
        Triples without Bradley–Terry strengths.
    """

    triples: int
    circles: int
    flips: int
    levels: int
    close: int
    without: int


def changes(wins: FloatArray) -> Changes:
    r"""Count pairs (a, b) ordered by their own wins, and otherwise once c takes part.

    Where all three pairs of a triple met equally often, Bradley–Terry orders systems as their wins do: the likelihood
    equations are :math:`W_i = n \sum_j \lambda_i / (\lambda_i + \lambda_j)`, whose right side grows with
    :math:`\lambda_i`. No fit is needed then, and level strengths are equal whole numbers. Other triples are fitted.

    Parameters
    ----------
    wins : array, shape (m, m)

    Examples
    --------
    Appendix F of the paired-evaluation paper with C = 3, 1, 2: one circle, and every pair is levelled.

    >>> changes(np.array([[0.0, 1, 2], [2, 0, 1], [1, 2, 0]]))
    Changes(triples=1, circles=1, flips=0, levels=3, close=0, without=0)
    """
    every = np.array(list(combinations(range(len(wins)), 3)), dtype=np.int64).reshape(-1, 3)
    total = np.zeros(4, dtype=np.int64)
    for start in range(0, len(every), _CHUNK):
        total += _counted(wins, every[start : start + _CHUNK])
    flips, levels, close, without = total.tolist()
    return Changes(len(every), len(majority_cycles(wins)), flips, levels, close, without)


def _counted(wins: FloatArray, rows: IntArray) -> IntArray:
    tables = wins[rows[:, :, None], rows[:, None, :]]
    exists = is_connected(tables)
    gaps = _gaps(tables, exists)
    counts = np.zeros(4, dtype=np.int64)
    for place, (a, b, _) in enumerate(_PLACES):
        won, lost, gap = tables[:, a, b], tables[:, b, a], gaps[:, place]
        decided = exists & (won != lost)
        level = decided & (gap == 0)
        flips = decided & (np.sign(gap) == -np.sign(won - lost))
        close = np.maximum(won, lost) <= CLOSE * (won + lost)
        counts[:3] += np.array([flips.sum(), level.sum(), ((flips | level) & close).sum()])
    counts[3] = (~exists).sum()
    return counts


def _gaps(tables: FloatArray, exists: BoolArray) -> FloatArray:
    """Lead of the first over the second of each of the three pairs; 0 where they are level."""
    met = tables + tables.swapaxes(1, 2)
    balanced = (met[:, 0, 1] == met[:, 0, 2]) & (met[:, 0, 1] == met[:, 1, 2])
    strength = tables.sum(axis=2)
    fitted = np.flatnonzero(exists & ~balanced)
    if fitted.size:
        strength[fitted] = bradley_terry_batch(tables[fitted]).log_strength
    gaps = np.stack([strength[:, a] - strength[:, b] for a, b, _ in _PLACES], axis=1)
    return np.where(np.abs(gaps) <= _LEVEL, 0.0, gaps)


SIZES = (5, 10, 20, 50)
"""Segments to draw, beside all; the paper's claim is about more than 10."""
_FEW = 10
_LABELS = (*map(str, SIZES), "all")
_PAIR = ((1.0, 2.0, 3.0), (2.0, 3.0, 1.0))
_PRINTED, _MEANT = (3.0, 2.0, 1.0), (3.0, 1.0, 2.0)
_COUNTS = ("triples", "cycles", "flips", "ties", "close", "without strengths")
_POLICIES: tuple[Literal["drop", "half", "as_published"], ...] = ("drop", "half", "as_published")


class _TripleSearch(NamedTuple):
    """What one block needs: the tables, how often they are cut, and the seed."""

    tables: tuple[FloatArray, ...]
    draws: int
    seed: int
    as_published: bool


def run(request: StudyRequest) -> Study:
    """Show the example of the appendix, then search all triples of systems of every setup."""
    used = request.setups_or_demo()
    work = _TripleSearch(
        tuple(setup.scores.goodness for setup in used),
        request.number("draws"),
        request.seed,
        request.as_published,
    )
    blocks = request.run(
        "all triples of systems",
        work,
        _search,
        parts=even_parts(len(used)),
        key=(setups_digest(used),),
        uses="processes",
    )
    change_counts = np.stack(blocks)
    return request.answer(
        tables=[_example(), _by_size(change_counts), _by_setup(change_counts, used)],
        claims=_claims(change_counts, used),
        charts=[_chart(change_counts)],
        sentences=_sentences(change_counts),
        differences=_DIFFERENCES,
        used=used,
    )


def _example() -> StudyTable:
    """Strengths of A and B alone, and beside C as meant and as printed, under each treatment of ties."""
    third = 1 / 3
    cases: tuple[tuple[str, tuple[tuple[float, ...], ...], tuple[StudyCell, ...]], ...] = (
        ("A and B alone", _PAIR, (third, 2 * third, None)),
        ("with C = 3, 1, 2", (*_PAIR, _MEANT), (None, None, None)),
        ("with C = 3, 2, 1, as printed", (*_PAIR, _PRINTED), (third, third, third)),
    )
    rows: list[tuple[StudyCell, ...]] = []
    printed: list[tuple[StudyCell, ...]] = []
    for label, tables, printed_shares in cases:
        for policy, shares in _fits(np.array(tables)).items():
            strengths = [float(share) for share in shares]
            rows.append((label, policy, *strengths, *[None] * (3 - len(strengths))))
            printed.append((None, None, *printed_shares))
    return StudyTable(
        name="example",
        title="The example of appendix F: strengths of A = 1, 2, 3 and B = 2, 3, 1",
        columns=("systems", "ties", "A", "B", "C"),
        rows=tuple(rows),
        printed=tuple(printed),
        digits=3,
    )


def _fits(table: FloatArray) -> dict[str, FloatArray]:
    """Strengths under every treatment of ties; without ties under one."""
    counts = win_counts(table)
    if not counts.ties.any():
        return {"none": to_shares(bradley_terry(counts.wins).log_strength)}
    wins_by_policy = {policy: with_ties(counts.wins, counts.ties, policy) for policy in _POLICIES}
    fits: dict[str, FloatArray] = {
        name: bradley_terry(wins).log_strength for name, wins in wins_by_policy.items()
    }
    fits["davidson"] = davidson(counts.wins, counts.ties).log_strength
    fits["rao_kupper"] = rao_kupper(counts.wins, counts.ties).log_strength
    return {name: to_shares(log_strength) for name, log_strength in fits.items()}


def _search(work: _TripleSearch, part: range, _rng: np.random.Generator) -> FloatArray:
    """Counts of :class:`Changes` at each size and with all segments; shape (sizes + 1, 6)."""
    block = part.start
    table = work.tables[block]
    n = table.shape[1]
    rows = []
    for size in SIZES:
        rng = stream(work.seed, f"triples of {size} segments", block)
        cuts = [rng.choice(n, size, replace=False) for _ in range(work.draws if size < n else 0)]
        drawn = [_counts(table[:, cut], work) for cut in cuts]
        rows.append(np.sum(drawn, axis=0) if drawn else np.zeros(len(Changes._fields)))
    return np.stack([*rows, _counts(table, work)])


def _counts(table: FloatArray, work: _TripleSearch) -> FloatArray:
    counts = win_counts(table)
    wins = with_ties(counts.wins, counts.ties, "as_published") if work.as_published else counts.wins
    return np.array(changes(wins), dtype=np.float64)


def _by_size(change_counts: FloatArray) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = []
    for label, totals in zip(_LABELS, change_counts.sum(axis=0), strict=True):
        if totals[0]:
            rows.append((label, *(int(count) for count in totals), float(totals[2] + totals[3]) / totals[0]))
    return StudyTable(
        name="triples-by-size",
        title="Triples of systems in which a third changes the order of two, by number of segments",
        columns=("segments", *_COUNTS, "changed per triple"),
        rows=tuple(rows),
        digits=4,
        notes=(
            (
                "Flips: the third system reverses the order of a pair. Ties: it makes the pair equal. Close: changed "
                f"pairs whose winner, alone, has at most {CLOSE:.0%} of the decided segments. A "
                "triple may change the order of more than one of its three pairs."
            ),
        ),
    )


def _by_setup(change_counts: FloatArray, used: tuple[Setup, ...]) -> StudyTable:
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (
            setup.dataset,
            setup.metric,
            setup.scores.n_systems,
            setup.scores.n_segments,
            *(int(count) for count in counts[-1]),
        )
        for setup, counts in zip(used, change_counts, strict=True)
    )
    columns = ("data", "metric", "systems", "segments", *_COUNTS)
    return StudyTable(
        name="triples-by-setup",
        title="The same with all segments, setup by setup",
        columns=columns,
        rows=rows,
        is_detail=True,
    )


def _claims(change_counts: FloatArray, used: Sequence[Setup]) -> list[Claim]:
    """With more than 10 segments no triple was found; the sizes that are drawn, and all segments."""
    more = [i for i, size in enumerate(SIZES) if size > _FEW] + [len(SIZES)]
    has_more = np.array([setup.scores.n_segments > _FEW for setup in used])
    total = change_counts[has_more][:, more].sum(axis=(0, 1))
    changed = int(total[2] + total[3])
    seen = f"{amount(changed, 0)} changed pairs in {counted(int(total[0]), 'triple')}"
    return [
        Claim(
            "no third system changes the order of two with more than 10 segments",
            "appendix F",
            changed == 0 if total[0] else UNKNOWN,
            seen,
        )
    ]


def _chart(change_counts: FloatArray) -> StudyChart:
    totals = {label: row for label, row in zip(_LABELS, change_counts.sum(axis=0), strict=True) if row[0]}
    effects = {"order reversed": 2, "becomes a tie": 3}
    return figure(
        (
            Mark("", name, label, float(row[i] / row[0]))
            for name, i in effects.items()
            for label, row in totals.items()
        ),
        name="changed-order",
        title="How often a third system changes the order of two",
        kind="bars",
        x="segments",
        y="pairs changed per triple",
    )


def _sentences(change_counts: FloatArray) -> tuple[str, ...]:
    total = change_counts[:, -1].sum(axis=0)
    changed, close = int(total[2] + total[3]), int(total[4])
    with_some = int((change_counts[:, -1, 2:4].sum(axis=1) > 0).sum())
    summary = (
        f"With all segments a third system changes the order of a pair {amount(changed, 0)} times in "
        f"{counted(int(total[0]), 'triple')}, in {with_some} of {counted(len(change_counts), 'setup')}."
    )
    if not changed:
        return (summary,)
    near = (
        f"In {close / changed:.0%} of these the winner of the pair, alone, has at most {CLOSE:.0%} of the decided "
        "segments."
    )
    return summary, near


_DIFFERENCES = (
    (
        "The printed scores C = 3, 2, 1 do not make the strengths equal under any treatment of ties; C = 3, 1, 2 do, "
        "so the former are read as a misprint."
    ),
)
