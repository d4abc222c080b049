"""Comparisons of repeated runs: literal formulas, agreement of the parts of an answer, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ttest_ind
from tests.made import drawn_runs, runs_of

import betterthan as bt
from betterthan.errors import BetterThanError, MissingScores, TableError

TABLE = np.random.default_rng(9).normal(size=(2, 30, 4)) + 0.5 * np.random.default_rng(1).normal(
    size=(2, 1, 4)
)


def test_over_runs_it_is_the_t_test_of_run_means():
    """These items, other runs: SciPy's test of the means of the runs."""
    pair = bt.compare(runs_of(TABLE), over="runs").pair("A", "B")
    first, second = TABLE.mean(axis=1)
    expected = ttest_ind(first, second)
    assert pair.effect == pytest.approx(first.mean() - second.mean())
    assert pair.pvalue == pytest.approx(expected.pvalue, rel=1e-6)
    low, high = expected.confidence_interval(0.95)
    assert (pair.low, pair.high) == pytest.approx((low, high))


def test_over_items_it_is_the_comparison_of_means():
    """The permutation test of the means over these runs."""
    runs = runs_of(TABLE)
    ours, means = bt.compare(runs, over="items"), bt.compare(runs.to_scores())
    assert ours.pair("A", "B") == means.pair("A", "B")


def test_over_both_it_joins_the_two():
    """The interval for other items, and the variance of the runs with half of what both count."""
    from scipy.stats import t

    runs = runs_of(TABLE)
    pair, items = bt.compare(runs).pair("A", "B"), bt.compare(runs.to_scores(), test="t").pair("A", "B")
    rest = TABLE - TABLE.mean(axis=2, keepdims=True) - TABLE.mean(axis=1, keepdims=True)
    square = ((rest + TABLE.mean(axis=(1, 2), keepdims=True)) ** 2).sum(axis=(1, 2)) / (29 * 3)
    between = TABLE.mean(axis=1).var(axis=1, ddof=1) - square / 30
    variance = (between / 4 + square / (2 * 30 * 4)).sum()
    reach = t.ppf(0.975, 6) ** 2 * variance
    assert pair.effect - pair.low == pytest.approx(np.hypot(items.effect - items.low, np.sqrt(reach)))
    assert pair.high - pair.effect == pytest.approx(np.hypot(items.high - items.effect, np.sqrt(reach)))


@pytest.mark.parametrize("seed", range(25))
def test_interval_p_value_and_verdict_agree(seed):
    """For binary and graded scores, few and many runs, and small and large differences."""
    rng = np.random.default_rng(seed)
    shape = (3, int(rng.integers(5, 60)), int(rng.integers(2, 6)))
    table = (
        rng.normal(size=shape)
        + 0.4 * rng.normal(size=(3, 1, shape[2]))
        + np.linspace(0, rng.random(), 3)[:, None, None]
    )
    if seed % 2:
        table = (table > 0.3).astype(float)
    pairs = bt.compare(runs_of(table), correction="none")
    for pair in pairs:
        assert (pair.pvalue <= 0.05) == (pair.low > 0 or pair.high < 0) == (pair.verdict is not None)
        assert pair.low <= pair.effect <= pair.high
    ranked = bt.rank(runs_of(table))
    assert (ranked.rank_low <= ranked.rank).all()
    assert (ranked.rank <= ranked.rank_high).all()


def test_names_and_order_do_not_matter():
    """Renamed, permuted and turned tables give the same numbers."""
    runs = runs_of(TABLE)
    pair = bt.compare(runs).pair("A", "B")
    turned = bt.compare(runs_of(-TABLE, higher_is_better=False)).pair("A", "B")
    mixed = runs_of(TABLE[::-1][:, ::-1][:, :, ::-1], systems=["B", "A"])
    for other in (turned, bt.compare(mixed).pair("A", "B")):
        assert (other.effect, other.low, other.high, other.pvalue) == pytest.approx(
            (pair.effect, pair.low, pair.high, pair.pvalue)
        )


def test_a_single_run_says_what_it_cannot_say():
    """The answer is that of the scores, with a note."""
    single = runs_of(TABLE[:, :, :1])
    pairs = bt.compare(single)
    assert pairs.pair("A", "B") == bt.compare(single.to_scores()).pair("A", "B")
    assert "nothing is known of other runs" in " ".join(pairs.notes)
    with pytest.raises(TableError, match="nothing is known of other runs"):
        bt.compare(single, over="runs")


def test_independent_draws_need_no_variance_of_runs():
    """Unless the data say clearly that runs differ as a whole."""
    rng = np.random.default_rng(2)
    plain = rng.normal(size=(2, 40, 5))
    draws = runs_of(plain, independent=True)
    assert bt.compare(draws).pair("A", "B") == bt.compare(draws.to_scores()).pair("A", "B")
    shifted = runs_of(plain + 2 * rng.normal(size=(2, 1, 5)), independent=True)
    assert bt.compare(shifted).units == "runs"


def test_documents_are_units():
    """Items of a document vary together, so the interval is wider."""
    rng = np.random.default_rng(3)
    shared = np.repeat(rng.normal(size=(2, 10, 1)), 6, axis=1)
    table = shared + 0.1 * rng.normal(size=(2, 60, 3))
    by_item = bt.compare(runs_of(table)).pair("A", "B")
    by_group = bt.compare(runs_of(table, groups=[f"d{i // 6}" for i in range(60)])).pair("A", "B")
    assert by_group.high - by_group.low > 1.5 * (by_item.high - by_item.low)


def test_missing_items_are_refused_or_left_out():
    """A missing run is none of them."""
    gaps = TABLE.copy()
    gaps[0, 0, 0] = np.nan
    uneven = bt.compare(runs_of(gaps))
    assert any("Items have 3 to 4 runs" in note for note in uneven.notes)
    gaps[0, 0] = np.nan
    with pytest.raises(MissingScores, match='missing="drop"'):
        bt.compare(runs_of(gaps))
    assert any(
        "1 of 30 segments left out" in note for note in bt.compare(runs_of(gaps), missing="drop").notes
    )


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"test": "sign"}, 'test="sign" does not apply'),
        ({"by": "median"}, 'by="median" does not apply'),
        ({"missing": "pairwise"}, "cannot be combined"),
        ({"over": "seeds"}, "over"),
        ({"over": "runs", "by": "pass@2"}, "cannot be combined"),
    ],
)
def test_options_of_items_are_refused(options, message):
    """Never ignored."""
    with pytest.raises(BetterThanError, match=message):
        bt.compare(runs_of(TABLE), **options)


def test_options_of_runs_need_runs():
    """Scores have none."""
    scores = runs_of(TABLE).to_scores()
    with pytest.raises(BetterThanError, match="for repeated runs"):
        bt.compare(scores, over="items")
    with pytest.raises(BetterThanError, match="several runs of each item"):
        bt.rank(scores, by="pass@2")
    with pytest.raises(BetterThanError, match="no effect on a table"):
        bt.compare(scores, run="seed")


def test_pass_at_k_is_the_mean_over_items():
    """Of the unbiased estimate, in `rank` and `compare`; and it needs k runs."""
    right = (TABLE > 0).astype(float)
    runs = runs_of(right)
    ranked = bt.rank(runs, by="pass@2")
    wrong = 4 - right.sum(axis=2)
    expected = (1 - wrong * (wrong - 1) / 12).mean(axis=1)
    assert [ranked[name].strength for name in "AB"] == pytest.approx(expected.tolist())
    assert ranked.settings.method == "pass@2"
    assert bt.compare(runs, by="pass@2").pair("A", "B").effect == pytest.approx(expected[0] - expected[1])
    with pytest.raises(TableError, match="pass@5 needs 5 runs of every item; 60 have fewer"):
        bt.rank(runs, by="pass@5")
    with pytest.raises(TableError, match="1 for right and 0 for wrong"):
        bt.rank(runs_of(TABLE), by="pass^2")


def test_arguments_name_columns():
    """A dict, a frame or a file with the same answer as the table."""
    runs = drawn_runs()
    rows = {
        "item": [runs.segments[i] for i in runs.segment],
        "model": [runs.levels[s][0] for s in runs.system],
        "prompt": [runs.levels[s][1] for s in runs.system],
        "seed": [runs.runs[r] for r in runs.run],
        "score": runs.score.tolist(),
    }
    read = bt.compare(rows, system=["model", "prompt"], run="seed")
    assert np.allclose(read.effect, bt.compare(runs).effect, equal_nan=True)
    assert bt.rank(rows, system=["model", "prompt"], run="seed").systems == bt.rank(runs).systems
