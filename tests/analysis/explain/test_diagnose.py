"""Looking at a table: measures against literal versions, triples against one fit at a time."""

from __future__ import annotations

from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import betterthan as bt
from betterthan.analysis.explain.diagnose import troubled_triples
from betterthan.errors import NotEstimable
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.wins import win_counts


def table(values, **options):
    """Scores with short names."""
    values = np.asarray(values, dtype=float)
    systems = [f"S{i}" for i in range(len(values))]
    return bt.Scores(
        name="points",
        systems=systems,
        segments=[str(i) for i in range(values.shape[1])],
        values=values,
        **options,
    )


def literal_triples(wins):
    """Cycles and changed pairs, one triple and one fit at a time."""
    found = set()
    for three in combinations(range(len(wins)), 3):
        for a, b, c in permutations(three):
            beats = all(wins[i, j] > wins[j, i] for i, j in ((a, b), (b, c), (c, a)))
            if beats and a == min(three):
                found.add((a, b, c, "cycle"))
        try:
            theta = bradley_terry(wins[np.ix_(three, three)]).log_strength
        except NotEstimable:
            continue
        for i, j in permutations(range(3), 2):
            a, b, c = three[i], three[j], three[3 - i - j]
            if wins[a, b] <= wins[b, a]:
                continue
            if abs(theta[i] - theta[j]) < 1e-9:
                found.add((a, b, c, "levels"))
            elif theta[i] < theta[j]:
                found.add((a, b, c, "flips"))
    return found


@given(st.integers(3, 6), st.integers(1, 9), st.integers(0, 10_000))
def test_triples_are_those_of_single_fits(m, n, seed):
    """The batch finds the same cycles, flips and levels as fitting each triple alone."""
    goodness = np.random.default_rng(seed).integers(0, 4, size=(m, n)).astype(float)
    wins = win_counts(goodness).wins
    found = troubled_triples(wins, [str(i) for i in range(m)])

    assert {(int(t.a), int(t.b), int(t.c), t.effect) for t in found.found} == literal_triples(wins)
    assert found.n_triples == len(list(combinations(range(m), 3)))
    for triple in found.found:
        assert 0.5 < triple.alone <= 1
        if triple.effect != "cycle":
            assert triple.together <= 0.5


CIRCLE = np.array([[1.0, 2, 3], [2, 3, 1], [3, 1, 2]])


def test_a_circle_is_a_finding_when_each_of_its_leads_is_significant():
    """Two to one in 3 segments proves nothing; in 120 it does, by the largest of the three corrected p-values."""
    few, many = bt.diagnose(table(CIRCLE)), bt.diagnose(table(np.tile(CIRCLE, 40)))

    assert (few.count("cycle"), few.count("cycle", alpha=0.05)) == (1, 0)
    assert "1 of 1 triple forms a cycle, not significantly: about" in few.sentences[-1]
    assert "only where the lead is not significant" in few.sentences[-1]
    assert (many.count("cycle"), many.count("cycle", alpha=0.05)) == (1, 1)
    assert many.triples[0].pvalue == pytest.approx(3 * stats.binomtest(80, 120).pvalue)
    assert "S0 beats S2, S2 beats S1 and S1 beats S0" in many.sentences[-1]
    assert "Judge those pairs by themselves" in many.sentences[-1]


def test_groups_are_the_units_of_a_circle():
    """The same 120 segments from three documents: three documents cannot show it."""
    groups = [str(i % 3) for i in range(120)]
    found = bt.diagnose(table(np.tile(CIRCLE, 40), groups=groups))

    assert (found.count("cycle"), found.count("cycle", alpha=0.05)) == (1, 0)
    groups = [str(i // 6) for i in range(120)]
    noisy = np.tile(CIRCLE, 40)[:, np.random.default_rng(1).permutation(120)]
    assert bt.diagnose(table(noisy, groups=groups)).count("cycle", alpha=0.05) == 1


def test_noise_makes_as_many_circles_as_expected():
    """Ten systems that do not differ: circles are seen, none is claimed, and their number was expected."""
    rng = np.random.default_rng(6)
    found = [bt.diagnose(table(rng.normal(size=(10, 41)))) for _ in range(30)]

    assert not any(one.count("cycle", alpha=0.05) for one in found)
    seen = np.mean([one.count("cycle") for one in found])
    expected = np.mean([one.expected_cycles for one in found if one.count("cycle")])
    assert seen == pytest.approx(expected, rel=0.35)
    assert seen > 2


def test_too_many_systems_are_not_searched(monkeypatch):
    """Their triples grow with the cube of their number."""
    monkeypatch.setattr("betterthan.analysis.explain.diagnose.MOST_TRIPLES", 3)
    found = bt.diagnose(table(np.random.default_rng(1).normal(size=(4, 9))))

    assert (found.n_triples, found.triples) == (0, ())
    assert "Of 4 systems there are too many triples" in found.sentences[-1]


def test_the_measures_are_what_they_are_called():
    """Against NumPy and SciPy on a table without gaps."""
    rng = np.random.default_rng(4)
    values = (rng.normal(size=(4, 1)) + rng.normal(size=50) + rng.normal(size=(4, 50))).round(1)
    found = bt.diagnose(table(values))
    pairs = list(combinations(range(4), 2))
    correlation = np.corrcoef(values)

    assert found.pairing == pytest.approx(np.mean([correlation[p] for p in pairs]))
    removed = [1 - np.var(values[i] - values[j]) / (np.var(values[i]) + np.var(values[j])) for i, j in pairs]
    assert found.variance_removed == pytest.approx(np.mean(removed))
    assert found.tie_share == pytest.approx(np.mean([values[i] == values[j] for i, j in pairs]))
    assert found.system_spread == pytest.approx(values.std(axis=0, ddof=1).mean())
    assert found.segment_spread == pytest.approx(values.mean(axis=0).std(ddof=1))
    ranks = stats.rankdata(values, axis=0)
    assert found.rank_spread == pytest.approx(ranks.std(axis=1, ddof=1).mean())
    assert found.kendall[0, 1] == pytest.approx(stats.kendalltau(values[0], values[1]).statistic)
    low, high = np.quantile(values, [0.25, 0.75])
    beyond = (values < low - 1.5 * (high - low)) | (values > high + 1.5 * (high - low))
    assert found.outlier_share == pytest.approx(beyond.mean())


def test_direction_does_not_matter():
    """Scores where lower is better give the diagnosis of their negatives."""
    values = np.random.default_rng(2).integers(0, 9, size=(4, 12)).astype(float)
    one = bt.diagnose(table(values)).to_dict()
    other = bt.diagnose(table(-values, higher_is_better=False)).to_dict()

    assert (one["lower_is_better"], other["lower_is_better"]) == (False, True)
    for found in (one, other):
        del found["settings"], found["signature"], found["lower_is_better"]
    assert one == other


@given(st.integers(2, 5), st.integers(1, 6), st.integers(0, 10_000), st.booleans())
def test_any_table_is_diagnosed_and_survives_json(m, n, seed, gaps):
    """Few segments, constants and gaps included; every sentence ends and none says nan."""
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 3, size=(m, n)).astype(float)
    if gaps:
        values[rng.random(values.shape) < 0.3] = np.nan
    found = bt.diagnose(table(values))

    assert bt.Result.from_dict(found.to_dict()) == found
    assert all(sentence.endswith(".") and "nan" not in sentence for sentence in found.sentences)


def test_what_the_words_say():
    """Each measure is followed by what it means."""
    rng = np.random.default_rng(0)
    hard = rng.normal(size=60) * 5
    values = hard + rng.normal(size=(3, 60))
    values[0, :3] += 40
    words = " ".join(bt.diagnose(table(values)).sentences)

    assert "3 systems × 60 segments of points, no score missing." in words
    assert "Use paired tests." in words
    assert "outliers: they influence the mean" in words
    assert "There are no ties" in words
    assert "Segments differ more" in words


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ([[1, 1, 1, 1], [1, 1, 1, 1]], "100% of the comparisons are ties"),
        ([[1, 2, 3, 4], [4, 3, 2, 1]], "does not increase precision"),
        ([[1, 2, 3, 4], [2, 3, 4, 5]], "pairing removes nearly all of the variance"),
        ([[1, 2, 3], [2, 3, 4], [3, 4, 5]], "The order of the systems is the same on every segment."),
        ([[1, np.nan], [np.nan, 2]], "No two systems have a segment in common"),
        ([[1, 2, np.nan], [3, 1, 4]], "17% of the scores missing"),
        ([[0, 9, 5, 5], [9, 0, 4, 6]], "Systems differ more on a segment"),
    ],
)
def test_odd_tables_have_their_own_words(values, words):
    """All ties, opposite systems, a constant shift, nothing shared, gaps."""
    assert any(words in sentence for sentence in bt.diagnose(table(values)).sentences)


def test_one_system_is_refused():
    """There is nothing to compare."""
    with pytest.raises(bt.TableError, match="has one system"):
        bt.diagnose(table([[1, 2]]))
