"""Score files by themselves: recognized, laid out by order, refused when lengths differ."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pytest
from tests.made_metrics_folder import make

import betterthan as bt
from betterthan.cli.main import main
from betterthan.errors import ReadError
from betterthan.read.formats.metrics_task.score_files import ScoreName, score_name, way
from betterthan.read.sniff import read_any, sniff
from betterthan.tables.row_order import RowOrder

TEXT = "A 1\nA None\nA 3\nB 4\nB 5\nB 6\n"


def write(folder, name, text=TEXT):
    """A file in a folder."""
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_lines_become_segments(tmp_path):
    """The k-th line of a system is its k-th segment; None is missing."""
    found = bt.read_scores(write(tmp_path, "BLEU-refA.seg.score"))
    expected = bt.Scores(
        name="BLEU-refA",
        systems=["A", "B"],
        segments=["1", "2", "3"],
        values=[[1, np.nan, 3], [4, 5, 6]],
        row_order=RowOrder(3, is_layout=True),
    )
    assert found == expected


def test_by_a_literal_loop(tmp_path):
    """Blocks, mixed lines, tabs and blanks: as a loop over the lines has it."""
    rng = np.random.default_rng(3)
    names = [f"s{i}.7" for i in range(5)]
    order = rng.permutation(np.repeat(np.arange(5), 40))
    numbers = rng.normal(size=order.size)
    gaps = [" ", "\t", "   "]
    lines = [
        f"{names[i]}{gaps[k % 3]}{x!r}" for k, (i, x) in enumerate(zip(order, numbers.tolist(), strict=True))
    ]
    found = bt.read_scores(write(tmp_path, "m-src.seg.score", "\n".join(lines)))
    literal: dict[str, list[float]] = {}
    for line in lines:
        name, number = line.split()
        literal.setdefault(name, []).append(float(number))
    assert found.systems == tuple(literal)
    assert found.values.tolist() == list(literal.values())


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        ("BLEU-refA.seg.score", ScoreName("BLEU-refA", "seg")),
        ("en-de.da.z.sys.score", ScoreName("en-de.da.z", "sys")),
        ("m.doc.score.gz", ScoreName("m", "doc")),
        (".seg.score", None),
        ("seg.score", None),
        ("scores.csv", None),
        ("x.seg.scores", None),
    ],
)
def test_names(file, expected):
    """NAME.LEVEL.score, with any dots in the name."""
    assert score_name(file) == expected


def test_recognised_by_name_and_by_content(tmp_path):
    """The name decides; a stream of names and numbers without a header is known by its look."""
    assert sniff(write(tmp_path, "x.seg.score")).because == "the name ends in .seg.score (segment level)"
    assert sniff(io.StringIO(TEXT)).format == "score_file"
    assert bt.read_scores(io.StringIO(TEXT), name="m").values.shape == (2, 3)


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ("A\tB\n1\t2\n3\t4\n", "wide"),
        ("system\tscore\nA\t1\nA\t2\n", "long"),
        ("1 2\n1 3\n", "text"),
        ("Hello 2\nWorld 3\n", "text"),
        ("A,1\nA,2\n", "wide"),
        ("chapter one 1\nchapter one 2\n", "text"),
    ],
)
def test_other_files_are_not_taken_for_score_files(text, format):  # noqa: A002
    """A header, names that are numbers, names that never come back: something else."""
    found = sniff(io.StringIO(text)) if format != "text" else None
    if found is None:
        with pytest.raises(ReadError):
            bt.read_scores(io.StringIO(text))
    else:
        assert found.format == format


def test_gzip(tmp_path):
    """A gzipped file is the same file."""
    path = tmp_path / "BLEU-refA.seg.score.gz"
    path.write_bytes(gzip.compress(TEXT.encode()))
    assert bt.read_scores(path) == bt.read_scores(write(tmp_path, "BLEU-refA.seg.score"))


def test_document_and_domain_scores(tmp_path):
    """Documents by order, domains by name; a domain that a system lacks is missing."""
    assert bt.read_scores(write(tmp_path, "m.doc.score")).segments == ("1", "2", "3")
    found = bt.read_scores(write(tmp_path, "m.domain.score", "news A 1\nnews B 2\nspeech B 3\n"))
    assert found.segments == ("news", "speech")
    assert np.array_equal(found.values, [[1, np.nan], [2, 3]], equal_nan=True)
    with pytest.raises(ReadError, match=r'line 3: System "A" already has a score for domain "news"'):
        bt.read_scores(write(tmp_path, "n.domain.score", "news A 1\nnews B 2\nnews A 3\n"))


def test_system_scores_are_a_table_of_one_segment_but_not_paired(tmp_path):
    """read_metrics takes them, read_scores and check say why paired tests are impossible."""
    path = write(tmp_path, "BLEU-refA.sys.score", "A 30\nB 31.5\n")
    table = bt.read_metrics(path)["BLEU-refA"]
    assert (table.segments, table.values.tolist()) == (("system",), [[30], [31.5]])
    assert any("one score for each system" in note for note in table.notes)
    with pytest.raises(ReadError, match="paired tests need the score of every segment") as caught:
        bt.read_scores(path)
    assert caught.value.code == "BT103"
    looked = bt.check(path)
    assert [problem.code for problem in looked.problems] == ["BT203"]
    assert (
        "significance tests need segment scores. Use a file of segment scores" in looked.problems[0].message
    )
    assert looked.exit_code == 0
    twice = write(tmp_path, "TER-refA.sys.score", "A 30\nB 31.5\nB 32\n")
    with pytest.raises(ReadError, match=r'line 3: System "B" has 2 scores.*a system-level file has one'):
        bt.read_metrics(twice)


@pytest.mark.parametrize("command", ["rank", "compare", "agree"])
def test_the_commands_refuse_system_scores(command, tmp_path, capsys):
    """One line on stderr and exit code 2."""
    with pytest.raises(SystemExit) as stopped:
        main([command, str(write(tmp_path, "BLEU-refA.sys.score", "A 30\nB 31.5\n"))])
    assert stopped.value.code == 2
    assert "paired tests need the score of every segment" in " ".join(capsys.readouterr().err.split())


@pytest.mark.parametrize(
    ("name", "text", "code", "message"),
    [
        ("m.seg.score", "A 1\nA 2\nB 1\nC 1\nC 2\n", "BT162",
         r'm\.seg\.score, line 3: System "B" has 1 score, the last in this line, but others have 2'),
        ("m.seg.score", "A 1\nA x\n", "BT013", 'line 2: "x" is not a number'),
        ("m.seg.score", "A 1\nA 1e999\n", "BT014", 'line 2: "1e999" is infinite'),
        ("m.seg.score", "A 1\nA 1_000\n", "BT013", 'line 2: "1_000" is not a number'),
        ("m.seg.score", "A 1\nA\n", "BT160", "line 2: The line has 1 fields where SYSTEM SCORE is needed"),
        ("m.seg.score", "A 1\n\nA 2\n", "BT160", "line 2: The line is empty"),
        ("m.domain.score", "A 1\nA 2\n", "BT160", "where DOMAIN SYSTEM SCORE is needed"),
        ("m.word.score", TEXT, "BT161", '"word" is not a level of scores'),
    ],
)  # fmt: skip
def test_damage(name, text, code, message, tmp_path):
    """Every damage has its line and its cure."""
    with pytest.raises(ReadError, match=message) as caught:
        bt.read_scores(write(tmp_path, name, text))
    assert caught.value.code == code


def test_blank_lines_at_the_end_and_carriage_returns_do_not_matter(tmp_path):
    """What editors leave behind."""
    odd = write(tmp_path, "a.seg.score", TEXT.replace("\n", "\r\n") + "\n\n")
    assert bt.read_scores(odd, name="m") == bt.read_scores(write(tmp_path, "b.seg.score"), name="m")


@pytest.mark.parametrize(
    ("name", "value", "higher"),
    [
        ("BLEU-refA", 1.0, True),
        ("TER-refA", -1.0, True),
        ("TER-refA", 1.0, False),
        ("mqm", -1.0, True),
        ("en-de.mqm", 1.0, False),
        ("MetricX-24-refA", 1.0, False),
        ("MetricX-23-refA", -1.0, True),
        # Trained on MQM, but no penalty: the layout's rule holds.
        ("COMET-QE-MQM_2021-src", 1.0, True),
    ],
)
def test_directions(name, value, higher):
    """More is better in this layout, unless the name and the signs say that nothing was negated."""
    assert way(name, np.array([[value, 2 * value]]), bt.Options()).higher_is_better is higher
    told = bt.Options(lower_is_better=frozenset({name}))
    assert not way(name, np.array([[value, 2 * value]]), told).higher_is_better


def test_a_folder_of_score_files_and_a_list_of_files(tmp_path):
    """Both give the same metrics; segments are the default level."""
    one, two = write(tmp_path, "BLEU-refA.seg.score"), write(tmp_path, "chrF-refA.seg.score")
    write(tmp_path, "BLEU-refA.sys.score", "A 1\nB 2\n")
    (tmp_path / "README.md").write_text("notes")
    assert bt.read_metrics(tmp_path) == bt.read_metrics([one, two])
    assert list(bt.read_metrics([two, one])) == ["chrF-refA", "BLEU-refA"]
    reading = read_any(tmp_path)
    assert reading.because == "a folder with 3 score files"
    assert (reading.rows_read, reading.rows_kept) == (12, 12)
    only = read_any(tmp_path, bt.Options(level="sys"))
    assert [table.name for table in only.tables] == ["BLEU-refA"]
    with pytest.raises(ReadError, match=r"No file ends in \.doc\.score\. The levels here: seg, sys"):
        read_any(tmp_path, bt.Options(level="doc"))


def test_files_of_different_layouts_are_read_together(tmp_path):
    """A score file beside a table."""
    table = write(tmp_path, "human.csv", "item,system,score\n1,A,1\n2,A,2\n3,A,4\n1,B,3\n2,B,4\n3,B,5\n")
    found = bt.read_metrics([write(tmp_path, "m-src.seg.score"), table])
    assert list(found) == ["m-src", "human"]
    assert bt.align(*found.values())[0].segments == ("1", "2", "3")


def test_two_metrics_of_one_name_are_refused_with_both_places(tmp_path):
    """One must not hide the other."""
    (tmp_path / "new").mkdir()
    one, two = write(tmp_path, "BLEU-refA.seg.score"), write(tmp_path / "new", "BLEU-refA.seg.score")
    with pytest.raises(ReadError) as caught:
        bt.read_metrics([one, two])
    assert caught.value.code == "BT169"
    assert f'"BLEU-refA" is in {one} and in {two}.' in str(caught.value)
    with pytest.raises(ReadError, match="The list of files is empty"):
        bt.read_metrics([])
    gz = tmp_path / "BLEU-refA.seg.score.gz"
    gz.write_bytes(gzip.compress(TEXT.encode()))
    with pytest.raises(ReadError, match=r"BLEU-refA\.seg\.score and in BLEU-refA\.seg\.score\.gz"):
        bt.read_metrics(tmp_path)


def test_links_out_of_a_folder_of_score_files_are_refused(tmp_path):
    """As in the folders of the metrics task."""
    inside = tmp_path / "inside"
    inside.mkdir()
    write(tmp_path, "secret.seg.score")
    (inside / "x.seg.score").symlink_to(tmp_path / "secret.seg.score")
    with pytest.raises(ReadError, match="leads out of the folder"):
        bt.read_metrics(inside)


def test_a_file_of_the_metrics_folder_by_itself_is_that_metric(tmp_path):
    """The whole folder and its file agree."""
    folder = make(tmp_path / "mini")
    alone = bt.read_scores(folder / "metric-scores" / "en-de" / "BLEU-refB.seg.score")
    within = bt.read_scores(folder, metric="BLEU-refB")
    assert (alone.systems, alone.segments) == (within.systems, within.segments)
    assert alone.values.tobytes() == within.values.tobytes()
