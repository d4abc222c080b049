"""Folders, patterns, NAME=path and several files through the readers of tags, matches, texts and ratings."""

from __future__ import annotations

import pytest

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any, sniff

BATTLES = "model_a,model_b,winner\n"
RATINGS = "item,system,rater,score\n"


@pytest.fixture
def put(tmp_path):
    """Write a file and return its path."""

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        return str(path)

    return write


def refused(code, read, *given, **options):
    """The message of the refusal."""
    with pytest.raises(ReadError) as caught:
        read(*given, **options)
    assert caught.value.code == code, caught.value
    return str(caught.value)


@pytest.fixture
def tags(put, tmp_path):
    """Gold tags, and a folder with those of two systems."""
    put("sys/a.tags", "OK OK\nBAD\n")
    put("sys/b.tags", "OK BAD\nOK\n")
    put("gold.tags", "OK BAD\nOK\n")
    return tmp_path


def test_tags_of_a_folder_a_pattern_a_list_and_by_name(tags):
    """The predictions in any of the four ways; the gold file may have a name as well."""
    gold = tags / "gold.tags"
    folder = bt.read_tags(gold, tags / "sys")
    assert folder.systems == ("a", "b")
    assert (folder.predicted == [[False, False, True], [False, True, False]]).all()
    assert bt.read_tags(gold, f"{tags}/sys/*.tags") == folder
    assert bt.read_tags(f"truth={gold}", [f"{tags}/sys/a.tags", tags / "sys" / "b.tags"]) == folder
    assert bt.read_tags(gold, f"ours={tags}/sys/a.tags").systems == ("ours",)


def test_gold_tags_are_one_file(tags):
    """The first of several is not taken silently."""
    message = refused("BT339", bt.read_tags, f"{tags}/sys/*.tags", tags / "sys")
    assert "One file is needed here, and there are 2" in message
    refused("BT339", bt.read_tags, tags / "sys", tags / "sys")


def test_a_list_of_tags_needs_its_gold_tags(tags):
    """Refused with the command that takes them; looking at them lists them."""
    files = [f"{tags}/sys/a.tags", f"{tags}/sys/b.tags"]
    assert "betterthan tags GOLD FILE..." in refused("BT333", read_any, files)
    assert sniff(files).kind == "tags"
    assert len(bt.check(files).contents) == 2


def test_matches_of_a_folder_a_pattern_a_list_and_by_name(put, tmp_path):
    """Battles of several files are counted together."""
    put("m/1.csv", BATTLES + "A,B,model_a\n")
    put("m/2.csv", BATTLES + "B,C,tie\nA,B,model_a\n")
    folder = bt.read_matches(tmp_path / "m")
    assert (folder.systems, folder.n_matches) == (("A", "B", "C"), 3)
    assert folder.wins()[0, 1] == 2
    for given in (
        f"{tmp_path}/m/*.csv",
        [tmp_path / "m" / "1.csv", f"x={tmp_path}/m/2.csv"],
    ):
        assert bt.read_matches(given) == folder
    assert bt.read_matches(f"x={tmp_path}/m/1.csv").n_matches == 1
    assert bt.read_matches(tmp_path / "m", where={"winner": "tie"}).n_matches == 1
    assert sniff(tmp_path / "m").kind == "matches"


def test_columns_of_battles_are_named_for_several_files_too(put, tmp_path):
    """Names that nobody could find."""
    for name, row in (("1", "A,B,A"), ("2", "C,B,B")):
        put(f"m/{name}.csv", f"erstes,zweites,sieger\n{row}\n")
    found = bt.read_matches(tmp_path / "m", left="erstes", right="zweites", winner="sieger")
    assert found.systems == ("A", "B", "C")
    assert found.wins()[0, 1] == found.wins()[1, 2] == 1


@pytest.fixture
def texts(put, tmp_path):
    """Two outputs, a reference and a source."""
    for name, text in {
        "a": "one\ntwo\n",
        "b": "eins\nzwei\n",
        "ref": "uno\ndue\n",
        "src": "un\ndeux\n",
    }.items():
        put(f"tx/{name}.txt", text)
    return tmp_path / "tx"


def test_texts_of_a_folder_and_of_a_pattern_are_told_apart_alike(texts):
    """A reference and a source are no systems, by whichever way they are named."""
    folder = bt.read_texts(texts)
    assert (folder.systems, folder.reference_names, folder.sources) == (("a", "b"), ("ref",), ("un", "deux"))
    assert bt.read_texts(f"{texts}/*.txt") == folder
    listed = bt.read_texts(
        [f"{texts}/a.txt", f"B={texts}/b.txt"], references=[f"R={texts}/ref.txt"], sources=texts / "src.txt"
    )
    assert (listed.systems, listed.reference_names) == (("a", "B"), ("R",))


def test_a_folder_beside_its_references_is_not_scored_against_itself(texts):
    """What is given as reference, or called like a source, is left out and told."""
    found = bt.read_texts(texts, references=texts / "ref.txt")
    assert found.systems == ("a", "b")
    assert found.notes[-1] == "Not read as outputs, because they are sources or references: ref, src."
    # Who lists files means them.
    assert bt.read_texts([f"{texts}/a.txt", f"{texts}/src.txt"]).systems == ("a", "src")


def test_a_table_of_texts_is_not_read_as_lines(put):
    """Its rows are texts of several systems."""
    found = bt.read_texts(put("t.csv", "item,system,text\n1,A,x\n1,B,y\n1,@ref,z\n"))
    assert (found.systems, found.outputs, found.references) == (("A", "B"), (("x",), ("y",)), (("z",),))


def test_sources_are_one_file(texts):
    """As gold tags are."""
    refused("BT339", bt.read_texts, f"{texts}/a.txt", sources=f"{texts}/*.txt")


def test_ratings_of_a_folder_a_pattern_a_list_and_by_name(put, tmp_path):
    """Judges of two files judge the same systems."""
    put("ra/1.csv", RATINGS + "1,A,x,3\n1,B,x,4\n")
    put("ra/2.csv", RATINGS + "1,A,y,5\n1,B,y,2\n")
    folder = bt.read_ratings(tmp_path / "ra", name="DA")
    assert (folder.judges, folder.n_judgements) == (("x", "y"), 4)
    assert folder.to_scores().values.tolist() == [[4.0], [3.0]]
    assert bt.read_ratings(f"{tmp_path}/ra/*.csv", name="DA") == folder
    assert bt.read_ratings([tmp_path / "ra" / "1.csv", f"{tmp_path}/ra/2.csv"], name="DA") == folder
    assert bt.read_ratings(f"DA={tmp_path}/ra/1.csv").name == "DA"
    assert bt.read_ratings(tmp_path / "ra", judge="rater", name="DA") == folder
    assert sniff(tmp_path / "ra").kind == "ratings"


def test_judges_of_several_files_are_named_by_their_column(put, tmp_path):
    """A column of a name that nobody could find."""
    put("ra/1.csv", "item,system,wer,score\n1,A,x,3\n1,B,x,4\n")
    put("ra/2.csv", "item,system,wer,score\n1,A,y,5\n1,B,y,2\n")
    assert bt.read_ratings(tmp_path / "ra", judge="wer", name="DA").judges == ("x", "y")


def test_battles_are_no_ratings(put, tmp_path):
    """Said in words."""
    put("m/1.csv", BATTLES + "A,B,model_a\n")
    put("m/2.csv", BATTLES + "B,C,tie\n")
    assert "These are battles, not judgments" in refused("BT022", bt.read_ratings, tmp_path / "m")


def test_a_file_that_cannot_be_opened_does_not_hide_the_others(put, tmp_path):
    """Looking at a folder lists every file, whichever comes first."""
    for name in ("b", "z"):
        put(f"{name}.csv", "item,system,score\n1,A,1\n1,B,2\n2,A,3\n2,B,3\n")
    for name in ("a", "m"):
        (tmp_path / f"{name}.pkl").write_bytes(b"\x80\x04abc")
    looked = bt.check(tmp_path)
    assert [line.split(":")[0] for line in looked.contents] == ["a.pkl", "b.csv", "m.pkl", "z.csv"]
    assert [problem.code for problem in looked.problems] == ["BT008", "BT008"]


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("scores", "item,system,score\n1,A,1\n1,B,2\n"),
        ("ratings", RATINGS + "1,A,x,1\n1,B,x,2\n"),
        ("matches", BATTLES + "A,B,tie\n"),
        ("texts", "item,system,text\n1,A,x\n"),
        ("tags", "item,system,position,tag\n1,@gold,0,OK\n1,A,0,OK\n"),
    ],
)
def test_the_kind_of_several_files_is_theirs(put, tmp_path, kind, text):
    """Not always scores."""
    put("f/1.csv", text)
    put("f/2.csv", text)
    found = sniff(tmp_path / "f")
    assert (found.format, found.kind) == ("several", kind)
