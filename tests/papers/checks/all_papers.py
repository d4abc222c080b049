"""What must hold of the answers to the rows that concern all papers."""

from __future__ import annotations

import csv
import io
import itertools

import numpy as np
import pytest
import sacrebleu
from scipy import stats
from tests.papers.checks.corpus_or_segment import lines_of
from tests.papers.checks.human_scores import signs_of
from tests.papers.checks.oracles import wins_of
from tests.papers.checks.shown import Shown

import betterthan as bt
from betterthan.studies.catalogue import STUDIES
from betterthan.studies.study import study


def a110(shown: Shown) -> None:
    """Every one of 23 studies is listed with its cost, and figure-one in Python has the tables of the command."""
    assert len(STUDIES) == 23
    for name, entry in STUDIES.items():
        assert f"{name} {entry.question}" in shown.text
        assert entry.cost.split(":")[0] in shown.text
    found = study("figure-one")
    command = shown.json("study figure-one")
    assert [list(row) for row in found.table("strengths").rows] == [
        list(one.values()) for one in shown.table("strengths", command)
    ]


def a111(shown: Shown) -> None:
    """The same eight means in text, CSV, JSON and LaTeX, there as a tabular with a rule for each cluster."""
    command = "rank demo/human.csv --by mean"
    rows = list(csv.DictReader(io.StringIO(shown.run(f"{command} -f csv")[0])))
    found = shown.json(command)
    assert [row["system"] for row in rows] == found["systems"]
    assert [float(row["strength"]) for row in rows] == pytest.approx(found["strength"])
    text, latex = shown.says(command), shown.run(shown.command)[0]
    for name, mean in zip(found["systems"], found["strength"], strict=True):
        assert f"{mean:.1f}" in text
        assert any(name in line and f"& {mean:.1f} &" in line for line in latex.splitlines())
    assert latex.count("\\midrule") == 1 + len(set(found["cluster"])) - 1
    assert latex.count("\\begin{tabular}") == latex.count("\\end{tabular}") == 1


def a112(shown: Shown) -> None:
    """The files begin as SVG, PNG and PDF do, and the dots of the drawing are the eight means."""
    for suffix, first in (("svg", b"<svg"), ("png", b"\x89PNG"), ("pdf", b"%PDF")):
        shown.run(f"figure ranking demo/human.csv -o ranking.{suffix}")
        assert (shown.folder / f"ranking.{suffix}").read_bytes().startswith(first)
    (dots, *_) = shown.drawn("point", "strength", "system")
    assert {dot["system"]: dot["strength"] for dot in dots} == pytest.approx(
        {name: shown.column(name).mean() for name in shown.human.systems}
    )


def a113(shown: Shown) -> None:
    """Seed 7 is in the signature, gives the same ratings twice and in Python, and seed 8 gives others."""
    assert "seed:7" in shown.text
    again = bt.rank(shown.human, by="elo", rng=7)
    assert shown.found["strength"] == again.strength.tolist()
    other = bt.rank(shown.human, by="elo", rng=8)
    assert other.strength.tolist() != again.strength.tolist()


def a114(shown: Shown) -> None:
    """The study runs without any data and says so, and 22 of 23 studies of the list take data of the user or need none."""
    assert "Run on the demo campaign, because no data were named." in shown.text
    without = [name for name, entry in STUDIES.items() if not entry.takes_data]
    assert without == ["paired-simulation", "aggregation-survey"]
    own = shown.json("study spa-ties --quick --data demo/metrics.tsv --data demo/human.csv")
    assert own["name"] == "spa-ties"


def a115(shown: Shown) -> None:
    """Ratings of a plain loop that plays all segments of a pair, then of the next, where ties go to the second system."""
    ratings = np.full(8, 1500.0)
    values = shown.human.values
    for i, j in itertools.combinations(range(8), 2):
        for a, b in zip(values[i], values[j], strict=True):
            chance = 1 / (1 + 10 ** ((ratings[j] - ratings[i]) / 400))
            change = 20 * (float(a > b) - chance)
            ratings[i] += change
            ratings[j] -= change
    for name, rating in zip(shown.human.systems, ratings, strict=True):
        assert shown.of(name) == pytest.approx(rating)


def a116(shown: Shown) -> None:
    """rankings, direct assessment, battles and tags are recognized; a major and a minor error of MQM weigh 5 and 1."""
    assert shown.found["format"] == "rankings"
    assert (shown.found["rows_read"], shown.found["rows_kept"]) == (500, 500)
    lines = ["system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity"]
    for system, severity in (("A", "Major"), ("A", "Minor"), ("B", "No-error")):
        lines.append(f"{system}\td\t1\t1\tr1\ts\tt\tAccuracy/Mistranslation\t{severity}")
    (shown.folder / "mqm.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    ratings = bt.read_mqm(shown.folder / "mqm.tsv").to_scores()
    scores = dict(zip(ratings.systems, np.abs(ratings.values[:, 0]), strict=True))
    assert scores == {"A": 6.0, "B": 0.0}  # a major error weighs 5, a minor one 1
    for name, kind in (
        ("judgments.csv", "ratings"),
        ("demo/battles.csv", "battles"),
        ("demo/tags/gold.tags", "tags"),
    ):
        assert shown.json(f"check {name}")["format"] == kind


def a117(shown: Shown) -> None:
    """Each pair of systems is compared on the rows that both have, 15, 20 and 15, and their means are those of NumPy there."""
    rows = [line.split(",") for line in (shown.folder / "gaps.csv").read_text().splitlines()[1:]]
    columns = {
        name: np.array([float(row[i]) if row[i] else np.nan for row in rows]) for i, name in enumerate("ABC")
    }
    names = shown.found["systems"]
    for a, b in itertools.combinations("ABC", 2):
        both = ~np.isnan(columns[a] - columns[b])
        i, j = names.index(a), names.index(b)
        assert shown.found["effect"][i][j] == pytest.approx((columns[a] - columns[b])[both].mean())
        counted = sum(shown.found[key][i][j] for key in ("wins", "ties", "losses"))
        assert counted == both.sum() == (20 if (a, b) == ("A", "C") else 15)


def a118(shown: Shown) -> None:
    """The smallest mean TER is first, and with --higher-is-better TER the order is reversed."""
    ter = shown.metrics["TER"]
    expected = sorted(ter.systems, key=lambda name: ter.values[ter.systems.index(name)].mean())
    assert shown.found["systems"] == expected
    assert shown.json(f"{shown.command} --higher-is-better TER")["systems"] == expected[::-1]


def a119(shown: Shown) -> None:
    """The scores with two references are those of sacreBLEU, and none is below that with one."""
    references = [lines_of(shown, "reference"), lines_of(shown, "Birch")]
    for name, value in zip(shown.found["systems"], shown.found["pooled"], strict=True):
        both = sacrebleu.corpus_bleu(lines_of(shown, name), references).score
        assert value == pytest.approx(both)
        assert both >= sacrebleu.corpus_bleu(lines_of(shown, name), references[:1]).score
    assert "nrefs:2" in shown.found["score"]


def a120(shown: Shown) -> None:
    """Every verb and each metric of the documented formulas has a math block and references in its docstring."""
    assert shown.value is True
    for verb in (bt.rank, bt.compare, bt.meta_evaluate, bt.length_weights, bt.tag_counts, bt.kept_pairs):
        assert ".. math::" in verb.__doc__ or ":math:" in verb.__doc__, verb.__name__
        assert "References" in verb.__doc__, verb.__name__


def a121(shown: Shown) -> None:
    """The numbers of pairs are those counted by hand, and a metric that ties all but one pair is marked in the verdict."""
    found = shown.found
    for name, decided in zip(found["metrics"], found["n_decided"], strict=True):
        counts = signs_of(shown.metrics[name].goodness, shown.human.values)
        assert decided == counts[[0, 2]][:, [0, 2]].sum()
    lines = ["metric,system,segment,score"]
    for i, segment in enumerate(shown.human.segments):
        for name in shown.human.systems:
            lines.append(f"lazy,{name},{segment},{1 if (i, name) == (0, 'Birch') else 0}")
            lines.append(f"busy,{name},{segment},{shown.column(name)[i] + 0.01 * i}")
    (shown.folder / "lazy.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "lazy ties nearly everything" in shown.says(
        "meta lazy.csv --human demo/human.csv --by tau-ties-ignored"
    )


def a122(shown: Shown) -> None:
    """The claims on BLEU, BERTScore and MoverScore are stated as not testable here, and the floor and the tasks are tested."""
    holds = shown.claims()
    assert all(value in ("yes", "no", "in part", "–") for value in holds.values())
    assert any("10%" in claim for claim in holds)
    assert len(holds) == 8
    bars = {row["metric"]: row["mean / median"] for row in shown.table("figure-4a")}
    by_setup = shown.table("table-3-fifth")
    for name, value in bars.items():
        assert value == pytest.approx(
            np.mean([row["pairs mean/med"] for row in by_setup if row["metric"] == name]), abs=0.08
        )


def a123(shown: Shown) -> None:
    """Means and medians never depend on a third system, and one pair by wins turns when one segment is left out, as by hand."""
    arrow = {one["aggregation"]: one for one in shown.found["arrow"]}
    assert arrow["mean"]["dependent"] == arrow["median"]["dependent"] == 0
    wins = wins_of(shown.human.values)
    lead = wins - wins.T
    close = [(i, j) for i, j in itertools.combinations(range(8), 2) if abs(lead[i, j]) == 1]
    rates = next(one for one in shown.found["arrow"] if one["aggregation"] == "win_rate")
    assert rates["unanimous"] == 0
    assert rates["decided"] >= 0
    better = bt.read_scores({"A": [2.0, 3, 4], "B": [1.0, 2, 3], "C": [1.5, 1, 1]})
    assert all(one.violated == 0 for one in bt.diagnose(better).arrow)
    assert any(one.unanimous > 0 for one in bt.diagnose(better).arrow)
    assert len(close) <= 28


def a124(shown: Shown) -> None:
    """Numbers of significant pairs are those of compare's p-values by segments, and the chart has a dot for each of 140 pairs."""
    row = next(one for one in shown.table("differences") if (one["data"], one["metric"]) == ("all", "human"))
    difference = [
        abs(shown.column(a).mean() - shown.column(b).mean())
        for a, b in itertools.combinations(shown.human.systems, 2)
    ]
    pvalues = [
        stats.ttest_rel(shown.column(a), shown.column(b)).pvalue
        for a, b in itertools.combinations(shown.human.systems, 2)
    ]
    significant = [d for d, p in zip(difference, pvalues, strict=True) if p <= 0.05]
    assert row["pairs"] == 28
    assert row["significant"] == len(significant)
    assert row["smallest significant"] == pytest.approx(min(significant))
    assert row["largest not significant"] == pytest.approx(
        max(d for d, p in zip(difference, pvalues, strict=True) if p > 0.05)
    )
    assert len(shown.chart("differences-all")["columns"]["x"]) == 5 * 28


def a125(shown: Shown) -> None:
    """341 of 345 papers report BLEU (98.8%); 210 of 341 is 61.6%, printed 60.1; and 183 + 36 exceeds 210."""
    table = {row["metric"]: row for row in shown.table("table-2")}
    assert table["BLEU"]["papers"] == 341
    assert table["BLEU"]["percent"] == pytest.approx(100 * 341 / 345)
    rows = {row["aggregation"]: row for row in shown.table("table-3")}
    assert rows["corpus, inferred"]["percent"] == pytest.approx(61.58, abs=0.01)
    printed = {
        r["aggregation"]: p["percent"]
        for r, p in zip(shown.table("table-3"), shown.printed("table-3"), strict=True)
    }
    assert printed["corpus, inferred"] == 60.1
    assert "183" in shown.text
    assert 183 + 36 > rows["corpus, inferred"]["papers"] == 210
    assert sum(row["papers"] for row in rows.values()) == 342


def a126(shown: Shown) -> None:
    """The fuzzy rank of a system is the mean rank of those not significantly different, and values are Spearman's of SciPy."""
    ranking = bt.rank(shown.human)
    pairs = bt.compare(shown.human)
    place = dict(zip(ranking.systems, ranking.rank, strict=True))
    fuzzy = {
        name: np.mean([place[o] for o in ranking.systems if o == name or pairs.pair(name, o).adjusted > 0.05])
        for name in ranking.systems
    }
    for name, value in zip(ranking.systems, ranking.fuzzy_rank, strict=True):
        assert value == pytest.approx(fuzzy[name])
    for name, value in zip(shown.found["metrics"], shown.found["value"], strict=True):
        metric = shown.metrics[name]
        means = [metric.goodness[metric.systems.index(one)].mean() for one in fuzzy]
        assert value == pytest.approx(stats.spearmanr(means, [-one for one in fuzzy.values()]).statistic)
    clusters = shown.json("meta demo/metrics.tsv --human demo/human.csv --by spearman --human-by cluster")
    assert clusters["value"] != shown.found["value"]
