"""Tables with a translation and its reference in each row, grouped into systems as the paper on aggregation does."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from betterthan.errors import BetterThanError
from betterthan.read.grid.columns import plain
from betterthan.read.grid.grid import Grid
from betterthan.tables.texts import Texts

_OUTPUT = ("hypothesis", "hyp", "mt", "translation", "output", "target")
_REFERENCE = ("reference", "ref")
_SYSTEM = ("system", "systemname", "model")
_SEGMENT = ("segment", "segid", "segmentid", "item", "itemid", "id", "line")
_GROUPS = (
    ("datasettype", "type", "collection"),
    ("dataset", "testset", "corpus", "domain"),
    ("lp", "langpair", "languagepair"),
)
"""Columns that distinguish data sets, the language pair last, as its name ends the name of a data set."""


class GroupedTexts(NamedTuple):
    """Outputs of the systems of one data set, which is named by its group."""

    dataset: str
    texts: Texts


class _Translation(NamedTuple):
    """One translation."""

    group: str
    system: str
    segment: str
    output: str
    reference: str


def is_text_table(header: Sequence[str]) -> bool:
    """Return whether a table has a translation and its reference in each row.

    Examples
    --------
    >>> is_text_table(["lp", "system", "hypothesis", "reference"]), is_text_table(["system", "score"])
    (True, False)
    """
    return _place(header, _OUTPUT) is not None and _place(header, _REFERENCE) is not None


def grouped_texts(grid: Grid, name: str) -> list[GroupedTexts]:
    """Group the rows by data set and system: by type of data set, data set and language pair, where there are columns.

    Segments are those of a column that names them; otherwise the rows of each system are in the same order. Systems
    with other segments than the rest, as in challenge sets, are data sets of their own.

    Raises
    ------
    BetterThanError
        Where a segment has two translations by one system, or two references.
    """
    by_group: dict[str, dict[str, list[_Translation]]] = {}
    for row in _rows(grid, name):
        by_group.setdefault(row.group, {}).setdefault(row.system, []).append(row)
    found = [one for group, systems in by_group.items() for one in _datasets(group, systems)]
    n_systems = sum(len(one.texts.systems) for one in found)
    note = f"{grid.n_rows:,} rows of {name} are {n_systems:,} systems in {len(found):,} data sets."
    first = found[0]
    found[0] = first._replace(texts=replace(first.texts, notes=(note,)))
    return found


def _place(header: Sequence[str], names: Sequence[str]) -> int | None:
    called = [plain(column) for column in header]
    return next((called.index(name) for name in names if name in called), None)


def _rows(grid: Grid, name: str) -> list[_Translation]:
    def column(names: Sequence[str]) -> list[str] | None:
        place = _place(grid.header, names)
        return None if place is None else grid.texts(place)

    outputs, references = column(_OUTPUT) or [], column(_REFERENCE) or []
    systems = column(_SYSTEM) or [name] * grid.n_rows
    parts = [values for values in map(column, _GROUPS) if values is not None]
    groups = [" ".join(cells) for cells in zip(*parts, strict=True)] if parts else [name] * grid.n_rows
    segments = column(_SEGMENT) or _numbered(groups, systems)
    return [
        _Translation(*cells) for cells in zip(groups, systems, segments, outputs, references, strict=True)
    ]


def _numbered(groups: Sequence[str], systems: Sequence[str]) -> list[str]:
    """Number the rows of every system of a group."""
    seen: dict[tuple[str, str], int] = {}
    numbers = []
    for key in zip(groups, systems, strict=True):
        seen[key] = seen.get(key, 0) + 1
        numbers.append(str(seen[key]))
    return numbers


def _datasets(group: str, systems: dict[str, list[_Translation]]) -> list[GroupedTexts]:
    """Return the systems of a group together that have the same segments with the same references."""
    together: dict[tuple[tuple[str, str], ...], dict[str, dict[str, str]]] = {}
    for system, rows in systems.items():
        outputs = {row.segment: row.output for row in rows}
        if len(outputs) < len(rows):
            raise BetterThanError(
                f'"{system}" has two translations of a segment of "{group}". Name data set and segment in columns.'
            )
        segments = tuple(sorted((row.segment, row.reference) for row in rows))
        together.setdefault(segments, {})[system] = outputs
    found = []
    for number, (segments, outputs_of) in enumerate(together.items(), start=1):
        ids = tuple(segment for segment, _ in segments)
        texts = Texts(
            systems=tuple(outputs_of),
            segments=ids,
            outputs=tuple(tuple(outputs[segment] for segment in ids) for outputs in outputs_of.values()),
            references=(tuple(reference for _, reference in segments),),
        )
        # The language pair stays at the end of the name.
        start, _, end = group.rpartition(" ")
        label = group if number == 1 else f"{start or 'part'} ({number}) {end}"
        found.append(GroupedTexts(label, texts))
    return found
