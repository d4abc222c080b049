"""Files named by a path, a pattern, a folder, a list or ``NAME=path``, opened in place.

No link may lead out of a folder, and only regular files are opened.
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

# Several files: by a pattern, as a list, or with names (``NAME=path``).


MOST_FILES = 10_000
_MAGIC = frozenset("*?[")
NOWHERE = Path("/nowhere/several files")
"""The path of a source that is a list; readers of folders find nothing in it."""


def split_name(typed: str) -> tuple[str | None, list[str]]:
    """Return the name before ``=``, if any, and the files that a path or pattern matches.

    An existing file called ``a=b.txt`` or ``[1].txt`` takes precedence.

    Raises
    ------
    ReadError
        When a name is empty (BT134), no file matches a pattern (BT001), or a name is given to several files (BT131).

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
                f"{len(files)} files match this pattern, but they cannot all be called {name}. Leave out the name.",
                path=typed,
                code="BT131",
            )
        return name, files
    return None, _fitting(typed)


def expanded(paths: Iterable[str]) -> list[str]:
    """Return paths with patterns expanded, sorted by name; names before ``=`` are kept.

    Examples
    --------
    >>> expanded(["a.txt", "ours=b.txt", "-"])
    ['a.txt', 'ours=b.txt', '-']
    """
    parts = map(split_name, paths)
    return [file if name is None else f"{name}={file}" for name, files in parts for file in files]


def is_there(path: str) -> bool:
    """Whether a path exists; an inaccessible one counts as missing."""
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
            "No file matches this pattern. Check the spelling and the folder.", path=path, code="BT001"
        )
    return files


def parts_of(several: Sequence[Any], *, name: str | None = None, folders: bool) -> Source:
    """Return a list of files as one source; streams are spooled now, files are opened when they are read.

    Raises
    ------
    ReadError
        When the list is empty (BT134), too long (BT335), or only one file is allowed (BT339).
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
        raise ReadError(f"One file is needed here, and there are {len(parts)}.", path=shown, code="BT339")
    return Source(name=shown, path=NOWHERE, head=b"", is_folder=True, parts=tuple(parts))


def _parts(data: Any) -> list[Part]:  # noqa: ANN401  (a path, a pattern or an open file)
    if isinstance(data, Source):
        return [data]
    if isinstance(data, str | os.PathLike) and os.fspath(data) != "-":
        called, files = split_name(os.fspath(data))
        return [f"{called}={files[0]}"] if called is not None else list(files)
    return [open_source(data)]


def _of_folder(part: Part) -> Part:
    """Return the only file of a folder in a list, named after the folder; anything else unchanged.

    Each system's run is often in its own folder: ``compare runs/v1 runs/v2``.
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


# Files of a folder: no link may lead out of it, and only regular files are opened.


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

    A link to the folder or above it is left out, because following it would not end.
    """
    return [
        path
        for path in _listed(folder)
        if not path.name.startswith(".") and _is_dir(path) and not _leads_back(path)
    ]


def _leads_back(path: Path) -> bool:
    return path.is_symlink() and path.parent.resolve().is_relative_to(path.resolve())


def files_in(folder: Path) -> list[Path]:
    """Return the files directly inside a folder, by name; none when there is no such folder."""
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
    except OSError:  # a circular link, on some systems
        return False


def is_data(path: Path) -> bool:
    """Whether a file of a folder may hold data, rather than documentation or programs."""
    name = path.name.lower()
    return path.suffix.lower() not in _NO_DATA and name.split(".")[0] not in _ABOUT


def ordinary_file(path: Path, root: Path) -> Path:
    """Return a path that is a regular file inside `root`, following links.

    A pipe would block, a device may be endless, and a link out of the folder may expose other files.

    Raises
    ------
    ReadError
        For anything else (BT163).
    """
    try:
        real, inside = path.resolve(strict=True), root.resolve(strict=True)
    except (OSError, RuntimeError) as error:  # Python before 3.13 raises RuntimeError at a circle
        raise ReadError(
            "This link is broken or circular. Copy the file into the folder.",
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
            "This is not a regular file, so it is not read. Copy the file into the folder.",
            path=str(path),
            code="BT163",
        )
    return real


def paths_below(folder: Path, is_wanted: Callable[[Path], bool], *, depth: int) -> list[Path]:
    """Return the files of a folder and its subfolders, at most `depth` deep, that satisfy a condition.

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
    """Raise for a data set written by ``datasets.save_to_disk``, or a collection of these (BT341)."""
    if not source.parts and paths_below(source.path, _is_arrow, depth=_DEPTH_OF_SPLITS):
        raise arrow_data(source.name)


def _is_arrow(path: Path) -> bool:
    return path.suffix.lower() in (".arrow", ".feather")


def matching_files(source: Source, is_wanted: Callable[[Path], bool], *, depth: int) -> list[Part]:
    """Return the matching files of a folder, or those of a list if all of them match; nothing is opened.

    A list with other files gives none, because it belongs to another reader.
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
    """Open files inside a folder, one by one."""
    for path in paths:
        yield opened_file(source, path)


def opened_file(source: Source, path: Path) -> Source:
    """Open a file inside a folder, named relative to the folder as the user named it."""
    ordinary_file(path, source.path)
    shown = os.path.join(source.name, path.relative_to(source.path))  # noqa: PTH118  (as the user named it)
    return replace(open_source(path), name=shown)


# Several files, each with the name of its system.


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
    opened = _without_shared_parts([_opened(name, data) for name, data in _pairs(several)])
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


def _without_shared_parts(opened: list[NamedSource]) -> list[NamedSource]:
    """Return files with names that leave out what all have in common, such as ``newstest2016.`` and ``.de``."""
    if len(opened) < 2 or any(one.is_explicit for one in opened):
        return opened
    names = distinct_parts([one.name for one in opened])
    return [one._replace(name=name) for one, name in zip(opened, names, strict=True)]


def distinct_parts(names: Sequence[str]) -> list[str]:
    """Return names without the parts between full stops that all begin or all end with.

    A number stays, as it may be that of a version, and so do all names if any would be empty or two would be alike.

    Examples
    --------
    >>> distinct_parts(["newstest2016.online-A.0.de", "newstest2016.uedin-nmt.4361.de"])
    ['online-A.0', 'uedin-nmt.4361']
    >>> distinct_parts(["v1.0", "v2.0"]), distinct_parts(["gpt-4", "gpt-4.de"])
    (['v1.0', 'v2.0'], ['gpt-4', 'gpt-4.de'])
    """
    parts = [name.split(".") for name in names]
    first, last = _n_shared(parts), _n_shared([part[::-1] for part in parts])
    if any(len(part) <= first + last for part in parts):
        return list(names)
    short = [".".join(part[first : len(part) - last]) for part in parts]
    return short if all(short) and len(set(short)) == len(set(names)) else list(names)


def _n_shared(parts: Sequence[Sequence[str]]) -> int:
    """Return how many parts all begin with, up to the first number."""
    n = 0
    for same in zip(*parts, strict=False):
        if len(set(same)) > 1 or same[0][:1].isdigit():
            break
        n += 1
    return n


def open_one(data: FileLike) -> NamedSource:
    """Open the only file that a path, ``NAME=path`` or pattern matches.

    Raises
    ------
    ReadError
        When it matches several (BT339), or cannot be opened.
    """
    pairs = _pairs(data)
    if len(pairs) > 1:
        raise ReadError(
            f"One file is needed here, and there are {len(pairs)}. Name one of them.",
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
    """Return the files of a path: itself, those that match a pattern, or those of a folder."""
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
