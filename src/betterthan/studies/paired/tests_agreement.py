"""Figure 6 of the paired-evaluation paper: when one test finds a difference, do the others?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.wording import amount, counted
from betterthan.arrays import BoolArray, FloatArray
from betterthan.engine.blocks import even_parts, stream
from betterthan.kernels.agreement.rankings import significance_overlap
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.significance.paired import paired_t
from betterthan.kernels.significance.rank_tests import mood_median, sign_test, wilcoxon
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.paired.subsamples import RULES
from betterthan.studies.reporting import UNKNOWN, Claim, Mark, figure, printed_table
from betterthan.studies.request import StudyRequest
from betterthan.studies.setups import Setup, setups_digest

TESTS = printed_table("paired", "figure_6").columns[1:]
FIGURE_6: tuple[tuple[float, ...], ...] = tuple(printed_table("paired", "figure_6").values().values())
_DRAWS_IN_A_BLOCK = 20
_NEARLY_ALL = 0.95


class _TestedSetups(NamedTuple):
    """What all blocks need."""

    tables: tuple[FloatArray, ...]
    places: tuple[tuple[str, tuple[int, ...]], ...]
    alpha: float
    seed: int


def run(request: StudyRequest) -> Study:
    """Test all pairs of systems of every setup four ways; as published, of drawn setups, a fifth of their segments."""
    used = request.setups_or_demo()
    work = _TestedSetups(
        tuple(setup.scores.values if request.as_published else setup.scores.goodness for setup in used),
        _places(used),
        float(request.options["alpha"]),
        request.seed,
    )
    drawn = even_parts(request.number("draws"), _DRAWS_IN_A_BLOCK)
    blocks = request.run(
        "tests of all pairs",
        work,
        _drawn if request.as_published else _all,
        parts=drawn if request.as_published else even_parts(len(used)),
        key=(setups_digest(used),),
        uses="processes",
    )
    significant = np.concatenate(blocks, axis=1)
    overlap = significance_overlap(significant)
    tables = [_matrix(overlap, significant.shape[1])]
    if not request.as_published:
        tables.append(_by_setup(blocks, used))
    return request.answer(
        tables=tables,
        claims=_claims(overlap),
        charts=[_chart(overlap)],
        sentences=_sentences(overlap, significant, work.alpha),
        differences=_DIFFERENCES,
        used=used,
        draws=request.as_published,
    )


def _places(used: tuple[Setup, ...]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """Which setups each data set has: the program draws a data set, then one of its metrics."""
    by_dataset: dict[str, list[int]] = {}
    for place, setup in enumerate(used):
        by_dataset.setdefault(setup.dataset, []).append(place)
    return tuple((dataset, tuple(places)) for dataset, places in by_dataset.items())


def _all(work: _TestedSetups, part: range, _rng: np.random.Generator) -> BoolArray:
    return _significant(work.tables[part.start], work.alpha, as_published=False)


def _drawn(work: _TestedSetups, part: range, _rng: np.random.Generator) -> BoolArray:
    significant = []
    for draw in part:
        rng = stream(work.seed, "data set, metric and segments", draw)
        _, places = work.places[rng.integers(len(work.places))]
        table = work.tables[places[rng.integers(len(places))]]
        cut = RULES["fifth"].draw(table.shape[1], rng)
        significant.append(_significant(table[:, cut], work.alpha, as_published=True))
    return np.concatenate(significant, axis=1)


def _significant(table: FloatArray, alpha: float, *, as_published: bool) -> BoolArray:
    """Whether each test finds each pair different; (4 tests, pairs). A test that says nothing finds nothing."""
    counts = win_counts(table)
    pvalues = (
        paired_t(table).pvalue,
        mood_median(table).pvalue,
        sign_test(counts, ties="as_published" if as_published else "drop").pvalue,
        wilcoxon(table).pvalue,
    )
    a, b = np.triu_indices(len(table), 1)
    return np.stack([np.nan_to_num(p[a, b], nan=1.0) < alpha for p in pvalues])


def _matrix(overlap: FloatArray, n_pairs: int) -> StudyTable:
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (test, *(float(share) for share in row)) for test, row in zip(TESTS, overlap, strict=True)
    )
    return StudyTable(
        name="figure-6",
        title=f"Figure 6: of the pairs significant by the row, the share significant by the column "
        f"({amount(n_pairs, 0)} pairs)",
        columns=("test", *TESTS),
        rows=rows,
        printed=tuple((None, *row) for row in FIGURE_6),
        notes=("On the diagonal: the share of all pairs that differ significantly by the test.",),
    )


def _by_setup(blocks: list[BoolArray], used: tuple[Setup, ...]) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = [
        (
            setup.dataset,
            setup.metric,
            setup.scores.n_segments,
            block.shape[1],
            *(float(share) for share in block.mean(axis=1)),
        )
        for setup, block in zip(used, blocks, strict=True)
    ]
    return StudyTable(
        name="significant-by-setup",
        title="Share of significant pairs by setup",
        columns=("data", "metric", "segments", "pairs", *TESTS),
        rows=tuple(rows),
        is_detail=True,
    )


def _chart(overlap: FloatArray) -> StudyChart:
    both = {"here": overlap, "in the paper": np.array(FIGURE_6)}
    return figure(
        (
            Mark(panel, row, column, float(table[i, j]))
            for panel, table in both.items()
            for i, row in enumerate(TESTS)
            for j, column in enumerate(TESTS)
        ),
        name="figure-6",
        title="Figure 6: when the row finds a difference, how often does the column?",
        kind="matrix",
        x="also found by",
        y="found by; on the diagonal, the share of all pairs found",
    )


def _claims(overlap: FloatArray) -> list[Claim]:
    share = dict(zip(TESTS, np.diag(overlap).tolist(), strict=True))
    shares = ", ".join(f"{test} {value:.0%}" for test, value in share.items())
    t, mood, sign, wilcoxon_ = (share[test] for test in TESTS)
    by_mood = overlap[TESTS.index("Mood")]
    also = {test: float(by_mood[TESTS.index(test)]) for test in ("t", "sign")}
    # Tests that find the same share, such as none or all pairs, are in no order.
    differ = min(share.values()) < max(share.values())
    in_order = {
        "the paired t-test finds the most differences": t == max(share.values()),
        "Mood's test finds the fewest": mood == min(share.values()),
        "the sign test and Wilcoxon's test are in between": (
            mood < min(sign, wilcoxon_) and max(sign, wilcoxon_) < t
        ),
    }
    return [
        *(
            Claim(text, "section 5.1", bool(holds) if differ else UNKNOWN, shares)
            for text, holds in in_order.items()
        ),
        Claim(
            "nearly all that Mood's test finds the t-test finds too (98%)",
            "appendix D",
            also["t"] >= _NEARLY_ALL if mood else UNKNOWN,
            f"t {also['t']:.0%}, sign {also['sign']:.0%}" if mood else "Mood's test finds none",
        ),
    ]


def _sentences(overlap: FloatArray, significant: BoolArray, alpha: float) -> tuple[str, ...]:
    shares = ", ".join(f"{test} {overlap[i, i]:.0%}" for i, test in enumerate(TESTS))
    order = [TESTS[i] for i in np.argsort(-np.diag(overlap), kind="stable")]
    printed = [TESTS[i] for i in np.argsort(-np.diag(np.array(FIGURE_6)), kind="stable")]
    same = "so it is in figure 6" if order == printed else f"in figure 6 it is {', '.join(printed)}"
    return (
        f"{counted(significant.shape[1], 'pair')} of systems; significant at {alpha:g}, uncorrected: {shares}.",
        f"From most to least: {', '.join(order)}; {same}.",
    )


_DIFFERENCES = (
    "Figure 6 prints 0.42, 0.21, 0.35 and 0.41 on its diagonal, section 5.1 says 41, 21, 35 and 40%.",
    (
        "Read as the text has it, all pairs of all setups are tested once. The released program draws 1,000 times a "
        "data set, one of its metrics and a fifth of its segments, and its sign test counts ties against the leader."
    ),
)
