"""Files of a folder, taken only where they are: no link may lead out of it, and nothing but files is opened."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from betterthan.errors import ReadError
from betterthan.read.source import Source, open_source


def folders_in(folder: Path) -> list[Path]:
    """Return the folders directly inside a folder, by name; none when there is no such folder."""
    return [path for path in _listed(folder) if not path.name.startswith(".") and _is_dir(path)]


def files_in(folder: Path) -> list[Path]:
    """Return what is directly inside a folder and is no folder, by name; none when there is no such folder."""
    return [path for path in _listed(folder) if not path.name.startswith(".") and not _is_dir(path)]


def _listed(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir()) if folder.is_dir() else []
    except OSError as error:
        raise ReadError(
            f"The folder cannot be read ({error.strerror}).", path=str(folder), code="BT002"
        ) from error


def _is_dir(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError:  # a link in a circle, on some systems
        return False


def ordinary_file(path: Path, root: Path) -> Path:
    """Return a path that is an ordinary file inside `root`, links followed.

    A pipe would wait for ever, a device may never end, and a link out of the folder shows what its owner did not
    mean to show.

    Raises
    ------
    ReadError
        For anything else (BT163).
    """
    try:
        real, inside = path.resolve(strict=True), root.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # Python before 3.13 raises RuntimeError at a circle
        raise ReadError(
            "This is a link that leads nowhere or in a circle. Copy the file into the folder.",
            path=str(path),
            code="BT163",
        ) from error
    if not real.is_relative_to(inside):
        raise ReadError(
            "This link leads out of the folder, so it is not read. Copy the file into the folder.",
            path=str(path),
            code="BT163",
        )
    if not real.is_file():
        raise ReadError(
            "This is not an ordinary file, so it is not read. Copy the file into the folder.",
            path=str(path),
            code="BT163",
        )
    return real


def opened_files(source: Source, paths: list[Path]) -> Iterator[Source]:
    """Open files somewhere inside a folder, each named by the folder as the user named it."""
    for path in paths:
        ordinary_file(path, source.path)
        shown = os.path.join(source.name, path.relative_to(source.path))  # noqa: PTH118  (as the user named it)
        yield replace(open_source(path), name=shown)
