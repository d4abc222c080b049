"""Lists of better and worse: ``RR-seglevel.csv``, ``DArr-seglevel.csv``, and tables with these two columns.

The last two fields of a line are the better and the worse system, those before them say on which segment: ``LP DATA SID
BETTER WORSE``. WMT18's header names only four of the five, so places are counted from the end. There are no ties.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from betterthan.errors import ReadError, some_of
from betterthan.messages import Message
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.missing import check_names
from betterthan.read.protocol import Format, Guess, Options, Problem, Reading
from betterthan.read.source.source import Source
from betterthan.tables.matches import Matches

FORMAT = Format(
    name="better_worse",
    kind="matches",
    description="a list of pairs: segment, the better system and the worse one, with a header",
)
_ENDS = ["better", "worse"]
_PAIR = "lp"
_DEPENDENT = "Pairs of one segment share its judgements, so they are clustered by segment."


@dataclass(slots=True)
class _Found:
    """Better, worse and segment of each line."""

    better: list[str] = field(default_factory=list)
    worse: list[str] = field(default_factory=list)
    segment: list[int] = field(default_factory=list)
    segments: dict[tuple[str, ...], int] = field(default_factory=dict)
    pairs: dict[str, int] = field(default_factory=dict)
    n_rows: int = 0
    n_other: int = 0


def sniff(source: Source) -> Guess | None:
    """Recognise a header that ends with BETTER and WORSE."""
    if source.is_parquet:
        return None
    header = next(iter(first_lines(source)), "").lower().split()
    if len(header) < 3 or header[-2:] != _ENDS:
        return None
    return Guess(confidence=0.98, because="the last two columns are called better and worse")


def read(source: Source, options: Options) -> Reading:
    """Read the pairs into :class:`Matches`, the better system on the left, with the segment of each."""
    found = _found(source, options)
    dropped = {"another language pair": found.n_other} if found.n_other else {}
    table = _matches(found, options)
    guess = sniff(source)
    return Reading(
        format=FORMAT,
        because=guess.because if guess else "the format was named",
        tables=(table,),
        rows_read=found.n_rows,
        rows_kept=found.n_rows - found.n_other,
        dropped=dropped,
        notes=table.notes,
        problems=_doubts(found, source),
    )


def _found(source: Source, options: Options) -> _Found:
    found, header, width, tab = _Found(), [""], 0, False
    for line, text in enumerate(source.lines(), 1):
        if not text.strip():
            continue
        if header == [""]:
            tab, header = "\t" in text, text.lower().split()
            _check_header(header, source, line)
            continue
        row = [cell.strip() for cell in (text.split("\t") if tab else text.split())]
        # A header may lack the name of one column, but all rows have the same fields.
        width = width or max(len(row), len(header))
        _check_row(row, width if len(row) - len(header) in (0, 1) else len(header), source, line)
        found.n_rows += 1
        if header[0] == _PAIR:
            found.pairs[row[0]] = found.pairs.get(row[0], 0) + 1
            if options.language_pair not in (None, row[0]):
                found.n_other += 1
                continue
        found.better.append(row[-2])
        found.worse.append(row[-1])
        found.segment.append(found.segments.setdefault(tuple(row[:-2]), len(found.segments)))
    if len(found.pairs) > 1 and options.language_pair is None:
        raise _several(found, source)
    if not found.better:
        raise ReadError("There is no pair below the header.", path=source.name, code="BT126")
    return found


def _check_header(header: list[str], source: Source, line: int) -> None:
    if len(header) < 3 or header[-2:] != _ENDS:
        raise ReadError(
            "The header must end with BETTER and WORSE, after the columns that name the segment. Add it.",
            path=source.name,
            line=line,
            code="BT120",
        )


def _check_row(row: list[str], width: int, source: Source, line: int) -> None:
    if len(row) != width:
        raise ReadError(
            f"The line has {len(row)} fields where {width} are needed. Write all fields on every line.",
            path=source.name,
            line=line,
            code="BT177",
        )
    if not all(row):
        raise ReadError(
            "The line has an empty field. Fill it in or remove the line.",
            path=source.name,
            line=line,
            code="BT124" if not all(row[-2:]) else "BT127",
        )
    check_names(
        {"segment": row[-3], "better system": row[-2], "worse system": row[-1]}, path=source.name, line=line
    )
    if row[-1] == row[-2]:
        raise ReadError(
            f"{quoted(row[-1])} is called better than itself. Remove the line.",
            path=source.name,
            line=line,
            code="BT123",
        )


def _several(found: _Found, source: Source) -> ReadError:
    listed = [f"{pair}: {count}" for pair, count in found.pairs.items()]
    first = next(iter(found.pairs))
    return ReadError(
        Message(
            "There are {n} language pairs ({pairs}), and their systems never meet. Keep the lines of one of them: "
            "grep -E '^(LP|{first}) ' FILE > ONE.csv",
            n=len(found.pairs),
            pairs=some_of(listed),
            first=first,
        ),
        path=source.name,
        code="BT178",
    )


def _matches(found: _Found, options: Options) -> Matches:
    systems = tuple(sorted({*found.better, *found.worse}))
    index = {name: i for i, name in enumerate(systems)}
    segment = np.array(found.segment, dtype=np.int64)
    count = f"Pairs read: {len(found.better):,} on {np.unique(segment).size:,} segments; there are no ties."
    return Matches(
        systems=systems,
        left=np.array([index[name] for name in found.better], dtype=np.int64),
        right=np.array([index[name] for name in found.worse], dtype=np.int64),
        outcome=np.ones(segment.size),
        segment=segment,
        group=segment if options.cluster else None,
        notes=(count, *((_DEPENDENT,) if options.cluster else ())),
    )


def _doubts(found: _Found, source: Source) -> tuple[Problem, ...]:
    """Report lines that say the opposite of another on the same segment, or the same again."""
    rows = list(zip(found.segment, found.better, found.worse, strict=True))
    distinct = set(rows)
    again = len(rows) - len(distinct)
    opposite = sum((segment, worse, better) in distinct for segment, better, worse in distinct) // 2
    if not again and not opposite:
        return ()
    text = (
        f"{again} pairs stand twice on the same segment and {opposite} in both directions. They are kept as they are; "
        f"remove them if they were not judged twice."
    )
    return (Problem(code="BT179", place=source.name, message=text),)
