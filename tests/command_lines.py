"""A command line for every verb, and the files that they read: the demo campaign and small ones beside it."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign

FEW = ("--resamples", "50")
TEXTS = (
    "--reference",
    "short/reference.txt",
    "short/Aster.txt",
    "ours=short/Daphne.txt",
    *FEW,
)
TAGS = ("demo/tags/gold.tags", "demo/tags/Finch.tags", "ours=demo/tags/Wren.tags", *FEW)
VERBS_AND_FILES: dict[str, tuple[str, ...]] = {
    "agree": ("agree", "small.csv", "--by", "mean", "--by", "median", *FEW),
    "board": ("board", "demo/metrics.tsv", "--by", "average-rank", *FEW),
    "board-diff": ("board-diff", "demo/battles.csv", "demo/battles.csv", "--ties", "drop"),
    "voters": ("voters", "demo/battles.csv", "--by", "judge"),
    "fragility": ("fragility", "demo/battles.csv", "--ties", "drop"),
    "boards": ("boards", "demo/battles.csv", "--by", "judge", "--cluster", "none", "--ties", "drop"),
    "check": ("check", "demo/human.csv", "demo/battles.csv"),
    "compare": ("compare", "demo/human.csv", "Elm", "Aster", "--test", "permutation", *FEW),
    "compare battles": ("compare", "demo/battles.csv"),
    "audit-judge": (
        "audit-judge",
        "demo/metrics.tsv",
        "--judge-score",
        "Learned",
        "--human",
        "demo/human.csv",
    ),
    "correct": ("correct", "demo/metrics.tsv", "--judge-score", "Learned", "--human", "demo/human.csv"),
    "diagnose": ("diagnose", "demo/metrics.tsv", "--metric", "Learned"),
    "explain": ("explain", "demo/human.csv", "Daphne", "Elm", "--group", "domain"),
    "explain with texts": ("explain", "demo/human.csv", "Elm", "Fern", "--source", "demo/texts/source.txt"),
    "factors": ("factors", "demo/answers.csv", "--system", "model", "--system", "prompt", "--run", "seed"),
    "variation": (
        "variation",
        "demo/answers.csv",
        "--system",
        "model",
        "--system",
        "prompt",
        "--run",
        "seed",
    ),
    "human da": ("human", "da", "judgements.csv", "--control", "A#bad=A", "--by-margin"),
    "human mqm": ("human", "mqm", "mqm.tsv", "--weight", "Style/Minor=3"),
    "human rr": ("human", "rr", "rankings.csv", "--by", "bradley-terry", "--by", "trueskill", *FEW),
    "meta": (
        "meta",
        "demo/metrics.tsv",
        "--human",
        "demo/human.csv",
        "--only",
        "Learned",
        "--p-values",
        "analytic",
    ),
    "gate": ("gate", "demo/human.csv", "Elm", "Aster", "--margin", "2", "--alpha", "0.1"),
    "calibrate": ("calibrate", "small.csv", "--only", "A", "--only", "B", "--alpha", "0.1", *FEW),
    "plan": (
        "plan",
        "demo/human.csv",
        "--only",
        "Elm",
        "--only",
        "Aster",
        "--difference",
        "4",
        "--power",
        "0.9",
    ),
    "tradeoffs": (
        "tradeoffs",
        "demo/metrics.tsv",
        "--metric",
        "TER",
        "--metric",
        "chrF",
        "--baseline",
        "Elm",
    ),
    "watch": (
        "watch",
        "demo/human.csv",
        "--only",
        "Elm",
        "--only",
        "Aster",
        "--horizon",
        "60",
        "--alpha",
        "0.1",
    ),
    "multiverse": ("multiverse", "small.csv", "A > B", *FEW),
    "quality": ("quality", "gold.hter", "ours=a.hter", "b.hter", *FEW),
    "rank": ("rank", "small.csv", "--by", "mean", "--by", "elo", "--seed", "0", *FEW),
    "rank by documents": ("rank", "demo/human.csv", "--units", "groups", "--confidence", "0.9", *FEW),
    "rank battles": ("rank", "demo/battles.csv", "--cluster", "none", *FEW),
    "score metrics": (
        "score",
        "metrics",
        "--metric",
        "bleu",
        "--metric",
        "ter",
        *TEXTS,
        "--baseline",
        "ours",
    ),
    "rank anchored": ("rank", "demo/battles.csv", "--anchor", "Fern"),
    "score bleu": ("score", "bleu", *TEXTS, "--lowercase", "--smoothing", "floor"),
    "score chrf": ("score", "chrf", *TEXTS, "--word-order", "2"),
    "score ter": ("score", "ter", *TEXTS),
    "study": (
        *("study", "spa-ties", "--data", "demo/metrics.tsv", "--data", "demo/human.csv"),
        *("--quick", "--set", "permutations=50"),
    ),
    "sample": (
        "sample",
        "demo/metrics.tsv",
        "--metric",
        "Learned",
        "-n",
        "9",
        "--strata",
        "3",
        "--seed",
        "7",
    ),
    "tags": ("tags", *TAGS, "--mt", "demo/tags/output.mt", "--no-synthetic"),
}
"""By the name of a command, sometimes with what is special about it."""


def write_files(folder: Path) -> None:
    """Write the files of all commands."""
    write_campaign(folder / "demo", campaign())
    (folder / "short").mkdir()
    for path in (folder / "demo" / "texts").glob("*.txt"):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / "short" / path.name).write_text("".join(lines[:40]), encoding="utf-8")
    rng = np.random.default_rng(4)
    truth = rng.uniform(0, 1, 30)
    for name, noise in (("gold", 0.0), ("a", 0.1), ("b", 0.3)):
        lines = [f"{value:.4f}\n" for value in truth + rng.normal(size=30) * noise]
        (folder / f"{name}.hter").write_text("".join(lines), encoding="utf-8")
    rows = [
        f"s{i},{a:.2f},{a - 0.5 + b:.2f},{b:.2f}\n" for i, (a, b) in enumerate(rng.uniform(0, 1, (12, 2)))
    ]
    (folder / "small.csv").write_text("id,A,B,C\n" + "".join(rows), encoding="utf-8")
    _write_people(folder, rng)


def _write_people(folder: Path, rng: np.random.Generator) -> None:
    rows = ["item,system,rater,score"]
    for segment in range(8):
        for judge in "uv":
            for system, level in (("A", 75), ("B", 60), ("A#bad", 30)):
                rows.append(f"{segment},{system},{judge},{level + rng.normal() * 5:.1f}")
    (folder / "judgements.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    rows = ["srcIndex,judgeId,system1Id,system1rank,system2Id,system2rank,system3Id,system3rank"]
    for segment in range(20):
        first, second, third = rng.permutation(3) + 1
        rows.append(f"{segment},j{segment % 4},A,{first},B,{second},C,{third}")
    (folder / "rankings.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    rows = ["system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity"]
    for segment in range(1, 7):
        for rater in ("r1", "r2"):
            rows.append(f"A\td\t{segment}\t{segment}\t{rater}\ts\tt\tNo-error\tNo-error")
            severity = "Minor" if segment % 2 else "Major"
            rows.append(f"B\td\t{segment}\t{segment}\t{rater}\ts\tt\tStyle/Awkward\t{severity}")
    (folder / "mqm.tsv").write_text("\n".join(rows) + "\n", encoding="utf-8")
