"""Draw every kind of chart from the demo campaign into docs/gallery: python docs/gallery.py [NAME...].

The pages show these files. Each entry of :data:`PICTURES` is the command that a reader would type; the page
``docs/gallery.md`` prints the same commands, which a test compares. Needs the extra ``charts``.
"""

from __future__ import annotations

import csv
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
from small_png import shrink

HERE = Path(__file__).resolve().parent
FOLDER = HERE / "gallery"
HUMAN = "demo/human.csv"
METRICS = f"demo/metrics.tsv --human {HUMAN}"
TAGS = "demo/tags/gold.tags demo/tags/Finch.tags demo/tags/Heron.tags demo/tags/Lark.tags demo/tags/Wren.tags"

# The name of the picture and what follows ``betterthan figure``.
PICTURES = {
    "ranking": f"ranking {HUMAN}",
    "ranking-battles": "ranking demo/battles.csv",
    "pairs": f"pairs {HUMAN}",
    "scatter": f"scatter {HUMAN} --pair Daphne Elm",
    "differences": f"differences {HUMAN} --pair Daphne Elm",
    "agreement": f"agreement {HUMAN}",
    "ranks": f"ranks {HUMAN}",
    "board": "board accuracies.csv --item task --by average-rank",
    "tasks": "tasks accuracies.csv --item task",
    "boards": "boards topics.csv --by topic",
    "fragility": "fragility demo/battles.csv",
    "tradeoffs": "tradeoffs models.csv",
    "power": f"power {HUMAN}",
    "evidence": f"evidence {HUMAN} --pair Daphne Elm",
    "gate": "gate gate.json",
    "calibration": f"calibration {HUMAN}",
    "multiverse": f"multiverse {HUMAN} --pair Daphne Elm",
    "diagnosis": f"diagnosis {HUMAN}",
    "metrics": f"metrics {METRICS} --by accuracy-with-ties",
    "corrected": "corrected demo/metrics.tsv --metric Learned --human labels.csv",
    "judge-calibration": f"judge-calibration demo/metrics.tsv --metric Learned --human {HUMAN}",
    "soft-pairwise": f"soft-pairwise {METRICS} --metric chrF",
    "contributions": f"contributions {METRICS} --metric chrF",
    "margins": f"margins {HUMAN}",
    "judges": "judges judgments.csv",
    "aggregation": "aggregation 'demo/texts/[A-H]*.txt' --reference demo/texts/reference.txt --by chrf",
    "tags": f"tags {TAGS}",
    "confusion": f"confusion {TAGS}",
    "spans": f"spans {TAGS} --segment 3",
    "quality": "quality gold.hter follows.hter average.hter",
}

JUDGE_SEVERITY = {"u": 0, "v": -25, "w": 5, "x": 8, "z": None}


def write_accuracies(path: Path) -> None:
    """Write the accuracies of six systems on twelve tasks."""
    rng = np.random.default_rng(4)
    tasks = (
        "arithmetic astronomy biology chemistry code economics history law logic medicine physics translation"
    )
    systems = ("Aster", "Birch", "Cedar", "Daphne", "Elm", "Fern")
    lines = [",".join(("task", *systems))]
    for task in tasks.split():
        level = rng.uniform(0.5, 0.85) - 0.022 * np.arange(len(systems)) + rng.normal(0, 0.025, len(systems))
        lines.append(",".join((task, *(f"{value:.2f}" for value in level))))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_topics(folder: Path) -> None:
    """Write the battles of the demo campaign with a column of topics."""
    with (folder / "demo/battles.csv").open(encoding="utf-8") as file:
        battles = list(csv.DictReader(file))
    with (folder / "topics.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, [*battles[0], "topic"])
        writer.writeheader()
        writer.writerows(row | {"topic": row["segment"].split("-")[0]} for row in battles)


def write_models(path: Path) -> None:
    """Write grades and latencies of nine models, the better ones mostly slower."""
    rng = np.random.default_rng(12)
    lines = ["item,system,grade,latency"]
    names = ("Aster", "Birch", "Cedar", "Daphne", "Elm", "Fern", "Ginkgo", "Hazel", "Iris")
    for name, grade, seconds in zip(
        names,
        (4.3, 4.0, 3.8, 3.6, 3.5, 3.3, 3.0, 2.8, 2.6),
        (6.0, 4.1, 5.2, 2.8, 4.4, 2.6, 1.5, 2.9, 1.7),
        strict=True,
    ):
        grades = np.clip(rng.normal(grade, 1.0, 80).round(), 1, 5)
        times = rng.lognormal(np.log(seconds), 0.35, 80)
        lines += [f"{i},{name},{g:.0f},{t:.2f}" for i, (g, t) in enumerate(zip(grades, times, strict=True))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_labels(folder: Path) -> None:
    """Write human labels of 40 segments that `sample` draws."""
    import betterthan as bt  # noqa: PLC0415  (found through `write_files`)

    judge = bt.read_scores(folder / "demo/metrics.tsv", metric="Learned")
    people = bt.read_scores(folder / HUMAN)
    sheet = bt.sample(judge, 40).to_frame()
    places = zip(sheet["system"], sheet["item"], strict=True)
    sheet["score"] = [
        people.values[people.systems.index(system), people.segments.index(item)] for system, item in places
    ]
    sheet.to_csv(folder / "labels.csv", index=False)


def write_gate(path: Path) -> None:
    """Write the gate of a candidate on 900 items of three topics."""
    import betterthan as bt  # noqa: PLC0415  (found through `write_files`)

    rng = np.random.default_rng(6)
    topic = np.array(["code", "law", "math"] * 300)
    base = rng.random(900) < 0.75
    lost = np.where(topic == "law", 0.07, 0.02)
    cand = np.where(base, rng.random(900) >= lost, rng.random(900) < 0.1)
    tables = bt.Scores(
        name="correct", systems=["v1", "v2"], segments=[f"q{i}" for i in range(900)], values=[base, cand]
    )
    result = bt.gate(tables, margin=0.03, slices={"topic": topic.tolist()})
    path.write_text(result.to_json(), encoding="utf-8")


def write_files(folder: Path) -> None:
    """Write the demo campaign, accuracies on tasks, battles by topic, judgments by five judges (z at random)."""
    sys.path.insert(0, str(HERE / "_ext"))
    import betterthan as bt  # noqa: PLC0415
    from examples import prepare  # noqa: PLC0415  (found through the line above)

    prepare(folder)
    scores = bt.read_scores(folder / HUMAN)
    rng = np.random.default_rng(1)
    judges = list(JUDGE_SEVERITY)
    lines = ["item,system,judge,score"]
    for j, item in enumerate(scores.segments[:120]):
        for i, system in enumerate(scores.systems):
            for judge in rng.choice(judges, size=2, replace=False):
                severity = JUDGE_SEVERITY[judge]
                score = (
                    rng.uniform(0, 100)
                    if severity is None
                    else scores.values[i, j] + severity + rng.normal(0, 8)
                )
                lines.append(f"{item},{system},{judge},{min(max(score, 0), 100):.0f}")
    (folder / "judgments.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    write_accuracies(folder / "accuracies.csv")
    write_topics(folder)
    write_models(folder / "models.csv")
    write_labels(folder)
    write_gate(folder / "gate.json")
    gold = rng.beta(2, 5, 200)
    predictions = {"gold": gold, "follows": gold * 0.7 + 0.35 + rng.normal(0, 0.08, 200)}
    predictions["average"] = gold.mean() + rng.normal(0, 0.01, 200)
    for name, values in predictions.items():
        (folder / f"{name}.hter").write_text("\n".join(f"{value:.4f}" for value in values) + "\n")


def draw(folder: Path, name: str) -> None:
    """Run one command and report the size of its picture."""
    path = FOLDER / f"{name}.png"
    program = [sys.executable, "-c", "from betterthan.cli.main import main; main()", "figure"]
    subprocess.run(
        [*program, *shlex.split(PICTURES[name]), "-o", str(path)],
        cwd=folder,
        check=True,
        stderr=subprocess.DEVNULL,
    )
    shrink(path)
    print(f"{path.name}: {path.stat().st_size / 1000:.0f} kB")


def main() -> None:
    """Draw the pictures named on the command line, or all."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        write_files(Path(name))
        for picture in sys.argv[1:] or PICTURES:
            draw(Path(name), picture)


if __name__ == "__main__":
    main()
