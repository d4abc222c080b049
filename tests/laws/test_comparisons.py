"""Laws that all comparisons of pairs obey; the exceptions are sets with names."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
from tests.everyday import few
from tests.made import by_pair, drawn_counts, drawn_matches, drawn_scores, same_after_json, scores_of

import betterthan as bt
from betterthan.analysis.pairs.pairwise import CORRECTIONS
from betterthan.analysis.pairs.significance import OWN_TEST, TESTS
from betterthan.engine.blocks import block_ranges
from betterthan.present.renderers.render import FORMATS, render

FAST = {"workers": 1}
FEW = {"n_resamples": 199}
KINDS = {
    **{name: {"test": name} for name in TESTS},
    "sign half": {"test": "sign", "ties": "half"},
    "sign as_published": {"test": "sign", "ties": "as_published"},
    "monte_carlo": {"test": "permutation", "method": "monte_carlo", **FEW},
    "analytic": {"test": "permutation", "method": "analytic"},
    "bracket": {"test": "permutation", "method": "bracket"},
    "max_statistic": {"test": "permutation", "correction": "max_statistic", **FEW},
}
KINDS["bootstrap"] |= FEW
# Their p-values (or, for medians, intervals) come from random draws of segments.
DRAWN = {"bootstrap", "monte_carlo", "max_statistic", "mood"}
# They ask only who is better on a segment, or above the common median.
RANK_BASED = {"sign", "sign half", "sign as_published", "mood"}
# Two-sided questions only.
WITHOUT_SIDES = {"max_statistic"}
# Bootstrap samples cannot have gaps.
NEED_EVERY_SCORE = {("bootstrap", "gaps")}
ALTERNATIVES = ("two-sided", "greater", "less")

TABLES = {
    "distinct": drawn_scores(4, 23, seed=1),
    "ties": scores_of(np.round(drawn_scores(4, 31, seed=2).values)),
    "clear": drawn_scores(5, 19, seed=3, gap=1.2),
    "gaps": scores_of(
        np.where(np.random.default_rng(4).random((3, 30)) < 0.2, np.nan, drawn_scores(3, 30, seed=4).values)
    ),
}
WHOLE = ("ties", "clear")
MATRICES = (
    "effect",
    "low",
    "high",
    "size",
    "pvalue",
    "adjusted",
    "p_low",
    "p_high",
    "wins",
    "ties",
    "losses",
)

CASES = [
    (kind, table)
    for kind in KINDS
    for table in ("ties", "clear", "gaps")
    if (kind, table) not in NEED_EVERY_SCORE
]
SIDED = [
    (*case, side)
    for case in CASES
    for side in ALTERNATIVES
    if side == "two-sided" or case[0] not in WITHOUT_SIDES
]

each_kind = pytest.mark.parametrize("kind", KINDS)
each_case = pytest.mark.parametrize(("kind", "table"), few(CASES, 14, tuples=True))
each_case_and_side = pytest.mark.parametrize(("kind", "table", "alternative"), few(SIDED, 34, tuples=True))
each_side = pytest.mark.parametrize("alternative", ALTERNATIVES)


def compared(table, kind, **options):
    """The comparison of a table by the test of that name; those of `TABLES` are made once."""
    for name, known in TABLES.items():
        if table is known:
            return compared_once(name, kind, tuple(sorted(options.items())))
    return bt.compare(table, **{**FAST, **KINDS[kind], **options})


@cache
def compared_once(name, kind, options):
    """The comparison of the table with that name in `TABLES`."""
    return bt.compare(TABLES[name], **{**FAST, **KINDS[kind], "missing": "pairwise", **dict(options)})


def same(one, other, fields=MATRICES, slack=1e-9):
    """Assert that two comparisons agree pair by pair, whatever the order of systems."""
    for field in fields:
        expected, found = by_pair(one, field), by_pair(other, field)
        assert found.keys() == expected.keys()
        for pair, value in expected.items():
            assert found[pair] == pytest.approx(value, rel=slack, abs=slack, nan_ok=True), (field, pair)


@each_case
def test_what_one_gains_the_other_loses(kind, table):
    """Effects change sign, or sum to 1 for a probability, to the last bit; so do their intervals."""
    found = compared(TABLES[table], kind)
    whole = 1.0 if found.effect_name.startswith("P(") else 0.0
    off = ~np.eye(len(found.systems), dtype=bool)

    np.testing.assert_array_equal((found.effect + found.effect.T)[off], whole)
    np.testing.assert_allclose(found.low, whole - found.high.T, rtol=0, atol=1e-12)
    np.testing.assert_array_equal(found.size[off], -found.size.T[off])
    np.testing.assert_array_equal(found.wins, found.losses.T)
    np.testing.assert_array_equal(found.ties, found.ties.T)
    known = off & ~np.isnan(found.low)
    assert np.all(found.low[known] <= found.effect[known])
    assert np.all(found.effect[known] <= found.high[known])


@each_case_and_side
def test_p_lies_between_0_and_1(kind, table, alternative):
    """Never 0, never above 1; adjusting never lowers it; what is certain about it holds."""
    found = compared(TABLES[table], kind, alternative=alternative)
    off = ~np.eye(len(found.systems), dtype=bool)

    assert np.isnan(np.diagonal(found.pvalue)).all()
    assert np.all((found.pvalue[off] > 0) & (found.pvalue[off] <= 1))
    assert np.all((found.adjusted >= found.pvalue)[off] & (found.adjusted[off] <= 1))
    assert np.all((found.p_low <= found.pvalue)[off] & (found.pvalue <= found.p_high)[off])


@each_case
def test_both_triangles_tell_the_same_story(kind, table):
    """Two-sided p-values are symmetric; "greater" seen from a is "less" seen from b."""
    scores = TABLES[table]
    found = compared(scores, kind)
    for field in ("pvalue", "adjusted", "p_low", "p_high"):
        np.testing.assert_array_equal(getattr(found, field), getattr(found, field).T)
    for a, b in by_pair(found, "effect"):
        assert found.pair(a, b).verdict == found.pair(b, a).verdict
    if kind not in WITHOUT_SIDES:
        greater, less = (compared(scores, kind, alternative=side) for side in ("greater", "less"))
        for field in ("pvalue", "adjusted", "p_low", "p_high"):
            np.testing.assert_allclose(getattr(greater, field), getattr(less, field).T, rtol=1e-12)
        assert [p.verdict for p in greater.pairs()] == [less.pair(p.b, p.a).verdict for p in greater.pairs()]


@each_case_and_side
def test_a_verdict_is_what_the_adjusted_p_says(kind, table, alternative):
    """Somebody is better exactly when the adjusted p-value is at most alpha, and it is the one with the gain."""
    scores = TABLES[table]
    found = compared(scores, kind, alternative=alternative, alpha=0.3)
    for pair in found.pairs():
        neutral = 0.5 if found.effect_name.startswith("P(") else 0.0
        gain = pair.size if kind == "wilcoxon" else pair.effect - neutral
        if pair.adjusted > 0.3:
            assert pair.verdict is None
        elif alternative == "two-sided":
            assert pair.verdict == (pair.a if gain > 0 else pair.b if gain < 0 else None)
        else:
            assert pair.verdict == (pair.a if alternative == "greater" else pair.b)
    assert found.n_different == sum(pair.verdict is not None for pair in found.pairs())


@each_case_and_side
def test_the_order_of_systems_decides_nothing(kind, table, alternative):
    """Columns may be swapped: every pair keeps all its numbers, corrected ones too."""
    scores = TABLES[table]
    turned = scores.select(
        [scores.systems[i] for i in np.random.default_rng(0).permutation(scores.n_systems)]
    )
    one = compared(scores, kind, alternative=alternative)
    other = compared(turned, kind, alternative=alternative, missing="pairwise")
    same(one, other)


@each_case
def test_the_order_of_segments_decides_nothing(kind, table):
    """Rows may be shuffled; only random draws know where a segment stood."""
    scores = TABLES[table]
    order = np.random.default_rng(1).permutation(scores.n_segments)
    mixed = scores.select(segments=[scores.segments[i] for i in order])
    drawn = ("pvalue", "adjusted", "p_low", "p_high", "low", "high") if kind in DRAWN else ()
    fields = [field for field in MATRICES if field not in drawn]
    # A bracket is certain, but how narrow it is may depend on the order of the sums.
    slack = 1e-3 if "bracket" in compared(scores, kind).settings.signature else 1e-9
    same(compared(scores, kind), compared(mixed, kind, missing="pairwise"), fields, slack)


@each_kind
@pytest.mark.parametrize("table", WHOLE)
def test_repeating_every_segment_changes_no_effect(kind, table):
    """Effects are averages; only the certainty grows."""
    scores = TABLES[table]
    twice = compared(scores_of(np.repeat(scores.values, 2, axis=1)), kind)
    same(compared(scores, kind), twice, ["effect"])


@pytest.mark.parametrize("kind", sorted(RANK_BASED))
@pytest.mark.parametrize("table", WHOLE)
@pytest.mark.parametrize("stretch", [np.exp, np.cbrt], ids=["exp", "cbrt"])
def test_stretching_the_scale_changes_no_p_for_what_asks_who_is_better(kind, table, stretch):
    """A monotone map of the scores keeps wins, and sides of the common median when that is between two scores."""
    scores = TABLES[table]
    other = compared(scores_of(stretch(scores.values)), kind)
    one, stretched = by_pair(compared(scores, kind), "pvalue"), by_pair(other, "pvalue")
    assert stretched == pytest.approx(one)


@each_case_and_side
def test_an_error_rate_is_compared_as_the_score_it_negates(kind, table, alternative):
    """Effects speak of goodness, whatever the direction of the metric; a note says so."""
    scores = TABLES[table]
    errors = scores_of(-scores.values, higher_is_better=False)
    one = compared(scores, kind, alternative=alternative)
    other = compared(errors, kind, alternative=alternative, missing="pairwise")

    assert one.systems == other.systems
    for field in MATRICES:
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    assert any(note.startswith("Lower score is better") for note in other.notes)


@each_kind
@pytest.mark.parametrize("scale", [2.0**-300, 2.0**300], ids=["tiny", "huge"])
def test_the_unit_of_the_scores_decides_nothing(kind, scale):
    """A power of two is exact: p-values stay, effects go along."""
    scores = TABLES["distinct"]
    one, other = compared(scores, kind), compared(scores_of(scores.values * scale), kind)
    factor = scale if "difference" in one.effect_name else 1.0

    np.testing.assert_allclose(one.pvalue, other.pvalue, rtol=1e-12)
    np.testing.assert_allclose(one.adjusted, other.adjusted, rtol=1e-12)
    np.testing.assert_allclose(one.effect * factor, other.effect, rtol=1e-12)
    np.testing.assert_allclose(one.size, other.size, rtol=1e-9)


@pytest.mark.parametrize(
    "correction", [name for name in CORRECTIONS if name not in ("auto", "max_statistic")]
)
@each_side
def test_corrections_are_stricter_the_more_they_promise(correction, alternative):
    """none ≤ Benjamini–Hochberg ≤ Holm ≤ Bonferroni, pair by pair; with one pair there is nothing to correct."""  # noqa: D403
    order = ["none", "benjamini_hochberg", "holm", "bonferroni"]
    scores = TABLES["clear"]
    mine, next_one = correction, order[min(order.index(correction) + 1, 3)]
    lower, upper = (compared(scores, "sign", correction=c, alternative=alternative) for c in (mine, next_one))
    single = bt.compare(
        scores.select(["A", "B"]), test="sign", correction=correction, alternative=alternative
    )

    assert np.all((lower.adjusted <= upper.adjusted + 1e-15) | np.isnan(lower.adjusted))
    np.testing.assert_array_equal(single.adjusted, single.pvalue)


def test_every_mechanism_has_a_test():
    """The word "auto" finds it for each name that rank takes, and only names of tests stand there."""
    scores = TABLES["distinct"]
    right = scores_of((drawn_scores(3, 60, seed=5).values > 0).astype(float))
    for by, test in OWN_TEST.items():
        assert bt.compare(right if by.startswith("irt") else scores, by=by).test == test
    assert set(OWN_TEST.values()) <= {*TESTS, "strengths"}


GROUPED = drawn_scores(5, 24, groups=list("abcdefgh" * 3))
EVERYTHING = {
    **{name: (TABLES["ties"], options) for name, options in KINDS.items()},
    **{f"gaps {name}": (TABLES["gaps"], {**options, "missing": "pairwise"}) for name, options in KINDS.items()
       if name != "bootstrap"},
    **{f"groups {name}": (GROUPED, {**options, "units": "groups"}) for name, options in KINDS.items()
       if TESTS[options["test"]].takes_groups},
    "counts": (drawn_counts(), {}),
    "counts greater": (drawn_counts(), {"alternative": "greater"}),
    "matches": (drawn_matches(), {}),
    "matches drop": (drawn_matches(), {"ties": "drop"}),
    "matches clustered": (drawn_matches(group=np.arange(300) % 17), {}),
}  # fmt: skip
each_comparison = pytest.mark.parametrize("case", few(EVERYTHING, 12))


@each_comparison
def test_a_comparison_survives_json_and_shows_itself_in_every_format(case):
    """Nothing that can be computed cannot be written, and what is read again is the same."""
    table, options = EVERYTHING[case]
    found = bt.compare(table, **FAST, **options)

    assert same_after_json(found)
    for name in FORMATS:
        assert found.systems[0] in render(found, name)


@each_comparison
def test_the_number_of_workers_changes_no_byte(case, monkeypatch):
    """1, 2 and 4 workers write the same JSON, when the work is cut into many blocks."""
    small = partial(block_ranges, budget=20_000)
    monkeypatch.setattr("betterthan.analysis.resampling.block_ranges", small)
    monkeypatch.setattr("betterthan.analysis.pairs.permutation.DIFFERENCES_IN_A_BLOCK", 50)
    monkeypatch.setattr("betterthan.analysis.pairs.permutation.REFEREED_IN_A_BLOCK", 2)
    table, options = EVERYTHING[case]
    one, *others = (
        bt.compare(table, **{**FAST, **options, "workers": workers}).to_json() for workers in (1, 2, 4)
    )

    assert others == [one, one]


@each_comparison
def test_a_signature_names_data_test_and_decision(case):
    """What makes two p-values comparable stands in the line below the table; a seed only where one was used."""
    table, options = EVERYTHING[case]
    found = bt.compare(table, **FAST, **options)
    line = found.settings.signature

    assert line.startswith(f"betterthan|{found.test}|")
    for part in (
        f"|data:{table.digest}|",
        f"|version:{bt.__version__}",
        f"|k:{table.n_systems}|",
        "|alpha:0.05|",
    ):
        assert part in line
    again = bt.compare(table, **FAST, **options, rng=99)
    uses_seed = "|seed:12345|" in line
    assert uses_seed or {**again.to_dict(), "settings": None} == {**found.to_dict(), "settings": None}
    if "199" in line:
        assert uses_seed


@each_comparison
def test_two_matrices_of_a_table_cannot_disagree(case):
    """Antisymmetry, ranges and verdicts hold for counts and matches as they do for scores."""
    table, options = EVERYTHING[case]
    found = bt.compare(table, **FAST, **options)
    off = ~np.eye(len(found.systems), dtype=bool)
    whole = 1.0 if found.effect_name.startswith("P(") else 0.0

    np.testing.assert_allclose((found.effect + found.effect.T)[off], whole, rtol=0, atol=1e-15)
    assert np.all((found.pvalue[off] > 0) & (found.pvalue[off] <= 1))
    assert np.all(found.adjusted[off] >= found.pvalue[off])
    for pair in found.pairs():
        assert (pair.adjusted <= 0.05) == (pair.verdict is not None) or pair.effect == whole / 2
