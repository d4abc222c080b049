"""The folder where finished blocks are kept, so that an interrupted run goes on where it stopped.

Blocks that were finished at about the same time are one entry, ``<digest of the job>/<digest of the entry>``,
written beside its place and renamed into it: no reader sees half an entry, and any number of runs may share the
folder.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from betterthan.engine.blocks import Array
from betterthan.engine.packing import name_of, pack, unpack

JOB_FOLDER = re.compile(r"[0-9a-f]{64}")
OURS = {".checkpoint", ".partial"}


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheSize:
    """How much there is in a cache, or was taken from it."""

    entries: int
    bytes: int


def default_folder(environment: Mapping[str, str] = os.environ, platform: str = sys.platform) -> Path:
    """Where checkpoints live: ``$BETTERTHAN_CACHE``, or the place the platform has for caches.

    Without a home folder this is a place nothing can be written to, so that runs go on without checkpoints.

    Examples
    --------
    >>> default_folder({"BETTERTHAN_CACHE": "/fast/disk"}).as_posix()
    '/fast/disk'
    >>> default_folder({"XDG_CACHE_HOME": "/home/ada/.cache"}, platform="linux").as_posix()
    '/home/ada/.cache/betterthan'
    """
    with suppress(RuntimeError):
        if chosen := environment.get("BETTERTHAN_CACHE"):
            return Path(chosen).expanduser()
        if platform == "win32":
            return Path(
                environment.get("LOCALAPPDATA") or Path.home() / "AppData/Local", "betterthan", "Cache"
            )
        if platform == "darwin":
            return Path.home() / "Library/Caches/betterthan"
        return Path(environment.get("XDG_CACHE_HOME") or Path.home() / ".cache", "betterthan")
    return Path(os.devnull, "betterthan")


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder of finished blocks, found by what they were computed from.

    An entry that is damaged, cut short or in the wrong place counts as absent, never as an error. A job is named
    by 64 hexadecimal digits.

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
        """Return the results of all blocks of a job that are here and can be trusted."""
        results = {}
        for path in (self.folder / job).glob("*.checkpoint"):
            with suppress(OSError):  # removed by another run since it was listed, or not ours to read
                results.update(unpack(path.read_bytes(), job=job, name=path.stem))
        return results

    def save(self, job: str, results: Mapping[int, Array | dict[str, Array]]) -> None:
        """Keep the results of some blocks of a job.

        Raises
        ------
        OSError
            If the folder cannot be written to, or is full.
        """
        packed = pack(results, job=job)
        path = self.folder / job / f"{name_of(packed)}.checkpoint"
        try:
            _write(path, packed)
        except FileNotFoundError:  # another run emptied the cache and removed the folder just made
            _write(path, packed)

    def info(self) -> CacheSize:
        """How many entries there are, scraps of interrupted writes included, and their size."""
        return _size(self._files())

    def clear(self) -> CacheSize:
        """Remove all entries, and nothing else, and say how much that was."""
        return self._remove(self._files())

    def prune(self, max_bytes: int | None = None) -> CacheSize:
        """Remove the oldest entries until the rest fits, and say how much that was."""
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
            if path.suffix in OURS and JOB_FOLDER.fullmatch(path.parent.name):
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


def _write(path: Path, packed: bytes) -> None:
    """Write a file beside its place and rename it into it."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
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
