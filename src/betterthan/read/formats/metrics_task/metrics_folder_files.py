"""The files of a folder of the metrics task, identified by their names and locations.

::

    TESTSET/
      sources/LP.txt                         one segment per line documents/LP.docs                      DOMAIN
      DOCUMENT, one line per segment references/LP.NAME.txt system-outputs/LP/SYSTEM.txt
      human-scores/LP.NAME.LEVEL.score metric-scores/LP/NAME-REF.LEVEL.score
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from betterthan.errors import ReadError, unknown_name
from betterthan.messages import Message, Option
from betterthan.read.formats.metrics_task.score_files import ScoreName, check_level, score_name
from betterthan.read.source.paths import files_in, folders_in, ordinary_file
from betterthan.read.source.source import Source, no_data_folder, open_source

SUBFOLDERS = ("human-scores", "metric-scores")
NO_REFERENCE = "src"
ALL_REFERENCES = "all"
_TEXTS = (".txt", ".jsonl")


class Folder(NamedTuple):
    """A folder of the metrics task: its name as given by the user, and its path."""

    shown: str
    path: Path

    @property
    def name(self) -> str:
        """The name of the test set."""
        return self.path.resolve().name

    def source(self, path: Path) -> Source:
        """Open a regular file of the folder, named by its relative path."""
        place = os.path.join(self.shown, path.relative_to(self.path))  # noqa: PTH118
        try:
            real = ordinary_file(path, self.path)
        except ReadError as error:
            raise ReadError(error.message, path=place, code=error.code) from error
        try:
            return replace(open_source(real), name=place)
        except ReadError as error:
            raise ReadError(error.message, path=place, code=error.code) from error


class Documents(NamedTuple):
    """Domain and document of each segment."""

    domains: tuple[str, ...]
    documents: tuple[str, ...]


class ScoreFile(NamedTuple):
    """A score file, the name of its scores, their level, and the references used."""

    path: Path
    name: str
    level: str
    references: tuple[str, ...] = ()


def open_folder(path: str | os.PathLike[str]) -> Folder:
    """Inspect a folder of the metrics task.

    Raises
    ------
    ReadError
        When it does not exist (BT001) or holds neither human-scores nor metric-scores (BT002).
    """
    source = open_source(path, folders=True)
    if not source.is_folder or not is_metrics_folder(source.path):
        raise (
            no_data_folder(source.name)
            if source.is_folder
            else ReadError(
                "This is a file. Name the folder of a test set, with human-scores or metric-scores in it.",
                path=source.name,
                code="BT165",
            )
        )
    return Folder(source.name, source.path)


def is_metrics_folder(path: Path) -> bool:
    """Whether a folder holds human or metric scores in the locations of the metrics task."""
    return any((path / name).is_dir() for name in SUBFOLDERS)


def language_pairs(path: str | os.PathLike[str]) -> tuple[str, ...]:
    """Return the language pairs of which a folder of the metrics task has scores, in alphabetical order.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     (Path(folder) / "metric-scores" / "en-de").mkdir(parents=True)
    ...     _ = (Path(folder) / "metric-scores" / "en-de" / "BLEU-refA.sys.score").write_text("A 30.5")
    ...     language_pairs(folder)
    ('en-de',)
    """
    return pairs_of(open_folder(path))


def pairs_of(folder: Folder) -> tuple[str, ...]:
    """Return the language pairs of an opened folder."""
    metrics = {
        pair.name
        for pair in folders_in(folder.path / "metric-scores")
        if any(score_name(path.name) for path in files_in(pair))
    }
    humans = {path.name.split(".", 1)[0] for path in files_in(folder.path / "human-scores") if _human(path)}
    return tuple(sorted(metrics | humans))


def the_pair(folder: Folder, requested: str | None) -> str:
    """Return the requested language pair, or the only one.

    Raises
    ------
    ReadError
        When there are several (BT164) or none (BT165).
    UnknownName
        When there is no such pair.
    """
    pairs = pairs_of(folder)
    if not pairs:
        raise ReadError(
            "The folder holds no score files. They are human-scores/LP.NAME.LEVEL.score and "
            "metric-scores/LP/NAME-REF.LEVEL.score.",
            path=folder.shown,
            code="BT165",
        )
    if requested is not None:
        if requested not in pairs:
            raise unknown_name("language pair", requested, pairs)
        return requested
    if len(pairs) > 1:
        raise ReadError(
            Message(
                "The folder holds {n} language pairs: {pairs}. Choose one with {fix}.",
                n=len(pairs),
                pairs=", ".join(pairs),
                fix=Option("language_pair", pairs[0]),
            ),
            path=folder.shown,
            code="BT164",
        )
    return pairs[0]


def _human(path: Path) -> ScoreName | None:
    """Return the name and level of a human score file; its language pair ends at the first dot."""
    pair, dot, rest = path.name.partition(".")
    return score_name(rest) if pair and dot else None


def human_files(folder: Folder, pair: str) -> list[ScoreFile]:
    """Return the files of human scores of a language pair, every level."""
    files = []
    for path in files_in(folder.path / "human-scores"):
        named = _human(path)
        if named is not None and path.name.split(".", 1)[0] == pair:
            check_level(named.level, path=_place(folder, path))
            files.append(ScoreFile(path, named.name, named.level))
    return files


def metric_files(folder: Folder, pair: str, references: tuple[str, ...]) -> list[ScoreFile]:
    """Return the files of metric scores of a language pair, every level."""
    files = []
    for path in files_in(folder.path / "metric-scores" / pair):
        named = score_name(path.name)
        if named is not None:
            check_level(named.level, path=_place(folder, path))
            used = references_used(named.name, references)
            files.append(ScoreFile(path, named.name, named.level, used or ()))
    return files


def references_used(metric: str, references: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the references in the name of a metric, or None if there are none.

    Examples
    --------
    >>> references_used("YiSi-1-refA.refB", ())
    ('refA', 'refB')
    >>> references_used("COMET-QE-src", ("refA",)), references_used("BLEU-all", ("refA",))
    ((), ('refA',))
    >>> references_used("COMET-22", ("refA",)) is None
    True
    """
    base, dash, ending = metric.rpartition("-")
    if not base or not dash:
        return None
    if ending == NO_REFERENCE:
        return ()
    if ending == ALL_REFERENCES:
        return references
    parts = tuple(ending.split("."))
    # Every reference of the task is called ref, refA, refb, …; other names must be in the folder.
    return parts if all(part in references or part.casefold().startswith("ref") for part in parts) else None


def reference_names(folder: Folder, pair: str) -> tuple[str, ...]:
    """Return the references of a language pair: those with a text, and those that a metric names."""
    texts = [
        path.stem.removeprefix(f"{pair}.")
        for path in files_in(folder.path / "references")
        if path.suffix in _TEXTS and path.name.startswith(f"{pair}.")
    ]
    names = [
        named.name
        for path in files_in(folder.path / "metric-scores" / pair)
        if (named := score_name(path.name))
    ]
    used = [name for metric in names for name in references_used(metric, ()) or ()]
    return tuple(sorted({*texts, *used}))


def output_names(folder: Folder, pair: str) -> tuple[str, ...]:
    """Return the systems whose translations are in the folder."""
    paths = files_in(folder.path / "system-outputs" / pair)
    return tuple(path.stem for path in paths if path.suffix in _TEXTS)


def documents_of(folder: Folder, pair: str) -> Documents | None:
    """Return the domain and document of each segment, or None in a folder without documents.

    Raises
    ------
    ReadError
        When other pairs have documents and this one has none, or a line has another shape (BT166).
    """
    path = folder.path / "documents" / f"{pair}.docs"
    if not (folder.path / "documents").is_dir():
        return None
    if path not in files_in(path.parent):
        raise ReadError(
            f"There is a folder of documents, but none for {pair}. "
            f"Write DOMAIN and DOCUMENT on one line per segment, or remove the folder.",
            path=_place(folder, path),
            code="BT166",
        )
    source = folder.source(path)
    lines = [line.split() for line in source.lines()]
    odd = next((i for i, fields in enumerate(lines) if len(fields) != 2), None)
    if odd is not None:
        raise ReadError(
            f"The line has {len(lines[odd])} fields where DOMAIN DOCUMENT is needed. Write one line per segment.",
            path=source.name,
            line=odd + 1,
            code="BT166",
        )
    domains, documents = zip(*lines, strict=True)
    return Documents(domains, documents)


def n_source_lines(folder: Folder, pair: str) -> tuple[int, str] | None:
    """Return the number of source segments and the file it comes from, if there is one."""
    for suffix in _TEXTS:
        path = folder.path / "sources" / f"{pair}{suffix}"
        if path in files_in(path.parent):
            return sum(1 for _ in folder.source(path).lines()), f"sources/{path.name}"
    return None


def _place(folder: Folder, path: Path) -> str:
    return os.path.join(folder.shown, path.relative_to(folder.path))  # noqa: PTH118
