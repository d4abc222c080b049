"""The section with segments to read: where two systems differ most, and where all systems do."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.numbers import number
from betterthan.report.document import MarkedText, Section, SegmentRow, Segments, SystemOutput
from betterthan.report.figures.marks import score_strip
from betterthan.report.inputs import Inputs
from betterthan.report.worddiff import compared, plain
from betterthan.report.wording import digits_of
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

_EACH = 8
_MOST_OTHERS = 20  # names of sixty systems below each segment would make a page a tenth larger


def segments_section(inputs: Inputs, a: str, b: str, *, each: int = _EACH) -> Section:
    """Return the largest wins and losses of a pair and the segments on which all systems vary most.

    The segment with the largest difference between the two comes first.
    """
    scores, texts = inputs.scores, inputs.texts if inputs.show_texts else None
    chosen = chosen_segments(scores, a, b, each=each)
    reasons = [("win", f"largest wins of {a}"), ("loss", f"largest losses of {a}")]
    lead = f"The segments on which {a} and {b} differ most"
    if scores.n_systems > 2:
        reasons.append(("split", "largest variation between systems"))
        lead += ", and those on which the scores of all systems vary most"
    lead += "." if chosen else ": there are none, because all scores are equal."
    if texts is None and inputs.texts is not None:
        lead += " Texts are left out of this report."
    gap = np.abs(scores.goodness[scores.systems.index(a)] - scores.goodness[scores.systems.index(b)])
    order = sorted(chosen, key=lambda index: (chosen[index] == ("split",), -gap[index], index))
    block = Segments(
        key="segment-list",
        difference=f"{a} − {b}",
        rows=tuple(_row(scores, texts, index, chosen[index], a, b) for index in order),
        reasons=tuple(reasons),
        legend="" if texts is None else _legend(texts),
    )
    return Section(key="segments", title="Segments to read", menu="Segments", lead=lead, blocks=(block,))


def _legend(texts: Texts) -> str:
    if texts.references:
        return "Highlighted: differs from the reference. Underlined: differs from the other output."
    return "Underlined: differs from the other output."


def chosen_segments(scores: Scores, a: str, b: str, *, each: int = _EACH) -> dict[int, tuple[str, ...]]:
    """Return which segments to read, and why: index to reasons, in the order of reasons and of size."""
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
    by_system = dict(zip(scores.systems, values.tolist(), strict=True))
    gap = by_system[a] - by_system[b]
    # The best on this segment first: of very many only those are listed, and all are in the strip.
    others = sorted(
        (name for name in scores.systems if name not in (a, b)),
        key=lambda name: -by_system[name] if scores.higher_is_better else by_system[name],
    )
    segment = scores.segments[index]
    outputs = {} if texts is None else _pieces(texts, segment, a, b)
    return SegmentRow(
        segment=segment,
        anchor=f"segment-{index}",
        why=why,
        pair=tuple(
            SystemOutput(
                system=name, score=number(by_system[name], digits), pieces=tuple(outputs.get(name, ()))
            )
            for name in (a, b)
        ),
        others=tuple((name, number(by_system[name], digits)) for name in others[:_MOST_OTHERS]),
        n_others=len(others),
        strip=score_strip(
            by_system[a],
            by_system[b],
            [by_system[name] for name in others],
            (float(np.nanmin(scores.values)), float(np.nanmax(scores.values))),
            f"Scores of all systems on {segment}",
        ),
        difference=f"{'+' if gap > 0 else ''}{number(gap, digits)}",
        group="" if scores.groups is None else scores.groups[index],
        texts=() if texts is None else _shared(texts, segment),
    )


def _shared(texts: Texts, segment: str) -> tuple[MarkedText, ...]:
    """Return the source and the references."""
    at = texts.segments.index(segment)
    shown = [] if texts.sources is None else [plain("source", texts.sources[at])]
    shown += [
        plain(name, lines[at]) for name, lines in zip(texts.reference_names, texts.references, strict=True)
    ]
    return tuple(shown)


def _pieces(texts: Texts, segment: str, a: str, b: str) -> dict[str, tuple[tuple[str, str], ...]]:
    """Return the two outputs with the words marked that differ from the reference, and from each other."""
    at = texts.segments.index(segment)
    output = {name: lines[at] for name, lines in zip(texts.systems, texts.outputs, strict=True)}
    reference = texts.references[0][at] if texts.references else None
    pieces: dict[str, tuple[tuple[str, str], ...]] = {}
    for name, other in ((a, b), (b, a)):
        line = output.get(name)
        if line is not None:
            pieces[name] = compared(line, reference=reference, other=output.get(other))
        elif name in output:
            pieces[name] = (("(missing)", ""),)
    return pieces
