"""Training data of sentence-level quality estimation: direct assessments with the lists they are the means of.

Columns are ``index original translation scores mean z_scores z_mean``, separated by tabs; ``scores`` and ``z_scores``
are lists in brackets, a number a judge. The judges have no names, so the means are read and the lists only looked at.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.doubts.direction import direction
from betterthan.read.formats.quality.quality_rows import number
from betterthan.read.formats.quality.sentence_scores import doubts_of_quality
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.missing import check_names
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="sentence_training",
    kind="scores",
    description="direct assessments of translations: index, original, translation, scores, mean, z_scores, z_mean",
)
MEANS = {"mean": ("scores", "DA"), "z_mean": ("z_scores", "DA z")}
"""The columns of means, each with the list it is the mean of and the name of the scores."""
_NEEDED = ("index", "original", "translation", *MEANS, *(of for of, _ in MEANS.values()))
_CLOSE = 1e-6


def sniff(source: Source) -> Guess | None:
    """Recognise the names of the columns."""
    if source.is_parquet or source.is_folder:
        return None
    header = _header(next(iter(first_lines(source)), ""))
    if not set(_NEEDED) <= set(header):
        return None
    return Guess(confidence=0.985, because="columns original, translation, scores, mean, z_scores and z_mean")


def _header(line: str) -> list[str]:
    return [cell.strip().casefold() for cell in line.rstrip("\r\n").split("\t")]


def read(source: Source, options: Options) -> Reading:
    """Read both means into :class:`Scores` of one system, named by the file."""
    header: list[str] = []
    means: dict[str, list[float]] = {column: [] for column in MEANS}
    segments: dict[str, int] = {}
    sizes: dict[int, int] = {}
    n_other = 0
    for line, text in enumerate(source.lines(), 1):
        if not text.strip():
            continue
        if not header:
            header = _checked(_header(text), source, line)
            continue
        cells = _cells(text, header, source, line)
        _check_new(cells["index"], segments, source, line)
        for column, (of, _) in MEANS.items():
            judged = _listed(cells[of], source, line)
            mean = number(cells[column], source, line)
            means[column].append(mean)
            n_other += _differ(mean, judged)
            if column == "mean":
                sizes[len(judged)] = sizes.get(len(judged), 0) + 1
    tables = _tables(means, tuple(segments), source, options)
    found = sniff(source)
    return Reading(
        format=FORMAT,
        because=found.because if found else "the format was named",
        tables=tables,
        rows_read=len(segments),
        rows_kept=len(segments),
        notes=(*_notes(sizes, n_other, source), *(note for table in tables for note in table.notes)),
        problems=tuple(problem for table in tables for problem in doubts_of_quality(table, source)),
    )


def _checked(header: list[str], source: Source, line: int) -> list[str]:
    missing = [name for name in _NEEDED if name not in header]
    if missing:
        raise ReadError(
            f"No column is called {', '.join(missing)}. Keep the header of the task's files.",
            path=source.name,
            line=line,
            code="BT021",
        )
    return header


def _cells(text: str, header: Sequence[str], source: Source, line: int) -> dict[str, str]:
    row = text.split("\t")
    while len(row) > len(header) and not row[-1].strip():
        row.pop()
    if len(row) != len(header):
        raise ReadError(
            f"The row has {len(row)} cells between tabs where the header has {len(header)}. Write all of them.",
            path=source.name,
            line=line,
            code="BT012",
        )
    return dict(zip(header, (cell.strip() for cell in row), strict=True))


def _check_new(index: str, segments: dict[str, int], source: Source, line: int) -> None:
    check_names({"index": index}, path=source.name, line=line)
    if index in segments:
        raise ReadError(
            f"Index {index[:40]} was already given in line {segments[index]}. Remove one of the two.",
            path=source.name,
            line=line,
            code="BT101",
        )
    segments[index] = line


def _listed(cell: str, source: Source, line: int) -> list[float]:
    """Return the numbers of a list in brackets."""
    inner = cell[1:-1].strip()
    numbers = [parse(part) for part in inner.split(",")] if inner else []
    if cell[:1] != "[" or cell[-1:] != "]" or any(math.isinf(value) for value in numbers):
        raise ReadError(
            f'"{cell[:40]}" is no list of numbers. Write it like [70, 85, 90].',
            path=source.name,
            line=line,
            code="BT013",
        )
    return numbers


def _differ(mean: float, judged: Sequence[float]) -> bool:
    known = [value for value in judged if not math.isnan(value)]
    if not known or math.isnan(mean):
        return False
    return not math.isclose(mean, math.fsum(known) / len(known), rel_tol=_CLOSE, abs_tol=_CLOSE)


def _tables(
    means: dict[str, list[float]], segments: tuple[str, ...], source: Source, options: Options
) -> tuple[Scores, ...]:
    if not segments:
        raise ReadError("There is no row below the header.", path=source.name, code="BT011")
    tables = []
    for column, values in means.items():
        name = MEANS[column][1]
        way = direction(name, np.array(values), options)
        table = Scores(
            name=name,
            systems=(source.stem,),
            segments=segments,
            values=np.array([values]),
            higher_is_better=way.higher_is_better,
            direction_doubt=way.doubt,
        )
        tables.append(table)
    return tuple(tables)


def _notes(sizes: dict[int, int], n_other: int, source: Source) -> list[str]:
    counts = ", ".join(f"{n} ({count:,} times)" for n, count in sorted(sizes.items()))
    notes = [
        f"{source.name}: assessments of a translation: {counts}. Judges have no names; their means are read."
    ]
    if n_other:
        notes.append(
            f"{source.name}: means that are not the mean of their list, read as they stand: {n_other:,}."
        )
    return notes
