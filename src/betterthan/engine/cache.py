"""The folder of finished blocks, so that an interrupted run resumes where it stopped.

Blocks that were finished at about the same time are one entry, ``<digest of the job>/<digest of the entry>``,
written beside its place and renamed into it: no reader sees half an entry, and any number of runs may share the
folder.

An entry is three lines and the arrays, without pickle: a mark with the version of the format, the job they belong to,
and a list of blocks as JSON, each with the names of its arrays (null for a bare array); then the arrays in
NumPy's npy format. Its *name* is the SHA-256 of it all: bytes that are damaged, cut short or misplaced do not open.
"""

from __future__ import annotations

import errno
import hashlib
import io
import json
import os
import re
import stat
import tempfile
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from platformdirs import user_cache_dir

from betterthan.engine.blocks import Array
from betterthan.errors import BetterThanWarning

MARK = b"betterthan checkpoint 1\n"


def pack(results: Mapping[int, Array | dict[str, Array]], *, job: str) -> bytes:
    """Turn the results of some blocks of a job into bytes.

    Examples
    --------
    >>> packed = pack({7: np.arange(3), 9: {"wins": np.arange(2)}}, job="a1b2")
    >>> packed.splitlines()[:3]
    [b'betterthan checkpoint 1', b'a1b2', b'[[7, null], [9, ["wins"]]]']
    """
    contents = [
        (block, list(result) if isinstance(result, dict) else None) for block, result in results.items()
    ]
    packed = io.BytesIO()
    packed.write(MARK + job.encode() + b"\n" + json.dumps(contents).encode() + b"\n")
    for result in results.values():
        for array in result.values() if isinstance(result, dict) else [result]:
            np.save(packed, array, allow_pickle=False)
    return packed.getvalue()


def name_of(packed: bytes) -> str:
    """The name of packed results, which :func:`unpack` verifies."""
    return hashlib.sha256(packed).hexdigest()


def unpack(packed: bytes, *, job: str, name: str) -> dict[int, Array | dict[str, Array]]:
    """Turn bytes back into results; none, if they are not what was packed for that job under that name.

    Examples
    --------
    >>> packed = pack({7: np.arange(3)}, job="a1b2")
    >>> unpack(packed, job="a1b2", name=name_of(packed))
    {7: array([0, 1, 2])}
    >>> unpack(packed[:-1], job="a1b2", name=name_of(packed))
    {}
    """
    source = io.BytesIO(packed)
    if name_of(packed) != name or source.readline() != MARK or source.readline() != job.encode() + b"\n":
        return {}
    contents: list[tuple[int, list[str] | None]] = json.loads(source.readline())
    return {block: _result(source, names) for block, names in contents}


def _result(source: io.BytesIO, names: list[str] | None) -> Array | dict[str, Array]:
    if names is None:
        return _array(source)
    return {name: _array(source) for name in names}


def _array(source: io.BytesIO) -> Array:
    array: Array = np.load(source, allow_pickle=False)
    return array


JOB_FOLDER = re.compile(r"[0-9a-f]{64}")
OURS = {".checkpoint", ".partial"}
_BY_DESCRIPTOR = os.open in os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")  # not on Windows


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSize:
    """How much there is in a cache, or was taken from it."""

    entries: int
    bytes: int


def default_folder() -> Path:
    """Location of checkpoints: ``$BETTERTHAN_CACHE``, or the cache folder of the platform.

    Without a home folder this is not writable, so that runs continue without checkpoints.
    """
    with suppress(RuntimeError):
        chosen = os.environ.get("BETTERTHAN_CACHE") or user_cache_dir("betterthan", appauthor=False)
        return Path(chosen).expanduser()
    return Path(os.devnull, "betterthan")


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of finished blocks, identified by what they were computed from.

    An entry that is damaged, cut short or in the wrong place counts as absent, never as an error. So does one that
    another user could have written, since it would put any number into a result: an entry and its folder must belong to
    this user, and nobody else may write to them. A job is named by 64 hexadecimal digits.

    Parameters
    ----------
    folder : Path, optional
        Made when the first entry is written; :func:`default_folder` if not given.
    max_bytes : int, default 1 GiB
        Size to which :meth:`prune` reduces the folder; a run that wrote checkpoints ends with it.
    patience : float, default 0.5
        Seconds a run must last before its blocks are worth writing, and seconds between one entry and the next.
        This is also how much finished work a run that is killed can lose.

    Examples
    --------
    >>> import numpy as np, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     cache = Cache(Path(folder))
    ...     cache.save("0" * 64, {3: np.arange(4)})
    ...     cache.load("0" * 64)
    {3: array([0, 1, 2, 3])}
    """

    folder: Path = field(default_factory=default_folder)
    max_bytes: int = 2**30
    patience: float = 0.5

    def load(self, job: str) -> dict[int, Array | dict[str, Array]]:
        """Return the results of all blocks of a job that are here and can be trusted; warn of those that cannot."""
        results = {}
        n_foreign = 0
        with _own_folder(self.folder / job) as folder:
            for path in sorted((self.folder / job).glob("*.checkpoint")):
                with suppress(OSError):  # removed by another run since it was listed, or not ours to read
                    packed = None if folder is None else _own_bytes(path, folder)
                    if packed is None:
                        n_foreign += 1
                    else:
                        results.update(unpack(packed, job=job, name=path.stem))
        if n_foreign:
            warnings.warn(
                f"Checkpoints ignored in {self.folder / job}: {n_foreign}. Another user wrote them or may write to "
                "them. Set BETTERTHAN_CACHE to a folder of your own.",
                BetterThanWarning,
                stacklevel=2,
            )
        return results

    def save(self, job: str, results: Mapping[int, Array | dict[str, Array]]) -> None:
        """Keep the results of some blocks of a job.

        Raises
        ------
        OSError
            If the folder cannot be written to, is full, or belongs to another user.
        """
        packed = pack(results, job=job)
        path = self.folder / job / f"{name_of(packed)}.checkpoint"
        try:
            _write(path, packed)
        except FileNotFoundError:  # another run emptied the cache and removed the folder just made
            _write(path, packed)

    def info(self) -> CacheSize:
        """Return the number of entries, remains of interrupted writes included, and their size."""
        return _size(self._files())

    def clear(self) -> CacheSize:
        """Remove all entries, and nothing else; return their number and size."""
        return self._remove(self._files())

    def prune(self, max_bytes: int | None = None) -> CacheSize:
        """Remove the oldest entries until the rest fits; return their number and size."""
        limit = self.max_bytes if max_bytes is None else max_bytes
        files = self._files()
        excess = _size(files).bytes - limit
        oldest = []
        for file in sorted(files, key=lambda file: file.changed):
            if excess <= 0:
                break
            oldest.append(file)
            excess -= file.bytes
        return self._remove(oldest)

    def _files(self) -> list[_File]:
        """Our files, those of interrupted writes included; others in the folder are left alone."""
        files = []
        for path in self.folder.glob("*/*"):
            ours = path.suffix in OURS and JOB_FOLDER.fullmatch(path.parent.name)
            if (
                ours and not path.parent.is_symlink()
            ):  # a planted link leads to files that are not ours to remove
                with suppress(FileNotFoundError):  # removed by another run since it was listed
                    status = path.stat()
                    files.append(_File(path=path, bytes=status.st_size, changed=status.st_mtime_ns))
        return files

    @staticmethod
    def _remove(files: list[_File]) -> CacheSize:
        removed = []
        for file in files:
            with suppress(OSError):  # not allowed, or done by another run meanwhile
                file.path.unlink()
                removed.append(file)
        for folder in {file.path.parent for file in removed}:
            with suppress(OSError):  # not empty
                folder.rmdir()
        return _size(removed)


@dataclass(frozen=True, slots=True, kw_only=True)
class _File:
    path: Path
    bytes: int
    changed: int


def _size(files: list[_File]) -> CacheSize:
    return CacheSize(entries=len(files), bytes=sum(file.bytes for file in files))


def _is_own(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user and nobody else may write to it; Windows has no such numbers."""
    if not hasattr(os, "geteuid"):
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


@contextmanager
def _own_folder(path: Path) -> Iterator[int | None]:
    """Open a folder and give its descriptor; None if it is not there, is a link, or is not this user's alone.

    Files are opened by the descriptor, so that it does not matter who may rename folders meanwhile.
    """
    if not _BY_DESCRIPTOR:
        yield -1
        return
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    except OSError:
        yield None
        return
    try:
        yield descriptor if _is_own(os.fstat(descriptor)) else None
    finally:
        os.close(descriptor)


def _own_bytes(path: Path, folder: int) -> bytes | None:
    """Return what is in a file of that folder, unless it is a link or others may write to it."""
    if not _BY_DESCRIPTOR:
        return path.read_bytes()
    # Opening a named pipe would block.
    descriptor = os.open(path.name, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=folder)
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode) or not _is_own(status):
        os.close(descriptor)
        return None if stat.S_ISREG(status.st_mode) else b""
    with os.fdopen(descriptor, "rb") as file:
        return file.read()


def _write(path: Path, packed: bytes) -> None:
    """Write a file beside its place and rename it into it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _own_folder(path.parent) as folder:
        if folder is None:
            raise PermissionError(
                errno.EPERM, "the folder of the job belongs to another user", str(path.parent)
            )
    with tempfile.NamedTemporaryFile(dir=path.parent, suffix=".partial", delete=False) as partial:
        try:
            partial.write(packed)
            partial.flush()
            os.fsync(partial.fileno())
            partial.close()  # Windows renames no open file
            Path(partial.name).replace(path)
        except BaseException:
            partial.close()
            Path(partial.name).unlink(missing_ok=True)
            raise
