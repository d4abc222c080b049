"""Files of a folder, taken only where they are: no link may lead out of it, and nothing but files is opened."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

from betterthan.errors import ReadError
from betterthan.read.source.given_files import MOST_FILES, opened_parts, path_of
from betterthan.read.source.packed import arrow_data
from betterthan.read.source.source import Part, Source, open_source

_NO_DATA = (
    ".md",
    ".rst",
    ".py",
    ".sh",
    ".ipynb",
    ".png",
    ".jpg",
    ".svg",
    ".pdf",
    ".yaml",
    ".yml",
    ".toml",
    ".lock",
)
_DEPTH_OF_SPLITS = 1
_ABOUT = (
    "readme",
    "license",
    "licence",
    "dataset_info",
    "dataset_infos",
    "dataset_dict",
    "state",
    "makefile",
    "citation",
)


def folders_in(folder: Path) -> list[Path]:
    """Return the folders directly inside a folder, by name; none when there is no such folder.

    A link that leads back to the folder or above it is left out, because it would be followed in a circle.
    """
    return [
        path
        for path in _listed(folder)
        if not path.name.startswith(".") and _is_dir(path) and not _leads_back(path)
    ]


def _leads_back(path: Path) -> bool:
    return path.is_symlink() and path.parent.resolve().is_relative_to(path.resolve())


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


def is_data(path: Path) -> bool:
    """Whether a file of a folder may hold data, rather than words about it or programs."""
    name = path.name.lower()
    return path.suffix.lower() not in _NO_DATA and name.split(".")[0] not in _ABOUT


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


def paths_below(folder: Path, wanted: Callable[[Path], bool], *, depth: int) -> list[Path]:
    """Return the files that are wanted in a folder and in the folders below it, at most `depth` deep.

    Raises
    ------
    ReadError
        When there are more than ten thousand files (BT335).
    """
    found: list[Path] = []
    _gather(folder, wanted, depth, found)
    return found


def _gather(folder: Path, wanted: Callable[[Path], bool], depth: int, found: list[Path]) -> None:
    found += [path for path in files_in(folder) if wanted(path)]
    if len(found) > MOST_FILES:
        raise ReadError(
            f"The folder holds more than {MOST_FILES:,} files. Name a folder or pattern with fewer.",
            path=str(folder),
            code="BT335",
        )
    if depth:
        for inner in folders_in(folder):
            _gather(inner, wanted, depth - 1, found)


def refuse_arrow_folder(source: Source) -> None:
    """Refuse a data set as ``datasets.save_to_disk`` writes it, or a set of such data sets (BT341)."""
    if not source.parts and paths_below(source.path, _is_arrow, depth=_DEPTH_OF_SPLITS):
        raise arrow_data(source.name)


def _is_arrow(path: Path) -> bool:
    return path.suffix.lower() in (".arrow", ".feather")


def found_in(source: Source, wanted: Callable[[Path], bool], *, depth: int) -> list[Part]:
    """Return the files of a folder that are wanted, or those of a list if all of them are; nothing is opened.

    For a list with other files among them there are none: it is not for the reader that asks.
    """
    if not source.parts:
        return [*paths_below(source.path, wanted, depth=depth)]
    fits = all(wanted(path_of(part)) for part in source.parts)
    return list(source.parts) if fits else []


def files_of(source: Source, wanted: Callable[[Path], bool], *, depth: int) -> Iterator[Source]:
    """Open the files that :func:`found_in` finds, or the source itself when it is a file."""
    if not source.is_folder:
        yield source
    elif source.parts:
        yield from opened_parts(source) if found_in(source, wanted, depth=depth) else ()
    else:
        yield from opened_files(source, paths_below(source.path, wanted, depth=depth))


def opened_files(source: Source, paths: list[Path]) -> Iterator[Source]:
    """Open files somewhere inside a folder, one after the other."""
    for path in paths:
        yield opened_file(source, path)


def opened_file(source: Source, path: Path) -> Source:
    """Open a file somewhere inside a folder, named by the folder as the user named it."""
    ordinary_file(path, source.path)
    shown = os.path.join(source.name, path.relative_to(source.path))  # noqa: PTH118  (as the user named it)
    return replace(open_source(path), name=shown)
