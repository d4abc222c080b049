"""An option that takes one value is not given twice: the first would be ignored without a word."""

from __future__ import annotations

import pytest

TABLE = "item,system,model,score\n1,A,X,1\n2,A,X,3\n1,B,Y,2\n2,B,Y,2\n"


@pytest.fixture
def table(tmp_path):
    """A long table with two columns that may hold the systems."""
    path = tmp_path / "scores.csv"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize(
    "words",
    [
        ("rank", "--item", "item", "--item", "system"),
        ("rank", "--item=item", "--item=system"),
        ("rank", "--seed", "1", "--seed", "1"),
        ("human", "da", "--score", "score", "--score", "item"),
        ("figure", "ranking", "-o", "a.svg", "--output", "b.svg"),
        ("meta", "--human", "a.csv", "--human", "b.csv"),
        ("check", "--item", "item", "--item", "system"),
        ("report", "--metric", "a", "--metric", "b"),
    ],
)
def test_an_option_with_one_value_is_given_once(betterthan, table, words):
    """In every command, also in those of groups, however the option is written."""
    said = betterthan(*words, table)
    assert said.code == 2
    assert "is given twice, and it takes one value" in said.err
    assert said.out == ""


def test_options_that_take_several_values_and_flags_may_be_repeated(betterthan, table):
    """--where and --only are lists; a flag that is given twice means the same as once."""
    said = betterthan(
        "rank", table, "--system", "system", "--where", "model=X", "--where", "model=Y", "--json", "--json"
    )
    assert said.code == 0, said.err
    assert betterthan("rank", "--help").code == 0
