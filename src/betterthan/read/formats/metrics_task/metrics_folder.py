"""Folders of the WMT metrics task: human and metric scores of one test set, one language pair at a time.

Lengths are checked against the documents; references and systems without human scores are left out. Known facts about
test sets (standard reference, gold scores, outliers) are in ``testsets.toml``.
"""

from __future__ import annotations

import os
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.resources import files
from typing import Any, Literal, NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, IntArray, read_only
from betterthan.errors import ReadError, some_of, unknown_name
from betterthan.messages import Message, Option
from betterthan.read.formats.metrics_task.metrics_folder_files import (
    Folder,
    ScoreFile,
    documents_of,
    human_files,
    is_metrics_folder,
    language_pairs,
    metric_files,
    n_source_lines,
    open_folder,
    output_names,
    pairs_of,
    reference_names,
    references_used,
    the_pair,
)
from betterthan.read.formats.metrics_task.score_files import (
    LEVELS,
    by_domain,
    by_order,
    score_rows,
    system_level_note,
    usual_count,
    way,
)
from betterthan.read.grid.selection import by_column
from betterthan.read.plausibility.score_warnings import doubts_of
from betterthan.read.protocol import WHOLE_SYSTEM, Format, Guess, Options, Reading, reason
from betterthan.read.source.source import Source
from betterthan.tables.row_order import RowOrder, numbers
from betterthan.tables.scores import Scores


class Known(NamedTuple):
    """Known facts about a language pair of a test set; empty by default."""

    reference: str | None = None
    gold: str | None = None
    outliers: tuple[str, ...] = ()


@cache
def known_test_sets() -> dict[str, Any]:
    """Return the table of test sets included in the package."""
    text = (files("betterthan.read.formats.metrics_task") / "testsets.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)


def known(name: str, language_pair: str, level: str) -> Known:
    """Return the known facts about a test set by the name of its folder.

    Examples
    --------
    >>> known("wmt23", "he-en", "seg")
    Known(reference='refB', gold='mqm', outliers=())
    >>> known("mine", "he-en", "seg")
    Known(reference=None, gold=None, outliers=())
    """
    general = known_test_sets().get(name, {})
    of_pair = general.get("pairs", {}).get(language_pair, {})
    gold = of_pair.get("gold", general.get("gold", {})).get(level)
    reference = of_pair.get("reference", general.get("reference"))
    return Known(reference, gold, tuple(of_pair.get("outliers", ())))


class FolderPart(NamedTuple):
    """The part of a folder to read."""

    pair: str
    level: str
    reference: str | None
    references: tuple[str, ...]
    include_references: bool
    options: Options


@dataclass(slots=True)
class Account:
    """Account of the lines of all files, and of references that were left out."""

    rows: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    references: set[str] = field(default_factory=set)
    nameless: list[str] = field(default_factory=list)

    def drop(self, why: str, count: int) -> None:
        """Count lines that are not kept."""
        if count:
            self.dropped[why] = self.dropped.get(why, 0) + count


@dataclass(slots=True)
class LevelSegments:
    """The segments of a level, as far as the folder has them, and the source of their number."""

    level: str
    segments: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None
    because: str = ""

    def filled(self, tables: Sequence[Scores]) -> LevelSegments:
        """Return the frame with the domains found in the tables, at the level of domains."""
        if self.level != "domain":
            return self
        segments = tuple(dict.fromkeys(name for table in tables for name in table.segments))
        return replace(self, segments=segments, domains=segments)


def frame_of(folder: Folder, pair: str, level: str) -> LevelSegments:
    """Return the segments (documents, …) that every score file must have.

    Raises
    ------
    ReadError
        When documents and sources disagree (BT162), or documents are needed but not known (BT166).
    """
    if level in ("sys", "domain"):
        one = (WHOLE_SYSTEM,) if level == "sys" else ()
        return LevelSegments(level=level, segments=one, because="a system-level file has one")
    documents, sources = documents_of(folder, pair), n_source_lines(folder, pair)
    if documents is None:
        if level == "doc":
            raise ReadError(
                f"Document scores need documents/{pair}.docs, with DOMAIN and DOCUMENT on one line per segment.",
                path=folder.shown,
                code="BT166",
            )
        if sources is None:
            return LevelSegments(level=level)
        count, file = sources
        return LevelSegments(level=level, segments=numbers(count), because=f"{file} has {count:,} lines")
    n, file = len(documents.documents), f"documents/{pair}.docs"
    if sources is not None and sources[0] != n:
        raise ReadError(
            f"{file} has {n:,} lines, but {sources[1]} has {sources[0]:,}. One line per segment is needed in both.",
            path=folder.shown,
            code="BT162",
        )
    if level == "doc":
        domain_of: dict[str, str] = {}
        for domain, name in zip(*documents, strict=True):
            domain_of.setdefault(name, domain)
        because = f"{file} has {len(domain_of):,} documents"
        return LevelSegments(
            level=level, segments=tuple(domain_of), domains=tuple(domain_of.values()), because=because
        )
    return LevelSegments(
        level=level,
        segments=numbers(n),
        groups=documents.documents,
        domains=documents.domains,
        because=f"{file} has {n:,} lines",
    )


def human_scores(
    folder: Folder, files: Sequence[ScoreFile], chosen: FolderPart, frame: LevelSegments, account: Account
) -> dict[str, Scores]:
    """Return the human scores of the level by name, without systems without human scores."""
    scores: dict[str, Scores] = {}
    for file in files:
        if file.level != chosen.level:
            continue
        source = folder.source(file.path)
        table = _table(source, file, chosen, frame, account)
        judged = np.asarray(~np.isnan(table.values).all(axis=1))
        account.drop("no human score", int((~judged).sum()) * table.n_segments)
        if judged.any():
            _add(scores, _judged(table, judged), source)
    return scores


def _judged(table: Scores, judged: BoolArray) -> Scores:
    if judged.all():
        return table
    without = [name for name, good in zip(table.systems, judged, strict=True) if not good]
    note = f'Systems without human scores in "{table.name}", were left out: {", ".join(without)}.'
    return _rows(table, judged, note)


def metric_scores(
    folder: Folder, files: Sequence[ScoreFile], chosen: FolderPart, frame: LevelSegments, account: Account
) -> dict[str, Scores]:
    """Return the metric scores of the level by name, only those with the chosen reference or with none."""
    scores: dict[str, Scores] = {}
    for file in files:
        other = chosen.reference is not None and file.references not in ((), (chosen.reference,))
        if file.level != chosen.level or other:
            continue
        if references_used(file.name, chosen.references) is None:
            account.nameless.append(file.name)
        source = folder.source(file.path)
        _add(scores, _table(source, file, chosen, frame, account), source)
    return scores


def _add(scores: dict[str, Scores], table: Scores, source: Source) -> None:
    if table.name in scores:
        raise source.error(
            f'There is a second file with scores called "{table.name}". Remove one of them.', code="BT169"
        )
    scores[table.name] = table


def _table(
    source: Source, file: ScoreFile, chosen: FolderPart, frame: LevelSegments, account: Account
) -> Scores:
    """Read one file, without the references that are not systems here."""
    systems, segments, values = _laid_out(source, file, frame, account)
    way_of_metric = way(file.name, values, chosen.options)
    notes = [way_of_metric.note] if way_of_metric.note else []
    if chosen.level == "sys":
        notes.append(system_level_note(file.name))
    table = Scores(
        name=file.name,
        systems=systems,
        segments=segments,
        values=values,
        higher_is_better=way_of_metric.higher_is_better,
        direction_doubt=way_of_metric.doubt,
        groups=frame.groups,
        notes=tuple(notes),
        row_order=RowOrder(len(segments), is_layout=True) if chosen.level == "seg" else None,
    )
    banned = {*file.references, *(() if chosen.include_references else chosen.references)}
    is_used = np.array([name not in banned for name in systems], dtype=np.bool_)
    if is_used.all():
        return table
    if not is_used.any():
        raise source.error(
            Message(
                "Every system in this file is a reference. Use {fix} to keep references that were scored like systems.",
                fix=Option("include_references", True),
            ),
            code="BT165",
        )
    gone = [name for name, good in zip(systems, is_used, strict=True) if not good]
    account.references.update(gone)
    account.drop("reference used as system", len(gone) * len(segments))
    return _rows(table, is_used, f"Left out, because they are references: {', '.join(gone)}.")


def _laid_out(
    source: Source, file: ScoreFile, frame: LevelSegments, account: Account
) -> tuple[tuple[str, ...], tuple[str, ...], FloatArray]:
    rows = score_rows(source, file.level)
    account.rows += rows.values.size
    if file.level == "domain":
        return rows.systems.names, *by_domain(rows, source)
    if not frame.segments:
        # Nothing else in the folder gives the number of segments, so the first file does.
        frame.segments = numbers(usual_count(rows))
        frame.because = f"others have {len(frame.segments):,} in {source.name}"
    values = by_order(rows, source, expected=len(frame.segments), because=frame.because)
    return rows.systems.names, frame.segments, values


def _rows(table: Scores, is_used: BoolArray, note: str) -> Scores:
    places = np.flatnonzero(is_used)
    return replace(
        table,
        systems=tuple(table.systems[i] for i in places.tolist()),
        values=read_only(table.values[places]),
        notes=(*table.notes, note),
    )


__all__ = ["MetricsFolder", "language_pairs", "read_language_pairs", "read_metrics_folder"]

Level = Literal["seg", "doc", "domain", "sys"]


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsFolder:
    """Human and metric scores of one language pair of a test set, at one level.

    Attributes
    ----------
    name : str
        The test set: the name of its folder.
    language_pair : str
    level : {"seg", "doc", "domain", "sys"}
    segments : tuple of str
        The segments ("1", "2", … by their lines), documents, domains, or "system".
    groups : tuple of str, optional
        The document of each segment.
    domains : tuple of str, optional
        The domain of each segment or document.
    human : dict of str to Scores
        Human scores by name; systems without any are left out.
    metrics : dict of str to Scores
        Metric scores by name and reference, such as ``"BLEU-refA"`` or ``"COMET-QE-src"``.
    references : tuple of str
    systems : tuple of str
        Every system that has scores, without references.
    gold : str, optional
        The human scores that metrics are compared with.
    reference : str, optional
        The reference whose metrics were read; None when all were.
    outliers : tuple of str
        Systems that the task leaves out as outliers; they are kept here.
    notes : tuple of str

    Examples
    --------
    >>> scores = Scores(name="MQM", systems=["A", "B"], segments=["1"], values=[[-1], [-5]])
    >>> folder = MetricsFolder(
    ...     name="wmt23", language_pair="en-de", segments=("1",), human={"mqm": scores}, metrics={}, gold="mqm"
    ... )
    >>> folder.human[folder.gold].systems
    ('A', 'B')
    """

    name: str
    language_pair: str
    segments: tuple[str, ...] = field(repr=False)
    human: Mapping[str, Scores]
    metrics: Mapping[str, Scores]
    level: Level = "seg"
    groups: tuple[str, ...] | None = field(default=None, repr=False)
    domains: tuple[str, ...] | None = field(default=None, repr=False)
    references: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    gold: str | None = None
    reference: str | None = None
    outliers: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    def _repr_html_(self) -> str:
        # Imported when a notebook shows the folder, never before.
        from betterthan.present.renderers.html import render_html  # noqa: PLC0415
        from betterthan.present.tables.inputs import scores_overview  # noqa: PLC0415

        tables = {f"{name} (human)": table for name, table in self.human.items()} | dict(self.metrics)
        title = (
            f"{self.name}, {self.language_pair}: {len(self.human)} human scores, {len(self.metrics)} metrics"
        )
        return render_html(scores_overview(tables, title=title, notes=self.notes))


class FolderReading(NamedTuple):
    """A folder with the account of its lines."""

    folder: MetricsFolder
    account: Account


def read_metrics_folder(
    path: str | os.PathLike[str],
    *,
    language_pair: str | None = None,
    level: Level = "seg",
    gold: str | None = None,
    reference: str | None = None,
    include_references: bool = False,
    domain: str | None = None,
) -> MetricsFolder:
    r"""Read one language pair of a folder of the WMT metrics task.

    Parameters
    ----------
    path : path
        The folder of a test set, with ``human-scores`` or ``metric-scores`` in it.
    language_pair : str, optional
        Such as "en-de"; needed when there are several.
    level : {"seg", "doc", "domain", "sys"}, default "seg"
        Scores of segments, documents, domains or whole systems.
    gold : str, optional
        The human scores that metrics are compared with; by default the usual ones of the test set, else the only ones.
    reference : str, optional
        Read only the metrics that used this reference, and those that used none. By default the standard reference
        of a known test set, else all.
    include_references : bool, default False
        Whether to keep references that were scored like systems. A metric never scores its own reference.
    domain : str, optional
        Keep the segments (documents) of this domain.

    Returns
    -------
    MetricsFolder

    Raises
    ------
    ReadError
        When the folder does not have this layout, holds several language pairs, or a file is damaged; the message names
        the file, and for unequal lengths the system and both counts.
    UnknownName
        For a language pair, level, reference, domain or human score that does not exist.

    Notes
    -----
    The k-th line of a system is its k-th segment; ``None`` is a missing score. Higher is better, as in the task, except
    for error rates and penalties (TER, MQM, MetricX) without scores below 0.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as place:
    ...     folder = pathlib.Path(place) / "mini"
    ...     (folder / "metric-scores" / "en-de").mkdir(parents=True)
    ...     (folder / "human-scores").mkdir()
    ...     _ = (folder / "metric-scores" / "en-de" / "BLEU-refA.seg.score").write_text("A 30\nA 40\nB 20\nB 25\n")
    ...     _ = (folder / "human-scores" / "en-de.mqm.seg.score").write_text("A -1\nA None\nB -5\nB 0\n")
    ...     found = read_metrics_folder(folder)
    >>> found.metrics["BLEU-refA"], found.human["mqm"].n_missing, found.gold
    (Scores('BLEU-refA', 2 systems × 2 segments, higher is better), 1, 'mqm')
    """
    options = Options(language_pair=language_pair, level=level, gold=gold, reference=reference)
    return read_pair(open_folder(path), options, include_references=include_references, domain=domain).folder


def read_language_pairs(
    path: str | os.PathLike[str],
    *,
    level: Level = "seg",
    gold: str | None = None,
    reference: str | None = None,
    include_references: bool = False,
    domain: str | None = None,
) -> dict[str, MetricsFolder]:
    """Read every language pair of a folder; the arguments are those of :func:`read_metrics_folder`."""
    options = Options(level=level, gold=gold, reference=reference)
    folder = open_folder(path)
    return {
        pair: read_pair(
            folder, replace(options, language_pair=pair), include_references=include_references, domain=domain
        ).folder
        for pair in pairs_of(folder)
    }


def read_pair(
    folder: Folder, options: Options, *, include_references: bool = False, domain: str | None = None
) -> FolderReading:
    """Read the language pair that `options` names, with an account of every line."""
    level = options.level or "seg"
    if level not in LEVELS:
        raise unknown_name("level", level, LEVELS)
    pair = the_pair(folder, options.language_pair)
    expected = known(folder.name, pair, level)
    references = reference_names(folder, pair)
    if options.reference is not None and options.reference not in references:
        raise unknown_name("reference", options.reference, references)
    reference = options.reference or (expected.reference if expected.reference in references else None)
    chosen = FolderPart(
        pair=pair,
        level=level,
        reference=reference,
        references=references,
        include_references=include_references,
        options=options,
    )
    frame = frame_of(folder, pair, level)
    account = Account()
    human = human_scores(folder, human_files(folder, pair), chosen, frame, account)
    files = metric_files(folder, pair, references)
    metrics = metric_scores(folder, files, chosen, frame, account)
    if not human and not metrics:
        raise _nothing(folder, pair, level, [*human_files(folder, pair), *files])
    frame = frame.filled([*metrics.values(), *human.values()])
    assembled = _assembled(folder, chosen, frame, human, metrics)
    assembled = _of_domain(assembled, domain, folder, account)
    gold = _gold(assembled, options.gold, expected.gold)
    outliers = tuple(name for name in expected.outliers if name in assembled.systems)
    notes = _notes(assembled, chosen, account, output_names(folder, pair))
    return FolderReading(replace(assembled, gold=gold, outliers=outliers, notes=notes), account)


def _nothing(folder: Folder, pair: str, level: str, files: list[object]) -> ReadError:
    levels = sorted({getattr(file, "level", "") for file in files})
    return ReadError(
        f"There are no scores of {pair} at the level {level}. The levels here: {', '.join(levels)}.",
        path=folder.shown,
        code="BT165",
    )


def _assembled(
    folder: Folder,
    chosen: FolderPart,
    frame: LevelSegments,
    human: dict[str, Scores],
    metrics: dict[str, Scores],
) -> MetricsFolder:
    systems = dict.fromkeys(name for table in (*metrics.values(), *human.values()) for name in table.systems)
    return MetricsFolder(
        name=folder.name,
        language_pair=chosen.pair,
        level=chosen.level,  # type: ignore[arg-type]  # checked to be a level
        segments=frame.segments,
        groups=frame.groups,
        domains=frame.domains,
        human=human,
        metrics=metrics,
        references=chosen.references,
        systems=tuple(name for name in systems if chosen.include_references or name not in chosen.references),
        reference=chosen.reference,
    )


def _of_domain(whole: MetricsFolder, domain: str | None, folder: Folder, account: Account) -> MetricsFolder:
    """Keep the segments of one domain."""
    if domain is None:
        return whole
    if whole.domains is None:
        raise ReadError(
            f"The domain of each {'system' if whole.level == 'sys' else 'segment'} is not known here. "
            f"Domains are in documents/{whole.language_pair}.docs, and need the level seg, doc or domain.",
            path=folder.shown,
            code="BT166",
        )
    if domain not in whole.domains:
        raise unknown_name("domain", domain, set(whole.domains))
    rows = np.flatnonzero(np.array(whole.domains) == domain)
    tables = (*whole.human.values(), *whole.metrics.values())
    account.drop("another domain", sum(t.n_systems * (t.n_segments - rows.size) for t in tables))
    return replace(
        whole,
        segments=_at(whole.segments, rows),
        groups=None if whole.groups is None else _at(whole.groups, rows),
        domains=_at(whole.domains, rows),
        human={name: _segments(table, rows) for name, table in whole.human.items()},
        metrics={name: _segments(table, rows) for name, table in whole.metrics.items()},
    )


def _at(names: tuple[str, ...], places: IntArray) -> tuple[str, ...]:
    return tuple(names[i] for i in places.tolist())


def _segments(table: Scores, places: IntArray) -> Scores:
    return replace(
        table,
        segments=_at(table.segments, places),
        groups=None if table.groups is None else _at(table.groups, places),
        values=read_only(table.values[:, places]),
    )


def _gold(folder: MetricsFolder, requested: str | None, usual: str | None) -> str | None:
    if requested is not None:
        if requested not in folder.human:
            raise unknown_name("human score", requested, folder.human)
        return requested
    if usual in folder.human:
        return usual
    return next(iter(folder.human)) if len(folder.human) == 1 else None


def _notes(
    folder: MetricsFolder, chosen: FolderPart, account: Account, outputs: tuple[str, ...]
) -> tuple[str, ...]:
    notes = [f"{folder.name}, {folder.language_pair}: {_counts(folder)}."]
    if chosen.reference is not None and chosen.options.reference is None:
        notes.append(f"Only metrics that used {chosen.reference}, the standard reference, or none were read.")
    if account.references:
        gone = ", ".join(sorted(account.references))
        notes.append(f"Left out of the systems, because they are references: {gone}.")
    judged = {name for table in folder.human.values() for name in table.systems}
    unjudged = [name for name in folder.systems if name not in judged]
    if judged and unjudged:
        many = f"{len(unjudged)} system{'' if len(unjudged) == 1 else 's'}"
        notes.append(f"{many} without any human score: {some_of(unjudged)}.")
    if account.nameless:
        notes.append(f"The reference is not part of the name: {some_of(account.nameless)}.")
    unscored = [name for name in outputs if name not in {*folder.systems, *folder.references}]
    if unscored:
        notes.append(f"Systems with translations but without scores: {some_of(unscored)}.")
    return tuple(notes)


def _counts(folder: MetricsFolder) -> str:
    unit = {"seg": "segments", "doc": "documents", "domain": "domains", "sys": ""}[folder.level]
    size = f"{len(folder.segments):,} {unit}" if unit else "one score per system"
    documents = f" in {len(set(folder.groups)):,} documents" if folder.groups else ""
    human = f"human scores {', '.join(folder.human)}" if folder.human else "no human scores"
    return f"{size}{documents}, {len(folder.systems)} systems, {len(folder.metrics)} metrics, {human}"


# The folder of the metrics task as a format: recognized by its subfolders, read one language pair at a time.


FORMAT = Format(
    name="metrics_folder",
    kind="scores",
    description="a folder of the metrics task: human-scores and metric-scores of a test set",
)


def sniff(source: Source) -> Guess | None:
    """Recognize a folder with human-scores or metric-scores in it."""
    if not source.is_folder or not is_metrics_folder(source.path):
        return None
    pairs = pairs_of(Folder(source.name, source.path))
    listed = f"{len(pairs)} language pair{'' if len(pairs) == 1 else 's'}: {some_of(pairs)}"
    return Guess(confidence=0.99, because=f"human-scores or metric-scores in a folder; {listed}")


def read(source: Source, options: Options) -> Reading:
    """Read the human and metric scores of one language pair."""
    options, domain = with_conditions(options)
    return _reading(source, [read_pair(Folder(source.name, source.path), options, domain=domain)])


def read_all(source: Source, options: Options) -> Reading:
    """Read every language pair, for an overview: scores are named after their pair, "en-de BLEU-refA"."""
    options, domain = with_conditions(options)
    folder = Folder(source.name, source.path)
    readings = [
        read_pair(folder, replace(options, language_pair=pair), domain=domain) for pair in pairs_of(folder)
    ]
    return _reading(source, readings, named=True)


_CONDITIONS = {
    "lp": "language_pair",
    "language_pair": "language_pair",
    "level": "level",
    "reference": "reference",
    "gold": "gold",
}


def with_conditions(options: Options) -> tuple[Options, str | None]:
    """Read conditions such as ``lp=en-de`` as what they mean for a folder; the second is the domain, if one is chosen.

    Raises
    ------
    UnknownName
        For an unknown condition.
    ReadError
        When one of them has two values, or contradicts an option (BT167).
    """
    domain = None
    for column, values in by_column(options.where).items():
        if column != "domain" and column not in _CONDITIONS:
            raise unknown_name("condition for a folder", column, [*_CONDITIONS, "domain"])
        if len(values) > 1:
            raise ReadError(f"One {column} can be chosen at a time, not {len(values)}.", code="BT167")
        if column == "domain":
            domain = values[0]
            continue
        name = _CONDITIONS[column]
        if getattr(options, name) not in (None, values[0]):
            raise ReadError(
                Message(
                    "{where} contradicts {other}. Leave one of the two out.",
                    where=Option("where", {column: values[0]}),
                    other=Option(name, getattr(options, name)),
                ),
                code="BT167",
            )
        options = replace(options, **{name: values[0]})  # type: ignore[arg-type]
    return replace(options, where=()), domain


def _reading(source: Source, readings: list[FolderReading], *, named: bool = False) -> Reading:
    guess = sniff(source)
    tables: list[Scores] = []
    dropped: dict[str, int] = {}
    for folder, account in readings:
        prefix = f"{folder.language_pair} " if named else ""
        held = (*folder.human.values(), *folder.metrics.values())
        tables += [replace(table, name=prefix + table.name) for table in held]
        for why, count in account.dropped.items():
            dropped[why] = dropped.get(why, 0) + count
    rows = sum(account.rows for _, account in readings)
    return Reading(
        format=FORMAT,
        because=reason(guess),
        tables=tuple(tables),
        rows_read=rows,
        rows_kept=rows - sum(dropped.values()),
        dropped=dropped,
        notes=tuple(note for folder, _ in readings for note in folder.notes),
        problems=doubts_of(tables, place=source.name),
    )
