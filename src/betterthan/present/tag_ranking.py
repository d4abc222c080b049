"""Systems that tag words as a table: measures side by side, labellings that know nothing in brackets."""

from __future__ import annotations

import numpy as np

from betterthan.present.numbers import percent
from betterthan.present.table import Cell, Column, Table
from betterthan.present.tag_names import tag_measure_name
from betterthan.results.tag_ranking import TagRanking
from betterthan.results.units import with_unit_first, without_unit

_DIGITS = 3
_LEGEND = (
    "[…] are synthetic labellings that know next to nothing. Where one outscores a system, the measure can be gamed, "
    "or the system knows as little."
)
_CORRECTIONS = {
    "max_statistic": "adjusted by the maximum statistic",
    "none": "uncorrected",
    "bonferroni": "Bonferroni-corrected",
    "holm": "Holm-corrected",
    "benjamini_hochberg": "false discovery rate",
}


def tag_ranking_table(result: TagRanking) -> Table:
    """Return systems best first by the first measure, with its interval, groups and letters."""
    names = [tag_measure_name(name) for name in result.measures]
    columns = (
        Column(heading="group", kind="integer"),
        Column(heading="system"),
        Column(heading=names[0], kind="number", digits=_DIGITS),
        Column(heading=percent(result.confidence), kind="interval", digits=_DIGITS),
        Column(heading="letters"),
        *(Column(heading=name, kind="number", digits=_DIGITS) for name in names[1:]),
    )
    real = np.flatnonzero(~result.is_synthetic)
    size = f"{real.size} systems, {len(result.systems) - real.size} synthetic, {result.n_words:,} tags"
    return Table(
        title=f"Word tags by {names[0]} ({size})",
        columns=columns,
        rows=tuple(_row(result, i) for i in range(len(result.systems))),
        bold=frozenset((int(i), 1) for i in real if result.cluster[i, 0] == 1),
        words=with_unit_first(
            _words(result), result.unit_note, result.settings.options["units"], result.undecidable
        ),
        notes=without_unit(
            result.notes, result.unit_note, result.settings.options["units"], result.undecidable
        ),
        signature=result.settings.signature,
    )


def _row(result: TagRanking, i: int) -> tuple[Cell, ...]:
    name = f"[{result.systems[i]}]" if result.is_synthetic[i] else result.systems[i]
    group = float(result.cluster[i, 0])
    return (
        None if np.isnan(group) else int(group),
        name,
        float(result.value[i, 0]),
        (float(result.low[i, 0]), float(result.high[i, 0])),
        result.letters[i],
        *(float(value) for value in result.value[i, 1:]),
    )


def _words(result: TagRanking) -> tuple[str, ...]:
    told = []
    if result.n_pairs:
        parts = [
            f"{tag_measure_name(name)} {n_different} ({_groups(int(groups))})"
            for name, n_different, groups in zip(
                result.measures, result.n_different, result.n_groups, strict=True
            )
        ]
        how = f"randomisation tests, {_CORRECTIONS.get(result.correction, result.correction)}"
        told.append(
            f"Of {result.n_pairs} pairs of systems, significantly different at {result.alpha:g} ({how}): "
            f"{', '.join(parts)}."
        )
    if not result.is_synthetic.any():
        return tuple(told)
    told.append(_LEGEND)
    return (*told, *(line for name in result.measures for line in _gamed(result, name)))


def _groups(n: int) -> str:
    return f"{n} group" if n == 1 else f"{n} groups"


def _gamed(result: TagRanking, measure: str) -> list[str]:
    beaten = {name: n for name, n in result.above(measure).items() if n}
    if not beaten:
        return []
    n_real = int(np.count_nonzero(~result.is_synthetic))
    listed = ", ".join(f"{name} outscores {n} of {n_real}" for name, n in beaten.items())
    return [f"By {tag_measure_name(measure)} {listed}."]
