"""Results of promptfoo: the fixture was written by promptfoo 0.121.20 itself, and then shortened."""

from __future__ import annotations

import copy
import io
import json
import math
import random
from pathlib import Path

import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any, sniff

FIXTURE = Path(__file__).parent / "fixtures" / "promptfoo.json"
WHOLE = json.loads(FIXTURE.read_text(encoding="utf-8"))
RESULTS = WHOLE["results"]["results"]


def with_results(results):
    """The file with other results."""
    whole = copy.deepcopy(WHOLE)
    whole["results"]["results"] = results
    return json.dumps(whole)


def as_lines(results):
    """What ``-o out.jsonl`` writes."""
    return "".join(json.dumps(result) + "\n" for result in results)


def test_scores_of_the_tool_against_a_plain_count():
    """Two providers, three tests; a provider that failed has no score, although promptfoo writes 0."""
    tables = bt.read_metrics(FIXTURE)
    assert set(tables) == {"score", "pass"}
    for name, key in (("score", "score"), ("pass", "success")):
        table = tables[name]
        assert table.systems == ("loud", "plain")
        plain = {
            system: [
                float("nan") if result["failureReason"] == 2 else float(result[key])
                for number in range(3)
                for result in RESULTS
                if result["testIdx"] == number and result["provider"]["label"] == system
            ]
            for system in table.systems
        }
        assert np.array_equal(table.values, list(plain.values()), equal_nan=True)
    assert tables["score"].values[:, 0].tolist() == [0.725, 0.225]  # as `promptfoo view` shows them


def test_what_was_left_out_is_counted():
    """Named scores of a single test, and the tests that ended in an error."""
    reading = read_any(FIXTURE)
    assert (reading.rows_read, reading.rows_kept) == (16, 12)
    assert reading.dropped == {"metric of a single test": 4}
    assert [problem.code for problem in reading.problems].count("BT199") == 2
    assert any('"shouts"' in note for note in reading.notes)


def test_json_lines_hold_the_same():
    """The other file that promptfoo writes."""
    found = sniff(io.StringIO(as_lines(RESULTS)))
    assert (found.format, found.confidence) == ("promptfoo", 0.98)
    assert bt.read_metrics(io.StringIO(as_lines(RESULTS)))["score"] == bt.read_metrics(FIXTURE)["score"]


def test_the_order_of_answers_does_not_matter():
    """They are written as they come."""
    mixed = list(RESULTS)
    random.Random(5).shuffle(mixed)  # noqa: S311  (not for secrets)
    assert bt.read_metrics(io.StringIO(with_results(mixed)))["pass"] == bt.read_metrics(FIXTURE)["pass"]


def test_repeated_tests_are_runs_of_one_segment():
    """``--repeat 2`` writes every test twice, under numbers of their own, as promptfoo really does."""
    again = [{**result, "testIdx": result["testIdx"] + 3, "score": result["score"] / 2} for result in RESULTS]
    reading = read_any(io.StringIO(with_results([*RESULTS, *again])))
    score = next(table for table in reading.tables if table.name == "score")
    assert isinstance(score, bt.Runs)
    assert score.independent
    assert score.to_scores().values.shape == (2, 3)
    once = bt.read_metrics(FIXTURE)["score"].values
    assert np.array_equal(score.to_scores().values, once * 0.75, equal_nan=True)


def test_prompts_are_part_of_the_system():
    """A provider with two prompts is two systems."""
    other = [
        {**result, "prompt": {"raw": "x", "label": "tell {{word}}"}, "promptIdx": result["promptIdx"] + 2}
        for result in RESULTS
    ]
    systems = bt.read_metrics(io.StringIO(with_results([*RESULTS, *other])))["pass"].systems
    assert systems == (
        "loud prompt 1: say {{word}}",
        "plain prompt 1: say {{word}}",
        "loud prompt 2: tell {{word}}",
        "plain prompt 2: tell {{word}}",
    )


def test_renaming_a_provider_renames_a_system():
    """And changes nothing else."""
    text = FIXTURE.read_text(encoding="utf-8").replace('"plain"', '"quiet"')
    table = bt.read_metrics(io.StringIO(text))["score"]
    assert table.systems == ("loud", "quiet")
    assert np.array_equal(table.values, bt.read_metrics(FIXTURE)["score"].values, equal_nan=True)


def broken(change):
    """The file with a changed first result."""
    results = copy.deepcopy(RESULTS)
    change(results[0])
    return with_results(results)


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        (broken(lambda r: r.update(score="high")), "BT013", 'The value of "score" is not a number: "high"'),
        (broken(lambda r: r.update(score=math.inf)), "BT013", "is not a number"),
        (broken(lambda r: r.update(provider=None)), "BT190", "A result names no provider"),
        (
            broken(lambda r: r.update(namedScores=[1])),
            "BT190",
            "The named scores of a result are not an object",
        ),
        (with_results([3]), "BT190", "A result is not an object"),
        (with_results({"a": 1}), "BT190", "The file has no list of results"),
        (with_results([]), "BT011", "The file has no scores"),
        (with_results(RESULTS)[:-30], "BT016", "The file is not JSON"),
    ],
)
def test_damage(text, code, message):
    """Every damage has its cure."""
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="promptfoo")
    assert caught.value.code == code


@pytest.mark.parametrize("trials", [60, pytest.param(500, marks=pytest.mark.slow)])
@pytest.mark.parametrize("text", [with_results(RESULTS), as_lines(RESULTS)], ids=["json", "lines"])
def test_damaged_files_give_a_table_or_our_error(text, trials):
    """Recognised or named, no foreign exception escapes."""
    rng = random.Random(f"promptfoo {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(text.encode(), rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="promptfoo"), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 1
