"""The files that the commands of the coverage read, besides the demo campaign."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np

import betterthan as bt
from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign

RANKINGS = "srclang,trglang,srcIndex,segmentId,judgeId," + ",".join(
    f"system{i}Id,system{i}rank" for i in range(1, 6)
)


def write_files(folder: Path) -> None:
    """Write the demo campaign, and small files of other kinds."""
    write_campaign(folder / "demo", campaign())
    human = bt.read_scores(folder / "demo" / "human.csv")
    rng = np.random.default_rng(5)
    write_table(folder / "wins.csv", "A,B", [(i + 1, i) for i in range(8)])
    write_table(folder / "never.csv", "A,B,C", [(9, 2, 3), (9, 4, 1), (9, 3, 5), (8, 1, 2), (7, 3, 2)])
    write_table(
        folder / "gaps.csv",
        "A,B,C",
        [(7 * i % 11, "" if i % 4 == 0 else 5 * i % 7, i % 5) for i in range(20)],
    )
    ability, difficulty = np.array([[-1.0], [-0.4], [0.4], [1.0]]), rng.normal(size=120)
    right = rng.random((4, 120)) < 1 / (1 + np.exp(difficulty - ability))
    write_table(folder / "answers.csv", "A,B,C,D", right.T.astype(int).tolist())
    write_table(folder / "rankings.csv", RANKINGS, drawn_rankings(human, rng))
    write_table(folder / "judgments.csv", "segment,system,judge,score", drawn_judgments(human, rng))
    _write_texts(folder, human)
    named = [
        (segment, *("" if (s + a) % 23 == 0 else f"{human.values[a, s]:g}" for a in range(8)))
        for s, segment in enumerate(human.segments)
    ]
    write_table(folder / "gaps_human.csv", ",".join(("segment", *human.systems)), named)
    truth = rng.random(60)
    for name, values in (
        ("gold", truth),
        ("follows", truth / 2 + rng.normal(0, 0.05, 60)),
        ("average", rng.normal(0.5, 0.01, 60)),
    ):
        (folder / f"{name}.hter").write_text("".join(f"{value:.4f}\n" for value in values))


def write_table(path: Path, header: str, lines: Iterable[Iterable[object]]) -> None:
    """Write a table as CSV."""
    rows = [header, *(",".join(map(str, line)) for line in lines)]
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")


def drawn_rankings(human: bt.Scores, rng: np.random.Generator) -> Iterator[tuple[str, ...]]:
    """Five systems ranked by a judge in each row, by their human scores."""
    for k in range(500):
        s, chosen = int(rng.integers(human.n_segments)), rng.choice(8, 5, replace=False)
        score = -human.values[chosen, s]
        ranks = [int((score < one).sum()) + 1 for one in score]
        pairs = [
            str(cell) for a, rank in zip(chosen, ranks, strict=True) for cell in (human.systems[a], rank)
        ]
        yield ("x", "y", human.segments[s], human.segments[s], f"J{k % 12}", *pairs)


def drawn_judgments(human: bt.Scores, rng: np.random.Generator) -> list[tuple[str, ...]]:
    """Two judgments of each output of forty segments, by six judges."""
    return [
        (human.segments[s], human.systems[a], f"J{(s + a + k) % 6}", f"{human.values[a, s] + rng.normal(0, 5):.0f}")
        for s in range(40) for a in range(8) for k in range(2)
    ]  # fmt: skip


def _write_texts(folder: Path, human: bt.Scores) -> None:
    texts = [(folder / "demo" / "texts" / f"{name}.txt").read_text().splitlines() for name in human.systems]
    lines = [
        (segment, name, f'"{texts[a][s]}"')
        for s, segment in enumerate(human.segments)
        for a, name in enumerate(human.systems)
    ]
    write_table(folder / "outputs.csv", "segment,system,text", lines)
