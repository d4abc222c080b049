"""From files or tables to what a report is about: the question, the tables, and problems with the data.

Each file is opened once. Finished parts of a computation are held in memory while one report is made, so that the same
test is not run twice.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from betterthan.errors import BetterThanError, ReadError, TableError, some_of, unknown_name
from betterthan.messages import FILE, NAME, Message, Option, method_note
from betterthan.read.check import check_runs
from betterthan.read.formats.metrics_task.metrics_folder import with_conditions
from betterthan.read.formats.metrics_task.metrics_folder_files import Folder, pairs_of
from betterthan.read.formats.quality.number_files import FORMAT as NUMBERS
from betterthan.read.formats.quality.number_files import read_sentence_scores
from betterthan.read.formats.quality.tag_files import read_tags
from betterthan.read.formats.tables.parallel_text import read_texts
from betterthan.read.grid.selection import refuse_unknown_directions
from betterthan.read.inputs import TableReader, is_metrics_folder, is_path
from betterthan.read.labels import weights_of
from betterthan.read.plausibility.direction import is_truth_of_predictions
from betterthan.read.protocol import Options
from betterthan.report.command import command_of
from betterthan.results.checkup import Checkup
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.row_order import check_identity
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

MOST_BYTES = 64 << 20


class Once:
    """A cache that lasts as long as one report; the engine asks it as it asks a folder of checkpoints.

    The ranking by means and the matrix of pairs need the same permutation tests. Where the user keeps no cache, this
    one hands the answers of the first to the second. Nothing is computed differently, so that no number depends on it.

    Attributes
    ----------
    patience : float
        Seconds before blocks are worth keeping: none, because nothing is written anywhere.
    folder : str
        For messages only.
    """

    patience = 0.0
    folder = "memory"

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._held: dict[str, dict[int, Any]] = {}
        self._room = most_bytes

    def load(self, job: str) -> dict[int, Any]:
        """Return the blocks of a job that are held."""
        return dict(self._held.get(job, {}))

    def save(self, job: str, results: Mapping[int, Any]) -> None:
        """Keep the blocks of a job while they fit."""
        self._room -= sum(_size(result) for result in results.values())
        if self._room >= 0:
            self._held.setdefault(job, {}).update(results)

    def prune(self) -> None:
        """Do nothing: all of it goes with the report."""


def _size(result: Any) -> int:  # noqa: ANN401  (an array, or several by name)
    arrays = result.values() if isinstance(result, Mapping) else [result]
    return sum(int(array.nbytes) for array in arrays)


def _one_pair(read: TableReader, path: str | os.PathLike[str]) -> None:
    """Refuse a folder of the metrics task with several language pairs, unless one was chosen.

    A report shows the systems of one test set, and systems of different language pairs are different systems. The mean
    over all of them is a question for ``betterthan meta``.

    Raises
    ------
    ReadError
        With the names of the pairs (BT164).
    """
    source = read.source(path)
    options, _ = with_conditions(read.options)
    pairs = pairs_of(Folder(source.name, source.path))
    if options.language_pair is None and len(pairs) > 1:
        raise ReadError(
            Message(
                "The folder holds {n} language pairs: {pairs}. A report is about one of them. Choose it "
                "with {pair}, or use betterthan meta for all of them together.",
                n=len(pairs),
                pairs=some_of(pairs, limit=12),
                pair=Option("language_pair", pairs[0]),
            ),
            path=source.name,
            code="BT164",
        )


def _tables(read: TableReader, files: Sequence[Any]) -> dict[str, Scores]:
    """Return the scores of all metrics; files are read together, as other commands read them.

    Raises
    ------
    TableError
        When something else than scores is among them, or a metric is there twice.
    """
    named = [file for file in files if is_path(file)]
    tables = read.metrics(named) if named else {}
    for table in (file for file in files if not is_path(file)):
        if not isinstance(table, Scores | Ratings | Runs):
            raise TableError(f"Scores are needed here, not {type(table).__name__}.")
        scores = table if isinstance(table, Scores) else table.to_scores()
        if scores.name in tables:
            raise TableError(f'Two tables hold the metric "{scores.name}". Give one of them another name.')
        tables[scores.name] = scores
    return tables


QUESTIONS = ("auto", "scores", "battles", "meta", "texts", "tags", "quality")
ReportTable = Scores | Matches | Texts | WordTags | Ratings | Runs
ReportSource = str | Path | ReportTable
_KINDS = {"scores": "scores", "ratings": "scores", "matches": "battles", "texts": "texts", "tags": "tags"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Everything that a report is computed from.

    Attributes
    ----------
    kind : {"scores", "battles", "meta", "texts", "tags", "quality"}
    metrics : dict of str to Scores
        For "scores" the first is what the report is about; for "meta" all of them; for "quality" the predictions.
    human : Scores, optional
        Human scores, or the true scores of predictions.
    weight : Scores, optional
        Weights of human scores that were drawn with unequal probabilities.
    texts, matches, runs, tags
        Where there are any; runs are those whose means the first of the metrics holds.
    words : tuple of tuples of str
        The tagged words of each segment, where they are known.
    checkups : tuple of Checkup
        One for each file that was checked.
    notes : tuple of str
    command : str
    show_texts : bool
    options : dict
        Options of the verbs: missing, units, rng, workers, cache, progress.
    """

    kind: str
    command: str
    metrics: dict[str, Scores] = field(default_factory=dict)
    human: Scores | None = None
    weight: Scores | None = None
    texts: Texts | None = None
    matches: Matches | None = None
    runs: Runs | None = None
    tags: WordTags | None = None
    words: tuple[tuple[str, ...], ...] = ()
    checkups: tuple[Checkup, ...] = ()
    notes: tuple[str, ...] = ()
    show_texts: bool = True
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def scores(self) -> Scores:
        """The table that a report on scores is about."""
        return next(iter(self.metrics.values()))

    def computing(self) -> dict[str, Any]:
        """Options of every verb that computes at length."""
        return {key: self.options.get(key) for key in ("workers", "cache", "progress")}


def gather(
    files: Sequence[ReportSource],
    *,
    question: str = "auto",
    human: ReportSource | None = None,
    references: Sequence[str | Path] = (),
    source: str | Path | None = None,
    metric: str | None = None,
    leave_out: Sequence[str] = (),
    options: Options | None = None,
    format: str | None = None,  # noqa: A002  (the user's word)
    texts: bool = True,
    with_checks: bool = True,
    **verb_options: Any,  # noqa: ANN401  (what the verbs are told)
) -> Inputs:
    """Read the files, decide on the question, and collect the problems found in the data.

    Parameters
    ----------
    with_checks : bool, default True
        Whether each file is also checked; False for callers that have checked them.

    Raises
    ------
    BetterThanError
        When the files do not fit the question, with what to pass instead.
    """
    if question not in QUESTIONS:
        raise unknown_name("question", question, QUESTIONS)
    if not files:
        raise BetterThanError("A report needs data. Name at least one file, or pass a table.")
    read = TableReader(options, format=format)
    kind = question if question != "auto" else _question(read, files, human, references)
    further = {"human": human, "references": references, "source": source, "metric": metric}
    inputs = without_systems(_GATHERED[kind](read, files, further), leave_out)
    checked = [human, *files] if with_checks and kind not in ("texts", "tags", "quality") else []
    of_runs = check_runs(files, options=read.options, format=format) if checked and human is None else None
    arguments = {"question": question, "texts": texts, **further, **verb_options}
    return replace(
        inputs,
        kind=kind,
        command=command_of(files, options=read.options, format=format, leave_out=leave_out, **arguments),
        checkups=tuple(read.checkup(file) for file in checked if is_path(file))
        if of_runs is None
        else (of_runs,),
        show_texts=texts,
        options={**verb_options, "metric": metric, "cache": verb_options.get("cache") or Once()},
    )


def without_systems(inputs: Inputs, leave_out: Sequence[str]) -> Inputs:
    """Return the inputs without systems that have one of the names or fit one of the patterns.

    Raises
    ------
    BetterThanError
        When the data are not scores, or a pattern fits no system.
    """
    if not leave_out:
        return inputs
    tables = [*inputs.metrics.values(), *([] if inputs.human is None else [inputs.human])]
    if not tables:
        raise BetterThanError(
            Message("{leave_out} is for scores and metrics.", leave_out=Option("leave_out", list(leave_out)))
        )
    known = list(dict.fromkeys(name for table in tables for name in table.systems))
    for pattern in leave_out:
        if not any(fnmatchcase(name, pattern) for name in known):
            raise unknown_name("system", pattern, known)
    gone = {name for name in known if any(fnmatchcase(name, pattern) for pattern in leave_out)}
    metrics = {name: _without(table, gone) for name, table in inputs.metrics.items()}
    human = None if inputs.human is None else _without(inputs.human, gone)
    note = f"Systems left out on request: {some_of(sorted(gone))}."
    runs = inputs.runs
    if runs is not None:
        runs = runs.select([name for name in runs.systems if name not in gone])
    return replace(inputs, metrics=metrics, human=human, runs=runs, notes=(*inputs.notes, note))


def _without(table: Scores, gone: Collection[str]) -> Scores:
    return table.select([name for name in table.systems if name not in gone])


def _question(
    read: TableReader, files: Sequence[ReportSource], human: ReportSource | None, references: Sequence[Any]
) -> str:
    if human is not None:
        return "meta"
    first = files[0]
    if not is_path(first):
        table = {
            Scores: "scores",
            Ratings: "scores",
            Runs: "scores",
            Matches: "battles",
            Texts: "texts",
            WordTags: "tags",
        }
        return table[type(first)]
    recognised = read.recognised(first)
    kind = "meta" if is_metrics_folder(recognised) else _KINDS[recognised.kind]
    if kind == "scores" and len(files) > 1 and all(map(is_path, files)) and _is_truth(read, first):
        return "quality"
    if kind == "texts" and not references:
        raise ReadError(
            Message(
                "This file holds lines of text, which are scored against a reference. Name one with "
                "{reference}, or say what else the file is with {question} or {format}.",
                reference=Option("references", FILE),
                question=Option("question"),
                format=Option("format"),
            ),
            path=str(first),
            code="BT134",
        )
    return kind


def _is_truth(read: TableReader, file: str | os.PathLike[str]) -> bool:
    """Whether a file of one number per line is named like the truth that predictions are compared with."""
    name = os.fspath(file)
    return read.recognised(name).format == NUMBERS.name and is_truth_of_predictions(Path(name).stem)


def _of_scores(read: TableReader, files: Sequence[ReportSource], further: Mapping[str, Any]) -> Inputs:
    texts = [file for file in files if isinstance(file, Texts)]
    lines = [file for file in files[1:] if is_path(file) and read.recognised(file).kind == "texts"]
    tables = _tables(read, [file for file in files if not isinstance(file, Texts) and file not in lines])
    refuse_unknown_directions(read.options, tables)
    metric = further["metric"]
    if metric is not None and metric not in tables:
        raise unknown_name("metric", metric, tables)
    about = metric or next(iter(tables))
    notes = []
    if len(tables) > 1 and metric is None:
        notes.append(
            Message(
                "The data have {n} metrics ({metrics}); this report is about {about}, the first. {metric} "
                "chooses another.",
                n=len(tables),
                metrics=some_of(list(tables)),
                about=about,
                metric=Option("metric", NAME),
            )
        )
    ordered = {about: tables[about], **tables}
    if lines:
        references = [str(reference) for reference in further["references"]]
        texts.append(
            read_texts([str(line) for line in lines], references=references, sources=further["source"])
        )
    shown, text_notes = _fitting(texts[0], tables[about]) if texts else (None, [])
    return Inputs(
        kind="scores",
        command="",
        metrics=ordered,
        texts=shown,
        runs=_runs(
            read, [file for file in files if not isinstance(file, Texts) and file not in lines], about
        ),
        notes=(*notes, *text_notes),
    )


def _runs(read: TableReader, files: Sequence[ReportSource], name: str) -> Runs | None:
    """Return the runs of the metric that a report is about, where there are any."""
    tables = [file for file in files if isinstance(file, Runs)]
    named = [file for file in files if is_path(file)]
    if named:
        tables += [table for table in read.reading(named).tables if isinstance(table, Runs)]
    return next((table for table in tables if table.name == name), None)


def _fitting(texts: Texts, scores: Scores) -> tuple[Texts | None, list[str]]:
    """Return texts with the names of the segments of `scores`; lines without names are taken in order."""
    has_same_identity = (texts.row_order is None) == (scores.row_order is None)
    if has_same_identity and set(scores.segments) <= set(texts.segments):
        check_identity([scores, texts], names=[scores.name, "texts"])
        return texts, []
    if len(texts.segments) == scores.n_segments:
        note = method_note("Texts have no segment ids; their lines were matched to the scores in order.")
        return replace(texts, segments=scores.segments, row_order=scores.row_order), [note]
    raise TableError(
        f"The texts have {len(texts.segments):,} lines and the scores {scores.n_segments:,} segments. "
        f"Provide one line per segment, in the order of the scores."
    )


def _of_battles(read: TableReader, files: Sequence[ReportSource], further: Mapping[str, Any]) -> Inputs:  # noqa: ARG001
    return Inputs(
        kind="battles",
        command="",
        matches=read.battles(files[0] if isinstance(files[0], Matches) else list(files)),
    )


def _of_meta(read: TableReader, files: Sequence[ReportSource], further: Mapping[str, Any]) -> Inputs:
    first = files[0]
    if further["human"] is None and is_path(first) and is_metrics_folder(read.recognised(first)):
        if len(files) > 1:
            raise BetterThanError(f"Name one folder of the metrics task, not {len(files)} files and folders.")
        _one_pair(read, first)
        metrics, people, notes_of_folder = read.metrics_and_people([first])
        assert isinstance(people, Scores)  # noqa: S101  (one pair has one)
        return Inputs(kind="meta", command="", metrics=metrics, human=people, notes=notes_of_folder)  # type: ignore[arg-type]
    if further["human"] is None:
        raise BetterThanError(
            Message("Name the file with the human scores: {human}.", human=Option("human", FILE))
        )
    people = _tables(read, [further["human"]])
    gold = next(iter(people))
    notes = []
    if len(people) > 1:
        notes.append(
            f"There are {len(people)} kinds of human scores ({some_of(list(people))}); metrics are compared with "
            f"{gold}, the first."
        )
    metrics = _tables(read, files)
    refuse_unknown_directions(read.options, {*metrics, *people})
    inputs = Inputs(kind="meta", command="", metrics=metrics, human=people[gold], notes=tuple(notes))
    return with_weights(inputs, further["human"], read.options, read.format)


def with_weights(inputs: Inputs, human: object, options: Options, format: str | None) -> Inputs:  # noqa: A002
    """Return the inputs with the weights of the labels that a judge is corrected by, where their file has some."""
    if len(inputs.metrics) != 1 or not is_path(human):
        return inputs
    return replace(inputs, weight=weights_of(human, None, options, format))


def _of_texts(read: TableReader, files: Sequence[ReportSource], further: Mapping[str, Any]) -> Inputs:  # noqa: ARG001
    if isinstance(files[0], Texts):
        return Inputs(kind="texts", command="", texts=files[0])
    if not further["references"]:
        raise ReadError(
            Message(
                "No reference was given. Name one or more, with one line per segment: {reference}.",
                reference=Option("references", FILE),
            ),
            code="BT134",
        )
    texts = read_texts(
        [str(file) for file in files],
        references=[str(r) for r in further["references"]],
        sources=further["source"],
    )
    return Inputs(kind="texts", command="", texts=texts, notes=texts.notes)


def _of_tags(read: TableReader, files: Sequence[ReportSource], further: Mapping[str, Any]) -> Inputs:  # noqa: ARG001
    if isinstance(files[0], WordTags):
        return Inputs(kind="tags", command="", tags=files[0])
    if len(files) < 2:
        raise BetterThanError("Name the gold file first and then one file per system.")
    pair = read.options.language_pair
    texts = [str(file) for file in files[1:] if _is_text(read, str(file))]
    systems = [str(file) for file in files[1:] if str(file) not in texts]
    if not systems:
        raise BetterThanError("Name the gold file first and then one file per system.")
    words = texts[0] if texts else None
    tags = read_tags(str(files[0]), systems, mt=words, language_pair=pair)
    lines = () if words is None else tuple(tuple(line.split()) for line in read.source(words).lines())
    fits = [len(line) for line in lines] == (tags.offsets[1:] - tags.offsets[:-1]).tolist()
    notes = tags.notes
    if lines and not fits:
        notes = (
            *notes,
            f"The words in {words} do not match the tags one to one; sentences are shown without words.",
        )
    return Inputs(kind="tags", command="", tags=tags, words=lines if fits else (), notes=notes)


def _is_text(read: TableReader, file: str) -> bool:
    """Whether a file beside tags holds the tagged translations."""
    return Path(file).suffix == ".mt" or read.recognised(file).kind == "texts"


def _of_quality(read: TableReader, files: Sequence[ReportSource], further: Mapping[str, Any]) -> Inputs:  # noqa: ARG001
    if len(files) < 2:
        raise BetterThanError("Name the true scores first and then one file per system.")
    if isinstance(files[0], Scores):
        tables = [file for file in files[1:] if isinstance(file, Scores)]
        if len(tables) != 1 or len(files) != 2:
            raise TableError("Pass two tables: the true scores, and the predictions of all systems.")
        return Inputs(kind="quality", command="", human=files[0], metrics={tables[0].name: tables[0]})
    gold, predicted = read_sentence_scores(
        str(files[0]), [str(file) for file in files[1:]], language_pair=read.options.language_pair
    )
    return Inputs(
        kind="quality", command="", human=gold, metrics={predicted.name: predicted}, notes=gold.notes
    )


_GATHERED = {
    "scores": _of_scores,
    "battles": _of_battles,
    "meta": _of_meta,
    "texts": _of_texts,
    "tags": _of_tags,
    "quality": _of_quality,
}
