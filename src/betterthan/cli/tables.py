"""Which words of a command are files, and which are systems."""

from __future__ import annotations

import re
from pathlib import Path

from betterthan.errors import BetterThanError, ReadError
from betterthan.read.source.paths import is_there, split_name


def files_and_systems(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Separate the files of a command from the systems that may be named after them.

    The first word is a file. So is every other that is written like one and exists, and every one that ends like a
    table, so that a typo in its name is not taken for a system. A word like "Aster" is a system even where a folder of
    that name lies beside the files, unless the first word is a folder too: a folder beside a folder is data.

    Raises
    ------
    BetterThanError
        When a file follows a system.

    Examples
    --------
    >>> files_and_systems(("a.csv", "b.csv", "Aster", "gpt-4.1"))
    (('a.csv', 'b.csv'), ('Aster', 'gpt-4.1'))
    """
    are_folders = _is_folder(words[0])
    is_file = [
        place == 0 or _is_file(word) or (are_folders and _is_folder(word)) for place, word in enumerate(words)
    ]
    n_files = is_file.index(False) if False in is_file else len(words)
    late = next((word for word, file in zip(words[n_files:], is_file[n_files:], strict=True) if file), None)
    if late is not None:
        raise BetterThanError(
            f'"{late}" is a file, but "{words[n_files]}" before it is not. '
            f"Name the files first, then the systems; use --only for a system that has the same name as a file."
        )
    return words[:n_files], words[n_files:]


_PLAIN = re.compile(r"[^./\\=*?\[]+").fullmatch
_ENDS = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".gz", ".zst", ".score", ".eval")


def _is_folder(word: str) -> bool:
    try:
        return Path(split_name(word)[1][0]).expanduser().is_dir()
    except (OSError, ValueError, RuntimeError, ReadError):
        return False


def _is_file(word: str) -> bool:
    if word == "-" or word.lower().endswith(_ENDS):
        return True
    if _PLAIN(word):
        return False
    try:
        return all(is_there(path) for path in split_name(word)[1])
    except ReadError:  # a pattern that no file fits, or nothing before the sign =
        return False
