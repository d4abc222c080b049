"""Some lines of a text file with named columns, for layouts with a reader of their own: a copy of these alone."""

from __future__ import annotations

import csv
import json
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, NamedTuple

from betterthan import scratch
from betterthan.errors import unknown_name
from betterthan.read.delimited import numbered_records
from betterthan.read.engine_text import check_quotes
from betterthan.read.grid import label
from betterthan.read.json_lines import numbered_objects
from betterthan.read.packed import Spool
from betterthan.read.peek import peek
from betterthan.read.source import HEAD_BYTES, Source
from betterthan.read.where import Where, by_column, kept_note, never_occurs, nothing_left

_TAB = "\t"


class Chosen(NamedTuple):
    """A copy of the lines that were kept, the number of all rows, the dropped ones by reason, and a note."""

    source: Source
    n_rows: int
    dropped: dict[str, int]
    note: str


@dataclass(slots=True)
class _Count:
    """What was met on the way: values of the columns, and rows that a condition drops."""

    n_rows: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    seen: dict[str, set[str]] = field(default_factory=dict)


def has_columns(source: Source, where: Where) -> bool:
    """Whether a text file names the columns of the conditions."""
    look = peek(source)
    return look.container in ("delimited", "jsonl") and {column for column, _ in where} <= set(look.header)


def chosen_lines(source: Source, where: Where) -> Chosen:
    """Copy the rows that fulfil the conditions, each as it stands in the file.

    Raises
    ------
    ReadError
        When a value never occurs, or no row fulfils all conditions (BT167), or quotes may hide rows (BT240).
    """
    wanted = by_column(where)
    count = _Count(seen={column: set() for column in wanted})
    descriptor, spool = tempfile.mkstemp(prefix="spool-", dir=scratch.folder())
    try:
        with open(descriptor, "w", encoding="utf-8", newline="") as target:  # noqa: PTH123  (a descriptor)
            n_kept = _copied(source, wanted, count, target)
        _check_kept(source, wanted, count, n_kept)
        with Path(spool).open("rb") as file:
            head = file.read(HEAD_BYTES)
    except BaseException:
        Path(spool).unlink(missing_ok=True)
        raise
    # It keeps the name, by which some layouts are recognised.
    copy = Source(
        name=source.name, path=Path(spool), head=head, called=source.called, spool=Spool(Path(spool))
    )
    return Chosen(copy, count.n_rows, count.dropped, kept_note(wanted, n_kept, count.n_rows))


def _copied(source: Source, wanted: dict[str, list[str]], count: _Count, target: IO[str]) -> int:
    look = peek(source)
    n_kept = 0
    if look.container == "jsonl":
        for _, record in numbered_objects(source.lines(), source):
            if _fits({column: label(record.get(column)) or "" for column in wanted}, wanted, count):
                target.write(json.dumps(record, ensure_ascii=False) + "\n")
                n_kept += 1
        return n_kept
    write = csv.writer(target, delimiter=look.delimiter, lineterminator="\n")
    for number, (line, cells) in enumerate(_records(source, look.delimiter)):
        if number == 0:
            places = _places(cells, wanted)
        elif not _fits(
            {column: cells[at] if at < len(cells) else "" for column, at in places.items()}, wanted, count
        ):
            continue
        n_kept += number > 0
        if line is None:
            write.writerow(cells)
        else:
            target.write(line + "\n")
    return n_kept


def _records(source: Source, delimiter: str) -> Iterator[tuple[str | None, list[str]]]:
    """Yield the cells of each row, and the line as it stands where tabs separate, since quotes are text there."""
    if delimiter == _TAB:
        for line in source.lines():
            yield line, line.split(_TAB)
        return
    check_quotes(source, delimiter)  # a condition on the row around them would lose hidden rows unseen
    lines = (line + "\n" for line in source.lines())
    yield from ((None, cells) for _, cells in numbered_records(lines, source, delimiter))


def _places(header: Sequence[str], wanted: dict[str, list[str]]) -> dict[str, int]:
    names = [name.strip() for name in header]
    for column in wanted:
        if column not in names:
            raise unknown_name("column", column, names)
    return {column: names.index(column) for column in wanted}


def _fits(cells: dict[str, str], wanted: dict[str, list[str]], count: _Count) -> bool:
    count.n_rows += 1
    found = {column: cell.strip() for column, cell in cells.items()}
    for column, cell in found.items():
        if len(count.seen[column]) <= _MOST_SEEN:
            count.seen[column].add(cell)
    for column, values in wanted.items():
        if found[column] not in {value.strip() for value in values}:
            reason = f"{column} is not {' or '.join(values)}"
            count.dropped[reason] = count.dropped.get(reason, 0) + 1
            return False
    return True


_MOST_SEEN = 100_000


def _check_kept(source: Source, wanted: dict[str, list[str]], count: _Count, n_kept: int) -> None:
    for column, values in wanted.items():
        for value in values:
            if value.strip() not in count.seen[column] and len(count.seen[column]) <= _MOST_SEEN:
                raise never_occurs(column, value, sorted(count.seen[column]), path=source.name)
    if not n_kept:
        raise nothing_left(wanted, path=source.name)
