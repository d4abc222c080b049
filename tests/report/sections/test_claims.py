"""The section on other analyses of the first place."""

from __future__ import annotations

import numpy as np
import pytest

import betterthan as bt
from betterthan.report.compose import compose
from betterthan.report.sections import sureness as claims


@pytest.mark.parametrize("most", [100, 120])
def test_the_first_place_is_analyzed_in_every_way(tmp_path, monkeypatch, most):
    """Where the table is not too large."""
    monkeypatch.setattr(claims, "_MOST_SCORES", most)
    rng = np.random.default_rng(1)
    columns = {name: rng.normal(size=40).round(3) + shift for name, shift in (("A", 0.9), ("B", 0), ("C", 0))}
    path = tmp_path / "scores.csv"
    bt.write_table(bt.read_scores(columns), path)
    found = [section for section in compose([path]).sections if section.key == "claim"]
    assert len(found) == (most == 120)
    for section in found:
        assert "survive other choices of analysis" in section.title
        assert "analyses" in section.lead
