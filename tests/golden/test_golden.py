"""Numbers from elsewhere, each with its source: tables of books and papers, other programs, calculations by hand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.made import by_system, scores_of

import betterthan as bt

FILES = sorted(Path(__file__).parent.glob("*.json"))
CASES = {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in FILES}


@pytest.mark.parametrize("name", CASES)
def test_a_golden_number_says_where_it_is_from(name):
    """Five keys, none empty: a number without provenance is not a golden number."""
    case = CASES[name]

    assert list(case) == ["source", "where", "input", "expected", "tolerance"]
    assert all(case[key] for key in ("source", "where", "input", "expected"))


@pytest.mark.parametrize(
    "name", [name for name, case in CASES.items() if case["input"].get("verb") == "rank"]
)
def test_strengths(name):
    """Rank the scores; the strengths are those expected."""
    case = CASES[name]
    found = bt.rank(scores_of(case["input"]["scores"]), n_resamples=2, **case["input"]["options"])

    assert by_system(found) == pytest.approx(case["expected"]["strength"], abs=case["tolerance"])


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if "pair" in case["input"]])
def test_pairs(name):
    """Compare the scores; the numbers of the pair are those expected."""
    case = CASES[name]
    found = bt.compare(scores_of(case["input"]["scores"]), **case["input"]["options"])
    pair = found.pair(*case["input"]["pair"])

    for field, expected in case["expected"].items():
        assert getattr(pair, field) == pytest.approx(expected, abs=case["tolerance"]), field


@pytest.mark.parametrize("name", [name for name, case in CASES.items() if case["input"].get("adjusted")])
def test_adjusted(name):
    """Compare the scores; the adjusted p-values of all pairs are those expected."""
    case = CASES[name]
    found = bt.compare(scores_of(case["input"]["scores"]), **case["input"]["options"])

    for pair, expected in case["expected"].items():
        assert found.pair(*pair.split()).adjusted == pytest.approx(expected, abs=case["tolerance"])
