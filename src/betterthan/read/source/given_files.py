"""Several files named at once: by a pattern, as a list, or with a name of their own (``NAME=path``)."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from betterthan.errors import ReadError
from betterthan.read.source.source import Part, Source, open_source

MOST_FILES = 10_000
_MAGIC = frozenset("*?[")
NOWHERE = Path("/nowhere/several files")
"""The place of a source that is a list; there is nothing in it for readers of folders to find."""


def split_given(given: str) -> tuple[str | None, list[str]]:
    """Return the name before ``=``, if any, and the files that a path or pattern stands for.

    A file that is really called ``a=b.txt`` or ``[1].txt`` is meant as it stands.

    Raises
    ------
    ReadError
        When a name is empty (BT134), no file fits a pattern (BT001), or a name is given to several files (BT131).

    Examples
    --------
    >>> split_given("scores.csv")
    (None, ['scores.csv'])
    >>> split_given("ours=scores.csv")
    ('ours', ['scores.csv'])
    """
    if is_there(given):
        return None, [given]
    name, sign, path = given.partition("=")
    if sign and not (_MAGIC & set(name) or os.sep in name):
        if not name.strip():
            raise ReadError("The name before = is empty. Write NAME=path.", path=path, code="BT134")
        found = _fitting(path)
        if len(found) > 1:
            raise ReadError(
                f"{len(found)} files fit this pattern, but they cannot all be called {name}. Leave out the name.",
                path=given,
                code="BT131",
            )
        return name, found
    return None, _fitting(given)


def is_there(path: str) -> bool:
    """Whether a path exists; one that cannot be asked about does not."""
    try:
        return Path(path).expanduser().exists()
    except (OSError, ValueError, RuntimeError):
        return False


def _fitting(path: str) -> list[str]:
    if not _MAGIC & set(path) or "\x00" in path or is_there(path):
        return [path]
    pattern = str(Path(path).expanduser())
    found = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207  (absolute patterns too)
    if not found:
        raise ReadError(
            "No file fits this pattern. Check the spelling and the folder.", path=path, code="BT001"
        )
    return found


def parts_of(several: Sequence[Any], *, name: str | None = None, folders: bool) -> Source:
    """Return a list of files as one source; streams are spooled now, files are opened when they are read.

    Raises
    ------
    ReadError
        When the list is empty (BT134), too long (BT335), or several files are not wanted here (BT339).
    """
    parts = [part for given in several for part in _parts(given)]
    if len(parts) > 1:
        parts = [_of_folder(part) for part in parts]
    if not parts:
        raise ReadError("The list of files is empty. Name at least one.", code="BT134")
    if len(parts) > MOST_FILES:
        raise ReadError(f"More than {MOST_FILES:,} files are not read at once.", path=name, code="BT335")
    shown = name or _shown(parts)
    if len(parts) == 1:
        return parts[0] if isinstance(parts[0], Source) else open_source(parts[0], folders=folders)
    if not folders:
        raise ReadError(f"One file is needed here, and these are {len(parts)}.", path=shown, code="BT339")
    return Source(name=shown, path=NOWHERE, head=b"", is_folder=True, parts=tuple(parts))


def _parts(given: Any) -> list[Part]:  # noqa: ANN401  (a path, a pattern or an open file)
    if isinstance(given, Source):
        return [given]
    if isinstance(given, str | os.PathLike) and os.fspath(given) != "-":
        called, found = split_given(os.fspath(given))
        return [f"{called}={found[0]}"] if called is not None else list(found)
    return [open_source(given)]


def _of_folder(part: Part) -> Part:
    """Return the only file of a folder that was given beside others, called as the folder is; anything else as it is.

    People keep the run of each system in a folder of its own: ``compare runs/v1 runs/v2``.
    """
    from betterthan.read.source.folders import files_in, folders_in, is_data  # noqa: PLC0415  (it opens parts)

    called, (path, *_) = (
        (part.called, [part.name]) if isinstance(part, Source) else split_given(os.fspath(part))
    )
    folder = Path(path).expanduser()
    if "\x00" in path or not folder.is_dir() or folders_in(folder):
        return part
    files = [file for file in files_in(folder) if is_data(file)]
    name = called or folder.resolve().name
    return f"{name}={files[0]}" if len(files) == 1 and name and "=" not in name else part


def _shown(parts: Sequence[Part]) -> str:
    first = parts[0].name if isinstance(parts[0], Source) else os.fspath(parts[0])
    return first if len(parts) == 1 else f"{first} and {len(parts) - 1:,} more"


def path_of(part: Part) -> Path:
    """Return the path of a file of a list, without the name given to it."""
    if isinstance(part, Source):
        return Path(part.name)
    return Path(split_given(os.fspath(part))[1][0])


def opened_parts(source: Source) -> Iterator[Source]:
    """Open the files of a list one by one, each as the user named it."""
    for part in source.parts:
        yield opened_part(part)


def opened_part(part: Part) -> Source:
    """Open a file of a list."""
    return part if isinstance(part, Source) else open_source(part, folders=True)
