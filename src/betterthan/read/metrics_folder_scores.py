"""From score files to tables: lengths checked against the documents, references and unjudged systems left out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from betterthan.arrays import BoolArray, FloatArray, read_only
from betterthan.errors import ReadError
from betterthan.read.metrics_folder_files import (
    Folder,
    ScoreFile,
    documents_of,
    n_source_lines,
    references_used,
)
from betterthan.read.protocol import Options
from betterthan.read.score_files import system_level_note
from betterthan.read.score_rows import SYSTEM, by_domain, by_order, score_rows, usual_count, way
from betterthan.read.source import Source
from betterthan.tables.row_order import RowOrder, numbers
from betterthan.tables.scores import Scores


class Chosen(NamedTuple):
    """What is to be read of a folder."""

    pair: str
    level: str
    reference: str | None
    references: tuple[str, ...]
    include_references: bool
    options: Options


@dataclass(slots=True)
class Account:
    """What happened to the lines of all files, and which references were left out."""

    rows: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    references: set[str] = field(default_factory=set)
    nameless: list[str] = field(default_factory=list)

    def drop(self, reason: str, count: int) -> None:
        """Count lines that are not kept."""
        if count:
            self.dropped[reason] = self.dropped.get(reason, 0) + count


@dataclass(slots=True)
class Frame:
    """The segments of a level, as far as the folder tells, and who told how many there are."""

    level: str
    segments: tuple[str, ...] = ()
    groups: tuple[str, ...] | None = None
    domains: tuple[str, ...] | None = None
    because: str = ""

    def filled(self, tables: Sequence[Scores]) -> Frame:
        """Return the frame with the domains found in the tables, at the level of domains."""
        if self.level != "domain":
            return self
        found = tuple(dict.fromkeys(name for table in tables for name in table.segments))
        return replace(self, segments=found, domains=found)


def frame_of(folder: Folder, pair: str, level: str) -> Frame:
    """Return the segments (documents, …) that every score file must have.

    Raises
    ------
    ReadError
        When documents and sources disagree (BT162), or documents are needed and not known (BT166).
    """
    if level in ("sys", "domain"):
        one = (SYSTEM,) if level == "sys" else ()
        return Frame(level=level, segments=one, because="a system-level file has one")
    documents, sources = documents_of(folder, pair), n_source_lines(folder, pair)
    if documents is None:
        if level == "doc":
            raise ReadError(
                f"Document scores need documents/{pair}.docs, with DOMAIN and DOCUMENT on one line a segment.",
                path=folder.shown,
                code="BT166",
            )
        if sources is None:
            return Frame(level=level)
        count, file = sources
        return Frame(level=level, segments=numbers(count), because=f"{file} has {count:,} lines")
    n, file = len(documents.documents), f"documents/{pair}.docs"
    if sources is not None and sources[0] != n:
        raise ReadError(
            f"{file} has {n:,} lines, but {sources[1]} has {sources[0]:,}. One line a segment is needed in both.",
            path=folder.shown,
            code="BT162",
        )
    if level == "doc":
        domain_of: dict[str, str] = {}
        for domain, name in zip(*documents, strict=True):
            domain_of.setdefault(name, domain)
        said = f"{file} has {len(domain_of):,} documents"
        return Frame(level=level, segments=tuple(domain_of), domains=tuple(domain_of.values()), because=said)
    return Frame(
        level=level,
        segments=numbers(n),
        groups=documents.documents,
        domains=documents.domains,
        because=f"{file} has {n:,} lines",
    )


def human_scores(
    folder: Folder, files: Sequence[ScoreFile], chosen: Chosen, frame: Frame, account: Account
) -> dict[str, Scores]:
    """Return the human scores of the level by name, without systems that nobody judged."""
    found: dict[str, Scores] = {}
    for file in files:
        if file.level != chosen.level:
            continue
        source = folder.source(file.path)
        table = _table(source, file, chosen, frame, account)
        judged = np.asarray(~np.isnan(table.values).all(axis=1))
        account.drop("no human score", int((~judged).sum()) * table.n_segments)
        if judged.any():
            _add(found, _judged(table, judged), source)
    return found


def _judged(table: Scores, judged: BoolArray) -> Scores:
    if judged.all():
        return table
    without = [name for name, good in zip(table.systems, judged, strict=True) if not good]
    note = f'Nobody judged these systems by "{table.name}", so they were left out: {", ".join(without)}.'
    return _rows(table, judged, note)


def metric_scores(
    folder: Folder, files: Sequence[ScoreFile], chosen: Chosen, frame: Frame, account: Account
) -> dict[str, Scores]:
    """Return the metric scores of the level by name, only those with the chosen reference or with none."""
    found: dict[str, Scores] = {}
    for file in files:
        other = chosen.reference is not None and file.references not in ((), (chosen.reference,))
        if file.level != chosen.level or other:
            continue
        if references_used(file.name, chosen.references) is None:
            account.nameless.append(file.name)
        source = folder.source(file.path)
        _add(found, _table(source, file, chosen, frame, account), source)
    return found


def _add(found: dict[str, Scores], table: Scores, source: Source) -> None:
    if table.name in found:
        raise ReadError(
            f'There is a second file with scores called "{table.name}". Remove one of them.',
            path=source.name,
            code="BT169",
        )
    found[table.name] = table


def _table(source: Source, file: ScoreFile, chosen: Chosen, frame: Frame, account: Account) -> Scores:
    """Read one file, without the references that are no systems here."""
    systems, segments, values = _laid_out(source, file, frame, account)
    found = way(file.name, values, chosen.options)
    notes = [found.note] if found.note else []
    if chosen.level == "sys":
        notes.append(system_level_note(file.name))
    table = Scores(
        name=file.name,
        systems=systems,
        segments=segments,
        values=values,
        higher_is_better=found.higher_is_better,
        direction_doubt=found.doubt,
        groups=frame.groups,
        notes=tuple(notes),
        row_order=RowOrder(len(segments), is_layout=True) if chosen.level == "seg" else None,
    )
    banned = {*file.references, *(() if chosen.include_references else chosen.references)}
    kept = np.array([name not in banned for name in systems], dtype=np.bool_)
    if kept.all():
        return table
    if not kept.any():
        raise ReadError(
            "Every system in this file is a reference. Pass include_references=True to keep references that "
            "were scored like systems.",
            path=source.name,
            code="BT165",
        )
    gone = [name for name, good in zip(systems, kept, strict=True) if not good]
    account.references.update(gone)
    account.drop("reference used as system", len(gone) * len(segments))
    return _rows(table, kept, f"Left out, because they are references: {', '.join(gone)}.")


def _laid_out(
    source: Source, file: ScoreFile, frame: Frame, account: Account
) -> tuple[tuple[str, ...], tuple[str, ...], FloatArray]:
    rows = score_rows(source, file.level)
    account.rows += rows.values.size
    if file.level == "domain":
        return rows.systems.names, *by_domain(rows, source)
    if not frame.segments:
        # Nothing else in the folder says how many segments there are, so the first file does.
        frame.segments = numbers(usual_count(rows))
        frame.because = f"others have {len(frame.segments):,} in {source.name}"
    values = by_order(rows, source, expected=len(frame.segments), because=frame.because)
    return rows.systems.names, frame.segments, values


def _rows(table: Scores, kept: BoolArray, note: str) -> Scores:
    places = np.flatnonzero(kept)
    return replace(
        table,
        systems=tuple(table.systems[i] for i in places.tolist()),
        values=read_only(table.values[places]),
        notes=(*table.notes, note),
    )
