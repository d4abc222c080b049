"""The section with segments to look at: where two systems differ most, and where all of them do."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.numbers import number
from betterthan.report.document import MarkedText, Section, SegmentRow, Segments
from betterthan.report.inputs import Inputs
from betterthan.report.worddiff import marked, plain
from betterthan.report.wording import digits_of
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

_EACH = 8


def segments_section(inputs: Inputs, a: str, b: str, *, each: int = _EACH) -> Section:
    """Return the largest wins and losses of a pair, and the segments that divide all systems most."""
    scores, texts = inputs.scores, inputs.texts if inputs.show_texts else None
    chosen = chosen_segments(scores, a, b, each=each)
    reasons = [("win", f"largest wins of {a}"), ("loss", f"largest losses of {a}")]
    if scores.n_systems > 2:
        reasons.append(("split", "most divided"))
    lead = f"Where {a} and {b} differ most"
    lead += ", and where all systems do." if scores.n_systems > 2 else "."
    if texts is not None:
        lead += " Marked: words that " + (
            "the reference does not have." if texts.references else "the other does not have."
        )
    elif inputs.texts is not None:
        lead += " Texts are left out of this report."
    block = Segments(
        key="segment-list",
        difference=f"{a} − {b}",
        rows=tuple(_row(scores, texts, index, why, a, b) for index, why in chosen.items()),
        reasons=tuple(reasons),
    )
    return Section(key="segments", title="Segments to look at", menu="Segments", lead=lead, blocks=(block,))


def chosen_segments(scores: Scores, a: str, b: str, *, each: int = _EACH) -> dict[int, tuple[str, ...]]:
    """Return which segments to look at, and why: index to reasons, in the order of reasons and of size."""
    first, second = (scores.goodness[scores.systems.index(name)] for name in (a, b))
    gap = first - second
    reasons: dict[int, tuple[str, ...]] = {}
    lists = [("win", _largest(gap, each)), ("loss", _largest(-gap, each))]
    if scores.n_systems > 2:
        lists.append(("split", _largest(_spread(scores.goodness), each)))
    for why, places in lists:
        for place in places:
            reasons[place] = (*reasons.get(place, ()), why)
    return reasons


def _largest(values: FloatArray, most: int) -> list[int]:
    """Return the places of the largest values above 0, the earlier of equals first."""
    order = np.argsort(-np.nan_to_num(values, nan=-np.inf), kind="stable")[:most]
    return [int(i) for i in order if values[i] > 0]


def _spread(goodness: FloatArray) -> FloatArray:
    """Return the standard deviation of each segment over systems; NaN where a score is missing."""
    return np.asarray(goodness.std(axis=0))


def _row(scores: Scores, texts: Texts | None, index: int, why: tuple[str, ...], a: str, b: str) -> SegmentRow:
    values, digits = scores.values[:, index], digits_of(scores)
    places = {name: i for i, name in enumerate(scores.systems)}
    gap = float(values[places[a]] - values[places[b]])
    shown = [a, b, *(name for name in scores.systems if name not in (a, b))][:14]
    return SegmentRow(
        segment=scores.segments[index],
        anchor=f"segment-{index}",
        why=why,
        scores=tuple((name, number(float(values[places[name]]), digits)) for name in shown),
        difference=f"{'+' if gap > 0 else ''}{number(gap, digits)}",
        group="" if scores.groups is None else scores.groups[index],
        texts=() if texts is None else _texts(texts, scores.segments[index], a, b),
    )


def _texts(texts: Texts, segment: str, a: str, b: str) -> tuple[MarkedText, ...]:
    at = texts.segments.index(segment)
    output = {name: lines[at] for name, lines in zip(texts.systems, texts.outputs, strict=True)}
    shown = [] if texts.sources is None else [plain("source", texts.sources[at])]
    shown += [
        plain(name, lines[at]) for name, lines in zip(texts.reference_names, texts.references, strict=True)
    ]
    reference = texts.references[0][at] if texts.references else None
    for name, other in ((a, b), (b, a)):
        if name in output:
            against = reference if reference is not None else output.get(other)
            line = output[name]
            shown.append(
                plain(name, line) if line is None or against is None else marked(name, line, against)
            )
    return tuple(shown)
