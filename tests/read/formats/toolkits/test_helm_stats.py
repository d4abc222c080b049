"""Statistics of HELM by instance, laid out as its source code writes them."""

from __future__ import annotations

import io
import json
import random

import numpy as np
import pytest
from tests.fuzz.damage import damaged, outcome

import betterthan as bt
from betterthan.errors import ReadError
from betterthan.read.sniff import read_any, sniff


def instance(identity, value, *, trial=0, split="test", perturbation=None):
    """An instance with two statistics."""
    about = {"split": split, **({"perturbation": perturbation} if perturbation else {})}
    stats = [
        {"name": {"name": name, **about}, "count": 1, "sum": x, "min": x, "max": x, "mean": x}
        for name, x in (("exact_match", value), ("num_bytes", 4))
    ]
    odd = {"perturbation": perturbation} if perturbation else {}
    return {"instance_id": identity, **odd, "train_trial_index": trial, "stats": stats}


GOOD = [instance(f"id{k}", k / 4) for k in range(4)]


def write(folder, run, instances, *, model=None):
    """A run where HELM puts it."""
    place = folder / run
    place.mkdir(parents=True)
    (place / "per_instance_stats.json").write_text(json.dumps(instances, indent=2))
    if model:
        (place / "run_spec.json").write_text(json.dumps({"name": run, "adapter_spec": {"model": model}}))
    return place / "per_instance_stats.json"


def test_a_folder_of_runs_pairs_models_by_instance(tmp_path):
    """The specification names the model, else the folder does."""
    write(tmp_path, "mmlu:subject=x,model=org_one", GOOD, model="org/one")
    write(tmp_path, "mmlu:subject=x,model=org_two", GOOD[:0:-1])
    assert sniff(tmp_path).because == "a folder with 2 runs of HELM"
    scores = bt.read_scores(tmp_path, metric="exact_match")
    assert (scores.systems, scores.segments) == (("org/one", "org_two"), ("id0", "id1", "id2", "id3"))
    assert np.array_equal(scores.values, [[0, 0.25, 0.5, 0.75], [np.nan, 0.25, 0.5, 0.75]], equal_nan=True)


def test_only_test_instances_without_perturbation_count(tmp_path):
    """The others are counted by reason."""
    odd = [instance("id0", 1.0, perturbation={"name": "typos"}), instance("v", 1.0, split="valid")]
    reading = read_any(write(tmp_path, "s:model=m", [*GOOD, *odd]))
    assert reading.dropped == {"perturbed instance": 2, "not of the test split": 2}
    assert (reading.rows_read, reading.rows_kept) == (12, 8)
    assert reading.tables[0].values.tolist() == [[0, 0.25, 0.5, 0.75]]
    assert any("perturbed" in note for note in reading.tables[0].notes)


def test_trials_are_averaged_and_missing_means_stay_missing(tmp_path):
    """By a literal loop; null is never 0."""
    values = {"a": [0.5, 1.0, 0.0], "b": [None, 0.25], "c": [None]}
    made = [instance(name, x, trial=k) for name, xs in values.items() for k, x in enumerate(xs)]
    scores = bt.read_scores(write(tmp_path, "s:model=m", made), metric="exact_match")
    assert np.array_equal(scores.values, [[0.5, 0.25, np.nan]], equal_nan=True)
    assert any("3 trials" in note for note in scores.notes)


def test_scenarios_are_not_pooled_and_runs_count_once(tmp_path):
    """The same metric of two scenarios is two tables."""
    write(tmp_path, "one:model=m", GOOD)
    write(tmp_path, "two:k=1,model=m", GOOD)
    assert list(bt.read_metrics(tmp_path)) == [
        "one: exact_match", "one: num_bytes", "two:k=1: exact_match", "two:k=1: num_bytes"]  # fmt: skip
    write(tmp_path / "again", "one:model=m", GOOD)
    with pytest.raises(ReadError, match='"m" ran "one" in two folders') as caught:
        bt.read_metrics(tmp_path)
    assert caught.value.code == "BT198"


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("{}", "BT190", "a list of instances"),
        ("[3]", "BT190", "no instance_id or no list of stats"),
        (json.dumps([{**GOOD[0], "instance_id": 3}]), "BT190", "no instance_id"),
        (
            json.dumps([{**GOOD[0], "stats": [{"mean": 1}]}]),
            "BT190",
            'A statistic of instance "id0" has no name',
        ),
        (json.dumps([instance("x", "much")]), "BT013", 'The mean of "exact_match" of instance "x"'),
        (json.dumps([instance("x", 1.0, split="train")]), "BT011", "The file has no scores"),
        (json.dumps(GOOD)[:-5], "BT016", "The file is not JSON"),
        ("[" * 100_000, "BT016", "too deeply nested"),
    ],
)
def test_damage(text, code, message):
    """Every damage has its cure."""
    with pytest.raises(ReadError, match=message) as caught:
        read_any(io.StringIO(text), format="helm")
    assert caught.value.code == code


@pytest.mark.parametrize("trials", [100, pytest.param(600, marks=pytest.mark.slow)])
def test_damaged_files_give_a_table_or_our_error(trials):
    """Recognised or named, no foreign exception escapes."""
    text = json.dumps(GOOD, indent=1)
    assert sniff(io.StringIO(text)).format == "helm"
    rng = random.Random(f"helm {trials}")  # noqa: S311  (not for secrets)
    seen = set()
    for _ in range(trials):
        data = damaged(text.encode(), rng)
        outcome(read_any, io.BytesIO(data))
        seen.add(outcome(lambda given: read_any(given, format="helm"), io.BytesIO(data)))
    assert "table" in seen
    assert len(seen) > 2
