"""Tables in DuckDB: the same answers and the same errors, with lines, as for small files."""

# ruff: noqa: S608  (the paths are ours)
from __future__ import annotations

import json
from dataclasses import replace

import pytest
from tests.everyday import few
from tests.read.test_scores_tables import REFUSALS

from betterthan.errors import ReadError
from betterthan.read.formats.battles.battles import read_matches
from betterthan.read.formats.tables import long_table, wide_table
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.protocol import Options
from betterthan.read.scores import read_scores
from betterthan.read.source.source import open_source

LAYOUTS = {"long": long_table, "wide": wide_table}
# Refused where one table of segments is needed, not by the reader of the table.
WITHOUT_A_TABLE = {"json array", "battles", "two metrics", "wide or long", "system level without item"}


def read_large(path, layout):
    """Read a file in the engine, however small it is."""
    with open_grid(open_source(path), small=1) as grid:
        return LAYOUTS[layout].read_grid(grid, Options(), stem="x", because="").tables[0]


@pytest.mark.parametrize("name", few(sorted(set(REFUSALS) - WITHOUT_A_TABLE), 9))
def test_the_engine_refuses_what_the_parser_refuses(name, tmp_path):
    """The message, the code and the line do not depend on the size of the file."""
    text, code, message = REFUSALS[name]
    path = tmp_path / "x.csv"
    path.write_bytes(text.encode())
    with pytest.raises(ReadError) as caught:
        read_large(path, "long" if "system" in text.split("\n", 1)[0] else "wide")
    assert caught.value.code == code
    assert str(caught.value) == message.replace("<stream>", str(path))


def test_quotes_and_gaps_are_the_same_in_the_engine(tmp_path):
    """Embedded line ends, missing cells and white space come out alike."""
    path = tmp_path / "x.csv"
    path.write_bytes(b'id,A,B\n"a,\r\nb", 1.5 ,NA\nc,-,True\n')
    small = read_scores(path)
    assert small.notes == ("One row spans lines 2 to 3, because a quoted cell contains line breaks.",)
    assert read_large(path, "wide") == replace(small, notes=())


def test_json_keys_that_come_late_are_columns(tmp_path):
    """A system that first occurs far into the file is not lost."""
    rows = [{"id": i, "A": i, "B": 2 * i} for i in range(60)] + [
        {"id": 99, "A": 1, "B": 2, "C.d": 3, 'q"': 4}
    ]
    path = tmp_path / "x.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    large = read_large(path, "wide")
    assert large == read_scores(path)
    assert large.systems == ("A", "B", "C.d", 'q"')


ODD_OBJECTS = {
    "key twice": ('{"id": 1, "A": 1, "B": 2}\n{"id": 2, "A": 1, "B": 2, "A": 3}\n', ("BT017", 2)),
    "comma too many": ('{"id": 1, "A": 1, "B": 2}\n{"id": 2, "A": 1, "B": 2 , }\n', ("BT016", 2)),
    "mark inside": ('{"id": 1, "A": 1, "B": 2}\n\ufeff{"id": 2, "A": 1, "B": 2}\n', ("BT016", 2)),
    "an unpaired surrogate": ('{"id": 1, "A": 1, "B": 2}\n{"id": "\\ud83d", "A": 1, "B": 2}\n', ("BT016", 2)),
    "star": ('{"id": 1, "*": 1, "B": 2}\n{"id": 2, "*": 3, "B": 4}\n', [[1.0, 3.0], [2.0, 4.0]]),
    "late": ('{"id": 1, "Z": 1}\n{"id": 2, "Z": 3, "Y": 4}\n{"id": 3, "A": 4}\n', ("Z", "Y", "A")),
}


@pytest.mark.parametrize("name", ODD_OBJECTS)
def test_odd_objects_are_read_alike_at_any_size(tmp_path, name):
    """Parsers differ in what they forgive; here none forgives what another does not."""
    text, expected = ODD_OBJECTS[name]
    path = tmp_path / "x.jsonl"
    path.write_text(text, encoding="utf-8")
    found = []
    for read in (read_scores, lambda path: read_large(path, "wide")):
        try:
            scores = read(path)
        except ReadError as error:
            found.append((error.code, error.line))
        else:
            found.append(scores.values.tolist() if isinstance(expected, list) else scores.systems)
    assert found == [expected, expected]


def test_keys_twice_are_refused_in_arrays_and_battles(tmp_path):
    """Also where rows have no lines, and where rows are counted inside the engine."""
    (tmp_path / "x.json").write_text('[{"id": 1, "A": 1, "B": 2, "A": 3}]')
    with pytest.raises(ReadError, match='The key "A" occurs more than once') as caught:
        read_scores(tmp_path / "x.json")
    assert caught.value.code == "BT017"
    row = '{"model_a": "X", "model_b": "Y", "winner": "model_a"}\n'
    (tmp_path / "b.jsonl").write_text(row + row.replace("}", ', "winner": "tie"}'))
    with pytest.raises(ReadError, match='line 2: The key "winner" occurs more than once'):
        read_matches(tmp_path / "b.jsonl")


ODD_LINES = {
    "an extra empty cell, mixed": ("id,A,B\n1,2,3\n2,3,4,\n", ("BT012", 3)),
    "one line ends otherwise": ("id,A,B\n1,2,3\r\n2,3,4\n", [[2.0, 3.0], [3.0, 4.0]]),
    "all but one": ("id,A,B\r\n1,2,3\r\n2,3,4\n", [[2.0, 3.0], [3.0, 4.0]]),
    "blank lines": ("id,A,B\n\n1,2,3\n\n2,3,4\n\n", [[2.0, 3.0], [3.0, 4.0]]),
}


@pytest.mark.parametrize("name", ODD_LINES)
def test_odd_lines_are_read_alike_at_any_size(tmp_path, name):
    """An empty cell too many is one cell too many; a line ends with or without a carriage return."""
    text, expected = ODD_LINES[name]
    path = tmp_path / "x.csv"
    path.write_text(text, newline="")
    for read in (read_scores, lambda path: read_large(path, "wide")):
        if isinstance(expected, list):
            assert read(path).values.tolist() == expected
        else:
            with pytest.raises(ReadError) as caught:
                read(path)
            assert (caught.value.code, caught.value.line) == expected


@pytest.mark.parametrize(
    "kind", few(["DECIMAL(8, 2)", "INTEGER", "FLOAT", "BOOLEAN", "UTINYINT", "HUGEINT"], 3)
)
def test_parquet_numbers_of_any_type(tmp_path, kind):
    """Scores may be stored in any numeric type, labels as numbers or enums."""
    import duckdb

    path = tmp_path / "x.parquet"
    query = (
        f"COPY (SELECT i // 2 AS item, (CASE i % 2 WHEN 0 THEN 'A' ELSE 'B' END)::ENUM('A', 'B') AS system, "
        f"CAST(i % 2 AS {kind}) AS score FROM range(6) t(i)) TO '{path}' (FORMAT parquet)"
    )
    with duckdb.connect() as connection:
        connection.execute(query)
    scores = read_scores(path)
    assert scores.segments == ("0", "1", "2")
    assert scores.values.tolist() == [[0.0] * 3, [1.0] * 3]


def test_nested_parquet_columns_are_no_names(tmp_path):
    """A list where a name is needed is refused by row."""
    import duckdb

    path = tmp_path / "x.parquet"
    with duckdb.connect() as connection:
        connection.execute(
            f"COPY (SELECT [i] AS item, 'A' AS system, i AS score FROM range(3) t(i)) TO '{path}' (FORMAT parquet)"
        )
    with pytest.raises(ReadError, match=r'Row 1: "\[0\]" is not a name \(column "item"\)'):
        read_scores(path)
