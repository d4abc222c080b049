"""The files of a report: each opened once, read as the user said, and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeGuard

from betterthan.errors import BetterThanError, ReadError, TableError, some_of
from betterthan.read.check import check
from betterthan.read.metrics_folder import MetricsFolder, read_pair
from betterthan.read.metrics_folder_files import Folder, pairs_of
from betterthan.read.metrics_folder_reader import with_conditions
from betterthan.read.protocol import Options, Reading
from betterthan.read.scores import scores_of
from betterthan.read.several_files import refuse_other_languages
from betterthan.read.sniff import Recognition, read_any, recognise
from betterthan.read.source import Source, open_source
from betterthan.results.checkup import Checkup
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores

_METRICS_FOLDER = "metrics_folder"


def is_file(given: object) -> TypeGuard[str | Path]:
    """Whether something was named, and not handed over as a table."""
    return isinstance(given, str | Path)


def is_metrics_folder(found: Recognition) -> bool:
    """Whether this is a folder of the metrics task, which has human scores of its own."""
    return found.format == _METRICS_FOLDER


class FilesRead:
    """Files read as the user said; each is opened once, so that standard input is there for all who look at it."""

    def __init__(self, options: Options, format: str | None) -> None:  # noqa: A002  (the user's word)
        self.options, self.format = options, format
        self._opened: dict[str, Source] = {}
        self._recognised: dict[str, Recognition] = {}
        self._read: list[tuple[str, Reading]] = []

    def source(self, file: str | Path) -> Source:
        """Return the opened file, folder or pattern; ``NAME=path`` is one with a name."""
        name = str(file)
        if name not in self._opened:
            self._opened[name] = open_source(name, folders=True)
        return self._opened[name]

    def recognised(self, file: str | Path) -> Recognition:
        """Return what the file seems to be."""
        name = str(file)
        if name not in self._recognised:
            self._recognised[name] = recognise(self.source(file))
        return self._recognised[name]

    def tables(self, files: Sequence[Any]) -> dict[str, Scores]:
        """Return the scores of all metrics; several files are read together, as other commands read them.

        Raises
        ------
        TableError
            When something else than scores is among them, or a metric is there twice.
        """
        named = [file for file in files if is_file(file)]
        found: dict[str, Scores] = {}
        if named:
            path = ", ".join(map(str, named))
            reading = read_any(self._together(named), self.options, format=self.format)
            self._read.append((path, reading))
            refuse_other_languages(self._read)
            found.update(scores_of(reading, path=path))
        for table in (file for file in files if not is_file(file)):
            if not isinstance(table, Scores | Ratings):
                raise TableError(f"Scores are needed here, not {type(table).__name__}.")
            scores = table if isinstance(table, Scores) else table.to_scores()
            if scores.name in found:
                raise TableError(
                    f'Two tables hold the metric "{scores.name}". Give one of them another name.'
                )
            found[scores.name] = scores
        return found

    def battles(self, files: Sequence[Any]) -> Matches:
        """Return the battles of a table in memory or of all files together, counted by judge where one is known."""
        if isinstance(files[0], Matches):
            return files[0]
        options = replace(self.options, cluster=True)
        reading = read_any(self._together(files), options, format=self.format)
        if not reading.tables or not isinstance(reading.tables[0], Matches):
            raise ReadError(
                "No battles were found here.", path=", ".join(str(file) for file in files), code="BT009"
            )
        return reading.tables[0]

    def checkup(self, file: str | Path) -> Checkup:
        """Return what is in a file and what is wrong with it; of texts, without what was said about tables."""
        source = self.source(file)
        is_text = self.format is None and self.recognised(file).kind == "texts"
        found = check(
            [source],  # an opened file in a list is looked at as it is
            options=Options() if is_text else self.options,
            format=self.format,
        )
        return replace(found, file=str(file))

    def _together(self, files: Sequence[str | Path]) -> Any:  # noqa: ANN401  (a source, or a list of them)
        sources = [self.source(file) for file in files]
        return sources[0] if len(sources) == 1 else open_source(sources, folders=True)  # type: ignore[arg-type]


def folder_of(source: Source, options: Options) -> MetricsFolder:
    """Read the one language pair of a folder of the metrics task that a report is about.

    A report shows the systems of one test set, and systems of different language pairs are different systems. So
    several pairs are refused with their names; the mean over all of them is a question for ``betterthan meta``.

    Raises
    ------
    ReadError
        When there are several language pairs or several human scores, and none was chosen.
    """
    folder = Folder(source.name, source.path)
    asked, domain = with_conditions(options)
    pairs = pairs_of(folder)
    if asked.language_pair is None and len(pairs) > 1:
        raise ReadError(
            f"The folder holds {len(pairs)} language pairs: {some_of(pairs, limit=12)}. A report is about one: pass "
            f"--language-pair {pairs[0]}. For all of them together there is betterthan meta.",
            path=source.name,
            code="BT164",
        )
    found = read_pair(folder, asked, domain=domain).folder
    if found.gold is None:
        several = list(found.human)
        raise BetterThanError(
            f"{source.name} has several human scores for {found.language_pair}: {some_of(several)}. "
            f"Choose one with --gold {several[0]}."
            if several
            else f"{source.name} has no human scores for {found.language_pair}. Name a file of them: --human FILE."
        )
    return found
