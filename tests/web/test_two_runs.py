"""Two files, each with the answers of one system: what they are together is checked, and not each by itself."""

from __future__ import annotations

import json

import numpy as np

from betterthan.report.compose import compose


def answers(seed: int) -> str:
    """Items with an id, a score and a time, as a harness writes them."""
    draw = np.random.default_rng(seed).random((40, 2)).tolist()
    rows = ({"id": f"q{i}", "correct": int(u < 0.6), "latency": round(v, 2)} for i, (u, v) in enumerate(draw))
    return "".join(json.dumps(row) + "\n" for row in rows)


FILES = {"base.jsonl": answers(1), "new.jsonl": answers(2)}


def test_runs_are_checked_together(site):
    """A column named like a metric is no problem, because no column is a system."""
    run = site.report(FILES)
    assert run["state"] == "done", run["problem"]
    page = site.client.get(f"/new/{run['id']}").text
    assert "Each file is the run of one system." in page
    assert "2 systems × 40 segments" in page
    assert "BT210" not in page
    assert "BT210" not in site.client.get(f"/runs/{run['id']}").text


def test_the_report_of_the_command_line_agrees(tmp_path):
    """One line on both files, and no problem that each would have alone."""
    paths = []
    for name, text in FILES.items():
        (tmp_path / name).write_text(text)
        paths.append(tmp_path / name)
    report = compose(paths)
    data = next(section for section in report.sections if section.key == "data")
    codes = [item.code for item in data.blocks[0].items]
    assert not any(codes)
