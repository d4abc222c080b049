"""What must hold of the answers to the rows of errors and open details."""

from __future__ import annotations

import itertools
import json
from math import comb

import numpy as np
import pytest
import sacrebleu
from scipy import optimize, stats
from tests.papers.checks.corpus_or_segment import lines_of
from tests.papers.checks.oracles import elo_by_segments, orders, trueskill_by_segments, wins_of
from tests.papers.checks.shown import Shown
from tests.papers.checks.word_level import (
    confusion,
    phrase_f1,
    sequence_correlation,
    spans,
    tags_of,
    value_of,
)

import betterthan as bt
from betterthan.kernels.agreement.tau_tables import tau
from betterthan.kernels.comparisons.fixed_point import fixed_point
from betterthan.kernels.comparisons.strengths import to_shares
from betterthan.kernels.display.ranks import greedy_clusters
from betterthan.kernels.ratings.elo import elo

DEMO = "meta demo/metrics.tsv --human demo/human.csv"


def e1(shown: Shown) -> None:
    """The sentences of section 3 on the medians of A and C and on B and C do not hold, the other five do."""
    assert list(shown.claims().values()).count("no") == 2
    rows = {(row["A"], row["B"]): row for row in shown.table("pairs")}
    assert (rows["B", "C"]["A wins"], rows["B", "C"]["B wins"]) == (1, 4)
    assert rows["A", "B"]["difference of medians"] == 4


def e2(shown: Shown) -> None:
    """Both axes have the name of their system, and above the diagonal, where Daphne is better, it says "Daphne better"."""
    words = {row["words"]: row for values in shown.drawn("text", "words") for row in values}
    assert words["Daphne better"]["y"] > words["Daphne better"]["x"]
    assert words["Elm better"]["x"] > words["Elm better"]["y"]
    picture = (shown.folder / "axes.svg").read_text(encoding="utf-8")
    assert "Daphne" in picture
    assert "Elm" in picture


def e3(shown: Shown) -> None:
    """With C = 3, 1, 2 all strengths are 1/3; with the printed 3, 2, 1 they are 0.253, 0.421 and 0.326."""
    assert shown.value == [0.333, 0.333, 0.333]
    printed = bt.rank({"A": [1, 2, 3], "B": [2, 3, 1], "C": [3, 2, 1]}, by="bradley_terry")
    assert dict(zip(printed.systems, printed.strength.round(3).tolist(), strict=True)) == {
        "A": 0.253,
        "B": 0.421,
        "C": 0.326,
    }


def e4(shown: Shown) -> None:
    """The strengths are those of SciPy's search for the greatest likelihood, and all five treatments give different ones."""
    seen = set()
    for ties in ("drop", "half", "davidson", "rao-kupper", "as-published"):
        found = shown.json(f"rank demo/human.csv --by bradley-terry --ties {ties}")
        seen.add(tuple(round(one, 6) for one in found["strength"]))
    assert len(seen) == 5
    # No other strengths and no other width of ties make the wins and ties of Rao and Kupper's model more likely.
    log_share = np.log([shown.of(name) for name in shown.human.systems])
    wins = wins_of(shown.human.values)
    ties = 300 - wins - wins.T
    np.fill_diagonal(ties, 0)

    def cost(x: np.ndarray) -> float:
        share, theta = np.exp(np.append(0, x[:-1])), 1 + np.exp(x[-1])
        chance = share[:, None] / (share[:, None] + theta * share)
        tie = (theta**2 - 1) * chance * chance.T
        return -float((wins * np.log(chance)).sum() + (ties * np.log(tie)).sum() / 2)

    best = optimize.minimize(cost, np.append(np.zeros(7), -1.0), method="BFGS").x
    np.testing.assert_allclose(log_share[1:] - log_share[0], best[:-1], atol=1e-3)


def e5(shown: Shown) -> None:
    """P is that of 155 wins of 300 with ties against the leader, 155 of 248 without them, and of 181 of 300 by halves."""
    assert shown.found["pvalue"][0][1] == pytest.approx(stats.binomtest(155, 300).pvalue)
    dropped = shown.json("compare demo/human.csv Daphne Elm --test sign")
    assert dropped["pvalue"][0][1] == pytest.approx(stats.binomtest(155, 248).pvalue)
    half = shown.json("compare demo/human.csv Daphne Elm --test sign --ties half")
    assert half["pvalue"][0][1] == pytest.approx(stats.binomtest(181, 300).pvalue, rel=0.05)


def e6(shown: Shown) -> None:
    """Newton's strengths solve the score equations to 1e-10; the published rule stops within 1e-4 of them, after 22 steps for 5."""
    wins = wins_of(shown.human.values)
    share = to_shares(shown.value.log_strength)
    chance = share[:, None] / (share[:, None] + share)
    np.fill_diagonal(chance, 0)
    np.testing.assert_allclose(((wins + wins.T) * chance).sum(axis=1), wins.sum(axis=1), rtol=1e-10)
    published = fixed_point(wins)
    gap = np.abs(published.shares - share).max()
    assert 1e-9 < gap < 1e-4
    assert (published.iterations, shown.value.iterations) == (22, 5)


def e7(shown: Shown) -> None:
    """A, which never loses, is drawn with a prior of half a win that is stated; without one the error names it, and no loop runs."""
    assert "prior 0.5" in shown.text
    with pytest.raises(bt.NotEstimable, match="A"):
        bt.rank(bt.read_scores(shown.folder / "never.csv"), by="bradley_terry", prior=0)
    level = bt.read_scores({"A": [2, 2, 2], "B": [1, 1, 1], "C": [1, 1, 1]})
    with pytest.raises(bt.NotEstimable):
        bt.rank(level, by="bradley_terry", prior=0)


def e8(shown: Shown) -> None:
    """Segment by segment is the plain loop; shuffled orders differ by less than 10 points when the columns are turned, as published by more."""
    for name, rating in zip(shown.human.systems, elo_by_segments(shown.human.values, 20), strict=True):
        assert shown.of(name) == pytest.approx(rating)
    turned = shown.human.select(systems=shown.human.systems[::-1])
    largest = {}
    for order in ("shuffled", "as_published"):
        one, other = (bt.rank(table, by="elo", order=order) for table in (shown.human, turned))
        largest[order] = max(
            abs(one.strength[one.systems.index(name)] - other.strength[other.systems.index(name)])
            for name in one.systems
        )
    assert largest["shuffled"] < 15 < largest["as_published"]


def e9(shown: Shown) -> None:
    """β = 2 gives the numbers of the plain loop with β = 2, which are not those of the default."""
    mu, _ = trueskill_by_segments(shown.human.values, beta=2)
    usual, _ = trueskill_by_segments(shown.human.values)
    for name, mean, other in zip(shown.human.systems, mu, usual, strict=True):
        assert shown.of(name) == pytest.approx(mean)
        assert abs(mean - other) > 1e-3


def e10(shown: Shown) -> None:
    """A win among equals moves 10 points each way, a tie none; 400 points apart the favorite expects 10/11."""
    assert shown.value == [1510.0, 1490.0]
    assert elo(np.array([0]), np.array([1]), np.array([0.5]), n_systems=2).tolist() == [1500, 1500]
    left, right, outcome = (
        np.array([0] * 500),
        np.array([1] * 500),
        np.array([1.0] * 10 + [0.0] + ([1.0] * 10 + [0.0]) * 44 + [1.0] * 5),
    )
    ratings = elo(left, right, outcome, n_systems=2)
    assert ratings[0] - ratings[1] == pytest.approx(400, abs=60)


def e11(shown: Shown) -> None:
    """Three generators are run with 288 settings each, and only that of the program has the mean fail with outliers."""
    rows = shown.table("findings")
    fails = {
        r["generator"]: r["fails"] for r in rows if (r["trouble"], r["mechanism"]) == ("outliers", "mean")
    }
    assert fails == {"offsets": "no", "per_type": "no", "released": "yes"}
    assert len(shown.found["differences"]) >= 1
    assert "describes two generators and released a third" in shown.text


def e12(shown: Shown) -> None:
    """With types whose means are each system's own, more segments bring the mean nearer to the true order of means over types."""
    rows = [
        row
        for row in shown.table("grid")
        if row["outliers"] == 0 and row["types"] > 1 and row["systems"] >= 10
    ]
    by_size = {n: np.mean([row["mean"] for row in rows if row["segments"] == n]) for n in (10, 200)}
    assert by_size[200] > by_size[10] + 0.1


def e13(shown: Shown) -> None:
    """Bars end at bootstrap quantiles: they enclose the mean, unevenly, and never leave [−1, 1], as 1.96 errors would."""
    rows = shown.table("figure-3-released")
    uneven = 0
    for row in rows:
        for name in ("mean", "median", "Bradley–Terry"):
            low, mid, high = row[f"{name} low"], row[name], row[f"{name} high"]
            assert -1 <= low <= mid + 1e-9
            assert mid - 1e-9 <= high <= 1
            uneven += abs((high - mid) - (mid - low)) > 1e-3
    assert uneven > len(rows)
    assert "bootstrap" in shown.text


def e14(shown: Shown) -> None:
    """The share with another best system is the mean over 25 setups, a multiple of 1/25, beside the printed 40 and 41%."""
    for row in shown.table("table-1"):
        assert row["other best"] * 25 == pytest.approx(round(row["other best"] * 25))
    assert [row["other best"] for row in shown.printed("table-1")] == [0.18, 0.4, 0.41]
    claims = [claim for claim in shown.claims() if "30%" in claim]
    assert len(claims) == 1


def e15(shown: Shown) -> None:
    """text: each of 25 setups once, 700 pairs; as published: 100 draws of a fifth of the segments, with fewer found."""
    rows = shown.table("significant-by-setup")
    assert sum(row["pairs"] for row in rows) == 25 * comb(8, 2) == 700
    published = shown.json("study tests-agreement --quick --as-published")
    diagonal = [
        {row["test"]: row[row["test"]] for row in shown.table("figure-6", found)}
        for found in (shown.found, published)
    ]
    assert all(diagonal[1][test] < diagonal[0][test] for test in ("t", "Mood", "sign", "Wilcoxon"))
    printed = {
        row["test"]: p for row, p in zip(shown.table("figure-6"), shown.printed("figure-6"), strict=True)
    }
    assert [printed[test][test] for test in ("t", "Mood", "sign", "Wilcoxon")] == [0.42, 0.21, 0.35, 0.41]


def e16(shown: Shown) -> None:
    """4b averages over the sizes of the text below 300, which are 10, 50 and 100, and all segments; repeats are an option."""
    rows = shown.table("figure-4c")
    assert {10, 50, 100, "all"} <= {row["segments"] for row in rows}
    # The five setups with all 300 segments are the task "all".
    sizes = {row["segments"]: row for row in rows if "300 segments" in row["setups"]}
    task = next(row for row in shown.table("figure-4b") if row["task"] == "all")
    for pair in ("mean / median", "mean / Bradley–Terry", "median / Bradley–Terry"):
        assert task[pair] == pytest.approx(np.mean([sizes[size][pair] for size in (10, 50, 100, "all")]))
    assert "repeats" in " ".join(shown.says("study --list").split())


def e17(shown: Shown) -> None:
    """flips, pairs alike and pairs tied in one add up to 1; with ties, half of 1 − tau-b is another number."""
    for one in shown.found["comparisons"]:
        assert one["alike"] + one["flipped"] + one["tied"] == pytest.approx(1)
    first = shown.found["comparisons"][0]
    assert first["tied"] > 0
    assert (1 - first["tau_b"]) / 2 != pytest.approx(first["flipped"])
    strengths = [bt.rank(shown.human, by=by) for by in ("mean", "median")]
    by = [[one.strength[one.systems.index(name)] for name in shown.human.systems] for one in strengths]
    assert first["tau_b"] == pytest.approx(stats.kendalltau(*by).statistic)
    assert first["flipped"] == pytest.approx((orders(np.array(by[0])) * orders(np.array(by[1])) < 0).mean())


def e18(shown: Shown) -> None:
    """By median, four systems share the top three, because three have a median of 85."""
    tops = dict(zip(shown.found["rankings"], shown.found["tops"], strict=True))
    assert sorted(tops["median"]) == ["Aster", "Birch", "Cedar", "Daphne"]
    assert [np.median(shown.column(name)) for name in ("Birch", "Cedar", "Daphne")] == [85, 85, 85]
    assert len(tops["mean"]) == 3


def e19(shown: Shown) -> None:
    """200 samples are called rough, the estimate is that of the data, and a mean's 95% interval is near ± 1.96 errors, not 1.64."""
    assert "200 bootstrap samples, so they are rough; 2,000 are usual" in shown.text
    for name, rating in zip(shown.human.systems, elo_by_segments(shown.human.values, 20), strict=True):
        assert shown.of(name) == pytest.approx(rating)
    found = shown.json("rank demo/human.csv --interval percentile --units segments")
    for name in shown.human.systems:
        error = shown.column(name).std(ddof=1) / np.sqrt(300)
        width = shown.of(name, by="high", found=found) - shown.of(name, by="low", found=found)
        assert width / (2 * error) == pytest.approx(1.96, abs=0.12)


def e20(shown: Shown) -> None:
    """mid-p of a pair and of the reversed pair add up to 1, and two identical systems get ½; literally they get 1."""
    p = np.array(shown.found["human_pvalue"])
    above = np.triu_indices(8, 1)
    np.testing.assert_allclose((p + p.T)[above], 1)
    twins = {
        name: bt.read_scores({"A": [1, 0, 1, 1], "B": [1, 0, 1, 1], "C": [0, 0, 1, 0]}, name=name)
        for name in ("human", "m")
    }
    for mid_p, expected in ((True, 0.5), (False, 1.0)):
        found = bt.meta_evaluate(
            {"m": twins["m"]}, twins["human"], p_values="exact", mid_p=mid_p, significance="none"
        )
        i, j = found.systems.index("A"), found.systems.index("B")
        assert found.human_pvalue[i, j] == expected


def e21(shown: Shown) -> None:
    """A p-value of compare is a multiple of 1 / (B + 1) above 0; inside meta 0 of 1,000 is 0."""
    p = shown.found["pvalue"][0][1]
    assert p > 0
    assert p * 10_000 == pytest.approx(round(p * 10_000))
    inside = np.array(shown.json(DEMO)["human_pvalue"])
    assert inside.min() == 0


def e22(shown: Shown) -> None:
    """Scores and counts are float64, and 1 + 2⁻⁴⁰ stays above 1, which single precision loses."""
    assert shown.value == "float64"
    close = bt.read_scores({"A": [1 + 2**-40, 1 + 2**-40], "B": [1.0, 1.0]})
    assert bt.rank(close).systems == ("A", "B")
    assert close.values[0, 0] > 1
    assert np.float32(1 + 2**-40) == 1


def e23(shown: Shown) -> None:
    """Metrics on scales that differ by 1,000 have the p-values of standardized ones; one-sided ones are about half as large."""
    assert shown.found["comparisons"]["alternative"] != "two-sided"
    assert "one-sided" in shown.text
    lines = (shown.folder / "demo" / "metrics.tsv").read_text(encoding="utf-8").splitlines()
    scaled = [
        "\t".join([*row[:-1], repr(1000 * float(row[-1]))]) if row[0] == "Learned" else "\t".join(row)
        for row in (line.split("\t") for line in lines[1:])
    ]
    (shown.folder / "scaled.tsv").write_text("\n".join([lines[0], *scaled]) + "\n", encoding="utf-8")
    other = shown.json("meta scaled.tsv --human demo/human.csv --alternative wmt")
    assert json.dumps(other["comparisons"]["pvalue"]) == json.dumps(shown.found["comparisons"]["pvalue"])


def e24(shown: Shown) -> None:
    """inputs, systems, both and cells are four tests with four names, and two metrics that are alike get four different p-values."""
    rng, learned, seen = np.random.default_rng(3), shown.metrics["Learned"], {}
    lines = ["metric,system,segment,score"]
    for metric in ("a", "b"):
        for i, name in enumerate(learned.systems):
            noise = rng.normal(0, 1) * 0.01 + rng.normal(0, 0.1, 300)
            lines += [
                f"{metric},{name},{s},{v:.6f}"
                for s, v in zip(learned.segments, learned.values[i] + noise, strict=True)
            ]
    (shown.folder / "alike.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name in ("inputs", "systems", "both", "cells"):
        found = shown.json(f"meta alike.csv --human demo/human.csv --by pearson --significance perm-{name}")
        assert found["comparisons"]["test"] == f"perm_{name}"
        seen[name] = found["comparisons"]["pvalue"][0][1]
    assert len(set(seen.values())) == 4, seen
    assert "PERM-CELLS" in shown.text


def e25(shown: Shown) -> None:
    """A metric opens a cluster if it differs from one of the current cluster: with p of 1–2, 2–3 and 1–3 made by hand, too."""
    apart = np.ones((4, 4))
    apart[0, 2] = apart[2, 0] = 0.01  # the third differs from the first: a new cluster
    apart[1, 3] = apart[3, 1] = (
        0.01  # the fourth differs from the second only, which is in the cluster before
    )
    assert greedy_clusters(apart <= 0.05).tolist() == [1, 1, 2, 2]
    assert shown.found["cluster"] == [1, 1, 1, 1]


def e26(shown: Shown) -> None:
    """Every size from 2 to 7 has a row of Pearson and one of Spearman with the 5% and 95% quantiles over its subsets."""
    rows = shown.table("figure-2")
    keys = {(row["data"], row["systems"], row["coefficient"]) for row in rows}
    assert len(rows) == len(keys) == 5 * 6 * 2
    for row in rows:
        assert row["SPA 5%"] <= row["SPA"] <= row["SPA 95%"] + 1e-9
        assert row["SPA 5%"] >= -1


def e27(shown: Shown) -> None:
    """2,295 of 2,400 cells are there, and p of two systems is that of the 273 or 274 segments that both have."""
    rows = [line.split(",") for line in (shown.folder / "gaps_human.csv").read_text().splitlines()]
    columns = {
        name: np.array([float(row[i]) if row[i] else np.nan for row in rows[1:]])
        for i, name in enumerate(rows[0])
        if i
    }
    assert sum(int((~np.isnan(one)).sum()) for one in columns.values()) == 2295
    shared = {int((~np.isnan(columns[a] - columns[b])).sum()) for a, b in itertools.combinations(columns, 2)}
    assert (min(shared), max(shared)) == (273, 274)
    assert "cover 2,295 of 2,400 cells; pairs of systems share 273 to 274 segments" in shown.text
    difference = columns["Birch"] - columns["Cedar"]
    difference = difference[~np.isnan(difference)]
    signs = np.random.default_rng(1).choice([-1.0, 1.0], (20_000, len(difference)))
    expected = (signs @ difference >= difference.sum() - 1e-9).mean()
    names = shown.found["systems"]
    p = shown.found["human_pvalue"][names.index("Birch")][names.index("Cedar")]
    assert p == pytest.approx(expected, abs=0.08)


def e28(shown: Shown) -> None:
    """70 concordant and 30 discordant pairs give 0.4, and 30 and 70 give −0.4, which bars around the difference would not."""
    assert shown.value == pytest.approx(0.4)
    assert float(tau(np.array([[30, 0, 70], [0, 0, 0], [0, 0, 0]]), "tau_ties_soft")) == pytest.approx(-0.4)


def e29(shown: Shown) -> None:
    """Of two pairs, 25 and 0 apart, one is kept at 25, and none at 25.5."""
    assert shown.value == 0.5
    assert bt.kept_pairs(bt.read_scores({"A": [50.0, 0.0], "B": [75.0, 0.0]}), [25.5])[0].share == 0


def e30(shown: Shown) -> None:
    """A judge with twice the noise has a variance ratio far above 1, is dropped at 2 and kept at 50; one who scores bad items higher fails control."""
    rng = np.random.default_rng(12)
    lines = ["segment,system,judge,score"]
    for s in range(40):
        for a, system in enumerate(("A", "B", "C", "A#bad")):
            for judge in range(5):
                good = 80 - 10 * a if system != "A#bad" else (30 if judge != 4 else 85)
                lines.append(f"s{s},{system},J{judge},{good + rng.normal(0, 25 if judge == 3 else 4):.1f}")
    (shown.folder / "noisy.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    judges = shown.json("human da noisy.csv --control A#bad=A")[1]
    kept = dict(zip(judges["judges"], judges["keep"], strict=True))
    assert kept == {"J0": True, "J1": True, "J2": True, "J3": False, "J4": False}
    wide = shown.json("human da noisy.csv --control A#bad=A --max-variance-ratio 500")[1]
    assert dict(zip(wide["judges"], wide["keep"], strict=True))["J3"]
    assert all(shown.found[1]["keep"])


def e31(shown: Shown) -> None:
    """A judge with all scores halved changes no strength, because each judge is standardized before repeats are averaged."""
    lines = (shown.folder / "judgments.csv").read_text().splitlines()
    rows = [line.split(",") for line in lines[1:]]
    halved = [[*row[:3], repr(float(row[3]) / 2)] if row[2] == "J1" else row for row in rows]
    (shown.folder / "halved.csv").write_text(
        "\n".join([lines[0], *map(",".join, halved)]) + "\n", encoding="utf-8"
    )
    found = shown.json("human da halved.csv")
    assert found[0]["strength"] == pytest.approx(shown.found[0]["strength"])
    raw = [shown.json(f"human da {name} --raw")[0]["strength"] for name in ("judgments.csv", "halved.csv")]
    assert raw[0] != pytest.approx(raw[1], rel=0.01)


def e32(shown: Shown) -> None:
    """transposed, the pooled BLEU of each output is sacreBLEU's of its first line against all references, and the claims appear."""
    row = next(one for one in shown.table("scores") if (one["data"], one["system"]) == ("news", "Aster"))
    news = [i for i, name in enumerate(shown.human.segments) if name.startswith("news")]
    outputs, references = ([lines_of(shown, name)[i] for i in news] for name in ("Aster", "reference"))
    assert row["BLEU"] == pytest.approx(
        sacrebleu.corpus_bleu(outputs[:1], [[one] for one in references]).score
    )
    assert list(shown.claims().values()) == ["yes"] * 4
    with pytest.raises(bt.TableError, match="Transpose"):
        bt.bleu({"A": outputs}, [[one] for one in references])


def e33(shown: Shown) -> None:
    """The signature of the corpus has eff:no and that of segments eff:yes; Chinese gets the tokenizer zh, and 13a only if asked."""
    assert "eff:no" in shown.found["score"]
    assert "single segments with eff:yes" in shown.found["notes"][0]
    assert "Tokenizer 13a" in " ".join(shown.found["notes"])
    texts = bt.Texts(
        systems=["A"], segments=["1"], outputs=[["我喜欢这本书。"]], references=[["我爱这本书。"]]
    )
    assert "tok:zh" in bt.bleu(texts, language="zh").formula.name
    assert "tok:13a" in bt.bleu(texts, tokenize="13a").formula.name


def e34(shown: Shown) -> None:
    """Phrase F1 of BAD is that of spans counted by hand, at most 1; an all-BAD sentence over three spans has 0.75, literally 1."""
    for name in ("Finch", "Heron"):
        assert value_of(shown, "phrase_f1_bad", name) == pytest.approx(
            phrase_f1(shown, name, "BAD"), abs=1e-6
        )
    tags = bt.WordTags(
        systems=["all BAD"],
        segments=["1"],
        gold=[True, False, True, False, True],
        predicted=[[True] * 5],
        offsets=[0, 5],
    )
    for literal, expected in ((False, 0.75), (True, 1.0)):
        assert bt.tag_counts(tags, by="phrase_f1_bad", as_published=literal).pooled()[0] == pytest.approx(
            expected
        )


def e35(shown: Shown) -> None:
    """(tp·tn − fp·fn) / √… of the four cells, a minus and a root, gives both systems; with the printed plus Heron would exceed 1 or differ."""
    for name in ("Finch", "Heron"):
        c = confusion(shown, name)
        tp, tn, fp, fn = c["BAD", "BAD"], c["OK", "OK"], c["OK", "BAD"], c["BAD", "OK"]
        root = np.sqrt(float((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)))
        assert value_of(shown, "mcc", name) == pytest.approx((tp * tn - fp * fn) / root)
        assert value_of(shown, "mcc", name) != pytest.approx((tp * tn + fp * fn) / root)


def e36(shown: Shown) -> None:
    """A sentence that is right has 1, one without errors that is right has ½, and an extra span lowers the value by the ratio of spans."""
    assert sequence_correlation(["OK", "BAD"], ["OK", "BAD"]) == 1
    assert sequence_correlation(["OK", "OK"], ["OK", "OK"]) == 0.5
    for gold, own in (
        (["OK", "BAD"], ["OK", "BAD"]),
        (["OK", "OK"], ["OK", "OK"]),
        (["OK", "OK", "OK", "BAD"], ["OK", "BAD", "OK", "BAD"]),
    ):
        tags = bt.WordTags(
            systems=["A"], segments=["1"], gold=[one == "BAD" for one in gold],
            predicted=[[one == "BAD" for one in own]], offsets=[0, len(gold)],
        )  # fmt: skip
        assert bt.tag_counts(tags, by="sequence_correlation").pooled()[0] == pytest.approx(
            sequence_correlation(gold, own), abs=1e-9
        )
    assert len(spans(tags_of(shown, "gold")[0])) >= 1


def e37(shown: Shown) -> None:
    """Of five systems each half has three with the middle one in both, and two without it, with Bonferroni over the half's pairs."""
    rows = shown.table("table-1")
    assert all(row["d top"] in (0, 1) for row in rows)  # halves of two systems are one pair
    names = ("Finch", "Heron", "Lark", "Wren")
    merged = [
        one if i % 2 else two
        for i, (one, two) in enumerate(zip(tags_of(shown, "Finch"), tags_of(shown, "Heron"), strict=True))
    ]
    (shown.folder / "Mixed.tags").write_text("\n".join(map(" ".join, merged)) + "\n", encoding="utf-8")
    files = " ".join(f"demo/tags/{name}.tags" for name in names)
    for middle, pairs in (("both", 3), ("neither", 1)):
        found = shown.json(f"tags demo/tags/gold.tags {files} Mixed.tags --audition --middle {middle}")[-1]
        for value in found["d_top"] + found["d_bottom"]:
            assert value * pairs == pytest.approx(round(value * pairs))


def e38(shown: Shown) -> None:
    """Ten pairs of levels have eight gaps, all shown, and levels are exact: 409, 411, 419, 429 and 450 wrong tags; the list of sizes is an option."""
    p = shown.table("p-values")
    pairs = {(row["wrong tags"], row["against"]) for row in p}
    assert len(pairs) == 10
    assert len(shown.table("table-2")[0]) == 1 + 8
    assert {level for pair in pairs for level in pair} == {409, 411, 419, 429, 450}
    other = shown.json("study tagging-sampling --quick --set schedule=50,150")
    assert {row["samples"] for row in shown.table("p-values", other)} == {50, 150}
