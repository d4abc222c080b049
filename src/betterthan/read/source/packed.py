"""Streams and Zstandard files, which are spooled to disk; and archives, which are not read."""

from __future__ import annotations

import gzip
import importlib
import os
import shutil
import tempfile
import weakref
import zipfile
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from betterthan import budget, scratch
from betterthan.errors import MissingExtra, ReadError
from betterthan.messages import SIZE, Message, Option

GZIP = b"\x1f\x8b"
ZSTANDARD = b"\x28\xb5\x2f\xfd"
_CHUNK = 1 << 20
# Zstandard may write 128 KiB for every four bytes read, so this is at most 32 MiB at a time.
_SIP = 1 << 10
_PADDED = 5  # bytes
# Texts and scores shrink to a third or a tenth, and columns of 0 and 1 to a hundredth.
_SUSPICIOUS = 500
_SAMPLE, _MOST_OF_SAMPLE = 64 << 10, 64 << 20  # bytes read, and unpacked
_ZIP = (b"PK\x03\x04", b"PK\x05\x06")
_UNPACK = {
    b"BZh": "bunzip2 FILE",
    b"\xfd7zXZ\x00": "unxz FILE",
    b"7z\xbc\xaf\x27\x1c": "7z x FILE",
    b"Rar!\x1a\x07": "unrar x FILE",
}
_ARROW = (b"ARROW1", b"FEA1")
_ARROW_STREAM = b"\xff\xff\xff\xff"
_LONGEST_SCHEMA = 1 << 28
_TAR = slice(257, 262)
_OF_A_LOG = ("header.json", "summaries.json", "reductions.json", "samples/", "_journal/")


class Spool:
    """A temporary file, or its folder, that is deleted with the last source that uses it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        if path.is_dir():
            weakref.finalize(self, shutil.rmtree, path, ignore_errors=True)
        else:
            weakref.finalize(self, path.unlink, missing_ok=True)


def spooled(stream: Any, name: str) -> Path:  # noqa: ANN401  (whatever the caller took for an open file)
    """Copy a stream to a temporary file.

    Raises
    ------
    ReadError
        When it cannot be read (BT002), or exceeds the budget (BT252).
    """
    if not hasattr(stream, "read"):
        raise ReadError(
            f"A path or an open file is needed, not {type(stream).__name__}. "
            f"Tables in memory are data frames or dicts of lists.",
            code="BT002",
        )
    descriptor, spool = tempfile.mkstemp(prefix="spool-", dir=scratch.folder())
    try:
        with os.fdopen(descriptor, "wb") as file:
            _copy(stream, file, name)
    except BaseException as error:
        Path(spool).unlink(missing_ok=True)
        # A closed file and a text file in another encoding both raise ValueError.
        if isinstance(error, OSError | ValueError) and not isinstance(error, ReadError):
            raise ReadError(f"The open file cannot be read ({error}).", path=name, code="BT002") from error
        raise
    return Path(spool)


def _copy(stream: Any, file: IO[bytes], name: str) -> None:  # noqa: ANN401
    left = most = most_spooled()
    is_text = isinstance(stream.read(0), str)
    while piece := stream.read(_CHUNK):
        left -= file.write(piece.encode("utf-8") if is_text else piece)
        if left < 0:
            raise ReadError(
                Message(
                    "The stream has more than {most}, the limit for streams. Save it to a file and use that, or "
                    "raise the budget with {memory}.",
                    most=budget.shown(most),
                    memory=Option("memory", SIZE),
                ),
                path=name,
                code="BT252",
            )


def most_spooled() -> int:
    """Return the maximum size of a temporary file: by the budget, and at most half of the free disk."""
    return min(budget.most_unpacked(), shutil.disk_usage(scratch.folder()).free // 2)


def unpacked(path: Path, name: str) -> Path:
    """Decompress a Zstandard file to a temporary file, piece by piece.

    Raises
    ------
    ReadError
        When the stream is truncated or damaged (BT004), or grows beyond the budget (BT336).
    MissingExtra
        Without the package `zstandard`.
    """
    engine = zstandard("A file packed with Zstandard (.zst)")
    with suppress(engine.ZstdError):  # damage is reported below
        refuse_bomb(path, name, engine.ZstdDecompressor().decompressobj())
    descriptor, spool = tempfile.mkstemp(prefix="spool-", dir=scratch.folder())
    try:
        with os.fdopen(descriptor, "wb") as target, path.open("rb") as packed:
            _unpack(engine, packed, target, name)
    except BaseException as error:
        Path(spool).unlink(missing_ok=True)
        if isinstance(error, engine.ZstdError | EOFError):
            raise ReadError(
                "The Zstandard stream is truncated or damaged. Copy or download the file again.",
                path=name,
                code="BT004",
            ) from error
        if isinstance(error, OSError):
            raise ReadError(
                f"The file cannot be unpacked ({error.strerror}).", path=name, code="BT002"
            ) from error
        raise
    return Path(spool)


def _unpack(engine: Any, packed: IO[bytes], target: IO[bytes], name: str) -> None:  # noqa: ANN401
    size, most = 0, most_spooled()
    whole = engine.ZstdDecompressor().decompressobj()
    while chunk := packed.read(_SIP):
        while chunk:
            if whole.eof:  # files may be several streams, one after the other
                whole = engine.ZstdDecompressor().decompressobj()
            piece = whole.decompress(chunk)
            chunk = whole.unused_data if whole.eof else b""
            size += target.write(piece)
            if size > most:
                raise too_large_unpacked(name, most)
    if not whole.eof:
        raise EOFError


def expected_size(path: Path, unpack: Any = None) -> float:  # noqa: ANN401  (an object of zlib or zstandard)
    """Return the size of a compressed file after decompression, estimated from its beginning; gzip by default."""
    unpack = unpack or zlib.decompressobj(wbits=31)
    n_read = n_unpacked = 0
    with path.open("rb") as packed:
        with suppress(zlib.error):  # damage is reported where it is read
            while n_read < _SAMPLE and n_unpacked < _MOST_OF_SAMPLE and not unpack.eof:
                chunk = packed.read(_SIP)
                if not chunk:
                    break
                n_unpacked += len(unpack.decompress(chunk))
                n_read += len(chunk)
        return n_unpacked / max(n_read, 1) * os.fstat(packed.fileno()).st_size


def refuse_bomb(path: Path, name: str, unpack: Any = None) -> None:  # noqa: ANN401
    """Raise, before it is unpacked, for a file that grows as no data do, and beyond the memory budget.

    Raises
    ------
    ReadError
        With the budget (BT336).
    """
    expected = expected_size(path, unpack)
    if expected > max(budget.memory(), _SUSPICIOUS * path.stat().st_size):
        raise too_large_unpacked(name, budget.memory())


def too_large_unpacked(name: str, most: int) -> ReadError:
    """Build the error for a compressed file that exceeds the budget."""
    return ReadError(
        Message(
            "The decompressed file has more than {most}, which suggests a damaged or hostile file. If the size is "
            "intended, decompress it yourself, or raise the budget with {memory}.",
            most=budget.shown(most),
            memory=Option("memory", SIZE),
        ),
        path=name,
        code="BT336",
    )


def is_padded(path: Path) -> bool:
    """Whether zeros follow a gzip stream, as on tapes; the stream itself ends in at most four."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, os.SEEK_END) - _PADDED))
        return file.read() == b"\x00" * _PADDED


def copied(stream: IO[bytes], name: str) -> Path:
    """Copy the rest of an open file, which may be compressed with gzip, to a temporary file.

    Raises
    ------
    ReadError
        When the gzip stream is truncated or damaged (BT004), or exceeds the budget (BT336).
    """
    descriptor, spool = tempfile.mkstemp(prefix="spool-", dir=scratch.folder())
    try:
        with os.fdopen(descriptor, "wb") as target:
            shutil.copyfileobj(stream, target)
    except BaseException as error:
        Path(spool).unlink(missing_ok=True)
        if isinstance(error, EOFError | zlib.error | gzip.BadGzipFile):
            raise cut_gzip(name) from error
        raise
    return Path(spool)


def cut_gzip(name: str, line: int | None = None) -> ReadError:
    """Build the error for an incomplete gzip file."""
    return ReadError(
        "The gzip stream is truncated or damaged. Copy or download the file again.",
        path=name,
        line=line,
        code="BT004",
    )


class UnpackedGzip(gzip.GzipFile):
    """The bytes inside a gzip file, up to the budget: one megabyte can decompress to a thousand."""

    def __init__(self, path: Path, name: str) -> None:
        super().__init__(path, "rb")
        self._called = name
        self._left = self._most = budget.most_unpacked()

    def read(self, size: int | None = -1) -> bytes:
        """Return the next bytes."""
        return self._counted(super().read(size))

    def readline(self, size: int | None = -1) -> bytes:
        """Return the next line."""
        return self._counted(super().readline(size))

    def _counted(self, data: bytes) -> bytes:
        self._left -= len(data)
        if self._left < 0:
            raise too_large_unpacked(self._called, self._most)
        return data


def zstandard(what: str) -> Any:  # noqa: ANN401  (an optional package)
    """Return the package that decompresses Zstandard.

    Raises
    ------
    MissingExtra
        When it is not installed; `what` needs it.
    """
    try:
        return importlib.import_module("zstandard")
    except ImportError as error:
        raise MissingExtra(what, extra="logs") from error


def refuse_archive(path: Path, name: str, head: bytes) -> None:
    """Raise for archives, which may hold anything; a log of Inspect is a ZIP file that has a reader.

    Raises
    ------
    ReadError
        With the program that unpacks it (BT338).
    """
    program = next((how for magic, how in _UNPACK.items() if head.startswith(magic)), None)
    if head[_TAR] == b"ustar":
        program = "tar xf FILE"
    if head.startswith(_ZIP):
        inside = _names(path)
        # An archive that cannot be listed is damaged, which the reader of logs reports.
        is_log = not inside or any(member.startswith(_OF_A_LOG) for member in inside)
        if is_log or name.lower().endswith(".eval"):
            return
        if any(member.startswith(("xl/", "[Content_Types]", "content.xml")) for member in inside):
            raise ReadError(
                "This is a file of an office program. Save the sheet as CSV (UTF-8) and use that.",
                path=name,
                code="BT338",
            )
        program = "unzip FILE"
    if program:
        raise ReadError(
            f"This archive or compression is not supported. Unpack it first: {program}",
            path=name,
            code="BT338",
        )


def refuse_arrow(name: str, head: bytes) -> None:
    """Raise for Arrow and Feather, which the engine cannot read without a downloaded extension.

    Raises
    ------
    ReadError
        With the line that writes Parquet (BT341).
    """
    length = int.from_bytes(head[4:8], "little")
    # A stream, as `save_to_disk` writes it, begins with a mark and the length of its schema, a multiple of 8.
    is_stream = head.startswith(_ARROW_STREAM) and 0 < length < _LONGEST_SCHEMA and length % 8 == 0
    if is_stream or head.startswith(_ARROW):
        raise arrow_data(name)


def arrow_data(name: str) -> ReadError:
    """Build the error for Arrow data, in a file or in a folder."""
    return ReadError(
        "This is Arrow data, as datasets.save_to_disk writes it, and is not read. "
        'Convert it to Parquet once: datasets.load_from_disk("FOLDER").to_parquet("x.parquet")',
        path=name,
        code="BT341",
    )


def _names(path: Path) -> frozenset[str]:
    try:
        with zipfile.ZipFile(path) as archive:
            return frozenset(archive.namelist())
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, EOFError, UnicodeError):
        return frozenset()
