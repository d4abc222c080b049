"""Contents and problems of a file."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from betterthan.arrays import digest
from betterthan.errors import BetterThanError, ReadError, some_of
from betterthan.messages import Message, Option, joined
from betterthan.read.grid.open_grid import FrameLike, is_frame
from betterthan.read.problems import is_doubt, title
from betterthan.read.protocol import Options, Reading
from betterthan.read.scores import are_runs
from betterthan.read.several.files import Member, check_pairs, read_each, together
from betterthan.read.sniff import read_any, recognise
from betterthan.read.source.source import FileLike, Source, open_source
from betterthan.read.write.write import preview_of, summary
from betterthan.results.checkup import Checkup, Finding
from betterthan.results.settings import Settings
from betterthan.tables.checks import look_alikes
from betterthan.tables.metric_names import is_human_translation

NO_SUCH_PATH = ("BT001", "BT002")
SEVERAL_PAIRS = "BT164"
HUMAN = "BT265"
LOOK_ALIKE = "BT260"
SEVERAL = "several"
_POSSIBLE = 0.4
_MOST_RIVALS = 2


def check(
    source: FileLike | FrameLike,
    *,
    options: Options | None = None,
    format: str | None = None,  # noqa: A002  (the user's word)
) -> Checkup:
    """Report the contents of a file, how it was recognized, and every problem with its place and a hint.

    Parameters
    ----------
    source : path, "-", open file, folder, data frame or dict
    options : Options, optional
        Roles of the columns and other choices.
    format : str, optional
        The layout, when it is not recognized.

    Returns
    -------
    Checkup
        With `problems`, `contents`, and a `preview` in canonical columns.

    Raises
    ------
    ReadError
        Only when the path does not exist or cannot be opened.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.check({"A": [1.0, 2.0], "B": [2.0, None]}).problems[0].title
    'missing scores'
    """
    return checked(source, options=options, format=format)[0]


def check_runs(files: Sequence[object], *, options: Options, format: str | None = None) -> Checkup | None:  # noqa: A002
    """Return one check of files that each are the run of one system; None where they are something else.

    Alone, each of them looks like a table whose columns are systems.
    """
    if format is not None or not are_runs(files, options):
        return None
    return check([str(file) for file in files], options=options)


def checked(
    source: FileLike | FrameLike,
    *,
    options: Options | None = None,
    format: str | None = None,  # noqa: A002
) -> tuple[Checkup, Reading | None]:
    """Return the result of :func:`check` and its reading; None where nothing could be read."""
    name = os.fspath(source) if isinstance(source, str | os.PathLike) else type(source).__name__
    opened: Source | FrameLike = source
    try:
        if not is_frame(source):
            opened = open_source(source, folders=True)
            name = opened.shown(name)
    except ReadError as error:
        if error.code in NO_SUCH_PATH:
            raise
        return _unreadable(name, error, _recognised(opened)), None
    return checkup_of(opened, options or Options(), format, name=name)


ReadAs = Callable[[Any, Options, str | None], Reading]


def _read(source: Source | FrameLike, options: Options, format: str | None) -> Reading:  # noqa: A002
    return read_any(source, options, format=format)


def checkup_of(
    source: Source | FrameLike,
    options: Options,
    format: str | None = None,  # noqa: A002  (the user's word)
    *,
    name: str,
    read: ReadAs = _read,
) -> tuple[Checkup, Reading | None]:
    """Return the contents of an opened source called `name`, and its reading.

    `read` reads the source, or returns an earlier reading.
    """
    # Judges and repeated questions are searched as in `rank`, so that both agree.
    request = replace(options, cluster=True)
    try:
        if isinstance(source, Source) and format in (None, SEVERAL) and _is_several(source):
            return check_several(source, request), None
        reading = _looked_at(source, request, format, read)
    except BetterThanError as error:
        if isinstance(error, ReadError) and error.code in NO_SUCH_PATH:
            raise
        return _unreadable(name, error, _recognised(source)), None
    return _readable(name, reading, _others(source, reading, format)), reading


def _is_several(source: Source) -> bool:
    return source.is_folder and recognise(source).format == SEVERAL


def _others(source: Source | FrameLike, reading: Reading, format: str | None) -> tuple[str, ...]:  # noqa: A002
    """Return a problem with other formats that fit, and the option that chooses one."""
    if not isinstance(source, Source) or format is not None:
        return ()
    recognition = recognise(source)
    rivals = [other for other in recognition.runners_up if other.confidence >= _POSSIBLE]
    if not rivals or recognition.format != reading.format.name:
        return ()
    others = [
        Message("{format} ({because})", format=Option("format", other.format), because=other.because)
        for other in rivals[:_MOST_RIVALS]
    ]
    note = Message(
        "It was read as {format} with a confidence of {confidence:.0%}. It could also be: {others}.",
        severity="info",
        format=recognition.format,
        confidence=recognition.confidence,
        others=joined(others, "; "),
    )
    return (note,)


def _looked_at(source: Source | FrameLike, options: Options, format: str | None, read: ReadAs) -> Reading:  # noqa: A002
    """Read the source; for a folder with several language pairs all of them, because no choice is needed here."""
    try:
        return read(source, options, format)
    except ReadError as error:
        if error.code != SEVERAL_PAIRS:
            raise
    from betterthan.read.formats.metrics_task.metrics_folder import read_all  # noqa: PLC0415  (only folders pay for it)

    return read_all(source, options)


def _recognised(source: Source | FrameLike) -> tuple[str, str]:
    """The format that the file seemed to have before reading failed."""
    if not isinstance(source, Source):
        return "unknown", "it could not be read"
    try:
        recognition = recognise(source)
    except BetterThanError:
        return "unknown", "it could not be read"
    return recognition.format, recognition.because


def _unreadable(name: str, error: BetterThanError, seemed: tuple[str, str]) -> Checkup:
    return Checkup(
        file=name,
        format=seemed[0],
        because=seemed[1],
        contents=(),
        rows_read=0,
        rows_kept=0,
        dropped={},
        preview_columns=(),
        preview=(),
        problems=(_finding_of(error, name),),
        notes=(),
        settings=Settings(method="check", options={}, data="none"),
    )


def _readable(name: str, reading: Reading, more: tuple[str, ...] = ()) -> Checkup:
    messages = {problem.message for problem in reading.problems}  # a problem need not be a note as well
    preview_columns, preview = preview_of(reading.tables)
    return Checkup(
        file=name,
        format=reading.format.name,
        because=reading.because,
        contents=tuple(summary(table) for table in reading.tables),
        rows_read=reading.rows_read,
        rows_kept=reading.rows_kept,
        dropped=dict(reading.dropped),
        preview_columns=preview_columns,
        preview=preview,
        problems=(
            *(_finding(problem.code, problem.place, problem.message) for problem in reading.problems),
            *_look_alikes(name, reading),
            *_human_translations(name, reading),
        ),
        notes=tuple(note for note in (*reading.notes, *more) if note not in messages),
        settings=Settings(
            method="check", options={}, data=digest(*(table.digest for table in reading.tables))
        ),
    )


def _look_alikes(name: str, reading: Reading) -> Iterator[Finding]:
    """Yield a warning for names of systems or judges that differ only in invisible ways."""
    seen = {
        note: None
        for table in reading.tables
        for many, one in (("systems", "system"), ("judges", "judge"))
        for note in look_alikes(getattr(table, many, ()), what=one)
    }
    for note in seen:
        yield _finding(LOOK_ALIKE, name, note)


def _human_translations(name: str, reading: Reading) -> Iterator[Finding]:
    """Yield a warning for systems whose names suggest human translations."""
    systems = {system: None for table in reading.tables for system in getattr(table, "systems", ())}
    human = [system for system in systems if is_human_translation(system)]
    if human and len(human) < len(systems):
        look = "look like human translations" if len(human) > 1 else "looks like a human translation"
        left_out = "Leave them out" if len(human) > 1 else "Leave it out"
        message = f"{some_of(human)} {look} and would be ranked among the systems. {left_out} if this is not intended."
        yield _finding(HUMAN, name, message)


def _finding_of(error: BetterThanError, name: str) -> Finding:
    code = getattr(error, "code", None) or "BT009"
    return Finding(
        code=code,
        title=title(code),
        place=getattr(error, "place", "") or name,
        message=getattr(error, "message", None) or error.text,
    )


def _finding(code: str, place: str, message: str) -> Finding:
    return Finding(code=code, title=title(code), place=place, message=message, is_doubt=is_doubt(code))


# Several files (a folder, a pattern or a list): one line for each, and what they are together.


_MOST_TABLES = 3
_DOUBTS = "BT23"


def check_several(source: Source, options: Options) -> Checkup:
    """Check every file; only a file that cannot be read is a problem of the collection.

    Problems of a readable file are listed on its line, by their codes.
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
        because=f"{len(members):,} files, each recognized by itself",
        contents=(*(f"together: {summary(table)}" for table in (reading.tables if reading else ())), *lines),
        rows_read=sum(part.rows_read for part in read),
        rows_kept=sum(part.rows_kept for part in read),
        dropped=_dropped(read),
        preview_columns=columns,
        preview=rows,
        problems=(
            *(_finding_of(member.error, member.name) for member in members if member.error is not None),
            *((_finding_of(doubt, source.name),) if doubt is not None else ()),
        ),
        notes=(note,) if note else (),
        settings=Settings(
            method="check", options={}, data=digest(*(table.digest for part in read for table in part.tables))
        ),
    )


def _together(
    members: list[Member], source: Source, options: Options
) -> tuple[Reading | None, str, BetterThanError | None]:
    """Return what the files are together, or the reason why they are not read as one: a note or a warning."""
    if any(member.error is not None for member in members):
        return None, "The files are not read together, because not all can be read.", None
    if any(member.format == "battles" for member in members):
        # These are recounted from all rows when the files are read, which is not needed here.
        return None, _why_not(source), None
    try:
        check_pairs(source)
        return together(members, options, path=source.name), "", None
    except BetterThanError as error:
        # Files of different kinds may share a folder; files that could be misread together are a problem.
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
    contents = "; ".join([*tables, *([f"{more} more tables"] if more else [])])
    lost = member.reading.rows_read - member.reading.rows_kept
    dropped = f"; {lost:,} of {member.reading.rows_read:,} rows dropped" if lost else ""
    codes = dict.fromkeys(problem.code for problem in member.reading.problems)
    odd = f" [{', '.join(codes)}]" if codes else ""
    return f"{inside}: {member.format}, {contents}{dropped}{odd}"


def _dropped(readings: list[Reading]) -> dict[str, int]:
    dropped: Counter[str] = Counter()
    for reading in readings:
        dropped.update(reading.dropped)
    return dict(dropped)
