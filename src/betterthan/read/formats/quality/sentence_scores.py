"""Sentence-level quality estimation: ``lp name sid score``, with or without a header, after metadata of a submission.

In the gold labels of 2023 some scores read "hallucination": these sentences were inserted artificially, and have no
score.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import ReadError
from betterthan.messages import Message, Option
from betterthan.read.formats.builders import ScoresBuilder, scores_reading, table_rows
from betterthan.read.formats.quality.quality_rows import (
    GOLD,
    Layout,
    RowAccount,
    RowCells,
    guess,
    is_count,
    named,
    number,
    refuse_truth_among,
    rows_of,
)
from betterthan.read.formats.tables.cells import Duplicates
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import check_names, parse
from betterthan.read.plausibility.direction import direction, direction_note
from betterthan.read.plausibility.score_warnings import doubts
from betterthan.read.protocol import Format, FormatReader, Guess, Options, Problem, Reading, reason
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

_SCORES = Format(
    name="sentence_scores",
    kind="scores",
    description="sentence scores, one per row: lp, name, sid and score",
)
NAME = "quality"
ALONE = "Compare predictions with true scores: betterthan quality GOLD PREDICTION."
_NO_SCORE = "hallucination"
_ONE_SYSTEM = "BT104"


def _looks_like(cells: RowCells) -> bool:
    """Whether a row ends with a sentence number and a score."""
    score = cells[3].strip()
    return is_count(cells[2]) and (score.casefold() == _NO_SCORE or math.isfinite(parse(score)))


LAYOUT = Layout(columns=("sid", "score"), looks_like=_looks_like)


@dataclass(frozen=True, slots=True, kw_only=True)
class SystemColumn:
    """The scores of one system, or the true scores; `ids` is None where only the order of the sentences is known."""

    name: str
    path: str
    pair: str
    values: FloatArray
    ids: tuple[str, ...] | None = None


@dataclass(slots=True)
class _SegmentSums:
    """The sum and the number of the scores of each sentence."""

    sums: dict[str, float] = field(default_factory=dict)
    counts: dict[str, int] = field(default_factory=dict)

    def column(self, pair: str, name: str, path: str) -> SystemColumn:
        values = np.array([total / self.counts[segment] for segment, total in self.sums.items()])
        return SystemColumn(name=name, path=path, pair=pair, values=values, ids=tuple(self.sums))


def sniff_scores(source: Source) -> Guess | None:
    """Recognize the names of the columns, or four cells: language pair, name, number and score."""
    return guess(source, LAYOUT, 0.985)


def read_scores(source: Source, options: Options) -> Reading:
    """Read the scores into one :class:`Scores` for each language pair, with every name as a system."""
    account = RowAccount()
    columns = columns_of(source, options, account)
    for gold in (column for column in columns if column.name.casefold() == GOLD):
        refuse_truth_among({column.name: source.name for column in columns if column.pair == gold.pair})
    pairs = tuple(dict.fromkeys(column.pair for column in columns))
    tables = tuple(
        _scores(
            [column for column in columns if column.pair == pair],
            options,
            several=len(pairs) > 1,
            is_hter=_is_hter(source.stem),
        )
        for pair in pairs
    )
    guess_of_file = sniff_scores(source)
    notes = (*account.notes(source.name), *(note for table in tables for note in table.notes), ALONE)
    return Reading(
        format=_SCORES,
        because=reason(guess_of_file),
        tables=tables,
        rows_read=account.n_rows,
        rows_kept=account.n_rows - sum(account.dropped.values()),
        dropped=account.dropped,
        notes=notes,
        problems=tuple(problem for table in tables for problem in doubts_of_quality(table, source)),
    )


def columns_of(source: Source, options: Options, account: RowAccount) -> list[SystemColumn]:
    """Return the scores of each system in each language pair.

    Raises
    ------
    ReadError
        When something is not a number (BT013), a sentence is scored twice (BT101), or there is no row (BT011).
    """
    sums_of: dict[tuple[str, str], _SegmentSums] = {}
    for line, cells in rows_of(source, LAYOUT, account):
        pair, name, segment = named(cells, source, line)
        if options.language_pair not in (None, pair):
            account.drop("another language pair")
            continue
        is_planted = cells[3].strip().casefold() == _NO_SCORE
        score = math.nan if is_planted else number(cells[3], source, line)
        if math.isnan(score):
            account.drop(_NO_SCORE if is_planted else "no score")
        sums = sums_of.setdefault((pair, name), _SegmentSums())
        if segment in sums.counts and options.duplicates == "raise":
            raise _twice(pair, name, segment, source, line)
        _add(sums, segment, score, options.duplicates, account)
    if not sums_of:
        raise source.error("There is no row. Check the program that wrote the file.", code="BT011")
    return [sums.column(pair, name, source.name) for (pair, name), sums in sums_of.items()]


def doubts_of_quality(table: Scores, source: Source) -> tuple[Problem, ...]:
    """Return warnings; a single system is not one, where the true scores are in another file."""
    return tuple(problem for problem in doubts(table, place=source.name) if problem.code != _ONE_SYSTEM)


def _add(
    column: _SegmentSums, segment: str, score: float, duplicates: Duplicates, account: RowAccount
) -> None:
    is_again = segment in column.counts
    if is_again and duplicates == "first":
        account.drop("scored before")
    elif is_again and duplicates == "mean" and not math.isnan(column.sums[segment]):
        if not math.isnan(score):
            column.sums[segment] += score
            column.counts[segment] += 1
    else:
        if is_again and duplicates == "last":
            account.drop("scored again later")
        column.sums[segment], column.counts[segment] = score, 1


def _twice(pair: str, name: str, segment: str, source: Source, line: int) -> ReadError:
    return source.error(
        Message(
            "Segment {segment} of {name} ({pair}) already has a score. "
            "Remove one of the two, or choose a rule: {fix}.",
            segment=segment[:40],
            name=quoted(name),
            pair=pair[:20],
            fix=Option("duplicates", "last"),
        ),
        line=line,
        code="BT101",
    )


def _is_hter(stem: str) -> bool:
    """Whether the name of a file suggests edit rates, as "en-de.hter" or "task2_hter_gold" do."""
    return "hter" in re.findall(r"[a-z]+", stem.casefold())


def _scores(columns: Sequence[SystemColumn], options: Options, *, several: bool, is_hter: bool) -> Scores:
    segments = tuple(dict.fromkeys(segment for column in columns for segment in column.ids or ()))
    place = {segment: j for j, segment in enumerate(segments)}
    values = np.full((len(columns), len(segments)), np.nan)
    for row, column in zip(values, columns, strict=True):
        row[[place[segment] for segment in column.ids or ()]] = column.values
    name = f"{options.name or NAME}{f' {columns[0].pair}' if several else ''}"
    way = direction(name, values, options, declared=False if is_hter else None)
    note = way.note or _direction_note(name, is_hter=is_hter, higher=way.higher_is_better)
    return Scores(
        name=name,
        systems=tuple(column.name for column in columns),
        segments=segments,
        values=values,
        higher_is_better=way.higher_is_better,
        direction_doubt=way.doubt,
        notes=(note,),
    )


def _direction_note(name: str, *, is_hter: bool, higher: bool) -> str:
    """Return the direction: higher is better for direct assessments, lower for HTER."""
    if higher:
        return Message(
            'Higher is assumed to be better for "{name}" (direct assessments); for HTER, use {lower}.',
            severity="info",
            name=name,
            lower=Option("lower_is_better", name),
        )
    why = ", because the file is named after HTER" if is_hter else ""
    return direction_note(name, f'Lower is assumed to be better for "{name}"{why}.', higher_is_better=False)


_TRAINING = Format(
    name="sentence_training",
    kind="scores",
    description="direct assessments of translations: index, original, translation, scores, mean, z_scores, z_mean",
)
MEANS = {"mean": ("scores", "DA"), "z_mean": ("z_scores", "DA z")}
"""The columns of means, each with its column of single scores and the name of the metric."""
_NEEDED = ("index", "original", "translation", *MEANS, *(of for of, _ in MEANS.values()))
_CLOSE = 1e-6


def sniff_training(source: Source) -> Guess | None:
    """Recognize the names of the columns."""
    if source.is_parquet or source.is_folder:
        return None
    header = _header(next(iter(first_lines(source)), ""))
    if not set(_NEEDED) <= set(header):
        return None
    return Guess(confidence=0.985, because="columns original, translation, scores, mean, z_scores and z_mean")


def _header(line: str) -> list[str]:
    return [cell.strip().casefold() for cell in line.rstrip("\r\n").split("\t")]


def read_training(source: Source, options: Options) -> Reading:
    """Read both means into :class:`Scores` of one system, named by the file."""
    means = {column: ScoresBuilder() for column in MEANS}
    sizes: Counter[int] = Counter()
    n_other = 0
    for line, cells in table_rows(source, _NEEDED, split=_header, fix="Keep the header of the task's files."):
        check_names({"index": cells["index"]}, path=source.name, line=line)
        for column, (of, _) in MEANS.items():
            judged = _listed(cells[of], source, line)
            mean = number(cells[column], source, line)
            means[column].add(source.stem, cells["index"], mean, path=source.name, line=line)
            n_other += _differ(mean, judged)
            if column == "mean":
                sizes[len(judged)] += 1
    n_rows = sizes.total()
    tables = [table.scores(MEANS[column][1], options) for column, table in means.items()]
    reading = scores_reading(tables, source, format=_TRAINING, guess=sniff_training(source), n_rows=n_rows)
    return replace(
        reading,
        notes=(*_notes(sizes, n_other, source), *reading.notes),
        problems=tuple(problem for table in tables for problem in doubts_of_quality(table, source)),
    )


def _listed(cell: str, source: Source, line: int) -> list[float]:
    """Return the numbers of a list in brackets."""
    inner = cell[1:-1].strip()
    numbers = [parse(part) for part in inner.split(",")] if inner else []
    if cell[:1] != "[" or cell[-1:] != "]" or any(math.isinf(value) for value in numbers):
        raise source.error(
            f'"{cell[:40]}" is not a list of numbers. Write it like [70, 85, 90].', line=line, code="BT013"
        )
    return numbers


def _differ(mean: float, judged: Sequence[float]) -> bool:
    known = [value for value in judged if not math.isnan(value)]
    if not known or math.isnan(mean):
        return False
    return not math.isclose(mean, math.fsum(known) / len(known), rel_tol=_CLOSE, abs_tol=_CLOSE)


def _notes(sizes: Mapping[int, int], n_other: int, source: Source) -> list[str]:
    counts = ", ".join(f"{n} ({count:,} times)" for n, count in sorted(sizes.items()))
    notes = [
        f"{source.name}: assessments of a translation: {counts}. Judges are anonymous; the means are used."
    ]
    if n_other:
        notes.append(
            f"{source.name}: means that differ from the mean of their list, used as they are: {n_other:,}."
        )
    return notes


SCORES = FormatReader(_SCORES, sniff_scores, read_scores)
TRAINING = FormatReader(_TRAINING, sniff_training, read_training)
"""Training data of sentence-level quality estimation: mean direct assessments with the lists of single scores.

Columns are ``index original translation scores mean z_scores z_mean``, separated by tabs; ``scores`` and ``z_scores``
are lists in brackets, one number per judge. The judges are anonymous, so the means are used and the lists only checked.
"""
