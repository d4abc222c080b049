"""The commands that explain: a pair, an agreement, a diagnosis, a problem code."""

from __future__ import annotations

import json

import pytest

import betterthan as bt
from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The example campaign as files."""
    folder = tmp_path_factory.mktemp("demo")
    write_campaign(folder, campaign())
    return folder


def test_a_pair_is_explained(betterthan, demo):
    """Table and words on stdout, nothing on stderr."""
    said = betterthan(
        "explain", demo / "human.csv", "Daphne", "Elm", "--source", demo / "texts" / "source.txt"
    )

    assert said.code == 0, said.err
    assert "Daphne" not in said.err
    assert said.out.startswith("Daphne against Elm: human, higher is better, 300 segments\n")
    assert "by length" in said.out


def test_the_json_is_the_result(betterthan, demo):
    """What Python returns is what the command prints."""
    said = betterthan("explain", demo / "human.csv", "Birch", "Cedar", "--json", "--alpha", 0.1)

    assert bt.Result.from_dict(json.loads(said.out)) == bt.explain(
        bt.read_scores(demo / "human.csv"), "Birch", "Cedar", alpha=0.1
    )


def test_groups_may_be_domains(betterthan, demo):
    """Any column can part the segments: Fern is good at health texts only."""
    said = betterthan(
        "explain", demo / "human.csv", "Fern", "Ginkgo", "--group", "domain", "--units", "segments"
    )

    assert said.code == 0, said.err
    assert "group manual" in said.out


def test_a_metric_where_lower_is_better(betterthan, demo):
    """The direction comes from the file's metric."""
    said = betterthan("explain", demo / "metrics.tsv", "Daphne", "Elm", "--metric", "TER")

    assert said.code == 0, said.err
    assert "lower (better) mean?" in said.out


def test_a_problem_code_is_explained_too(betterthan):
    """`explain BT101` is `check --explain BT101`."""
    said = betterthan("explain", "bt101")

    assert said == betterthan("check", "--explain", "BT101")
    assert said.code == 0
    assert said.out.startswith("BT101")
    assert betterthan("explain", "BT999").code == 2


def test_slips_are_met_with_help(betterthan, demo, tmp_path):
    """Two systems are needed, known ones, and as many source lines as segments."""
    human = demo / "human.csv"
    assert "Name two systems" in betterthan("explain", human).err
    assert "Name two systems" in betterthan("explain", human, "Elm").err
    assert 'Did you mean "Elm"' in betterthan("explain", human, "Elmo", "Fern").err
    short = tmp_path / "source.txt"
    short.write_text("one\ntwo\n", encoding="utf-8")
    said = betterthan("explain", human, "Elm", "Fern", "--source", short)
    assert said.code == 2
    assert "2 lines for 300 segments" in said.err


def test_ways_of_aggregating_are_compared(betterthan, demo):
    """Mean, median and Bradley–Terry by default."""
    said = betterthan("agree", demo / "human.csv", "--top", 2)

    assert said.code == 0, said.err
    assert "mean and Bradley–Terry" in said.out
    assert "same top 2" in said.out


def test_metrics_are_compared(betterthan, demo):
    """Several metrics by one method."""
    said = betterthan(
        "agree", demo / "metrics.tsv", "--metric", "chrF", "--metric", "TER", "--by", "mean", "--json"
    )

    assert said.code == 0, said.err
    assert json.loads(said.out)["rankings"] == ["chrF mean", "TER mean"]


def test_agree_answers_where_a_system_never_loses(betterthan, tmp_path):
    """With a prior that is mentioned, or with the one that is named; 0 refuses."""
    file = tmp_path / "never.csv"
    file.write_text("segment,A,B,C\n1,5,2,1\n2,5,1,2\n3,5,2,1\n4,5,3,4\n5,5,1,0\n")
    said = betterthan("agree", file)
    assert said.code == 0
    assert "A won all or none" in said.out + said.err
    assert betterthan("agree", file, "--prior", 2).code == 0
    assert betterthan("agree", file, "--prior", 0).code != 0
    for kind in ("agreement", "ranks"):
        drawn = betterthan("figure", kind, file, "-o", tmp_path / f"{kind}.svg")
        assert drawn.code == 0
        assert "prior 0.5" in drawn.err
        assert (tmp_path / f"{kind}.svg").exists()


def test_an_unknown_method_is_named(betterthan, demo):
    """A slip in --by is met with a suggestion."""
    said = betterthan("agree", demo / "human.csv", "--by", "meen", "--by", "mean")

    assert said.code == 2
    assert "meen" in said.err


def test_scores_are_diagnosed(betterthan, demo):
    """Measures and words."""
    said = betterthan("diagnose", demo / "metrics.tsv", "--metric", "chrF")

    assert said.code == 0, said.err
    assert said.out.startswith("Diagnosis of chrF\n")
    assert "8 systems × 300 segments of chrF" in said.out
