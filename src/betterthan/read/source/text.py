"""Text of moderate size is read at once; a large file is checked from end to end without keeping it.

DuckDB would read a cut gzip stream or a NUL byte without a word, so every byte of a text file is looked at here
before a table is made of it.
"""

from __future__ import annotations

import codecs
import gzip
import io
import zlib
from collections.abc import Callable
from typing import IO

from betterthan.errors import ReadError
from betterthan.read.source.source import LONGEST_LINE, Source

SMALL = 4 << 20
_CHUNK = 1 << 20


def open_text(source: Source) -> io.TextIOWrapper:
    """Open a text that was checked before; lines end as they do where a small one is parsed."""
    return io.TextIOWrapper(source.open(), encoding="utf-8-sig", newline="\n")


def small_text(
    source: Source, *, limit: int = SMALL, see: Callable[[bytes], None] | None = None
) -> str | None:
    """Return the text of a source of at most `limit` bytes; check a larger one and return None.

    `see` is shown every piece of it, so that it need not be read again to be looked at.

    Raises
    ------
    ReadError
        For what is not plain UTF-8 text, with the line: see :meth:`Source.lines`.
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
