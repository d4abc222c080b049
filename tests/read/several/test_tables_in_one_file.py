"""Several tables in one file: looked at one by one, refused where one is needed, chosen by a condition."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import betterthan as bt
from betterthan.read.formats.tables.tables_in_one_file import SeparateReading
from betterthan.read.sniff import read_any

SEGMENTS = "lp,system,seg_id,mqm\nen-de,A,1,-1\nen-de,B,1,-2\nen-de,A,2,0\nen-de,B,2,-3\n"
OTHER = "zh-en,{},1,-5\nzh-en,{},1,-6\nzh-en,{},2,-7\nzh-en,{},2,\n"
SYSTEM = "lp,metric,system,score\nen-de,BLEU,A,30.5\nen-de,BLEU,B,31\nzh-en,BLEU,A,20\nzh-en,TER,A,-0.5\n"
DOCUMENTS = "lp,system,doc,score\nen-de,A,d1,1\nen-de,B,d1,2\nen-de,A,d2,3\nen-de,B,d2,4\nzh-en,A,d3,5\nzh-en,C,d3,6\n"


def read(text, **options):
    """Read a text."""
    return read_any(io.StringIO(text), bt.Options(**options))


@pytest.mark.parametrize("names", ["ABAB", "CDCD"])
def test_language_pairs_that_share_segment_numbers_are_tables_of_their_own(names):
    """Whether their systems have the same names or not: segment 1 is another text."""
    reading = read(SEGMENTS + OTHER.format(*names))
    assert isinstance(reading, SeparateReading)
    first, second = reading.tables
    assert (first.name, second.name) == ("en-de mqm", "zh-en mqm")
    assert first.values.tolist() == [[-1, 0], [-2, -3]]
    assert np.array_equal(second.values, [[-5, -7], [-6, np.nan]], equal_nan=True)
    assert (reading.rows_read, reading.rows_kept, reading.problems) == (8, 8, ())
    assert 'en-de (4 rows), zh-en (4 rows). Choose one with where={"lp": "en-de"}.' in reading.notes[0]


@pytest.mark.parametrize(("names", "code"), [("ABAB", "BT101"), ("CDCD", "BT180")])
def test_where_one_table_is_needed_the_condition_is_named(names, code):
    """And the condition helps."""
    text = SEGMENTS + OTHER.format(*names)
    for door in (bt.read_scores, bt.read_metrics):
        with pytest.raises(bt.ReadError, match=r'where={"lp": "en-de"}') as caught:
            door(io.StringIO(text))
        assert caught.value.code == code
    assert bt.read_scores(io.StringIO(text), where={"lp": "en-de"}).values.tolist() == [[-1, 0], [-2, -3]]


def test_check_finds_no_fault_with_several_pairs(tmp_path):
    """It lists them with their sizes; exit code 0."""
    path = tmp_path / "mqm.csv"
    path.write_text(SEGMENTS + OTHER.format(*"ABAB"), encoding="utf-8")
    found = bt.check(path)
    assert (found.format, found.exit_code, found.rows_read, len(found.contents)) == ("long", 0, 8, 2)


DISTINCT = "lp,system,id,score\n" + "".join(
    f"{lp},{system},{lp[0]}{i},{i}\n" for lp in ("en-de", "zh-en") for system in "AB" for i in range(3)
)


@pytest.mark.parametrize("layout", ["long", "wide", "documents"])
def test_language_pairs_are_pooled_only_when_asked(layout):
    """Whether segments have names of their own or not: a system is another one in each language."""
    text = DISTINCT
    if layout == "wide":
        text = "lp,id,A,B\n" + "".join(
            f"{lp},{lp[0]}{i},{i},1\n" for lp in ("en-de", "zh-en") for i in range(3)
        )
    if layout == "documents":
        text = "lp,doc,system,seg,score\n" + "".join(
            f"{lp},{lp[0]}{i // 2},{system},{i},{i}\n"
            for lp in ("en-de", "zh-en")
            for system in "AB"
            for i in range(4)
        )
    reading = read(text)
    assert isinstance(reading, SeparateReading)
    with pytest.raises(bt.ReadError, match=r'where={"lp": "en-de"}') as caught:
        bt.read_scores(io.StringIO(text))
    assert caught.value.code == "BT237"
    assert 'to pool them, list all: where={"lp": ["en-de", "zh-en"]}' in str(caught.value)
    one = bt.read_scores(io.StringIO(text), where={"lp": "en-de"})
    both = bt.read_scores(io.StringIO(text), where={"lp": ["en-de", "zh-en"]})
    assert 2 * one.n_segments == both.n_segments


def test_a_pair_that_is_no_language_pair_only_describes_its_rows():
    """A column "pair" may number pairs of anything."""
    text = "pair,system,id,score\n" + "".join(
        f"{i // 2},{system},{i},{i}\n" for system in "AB" for i in range(6)
    )
    assert bt.read_scores(io.StringIO(text)).n_segments == 6


@pytest.mark.parametrize("other", ["zh-en ", " zh-en", "ZH-EN"])
def test_one_value_in_two_spellings_is_one_and_announced(other):
    """Each row is in one table; both tables had all rows of a pair that was written with a blank."""
    lines = (SEGMENTS + OTHER.format(*"ABAB")).splitlines(keepends=True)
    text = "".join([*lines[:-2], *(line.replace("zh-en", other) for line in lines[-2:])])
    reading = read(text)
    assert (reading.rows_read, reading.rows_kept) == (8, 8)
    assert [table.name for table in reading.tables] == ["en-de mqm", "zh-en mqm"]
    (problem,) = reading.problems
    assert (problem.code, f'"{other}"' in problem.message) == ("BT238", True)
    single = "".join([lines[0], *(line.replace("en-de", "zh-en") for line in lines[1:3]),
                      *(line.replace("en-de", other) for line in lines[3:5])])  # fmt: skip
    scores = bt.read_scores(io.StringIO(single))
    assert (scores.n_segments, "" in scores.notes[0]) == (2, True)


@pytest.mark.parametrize("column", ["dataset", "test_set", "split"])
def test_rows_of_several_test_sets_count_together_and_it_is_said(column):
    """In check and beside every result; domains, which most test sets have, are a note of check alone."""
    text = DISTINCT.replace("lp,", f"{column},")
    scores = bt.read_scores(io.StringIO(text))
    assert scores.n_segments == 6
    assert f'use where={{"{column}": "en-de"}}' in scores.notes[0]
    assert [problem.code for problem in bt.check(io.StringIO(text)).problems] == ["BT239"]
    domains = DISTINCT.replace("lp,", "domain,")
    checked = bt.check(io.StringIO(domains))
    assert checked.problems == ()
    assert 'Rows with 2 values of "domain" are analyzed together' in checked.notes[0]
    assert bt.read_scores(io.StringIO(domains)).notes == ()


def test_files_of_different_language_pairs_are_not_put_together(tmp_path):
    """Told by the column in each of them."""
    head, *lines = DISTINCT.splitlines(keepends=True)
    for name, own in (("a", lines[:3]), ("b", lines[-3:])):
        (tmp_path / f"{name}.csv").write_text(head.replace("score", "BLEU") + "".join(own))
    with pytest.raises(bt.ReadError, match="2 language pairs: en-de in") as caught:
        bt.read_scores([tmp_path / "a.csv", tmp_path / "b.csv"])
    assert caught.value.code == "BT237"


def test_scores_of_systems_are_read_by_pair_and_metric():
    """Their only segment is called "system"; paired tests are refused where they are asked for."""
    reading = read(SYSTEM)
    assert [(table.name, table.systems, table.values.tolist()) for table in reading.tables] == [
        ("en-de BLEU", ("A", "B"), [[30.5], [31]]),
        ("zh-en BLEU", ("A",), [[20]]),
        ("zh-en TER", ("A",), [[-0.5]]),
    ]
    assert {table.segments for table in reading.tables} == {("system",)}
    assert reading.notes[-1].startswith("There is one score for each system")
    with pytest.raises(bt.ReadError) as caught:
        bt.read_scores(io.StringIO(SYSTEM), where={"lp": "en-de"})
    assert caught.value.code == "BT103"
    assert bt.read_metrics(io.StringIO(SYSTEM), where={"lp": "en-de"})["BLEU"].systems == ("A", "B")


def test_scores_of_documents_are_read_with_the_document_as_segment():
    """One score a document; two scores of one document need a column of segments."""
    first, second = read(DOCUMENTS).tables
    assert (first.segments, first.values.tolist()) == (("d1", "d2"), [[1, 3], [2, 4]])
    assert second.segments == ("d3",)
    assert bt.read_scores(io.StringIO(DOCUMENTS), where={"lp": "en-de"}).segments == ("d1", "d2")
    with pytest.raises(bt.ReadError, match="No column identifies the segments") as caught:
        bt.read_scores(io.StringIO("system,doc,score\nA,d,1\nA,d,2\nB,d,1\n"))
    assert caught.value.code == "BT021"


def test_judgements_of_several_sets_are_told_apart():
    """Ratings as well as scores; the refusal names the column."""
    text = "task,item,system,rater,score\nx,1,A,r,1\nx,1,B,r,2\ny,1,A,r,3\ny,1,B,r,4\n"
    assert [table.score.tolist() for table in read(text).tables] == [[1, 2], [3, 4]]
    with pytest.raises(bt.ReadError, match=r'where={"task": "x"}'):
        bt.read_ratings(io.StringIO(text))
    assert bt.read_ratings(io.StringIO(text), where={"task": "y"}).score.tolist() == [3, 4]


def test_a_duplicate_that_no_column_explains_is_refused():
    """As it was."""
    with pytest.raises(bt.ReadError, match='"1" of system "A" was already given in line 2') as caught:
        read(SEGMENTS + "en-de,A,1,-9\nzh-en,A,1,-2\n")
    assert caught.value.code == "BT101"


def test_rows_without_a_pair_are_counted():
    """They belong to no table."""
    reading = read(SEGMENTS + OTHER.format(*"ABAB") + ",A,3,-9\n")
    assert (reading.rows_read, reading.rows_kept, reading.dropped) == (9, 8, {"no lp": 1})


@given(
    st.lists(
        st.tuples(st.sampled_from(["en-de", "zh-en", "cs-uk"]), st.sampled_from("ABC"), st.integers(1, 4)),
        unique=True,
        min_size=4,
    )
)
def test_every_row_is_in_its_table(rows):
    """By a literal loop, whatever the order of the rows."""
    text = "lp,system,seg_id,score\n" + "".join(
        f"{lp},{system},{segment},{k}\n" for k, (lp, system, segment) in enumerate(rows)
    )
    try:
        reading = read(text)
    except bt.ReadError as error:
        assert error.code in ("BT103", "BT237")  # noqa: PT017  (a pair with one score for each system is not a table)
        return
    found = {
        (table.name, system, segment): table.values[i, j]
        for table in reading.tables
        for i, system in enumerate(table.systems)
        for j, segment in enumerate(table.segments)
        if not np.isnan(table.values[i, j])
    }
    several = isinstance(reading, SeparateReading)
    prefixes = [f"{lp} score" if several else "score" for lp, _, _ in rows]
    expected = {
        (name, system, str(segment)): k
        for k, (name, (_, system, segment)) in enumerate(zip(prefixes, rows, strict=True))
    }
    assert found == expected


QUOTES = 'seg_id\tsystem\tmqm\ttarget\n1\tA\t-1\tEr sagte: "Nein.\n1\tB\t-2\t"Ja" und "nein"\n2\tA\t0\t"\n2\tB\t-1\tx\n'


def test_between_tabs_quotation_marks_are_text():
    """Where quoting would be broken and every line has its cells; between commas it stays an error."""
    assert bt.read_scores(io.StringIO(QUOTES)).values.tolist() == [[-1, 0], [-2, -1]]
    with pytest.raises(bt.ReadError) as caught:
        bt.read_scores(io.StringIO(QUOTES.replace("\t", ",")))
    assert caught.value.code == "BT015"
    with pytest.raises(bt.ReadError, match="line 2") as caught:
        bt.read_scores(io.StringIO(QUOTES.replace("-1\tEr", "-1\tEr\t")))
    assert caught.value.code in {"BT012", "BT015"}


def test_whole_quoted_cells_are_still_cells():
    """A tab or a line end inside quotes belongs to the cell."""
    text = 'seg_id\tsystem\tmqm\ttarget\n1\tA\t-1\t"a\tb\nc"\n1\tB\t-2\tx\n2\tA\t0\ty\n2\tB\t-1\tz\n'
    assert bt.read_scores(io.StringIO(text)).n_segments == 2
