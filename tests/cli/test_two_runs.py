"""Two folders with the runs of a harness: compared on every task, and checked as one table."""

from __future__ import annotations

import json

import numpy as np
import pytest

import betterthan as bt

TASKS = {"arc": 0.9, "gsm8k": 0.0, "mmlu": -0.2}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Folders v1 and v2 of lm-evaluation-harness with three tasks each."""
    place = tmp_path_factory.mktemp("runs")
    for run in ("v1", "v2"):
        (place / run).mkdir()
        for t, (task, lead) in enumerate(TASKS.items()):
            difficulty = np.random.default_rng(t).normal(size=80)
            own = np.random.default_rng([t, run == "v2"]).normal(size=80) + (lead if run == "v2" else 0)
            rows = [
                {
                    "doc_id": j,
                    "doc": {},
                    "target": "A",
                    "arguments": [],
                    "resps": [["A"]],
                    "filtered_resps": ["A"],
                }
                | {"acc": float(right), "metrics": ["acc"], "filter": "none", "doc_hash": f"{task}{j}"}
                for j, right in enumerate(difficulty + own > 0)
            ]
            path = place / run / f"samples_{task}_2025-01-01T00-00-00.jsonl"
            path.write_text("\n".join(map(json.dumps, rows)) + "\n", encoding="utf-8")
    return str(place / "v1"), str(place / "v2")


def test_two_runs_are_compared_on_every_task(betterthan, runs):
    """One row per task, as the board of the two; one metric by name; an option of one metric needs one."""
    said = betterthan("compare", *runs, "--json")
    assert said.code == 0, said.err
    assert json.loads(said.out)["tasks"] == list(bt.board(*runs).tasks)
    text = betterthan("compare", *runs).out
    assert "v2 and v1 on 3 tasks" in text
    assert all(f"{task}: acc" in text for task in TASKS)
    assert "McNemar's exact test: gsm8k: acc" in betterthan("compare", *runs, "--metric", "gsm8k").out
    refused = betterthan("compare", *runs, "--test", "sign")
    assert (refused.code, "There are 3 metrics where one is needed" in refused.err) == (2, True)


def test_two_runs_are_checked_together(betterthan, runs):
    """Each holds one system, which is no problem where the other holds another."""
    said = betterthan("check", *runs)
    assert said.code == 0
    assert 'together: scores "arc: acc": 2 systems' in said.out
    assert betterthan("check", runs[0]).code == 1
