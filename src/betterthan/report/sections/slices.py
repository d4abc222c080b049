"""Parts of the test set: does the verdict hold in each of them?"""

from __future__ import annotations

import math
from collections.abc import Sequence

from betterthan.analysis.explain.slices import SliceEffect, slice_effects
from betterthan.present.numbers import digits_for
from betterthan.present.table import Table, TableColumn
from betterthan.report.document import Block, Paragraph, Section, TableBlock
from betterthan.report.figures.marks import interval_marks, scale_heading
from betterthan.report.inputs import Inputs

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
