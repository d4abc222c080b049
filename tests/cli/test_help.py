"""The help of a command: what it is about first, what it shares with others under headings of their own."""

from __future__ import annotations

import pytest

from betterthan.cli.help_sections import ABOUT_FILE, COMPUTING, OUTPUT
from betterthan.cli.main import cli

SHARED = (ABOUT_FILE, COMPUTING, OUTPUT)


def test_own_options_come_first(betterthan):
    """Then the file, the computation and the output."""
    text = betterthan("rank", "--help").out
    places = [text.index(f"\n{title}:") for title in ("Options", *SHARED)]
    assert places == sorted(places)
    own, about, computing, output = (
        text[start:end] for start, end in zip(places, [*places[1:], len(text)], strict=True)
    )
    assert "--by" in own
    assert "--winner-label" in about
    assert "--seed" in computing
    assert "--json" in output
    assert "--help" in output


@pytest.mark.parametrize("name", sorted(cli.commands))
def test_no_option_is_lost(betterthan, name):
    """Each is shown once, unless it means nothing to the command."""
    text = betterthan(name, "--help").out
    for option in cli.commands[name].params:
        if option.param_type_name == "option":
            is_shown = any(option.opts[-1] in line.replace(",", "").split()[:2] for line in text.split("\n"))
            assert is_shown is not option.hidden, option.opts


@pytest.mark.parametrize(
    ("name", "hidden", "shown"),
    [
        ("boards", "--score", "--winner"),
        ("voters", "--lower-is-better", "--left"),
        ("explain", "--winner-label", "--score"),
        ("board", "--both-bad", "--lower-is-better"),
    ],
)
def test_options_of_other_data_are_not_listed(betterthan, name, hidden, shown):
    """Battles have no column of scores, and scores have no winners; the options are still accepted."""
    text = betterthan(name, "--help").out
    assert f"  {hidden} " not in text
    assert f"  {shown} " in text
    assert any(hidden in option.opts for option in cli.commands[name].params)


def test_a_mistyped_choice_suggests_the_nearest(betterthan, tmp_path):
    """As a mistyped name of a system does."""
    path = tmp_path / "scores.csv"
    path.write_text("item,A,B\n1,2,3\n2,3,5\n")
    assert "Did you mean 'wilcoxon'?" in betterthan("compare", path, "--test", "wilcoxn").err
    assert "Did you mean 'win-rate'?" in betterthan("rank", path, "--by", "win_rat").err
    assert "Did you mean" not in betterthan("compare", path, "--test", "q").err


def test_boards_of_scores_are_refused_in_words(betterthan, tmp_path):
    """With what boards are for, and another way to look at a part of the data."""
    path = tmp_path / "scores.csv"
    path.write_text("item,topic,A,B\n1,x,2,3\n2,y,3,5\n")
    said = betterthan("boards", path, "--by", "topic")
    assert said.code == 2
    assert "Boards by category are for battles" in said.err
    assert "--where topic=VALUE" in said.err
