"""Battles counted by judge, ranks instead of a winner, covariates: what is kept, and what is given up with a word."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.everyday import examples, few

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.formats.battles import battle_columns
from betterthan.read.formats.battles.battle_columns import find_columns
from betterthan.read.formats.battles.battles import read, read_matches, sniff
from betterthan.read.problems import PROBLEMS
from betterthan.read.protocol import Options
from betterthan.read.source.source import open_source

WINNERS = {"model_a": 1.0, "tie": 0.5, "both_bad": 0.5, "model_b": 0.0}


def made(n=400, n_judges=7, seed=1):
    """Battles of four systems by judges, as rows."""
    rng = np.random.default_rng(seed)
    names = np.array(["Kea", "Moa", "Tui", "Weka"])
    left = rng.integers(0, 4, n)
    right = (left + rng.integers(1, 4, n)) % 4
    return pl.DataFrame(
        {
            "model_a": names[left],
            "model_b": names[right],
            "winner": rng.choice(list(WINNERS), n),
            "judge": [f"j{i}" for i in rng.integers(0, n_judges, n)],
            "len_a": rng.integers(1, 50, n),
            "len_b": rng.integers(1, 50, n),
        }
    )


def cells_of(matches):
    """Rows as a dictionary: (left, right, outcome, group) to weight."""
    group = [None] * matches.left.size if matches.group is None else matches.group.tolist()
    names = matches.systems
    rows = zip(
        matches.left.tolist(),
        matches.right.tolist(),
        matches.outcome.tolist(),
        group,
        matches.weight.tolist(),
        strict=True,
    )
    found = {}
    for i, j, outcome, judge, weight in rows:
        assert (names[i], names[j], outcome, judge) not in found
        found[names[i], names[j], outcome, judge] = weight
    return found


def counted(frame):
    """The same dictionary by a plain loop."""
    judges = sorted(set(frame["judge"]))
    return Counter(
        (a, b, WINNERS[winner], judges.index(judge))
        for a, b, winner, judge in frame.select("model_a", "model_b", "winner", "judge").iter_rows()
    )


@pytest.mark.parametrize("suffix", few(["csv", "parquet", "jsonl"], 2))
def test_battles_are_counted_by_judge(tmp_path, suffix):
    """Each (left, right, outcome, judge) once; both bad and tie fall together; files and frames agree."""
    frame = made()
    path = tmp_path / f"a.{suffix}"
    {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[suffix](path)
    matches = read_matches(path, keep=("judge",))

    assert cells_of(matches) == counted(frame)
    assert matches.left.size < len(frame)
    assert matches == read_matches(frame, judge="judge")
    assert matches.aggregated().digest == read_matches(path, cluster=False).digest
    assert matches.digest == read_matches(path).digest
    assert 'Battles are grouped by the column "judge" (7 different values).' in matches.notes


@settings(max_examples=examples(10), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(n=st.integers(1, 60), n_judges=st.integers(1, 9), seed=st.integers(0, 99), drop=st.booleans())
def test_counting_by_judge_is_counting_the_rows(tmp_path, n, n_judges, seed, drop):
    """Rows kept one by one and added up by hand are the cells that DuckDB counts."""
    frame = made(n, n_judges, seed).with_columns(question=pl.int_range(n).cast(pl.String))
    frame.write_csv(tmp_path / "a.csv")
    policy = "drop" if drop else "tie"
    if drop and set(frame["winner"]) == {"both_bad"}:
        return
    by_judge = read_matches(tmp_path / "a.csv", judge="judge", both_bad=policy)
    rows = read_matches(tmp_path / "a.csv", judge="judge", item="question", both_bad=policy)

    assert rows.left.size == n - drop * sum(frame["winner"] == "both_bad")
    assert rows.aggregated(keep_groups=True).digest == by_judge.digest


def test_weights_are_summed_within_a_judge(tmp_path):
    """A weight column and judges together."""
    text = "left,right,winner,weight,judge\nx,y,left,2,ann\nx,y,left,0.5,ann\nx,y,left,3,bob\n"
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")

    assert cells_of(read_matches(tmp_path / "a.csv", judge="judge")) == {
        ("x", "y", 1.0, 0): 2.5,
        ("x", "y", 1.0, 1): 3.0,
    }


@pytest.mark.parametrize("as_frame", [False, True])
def test_too_many_cells_give_up_the_judges_with_a_note(tmp_path, monkeypatch, as_frame):
    """Nearly as many cells as rows are not worth their memory; also when the judge was named."""
    monkeypatch.setattr(battle_columns, "MOST_CELLS", 50)
    frame = made()
    frame.write_parquet(tmp_path / "a.parquet")
    matches = read_matches(frame if as_frame else tmp_path / "a.parquet", judge="judge")

    assert matches.group is None
    assert matches.digest == read_matches(frame).digest
    assert [note for note in matches.notes if "more than 50, so battles are treated as independent" in note]


def battles(path, **options):
    """The table as the command line reads it: with judges where there are any."""
    return read(open_source(path), Options(cluster=True, **options)).tables[0]


def test_judges_are_found_where_they_are(tmp_path):
    """`cluster` takes them if there; without it, or without such a column, nothing changes."""
    made().write_csv(tmp_path / "a.csv")
    made().drop("judge").write_csv(tmp_path / "b.csv")

    assert battles(tmp_path / "a.csv") == read_matches(tmp_path / "a.csv", keep=("judge",))
    assert battles(tmp_path / "a.csv") == read_matches(tmp_path / "a.csv")
    assert read_matches(tmp_path / "a.csv", cluster=False).group is None
    assert battles(tmp_path / "b.csv").group is None


def with_questions(n_questions, n_judges=7, n=400):
    """Battles over questions, as rows."""
    rng = np.random.default_rng(3)
    return made(n, n_judges).with_columns(question_id=pl.Series(rng.integers(0, n_questions, n)))


@pytest.mark.parametrize("suffix", few(["csv", "parquet", "jsonl", "frame"], 2))
def test_questions_in_several_rows_are_kept(tmp_path, suffix):
    """Both orders of a question, or several judges of it: the rows stay, with segment and judge, and a note says so."""
    frame = with_questions(60)
    path = tmp_path / f"a.{suffix}"
    if suffix != "frame":
        {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}[suffix](path)
    matches = read_matches(frame if suffix == "frame" else path)
    asked = read_matches(frame, item="question_id", judge="judge")

    assert asked.segments
    assert matches.digest == replace(asked, segments=matches.segments).digest
    assert np.unique(matches.segment).size == frame["question_id"].n_unique()
    text = f'the column "question_id" are grouped ({frame["question_id"].n_unique()} different values).'
    assert any(text in note for note in matches.notes)
    if suffix != "frame":
        said = read(open_source(path), Options(cluster=True)).notes
        assert not any(note.startswith("Not used") for note in said)


def test_questions_that_number_the_rows_or_are_too_few_or_have_gaps_are_not():
    """Battles are counted as they were."""
    frame = with_questions(60)
    own = frame.with_columns(question_id=pl.int_range(len(frame)))
    few = frame.with_columns(question_id=pl.int_range(len(frame)) % 4)
    gap = frame.with_columns(
        question_id=pl.when(pl.int_range(len(frame)) == 5).then(None).otherwise("question_id")
    )
    for other in (own, few, gap):
        matches = read_matches(other)
        assert matches.segment is None
        assert matches.group is not None
        assert matches.left.size < len(frame)


def test_too_few_judges_are_left_and_their_questions_kept(tmp_path):
    """Two judges cannot say how judges vary; the questions can say how questions do. Files and frames agree."""
    frame = with_questions(60, n_judges=2)
    frame.write_csv(tmp_path / "a.csv")
    for source in (frame, tmp_path / "a.csv"):
        matches = read_matches(source)
        assert matches.group is None
        assert matches.segment is not None
        assert (
            'The column "judge" has only 2 different values, so battles are not grouped by it. '
            "What is found then holds for these judges." in matches.notes
        )
        assert not any("independent" in note for note in matches.notes)


@pytest.mark.parametrize("covariates", [(), ("len_a-len_b",)])
def test_gaps_and_too_few_judges_are_said_and_done_without(tmp_path, covariates):
    """What was found and not asked for does not stop the reading; what was asked for does."""
    frame = made()
    gap = frame.with_columns(judge=pl.when(pl.int_range(len(frame)) == 5).then(None).otherwise("judge"))
    gap.write_csv(tmp_path / "gap.csv")
    made(n_judges=4).write_csv(tmp_path / "few.csv")

    found = battles(tmp_path / "gap.csv", covariates=covariates)
    assert found.group is None
    assert (
        'The column "judge" is empty in 1 of 400 rows, so battles are treated as independent.' in found.notes
    )
    found = battles(tmp_path / "few.csv", covariates=covariates)
    assert found.group is None
    assert any('"judge" has only 4 different values' in note for note in found.notes)
    with pytest.raises(ReadError, match=r'gap.csv, line 7: The column "judge" is empty here') as caught:
        read_matches(tmp_path / "gap.csv", judge="judge", covariates=covariates)
    assert caught.value.code == "BT127"
    kept = read_matches(tmp_path / "few.csv", judge="judge", covariates=covariates)
    assert np.unique(kept.group).tolist() == [0, 1, 2, 3]


def test_a_judge_comes_before_a_session_and_a_ranking():
    """All battles of a session are one judge's, so the judge covers them."""
    names = ["left", "right", "winner", "ranking_id", "session_id", "judge"]
    found = [find_columns(names[:k], named={}, cluster=True).judge for k in (3, 4, 5, 6)]

    assert found == [None, "ranking_id", "session_id", "judge"]


RANKED = "system1Id,system1rank,system2Id,system2rank,judgeID,rankingID\n"


@pytest.mark.parametrize("end", few(["\n", "\r\n", "\r\r\n"], 2))
@pytest.mark.parametrize("packed", [False, True])
def test_two_ranks_are_a_winner(tmp_path, end, packed):
    """1 is best, equal ranks are a tie; also with the doubled line ends of the WMT16 files."""
    text = (RANKED + "x,4,y,3,j1,1\nx,1,y,5,j1,1\ny,2,x,2,j2,2\nx,1,z,2.0,j2,2\n").replace("\n", end).encode()
    path = tmp_path / ("a.csv.gz" if packed else "a.csv")
    path.write_bytes(gzip.compress(text) if packed else text)

    assert sniff(open_source(path)).because.endswith('the winner in "system1rank, system2rank"')
    assert cells_of(read_matches(path, keep=("judge",))) == {
        ("x", "y", 0.0, 0): 1,
        ("x", "y", 1.0, 0): 1,
        ("x", "z", 1.0, 1): 1,
        ("y", "x", 0.5, 1): 1,
    }
    assert read_matches(path, judge="rankingID").digest == read_matches(path, judge="judgeID").digest


@pytest.mark.parametrize("rank", few(["-1", "", "1.5", "0", "inf", "first", "1_0"], 4))
def test_what_is_no_rank_stops(tmp_path, rank):
    """A system that was not ranked has not tied and not lost."""
    path = tmp_path / "a.csv"
    path.write_bytes((RANKED + f"x,1,y,2,j,1\nx,{rank},y,3,j,1\n").replace("\n", "\r\r\n").encode())
    with pytest.raises(ReadError, match="line 3: Unknown winner labels") as caught:
        read_matches(path)
    assert caught.value.code == "BT121"
    assert f'"{rank} / 3" (1 row)' in str(caught.value)
    assert "Ranks are whole numbers, 1 for the best." in str(caught.value)


def test_a_damaged_file_with_doubled_line_ends_is_named(tmp_path):
    """Before it is copied."""
    whole = gzip.compress((RANKED + "x,1,y,2,j,1\n" * 500).replace("\n", "\r\r\n").encode(), mtime=0)
    (tmp_path / "a.csv.gz").write_bytes(whole[:-9])
    with pytest.raises(ReadError, match=r"a.csv.gz.*truncated or damaged"):
        read_matches(tmp_path / "a.csv.gz")


@pytest.mark.parametrize("suffix", ["csv", "parquet", "jsonl", "frame", "pandas"])
def test_covariates_are_numbers_of_each_row(tmp_path, suffix):
    """A column as it stands, or left's less right's; every row in the order of the file."""
    frame = made().with_columns(style=pl.Series(np.random.default_rng(2).normal(size=400)))
    path = tmp_path / f"a.{suffix}"
    writers = {"csv": frame.write_csv, "parquet": frame.write_parquet, "jsonl": frame.write_ndjson}
    data = {"frame": frame, "pandas": pd.DataFrame(frame.to_dict(as_series=False))}.get(suffix, path)
    if suffix in writers:
        writers[suffix](path)
    matches = read_matches(data, covariates=["style", "len_a-len_b", "len_a - len_b"], judge="judge")

    difference = frame["len_a"].to_numpy() - frame["len_b"].to_numpy()
    np.testing.assert_array_equal(matches.covariates[:, 0], frame["style"].to_numpy())
    np.testing.assert_array_equal(matches.covariates[:, 1], difference)
    np.testing.assert_array_equal(matches.covariates[:, 2], difference)
    assert matches.covariate_names == ("style", "len_a-len_b", "len_a - len_b")
    assert [matches.systems[i] for i in matches.left] == frame["model_a"].to_list()
    assert [f"j{code}" for code in matches.group] == frame["judge"].to_list()


def test_covariates_of_dropped_battles_are_dropped():
    """Numbers stay beside their rows."""
    data = {"left": ["x"] * 3, "right": ["y"] * 3, "winner": ["left", "both_bad", "right"], "c": [1, 2, 3]}

    assert read_matches(data, covariates=["c"], both_bad="drop").covariates.tolist() == [[1.0], [3.0]]


def test_a_column_with_a_minus_in_its_name_is_a_column():
    """Only what is no column is taken apart, at whichever minus fits."""
    data = {"left": ["x"], "right": ["y"], "winner": ["tie"], "p-q": [5], "p": [1], "q": [2], "q-r": [4]}

    assert read_matches(data, covariates=["p-q"]).covariates.tolist() == [[5.0]]
    assert read_matches(data, covariates=["p-q-r"]).covariates.tolist() == [[-3.0]]


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("length", 'There is no column "length" for a covariate. Did you mean "lengths"?'),
        ("len_a-nothing", "Name a column, or two with a minus between them"),
        ("lengths-lengths", "Name a column, or two"),
    ],
)
def test_an_unknown_covariate_is_named(asked, message):
    """With the way to write a difference."""
    data = {"left": ["x"], "right": ["y"], "winner": ["tie"], "lengths": [5], "len_a": [1]}
    with pytest.raises(ReadError) as caught:
        read_matches(data, covariates=[asked])
    assert message in str(caught.value)
    assert caught.value.code == "BT120"


@pytest.mark.parametrize("cell", ["", "long", "inf", "nan", "1_0"])
def test_a_covariate_must_be_a_number(tmp_path, cell):
    """With the line in a file and the row in a frame."""
    text = f"left,right,winner,c\nx,y,left,1\nx,y,right,{cell}\n"
    (tmp_path / "a.csv").write_text(text, encoding="utf-8")
    with pytest.raises(ReadError, match=r'a.csv, line 3: .* in the column "c", a covariate') as caught:
        read_matches(tmp_path / "a.csv", covariates=["c"])
    assert caught.value.code == "BT128"
    data = {"left": ["x"] * 2, "right": ["y"] * 2, "winner": ["left", "right"], "c": ["1", cell]}
    with pytest.raises(ReadError, match="Row 2: ") as caught:
        read_matches(data, covariates=["c"])
    assert caught.value.code == "BT128"


@pytest.mark.parametrize("as_frame", [False, True])
def test_covariates_of_too_many_rows_are_refused(tmp_path, monkeypatch, as_frame):
    """They cannot be counted, so every row would stand in memory."""
    monkeypatch.setattr(battle_columns, "MOST_ROWS", 399)
    made().write_parquet(tmp_path / "a.parquet")
    with pytest.raises(ReadError, match="Covariates need single battles, and 400 are more") as caught:
        read_matches(made() if as_frame else tmp_path / "a.parquet", covariates=["len_a"])
    assert caught.value.code == "BT129"
    assert {"BT128", "BT129"} <= set(PROBLEMS)


def test_an_item_column_with_gaps_stops_as_before(tmp_path):
    """Rows that are kept need their segment."""
    records = [{"left": "x", "right": "y", "winner": "left", "item": item} for item in ("q", None)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")
    with pytest.raises(ReadError, match='line 2: The column "item" is empty here and in 0'):
        read_matches(tmp_path / "a.jsonl", keep=("item",))


def test_check_uses_judges_as_rank_does(tmp_path):
    """It does not say of a column that it is not used where a ranking clusters by it."""
    rows = [("A", "B", ("left", "right", "tie")[i % 3], f"j{i % 8}") for i in range(40)]
    path = tmp_path / "battles.csv"
    path.write_text("\n".join(["model_a,model_b,winner,judge", *(",".join(row) for row in rows)]))
    frame = dict(zip(("model_a", "model_b", "winner", "judge"), zip(*rows, strict=True), strict=True))
    for source in (path, {name: list(cells) for name, cells in frame.items()}):
        notes = " ".join(bt.check(source).notes)
        assert 'Battles are grouped by the column "judge" (8 different values).' in notes
        assert "Not used" not in notes
        assert set(bt.read_matches(source).notes) <= set(bt.check(source).notes)
