"""What studies say of the claims of a paper."""

from __future__ import annotations

import pytest

from betterthan.studies.catalogue import STUDIES
from betterthan.studies.claims import IN_PART, UNKNOWN, Claim, claims_table, conclusion, holds_in
from betterthan.studies.study import study


def test_one_sentence_says_whether_claims_hold():
    """None known, one, several with exceptions, all."""
    yes, no = Claim("one", "1", True, ""), Claim("two", "2", False, "")
    part, unknown = Claim("three", "3", IN_PART, ""), Claim("four", "4", UNKNOWN, "")
    assert conclusion([unknown]) == "This data cannot check the claims of the paper."
    assert conclusion([no, unknown]) == "The claim of the paper does not hold on this data: two."
    assert conclusion([part]) == "The claim of the paper holds in part on this data: three."
    assert conclusion([yes, yes]) == "Of 2 claims of the paper that this data can check, all hold."
    assert conclusion([yes, no, part]) == (
        "Of 3 claims of the paper that this data can check, 1 holds. Not: two. In part: three."
    )
    assert conclusion([no, no]).startswith("Of 2 claims of the paper that this data can check, none holds.")
    assert claims_table([yes, part]).rows == (("One", "1", "yes", ""), ("Three", "3", "in part", ""))


@pytest.mark.parametrize(
    ("holding", "n", "expected"), [(2, 2, True), (0, 2, False), (1, 2, IN_PART), (0, 0, UNKNOWN)]
)
def test_a_claim_may_hold_in_some_cases(holding, n, expected):
    """All, none, some, and no case at all."""
    assert holds_in(holding, n) == expected


@pytest.mark.parametrize(
    "name", [name for name, entry in STUDIES.items() if entry.cost in ("no time at all", "a second")]
)
def test_a_study_begins_with_its_conclusion(name):
    """The last table has the claims, and the first sentence counts them."""
    found = study(name, quick=True, workers=1)
    claims = found.table("claims")
    assert found.tables[-1] == claims
    assert set(claims.column("holds")) <= {"yes", "no", IN_PART, UNKNOWN}
    assert "of the paper" in found.sentences[0]
