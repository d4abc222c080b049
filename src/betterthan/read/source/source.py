"""Where bytes come from: a path, a compressed file, a folder, standard input or an open file.

A :class:`Source` is a real file on disk with its first bytes; standard input, open files and Zstandard files are
spooled to a temporary file once, so that memory does not grow with them and DuckDB can read them. A folder, a pattern
and a list are sources too; their files are opened one by one.
"""

from __future__ import annotations

import codecs
import gzip
import io
import os
import stat
import sys
import zlib
from codecs import BOM_UTF8
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import IO, Union, cast

from betterthan import budget
from betterthan.errors import OverBudget, ReadError
from betterthan.read.source.packed import (
    GZIP,
    ZSTANDARD,
    Spool,
    UnpackedGzip,
    copied,
    cut_gzip,
    expected_size,
    is_padded,
    refuse_archive,
    refuse_arrow,
    refuse_bomb,
    spooled,
    unpacked,
)

FileLike = Union[str, "os.PathLike[str]", IO[bytes], IO[str]]
Part = Union[str, "os.PathLike[str]", "Source"]

HEAD_BYTES = 1 << 16
LONGEST_LINE = 16 << 20
_PICKLES = (".pkl", ".pickle", ".p", ".joblib", ".pt", ".npy")
_SEP_LINE = len("sep=;")
_ENCODINGS = {b"\xff\xfe": "UTF-16", b"\xfe\xff": "UTF-16"}


@dataclass(frozen=True, slots=True, kw_only=True, weakref_slot=True)
class Source:
    """A file to read.

    Attributes
    ----------
    name : str
        As the user named it; ``"<stdin>"`` for standard input.
    path : Path
        The file on disk (a temporary one for a stream).
    head : bytes
        The first 64 KiB, decompressed.
    is_gzip : bool
    is_folder : bool
        A folder has no bytes; only readers of folders accept it.
    called : str, optional
        The name given with ``NAME=path``, used instead of the file's own name.
    parts : tuple
        The files of a pattern or a list, which is a folder without a path.
    spool : Spool, optional
        Keeps a temporary file alive.
    """

    name: str
    path: Path
    head: bytes = field(repr=False)
    is_gzip: bool = False
    is_folder: bool = False
    called: str | None = None
    parts: tuple[Part, ...] = ()
    spool: Spool | None = field(default=None, repr=False)

    @property
    def stem(self) -> str:
        """The given name, else that of the file without folders, ``.gz`` and its last suffix."""
        if self.called is not None:
            return self.called
        if self.name.startswith("<"):
            return "score"  # a stream has no name
        name = Path(self.name).name.removesuffix(".gz").removesuffix(".zst")
        return Path(name).stem or name

    @property
    def suffix(self) -> str:
        """The last suffix in lower case, looking through ``.gz``: ``".csv"`` for ``a.csv.gz``."""
        return Path(self.name.removesuffix(".gz").removesuffix(".zst")).suffix.lower()

    @property
    def is_parquet(self) -> bool:
        """Whether the first bytes are those of Parquet."""
        return self.head.startswith(b"PAR1")

    def shown(self, typed: str) -> str:
        """Return the name for messages: its name, or the user's input for a stream."""
        return typed if self.name.startswith("<") else self.name

    def error(
        self, message: str, *, code: str | None, line: int | None = None, row: int | None = None
    ) -> ReadError:
        """Build an error for a location in this file."""
        return ReadError(message, path=self.name, line=line, row=row, code=code)

    def lines(self) -> Iterator[str]:
        r"""Yield the lines, split on ``\n`` only, without line ends; the last line may lack ``\n``.

        Real translations contain U+2028, U+0085 and form feeds; these do not end a line.

        Raises
        ------
        ReadError
            At a byte that is not UTF-8 (BT005), a NUL byte (BT006), an overlong line (BT007) or a truncated gzip stream
            (BT004), with the line number.
        """
        with self.open() as stream:
            number = 0
            while raw := self._raw_line(stream, number + 1):
                number += 1
                yield self._decoded(raw, number)

    def open(self) -> IO[bytes]:
        """Open the decompressed bytes."""
        if self.is_gzip:
            return cast("IO[bytes]", UnpackedGzip(self.path, self.name))
        return self.path.open("rb")

    def _raw_line(self, stream: IO[bytes], number: int) -> bytes:
        try:
            raw = stream.readline(LONGEST_LINE + 1)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise cut_gzip(self.name, line=number) from error
        if len(raw) > LONGEST_LINE:
            raise ReadError(
                f"The line is longer than {LONGEST_LINE >> 20} MiB. Is this a file with one segment per line?",
                path=self.name,
                line=number,
                code="BT007",
            )
        return raw

    def _decoded(self, raw: bytes, number: int) -> str:
        try:
            text = raw.decode("utf-8-sig" if number == 1 else "utf-8")
        except UnicodeDecodeError as error:
            raise ReadError(
                f"The byte 0x{raw[error.start]:02x} is not UTF-8. "
                f"Convert the file first, for example: iconv -f latin1 -t utf-8 IN > OUT",
                path=self.name,
                line=number,
                code="BT005",
            ) from error
        if "\x00" in text:
            raise ReadError(
                "The line contains a NUL byte, so this is not plain text. Export the file as UTF-8 text.",
                path=self.name,
                line=number,
                code="BT006",
            )
        return text.removesuffix("\n").removesuffix("\r")


def open_source(data: FileLike | list[FileLike] | tuple[FileLike, ...], *, folders: bool = False) -> Source:
    """Open the user's input as a :class:`Source`.

    Parameters
    ----------
    data : path, "-", open file, NAME=path, pattern or list of these
        ``"-"`` is standard input. An existing file called ``a=b`` or ``a*`` takes precedence.
    folders : bool, default False
        Whether a folder, a pattern of several files or a list may be given.

    Raises
    ------
    ReadError
        For a missing path (BT001), a folder or an unreadable file (BT002), an empty file (BT003), a broken
        gzip or Zstandard stream (BT004), UTF-16 (BT005), a pickle (BT008), an archive (BT338) or a file that is not
        regular (BT337).
    """
    from betterthan.read.source.paths import parts_of, split_name  # noqa: PLC0415  (it opens sources)

    if isinstance(data, list | tuple):
        return parts_of(data, folders=folders)
    if isinstance(data, str | os.PathLike) and os.fspath(data) != "-":
        called, files = split_name(os.fspath(data))
        if len(files) > 1:
            return parts_of(files, name=os.fspath(data), folders=folders)
        source = _at(files[0], folders=folders)
        return source if called is None else replace(source, called=called)
    stream = sys.stdin.buffer if isinstance(data, str | os.PathLike) else data
    name = "<stdin>" if stream is not data else str(getattr(data, "name", "<stream>"))
    return _of_copy(spooled(stream, name), name)


def _at(name: str, *, folders: bool) -> Source:
    path = Path(name).expanduser()
    if _is_folder(path, name):
        if not folders:
            raise no_data_folder(name)
        return Source(name=name, path=path, head=b"", is_folder=True)
    return _looked_at(path, name)


def _looked_at(path: Path, name: str, *, is_packed: bool = True) -> Source:
    """Return a file with its first bytes, read once; or a copy that the engine reads like Python.

    The engine does not read Zstandard, treats zeros after a gzip stream as damage, and a byte-order mark as invalid
    JSON.
    """
    first = _first_bytes(path, name)
    if is_packed and first.startswith(ZSTANDARD):
        return _of_copy(unpacked(path, name), name, is_packed=False)
    is_gzip = first.startswith(GZIP)
    head = _unpacked_head(path, name) if is_gzip else first
    if is_gzip:
        refuse_bomb(path, name)
    is_marked = _is_marked_json(head)
    if is_marked or (is_gzip and is_padded(path)):
        return _of_copy(_rewritten(path, name, is_gzip=is_gzip, is_marked=is_marked), name, is_packed=False)
    source = Source(name=name, path=path, head=head, is_gzip=is_gzip)
    _check_head(source)
    return source


def _rewritten(path: Path, name: str, *, is_gzip: bool, is_marked: bool) -> Path:
    with cast("IO[bytes]", UnpackedGzip(path, name)) if is_gzip else path.open("rb") as stream:
        if is_marked:
            stream.read(len(BOM_UTF8))
        return copied(stream, name)


def _is_marked_json(head: bytes) -> bool:
    return head.startswith(BOM_UTF8) and head.removeprefix(BOM_UTF8).lstrip()[:1] == b"{"


def _of_copy(path: Path, name: str, *, is_packed: bool = True) -> Source:
    """Return a source on a temporary file, which is deleted with the source."""
    is_kept = False
    try:
        source = _looked_at(path, name, is_packed=is_packed)
        is_kept = source.path == path
        return replace(source, spool=Spool(path)) if is_kept else source
    finally:
        if not is_kept:  # now, and not when an error is garbage-collected
            path.unlink(missing_ok=True)


def no_data_folder(name: str) -> ReadError:
    """Build the error for a folder without readable files."""
    return ReadError("This is a folder without data that can be read. Name a file.", path=name, code="BT002")


def _is_folder(path: Path, name: str) -> bool:
    """Whether a path that exists is a folder."""
    try:
        exists, is_folder = path.exists(), path.is_dir()
    except OSError as error:
        raise ReadError(
            f"This path cannot be accessed ({error.strerror}).", path=name, code="BT001"
        ) from error
    except ValueError as error:
        raise ReadError("This path contains a NUL character.", path=repr(name), code="BT001") from error
    if not exists:
        raise ReadError("There is no such file. Check the spelling and the folder.", path=name, code="BT001")
    return is_folder


def _first_bytes(path: Path, name: str) -> bytes:
    try:
        # A pipe may block and can be read only once; a device may be endless.
        if not stat.S_ISREG(path.stat().st_mode):
            raise ReadError(
                "This is a pipe or a device, not a file. Send it through standard input: COMMAND | betterthan … -",
                path=name,
                code="BT337",
            )
        with path.open("rb") as file:
            return file.read(HEAD_BYTES)
    except OSError as error:
        raise ReadError(f"The file cannot be opened ({error.strerror}).", path=name, code="BT002") from error


def _unpacked_head(path: Path, name: str) -> bytes:
    try:
        with gzip.open(path, "rb") as file:
            return file.read(HEAD_BYTES)
    except (EOFError, OSError, zlib.error) as error:
        raise cut_gzip(name) from error


def _check_head(source: Source) -> None:
    head, name = source.head, source.name
    if not head.removeprefix(BOM_UTF8).strip():
        raise ReadError("The file is empty. Check the program that wrote it.", path=name, code="BT003")
    if source.suffix in _PICKLES or (head[:1] == b"\x80" and head[1:2] in b"\x02\x03\x04\x05"):
        raise ReadError(
            "Opening pickled data can run arbitrary code, so it is never read. "
            'If you trust it, convert it once: pandas.read_pickle(IN).to_csv("OUT.csv")',
            path=name,
            code="BT008",
        )
    first = head.removeprefix(BOM_UTF8).partition(b"\n")[0].strip()
    if first.lower().startswith(b"sep=") and len(first) == _SEP_LINE:
        raise ReadError(
            f"The first line, {first.decode('ascii', 'replace')}, is meant for a spreadsheet program. Remove it.",
            path=name,
            line=1,
            code="BT019",
        )
    refuse_archive(source.path, name, head)
    refuse_arrow(name, head)
    if head[:2] in _ENCODINGS:
        raise ReadError(
            f"The file is {_ENCODINGS[head[:2]]}, not UTF-8. Convert it first: iconv -f utf-16 -t utf-8 IN > OUT",
            path=name,
            code="BT005",
        )


# Text of moderate size is read at once; a large file is checked from end to end without keeping it.
#
# DuckDB would read a truncated gzip stream or a NUL byte without an error, so every byte of a text file is checked here
# first.


SMALL = 4 << 20
_CHUNK = 1 << 20


# Bytes of a row from the file to the finished table, at least: 10 million rows of segment, system and score take
# 90 bytes each, 200 million rows of a segment and two scores do not fit into 57.
A_ROW = 64
# The first lines may be shorter than the others.
_CERTAIN = 4


def require_rows(n_rows: float, name: str) -> None:
    """Raise when a table of so many rows would exceed the memory budget, whatever its columns hold.

    Raises
    ------
    ReadError
        With the figure and the option (BT250).
    """
    try:
        budget.require(A_ROW * n_rows, f"Reading a table with {n_rows:,.0f} rows")
    except OverBudget as error:
        raise ReadError(error.text, path=name, code=error.code) from error


class Lines:
    """The lines of a large text, counted piece by piece, so that a table without end is refused before it is parsed."""

    def __init__(self, source: Source) -> None:
        self._name = source.name
        self._count = 0
        in_head = source.head.count(b"\n")
        if in_head:
            size = expected_size(source.path) if source.is_gzip else source.path.stat().st_size
            expected = size / len(source.head) * in_head
            if A_ROW * expected > _CERTAIN * budget.memory():
                require_rows(float(f"{expected:.2g}"), source.name)

    def see(self, chunk: bytes) -> None:
        """Count the lines of the next piece."""
        self._count += chunk.count(b"\n")
        require_rows(self._count, self._name)


def open_text(source: Source) -> io.TextIOWrapper:
    """Open a text that was checked before, with the same line endings as for small files."""
    return io.TextIOWrapper(source.open(), encoding="utf-8-sig", newline="\n")


def small_text(
    source: Source, *, limit: int = SMALL, see: Callable[[bytes], None] | None = None
) -> str | None:
    """Return the text of a source of at most `limit` bytes; check a larger one and return None.

    `see` is called with every piece, so that the file need not be read again.

    Raises
    ------
    ReadError
        When it is not plain UTF-8 text, with the line: see :meth:`Source.lines`.
    """
    try:
        with source.open() as stream:
            data = stream.read(limit + 1)
            if len(data) <= limit and b"\x00" not in data:
                text = data.decode("utf-8-sig")
                if see is not None:
                    see(data)
                return text
            if len(data) > limit and _is_plain(stream, data, see):
                return None
    except (UnicodeDecodeError, EOFError, zlib.error, gzip.BadGzipFile):
        pass
    except OSError as error:
        raise ReadError(
            f"The file cannot be read ({error.strerror}).", path=source.name, code="BT002"
        ) from error
    raise _fault(source)


def _is_plain(stream: IO[bytes], chunk: bytes, see: Callable[[bytes], None] | None) -> bool:
    decode = codecs.getincrementaldecoder("utf-8")().decode
    length = 0
    while chunk:
        decode(chunk)
        if see is not None:
            see(chunk)
        last = chunk.rfind(b"\n")
        length = len(chunk) - last - 1 if last >= 0 else length + len(chunk)
        if length > LONGEST_LINE or b"\x00" in chunk:
            return False
        chunk = stream.read(_CHUNK)
    decode(b"", final=True)
    return True


def _fault(source: Source) -> ReadError:
    for _ in source.lines():
        pass  # raises at the line
    return ReadError("The file is not plain UTF-8 text. Export it again.", path=source.name, code="BT005")
