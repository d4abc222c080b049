"""Writing of tables as tidy rows: CSV, TSV, JSON lines or Parquet, by the suffix of the path.

A preview has the first rows in canonical columns, and a one-line summary.
"""

from __future__ import annotations

import errno
import gzip
import io
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import singledispatch
from pathlib import Path
from typing import IO, Any

from betterthan import budget, scratch
from betterthan.errors import BetterThanError, unknown_name
from betterthan.read.formats.tables.tidy import Tidy, all_tidy
from betterthan.read.grid.duck import connect_to, literal, path_literal
from betterthan.tables.any_table import AnyTable
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts
from betterthan.writing import whole_file

ROWS = 3
_LONGEST = 40

Preview = tuple[tuple[str, ...], tuple[tuple[str, ...], ...]]


def preview_of(tables: tuple[AnyTable, ...]) -> Preview:
    """Return canonical column names and the first rows of the first table, as text."""
    if not tables:
        return (), ()
    columns, rows = preview(tables[0])
    return columns, tuple(tuple(map(_short, row)) for row in rows)


@singledispatch
def preview(table: AnyTable) -> Preview:
    """Return canonical column names and the first rows of a table, as text."""
    raise TypeError(f"There is no preview for {type(table).__name__}.")


@preview.register
def _scores(table: Scores) -> Preview:
    shown = range(min(ROWS, table.n_segments))
    rows = tuple(
        (
            table.segments[j],
            table.systems[0],
            _number(table.values[0, j]),
            table.name,
            *_group(table.groups, j),
        )
        for j in shown
    )
    return ("item", "system", "score", "metric", *(["doc"] if table.groups else [])), rows


@preview.register
def _matches(table: Matches) -> Preview:
    if table.segment is None:
        table = table.aggregated()  # also with judges, which the preview does not show
    rows = tuple(
        (
            table.systems[table.left[t]],
            table.systems[table.right[t]],
            _number(table.outcome[t]),
            _number(table.weight[t]),
        )
        for t in range(min(ROWS, table.left.size))
    )
    return ("a", "b", "outcome", "weight"), rows


@preview.register
def _ratings(table: Ratings) -> Preview:
    rows = tuple(
        (
            table.segments[table.segment[t]],
            table.systems[table.system[t]],
            table.judges[table.judge[t]],
            _number(table.score[t]),
        )
        for t in range(min(ROWS, table.n_judgements))
    )
    return ("item", "system", "rater", "score"), rows


@preview.register
def _runs(table: Runs) -> Preview:
    rows = tuple(
        (
            table.segments[table.segment[t]],
            table.systems[table.system[t]],
            table.runs[table.run[t]],
            _number(table.score[t]),
        )
        for t in range(min(ROWS, table.score.size))
    )
    return ("item", "system", "run", "score"), rows


@preview.register
def _tags(table: WordTags) -> Preview:
    words = [bool(bad) for bad in table.gold[: table.offsets[1]]]
    tags = ["BAD" if bad else "OK" for bad in words]
    rows = tuple((table.segments[0], "@gold", str(position), tag) for position, tag in enumerate(tags[:ROWS]))
    return ("item", "system", "position", "tag"), rows


@preview.register
def _texts(table: Texts) -> Preview:
    shown = range(min(ROWS, len(table.segments)))
    rows = tuple((table.segments[j], table.systems[0], _short(table.outputs[0][j])) for j in shown)
    return ("item", "system", "text"), rows


@singledispatch
def summary(table: AnyTable) -> str:
    """Return a one-line summary of a table.

    Examples
    --------
    >>> summary(Scores(name="TER", systems=["A"], segments=["1"], values=[[3]], higher_is_better=False))
    'scores "TER": 1 system × 1 segment, lower is better'
    """
    raise TypeError(f"There is no summary for {type(table).__name__}.")


@summary.register
def _scores_summary(table: Scores) -> str:
    groups = f" in {_many(len(set(table.groups)), 'document')}" if table.groups else ""
    gaps = f", {table.n_missing:,} missing" if table.n_missing else ""
    size = f"{_many(table.n_systems, 'system')} × {_many(table.n_segments, 'segment')}{groups}"
    return f'scores "{_short(table.name)}": {size}, {table.direction}{gaps}'


@summary.register
def _matches_summary(table: Matches) -> str:
    ties = float(table.weight[table.outcome == 0.5].sum())
    return f"battles: {table.n_matches:,.10g} between {_many(table.n_systems, 'system')}, {ties:,.10g} of them ties"


@summary.register
def _ratings_summary(table: Ratings) -> str:
    size = f"{_many(len(table.systems), 'system')} × {_many(len(table.segments), 'segment')}"
    judges = _many(len(table.judges), "judge")
    return f'ratings "{_short(table.name)}": {table.n_judgements:,} of {size} by {judges}, {table.direction}'


@summary.register
def _runs_summary(table: Runs) -> str:
    size = f"{_many(table.n_systems, 'system')} × {_many(table.n_segments, 'segment')}"
    return f'runs "{_short(table.name)}": {size}, {table.runs_in_words}, {table.direction}'


@summary.register
def _tags_summary(table: WordTags) -> str:
    share = f"{100 * table.gold.mean():.1f}% BAD" if table.n_words else "no words"
    size = f"{_many(len(table.segments), 'segment')}, {_many(table.n_words, 'word')}"
    return f"word tags: {_many(len(table.systems), 'system')}, {size}, {share}"


@summary.register
def _texts_summary(table: Texts) -> str:
    size = f"{_many(len(table.systems), 'system')} × {_many(len(table.segments), 'segment')}"
    return f"texts: {size}, {_many(len(table.references), 'reference')}"


def _many(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"


def _number(value: float) -> str:
    return f"{value:g}" if value == value else ""  # noqa: PLR0124  (a missing number differs from itself)


def _group(groups: tuple[str, ...] | None, j: int) -> tuple[str, ...]:
    return () if groups is None else (groups[j],)


def _short(text: str | None) -> str:
    if text is None:
        return ""
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


_DELIMITERS = {".csv": ",", ".tsv": "\t"}
_SUFFIXES = (*_DELIMITERS, ".jsonl", ".parquet")
_NUMBERS = {"score": "DOUBLE", "outcome": "DOUBLE", "weight": "DOUBLE", "position": "BIGINT"}
_TYPES = {**_NUMBERS, "higher_is_better": "BOOLEAN"}


def write_table(table: AnyTable | Sequence[AnyTable], path: str | os.PathLike[str]) -> None:
    """Write a table so that reading it back gives an equal table.

    Parameters
    ----------
    table : Scores, Ratings, Matches, WordTags or Texts, or a list of one kind
        Several metrics go into one file.
    path : path
        The suffix decides: .csv, .tsv, .jsonl (each also with .gz) or .parquet.

    Raises
    ------
    UnknownName
        When the suffix is none of these.
    BetterThanError
        When the file cannot be written.

    Notes
    -----
    The columns are: scores ``item, system, score, metric, doc, higher_is_better``; ratings the same with ``rater``;
    matches ``a, b, outcome, weight, item, judge``; tags ``item, system, position, tag`` with ``@gold``; texts
    ``item, system, text`` with ``@src`` and ``@ref:NAME``.

    Examples
    --------
    >>> import tempfile
    >>> from betterthan.read.scores import read_scores
    >>> scores = read_scores({"A": [0.5, 0.75], "B": [0.25, None]}, name="COMET")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_table(scores, f"{folder}/scores.csv")
    ...     read_scores(f"{folder}/scores.csv").digest == scores.digest
    True
    """
    target = Path(path)
    suffix = Path(target.name.removesuffix(".gz")).suffix.lower()
    if suffix not in _SUFFIXES or (suffix == ".parquet" and target.name.endswith(".gz")):
        raise unknown_name("suffix of a table", "".join(target.suffixes[-2:]), _SUFFIXES)
    rows = all_tidy([table] if not isinstance(table, Sequence) else table)
    try:
        with whole_file(target) as part:
            if suffix == ".parquet":
                _write_parquet(rows, part)
            else:
                _write_text(rows, part, suffix, is_packed=target.name.endswith(".gz"))
    except UnicodeEncodeError as error:
        raise BetterThanError(
            f"{path}: A name or text holds half of a surrogate pair and cannot be written as UTF-8."
        ) from error


def _write_text(rows: Tidy, target: Path, suffix: str, *, is_packed: bool = False) -> None:
    with _opened(target, is_packed=is_packed) as file:
        if suffix == ".jsonl":
            file.writelines(_json_lines(rows))
        else:
            file.writelines(_delimited_lines(rows, _DELIMITERS[suffix]))


@contextmanager
def _opened(target: Path, *, is_packed: bool) -> Iterator[IO[str]]:
    if not is_packed:
        with target.open("w", encoding="utf-8", newline="") as plain:
            yield plain
        return
    # Without time and file name, so that the same table gives the same bytes.
    with (
        target.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", newline="") as text,
    ):
        yield text


def _json_lines(rows: Tidy) -> Iterator[str]:
    for row in rows.rows:
        yield json.dumps(dict(zip(rows.columns, row, strict=True)), ensure_ascii=False) + "\n"


def _delimited_lines(rows: Tidy, delimiter: str) -> Iterator[str]:
    # Cells that begin with = + - @ are unchanged, although a spreadsheet may treat them as formulas: this file is for
    # programs, and a changed label would differ when it is read back.
    yield delimiter.join([_cell(name, delimiter) for name in rows.columns]) + "\n"
    for row in rows.rows:
        yield delimiter.join([_cell(value, delimiter) for value in row]) + "\n"


def _cell(value: Any, delimiter: str) -> str:  # noqa: ANN401  (text, number, truth value or None)
    if isinstance(value, str):
        # Cells with white space at the ends are quoted too, because some readers trim it.
        special = (
            delimiter in value or '"' in value or "\n" in value or "\r" in value or value != value.strip()
        )
        return '"' + value.replace('"', '""') + '"' if special else value
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else repr(value)


def _type(name: str, rows: Tidy) -> str:
    return "DOUBLE" if name in rows.measured else _TYPES.get(name, "VARCHAR")


def _write_parquet(rows: Tidy, target: Path) -> None:
    import duckdb  # noqa: PLC0415  (the engine takes a tenth of a second to load)

    with tempfile.TemporaryDirectory(prefix="write-", dir=scratch.folder()) as folder:
        plain = Path(folder) / "rows.csv"
        _write_text(rows, plain, ".csv")
        types = ", ".join(f"{literal(name)}: '{_type(name, rows)}'" for name in rows.columns)
        query = (
            f"COPY (FROM read_csv({path_literal(plain)}, auto_detect = false, header = true, "
            f"quote = '\"', escape = '\"', hive_partitioning = false, columns = {{{types}}})) "
            f"TO {path_literal(target)} (FORMAT parquet, USE_TMP_FILE false)"
        )
        connection = connect_to([plain, target])
        try:
            connection.execute(query)
        except duckdb.IOException as error:
            # As an error of the system, for which the file of the user is named, not its temporary part.
            full = os.strerror(errno.ENOSPC)
            raise OSError(full if full in str(error) else "DuckDB could not write it") from error
        except duckdb.OutOfMemoryException as error:
            raise budget.out_of_memory() from error
        finally:
            connection.close()
