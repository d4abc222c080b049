"""An audition as a table: a measure a row."""

from __future__ import annotations

from betterthan.present.table import Cell, Column, Table
from betterthan.present.tag_names import tag_measure_name
from betterthan.results.audition import Audition
from betterthan.results.units import with_unit_first, without_unit

_LEGEND = (
    "Under a labelling: how many systems it outscores. d: share of pairs of systems that differ significantly, in all, "
    "in the upper and in the lower half. A measure by which labellings outscore systems that know more than they do "
    "can be gamed."
)


def audition_table(result: Audition) -> Table:
    """Return measures with the systems that each labelling outscores, and the share of pairs that differ."""
    shares = [Column(heading=name, kind="number") for name in ("d", "d top", "d bottom")]
    columns = (
        Column(heading="measure"),
        *(Column(heading=name, kind="integer") for name in result.synthetic),
        Column(heading="sum", kind="integer"),
        *shares,
        Column(heading="groups", kind="integer"),
    )
    size = f"{len(result.systems)} systems, {len(result.synthetic)} synthetic labellings"
    return Table(
        title=f"Audition of {len(result.measures)} measures of word tags ({size})",
        columns=columns,
        rows=tuple(_row(result, i) for i in range(len(result.measures))),
        words=with_unit_first(
            (*(_named(line, result) for line in result.sentences), _LEGEND),
            result.unit_note,
            result.settings.options["units"],
            result.undecidable,
        ),
        notes=without_unit(
            result.notes, result.unit_note, result.settings.options["units"], result.undecidable
        ),
        signature=result.settings.signature,
    )


def _row(result: Audition, i: int) -> tuple[Cell, ...]:
    shares = (result.d[i], result.d_top[i], result.d_bottom[i])
    return (
        tag_measure_name(result.measures[i]),
        *(float(n) for n in result.below[i]),
        float(result.total[i]),
        *(float(share) for share in shares),
        int(result.n_groups[i]),
    )


def _named(sentence: str, result: Audition) -> str:
    """Write measures in a sentence as the table does; longest names first, so that none is cut in two."""
    for name in sorted(result.measures, key=len, reverse=True):
        sentence = sentence.replace(name, tag_measure_name(name))
    return sentence
