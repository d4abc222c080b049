"""Recognition and reading of files."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, cast

from betterthan.errors import ReadError, unknown_name
from betterthan.messages import COLUMN, Message, Option
from betterthan.read.formats.registry import plausible, reader, refuse_choice, takes_folder
from betterthan.read.grid.beginning import Peek, peek
from betterthan.read.grid.columns import GOLD, find, plain
from betterthan.read.grid.delimited import quote_notes
from betterthan.read.grid.grid import MemoryGrid, quoted
from betterthan.read.grid.numerals import parse
from betterthan.read.grid.open_grid import FrameLike, frame_grid, is_frame, open_grid
from betterthan.read.grid.selection import Selection, refuse_unused, select
from betterthan.read.protocol import COLUMNS_NAMED, Format, Guess, Kind, Options, Reader, Reading, reason
from betterthan.read.source.paths import opened_parts, refuse_arrow_folder
from betterthan.read.source.source import FileLike, Source, no_data_folder, open_source
from betterthan.read.where import read_copy

_SAMPLE = 50
BATTLES = "battles"
_TIDY = ("rankings", "ranking_lists", "tags_table", "texts_table")
LAYOUTS = ("long", "wide", "ratings", BATTLES, *_TIDY)
"""Of a data frame or dict."""
_SHOWN = 30  # characters of a cell in a message
# Confidence below which a reader is only a fallback.
_HARDLY = 0.1


@dataclass(frozen=True, slots=True, kw_only=True)
class Recognition:
    """Recognized format of a file.

    Attributes
    ----------
    name : str
        The file, as the user named it.
    format : str
        The name of the reader with the highest confidence.
    kind : {"scores", "matches", "ratings", "tags", "texts"}
        The kind of table it becomes.
    confidence : float
        From 0 to 1.
    because : str
        The reason, in words.
    runners_up : tuple of Recognition
        Other possible readers, highest confidence first.
    """

    name: str
    format: str
    kind: Kind
    confidence: float
    because: str
    runners_up: tuple[Recognition, ...] = ()


def sniff(source: FileLike) -> Recognition:
    r"""Recognize the format of a file from its name, first bytes, header and first rows.

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
    """Try the readers of the formats that an opened source may have."""
    guesses = [(module, guess) for module in plausible(source) if (guess := module.sniff(source))]
    if source.is_folder and not guesses:
        refuse_arrow_folder(source)
        for part in opened_parts(source):  # files that were named one by one: the first says what is wrong
            if not part.is_folder:
                recognise(part)
        raise no_data_folder(source.name)
    if not guesses:
        raise _unknown(source)
    guesses.sort(key=lambda pair: -pair[1].confidence)
    if guesses[0][0].FORMAT.name in ("long", "wide") and _is_wrapped(peek(source)):
        raise _unknown(source)
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


def _recognition(source: Source, format: Format, guess: Guess) -> Recognition:  # noqa: A002
    return Recognition(
        name=source.name,
        format=format.name,
        kind=guess.kind or format.kind,
        confidence=guess.confidence,
        because=guess.because,
    )


def _unknown(source: Source) -> ReadError:
    _raise_fault(source)
    return source.error(_no_layout(peek(source)), code="BT009")


def _no_layout(look: Peek) -> Message:
    named = ("item", "system", "score", "left", "right", "winner", "format")
    fields: dict[str, Any] = {name: Option(name) for name in named}
    return Message(
        "No reader knows this layout. {seen}Name the columns of scores ({item}, {system}, {score}) or of battles "
        "({left}, {right}, {winner}), or the format ({format}).",
        seen=_seen(look),
        **fields,
    )


def _seen(look: Peek) -> str:
    """Describe in a sentence what was found instead of scores."""
    if any(plain(name) in GOLD for name in look.header) and len(look.header) > 1 and look.rows:
        gold = next(name for name in look.header if plain(name) in GOLD)
        return f"If {quoted(gold[:_SHOWN])} holds gold labels of predictions, use score accuracy. "
    if look.rows and (seen := _right_or_wrong(look) or _nested(look)):
        return seen
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


def _right_or_wrong(look: Peek) -> str:
    """Say that a column holds words such as correct and incorrect, where it has nothing else."""
    from betterthan.read.formats.tables.wide_table import OUTCOMES  # noqa: PLC0415  (only for this message)

    for place, name in enumerate(look.header):
        words = {cell.strip().casefold() for cell in look.column(place) if isinstance(cell, str)}
        if len(words) == 2 and words <= OUTCOMES:
            return f"Column {quoted(name[:_SHOWN])} holds {' and '.join(map(quoted, sorted(words)))}: write 1 and 0. "
    return ""


def _nested(look: Peek) -> str:
    """Say where the rows of a JSON file are, if they are not its objects."""
    if look.container not in ("json", "jsonl"):
        return ""
    inside = _rows_inside(look)
    if inside is not None:
        key = quoted(inside[:_SHOWN])
        return (
            f"The rows seem to be in the list {key}: write that list alone, as JSON or one object per line. "
        )
    for place, name in enumerate(look.header):
        cells = [cell for cell in look.column(place) if isinstance(cell, dict | list) and cell]
        if 2 * len(cells) <= len(look.rows):
            continue
        key = quoted(name[:_SHOWN])
        if len(look.rows) == 1 and all(isinstance(cell, dict | list) for cell in look.rows[0]):
            return f"{key} holds a whole column: write one object per row instead. "
        if any(isinstance(inner, int | float) for cell in cells for inner in _inner(cell)):
            return f"The numbers are inside {key}: write them beside it, one key for each score. "
    return ""


def _is_wrapped(look: Peek) -> bool:
    """Whether a JSON file is one object with its rows in a list."""
    return look.container == "jsonl" and _rows_inside(look) is not None


def _rows_inside(look: Peek) -> str | None:
    """Return the key of a single object that holds a list of objects."""
    if len(look.rows) != 1:
        return None
    cells = zip(look.header, look.rows[0], strict=True)
    return next(
        (name for name, cell in cells if isinstance(cell, list) and cell and isinstance(cell[0], dict)), None
    )


def _inner(cell: dict[str, Any] | list[Any]) -> list[Any]:
    return list(cell.values()) if isinstance(cell, dict) else cell


def _raise_fault(source: Source) -> None:
    """Raise the error of damaged JSON lines or Parquet, which is more specific than "not recognized"."""
    if peek(source).container != "delimited":
        with open_grid(source):
            pass


def read_any(
    source: FileLike | FrameLike,
    options: Options | None = None,
    *,
    format: str | None = None,  # noqa: A002
) -> Reading:
    r"""Read any `source`, with an account of every row.

    Parameters
    ----------
    source : path, "-", open file, data frame or dict
    options : Options, optional
        Options on columns, directions and duplicates.
    format : str, optional
        The reader to use, from :data:`betterthan.read.formats.registry.READERS`; recognized by default.

    Returns
    -------
    Reading
        Its tables, notes and problems.

    Raises
    ------
    ReadError
        When the file cannot be read, with the location and a hint; BT020 when two layouts match equally well.
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
        return read_frame(source, options, format=format)
    opened = source if isinstance(source, Source) else open_source(source, folders=True)
    chosen = _chosen(opened, options, format)
    refuse_unused(options, chosen.FORMAT, path=opened.name)
    refuse_choice(options, chosen.FORMAT.name, chosen.FORMAT.description, path=opened.name)
    # Rows of tables are selected in memory; other files are read from a copy of the selected rows.
    needs_copy = options.where and not opened.is_folder and chosen.FORMAT.rows != "grid"
    reading = read_copy(opened, options, chosen) if needs_copy else chosen.read(opened, options)
    for note in quote_notes(opened):
        reading = reading.with_note(note)
    return reading


def _is_long(options: Options) -> bool:
    """Whether the user named columns that only a table with one row for each score has."""
    return bool({"system", "score"} & options.columns.keys() or options.factors)


def _chosen(source: Source, options: Options, name: str | None) -> Reader:
    if name is not None:
        if source.is_folder and not takes_folder(name):
            raise no_data_folder(source.name)
        return reader(name)
    if {"left", "right"} <= options.columns.keys() and not source.is_folder:
        return reader("battles")
    if _is_long(options) and not source.is_folder:
        return reader("ratings" if "judge" in options.columns else "long")
    recognition = recognise(source)
    rivals = [other for other in recognition.runners_up if other.confidence == recognition.confidence]
    if rivals:
        raise two_layouts(source.name, {each.format: each.because for each in (recognition, rivals[0])})
    return reader(recognition.format)


# Data frames and dicts, read by the same rules as files.


def read_frame(data: FrameLike, options: Options, *, format: str | None = None) -> Reading:  # noqa: A002
    """Read a data frame or dict of columns as scores, ratings, battles, rankings, tags or texts, whichever it holds."""
    if format not in (None, *LAYOUTS):
        raise unknown_name("layout of a data frame", str(format), LAYOUTS)
    grid = frame_grid(data)
    if options.where:
        rows = select(grid, options.where, named=options.columns.values())
        return rows.accounted(read_frame(_columns(rows), replace(options, where=()), format=format))
    look = _look(grid)
    layout = format or _other_layout(look, options) or _layout(look, options)
    module: Any = reader(layout)
    refuse_choice(options, layout, module.FORMAT.description, path=grid.name)
    if layout == BATTLES:
        battles: Reading = module.read_frame(data, options)
        return battles
    guess = module.guess(look, path=grid.name)
    if guess is None and format is None and not options.columns:
        raise ReadError(_no_layout(look), path=grid.name, code="BT009")
    because = reason(guess, COLUMNS_NAMED)
    reading: Reading = module.read_grid(grid, options, stem="score", because=because)
    return reading


def _columns(rows: Selection) -> dict[str, list[Any]]:
    """Return the kept rows as a dict of columns, which some layouts need."""
    inner = cast("MemoryGrid", rows.grid.inner)
    row_numbers = rows.grid.rows.tolist()
    return {inner.header[i]: [inner.columns[i][row] for row in row_numbers] for i in rows.grid.columns}


def _other_layout(look: Peek, options: Options) -> str | None:
    """Return the layout of battles, rankings, tags or texts that the columns show; None for tables of scores."""
    from betterthan.read.formats.battles.battle_columns import find_columns  # noqa: PLC0415

    if {"left", "right", "winner"} & options.columns.keys():
        return BATTLES
    if _is_long(options):
        return None
    for name in _TIDY:
        module: Any = reader(name)
        if module.guess(look, path="data frame") is not None:
            return name
    try:
        find_columns(look.header, named={}, path="data frame")
    except ReadError:
        return None
    return BATTLES


def _look(grid: MemoryGrid) -> Peek:
    n = min(grid.n_rows, _SAMPLE)
    rows = [[column[i] for column in grid.columns] for i in range(n)]
    return Peek(container="delimited", header=grid.header, rows=rows)


def two_layouts(name: str, because: Mapping[str, str]) -> ReadError:
    """Build the error for a table that matches two layouts equally well, each with its reason (BT020)."""
    first, second = because
    return ReadError(
        Message(
            "The file may be {first} ({why_first}) or {second} ({why_second}). "
            "Choose one with {format}, or name the columns with {item}, {system} and {score}.",
            first=first,
            why_first=because[first],
            second=second,
            why_second=because[second],
            format=Option("format", first),
            item=Option("item", COLUMN),
            system=Option("system", COLUMN),
            score=Option("score", COLUMN),
        ),
        path=name,
        code="BT020",
    )


def _layout(look: Peek, options: Options) -> str:
    reader_of: Any = reader
    roles = find(look.header, options.columns, ("item", "system", "score", "judge"), path="data frame")
    named = _is_long(options)
    guesses = {name: reader_of(name).guess(look, path="data frame") for name in ("long", "wide")}
    long = "system" in roles and ("score" in roles or guesses["long"] is not None)
    if not named and not long:
        return "wide"
    first, second = guesses.values()
    if not named and "judge" not in roles and first and second and first.confidence == second.confidence:
        raise two_layouts("data frame", {name: guess.because for name, guess in guesses.items()})
    return "ratings" if "judge" in roles else "long"
