"""Files that are pieces of one table: shards of Parquet as Hugging Face writes them, and tables of equal header.

They are written into one temporary file, piece after piece, so that every reader of a table can take them and memory
does not grow with them.
"""

# ruff: noqa: S608  (paths are quoted by `duck`)
from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import IO, NamedTuple

from betterthan import scratch
from betterthan.errors import ReadError, some_of
from betterthan.read.grid import quoted
from betterthan.read.packed import Spool
from betterthan.read.source import HEAD_BYTES, Source

_shard = re.compile(
    r"(?P<split>.+?)-(?P<number>[0-9]{5})-of-(?P<count>[0-9]{5})(?:-[0-9a-f]+)?\.parquet"
).fullmatch
_piece = re.compile(r"(?P<number>[0-9]{4})\.parquet").fullmatch


class Whole(NamedTuple):
    """One source made of several, and the number of lines before each of them (none in Parquet)."""

    source: Source
    starts: tuple[tuple[int, str], ...]

    def placed(self, error: ReadError) -> ReadError:
        """Return the error with the file and line where its cause really stands."""
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
    """Refuse shards of several splits, and a split of which a shard is missing.

    Raises
    ------
    ReadError
        With the pattern that names one split (BT334), or the shards that are not there (BT334).
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
    from betterthan.read.peek import peek  # noqa: PLC0415  (brings the engine for Parquet)

    first = peek(files[0]).header
    for file in files[1:]:
        if peek(file).header != first:
            raise ReadError(
                f"The columns differ from those of {files[0].name}, so the files are not pieces of one table. "
                f"Read them one by one.",
                path=file.name,
                code="BT333",
            )


def _combined(files: Sequence[Source], folder: Path) -> Path:
    import duckdb  # noqa: PLC0415  (the engine takes a tenth of a second to load)

    from betterthan.read.duck import connect_to, literal, read_error, scan  # noqa: PLC0415

    target = folder / "whole.parquet"
    try:
        with connect_to([*(file.path for file in files), target]) as connection:
            every = f"SELECT * FROM {scan('read_parquet', *files)}"
            connection.execute(f"COPY ({every}) TO {literal(str(target.resolve()))} (FORMAT parquet)")
    except duckdb.Error as error:
        raise _without_paths(read_error(error, files[0]), files) from error
    return target


def _without_paths(error: ReadError, files: Sequence[Source]) -> ReadError:
    """Return the error without paths of temporary files, named after the first file it speaks of."""
    named = next((file for file in files if str(file.path.resolve()) in error.message), files[0])
    message = error.message.replace(str(named.path.resolve()), "the file")
    return ReadError(message[:300], path=named.name, code="BT024")


def one_text(files: Sequence[Source], *, name: str, has_header: bool) -> Whole:
    """Return tables of text with the same header, or JSON lines, as one.

    Raises
    ------
    ReadError
        When a header differs (BT333), or a file is no text.
    """
    header = _first_line(files[0]) if has_header else b""
    for file in files[1:]:
        if has_header and _first_line(file) != header:
            raise ReadError(
                f"The header differs from that of {files[0].name}, so the files are not pieces of one table. "
                f"Read them one by one.",
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
