"""Battles written as tidy rows keep what they had."""

from __future__ import annotations

import csv

import betterthan as bt


def test_covariates_are_written_beside_the_battles(tmp_path):
    """Nothing that a battle hangs on is lost on the way to a file."""
    matches = bt.Matches(
        systems=["A", "B"],
        left=[0, 1],
        right=[1, 0],
        outcome=[1, 0.5],
        covariates=[[2.5, 1], [-1.0, 0]],
        covariate_names=["length", "weight"],
    )

    bt.write_table(matches, tmp_path / "battles.csv")

    with (tmp_path / "battles.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert [(float(row["length"]), float(row["covariate weight"])) for row in rows] == [(2.5, 1), (-1, 0)]
    assert [row["a"] for row in rows] == ["A", "B"]
