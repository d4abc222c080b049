"""Conditions: some rows of a table, in every layout and container, with every other row accounted for."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.everyday import few

import betterthan as bt
from betterthan.cli.main import main
from betterthan.errors import ReadError, UnknownName
from betterthan.read.grid.open_grid import open_grid
from betterthan.read.grid.selection import parse_conditions
from betterthan.read.sniff import read_any
from betterthan.read.source.source import open_source

HEADER = ("lp", "metric", "system", "seg_id", "score")
ROWS = [
    (pair, metric, system, segment, round(10 * i + j + 0.5 * k + 0.25 * (metric == "chrF"), 3))
    for i, pair in enumerate(("en-de", "zh-en", "it's; DROP TABLE x --"))
    for metric in ("BLEU", "chrF")
    for j, system in enumerate(("A", "B"))
    for k, segment in enumerate(("1", "2", "3"))
]


def as_csv(rows, header=HEADER, delimiter=","):
    """Rows as delimited text."""
    stream = io.StringIO()
    writer = csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerows([header, *rows])
    return stream.getvalue()


def stored(path, rows, header=HEADER):
    """Write rows in the container that the suffix names."""
    if path.suffix == ".jsonl":
        path.write_text("".join(json.dumps(dict(zip(header, row, strict=True))) + "\n" for row in rows))
    elif path.suffix == ".json":
        path.write_text(json.dumps([dict(zip(header, row, strict=True)) for row in rows]))
    elif path.suffix == ".parquet":
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = list(zip(*rows, strict=True))
        pq.write_table(
            pa.table({name: list(column) for name, column in zip(header, columns, strict=True)}), path
        )
    else:
        path.write_text(as_csv(rows, header, "\t" if path.suffix == ".tsv" else ","))
    return path


@pytest.mark.parametrize("pair", sorted({row[0] for row in ROWS}))
@pytest.mark.parametrize("suffix", few(["csv", "tsv", "jsonl", "json", "parquet"], 2))
def test_a_long_table_with_a_condition_is_the_table_of_its_rows(suffix, pair, tmp_path):
    """As if the other rows had never been there; a value is never part of a query."""
    path = stored(tmp_path / f"all.{suffix}", ROWS)
    own = stored(tmp_path / f"own.{suffix}", [row for row in ROWS if row[0] == pair])
    found, expected = bt.read_metrics(path, where={"lp": pair}), bt.read_metrics(own)
    assert list(found) == list(expected) == ["BLEU", "chrF"]
    for name in found:
        assert replace(found[name], notes=()) == replace(expected[name], notes=())
        assert any("were kept: 12 of 36." in note for note in found[name].notes)
    reading = read_any(path, bt.Options(where=(("lp", pair), ("metric", "BLEU"))))
    assert [table.name for table in reading.tables] == ["BLEU"]
    assert reading.dropped == {f"lp is not {pair}": 24, "metric is not BLEU": 6}
    assert (reading.rows_read, reading.rows_kept) == (36, 6)


def test_data_frames_and_dicts():
    """Rows in memory by the same rule."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=HEADER)
    columns = {name: [row[i] for row in ROWS] for i, name in enumerate(HEADER)}
    expected = bt.read_metrics(io.StringIO(as_csv([row for row in ROWS if row[0] == "zh-en"])))
    for given_table in (frame, columns):
        found = bt.read_metrics(given_table, where={"lp": "zh-en"})
        assert {name: replace(table, notes=()) for name, table in found.items()} == expected


def test_several_values_of_a_column_are_alternatives():
    """Either value; two columns must both fit."""
    text = "year,d,id,A,B\n2019,a,1,0.5,1\n2020,b,2,0.25,1\n2021,b,3,1,1\n"
    found = bt.read_scores(io.StringIO(text), where={"year": [2019, 2021]})
    assert found.segments == ("1", "3")
    with pytest.raises(ReadError, match="No row has year = 2019 and d = b at the same time"):
        bt.read_scores(io.StringIO(text), where={"year": 2019, "d": "b"})


def test_a_wide_table_loses_the_column_of_its_condition():
    """A year is a number, but no system once it says nothing more."""
    text = "id,year,A,B\n1,2019,1,2\n2,2019,3,4\n1,2020,5,6\n2,2020,7,8\n"
    found = bt.read_scores(io.StringIO(text), where={"year": "2020"})
    assert found.systems == ("A", "B")
    assert found.values.tolist() == [[5, 7], [6, 8]]


def test_ratings():
    """Judgements of one task."""
    text = "task,item,system,rater,score\nx,1,A,r,1\nx,1,B,r,2\ny,1,A,r,3\ny,1,B,r,4\n"
    found = bt.read_ratings(io.StringIO(text), where={"task": "y"})
    assert found.score.tolist() == [3, 4]
    with pytest.raises(
        ReadError,
        match=r'Judge "r" already rated.*Column "task" distinguishes the rows: .*where=\{"task": "x"\}',
    ):
        bt.read_ratings(io.StringIO(text))


BATTLES = [
    ("en", "A", "B", "left"),
    ("en", "A", "B", "right"),
    ("de", "A", "C", "tie"),
    ("en", "B", "C", "left"),
]


@pytest.mark.parametrize("suffix", few(["csv", "tsv", "jsonl", "json", "parquet"], 3))
def test_battles(suffix, tmp_path):
    """Counted inside the engine, from the chosen rows only."""
    header = ("language", "left", "right", "winner")
    path = stored(tmp_path / f"all.{suffix}", BATTLES, header)
    own = stored(tmp_path / f"own.{suffix}", [row for row in BATTLES if row[0] == "en"], header)
    reading = read_any(path, bt.Options(where=(("language", "en"),)))
    (found,), (expected,) = reading.tables, read_any(own).tables
    assert replace(found, notes=()) == replace(expected, notes=())
    assert reading.dropped == {"language is not en": 1}
    assert (reading.rows_read, reading.rows_kept) == (4, 3)
    with pytest.raises(
        ReadError, match=r'No row has "fr" in column "language". Values in the column: "de", "en"'
    ):
        read_any(path, bt.Options(where=(("language", "fr"),)))
    with pytest.raises(UnknownName, match=r'Unknown column "lang"'):
        read_any(path, bt.Options(where=(("lang", "en"),)))


def test_values_of_battles_are_bound_and_not_run(tmp_path):
    """A value that looks like SQL is a value."""
    evil = "x' OR '1'='1"
    path = stored(
        tmp_path / "b.csv", [*BATTLES, (evil, "C", "D", "left")], ("language", "left", "right", "winner")
    )
    reading = read_any(path, bt.Options(where=(("language", evil),)))
    assert reading.tables[0].systems == ("C", "D")
    with pytest.raises(ReadError, match="Values in the column"):
        read_any(path, bt.Options(where=(("language", "y' OR '1'='1"),)))


def test_many_alternatives_keep_the_order_of_battles(tmp_path):
    """The engine may not shuffle rows that are kept one by one."""
    header = ("kind", "left", "right", "winner", "item")
    rows = [(f"k{i % 9}", "A", "B", "left", f"i{i:05}") for i in range(20_000)]
    path = stored(tmp_path / "b.csv", rows, header)
    wanted = tuple(("kind", f"k{k}") for k in range(8))
    own = stored(tmp_path / "o.csv", [row for row in rows if row[0] != "k8"], header)
    asked = bt.Options(keep=("item",))
    (found,), (expected,) = read_any(path, replace(asked, where=wanted)).tables, read_any(own, asked).tables
    assert replace(found, notes=()) == replace(expected, notes=())


def test_what_does_not_occur_is_refused_with_what_does():
    """At most ten values are named; an unknown column is named with the nearest."""
    rows = [(f"p{i:02}", "m", "A", str(i), 1.0) for i in range(15)]
    with pytest.raises(ReadError) as caught:
        bt.read_scores(io.StringIO(as_csv(rows)), where={"lp": "en-de"})
    assert caught.value.code == "BT167"
    assert str(caught.value).endswith('"p09" and 5 more.')
    with pytest.raises(UnknownName, match=r'Unknown column "lpp". Did you mean "lp"'):
        bt.read_scores(io.StringIO(as_csv(rows)), where={"lpp": "en-de"})


def test_duplicates_name_the_column_that_tells_them_apart():
    """The cure is the condition itself; where no column helps, the counts tell."""
    with pytest.raises(ReadError) as caught:
        bt.read_metrics(io.StringIO(as_csv(ROWS)))
    assert caught.value.code == "BT101"
    assert caught.value.line == 14
    assert 'Column "lp" distinguishes the rows: keep one value of it with where={"lp": "en-de"}' in str(
        caught.value
    )
    twice = as_csv([row[1:] for row in ROWS if row[0] == "en-de"] * 2, HEADER[1:])
    with pytest.raises(ReadError, match="Every segment of a system has 2 scores"):
        bt.read_metrics(io.StringIO(twice))


def test_places_are_those_of_the_file(tmp_path):
    """A fault in a kept row is named by its line; one in a dropped row does not matter."""
    text = as_csv([("a", "m", "A", "1", "x"), ("b", "m", "A", "1", "1"), ("b", "m", "A", "2", "y")])
    with pytest.raises(ReadError, match='line 4: "y" is not a number'):
        bt.read_scores(io.StringIO(text), where={"lp": "b"})
    good = text.replace(",y", ",2")
    assert bt.read_scores(io.StringIO(good), where={"lp": "b"}).values.tolist() == [[1, 2]]
    (tmp_path / "b.csv").write_text("k,left,right,winner\na,A,B,left\nb,A,B,sometimes\n")
    with pytest.raises(ReadError, match="sometimes"):
        read_any(tmp_path / "b.csv", bt.Options(where=(("k", "b"),)))


def test_files_without_columns_have_no_rows_to_choose(tmp_path):
    """Score files and texts are refused with the reason."""
    path = tmp_path / "m.seg.score"
    path.write_text("A 1\nA 2\n")
    with pytest.raises(
        ReadError, match=r'Rows cannot be chosen here.* Leave out where={"lp": "en-de"}'
    ) as caught:
        bt.read_scores(path, where={"lp": "en-de"})
    assert caught.value.code == "BT168"


@pytest.mark.parametrize("text", ["lp", "=en-de", "", " = x"])
def test_a_condition_needs_a_column_and_a_value(text, tmp_path, capsys):
    """COLUMN=VALUE, on the command line too."""
    with pytest.raises(ReadError, match="Write COLUMN=VALUE"):
        parse_conditions([text])
    (tmp_path / "x.csv").write_text(as_csv(ROWS))
    with pytest.raises(SystemExit) as stopped:
        main(["rank", str(tmp_path / "x.csv"), "--where", text])
    assert stopped.value.code == 2
    assert "Write COLUMN=VALUE" in capsys.readouterr().err


def test_the_command_line_ranks_and_checks_the_chosen_rows(tmp_path, capsys, monkeypatch):
    """The same numbers as from the rows alone."""
    monkeypatch.setenv("BETTERTHAN_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "x.csv"
    path.write_text(as_csv(ROWS))
    with pytest.raises(SystemExit) as stopped:
        main(["rank", str(path), "--where", "lp=zh-en", "--where", "metric=chrF", "--json"])
    assert stopped.value.code == 0
    found = bt.Result.from_dict(json.loads(capsys.readouterr().out))
    own = bt.read_scores(path, where={"lp": "zh-en", "metric": "chrF"})
    assert found == bt.rank(own)
    assert any("12" not in note and "6 of 36" in note for note in found.notes)


@given(
    st.lists(st.tuples(st.sampled_from("xy "), st.sampled_from("pq")), min_size=4, max_size=30),
    st.sampled_from("xy"),
)
def test_any_selection_is_a_filter(kinds, kind):
    """Whatever the rows, a condition keeps exactly those with the value, in their order."""
    rows = [(k, p, str(i), float(i * i), 0.5) for i, (k, p) in enumerate(kinds)]
    kept = [row for row in rows if row[0] == kind]
    text = as_csv(rows, ("kind", "p", "item", "A", "B"))
    if len(kept) < 2:
        with pytest.raises(ReadError):
            bt.read_scores(io.StringIO(text), where={"kind": kind}, keep=("A", "B"))
        return
    found = bt.read_scores(io.StringIO(text), where={"kind": kind}, keep=("A", "B"))
    assert found.segments == tuple(row[2] for row in kept)
    assert found.values.tolist() == [[row[3] for row in kept], [0.5] * len(kept)]


def test_items_have_the_usual_names():
    """instance, and seg_id beside doc."""
    text = "instance,system,score\n0,A,1\n0,B,2\n1,A,3\n1,B,4\n"
    assert bt.read_scores(io.StringIO(text)).segments == ("0", "1")
    text = "system,doc,doc_seg_id,seg_id,z\nA,d,1,7,1\nB,d,1,7,2\nA,e,1,8,3\nB,e,1,8,4\n"
    found = bt.read_metrics(io.StringIO(text))
    assert list(found) == ["z"]
    assert (found["z"].segments, found["z"].groups) == (("7", "8"), ("d", "e"))
    text = "system,doc,doc_seg_id,z\nA,d,1,1\nB,d,1,2\nA,e,1,3\nB,e,1,4\n"
    assert bt.read_scores(io.StringIO(text)).segments == ("d:1", "e:1")


def test_numbers_of_a_large_file_stay_in_their_rows(tmp_path):
    """A file too large to hold is read by the engine in several threads, and every score stays with its row."""
    n = 300_000
    path = tmp_path / "large.csv"
    with path.open("w") as file:
        file.write("half,item,system,score\n")
        file.writelines(f"h{i % 2},segment-{i // 4},S{i // 2 % 2},{i}\n" for i in range(n))
    with open_grid(open_source(path)) as grid:
        assert grid.name == str(path)
        for _ in range(2):
            np.testing.assert_array_equal(grid.numbers([3])[0], np.arange(n))
    found = bt.read_scores(path, where={"half": "h1"})
    expected = np.arange(n).reshape(-1, 2, 2)[:, :, 1].T
    np.testing.assert_array_equal(found.values, expected)


def test_values_that_differ_in_case_alone_are_announced():
    """They are other values to a condition, and nobody would miss them."""
    table = {
        "lp": ["en-de", "EN-DE", "en-de ", "zh-en"],
        "id": [1, 2, 3, 4],
        "A": [1, 2, 3, 4],
        "B": [2, 1, 2, 1],
    }
    scores = bt.read_scores(table, where={"lp": "en-de"})
    assert scores.segments == ("1", "3")
    assert scores.notes[0].endswith('Not kept, although only the case differs: "EN-DE".')
