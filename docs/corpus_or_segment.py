"""BLEU and chrF aggregated three ways on WMT data, beside the numbers of a paper, as tables of a page.

    python docs/corpus_or_segment.py            computes the tables and writes them into the page
    python docs/corpus_or_segment.py --check    computes them and says whether the page still shows them

Reads ``wmt23-general-text``, ``wmt23-mqm-3raters``, ``wmt21-newstest-mqm`` and ``wmt21-ted-mqm`` in the folder that the
environment variable ``BETTERTHAN_DATA`` names. Takes some minutes.
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np
import sacrebleu

import betterthan as bt
from betterthan.analysis.aggregate import wish_of
from betterthan.analysis.bootstrap_mean import bootstrap_mean
from betterthan.analysis.computing import Computing
from betterthan.arrays import FloatArray

PAGE = Path(__file__).parent / "papers" / "corpus-or-segment.md"
BEGIN, END = "<!-- begin: docs/corpus_or_segment.py -->", "<!-- end: docs/corpus_or_segment.py -->"
DATA_SETS = ("wmt23-general-text", "wmt23-mqm-3raters", "wmt21-newstest-mqm", "wmt21-ted-mqm")
PAIRS = ("de-en", "en-de", "en-ja", "en-zh", "he-en", "zh-en")
SPACED = ("de-en", "en-de", "he-en", "zh-en")  # targets that 13a can split
TOKENIZERS = {
    "zh": "zh",
    "ja": "char",
}  # the usual one for Japanese needs a dictionary of 50 MB; characters do not
METRICS: dict[str, Callable[[bt.Texts, str], bt.Counts]] = {
    "BLEU": lambda texts, language: bt.bleu(texts, tokenize=TOKENIZERS.get(language, "13a")),
    "BLEU, 13a everywhere": lambda texts, _: bt.bleu(texts, tokenize="13a"),
    "chrF": lambda texts, _: bt.chrf(texts),
}
SEED = 12345
DRAWS = 200  # downsampled test sets of each size
# §4.4, figures 1 and 2, and table 1 of the paper.
PUBLISHED = {
    "BLEU": {"r": (0.48, 0.53, 0.95), "mean": (0.29, 0.39, 0.43)},
    "chrF": {"r": (0.55, 0.56, 0.99), "mean": (0.54, 0.58, 0.57)},
}
PUBLISHED_HUMAN = {
    "MQM": {"BLEU": (0.425, 0.776, 0.762), "chrF": (0.392, 0.806, 0.804)},
    "DA": {"BLEU": (-0.006, 0.729, 0.456), "chrF": (0.285, 0.802, 0.793)},
}


class Judged(NamedTuple):
    """Texts of a language pair on the segments that people judged, and what they said of each system."""

    what: str
    data: str
    language_pair: str
    texts: bt.Texts
    human: dict[str, float]


# -- reading ---------------------------------------------------------------------------------------------


def rows_of(path: Path) -> Iterator[dict[str, str]]:
    """Rows of a gzipped TSV file."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)


def folder_of_texts(folder: Path, reference: str) -> bt.Texts:
    """All systems of a language pair, against one reference."""
    files = {path.name.split(".")[0]: path for path in sorted((folder / "sys").iterdir())}
    (found,) = folder.glob(f"{reference}.*.txt.gz")
    return bt.read_texts(files, references=found)


@cache
def wmt23(folder: Path, language_pair: str) -> bt.Texts:
    """The general task of WMT23."""
    return folder_of_texts(folder / "wmt23-general-text" / language_pair, "refA")


def judged(folder: Path) -> Iterator[Judged]:
    """Everything that has texts and human scores."""
    yield from _direct(folder)
    yield from _three_raters(folder)
    yield from _news(folder)
    yield from talks(folder)


def _direct(folder: Path) -> Iterator[Judged]:
    scores: dict[str, dict[str, float]] = defaultdict(dict)
    for row in rows_of(folder / "wmt23-general-text" / "da_sqm_sys.tsv.gz"):
        scores[row["lp"]][row["system"]] = float(row["z"])
    for pair in PAIRS:
        texts = wmt23(folder, pair)
        both = [name for name in texts.systems if name in scores[pair]]
        if both:
            yield Judged("DA", "WMT23 DA+SQM", pair, texts.select(both), {n: scores[pair][n] for n in both})


def _means(values: Mapping[str, Mapping[str, Sequence[float]]]) -> dict[str, float]:
    """Mean over segments of the mean over judges."""
    return {name: float(np.mean([np.mean(x) for x in some.values()])) for name, some in values.items()}


def _three_raters(folder: Path) -> Iterator[Judged]:
    for pair in ("en-de", "zh-en"):
        marks: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for row in rows_of(folder / "wmt23-mqm-3raters" / f"{pair}.tsv.gz"):
            # Judged twice, beside two others: one system.
            marks[row["system"].split("_with_")[0]][row["line"]].append(float(row["mqm"]))
        yield _on_judged_lines("WMT23 MQM, three raters", pair, wmt23(folder, pair), marks)


def _news(folder: Path) -> Iterator[Judged]:
    for pair in ("en-de", "zh-en"):
        place = folder / "wmt21-newstest-mqm" / pair
        marks: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for row in rows_of(place / "mqm_seg.tsv.gz"):
            name = "NVIDIA-NeMo" if row["system"] == "Nemo" else row["system"]
            marks[name][row["seg_id"]].append(float(row["mqm"]))
        yield _on_judged_lines("WMT21 news MQM", pair, folder_of_texts(place, "ref-A"), marks)


def _on_judged_lines(
    data: str, pair: str, texts: bt.Texts, marks: Mapping[str, Mapping[str, list[float]]]
) -> Judged:
    both = [name for name in texts.systems if name in marks]
    lines = [line for line in texts.segments if all(line in marks[name] for name in both)]
    human = _means({name: {line: marks[name][line] for line in lines} for name in both})
    return Judged("MQM", data, pair, texts.select(both, lines), human)


def talks(folder: Path) -> Iterator[Judged]:
    """TED talks of WMT21, texts and MQM of one file."""
    for pair in ("en-de", "zh-en"):
        lines: dict[str, dict[str, str]] = defaultdict(dict)
        marks: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
        for row in rows_of(folder / "wmt21-ted-mqm" / f"{pair}.tsv.gz"):
            place = f"{row['doc']}:{row['seg_id']}"
            lines[row["system"]][place] = row["target"]
            marks[row["system"]][place].append(float(row["mqm"]))
        systems = sorted(name for name in lines if not name.startswith("ref-"))
        segments = sorted(set.intersection(*(set(lines[name]) for name in (*systems, "ref-A"))))
        texts = bt.Texts(
            systems=systems,
            segments=segments,
            outputs=[[lines[name][s] for s in segments] for name in systems],
            references=[[lines["ref-A"][s] for s in segments]],
        )
        human = _means({name: {s: marks[name][s] for s in segments} for name in systems})
        yield Judged("MQM", "WMT21 TED MQM", pair, texts, human)


# -- computing -------------------------------------------------------------------------------------------


def three_ways(counts: bt.Counts) -> FloatArray:
    """Pooled, mean of segments, mean of 1000 bootstrap corpora of 1000 segments; shape (3, m)."""
    wish = wish_of(confidence=0.95, rng=SEED, computing=Computing())
    means = counts.per_segment().values.mean(axis=1)
    return np.array([counts.pooled(), means, bootstrap_mean(counts, wish).mean])


def correlations(three: FloatArray) -> tuple[float, float, float]:
    """Pooled with segments, pooled with bootstrap, segments with bootstrap."""
    r = np.corrcoef(three)
    return float(r[0, 1]), float(r[0, 2]), float(r[1, 2])


@cache
def counted(folder: Path, metric: str) -> list[bt.Counts]:
    """Counts of the six language pairs of WMT23."""
    return [METRICS[metric](wmt23(folder, pair), pair.split("-")[1]) for pair in PAIRS]


@cache
def transposed(folder: Path, language_pair: str, *, n_corpora: int = 30, size: int = 100) -> FloatArray:
    """The same three with references given the wrong way round, N lists of one, in the call of sacreBLEU.

    It then scores the first output alone, against all references as if they were its own, and says nothing.
    """
    rng = np.random.default_rng(SEED)
    texts = wmt23(folder, language_pair)
    (references,) = texts.references
    columns = []
    for outputs in texts.outputs:
        lines = [line or "" for line in outputs]
        pooled = _turned_bleu(lines, references)
        single = [
            sacrebleu.sentence_bleu(line, [ref]).score for line, ref in zip(lines, references, strict=True)
        ]
        drawn = rng.integers(0, len(lines), size=(n_corpora, size))
        corpora = [_turned_bleu([lines[i] for i in some], [references[i] for i in some]) for some in drawn]
        columns.append([pooled, np.mean(single), np.mean(corpora)])
    return np.array(columns).T


def _turned_bleu(lines: Sequence[str], references: Sequence[str]) -> float:
    return float(sacrebleu.corpus_bleu(lines, [[line] for line in references]).score)


def downsampled(all_counts: Sequence[bt.Counts]) -> dict[int, tuple[float, float]]:
    """Correlation with the bootstrap of whole test sets, of both aggregations on 1, 10 and 100 segments; means."""
    rng = np.random.default_rng(SEED)
    whole = np.concatenate([three_ways(counts)[2] for counts in all_counts])
    singles = [counts.per_segment().values for counts in all_counts]
    found = {}
    for size in (1, 10, 100):
        pooled, means = [], []
        for _ in range(DRAWS):
            rows = [rng.choice(counts.n_segments, size, replace=False) for counts in all_counts]
            some = [
                c.formula.pooled(c.values[:, i].sum(axis=1)) for c, i in zip(all_counts, rows, strict=True)
            ]
            pooled.append(np.corrcoef(np.concatenate(some), whole)[0, 1])
            some = [values[:, i].mean(axis=1) for values, i in zip(singles, rows, strict=True)]
            means.append(np.corrcoef(np.concatenate(some), whole)[0, 1])
        found[size] = float(np.mean(pooled)), float(np.mean(means))
    return found


def with_people(one: Judged) -> dict[str, tuple[float, ...]]:
    """Pearson correlation of each way with the human scores of systems."""
    human = np.array([one.human[name] for name in one.texts.systems])
    found = {}
    for metric in ("BLEU", "chrF"):
        three = three_ways(METRICS[metric](one.texts, one.language_pair.split("-")[1]))
        found[metric] = tuple(float(np.corrcoef(row, human)[0, 1]) for row in three)
    return found


def turned_with_people(folder: Path) -> FloatArray:
    """Mean correlation with direct assessment when references are turned round, of each way."""
    found = []
    for one in _direct(folder):
        systems = wmt23(folder, one.language_pair).systems
        three = transposed(folder, one.language_pair)[:, [systems.index(name) for name in one.texts.systems]]
        human = [one.human[name] for name in one.texts.systems]
        found.append([np.corrcoef(row, human)[0, 1] for row in three])
    return np.mean(found, axis=0)


# -- writing ---------------------------------------------------------------------------------------------


def number(value: float, digits: int = 3) -> str:
    """A number with a true minus."""
    return f"{value:.{digits}f}".replace("-", "−")


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, n_text: int = 1) -> str:
    """Rows in Markdown; the first columns are text."""
    rule = ["---"] * n_text + ["--:"] * (len(head) - n_text)
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *rows))


def agreement_table(folder: Path) -> str:
    """Correlations and means of the three ways across all outputs."""
    head = (
        *("metric", "pooled – segments", "pooled – bootstrap", "segments – bootstrap"),
        *("mean pooled", "mean segments", "mean bootstrap"),
    )
    rows = []
    for metric in METRICS:
        three = np.concatenate([three_ways(counts) for counts in counted(folder, metric)], axis=1)
        rows.append(
            (
                f"{metric}, ours",
                *map(number, correlations(three)),
                *(number(x, 1) for x in three.mean(axis=1)),
            )
        )
    for metric, told in PUBLISHED.items():
        means = (number(100 * x, 0) for x in told["mean"])
        rows.append((f"{metric}, as published", *(number(x, 2) for x in told["r"]), *means))
    for what, pairs in (("all", PAIRS), ("with spaces", SPACED)):
        turned = np.concatenate([transposed(folder, pair) for pair in pairs], axis=1)
        told = (*map(number, correlations(turned)), *(number(x, 1) for x in turned.mean(axis=1)))
        rows.append((f"BLEU 13a, references turned round, {what}", *told))
    return table(head, rows)


def within_table(folder: Path) -> str:
    """The same correlations inside each language pair."""
    rows = []
    for metric in ("BLEU", "chrF"):
        for pair, counts in zip(PAIRS, counted(folder, metric), strict=True):
            three = three_ways(counts)
            weights = bt.length_weights(counts)
            rows.append(
                (
                    *(metric, pair, str(counts.n_systems), str(counts.n_segments)),
                    *map(number, correlations(three)),
                    *(number(x, 1) for x in three.mean(axis=1)),
                    f"{np.median(weights.effective_segments):.0f}",
                    f"{100 * np.median(weights.longest_tenth):.0f} %",
                )
            )
    head = (
        *(
            "metric",
            "pair",
            "systems",
            "segments",
            "pooled – segments",
            "pooled – bootstrap",
            "segments – bootstrap",
        ),
        *("mean pooled", "mean segments", "mean bootstrap", "effective segments", "longest tenth"),
    )
    return table(head, rows, n_text=2)


def sizes_table(folder: Path) -> str:
    """How both ways of small test sets follow the bootstrap of the whole."""
    rows = []
    for metric in ("BLEU", "chrF"):
        for size, (pooled, means) in downsampled(counted(folder, metric)).items():
            rows.append((metric, str(size), number(pooled), number(means)))
    return table(("metric", "segments", "pooled", "mean of segments"), rows)


def people_table(folder: Path) -> str:
    """Correlation with people, data set by data set, and the means beside the paper's."""
    rows, kept = [], defaultdict(list)
    for one in judged(folder):
        found = with_people(one)
        kept[one.what].append(found)
        told = [number(x) for metric in ("BLEU", "chrF") for x in found[metric]]
        rows.append((one.data, one.language_pair, str(len(one.human)), str(len(one.texts.segments)), *told))
    for what, some in kept.items():
        mean = [
            number(float(np.mean([f[metric][k] for f in some])))
            for metric in ("BLEU", "chrF")
            for k in range(3)
        ]
        rows.append((f"**mean, {what}**", "", "", "", *mean))
    turned = [number(x) for x in turned_with_people(folder)]
    rows.append(("references turned round, DA", "", "", "", *turned, "", "", ""))
    for what, told in PUBLISHED_HUMAN.items():
        rows.append(
            (f"as published, {what}", "", "", "", *(number(x) for m in ("BLEU", "chrF") for x in told[m]))
        )
    head = ("human scores", "pair", "systems", "segments", "BLEU pooled", "segments", "bootstrap")
    return table((*head, "chrF pooled", "segments", "bootstrap"), rows, n_text=2)


def made(folder: Path) -> str:
    """What stands between the marks."""
    parts = (
        ("Three ways across systems", agreement_table),
        ("Inside each language pair", within_table),
        ("Small test sets", sizes_table),
        ("With people", people_table),
    )
    return "\n\n".join([BEGIN, *(f"### {title}\n\n{part(folder)}" for title, part in parts), END])


def main() -> None:
    """Write the tables into the page, or say whether they are there."""
    given = os.environ.get("BETTERTHAN_DATA")
    folder = Path(given or ".")
    if given is None or not all((folder / name).is_dir() for name in DATA_SETS):
        sys.exit(f"Set BETTERTHAN_DATA to a folder that holds {', '.join(DATA_SETS)}.")
    computed = made(folder)
    before, _, rest = PAGE.read_text(encoding="utf-8").partition(BEGIN)
    shown, _, after = rest.partition(END)
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(before + computed + after, encoding="utf-8")
    elif BEGIN + shown + END != computed:
        sys.exit(
            f"{PAGE.name} shows other tables; run docs/corpus_or_segment.py without --check and read the difference."
        )


if __name__ == "__main__":
    main()
