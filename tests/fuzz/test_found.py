"""What fuzzing found once: each case as small as it can be."""

from __future__ import annotations

import codecs
import gzip
import json
import subprocess
import sys
import warnings
from contextlib import nullcontext

import numpy as np
import pandas as pd
import pytest
from tests.fuzz.alike import large

import betterthan as bt
from betterthan.cli.main import main
from betterthan.errors import BetterThanError, ReadError
from betterthan.kernels.comparisons.bradley_terry import bradley_terry_batch
from betterthan.kernels.influence.diagnosis import pairing
from betterthan.kernels.intervals.intervals import jackknife_interval, sample_skewness
from betterthan.kernels.sign_flips.step_down import max_statistic_block
from betterthan.kernels.sign_flips.unit import natural_unit
from betterthan.read.sniff import read_any

TABLE = "id,A,B\n1,0.5,0.25\n2,0.75,0.5\n3,0.25,0.125\n"
BATTLES = "model_a,model_b,winner\n" + "A,B,model_a\nB,A,tie\n" * 5


def lines(*records):
    """An object a line."""
    return "".join(f"{json.dumps(record)}\n" for record in records).encode()


def code_of(words):
    """The exit code of a command line."""
    with pytest.raises(SystemExit) as left:
        main(words)
    return left.value.code


@pytest.fixture
def scores(tmp_path):
    """A file of scores."""
    path = tmp_path / "a.csv"
    path.write_text(TABLE, encoding="utf-8")
    return path


def test_a_budget_beyond_what_the_system_counts_is_no_fault(scores):
    """It is as good as none. In a process of its own, whose memory the command line limits."""
    words = ["check", str(scores), "--memory", "9999999TB"]
    program = "import sys; from betterthan.cli.main import main; main()"
    done = subprocess.run([sys.executable, "-c", program, *words], capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_packed_battles_fit_the_least_budget(tmp_path, monkeypatch):
    """The engine would take 256 MB for a buffer, whatever the size of the file."""
    monkeypatch.setenv("BETTERTHAN_MEMORY", "256MB")
    path = tmp_path / "b.csv.gz"
    path.write_bytes(gzip.compress(BATTLES.encode()))
    assert bt.read_matches(path).n_matches == 10


@pytest.mark.parametrize("end", ["", ".gz"])
def test_json_lines_may_begin_with_a_byte_order_mark(tmp_path, end):
    """Battles are always read by the engine, scores when they are large."""
    battles = lines({"model_a": "A", "model_b": "B", "winner": "model_a"}) * 3
    rows = lines(*({"id": i, "A": 0.5, "B": i / 4} for i in range(4)))
    for name, data in (("b.jsonl", battles), ("s.jsonl", rows)):
        marked = codecs.BOM_UTF8 + data
        (tmp_path / f"{name}{end}").write_bytes(gzip.compress(marked) if end else marked)
    assert bt.read_matches(tmp_path / f"b.jsonl{end}").n_matches == 3
    with large():
        assert bt.read_scores(tmp_path / f"s.jsonl{end}").n_segments == 4


@pytest.mark.parametrize("damage", [b"", b"x"])
def test_zeros_behind_gzip_are_no_damage_at_any_size(tmp_path, damage):
    """Tapes leave them; what is damaged is called so."""
    packed = gzip.compress(lines(*({"id": i, "A": 0.5, "B": i / 4} for i in range(4))))
    path = tmp_path / "s.jsonl.gz"
    path.write_bytes(packed[:-10] + damage * 2 + packed[-10 + 2 * len(damage) :] + bytes(100))
    if damage:
        with pytest.raises(ReadError) as error:
            bt.read_scores(path)
        assert error.value.code == "BT004"
        return
    with large():
        assert bt.read_scores(path).n_segments == 4


@pytest.mark.parametrize("sign", ["\v", "\f"])
def test_odd_blanks_behind_an_object_are_refused_at_any_size(tmp_path, sign):
    """The engine takes them for blanks, and JSON does not."""
    path = tmp_path / "s.jsonl"
    path.write_bytes(lines({"id": 1, "A": 0.5}, {"id": 2, "A": 1}).replace(b"}", f"}}{sign}".encode()))
    codes = []
    for way in (nullcontext, large):
        with way(), pytest.raises(ReadError) as error:
            read_any(path)
        codes.append(error.value.code)
    assert codes == ["BT016", "BT016"]


@pytest.mark.parametrize("number", ["1e31", "-1e200"])
def test_a_number_too_large_to_compute_with_is_refused_everywhere(tmp_path, number):
    """In small and large text and in frames of text or numbers."""
    path = tmp_path / "a.csv"
    path.write_text(TABLE.replace("0.75", number), encoding="utf-8")
    frame = pd.read_csv(path)
    for given in (path, frame, frame.astype(str)):
        with pytest.raises(ReadError, match="too large to compute with") as error:
            bt.read_scores(given)
        assert error.value.code == "BT014"
    with large(), pytest.raises(ReadError, match="too large to compute with"):
        bt.read_scores(path)


def test_an_empty_cell_is_called_so_at_any_size(tmp_path):
    """Not "None"."""
    path = tmp_path / "t.csv"
    path.write_text("item,system,position,tag\n0,@gold,0,OK\n0,A,0,\n", encoding="utf-8")
    said = []
    for way in (nullcontext, large):
        with way(), pytest.raises(ReadError) as error:
            read_any(path)
        said.append(str(error.value))
    assert said[0] == said[1]


def test_a_frame_that_two_layouts_fit_is_refused_as_its_file_is(tmp_path):
    """Numbers in a column called "system"."""
    path = tmp_path / "a.csv"
    path.write_text("id,model,baseline\n1,2,3\n2,3,4\n", encoding="utf-8")
    for given in (path, pd.read_csv(path)):
        with pytest.raises(ReadError, match=r"may be long .* or wide") as error:
            bt.read_scores(given)
        assert error.value.code == "BT020"


@pytest.mark.parametrize(
    "words", [["rank", "a.csv", "-o", f"{'x' * 300}.csv"], ["meta", "x" * 300, "--human", "a.csv"]]
)
def test_a_name_that_the_system_cannot_have_is_no_fault_of_ours(scores, words, capsys):
    """It is the user's, who is told so."""
    assert code_of([str(scores) if word == "a.csv" else word for word in words]) == 2
    assert "File name too long" in capsys.readouterr().err


def test_words_of_the_command_line_do_not_steer_the_terminal(scores, capsys):
    """A script may take them from a file."""
    assert code_of(["rank", str(scores), "--memory", "a\x9b31mb"]) == 2
    assert "\x9b" not in capsys.readouterr().err


def test_names_in_a_file_do_not_steer_the_terminal(tmp_path, capsys):
    """Also those of metrics, where it is said what was written."""
    path = tmp_path / "a.csv"
    rows = "".join(f"{i},{system},0.{i},m\x9b2J\n" for i in "123" for system in "AB")
    path.write_text(f"item,system,score,metric\n{rows}", encoding="utf-8")
    assert (
        code_of(["convert", str(path), "-o", str(tmp_path / "b.csv"), "--higher-is-better", "m\x9b2J"]) == 0
    )
    said = capsys.readouterr().err
    assert "Wrote" in said
    assert "\x9b" not in said


@pytest.mark.parametrize("place", [".", "", "/"])
def test_a_folder_is_no_place_for_an_answer(scores, capsys, place):
    """It is said so, whatever it is called."""
    assert code_of(["explain", str(scores), "A", "B", "--json", "-o", place]) == 2
    assert "cannot be written" in capsys.readouterr().err


def test_a_method_that_is_named_twice_counts_once(scores, capsys):
    """However it is spelled."""
    words = ["--by", "mean", "--by", "win-rate", "--by", "win_rate", "--resamples", "20"]
    assert code_of(["agree", str(scores), *words]) == 0
    assert "win rate" in capsys.readouterr().out


def test_a_packed_table_has_the_same_bytes_every_time(scores, tmp_path):
    """Neither the time nor the name of a temporary file is in it."""
    table = bt.read_scores(scores)
    for name in ("a.csv.gz", "b.csv.gz"):
        bt.write_table(table, tmp_path / name)
    data = (tmp_path / "a.csv.gz").read_bytes()
    assert data == (tmp_path / "b.csv.gz").read_bytes()
    assert data[3:8] == bytes(5)


@pytest.mark.parametrize(
    "words",
    [
        ["human", "da", "a.csv", "--scores-to", "a.csv", "--raw"],
        ["rank", "*.csv", "-o", "a.csv", "--resamples", "20"],
        ["score", "bleu", "--reference", "t.csv", "t.csv", "--segments", "-o", "t.csv"],
    ],
)
def test_no_way_to_write_costs_what_is_read(tmp_path, monkeypatch, capsys, words):
    """By any option, and also where a pattern names the file."""
    monkeypatch.chdir(tmp_path)
    text = (
        TABLE if words[0] == "rank" else "item,system,rater,score\n" + "1,A,r,5\n1,B,r,4\n2,A,s,3\n2,B,s,4\n"
    )
    path = tmp_path / next(word for word in reversed(words) if word.endswith(".csv"))
    path.write_text(text, encoding="utf-8")
    assert code_of(words) == 2
    assert "it would be lost" in capsys.readouterr().err
    assert path.read_text(encoding="utf-8") == text


@pytest.mark.parametrize("beta", ["nan", "inf", "-1"])
def test_a_beta_that_is_no_number_is_refused(tmp_path, capsys, beta):
    """As any other that chrF cannot have."""
    text = tmp_path / "a.txt"
    text.write_text("a b c d\n", encoding="utf-8")
    assert code_of(["score", "chrf", "--reference", str(text), str(text), "--beta", beta]) == 2
    assert "beta" in capsys.readouterr().err


def test_segments_are_not_written_as_json(tmp_path, capsys):
    """They are TSV or CSV, and asking for JSON is refused in both spellings."""
    text = tmp_path / "a.txt"
    text.write_text("a b c d\n", encoding="utf-8")
    for words in (["--json"], ["--format", "json"]):
        assert code_of(["score", "bleu", "--reference", str(text), str(text), "--segments", *words]) == 2
        assert "tsv or csv" in capsys.readouterr().err


class TestNumbersFarApart:
    """Columns of which one is dozens of orders of magnitude larger, or next to nothing; no warning is raised."""

    scores = np.random.default_rng(3).normal(size=(3, 12))
    apart = scores * np.array([1.0, 1e-120, 1e-119])[:, None]

    def test_pairing_has_no_unit(self):
        """Correlations are those of ordinary scores."""
        np.testing.assert_allclose(pairing(self.apart).correlation, pairing(self.scores).correlation)
        ordinary, huge = pairing(self.scores), pairing(self.scores * 2.0**900)
        np.testing.assert_array_equal(huge.variance_removed, ordinary.variance_removed)

    def test_skewness_has_no_unit(self):
        """Each column has its own."""
        np.testing.assert_allclose(sample_skewness(self.apart.T), sample_skewness(self.scores.T))

    def test_the_smallest_number_has_no_parts(self):
        """Nothing is divided by 0."""
        assert natural_unit(np.array([5e-324, 1.0])) is None

    def test_maxima_hold_in_single_precision(self):
        """Every resample is counted."""
        near = np.stack([self.scores[0], self.scores[0] + 1e-30 * self.scores[1], self.scores[2]])
        reached = max_statistic_block(near, 200, np.random.default_rng(0))
        assert (reached.alone <= reached.together).all()

    def test_a_system_of_huge_scores_does_not_swallow_the_others(self):
        """The tally of two systems does not depend on a third one's size."""
        huge = self.scores * np.array([1.0, 1.0, 1e29])[:, None]
        few, many = (max_statistic_block(each, 300, np.random.default_rng(0)) for each in (self.scores, huge))
        assert few.alone[0, 1] == many.alone[0, 1]
        assert 0 < few.alone[0, 1] < 300

    def test_a_prior_beyond_all_data_is_refused(self):
        """Sums over systems would overflow."""
        with pytest.raises(BetterThanError, match="prior must be 0 or more, and 1e\\+09 at most"):
            bradley_terry_batch(np.array([[[0, 3.0, 1], [2, 0, 1], [1, 1, 0]]]), prior=1e308)

    def test_a_prior_next_to_nothing_is_none(self):
        """The strengths do not exist, and that is all that is said."""
        wins = np.array([[[0, 3.0, 1e-320], [2, 0, 1], [1e-320, 1e-320, 0]]])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            bradley_terry_batch(wins)


def test_an_interval_without_an_end_is_none():
    """Infinity could not be written as JSON."""
    found = jackknife_interval(np.array([1.0]), np.array([[1e-9], [1e9]]), confidence=0.999999, scale="log")
    assert np.isnan([found.low, found.high]).all()


def test_judges_of_very_different_scales_are_compared():
    """Products of their variances would overflow."""
    value = np.random.default_rng(1).normal(size=60)
    ratings = bt.read_ratings(
        {
            "item": np.arange(60) // 6,
            "system": np.tile(["A", "B"], 30),
            "rater": np.tile(np.repeat(["r", "s", "t"], 2), 10),
            "score": value * 1e29,
        }
    )
    try:
        found = bt.judges(ratings)
    except BetterThanError:
        pytest.fail("ratings of any size can be compared")
    assert np.isfinite(found.correlation).any()


def test_a_weight_of_recall_beyond_all_use_is_refused():
    """Its square is not a float."""
    texts = bt.Texts(systems=["A"], segments=["1"], outputs=[["a b"]], references=[["a c"]])
    with pytest.raises(BetterThanError, match=r"beta must be at most 1,000,000, .*; it is 1e\+308"):
        bt.chrf(texts, beta=1e308)
    assert np.isfinite(bt.chrf(texts, beta=1e6).pooled()).all()


def test_the_demo_shows_a_folder_whose_name_turns_the_line(tmp_path, monkeypatch, capsys):
    """The command that it runs next is shown without control characters."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("betterthan.cli.commands.files.STEPS", ("check {folder}/human.csv",))
    assert code_of(["demo", "--output", "a\u202eb"]) == 0
    said = capsys.readouterr().out
    assert "$ betterthan check a" in said
    assert "\u202e" not in said


def test_options_of_the_output_are_refused_before_anything_is_written(tmp_path, capsys):
    """Watch has stored its state by the time that its answer is shown."""
    votes, state = tmp_path / "votes.csv", tmp_path / "state.json"
    votes.write_text(BATTLES, encoding="utf-8")
    assert code_of(["watch", str(votes), "--notes", "--json", "--state", str(state)]) == 2
    assert "--notes is for tables of text" in capsys.readouterr().err
    assert not state.exists()


def test_a_full_disk_is_the_reason_that_is_given_for_parquet(tmp_path, capsys, monkeypatch):
    """The engine's error named the temporary part of the file."""
    import duckdb

    class Full:
        def execute(self, _):
            raise duckdb.IOException("IO Error: No space left on device")

        def close(self):
            pass

    monkeypatch.setattr("betterthan.read.write.write.connect_to", lambda _: Full())
    table, target = tmp_path / "a.csv", tmp_path / "b.parquet"
    table.write_text(TABLE, encoding="utf-8")
    assert code_of(["convert", str(table), "-o", str(target)]) == 2
    assert f"{target} cannot be written (No space left on device)" in " ".join(
        capsys.readouterr().err.split()
    )
    assert [path.name for path in tmp_path.iterdir()] == ["a.csv"]
