"""What must hold of the answers to the rows of "Soft Pairwise Accuracy"."""

from __future__ import annotations

import itertools
from collections.abc import Iterable
from dataclasses import replace
from math import comb

import numpy as np
import pytest
from scipy import stats
from tests.papers.checks.oracles import orders
from tests.papers.checks.shown import Shown

import betterthan as bt
from betterthan.studies.catalogue import STUDIES

DEMO = "meta demo/metrics.tsv --human demo/human.csv"
ABOVE = np.triu_indices(8, 1)


def _gaps(found: dict) -> np.ndarray:
    """1 − |p of humans − p of the metric|, metrics × pairs of systems."""
    human, metrics = np.array(found["human_pvalue"]), np.array(found["metric_pvalue"])
    return 1 - np.abs(human - metrics)[:, ABOVE[0], ABOVE[1]]


def _share_in_order(metric: np.ndarray, human: np.ndarray, some: Iterable[int]) -> float:
    """The share of the pairs of these systems that two lists of means order alike."""
    pairs = list(itertools.combinations(some, 2))
    return float(np.mean([np.sign(metric[a] - metric[b]) == np.sign(human[a] - human[b]) for a, b in pairs]))


def _means(scores: bt.Scores) -> np.ndarray:
    """Mean of each system's segments, greater being better."""
    return scores.goodness.mean(axis=1)


def a43(shown: Shown) -> None:
    """Each value is the mean of 1 − |p − p| over the 28 pairs of systems, Equation 1."""
    np.testing.assert_allclose(_gaps(shown.found).mean(axis=1), shown.found["value"])
    assert shown.found["n_pairs"] == 28


def a44(shown: Shown) -> None:
    """P is 0 for Aster over Hazel and 1 the other way, near ½ for level systems, and follows the sign of the difference."""
    p, mean = shown.value.human_pvalue, _means(shown.human)
    names = shown.value.systems
    assert (p[names.index("Aster"), names.index("Hazel")], p[names.index("Hazel"), names.index("Aster")]) == (
        0,
        1,
    )
    assert 0.3 < p[names.index("Birch"), names.index("Cedar")] < 0.7
    above = np.array(
        [
            [mean[shown.human.systems.index(a)] > mean[shown.human.systems.index(b)] for b in names]
            for a in names
        ]
    )
    assert ((p < 0.5) == above)[ABOVE].all()


def a45(shown: Shown) -> None:
    """Each value is the share of 28 pairs that metric and humans order alike, as p-values rounded to 0 and 1 give it."""
    human = orders(_means(shown.human))
    soft = bt.meta_evaluate(shown.metrics, shown.human, p_values="analytic", significance="none")
    for name, value in zip(shown.found["metrics"], shown.found["value"], strict=True):
        assert value == pytest.approx((orders(_means(shown.metrics[name])) == human).mean())
        p = soft.metric_pvalue[soft.metrics.index(name)]
        assert value == pytest.approx((1 - np.abs((soft.human_pvalue >= 0.5) ^ (p >= 0.5)))[ABOVE].mean())


def a46(shown: Shown) -> None:
    """28 cells, and what they lack to 1 is what chrF's value lacks: both cases of the paper occur among them."""
    found = bt.meta_evaluate(shown.metrics, shown.human, significance="none")
    gaps = _gaps({"human_pvalue": found.human_pvalue, "metric_pvalue": found.metric_pvalue})[
        found.metrics.index("chrF")
    ]
    (cells, *_) = [
        one for kind in ("rect", "circle", "point") for one in shown.drawn(kind) if len(one) == 28
    ][:1]
    assert len(cells) == 28
    assert gaps.mean() == pytest.approx(found.value[found.metrics.index("chrF")])
    human = found.human_pvalue[ABOVE]
    metric = found.metric_pvalue[found.metrics.index("chrF")][ABOVE]
    sure = [np.abs(one - 0.5) > 0.45 for one in (human, metric)]
    assert (sure[0] & ~sure[1]).any()
    assert (~sure[0] & sure[1]).any() or (sure[0] & ~sure[1]).sum() > 1


def a47(shown: Shown) -> None:
    """29 values are possible with 28 pairs, and the counts of different values are those of meta's results."""
    for row in shown.table("distinct-values"):
        if row["systems"] == 8:
            assert row["possible PA"] == comb(8, 2) + 1 == 29
    everything = next(row for row in shown.table("distinct-values") if row["data"] == "all")
    for by, column in (("pairwise_accuracy", "distinct PA"), ("soft_pairwise_accuracy", "distinct SPA")):
        values = bt.meta_evaluate(shown.metrics, shown.human, by=by, significance="none").value
        assert everything[column] == len(set(values.round(12).tolist()))
    (tie,) = [row for row in shown.table("ties") if row["data"] == "all"]
    assert tie["value"] == pytest.approx(27 / 28)


def a48(shown: Shown) -> None:
    """P is the share of 1,000 random exchanges whose difference of means is at least the observed one, ± 5 standard errors."""
    found = shown.found
    assert "p:monte_carlo,1000" in found["signature"]
    names = found["systems"]
    rng = np.random.default_rng(3)
    for a, b in (("Birch", "Cedar"), ("Elm", "Daphne"), ("Daphne", "Fern")):
        difference = shown.column(a) - shown.column(b)
        signs = rng.choice([-1.0, 1.0], (20_000, 300))
        expected = (signs @ difference >= difference.sum() - 1e-9).mean()
        p = found["human_pvalue"][names.index(a)][names.index(b)]
        assert abs(p - expected) < 5 * np.sqrt((expected * (1 - expected) + 1e-4) * (1 / 1000 + 1 / 20_000))
        assert p * 1000 == pytest.approx(round(p * 1000))


def a49(shown: Shown) -> None:
    """Operations follow the formulas: 28 times fewer signs by sharing, and 8 sums of systems for 28 of pairs; times are measured."""
    rows = {row["way"]: row for row in shown.table("operations") if row["data"] == "all"}
    own, batch = rows["own permutations for each pair"], rows["one batch for all pairs"]
    sums = rows["one batch, sums of each system"]
    p_values = 5 * comb(8, 2)  # humans and four metrics
    assert own["p-values"] == p_values
    assert own["signs drawn"] == p_values * 300 * 100
    assert batch["signs drawn"] == sums["signs drawn"] == 300 * 100
    assert sums["products added"] * comb(8, 2) == batch["products added"] * 8
    times = shown.run(shown.command)[1].split("milliseconds")[-1] + shown.text
    assert "the verb, values and tests of all metrics" in times
    assert "SciPy" in times


def a50(shown: Shown) -> None:
    """Shared and own permutations have the same mean value within five standard errors, except where p-values are shared, too."""
    for row in shown.table("sharing"):
        assert abs(row["shared − own"]) < 5 * row["standard error"]
        assert 0.3 < row["deviation shared"] / row["deviation own"] < 3
    assert "depend" in shown.text


def a51(shown: Shown) -> None:
    """The mean that meta correlates is that of the segments for humans and metrics, here by NumPy."""
    found = shown.json(DEMO)
    for name, mean in zip(found["systems"], found["human_mean"], strict=True):
        assert mean == pytest.approx(shown.column(name).mean())
        assert shown.of(name) == pytest.approx(mean)
    for name, means in zip(found["metrics"], found["metric_mean"], strict=True):
        metric = shown.metrics[name]
        for system, mean in zip(found["systems"], means, strict=True):
            assert abs(mean) == pytest.approx(metric.values[metric.systems.index(system)].mean())


def a52(shown: Shown) -> None:
    """Of Learned, chrF, TER and Length two remain, and a metric called COMET-QE is kept by --kind reference-free alone."""
    assert shown.found["metrics"] == ["TER", "chrF"]
    lines = (shown.folder / "demo" / "metrics.tsv").read_text(encoding="utf-8")
    (shown.folder / "named.tsv").write_text(lines.replace("Length", "COMET-QE"), encoding="utf-8")
    for kind, expected in (("reference-free", {"COMET-QE"}), ("reference-based", {"Learned", "chrF", "TER"})):
        found = shown.json(f"meta named.tsv --human demo/human.csv --kind {kind}")
        assert set(found["metrics"]) == expected


def a53(shown: Shown) -> None:
    """Six panels of 28 pairs, the cells of the last ones 1 − |p − p|, systems in the order of the human means."""
    panels = [
        {(c["row"], c["column"]): c["value"] for c in one} for one in shown.drawn("rect", "row", "value")
    ]
    assert [len(one) for one in panels] == [28] * 6
    names = sorted(shown.human.systems, key=lambda name: -shown.column(name).mean())
    found = bt.meta_evaluate(shown.metrics, shown.human, significance="none")
    place = [found.systems.index(name) for name in names]
    human = found.human_pvalue[np.ix_(place, place)]
    metric = found.metric_pvalue[found.metrics.index("chrF")][np.ix_(place, place)]
    soft = (1 - human, 1 - metric, 1 - np.abs(human - metric))
    for number, (row, column) in enumerate(itertools.combinations(range(1, 9), 2)):
        shown_values = [one[row, column] for one in panels]
        assert shown_values[3:] == pytest.approx([one[row - 1, column - 1] for one in soft]), number
        assert all(value in (0, 1) for value in shown_values[:3])
        assert shown_values[2] == 1 - abs(shown_values[0] - shown_values[1])


def a54(shown: Shown) -> None:
    """Each mean is that of Pearson's r over all C(8, n) subsets, with the pairs counted here; 7 of 8 systems beat 2."""
    rows = [row for row in shown.table("figure-2") if row["coefficient"] == "Pearson"]
    means = {name: _means(one) for name, one in shown.metrics.items()}
    whole = [_share_in_order(one, _means(shown.human), range(8)) for one in means.values()]
    for row in rows:
        if row["data"] == "all":
            subsets = itertools.combinations(range(8), row["systems"])
            parts = [
                [_share_in_order(one, _means(shown.human), some) for one in means.values()]
                for some in subsets
            ]
            known = [part for part in parts if np.ptp(part) > 0]
            assert row["PA"] == pytest.approx(np.mean([np.corrcoef(part, whole)[0, 1] for part in known]))
            assert row["PA undefined"] == len(parts) - len(known)
    for row in rows:
        assert row["subsets"] == min(comb(8, row["systems"]), 100)
    for data in {row["data"] for row in rows}:
        values = [row["SPA"] for row in rows if row["data"] == data]
        assert values[-1] > values[0]
        assert [row["systems"] for row in rows if row["data"] == data] == list(range(2, 8))


def a55(shown: Shown) -> None:
    """Intervals get narrower with more segments, and those of the soft measure are the narrower ones in all 46 cases."""
    rows = shown.table("figure-3")
    assert len(rows) == 46
    for row in rows:
        assert row["SPA width"] == pytest.approx(row["SPA high"] - row["SPA low"])
        assert row["SPA width"] <= row["PA width"]
    for key in {(row["data"], row["metric"]) for row in rows}:
        widths = [row["SPA width"] for row in rows if (row["data"], row["metric"]) == key]
        assert widths[-1] < widths[0]


def a56(shown: Shown) -> None:
    """All pairs differ as in 300 exchanges of standardized scores by hand; a metric and its copy do not."""
    assert shown.found["comparisons"]["test"] == "perm_inputs"
    pvalues = np.array(shown.found["comparisons"]["pvalue"], float)
    chosen = [shown.metrics[name] for name in ("chrF", "Length")]
    standard = [(one.goodness - one.goodness.mean()) / one.goodness.std() for one in chosen]
    human = bt.meta_evaluate(
        shown.metrics, shown.human, p_values="analytic", significance="none"
    ).human_pvalue
    observed = _soft(standard[0], human) - _soft(standard[1], human)
    rng = np.random.default_rng(2)
    at_least = 0
    for _ in range(300):
        swap = rng.random(standard[0].shape) < 0.5
        drawn = _soft(np.where(swap, *standard[::-1]), human) - _soft(np.where(swap, *standard), human)
        at_least += abs(drawn) >= abs(observed) - 1e-12
    i, j = (shown.found["metrics"].index(name) for name in ("chrF", "Length"))
    assert pvalues[i, j] == pytest.approx(at_least / 300, abs=0.05)
    copies = {"a": shown.metrics["chrF"], "b": replace(shown.metrics["chrF"], name="b")}
    same = bt.meta_evaluate(copies, shown.human, significance="perm_inputs")
    assert same.comparisons.pvalue[0, 1] == 1


def _soft(goodness: np.ndarray, human: np.ndarray) -> float:
    """Soft pairwise accuracy with normal p-values of sign flips."""
    difference = goodness[ABOVE[0]] - goodness[ABOVE[1]]
    p = stats.norm.sf(difference.sum(axis=1) / np.sqrt((difference**2).sum(axis=1)))
    return float((1 - np.abs(p - human[ABOVE])).mean())


def a57(shown: Shown) -> None:
    """A new cluster begins with the first metric that differs from one of the current cluster, and groups show all pairs."""
    found = shown.found
    adjusted = np.array(found["comparisons"]["adjusted"], float)
    pvalue = np.array(found["comparisons"]["pvalue"], float)
    for p in (pvalue, adjusted):
        start, cluster, clusters = 0, 1, [1]
        for i in range(1, len(p)):
            if (p[start:i, i] <= 0.05).any():
                start, cluster = i, cluster + 1
            clusters.append(cluster)
        if clusters == found["cluster"]:
            break
    assert clusters == found["cluster"]
    for i, j in itertools.combinations(range(len(adjusted)), 2):
        assert bool(set(found["letters"][i]) & set(found["letters"][j])) == (adjusted[i, j] > 0.05)


def a58(shown: Shown) -> None:
    """A cell for each of six pairs of metrics, best first, with its p-value, and the values beside the names."""
    found = bt.meta_evaluate(shown.metrics, shown.human)
    (cells, *_) = shown.drawn("rect", "row", "column", "p")
    assert len(cells) == 6
    for cell in cells:
        i, j = found.metrics.index(cell["row"]), found.metrics.index(cell["column"])
        assert i < j
        assert cell["p"] == pytest.approx(found.comparisons.adjusted[i, j])
        assert (cell["verdict"] != "not significantly different") == (cell["p"] <= 0.05)


def a59(shown: Shown) -> None:
    """The maxima are 4 values, 6 comparisons and 4 clusters; the printed table adds up: 21 different metrics have 210 pairs."""
    for row in shown.table("table-1"):
        assert (row["distinct most"], row["significant most"], row["clusters most"]) == (4, comb(4, 2), 4)
        for measure in ("PA", "SPA"):
            assert row[f"distinct {measure}"] <= 4
            assert row[f"clusters {measure}"] - 1 <= row[f"significant {measure}"] <= 6
    for row in shown.table("table-1-printed"):
        assert row["significant most"] == comb(row["distinct most"], 2)
    soft = next(row for row in shown.table("table-1") if row["data"] == "all")
    by_hand = bt.meta_evaluate(
        shown.metrics, shown.human, significance="perm_inputs", alternative="wmt", p_values="analytic"
    )
    assert abs(soft["significant SPA"] - by_hand.n_significant) <= 1


def a60(shown: Shown) -> None:
    """The first caveat of a metric under two names is that they are the same, and of two different ones it is not."""
    assert [one.code for one in shown.value] == ["same_metrics"]
    other = bt.meta_evaluate(shown.metrics, shown.human, significance="none")
    assert "same_metrics" not in [one.code for one in other.caveats]


def a61(shown: Shown) -> None:
    """Pearson, Spearman and Kendall are those of SciPy, Williams' p-value that of his formula, and intervals of humans alone are narrower."""
    human = _means(shown.human)
    for by, coefficient in (
        ("pearson", stats.pearsonr),
        ("spearman", stats.spearmanr),
        ("kendall-b", stats.kendalltau),
    ):
        found = shown.json(f"{DEMO} --by {by} --significance none")
        for name, value in zip(found["metrics"], found["value"], strict=True):
            assert value == pytest.approx(coefficient(_means(shown.metrics[name]), human).statistic)
    found = shown.found
    first, second = found["metrics"][:2]
    expected = _williams(_means(shown.metrics[first]), _means(shown.metrics[second]), human)
    assert found["comparisons"]["pvalue"][0][1] == pytest.approx(expected, rel=1e-6)
    both = shown.json(f"{DEMO} --by pearson --significance williams")
    widths = [np.subtract(one["high"], one["low"]) for one in (found, both)]
    assert (widths[0] != widths[1]).all()
    for test in ("perm-both", "perm-inputs"):
        assert shown.json(f"{DEMO} --by pearson --significance {test}")["comparisons"][
            "test"
        ] == test.replace("-", "_")


def _williams(x: np.ndarray, y: np.ndarray, z: np.ndarray) -> float:
    """Williams' test of two correlations with z, two-sided."""
    n = len(z)
    r = np.corrcoef([z, x, y])
    a, b, c = r[0, 1], r[0, 2], r[1, 2]
    k = 1 - a * a - b * b - c * c + 2 * a * b * c
    t = (a - b) * np.sqrt((n - 1) * (1 + c) / (2 * k * (n - 1) / (n - 3) + (a + b) ** 2 / 4 * (1 - c) ** 3))
    return float(2 * stats.t.sf(abs(t), n - 3))


def a62(shown: Shown) -> None:
    """The p-value of two systems flips sums of five segments at a time, as 20,000 exchanges of such blocks do."""
    found = shown.found
    names = found["systems"]
    difference = shown.column("Birch") - shown.column("Cedar")
    blocks = difference.reshape(60, 5).sum(axis=1)
    signs = np.random.default_rng(4).choice([-1.0, 1.0], (20_000, 60))
    expected = (signs @ blocks >= blocks.sum() - 1e-9).mean()
    p = found["human_pvalue"][names.index("Birch")][names.index("Cedar")]
    assert p == pytest.approx(expected, abs=0.08)
    documents = shown.json(f"{DEMO} --units groups")
    assert documents["units"] == "groups"
    assert documents["human_pvalue"] != found["human_pvalue"]


def a63(shown: Shown) -> None:
    """Segments are exchanged and BLEU is recomputed from their counts: 1,000 exchanges by hand give p ± 5 standard errors."""
    texts = bt.read_texts(
        [shown.folder / "demo" / "texts" / f"{name}.txt" for name in ("Daphne", "Elm")],
        references=shown.folder / "demo" / "texts" / "reference.txt",
    )
    counts = bt.bleu(texts)
    rng = np.random.default_rng(6)
    first, second = counts.values.astype(float)
    pooled = counts.formula.pooled
    observed = pooled(first.sum(axis=0)) - pooled(second.sum(axis=0))
    at_least = 0
    for _ in range(1000):
        swap = (rng.random(len(first)) < 0.5)[:, None]
        drawn = pooled(np.where(swap, second, first).sum(axis=0)) - pooled(
            np.where(swap, first, second).sum(axis=0)
        )
        at_least += abs(drawn) >= abs(observed) - 1e-12
    expected = at_least / 1000
    p = shown.value.pair("Daphne", "Elm").pvalue
    assert abs(p - expected) < 5 * np.sqrt(expected * (1 - expected) / 1000) + 0.005
    assert shown.value.pair("Daphne", "Elm").effect == pytest.approx(observed)


def a64(shown: Shown) -> None:
    """10,000 (quick: 1,000) hybrids of two systems are drawn; their correlations are near the closed form over all hybrids."""
    assert STUDIES["hybrid-systems"].options["hybrids"] == 10_000
    for row in shown.table("information"):
        assert (row["hybrids"], row["pairs of metrics"]) == (1000, 6)
        assert row["significant, hybrid"] >= row["significant, real"]
    for row in shown.table("correlations"):
        assert row["drawn hybrids"] == pytest.approx(row["all hybrids"], abs=0.05)
    real = next(r for r in shown.table("correlations") if (r["data"], r["metric"]) == ("all", "chrF"))
    assert real["real systems"] == pytest.approx(
        np.corrcoef(_means(shown.metrics["chrF"]), _means(shown.human))[0, 1]
    )


def a65(shown: Shown) -> None:
    """A system at −10 or −10,000 changes no value of soft pairwise accuracy, while Pearson's r of all metrics goes to 1."""
    values = {}
    for depth in (10, 10_000):
        tables = {name: _with_outlier(one, depth) for name, one in shown.metrics.items()}
        for by in ("soft_pairwise_accuracy", "pearson"):
            options = {} if by == "pearson" else {"p_values": "analytic"}
            found = bt.meta_evaluate(
                tables, _with_outlier(shown.human, depth), by=by, significance="none", **options
            )
            values[by, depth] = dict(zip(found.metrics, found.value, strict=True))
    assert values["soft_pairwise_accuracy", 10] == pytest.approx(
        values["soft_pairwise_accuracy", 10_000], abs=1e-6
    )
    assert min(values["pearson", 10_000].values()) > 0.9999
    assert len(shown.found["systems"]) == 8  # the demo has no outlier to drop


def _with_outlier(table: bt.Scores, depth: float) -> bt.Scores:
    worst = table.goodness.min(axis=0) - depth * table.values.std()
    return replace(
        table,
        systems=(*table.systems, "Outlier"),
        values=np.vstack([table.goodness, worst]),
        higher_is_better=True,
    )
