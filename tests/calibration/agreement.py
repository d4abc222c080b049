"""Intervals of agreement between judges, through `bt.judges`: alpha, kappa and the intraclass correlation."""

from __future__ import annotations

from functools import cache, partial
from itertools import product
from typing import NamedTuple

import numpy as np
from tests.calibration.cells import Cell

import betterthan as bt
from betterthan.kernels.judges.judge_pairs import mean_kappa
from betterthan.kernels.judges.reliability import intraclass_one_way, krippendorff_alpha

COEFFICIENTS = {
    "alpha": "alpha",
    "alpha of ranks": "alpha_ordinal",
    "alpha, standardised": "alpha_standardized",
    "kappa": "kappa",
    "ICC(1)": "icc",
}

RARE = (
    "Agreement about penalties depends on the few outputs with large ones, which a small sample may not contain; "
    "[no method](#agreement-about-penalties) covers 93% with 20 or 50. The interval of the alpha of ranks does."
)


class Design(NamedTuple):
    """What is judged by whom; several systems or documents make outputs depend on each other."""

    shape: str
    n_judges: int
    missing: float = 0.0
    n_systems: int = 1
    has_documents: bool = False


class Judged(NamedTuple):
    """Scores of outputs × judges, the segment of each output, and the document of each segment."""

    score: np.ndarray
    segment: np.ndarray
    document: np.ndarray


def judged(design, n, rng):
    """Draw the outputs of n segments, or of n documents of one to nine segments.

    Judges are the same in every table: the first is the most severe, and some use more of the scale than others.
    """
    document = np.repeat(np.arange(n), rng.integers(1, 10, size=n) if design.has_documents else 1)
    segment = np.repeat(np.arange(document.size), design.n_systems)
    shared = [segment] * (design.n_systems > 1) + [document[segment]] * design.has_documents
    place = (np.arange(design.n_judges) + 0.5) / design.n_judges
    scale = np.exp(0.5 * (np.roll(place, design.n_judges // 2) - 0.5))
    size = (segment.size, design.n_judges)
    if design.shape == "MQM-like":
        rate = rng.gamma(0.7, 1.5, size=segment.size)
        for group in shared:
            rate = rng.gamma(0.7, 1.5, size=group[-1] + 1)[group] * rng.gamma(2, 0.5, size=segment.size)
        mean = rate[:, None] * scale
        score = -1.0 * rng.poisson(mean, size) - 5.0 * rng.poisson(mean / 6, size)
    else:
        quality = rng.normal(size=segment.size)
        for group in shared:
            quality = (rng.normal(size=group[-1] + 1)[group] + quality) / np.sqrt(2)
        score = scale * (quality[:, None] + 0.8 * (place - 0.5) + 0.8 * rng.normal(size=size))
        score = np.clip(np.rint(score + 2), 0, 4) if design.shape == "grades 0-4" else score
    return Judged(np.where(rng.random(size) < design.missing, np.nan, score), segment, document)


@cache
def truth(design):
    """Each coefficient of very many outputs by the same judges."""
    score = judged(design, 200_000 // design.n_judges, np.random.default_rng(161_803)).score
    unit, judge = np.nonzero(~np.isnan(score))
    value = score[unit, judge]
    standard = ((score - np.nanmean(score, axis=0)) / np.nanstd(score, axis=0, ddof=1))[unit, judge]
    return {
        "alpha": krippendorff_alpha(unit, value).alpha,
        "alpha_ordinal": krippendorff_alpha(unit, value, level="ordinal").alpha,
        "alpha_standardized": krippendorff_alpha(unit, standard).alpha,
        "kappa": mean_kappa(unit, judge, value).kappa,
        "icc": intraclass_one_way(unit, value).icc,
    }


def agreement_of(design, n, rng):
    """What the verb says about the agreement of one table."""
    score, segment, document = judged(design, n, rng)
    output, judge = np.nonzero(~np.isnan(score))
    ratings = bt.Ratings(
        name="quality",
        systems=[f"S{i}" for i in range(design.n_systems)],
        segments=[str(i) for i in range(document.size)],
        judges=[f"J{i}" for i in range(design.n_judges)],
        system=output % design.n_systems,
        segment=segment[output],
        judge=judge,
        score=score[output, judge],
        groups=[str(i) for i in document] if design.has_documents else None,
    )
    # Nobody shares so many outputs, so judges are not screened: that takes most of the time.
    return bt.judges(ratings, min_shared=10**9).agreement


def agreement_held(coefficient, design, n, rng):
    """Whether the interval holds the coefficient of endless outputs; no interval holds nothing."""
    found = agreement_of(design, n, rng)
    low, high = getattr(found, f"{coefficient}_low"), getattr(found, f"{coefficient}_high")
    return float(low <= truth(design)[coefficient] <= high)


def _cell(table, name, design, n, unit, *, row=""):
    is_rare = design.shape == "MQM-like" and name != "alpha of ranks"
    return Cell(
        table=table,
        row=f"{name}, {design.shape}{row}, {design.n_judges} judges",
        column=f"{n} {unit}",
        trial=partial(agreement_held, COEFFICIENTS[name], design, n),
        low=0.93,
        high=0.98,
        tables=2000 if design.n_judges < 12 else 500,
        seconds=0.1,  # with the truth, which each process finds once
        limit=RARE if is_rare else "",
    )


def _cells():
    table = "judges/coverage of agreement"
    few, many = (2, 5), (2, 3, 5, 12)
    for name, shape in product(COEFFICIENTS, ("normal", "grades 0-4", "MQM-like")):
        wanted = {"ICC(1)": (3,) * (shape == "MQM-like")}.get(name, many if name.startswith("alpha") else few)
        for n_judges, n in product(few if name == "alpha, standardised" else wanted, (20, 50, 200)):
            yield _cell(table, name, Design(shape, n_judges), n, "outputs")
    for name, shape, n in product(
        ("alpha", "alpha of ranks", "kappa"), ("normal", "MQM-like"), (20, 50, 200)
    ):
        yield _cell(table, name, Design(shape, 5, missing=0.3), n, "outputs", row=", 30% missing")
    table = "judges/coverage of agreement about dependent outputs"
    for name, shape, n in product(
        ("alpha", "alpha of ranks", "kappa", "ICC(1)"), ("normal", "grades 0-4"), (10, 30)
    ):
        yield _cell(table, name, Design(shape, 3, n_systems=4), n, "clusters", row=", 4 systems per segment")
        if name != "kappa":
            yield _cell(table, name, Design(shape, 3, has_documents=True), n, "clusters", row=", documents")


CELLS: list[Cell] = list(_cells())
