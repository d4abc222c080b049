"""Battles: columns found, labels understood, nothing guessed."""

from __future__ import annotations

import gzip
import io
import json
import sys

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from tests.everyday import examples, few

from betterthan.errors import ReadError, UnknownName
from betterthan.read.formats.battles.battles import FORMAT, read, read_matches, sniff
from betterthan.read.grid.numerals import is_missing
from betterthan.read.protocol import Options
from betterthan.read.source.source import open_source
from betterthan.tables.matches import Matches

ROWS = [
    ("Kea", "Tui", "model_a"),
    ("Tui", "Kea", "model_a"),
    ("Kea", "Moa", "tie"),
    ("Kea", "Tui", "model_a"),
    ("Moa", "Tui", "model_b"),
    ("Moa", "Tui", "both_bad"),
]
EXPECTED = [(0, 1, 0.5, 1), (0, 2, 1.0, 2), (1, 2, 0.5, 1), (1, 2, 0.0, 1), (2, 0, 1.0, 1)]
COLUMNS = {name: [row[i] for row in ROWS] for i, name in enumerate(("model_a", "model_b", "winner"))}


def rows_of(matches: Matches) -> list[tuple[float, ...]]:
    """Return the rows as tuples."""
    return list(
        zip(
            matches.left.tolist(),
            matches.right.tolist(),
            matches.outcome.tolist(),
            matches.weight.tolist(),
            strict=True,
        )
    )


def csv_text(rows=ROWS, header=("model_a", "model_b", "winner"), delimiter=",") -> str:
    """Write rows with a header."""
    return "".join(delimiter.join(row) + "\n" for row in [header, *rows])


def written(tmp_path, text, name="battles.csv"):
    """Write a file and return its path."""
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def records():
    """Return the rows as dictionaries."""
    return [dict(zip(COLUMNS, row, strict=True)) for row in ROWS]


def parquet_bytes() -> bytes:
    """Write the rows as Parquet."""
    stream = io.BytesIO()
    pl.DataFrame(COLUMNS).write_parquet(stream)
    return stream.getvalue()


FILES = {
    "a.csv": csv_text().encode(),
    "a.tsv": csv_text(delimiter="\t").encode(),
    "semicolon.csv": csv_text(delimiter=";").encode(),
    "bom.csv": b"\xef\xbb\xbf" + csv_text().encode(),
    "crlf.csv": csv_text().replace("\n", "\r\n").encode(),
    "no_last_line_end.csv": csv_text().rstrip("\n").encode(),
    "a.csv.gz": gzip.compress(csv_text().encode(), mtime=0),
    "a.jsonl": "\n".join(json.dumps(record) for record in records()).encode(),
    "a.json": json.dumps(records(), indent=1).encode(),
    "a.json.gz": gzip.compress(json.dumps(records()).encode(), mtime=0),
    "a.parquet": parquet_bytes(),
}


@pytest.mark.parametrize("name", FILES)
def test_every_file_format_gives_the_same_matches(tmp_path, name):
    """CSV, TSV, JSON, JSONL and Parquet, compressed or not, are one table."""
    matches = read_matches(written(tmp_path, FILES[name], name))
    assert matches.systems == ("Kea", "Moa", "Tui")
    assert sorted(rows_of(matches)) == sorted(EXPECTED)


@pytest.mark.parametrize("frame", [COLUMNS, pd.DataFrame(COLUMNS), pl.DataFrame(COLUMNS)])
def test_frames_and_dictionaries_give_what_files_give(tmp_path, frame):
    """Callers' own data go the same way as files."""
    assert read_matches(frame) == read_matches(written(tmp_path, csv_text()))


def test_an_arrow_table_is_a_frame():
    """The fourth kind of frame."""
    assert read_matches(pl.DataFrame(COLUMNS).to_arrow()) == read_matches(COLUMNS)


def test_standard_input_and_open_files_are_read(tmp_path, monkeypatch):
    """A stream is a file."""
    path = written(tmp_path, csv_text())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(csv_text().encode())))
    assert read_matches("-") == read_matches(path)
    with path.open("rb") as stream:
        assert read_matches(stream) == read_matches(path)


@pytest.mark.parametrize(
    ("left", "right", "tie"),
    [
        ("left", "right", "tie"),
        ("model_a", "model_b", "tie"),
        ("Model A", "MODEL-B", "Tie"),
        ("a", "b", "draw"),
        ("A", "B", "tie"),
        ("1", "0", "0.5"),
        ("1.0", "0.0", ".50"),
        ("model_1", "model_2", "tie"),
    ],
)
def test_sides_are_understood(tmp_path, left, right, tie):
    """The winner told by side or number."""
    rows = [("x", "y", left), ("x", "y", right), ("x", "y", tie)]
    matches = read_matches(written(tmp_path, csv_text(rows, ("left", "right", "winner"))))
    assert rows_of(matches) == [(0, 1, 1.0, 1), (0, 1, 0.5, 1), (0, 1, 0.0, 1)]


def test_the_winner_may_be_the_name_of_a_system():
    """Names count for the row in which they stand."""
    matches = read_matches({"left": ["A1", "A2"], "right": ["A2", "A1"], "winner": ["A2", "A2"]})
    assert rows_of(matches) == [(0, 1, 0.0, 1), (1, 0, 1.0, 1)]


@pytest.mark.parametrize("spelling", ["tie (bothbad)", "both_bad", "bothbad", "Both Bad"])
def test_both_bad_is_a_named_policy(spelling):
    """Both bad is a tie or left out, and counted either way."""
    data = {"model_a": ["x", "x"], "model_b": ["y", "y"], "winner": ["model_a", spelling]}
    assert rows_of(read_matches(data)) == [(0, 1, 1.0, 1), (0, 1, 0.5, 1)]
    assert read_matches(data).notes[1] == (
        'Battles that ended with "both bad": 1 (counted as ties; both_bad="drop" leaves them out).'
    )
    dropped = read_matches(data, both_bad="drop")
    assert rows_of(dropped) == [(0, 1, 1.0, 1)]
    assert dropped.notes[1] == 'Battles that ended with "both bad": 1 (left out).'


def test_unknown_labels_are_listed_with_counts_and_stop(tmp_path):
    """A typo never becomes a tie."""
    rows = [("x", "y", "left"), ("x", "y", "tei"), ("y", "x", "tei"), ("x", "y", ""), ("x", "y", "tie?")]
    with pytest.raises(ReadError) as caught:
        read_matches(written(tmp_path, csv_text(rows, ("left", "right", "winner"))))
    assert caught.value.code == "BT121"
    assert 'Unknown winner labels: "tei" (2 rows), empty (1 row), "tie?" (1 row).' in str(caught.value)
    assert (
        "Correct or remove these rows, define a label with winner_labels={LABEL: MEANING} (left, right or "
        "tie)" in str(caught.value)
    )
    assert caught.value.line in (3, 4, 5, 6)


@pytest.mark.parametrize("winner", [None, float("nan"), "", "null", "None", "-", "2", "yes", "z"])
def test_empty_and_foreign_winners_stop(winner):
    """Missing is no label, and a name of nobody in the row neither."""
    with pytest.raises(ReadError, match="Unknown winner labels") as caught:
        read_matches({"left": ["x", "x"], "right": ["y", "y"], "winner": ["left", winner]})
    assert caught.value.code == "BT121"


def test_a_label_that_is_a_word_and_a_name_is_refused_when_it_matters():
    """Systems called A and B, won by "A": side or name?"""
    with pytest.raises(ReadError, match="is the name of the right system but also a word for") as caught:
        read_matches({"left": ["B"], "right": ["A"], "winner": ["A"]})
    assert caught.value.code == "BT122"
    assert rows_of(read_matches({"left": ["A"], "right": ["B"], "winner": ["A"]})) == [(0, 1, 1.0, 1)]


def test_a_system_that_meets_itself_is_refused(tmp_path):
    """Dropping it would hide a misread column."""
    rows = [("x", "y", "left"), ("x", "x", "tie"), ("x", "x", "tie")]
    with pytest.raises(ReadError, match=r'line 3: "x" meets itself; 2 of 3 rows are like this') as caught:
        read_matches(written(tmp_path, csv_text(rows, ("left", "right", "winner"))))
    assert caught.value.code == "BT123"


@pytest.mark.parametrize("name", ["", "  ", "NaN"])
def test_a_system_without_a_name_is_refused(tmp_path, name):
    """A missing name is not a system."""
    rows = [("x", "y", "left"), ("x", name, "tie")]
    with pytest.raises(ReadError, match="line 3: A system's name is missing in 1 of 2 rows") as caught:
        read_matches(written(tmp_path, csv_text(rows, ("left", "right", "winner"))))
    assert caught.value.code == "BT124"


def test_lines_are_counted_through_quoted_line_ends(tmp_path):
    """The line in the message is the line in the editor."""
    text = 'left,right,winner,prompt\nx,y,left,"one\ntwo"\nx,y,oops,three\n'
    with pytest.raises(ReadError, match=r"battles.csv, line 4: Unknown"):
        read_matches(written(tmp_path, text))


def test_weights_are_summed(tmp_path):
    """A column called weight is used."""
    rows = [("x", "y", "left", "2"), ("x", "y", "left", "0.5"), ("x", "y", "right", "3")]
    matches = read_matches(written(tmp_path, csv_text(rows, ("left", "right", "winner", "weight"))))
    assert rows_of(matches) == [(0, 1, 1.0, 2.5), (0, 1, 0.0, 3.0)]


@pytest.mark.parametrize("weight", few(["-1", "many", "", "inf", "nan", "1_0"], 3))
def test_a_weight_must_be_a_number(tmp_path, weight):
    """Not negative, not missing, not infinite."""
    rows = [("x", "y", "left", "2"), ("x", "y", "left", weight)]
    with pytest.raises(
        ReadError, match=f'line 3: The weight "{weight}" is not a non-negative number'
    ) as caught:
        read_matches(written(tmp_path, csv_text(rows, ("left", "right", "winner", "weight"))))
    assert caught.value.code == "BT125"


def judged(tmp_path, name="judged.csv"):
    """Write battles with questions and judges."""
    rows = [("q2", "x", "y", "left", "ann"), ("q1", "y", "x", "tie", "bob"), ("q2", "x", "y", "left", "ann")]
    return written(tmp_path, csv_text(rows, ("question_id", "model_a", "model_b", "winner", "judge")), name)


def test_rows_are_kept_in_order_when_segments_are_asked_for(tmp_path):
    """Codes are made inside DuckDB; the order is the file's."""
    matches = read_matches(judged(tmp_path), keep=("item", "judge"))
    assert rows_of(matches) == [(0, 1, 1.0, 1), (1, 0, 0.5, 1), (0, 1, 1.0, 1)]
    assert matches.segment.tolist() == [1, 0, 1]
    assert matches.group.tolist() == [0, 1, 0]
    by_judge = read_matches(judged(tmp_path), judge="judge")
    assert by_judge.segment is None
    assert rows_of(by_judge) == [(0, 1, 1.0, 2), (1, 0, 0.5, 1)]
    assert by_judge.group.tolist() == [0, 1]
    assert by_judge.aggregated().digest == read_matches(judged(tmp_path)).digest


def test_rows_of_frames_are_kept_like_rows_of_files(tmp_path):
    """The two suppliers agree."""
    path = judged(tmp_path)
    assert read_matches(pd.read_csv(path), keep=("item", "judge")) == read_matches(
        path, keep=("item", "judge")
    )


def test_dropping_both_bad_drops_its_segment_too():
    """Codes stay beside their rows."""
    data = {
        "left": ["x", "x", "x"],
        "right": ["y"] * 3,
        "winner": ["left", "both_bad", "right"],
        "id": [5, 6, 7],
    }
    assert read_matches(data, item="id", both_bad="drop").segment.tolist() == [0, 2]


def test_one_column_may_be_segment_and_judge(tmp_path):
    """Nobody stops a user from naming a column twice."""
    matches = read_matches(judged(tmp_path), item="judge", judge="judge")
    assert matches.segment.tolist() == matches.group.tolist() == [0, 1, 0]


def test_an_empty_judge_is_refused(tmp_path):
    """A row without a cluster cannot be resampled with its cluster."""
    rows = [("x", "y", "left", "ann"), ("x", "y", "left", "")]
    path = written(tmp_path, csv_text(rows, ("left", "right", "winner", "judge")))
    with pytest.raises(ReadError, match='line 3: The column "judge" is empty here and in 0') as caught:
        read_matches(path, judge="judge")
    assert caught.value.code == "BT127"
    with pytest.raises(ReadError, match='"judge" is empty in row 2'):
        read_matches(pd.read_csv(path), judge="judge")


def test_columns_can_be_named(tmp_path):
    """Any names will do when they are told."""
    path = written(tmp_path, "one,two,who\nx,y,x\n")
    assert rows_of(read_matches(path, left="one", right="two", winner="who")) == [(0, 1, 1.0, 1)]


@pytest.mark.parametrize(
    ("header", "options", "message"),
    [
        ("one,two,who", {}, "No columns for the two systems were found in one, two, who"),
        ("left,right,who", {}, "No column for the winner was found in left, right, who"),
        (
            "left,right,winner",
            {"winner": "winer"},
            'no column "winer" for the winner. Did you mean "winner"?',
        ),
        ("left,right,winner", {"left": "left", "right": "left"}, 'column "left" is named for both sides'),
        ("left,right,winner", {"keep": ("judge",)}, "No column for the judges was found"),
    ],
)
def test_missing_columns_are_named_with_the_cure(tmp_path, header, options, message):
    """The columns that are there, and how to name the right one."""
    with pytest.raises(ReadError) as caught:
        read_matches(written(tmp_path, f"{header}\nx,y,left\n"), **options)
    assert caught.value.code == "BT120"
    assert message in str(caught.value)


def test_two_pairs_of_columns_are_refused_with_both_readings(tmp_path):
    """Refuse, do not guess; one named column settles it."""
    path = written(tmp_path, "left,right,model_a,model_b,winner\n1,2,x,y,left\n")
    expected = 'may be in the columns "left" and "right" or "model_a" and "model_b"'
    with pytest.raises(ReadError, match=expected):
        read_matches(path)
    assert read_matches(path, left="model_a").systems == ("x", "y")


def test_displayed_names_beside_numbers_are_found(tmp_path):
    """model_x and model_y hold numbers, left and right the names."""
    path = written(tmp_path, "id,prompt,model_x,model_y,worker,winner,left,right\n0,8,97,98,5,tie,Kea,Tui\n")
    assert read_matches(path).systems == ("Kea", "Tui")


def test_canonical_columns_are_read():
    """a, b, outcome."""
    data = {"a": ["x", "x"], "b": ["y", "y"], "outcome": [1, 0.5]}
    assert rows_of(read_matches(data)) == [(0, 1, 1.0, 1), (0, 1, 0.5, 1)]


def test_preferences_run_from_one_to_two():
    """1 is the first generator, 2 the second, 1.5 a tie."""
    data = {"generator_1": ["x"] * 3, "generator_2": ["y"] * 3, "preference": [1.0, 2.0, 1.5]}
    assert rows_of(read_matches(data)) == [(0, 1, 1.0, 1), (0, 1, 0.5, 1), (0, 1, 0.0, 1)]


def test_three_columns_of_zero_and_one_are_one_winner(tmp_path):
    """winner_model_a, winner_model_b, winner_tie."""
    rows = [("x", "y", "1", "0", "0"), ("x", "y", "0", "0", "1"), ("x", "y", "0", "1", "0")]
    header = ("model_a", "model_b", "winner_model_a", "winner_model_b", "winner_tie")
    matches = read_matches(written(tmp_path, csv_text(rows, header)))
    assert rows_of(matches) == [(0, 1, 1.0, 1), (0, 1, 0.5, 1), (0, 1, 0.0, 1)]
    with pytest.raises(ReadError, match='"1 / 1 / 0"'):
        read_matches(written(tmp_path, csv_text([("x", "y", "1", "1", "0")], header)))


def test_two_games_with_swapped_sides_count_only_when_they_agree():
    """g1_winner and g2_winner."""
    data = {
        "model_1": ["x"] * 3,
        "model_2": ["y"] * 3,
        "g1_winner": ["model_1", "model_1", "tie"],
        "g2_winner": ["model_1", "model_2", "model_2"],
    }
    assert rows_of(read_matches(data)) == [(0, 1, 1.0, 1), (0, 1, 0.5, 2)]
    with pytest.raises(ReadError, match='"error / tie"'):
        read_matches(
            {**{key: [v[0]] for key, v in data.items()}, "g1_winner": ["error"], "g2_winner": ["tie"]}
        )


def test_chosen_beats_rejected():
    """Preference pairs have no winner column."""
    matches = read_matches({"chosen_model": ["y", "y"], "rejected_model": ["x", "x"]})
    assert rows_of(matches) == [(1, 0, 1.0, 2)]


def test_names_that_look_alike_are_kept_apart_with_a_note():
    """Two spellings are two systems, and somebody should know."""
    matches = read_matches({"left": ["Kea", "kea"], "right": ["Tui", "Tui"], "winner": ["left", "left"]})
    assert matches.systems == ("Kea", "Tui", "kea")
    assert any('look alike and count as different: "Kea", "kea".' in note for note in matches.notes)


def test_the_reading_accounts_for_every_row(tmp_path):
    """Read, kept, dropped, and what was not used."""
    path = written(tmp_path, csv_text([(*row, "q") for row in ROWS], (*COLUMNS, "question_id")))
    reading = read(open_source(path), Options(both_bad="drop"))
    assert (reading.format, reading.rows_read, reading.rows_kept) == (FORMAT, 6, 5)
    assert reading.dropped == {"both bad": 1}
    assert reading.notes[0] == "Battles read: 6 (left 3, tie 1, both bad 1, right 1)."
    expected = (
        'Not used: "question_id"; name them as item (to keep single rows) or judge (to cluster errors).'
    )
    assert reading.notes[-1] == expected
    kept = read(open_source(path), Options(columns={"item": "question_id"})).tables[0]
    assert kept.segment.tolist() == [0] * 6


@pytest.mark.parametrize("name", FILES)
def test_battles_are_recognised_by_their_columns(tmp_path, name):
    """Sniffing says why."""
    guess = sniff(open_source(written(tmp_path, FILES[name], name)))
    assert guess.confidence == 0.95
    assert guess.because == 'two systems in the columns "model_a" and "model_b", the winner in "winner"'


@pytest.mark.parametrize(
    "text", ["id,A,B\n1,2,3\n", "Just a text.\n", '{"left": 1}\n', "[1, 2]", "PAR1 but not really", "[[["]
)
def test_other_files_are_not_battles(tmp_path, text):
    """Sniffing never raises."""
    assert sniff(open_source(written(tmp_path, text))) is None


def test_an_ambiguous_file_is_still_recognised(tmp_path):
    """So that reading it gives the message that settles it."""
    path = written(tmp_path, "left,right,model_a,model_b,winner\n1,2,x,y,left\n")
    assert sniff(open_source(path)).confidence == 0.6


def test_no_rows_is_an_error(tmp_path):
    """A header is no data."""
    with pytest.raises(ReadError, match="There are columns but no battle") as caught:
        read_matches(written(tmp_path, "left,right,winner\n"))
    assert caught.value.code == "BT126"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (b"left,right,winner\nx,y\n", "BT012", "line 2: The row has 2 cells where the header has 3."),
        (b"left,right,winner\nx,y,left\nx,y,left,more\n", "BT012", "line 3: The row has 4 cells"),
        (b'left,right,winner\nx,"y,left\n', "BT015", "line 2: A quotation mark is never closed"),
        (b"left,right,winner\nx,\xff,left\n", "BT005", "line 2: The byte 0xff is not UTF-8"),
        (b"left,right,winner\nx,a\x00b,left\n", "BT006", "line 2: The line contains a NUL byte"),
        (b"left,left,right,winner\nx,x,y,left\n", "BT010", 'column "left" occurs twice'),
        (gzip.compress(csv_text().encode() * 50, mtime=0)[:-20], "BT004", "truncated or damaged"),
        (
            b'{"left": "x", "right": "y", "winner": "tie"}\n{"left": ',
            "BT016",
            "line 2: The line is not JSON",
        ),
        (b'[{"left": "x", "right": "y", "winner": "tie"}', "BT016", "line 1: The file is not JSON"),
        (b"PAR1 not really", "BT024", "The Parquet file is truncated or damaged"),
        (b"one column\nof text\n", "BT010", "No table with a header"),
    ],
)
def test_damaged_files_are_named_with_place_and_code(tmp_path, text, code, message):
    """The place, and never another exception."""
    with pytest.raises(ReadError) as caught:
        read_matches(written(tmp_path, text))
    assert caught.value.code == code
    assert message.casefold() in str(caught.value).casefold()


def test_a_flipped_bit_in_a_gzip_file_is_seen(tmp_path):
    """The check sum is looked at, because a changed letter would be another system."""
    data = bytearray(gzip.compress(csv_text().encode(), compresslevel=0))
    data[data.index(b"Moa")] ^= 1
    with pytest.raises(ReadError, match="truncated or damaged"):
        read_matches(written(tmp_path, bytes(data), "a.csv.gz"))


@pytest.mark.parametrize("data", [42, None, [1, 2], {"left": "abc", "right": ["x"], "winner": ["tie"]}])
def test_what_is_no_table_is_refused(data):
    """Numbers and lists of numbers are not frames."""
    with pytest.raises(ReadError) as caught:
        read_matches(data)
    assert caught.value.code == ("BT002" if isinstance(data, list) else "BT120")


def test_a_lazy_frame_is_collected():
    """As for scores."""
    assert read_matches(pl.LazyFrame(COLUMNS)) == read_matches(COLUMNS)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({0: [1], 1: [2]}),
        pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("x", "y"), ("x", "z")])),
        pd.DataFrame([["x", "y", "left", "right"]], columns=["left", "right", "winner", "winner"]),
        pd.Series([1]),
        {},
        pl.DataFrame({**COLUMNS, "winner": [{"a": 1}] * 6}),
    ],
)
def test_odd_frames_are_refused_in_our_words(frame):
    """Whatever a caller's library allows."""
    with pytest.raises(ReadError) as caught:
        read_matches(frame)
    assert caught.value.code in ("BT120", "BT121")


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({**COLUMNS, 3: range(6)}),
        pd.DataFrame(COLUMNS).astype("category"),
        pl.DataFrame(COLUMNS).cast(pl.Categorical),
        {name: np.array(values) for name, values in COLUMNS.items()},
        {**COLUMNS, "model_a": [name.encode() for name in COLUMNS["model_a"]]},
    ],
)
def test_columns_of_other_types_are_text(frame):
    """Categories, arrays and bytes."""
    assert read_matches(frame) == read_matches(COLUMNS)


def test_lines_of_json_are_counted_through_empty_ones(tmp_path):
    """An empty line is no row but a line."""
    text = "\n\n".join(json.dumps(record) for record in [*records(), {"model_a": "x", "model_b": "x"}])
    with pytest.raises(ReadError, match=r'a.jsonl, line 13: "x" meets itself'):
        read_matches(written(tmp_path, text, "a.jsonl"))


def test_unequal_columns_are_refused():
    """A dictionary of ragged lists."""
    with pytest.raises(ReadError, match='"left" has 2 values and "right" has 1'):
        read_matches({"left": ["x", "y"], "right": ["y"], "winner": ["tie"]})


def test_unknown_choices_are_named():
    """Policies are named, not guessed."""
    with pytest.raises(UnknownName, match='Unknown policy for both bad "ties"'):
        read_matches(COLUMNS, both_bad="ties")
    with pytest.raises(UnknownName, match='Unknown role to keep "items"'):
        read_matches(COLUMNS, keep=("items",))


def test_a_first_record_longer_than_the_head_is_read(tmp_path):
    """Conversations are long."""
    record = {"conversation": "x" * 100_000, **records()[0]}
    path = written(tmp_path, json.dumps([record, record]), "a.json")
    assert rows_of(read_matches(path)) == [(0, 1, 1.0, 2)]


def test_many_rows_do_not_depend_on_threads(tmp_path):
    """Several row groups, a column of weights: the same bytes each time."""
    rng = np.random.default_rng(1)
    frame = pl.DataFrame(
        {
            "left": rng.choice(["a1", "b1"], 300_000),
            "right": "c1",
            "winner": rng.choice(["left", "tie"], 300_000),
            "weight": rng.choice([0.1, 0.2, 0.7], 300_000),
            "id": rng.integers(0, 1000, 300_000),
        }
    )
    frame.write_parquet(tmp_path / "a.parquet", row_group_size=20_000)
    assert len({read_matches(tmp_path / "a.parquet").digest for _ in range(3)}) == 1
    listed = read_matches(tmp_path / "a.parquet", item="id")
    assert listed.weight.tolist() == frame["weight"].to_list()
    ranks = frame["id"].cast(pl.String).rank("dense").to_numpy().astype(int)
    assert listed.segment.tolist() == (ranks - 1).tolist()


NAMES = st.text(st.characters(codec="utf-8", exclude_characters="\x00"), min_size=1, max_size=6).filter(
    lambda name: not is_missing(name)
)


@st.composite
def tables(draw):
    """Draw aggregated matches."""
    systems = draw(st.lists(NAMES, min_size=2, max_size=5, unique=True))
    pairs = st.tuples(*[st.integers(0, len(systems) - 1)] * 2).filter(lambda pair: pair[0] != pair[1])
    rows = draw(st.lists(st.tuples(pairs, st.sampled_from([0, 0.5, 1]), st.integers(0, 9)), min_size=1))
    used = sorted({systems[i] for (pair, _, _) in rows for i in pair})
    return Matches(
        systems=used,
        left=[used.index(systems[pair[0]]) for pair, _, _ in rows],
        right=[used.index(systems[pair[1]]) for pair, _, _ in rows],
        outcome=[outcome for _, outcome, _ in rows],
        weight=[weight for _, _, weight in rows],
    )


@settings(max_examples=examples(15), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(matches=tables(), in_json=st.booleans())
def test_what_was_written_is_read_back(tmp_path, matches, in_json):
    """Matches → file → Matches is the aggregated table."""
    names = {1.0: "left", 0.5: "tie", 0.0: "right"}
    assume(not set(matches.systems) & set(names.values()))
    frame = pl.DataFrame(
        {
            "left": [matches.systems[i] for i in matches.left],
            "right": [matches.systems[i] for i in matches.right],
            "winner": [names[outcome] for outcome in matches.outcome.tolist()],
            "weight": matches.weight,
        }
    )
    path = tmp_path / ("a.jsonl" if in_json else "a.csv")
    frame.write_ndjson(path) if in_json else frame.write_csv(path, quote_style="always")
    again = read_matches(path)
    assert again.digest == matches.aggregated().digest
