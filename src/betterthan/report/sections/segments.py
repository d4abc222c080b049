"""Segments to read, where two systems differ most or all of them do; and whether the verdict holds in each slice."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from betterthan.analysis.explain.slices import SliceEffect, slice_effects
from betterthan.arrays import FloatArray
from betterthan.present.numbers import digits_for, number
from betterthan.present.table import Table, TableColumn
from betterthan.report.document import (
    Block,
    MarkedText,
    Paragraph,
    Section,
    SegmentRow,
    Segments,
    SystemOutput,
    TableBlock,
)
from betterthan.report.figures.marks import interval_marks, scale_heading, score_strip
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


_MOST_GROUPS = 12
_BY = {"group": "document"}
_LEVEL = 0.05


def slices_section(inputs: Inputs, a: str, b: str) -> Section | None:
    """Return how two systems compare in each part, or None when the test set has no parts."""
    units = inputs.options.get("units", "auto")
    effects = slice_effects(inputs.scores, a, b, texts=inputs.texts, units=units, alpha=_LEVEL)
    if not effects:
        return None
    shown = _shown(effects)
    reversed_parts = [part for part in effects if part.is_reversed]
    sure = [part for part in reversed_parts if part.adjusted <= _LEVEL]
    n_tested = sum(not math.isnan(part.pvalue) for part in effects)
    lead = (
        f"Difference between {a} and {b} in each part of the test set; positive: {a} is better. P-values are adjusted "
        f"for the {n_tested} parts tested."
    )
    if units == "groups":
        lead += " Documents are the units, so a single document is not tested."
    blocks: list[Block] = [
        Paragraph(_words(reversed_parts, sure, len(effects), a, b), "warning" if sure else "plain")
    ]
    blocks.append(_table(shown, a, b))
    groups = sum(part.by == "group" for part in effects)
    if groups > _MOST_GROUPS:
        blocks.append(
            Paragraph(
                f"Of {groups:,} documents, the {_MOST_GROUPS} with the {_first_shown(effects)} are shown.",
                "dim",
            )
        )
    return Section(
        key="slices", title="Parts of the test set", menu="Slices", lead=lead, blocks=tuple(blocks)
    )


def _shown(effects: Sequence[SliceEffect]) -> list[SliceEffect]:
    groups = sorted(
        (part for part in effects if part.by == "group"),
        key=lambda part: (-abs(part.effect) if math.isnan(part.pvalue) else part.pvalue, part.value),
    )
    shown = groups[:_MOST_GROUPS]
    return [*(part for part in effects if part.by != "group"), *shown]


def _first_shown(effects: Sequence[SliceEffect]) -> str:
    is_tested = any(part.by == "group" and not math.isnan(part.pvalue) for part in effects)
    return "smallest p-values" if is_tested else "largest differences"


def _words(reversed_parts: Sequence[SliceEffect], sure: Sequence[SliceEffect], n: int, a: str, b: str) -> str:
    if sure:
        named = ", ".join(f"{_BY.get(part.by, part.by)} {part.value}" for part in sure[:4])
        return f"In {len(sure)} of {n} parts the order of {a} and {b} is reversed significantly: {named}."
    if reversed_parts:
        tested = "" if not any(math.isnan(part.pvalue) for part in reversed_parts) else " of those tested"
        some = f"In {len(reversed_parts)} of {n} parts the order of {a} and {b} is reversed"
        return f"{some}, in none{tested} significantly."
    return f"The order of {a} and {b} is the same in {'both' if n == 2 else f'all {n}'} parts."


def _table(shown: Sequence[SliceEffect], a: str, b: str) -> TableBlock:
    digits = digits_for([(part.high - part.low) / 2 for part in shown], [part.effect for part in shown])
    columns = (
        TableColumn(heading="part"),
        TableColumn(heading="segments", kind="integer"),
        TableColumn(heading="difference", kind="number", digits=digits),
        TableColumn(heading="95% CI", kind="interval", digits=digits),
        TableColumn(heading="p", kind="pvalue"),
        TableColumn(heading="p adjusted", kind="pvalue"),
        *([TableColumn(heading="order")] if any(part.is_reversed for part in shown) else []),
    )
    rows = tuple(
        (
            f"{_BY.get(part.by, part.by)}: {part.value}{f' ({part.limits})' if part.limits else ''}",
            part.n_segments,
            part.effect,
            (part.low, part.high),
            part.pvalue,
            part.adjusted,
            ("reversed *" if part.adjusted <= _LEVEL else "reversed") if part.is_reversed else "",
        )[: len(columns)]
        for part in shown
    )
    numbers = [[getattr(part, name) for part in shown] for name in ("effect", "low", "high")]
    return TableBlock(
        key="slices-table",
        table=Table(title=f"{a} and {b} in parts of the test set", columns=columns, rows=rows),
        marks=interval_marks(*numbers, stressed=[part.adjusted <= _LEVEL for part in shown], zero=True),
        marks_heading=scale_heading(*numbers, zero=True),
    )
