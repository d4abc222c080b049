"""A path only says where a file lies: folders are no columns, and brackets and stars in a name are no patterns."""

from __future__ import annotations

import gzip
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.everyday import few

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any
from betterthan.read.source.source import open_source
from betterthan.read.write.write import write_table

WIDE = {"id": ["1", "2", "3"], "A": [0.5, 0.25, 0.75], "B": [0.1, 0.2, 0.3]}
LONG = {
    "item": ["1", "1", "2", "2"],
    "system": ["A", "B", "A", "B"],
    "score": [0.5, 0.25, 0.75, 0.1],
    "lp": ["en-de", "en-de", "en-de", "en-de"],
}
BATTLES = {
    "model_a": ["X", "X", "Y"],
    "model_b": ["Y", "Z", "Z"],
    "winner": ["model_a", "model_a", "tie"],
    "language": ["en", "en", "en"],
}
FOLDERS = ("B=7/winner=model_b", "higher_is_better=false/temperature=0.7", "system=Q/score=1")
NAMES = ("x[1]", "y*", "q?", "it's\"{a}=\\n", "[x]/f")


def csv_text(columns, delimiter=","):
    """A table as text."""
    rows = [list(columns), *zip(*columns.values(), strict=True)]
    return "".join(delimiter.join(map(str, row)) + "\n" for row in rows)


def json_text(columns):
    """A table as JSON lines."""
    return pa.table(columns).to_pandas().to_json(orient="records", lines=True)


def written(path, columns, suffix):
    """Write a table in one of the containers."""
    path = path.with_name(path.name + suffix)
    path.parent.mkdir(parents=True, exist_ok=True)
    if suffix == ".parquet":
        pq.write_table(pa.table(columns), path)
    elif suffix == ".csv.gz":
        path.write_bytes(gzip.compress(csv_text(columns).encode()))
    else:
        path.write_text(json_text(columns) if suffix == ".jsonl" else csv_text(columns))
    return path


def contents(path, **options):
    """What a table holds, apart from the name it has from its file."""
    (found,) = read_any(path, Options(**options)).tables
    kept = {
        name: getattr(found, name)
        for name in ("systems", "segments", "higher_is_better", "notes")
        if hasattr(found, name)
    }
    values = found.values if hasattr(found, "values") else found.aggregated().weight
    return kept, values.tolist()


@pytest.mark.parametrize("suffix", few([".parquet", ".csv", ".csv.gz", ".jsonl"], 2))
@pytest.mark.parametrize("columns", [WIDE, LONG, BATTLES], ids=["wide", "long", "battles"])
def test_the_folder_of_a_file_does_not_change_its_table(tmp_path, suffix, columns):
    """A data lake names its folders after columns; the cells of the file are the ones that count."""
    plain = contents(written(tmp_path / "f", columns, suffix))
    for folder in FOLDERS:
        assert contents(written(tmp_path / folder / "f", columns, suffix)) == plain, folder


@pytest.mark.parametrize("suffix", [".csv", ".jsonl"])
def test_the_folder_does_not_change_a_large_file(tmp_path, suffix):
    """The same for text that the engine parses."""
    path = written(tmp_path / "B=7" / "temperature=0.7" / "f", WIDE, suffix)
    with open_grid(open_source(path), small=1) as grid:
        assert grid.header == tuple(WIDE)
        assert grid.numbers([1, 2]).tolist() == [WIDE["A"], WIDE["B"]]


def test_the_folder_does_not_change_chosen_rows_or_shards(tmp_path):
    """Rows chosen by a condition and shards pass through the engine too."""
    plain = contents(written(tmp_path / "f", BATTLES, ".csv"), where=(("language", "en"),))
    odd = contents(written(tmp_path / "winner=model_b" / "f", BATTLES, ".csv"), where=(("language", "en"),))
    assert odd == plain
    shards = tmp_path / "B=7"
    shards.mkdir()
    for i in range(2):
        part = {
            name: [f"{i}{cell}" if name == "id" else cell for cell in cells] for name, cells in WIDE.items()
        }
        pq.write_table(pa.table(part), shards / f"train-{i:05}-of-00002.parquet")
    assert bt.read_scores(shards).values[1].tolist() == WIDE["B"] * 2


def test_a_table_is_written_as_it_is_where_temporary_files_lie_in_such_a_folder(tmp_path, monkeypatch):
    """The folder for temporary files has a name like any other."""
    folder = tmp_path / "score=7"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    source = written(tmp_path / "f", LONG, ".csv")
    scores = bt.read_scores(source)
    write_table(scores, tmp_path / "out.parquet")
    assert bt.read_scores(tmp_path / "out.parquet").values.tolist() == scores.values.tolist()


@pytest.mark.parametrize("suffix", few([".parquet", ".csv", ".jsonl"], 2))
@pytest.mark.parametrize("name", few(NAMES, 3))
def test_a_file_is_opened_by_its_own_name(tmp_path, suffix, name):
    """Also beside files that a pattern of that name would fit."""
    for other in ("x1", "y1", "q1"):
        written(tmp_path / other, {**WIDE, "A": [9.0, 9.0, 9.0]}, suffix)
    path = written(tmp_path / name, WIDE, suffix)
    assert contents(path)[1] == [WIDE["A"], WIDE["B"]]
    battles = written(tmp_path / "b" / name, BATTLES, suffix)
    shutil.copy(
        written(tmp_path / "f", {**BATTLES, "winner": ["tie"] * 3}, suffix), battles.parent / f"y1{suffix}"
    )
    plain = contents(written(tmp_path / "plain", BATTLES, suffix))
    assert contents(battles) == plain
    assert contents(battles, where=(("language", "en"),))[1] == plain[1]


def test_columns_of_one_name_are_refused_in_parquet_as_in_text(tmp_path):
    """The engine would call the second one A_1, and it would be ranked as a system of that name."""
    path = tmp_path / "x.parquet"
    pq.write_table(pa.Table.from_arrays([pa.array([1.0, 2.0])] * 3, names=["A", "B", "A"]), path)
    with pytest.raises(ReadError, match='The column "A" occurs more than once') as caught:
        read_any(path)
    assert caught.value.code == "BT017"


def test_columns_that_differ_in_case_keep_their_names(tmp_path):
    """The engine does not tell them apart, but a system called "a" is not "A_1"."""
    path = tmp_path / "x.parquet"
    pq.write_table(pa.table({"A": [1.0, 2.0], "a": [3.0, 4.0], "meta": [{"A": 1}, {"A": 2}]}), path)
    with open_grid(open_source(path)) as grid:
        assert grid.header == ("A", "a", "meta")
        assert grid.numbers([0, 1]).tolist() == [[1.0, 2.0], [3.0, 4.0]]
