"""Scores of a judge and human labels of some items, uploaded together."""

from __future__ import annotations

import json

import numpy as np

import betterthan as bt


def test_an_upload_of_judge_and_labels_is_corrected(site, tmp_path):
    """The look takes labels for human scores; the report has the corrected means of the verb, weights included."""
    rng = np.random.default_rng(1)
    quality = rng.normal(size=(3, 90)) - 0.6 * np.arange(3)[:, None]
    said = quality + 0.4 * rng.normal(size=(3, 90)) + np.array([[0.0], [0.0], [2.0]])
    judge, labels = ["system,item,score"], ["system,item,label,weight"]
    for k, system in enumerate(("A", "B", "C")):
        for i in range(90):
            judge.append(f"{system},q{i},{said[k, i]:.3f}")
            if i < 40:
                labels.append(f"{system},q{i},{quality[k, i]:.3f},{1 + i % 3}")
    files = {"judge.csv": "\n".join(judge), "labels.csv": "\n".join(labels)}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    expected = bt.correct(tmp_path / "judge.csv", tmp_path / "labels.csv")
    run = site.report(files)
    assert run["state"] == "done", run
    found = json.loads(site.client.get(f"/runs/{run['id']}.json").text)["results"]["corrected"]
    assert found["mean"] == expected.mean.tolist()
    assert found["is_weighted"]
    assert "Can judge be trusted?" in site.client.get(f"/runs/{run['id']}").text
