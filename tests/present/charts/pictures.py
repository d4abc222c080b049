"""What the tests of charts share: a subject of each kind, and a reader of pictures."""

from __future__ import annotations

import functools
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import pytest
from tests.made import accuracy_counts, drawn_scores
from tests.made_tags import drawn_tags

import betterthan as bt
from betterthan.present.charts.chart import chart
from betterthan.present.charts.save import chart_bytes
from betterthan.results.study import StudyChart, StudyTable

SVG = "{http://www.w3.org/2000/svg}"
SYSTEMS = ("Aster", "Birch", "Cedar", "Daphne")


class Text(NamedTuple):
    """Words in a picture, where they begin or end, and whether they are bold."""

    words: str
    x: float
    y: float
    is_bold: bool


class Picture:
    """An SVG, taken apart."""

    def __init__(self, drawn: Any) -> None:
        self.source = chart_bytes(drawn, "svg").decode()
        self.root = ET.fromstring(self.source)  # noqa: S314  (our own picture)
        self.width, self.height = (float(self.root.attrib[side]) for side in ("width", "height"))

    def marks(self, kind: str) -> list[ET.Element]:
        """Marks of a kind ("symbol", "rect", "rule", …), axes and legends left aside."""
        groups = [g for g in self.root.iter(f"{SVG}g") if self._is(g, kind)]
        return [mark for group in groups for mark in group]

    @staticmethod
    def _is(group: ET.Element, kind: str) -> bool:
        names = group.attrib.get("class", "").split()
        return f"mark-{kind}" in names and "role-mark" in names

    @property
    def texts(self) -> list[Text]:
        """All words with their places on the whole canvas."""
        return list(_texts(self.root, 0.0, 0.0))

    @property
    def words(self) -> list[str]:
        """All words."""
        return [text.words for text in self.texts]


def _texts(element: ET.Element, x: float, y: float) -> Iterator[Text]:
    found = re.match(r"translate\(([-\d.e]+),\s*([-\d.e]+)\)", element.attrib.get("transform", ""))
    if found:
        x, y = x + float(found.group(1)), y + float(found.group(2))
    if element.tag == f"{SVG}text":
        weight = element.attrib.get("font-weight", "normal")
        for part in [element, *element.iter(f"{SVG}tspan")]:
            if part.text:
                yield Text(part.text, x, y, weight == "bold" or weight.isdigit())
    for child in element:
        if child.tag != f"{SVG}tspan":
            yield from _texts(child, x, y)


@functools.cache
def pictured(kind: str, systems: tuple[str, ...] = SYSTEMS, **more: Any) -> Picture:
    """The picture of a chart of this kind; drawing it takes a third of a second."""
    return Picture(made(kind, systems, **more))


def values(drawn: Any) -> list[list[dict[str, Any]]]:
    """The tables embedded in a chart."""
    found: list[list[dict[str, Any]]] = []

    def look(part: Any) -> None:
        if isinstance(part, dict):
            found.extend(
                [part["values"]] if isinstance(part.get("values"), list) and "name" not in part else []
            )
            for name, each in part.items():
                if name == "datasets":
                    found.extend(each.values())
                else:
                    look(each)
        elif isinstance(part, list):
            for each in part:
                look(each)

    look(drawn.to_dict())
    return [table for table in found if table and isinstance(table[0], dict)]


def with_field(drawn: Any, *fields: str) -> list[dict[str, Any]]:
    """The first embedded table that has these fields."""
    return next(table for table in values(drawn) if all(field in table[0] for field in fields))


def mostly_slow(kinds: Iterable[str], *everyday: str) -> list[Any]:
    """Parameters of a test that every kind must pass, of which only some are drawn every day: drawing takes long."""
    return [kind if kind in everyday else pytest.param(kind, marks=pytest.mark.slow) for kind in kinds]


def renamed(names: tuple[str, ...], table: Any) -> Any:
    """The same scores or tags under other names."""
    return replace(table, systems=names)


def battles(systems: tuple[str, ...], n: int = 240) -> dict[str, list[str]]:
    """Battles on two topics, in which earlier systems win more often."""
    rng = np.random.default_rng(5)
    left = rng.integers(0, len(systems), n)
    right = (left + rng.integers(1, len(systems), n)) % len(systems)
    wins = rng.random(n) < 0.5 + 0.4 * (right - left) / len(systems)
    return {
        "left": [systems[i] for i in left],
        "right": [systems[i] for i in right],
        "winner": ["left" if won else "right" for won in wins],
        "topic": ["code" if i % 3 else "math" for i in range(n)],
    }


def corrected(systems: tuple[str, ...]) -> Any:
    """A judge on forty items, with a label of every second."""
    judge = renamed(systems, drawn_scores(len(systems), 40, name="judge"))
    labels = np.where(np.arange(40) % 2, 0.8 * judge.values + 0.1, np.nan)
    return bt.correct(judge, replace(judge, name="human", values=labels))


def gated(systems: tuple[str, ...]) -> Any:
    """The second system against the first, on all items and in two slices."""
    scores = renamed(systems, drawn_scores(len(systems), 40, name="chrF")).select(systems[:2])
    return bt.gate(scores, margin=0.1, slices={"topic": ["law", "code"] * 20})


def audited(systems: tuple[str, ...]) -> Any:
    """The same judge against its labels."""
    judge = renamed(systems, drawn_scores(len(systems), 40, name="judge"))
    labels = np.where(np.arange(40) % 2, 0.8 * judge.values + 0.1, np.nan)
    return bt.audit_judge(judge, replace(judge, name="human", values=labels), own=systems[:1])


@functools.cache
def subject(kind: str, systems: tuple[str, ...] = SYSTEMS) -> Any:
    """Something small of which a chart of this kind can be made."""
    m = len(systems)
    scores = renamed(systems, drawn_scores(m, 40, name="chrF"))
    makers = {
        "ranking": lambda: bt.rank(scores, n_resamples=50),
        "pairs": lambda: bt.compare(scores),
        "scatter": lambda: scores,
        "differences": lambda: scores,
        "agreement": lambda: bt.agreement(subject("ranks", systems)),
        "ranks": lambda: {
            by: bt.rank(scores, by=by, n_resamples=20) for by in ("mean", "median", "win_rate")
        },
        "board": lambda: bt.board(scores),
        "tasks": lambda: bt.board(scores),
        "boards": lambda: bt.boards(battles(systems), by="topic"),
        "fragility": lambda: bt.fragility(battles(systems)),
        "tradeoffs": lambda: bt.tradeoffs(
            {"chrF": scores, "length": renamed(systems, drawn_scores(m, 40, seed=5))}
        ),
        "power": lambda: bt.plan(scores),
        "evidence": lambda: bt.watch(scores),
        "gate": lambda: gated(systems),
        "corrected": lambda: corrected(systems),
        "calibration": lambda: bt.calibrate(scores, n_resamples=40),
        "multiverse": lambda: bt.multiverse(systems[:2], scores, n_resamples=99),
        "judge_calibration": lambda: audited(systems),
        "metrics": lambda: meta(systems, 3),
        "soft_pairwise": lambda: meta(systems, 3),
        "contributions": lambda: meta(systems, 3),
        "margins": lambda: bt.kept_pairs(replace(scores, values=50 + 20 * scores.values), [0, 5, 25]),
        "aggregation": lambda: bt.aggregate(answered(systems), n_resamples=20),
        "confusion": lambda: drawn_tags(m, systems=systems),
        "spans": lambda: drawn_tags(m, systems=systems),
        "tags": lambda: bt.rank_tags(
            drawn_tags(m, systems=systems), by=("mcc", "f1_mult", "f1_bad"), n_resamples=99
        ),
        "quality": lambda: bt.sentence_quality(scores, quality_truth(), n_resamples=99),
        "judges": lambda: bt.judges(judged(systems)),
        "diagnosis": lambda: bt.diagnose(scores),
        "study": lambda: studied(systems),
    }
    return makers[kind]()


def studied(series: tuple[str, ...]) -> bt.Study:
    """A study with one figure, a line of two points each."""
    columns = {
        "panel": ("",) * 2 * len(series),
        "series": tuple(name for name in series for _ in range(2)),
        "x": (1, 2) * len(series),
        "y": tuple(float(i) for i in range(2 * len(series))),
    }
    limits = {"low": columns["y"], "high": columns["y"]}
    figure = StudyChart(
        name="figure-1", title="Error rate", kind="lines", x="n", y="rate", columns={**columns, **limits}
    )
    table = StudyTable(
        name="table-1",
        title="Rates",
        columns=("name", "rate"),
        rows=tuple((name, 0.5) for name in series),
        printed=tuple((None, 0.4) for _ in series),
    )
    return bt.Study(
        name="mine",
        question="How often?",
        paper="A paper, Figure 1",
        reading="text",
        tables=(table,),
        charts=(figure,),
        sentences=("Often.",),
        differences=(),
        notes=(),
        settings=bt.Settings(method="mine", options={}, data="abc", version="1"),
    )


def quality_truth() -> bt.Scores:
    """True scores of the sentences that all systems are scored on."""
    table = drawn_scores(5, 40, name="DA")
    noise = np.random.default_rng(6).normal(0, 0.8, (1, 40))
    return replace(table, systems=("gold",), values=table.values[:1] + noise)


def answered(systems: tuple[str, ...]) -> bt.Counts:
    """Right answers out of 5 to 9 a segment, the later systems better."""
    rng = np.random.default_rng(0)
    m = len(systems)
    size = np.tile(rng.integers(5, 10, 20), (m, 1))
    right = rng.binomial(size, 0.4 + 0.5 * np.arange(m)[:, None] / m)
    return accuracy_counts(np.stack([right, size], axis=2), systems=systems)


def judged(judges: tuple[str, ...]) -> bt.Ratings:
    """Judges of the same thirty outputs; the last is careless, the second severe."""
    rng = np.random.default_rng(8)
    truth = rng.normal(60, 15, 30)
    noise = [4.0] * (len(judges) - 1) + [40.0]
    shift = [0.0, -12.0] + [0.0] * (len(judges) - 2)
    scores = np.concatenate([truth + rng.normal(0, n, 30) + s for n, s in zip(noise, shift, strict=True)])
    places = np.tile(np.arange(30), len(judges))
    return bt.Ratings(
        name="DA",
        systems=("X", "Y", "Z"),
        segments=tuple(str(i) for i in range(10)),
        judges=judges,
        system=places // 10,
        segment=places % 10,
        judge=np.repeat(np.arange(len(judges)), 30),
        score=scores,
    )


def options(kind: str, systems: tuple[str, ...] = SYSTEMS) -> dict[str, Any]:
    """What a chart of this kind has to be told."""
    return {"systems": systems[:2]} if kind in ("scatter", "differences") else {}


@functools.cache
def made(kind: str, systems: tuple[str, ...] = SYSTEMS, **more: Any) -> Any:
    """A chart of this kind."""
    return chart(subject(kind, systems), kind, **options(kind, systems), **more)


@functools.cache
def meta(
    systems: tuple[str, ...], k: int, by: str = "soft_pairwise_accuracy", **more: Any
) -> bt.MetaEvaluation:
    """Metrics that follow people less and less."""
    human = renamed(systems, drawn_scores(len(systems), 40, name="MQM"))
    rng = np.random.default_rng(3)
    metrics = {
        f"metric-{i}": replace(human, values=human.values + (0.5 + i) * rng.normal(size=human.values.shape))
        for i in range(k)
    }
    return bt.meta_evaluate(metrics, human, by=by, n_resamples=99, **more)
