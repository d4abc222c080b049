"""Members of a ZIP file by name, also those packed with Zstandard, which the standard library cannot open.

Nothing is unpacked to disk, so the paths in the archive do not matter.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

from betterthan.errors import MissingExtra, ReadError
from betterthan.read.grid import quoted
from betterthan.read.packed import zstandard
from betterthan.read.source import Source

ZSTANDARD = 93
LARGEST_MEMBER = 512 << 20
_LOCAL = struct.Struct("<26xHH")
_ENCRYPTED = 1
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, OSError, ValueError, NotImplementedError, RuntimeError,
           struct.error, OverflowError, KeyError, IndexError)  # fmt: skip


def names(source: Source) -> frozenset[str]:
    """Return the names of the members; none when it is no ZIP file."""
    try:
        with zipfile.ZipFile(source.path) as archive:
            return frozenset(archive.namelist())
    except _FAULTS:
        return frozenset()


def member(source: Source, name: str) -> bytes | None:
    """Return the bytes of a member, or None when there is none of that name.

    Raises
    ------
    ReadError
        When the archive is damaged or the member is encrypted, or larger than 512 MiB (BT195), or a member's path
        leads out of the archive (BT340).
    MissingExtra
        When it is packed with Zstandard and the package `zstandard` is not there.
    """
    try:
        with zipfile.ZipFile(source.path) as archive:
            inside = archive.namelist()
            _refuse_dangerous(inside, source)
            if name not in inside:
                return None
            info = archive.getinfo(name)
            if info.flag_bits & _ENCRYPTED or info.file_size > LARGEST_MEMBER:
                raise _damaged(f"{name} is encrypted or larger than {LARGEST_MEMBER >> 20} MiB", source)
            data = _zstandard(source, info) if info.compress_type == ZSTANDARD else _plain(archive, info)
    except (ReadError, MissingExtra):
        raise
    except _FAULTS as error:
        raise _damaged("The archive is cut off or damaged", source) from error
    if len(data) != info.file_size or zlib.crc32(data) != info.CRC:
        raise _damaged(f"{name} is damaged", source)
    return data


def _refuse_dangerous(inside: list[str], source: Source) -> None:
    """Refuse an archive that would write outside its folder if somebody unpacked it: it is not what it says."""
    for name in inside:
        # Windows separates with \\ and begins with a letter.
        parts = name.replace("\\", "/").split("/")
        if not parts[0] or ".." in parts or (len(parts[0]) == 2 and parts[0][1] == ":"):
            raise ReadError(
                f"The archive holds {quoted(name)}, a path that leads out of it. Do not unpack it; get it anew.",
                path=source.name,
                code="BT340",
            )


def _plain(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> bytes:
    with archive.open(info) as stream:
        # One more than it says it has, so that an archive that lies is noticed and not followed.
        return stream.read(info.file_size + 1)


def _zstandard(source: Source, info: zipfile.ZipInfo) -> bytes:
    engine = zstandard("A log packed with Zstandard")
    with source.path.open("rb") as file:
        file.seek(info.header_offset)
        name_length, extra_length = _LOCAL.unpack(file.read(_LOCAL.size))
        file.seek(name_length + extra_length, io.SEEK_CUR)
        packed = io.BytesIO(file.read(info.compress_size))
    try:
        with engine.ZstdDecompressor().stream_reader(packed, read_across_frames=True) as stream:
            unpacked: bytes = stream.read(info.file_size + 1)
    except engine.ZstdError as error:
        raise _damaged(f"{info.filename} is damaged", source) from error
    return unpacked


def _damaged(what: str, source: Source) -> ReadError:
    return ReadError(f"{what}. Copy the file again.", path=source.name, code="BT195")
