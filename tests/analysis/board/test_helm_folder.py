"""A folder of HELM: its mean win rate, scenario by scenario over the models that ran it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.cli.conftest import betterthan  # noqa: F401  (a fixture)
from tests.read.formats.toolkits.test_helm_stats import instance, write

import betterthan as bt

MODELS = ("org/one", "org/two", "org/three", "org/four")
SCENARIOS = tuple(f"scenario_{k}:split=main" for k in range(6))


@pytest.fixture
def helm(tmp_path):
    """Four models on six scenarios, of which one model lacks two, and the accuracies that HELM would show."""
    rng = np.random.default_rng(3)
    accuracy = np.full((len(MODELS), len(SCENARIOS)), np.nan)
    for t, scenario in enumerate(SCENARIOS):
        difficulty = rng.normal(size=30)
        for s, model in enumerate(MODELS):
            right = (difficulty + rng.normal(size=30) + 0.4 * s > 0).astype(float)
            if model == "org/two" and t in (1, 4):
                continue
            accuracy[s, t] = right.mean()
            made = [instance(f"id{k}", float(value)) for k, value in enumerate(right)]
            write(tmp_path, f"{scenario},model={model.replace('/', '_')}", made, model=model)
    return tmp_path, accuracy


def win_rates(accuracy):
    """HELM's mean win rate: of each scenario the share of the other models that a model beats, then the mean."""
    rates = []
    for row in accuracy:
        of_model = []
        for t, own in enumerate(row):
            others = accuracy[:, t][~np.isnan(accuracy[:, t])]
            if not np.isnan(own):
                # One of those that are equal is the model itself.
                of_model.append(((own > others).sum() + ((own == others).sum() - 1) / 2) / (len(others) - 1))
        rates.append(np.mean(of_model))
    return rates


def test_the_mean_win_rate_of_a_folder(helm):
    """By one metric of several, over the scenarios that each model has; a model's byte counts are no task."""
    folder, accuracy = helm
    with pytest.raises(bt.MissingScores, match="org/two"):
        bt.board(str(folder), metric="exact_match", by="mean_win_rate")
    board = bt.board(str(folder), metric="exact_match", by="mean_win_rate", missing="available")
    assert board.tasks == tuple(f"{name}: exact_match" for name in SCENARIOS)
    assert [board[model].strength for model in MODELS] == pytest.approx(win_rates(accuracy))
    complete = bt.board(str(folder), metric="exact_match", by="mean_win_rate", missing="drop")
    kept = [0, 2, 3, 5]
    assert [complete[model].strength for model in MODELS] == pytest.approx(win_rates(accuracy[:, kept]))


def test_the_command(helm, betterthan):  # noqa: F811
    """As in Python; a metric that no task has is named."""
    folder, accuracy = helm
    words = ("board", folder, "--metric", "exact_match", "--by", "mean-win-rate", "--missing", "available")
    said = betterthan(*words, "--json")
    assert said.code == 0, said.err
    found = json.loads(said.out)
    rates = dict(zip(MODELS, win_rates(accuracy), strict=True))
    assert found["strength"] == pytest.approx([rates[name] for name in found["systems"]])
    said = betterthan("board", folder, "--metric", "exact_mach")
    assert (said.code, 'Unknown metric "exact_mach". Did you mean "exact_match"?' in said.err) == (2, True)
