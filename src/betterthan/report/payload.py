"""What the page's script needs to show any pair: scores in sixteen bits, tests, texts within a budget."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from typing import Any

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.numbers import digits_for
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

# Two bytes a score and a third more for writing them as text: about 400 KB.
MOST_CELLS = 150_000
TEXT_BUDGET = 60_000
_MISSING = 65535
_STEPS = 60_000


def fits(scores: Scores) -> bool:
    """Whether the scores are few enough to be in the page, so that a script can draw any pair."""
    return scores.values.size <= MOST_CELLS


def size_note(scores: Scores) -> str:
    """Say that other pairs than neighbors are not drawn, and who draws them; nothing where all are."""
    if fits(scores):
        return ""
    return (
        f"With {scores.values.size:,} scores, this page shows only the neighbors in the ranking in detail; betterthan "
        "figure scatter draws any other pair."
    )


def packed_scores(scores: Scores, *, digits: int) -> dict[str, Any]:
    """Return the scores as steps between the smallest and the largest, two bytes each.

    Scores on a grid, such as whole numbers or hundredths, keep their exact distances; others are rounded to one of
    60,000 steps, a difference that no picture shows.
    """
    known = scores.values[~np.isnan(scores.values)]
    low, high = (float(known.min()), float(known.max())) if known.size else (0.0, 0.0)
    step = _grid(known, low, high)
    places = np.where(np.isnan(scores.values), _MISSING, np.round((scores.values - low) / step))
    values = base64.b64encode(places.astype("<u2").tobytes()).decode("ascii")
    return {
        "systems": list(scores.systems),
        "segments": list(scores.segments),
        "low": low,
        "step": step,
        "higher": scores.higher_is_better,
        "unit": scores.name,
        "digits": digits,
        "values": values,
    }


def _grid(known: FloatArray, low: float, high: float) -> float:
    """Return the coarsest of 1, 0.5, 0.1 … that holds all scores, or a step of the range."""
    if high == low:
        return 1.0
    for step in (1.0, 0.5, 0.25, 0.1, 0.05, 0.01, 0.001, 0.0001):
        places = (known - low) / step
        if (high - low) / step <= _STEPS and np.abs(places - np.round(places)).max() < 1e-6:
            return step
    return (high - low) / _STEPS


def packed_tests(tests: Sequence[tuple[str, PairwiseTable]], systems: Sequence[str]) -> list[dict[str, Any]]:
    """Return effects and p-values of tests as matrices in the order of `systems`, row after row."""
    packed = []
    for name, table in tests:
        order = [table.systems.index(system) for system in systems]
        at = np.ix_(order, order)
        packed.append(
            {
                "name": name,
                "digits": 3
                if table.is_probability
                else digits_for([], [float(np.nanmax(np.abs(table.effect), initial=0))]),
                "effect": _packed(table.effect[at]),
                "p": _packed(table.pvalue[at]),
                "adjusted": _packed(table.adjusted[at]),
            }
        )
    return packed


def _packed(matrix: FloatArray) -> str:
    """Return four bytes a number, which hold the seven digits that are more than is shown; NaN stays NaN."""
    return base64.b64encode(matrix.astype("<f4").tobytes()).decode("ascii")


def packed_texts(texts: Texts, segments: Sequence[str], by_priority: Sequence[str]) -> dict[str, Any]:
    """Return texts of segments, the most wanted first, until the budget is spent.

    Parameters
    ----------
    texts : Texts
    segments : sequence of str
        As the page counts them.
    by_priority : sequence of str
        Segments in the order of how much they are wanted.
    """
    shared = [*(["source"] if texts.sources is not None else []), *texts.reference_names]
    place = {segment: i for i, segment in enumerate(segments)}
    column = {segment: i for i, segment in enumerate(texts.segments)}
    lines_of_segment: dict[str, list[str | None]] = {}
    spent = 0
    for segment in by_priority:
        at = column[segment]
        lines: list[str | None] = [] if texts.sources is None else [texts.sources[at]]
        lines += [reference[at] for reference in texts.references] + [output[at] for output in texts.outputs]
        spent += sum(len(line or "") + 4 for line in lines)
        if spent > TEXT_BUDGET:
            break
        lines_of_segment[str(place[segment])] = lines
    return {
        "labels": [*shared, *texts.systems],
        "shared": len(shared),
        "reference": len(shared) - len(texts.references) if texts.references else None,
        "segments": lines_of_segment,
    }
