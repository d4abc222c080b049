"""How much data is enough: the numbers of a plan, their ranges, and what is refused."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from statsmodels.stats.power import TTestPower
from tests.made import drawn_counts, drawn_matches, drawn_runs, drawn_scores

import betterthan as bt
from betterthan.present.tables.decisions import plan_table


def share_within(event, tables, expected, seed=0):
    """Whether the share of tables with the event is the expected one, within 3.5 standard errors and 2 points."""
    rng = np.random.default_rng(seed)
    share = float(np.mean([event(rng) for _ in range(tables)]))
    error = math.sqrt(expected * (1 - expected) / tables)
    assert abs(share - expected) < max(3.5 * error, 0.02), share


def test_known_numbers():
    """Half a standard deviation, one point of accuracy, and McNemar's and Wald's formulas nearby."""
    assert bt.plan(sd=2.0, difference=1.0)[0].needed == 34
    assert bt.plan(discordance=0.1, difference=0.01)[0].needed == 8032
    log_odds, s = math.log(0.6 / 0.4), 0.6
    battles = bt.plan(ties=0.0, difference=0.1)[0].needed
    assert 0.97 < battles / ((2.801585 / log_odds) ** 2 / (s * (1 - s))) < 1
    closer = bt.plan(ties=0.0, difference=0.02)[0].needed
    assert closer == math.ceil((2.801585 / math.log(0.52 / 0.48)) ** 2 / (0.52 * 0.48))
    ties = bt.plan(ties=0.3, difference=0.1, n_systems=4)
    level = stats.norm.isf(0.05 / 12) + stats.norm.isf(0.2)
    known = 3 * (level / log_odds) ** 2 * (s * (1 - s) - 0.3 / 4) / (s * (1 - s)) ** 2
    assert ties[0].needed == math.ceil(known)
    assert ties.level == pytest.approx(0.05 / 6)


def test_the_three_questions_are_one():
    """The number for a difference detects it; its power is the target; the least difference is the one asked for."""
    for assumed in (
        {"sd": 1.0},
        {"discordance": 0.2},
        {"ties": 0.1},
        {"sd": 1.0, "document_size": 8, "icc": 0.2},
    ):
        needed = int(bt.plan(**assumed, difference=0.05)[0].needed)
        found = bt.plan(**assumed, difference=0.05, number=needed)
        fewer = bt.plan(**assumed, difference=0.05, number=needed - 1)
        assert found[0].power_here >= 0.8 > fewer[0].power_here
        assert found.least <= 0.05 < fewer.least
        assert found.needed.tolist() == fewer.needed.tolist() == [needed]


def test_scores_of_a_pilot_need_what_explain_and_rank_say():
    """One question has one answer."""
    scores = drawn_scores(2, 60, gap=0.2)
    found = bt.plan(scores, systems=scores.systems, units="segments")
    assert found[0].needed == bt.explain(scores, *scores.systems, units="segments").n_needed
    assert found[0].needed == bt.rank(scores, units="segments").segments_needed[0]
    gaps = scores.goodness[0] - scores.goodness[1]
    assert found[0].difference == pytest.approx(abs(gaps.mean()))
    assert found[0].needed == math.ceil(
        TTestPower().solve_power(abs(gaps.mean()) / gaps.std(ddof=1), alpha=0.05, power=0.8)
    )


def test_a_typical_pair_has_the_mean_variance_of_all_pairs():
    """Four systems; the number of systems is that of the pilot, unless another one is given."""
    scores = drawn_scores(4, 50)
    found = bt.plan(scores, difference=0.1, units="segments")
    pairs = [(a, b) for a in range(4) for b in range(a + 1, 4)]
    variances = [np.var(scores.goodness[a] - scores.goodness[b], ddof=1) for a, b in pairs]
    assert found.assumptions["sd"] == pytest.approx(math.sqrt(np.mean(variances)))
    assert found.n_systems == 4
    assert found.level == pytest.approx(0.05 / 6)
    assert bt.plan(scores, difference=0.1, units="segments", n_systems=2).level == 0.05
    assert bt.plan(scores, difference=0.1, units="segments", alternative="greater").level == 0.05 / 12


def test_documents_are_what_is_counted():
    """The variance of the means of documents, weighted by their size, as in a clustered standard error."""
    rng = np.random.default_rng(2)
    groups = np.repeat(np.arange(20), rng.integers(2, 9, 20))
    values = rng.normal(size=(2, groups.size)) + rng.normal(size=(2, 20))[:, groups]
    scores = bt.Scores(
        name="x", systems=["A", "B"], segments=list(map(str, range(groups.size))), values=values,
        groups=list(map(str, groups)),
    )  # fmt: skip
    found = bt.plan(scores, difference=0.5)
    gaps = values[0] - values[1] - (values[0] - values[1]).mean()
    sums = np.bincount(groups, gaps) / (groups.size / 20)
    assert found.assumptions["document_sd"] == pytest.approx(sums.std(ddof=1))
    assert (found.unit, found.number) == ("documents", 20)
    assert "documents of" in plan_table(found).verdict[0]


def test_right_and_wrong_pilots():
    """The discordance with Clopper and Pearson's interval; more systems know it a little better."""
    rng = np.random.default_rng(5)
    values = (rng.random((3, 80)) < 0.7).astype(float)
    two = bt.plan({"A": values[0], "B": values[1]}, difference=0.05)
    hits = int((values[0] != values[1]).sum())
    low, high = stats.binomtest(hits, 80).proportion_ci(method="exact")
    assert two.assumptions == {"discordance": hits / 80}
    for share, needed in ((hits / 80, two[0].needed), (low, two[0].low), (high, two[0].high)):
        assert bt.plan(discordance=share, difference=0.05)[0].needed == needed
    all_three = bt.plan({"A": values[0], "B": values[1], "C": values[2]}, difference=0.05, n_systems=2)
    assert all_three[0].high / all_three[0].low < two[0].high / two[0].low


def test_corpus_scores_vary_as_their_jackknife_says():
    """Leaving out segment by segment gives the same variance within 5%."""
    counts = drawn_counts(2)
    found = bt.plan(counts, difference=0.01, units="segments")
    totals = counts.values.sum(axis=1, keepdims=True)
    without = counts.formula.pooled(totals - counts.values)
    gaps = without[0] - without[1]
    n = counts.n_segments
    assert found.assumptions["sd"] == pytest.approx(math.sqrt(n * (n - 1) * gaps.var(ddof=0)), rel=0.05)
    assert found.comparison == "corpus scores"


def test_battles_of_a_pilot_vary_as_the_wald_tests_say():
    """The standard errors that compare uses; a pilot of the size that it asks for has the power."""
    matches = drawn_matches(3)
    found = bt.plan(matches, difference=0.1, n_systems=2)
    pairs = bt.compare(matches)
    errors = [pair.size / stats.norm.isf(pair.pvalue / 2) for pair in pairs.pairs()]
    variance = float(np.mean(np.square(errors)))
    reach = stats.norm.isf(0.025) + stats.norm.isf(0.2)
    known = variance * matches.n_matches * (reach / math.log(0.6 / 0.4)) ** 2
    assert found[0].needed == math.ceil(known)
    assert found[0].low < found[0].needed < found[0].high
    assert found.number == round(matches.n_matches)


def test_runs_of_a_pilot():
    """More runs need fewer items; where whole runs vary too much, no number is enough."""
    runs = drawn_runs()
    few, many = (bt.plan(runs, difference=1.0, repeats=k)[0].needed for k in (3, 10))
    assert few > many
    found = bt.plan(sd=1.0, noise_sd=1.0, run_sd=0.2, repeats=3, difference=[0.1, 3.0])
    assert math.isinf(found[0].needed)
    assert math.isfinite(found[1].needed)
    assert "more of them are needed" in plan_table(found).verdict[0]
    assert bt.Result.from_json(found.to_json()) == found


def test_labels_beside_a_judge():
    """With a good judge few labels are enough, with a useless one as many as without; the judged items set a limit."""
    alone = bt.plan(sd=1.0, difference=0.2)[0].needed
    for rho, low, high in ((0.0, alone, alone + 3), (0.9, 30, 0.4 * alone)):
        needed = bt.plan(sd=1.0, judged=5000, judge_correlation=rho, difference=0.2)[0].needed
        assert low <= needed <= high
    assert math.isinf(bt.plan(sd=1.0, judged=100, judge_correlation=0.9, difference=0.05)[0].needed)


def test_labels_pay_for_the_trust_in_the_judge():
    """The formula written out: one degree of freedom for the coefficient, and its part of the variance."""
    found = bt.plan(sd=2.0, judged=500, judge_correlation=0.7, difference=0.8, number=29)
    variance = 4 * (0.51 / 29 * 27 / 26 + 0.49 / 500)
    reach = stats.t.isf(0.025, 27)
    assert found[0].power_here == pytest.approx(stats.nct.sf(reach, 27, 0.8 / math.sqrt(variance)), abs=1e-6)


def scores_event(n, systems=2):
    """A table of n items from normal differences of half a standard deviation, compared with defaults."""

    def event(rng):
        values = rng.normal(size=(systems, n))
        values[0] += 0.5 * math.sqrt(2)
        pairs = bt.compare({f"s{i}": row for i, row in enumerate(values)})
        return pairs.pair("s0", "s1").verdict == "s0"

    return event


def test_planned_scores_have_the_power():
    """Through compare with its defaults; the calibration page has more designs and more tables."""
    n = int(bt.plan(sd=math.sqrt(2), difference=0.5 * math.sqrt(2))[0].needed)
    share_within(scores_event(n), 300, 0.8)


def test_planned_right_and_wrong_has_the_power():
    """Discordance of 30%, a difference of 15 points."""
    found = bt.plan(discordance=0.3, difference=0.15)
    n = int(found[0].needed)

    def event(rng):
        draw = rng.random(n)
        first = np.where(draw < 0.225, 1.0, np.where(draw < 0.3, 0.0, (rng.random(n) < 0.5).astype(float)))
        second = np.where(draw < 0.225, 0.0, np.where(draw < 0.3, 1.0, first))
        return bt.compare({"A": first, "B": second}).pair("A", "B").verdict == "A"

    share_within(event, 300, 0.8)


def test_a_pilot_of_fifty_items_covers_the_needed_number():
    """Normal differences: 95% of pilots, within the error of 1,000 of them."""
    truth = bt.plan(sd=1.0, difference=0.2)[0].needed

    def event(rng):
        found = bt.plan({"A": rng.normal(size=50), "B": np.zeros(50)}, difference=0.2)[0]
        return found.low <= truth <= found.high

    share_within(event, 300, 0.95)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({}, "make one assumption: sd, discordance"),
        ({"sd": 1.0, "discordance": 0.1}, "different kinds"),
        ({"discordance": 0.1, "repeats": 3}, "no effect beside discordance"),
        ({"discordance": 1.5}, "at most 1"),
        ({"sd": 0.0}, "above 0"),
        ({"sd": 1.0, "icc": 0.1}, "icc needs document_size"),
        ({"sd": 1.0, "run_sd": 0.1, "repeats": 1}, "nothing is known of other runs"),
        ({"sd": 1.0, "judged": 100}, "judged needs judge_correlation"),
        ({"sd": 1.0, "difference": -0.1}, "above 0"),
        ({"discordance": 0.1, "difference": 0.2}, "at most 0.1"),
        ({"ties": 0.2, "difference": 0.45}, "with 20% of battles tied, is at most 0.4"),
        ({"sd": 1.0, "number": 0}, "not a number of items"),
        ({"sd": 1.0, "n_systems": 1}, "from 2 to"),
        ({"sd": 1.0, "power": 0.01}, "larger than the level"),
        ({"sd": 1.0, "systems": ["A", "B"]}, "belongs to a pilot"),
    ],
)
def test_what_contradicts_itself_is_refused(given, words):
    """With the names of the options."""
    with pytest.raises(bt.BetterThanError, match=words):
        bt.plan(**given)


def test_pilots_that_show_nothing_are_refused():
    """One system, no variation, no discordance, assumptions beside a pilot."""
    with pytest.raises(bt.TableError, match="two or more systems"):
        bt.plan({"A": [1.0, 2.0]})
    with pytest.raises(bt.NotEstimable, match="same amount everywhere"):
        bt.plan({"A": [1.5, 2.5, 3.5], "B": [1.0, 2.0, 3.0]})
    with pytest.raises(bt.NotEstimable, match="no discordance"):
        bt.plan({"A": [1, 0, 1], "B": [1, 0, 1]})
    with pytest.raises(bt.BetterThanError, match="estimated from the pilot"):
        bt.plan({"A": [1.5, 2.5, 3.5], "B": [1.0, 2.5, 3.0]}, sd=1.0)


def test_sentences():
    """The answer in words, with a range of two digits where there is a pilot."""
    words = plan_table(bt.plan(discordance=0.1, difference=0.02)).verdict
    known = "To detect a difference of 0.02 between two systems with a power of 80% (two-sided level 0.05), 2,043 items"
    assert words == (f"{known} are needed.",)
    scores = drawn_scores(3, 60)
    words = plan_table(bt.plan(scores, difference=0.05, units="segments")).verdict
    assert words[0].startswith(
        "To detect a difference of 0.05 between any two of 3 systems with a power of 80% (two-"
    )
    assert "Holm-adjusted for 3 pairs), about " in words[0]


def runs_pilot(cells, scores):
    """A table of runs, of (item, system, seed)."""
    return dict(
        zip(("item", "system", "seed"), (list(each) for each in zip(*cells, strict=True)), strict=True)
    ) | {"score": scores}


def test_a_pilot_of_runs_with_too_little_in_it_says_so():
    """One item; and one in which nothing varies but the systems."""
    one = runs_pilot([(0, s, k) for s in "AB" for k in (0, 1)], [0.5, 0.25, 0.75, 1.0])
    with pytest.raises(bt.NotEstimable, match="A pilot of 1 item is too small"):
        bt.plan(one, run="seed")
    assert math.isnan(bt.gate(one, margin=0.1, run="seed").needed[0])
    same = runs_pilot([(i, s, k) for i in range(4) for s in "AB" for k in (0, 1)], [1.0, 1.0, 2.0, 2.0] * 4)
    with pytest.raises(bt.NotEstimable, match="by the same amount everywhere"):
        bt.plan(same, run="seed")


def test_a_pilot_whose_runs_vary_as_a_whole_only():
    """Differences to plan for are no rounding errors, and no variance of items divides anything."""
    cells = [(i, s, k) for i in range(5) for s in "AB" for k in (0, 1, 2)]
    whole = {"A": (0.1, 0.4, 0.3), "B": (0.2, 0.7, 0.1)}
    found = bt.plan(runs_pilot(cells, [whole[s][k] + i for i, s, k in cells]), run="seed")
    assert all(each.difference > 0.01 for each in found)
