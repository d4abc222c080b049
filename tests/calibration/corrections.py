"""Coverage of bt.correct from a few labels a system, and false claims of bt.audit_judge, at their defaults."""

from __future__ import annotations

from functools import partial

import numpy as np
from scipy.special import ndtr
from tests.calibration.cells import Cell
from tests.calibration.simulate import Array, Rng

import betterthan as bt

ITEMS = 500
JUDGES = {"useless judge": (0.0, 0.0), "good judge that favors a system": (0.9, 1.0)}
"""Weight of the quality in the judge's score, and how many standard deviations the judge favors the last system by."""
KINDS = (
    "graded",
    "grades from 1 to 5",
    "log-normal",
    "right or wrong, 69% right",
    "right or wrong, 93% right",
)
_CUTS = {"right or wrong, 69% right": -0.5, "right or wrong, 93% right": -1.5}


def truth(kind: str, level: float) -> float:
    """Mean of the labels of a system whose quality is normal with this mean."""
    if kind in _CUTS:
        return float(ndtr(level - _CUTS[kind]))
    if kind == "log-normal":
        return float(np.exp(0.7 * level + 0.245))
    return (
        1 + sum(float(ndtr(level + 3.5 - (k - 0.5))) for k in range(2, 6))
        if kind.startswith("grades")
        else level
    )


def labeled(kind: str, quality: Array) -> Array:
    """Labels of outputs of this quality."""
    if kind in _CUTS:
        return (quality > _CUTS[kind]).astype(float)
    if kind == "log-normal":
        return np.asarray(np.exp(0.7 * quality))
    return np.clip(np.round(3.5 + quality), 1, 5) if kind.startswith("grades") else quality


def drawn(
    rng: Rng, kind: str, judge: str, labels: int, m: int, *, shared: bool
) -> tuple[bt.Scores, bt.Scores, Array]:
    """Judge, labels of some items, and true means; the item makes a third of the variance of quality."""
    weight, favor = JUDGES[judge]
    level = np.linspace(0, 0.4, m)
    quality = level[:, None] + 0.6 * rng.normal(size=ITEMS) + 0.8 * rng.normal(size=(m, ITEMS))
    judged = weight * quality + np.sqrt(1 - weight**2) * rng.normal(size=(m, ITEMS))
    judged += favor * np.linspace(0, 1, m)[:, None]
    judged = judged if kind in ("graded", "log-normal") else np.clip(np.round(3 + judged), 1, 5)
    order = np.argsort(rng.random((1 if shared else m, ITEMS)), axis=1)
    human = np.where(np.broadcast_to(order, (m, ITEMS)) < labels, labeled(kind, quality), np.nan)
    names = {"systems": [f"s{k}" for k in range(m)], "segments": [str(i) for i in range(ITEMS)]}
    tables = [
        bt.Scores(name=name, values=values, **names) for name, values in (("judge", judged), ("human", human))
    ]
    return tables[0], tables[1], np.array([truth(kind, each) for each in level])


def means_covered(kind: str, judge: str, labels: int, m: int, shared: bool, rng: Rng) -> float:  # noqa: FBT001
    """Share of the systems whose interval holds their true mean."""
    judged, human, true = drawn(rng, kind, judge, labels, m, shared=shared)
    found = bt.correct(judged, human)
    return float(np.mean([found[f"s{k}"].low <= true[k] <= found[f"s{k}"].high for k in range(m)]))


def pair_covered(kind: str, judge: str, labels: int, shared: bool, rng: Rng) -> float:  # noqa: FBT001
    """Whether the interval of the difference of two systems holds the true one."""
    judged, human, true = drawn(rng, kind, judge, labels, 2, shared=shared)
    pair = bt.correct(judged, human).pair("s0", "s1")
    return float(pair.low <= true[0] - true[1] <= pair.high)


def accused(n: int, rng: Rng) -> float:
    """Whether an honest judge of two systems is accused of any bias."""
    quality = rng.normal(size=(2, n))
    names = {"systems": ["A", "B"], "segments": [str(i) for i in range(n)]}
    judge = bt.Scores(name="judge", values=quality + rng.normal(size=(2, n)), **names)
    human = bt.Scores(name="human", values=quality, **names)
    length = bt.Scores(name="length", values=rng.gamma(2.0, 50.0, size=(2, n)), **names)
    return float(bool(bt.audit_judge(judge, human, length=length, own=["B"]).biases))


SKEWED = (
    "30 log-normal labels often lack the largest ones, whose errors by a judge that is linear in their logarithm are "
    "the largest, too."
)
RARE = "With so few wrong answers among 30 labels the intervals are wider than need be."
GOOD = "good judge that favors a system"
LIMITS = {
    ("log-normal", GOOD, "30 labels"): SKEWED,
    ("log-normal", GOOD, "30 labels, same items"): SKEWED,
    **{("right or wrong, 93% right", GOOD, each): RARE for each in ("30 labels", "30 labels, same items")},
}
DESIGNS = {"30 labels": (30, False), "30 labels, same items": (30, True), "100 labels": (100, False)}

_means = partial(Cell, table="correct/coverage", low=0.93, high=0.98, tables=2000, seconds=0.02)
_pairs = partial(Cell, table="correct/differences", low=0.93, high=0.98, tables=2000, seconds=0.02)
CELLS = [
    *(
        _means(
            row=f"{kind}, {judge}",
            column=column,
            trial=partial(means_covered, kind, judge, labels, 2, shared),
            limit=LIMITS.get((kind, judge, column), ""),
        )
        for kind in KINDS
        for judge in JUDGES
        for column, (labels, shared) in DESIGNS.items()
    ),
    _means(
        row="graded, good judge that favors a system, 20 systems",
        column="30 labels, same items",
        trial=partial(means_covered, "graded", "good judge that favors a system", 30, 20, True),
        seconds=0.1,
    ),
    *(
        _pairs(
            row=f"{kind}, {judge}",
            column=column,
            trial=partial(pair_covered, kind, judge, labels, shared),
            limit=LIMITS.get((kind, judge, column), ""),
        )
        for kind in KINDS
        for judge in list(JUDGES)[1:]
        for column, (labels, shared) in DESIGNS.items()
    ),
    *(
        Cell(
            table="audit-judge/false-claims",
            row="two systems, own system and length",
            column=f"n = {n}",
            trial=partial(accused, n),
            low=0.0,
            high=0.06,
            tables=2000,
            seconds=0.05,
        )
        for n in (20, 100)
    ),
]
