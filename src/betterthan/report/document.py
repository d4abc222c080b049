"""What a report is made of: cards, sections, and blocks; only figures contain markup.

Every table can be copied as LaTeX, Markdown and CSV.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, NamedTuple

from markupsafe import Markup

from betterthan.present.delimited import render_csv
from betterthan.present.delimited import safe as safe_cell
from betterthan.present.renderers.latex import render_latex
from betterthan.present.renderers.markdown import render_markdown
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


@dataclass(frozen=True, slots=True)
class Bullets:
    """Sentences as a list, such as the explanation of a pair."""

    kind: ClassVar[str] = "bullets"
    items: tuple[str, ...]


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
        A small picture for each row, shown beside the name; empty when there are none.
    marks_heading : str
    links : mapping of (row, column) to an address
    csv : str
        All digits; the table as it is shown where there is nothing more.
    words : bool
        Whether the table's own sentences are shown below it; its notes are shown in the data check.
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
    """A cell of the matrix: its text, shade from −10 (bad) to 10 (good), whether it is significant, and its link."""

    text: str
    shade: int
    is_sure: bool
    title: str
    target: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Matrix:
    """Rows against columns as an HTML table, colored by style sheet; None on the diagonal.

    `is_of_pairs` says that rows and columns are the systems compared, so that a server may have a page for each cell.
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
    """A line of a checklist: state "ok", "note", "warning" or "error", code, text, and an explanation of the code."""

    state: str
    text: str
    code: str = ""
    more: str = ""


@dataclass(frozen=True, slots=True)
class Checklist:
    """What was checked, with the outcome of each check."""

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
class SystemOutput:
    """One of the two systems on a segment: its score, and its output in pieces.

    A piece is a text with its marks: "r" where the reference differs, "o" where the other output does, "ro" for both.
    """

    system: str
    score: str
    pieces: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentRow:
    """A segment to read: the two systems compared, the other systems, and the texts that all share.

    Attributes
    ----------
    segment, anchor : str
    why : tuple of str
        Keys of the reasons for which it was chosen.
    pair : tuple of SystemOutput
        The two systems.
    others : tuple of (system, score)
        The best of the other systems on this segment.
    n_others : int
        How many other systems there are.
    strip : Markup
        All scores of the segment on one axis.
    difference : str
        Score of the first minus that of the second.
    group : str
        Its document.
    texts : tuple of MarkedText
        Source and references.
    """

    segment: str
    anchor: str
    why: tuple[str, ...]
    pair: tuple[SystemOutput, ...]
    difference: str
    others: tuple[tuple[str, str], ...] = ()
    n_others: int = 0
    strip: Markup | None = None
    group: str = ""
    texts: tuple[MarkedText, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Segments:
    """The segments to read, with the reasons they can be filtered by and what the marks in the texts mean."""

    kind: ClassVar[str] = "segments"
    key: str
    difference: str
    rows: tuple[SegmentRow, ...]
    reasons: tuple[tuple[str, str], ...]
    legend: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedSentence:
    """A sentence with the tags of the truth and of two systems.

    `lines` holds a label and, for each word, the word, whether it is tagged BAD, and whether that is wrong.
    """

    segment: str
    difference: str
    lines: tuple[tuple[str, tuple[tuple[str, bool, bool], ...]], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TaggedSentences:
    """Sentences with their tags."""

    kind: ClassVar[str] = "tagged"
    key: str
    rows: tuple[TaggedSentence, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SwitchView:
    """One of several views of the same data."""

    key: str
    label: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Switch:
    """Views of which one is shown at a time; all of them in print."""

    kind: ClassVar[str] = "switch"
    key: str
    label: str
    choices: tuple[SwitchView, ...]


@dataclass(frozen=True, slots=True)
class Columns:
    """Blocks side by side where the screen is wide: in equal columns, or the left as wide as what it shows."""

    kind: ClassVar[str] = "columns"
    left: tuple[Block, ...]
    right: tuple[Block, ...]
    fits_left: bool = False


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
    | Bullets
    | TableBlock
    | Figure
    | Matrix
    | Checklist
    | Code
    | Segments
    | TaggedSentences
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
    kind : {"scores", "battles", "meta", "texts", "tags", "quality", "runs"}
    headline : str
        The verdict in a few words.
    verdict : str
        The verdict in a sentence or two: winner, runner-up, size of the difference, and how sure it is.
    caveats : tuple of str
        What changes how the verdict is to be read, such as human translations among the systems.
    cards : tuple of Card
    sections : tuple of Section
    results : dict of str to Result
        The results of the verbs.
    notes : tuple of str
        What was left out or assumed.
    command : str
        The command that reproduces the report.
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
    caveats: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return title, verdict, notes, command and every result as plain JSON-able data."""
        return {
            "schema": "betterthan.report/1",
            "title": self.title,
            "kind": self.kind,
            "headline": self.headline,
            "verdict": self.verdict,
            "caveats": list(self.caveats),
            "notes": list(self.notes),
            "command": self.command,
            "results": {name: result.to_dict() for name, result in self.results.items()},
        }

    def to_json(self) -> str:
        """Return :meth:`to_dict` as strict JSON text."""
        return json_text(self.to_dict(), separators=(",", ":"))


class TableCopy(NamedTuple):
    """One text to copy, and what it is called."""

    label: str
    text: str


def copies_of(block: TableBlock) -> tuple[TableCopy, ...]:
    """Return the table in each format."""
    comma = TableCopy("CSV", block.csv or csv_of(block.table))
    return (
        TableCopy("LaTeX", render_latex(block.table)),
        TableCopy("Markdown", render_markdown(block.table)),
        comma,
    )


def csv_of_result(result: Result) -> str:
    """Return a result's tidy columns with all digits."""
    return render_csv(result)


def csv_of(table: Table) -> str:
    r"""Return the cells as they are shown, safe for spreadsheets.

    Examples
    --------
    >>> from betterthan.present.table import TableColumn
    >>> csv_of(Table(title="", columns=(TableColumn(heading="system"),), rows=(("=1+1",), ("a",))))
    "system\n'=1+1\na\n"
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow([safe(column.heading) for column in table.columns])
    is_number = [column.kind != "text" for column in table.columns]
    for row in table.written():
        writer.writerow([safe(cell, thousands=comma) for cell, comma in zip(row, is_number, strict=True)])
    return buffer.getvalue()


def safe(cell: str, *, thousands: bool = False) -> str:
    """Return a cell with a leading quote where a spreadsheet would take it for a formula; numbers stay as they are.

    In columns of numbers the commas between `thousands` are left out; elsewhere a comma is part of a name.

    Examples
    --------
    >>> safe("=cmd()"), safe("-1.5"), safe("−1.5"), safe("12,345", thousands=True), safe("12,345")
    ("'=cmd()", '-1.5', '-1.5', '12345', '12,345')
    """
    as_number = cell.replace("−", "-")
    as_number = as_number.replace(",", "") if thousands else as_number
    try:
        float(as_number)
    except ValueError:
        return str(safe_cell(cell))
    return as_number
