"""From files or tables to what a report is about: which question, which tables, and what was found wrong with them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from betterthan.errors import BetterThanError, ReadError, TableError, some_of, unknown_name
from betterthan.read.check import check
from betterthan.read.metrics_folder import language_pairs, read_metrics_folder
from betterthan.read.parallel_text import read_texts
from betterthan.read.protocol import Options
from betterthan.read.scores import scores_of
from betterthan.read.sniff import read_any, sniff
from betterthan.read.tag_files import read_tags
from betterthan.report.command import command_of
from betterthan.results.checkup import Checkup
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

QUESTIONS = ("auto", "scores", "battles", "meta", "texts", "tags")
AnyTable = Scores | Matches | Texts | WordTags | Ratings
Given = str | Path | AnyTable
_KINDS = {"scores": "scores", "ratings": "scores", "matches": "battles", "texts": "texts", "tags": "tags"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """Everything that a report is computed from.

    Attributes
    ----------
    kind : {"scores", "battles", "meta", "texts", "tags"}
    metrics : dict of str to Scores
        For "scores" the first is what the report is about; for "meta" all of them.
    human, texts, matches, tags
        Where there are any.
    words : tuple of tuples of str, optional
        The words behind tags.
    checkups : tuple of Checkup
        One a file that could be looked at.
    notes : tuple of str
    command : str
    show_texts : bool
    options : dict
        What the verbs are told: missing, units, rng, workers, cache, progress.
    """

    kind: str
    command: str
    metrics: dict[str, Scores] = field(default_factory=dict)
    human: Scores | None = None
    texts: Texts | None = None
    matches: Matches | None = None
    tags: WordTags | None = None
    checkups: tuple[Checkup, ...] = ()
    notes: tuple[str, ...] = ()
    show_texts: bool = True
    options: dict[str, Any] = field(default_factory=dict)

    @property
    def scores(self) -> Scores:
        """The table that a report on scores is about."""
        return next(iter(self.metrics.values()))

    def computing(self) -> dict[str, Any]:
        """What every verb that computes at length is told."""
        return {key: self.options.get(key) for key in ("workers", "cache", "progress")}


def gather(
    files: Sequence[Given],
    *,
    question: str = "auto",
    human: Given | None = None,
    references: Sequence[str | Path] = (),
    source: str | Path | None = None,
    metric: str | None = None,
    options: Options | None = None,
    format: str | None = None,  # noqa: A002  (the user's word)
    texts: bool = True,
    **told: Any,  # noqa: ANN401  (what the verbs are told)
) -> Inputs:
    """Read the files, decide what is asked, and keep what was said about the data.

    Raises
    ------
    BetterThanError
        When the files do not fit the question, with what to pass instead.
    """
    if question not in QUESTIONS:
        raise unknown_name("question", question, QUESTIONS)
    if not files:
        raise BetterThanError("A report needs data. Name at least one file, or pass a table.")
    read = _Reading(options or Options(), format)
    kind = question if question != "auto" else _question(files, human, references)
    given = {"human": human, "references": references, "source": source, "metric": metric}
    found = _GATHERED[kind](read, files, given)
    return replace(
        found,
        kind=kind,
        command=command_of(files, question=question, texts=texts, **given, **told),
        checkups=(*found.checkups, *read.checkups(files)) if kind not in ("texts", "tags") else (),
        show_texts=texts,
        options={**told, "metric": metric},
    )


def _question(files: Sequence[Given], human: Given | None, references: Sequence[Any]) -> str:
    if human is not None:
        return "meta"
    first = files[0]
    if not isinstance(first, str | Path):
        table = {Scores: "scores", Ratings: "scores", Matches: "battles", Texts: "texts", WordTags: "tags"}
        return table[type(first)]
    if Path(first).is_dir():
        return "meta" if language_pairs(str(first)) else "scores"
    path = Path(first)
    plain = path if path.exists() else Path(str(first).rpartition("=")[2])
    kind = _KINDS[sniff(str(plain)).kind]
    if kind == "texts" and not references:
        raise ReadError(
            "This file holds lines of text, which are scored against a reference. Pass --reference FILE, or say what "
            "else it is with --question or --format-in.",
            path=str(first),
            code="BT134",
        )
    return kind


class _Reading:
    """Files read as the user said, and what was found wrong with them."""

    def __init__(self, options: Options, format: str | None) -> None:  # noqa: A002
        self.options, self.format = options, format

    def tables(self, file: Given) -> dict[str, Scores]:
        if isinstance(file, Scores):
            return {file.name: file}
        if isinstance(file, Ratings):
            found = file.to_scores()
            return {found.name: found}
        if not isinstance(file, str | Path):
            raise TableError(f"Scores are needed here, not {type(file).__name__}.")
        return dict(scores_of(read_any(str(file), self.options, format=self.format), path=str(file)))

    def checkups(self, files: Sequence[Given]) -> tuple[Checkup, ...]:
        paths = [str(file) for file in files if isinstance(file, str | Path)]
        return tuple(
            check(path, options=self.options, format=self.format) for path in paths if Path(path).exists()
        )


def _of_scores(read: _Reading, files: Sequence[Given], given: Mapping[str, Any]) -> Inputs:
    first, *rest = files
    tables = read.tables(first)
    texts = [file for file in rest if isinstance(file, Texts)]
    lines = [
        str(file)
        for file in rest
        if isinstance(file, str | Path) and sniff(str(file).rpartition("=")[2]).kind == "texts"
    ]
    for file in rest:
        if file in texts or str(file) in lines:
            continue
        tables.update(read.tables(file))
    wanted = given["metric"]
    if wanted is not None and wanted not in tables:
        raise unknown_name("metric", wanted, tables)
    about = wanted or next(iter(tables))
    notes = []
    if len(tables) > 1 and wanted is None:
        notes.append(
            f"The data have {len(tables)} metrics ({some_of(list(tables))}); this report is about {about}, the first. "
            f"--metric chooses another."
        )
    ordered = {about: tables[about], **tables}
    if lines:
        texts.append(
            read_texts(lines, references=[str(r) for r in given["references"]], sources=given["source"])
        )
    shown, said = _fitting(texts[0], tables[about]) if texts else (None, [])
    return Inputs(kind="scores", command="", metrics=ordered, texts=shown, notes=(*notes, *said))


def _fitting(texts: Texts, scores: Scores) -> tuple[Texts | None, list[str]]:
    """Return texts with the names of the segments of `scores`; lines without names are taken in order."""
    if set(scores.segments) <= set(texts.segments):
        return texts, []
    if len(texts.segments) == scores.n_segments:
        note = "Texts have no names of segments; their lines are taken in the order of the scores."
        return replace(texts, segments=scores.segments), [note]
    raise TableError(
        f"The texts have {len(texts.segments)} lines and the scores {scores.n_segments} segments. "
        f"Give one line a segment, in the order of the scores."
    )


def _of_battles(read: _Reading, files: Sequence[Given], given: Mapping[str, Any]) -> Inputs:  # noqa: ARG001
    if len(files) > 1:
        raise BetterThanError(f"A report on battles takes one file, and {len(files)} are given.")
    file = files[0]
    if isinstance(file, Matches):
        return Inputs(kind="battles", command="", matches=file)
    reading = read_any(str(file), replace(read.options, cluster=True), format=read.format)
    if not reading.tables or not isinstance(reading.tables[0], Matches):
        raise ReadError("No battles were found in this file.", path=str(file), code="BT009")
    return Inputs(kind="battles", command="", matches=reading.tables[0])


def _of_meta(read: _Reading, files: Sequence[Given], given: Mapping[str, Any]) -> Inputs:
    first = files[0]
    if given["human"] is None and isinstance(first, str | Path) and Path(first).is_dir():
        return _of_folder(str(first))
    if given["human"] is None:
        raise BetterThanError("Name the file with the human scores: --human FILE.")
    people = next(iter(read.tables(given["human"]).values()))
    metrics: dict[str, Scores] = {}
    for file in files:
        metrics.update(read.tables(file))
    return Inputs(
        kind="meta", command="", metrics=metrics, human=people, checkups=read.checkups([given["human"]])
    )


def _of_folder(path: str) -> Inputs:
    pairs = list(language_pairs(path))
    folder = read_metrics_folder(path, language_pair=pairs[0])
    if folder.gold is None:
        raise BetterThanError(
            f"{path} has several human scores: {some_of(list(folder.human))}. Pass one file with --human."
        )
    notes = () if len(pairs) == 1 else (f"The folder has {some_of(pairs)}; this report is about {pairs[0]}.",)
    return Inputs(
        kind="meta", command="", metrics=dict(folder.metrics), human=folder.human[folder.gold], notes=notes
    )


def _of_texts(read: _Reading, files: Sequence[Given], given: Mapping[str, Any]) -> Inputs:  # noqa: ARG001
    if isinstance(files[0], Texts):
        return Inputs(kind="texts", command="", texts=files[0])
    if not given["references"]:
        raise ReadError(
            "No reference was given. Pass one or more: --reference FILE, a line a segment.", code="BT134"
        )
    found = read_texts(
        [str(file) for file in files],
        references=[str(r) for r in given["references"]],
        sources=given["source"],
    )
    return Inputs(kind="texts", command="", texts=found, notes=found.notes)


def _of_tags(read: _Reading, files: Sequence[Given], given: Mapping[str, Any]) -> Inputs:  # noqa: ARG001
    if isinstance(files[0], WordTags):
        return Inputs(kind="tags", command="", tags=files[0])
    if len(files) < 2:
        raise BetterThanError("Tags need the gold file first and then a file a system.")
    found = read_tags(str(files[0]), [str(file) for file in files[1:]])
    return Inputs(kind="tags", command="", tags=found, notes=found.notes)


_GATHERED = {
    "scores": _of_scores,
    "battles": _of_battles,
    "meta": _of_meta,
    "texts": _of_texts,
    "tags": _of_tags,
}
