"""What the systems are called of which each file is a run: by the user, else by what differs in the files' names."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile
from pathlib import Path
from typing import NamedTuple

from betterthan.errors import ReadError, some_of
from betterthan.read.column_meanings import meaning_of
from betterthan.read.columns import is_called_score
from betterthan.read.metric_names import told_by
from betterthan.read.quality_pairs import refuse_truth_among
from betterthan.read.source import Source

# A hyphen is a part of names (gpt-4, gpt-4o), so nothing is cut at one.
_SEPARATORS = "._ "
_is_name = re.compile(r"(?=[^\W\d_]).*[^\W\d_]{2}.*").fullmatch
_language_pair = re.compile(r"(?<![A-Za-z])[a-z]{2}-[a-z]{2}(?![A-Za-z])").search
_is_language = re.compile(
    "ar|bg|bn|ca|cs|da|de|el|en|es|et|fa|fi|fr|gu|ha|he|hi|hr|hu|id|is|it|ja|kk|km|ko|lt|lv|mk|ms|nl|no|pl|ps|pt|ro|ru|"
    "sk|sl|sq|sr|sv|sw|ta|th|tr|uk|ur|vi|zh"
).fullmatch
_TEST_SETS = frozenset(("train", "dev", "devtest", "test", "valid", "validation", "eval"))


class RunNames(NamedTuple):
    """The names of systems, and what the names of all files have in common."""

    names: tuple[str, ...]
    shared: str


def is_metric(name: str) -> bool:
    """Whether a name is that of a metric, by itself or because it says which way is better.

    Examples
    --------
    >>> [is_metric(name) for name in ("COMET-22", "latency_ms", "score", "GPT-4", "distance")]
    [True, True, True, False, False]
    """
    told = told_by(name)
    is_told = told is not None and told.way in ("higher", "lower", "by values")
    return is_called_score(name) or meaning_of(name) == "metric" or is_told


def run_names(files: Sequence[Source]) -> RunNames:
    """Name the systems of runs.

    A name given with ``NAME=path`` stands. Other files are called by their names, or by their folders where those are
    all alike, without what all of them begin or end with.

    Raises
    ------
    ReadError
        When two have the same name (BT131), or the names are not of systems (BT231, BT267).
    """
    free = [file for file in files if file.called is None]
    short, shared = short_names(_file_names(free))
    names = iter(short)
    found = tuple(file.called if file.called is not None else next(names) for file in files)
    for place, name in enumerate(found):
        if name in found[:place]:
            raise ReadError(
                f'This file and {files[found.index(name)].name} are both called "{name}". '
                f"Name one of them: NAME={files[place].name}",
                path=files[place].name,
                code="BT131",
            )
    refuse_truth_among(
        {name: file.name for name, file in zip(found, files, strict=True) if file.called is None}
    )
    what = meaning_of_names(short, [file.name for file in free]) if free else ""
    if what:
        raise ReadError(
            f"The files are named like {what} ({some_of(short, limit=4)}), not like systems, and no column names the "
            f"systems. If each file is the run of a system, name them: NAME={free[0].name}",
            path=free[0].name,
            code="BT267",
        )
    return RunNames(found, shared)


def _file_names(files: Sequence[Source]) -> list[str]:
    """Return the names of files without suffixes, or those of their folders where the files have one name."""
    stems = [file.name.strip("<>") if file.name.startswith("<") else file.stem for file in files]
    folders = [Path(file.name).resolve().parent.name for file in files]
    is_by_folder = len(set(stems)) == 1 and len(set(folders)) == len(files) > 1
    return folders if is_by_folder and all(folders) else stems


def short_names(names: Sequence[str]) -> tuple[tuple[str, ...], str]:
    """Return names without what all begin or end with, and that; each must still be a name, and differ from the others.

    Examples
    --------
    >>> short_names(["newstest2016.GPT.de", "newstest2016.Llama.de"])
    (('GPT', 'Llama'), 'newstest2016 de')
    >>> short_names(["gpt_v1", "gpt_v2"])
    (('gpt_v1', 'gpt_v2'), '')
    """
    if len(names) < 2:
        return tuple(names), ""
    start = _cut(_shared_start(names))
    end = _cut(_shared_start([name[len(start) :][::-1] for name in names]))[::-1]
    for before, after in ((start, end), ("", end), (start, "")):
        rest = tuple(
            name[len(before) :].removesuffix(after) if after else name[len(before) :] for name in names
        )
        if all(map(_is_name, rest)) and len(set(rest)) == len(rest):
            return rest, " ".join(part.strip(_SEPARATORS) for part in (before, after) if part)
    return tuple(names), ""


def _shared_start(names: Sequence[str]) -> str:
    letters = takewhile(lambda same: len(set(same)) == 1, zip(*names, strict=False))
    return "".join(same[0] for same in letters)


def _cut(common: str) -> str:
    """Return the common part up to its last separator, so that no word is cut."""
    return common[: max(common.rfind(separator) for separator in _SEPARATORS) + 1]


def meaning_of_names(names: Sequence[str], files: Sequence[str]) -> str:
    """Return what files are named like where that is not systems: metrics, languages, test sets; else nothing.

    Examples
    --------
    >>> meaning_of_names(["BLEU", "COMET"], ["BLEU.csv", "COMET.csv"])
    'metrics'
    >>> meaning_of_names(["GPT", "Llama"], ["GPT.csv", "Llama.csv"])
    ''
    """
    words = {name.casefold() for name in names}
    pairs = [found[0] for file in files if (found := _language_pair(Path(file).name))]
    if any(meaning_of(name) == "metric" for name in names) or all(map(is_metric, names)):
        return "metrics"
    if len(set(pairs)) > 1 and len(pairs) == len(files):
        return "language pairs"
    return "languages" if all(map(_is_language, words)) else "test sets" if words <= _TEST_SETS else ""
