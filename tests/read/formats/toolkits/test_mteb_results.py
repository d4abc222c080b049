"""Results of MTEB: files in the layout that ``TaskResult.to_disk`` writes and its public results have."""

from __future__ import annotations

import io
import json
import random

import pytest
from tests.fuzz.damage import damaged, outcome
from tests.read.seeds import MTEB_TASK, mteb_task

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any, sniff

TASKS = ("STS22", "ArguAna", "Banking77Classification", "SciFact", "TwentyNewsgroupsClustering")
MODELS = {"org/small": 0.5, "org/large": 0.75}


@pytest.fixture
def results(tmp_path):
    """Two models on five tasks; the last one only of the first model."""
    for model, start in MODELS.items():
        folder = tmp_path / "results" / model.replace("/", "__") / "0123abcd"
        folder.mkdir(parents=True)
        (folder / "model_meta.json").write_text(json.dumps({"name": model, "revision": "0123abcd"}))
        for number, task in enumerate(TASKS):
            if task != TASKS[-1] or model == "org/small":
                text = json.dumps(mteb_task(task, [start + number / 50, start]))
                (folder / f"{task}.json").write_text(text)
    return tmp_path / "results"


def test_models_by_tasks(results):
    """The main score, averaged over splits and subsets as MTEB's ``get_score`` does; a missing task is missing."""
    found = sniff(results)
    assert (found.format, found.because) == ("mteb", "a folder with 9 results of MTEB")
    tables = bt.read_metrics(results)
    assert list(tables) == ["main_score"]
    table = tables["main_score"]
    assert table.systems == ("org/large", "org/small")
    values = {
        (system, task): table.values[i, j]
        for i, system in enumerate(table.systems)
        for j, task in enumerate(table.segments)
    }
    assert values["org/small", "SciFact"] == pytest.approx(0.5 + 3 / 100)
    assert (
        values["org/large", "TwentyNewsgroupsClustering"] != values["org/large", "TwentyNewsgroupsClustering"]
    )
    assert bt.rank(results, missing="drop").systems == ("org/large", "org/small")


def test_another_metric_is_chosen_by_name(results):
    """Without a choice only the main score is a metric: a task has up to a hundred others."""
    table = bt.read_scores(results, metric="accuracy")
    assert table.name == "accuracy"
    assert bt.read_scores(results, metric="main_score").name == "main_score"


def test_folders_of_single_models_and_names_of_the_user(results):
    """A folder of a model is that model, unless it is named."""
    small, large = results / "org__small", results / "org__large"
    assert bt.rank(small, large, missing="drop").systems == ("org/large", "org/small")
    named = bt.rank({"old": str(small), "new": str(large)}, missing="drop")
    assert named.systems == ("new", "old")


def test_the_items_of_a_single_task_are_its_subsets(results):
    """Unless there is only one, which cannot be paired."""
    table = bt.read_scores(f"{results}/*/*/ArguAna.json")
    assert table.segments == ("ArguAna: s0 (test)", "ArguAna: s1 (test)")
    with pytest.raises(ReadError, match="only one score for each system"):
        read_any(io.StringIO(json.dumps(mteb_task("SciFact", [0.5]))))


def test_a_pattern_finds_the_description_of_the_model_too(results):
    """Which is no result."""
    table = bt.read_scores(f"{results}/*/*/*.json")
    assert (table.systems, table.n_segments) == (("org/large", "org/small"), 5)


def test_an_experiment_is_a_system_of_its_own(results):
    """``experiments/NAME`` below a revision."""
    folder = results / "org__small" / "0123abcd" / "experiments" / "int8"
    folder.mkdir(parents=True)
    (folder / "model_meta.json").write_text(json.dumps({"name": "org/small"}))
    (folder / "SciFact.json").write_text(json.dumps(mteb_task("SciFact", [0.25])))
    assert "org/small (int8)" in bt.read_metrics(results)["main_score"].systems


def test_two_revisions_of_a_model_are_refused(results):
    """Which of them is meant is the user's choice."""
    other = results / "org__small" / "4567"
    other.mkdir()
    (other / "model_meta.json").write_text(json.dumps({"name": "org/small"}))
    (other / "SciFact.json").write_text(json.dumps(mteb_task("SciFact", [0.25])))
    with pytest.raises(ReadError, match='"org/small" has two results of "SciFact"') as caught:
        bt.read_metrics(results)
    assert caught.value.code == "BT198"


@pytest.mark.parametrize(
    ("change", "code", "message"),
    [
        (lambda task: task.update(scores=[]), "BT190", "task_name and scores"),
        (lambda task: task.update(scores={}), "BT190", "has no scores"),
        (lambda task: task.update(scores={"test": {"en": 1}}), "BT190", "not a list of objects"),
        (lambda task: task["scores"]["test"][0].pop("main_score"), "BT190", "has no main_score"),
        (lambda task: task["scores"]["test"][0].update(main_score="?"), "BT013", "is not a number"),
    ],
)
def test_damage(change, code, message):
    """Every damage has its cure."""
    task = mteb_task("SciFact", [0.5])
    change(task)
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.StringIO(json.dumps(task)), format="mteb")
    assert caught.value.code == code


@pytest.mark.parametrize("trials", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_damaged_files_give_a_table_or_our_error(trials):
    """Recognised or named, no foreign exception escapes."""
    rng = random.Random(f"mteb {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(MTEB_TASK, rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="mteb"), io.BytesIO(data)))
    assert {"table", "BT016"} <= seen
