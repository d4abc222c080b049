"""Writing of tables as tidy rows: CSV, TSV, JSON lines or Parquet, by the suffix of the path."""

from __future__ import annotations

import gzip
import io
import json
import os
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from betterthan import budget, scratch
from betterthan.errors import BetterThanError, unknown_name
from betterthan.read.formats.tables.tidy import Tidy, all_tidy
from betterthan.read.grid.duck import connect_to, literal, path_literal
from betterthan.tables.any_table import AnyTable
from betterthan.writing import whole_file

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
            raise BetterThanError(f"{target}: The file cannot be written.") from error
        except duckdb.OutOfMemoryException as error:
            raise budget.out_of_memory() from error
        finally:
            connection.close()
