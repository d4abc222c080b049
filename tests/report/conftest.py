"""One campaign for all tests of the report."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign
from betterthan.report.compose import compose
from betterthan.tables.scores import Scores

EVIL = "<script>alert(1)</script>"
FORMULA = "=HYPERLINK(1)"
SEGMENTS = 60


def made_scores(m=3, n=40, names=None, seed=1, digits=2):
    """Scores with a steady lead of the first system."""
    rng = np.random.default_rng(seed)
    values = rng.normal(60, 12, n) + rng.normal(0, 6, (m, n)) + np.linspace(4, 0, m)[:, None]
    return Scores(
        name="chrF",
        systems=names or [f"S{i}" for i in range(m)],
        segments=[f"seg{j}" for j in range(n)],
        values=np.round(values, digits),
        groups=[f"doc{j % 4}" for j in range(n)],
    )


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """The example campaign as files."""
    place = tmp_path_factory.mktemp("campaign")
    made = campaign()
    for path in write_campaign(place, made):
        _cut(path, set(made.segments[:SEGMENTS]))
    return place


def _cut(path, segments):
    """Leave the first segments: tests of pages need no large data."""
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    if path.name == "metrics.tsv":
        lines = [lines[0], *(line for line in lines if line.split("\t")[2] in segments)]
    elif path.name == "battles.csv":
        lines = lines[:500]
    elif path.suffix != ".md":
        lines = lines[: SEGMENTS + (path.name == "human.csv")]
    path.write_text("".join(lines), encoding="utf-8")


@pytest.fixture(scope="session")
def outputs(folder):
    """Files of three systems' outputs."""
    return [str(Path(folder, "texts", f"{name}.txt")) for name in ("Aster", "Birch", "Daphne")]


@pytest.fixture(scope="session")
def reports(folder, outputs):
    """A report of each kind."""
    reference, source = str(folder / "texts/reference.txt"), str(folder / "texts/source.txt")
    tags = [str(folder / "tags" / f"{name}.tags") for name in ("gold", "Finch", "Heron")]
    return {
        "scores": compose([str(folder / "human.csv"), *outputs], references=[reference], source=source),
        "battles": compose(str(folder / "battles.csv")),
        "meta": compose(str(folder / "metrics.tsv"), human=str(folder / "human.csv")),
        "texts": compose(outputs[:2], references=reference, source=source),
        "tags": compose(tags),
    }


@pytest.fixture(scope="session")
def evil():
    """A report on systems with names that would run in a page or in a spreadsheet."""
    return compose(made_scores(names=[EVIL, FORMULA, 'quote" onload="x']))
