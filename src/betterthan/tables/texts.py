"""Texts: system outputs, references and sources, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from betterthan.arrays import digest
from betterthan.errors import TableError
from betterthan.tables.checks import (
    Frozen,
    at,
    fields_from,
    group_labels,
    is_writable,
    labels,
    listed,
    note_texts,
    positions,
)
from betterthan.tables.row_order import RowOrder, as_row_order, to_json


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Texts(Frozen):
    """Outputs of m systems for the same n segments, with references and sources where there are any.

    Parameters
    ----------
    systems : sequence of str
        m distinct names.
    segments : sequence of str
        n distinct ids.
    outputs : sequence of sequences of str
        m lists of n texts; None marks an output that is missing.
    references : sequence of sequences of str
        Any number of lists of n texts: one list per reference, not one list per segment.
    reference_names : sequence of str, optional
        Defaults to "ref", or "ref1", "ref2", …
    sources : sequence of str, optional
    groups : sequence of str, optional
        The document of each segment.
    notes : sequence of str
    row_order : RowOrder, optional
        Set by readers of files without ids: segments are then the numbers of rows, and tables are joined with care.

    Examples
    --------
    >>> Texts(systems=["A"], segments=["1", "2"], outputs=[["a b", "c"]], references=[["a b", "d"]])
    Texts(1 systems × 2 segments, 1 reference)
    """

    systems: tuple[str, ...]
    segments: tuple[str, ...]
    outputs: tuple[tuple[str | None, ...], ...]
    references: tuple[tuple[str, ...], ...] = ()
    reference_names: tuple[str, ...] = ()
    sources: tuple[str, ...] | None = None
    groups: tuple[str, ...] | None = None
    notes: tuple[str, ...] = ()
    row_order: RowOrder | None = None

    def __post_init__(self) -> None:
        put = object.__setattr__
        put(self, "systems", labels(self.systems, what="system"))
        put(self, "segments", labels(self.segments, what="segment"))
        n = len(self.segments)
        outputs = listed(self.outputs, what="outputs")
        if len(outputs) != len(self.systems):
            raise TableError(f"There are {len(outputs)} outputs for {len(self.systems)} systems.")
        named = zip(self.systems, outputs, strict=True)
        put(
            self,
            "outputs",
            tuple(_lines(lines, n, f'Output of "{name}"', missing=True) for name, lines in named),
        )
        put(
            self,
            "references",
            tuple(
                _lines(lines, n, f"Reference {i}")
                for i, lines in enumerate(listed(self.references, what="references"), 1)
            ),
        )
        put(self, "reference_names", self._names_of_references())
        put(self, "sources", None if self.sources is None else _lines(self.sources, n, "The source"))
        put(self, "groups", group_labels(self.groups, n_segments=n))
        put(self, "notes", note_texts(self.notes, system=self.systems))
        put(self, "row_order", as_row_order(self.row_order))

    def _names_of_references(self) -> tuple[str, ...]:
        many = len(self.references)
        default = ("ref",) if many == 1 else tuple(f"ref{i}" for i in range(1, many + 1))
        given = listed(self.reference_names, what="reference_names")
        names = labels(given or default, what="reference", at_least=0)
        if len(names) != many:
            raise TableError(f"There are {len(names)} reference names for {many} references.")
        return names

    @property
    def digest(self) -> str:
        """Eight hexadecimal digits that change whenever a label or a text does."""
        labelled = (self.systems, self.segments, self.reference_names, self.groups)
        return digest(labelled, self.outputs, self.references, self.sources)

    def select(self, systems: Sequence[str] | None = None, segments: Sequence[str] | None = None) -> Self:
        """Return the texts of these systems and segments, in this order."""
        rows = positions(systems, self.systems, what="system")
        columns = positions(segments, self.segments, what="segment")
        return replace(
            self,
            systems=at(rows, self.systems),
            segments=at(columns, self.segments),
            outputs=tuple(at(columns, self.outputs[i]) for i in rows),
            references=tuple(at(columns, lines) for lines in self.references),
            sources=None if self.sources is None else at(columns, self.sources),
            groups=None if self.groups is None else at(columns, self.groups),
        )

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON-able data."""
        return {
            "kind": "texts",
            "systems": list(self.systems),
            "segments": list(self.segments),
            "outputs": [list(lines) for lines in self.outputs],
            "references": [list(lines) for lines in self.references],
            "reference_names": list(self.reference_names),
            "sources": None if self.sources is None else list(self.sources),
            "groups": None if self.groups is None else list(self.groups),
            "notes": list(self.notes),
            "row_order": to_json(self.row_order),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """Make the table from :meth:`to_dict`'s data."""
        return cls(**fields_from(data, cls, kind="texts"))

    def __repr__(self) -> str:
        many = len(self.references)
        refs = f"{many} reference{'' if many == 1 else 's'}"
        return f"Texts({len(self.systems)} systems × {len(self.segments):,} segments, {refs})"


def _lines(lines: Iterable[Any], n: int, what: str, *, missing: bool = False) -> tuple[Any, ...]:
    if isinstance(lines, str):
        raise TableError(f"{what} is a single text; a list of {n} texts is needed, one per segment.")
    result = listed(lines, what=what)
    if len(result) != n:
        raise TableError(f"{what} has {len(result):,} texts for {n:,} segments; one per segment is needed.")
    for i, line in enumerate(result, 1):
        if line is None and missing:
            continue
        if not isinstance(line, str):
            raise TableError(f"{what}, segment {i}: {type(line).__name__} found where a text is needed.")
        if not is_writable(line):
            raise TableError(f"{what}, segment {i}: unpaired surrogate found. Decode the file as UTF-8.")
    return tuple(None if line is None else str.__str__(line) for line in result)
