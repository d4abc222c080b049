"""What is in a folder, a pattern or a list of files: one line for each, and what they are together."""

from __future__ import annotations

import os

from betterthan.arrays import digest
from betterthan.errors import BetterThanError
from betterthan.messages import joined
from betterthan.read.problems import title
from betterthan.read.protocol import Options, Reading
from betterthan.read.several.several_files import Member, check_pairs, read_each, together
from betterthan.read.source.source import Source
from betterthan.read.write.preview import preview_of, summary
from betterthan.results.checkup import Checkup, Finding
from betterthan.results.settings import Settings

_MOST_TABLES = 3
_DOUBTS = "BT23"


def check_several(source: Source, options: Options) -> Checkup:
    """Look at file after file; only a file that cannot be read is a problem of the whole.

    What is odd about a file that could be read is named on its line, by its code.
    """
    members: list[Member] = []
    lines: list[str] = []
    for member in read_each(source, options):
        lines.append(_line(member, source))
        members.append(member)
    reading, note, doubt = _together(members, source, options)
    columns, rows = preview_of(reading.tables if reading else ())
    read = [member.reading for member in members if member.reading is not None]
    return Checkup(
        file=source.name,
        format="several",
        because=f"{len(members):,} files, each recognised by itself",
        contents=(*(f"together: {summary(table)}" for table in (reading.tables if reading else ())), *lines),
        rows_read=sum(part.rows_read for part in read),
        rows_kept=sum(part.rows_kept for part in read),
        dropped=_dropped(read),
        preview_columns=columns,
        preview=rows,
        problems=(
            *(_finding(member.error, member.name) for member in members if member.error is not None),
            *((_finding(doubt, source.name),) if doubt is not None else ()),
        ),
        notes=(note,) if note else (),
        settings=Settings(
            method="check", options={}, data=digest(*(table.digest for part in read for table in part.tables))
        ),
    )


def _together(
    members: list[Member], source: Source, options: Options
) -> tuple[Reading | None, str, BetterThanError | None]:
    """Return what the files are together, or why they are not read as one: a note, or a doubt about the data."""
    if any(member.error is not None for member in members):
        return None, "The files are not read together, because not all can be read.", None
    if any(member.format == "battles" for member in members):
        # These are counted again from all rows at once when they are read, which looking does not need.
        return None, _why_not(source), None
    try:
        check_pairs(source)
        return together(members, options, path=source.name), "", None
    except BetterThanError as error:
        # Files of different kinds may lie side by side; files that could be misread together are a problem.
        if (getattr(error, "code", None) or "").startswith(_DOUBTS):
            return None, "", error
        return None, _not_together(error), None


def _why_not(source: Source) -> str:
    try:
        check_pairs(source)
    except BetterThanError as error:
        return _not_together(error)
    return ""


def _not_together(error: BetterThanError) -> str:
    return joined(["Not read together:", getattr(error, "message", error.text)])


def _line(member: Member, source: Source) -> str:
    inside = os.path.relpath(member.name, source.name) if not source.parts else member.name
    if member.reading is None:
        return f"{inside}: {member.format}, but it cannot be read ({getattr(member.error, 'code', None) or 'BT009'})"
    tables = [summary(table) for table in member.reading.tables[:_MOST_TABLES]]
    more = len(member.reading.tables) - len(tables)
    said = "; ".join([*tables, *([f"{more} more tables"] if more else [])])
    lost = member.reading.rows_read - member.reading.rows_kept
    dropped = f"; {lost:,} of {member.reading.rows_read:,} rows dropped" if lost else ""
    codes = dict.fromkeys(problem.code for problem in member.reading.problems)
    odd = f" [{', '.join(codes)}]" if codes else ""
    return f"{inside}: {member.format}, {said}{dropped}{odd}"


def _dropped(readings: list[Reading]) -> dict[str, int]:
    found: dict[str, int] = {}
    for reading in readings:
        for reason, count in reading.dropped.items():
            found[reason] = found.get(reason, 0) + count
    return found


def _finding(error: BetterThanError, name: str) -> Finding:
    code = getattr(error, "code", None) or "BT009"
    return Finding(
        code=code,
        title=title(code),
        place=getattr(error, "place", "") or name,
        message=getattr(error, "message", None) or error.text,
    )
