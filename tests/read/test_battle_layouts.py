"""Every layout in which battles are published, each from a fixture of ours, and what none of them may become."""

from __future__ import annotations

import json

import numpy as np
import polars as pl
import pytest
from tests.everyday import few

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.problems import PROBLEMS
from betterthan.read.sniff import read_any, sniff

LMSYS = [
    {"model_a": "Kea", "model_b": "Tui", "winner": "model_a", "judge": "u1", "turn": 1, "anony": True},
    {"model_a": "Tui", "model_b": "Kea", "winner": "tie (bothbad)", "judge": "u1", "turn": 1, "anony": True},
    {"model_a": "Moa", "model_b": "Tui", "winner": "tie", "judge": "u2", "turn": 2, "anony": False},
    {"model_a": "Moa", "model_b": "Kea", "winner": "model_b", "judge": "u3", "turn": 1, "anony": True},
]
LMSYS = [
    {"question_id": f"q{i}", **row, "language": "English", "tstamp": 1682351591.1}
    for i, row in enumerate(LMSYS)
]
ARENA = pl.DataFrame(
    {
        "id": ["b1", "b2", "b3", "b4"],
        "model_a": ["Kea", "Tui", "Kea", "Moa"],
        "model_b": ["Tui", "Moa", "Moa", "Tui"],
        "winner": ["model_a", "model_b", "both_bad", "tie"],
        "evaluation_session_id": ["s1", "s1", "s2", "s2"],
        "evaluation_order": [1, 2, 1, 2],
        "conversation_a": [[{"role": "user", "content": "hi"}]] * 4,
        "conv_metadata": [
            {
                "sum_assistant_a_tokens": 10 * i,
                "sum_assistant_b_tokens": 7,
                "header_count_a": {"h1": i, "h2": 2},
                "header_count_b": {"h1": 0, "h2": 1},
                "turns": 1,
            }
            for i in range(1, 5)
        ],
        "language": ["en", "en", "de", "en"],
        "is_code": [False, True, False, False],
    }
)
KAGGLE = (
    "id,model_a,model_b,prompt,response_a,response_b,winner_model_a,winner_model_b,winner_tie\n"
    '1,Kea,Tui,"[""Say hi,\nplease""]","[""hi""]","[""no""]",1,0,0\n'
    '2,Moa,Kea,"[""Why?""]","[""x""]","[""y""]",0,1,0\n'
    '3,Tui,Moa,"[""Why?""]","[""x""]","[""y""]",0,0,1\n'
)
PAIRS = [
    {"model_1": "Kea", "model_2": "Tui", "g1_winner": "model_1", "g2_winner": "model_1"},
    {"model_1": "Kea", "model_2": "Tui", "g1_winner": "model_1", "g2_winner": "model_2"},
    {"model_1": "Kea", "model_2": "Moa", "g1_winner": "tie", "g2_winner": "model_2"},
    {"model_1": "Moa", "model_2": "Tui", "g1_winner": "model_2", "g2_winner": "model_2"},
]
PAIRS = [
    {"question_id": 81 + i, **row, "judge": ["gpt-4", "pair-v2"], "turn": 1, "tstamp": 1.5}
    for i, row in enumerate(PAIRS)
]
ALPACA = [
    {
        "dataset": "helpful_base",
        "instruction": f"Do {i}.",
        "output_1": "text",
        "generator_1": "Base",
        "output_2": "text",
        "generator_2": "Kea" if i < 2 else "Tui",
        "annotator": "weighted_judge",
        "preference": preference,
    }
    for i, preference in enumerate([1.000039552, 1.75, 1.5, 2.0])
]


def table_of(matches):
    """(left, right) by name to [wins of left, ties, wins of right], added up."""
    found = {}
    for i, j, outcome, weight in zip(
        matches.left, matches.right, matches.outcome.tolist(), matches.weight.tolist(), strict=True
    ):
        cells = found.setdefault((matches.systems[i], matches.systems[j]), [0.0, 0.0, 0.0])
        cells[{1.0: 0, 0.5: 1, 0.0: 2}[outcome]] += weight
    return found


def written(tmp_path, data, name):
    """Write a fixture in the container that the name says."""
    path = tmp_path / name
    if isinstance(data, pl.DataFrame):
        data.write_parquet(path)
    elif isinstance(data, str):
        path.write_text(data, encoding="utf-8")
    elif name.endswith(".jsonl"):
        path.write_text("".join(json.dumps(row) + "\n" for row in data), encoding="utf-8")
    else:
        path.write_text(json.dumps(data, indent=4), encoding="utf-8")
    return path


LAYOUTS = {
    "lmsys.json": (
        LMSYS,
        {
            ("Kea", "Tui"): [1, 0, 0],
            ("Tui", "Kea"): [0, 1, 0],
            ("Moa", "Tui"): [0, 1, 0],
            ("Moa", "Kea"): [0, 0, 1],
        },
    ),
    "arena.parquet": (
        ARENA,
        {
            ("Kea", "Tui"): [1, 0, 0],
            ("Tui", "Moa"): [0, 0, 1],
            ("Kea", "Moa"): [0, 1, 0],
            ("Moa", "Tui"): [0, 1, 0],
        },
    ),
    "train.csv": (
        KAGGLE,
        {("Kea", "Tui"): [1, 0, 0], ("Moa", "Kea"): [0, 0, 1], ("Tui", "Moa"): [0, 1, 0]},
    ),
    "gpt-4_pair.jsonl": (
        PAIRS,
        {("Kea", "Tui"): [1, 1, 0], ("Kea", "Moa"): [0, 1, 0], ("Moa", "Tui"): [0, 0, 1]},
    ),
    "annotations.json": (
        ALPACA,
        {("Base", "Kea"): [0.999960448 + 0.25, 0, 0.000039552 + 0.75], ("Base", "Tui"): [0, 1, 1]},
    ),
    "evalica.csv": (
        "left,right,winner\nKea,Tui,left\nTui,Kea,tie\nKea,Moa,right\n",
        {("Kea", "Tui"): [1, 0, 0], ("Tui", "Kea"): [0, 1, 0], ("Kea", "Moa"): [0, 0, 1]},
    ),
    "pairs.jsonl": (
        [{"prompt": "p", "chosen_model": "Kea", "rejected_model": "Tui", "chosen": "x", "rejected": "y"}] * 2,
        {("Kea", "Tui"): [2, 0, 0]},
    ),
}


@pytest.mark.parametrize("name", LAYOUTS)
def test_a_layout_is_recognised_and_counted(tmp_path, name):
    """Without a flag, from the registry, from read_matches and from check; every row accounted for."""
    data, expected = LAYOUTS[name]
    path = written(tmp_path, data, name)
    found = sniff(path)
    assert (found.format, found.kind) == ("battles", "matches")
    matches = bt.read_matches(path)
    got = table_of(matches)
    assert got.keys() == expected.keys()
    for pair, cells in expected.items():
        np.testing.assert_allclose(got[pair], cells, rtol=1e-15)
    checkup = bt.check(path)
    assert (checkup.format, checkup.problems) == ("battles", ())
    assert checkup.rows_read == checkup.rows_kept == matches.n_matches
    frame = pl.read_parquet(path) if name.endswith("parquet") else None
    if frame is not None:
        assert table_of(bt.read_matches(frame)) == got


def test_a_share_of_a_win_is_one_battle():
    """2 − preference of a win and the rest of a loss, in one group: the score of the battle is o − p."""
    data = {"generator_1": ["x"] * 3, "generator_2": ["y"] * 3, "preference": [1.25, 1.0, 1.25]}
    matches = bt.read_matches(data)
    rows = list(zip(matches.outcome.tolist(), matches.weight.tolist(), matches.group.tolist(), strict=True))
    assert sorted(rows) == [(0.0, 0.25, 1), (0.0, 0.25, 2), (1.0, 0.75, 1), (1.0, 0.75, 2), (1.0, 1.0, 0)]
    assert matches.n_matches == 3
    assert any(note.startswith("2 battles have a preference between 1 and 2") for note in matches.notes)
    assert matches.notes[0] == "Battles read: 3 (left 1, between 2)."


def test_the_error_of_shares_is_that_of_their_mean():
    """Two systems: the strength is the logit of the mean share, its error that of the mean by hand."""
    rng = np.random.default_rng(5)
    preference = np.clip(1 + rng.beta(0.4, 0.6, 400), 1, 2)
    matches = bt.read_matches(
        {"generator_1": ["x"] * 400, "generator_2": ["y"] * 400, "preference": preference}
    )
    ranking = bt.rank(matches, by="bradley_terry", scale="log", confidence=0.95)
    share = 2 - preference
    logit = np.log(share.mean() / (1 - share.mean()))
    strength = dict(zip(ranking.systems, ranking.strength.tolist(), strict=True))
    assert strength["x"] - strength["y"] == pytest.approx(logit, abs=1e-8)
    # The delta method: the logit's derivative is 1 / (p (1 − p)); half of it goes to each of two centred strengths.
    error = share.std() / np.sqrt(400) / (share.mean() * (1 - share.mean()))
    i = ranking.systems.index("x")
    half_width = (ranking.high[i] - ranking.low[i]) / 2
    assert half_width == pytest.approx(1.96 * error / 2, rel=0.02)


@pytest.mark.parametrize("preference", few([0, 0.99, 2.01, -1, 3, None, "", "first", "nan", "1_5", "1,5"], 4))
def test_a_preference_outside_one_and_two_stops(tmp_path, preference):
    """Listed with its count; 0 is no tie, null is no tie."""
    rows = [*ALPACA, {**ALPACA[0], "preference": preference}]
    with pytest.raises(ReadError, match="Unknown winner labels") as caught:
        bt.read_matches(written(tmp_path, rows, "annotations.json"))
    assert caught.value.code == "BT121"
    assert "(1 row)" in str(caught.value)
    assert "Preferences are numbers from 1 (the first system) to 2" in str(caught.value)


@pytest.mark.parametrize("cells", few(["1,1,0", "0,0,0", "1,0,1", ",,", "1,0,", "2,0,0", "1,0,x"], 4))
def test_one_hot_means_exactly_one(tmp_path, cells):
    """Two winners, no winner and half a row are listed, never counted."""
    text = KAGGLE + f'9,Kea,Moa,"p","r","s",{cells}\n'
    with pytest.raises(ReadError, match="Unknown winner labels") as caught:
        bt.read_matches(written(tmp_path, text, "train.csv"))
    assert caught.value.code == "BT121"
    assert f'"{" / ".join(cells.split(","))}" (1 row)' in str(caught.value)
    assert caught.value.line == 6  # a prompt of the second row stands on two lines


def test_judges_that_failed_are_listed(tmp_path):
    """MT-bench writes "error" where the judge's answer held no verdict."""
    rows = [
        *PAIRS,
        {**PAIRS[0], "g1_winner": "error"},
        {**PAIRS[0], "g1_winner": "error", "g2_winner": "error"},
    ]
    with pytest.raises(ReadError) as caught:
        bt.read_matches(written(tmp_path, rows, "gpt-4_pair.jsonl"))
    assert '"error / error" (1 row), "error / model_1" (1 row)' in str(caught.value)
    fixed = bt.read_matches(written(tmp_path, rows[:4], "gpt-4_pair.jsonl"))
    assert fixed.n_matches == 4


def test_games_that_disagree_are_a_tie_also_where_they_are_called_so():
    """The published judgments of MT-bench call it "tie (inconsistent)"."""
    data = {"model_a": ["x", "x"], "model_b": ["y", "y"], "winner": ["tie (inconsistent)", "tie"]}
    assert table_of(bt.read_matches(data)) == {("x", "y"): [0, 2, 0]}


def test_an_arena_is_clustered_by_session_and_keeps_its_style(tmp_path):
    """evaluation_session_id is the cluster; counts inside conv_metadata are covariates, objects their sums."""
    path = written(tmp_path, ARENA, "arena.parquet")
    matches = bt.read_matches(path, keep=("judge",), covariates=["*"])
    assert matches.group.tolist() == [0, 0, 1, 1]
    assert matches.covariate_names == (
        "sum_assistant_a_tokens-sum_assistant_b_tokens",
        "header_count_a-header_count_b",
    )
    assert matches.covariates.tolist() == [[3, 2], [13, 3], [23, 4], [33, 5]]
    assert matches.digest == bt.read_matches(ARENA, keep=("judge",), covariates=["*"]).digest
    for name in ("conv_metadata.header_count_a.h1", "conv_metadata.turns"):
        expected = [[1.0], [2.0], [3.0], [4.0]] if name.endswith("h1") else [[1.0]] * 4
        assert bt.read_matches(path, covariates=[name]).covariates.tolist() == expected
    notes = bt.check(path).notes
    assert any("header_count_a-header_count_b; name them as covariates" in note for note in notes)


@pytest.mark.parametrize("container", few(["parquet", "jsonl", "json", "csv"], 2))
def test_style_is_read_from_every_container(tmp_path, container):
    """A struct of Parquet, an object of JSON, JSON text in CSV; also when rows are chosen."""
    path = tmp_path / f"arena.{container}"
    if container == "parquet":
        ARENA.write_parquet(path)
    elif container == "csv":
        texts = [json.dumps(cell) for cell in ARENA["conv_metadata"].to_list()]
        ARENA.drop("conversation_a").with_columns(conv_metadata=pl.Series(texts)).write_csv(path)
    else:
        rows = ARENA.to_dicts()
        text = json.dumps(rows) if container == "json" else "\n".join(map(json.dumps, rows))
        path.write_text(text, encoding="utf-8")
    asked = ["header_count_a-header_count_b", "conv_metadata.sum_assistant_a_tokens"]
    matches = bt.read_matches(path, covariates=asked)
    assert matches.covariates.tolist() == [[2, 10], [3, 20], [4, 30], [5, 40]]
    chosen = bt.read_matches(path, covariates=asked, where={"language": "en"})
    assert chosen.covariates.tolist() == [[2, 10], [3, 20], [5, 40]]
    assert chosen.notes[0] == "Only rows with language = en were kept: 3 of 4."


def test_a_style_that_is_missing_is_named(tmp_path):
    """An object without the number, or no object at all, is no 0."""
    rows = ARENA.to_dicts()
    rows[2]["conv_metadata"] = {"turns": 1, "header_count_a": {"h1": "many"}}
    path = written(tmp_path, rows, "arena.jsonl")
    for name in ("sum_assistant_a_tokens", "header_count_a"):
        with pytest.raises(ReadError, match=rf'line 3: a number is missing in the column "{name}"') as caught:
            bt.read_matches(path, covariates=[name])
        assert caught.value.code == "BT128"
    whole = bt.read_matches(path, covariates=["*"])
    assert whole.covariate_names == ()
    assert any("has no number in 1 of 4 rows and is not kept" in note for note in whole.notes)


def test_rankings_and_lists_of_pairs_come_through_the_registry(tmp_path):
    """read_matches gives what the layouts' own readers give; aggregated where clusters are not wanted."""
    header = ",".join(f"system{i}Id,system{i}rank" for i in (1, 2, 3))
    path = written(tmp_path, f"judgeId,srcIndex,{header}\nj1,7,A,1,B,2,C,2\nj2,8,A,3,B,1,C,2\n", "rr.csv")
    whole = bt.read_rankings(path)
    assert bt.read_matches(path).digest == whole.digest
    assert bt.read_matches(path, cluster=False).digest == whole.aggregated().digest
    assert bt.read_matches(path, keep=("judge",)).digest == whole.aggregated(keep_groups=True).digest
    assert bt.read_matches(path, keep=("item", "judge")) == whole
    frame = pl.read_csv(path)
    assert bt.read_matches(frame, keep=("item", "judge")).digest == whole.digest
    pairs = written(
        tmp_path, "LP DATA SID BETTER WORSE\nde-en x 1 A B\nde-en x 2 B A\nfr-en x 1 A C\n", "RR.csv"
    )
    with pytest.raises(ReadError, match="2 language pairs"):
        bt.read_matches(pairs)
    assert table_of(bt.read_matches(pairs, language_pair="de-en", cluster=False)) == {
        ("A", "B"): [1, 0, 0],
        ("B", "A"): [1, 0, 0],
    }


def test_what_another_layout_would_ignore_is_refused(tmp_path):
    """A judge that is named is not silently another one."""
    header = ",".join(f"system{i}Id,system{i}rank" for i in (1, 2, 3))
    path = written(tmp_path, f"judgeId,srcIndex,{header}\nj1,7,A,1,B,2,C,2\n", "rr.csv")
    with pytest.raises(ReadError, match="judge cannot be chosen there") as caught:
        bt.read_matches(path, judge="srcIndex")
    assert caught.value.code == "BT311"
    two = bt.read_matches(path, left="system1Id", right="system2Id")
    assert table_of(two) == {("A", "B"): [1, 0, 0]}
    pairs = written(tmp_path, "SID BETTER WORSE\n1 A B\n", "RR.csv")
    with pytest.raises(ReadError, match="names no judges"):
        bt.read_matches(pairs, keep=("judge",))


def test_scores_are_no_battles(tmp_path):
    """The message says what is missing; a folder says what it is."""
    path = written(tmp_path, "item,system,score\n1,A,2\n1,B,3\n", "scores.csv")
    with pytest.raises(ReadError, match="No columns for the two systems were found in item, system, score"):
        bt.read_matches(path)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ReadError) as caught:
        bt.read_matches(tmp_path / "empty")
    assert caught.value.code == "BT002"
    assert {f"BT31{i}" for i in range(6)} <= set(PROBLEMS)


@pytest.mark.parametrize("container", ["csv", "frame"])
def test_rows_can_be_chosen_by_value(tmp_path, container):
    """Such as the anonymous battles of an arena."""
    frame = pl.DataFrame(LMSYS)
    path = tmp_path / "a.csv"
    frame.write_csv(path)
    matches = bt.read_matches(path if container == "csv" else frame, where={"anony": "true"})
    assert matches.n_matches == 3
    assert "Moa" in matches.systems


def test_an_array_longer_than_a_line_may_be_is_streamed(tmp_path):
    """A single line of 20 MB: counted inside the engine, not in our memory."""
    row = {**LMSYS[0], "conversation_a": "x" * 20_000}
    path = tmp_path / "clean_battle.json"
    with path.open("w", encoding="utf-8") as file:
        file.write("[" + ",".join(json.dumps(row) for _ in range(1000)) + "]")
    matches = bt.read_matches(path)
    assert table_of(matches) == {("Kea", "Tui"): [1000, 0, 0]}
    text = path.read_text(encoding="utf-8")
    path.write_text(text[:-1], encoding="utf-8")
    with pytest.raises(ReadError) as caught:
        bt.read_matches(path)
    assert caught.value.code in ("BT010", "BT016")
    assert len(read_any(written(tmp_path, LMSYS, "small.json")).tables) == 1


@pytest.mark.parametrize("suffix", [".csv", ".tsv", ".jsonl", ".parquet"])
def test_awkward_names_of_covariates_survive_writing(tmp_path, suffix):
    """A comma, a quote and an apostrophe in a heading; numbers stay numbers."""
    table = bt.Matches(
        systems=["A", "B"],
        left=[0, 1, 0],
        right=[1, 0, 1],
        outcome=[1.0, 0.5, 0.0],
        covariates=[[0.5], [-1.0], [0.0]],
        covariate_names=["length, 'in' \"tokens\""],
    )
    bt.write_table(table, tmp_path / f"battles{suffix}")
    again = bt.read_matches(tmp_path / f"battles{suffix}", covariates="*")
    np.testing.assert_array_equal(again.covariates, table.covariates)
    assert again.covariate_names == table.covariate_names
