"""Soft pairwise accuracy of the metrics of WMT20, by random and by analytic p-values, as tables of a page.

    python docs/wmt20_table.py            computes the tables and writes them into the page
    python docs/wmt20_table.py --check    computes them and says whether the page still shows them

Reads ``wmt20-metrics`` in the folder that the environment variable ``BETTERTHAN_DATA`` names: the document-level scores
of the WMT20 metrics task and the MQM scores of Freitag et al. (2021), as tables. Takes some minutes.
"""

from __future__ import annotations

import csv
import gzip
import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

import betterthan as bt
from betterthan.analysis.meta.inputs import panel_of
from betterthan.analysis.meta.system import PERMUTATIONS
from betterthan.arrays import FloatArray
from betterthan.engine.blocks import stream
from betterthan.kernels.agreement.soft_pairwise import (
    one_sided_pvalues,
    soft_pairwise_accuracy,
    standard_error_of_monte_carlo,
)

PAGE = Path(__file__).parent / "papers" / "soft-pairwise-accuracy.md"
BEGIN, END = "<!-- docs/wmt20_table.py: {} begin -->", "<!-- docs/wmt20_table.py: {} end -->"
LANGUAGE_PAIRS = {"en-de": "English to German", "zh-en": "Chinese to English"}
N_PERMUTATIONS = 1000
SEED = 12345
OTHER_SEEDS = range(1, 101)
MEASURES = {"pairwise_accuracy": "pairwise accuracy", "soft_pairwise_accuracy": "soft pairwise accuracy"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """The metrics of a language pair, best first by the analytic value; arrays of one length."""

    language_pair: str
    n_systems: int
    n_documents: int
    metrics: tuple[str, ...]
    analytic: FloatArray
    monte_carlo: FloatArray
    mean: FloatArray
    standard_error: FloatArray
    bound: FloatArray
    share_of_worse_seeds: float
    told_apart: dict[str, tuple[int, int, int]]

    @property
    def ratio(self) -> FloatArray:
        """Difference of the two values in standard errors."""
        return np.asarray((self.monte_carlo - self.analytic) / self.standard_error)


def tables(folder: Path, language_pair: str) -> tuple[dict[str, bt.Scores], bt.Scores]:
    """Document-level metrics, and MQM scores of segments with the document of each."""
    chosen = {"lp": language_pair}
    with gzip.open(folder / "segments.tsv.gz", "rt", encoding="utf-8") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        document = {row["seg_id"]: row["doc"] for row in rows if row["lp"] == language_pair}
    people = bt.read_scores(folder / "mqm_seg.tsv.gz", where=chosen, lower_is_better=False)
    people = replace(people, groups=tuple(document[segment] for segment in people.segments))
    # The task turned every metric so that more is better, whatever its name says.
    return bt.read_metrics(
        folder / "metric_doc.tsv.gz", where=chosen, item="doc", lower_is_better=False
    ), people


def evaluated(folder: Path, language_pair: str) -> Found:
    """Both values of every metric, and how far random values lie apart."""
    metrics, people = tables(folder, language_pair)
    analytic = bt.meta_evaluate(metrics, people, p_values="analytic", significance="none")
    published = bt.meta_evaluate(metrics, people, significance="none", n_resamples=N_PERMUTATIONS, rng=SEED)
    place = [published.metrics.index(name) for name in analytic.metrics]
    human_p, metric_p = np.asarray(published.human_pvalue), np.asarray(published.metric_pvalue)
    others = np.array(list(other_seeds(metrics, people, analytic.metrics)))
    spread = others.std(axis=0, ddof=1)
    farthest = np.abs((others - analytic.value) / spread).max(axis=1)
    own = np.abs((published.value[place] - analytic.value) / spread).max()
    bounds = [standard_error_of_monte_carlo(metric_p[i], human_p, N_PERMUTATIONS) for i in place]
    return Found(
        language_pair=language_pair,
        n_systems=analytic.n_systems,
        n_documents=analytic.n_segments,
        metrics=analytic.metrics,
        analytic=analytic.value,
        monte_carlo=published.value[place],
        mean=others.mean(axis=0),
        standard_error=spread,
        bound=np.array(bounds),
        share_of_worse_seeds=float(np.mean(farthest >= own)),
        told_apart={by: told_apart(metrics, people, by) for by in MEASURES},
    )


def told_apart(metrics: dict[str, bt.Scores], people: bt.Scores, by: str) -> tuple[int, int, int]:
    """Distinct values, significant comparisons and clusters of the metrics by one measure."""
    found = bt.meta_evaluate(metrics, people, by=by, p_values="analytic", alternative="wmt")
    return found.n_distinct, found.n_significant, found.n_clusters


def other_seeds(
    metrics: dict[str, bt.Scores], people: bt.Scores, names: tuple[str, ...]
) -> Iterator[FloatArray]:
    """Monte Carlo values of the metrics, seed by seed: what the verb computes, without its bootstrap."""
    panel = panel_of(metrics, people)
    scores = dict(zip(panel.names, panel.summands(), strict=True))
    for seed in OTHER_SEEDS:
        human_p, *metric_p = [
            one_sided_pvalues(
                np.where(panel.judged, goodness, np.nan),
                "monte_carlo",
                n_resamples=N_PERMUTATIONS,
                rng=stream(seed, PERMUTATIONS, 0),
            )
            for goodness in (panel.human_goodness, *(scores[name] for name in names))
        ]
        yield soft_pairwise_accuracy(np.stack(metric_p), human_p)


def signed(number: float, digits: int) -> str:
    """A number with its sign; a true minus."""
    return f"{number:+.{digits}f}".replace("-", "−")


def table(found: Found) -> str:
    """The metrics of a language pair in Markdown."""
    head = ("metric", "analytic", "Monte Carlo", "difference", "standard error", "in standard errors")
    rows = [
        (
            name,
            f"{found.analytic[i]:.4f}",
            f"{found.monte_carlo[i]:.4f}",
            signed(found.monte_carlo[i] - found.analytic[i], 4),
            f"{found.standard_error[i]:.4f}",
            signed(found.ratio[i], 1),
        )
        for i, name in enumerate(found.metrics)
    ]
    lines = [head, ("---", *["--:"] * (len(head) - 1)), *rows]
    title = (
        f"### {LANGUAGE_PAIRS[found.language_pair]}\n\n"
        f"{len(found.metrics)} metrics, {found.n_systems} systems, {found.n_documents} documents."
    )
    return title + "\n\n" + "\n".join("| " + " | ".join(line) + " |" for line in lines)


def summary(all_found: list[Found]) -> str:
    """What the tables say in all: the largest differences."""
    bound = max(float((np.abs(f.monte_carlo - f.analytic) / f.bound).max()) for f in all_found)
    mean = max(float(np.abs(f.mean - f.analytic).max()) for f in all_found)
    n, said = len(OTHER_SEEDS), []
    for f in all_found:
        i = int(np.abs(f.ratio).argmax())
        said.append(
            f"{f.language_pair}: the largest |difference| / standard error is {abs(f.ratio[i]):.2f} ({f.metrics[i]}); "
            f"{f.share_of_worse_seeds:.0%} of the other seeds have a larger maximum."
        )
    return "\n".join(
        [
            *(f"- {line}" for line in said),
            f"- The largest |difference| / bound is {bound:.2f}.",
            f"- The mean over {n} other seeds is within {mean:.4f} of the analytic value for every metric.",
        ]
    )


def counts(all_found: list[Found]) -> str:
    """How many metrics each measure tells apart, as table 1 of the paper has it."""
    lines = ["| | measure | distinct values | significant comparisons | clusters |", "|---|---|--:|--:|--:|"]
    for found in all_found:
        k = len(found.metrics)
        pairs = k * (k - 1) // 2
        for by, name in MEASURES.items():
            distinct, significant, clusters = found.told_apart[by]
            cells = (
                found.language_pair,
                name,
                f"{distinct} of {k}",
                f"{significant} of {pairs}",
                f"{clusters}",
            )
            lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def made(folder: Path) -> dict[str, str]:
    """What stands between the marks of each part."""
    found = [evaluated(folder, language_pair) for language_pair in LANGUAGE_PAIRS]
    return {"values": "\n\n".join([summary(found), *map(table, found)]), "counts": counts(found)}


def filled(text: str, parts: dict[str, str]) -> str:
    """The page with its parts."""
    for name, part in parts.items():
        begin, end = BEGIN.format(name), END.format(name)
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n\n{part}\n\n{end}{rest.partition(end)[2]}"
    return text


def main() -> None:
    """Write the tables into the page, or say whether they are there."""
    given = os.environ.get("BETTERTHAN_DATA")
    folder = Path(given or ".") / "wmt20-metrics"
    if given is None or not folder.is_dir():
        sys.exit("Set BETTERTHAN_DATA to a folder that holds wmt20-metrics.")
    text = PAGE.read_text(encoding="utf-8")
    computed = filled(text, made(folder))
    if "--check" not in sys.argv[1:]:
        PAGE.write_text(computed, encoding="utf-8")
    elif text != computed:
        sys.exit(f"{PAGE.name} shows other numbers. Run this without --check and read the difference.")


if __name__ == "__main__":
    main()
