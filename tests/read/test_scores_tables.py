"""Wide and long tables: columns by name, directions, duplicates, notes, and every refusal in words."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given
from tests.strategies import scores

from betterthan.errors import BetterThanError, ReadError, UnknownName
from betterthan.read.grid.columns import ROLES, find
from betterthan.read.problems import PROBLEMS
from betterthan.read.protocol import Options
from betterthan.read.scores import read_metrics, read_ratings, read_scores
from betterthan.read.sniff import read_any, sniff

LONG = "item,system,score\ns1,A,1\ns1,B,2\ns2,A,3\ns2,B,4\n"
WIDE = "id,A,B\ns1,1,2\ns2,3,4\n"


def read(text, **options):
    """Read scores from text."""
    return read_scores(io.StringIO(text), **options)


def refused(text, code, message, **options):
    """Expect exactly this error."""
    data = text if isinstance(text, bytes) else text.encode()
    with pytest.raises(ReadError) as caught:
        read_scores(io.BytesIO(data), **options)
    assert str(caught.value) == message
    assert caught.value.code == code
    assert code in PROBLEMS
    assert len(message) <= 400


def test_wide_and_long_are_the_same_table():
    """The layout does not matter."""
    assert read(WIDE) == read(LONG)


@given(scores())
def test_any_wide_table_equals_its_long_form(table):
    """A wide dict and a long dict of the same scores give equal tables."""
    wide = {"item": list(table.segments), **dict(zip(table.systems, table.values.tolist(), strict=True))}
    if len(wide) < table.n_systems + 1 or any(_is_special(name) for name in table.systems):
        return
    if table.n_systems == 0 or not np.isfinite(table.values).any():
        return
    m, n = table.values.shape
    long = {
        "item": list(table.segments) * m,
        "system": [name for name in table.systems for _ in range(n)],
        "score": table.values.ravel().tolist(),
    }
    assert read_scores(wide, name="x", lower_is_better=False, keep=table.systems) == read_scores(
        long, name="x", lower_is_better=False
    )


def _is_special(name):
    """Whether a system's name would play a role, or not survive, as the header of a column."""
    found = find([name], {}, list(ROLES), path="")
    from betterthan.read.grid.columns import is_descriptive

    return bool(found) or is_descriptive(name) or name != name.strip()


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_the_delimiter_is_found(delimiter):
    """Commas, semicolons, tabs and bars are told apart by looking."""
    assert read(WIDE.replace(",", delimiter)) == read(WIDE)


def test_order_of_first_appearance_is_kept():
    """Systems and segments stay in the order of the file."""
    found = read("item,system,score\nz,B,1\nz,A,2\na,B,3\na,A,4\n")
    assert (found.systems, found.segments) == (("B", "A"), ("z", "a"))


@pytest.mark.parametrize("cell", ["", "NaN", "nan", "null", "None", "NA", "N/A", "#N/A", "n.a.", "-", " "])
def test_missing_is_missing(cell):
    """No way of writing nothing becomes a number."""
    assert np.isnan(read(f"id,A,B\n1,{cell},2\n2,3,4\n").values[0, 0])


def test_missing_scores_are_reported_with_their_places():
    """The reading says how many are missing, and where."""
    (problem,) = read_any(io.StringIO("id,A,B\n1,,2\n2,3,4\n")).problems
    assert problem.code == "BT102"
    assert problem.message == (
        '1 of 4 scores of "score" are missing (A: segments 1). '
        'Use missing="drop" to leave these segments out for all systems.'
    )


def test_numbers_may_have_white_space_and_exponents():
    """Blanks around a number and every usual way of writing it are fine; so are True and False."""
    found = read("id,A,B\n1, 3.5 ,.5\n2,-1e-3,+2.\n3,True,false\n")
    assert found.values.tolist() == [[3.5, -0.001, 1.0], [0.5, 2.0, 0.0]]


def test_quotes_newlines_and_odd_line_ends_are_kept():
    """Quoted delimiters and line ends, U+2028, a byte-order mark and CRLF do no harm."""
    text = '\ufeffitem,system,score\r\n"a,\r\nb",A,1\r\n"a,\r\nb",B,2\r\nx\u2028y,A,3\r\n'
    assert read(text).segments == ("a,\r\nb", "x\u2028y")


def test_a_data_frame_index_is_left_out_aloud():
    """An unnamed first column 0, 1, 2 is no system."""
    for first in ("", "Unnamed: 0"):
        found = read(f"{first},A,B\n0,1.5,2\n1,2,3\n")
        assert found.systems == ("A", "B")
        assert found.notes == (
            "The unnamed first column counts 0, 1, 2, … and was left out as a data frame's index.",
        )


def test_remarks_and_descriptions_are_no_systems():
    """Text columns are left out with a note; domain and weight describe the row."""
    found = read("id,domain,weight,A,B,remark\n1,news,1,1,2,good\n2,news,1,3,4,\n")
    assert found.systems == ("A", "B")
    assert found.notes == (
        'Columns that describe rows were left out: "weight".',
        'Columns without numbers were left out: "remark".',
    )


def test_documents_become_groups():
    """A document column groups the segments."""
    assert read("doc,id,A,B\nd,1,1,2\ne,2,3,4\n").groups == ("d", "e")
    long = "doc,item,system,score\nd,1,A,1\nd,1,B,2\ne,2,A,3\ne,2,B,4\n"
    assert read(long).groups == ("d", "e")
    assert read("topic,id,A,B\nd,1,1,2\ne,2,3,4\n", group="topic").groups == ("d", "e")


def test_segments_counted_anew_in_each_document_are_told_apart():
    """The same id in two documents is two segments."""
    found = read("doc,seg_id,system,score\nd,1,A,1\ne,1,A,2\nd,1,B,3\ne,1,B,4\n")
    assert found.segments == ("d:1", "e:1")
    assert "named document:segment" in found.notes[0]


def test_incomplete_documents_are_left_out_unless_asked_for():
    """A gap in a column nobody asked for does not stop the reading."""
    text = "doc,item,system,score\n,1,A,1\nd,2,A,2\n"
    assert read(text).groups is None
    with pytest.raises(BetterThanError, match="1 rows have no group"):
        read(text, group="doc")


def test_empty_rows_are_counted():
    """Rows of nothing but delimiters are dropped, and said to be."""
    reading = read_any(io.StringIO(LONG + ",,\n,,\n"))
    assert (reading.rows_read, reading.rows_kept, reading.dropped) == (6, 4, {"empty row": 2})
    assert reading.tables[0].notes == ("2 empty rows were left out.",)
    assert read_any(io.StringIO(WIDE + ",,\n")).dropped == {"empty row": 1}


@pytest.mark.parametrize(("policy", "value"), [("first", 1.0), ("last", 9.0), ("mean", 5.0)])
def test_duplicates_follow_the_policy(policy, value):
    """First, last or mean, in long and wide tables, counted."""
    for text in (LONG + "s1,A,9\n", WIDE + "s1,9,2\n"):
        reading = read_any(io.StringIO(text), Options(duplicates=policy))
        assert reading.tables[0].values[0, 0] == value
        assert reading.dropped == {"duplicate": 1}


@pytest.mark.parametrize(
    ("name", "higher"),
    [("BLEU", True), ("TER", False), ("val_loss", False), ("CharacTER", False), ("MetricX-24", False), ("COMET", True),
     ("perplexity", False), ("word error rate", False), ("mastery", True)],
)  # fmt: skip
def test_direction_by_name(name, higher):
    """Known lower-is-better metrics are recognized, and the choice is in the notes."""
    found = read(WIDE, name=name)
    assert found.higher_is_better is higher
    assert bool(found.notes) is not higher


def test_mqm_goes_by_sign():
    """Penalties are lower-is-better, negated ones higher-is-better, and both are said."""
    assert read(WIDE, name="MQM").notes == (
        (
            'No score of "MQM" is below 0, so they are penalties and lower is better. '
            "If not, use lower_is_better=False."
        ),
    )
    negated = read("id,A,B\n1,-1,-5\n2,0,-3\n", name="MQM")
    assert negated.higher_is_better
    assert negated.notes == (
        'No score of "MQM" is above 0, so higher is better. If not, use lower_is_better=True.',
    )
    mixed = read("id,A,B\n1,1,-5\n2,0,-3\n", name="MQM")
    assert "some scores are below 0 and some above" in mixed.direction_doubt


def test_the_user_and_the_file_decide_the_direction_first():
    """What was said goes before what the file says, and that before the name."""
    assert read(WIDE, name="TER", lower_is_better=False).higher_is_better
    declared = (
        LONG.replace("score\n", "score,higher_is_better\n")
        .replace("\ns", ",false\ns")
        .replace(",false\ns1,A", "\ns1,A", 1)
    )
    assert not read(declared.rstrip("\n") + ",false\n").higher_is_better
    assert read(declared.rstrip("\n") + ",false\n", lower_is_better=False).higher_is_better


def test_contradicting_directions_are_refused():
    """A metric has one direction."""
    refused(
        "item,system,score,higher_is_better\n1,A,1,true\n2,A,2,false\n",
        "BT106",
        '<stream>: The column "higher_is_better" must be true on every row of a metric, or false on every row.',
    )


def test_metrics_in_a_column_or_in_columns():
    """Both ways of holding several metrics give one table each."""
    long = "item,system,metric,score\n1,A,x,1\n2,A,x,2\n1,A,TER,3\n2,A,TER,4\n"
    columns = "item,system,x,TER\n1,A,1,3\n2,A,2,4\n"
    first, second = read_metrics(io.StringIO(long)), read_metrics(io.StringIO(columns))
    assert list(first.values()) == list(second.values())
    assert not first["TER"].higher_is_better
    assert read(columns, metric="x").values.tolist() == [[1.0, 2.0]]
    assert read_metrics(io.StringIO(columns), lower_is_better=["x"])["x"].higher_is_better is False
    with pytest.raises(UnknownName, match=r'Unknown metric "TERR"\. Did you mean "TER"\?'):
        read(columns, metric="TERR")
    with pytest.raises(UnknownName, match='Unknown metric "y"'):
        read_metrics(io.StringIO(columns), lower_is_better=["y"])


def test_columns_may_be_named():
    """The user's word goes before the header's."""
    text = "who,what,number,system\nA,1,5,x\nA,2,6,x\nB,1,7,x\nB,2,8,x\n"
    found = read(text, item="what", system="who", score="number")
    assert found.values.tolist() == [[5.0, 6.0], [7.0, 8.0]]
    with pytest.raises(UnknownName, match=r'Unknown column "whom"\. Did you mean "who"\?'):
        read(text, item="what", system="whom", score="number")


def test_one_system_can_be_read_but_is_a_problem():
    """Nothing can be compared, and check says so."""
    (problem,) = read_any(io.StringIO("id,A\n1,2.5\n2,3\n")).problems
    assert problem.code == "BT104"
    assert problem.message == 'Only one system ("A"), so nothing can be compared. Add another one.'


def test_rounded_ties_are_a_problem():
    """Few decimals and many exact ties between systems are suspicious; whole numbers are not."""
    rows = "".join(f"{i},{i / 10},{(i + i % 2) / 10}\n" for i in range(20))
    (problem,) = read_any(io.StringIO("id,A,B\n" + rows)).problems
    assert problem.code == "BT201"
    assert problem.message == (
        '50% of the comparisons in "score" are exact ties and no score has more than 1 decimals, '
        "so the ties may be due to rounding. Write the scores with more digits."
    )
    assert not read_any(io.StringIO("id,A,B\n1,0,0\n2,1,1\n")).problems


def test_ties_of_penalties_shares_and_equal_texts_are_not_said_to_be_rounded():
    """Sums of penalties, shares of counts and repeated texts tie often, but seldom by a unit of the last digit."""
    rng = np.random.default_rng(3)
    penalties = rng.choice([0.0, -0.1, -1.0, -5.0], size=(300, 2), p=[0.55, 0.03, 0.3, 0.12])
    shares = np.round(rng.integers(0, 15, size=(300, 2)) / 14, 3)
    texts = np.round(rng.uniform(0, 100, size=(300, 2)), 1)
    texts[:60, 1] = texts[:60, 0]
    narrow = np.round(rng.normal(0.84, 0.02, size=(300, 2)), 2)
    for values, expected in ((penalties, []), (shares, []), (texts, []), (narrow, ["BT201"])):
        rows = "".join(f"{i},{a},{b}\n" for i, (a, b) in enumerate(values))
        assert [problem.code for problem in read_any(io.StringIO("id,A,B\n" + rows)).problems] == expected


def test_ratings_without_a_policy_refuse_repeats():
    """A judge who rates twice is named, with both lines."""
    text = "item,system,rater,score\n1,A,x,1\n1,B,x,2\n1,A,x,3\n"
    with pytest.raises(
        ReadError, match='line 4: Judge "x" already rated segment "1" of system "A" in line 2'
    ):
        read_ratings(io.StringIO(text))
    for policy, expected in (("first", [1, 2]), ("last", [2, 3]), ("mean", [1, 2, 3])):
        assert read_ratings(io.StringIO(text), duplicates=policy).score.tolist() == expected
    with pytest.raises(ReadError, match="No column names the judges"):
        read_ratings(io.StringIO(LONG))


def test_sniff_says_what_and_why():
    """The recognition names the format, the kind and the reason, and the others that would try."""
    assert (sniff(io.StringIO(LONG)).format, sniff(io.StringIO(LONG)).kind) == ("long", "scores")
    assert sniff(io.StringIO(WIDE)).because == "2 columns of numbers, one per system"
    ratings = sniff(io.StringIO("item,system,rater,score\n1,A,x,1\n"))
    assert (ratings.format, ratings.runners_up[0].format) == ("ratings", "long")


REFUSALS = {
    "header only": ("item,system,score\n", "BT011",
        "<stream>: There is a header but no row below it. Check the program that wrote the file."),
    "only empty rows": ("item,system,score\n,,\n", "BT011",
        "<stream>: Every row is empty. Check the program that wrote the file."),
    "ragged": (LONG + "s3,A\n", "BT012",
        ("<stream>, line 6: The row has 2 cells where the header has 3. "
        "Quote cells that contain the delimiter, and leave missing cells empty.")),
    "text": (LONG + "s3,A,bad\n", "BT013",
        '<stream>, line 6: "bad" is not a number (column "score"). Leave the cell empty if the score is missing.'),
    "text in wide": ("id,A,B\n1,2,x\n2,3,4\n", "BT013",
        '<stream>, line 2: "x" is not a number (column "B"). Leave the cell empty if the score is missing.'),
    "hexadecimal": (WIDE + "s3,0x1F,1\n", "BT013",
        '<stream>, line 4: "0x1F" is not a number (column "A"). Leave the cell empty if the score is missing.'),
    "underscore": (WIDE + "s3,1_000,1\n", "BT013",
        '<stream>, line 4: "1_000" is not a number (column "A"). Leave the cell empty if the score is missing.'),
    "decimal comma": ("id;A;B\n1;1,5;2\n2;2,5;3\n", "BT013",
        '<stream>, line 2: "1,5" is not a number (column "A"). Write numbers with a decimal point.'),
    "line in quotes": ('item,system,score\n"a\nb",A,1\ns2,A,x\n', "BT013",
        '<stream>, line 4: "x" is not a number (column "score"). Leave the cell empty if the score is missing.'),
    "infinite": (LONG + "s3,A,-inf\n", "BT014",
        '<stream>, line 6: "-inf" is infinite (column "score"). Leave the cell empty if the score is missing.'),
    "too large": (LONG + "s3,A,1e400\n", "BT014",
        '<stream>, line 6: "1e400" is infinite (column "score"). Leave the cell empty if the score is missing.'),
    "open quote": ('item,system,score\n1,"A,2\n2,B,3\n', "BT015",
        ("<stream>, line 2: A quotation mark is never closed, or text follows a closing one. "
        'Write a quote in a cell as "".')),
    "carriage return": ("id,A,B\n1,2,3\r2,3,4\n", "BT015",
        "<stream>, line 2: The line contains a carriage return. Save the file with regular line endings."),
    "json": ('{"item": 1, "system": "A", "score": 1}\n{"item": 2,\n', "BT016",
        ("<stream>, line 2: The line is not JSON (Expecting property name enclosed in double quotes at character 12). "
        "Write one complete object a line.")),
    "json list": ('{"item": 1, "system": "A", "score": 1}\n[1]\n', "BT016",
        ("<stream>, line 2: The line holds a list, not an object. "
        'Write one object per line, such as {"item": "1", "system": "A", "score": 0.5}.')),
    "json array": ('[{"item": 1, "system": "A", "score": 1}, 2]', "BT016",
        "<stream>: Element 2 of the array is not an object. Write one object for each row."),
    "nested score": ('{"item": 1, "system": "A", "score": [1]}\n{"item": 2, "system": "A", "score": 1}\n', "BT013",
        '<stream>, line 1: "[1]" is not a number (column "score"). Leave the cell empty if the score is missing.'),
    "nested label": ('{"item": {"a": 1}, "system": "A", "score": 1}\n', "BT025",
        ('<stream>, line 1: "{"a":1}" is not a name (column "item"). '
        "Write a text or a number, not an object or a list.")),
    "column twice": ("id,A,A\n1,2,3\n2,3,4\n", "BT017",
        '<stream>, line 1: The column "A" occurs more than once. Give every column its own name.'),
    "column without name": ("id,A,,B\n1,2,3,4\n2,3,4,5\n", "BT018",
        ("<stream>: Column 3 has values but no name. Name it in the header, for example segment or "
         "system.")),
    "no header": (".4,.5\n.3,.2\n", "BT019",
        ("<stream>: The first line holds numbers (.4, .5), not the names of the systems. "
        "Add a header, or a letter to names that are numbers.")),
    "wide or long": ("id,model,baseline\n1,2,3\n2,3,4\n", "BT020",
        ('<stream>: The file may be long (column "model" may hold the names of systems) or wide '
        "(2 columns hold numbers and may be systems). "
        'Choose one with format="long", or name the columns with item=COLUMN, system=COLUMN and score=COLUMN.')),
    "two items": ("item,Item,system,score\n1,1,A,2\n2,2,A,3\n", "BT020",
        '<stream>: The item may be in column "item" or in column "Item". Choose one with item="item".'),
    "no item": ("system,score\nA,1\nA,2\nB,1\nB,2\n", "BT021",
        ("<stream>: No column identifies the segments (columns: system, score), so systems cannot be "
        "compared segment by segment. Name the column with item=COLUMN, or write one column per system.")),
    "battles": ("model_a,model_b,winner\nA,B,model_a\n", "BT022",
        ('These are battles, not scores (two systems in the columns "model_a" and "model_b"). '
        "Battles have no scores by segment; rank, compare, agree, boards, fragility, voters, gate, plan and watch "
        "take them.")),
    "two metrics": ("item,system,metric,score\n1,A,x,1\n2,A,x,2\n1,A,y,3\n2,A,y,4\n", "BT023",
        'There are 2 metrics where one is needed: x, y. Choose one with metric="x".'),
    "duplicate": (LONG + "s1,A,9\n", "BT101",
        ('<stream>, line 6: Segment "s1" of system "A" was already given in line 2. '
        'Remove one, or use duplicates="last" or duplicates="mean".')),
    "duplicate in wide": (WIDE + "s1,9,9\n", "BT101",
        ('<stream>, line 4: Segment "s1" of system "A" was already given in line 2. '
        'Remove one, or use duplicates="last" or duplicates="mean".')),
    "system level": ("pair,system,id,is_constrained,metric,score\nen-de,A,1,True,BLEU,3\nen-de,B,2,True,BLEU,4\n",
        "BT103",
        ("<stream>: There is only one score for each system, and paired tests need the score of every "
        "segment. Use the file of segment scores.")),
    "one row": ("A,B\n1,2\n", "BT103",
        ("<stream>: There is only one score for each system, and paired tests need the score of every "
        "segment. Use the file of segment scores.")),
    "system level without item": ("system,metric,score\nA,x,1\nB,x,2\n", "BT103",
        ("There is only one score for each system, and paired tests need the score of every "
        "segment. Use the file of segment scores.")),
    "no system": (LONG + "s3,,1\n", "BT105",
        "<stream>, line 6: The row names no system. Fill the cell in or remove the row."),
    "no segment in wide": (WIDE + ",1,2\n", "BT105",
        "<stream>, line 4: The row names no segment. Fill the cell in or remove the row."),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSALS)
def test_refusals_name_the_place_and_the_cure(name):
    """Each bad table is refused in at most three sentences, with a stable code."""
    refused(*REFUSALS[name])
