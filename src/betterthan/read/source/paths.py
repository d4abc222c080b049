"""Files named by a path, a pattern, a folder, a list or ``NAME=path``, opened only where they are.

No link may lead out of a folder, and nothing but ordinary files is opened.
"""

from __future__ import annotations

import glob
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO, Any, NamedTuple

from betterthan.errors import ReadError
from betterthan.read.source.packed import arrow_data
from betterthan.read.source.source import FileLike, Part, Source, no_data_folder, open_source

# Several files named at once: by a pattern, as a list, or with a name of their own (``NAME=path``).


MOST_FILES = 10_000
_MAGIC = frozenset("*?[")
NOWHERE = Path("/nowhere/several files")
"""The place of a source that is a list; there is nothing in it for readers of folders to find."""


def split_name(typed: str) -> tuple[str | None, list[str]]:
    """Return the name before ``=``, if any, and the files that a path or pattern stands for.

    A file that is really called ``a=b.txt`` or ``[1].txt`` is meant as it stands.

    Raises
    ------
    ReadError
        When a name is empty (BT134), no file fits a pattern (BT001), or a name is given to several files (BT131).

    Examples
    --------
    >>> split_name("scores.csv")
    (None, ['scores.csv'])
    >>> split_name("ours=scores.csv")
    ('ours', ['scores.csv'])
    """
    if is_there(typed):
        return None, [typed]
    name, sign, path = typed.partition("=")
    if sign and not (_MAGIC & set(name) or os.sep in name):
        if not name.strip():
            raise ReadError("The name before = is empty. Write NAME=path.", path=path, code="BT134")
        files = _fitting(path)
        if len(files) > 1:
            raise ReadError(
                f"{len(files)} files fit this pattern, but they cannot all be called {name}. Leave out the name.",
                path=typed,
                code="BT131",
            )
        return name, files
    return None, _fitting(typed)


def expanded(paths: Iterable[str]) -> list[str]:
    """Return paths with patterns replaced by the files that fit, by name; names before ``=`` are left in front.

    Examples
    --------
    >>> expanded(["a.txt", "ours=b.txt", "-"])
    ['a.txt', 'ours=b.txt', '-']
    """
    parts = map(split_name, paths)
    return [file if name is None else f"{name}={file}" for name, files in parts for file in files]


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
    files = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207  (absolute patterns too)
    if not files:
        raise ReadError(
            "No file fits this pattern. Check the spelling and the folder.", path=path, code="BT001"
        )
    return files


def parts_of(several: Sequence[Any], *, name: str | None = None, folders: bool) -> Source:
    """Return a list of files as one source; streams are spooled now, files are opened when they are read.

    Raises
    ------
    ReadError
        When the list is empty (BT134), too long (BT335), or several files are not wanted here (BT339).
    """
    parts = [part for data in several for part in _parts(data)]
    if len(parts) > 1:
        parts = [_of_folder(part) for part in parts]
    if not parts:
        raise ReadError("The list of files is empty. Name at least one.", code="BT134")
    if len(parts) > MOST_FILES:
        raise ReadError(f"More than {MOST_FILES:,} files are not read at once.", path=name, code="BT335")
    shown = name or _name_of_list(parts)
    if len(parts) == 1:
        return parts[0] if isinstance(parts[0], Source) else open_source(parts[0], folders=folders)
    if not folders:
        raise ReadError(f"One file is needed here, and these are {len(parts)}.", path=shown, code="BT339")
    return Source(name=shown, path=NOWHERE, head=b"", is_folder=True, parts=tuple(parts))


def _parts(data: Any) -> list[Part]:  # noqa: ANN401  (a path, a pattern or an open file)
    if isinstance(data, Source):
        return [data]
    if isinstance(data, str | os.PathLike) and os.fspath(data) != "-":
        called, files = split_name(os.fspath(data))
        return [f"{called}={files[0]}"] if called is not None else list(files)
    return [open_source(data)]


def _of_folder(part: Part) -> Part:
    """Return the only file of a folder that was given beside others, called as the folder is; anything else as it is.

    People keep the run of each system in a folder of its own: ``compare runs/v1 runs/v2``.
    """
    called, (path, *_) = (
        (part.called, [part.name]) if isinstance(part, Source) else split_name(os.fspath(part))
    )
    folder = Path(path).expanduser()
    if "\x00" in path or not folder.is_dir() or folders_in(folder):
        return part
    files = [file for file in files_in(folder) if is_data(file)]
    name = called or folder.resolve().name
    return f"{name}={files[0]}" if len(files) == 1 and name and "=" not in name else part


def _name_of_list(parts: Sequence[Part]) -> str:
    first = parts[0].name if isinstance(parts[0], Source) else os.fspath(parts[0])
    return first if len(parts) == 1 else f"{first} and {len(parts) - 1:,} more"


def path_of(part: Part) -> Path:
    """Return the path of a file of a list, without the name given to it."""
    if isinstance(part, Source):
        return Path(part.name)
    return Path(split_name(os.fspath(part))[1][0])


def opened_parts(source: Source) -> Iterator[Source]:
    """Open the files of a list one by one, each as the user named it."""
    for part in source.parts:
        yield opened_part(part)


def opened_part(part: Part) -> Source:
    """Open a file of a list."""
    return part if isinstance(part, Source) else open_source(part, folders=True)


# Files of a folder, taken only where they are: no link may lead out of it, and nothing but files is opened.


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


def paths_below(folder: Path, is_wanted: Callable[[Path], bool], *, depth: int) -> list[Path]:
    """Return the files that are wanted in a folder and in the folders below it, at most `depth` deep.

    Raises
    ------
    ReadError
        When there are more than ten thousand files (BT335).
    """
    paths: list[Path] = []
    _gather(folder, is_wanted, depth, paths)
    return paths


def _gather(folder: Path, is_wanted: Callable[[Path], bool], depth: int, paths: list[Path]) -> None:
    paths += [path for path in files_in(folder) if is_wanted(path)]
    if len(paths) > MOST_FILES:
        raise ReadError(
            f"The folder holds more than {MOST_FILES:,} files. Name a folder or pattern with fewer.",
            path=str(folder),
            code="BT335",
        )
    if depth:
        for inner in folders_in(folder):
            _gather(inner, is_wanted, depth - 1, paths)


def refuse_arrow_folder(source: Source) -> None:
    """Refuse a data set as ``datasets.save_to_disk`` writes it, or a set of such data sets (BT341)."""
    if not source.parts and paths_below(source.path, _is_arrow, depth=_DEPTH_OF_SPLITS):
        raise arrow_data(source.name)


def _is_arrow(path: Path) -> bool:
    return path.suffix.lower() in (".arrow", ".feather")


def matching_files(source: Source, is_wanted: Callable[[Path], bool], *, depth: int) -> list[Part]:
    """Return the files of a folder that are wanted, or those of a list if all of them are; nothing is opened.

    For a list with other files among them there are none: it is not for the reader that asks.
    """
    if not source.parts:
        return [*paths_below(source.path, is_wanted, depth=depth)]
    fits = all(is_wanted(path_of(part)) for part in source.parts)
    return list(source.parts) if fits else []


def files_of(source: Source, is_wanted: Callable[[Path], bool], *, depth: int) -> Iterator[Source]:
    """Open the files that :func:`matching_files` finds, or the source itself when it is a file."""
    if not source.is_folder:
        yield source
    elif source.parts:
        yield from opened_parts(source) if matching_files(source, is_wanted, depth=depth) else ()
    else:
        yield from opened_files(source, paths_below(source.path, is_wanted, depth=depth))


def opened_files(source: Source, paths: list[Path]) -> Iterator[Source]:
    """Open files somewhere inside a folder, one after the other."""
    for path in paths:
        yield opened_file(source, path)


def opened_file(source: Source, path: Path) -> Source:
    """Open a file somewhere inside a folder, named by the folder as the user named it."""
    ordinary_file(path, source.path)
    shown = os.path.join(source.name, path.relative_to(source.path))  # noqa: PTH118  (as the user named it)
    return replace(open_source(path), name=shown)


# Several files given together, each with the name of its system.


Several = FileLike | Mapping[str, FileLike] | Iterable[FileLike]
"""One file, folder or pattern, a list of these (or of ``"NAME=path"``), or a mapping of names to files."""


class NamedSource(NamedTuple):
    """A file with the name of its system, and whether the user gave that name."""

    name: str
    source: Source
    is_explicit: bool


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
    opened = [_opened(name, data) for name, data in _pairs(several)]
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


def open_one(data: FileLike) -> NamedSource:
    """Open the one file that a path, ``NAME=path`` or pattern stands for.

    Raises
    ------
    ReadError
        When it stands for several (BT339), or cannot be opened.
    """
    pairs = _pairs(data)
    if len(pairs) > 1:
        raise ReadError(
            f"One file is needed here, and these are {len(pairs)}. Name one of them.",
            path=_shown(data),
            code="BT339",
        )
    return _opened(*pairs[0])


def _pairs(several: Several) -> list[tuple[str | None, FileLike]]:
    if isinstance(several, Mapping):
        return list(several.items())
    if isinstance(several, str | os.PathLike) or hasattr(several, "read"):
        return _expanded(several)
    if not isinstance(several, Iterable):
        raise ReadError(
            f"Files cannot be read from {type(several).__name__}. Pass a path or a list of paths.",
            code="BT134",
        )
    return [pair for data in several for pair in _expanded(data)]


def _expanded(data: Any) -> list[tuple[str | None, FileLike]]:  # noqa: ANN401  (a path, a pattern or an open file)
    """Return the files that a path stands for: itself, those that fit a pattern, or those of a folder."""
    if not isinstance(data, str | os.PathLike) or os.fspath(data) == "-":
        return [(None, data)]
    called, files = split_name(os.fspath(data))
    return [(called, path) for each in files for path in _files_at(each)]


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


def _opened(name: str | None, data: FileLike) -> NamedSource:
    if not (isinstance(data, str | os.PathLike) or hasattr(data, "read")):
        raise ReadError(f"A path or an open file is needed, not {type(data).__name__}.", code="BT134")
    if name is not None and not name.strip():
        raise ReadError("The name before = is empty. Write NAME=path.", path=_shown(data), code="BT134")
    source = open_source(data)
    return NamedSource(source.stem if name is None else name, source, name is not None)


def _shown(data: str | os.PathLike[str] | IO[bytes] | IO[str]) -> str:
    return os.fspath(data) if isinstance(data, str | os.PathLike) else "<stream>"
