"""What a report is made of: cards, sections, and blocks that know nothing of HTML but the pictures."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar

from markupsafe import Markup

from betterthan.present.table import Table
from betterthan.results.base import Result, json_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Card:
    """A number that matters, what it counts, and whether it is a warning."""

    number: str
    of: str = ""
    label: str
    is_warning: bool = False


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A sentence or several; `tone` is "plain", "dim", "note" or "warning"."""

    kind: ClassVar[str] = "paragraph"
    text: str
    tone: str = "plain"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableBlock:
    """A table that can be sorted, filtered and copied.

    Attributes
    ----------
    key : str
        Unique in the report.
    table : Table
        As all renderers take it.
    marks : tuple of Markup
        A small picture beside each row; empty when there are none.
    marks_heading : str
    links : mapping of (row, column) to an address
    csv : str
        All digits; the table as it is shown where there is nothing more.
    words : bool
        Whether the table's own words stand below it; its notes belong to the data check, once for all tables.
    copies : bool
        Whether it can be copied as LaTeX, Markdown and CSV.
    anchors : tuple of str
        An address inside the page for each row; empty when nothing leads to rows.
    """

    kind: ClassVar[str] = "table"
    key: str
    table: Table
    marks: tuple[Markup, ...] = ()
    marks_heading: str = ""
    links: Mapping[tuple[int, int], str] = field(default_factory=dict)
    csv: str = ""
    words: bool = False
    copies: bool = True
    anchors: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A picture as inline SVG, and what it shows in words."""

    kind: ClassVar[str] = "figure"
    key: str
    svg: Markup
    caption: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MatrixCell:
    """A cell of the matrix: its text, shade from −10 (bad) to 10 (good), whether it is sure, and what it opens."""

    text: str
    shade: int
    is_sure: bool
    title: str
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Rows against columns as an HTML table, coloured by style sheet; None on the diagonal.

    `is_of_pairs` says that rows and columns are systems which are compared, so that a server may have a page a cell.
    """

    kind: ClassVar[str] = "matrix"
    key: str
    caption: str
    corner: str
    rows: tuple[str, ...]
    columns: tuple[str, ...]
    cells: tuple[tuple[MatrixCell | None, ...], ...]
    rules: frozenset[int] = frozenset()
    is_of_pairs: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ChecklistItem:
    """A line of a checklist: state "ok", "note", "doubt" or "fault", code, text, and the explanation of the code."""

    state: str
    text: str
    code: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class Checklist:
    """What was looked at, and whether it is well."""

    kind: ClassVar[str] = "checklist"
    items: tuple[ChecklistItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """Text to copy as it is."""

    kind: ClassVar[str] = "code"
    key: str
    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MarkedText:
    """A text cut into pieces, each marked "same" or "other"."""

    label: str
    pieces: tuple[tuple[str, bool], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentRow:
    """A segment to look at: its scores by system, why it is here, and its texts."""

    segment: str
    anchor: str
    why: tuple[str, ...]
    scores: tuple[tuple[str, str], ...]
    difference: str
    group: str = ""
    texts: tuple[MarkedText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Segments:
    """The list of segments, with the reasons that it can be filtered by."""

    kind: ClassVar[str] = "segments"
    key: str
    difference: str
    rows: tuple[SegmentRow, ...]
    reasons: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchView:
    """One of several views of the same thing."""

    key: str
    label: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """Views of which one is seen at a time; all of them in print."""

    kind: ClassVar[str] = "switch"
    key: str
    label: str
    choices: tuple[SwitchView, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """Blocks side by side where the screen is wide."""

    kind: ClassVar[str] = "columns"
    left: tuple[Block, ...]
    right: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fold:
    """Blocks behind a line that opens them."""

    kind: ClassVar[str] = "fold"
    key: str
    label: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyPair:
    """The place where a script shows any pair of systems."""

    kind: ClassVar[str] = "any_pair"
    systems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Downloads:
    """The results as files."""

    kind: ClassVar[str] = "downloads"
    names: tuple[str, ...]


Block = (
    Paragraph
    | TableBlock
    | Figure
    | Matrix
    | Checklist
    | Code
    | Segments
    | Switch
    | Columns
    | Fold
    | AnyPair
    | Downloads
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A part of the report: its anchor, its title, its name in the menu, a line below it, and its blocks."""

    key: str
    title: str
    menu: str = ""
    lead: str = ""
    blocks: tuple[Block, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that a page shows, and the results behind it.

    Attributes
    ----------
    title : str
        What the data are.
    kind : {"scores", "battles", "meta", "texts", "tags"}
    headline : str
        The verdict in a few words.
    verdict : str
        The verdict in a sentence or two, with what must be known about it.
    cards : tuple of Card
    sections : tuple of Section
    results : dict of str to Result
        What the verbs answered.
    notes : tuple of str
        What was left out or assumed.
    command : str
        Makes the report again.
    payload : dict
        What the page's script needs to show any pair: plain JSON data, empty when there is nothing to show.
    """

    title: str
    kind: str
    headline: str
    verdict: str
    cards: tuple[Card, ...]
    sections: tuple[Section, ...]
    results: dict[str, Result]
    notes: tuple[str, ...]
    command: str
    payload: dict[str, Any] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """Return title, verdict, notes, command and every result as plain JSON-able data."""
        return {
            "schema": "betterthan.report/1",
            "title": self.title,
            "kind": self.kind,
            "headline": self.headline,
            "verdict": self.verdict,
            "notes": list(self.notes),
            "command": self.command,
            "results": {name: result.to_dict() for name, result in self.results.items()},
        }

    def to_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return json_text(self.to_dict(), separators=(",", ":"))
