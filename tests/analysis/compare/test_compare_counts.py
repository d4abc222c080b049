"""Small p-values of corpus scores: extrapolated, and how far off a million permutations says that is."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import bdtrc
from tests.made import accuracy_counts, drawn_counts

import betterthan as bt
from betterthan.analysis.compare.compare_counts import FEW_REACHED
from betterthan.kernels.significance.counts_permutation import counts_permutation_block
from betterthan.results.pairwise import P_METHODS


def bleu(sums):
    """Geometric mean of four precisions, and a penalty for what is too short."""
    precision = np.exp(np.log(sums[..., :4] / sums[..., 4:8]).mean(axis=-1))
    return 100 * precision * np.minimum(1.0, np.exp(1 - sums[..., 9] / sums[..., 8]))


def f1(sums):
    """From true positives, false positives and false negatives."""
    return 2 * sums[..., 0] / (2 * sums[..., 0] + sums[..., 1] + sums[..., 2])


FORMULAS = {"accuracy": lambda sums: sums[..., 0] / sums[..., 1], "f1": f1, "bleu": bleu}


def drawn(kind, n, seed):
    """Counts of two systems on n segments that are hard or easy for both; the first is better."""
    rng = np.random.default_rng(seed)
    shared, own = rng.random((2, n)), rng.random((2, 6, n))
    tables = []
    for lead, u in zip((1 / np.sqrt(n), 0.0), own, strict=True):
        if kind == "accuracy":
            tables.append([u[0] < 0.25 + 0.5 * shared[0] + 2 * lead, np.ones(n)])
        elif kind == "f1":
            gold = np.floor(1 + 19 * shared[0])
            hit = np.floor((gold + 1) * np.clip(0.6 * u[0] + 0.3 * shared[1] + 0.5 * lead, 0, 0.999))
            tables.append([hit, np.floor(6 * u[1]), gold - hit])
        else:
            reference = np.floor(10 + 25 * shared[0])
            length = np.floor(reference * (0.85 + 0.25 * u[5]))
            share = np.clip(0.25 + 0.5 * shared[1] + 0.3 * (u[4] - 0.5) + 0.45 * lead, 0.02, 0.98)
            possible = [length - k for k in range(4)]
            found = [np.minimum(possible[0], np.floor(length * share + u[0]))]
            for k in (1, 2, 3):
                longer = np.floor(np.minimum(found[-1], possible[k]) * np.sqrt(share) + u[k])
                found.append(np.minimum(longer, possible[k]))
            tables.append([*found, *possible, length, reference])
    values = np.array(tables, dtype=np.float64).transpose(0, 2, 1)
    return bt.Counts(
        name=kind,
        systems=["A", "B"],
        segments=[str(i) for i in range(n)],
        columns=[f"c{i}" for i in range(values.shape[2])],
        values=values,
        formula=bt.Formula(name=kind, pooled=FORMULAS[kind], segment=lambda sums: sums[..., 0]),
    )


# What is drawn, and how many of a million permutations are as extreme.
OF_A_MILLION = [
    ("accuracy", 30, 14, 977),
    ("accuracy", 30, 17, 126),
    ("accuracy", 200, 13, 1335),
    ("accuracy", 200, 16, 100),
    ("f1", 30, 22, 63),
    ("f1", 30, 36, 894),
    ("f1", 200, 7, 891),
    ("f1", 200, 63, 127),
    ("bleu", 30, 0, 137),
    ("bleu", 30, 1, 336),
    ("bleu", 30, 9, 57),
    ("bleu", 200, 5, 51),
    ("bleu", 200, 11, 159),
    ("bleu", 200, 12, 535),
]
each_table = pytest.mark.parametrize(("kind", "n", "seed", "reached"), OF_A_MILLION)


@each_table
def test_extrapolated_p_values_are_those_of_a_million_permutations(kind, n, seed, reached):
    """999 permutations hardly reach them; within three standard errors of the million, and a tenth for BLEU and F1."""
    pair = bt.compare(drawn(kind, n, seed), n_resamples=999).pair("A", "B")
    noise = 3 / np.sqrt(reached)

    assert pair.p_method == "extrapolation"
    assert pair.pvalue * 1e6 / reached == pytest.approx(1, abs=noise if kind == "accuracy" else noise + 0.1)
    assert pair.p_low <= reached / 1e6 <= pair.p_high


@pytest.mark.slow
@each_table
def test_the_million_permutations_are_these(kind, n, seed, reached):
    """The numbers above can be made again."""
    table = drawn(kind, n, seed)
    found = counts_permutation_block(
        table.values, 1_000_000, np.random.default_rng(0), formula=table.formula.pooled
    )
    assert found.greater[0, 1] + found.equal[0, 1] == reached


def test_the_share_of_right_answers_is_tested_exactly_however_few_permutations_there_are():
    """Wins and losses on single segments are McNemar's exact test: 25 to 2 is 2 P(X ≥ 25 of 27)."""
    a, b = np.r_[np.ones(25), np.zeros(2), np.ones(13)], np.r_[np.zeros(25), np.ones(2), np.ones(13)]
    table = accuracy_counts(np.stack([np.stack([one, np.ones(40)], axis=1) for one in (a, b)]))
    exact = 2 * bdtrc(24, 27, 0.5)

    assert bt.compare(table).pair("A", "B").pvalue == pytest.approx(exact, rel=1e-9)
    for alternative, (first, second) in {"greater": "AB", "less": "BA"}.items():
        found = bt.compare(table, alternative=alternative)
        assert found.pair(first, second).pvalue == pytest.approx(exact / 2, rel=1e-9)
        assert found.pair(second, first).pvalue > 0.999
        assert found.pair(second, first).p_method == "permutations"


def test_monte_carlo_is_the_count_of_permutations_alone():
    """(b + 1) / (B + 1): A is right everywhere, B nowhere; its interval is Clopper and Pearson's."""
    table = accuracy_counts(np.stack([[np.full(30, 5), np.zeros(30)], np.full((2, 30), 5)], axis=2))
    sampled = bt.compare(table, method="monte_carlo", n_resamples=499)
    auto = bt.compare(table, n_resamples=499)

    pair = sampled.pair("A", "B")
    assert (pair.pvalue, pair.p_method) == (1 / 500, "permutations")
    assert pair.p_low == pytest.approx(0)
    assert pair.p_high == pytest.approx(1 - 0.025 ** (1 / 499))
    assert "|p:monte-carlo,499|" in sampled.settings.signature
    assert auto.pair("A", "B").pvalue == pytest.approx(2.0**-29)
    assert "|p:499|" in auto.settings.signature


def test_permutations_have_the_last_word():
    """An extrapolation outside the interval that the permutations leave for p is moved to its end."""
    linear = drawn("accuracy", 30, 14)
    # A step is level nearly everywhere; smoothed a little, its slope halfway promises far more than swaps find.
    bent = bt.Formula(name="bent", pooled=lambda sums: sums[..., 0] ** 9 / (sums[..., 0] ** 9 + 15.0**9))
    table = bt.Counts(
        name="bent",
        systems=linear.systems,
        segments=linear.segments,
        columns=linear.columns,
        values=linear.values,
        formula=bent,
    )
    for data in (linear, table):
        found, sampled = (
            bt.compare(data, method=method).pair("A", "B") for method in ("auto", "monte_carlo")
        )
        assert sampled.p_low <= found.pvalue <= sampled.p_high
        assert found.p_low <= found.pvalue <= found.p_high


def test_p_values_that_permutations_reach_are_counted():
    """From 25 permutations on, nothing is extrapolated."""
    table = drawn_counts(4, 40, seed=3)
    found, sampled = (bt.compare(table, method=method) for method in ("auto", "monte_carlo"))
    few = sampled.pvalue * 10_000 - 1 < FEW_REACHED

    assert few.any()
    assert (~few[np.triu_indices(4, 1)]).any()
    np.testing.assert_array_equal(found.pvalue[~few], sampled.pvalue[~few])
    np.testing.assert_array_equal(found.p_method == P_METHODS.index("extrapolation"), few)


def test_undefined_halfway_is_not_extrapolated():
    """Where the slope does not exist, the count of permutations stays."""
    right = np.stack([np.ones(30), np.zeros(30)])
    formula = bt.Formula(
        name="step", pooled=lambda sums: np.where(np.abs(sums[..., 0] - 15) < 1, np.nan, sums[..., 0])
    )
    table = bt.Counts(
        name="step",
        systems=["A", "B"],
        segments=[str(i) for i in range(30)],
        columns=["right"],
        values=right[:, :, None],
        formula=formula,
    )
    pair = bt.compare(table, n_resamples=99).pair("A", "B")
    assert pair.p_method == "permutations"


def test_many_systems_stay_significant_after_holm():
    """Forty systems are 780 pairs: 780 times 1 in 10,000 is no p-value below 0.05, and yet clear pairs are found."""
    rng = np.random.default_rng(2)
    right = (rng.random((40, 150)) < np.linspace(0.3, 0.8, 40)[:, None]).astype(float)
    names = [f"S{i:02}" for i in range(40)]
    table = accuracy_counts(np.stack([right, np.ones_like(right)], axis=2), systems=names)
    found = bt.compare(table, n_resamples=999)

    assert found.correction == "holm"
    assert found.is_decidable
    assert found.n_different > 200
    scores = bt.Scores(
        name="accuracy", systems=names, segments=[str(i + 1) for i in range(150)], values=right
    )
    exact = bt.compare(scores)
    for pair in exact.pairs():
        ours = found.pair(pair.a, pair.b)
        if ours.p_method == "extrapolation" and pair.p_method != "bound":
            assert ours.pvalue == pytest.approx(pair.pvalue, rel=1e-6) or ours.pvalue in (
                ours.p_low,
                ours.p_high,
            )


def test_few_documents_of_many_systems_are_judged_by_the_maximum():
    """Six documents: 1/32 times ten pairs decides nothing, the step-down of the maximum can; as for scores."""
    groups = [str(i // 5) for i in range(30)]
    rng = np.random.default_rng(1)
    right = rng.binomial(9, np.array([0.9, 0.5, 0.5, 0.5, 0.1])[:, None], size=(5, 30))
    table = accuracy_counts(np.stack([right, np.full((5, 30), 9)], axis=2), groups=groups)
    found, scores = bt.compare(table), bt.compare(table.per_segment())

    assert found.correction == scores.correction == "max_statistic"
    assert found.is_decidable
    assert found.least == 2**-5
    assert found.n_different == scores.n_different == 7
    assert not bt.compare(table, correction="holm").is_decidable


def test_one_sided_questions_have_half_the_least_p_value():
    """Five segments: 1/16 two-sided, 1/32 one-sided, which can be significant."""
    table = accuracy_counts(np.stack([[np.ones(5), np.zeros(5)], np.ones((2, 5))], axis=2))
    two, one = (bt.compare(table, alternative=alternative) for alternative in ("two-sided", "greater"))

    assert (two.least, one.least) == (1 / 16, 1 / 32)
    assert two.undecidable.startswith("No pair could be significant at level 0.05: with 5 segments")
    assert one.pair("A", "B").verdict == "A"
    assert not one.undecidable


@pytest.mark.parametrize(("seed", "differ"), [(77, True), (130, True), (1, False), (2, False)])
def test_where_test_and_interval_differ_it_is_said(seed, differ):
    """One sentence, with the pair, in the comparison and in the explanation; none where they say the same."""
    table = drawn_counts(2, 20, seed=seed)
    found = bt.compare(table)
    pair = found.pair("A", "B")
    assert ((pair.pvalue <= 0.05) != (pair.low > 0 or pair.high < 0)) == differ
    for notes in (found.notes, bt.explain(table, "A", "B").notes):
        told = [note for note in notes if "disagree at the margin of significance" in note]
        assert len(told) == differ
        assert all(
            f"For {' and '.join(found.systems)} the test and the interval" in note
            and "the verdict is that of the test." in note
            for note in told
        )
    assert not any("disagree at the margin" in note for note in bt.compare(table, simultaneous=True).notes)
