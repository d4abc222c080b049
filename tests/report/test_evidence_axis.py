"""The axis of the evidence says what it counts."""

from __future__ import annotations

import betterthan as bt
from betterthan.report.figures.evidence import evidence_picture


def votes(systems: str) -> str:
    """Battles of all pairs, in which four judges vote twice on each pair."""
    pairs = [(a, b) for i, a in enumerate(systems) for b in systems[i + 1 :]]
    rows = [f"q{k}{a}{b},{a},{b},left,judge{k // 2}\n" for k in range(8) for a, b in pairs]
    return "question,left,right,winner,judge\n" + "".join(rows)


def test_judges_of_several_pairs_count_once_for_each(tmp_path):
    """Four judges who vote on three pairs are twelve units on the axis, which would read as twelve judges."""
    path = tmp_path / "votes.csv"
    path.write_text(votes("ABC"))
    found = bt.watch(path)
    assert found.unit == "judges"
    assert found.n_units == 12
    assert "judges, once for each pair" in evidence_picture(found)


def test_of_one_pair_the_unit_is_enough(tmp_path):
    """Every judge is counted once."""
    path = tmp_path / "votes.csv"
    path.write_text(votes("AB"))
    assert "once for each pair" not in evidence_picture(bt.watch(path))
