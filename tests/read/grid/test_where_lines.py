"""Rows chosen by value in layouts with a reader of their own."""

from __future__ import annotations

import io
import json

import pytest
from tests.read.seeds import FILES, FOLDERS

from betterthan.errors import ReadError, UnknownName
from betterthan.read.protocol import Options
from betterthan.read.sniff import read_any


def chosen(name, *where, tmp_path):
    """Read the seed of a format with conditions."""
    called, data = FILES[name]
    path = tmp_path / called
    path.write_bytes(data)
    return read_any(path, Options(where=where)), read_any(path)


@pytest.mark.parametrize(
    ("name", "where"),
    [
        ("mqm", ("system", "A")),
        ("mt_bench", ("model", "A")),
        ("wmt_jsonl", ("system", "A")),
        ("rating_lines", ("system_id", "A")),
        ("rankings", ("segmentId", "2")),
        ("texts_table", ("item", "1")),
        ("lm_eval", ("filter", "strict-match")),
    ],
)
def test_some_rows_of_other_layouts(name, where, tmp_path):
    """Fewer rows are kept, all others are counted under the condition, and a note says so."""
    some, every = chosen(name, where, tmp_path=tmp_path)
    reason = f"{where[0]} is not {where[1]}"
    assert some.format.name == every.format.name == name
    assert 0 < some.rows_kept < every.rows_kept
    assert some.dropped[reason] > 0
    assert some.notes[0].startswith(f"Only rows with {where[0]} = {where[1]} were kept")


def test_the_rows_are_the_right_ones(tmp_path):
    """As if the file had held these alone; quotation marks are text in files with tabs."""
    called, data = FILES["mqm"]
    text = data.decode().replace("z\t", 'z "\t')
    path = tmp_path / called
    path.write_text(text)
    alone = tmp_path / "alone" / called
    alone.parent.mkdir()
    alone.write_text(
        "".join(line for k, line in enumerate(text.splitlines(keepends=True)) if k == 0 or line[0] == "B")
    )
    (some,) = read_any(path, Options(where=(("system", "B"),))).tables
    (expected,) = read_any(alone).tables
    assert (some.systems, some.score.tolist()) == (expected.systems, expected.score.tolist())


def test_values_and_columns_that_do_not_occur(tmp_path):
    """Each says what there is."""
    with pytest.raises(
        ReadError, match=r'No row has "C" in column "system"\. Values in the column: "A", "B"'
    ) as caught:
        chosen("mqm", ("system", "C"), tmp_path=tmp_path)
    assert caught.value.code == "BT167"
    with pytest.raises((ReadError, UnknownName)):
        chosen("mqm", ("sytem", "A"), tmp_path=tmp_path)
    rows = [{"question_id": q, "model": m, "score": 1, "turn": 1} for q, m in ((1, "A"), (2, "B"))]
    text = "".join(json.dumps(row) + "\n" for row in rows)
    with pytest.raises(ReadError, match="at the same time") as caught:
        read_any(io.StringIO(text), Options(where=(("question_id", "1"), ("model", "B"))))
    assert caught.value.code == "BT167"


def test_layouts_without_columns_still_refuse(tmp_path):
    """With the reason."""
    with pytest.raises(
        ReadError, match=r'Rows cannot be chosen here.* Leave out where={"system": "A"}'
    ) as caught:
        chosen("score_file", ("system", "A"), tmp_path=tmp_path)
    assert caught.value.code == "BT168"


def test_a_fault_in_the_chosen_rows_is_named(tmp_path):
    """By the layout's own reader."""
    called, data = FILES["mqm"]
    path = tmp_path / called
    path.write_text(data.decode().replace("Major", "Dreadful"))
    with pytest.raises(ReadError, match="Dreadful") as caught:
        read_any(path, Options(where=(("system", "A"),)))
    assert caught.value.code == "BT150"


def test_conditions_on_a_folder_of_a_toolkit_are_not_ignored(tmp_path):
    """They are refused, since its rows come from files of several layouts."""
    for place, data in FOLDERS["lm_eval"].items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_bytes(data)
    with pytest.raises(
        ReadError, match=r'Rows cannot be chosen here.* Leave out where={"filter": "strict-match"}'
    ) as caught:
        read_any(tmp_path, Options(where=(("filter", "strict-match"),)))
    assert caught.value.code == "BT168"


def test_rows_hidden_by_quotes_are_not_lost_by_a_condition(tmp_path):
    """Rankings with a stray quote before and another behind some rows: both readings are possible."""
    called, data = FILES["rankings"]
    header, *lines = data.decode().splitlines()
    column = header.split(",").index("system1Id")
    rows = [line.split(",") for line in lines * 4]
    rows[3][column] = f'"{rows[3][column]}'
    rows[6][column] = f'{rows[6][column]}"'
    path = tmp_path / called
    path.write_text("\n".join([header, *map(",".join, rows)]) + "\n")
    with pytest.raises(ReadError, match="JSON lines or Parquet") as caught:
        read_any(path, Options(where=(("segmentId", "2"),)))
    assert (caught.value.code, caught.value.line) == ("BT240", 5)
