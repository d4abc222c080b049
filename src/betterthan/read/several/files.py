"""Several files read together: a folder that has no reader of its own, a pattern, or a list.

Each file is recognized separately. Scores of the same metric are joined by segment, judgments and battles are
concatenated, texts are parallel; files without a column of systems are runs of one system each. Shards of Parquet and
tables with equal headers are parts of one table: they are concatenated in one temporary file, so that every reader can
read them and memory does not grow with them. Files of different kinds are an error, because their combination has no
meaning; ``betterthan check`` lists them one by one.
"""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import IO, TYPE_CHECKING, NamedTuple

from betterthan import scratch
from betterthan.errors import BetterThanError, ReadError, some_of
from betterthan.messages import Message, Option
from betterthan.read.formats.quality.quality_rows import refuse_truth_among
from betterthan.read.formats.tables.tables_in_one_file import whole
from betterthan.read.grid.grid import quoted
from betterthan.read.plausibility.score_warnings import doubts
from betterthan.read.protocol import Format, Guess, Options, Problem, Reading
from betterthan.read.several.merge import (
    RatingsFrom,
    RunsFrom,
    ScoresFrom,
    TextsFrom,
    merged_ratings,
    merged_runs,
    merged_scores,
    parallel_texts,
)
from betterthan.read.several.runs import (
    LongFile,
    RunFile,
    Seen,
    look_at,
    one_metric,
    refuse_other_scale,
    runs_of,
)
from betterthan.read.source.packed import Spool
from betterthan.read.source.paths import is_data, opened_file, opened_part, path_of, paths_below
from betterthan.read.source.source import HEAD_BYTES, Source
from betterthan.tables.any_table import AnyTable
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

if TYPE_CHECKING:
    from betterthan.read.sniff import Recognition


# ruff: noqa: S608  (paths are quoted by `duck`)


_shard = re.compile(
    r"(?P<split>.+?)-(?P<number>[0-9]{5})-of-(?P<count>[0-9]{5})(?:-[0-9a-f]+)?\.parquet"
).fullmatch
_piece = re.compile(r"(?P<number>[0-9]{4})\.parquet").fullmatch


class Whole(NamedTuple):
    """One source made of several, and the number of lines before each of them (none in Parquet)."""

    source: Source
    starts: tuple[tuple[int, str], ...]

    def placed(self, error: ReadError) -> ReadError:
        """Return the error with the original file and line."""
        if error.line is None or not self.starts:
            return error
        start, file = next(
            (known for known in reversed(self.starts) if known[0] < error.line), self.starts[0]
        )
        # The header of later files was left out, so their first line is missing in the count.
        line = error.line - start + (start > 0)
        return ReadError(error.message, path=file, line=line, code=error.code)


def are_shards(paths: Sequence[Path]) -> bool:
    """Whether all files are named like the shards of a data set."""
    return bool(paths) and all(_shard(path.name) or _piece(path.name) for path in paths)


def check_shards(paths: Sequence[Path], *, path: str) -> None:
    """Raise when there are shards of several splits, or a split lacks a shard.

    Raises
    ------
    ReadError
        With the pattern that names one split (BT334), or the missing shards (BT334).
    """
    splits: dict[tuple[Path, str], list[int]] = {}
    counts: dict[tuple[Path, str], int] = {}
    for each in paths:
        match = _shard(each.name)
        key = (each.parent, match["split"] if match else "")
        splits.setdefault(key, []).append(int(match["number"]) if match else -1)
        counts[key] = int(match["count"]) if match else 0
    if len(splits) > 1:
        names = [quoted(split or folder.name) for folder, split in splits]
        folder, split = next(iter(splits))
        raise ReadError(
            f"There are {len(splits)} splits, which are not read as one: {some_of(names, limit=5)}. "
            f"Name one, for example: {folder / f'{split or str()}*.parquet'}",
            path=path,
            code="BT334",
        )
    for key, numbers in splits.items():
        missing = sorted(set(range(counts[key])) - set(numbers))
        if missing:
            raise ReadError(
                f"{len(missing)} of {counts[key]} shards are missing (the first is {missing[0]}). Download them.",
                path=path,
                code="BT334",
            )


def one_parquet(files: Sequence[Source], *, name: str) -> Whole:
    """Return Parquet files with the same columns as one.

    Raises
    ------
    ReadError
        When a file is damaged or has other columns (BT024, BT333).
    """
    if len(files) == 1:
        return Whole(files[0], ())
    _check_columns(files)
    folder = Path(tempfile.mkdtemp(prefix="shards-", dir=scratch.folder()))
    try:
        target = _combined(files, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return Whole(_source(target, name, Spool(folder)), ())


def _check_columns(files: Sequence[Source]) -> None:
    from betterthan.read.grid.beginning import peek  # noqa: PLC0415  (brings the engine for Parquet)

    first = peek(files[0]).header
    for file in files[1:]:
        if peek(file).header != first:
            raise ReadError(
                f"The columns differ from those of {files[0].name}, so the files are not parts of one table. Read "
                f"them one by one.",
                path=file.name,
                code="BT333",
            )


def _combined(files: Sequence[Source], folder: Path) -> Path:
    import duckdb  # noqa: PLC0415  (the engine takes a tenth of a second to load)

    from betterthan.read.grid.duck import connect_to, literal, scan  # noqa: PLC0415

    target = folder / "whole.parquet"
    try:
        with connect_to([*(file.path for file in files), target]) as connection:
            every = f"SELECT * FROM {scan('read_parquet', *files)}"
            connection.execute(f"COPY ({every}) TO {literal(str(target.resolve()))} (FORMAT parquet)")
    except duckdb.Error as error:
        raise _unreadable_shard(error, files) from error
    return target


def _unreadable_shard(error: Exception, files: Sequence[Source]) -> ReadError:
    """Build the error for the file that DuckDB names in its message, the only place where it is identified."""
    from betterthan.read.grid.duck import is_out_of_memory, read_error  # noqa: PLC0415

    if is_out_of_memory(error):
        return read_error(error, files[0])
    what = str(error).split("\n", 1)[0].removesuffix(".")
    named = next((file for file in files if str(file.path.resolve()) in what), files[0])
    reason = what.replace(str(named.path.resolve()), "the file")[:250]
    return ReadError(f"The file cannot be read as a table ({reason}).", path=named.name, code="BT024")


def one_text(files: Sequence[Source], *, name: str, has_header: bool) -> Whole:
    """Return tables of text with the same header, or JSON lines, as one.

    Raises
    ------
    ReadError
        When a header differs (BT333), or a file is not text.
    """
    header = _first_line(files[0]) if has_header else b""
    for file in files[1:]:
        if has_header and _first_line(file) != header:
            raise ReadError(
                f"The header differs from that of {files[0].name}, so the files are not parts of one table. Read "
                f"them one by one.",
                path=file.name,
                code="BT333",
            )
    starts: list[tuple[int, str]] = []
    n_lines = 0
    descriptor, spool = tempfile.mkstemp(prefix="spool-", dir=scratch.folder())
    try:
        with open(descriptor, "wb") as target:  # noqa: PTH123  (a descriptor)
            for file in files:
                starts.append((n_lines, file.name))
                n_lines += _append(file, target, skips_header=has_header and n_lines > 0)
    except BaseException:
        Path(spool).unlink(missing_ok=True)
        raise
    return Whole(_source(Path(spool), name, Spool(Path(spool))), tuple(starts))


def _first_line(file: Source) -> bytes:
    return file.head.removeprefix(b"\xef\xbb\xbf").split(b"\n", 1)[0].rstrip(b"\r")


def _append(file: Source, target: IO[bytes], *, skips_header: bool) -> int:
    """Copy the lines of a file and return how many there were; each is checked to be text."""
    n_lines = 0
    for number, line in enumerate(file.lines()):
        if number or not skips_header:
            target.write(line.encode("utf-8") + b"\n")
            n_lines += 1
    return n_lines


def _source(path: Path, name: str, spool: Spool) -> Source:
    with path.open("rb") as file:
        return Source(name=name, path=path, head=file.read(HEAD_BYTES), spool=spool)


FORMAT = Format(
    name="several",
    kind="scores",
    description="several files (a folder, a pattern or a list), each recognized separately and read together",
)
BATTLES = "battles"
_QUALITY = ("numbers", "sentence_scores", "sentence_training")
_SIDES = frozenset({"left", "right", "winner"})
_DEPTH = 3
_language_pair = re.compile(r"(?<![A-Za-z])(?:[a-z]{2}-[a-z]{2}|[a-z]{3}-[a-z]{3})(?![A-Za-z])").search
# Notes of single files that are redundant or no longer hold for the combination.
_OF_ONE_FILE = ("BT102", "BT104")


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One of several files: its recognized format, and its reading or the error."""

    name: str
    format: str
    because: str
    reading: Reading | None
    error: BetterThanError | None
    stem: str = ""
    called: str | None = None
    run: RunFile | None = None


def sniff(source: Source) -> Guess | None:
    """Accept a folder or list in which at least one file is recognized."""
    from betterthan.read.sniff import recognise  # noqa: PLC0415  (it asks this reader too)

    if not source.is_folder:
        return None
    n_files = len(source.parts) or len(paths_below(source.path, is_data, depth=_DEPTH))
    for number, opened in enumerate(_openers(source)):
        try:
            kind = recognise(opened()).kind
        except BetterThanError:
            if number < _TRIED:
                continue
            return None
        return Guess(confidence=0.3, because=f"{n_files:,} files, each recognized separately", kind=kind)
    return None


_TRIED = 50


def _openers(source: Source) -> list[Callable[[], Source]]:
    """Return functions that open the files, so that one that cannot be opened does not hide the others."""
    if source.parts:
        return [partial(opened_part, part) for part in source.parts]
    return [partial(opened_file, source, path) for path in paths_below(source.path, is_data, depth=_DEPTH)]


def _members(source: Source) -> Iterator[Source]:
    return (opened() for opened in _openers(source))


def read(source: Source, options: Options) -> Reading:
    """Read the files together.

    Raises
    ------
    ReadError
        When a file is not recognized, files are of different kinds (BT330), or cannot be combined (BT333).
    """
    check_pairs(source)
    one = _one_table(source, are_battles=bool(_SIDES & options.columns.keys()))
    if one is not None:
        return _read_whole(one, options)
    return together(list(read_each(source, options, stop=True)), options, path=source.name)


def check_pairs(source: Source) -> None:
    """Raise when a folder has files of several language pairs; a list of files is explicit."""
    paths = [] if source.parts else paths_below(source.path, is_data, depth=_DEPTH)
    pairs = dict.fromkeys(
        match[0] for path in paths if (match := _language_pair(str(path.relative_to(source.path))))
    )
    if len(pairs) > 1:
        first = next(iter(pairs))
        raise source.error(
            f"The files are of {len(pairs)} language pairs ({some_of(list(pairs), limit=6)}), which are unrelated. "
            f"Name one: {source.name.rstrip('/')}/*{first}*",
            code="BT334",
        )


def _one_table(source: Source, *, are_battles: bool) -> Whole | None:
    """Return files that are parts of one table as one source; None when each is a separate table."""
    from betterthan.read.grid.beginning import peek  # noqa: PLC0415
    from betterthan.read.sniff import recognise  # noqa: PLC0415

    paths = [path_of(part) for part in source.parts] or paths_below(source.path, is_data, depth=_DEPTH)
    if are_shards(paths):
        check_shards(paths, path=source.name)
        return one_parquet(list(_members(source)), name=source.name)
    files = [file for file in _members(source) if not file.is_folder]
    are_battles = are_battles or all(recognise(file).format == BATTLES for file in files)
    if len(files) != len(paths) or not are_battles:
        return None
    containers = {peek(file).container for file in files}
    if containers == {"parquet"}:
        return one_parquet(files, name=source.name)
    if containers in ({"delimited"}, {"jsonl"}):
        return one_text(files, name=source.name, has_header=containers == {"delimited"})
    raise source.error(
        "Battles are read together when all files are CSV of the same header, JSON lines, or Parquet. Convert them.",
        code="BT333",
    )


def _read_whole(one: Whole, options: Options) -> Reading:
    from betterthan.read.sniff import read_any  # noqa: PLC0415

    try:
        reading = read_any(one.source, options, format=BATTLES if _SIDES & options.columns.keys() else None)
    except ReadError as error:
        raise one.placed(error) from error
    n_files = len(one.starts)
    return replace(reading, because=f"{reading.because}, in {n_files} files") if n_files > 1 else reading


def read_each(source: Source, options: Options, *, stop: bool = False) -> Iterator[Member]:
    """Read file by file; with `stop` the first error is raised."""
    from betterthan.read.sniff import recognise  # noqa: PLC0415

    runs = runs_in(source, options)
    for number, opened in enumerate(_openers(source)):
        recognition, name = None, source.name
        try:
            file = opened()
            name = file.name
            recognition = recognise(file)
            reading = _read_one(file, recognition, options, runs[number] if runs else None)
        except BetterThanError as error:
            if stop:
                raise
            if recognition is None and name == source.name:
                # The file could not be opened; the others are still read.
                name = getattr(error, "path", None) or name
            yield Member(
                name=name,
                format=recognition.format if recognition else "unknown",
                because=recognition.because if recognition else "it could not be read",
                reading=None,
                error=error,
            )
            continue
        yield Member(
            name=name,
            format=recognition.format,
            because=recognition.because,
            reading=reading,
            error=None,
            stem=file.stem,
            called=file.called,
            run=runs[number] if runs else None,
        )


def runs_in(source: Source, options: Options) -> tuple[RunFile, ...]:
    """Return the run of each file, or None when they are not runs."""
    from betterthan.read.sniff import recognise  # noqa: PLC0415

    files: list[Seen] = []
    for opened in _openers(source):
        try:
            file = opened()
            seen = look_at(file, recognise(file).format, options)
        except BetterThanError:  # the error occurs again when the file is read, with its location
            return ()
        if seen is None:
            return ()
        files.append(seen)
    return runs_of(files, options)


def _read_one(file: Source, recognition: Recognition, options: Options, run: RunFile | None) -> Reading:
    from betterthan.read.sniff import read_any  # noqa: PLC0415

    if run is None:
        reading = read_any(file, options, format=_format(recognition, options))
        return _called(reading, file) if file.is_folder and file.called is not None else reading
    run_options = replace(options, run=run.run, ignore_columns=(*options.ignore_columns, *run.left_out))
    reading = read_any(file, run_options, format=recognition.format)
    return reading.with_note(run.note) if run.note else reading


def _called(reading: Reading, folder: Source) -> Reading:
    """Return the only system of a folder under the name given by the user.

    Raises
    ------
    ReadError
        When the folder holds several systems, or none (BT131).
    """
    systems = {system: None for table in reading.tables for system in getattr(table, "systems", ())}
    if len(systems) != 1 or not all(isinstance(table, Scores) for table in reading.tables):
        raise folder.error(
            f'"{folder.called}" is the name of one system, and this folder holds {some_of(list(systems)) or "none"}. '
            f"Leave out the name, or name a folder with the run of one system.",
            code="BT131",
        )
    named = tuple(replace(table, systems=(folder.called,)) for table in reading.tables)  # type: ignore[arg-type]
    return replace(reading, tables=named)


def _format(recognition: Recognition, options: Options) -> str | None:
    """Return the layout of one of the files, as recognized or as implied by the user's columns."""
    if "judge" in options.columns and recognition.kind in ("scores", "ratings"):
        return "ratings"
    return recognition.format if recognition.confidence < 1 else None


def together(members: Sequence[Member], options: Options, *, path: str) -> Reading:
    """Return one reading of files that were read one by one.

    Raises
    ------
    ReadError
        As :func:`read`.
    """
    read = [member for member in members if member.reading is not None]
    readings = [(member.name, whole(member.reading)) for member in read if member.reading is not None]
    kinds: dict[str, int] = {}
    for _, reading in readings:
        kinds[reading.format.kind] = kinds.get(reading.format.kind, 0) + 1
    if len(kinds) > 1 and not kinds.keys() <= {"scores", "ratings"}:
        counted = some_of([f"{count:,} of {kind}" for kind, count in kinds.items()])
        raise ReadError(
            f"The files are of different kinds: {counted}. Name those that belong together, by a folder or a pattern.",
            path=path,
            code="BT330",
        )
    refuse_truth_among(
        {
            system: name
            for name, reading in readings
            for table in reading.tables
            if reading.format.name in _QUALITY and isinstance(table, Scores)
            for system in table.systems
        }
    )
    refuse_other_languages(readings)
    files = [
        LongFile(member.name, member.stem, member.called, reading)
        for member, (_, reading) in zip(read, readings, strict=True)
    ]
    named, hint = one_metric(files, options)
    readings = [(name, reading) for (name, _), reading in zip(readings, named, strict=True)]
    tables = _tables([(name, table) for name, reading in readings for table in reading.tables], path=path)
    if read and read[0].run is not None:
        merged = [table for table in tables if isinstance(table, Scores)]
        refuse_other_scale(merged, [member.name for member in read], read[0].run.columns, options)
    reasons = [pair for _, reading in readings for pair in reading.dropped.items()]
    dropped = {reason: sum(count for why, count in reasons if why == reason) for reason, _ in reasons}
    kind = next(iter(kinds), "scores")
    return Reading(
        format=replace(FORMAT, kind=kind),  # type: ignore[arg-type]  # the kind of a format
        because=f"{len(readings):,} file{'' if len(readings) == 1 else 's'}, each recognized separately",
        tables=tables,
        rows_read=sum(reading.rows_read for _, reading in readings),
        rows_kept=sum(reading.rows_kept for _, reading in readings),
        dropped=dropped,
        notes=tuple(dict.fromkeys(note for _, reading in readings for note in reading.notes)),
        problems=_problems([reading for _, reading in readings], tables, path),
        pairs=next((reading.pairs for _, reading in readings if reading.pairs), ()),
        metric_hint=hint,
    )


def refuse_other_languages(readings: Sequence[tuple[str, Reading]]) -> None:
    """Raise when files have different language pairs in a column; `readings` come with their files.

    Raises
    ------
    ReadError
        With the two files (BT237).
    """
    first: dict[str, str] = {}
    for name, reading in readings:
        for pair in reading.pairs:
            first.setdefault(pair.casefold(), name)
    if len(first) > 1:
        (one, file), (two, other), *_ = first.items()
        raise ReadError(
            Message(
                "The files are of {n} language pairs: {one} in {file}, {two} in this. Systems differ between "
                "language pairs, so name the files of one pair, or choose with {where}.",
                n=len(first),
                one=one,
                file=file,
                two=two,
                where=Option("where"),
            ),
            path=other,
            code="BT237",
        )


def _tables(named_tables: Sequence[tuple[str, AnyTable]], *, path: str) -> tuple[AnyTable, ...]:
    if not named_tables:
        raise ReadError(
            "These are tags or lists of segments, which cannot be evaluated alone. Read tags with their gold tags: "
            "betterthan tags GOLD FILE...",
            path=path,
            code="BT333",
        )
    if all(isinstance(table, Texts) for _, table in named_tables):
        return (_texts(named_tables, path=path),)
    by_name: dict[tuple[str, str], list[tuple[str, AnyTable]]] = {}
    for file, table in named_tables:
        if not isinstance(table, Scores | Ratings | Runs):
            raise _alone(path)
        by_name.setdefault((type(table).__name__, table.name), []).append((file, table))
    tables: list[AnyTable] = []
    for parts in by_name.values():
        scores = [ScoresFrom(table, file) for file, table in parts if isinstance(table, Scores)]
        ratings = [RatingsFrom(table, file) for file, table in parts if isinstance(table, Ratings)]
        runs = [RunsFrom(table, file) for file, table in parts if isinstance(table, Runs)]
        tables.append(
            merged_scores(scores) if scores else merged_runs(runs) if runs else merged_ratings(ratings)
        )
    return tuple(tables)


def _texts(named_tables: Sequence[tuple[str, AnyTable]], *, path: str) -> Texts:
    parts = [TextsFrom(table, file) for file, table in named_tables if isinstance(table, Texts)]
    if any(len(part.table.systems) > 1 or part.table.references for part in parts):
        raise _alone(path)
    return parallel_texts(parts)


def _alone(path: str) -> ReadError:
    return ReadError(
        "Several files of this layout cannot be read as one. Name one of them.", path=path, code="BT333"
    )


def _problems(readings: Sequence[Reading], tables: Sequence[AnyTable], path: str) -> tuple[Problem, ...]:
    problems = [
        problem for reading in readings for problem in reading.problems if problem.code not in _OF_ONE_FILE
    ]
    new = [problem for table in tables if isinstance(table, Scores) for problem in doubts(table, place=path)]
    seen = {(problem.code, problem.message) for problem in problems}
    return (*problems, *(problem for problem in new if (problem.code, problem.message) not in seen))
