"""What all commands have in common: errors, signatures, standard output, systems left out."""

import csv
import io
import json
import math
import re
import warnings

import pytest

import betterthan as bt
from betterthan.cli.main import _show_warning
from betterthan.errors import BetterThanWarning
from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The example campaign."""
    folder = tmp_path_factory.mktemp("demo")
    write_campaign(folder, campaign())
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ("rank",),
        ("rank", "--nothing"),
        ("nothing",),
        ("rank", "x.csv", "--by", "nothing"),
        ("score", "nothing"),
        ("rank", "x.csv", "--seed", "1", "--seed", "2"),
    ],
)
def test_bad_use_has_the_style_of_all_errors(betterthan, arguments):
    """``error:`` and ``hint:``, one line each, as bad data have; no usage line before them."""
    said = betterthan(*arguments)
    assert said.code == 2
    error, hint = said.err.splitlines()
    assert error.startswith("error: ")
    assert re.fullmatch(r"hint: betterthan( \w+)* --help lists the options\.", hint)


def test_the_short_signature_names_what_was_changed(betterthan, demo):
    """And nothing else by name; a digest of all options, the data and the version are always there."""
    last = betterthan("rank", demo / "human.csv").out.splitlines()[-1]
    assert re.fullmatch(r"  betterthan\|mean\|n:300\|k:8\|options:\w{4}\|data:\w+\|version:[\w.]+", last)
    changed = betterthan("compare", demo / "human.csv", "--units", "segments", "--correction", "bonferroni")
    assert "|adjust:bonferroni|units:segments|options:" in changed.out.splitlines()[-1]


def test_convert_writes_csv_to_standard_output(betterthan, demo, tmp_path):
    """The bytes that a file would get."""
    said = betterthan("convert", demo / "human.csv", "-o", "-")
    assert said.code == 0
    betterthan("convert", demo / "human.csv", "-o", tmp_path / "tidy.csv")
    assert said.out == (tmp_path / "tidy.csv").read_text(encoding="utf-8")
    assert betterthan("convert", demo / "human.csv", "-o", "-", "--to", "mtme").code == 2


def test_methods_of_a_ranking_are_one_table(betterthan, demo):
    """CSV has one header and a column that names the method; JSON stays a list of results."""
    command = ("rank", demo / "human.csv", "--by", "mean", "--by", "bradley-terry")
    assert betterthan(*command).out.count("Hazel") == 1
    rows = list(csv.DictReader(io.StringIO(betterthan(*command, "-f", "csv").out)))
    assert [row["method"] for row in rows] == ["mean"] * 8 + ["bradley_terry"] * 8
    results = [bt.Result.from_dict(one) for one in json.loads(betterthan(*command, "--json").out)]
    assert [float(row["strength"]) for row in rows] == [x for one in results for x in one.strength.tolist()]


def test_an_anchor_is_fixed_and_intervals_are_of_differences(betterthan, demo):
    """The same numbers as the comparison with that system, on the scale of Elo."""
    table = bt.read_matches(demo / "battles.csv")
    said = betterthan("rank", demo / "battles.csv", "--anchor", "Fern", "--json")
    found = bt.Result.from_json(said.out)
    assert (found["Fern"].strength, found["Fern"].low, found["Fern"].high) == (1500, 1500, 1500)
    pair = bt.compare(table)["Aster", "Fern"]
    points = [1500 - 400 * math.log10(1 / p - 1) for p in (pair.low, pair.effect, pair.high)]
    aster = found["Aster"]
    assert [aster.low, aster.strength, aster.high] == pytest.approx(points, abs=1e-6)
    free = bt.rank(table, scale="elo")
    assert free["Aster"].strength - free["Fern"].strength == pytest.approx(aster.strength - 1500)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("battles.csv", "--anchor", "Frn"), 'Did you mean "Fern"?'),
        (("battles.csv", "--anchor", "Fern", "--scale", "share"), "Use --scale elo or --scale log."),
        (("human.csv", "--anchor", "Fern"), "--anchor Fern is for battles."),
        (("battles.csv", "--anchor", "Fern", "--by", "win-rate"), "--anchor Fern has no effect"),
    ],
)
def test_an_anchor_that_means_nothing_is_refused(betterthan, demo, monkeypatch, arguments, message):
    """Rather than ignored."""
    monkeypatch.chdir(demo)
    said = betterthan("rank", *arguments)
    assert said.code == 2
    assert message in said.err


def test_votes_are_counted(demo):
    """Each battle is one vote on both of its systems."""
    table = bt.read_matches(demo / "battles.csv")
    assert bt.rank(table).votes.sum() == 2 * table.n_matches
    assert bt.rank(bt.read_scores(demo / "human.csv")).votes is None


def test_a_report_leaves_out_systems_by_pattern(betterthan, demo, tmp_path):
    """From everything it computes; the command in it does the same, and a pattern that fits nothing is refused."""
    page = tmp_path / "report.html"
    said = betterthan("report", demo / "human.csv", "--leave-out", "[GH]*", "-o", page)
    assert said.code == 0, said
    text = page.read_text(encoding="utf-8")
    assert "--leave-out" in text
    assert "Systems left out on request: Ginkgo, Hazel." in text
    assert (
        'Unknown system "X*"' in betterthan("report", demo / "human.csv", "--leave-out", "X*", "-o", page).err
    )
    assert betterthan("report", demo / "battles.csv", "--leave-out", "A*", "-o", page).code == 2


def test_warnings_are_one_line_without_a_place_in_the_code(monkeypatch, capsys):
    """As errors are; warnings of other packages stay as Python writes them."""
    warnings.simplefilter("always")
    monkeypatch.setattr(warnings, "showwarning", _show_warning)
    warnings.warn(BetterThanWarning("The cache is full. Free some space."), stacklevel=1)
    assert capsys.readouterr().err == "warning: The cache is full. Free some space.\n"
