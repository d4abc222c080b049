"""Slips of the hand: they are told, and cost nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import betterthan as bt

ROWS = "item,Kea,Moa\n" + "".join(f"{i},{i % 7},{(i * 3) % 5}\n" for i in range(20))


@pytest.fixture
def scores(tmp_path, monkeypatch):
    """A file of scores in the current folder."""
    monkeypatch.chdir(tmp_path)
    Path("scores.csv").write_text(ROWS, encoding="utf-8")
    return "scores.csv"


@pytest.mark.parametrize(
    "words",
    [
        ("rank", "scores.csv"),
        ("rank", "ours=./scores.csv"),
        ("compare", "scores.csv"),
        ("convert", "scores.csv"),
        ("report", "scores.csv"),
    ],
)
def test_what_is_read_is_not_written_over(betterthan, scores, words):
    """Whatever the file is called on the way in."""
    said = betterthan(*words, "-o", scores)
    assert said.code == 2
    assert "scores.csv is one of the files that are read; it would be lost." in said.err
    assert Path(scores).read_text(encoding="utf-8") == ROWS
    assert [path.name for path in Path().iterdir()] == [scores]


def test_a_report_is_not_called_pdf(betterthan, scores):
    """The name would lie about what is inside."""
    said = betterthan("report", scores, "-o", "report.pdf")
    assert (said.code, "Call it report.html" in said.err) == (2, True)
    assert not Path("report.pdf").exists()


@pytest.mark.parametrize("option", ["--lower-is-better", "--higher-is-better"])
def test_a_direction_for_nobody_is_refused(betterthan, scores, option):
    """Else a misspelt metric would keep the wrong direction unseen."""
    for words in (
        ("rank", scores),
        ("compare", scores),
        ("diagnose", scores),
        ("meta", scores, "--human", scores),
    ):
        said = betterthan(*words, option, "scoers")
        assert (said.code, 'Unknown metric "scoers". Did you mean "scores"?' in said.err) == (2, True), words


def test_the_one_sided_question_is_about_the_system_named_first(betterthan, scores):
    """Either way round: the data must not choose the direction of the claim."""
    pvalues = []
    for pair in (("Kea", "Moa"), ("Moa", "Kea")):
        said = betterthan("compare", scores, *pair, "--alternative", "greater", "-f", "tsv")
        header, row = (line.split("\t") for line in said.out.splitlines()[:2])
        cells = dict(zip(header, row, strict=True))
        assert (cells["a"], cells["b"]) == pair
        pvalues.append(float(cells["pvalue"]))
    table = bt.read_scores(scores)
    less = bt.compare(table, systems=["Kea", "Moa"], alternative="less").pair("Kea", "Moa").pvalue
    assert pvalues[1] == pytest.approx(less)
    assert sum(pvalues) >= 1


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no device that is always full")
def test_a_full_disk_is_no_fault_of_ours(scores):
    """Exit code 2 and the reason."""
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-c", "from betterthan.cli.main import main; main()", "rank", scores]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, "Standard output cannot be written" in done.stderr) == (2, True)


@pytest.mark.parametrize("verb", ["rank", "compare", "diagnose"])
def test_a_path_is_read_and_a_table_of_another_kind_refused(scores, verb):
    """A path gives what its table gives; judgments are named in the refusal."""
    assert getattr(bt, verb)(scores).to_json() == getattr(bt, verb)(bt.read_scores(scores)).to_json()
    ratings = bt.read_ratings({"item": [1, 1], "system": ["A", "B"], "rater": ["x", "x"], "score": [1, 2]})
    with pytest.raises(bt.TableError, match=f"{verb} takes Scores.*, not Ratings"):
        getattr(bt, verb)(ratings)


def test_row_labels_of_pandas_are_names_of_segments():
    """Two frames in different order are joined by them; those of a long table, or plain numbers, are not used."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"A": [1.0, 2, 3], "B": [3.0, 2, 2]}, index=["x", "y", "z"])
    turned = bt.read_scores(frame[::-1])
    assert turned.segments == ("z", "y", "x")
    assert turned.select(segments=("x", "y", "z")).values.tolist() == bt.read_scores(frame).values.tolist()
    assert bt.read_scores(frame.reset_index(drop=True)).segments == ("1", "2", "3")
    assert bt.read_scores(frame.assign(item=["p", "q", "r"])).segments == ("p", "q", "r")
    assert bt.read_scores(frame.reset_index(drop=True)[1:]).segments == ("1", "2")  # labels 1 and 2 were kept


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("compare", "--by", "median", "--test", "sign"), "--by median has no effect with --test sign"),
        (("compare", "--method", "exact", "--test", "t"), "--method exact belongs to the permutation test"),
        (("rank", "--scale", "log"), "--scale log has no effect with --by mean"),
        (("rank", "--by", "mean", "--by", "median", "--ties", "half"), "--ties half has no effect"),
    ],
)
def test_an_option_that_changes_nothing_is_refused(betterthan, scores, words, message):
    """In the words of the command line."""
    command, *options = words
    said = betterthan(command, scores, *options)
    assert said.code == 2
    assert message in said.err


def test_an_option_of_one_of_several_methods_is_taken(betterthan, scores):
    """Ties are of Bradley–Terry; the mean beside it does not mind."""
    said = betterthan("rank", scores, "--by", "mean", "--by", "bradley-terry", "--ties", "half")
    assert said.code == 0, said.err


def test_a_level_in_percent_is_refused_by_the_name_of_its_flag(betterthan, scores):
    """95 instead of 0.95."""
    said = betterthan("rank", scores, "--confidence", "95")
    assert said.err == "error: --confidence must lie between 0 and 1, such as 0.95; it is 95.\n"
