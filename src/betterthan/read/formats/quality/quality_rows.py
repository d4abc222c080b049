"""Rows of the quality estimation tasks: separated by tabs, with or without a header, quotation marks as text.

Submissions begin with two or three lines of metadata: bytes on disk, number of parameters and, since 2023, number
of models. Published gold labels were partly written by a CSV writer, so a cell may be quoted although others are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeVar

import numpy as np

from betterthan.arrays import IntArray
from betterthan.errors import ReadError, some_of
from betterthan.messages import Message, Option
from betterthan.read.formats.builders import finite
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import check_names
from betterthan.read.plausibility.direction import is_truth_of_predictions
from betterthan.read.protocol import Guess
from betterthan.read.source.source import Source

RowCells = Sequence[str]
GOLD = "gold"
"""The name of the gold labels where a column names systems."""
_MOST_FACTS = 3
_PAIR = re.compile(r"[A-Za-z]{2,3}(?:_[A-Za-z]+)?-[A-Za-z]{2,3}(?:_[A-Za-z]+)?")
_SHARE = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Columns of a file: their names from the third on, and the pattern of a row without a header."""

    columns: tuple[str, ...]
    looks_like: Callable[[RowCells], bool]

    @property
    def width(self) -> int:
        """Number of cells of a row, including language pair and system."""
        return len(self.columns) + 2

    def is_header(self, cells: RowCells) -> bool:
        """Whether a row names the columns; the second is called "name", or "gold" in the files of 2023."""
        names = tuple(cell.strip().casefold() for cell in cells)
        return len(names) == self.width and names[0] == "lp" and names[2:] == self.columns

    def is_row(self, cells: RowCells) -> bool:
        """Whether a row looks like one of this layout."""
        if len(cells) != self.width or not is_pair(cells[0]):
            return False
        return self.looks_like([unquoted(cell) for cell in cells])


@dataclass(slots=True)
class RowAccount:
    """Counts of rows, of rows left out by reason, and of quoted cells."""

    n_rows: int = 0
    n_quoted: int = 0
    n_facts: int = 0
    dropped: dict[str, int] = field(default_factory=dict)

    def drop(self, why: str) -> None:
        """Count a row that is left out."""
        self.dropped[why] = self.dropped.get(why, 0) + 1

    def notes(self, path: str) -> tuple[str, ...]:
        """Return notes on skipped lines and quoted cells."""
        notes = []
        if self.n_facts:
            notes.append(
                f"{path}: the first {self.n_facts} lines are metadata of the submission, not rows (bytes, "
                f"parameters, models)."
            )
        if self.n_quoted:
            notes.append(f"{path}: quoted cells, read as in CSV: {self.n_quoted:,}.")
        return tuple(notes)


def fits(source: Source, layout: Layout) -> Literal["header", "rows"] | None:
    """Return the reason why the first lines match a layout, or None.

    Some lines may not match: reading the file reports these.
    """
    if source.is_parquet or source.is_folder:
        return None
    rows = [line.rstrip("\r\n").split("\t") for line in first_lines(source) if line.strip()]
    while rows and len(rows[0]) == 1:
        rows = rows[1:]
    if rows and layout.is_header(rows[0]):
        return "header"
    if rows and not is_pair(rows[0][0]):
        return None  # the header of another table
    good = sum(layout.is_row(row) for row in rows)
    return "rows" if rows and good > _SHARE * len(rows) else None


def guess(source: Source, layout: Layout, confidence: float) -> Guess | None:
    """Return the confidence of a layout, with its reason."""
    fit = fits(source, layout)
    if fit is None:
        return None
    columns = ", ".join(("lp", "name", *layout.columns))
    because = f"the columns are called {columns}" if fit == "header" else f"every row is {columns}"
    return Guess(confidence=confidence, because=because)


def rows_of(source: Source, layout: Layout, account: RowAccount) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the cells of each row; header, empty lines and metadata of a submission are skipped.

    Raises
    ------
    ReadError
        When a row has another number of cells (BT012).
    """
    for line, text in enumerate(source.lines(), 1):
        if not text.strip():
            continue
        cells = text.split("\t")
        if not account.n_rows:
            if len(cells) == 1 and line <= _MOST_FACTS:
                account.n_facts += 1
                continue
            if layout.is_header(cells):
                continue
        # A tab too many at the end hides nothing.
        while len(cells) > layout.width and not cells[-1].strip():
            cells.pop()
        if len(cells) != layout.width:
            raise _wrong_width(len(cells), layout, source, line)
        account.n_rows += 1
        plain = [unquoted(cell) for cell in cells]
        account.n_quoted += sum(map(str.__ne__, cells, plain))
        yield line, plain


def unquoted(cell: str) -> str:
    r"""Return a cell without the quotes of a CSV writer, recognized by doubled quotes inside.

    A sentence in quotes is left alone: a CSV writer would have tripled its quotes.

    Examples
    --------
    >>> print(unquoted('"He said ""no""."'), unquoted('"No," he said "no"'), unquoted('"No."'))
    He said "no". "No," he said "no" "No."
    """
    inner = cell[1:-1]
    if cell[:1] == cell[-1:] == '"' and '""' in inner and '"' not in inner.replace('""', ""):
        return inner.replace('""', '"')
    return cell


def is_pair(cell: str) -> bool:
    """Whether a cell is a language pair such as en-de."""
    return _PAIR.fullmatch(cell.strip()) is not None


def is_count(cell: str) -> bool:
    """Whether a cell is a whole number from 0 on, as segments and words are numbered."""
    text = cell.strip()
    return text.isascii() and text.isdigit() and len(text) < 10


def number(cell: str, source: Source, line: int) -> float:
    """Return the number in a cell, NaN if it is missing; anything else is refused (BT013, BT014)."""
    return finite(cell, path=source.name, line=line, fix="Leave the cell empty if the score is missing.")


def named(cells: RowCells, source: Source, line: int) -> tuple[str, str, str]:
    """Return the language pair, system and segment of a row.

    Raises
    ------
    ReadError
        When one of them is missing (BT105).
    """
    pair, name, segment = (cell.strip() for cell in cells[:3])
    check_names({"language pair": pair, "system": name, "segment": segment}, path=source.name, line=line)
    return pair.lower(), name, segment


def _wrong_width(width: int, layout: Layout, source: Source, line: int) -> ReadError:
    columns = " ".join(("lp", "name", *layout.columns))
    return source.error(
        f"The row has {width} cells, but {layout.width} are needed: {columns}. Separate them by tabs.",
        line=line,
        code="BT012",
    )


# Choice of the gold labels, the systems and the language pair.


class Named(Protocol):
    """Labels of the sentences of one language pair by one system; the pair is "" where the file has none."""

    @property
    def name(self) -> str:
        """The system, or "gold"."""

    @property
    def path(self) -> str:
        """The file, as the user named it."""

    @property
    def pair(self) -> str:
        """The language pair."""


Some = TypeVar("Some", bound=Named)


def truth_and_systems(parts: Sequence[Some]) -> tuple[list[Some], list[Some]]:
    """Return the labels called "gold", and the others."""
    truth = [one for one in parts if one.name.casefold() == GOLD]
    return truth, [one for one in parts if one.name.casefold() != GOLD]


def refuse_truth_among(systems: Mapping[str, str]) -> None:
    """Raise when true scores are among the systems: predictions are compared with them.

    Parameters
    ----------
    systems : mapping of str to str
        The name of each system and its file.

    Raises
    ------
    ReadError
        When some of the systems, but not all, are named like gold labels (BT231).
    """
    truth = [name for name in systems if is_truth_of_predictions(name)]
    others = [name for name in systems if name not in truth]
    if truth and others:
        gold = systems[truth[0]]
        # One file may hold gold labels and predictions; it is then passed as both.
        is_one = all(systems[name] == gold for name in others)
        name = "rename it" if is_one else f"give it another name: NAME={gold}"
        raise ReadError(
            f"{quoted(truth[0])} is named like gold labels and would be ranked as a system with {some_of(others)}. "
            f"To compare predictions with it: betterthan quality {gold} {gold if is_one else 'FILE...'}. "
            f"If it is a system, {name}.",
            path=gold,
            code="BT231",
        )


def of_pair(
    gold: Sequence[Some], systems: Sequence[Sequence[Some]], language_pair: str | None, *, path: str
) -> tuple[Some, list[Some]]:
    """Choose the gold labels and the systems of one language pair.

    In the gold file the labels called "gold" are used, if there are any; in the other files all others are systems. The
    language pair need not be named if only one is in all files.

    Raises
    ------
    ReadError
        When several pairs are in all files and none was chosen, the chosen one does not exist, or the gold labels are
        ambiguous (BT307).
    """
    truth = truth_and_systems(gold)[0] or list(gold)
    predicted = [truth_and_systems(parts)[1] or list(parts) for parts in systems]
    shared = _shared([truth, *predicted])
    if language_pair is not None:
        shared = [pair for pair in shared if pair == language_pair.lower()]
    if len(shared) > 1 or not (shared or (language_pair is None and not _pairs([truth, *predicted]))):
        raise _no_pair(shared, language_pair, path)
    chosen = ("", *shared)
    one = [part for part in truth if part.pair in chosen]
    if len(one) != 1:
        raise ReadError(
            f"The gold labels must come from one source, but there are {len(one)}: "
            f"{some_of([part.name[:40] for part in one])}. "
            f'Call it "gold", or use a separate file.',
            path=path,
            code="BT307",
        )
    return one[0], [part for parts in predicted for part in parts if part.pair in chosen]


def _pairs(files: Sequence[Sequence[Named]]) -> list[str]:
    return list(dict.fromkeys(part.pair for parts in files for part in parts if part.pair))


def _shared(files: Sequence[Sequence[Named]]) -> list[str]:
    """Return the language pairs that are in all files which name any."""
    named = [set(pairs) for parts in files if (pairs := _pairs([parts]))]
    return [pair for pair in _pairs(files) if all(pair in pairs for pairs in named)]


def _no_pair(pairs: Sequence[str], requested: str | None, path: str) -> ReadError:
    if not pairs:
        what = quoted(requested) if requested else "language pair"
        text: str = f"No {what} is in all of the files. Use files of one language pair."
    else:
        listed = some_of([pair[:20] for pair in pairs])
        text = Message(
            "All files have several language pairs ({pairs}), which cannot be scored together. Choose one with {pair}.",
            pairs=listed,
            pair=Option("language_pair", pairs[0]),
        )
    return ReadError(text, path=path, code="BT307")


def refuse_same_names(systems: Sequence[Named]) -> None:
    """Raise when two systems have the same name (BT131)."""
    seen: dict[str, Named] = {}
    for one in systems:
        if one.name in seen:
            raise ReadError(
                f"This file and {seen[one.name].path} both have a system called {quoted(one.name)}. "
                f"Name one of them: NAME={one.path}",
                path=one.path,
                code="BT131",
            )
        seen[one.name] = one


def order_of(ids: Sequence[str], *, path: str) -> IntArray:
    """Return the positions of sentences 0, 1, 2, … (or 1, 2, 3, …) in a file, to match them with lines of another.

    Raises
    ------
    ReadError
        When the ids are not consecutive numbers (BT304).
    """
    numbers = [int(name) for name in ids if is_count(name)]
    start = min(numbers, default=0)
    if len(numbers) != len(ids) or sorted(numbers) != list(range(start, start + len(ids))) or start > 1:
        raise ReadError(
            "The other file has one sentence per line and no ids, so the sentences here must be numbered 0, 1, 2, … "
            "Use the same layout for both files.",
            path=path,
            code="BT304",
        )
    return np.argsort(np.array(numbers, dtype=np.int64))
