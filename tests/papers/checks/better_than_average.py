"""What must hold of the answers to the rows of "Better than Average"."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats
from tests.papers.checks.oracles import appendix_e, elo_by_segments, orders, trueskill_by_segments, wins_of
from tests.papers.checks.shown import Shown

import betterthan as bt
from betterthan.studies.catalogue import STUDIES


def a1(shown: Shown) -> None:
    """300 rows and eight columns of scores are found in the file, and a table of one system is refused."""
    assert (shown.found["rows_read"], shown.found["rows_kept"]) == (300, 300)
    assert "8 systems × 300 segments" in shown.found["contents"][0]
    assert len(shown.column("Aster")) == 300
    with pytest.raises(bt.BetterThanError):
        bt.rank(bt.read_scores({"A": [1.0, 2.0, 3.0]}))


def a2(shown: Shown) -> None:
    """All three outcomes occur, and the winner is the one with the higher mean where p ≤ 0.05 after Holm's correction."""
    table = bt.compare(shown.human)
    np.testing.assert_allclose(np.array(shown.found["adjusted"], float), table.adjusted)
    seen = set()
    for a, b in itertools.permutations(table.systems, 2):
        pair = table.pair(a, b)
        better = a if shown.column(a).mean() > shown.column(b).mean() else b
        expected = better if pair.adjusted <= 0.05 else None
        assert pair.verdict == expected
        seen.add("none" if expected is None else "first" if expected == a else "second")
    assert seen == {"none", "first", "second"}
    assert "not significant" in shown.text


def a3(shown: Shown) -> None:
    """Right and wrong answers are ranked by their share, and errors of a regression (lower is better) by their mean."""
    answers = np.genfromtxt(shown.folder / "answers.csv", delimiter=",", names=True)
    for name in "ABCD":
        assert shown.of(name) == pytest.approx(answers[name].mean())
    errors = bt.read_scores({"A": [0.1, 0.3], "B": [0.4, 0.6]}, lower_is_better=True)
    assert bt.rank(errors).systems == ("A", "B")


def a4(shown: Shown) -> None:
    """Each strength is the sum of the column over 300."""
    for name in shown.human.systems:
        assert shown.of(name) == pytest.approx(sum(shown.column(name)) / 300)


def a5(shown: Shown) -> None:
    """Each strength is the mean of the two middle values of the sorted column."""
    for name in shown.human.systems:
        middle = sorted(shown.column(name))[149:151]
        assert shown.of(name) == sum(middle) / 2


def a6(shown: Shown) -> None:
    """8 of 8 won is a strength of 1, and of every two systems of the demo the share of decided segments won."""
    assert (shown.of("A"), shown.of("B")) == (1.0, 0.0)
    for a, b in itertools.combinations(shown.human.systems, 2):
        first, second = shown.column(a), shown.column(b)
        won, lost = (first > second).sum(), (first < second).sum()
        found = bt.rank(bt.read_scores({a: first, b: second}), by="bradley_terry")
        assert found.strength[found.systems.index(a)] == pytest.approx(won / (won + lost))


def a7(shown: Shown) -> None:
    """Equations 3 and 4 in a plain loop stop after as many steps at the same strengths; another start leads there too."""
    wins = wins_of(shown.human.values)
    strength, steps = appendix_e(wins, np.ones(8))
    assert (shown.value.iterations, steps) == (22, 22)
    np.testing.assert_allclose(shown.value.shares, strength, rtol=1e-12)
    elsewhere, _ = appendix_e(wins, np.arange(1.0, 9))
    np.testing.assert_allclose(elsewhere, strength, atol=1e-4)
    # The score equations of eq. 2: expected wins are the observed ones.
    ranking = bt.rank(shown.human, by="bradley_terry")
    exact = np.array([ranking.strength[ranking.systems.index(name)] for name in shown.human.systems])
    chance = exact[:, None] / (exact[:, None] + exact)
    np.fill_diagonal(chance, 0)
    np.testing.assert_allclose(((wins + wins.T) * chance).sum(axis=1), wins.sum(axis=1), rtol=1e-9)


def a8(shown: Shown) -> None:
    """Each probability is the strength of the one over the sum of both, as the ranking of the same battles has them."""
    ranking = bt.rank(bt.read_matches(shown.folder / "demo" / "battles.csv"), scale="log")
    strength = {name: np.exp(value) for name, value in zip(ranking.systems, ranking.strength, strict=True)}
    names = shown.found["systems"]
    for i, j in itertools.permutations(range(len(names)), 2):
        expected = strength[names[i]] / (strength[names[i]] + strength[names[j]])
        assert shown.found["effect"][i][j] == pytest.approx(expected, abs=1e-6)


def a9(shown: Shown) -> None:
    """K = 32 gives the ratings of a plain loop over equation 5, and without it K is 20."""
    usual = shown.json("rank demo/human.csv --by elo --order segments")
    for found, k in ((shown.found, 32), (usual, 20)):
        expected = elo_by_segments(shown.human.values, k)
        for name, rating in zip(shown.human.systems, expected, strict=True):
            assert shown.of(name, found=found) == pytest.approx(rating)


def a10(shown: Shown) -> None:
    """Mean and deviation of every system are those of a plain loop with 25, 25/3, 25/6, 25/300 and 10% draws."""
    mu, sigma = trueskill_by_segments(shown.human.values)
    for name, mean, deviation in zip(shown.human.systems, mu, sigma, strict=True):
        assert shown.of(name) == pytest.approx(mean)
        assert shown.of(name, by="sigma") == pytest.approx(deviation)


def a11(shown: Shown) -> None:
    """Five rankings with a test each, and in each the strengths of that method alone."""
    assert [one["method"] for one in shown.found] == ["mean", "median", "bradley_terry", "elo", "trueskill"]
    for one in shown.found:
        alone = bt.rank(shown.human, by=one["method"])
        assert one["systems"] == list(alone.systems)
        assert one["strength"] == pytest.approx(alone.strength.tolist())
        assert one["test"] == ("permutation" if one["method"] == "mean" else "strengths")


def a12(shown: Shown) -> None:
    """The three quantities are those of NumPy, −3.8, 5.5 and 2, and the text says that none implies another."""
    daphne, elm = shown.column("Daphne"), shown.column("Elm")
    assert shown.found["mean_difference"] == pytest.approx(daphne.mean() - elm.mean())
    assert shown.found["median_difference"] == np.median(daphne) - np.median(elm) == 5.5
    assert shown.found["median_of_differences"] == np.median(daphne - elm) == 2
    assert "none of the three implies another" in shown.text


def a13(shown: Shown) -> None:
    """The mean disagrees with the wins for Daphne and Elm alone of 28 pairs: its sign differs there and nowhere else."""
    assert shown.value == "disagree"
    for a, b in itertools.combinations(shown.human.systems, 2):
        difference = shown.column(a) - shown.column(b)
        opposite = np.sign(difference.mean()) * np.sign((difference > 0).sum() - (difference < 0).sum()) < 0
        assert (
            (bt.explain(shown.human, a, b).mean_case == "disagree")
            == opposite
            == ((a, b) == ("Daphne", "Elm"))
        )


def a14(shown: Shown) -> None:
    """A few huge scores are named as outliers, and a minority type with a large lead as types of segments."""
    assert shown.found["reason"] == "outliers"
    few = bt.read_scores({"A": [1.0] * 38 + [-500, -500], "B": [0.0] * 40})
    assert bt.explain(few, "A", "B").reason == "outliers"
    types = bt.read_scores(
        {"A": [1.0, 5, 11, 12, 18], "B": [2.0, 6, 7, 13, 18]}
    )  # nearly A and B of Figure 1
    assert bt.explain(types, "A", "B").reason == "types of segments"


def a15(shown: Shown) -> None:
    """All means are 9.2, the medians 11, 7 and 11, and Bradley–Terry ranks C, B, A."""
    rows = {row["system"]: row for row in shown.table("strengths")}
    assert [rows[name]["mean"] for name in "ABC"] == pytest.approx([9.2] * 3)
    assert [rows[name]["median"] for name in "ABC"] == [11, 7, 11]
    assert sorted("ABC", key=lambda name: -rows[name]["Bradley–Terry"]) == ["C", "B", "A"]


def a16(shown: Shown) -> None:
    """Of the 120 permutations of one row of Table 2, S wins in 94, B in 24 and neither in 2; means and medians stay."""
    better = [row["better"] for row in shown.table("all-pairings")]
    assert {name: better.count(name) for name in set(better)} == {"S": 94, "B": 24, "neither": 2}
    rows = shown.table("verdicts")
    for column in ("mean S", "mean B", "median S", "median B"):
        assert len({row[column] for row in rows}) == 1
    of_b = np.array([28, 45, 30, 65, 50])  # table 2
    for row in shown.table("all-pairings"):
        types = np.array([float(one) for one in row["S"].split(", ")])
        expected = stats.norm.cdf((types - of_b) / np.sqrt(2)).mean()  # two variances of 1
        assert row["share that S wins"] == pytest.approx(expected)


def a17(shown: Shown) -> None:
    """Means are drawn solid and medians dashed at their values, and the side of the system with more wins is shaded."""
    daphne, elm = shown.column("Daphne"), shown.column("Elm")
    lines = {
        (tuple(mark["mark"]["strokeDash"]), axis): mark["data"]["values"][0][axis]
        for mark in shown.marks if mark["mark"]["type"] == "rule"
        for axis in mark["data"]["values"][0]
    }  # fmt: skip
    assert lines[(1, 0), "y"] == pytest.approx(daphne.mean())
    assert lines[(1, 0), "x"] == pytest.approx(elm.mean())
    assert (lines[(6, 4), "y"], lines[(6, 4), "x"]) == (np.median(daphne), np.median(elm))
    (shaded,) = shown.drawn("area", "edge")
    assert (daphne > elm).sum() > (daphne < elm).sum()
    assert all(
        corner["edge"] >= corner["y"] for corner in shaded
    )  # above the diagonal, where Daphne is better
    (dots,) = shown.drawn("circle", "segments")
    assert sum(dot["segments"] for dot in dots) == 300
    assert sum(dot["segments"] for dot in dots if dot["y"] > dot["x"]) == (daphne > elm).sum()


def a18(shown: Shown) -> None:
    """The three pairings have the verdicts S (80%), level (51%) and B (31%), with sorted scores that are the same."""
    rows = shown.table("verdicts")
    shares = [row["wins S"] / (row["wins S"] + row["wins B"]) for row in rows]
    assert shares[0] == pytest.approx(0.8, abs=0.001)
    assert shares[1] == pytest.approx(0.5, abs=0.03)
    assert shares[2] < 0.35
    columns = shown.chart("figure-2")["columns"]
    scores = {name: [] for name in columns["panel"]}
    for panel, x, y in zip(columns["panel"], columns["x"], columns["y"], strict=True):
        scores[panel].append((x, y))
    sorted_scores = [np.sort(np.array(one), axis=0).tolist() for one in scores.values()]
    assert sorted_scores[0] == sorted_scores[1] == sorted_scores[2]


def a19(shown: Shown) -> None:
    """56 triples of eight systems in each of four metrics, and the two flips of chrF are those that diagnose finds."""
    rows = {row["metric"]: row for row in shown.table("triples-by-setup")}
    assert {row["triples"] for row in rows.values()} == {8 * 7 * 6 // 6}
    for name, row in rows.items():
        effects = [one.effect for one in bt.diagnose(shown.metrics[name]).triples]
        assert (row["flips"], row["ties"]) == (effects.count("flips"), effects.count("levels"))
    assert rows["chrF"]["flips"] == 2


def a20(shown: Shown) -> None:
    """P(Aster beats Birch) is 165/244 with eight systems as with two; a joint Bradley–Terry fit moves it to 0.632."""
    found = shown.found
    i, j = found["systems"].index("Aster"), found["systems"].index("Birch")
    assert (found["wins"][i][j], found["losses"][i][j]) == (165, 79)
    assert found["effect"][i][j] == pytest.approx(165 / 244)
    for method in ("--test sign", "--by bradley-terry"):
        alone = shown.json(f"compare demo/human.csv Aster Birch {method}")
        assert alone["effect"][0][1] == pytest.approx(165 / 244)
    joint = shown.json("compare demo/human.csv --by bradley-terry")
    i, j = joint["systems"].index("Aster"), joint["systems"].index("Birch")
    assert joint["effect"][i][j] == pytest.approx(0.632, abs=0.001)


def a21(shown: Shown) -> None:
    """The bars hold the 248 decided segments, 155 on Daphne's side, and the losses lie farther from 0 than the wins."""
    (bars,) = shown.drawn("bar", "low", "high", "segments")
    difference = shown.column("Daphne") - shown.column("Elm")
    by = {name: [bar for bar in bars if bar["outcome"] == f"{name} better"] for name in ("Daphne", "Elm")}
    assert sum(bar["segments"] for bar in by["Elm"]) == (difference < 0).sum() == 93
    assert sum(bar["segments"] for bar in by["Daphne"]) == (difference > 0).sum() == 155
    assert max(bar["segments"] for bar in by["Elm"] if bar["high"] <= -30) == 10


def a22(shown: Shown) -> None:
    """Without the 16 named segments the mean favors Daphne, and no 15 segments suffice."""
    flip = next(one for one in shown.found["flips"] if one["verdict"] == "mean")
    difference = np.sort(shown.column("Daphne") - shown.column("Elm"))
    assert flip["n_segments"] == 16
    assert difference[16:].sum() > 0 > difference[15:].sum()
    left = [name not in flip["segments"] for name in shown.human.segments]
    assert (shown.column("Daphne") - shown.column("Elm"))[left].sum() > 0


def a23(shown: Shown) -> None:
    """The p-values of all four tests are those of SciPy, segment by segment."""
    daphne, elm = shown.column("Daphne"), shown.column("Elm")
    won, lost = int((daphne > elm).sum()), int((daphne < elm).sum())
    expected = {
        "t": stats.ttest_rel(daphne, elm).pvalue,
        "mood": stats.median_test(daphne, elm).pvalue,
        "sign": stats.binomtest(won, won + lost).pvalue,
        "wilcoxon": stats.wilcoxon(daphne, elm, method="approx", correction=False).pvalue,
    }
    for test, pvalue in expected.items():
        found = shown.json(f"compare demo/human.csv Daphne Elm --test {test} --units segments")
        assert found["pvalue"][0][1] == pytest.approx(pvalue, rel=0.02 if test == "wilcoxon" else 1e-6), test


def a24(shown: Shown) -> None:
    """Cell times diagonal is the share found by both, so it is the same both ways; the table is not symmetric."""
    rows = {row["test"]: row for row in shown.table("figure-6")}
    tests = list(rows)
    assert tests == ["t", "Mood", "sign", "Wilcoxon"]
    for a, b in itertools.combinations(tests, 2):
        assert rows[a][b] * rows[a][a] == pytest.approx(rows[b][a] * rows[b][b])
    assert rows["t"]["Mood"] != pytest.approx(rows["Mood"]["t"], abs=0.01)
    by_setup = shown.table("significant-by-setup")
    for test in tests:
        found = sum(row[test] * row["pairs"] for row in by_setup) / sum(row["pairs"] for row in by_setup)
        assert rows[test][test] == pytest.approx(found)


def a25(shown: Shown) -> None:
    """28 pairs with probabilities that add up to 1, and a p-value each; for Elo, and for means and medians, too."""
    for command in (
        "compare demo/battles.csv --by trueskill", "compare demo/battles.csv --by elo",
        "compare demo/human.csv --by mean", "compare demo/human.csv --by median",
    ):  # fmt: skip
        found = shown.json(command)
        effect = np.array(found["effect"], float)
        total = 1.0 if "battles" in command else 0.0
        above = np.triu_indices(8, 1)
        np.testing.assert_allclose((effect + effect.T)[above], total, atol=1e-9)
        pvalues = np.array(found["pvalue"], float)[above]
        assert ((pvalues > 0) & (pvalues <= 1)).all()
        assert pvalues.size == 28


def a26(shown: Shown) -> None:
    """Systems are in the order of the Elo ratings, and each cell is 1 / (1 + 10^(−d/400)) of their difference d."""
    ranking = bt.rank(shown.human, by="elo")
    (cells, *_) = shown.drawn("rect", "row", "column")
    assert list(dict.fromkeys(cell["row"] for cell in cells)) == list(ranking.systems)
    rating = dict(zip(ranking.systems, ranking.strength.tolist(), strict=True))
    assert len(cells) == 56
    for cell in cells:
        lead = rating[cell["row"]] - rating[cell["column"]]
        assert cell["effect"] == pytest.approx(1 / (1 + 10 ** (-lead / 400)), abs=1e-6)
        assert cell["verdict"].startswith("significantly") == (cell["p"] <= 0.05)


def a27(shown: Shown) -> None:
    """The bars are the histogram of Aster minus Birch: 165 above 0 and 79 below."""
    (bars,) = shown.drawn("bar", "low", "high", "segments")
    difference = shown.column("Aster") - shown.column("Birch")
    for bar in bars:
        inside = (difference > bar["low"]) & (difference < bar["high"])
        assert inside.sum() <= bar["segments"]
    assert (
        sum(bar["segments"] for bar in bars if bar["outcome"] == "Aster better")
        == (difference > 0).sum()
        == 165
    )
    assert (
        sum(bar["segments"] for bar in bars if bar["outcome"] == "Birch better")
        == (difference < 0).sum()
        == 79
    )


def a28(shown: Shown) -> None:
    """Five rankings of eight systems with bootstrap intervals; those of the means are NumPy's quantiles of document means."""
    assert len(shown.found) == 5
    for one in shown.found:
        assert one["confidence"] == 0.95
        assert all(
            low <= s <= high for low, s, high in zip(one["low"], one["strength"], one["high"], strict=True)
        )
    rng = np.random.default_rng(1)
    names = [name.split(":")[0] for name in shown.human.segments]
    documents = [np.flatnonzero([n == name for n in names]) for name in dict.fromkeys(names)]
    sums = np.array([shown.column("Fern")[one].sum() for one in documents])
    sizes = np.array([len(one) for one in documents])
    drawn = rng.integers(0, len(documents), (20_000, len(documents)))
    low, high = np.quantile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [0.025, 0.975])
    assert shown.of("Fern", by="low", found=shown.found[0]) == pytest.approx(low, abs=0.5)
    assert shown.of("Fern", by="high", found=shown.found[0]) == pytest.approx(high, abs=0.5)


def a29(shown: Shown) -> None:
    """Outlier shares by 1.5 IQR, both spreads, the spread of ranks and Kendall's tau-b are those of NumPy and SciPy."""
    values, found = shown.human.values, shown.found
    for name, share in zip(found["systems"], found["outlier_share_by_system"], strict=True):
        one = shown.column(name)
        low, high = np.quantile(one, [0.25, 0.75])
        reach = 1.5 * (high - low)
        assert share == pytest.approx(((one < low - reach) | (one > high + reach)).mean())
    assert found["system_spread"] == pytest.approx(values.std(axis=0, ddof=1).mean())
    assert found["segment_spread"] == pytest.approx(values.mean(axis=0).std(ddof=1))
    ranks = stats.rankdata(-values, axis=0)
    assert found["rank_spread"] == pytest.approx(ranks.std(axis=1, ddof=1).mean())
    for i, j in itertools.combinations(range(8), 2):
        assert found["kendall"][i][j] == pytest.approx(stats.kendalltau(values[i], values[j]).statistic)


def a30(shown: Shown) -> None:
    """Shares of pairs alike and opposite, best system and top 3 are those counted from means, medians and strengths."""
    strengths = {name: bt.rank(shown.human, by=name) for name in ("mean", "median", "bradley_terry")}
    by = {
        name: np.array([one.strength[one.systems.index(system)] for system in shown.human.systems])
        for name, one in strengths.items()
    }
    for one in shown.found["comparisons"]:
        first, second = (by[one[key].replace("–", "_").casefold()] for key in ("first", "second"))
        assert one["alike"] == pytest.approx((orders(first) == orders(second)).mean())
        assert one["flipped"] == pytest.approx((orders(first) * orders(second) < 0).mean())
        tops = [set(np.flatnonzero(values >= np.sort(values)[-3])) for values in (first, second)]
        assert one["same_top"] == (tops[0] == tops[1])
        assert one["same_best"] == (first.argmax() == second.argmax())


def a31(shown: Shown) -> None:
    """288 settings of each of three generators: 4 numbers of types, 3 shares of outliers, 6 of systems, 4 of segments."""
    rows = shown.table("grid")
    assert len(rows) == 3 * 288
    keys = {(r["generator"], r["types"], r["outliers"], r["systems"], r["segments"]) for r in rows}
    axes = [{"offsets", "per_type", "released"}, {1, 3, 5, 10}, {0, 0.01, 0.025}, {2, 3, 5, 10, 25, 50}]
    assert keys == set(itertools.product(*axes, {10, 30, 100, 200}))
    assert STUDIES["paired-simulation"].options["repeats"] == 10  # 2,880 data sets


def a32(shown: Shown) -> None:
    """Means of each type's own change the order: with ten types all three find less of it; with one, wins are like means."""
    rows = shown.table("grid")
    assert {row["generator"] for row in rows} == {"per_type"}
    plain = [row for row in rows if row["types"] == 1 and row["outliers"] == 0 and row["systems"] >= 10]
    assert len(plain) == 12
    assert abs(np.mean([row["Bradley–Terry"] - row["mean"] for row in plain])) < 0.05
    for name in ("mean", "median", "Bradley–Terry"):
        one, ten = (
            np.mean([row[name] for row in rows if row["types"] == types and row[name] is not None])
            for types in (1, 10)
        )
        assert ten < one - 0.1, name


def a33(shown: Shown) -> None:
    """A row that is permuted keeps its scores, so the mean suffers in the released program's rows only."""
    rows = {(r["generator"], r["trouble"], r["mechanism"]): r for r in shown.table("findings")}
    assert rows["released", "outliers", "mean"]["fails"] == "yes"
    assert rows["released", "outliers", "mean"]["fall"] > 0.3
    assert (
        rows["offsets", "outliers", "mean"]["fails"] == rows["per_type", "outliers", "mean"]["fails"] == "no"
    )


def a34(shown: Shown) -> None:
    """Every tau lies in [−1, 1], those of two systems are −1, 0 or 1, and more segments bring the mean nearer to the truth."""
    rows = [
        row
        for row in shown.table("grid")
        if row["generator"] == "released" and row["types"] == 1 and not row["outliers"]
    ]
    assert all(
        -1 <= row[name] <= 1
        for row in rows
        for name in ("mean", "median", "Bradley–Terry")
        if row[name] is not None
    )
    assert {row["mean"] for row in rows if row["systems"] == 2} <= {-1.0, 0.0, 1.0}
    by_size = [np.mean([row["mean"] for row in rows if row["segments"] == n]) for n in (10, 200)]
    assert by_size[0] < by_size[1]


def a35(shown: Shown) -> None:
    """Panels a to h of each generator, with bars around every mean, and as many settings as each panel describes."""
    for name in ("offsets", "per-type", "released"):
        rows = shown.table(f"figure-3-{name}")
        assert sorted({row["panel"] for row in rows}) == list("abcdefgh")
        first = [row for row in rows if row["panel"] == "a"]
        assert [row["value"] for row in first] == [2, 3, 5, 10, 25, 50]
        assert {row["setups"] for row in first} == {4}  # one type, no outliers, four numbers of segments
        for row in rows:
            assert row["mean low"] <= row["mean"] <= row["mean high"]
        assert len(shown.chart(f"figure-3-{name}")["columns"]["x"]) == 5 * len(rows)


def a36(shown: Shown) -> None:
    """25 setups: five data sets (all, and four domains) times four metrics and the human scores, 28 pairs of systems each."""
    rows = shown.table("table-3-full")
    assert len(rows) == 25
    assert {row["data"] for row in rows} == {"all", "news", "chat", "health", "manual"}
    assert {row["metric"] for row in rows} == {"human", *shown.metrics}
    assert all((row["pairs mean/BT"] * 28) == pytest.approx(round(row["pairs mean/BT"] * 28)) for row in rows)


def a37(shown: Shown) -> None:
    """Mean and median order one of 28 pairs in opposite ways, name the same best system, and other top threes."""
    first = next(c for c in shown.found["comparisons"] if (c["first"], c["second"]) == ("mean", "median"))
    assert first["flipped"] * 28 == pytest.approx(1)
    assert (first["same_best"], first["same_top"]) == (True, False)


def a38(shown: Shown) -> None:
    """Three and ten pairs of mechanisms beside the printed 4, 9 and 9%; Table 1 is the mean of the setups of Table 3."""
    assert (len(shown.table("table-1")), len(shown.table("table-4"))) == (3, 10)
    assert [row["pairs disagree"] for row in shown.printed("table-1")] == [0.04, 0.09, 0.09]
    by_setup = shown.table("table-3-full")
    for row, column in zip(shown.table("table-1"), ("mean/med", "mean/BT", "med/BT"), strict=True):
        assert row["pairs disagree"] == pytest.approx(np.mean([one[f"pairs {column}"] for one in by_setup]))
        assert row["other best"] == pytest.approx(np.mean([one[f"best {column}"] for one in by_setup]))


def a39(shown: Shown) -> None:
    """The cell of all segments and human scores is what agree counts: 1, 1 and 0 of 28 pairs."""
    row = next(r for r in shown.table("table-3-full") if (r["data"], r["metric"]) == ("all", "human"))
    flipped = [one["flipped"] for one in shown.json("agree demo/human.csv")["comparisons"]]
    assert [row["pairs mean/med"], row["pairs mean/BT"], row["pairs med/BT"]] == pytest.approx(flipped)
    assert flipped == pytest.approx([1 / 28, 1 / 28, 0])


def a40(shown: Shown) -> None:
    """4a has a bar per metric, 4b one per task, and 4c grows from 10 segments to all, with less disagreement at the end."""
    assert {row["metric"] for row in shown.table("figure-4a")} == {"human", *shown.metrics}
    assert len(shown.table("figure-4b")) == 5
    lines: dict[str, list[dict]] = {}
    for row in shown.table("figure-4c"):
        lines.setdefault(row["setups"], []).append(row)
    for rows in lines.values():
        sizes = [row["segments"] for row in rows]
        assert sizes[-1] == "all"
        assert sizes[:-1] == sorted(sizes[:-1])
        assert sizes[0] == 10
    ends = [(rows[0]["mean / median"], rows[-1]["mean / median"]) for rows in lines.values()]
    assert np.mean([last for _, last in ends]) < np.mean([first for first, _ in ends])


def a41(shown: Shown) -> None:
    """Answers drawn with abilities −1, −0.4, 0.4 and 1 give abilities in that order, 2.0 ± 0.6 from first to last."""
    for one in shown.found:
        assert one["systems"] == ["D", "C", "B", "A"]
    assert shown.found[0]["strength"][0] - shown.found[0]["strength"][-1] == pytest.approx(2.0, abs=0.6)


def a42(shown: Shown) -> None:
    """Seven studies of this paper are listed with their places, and each figure and table among them."""
    listed = [entry.paper for entry in STUDIES.values() if entry.paper.startswith("Peyrard")]
    assert len(listed) == 6
    for place in (
        "figure 1",
        "figure 2",
        "table 2",
        "figure 3",
        "tables 1, 3 and 4",
        "figure 4",
        "figure 6",
        "appendix F",
    ):
        assert any(place in one for one in listed), place
    assert all(name in shown.text for name in STUDIES)
