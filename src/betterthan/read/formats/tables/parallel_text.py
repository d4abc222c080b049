"""Line-parallel text files: outputs, references and sources, one segment per line.

The format has no ids, so lines are matched by position, and all files must have the same number of lines.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import Any, NamedTuple

import numpy as np

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.registry import NO_TEXT
from betterthan.read.grid.beginning import find_delimiter, first_lines
from betterthan.read.grid.numerals import parse_all
from betterthan.read.protocol import Format, Guess, Options, Problem, Reading
from betterthan.read.source.paths import NamedSource, Several, open_named, open_one
from betterthan.read.source.source import HEAD_BYTES, FileLike, Source, open_source
from betterthan.tables.row_order import RowOrder, numbers
from betterthan.tables.texts import Texts

FORMAT = Format(
    name="text", kind="texts", description="Plain text, one segment per line, the same lines in every file."
)
NOT_SUPPLIED = "[No translation supplied]"

_TEXT = (".txt", ".src", ".ref", ".mt", ".hyp", ".tok")
# Test sets are named after their language, such as newstest2021.en-de.ref.de.
_is_language = re.compile(r"\.[a-z]{2}").fullmatch
# A table with a few damaged rows is still a table, and its reader reports the damage.
_ENOUGH = 5
# Layouts in which one file holds the outputs of all systems.
_SETS = ("texts_table", "wmt_texts")
_SHAPED = 0.6
is_source = re.compile(r"(?:src|sources?)(?=[._-]|$)", re.IGNORECASE).match
is_reference = re.compile(r"ref(?:erences?)?[A-Za-z0-9]?(?:[._-]?[A-Z0-9])?(?=[._-]|$)", re.IGNORECASE).match


def is_role(file: str) -> bool:
    """Whether a file is named like a source or a reference.

    Examples
    --------
    >>> is_role("wmt/src.en"), is_role("wmt/refA.txt"), is_role("wmt/referee.txt")
    (True, True, False)
    """
    name = PurePath(file).name
    return bool(is_source(name) or is_reference(name))


class _Lines(NamedTuple):
    name: str
    source: Source
    lines: tuple[str, ...]


def sniff(source: Source) -> Guess | None:
    """Return the confidence that a file is plain text; always low, because any text layout is also text."""
    head = source.head if len(source.head) < HEAD_BYTES else source.head.rpartition(b"\n")[0]
    try:
        text = head.decode("utf-8-sig")
    except UnicodeDecodeError:
        return None
    if source.is_parquet or source.suffix in NO_TEXT or "\x00" in text:
        return None
    if text.lstrip()[:1] in ("{", "["):
        return None
    if (source.suffix in _TEXT or _is_language(source.suffix)) and _is_prose(source):
        return Guess(confidence=0.85, because="lines of text that do not form a table")
    if source.suffix == ".txt":
        return Guess(confidence=0.2, because="the name ends in .txt and no table was recognized")
    return Guess(confidence=0.05, because="it is text, and no other format was recognized")


def _is_prose(source: Source) -> bool:
    """Whether no delimiter splits the lines into equal numbers of cells: commas in sentences do not make a table."""
    lines = [line for line in first_lines(source) if line.strip()]
    if len(lines) < _ENOUGH:
        return False
    delimiter = find_delimiter(lines)
    n_cells = [line.count(delimiter) + 1 for line in lines]
    if max(n_cells) == 1:
        return bool(np.isfinite(parse_all([line.strip() for line in lines])).mean() < 1 - _SHAPED)
    return n_cells.count(n_cells[0]) < _SHAPED * len(lines)


def read(source: Source, options: Options) -> Reading:  # noqa: ARG001  (the protocol's shape; text has no options)
    """Read one file as the output of one system, named by the file's stem."""
    lines = _read_lines(NamedSource(source.stem, source, is_explicit=False))
    texts = _texts([lines], references=(), sources=None)
    return Reading(
        format=FORMAT,
        because="one segment per line",
        tables=(texts,),
        rows_read=len(lines.lines),
        rows_kept=len(lines.lines),
        notes=texts.notes,
        problems=tuple(_problems(lines)),
    )


def read_texts(outputs: Several, *, references: Several = (), sources: FileLike | None = None) -> Texts:
    r"""Read outputs, references and sources that are parallel line by line.

    Lines end at ``\n`` only; a byte order mark and ``\r\n`` are tolerated; gzip files are decompressed. Empty lines are
    kept, with a note. The line ``[No translation supplied]`` is a missing output.

    Parameters
    ----------
    outputs : path, folder, pattern, list of these, or mapping of names to paths
        A system is named by the mapping, by ``"NAME=path"``, or by its file's stem. A single folder may hold the
        references (``ref*``) and the source (``src.*``) as well.
    references : likewise, optional
        Any number; a single one without a name is called "ref".
    sources : path, optional

    Raises
    ------
    ReadError
        When two files differ in their number of lines (BT130), two systems have the same name (BT131), a
        reference or source is missing (BT133), or a file cannot be opened or decoded.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("ours", "base", "ref"):
    ...         _ = Path(folder, f"{name}.txt").write_text("One line.\nAnother line.\n")
    ...     read_texts([f"{folder}/ours.txt", f"{folder}/base.txt"], references=f"{folder}/ref.txt")
    Texts(2 systems × 2 segments, 1 reference)
    """
    is_path = isinstance(outputs, str | os.PathLike)
    if references == () and sources is None and is_path and (whole := _whole_set(outputs)) is not None:
        return whole
    opened = open_named(references)
    source = None if sources is None else open_one(sources)
    others = [*opened, *([] if source is None else [source])]
    named = open_named(outputs)
    left_out = _of_no_system(named, others) if is_path and len(named) > 1 else []
    systems = [_read_lines(one) for one in named if one not in left_out]
    if not systems:
        raise ReadError("There are no outputs. Pass at least one file.", code="BT134")
    refs = [_read_lines(one) for one in opened]
    if len(opened) == 1 and not opened[0].is_explicit:
        refs = [refs[0]._replace(name="ref")]
    texts = _texts(systems, references=refs, sources=None if source is None else _read_lines(source))
    notes = [*_other_roles([one.source for one in systems], [one.source for one in opened]), *texts.notes]
    if left_out:
        names = some_of([one.name for one in left_out])
        notes.append(f"Not read as outputs, because they are sources or references: {names}.")
    return replace(texts, notes=tuple(notes))


def _other_roles(outputs: Sequence[Source], references: Sequence[Source]) -> list[str]:
    """Return a note on each file whose name says that it belongs in another place."""
    names = [PurePath(one.name).name for one in references]
    notes = [
        f"{name} is named like a source, but was given as the reference." for name in filter(is_source, names)
    ]
    if names and not any(map(is_reference, names)):
        swapped = [name for one in outputs if is_reference(name := PurePath(one.name).name)]
        notes += [
            f"{name} is named like a reference, but was given as an output, and {some_of(names)} as the reference. "
            "Were the files swapped?"
            for name in swapped
        ]
    return notes


def _of_no_system(named: Sequence[NamedSource], others: Sequence[NamedSource]) -> list[NamedSource]:
    """Return the files of a folder or pattern that are passed as references or source, or named like them."""
    known = {one.source.path.resolve() for one in others}
    return [one for one in named if one.source.path.resolve() in known or is_role(one.source.name)]


def _whole_set(outputs: Any) -> Texts | None:  # noqa: ANN401  (a path)
    """Return the texts of a folder, a pattern or a table of texts, with references and source separated; else None."""
    from betterthan.read.sniff import read_any  # noqa: PLC0415  (it asks this reader too)

    if os.fspath(outputs) == "-":
        return None  # it can be read only once
    source = open_source(outputs, folders=True)
    if not source.is_folder and not _is_set(source):
        return None
    table = next(iter(read_any(source).tables), None)
    if not isinstance(table, Texts):
        raise ReadError("There are no texts in it. Name the files.", path=source.name, code="BT022")
    return table


def _is_set(source: Source) -> bool:
    from betterthan.read.sniff import recognise  # noqa: PLC0415

    try:
        return recognise(source).format in _SETS
    except ReadError:  # lines of text have no recognizable form
        return False


def _texts(systems: Sequence[_Lines], *, references: Sequence[_Lines], sources: _Lines | None) -> Texts:
    others = [*references] if sources is None else [*references, sources]
    _check_lengths([*systems, *others])
    for lines in others:
        _check_supplied(lines)
    outputs = [tuple(None if line == NOT_SUPPLIED else line for line in s.lines) for s in systems]
    return Texts(
        systems=tuple(s.name for s in systems),
        segments=numbers(len(systems[0].lines)),
        outputs=tuple(outputs),
        references=tuple(r.lines for r in references),
        reference_names=tuple(r.name for r in references),
        sources=None if sources is None else sources.lines,
        notes=tuple(p.message for lines in [*systems, *others] for p in _problems(lines)),
        row_order=RowOrder(len(systems[0].lines)),
    )


def _read_lines(named: NamedSource) -> _Lines:
    return _Lines(named.name, named.source, tuple(named.source.lines()))


def _check_lengths(files: Sequence[_Lines]) -> None:
    first = files[0]
    for other in files[1:]:
        if len(other.lines) != len(first.lines):
            raise ReadError(
                f"This file has {len(other.lines):,} lines, but {first.source.name} has "
                f"{len(first.lines):,}. Line k of every file must be segment k; "
                f"write an empty line for an empty output.",
                path=other.source.name,
                code="BT130",
            )


def _check_supplied(lines: _Lines) -> None:
    if NOT_SUPPLIED in lines.lines:
        raise ReadError(
            f'"{NOT_SUPPLIED}" marks a missing output, but this is a reference or source. '
            f"Remove the segment from all files, or fill it in.",
            path=lines.source.name,
            line=lines.lines.index(NOT_SUPPLIED) + 1,
            code="BT133",
        )


def _problems(lines: _Lines) -> list[Problem]:
    problems = []
    empty = [i for i, line in enumerate(lines.lines, 1) if not line.strip()]
    if empty:
        message = f"{lines.source.name}: {_counted(empty, 'empty line')}, kept as empty texts."
        problems.append(Problem(code="BT202", place=f"{lines.source.name}, line {empty[0]}", message=message))
    absent = [i for i, line in enumerate(lines.lines, 1) if line == NOT_SUPPLIED]
    if absent:
        message = f'{lines.source.name}: {_counted(absent, "missing output")} ("{NOT_SUPPLIED}").'
        problems.append(
            Problem(code="BT133", place=f"{lines.source.name}, line {absent[0]}", message=message)
        )
    return problems


def _counted(numbers: Sequence[int], what: str) -> str:
    plural = "" if len(numbers) == 1 else "s"
    first = "" if len(numbers) == 1 else "the first "
    return f"{len(numbers):,} {what}{plural} ({first}in line {numbers[0]:,})"
