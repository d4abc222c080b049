"""The single entry point for input: paths, folders, patterns, streams, frames, dicts, arrays and tables.

Verbs, commands, reports and figures all use :class:`TableReader`. Each file is opened and read once, so that standard
input can be used repeatedly and every result comes from the same table.
"""

from __future__ import annotations

import logging
import os
import string
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeGuard, cast

import numpy as np

from betterthan.errors import BetterThanError, ReadError, TableError, some_of, unknown_name
from betterthan.messages import COLUMN, FILE, NAME, VALUE, Message, Option
from betterthan.read.check import checkup_of
from betterthan.read.grid.selection import refuse_unknown_directions, refuse_unused
from betterthan.read.protocol import Options, Reading
from betterthan.read.scores import are_runs, judgements_of, scores_of, the_metric
from betterthan.read.several.files import refuse_other_languages
from betterthan.read.several.merge import refuse_changed_items
from betterthan.read.sniff import Recognition, read_any, recognise
from betterthan.read.source.source import Source, open_source
from betterthan.results.checkup import Checkup
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

NO_CLUSTER = "none"
_log = logging.getLogger(__name__)
_BY_ALL = "To compare by all of them, use tradeoffs."
_METRICS_FOLDER = "metrics_folder"
Metrics = dict[str, Scores]


class MetricsAndPeople(NamedTuple):
    """Metrics with the human scores they are compared with; for several language pairs, mappings."""

    metrics: Metrics | dict[str, Metrics]
    people: Scores | Matches | dict[str, Scores]
    notes: tuple[str, ...] = ()


def is_path(data: object) -> TypeGuard[str | os.PathLike[str]]:
    """Whether something is a path rather than data."""
    return isinstance(data, str | os.PathLike)


def is_metrics_folder(recognition: Recognition) -> bool:
    """Whether this is a folder of the metrics task, which contains human scores."""
    return recognition.format == _METRICS_FOLDER


def one_of(data: Sequence[Any]) -> Any:  # noqa: ANN401  (a table, a frame, files)
    """Combine several arguments: arrays of scores, one per system, or files.

    Arrays have no names, so the first is called A, the second B. A mapping of names to paths is a set of named files.

    Raises
    ------
    TableError
        When they cannot be combined, or a two-dimensional array does not identify the systems.

    Examples
    --------
    >>> one_of([[0.5, 0.75], np.array([0.25, 0.5])])
    {'A': [0.5, 0.75], 'B': [0.25, 0.5]}
    >>> one_of(["run1.jsonl", "run2.jsonl"])
    ['run1.jsonl', 'run2.jsonl']
    """
    if len(data) > 1 and all(is_path(each) or isinstance(each, Source) for each in data):
        return list(data)
    if len(data) > 1 and all(_is_numbers(each) for each in data):
        return _named(data)
    if len(data) > 1:
        kinds = some_of([type(each).__name__ for each in data])
        raise TableError(
            f"These cannot be combined: {kinds}. Pass one table, or one array per system, or one file per system."
        )
    (one,) = data
    if isinstance(one, list | tuple) and one:
        return one_of(one) if len(one) > 1 else _alone(one[0])
    if isinstance(one, Mapping) and one and all(is_path(path) for path in one.values()):
        return [replace(open_source(path, folders=True), called=str(name)) for name, path in one.items()]
    return _alone(one)


def _alone(data: Any) -> Any:  # noqa: ANN401  (anything)
    if isinstance(data, np.ndarray):
        shape = " × ".join(map(str, data.shape))
        raise TableError(
            f"An array of {shape} does not identify the systems. Pass one array per "
            f'system, compare(a, b), or name them: {{"A": a, "B": b}}.'
        )
    return data


def _is_numbers(data: object) -> bool:
    """Whether this is a row of numbers: an array, a column of a data frame, or a list."""
    if isinstance(data, list | tuple):
        return bool(data) and all(each is None or isinstance(each, int | float | np.number) for each in data)
    return getattr(data, "ndim", None) == 1 or (hasattr(data, "to_numpy") and not hasattr(data, "columns"))


def _named(rows: Sequence[Any]) -> dict[str, list[Any]]:
    letters = string.ascii_uppercase
    values = [list(row) if isinstance(row, list | tuple) else np.asarray(row).tolist() for row in rows]
    if len({len(row) for row in values}) > 1:
        lengths = some_of([str(len(row)) for row in values])
        raise TableError(
            f"The arrays have different lengths: {lengths}. Each needs one score for every segment, in the same order."
        )
    return {letters[i] if i < len(letters) else f"S{i + 1}": row for i, row in enumerate(values)}


class TableReader:
    """Reader of the user's input with its options; each file is opened and read once.

    Parameters
    ----------
    options : Options, optional
        Options on columns, rows, directions and duplicates.
    format : str, optional
        The layout, instead of recognizing it.

    Examples
    --------
    >>> TableReader().table({"A": [0.5, 0.75], "B": [0.25, 0.5]})
    Scores('score', 2 systems × 2 segments, higher is better)
    """

    def __init__(self, options: Options | None = None, *, format: str | None = None) -> None:  # noqa: A002
        self.options, self.format = options or Options(), format
        self._opened: dict[str, Source] = {}
        self._recognised: dict[str, Recognition] = {}
        self._read: list[tuple[object, Options, Reading]] = []
        self._languages: list[tuple[str, Reading]] = []

    def source(self, file: str | os.PathLike[str] | Source) -> Source:
        """Return the opened file, folder or pattern; ``NAME=path`` is one with a name."""
        if isinstance(file, Source):
            return file
        name = os.fspath(file)
        if name not in self._opened:
            self._opened[name] = open_source(name, folders=True)
        return self._opened[name]

    def recognised(self, file: str | os.PathLike[str]) -> Recognition:
        """Return the recognized format of the file."""
        name = os.fspath(file)
        if name not in self._recognised:
            self._recognised[name] = recognise(self.source(file))
        return self._recognised[name]

    def reading(self, data: Any, options: Options | None = None) -> Reading:  # noqa: ANN401  (anything but a table)
        """Read files, a stream or a frame; the same with the same options is read once."""
        options = options or replace(self.options, cluster=True)
        one = one_of(data if isinstance(data, tuple) else (data,))
        key = self._key(one)
        for known, options_of, reading in self._read:
            if key is not None and known == key and options_of == options:
                return reading
        reading = read_any(self._as_source(one), options, format=self.format)
        _log.info(
            "read %s: %s", self.name(data) or "data", ", ".join(map(repr, reading.tables)) or "no table"
        )
        self._read.append((key, options, reading))
        return reading

    def table(
        self,
        data: Any,  # noqa: ANN401  (anything)
        *,
        kinds: tuple[type, ...] = (Scores, Matches),
        metric: str | None = None,
        cluster: str | None = None,
        covariates: tuple[str, ...] = (),
    ) -> Any:  # noqa: ANN401  (one of the kinds)
        """Return the one table that a verb takes: scores of a metric, or battles where `kinds` allow them.

        Battles are counted by judge or session where there is such a column, unless `cluster` names another column or
        is "none"; a column that was found automatically is ignored where it has missing values.

        Raises
        ------
        ReadError
            When there are several metrics and none is chosen (BT023), or data other than scores (BT022).
        BetterThanError
            When an option was given that does not apply to this kind of data.
        """
        if isinstance(data, kinds):
            return data
        request = replace(_with_cluster(self.options, cluster), covariates=covariates, metric=metric)
        reading, name = self.reading(data, request), self.name(data)
        self._refuse_unknown(reading)
        first = reading.tables[0] if reading.tables else None
        repeated = {table.name: table for table in reading.tables if isinstance(table, Runs)}
        if Runs in kinds and repeated:
            single = {table.name: table for table in reading.tables if isinstance(table, Scores)}
            tables: dict[str, Scores | Runs] = {**repeated, **single}
            return the_metric(tables, metric, name, hint=reading.metric_hint or _BY_ALL)
        if Matches in kinds and isinstance(first, Matches):
            return first
        if cluster is not None or covariates:
            raise BetterThanError(
                Message(
                    "{option} is for battles, and {data} has none. Leave it out.",
                    option=Option("covariates", list(covariates))
                    if covariates
                    else Option("cluster", cluster),
                    data=name or "the table",
                )
            )
        if Scores not in kinds:
            return self._only(reading, kinds, name)
        return the_metric(scores_of(reading, path=name), metric, name, hint=reading.metric_hint or _BY_ALL)

    def runs_or_scores(self, data: Any) -> dict[str, Scores | Runs]:  # noqa: ANN401  (anything)
        """Return every metric by name, as repeated runs where there are some."""
        reading = self.reading(data)
        repeated = {table.name: table for table in reading.tables if isinstance(table, Runs)}
        if not repeated:
            return dict(self.metrics(data))
        return {**repeated, **{table.name: table for table in reading.tables if isinstance(table, Scores)}}

    def refuse_changed_items(self, data: Any) -> None:  # noqa: ANN401  (anything)
        """Raise when two files have another question or correct answer for the same item; see the function."""
        one = one_of(data if isinstance(data, tuple) else (data,))
        files = one if isinstance(one, list) else [one]
        if all(is_path(each) or isinstance(each, Source) for each in files):
            refuse_changed_items([self.source(each) for each in files], self.options)

    def metrics(self, data: Any, *, system_level: bool = False) -> Metrics:  # noqa: ANN401  (anything)
        """Return the scores of every metric by name."""
        if isinstance(data, Scores):
            return {data.name: data}
        if isinstance(data, Ratings | Runs):
            return {data.name: data.to_scores()}
        reading, name = self.reading(data), self.name(data)
        self._languages.append((name or "the data", reading))
        refuse_other_languages(self._languages)
        return scores_of(reading, path=name, system_level=system_level)

    def judgements(self, data: Any, metric: str | None = None) -> Ratings | Scores:  # noqa: ANN401  (anything)
        """Return single judgments, or means where there are no judges."""
        if isinstance(data, Ratings | Scores):
            return data
        reading = self.reading(data)
        self._refuse_unknown(reading)
        return judgements_of(reading, metric, path=self.name(data))

    def battles(self, data: Any) -> Matches:  # noqa: ANN401  (anything)
        """Return battles, counted by judge where one is known."""
        if isinstance(data, Matches):
            return data
        tables = self.reading(data).tables
        if not tables or not isinstance(tables[0], Matches):
            raise ReadError("No battles were found here.", path=self.name(data), code="BT009")
        return tables[0]

    def checkup(self, file: str | os.PathLike[str]) -> Checkup:
        """Return the contents and problems of a file, without reading it again.

        For texts, options on columns are ignored.
        """
        is_text = self.format is None and self.recognised(file).kind == "texts"
        options = Options() if is_text else self.options
        source = self.source(file)
        name = source.shown(os.fspath(file))
        checkup, _ = checkup_of(source, options, self.format, name=name, read=self._read_once)
        return replace(checkup, file=os.fspath(file))

    def metrics_and_people(
        self,
        data: Any,  # noqa: ANN401  (anything)
        *,
        human: Any = None,  # noqa: ANN401  (anything)
        only: Sequence[str] = (),
        language_pairs: Sequence[str] = (),
        gold: str | None = None,
        reference: str | None = None,
    ) -> MetricsAndPeople:
        """Return metrics and the human scores they are compared with; several language pairs give a mapping of each.

        Raises
        ------
        BetterThanError
            When the human scores are not named or there are several, or an option does not apply to these data.
        """
        files = list(data) if isinstance(data, list | tuple) else [data]
        folders = [file for file in files if is_path(file) and self._is_metrics_folder(file)]
        if folders and len(files) > 1:
            raise BetterThanError(
                "Use one folder of the metrics task, or any number of files, but not both: "
                f"{some_of([str(file) for file in files])}."
            )
        if folders:
            return self._of_folder(folders[0], human, only, language_pairs, gold, reference)
        for option, value_given in (("language_pair", language_pairs), ("reference", reference)):
            if value_given:
                value = value_given if isinstance(value_given, str) else value_given[0]
                raise BetterThanError(
                    Message(
                        "{option} is for folders of the WMT metrics task. For files use {where}.",
                        option=Option(option, value),
                        where=Option("where", {COLUMN: VALUE}),
                    )
                )
        if human is None:
            raise BetterThanError(
                Message("Name the file with the human scores: {human}.", human=Option("human", FILE))
            )
        metrics = self._metrics_of_each(files)
        if (compared := self._comparisons(human)) is not None:
            refuse_unknown_directions(self.options, metrics)
            return MetricsAndPeople(_chosen(metrics, only), compared)
        judged = self.metrics(human, system_level=True)
        if gold is None and len(judged) > 1:
            raise BetterThanError(
                Message(
                    "{data} has several human scores: {scores}. Choose one with {gold}.",
                    data=self.name(human) or "The data",
                    scores=some_of(list(judged)),
                    gold=Option("gold", next(iter(judged))),
                )
            )
        people = the_metric(judged, gold, self.name(human))
        refuse_unknown_directions(self.options, [*metrics, *judged])
        return MetricsAndPeople(_chosen(metrics, only), people)

    def _comparisons(self, human: Any) -> Matches | None:  # noqa: ANN401  (anything)
        """Return human judgments that are comparisons of systems, such as relative rankings; None for scores."""
        if isinstance(human, Matches):
            return human
        if isinstance(human, Scores | Ratings):
            return None
        tables = self.reading(human).tables
        if not tables or not isinstance(tables[0], Matches):
            return None
        if tables[0].segment is None or tables[0].segments:
            return tables[0]
        # Battles have no names of segments unless they are asked for; metrics are joined by them.
        named = replace(self.options, cluster=True, keep=("item",), names_items=True)
        (compared, *_) = self.reading(human, named).tables
        return cast("Matches", compared)

    def name(self, data: Any) -> str | None:  # noqa: ANN401  (anything)
        """Return the name of the data for messages; empty where there is none."""
        several = data if isinstance(data, list | tuple) else [data]
        named = [
            each.name if isinstance(each, Source) else os.fspath(each) for each in several if _has_name(each)
        ]
        return ", ".join(named) or None

    def _metrics_of_each(self, files: Sequence[Any]) -> Metrics:
        """Return the metrics of all files; none may be in two of them, unless each file is the run of one system."""
        together = [tuple(files)] if self.format is None and are_runs(files, self.options) else files
        metrics: Metrics = {}
        for file in together:
            for name, table in self.metrics(
                list(file) if isinstance(file, tuple) else file, system_level=True
            ).items():
                if name in metrics:
                    raise BetterThanError(
                        f'The metric "{name}" occurs in two of the files; the second is {self.name(file)}.'
                    )
                metrics[name] = table
        return metrics

    def _of_folder(
        self,
        path: str | os.PathLike[str],
        human: object,
        only: Sequence[str],
        language_pairs: Sequence[str],
        gold: str | None,
        reference: str | None,
    ) -> MetricsAndPeople:
        from betterthan.read.formats.metrics_task.metrics_folder import (  # noqa: PLC0415
            FORMAT,
            read_pair,
            with_conditions,
        )
        from betterthan.read.formats.metrics_task.metrics_folder_files import open_folder, pairs_of  # noqa: PLC0415

        if human is not None:
            raise BetterThanError(
                Message(
                    "The folder contains human scores. Leave out {human}, or choose among them with {gold}.",
                    human=Option("human"),
                    gold=Option("gold", NAME),
                )
            )
        if self.format not in (None, _METRICS_FOLDER):
            raise BetterThanError(
                Message(
                    "{format} is for files. Leave it out for a folder.", format=Option("format", self.format)
                )
            )
        request = replace(
            self.options, gold=gold or self.options.gold, reference=reference or self.options.reference
        )
        refuse_unused(request, FORMAT, path=os.fspath(path))
        options, domain = with_conditions(request)
        named = list(dict.fromkeys(pair for text in language_pairs for pair in text.split(",")))
        if named and options.language_pair not in (None, *named):
            raise BetterThanError(
                Message(
                    "{where} contradicts {pairs}. Leave one of the two out.",
                    where=Option("where", {"lp": options.language_pair}),
                    pairs=Option("language_pair", named if len(named) > 1 else named[0]),
                )
            )
        folder = open_folder(path)
        pairs = [options.language_pair] if options.language_pair else named or pairs_of(folder)
        read = {
            pair: read_pair(folder, replace(options, language_pair=pair), domain=domain).folder
            for pair in pairs
        }
        refuse_unknown_directions(
            options, {name for part in read.values() for name in (*part.human, *part.metrics)}
        )
        people = {pair: _gold_of(part) for pair, part in read.items()}
        metrics = {pair: _chosen(dict(part.metrics), only) for pair, part in read.items()}
        notes = tuple(dict.fromkeys(note for part in read.values() for note in part.notes))
        if len(pairs) == 1:
            return MetricsAndPeople(metrics[pairs[0]], people[pairs[0]], notes)
        return MetricsAndPeople(metrics, people, notes)

    def _is_metrics_folder(self, file: str | os.PathLike[str]) -> bool:
        source = self.source(file)
        return source.is_folder and not source.parts and is_metrics_folder(self.recognised(file))

    def _as_source(self, one: Any) -> Any:  # noqa: ANN401  (what a reader takes)
        if is_path(one):
            return self.source(one)
        if isinstance(one, list) and one and all(is_path(each) or isinstance(each, Source) for each in one):
            return open_source([self.source(each) for each in one], folders=True)  # type: ignore[misc]
        return one

    def _read_once(self, source: Source, options: Options, format: str | None) -> Reading:  # noqa: A002
        """Read a single input like :meth:`reading`."""
        return (
            self.reading(source, options)
            if format == self.format
            else read_any(source, options, format=format)
        )

    @staticmethod
    def _key(one: Any) -> object:  # noqa: ANN401  (files or anything)
        """Return the cache key of data from files; None for data in memory."""
        several = one if isinstance(one, list) else [one]
        if not all(is_path(each) or isinstance(each, Source) for each in several):
            return None
        return tuple(each.name if isinstance(each, Source) else os.fspath(each) for each in several)

    def _refuse_unknown(self, reading: Reading) -> None:
        names = [table.name for table in reading.tables if isinstance(table, Scores | Ratings | Runs)]
        refuse_unknown_directions(self.options, names)

    @staticmethod
    def _only(reading: Reading, kinds: tuple[type, ...], name: str | None) -> Any:  # noqa: ANN401
        tables = [table for table in reading.tables if isinstance(table, kinds)]
        if len(tables) != 1:
            needed = some_of([_CALLED.get(kind.__name__, kind.__name__) for kind in kinds])
            message = f"These are {reading.format.contents} ({reading.because}), but {needed} are needed."
            raise ReadError(message, path=name, code="BT022")
        return tables[0]


_CALLED = {
    "Scores": "scores",
    "Matches": "battles",
    "Ratings": "judgments",
    "Runs": "repeated runs",
    "WordTags": "word tags",
}
"""What the tables are called in words."""


def _has_name(data: object) -> bool:
    return is_path(data) or (isinstance(data, Source) and not data.name.startswith("<"))


def _with_cluster(options: Options, cluster: str | None) -> Options:
    if cluster is None:
        return replace(options, cluster=True)
    columns = {role: column for role, column in options.columns.items() if role != "judge"}
    return replace(options, columns=columns if cluster == NO_CLUSTER else {**columns, "judge": cluster})


def _gold_of(folder: Any) -> Scores:  # noqa: ANN401  (a folder of the metrics task)
    if folder.gold is None:
        several = list(folder.human)
        if not several:
            raise BetterThanError(f"{folder.name} has no human scores for {folder.language_pair}.")
        raise BetterThanError(
            Message(
                "{folder} has several human scores for {pair}: {scores}. Choose one with {gold}.",
                folder=folder.name,
                pair=folder.language_pair,
                scores=some_of(several),
                gold=Option("gold", several[0]),
            )
        )
    human: Scores = folder.human[folder.gold]
    return human


def _chosen(metrics: Mapping[str, Scores], only: Sequence[str]) -> Metrics:
    for name in only:
        if name not in metrics:
            raise unknown_name("metric", name, metrics)
    return {name: table for name, table in metrics.items() if not only or name in only}
