"""What a command is given: words that are files or systems, and several metrics where it shows one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from betterthan.cli.options import is_changed
from betterthan.errors import BetterThanError, ReadError
from betterthan.messages import Message, Option
from betterthan.read.source.paths import is_there, split_name

if TYPE_CHECKING:
    from betterthan.read.inputs import TableReader
    from betterthan.results.tasks import Tradeoffs


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


SEVERAL_METRICS = "BT023"
"""The code of the error for several metrics of which none is chosen."""
_NO_METRICS = frozenset({"length", "count", "identifier", "rank", "rater", "setting"})
"""Meanings of columns that describe an output, where more is not better."""
_SHARED = ("missing", "units", "confidence", "alpha", "baseline", "systems")


def wants_several(metric: Sequence[str], of_one_metric: Sequence[str]) -> bool:
    """Whether a command names several metrics.

    Raises
    ------
    BetterThanError
        When an option is given beside them that is for a single metric.
    """
    if len(metric) < 2:
        return False
    for name in filter(is_changed, of_one_metric):
        raise BetterThanError(
            Message(
                "{option} is for a single metric, and {n} are named. Leave it out, or name one.",
                option=Option(name, True),
                n=len(metric),
            )
        )
    return True


def shows_several(error: ReadError, metric: Sequence[str], of_one_metric: Sequence[str]) -> bool:
    """Whether data in which several metrics were found are to be compared by all of them."""
    return error.code == SEVERAL_METRICS and not metric and not any(map(is_changed, of_one_metric))


def compared_by_all(
    read: TableReader,
    files: Sequence[str],
    metric: Sequence[str],
    given: dict[str, Any],
    *,
    instead_of: ReadError | None = None,
) -> Tradeoffs:
    """Compare systems by all metrics of the files, or by those named.

    Raises
    ------
    ReadError
        `instead_of`, the error for several metrics, when none of them has the name of a known metric, and the format
        of the files does not say that they are metrics: they may be systems, language pairs or other columns then, so
        they must be named. Also when two are one name in two spellings, of which each may have a part of the segments.
    """
    from betterthan.analysis.tradeoffs.tradeoffs import chosen_metrics, tradeoffs
    from betterthan.cli.computing import computing_arguments
    from betterthan.read.grid.selection import refuse_unknown_directions

    found = read.runs_or_scores(files)
    shared = set.intersection(*(set(table.systems) for table in found.values()))
    if instead_of is not None and (len(shared) < 2 or not _are_metrics(read, files, found)):
        raise instead_of
    refuse_unknown_directions(read.options, found)
    computing = computing_arguments(given)
    wanted: dict[str, Any] = {name: given[name] or None for name in _SHARED if name in given}
    return tradeoffs(chosen_metrics(found, metric), **computing, **wanted)


def _are_metrics(read: TableReader, files: Sequence[str], names: Iterable[str]) -> bool:
    from betterthan.read.formats.registry import reader
    from betterthan.read.plausibility.columns import meaning_of
    from betterthan.read.several.runs import is_metric

    names = tuple(names)
    if len({name.strip().casefold() for name in names}) < len(names):
        return False
    if not _NO_METRICS.isdisjoint(map(meaning_of, names)):
        return False
    if any(map(is_metric, names)):
        return True
    formats = {read.recognised(file).format for file in files}
    return all(reader(name).FORMAT.is_run for name in formats)
