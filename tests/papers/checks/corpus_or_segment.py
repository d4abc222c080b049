"""What must hold of the answers to the rows of "Corpus or segment"."""

from __future__ import annotations

import itertools
import math
from collections import Counter

import numpy as np
import pytest
import sacrebleu
from tests.papers.checks.shown import Shown

import betterthan as bt
from betterthan.studies.catalogue import STUDIES

SCORES = ("BLEU", "m-BLEU", "x-BLEU", "chrF", "m-chrF", "x-chrF")


def lines_of(shown: Shown, name: str) -> list[str]:
    """The lines of a text of the demo."""
    return (shown.folder / "demo" / "texts" / f"{name}.txt").read_text(encoding="utf-8").splitlines()


def texts_of(shown: Shown, *systems: str) -> bt.Texts:
    """Texts of the demo, with their reference."""
    place = shown.folder / "demo" / "texts"
    return bt.read_texts([place / f"{name}.txt" for name in systems], references=place / "reference.txt")


def bleu_of(pairs: list[tuple[str, str]], *, smooth: bool = False) -> float:
    """BLEU by its definition, words split at spaces and the final stop; with exponential smoothing for single segments."""
    match, total, length, wanted = np.zeros(4), np.zeros(4), 0, 0
    for output, reference in pairs:
        words, truth = (line.replace(".", " .").replace(",", " ,").split() for line in (output, reference))
        length, wanted = length + len(words), wanted + len(truth)
        for n in range(1, 5):
            have, want = (
                Counter(tuple(one[i : i + n]) for i in range(len(one) - n + 1)) for one in (words, truth)
            )
            match[n - 1] += sum((have & want).values())
            total[n - 1] += max(len(words) - n + 1, 0)
    if not match[0]:
        return 0.0
    precision, halving = [], 1.0
    for hits, grams in zip(match, total, strict=True):
        if not grams:
            break
        if not hits and smooth:
            halving *= 2
        precision.append(hits / grams if hits else 1 / (halving * grams))
    brevity = 1 if length >= wanted else math.exp(1 - wanted / length)
    return float(100 * brevity * math.exp(np.mean(np.log(precision))))


def a84(shown: Shown) -> None:
    """The pooled scores are those of a plain count of n-grams over all lines."""
    reference = lines_of(shown, "reference")
    for name, value in zip(shown.found["systems"], shown.found["pooled"], strict=True):
        assert value == pytest.approx(
            bleu_of(list(zip(lines_of(shown, name), reference, strict=True))), abs=0.05
        )


def a85(shown: Shown) -> None:
    """The means of segments are those of the same count line by line, and their standard deviation is in the study's table."""
    reference = lines_of(shown, "reference")
    for name, value in zip(shown.found["systems"], shown.found["segment_mean"], strict=True):
        each = [bleu_of([pair], smooth=True) for pair in zip(lines_of(shown, name), reference, strict=True)]
        assert value == pytest.approx(np.mean(each), abs=0.15)
    scores = shown.table("scores", shown.json("study aggregation-grid --quick"))
    assert all(row["SD of BLEU of segments"] > 0 for row in scores)


def a86(shown: Shown) -> None:
    """x-scores are means over drawn corpora: near the pooled ones, and 1,000 corpora of 1,000 segments in the full study."""
    assert (STUDIES["aggregation-grid"].options["corpora"], STUDIES["aggregation-grid"].options["size"]) == (
        1000,
        1000,
    )
    for row in shown.table("scores"):
        assert row["x-BLEU"] == pytest.approx(row["BLEU"], abs=0.8)
        assert row["x-chrF"] == pytest.approx(row["chrF"], abs=0.8)
    counts = bt.bleu(texts_of(shown, "Aster"))
    rng, corpora = np.random.default_rng(9), []
    for _ in range(200):
        drawn = rng.integers(0, counts.n_segments, 1000)
        corpora.append(float(counts.formula.pooled(counts.values[0][drawn].sum(axis=0).astype(float))))
    aggregated = bt.aggregate(bt.bleu(texts_of(shown, "Aster", "Birch")))
    place = aggregated.systems.index("Aster")
    assert aggregated.bootstrap_mean[place] == pytest.approx(np.mean(corpora), abs=0.3)


def a87(shown: Shown) -> None:
    """The signature is that of sacreBLEU's defaults: one reference, mixed case, 13a, exponential smoothing, its version."""
    for part in (
        "nrefs=1",
        "case=mixed",
        "eff=no",
        "tok=13a",
        "smooth=exp",
        f"version={sacrebleu.__version__}",
    ):
        assert part in shown.text
    reference = lines_of(shown, "reference")
    for name, value in zip(shown.found["systems"], shown.found["pooled"], strict=True):
        assert value == pytest.approx(sacrebleu.corpus_bleu(lines_of(shown, name), [reference]).score)


def a88(shown: Shown) -> None:
    """Weights of segments add up to 1, follow the n-grams of a segment, and explain Daphne and Elm: pooled Elm, by segments Daphne."""
    counts = bt.bleu(texts_of(shown, "Daphne", "Elm"))
    weights = shown.value.pooled
    np.testing.assert_allclose(weights.sum(axis=1), 1)
    assert shown.value.segment_mean == pytest.approx(1 / 300)
    np.testing.assert_allclose(shown.value.effective_segments, 1 / (weights**2).sum(axis=1))
    lengths = np.array([len(line.split()) for line in lines_of(shown, "Daphne")])
    assert np.corrcoef(weights[0], lengths)[0, 1] > 0.95
    found = bt.explain(counts, "Daphne", "Elm")
    assert [(way.name, way.winner) for way in found.aggregations][:2] == [
        ("pooled", "Elm"),
        ("segment_mean", "Daphne"),
    ]


def a89(shown: Shown) -> None:
    """A table of translations is grouped by data set and system: 32 outputs of 8 systems in 4 domains, as the folder has them."""
    scores = shown.table("scores")
    assert len(scores) == 32
    assert len({(row["data"], row["system"]) for row in scores}) == 32
    lines = ["domain,lp,system,hypothesis,reference"]
    reference = lines_of(shown, "reference")
    chosen = [i for i, name in enumerate(shown.human.segments) if name.startswith("news")]
    for name in shown.human.systems:
        lines += [f'news,x-y,{name},"{lines_of(shown, name)[i]}","{reference[i]}"' for i in chosen]
    (shown.folder / "translated.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    found = shown.json("study aggregation-grid --quick --data translated.csv")
    grouped = {row["system"]: row["BLEU"] for row in shown.table("scores", found)}
    assert grouped == pytest.approx({r["system"]: r["BLEU"] for r in scores if r["data"] == "news"})


def a90(shown: Shown) -> None:
    """Figures 1 and 2 are grids of 3 x 3, and every correlation is NumPy's over the scores of the 32 outputs."""
    scores = {name: [row[name] for row in shown.table("scores")] for name in SCORES}
    rows = shown.table("correlations")
    assert len(rows) == len(list(itertools.combinations(SCORES, 2)))
    for row in rows:
        assert row["correlation"] == pytest.approx(
            np.corrcoef(scores[row["scores"]], scores[row["with"]])[0, 1]
        )
    assert {row["figure"] for row in rows} == {1, 2, 3, 4}
    for name in ("figure-1", "figure-2"):
        assert shown.chart(name)["kind"] == "grid"
        assert len(shown.chart(name)["columns"]["x"]) == 3 * 32
    printed = {
        (r["scores"], r["with"]): p["correlation"]
        for r, p in zip(rows, shown.printed("correlations"), strict=True)
    }
    assert (printed["BLEU", "m-BLEU"], printed["m-chrF", "x-chrF"]) == (0.48, 0.99)


def a91(shown: Shown) -> None:
    """With one segment both aggregations are the same (r = 1), with all of a set the pooled score is its own: quantiles in order."""
    rows = shown.table("figure-5")
    assert {row["segments"] for row in rows} == {1, 10, 100}
    for row in rows:
        quantiles = [row[name] for name in ("5%", "25%", "50%", "75%", "95%")]
        assert quantiles == sorted(quantiles)
        if (row["what"], row["segments"]) == ("pooled with mean of segments", 1):
            assert row["50%"] > 0.999
    assert STUDIES["aggregation-robustness"].options["repeats"] == 1000
    boxes = shown.chart("figure-5")
    assert boxes["kind"] == "boxes"
    assert len(boxes["columns"]["x"]) == len(rows)


def a92(shown: Shown) -> None:
    """Each cell is the mean over the data sets of NumPy's correlation, and a metric of the user, Learned, is ranked with them."""
    by_data = shown.table("by-data")
    for row in shown.table("table-1"):
        assert row["correlation"] == pytest.approx(np.mean([one[row["metric"]] for one in by_data]))
    values = [row["correlation"] for row in shown.table("table-1")]
    assert values == sorted(values, reverse=True)
    news = [i for i, name in enumerate(shown.human.segments) if name.startswith("news")]
    learned, human = (
        shown.metrics["Learned"].values[:, news].mean(axis=1),
        shown.human.values[:, news].mean(axis=1),
    )
    row = next(one for one in by_data if one["data"] == "news")
    assert row["Learned"] == pytest.approx(np.corrcoef(learned, human)[0, 1])


def a93(shown: Shown) -> None:
    """The interval of Aster is the 2.5% to 97.5% quantile of means over 20,000 draws of documents."""
    assert "ci:95,percentile,2000" in shown.found["signature"]
    documents = [name.split(":")[0] for name in shown.human.segments]
    names = list(dict.fromkeys(documents))
    scores = shown.column("Aster")
    sums = np.array([sum(s for s, d in zip(scores, documents, strict=True) if d == name) for name in names])
    sizes = np.array([documents.count(name) for name in names])
    drawn = np.random.default_rng(3).integers(0, len(names), (20_000, len(names)))
    expected = np.quantile(sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1), [0.025, 0.975])
    assert [shown.of("Aster", by=end) for end in ("low", "high")] == pytest.approx(expected.tolist(), abs=0.3)


def a94(shown: Shown) -> None:
    """The correlations of a metric and of its negative are r and −r, and r is that of NumPy."""
    means = {name: one.goodness.mean(axis=1) for name, one in shown.metrics.items()}
    for name, value in zip(shown.found["metrics"], shown.found["value"], strict=True):
        assert value == pytest.approx(np.corrcoef(means[name], shown.human.values.mean(axis=1))[0, 1])
    turned = bt.read_scores(
        {
            name: (-row).tolist()
            for name, row in zip(shown.human.systems, shown.metrics["chrF"].values, strict=True)
        }
    )
    against = bt.read_scores(
        {name: row.tolist() for name, row in zip(shown.human.systems, shown.human.values, strict=True)}
    )
    found = bt.meta_evaluate({"turned": turned}, against, by="pearson", significance="none")
    place = shown.found["metrics"].index("chrF")
    assert found.value[0] == pytest.approx(-shown.found["value"][place])
