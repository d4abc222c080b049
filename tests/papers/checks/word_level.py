"""What must hold of the answers to the rows of "Word-level quality estimation"."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from scipy import stats
from tests.papers.checks.shown import Shown

from betterthan.studies.catalogue import STUDIES

TAGS = "tags demo/tags/gold.tags demo/tags/Finch.tags demo/tags/Heron.tags"


def tags_of(shown: Shown, name: str) -> list[list[str]]:
    """The tags of a file, a list for each sentence."""
    text = (shown.folder / "demo" / "tags" / f"{name}.tags").read_text(encoding="utf-8")
    return [line.split() for line in text.splitlines()]


def confusion(shown: Shown, name: str) -> dict[tuple[str, str], int]:
    """How many words have each pair of gold and predicted tag."""
    counts = dict.fromkeys(itertools.product(("OK", "BAD"), repeat=2), 0)
    for gold, own in zip(tags_of(shown, "gold"), tags_of(shown, name), strict=True):
        for pair in zip(gold, own, strict=True):
            counts[pair] += 1
    return counts


def f1(counts: dict[tuple[str, str], int], tag: str) -> float:
    """F1 of one tag: twice the hits over all gold and predicted ones."""
    other = "OK" if tag == "BAD" else "BAD"
    return 2 * counts[tag, tag] / (2 * counts[tag, tag] + counts[tag, other] + counts[other, tag])


def spans(tags: list[str]) -> list[tuple[str, int, int]]:
    """Runs of equal tags: the tag, the first word and the one after the last."""
    found, start = [], 0
    for tag, run in itertools.groupby(tags):
        length = len(list(run))
        found.append((tag, start, start + length))
        start += length
    return found


def value_of(shown: Shown, measure: str, system: str) -> float:
    """One number of the table of measures."""
    found = shown.found[0] if isinstance(shown.found, list) else shown.found
    return found["value"][found["systems"].index(system)][found["measures"].index(measure)]


def phrase_f1(shown: Shown, name: str, tag: str) -> float:
    """Credit of spans: the share of a span's words that have its tag on the other side."""
    credit, numbers = [0.0, 0.0], [0, 0]
    for gold, own in zip(tags_of(shown, "gold"), tags_of(shown, name), strict=True):
        for side, (here, there) in enumerate(((own, gold), (gold, own))):
            for label, first, last in spans(here):
                if label == tag:
                    credit[side] += sum(one == tag for one in there[first:last]) / (last - first)
                    numbers[side] += 1
    precision, recall = (part / number for part, number in zip(credit, numbers, strict=True))
    return 2 * precision * recall / (precision + recall)


def sequence_correlation(gold: list[str], own: list[str]) -> float:
    """Spans of a tag matched one to one, largest overlap first; tags weigh alike; span counts are compared."""
    n, score = len(gold), 0.0
    for tag in ("OK", "BAD"):
        count = gold.count(tag)
        if not count:
            continue
        a, b = ([one[1:] for one in spans(tags) if one[0] == tag] for tags in (gold, own))
        pairs = sorted(
            ((min(x[1], y[1]) - max(x[0], y[0]), -i, -j) for i, x in enumerate(a) for j, y in enumerate(b)),
            reverse=True,
        )
        used: tuple[set[int], set[int]] = (set(), set())
        for overlap, i, j in pairs:
            if overlap > 0 and i not in used[0] and j not in used[1]:
                score += overlap * n / (2 * count)
                used[0].add(i)
                used[1].add(j)
    ratio = len(spans(own)) / len(spans(gold))
    return score * min(ratio, 1 / ratio) / n


def a95(shown: Shown) -> None:
    """4,088 tags of 300 sentences and two systems are read, 25.7% of the gold ones BAD, as a plain count says."""
    gold = [tag for line in tags_of(shown, "gold") for tag in line]
    assert shown.found[0]["n_words"] == len(gold) == 4088
    assert [
        s
        for s, made in zip(shown.found[0]["systems"], shown.found[0]["is_synthetic"], strict=True)
        if not made
    ] == ["Finch", "Heron"]
    assert set(gold) == {"OK", "BAD"}
    assert len(tags_of(shown, "gold")) == 300


def a96(shown: Shown) -> None:
    """F1-BAD, F1-OK and their product are those of the four cells; the product is 0 for all-bad and never above either."""
    for name in ("Finch", "Heron"):
        counts = confusion(shown, name)
        bad, ok = f1(counts, "BAD"), f1(counts, "OK")
        assert value_of(shown, "f1_bad", name) == pytest.approx(bad)
        assert value_of(shown, "f1_ok", name) == pytest.approx(ok)
        assert value_of(shown, "f1_mult", name) == pytest.approx(bad * ok)
        assert bad * ok <= min(bad, ok)
    assert value_of(shown, "f1_mult", "all-bad") == value_of(shown, "f1_mult", "all-good") == 0
    weighted = shown.json(f"{TAGS} --by f1-weighted")[0]
    counts = confusion(shown, "Finch")
    gold_bad = (counts["BAD", "BAD"] + counts["BAD", "OK"]) / 4088
    expected = gold_bad * f1(counts, "BAD") + (1 - gold_bad) * f1(counts, "OK")
    assert weighted["value"][weighted["systems"].index("Finch")][0] == pytest.approx(expected)


def a97(shown: Shown) -> None:
    """The product of phrase F1 of both tags, from spans found by hand, with the share of each span's words as credit."""
    for name in ("Finch", "Heron"):
        expected = phrase_f1(shown, name, "BAD") * phrase_f1(shown, name, "OK")
        assert value_of(shown, "phrase_f1_mult", name) == pytest.approx(expected, abs=1e-6)


def a98(shown: Shown) -> None:
    """MCC is the correlation of the two columns of tags as 0 and 1, and 0 for all-bad and all-good."""
    for name in ("Finch", "Heron"):
        counts = confusion(shown, name)
        gold = np.repeat([pair[0] == "BAD" for pair in counts], list(counts.values()))
        own = np.repeat([pair[1] == "BAD" for pair in counts], list(counts.values()))
        assert value_of(shown, "mcc", name) == pytest.approx(np.corrcoef(gold, own)[0, 1])
    assert value_of(shown, "mcc", "all-bad") == value_of(shown, "mcc", "all-good") == 0


def a99(shown: Shown) -> None:
    """The mean over sentences of spans matched by hand, largest overlap first, equals the value of both systems."""
    gold = tags_of(shown, "gold")
    for name in ("Finch", "Heron"):
        each = [
            sequence_correlation(truth, own) for truth, own in zip(gold, tags_of(shown, name), strict=True)
        ]
        assert value_of(shown, "sequence_correlation", name) == pytest.approx(np.mean(each), abs=1e-6)


def a100(shown: Shown) -> None:
    """Five labelings; optimistic has BAD precision 0.9 and recall 0.1, pessimistic recall 0.9 of BAD and 0.1 of OK, ± 0.03."""
    table = shown.table("table-1")
    assert [name for name in table[0] if name in ("all-bad", "all-good", "optimistic", "pessimistic", "random")] == [
        "all-bad", "all-good", "optimistic", "pessimistic", "random",
    ]  # fmt: skip
    measures = ("precision-bad", "recall-bad", "recall-ok")
    found = shown.json(f"{TAGS} {' '.join(f'--by {one}' for one in measures)}")[0]
    rows = dict(zip(found["systems"], found["value"], strict=True))
    assert rows["optimistic"][:2] == pytest.approx([0.9, 0.1], abs=0.03)
    assert rows["pessimistic"][1:] == pytest.approx([0.9, 0.1], abs=0.03)
    assert rows["all-bad"][1:] == [1, 0]
    assert rows["all-good"][2] == 1
    gold = confusion(shown, "Finch")
    share = (gold["BAD", "BAD"] + gold["BAD", "OK"]) / 4088
    assert rows["random"][:2] == pytest.approx([share, share], abs=0.04)


def a101(shown: Shown) -> None:
    """The sum is that of the five columns, none exceeds the four systems, and all-bad never outscores a system by F1-mult."""
    for row in shown.table("table-1"):
        parts = [row[name] for name in ("all-bad", "all-good", "optimistic", "pessimistic", "random")]
        assert row["sum"] == sum(parts)
        assert all(0 <= part <= 4 for part in parts)
    rows = {row["measure"]: row for row in shown.table("table-1")}
    assert rows["f1_mult"]["all-bad"] == rows["mcc"]["all-bad"] == 0
    # all-bad has F1-BAD = 2 s / (1 + s) where s of the words are BAD; it outscores the systems below that.
    gold = confusion(shown, "Finch")
    share = (gold["BAD", "BAD"] + gold["BAD", "OK"]) / 4088
    below = sum(
        f1(confusion(shown, name), "BAD") < 2 * share / (1 + share)
        for name in ("Finch", "Heron", "Lark", "Wren")
    )
    assert rows["f1_bad"]["all-bad"] == below == 1


def a102(shown: Shown) -> None:
    """Sentences of Finch and Heron exchanged at random 2,000 times never reach the difference, and Bonferroni's p is 6 times p for four."""
    names = ("Finch", "Heron")
    gold = tags_of(shown, "gold")
    cells = np.zeros((2, 300, 4))
    order = list(itertools.product(("OK", "BAD"), repeat=2))
    for k, name in enumerate(names):
        for s, (truth, own) in enumerate(zip(gold, tags_of(shown, name), strict=True)):
            for pair in zip(truth, own, strict=True):
                cells[k, s, order.index(pair)] += 1

    def product(sums: np.ndarray) -> float:
        counts = dict(zip(order, sums, strict=True))
        return f1(counts, "BAD") * f1(counts, "OK")

    observed = product(cells[0].sum(axis=0)) - product(cells[1].sum(axis=0))
    assert shown.found[1]["effect"][0][1] == pytest.approx(observed)
    rng = np.random.default_rng(5)
    drawn = []
    for _ in range(2000):
        swap = (rng.random(300) < 0.5)[:, None]
        first, second = np.where(swap, cells[1], cells[0]), np.where(swap, cells[0], cells[1])
        drawn.append(abs(product(first.sum(axis=0)) - product(second.sum(axis=0))))
    assert max(drawn) < observed
    assert shown.found[1]["pvalue"][0][1] < 1 / 2000
    four = shown.json(
        "tags demo/tags/gold.tags demo/tags/Finch.tags demo/tags/Heron.tags demo/tags/Lark.tags demo/tags/Wren.tags --correction bonferroni"
    )
    for p, adjusted in zip(
        np.array(four[1]["pvalue"], float).ravel(), np.array(four[1]["adjusted"], float).ravel(), strict=True
    ):
        assert np.isnan(p) or adjusted == pytest.approx(min(1, 6 * p))


def a103(shown: Shown) -> None:
    """D is the share of pairs that differ: six of six, and on fifteen sentences four of six, by exchanges drawn here."""
    found = shown.json(
        "tags demo/tags/gold.tags demo/tags/Finch.tags demo/tags/Heron.tags demo/tags/Lark.tags demo/tags/Wren.tags --by f1-mult --correction bonferroni"
    )[0]
    rows = {row["measure"]: row for row in shown.table("table-1")}
    assert rows["f1_mult"]["d"] == pytest.approx(found["n_different"][0] / found["n_pairs"])
    for row in rows.values():
        for name in ("d", "d top", "d bottom"):
            assert 0 <= row[name] <= 1
        assert row["d"] * 6 == pytest.approx(round(row["d"] * 6))
    few = shown.json(f"study tagging-synthetic --data {_few_sentences(shown, 15)} --set permutations=9999")
    counts = np.array([_counts_by_sentence(shown, name)[:15] for name in ("Finch", "Heron", "Lark", "Wren")])
    pvalues = [_exchange_pvalue(counts[i], counts[j]) for i, j in itertools.combinations(range(4), 2)]
    n_different = sum(6 * p < 0.05 for p in pvalues)
    (row,) = (row for row in shown.table("table-1", few) if row["measure"] == "f1_mult")
    assert row["d"] * 6 == pytest.approx(n_different) == pytest.approx(4)


def _few_sentences(shown: Shown, n: int) -> str:
    """A folder with the first sentences of the tags."""
    folder = shown.folder / "few"
    (folder / "sys").mkdir(parents=True, exist_ok=True)
    for name in ("gold", "Finch", "Heron", "Lark", "Wren"):
        lines = (shown.folder / "demo" / "tags" / f"{name}.tags").read_text(encoding="utf-8").splitlines()[:n]
        path = folder / f"{name}.tags" if name == "gold" else folder / "sys" / f"{name}.tags"
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return "few"


def _counts_by_sentence(shown: Shown, name: str) -> np.ndarray:
    """Hits of BAD, wrong BAD, missed BAD and hits of OK in each sentence."""
    cells = (("BAD", "BAD"), ("OK", "BAD"), ("BAD", "OK"), ("OK", "OK"))
    pairs = [
        list(zip(*each, strict=True))
        for each in zip(tags_of(shown, "gold"), tags_of(shown, name), strict=True)
    ]
    return np.array([[sentence.count(cell) for cell in cells] for sentence in pairs], dtype=float)


def _exchange_pvalue(first: np.ndarray, second: np.ndarray) -> float:
    """Of the difference of F1-mult, when sentences of two systems are exchanged at random."""
    flips = np.random.default_rng(103).random((20_000, len(first))) < 0.5
    moved = flips @ (first - second)
    drawn = _f1_mult(first.sum(axis=0) - moved) - _f1_mult(second.sum(axis=0) + moved)
    seen = _f1_mult(first.sum(axis=0)) - _f1_mult(second.sum(axis=0))
    return (1 + (np.abs(drawn) >= abs(seen) - 1e-12).sum()) / (1 + len(flips))


def _f1_mult(counts: np.ndarray) -> np.ndarray:
    hits, wrong, missed, right = np.moveaxis(counts, -1, 0)
    return 2 * hits / (2 * hits + wrong + missed) * 2 * right / (2 * right + wrong + missed)


def a104(shown: Shown) -> None:
    """Two groups for two systems that differ, one for a system and its copy."""
    assert shown.found[0]["n_groups"] == [2] * 5
    copy = (shown.folder / "demo" / "tags" / "Finch.tags").read_text(encoding="utf-8")
    (shown.folder / "copy.tags").write_text(copy, encoding="utf-8")
    same = shown.json("tags demo/tags/gold.tags demo/tags/Finch.tags copy.tags")[0]
    assert same["n_groups"] == [1] * 5


def a105(shown: Shown) -> None:
    """The levels are 409, 411, 419, 429 and 450 wrong tags of 4,088: 10% and 0.05, 0.25, 0.5 and 1 point more, rounded."""
    expected = [round(4088 * (10 + gap) / 100) for gap in (0, 0.05, 0.25, 0.5, 1)]
    wrong = sorted({row[name] for row in shown.table("p-values") for name in ("wrong tags", "against")})
    assert wrong == expected == [409, 411, 419, 429, 450]


def a106(shown: Shown) -> None:
    """15 duels of six measures; every round ends with one of four outcomes, and F1-mult beats F1-BAD 15 to 0 of 20."""
    rows = shown.table("duels")
    assert len(rows) == 15
    for row in rows:
        assert sum(row[name] for name in ("first wins", "second wins", "both at once", "neither")) == 20
        assert row["median samples"] % 10 == 0  # steps of 20, and their midpoints
    first = next(row for row in rows if (row["first"], row["second"]) == ("F1-BAD", "F1-mult"))
    assert (first["first wins"], first["second wins"], first["winner"]) == (0, 15, "F1-mult")


def a107(shown: Shown) -> None:
    """1,000 rounds, 100 to 10,000 samples, levels 0.01 points apart and α = 0.05 are the defaults of the full study."""
    options = STUDIES["tagging-sampling"].options
    assert (options["rounds"], options["samples"], options["unit"], options["alpha"]) == (
        1000,
        10_000,
        0.01,
        0.05,
    )
    assert options["schedule"] == "100,200,500,1000,2000,5000,10000"
    rows = shown.table("p-values")
    assert len(rows) == 2 * 10  # two sizes, and ten pairs of five levels
    measures = [name for name in rows[0] if name not in ("samples", "wrong tags", "against")]
    assert len(measures) == 6
    assert all(0 <= row[name] <= 1 for row in rows for name in measures)


def a108(shown: Shown) -> None:
    """Each cell is the first size whose mean p-value is below 0.05 / 10, and larger gaps never need more samples."""
    p = shown.table("p-values")
    for row in shown.table("table-2"):
        sizes = [value if value is not None else np.inf for name, value in row.items() if name != "measure"]
        assert sizes == sorted(sizes, reverse=True)
        small = [one for one in p if (one["wrong tags"], one["against"]) == (409, 411)]
        first = next(
            (
                one["samples"]
                for one in sorted(small, key=lambda r: r["samples"])
                if one[row["measure"]] < 0.005
            ),
            None,
        )
        assert row["0.05"] == first


def a109(shown: Shown) -> None:
    """Pearson and MAE are those of NumPy; the predictor of the mean loses by Pearson (0.02 to 0.94), and nearly wins by MAE."""
    numbers = {name: np.loadtxt(shown.folder / f"{name}.hter") for name in ("gold", "follows", "average")}
    for name, r, mae in zip(shown.found["systems"], shown.found["pearson"], shown.found["mae"], strict=True):
        assert r == pytest.approx(stats.pearsonr(numbers[name], numbers["gold"]).statistic)
        assert mae == pytest.approx(np.abs(numbers[name] - numbers["gold"]).mean())
    constant = np.abs(numbers["gold"] - numbers["gold"].mean()).mean()
    assert shown.found["constant_mae"] == pytest.approx(constant)
    assert shown.found["systems"][0] == "follows"
    assert "reward predicting the mean" in shown.text
