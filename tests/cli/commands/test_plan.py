"""betterthan plan: assumptions, pilots, every format, receipts and figures."""

import csv
import json

import pytest


@pytest.fixture
def pilot(tmp_path):
    """Two systems on sixty items, right or wrong."""
    lines = ["item,old,new", *(f"{i},{int(i % 10 < 6)},{int((i * 7) % 10 < 7)}" for i in range(60))]
    path = tmp_path / "pilot.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_assumptions_need_no_file(betterthan):
    """The first line is the answer."""
    said = betterthan("plan", "--discordance", "0.1", "--difference", "0.01")
    assert said.code == 0
    assert "8,032 items are needed." in " ".join(said.out.split())
    said = betterthan("plan", "--sd", "1", "--difference", "0.5", "--json")
    assert json.loads(said.out)["needed"] == [34.0]


def test_nothing_given_is_refused_with_the_options(betterthan):
    """As they are typed."""
    said = betterthan("plan")
    assert said.code == 2
    assert "--sd, --discordance, --ties" in said.err


def test_a_pilot_has_ranges(betterthan, pilot):
    """In every format; columns of the CSV file are fields of the rows."""
    said = betterthan("plan", pilot, "--difference", "0.05", "--format", "csv")
    (row,) = csv.DictReader(said.out.splitlines())
    assert float(row["low"]) < float(row["needed"]) < float(row["high"])
    for form, words in (("markdown", "| difference |"), ("latex", "\\toprule"), ("html", "<table")):
        assert words in betterthan("plan", pilot, "--format", form).out
    said = betterthan("plan", pilot, "--only", "new", "--only", "old")
    assert "new and old" in said.out


def test_a_result_can_be_verified_and_drawn(betterthan, pilot, tmp_path):
    """The receipt names what was assumed; figures of a pilot and of a result."""
    out = tmp_path / "plan.json"
    assert betterthan("plan", pilot, "--difference", "0.05", "--difference", "0.1", "-o", out).code == 0
    assert betterthan("verify", out, pilot).code == 0
    pytest.importorskip("altair")
    assert betterthan("figure", "power", out, "-o", tmp_path / "a.svg").code == 0
    assert betterthan("figure", "power", pilot, "-o", tmp_path / "b.svg").code == 0
