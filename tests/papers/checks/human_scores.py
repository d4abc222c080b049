"""What must hold of the answers to the rows of "Human scores and metrics"."""

from __future__ import annotations

import csv
import itertools
from collections import defaultdict

import numpy as np
import pytest
from scipy import stats
from tests.papers.checks.shown import Shown

import betterthan as bt
from betterthan.kernels.agreement.tau_tables import tau

# Weights of the four matrices: rows are the humans' <, =, >, columns the metric's; None is left out.
TABLES = {
    "tau_ties_ignored": ((1, None, -1), (None,) * 3, (-1, None, 1)),
    "tau_ties_soft": ((1, 0, -1), (None,) * 3, (-1, 0, 1)),
    "tau_ties_hard": ((1, -1, -1), (None,) * 3, (-1, -1, 1)),
    "tau_human_ties": ((1, 0, -1), (0, 1, 0), (-1, 0, 1)),
}


def judgments(shown: Shown) -> list[dict[str, str]]:
    """The judgments, by the standard library."""
    with (shown.folder / "judgments.csv").open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))


def raw_means(shown: Shown) -> dict[tuple[str, str], float]:
    """Mean of the raw judgments of each system on a segment."""
    scores = defaultdict(list)
    for row in judgments(shown):
        scores[row["system"], row["segment"]].append(float(row["score"]))
    return {key: float(np.mean(one)) for key, one in scores.items()}


def signs_of(
    metric: np.ndarray, human: np.ndarray, margin: float = 0, metric_margin: float = 0
) -> np.ndarray:
    """Count pairs of systems on a segment: humans' sign by the metric's sign, each from <, = to >."""
    counts = np.zeros((3, 3), int)
    for i, j in itertools.combinations(range(len(human)), 2):
        h, m = human[i] - human[j], metric[i] - metric[j]
        h = np.where(np.abs(h) < margin, 0, h) if margin else h
        m = np.where(np.abs(m) < metric_margin, 0, m) if metric_margin else m
        np.add.at(counts, (np.sign(h).astype(int) + 1, np.sign(m).astype(int) + 1), 1)
    return counts


def tau_by(counts: np.ndarray, rule: str) -> float:
    """Sum of the weights over the number of pairs that count."""
    weights = TABLES[rule]
    cells = [(i, j) for i in range(3) for j in range(3) if weights[i][j] is not None]
    return sum(weights[i][j] * counts[i, j] for i, j in cells) / sum(counts[i, j] for i, j in cells)


def taus_match(shown: Shown, found: dict, **margins: float) -> None:
    """Each tau of a result is that of the matrix, summed cell by cell."""
    for name, value in zip(found["metrics"], found["value"], strict=True):
        counts = signs_of(shown.metrics[name].goodness, shown.human.values, **margins)
        assert value == pytest.approx(tau_by(counts, found["method"])), name


def a66(shown: Shown) -> None:
    """640 judgments of six judges are read, each on the scale to 100, and every output has two."""
    ranking, judges = shown.found
    assert judges["judges"] == [f"J{i}" for i in range(6)]
    assert sum(judges["n_judgements"]) == len(judgments(shown)) == 640
    for name, mean in zip(judges["judges"], judges["mean"], strict=True):
        assert mean == pytest.approx(
            np.mean([float(r["score"]) for r in judgments(shown) if r["judge"] == name])
        )
    assert len(ranking["systems"]) == 8


def a67(shown: Shown) -> None:
    """Every output has the two that are asked for; fifteen are advised, and if three are asked for, none is left."""
    assert "fewer than 15" in shown.text
    assert shown.found[0]["strength"] == shown.json("human da judgments.csv")[0]["strength"]
    scores = bt.read_ratings(shown.folder / "judgments.csv").to_scores(min_judgements=3)
    assert np.isnan(scores.values).all()


def a68(shown: Shown) -> None:
    """The strengths are means of (score − mean of the judge) / deviation of the judge, by NumPy."""
    rows = judgments(shown)
    by_judge = {
        name: np.array([float(r["score"]) for r in rows if r["judge"] == name])
        for name in {r["judge"] for r in rows}
    }
    z = defaultdict(list)
    for row in rows:
        own = by_judge[row["judge"]]
        z[row["system"], row["segment"]].append((float(row["score"]) - own.mean()) / own.std(ddof=1))
    for name in shown.found[0]["systems"]:
        mean = np.mean([np.mean(one) for (system, _), one in z.items() if system == name])
        assert shown.of(name, found=shown.found[0]) == pytest.approx(mean, abs=2e-3)


def a69(shown: Shown) -> None:
    """No judge of the demo is dropped; one whose scores are shuffled is, and the others stay."""
    assert shown.found[1]["keep"] == [True] * 6
    rows = judgments(shown)
    own = [row for row in rows if row["judge"] == "J3"]
    for row, score in zip(
        own, np.random.default_rng(8).permutation([row["score"] for row in own]), strict=True
    ):
        row["score"] = str(score)
    lines = ["segment,system,judge,score", *(",".join(row.values()) for row in rows)]
    (shown.folder / "careless.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    judges = shown.json("human da careless.csv --drop-judges")[1]
    assert [name for name, kept in zip(judges["judges"], judges["keep"], strict=True) if not kept] == ["J3"]


def a70(shown: Shown) -> None:
    """500 rankings make 10 matches each, with as many ties as ranks are shared, and wins are those counted by hand."""
    ties, wins = 0, defaultdict(float)
    with (shown.folder / "rankings.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            ranks = [(row[f"system{i}Id"], int(row[f"system{i}rank"])) for i in range(1, 6)]
            for (a, first), (b, second) in itertools.combinations(ranks, 2):
                ties += first == second
                wins[a if first < second else b] += first != second
    matches = bt.read_rankings(shown.folder / "rankings.csv")
    assert matches.n_matches == 5000
    assert f"5,000 matches, {ties} of them ties" in " ".join(shown.found["notes"])
    assert shown.found["systems"][0] == max(wins, key=lambda name: wins[name])
    same = bt.read_rankings(shown.folder / "rankings.csv")
    assert same.n_systems == 8


def a71(shown: Shown) -> None:
    """Tau is that of the metric's scores of the two ranked outputs, cell by cell of Table 5, with ties on both sides."""
    with (shown.folder / "rankings.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    for name, value in zip(shown.found["metrics"], shown.found["value"], strict=True):
        metric = shown.metrics[name]
        counts = np.zeros((3, 3), int)
        for row in rows:
            segment = metric.segments.index(row["segmentId"])
            ranks = [(row[f"system{i}Id"], int(row[f"system{i}rank"])) for i in range(1, 6)]
            for (a, first), (b, second) in itertools.combinations(ranks, 2):
                own = [metric.goodness[metric.systems.index(system), segment] for system in (a, b)]
                counts[int(np.sign(second - first)) + 1, int(np.sign(own[0] - own[1])) + 1] += 1
        assert value == pytest.approx(tau_by(counts, "tau_human_ties")), name


def a72(shown: Shown) -> None:
    """Each value is SciPy's correlation of the TrueSkill means of the rankings with the metric's means; Spearman's, too."""
    ranking = bt.rank(bt.read_rankings(shown.folder / "rankings.csv"), by="trueskill")
    assert ranking.sigma is not None
    assert (ranking.sigma < 25 / 3).all()
    for by, coefficient in (("pearson", stats.pearsonr), ("spearman", stats.spearmanr)):
        found = shown.json(f"meta demo/metrics.tsv --human rankings.csv --by {by} --human-by trueskill")
        for name, value in zip(found["metrics"], found["value"], strict=True):
            metric = shown.metrics[name]
            means = [metric.goodness[metric.systems.index(system)].mean() for system in ranking.systems]
            assert value == pytest.approx(coefficient(ranking.strength, means).statistic)


def a73(shown: Shown) -> None:
    """pairs.csv holds the 472 pairs of outputs whose mean scores lie 25 or more apart, with the better one as winner."""
    shown.says(shown.command)
    with (shown.folder / "pairs.csv").open(encoding="utf-8", newline="") as lines:
        pairs = list(csv.DictReader(lines))
    means = raw_means(shown)
    expected = set()
    for segment in dict.fromkeys(segment for _, segment in means):
        for a, b in itertools.combinations(sorted({system for system, _ in means}), 2):
            gap = means[a, segment] - means[b, segment]
            if abs(gap) >= 25:
                expected.add((segment, a, b, float(gap > 0)))
    assert {(row["item"], row["a"], row["b"], float(row["outcome"])) for row in pairs} == expected
    assert len(pairs) == len(expected) == 472


def a74(shown: Shown) -> None:
    """The pairs with the same line in two files are counted: 148, 210, 59 and 155; two judged apart are listed with segment and systems."""
    texts = {
        name: (shown.folder / "demo" / "texts" / f"{name}.txt").read_text().splitlines()
        for name in shown.human.systems
    }
    counts = defaultdict(int)
    for a, b in itertools.combinations(texts, 2):
        for segment, one, other in zip(shown.human.segments, texts[a], texts[b], strict=True):
            counts[segment.split("-")[0]] += one == other
    assert {row["data"]: row["identical"] for row in shown.table("table-3")} == counts
    apart = bt.read_scores({"A": [90.0, 10.0], "B": [50.0, 10.0]})
    same = bt.identical_outputs(
        bt.Texts(systems=["A", "B"], segments=apart.segments, outputs=[["x", "y"], ["x", "z"]]),
        apart,
        margin=25,
    )
    (pair,) = same.identical_pairs
    assert (pair.segment, pair.first, pair.second, pair.gap, pair.survives) == (
        apart.segments[0],
        "A",
        "B",
        40,
        True,
    )


def a75(shown: Shown) -> None:
    """Kept pairs are those 25 apart, counted by hand, and the printed table has 137,000 pairs with 264 identical ones."""
    rows = {row["data"]: row for row in shown.table("table-3")}
    for name, row in rows.items():
        chosen = [i for i, segment in enumerate(shown.human.segments) if segment.startswith(name)]
        values = shown.human.values[:, chosen]
        gaps = np.abs(values[:, None] - values[None])[np.triu_indices(8, 1)]
        assert (row["pairs"], row["kept"]) == (gaps.size, (gaps >= 25).sum())
    printed = shown.table("table-3-printed")
    assert sum(row["kept"] for row in printed) == 137_000
    assert sum(row["identical and kept"] for row in printed) == 264


def a76(shown: Shown) -> None:
    """Pairs kept at each threshold are counted by hand; the ratios printed in words are 5 and ½, here 8.2 and 0.47."""
    row = next(one for one in shown.table("by-data") if one["data"] == "all")
    gaps = np.abs(shown.human.values[:, None] - shown.human.values[None])[np.triu_indices(8, 1)]
    for threshold in (1, 5, 10, 25, 50):
        assert row[f"at {threshold}"] == (gaps >= threshold).sum()
    ratios = {r["what"]: r["ratio"] for r in shown.table("ratios")}
    counts = shown.table("figure-1")
    at = {r["threshold"]: r["other"] for r in counts}
    assert ratios["kept at 1 / kept at 50"] == pytest.approx(at[1] / at[50])
    assert [r["ratio"] for r in shown.printed("ratios")] == [5, 0.5]


def a77(shown: Shown) -> None:
    """Each tau is the sum over the nine cells of its matrix, from pairs counted by hand."""
    assert [one["method"] for one in shown.found] == ["tau_ties_ignored", "tau_ties_soft", "tau_ties_hard"]
    for one in shown.found:
        taus_match(shown, one)


def a78(shown: Shown) -> None:
    """Each tau is the sum over the cells of Table 5, double ties among them with +1 and one-sided ties with 0."""
    taus_match(shown, shown.found)
    counts = signs_of(shown.metrics["TER"].goodness, shown.human.values)
    assert counts[1, 1] > 0
    assert counts[0, 1] + counts[2, 1] > 0


def a79(shown: Shown) -> None:
    """The system with the smallest TER is first, and a metric and its negative with the other direction have the same tau."""
    ter = shown.metrics["TER"]
    assert not ter.higher_is_better
    by_mean = sorted(ter.systems, key=lambda name: ter.values[ter.systems.index(name)].mean())
    assert shown.found["systems"] == by_mean
    turned = bt.read_scores(
        {name: -ter.values[i] for i, name in enumerate(ter.systems)}, name="up", lower_is_better=False
    )
    for rule in TABLES:
        counts = [signs_of(one.goodness, shown.human.values) for one in (ter, turned)]
        assert tau_by(counts[0], rule) == tau_by(counts[1], rule)


def a80(shown: Shown) -> None:
    """Each tau is that of Table 5 where pairs less than 25, or less than 5, apart and 572 pairs with equal texts are ties."""
    texts = {
        name: (shown.folder / "demo" / "texts" / f"{name}.txt").read_text().splitlines()
        for name in shown.human.systems
    }
    human = shown.human.values
    # 157 of the pairs with equal texts are 5 apart or more, so that their texts decide.
    closer = shown.json(shown.command.replace("--margin 25", "--margin 5"))
    both = ((25, shown.found), (5, closer))
    for margin, name, value in (
        (margin, *each)
        for margin, found in both
        for each in zip(found["metrics"], found["value"], strict=True)
    ):
        metric = shown.metrics[name].goodness
        counts, same_texts, decided = np.zeros((3, 3), int), 0, 0
        for (i, a), (j, b) in itertools.combinations(enumerate(shown.human.systems), 2):
            same = np.array([x == y for x, y in zip(texts[a], texts[b], strict=True)])
            gap = human[i] - human[j]
            sign = np.where((np.abs(gap) < margin) | same, 0, np.sign(gap)).astype(int)
            np.add.at(counts, (sign + 1, np.sign(metric[i] - metric[j]).astype(int) + 1), 1)
            same_texts += same.sum()
            decided += (same & (np.abs(gap) >= margin)).sum()
        assert (same_texts, decided) == (572, 157 if margin == 5 else 0)
        assert value == pytest.approx(tau_by(counts, "tau_human_ties")), name


def a81(shown: Shown) -> None:
    """80 concordant pairs and 20 ties give 0.8 by 4b; 1 and 99 ties give 1 by 4a, 70 and 30 give 0.4, 20 and 80 give 0.2."""
    assert shown.value == [0.8, 0.2, 1.0, 0.4]


def a82(shown: Shown) -> None:
    """Each tau is that of Table 5 where metric scores less than 1 apart are ties, and metrics that then tie all are named."""
    taus_match(shown, shown.found, metric_margin=1)
    for name in ("Learned", "Length"):
        assert f"{name} ties nearly everything" in shown.text


def a83(shown: Shown) -> None:
    """Negating the metric and the sign of double ties negates tau, for 200 random tables; all metrics have the same 8,400 pairs."""
    assert shown.value is True
    rng = np.random.default_rng(0)
    for _ in range(200):
        counts = rng.integers(0, 30, (3, 3)) + np.eye(3, dtype=int)
        assert tau(counts, "tau_human_ties") == -tau(counts[:, ::-1], "tau_human_ties", double_ties=-1)
    found = shown.json("meta demo/metrics.tsv --human demo/human.csv --by tau-human-ties")
    assert found["n_pairs"] == 8400
