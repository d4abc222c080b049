"""Exports of Appraise: what is kept, what is left out and counted, and what is refused."""

import io
import random

import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.read.sniff import read_any, sniff

# Made by us in the published layout: user, system, segment, type, languages, score, document, flag, times.
DA = """\
engdeu01,Online-A,1,TGT,eng,deu,80,doc1,False,1660000000.1,1660000010.2
engdeu01,Online-B,1,TGT,eng,deu,55,doc1,False,1660000020.1,1660000030.2
engdeu01,Online-A,2,TGT,eng,deu,0,doc1,False,1660000040.1,1660000050.2
engdeu02,Online-A,1,TGT,eng,deu,100,doc1,False,1660000060.1,1660000070.2
engdeu02,Online-A,1,TGT,eng,deu,90,doc1,False,1660000080.1,1660000090.2
engdeu02,Online-B,1,BAD,eng,deu,10,doc1,False,1660000100.1,1660000110.2
engdeu02,Online-B,9,TGT,eng,deu,70,doc1,True,1660000120.1,1660000130.2
engdeu02,Online-B,1,TGT,eng,deu,60,doc2,False,1660000140.1,1660000150.2
"""
SPAN = '"[{""start_i"": 0, ""end_i"": 4, ""severity"": ""minor"", ""error_type"": null}]"'
ESA = f"""\
engces10,Claude,4,TGT,eng,ces,77,news_a,False,{SPAN},1720000000.5,1720000010.5
engces10,GPT-4,4,TGT,eng,ces,91,news_a,False,[],1720000020.5,1720000030.5
engces10,GPT-4,4,BAD,eng,ces,12,news_a#bad,False,[],1720000040.5,1720000050.5
engces10,GPT-4,4,TGT,eng,ces,91,news_a#dup,False,[],1720000040.5,1720000050.5
engces10,GPT-4,5,TGT,eng,ces,30,news_a#incomplete,False,[],1720000040.5,1720000050.5
engces10,GPT-4,1,TGT,eng,ces,50,x-tutorial,False,[],1720000040.5,1720000050.5
engces11,Claude,7,TGT,eng,ces,65,news_b,False,[],1720000060.5,1720000070.5
"""


def cells(ratings):
    """Score by system, segment and judge."""
    return {
        (ratings.systems[a], ratings.segments[s], ratings.judges[j]): score
        for a, s, j, score in zip(
            ratings.system, ratings.segment, ratings.judge, ratings.score.tolist(), strict=True
        )
    }


def rated(text, **options):
    """The only table."""
    (table,) = read_any(io.StringIO(text), bt.Options(**options)).tables
    return table


def test_direct_assessments_are_named_by_document_and_number():
    """Attention checks and scores of documents go; of two judgments by one judge the last stays."""
    reading = read_any(io.StringIO(DA))
    (ratings,) = reading.tables
    assert cells(ratings) == {
        ("Online-A", "doc1:1", "engdeu01"): 80,
        ("Online-B", "doc1:1", "engdeu01"): 55,
        ("Online-A", "doc1:2", "engdeu01"): 0,
        ("Online-A", "doc1:1", "engdeu02"): 90,
        ("Online-B", "doc2:1", "engdeu02"): 60,
    }
    assert (ratings.name, ratings.higher_is_better, ratings.groups) == (
        "DA+SQM",
        True,
        ("doc1", "doc1", "doc2"),
    )
    assert reading.dropped == {
        "quality control (BAD)": 1,
        "score of a whole document": 1,
        "judged again by the same judge": 1,
    }
    assert (reading.rows_read, reading.rows_kept) == (8, 5)
    assert reading.rows_kept + sum(reading.dropped.values()) == reading.rows_read
    assert "1 rows were left out: score of a whole document." in ratings.notes


@pytest.mark.parametrize(("duplicates", "score"), [("first", [100]), ("last", [90]), ("mean", [100, 90])])
def test_repeated_judgements_are_the_users_choice(duplicates, score):
    """First, last, or all of them."""
    ratings = rated(DA, duplicates=duplicates)
    again = (ratings.judge == 1) & (ratings.segment == 0)
    assert ratings.score[again].tolist() == score


def test_batch_information_changes_nothing():
    """Thirteen fields are the eleven and two more."""
    wide = "".join(f"{line},batch,3\n" for line in DA.splitlines())
    assert rated(wide) == rated(DA)


def test_error_span_annotations_are_named_by_line():
    """Damaged, repeated, incomplete and tutorial documents go, each counted by its reason."""
    reading = read_any(io.StringIO(ESA))
    assert cells(reading.tables[0]) == {
        ("Claude", "4", "engces10"): 77,
        ("GPT-4", "4", "engces10"): 91,
        ("Claude", "7", "engces11"): 65,
    }
    assert reading.dropped == {
        "quality control (BAD)": 1,
        "repeated on purpose": 1,
        "incomplete document": 1,
        "tutorial": 1,
    }
    assert reading.tables[0].name == "ESA"
    assert "29 November 2024" in reading.notes[0]


def test_paragraph_ids_of_2025_name_the_item():
    """LP_#_DOMAIN_#_DOC_#_PARAGRAPH is an item of its own, its document the group."""
    new = ESA.replace("news_a,", "en-cs_#_news_#_a_#_0,")
    ratings = rated("\n".join(new.split("\n")[:2]))
    assert (ratings.segments, ratings.groups) == (("en-cs_#_news_#_a_#_0",), ("en-cs_#_news_#_a",))


def test_language_pairs_are_tables_of_their_own():
    """Their segments have nothing to do with each other."""
    both = DA + DA.replace("eng,deu", "eng,jpn").replace("engdeu", "engjpn")
    reading = read_any(io.StringIO(both))
    assert [table.name for table in reading.tables] == ["DA+SQM eng-deu", "DA+SQM eng-jpn"]
    assert reading.tables[1].judges == ("engjpn01", "engjpn02")
    assert bt.read_scores(io.StringIO(both), metric="DA+SQM eng-jpn").values[0, 0] == (80 + 90) / 2
    with pytest.raises(bt.ReadError, match="DA\\+SQM eng-deu"):
        bt.read_scores(io.StringIO(both))


def test_the_layout_is_recognised_and_others_are_not(tmp_path):
    """With its reason; a table with a header is something else."""
    assert sniff(io.StringIO(DA)).because == "11 fields as Appraise exports DA+SQM, without a header"
    assert sniff(io.StringIO(ESA)).because == "12 fields as Appraise exports ESA, without a header"
    table = "item,system,rater,score\n1,A,r,5\n1,B,r,7\n"
    assert sniff(io.StringIO(table)).format == "ratings"
    path = tmp_path / "appraise.csv"
    path.write_text(DA)
    assert bt.check(path).format == "appraise"


def test_order_of_rows_and_names_do_not_matter():
    """Shuffled rows give the same cells; renaming a system renames it."""
    lines = [line for line in DA.splitlines() if "engdeu01" in line]
    plain = cells(rated("\n".join(lines)))
    assert cells(rated("\n".join(lines[::-1]))) == plain
    renamed = cells(rated("\n".join(lines).replace("Online-A", "Z")))
    assert renamed == {(a.replace("Online-A", "Z"), s, j): score for (a, s, j), score in plain.items()}


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (DA.replace(",55,", ",155,"), "BT171", 'line 2: "155" is not a score from 0 to 100'),
        (DA.replace(",55,", ",x,"), "BT171", 'line 2: "x" is not a score'),
        (DA.replace("Online-B,1,TGT", "Online-B,1,TGZ"), "BT174", 'Unknown types of items: "TGZ": 2'),
        (DA.replace("55,doc1,False", "55,doc1,maybe"), "BT170", 'line 2: "maybe" does not say'),
        (DA + "a,b,c\n", "BT170", "line 9: The row has 3 fields where the first line has 11"),
        (DA.replace("Online-B,1,TGT", ",1,TGT", 1), "BT105", "line 2: The row lacks the name"),
        (ESA.replace("False,[]", "False,{}", 1), "BT172", "line 2: The tenth field is not a JSON list"),
        (ESA.replace("4,TGT,eng,ces,91,news_a,", "4,TGT,eng,ces,91,other,"), "BT173", 'line 2: Segment "4" belongs'),
        (DA.replace("TGT", "BAD"), "BT011", r"The file contains no judgments.*8 rows were left out: quality control"),
    ],
)  # fmt: skip
def test_damage(text, code, message):
    """Every damage has its place and its cure."""
    with pytest.raises(bt.ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="appraise")
    assert caught.value.code == code


def test_a_missing_score_is_left_out_and_never_0():
    """It is counted."""
    reading = read_any(io.StringIO(DA.replace(",55,", ",None,")))
    assert reading.dropped["no score"] == 1
    assert ("Online-B", "doc1:1", "engdeu01") not in cells(reading.tables[0])


def fuzz(text, trials):
    """Damaged in many ways, read by this reader."""
    rng = random.Random(f"appraise {trials}")  # noqa: S311  (not for secrets)
    deep = text.replace("[]", "[" * 5000, 1)
    return [
        outcome(lambda data: read_any(data, format="appraise"), io.BytesIO(damaged(given.encode(), rng)))
        for given in [text] * trials + [deep] * 5
    ]


@pytest.mark.parametrize("text", [DA, ESA], ids=["DA", "ESA"])
def test_damaged_files_give_a_table_or_our_error(text):
    """Never a foreign exception."""
    assert {"table", "BT170"} <= set(fuzz(text, 100))


@pytest.mark.slow
@pytest.mark.parametrize("text", [DA, ESA], ids=["DA", "ESA"])
def test_many_damaged_files_give_a_table_or_our_error(text):
    """The same, often."""
    assert {"table", "BT170", "BT171"} <= set(fuzz(text, 600))
