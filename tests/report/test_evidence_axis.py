"""The axis of the evidence says what it counts."""

from __future__ import annotations

import betterthan as bt
from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign
from betterthan.report.figures.lines import evidence_picture


def test_judges_of_several_pairs_count_once_for_each(tmp_path):
    """Twelve judges who vote on 28 pairs are 336 units on the axis, which would read as 336 judges."""
    write_campaign(tmp_path, campaign())
    found = bt.watch(tmp_path / "battles.csv")
    assert (found.unit, found.n_units) == ("judges", 12 * 28)
    assert "judges, once for each pair" in evidence_picture(found)
    one = bt.watch(tmp_path / "battles.csv", systems=["Aster", "Hazel"])
    assert "once for each pair" not in evidence_picture(one)
