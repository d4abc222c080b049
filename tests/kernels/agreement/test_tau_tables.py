"""Tables of pairs against double loops, and the taus made of them."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from betterthan.errors import BetterThanError, UnknownName
from betterthan.kernels.agreement import tau_tables
from betterthan.kernels.agreement.correlation import LEVELS, cells_by_group, grouped
from betterthan.kernels.agreement.tau_tables import (
    RULES,
    kept_by_margin,
    pair_table,
    pair_tables_per_segment,
    tau,
)

cell = st.integers(0, 4).map(float) | st.just(np.nan)
both_tables = hnp.arrays(
    np.float64, st.tuples(st.just(2), st.integers(1, 4), st.integers(1, 4)), elements=cell
)
margins = st.sampled_from([0.0, 0.5, 1.0, 2.0])


def sign(one, other, is_tie):
    """0 for <, 1 for =, 2 for >."""
    return 1 if one == other or is_tie(abs(one - other)) else 0 if one < other else 2


def literal_tables(metric, human, *, margin=0.0, metric_margin=0.0, same=None, level="segment"):
    """One pair after the other."""
    x, h = cells_by_group(metric, human, level)
    tables = np.zeros((len(x), 3, 3), dtype=int)
    for g in range(len(x)):
        for i, j in itertools.combinations(range(x.shape[1]), 2):
            if np.isnan([x[g, i], x[g, j], h[g, i], h[g, j]]).any():
                continue
            said = sign(h[g, i], h[g, j], lambda gap: gap < margin)
            if same is not None and same[g, i, j]:
                said = 1
            tables[g, said, sign(x[g, i], x[g, j], lambda gap: gap <= metric_margin)] += 1
    return tables


def drawn(m=5, n=7, seed=0):
    """A metric, human scores with ties and holes, and who wrote the same."""
    rng = np.random.default_rng(seed)
    metric, human = rng.integers(0, 5, (2, m, n)).astype(float)
    metric[rng.random((m, n)) < 0.15] = np.nan
    texts = rng.integers(0, 3, (m, n))
    same = texts.T[:, :, None] == texts.T[:, None, :]
    return metric, human, same, texts


@given(both_tables, margins, margins, st.sampled_from(LEVELS))
def test_pairs_are_counted_one_by_one(pair, margin, metric_margin, level):
    """With margins on both sides, holes, and at all levels."""
    options = {"margin": margin, "metric_margin": metric_margin, "level": level}
    wanted = literal_tables(*pair, **options)

    np.testing.assert_array_equal(pair_tables_per_segment(*pair, **options), wanted)
    np.testing.assert_array_equal(pair_table(*pair, **options), wanted.sum(axis=0))


def test_the_same_output_is_a_human_tie():
    """Whether it is given as an array or as a function of pairs; a missing score still leaves the pair out."""
    metric, human, same, texts = drawn()
    wanted = literal_tables(metric, human, margin=2, same=same)

    assert not np.array_equal(wanted, literal_tables(metric, human, margin=2))
    for form in (same, lambda first, second: texts[first] == texts[second]):
        found = pair_tables_per_segment(metric, human, margin=2, same_output=form)
        np.testing.assert_array_equal(found, wanted)


def test_blocks_change_nothing(monkeypatch):
    """One segment at a time."""
    metric, human, same, _ = drawn(n=9)
    whole = pair_tables_per_segment(metric, human, margin=1, same_output=same)
    kept = kept_by_margin(human, np.arange(5.0))
    monkeypatch.setattr(tau_tables, "_BLOCK", 1)

    np.testing.assert_array_equal(pair_tables_per_segment(metric, human, margin=1, same_output=same), whole)
    np.testing.assert_array_equal(kept_by_margin(human, np.arange(5.0)).n_kept, kept.n_kept)


def test_a_gap_of_the_margin_is_kept():
    """E29: at least 25 apart is a difference, on the human side; on the metric side the margin is a tie."""
    human, metric = np.array([[50.0], [75.0], [74.0]]), np.array([[0.0], [0.5], [2.0]])

    table = pair_table(metric, human, margin=25, metric_margin=0.5)
    # 0-1 is 25 apart and the metric ties it; 0-2 is a human tie that the metric calls <; so is 1-2.
    np.testing.assert_array_equal(table, [[0, 1, 0], [2, 0, 0], [0, 0, 0]])


@given(both_tables, st.integers(0, 99), margins)
def test_no_tau_minds_the_order_of_systems_or_segments(pair, seed, margin):
    """Renaming exchanges < and > on both sides of a pair."""
    rng = np.random.default_rng(seed)
    systems, segments = rng.permutation(pair.shape[1]), rng.permutation(pair.shape[2])
    shuffled = pair[:, systems][:, :, segments]

    for rule in RULES:
        plain, renamed = (tau(pair_table(*p, margin=margin), rule) for p in (pair, shuffled))
        np.testing.assert_array_equal(plain, renamed)


def test_without_human_ties_soft_tau_is_the_plain_tau_of_each_segment():
    """On complete segments without ties every rule is Kendall's tau, and pooling is averaging."""
    rng = np.random.default_rng(2)
    metric, human = rng.normal(size=(2, 6, 20))
    taus = [stats.kendalltau(x, h).statistic for x, h in zip(metric.T, human.T, strict=True)]

    for rule in RULES:
        per_segment = tau(pair_tables_per_segment(metric, human), rule)
        np.testing.assert_allclose(per_segment, taus, atol=1e-12)
        assert tau(pair_table(metric, human), rule) == pytest.approx(np.mean(taus), abs=1e-12)
    assert grouped("kendall_b", metric, human, "segment").value == pytest.approx(np.mean(taus), abs=1e-12)


def literal_tau(counts, rule, double_ties):
    """Equations 1 and 2 with signs, from the nine names of the cells."""
    (ll, le, lg), (el, ee, eg), (gl, ge, gg) = counts.tolist()
    concordant, discordant, metric_ties, human_ties = ll + gg, lg + gl, le + ge, el + eg
    above, below = {
        "tau_ties_ignored": (concordant - discordant, concordant + discordant),
        "tau_ties_soft": (concordant - discordant, concordant + discordant + metric_ties),
        "tau_ties_hard": (concordant - discordant - metric_ties, concordant + discordant + metric_ties),
        "tau_human_ties": (concordant - discordant + double_ties * ee, sum(map(sum, counts.tolist()))),
    }[rule]
    assert rule != "tau_human_ties" or below == concordant + discordant + metric_ties + human_ties + ee
    return above / below if below else np.nan


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("double_ties", [1, -1])
def test_taus_by_their_names(rule, double_ties):
    """A stack of tables at once; the empty one and one of human ties only are undefined, never 0."""
    counts = np.random.default_rng(0).integers(0, 9, (3, 4, 3, 3))
    counts[0, 0] = 0
    counts[0, 1, [0, 2]] = 0
    wanted = [[literal_tau(table, rule, double_ties) for table in row] for row in counts]
    found = tau(counts, rule, double_ties=double_ties)

    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-15)
    assert np.isnan(found[0, 0])
    assert np.isnan(found[0, 1]) == (rule != "tau_human_ties")


@given(both_tables, st.lists(st.sampled_from([-1.0, 0, 0.5, 1, 2, 3, 9]), max_size=5))
def test_kept_pairs_are_those_the_table_does_not_tie(pair, wanted):
    """A76, for margins in any order and repeated."""
    human = pair[1]
    found = kept_by_margin(human, np.array(wanted))
    tables = [pair_table(human, human, margin=max(0.0, margin)) for margin in wanted]

    assert found.n_kept.tolist() == [int(table[[0, 2]].sum()) for table in tables]
    assert found.n_pairs == pair_table(human, human).sum()


def test_errors_say_what_to_do():
    """Margins, rules and shapes."""
    square = np.zeros((2, 2))
    with pytest.raises(BetterThanError, match="margin must be 0 or more; it is -1"):
        pair_table(square, square, margin=-1)
    with pytest.raises(BetterThanError, match="metric_margin must be 0 or more; it is nan"):
        pair_table(square, square, metric_margin=np.nan)
    with pytest.raises(BetterThanError, match=r"segments × systems × systems, \(2, 2, 2\); it is \(2, 2\)"):
        pair_table(square, square, same_output=square > 0)
    with pytest.raises(BetterThanError, match='says nothing at level "global"'):
        pair_table(square, square, same_output=np.zeros((2, 2, 2), dtype=bool), level="global")
    with pytest.raises(UnknownName, match=r'Unknown rule "tau_ties_sof". Did you mean "tau_ties_soft"'):
        tau(np.zeros((3, 3)), "tau_ties_sof")
    with pytest.raises(BetterThanError, match=r"1 \(accuracy\) or -1 \(error rate\); it is 0"):
        tau(np.zeros((3, 3)), "tau_human_ties", double_ties=0)
    with pytest.raises(BetterThanError, match="A margin is NaN"):
        kept_by_margin(square, np.array([np.nan]))
