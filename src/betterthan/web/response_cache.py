"""Answers that are asked for again and again, kept in memory as they lie on disk, and packed once."""

from __future__ import annotations

import gzip
import hashlib
import threading
from collections import OrderedDict
from dataclasses import dataclass
from pathlib import Path

from starlette.requests import Request
from starlette.responses import Response

MOST_BYTES = 64 << 20
_WORTH_PACKING = 1024
FileStamp = tuple[int, int, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class CachedCopy:
    """A file's bytes, plain and packed, with the digest that names this version of it."""

    stamp: FileStamp
    plain: bytes
    packed: bytes
    tag: str


class ResponseCache:
    """The most recently asked-for files, up to so many bytes; a file that changed on disk is read again."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most = most_bytes
        self._size = 0
        self._copies: OrderedDict[Path, CachedCopy] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, path: Path) -> CachedCopy | None:
        """Return a file's bytes, or None if there is no such file."""
        try:
            status = path.stat()
            stamp = (status.st_mtime_ns, status.st_size, status.st_ino)
            with self._lock:
                known = self._copies.get(path)
                if known is not None and known.stamp == stamp:
                    self._copies.move_to_end(path)
                    return known
            copy = _copied(path.read_bytes(), stamp)
        except FileNotFoundError:
            self.forget(path)
            return None
        self._put(path, copy)
        return copy

    def forget(self, path: Path) -> None:
        """Drop a file, or all files below a folder."""
        with self._lock:
            for known in [known for known in self._copies if known == path or path in known.parents]:
                self._drop(known)

    def _put(self, path: Path, copy: CachedCopy) -> None:
        size = len(copy.plain) + len(copy.packed)
        with self._lock:
            self._drop(path)
            if size > self._most // 4:
                return
            self._copies[path] = copy
            self._size += size
            while self._size > self._most:
                self._drop(next(iter(self._copies)))

    def _drop(self, path: Path) -> None:
        copy = self._copies.pop(path, None)
        if copy is not None:
            self._size -= len(copy.plain) + len(copy.packed)


def _copied(plain: bytes, stamp: FileStamp) -> CachedCopy:
    packed = gzip.compress(plain, 6, mtime=0) if len(plain) > _WORTH_PACKING else b""
    return CachedCopy(
        stamp=stamp, plain=plain, packed=packed, tag=f'"{hashlib.sha256(plain).hexdigest()[:32]}"'
    )


def answer(
    request: Request, copy: CachedCopy, media_type: str, headers: dict[str, str] | None = None
) -> Response:
    """Return the file, packed where the browser can unpack it, or only that it has not changed."""
    common = {
        "ETag": copy.tag,
        "Cache-Control": "private, no-cache",
        "Vary": "Accept-Encoding",
        **(headers or {}),
    }
    if copy.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=common)
    if copy.packed and "gzip" in request.headers.get("accept-encoding", ""):
        return Response(copy.packed, headers={**common, "Content-Encoding": "gzip"}, media_type=media_type)
    return Response(copy.plain, headers=common, media_type=media_type)
