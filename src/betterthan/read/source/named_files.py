"""Several files given together, each with the name of its system."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

from betterthan.errors import ReadError
from betterthan.read.source.folders import files_in, is_data, ordinary_file
from betterthan.read.source.given_files import split_given
from betterthan.read.source.source import Given, Source, no_data_folder, open_source

Several = Given | Mapping[str, Given] | Iterable[Given]
"""One file, folder or pattern, a list of these (or of ``"NAME=path"``), or a mapping of names to files."""


class NamedSource(NamedTuple):
    """A file with the name of its system, and whether the user gave that name."""

    name: str
    source: Source
    is_given: bool


def open_named(several: Several) -> list[NamedSource]:
    """Open the files, each named by the mapping, by ``NAME=path`` or by its stem.

    Raises
    ------
    ReadError
        When two files have the same name (BT131), a name is empty (BT134), or a file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "online.txt"
    ...     _ = path.write_text("A line.")
    ...     [named.name for named in open_named([path, f"ours={path}"])]
    ['online', 'ours']
    """
    opened = [_opened(name, given) for name, given in _pairs(several)]
    seen: dict[str, NamedSource] = {}
    for named in opened:
        if named.name in seen:
            raise ReadError(
                f'This file and {seen[named.name].source.name} are both called "{named.name}". '
                f"Name one of them: NAME={named.source.name}",
                path=named.source.name,
                code="BT131",
            )
        seen[named.name] = named
    return opened


def open_one(given: Given) -> NamedSource:
    """Open the one file that a path, ``NAME=path`` or pattern stands for.

    Raises
    ------
    ReadError
        When it stands for several (BT339), or cannot be opened.
    """
    found = _pairs(given)
    if len(found) > 1:
        raise ReadError(
            f"One file is needed here, and these are {len(found)}. Name one of them.",
            path=_shown(given),
            code="BT339",
        )
    return _opened(*found[0])


def _pairs(several: Several) -> list[tuple[str | None, Given]]:
    if isinstance(several, Mapping):
        return list(several.items())
    if isinstance(several, str | os.PathLike) or hasattr(several, "read"):
        return _expanded(several)
    if not isinstance(several, Iterable):
        raise ReadError(
            f"Files cannot be read from {type(several).__name__}. Pass a path or a list of paths.",
            code="BT134",
        )
    return [pair for given in several for pair in _expanded(given)]


def _expanded(given: Any) -> list[tuple[str | None, Given]]:  # noqa: ANN401  (a path, a pattern or an open file)
    """Return the files that a path stands for: itself, those that fit a pattern, or those of a folder."""
    if not isinstance(given, str | os.PathLike) or os.fspath(given) == "-":
        return [(None, given)]
    called, found = split_given(os.fspath(given))
    return [(called, path) for each in found for path in _files_at(each)]


def _files_at(path: str) -> list[str]:
    folder = Path(path).expanduser()
    if "\x00" in path or not folder.is_dir():
        return [path]
    files = [file for file in files_in(folder) if is_data(file)]
    for file in files:
        ordinary_file(file, folder)
    if not files:
        raise no_data_folder(path)
    return [str(file) for file in files]


def _opened(name: str | None, given: Given) -> NamedSource:
    if not (isinstance(given, str | os.PathLike) or hasattr(given, "read")):
        raise ReadError(f"A path or an open file is needed, not {type(given).__name__}.", code="BT134")
    if name is not None and not name.strip():
        raise ReadError("The name before = is empty. Write NAME=path.", path=_shown(given), code="BT134")
    source = open_source(given)
    return NamedSource(source.stem if name is None else name, source, name is not None)


def _shown(given: str | os.PathLike[str] | IO[bytes] | IO[str]) -> str:
    return os.fspath(given) if isinstance(given, str | os.PathLike) else "<stream>"
