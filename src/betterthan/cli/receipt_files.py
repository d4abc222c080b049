"""The files of a record and the files that the user names: which is which, and where it is read from."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from betterthan import scratch
from betterthan.cli.receipt import STANDARD_INPUT, File, file_digest, last_part
from betterthan.errors import BetterThanError, some_of


class Found(NamedTuple):
    """The path that the user named for a file of a record, and whether its bytes are those recorded.

    `is_same` is None where the record has no digest, or the bytes cannot be looked at twice.
    """

    path: str
    is_same: bool | None


def matched(files: Sequence[File], given: Sequence[str]) -> dict[File, Found]:
    """Find each recorded file among those that the user names.

    A file is found by its name as it was given, by its name without folders, by its bytes, and else by its place in
    the order of what is left. What was recorded twice, such as a file with scores of metrics and people, is named once.

    Raises
    ------
    BetterThanError
        When a recorded file is not named, or a file is named that is not recorded.
    """
    left = list(dict.fromkeys(given))
    digests = {path: file_digest(path) for path in left}
    wanted = {(file.name, file.digest): file for file in files}
    found: dict[tuple[str, str | None], str] = {}
    for fits in _RULES:
        for key, file in wanted.items():
            fitting = [path for path in left if key not in found and fits(file, path, digests[path])]
            if fitting:
                # Of several files of one name, the one with the recorded bytes is meant.
                same = [path for path in fitting if file.digest is not None and digests[path] == file.digest]
                found[key] = (same or fitting)[0]
                left.remove(found[key])
    _refuse([file.name for key, file in wanted.items() if key not in found], left, list(wanted.values()))
    return {file: _found(file, found[file.name, file.digest], digests) for file in files}


_RULES: tuple[Callable[[File, str, str | None], bool], ...] = (
    lambda file, path, _: file.name == path,
    lambda file, path, _: last_part(file.name) == last_part(path),
    lambda file, _, digest: file.digest is not None and file.digest == digest,
    lambda _file, _path, _digest: True,
)


def _refuse(missing: Sequence[str], left: Sequence[str], files: Sequence[File]) -> None:
    if missing:
        raise BetterThanError(
            f"The result was also made from {some_of(missing)}, and no FILE is left for it. "
            f"Name every file behind the result: {some_of([file.name for file in files])}."
        )
    if left:
        raise BetterThanError(
            f"The result was not made from {some_of(left)}. "
            f"Name the files behind it and no others: {some_of([file.name for file in files])}."
        )


def _found(file: File, path: str, digests: Mapping[str, str | None]) -> Found:
    known = file.digest is not None and digests[path] is not None
    return Found(path, digests[path] == file.digest if known else None)


@contextmanager
def readable(found: Mapping[File, Found]) -> Iterator[dict[File, str]]:
    """Give each file the path under which the command reads it.

    Systems and metrics are often called as their file or folder. A file that has another name now is therefore linked
    under the recorded one, in a folder that goes afterwards; what came through standard input comes through it again.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="verify-", dir=scratch.folder())))
        paths: dict[File, str] = {}
        for number, (file, (path, _)) in enumerate(found.items()):
            if file.name == STANDARD_INPUT:
                stack.enter_context(_standard_input(path))
                paths[file] = STANDARD_INPUT
            elif path == STANDARD_INPUT or _ends_alike(file.name, path):
                paths[file] = path
            else:
                paths[file] = _linked(path, folder / str(number), _parts(file.name))
        yield paths


def _parts(name: str) -> list[str]:
    """Return the folders and the name of a recorded file that say something: no root, and no way upwards."""
    return [part for part in re.split(r"[/\\]", name) if part not in ("", ".", "..", "~")]


def _ends_alike(name: str, path: str) -> bool:
    parts = _parts(name)
    return list(Path(path).expanduser().absolute().parts[-len(parts) :]) == parts


def _linked(path: str, folder: Path, parts: Sequence[str]) -> str:
    target = folder.joinpath(*parts)
    # On Windows a name such as "c:x" leads elsewhere.
    if not target.is_relative_to(folder) or target == folder:
        raise BetterThanError(f'"{"/".join(parts)}" is no name of a file. Nothing was computed.')
    real = Path(path).expanduser().absolute()
    if not real.exists():
        return path  # a pattern, or nothing: the command says so in its own words
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            target.symlink_to(real, target_is_directory=real.is_dir())
        except (OSError, NotImplementedError):  # not every system allows links
            (shutil.copytree if real.is_dir() else shutil.copyfile)(real, target)
    except OSError as error:
        raise BetterThanError(f"{path} cannot be read under its recorded name ({error.strerror}).") from error
    return str(target)


@contextmanager
def _standard_input(path: str) -> Iterator[None]:
    if path == STANDARD_INPUT:
        yield
        return
    before = sys.stdin
    try:
        with Path(path).expanduser().open(encoding="utf-8") as sys.stdin:
            yield
    except OSError as error:
        raise BetterThanError(f"{path} cannot be opened ({error.strerror}).") from error
    finally:
        sys.stdin = before
