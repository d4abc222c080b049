"""What is this file, and what is in it?"""

from __future__ import annotations

from dataclasses import dataclass
from math import isfinite
from typing import Any

from betterthan.errors import ReadError
from betterthan.messages import Message, Option
from betterthan.read.formats.registry import plausible, reader, refuse_choice, takes_folder
from betterthan.read.frames import FrameLike, is_frame, read_frame, two_layouts
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.delimited import quote_notes
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import parse
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.grid.selection import refuse_unused
from betterthan.read.protocol import Format, Guess, Kind, Options, Reader, Reading
from betterthan.read.source.paths import refuse_arrow_folder
from betterthan.read.source.source import Given, Source, no_data_folder, open_source
from betterthan.read.where import read_frame_where, read_where

_SHOWN = 30  # characters of a cell in a message
# Below this a reader only says that it would try.
_HARDLY = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """What a file seems to be.

    Attributes
    ----------
    name : str
        The file, as the user named it.
    format : str
        The name of the reader that is surest.
    kind : {"scores", "matches", "ratings", "tags", "texts"}
        The kind of table it becomes.
    confidence : float
        From 0 to 1.
    because : str
        The reason, in words.
    runners_up : tuple of Recognition
        The other readers that would try, surest first.
    """

    name: str
    format: str
    kind: Kind
    confidence: float
    because: str
    runners_up: tuple[Recognition, ...] = ()


def sniff(source: Given) -> Recognition:
    r"""Say what a file seems to be, from its name, first bytes, header and first rows.

    Parameters
    ----------
    source : path, "-" or open file
        The path may be a folder.

    Returns
    -------
    Recognition

    Raises
    ------
    ReadError
        When the file cannot be opened, or no reader knows its layout (BT009).

    Examples
    --------
    >>> import io
    >>> found = sniff(io.StringIO("item,system,score\n1,A,0.5\n1,B,0.25\n"))
    >>> found.format, found.kind, found.because
    ('long', 'scores', 'columns "system" and "score" name systems and scores')
    """
    opened = source if isinstance(source, Source) else open_source(source, folders=True)
    return recognise(opened)


def recognise(source: Source) -> Recognition:
    """Ask the readers of the formats that an opened source may have."""
    guesses = [(module, guess) for module in plausible(source) if (guess := module.sniff(source))]
    if source.is_folder and not guesses:
        refuse_arrow_folder(source)
        raise no_data_folder(source.name)
    if not guesses:
        raise _unknown(source)
    guesses.sort(key=lambda pair: -pair[1].confidence)
    if guesses[0][1].confidence <= _HARDLY:
        _raise_fault(source)
    all_of_them = [_recognition(source, module.FORMAT, guess) for module, guess in guesses]
    first, rest = all_of_them[0], tuple(all_of_them[1:])
    return Recognition(
        name=first.name,
        format=first.format,
        kind=first.kind,
        confidence=first.confidence,
        because=first.because,
        runners_up=rest,
    )


def _recognition(source: Source, found: Format, guess: Guess) -> Recognition:
    return Recognition(
        name=source.name,
        format=found.name,
        kind=guess.kind or found.kind,
        confidence=guess.confidence,
        because=guess.because,
    )


def _unknown(source: Source) -> ReadError:
    _raise_fault(source)
    named = ("item", "system", "score", "left", "right", "winner", "format")
    fields: dict[str, Any] = {name: Option(name) for name in named}
    return ReadError(
        Message(
            "No reader knows this layout. {seen}Name the columns of scores ({item}, {system}, {score}) or of battles "
            "({left}, {right}, {winner}), or the format ({format}).",
            seen=_seen(peek(source)),
            **fields,
        ),
        path=source.name,
        code="BT009",
    )


def _seen(look: Peek) -> str:
    """Say what stands where scores are looked for, in a sentence."""
    if not look.header or not look.rows or look.container != "delimited" or not look.header[0].isprintable():
        return ""
    first = look.header[0][:_SHOWN]
    if sum(map(bool, look.header)) == 1 or first.lstrip().startswith("#"):
        return f"Line 1 is {quoted(first)}: remove titles and comments above the header. "
    texts = [
        (name, cell)
        for name, cell in zip(look.header, look.rows[0], strict=False)
        if isinstance(cell, str) and not isfinite(parse(cell))
    ]
    if not texts:
        return ""
    name, cell = texts[-1]
    return f"No column holds numbers: {quoted(name[:_SHOWN])} begins with {quoted(cell[:_SHOWN])}. "


def _raise_fault(source: Source) -> None:
    """Raise what is wrong with JSON lines or Parquet: a broken line explains more than "not recognised"."""
    if peek(source).container != "delimited":
        with open_grid(source):
            pass


def read_any(
    source: Given | FrameLike,
    options: Options | None = None,
    *,
    format: str | None = None,  # noqa: A002
) -> Reading:
    r"""Read whatever `source` holds, with an account of every row.

    Parameters
    ----------
    source : path, "-", open file, data frame or dict
    options : Options, optional
        What the user said about columns, directions and duplicates.
    format : str, optional
        The reader to use, from :data:`betterthan.read.formats.registry.READERS`; found by looking if not given.

    Returns
    -------
    Reading
        Its tables, notes and problems.

    Raises
    ------
    ReadError
        When the file cannot be understood, with the place and the cure; BT020 when two layouts fit equally well.
    UnknownName
        When there is no such column or format.

    Examples
    --------
    >>> import io
    >>> reading = read_any(io.StringIO("id,A,B\n1,0.5,0.25\n2,0.75,\n"))
    >>> reading.tables[0]
    Scores('score', 2 systems × 2 segments, higher is better, 1 missing)
    >>> [problem.code for problem in reading.problems]
    ['BT102']
    """
    options = options or Options()
    if is_frame(source):
        if options.where:
            return read_frame_where(source, options, format=format)
        return read_frame(source, options, format=format)
    opened = source if isinstance(source, Source) else open_source(source, folders=True)
    chosen = _chosen(opened, options, format)
    refuse_unused(options, chosen.FORMAT, path=opened.name)
    refuse_choice(options, chosen.FORMAT.name, chosen.FORMAT.description, path=opened.name)
    is_filtered = options.where and not opened.is_folder
    reading = read_where(opened, options, chosen) if is_filtered else chosen.read(opened, options)
    for note in quote_notes(opened):
        reading = reading.with_note(note)
    return reading


def _chosen(source: Source, options: Options, name: str | None) -> Reader:
    if name is not None:
        if source.is_folder and not takes_folder(name):
            raise no_data_folder(source.name)
        return reader(name)
    if {"left", "right"} <= options.columns.keys() and not source.is_folder:
        return reader("battles")
    if {"system", "score"} & options.columns.keys() and not source.is_folder:
        return reader("ratings" if "judge" in options.columns else "long")
    found = recognise(source)
    rivals = [other for other in found.runners_up if other.confidence == found.confidence]
    if rivals:
        raise two_layouts(source.name, {each.format: each.because for each in (found, rivals[0])})
    return reader(found.format)
