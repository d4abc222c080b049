"""``betterthan figure``: every kind from files, and from results that another command wrote."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET
from itertools import pairwise

import numpy as np
import pytest
from tests.made import drawn_scores
from tests.made_tags import drawn_tags
from tests.present.charts.pictures import mostly_slow, with_field

import betterthan as bt
from betterthan.cli.commands.figure import KINDS
from betterthan.cli.main import cli, main
from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign
from betterthan.present.charts.drawing import altair

META = ("metrics.tsv", "--human", "human.csv", "--resamples", 50)
# Each kind with what it is drawn from, and words that the picture must show.
CALLS = {
    "ranking": (("human.csv", "--resamples", 50), "Ranking by mean"),
    "pairs": (("human.csv", "--by", "win-rate"), "by permutation tests"),
    "scatter": (("human.csv", "--pair", "Aster", "Birch"), "Aster against Birch"),
    "differences": (("metrics.tsv", "--metric", "chrF", "--pair", "Aster", "Birch"), "difference in chrF"),
    "agreement": (("human.csv", "--resamples", 20), "mean and Bradley–Terry"),
    "ranks": (("human.csv", "--by", "mean", "--by", "median", "--resamples", 20), "Ranks by several methods"),
    "metrics": (META, "Which metrics differ significantly"),
    "soft-pairwise": ((*META, "--metric", "chrF"), "chrF and human judgments"),
    "contributions": ((*META, "--metric", "TER"), "Confidence per system pair: humans and TER"),
    "margins": (("human.csv",), "pairs kept"),
    "aggregation": (("a.txt", "b.txt", "--reference", "ref.txt", "--resamples", 20, "--by", "chrf"), "chrF2"),
    "confusion": (("gold.tags", "ours.tags", "base.tags"), "Confusion of word tags"),
    "spans": (("gold.tags", "ours.tags", "--segment", "2"), "segment 2"),
    "tags": (
        ("gold.tags", "ours.tags", "base.tags", "--resamples", 99, "--by", "f1-bad"),
        "Word tags by F1-BAD",
    ),
    "quality": (("true.hter", "ours=a.hter", "b.hter", "--resamples", 99), "RMSE (lower is better)"),
    "boards": (("battles.csv", "--by", "judge"), "Boards by judge"),
    "fragility": (("battles.csv",), "How firmly is Aster first?"),
    "tradeoffs": (("metrics.tsv", "--metric", "chrF", "--metric", "TER"), "Trade-off of chrF and TER"),
    "gate": (("human.csv", "--pair", "Birch", "Aster", "--margin", "2"), "Gate: Aster against Birch"),
    "judges": (("judged.csv",), "Do the judges agree?"),
    "diagnosis": (("metrics.tsv", "--metric", "TER"), "What kind of scores are these? TER"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The demo campaign, tags and three texts."""
    place = tmp_path_factory.mktemp("figures")
    write_campaign(place, campaign())
    tags = drawn_tags(2, 20)
    for name, bad in (("gold", tags.gold), ("base", tags.predicted[0]), ("ours", tags.predicted[1])):
        lines = [" ".join("BAD" if b else "OK" for b in bad[i:j]) for i, j in pairwise(tags.offsets)]
        (place / f"{name}.tags").write_text("\n".join(lines) + "\n")
    words = [" ".join(f"w{j}" for j in range(n)) for n in (tags.offsets[1:] - tags.offsets[:-1]).tolist()]
    (place / "test.mt").write_text("\n".join(words) + "\n")
    for name, text in (("ref", "the cat sat"), ("a", "the cat sat"), ("b", "a cat sits")):
        (place / f"{name}.txt").write_text(f"{text} on the mat\n{text} there today\n" * 5)
    rng = np.random.default_rng(5)
    truth = rng.random(30)
    for name, noise in (("true", 0.0), ("a", 0.1), ("b", 0.3)):
        (place / f"{name}.hter").write_text("".join(f"{x:.4f}\n" for x in truth + rng.normal(0, noise, 30)))
    rows = [
        f"{i},{system},{judge},{rng.normal(60, 10):.0f}"
        for i in range(12)
        for system in "AB"
        for judge in "xyz"
    ]
    (place / "judged.csv").write_text("item,system,judge,score\n" + "\n".join(rows) + "\n")
    return place


@pytest.fixture
def figure(folder, monkeypatch, capsys, tmp_path):
    """Call the command in the folder; the picture goes to a folder of the test's own."""
    monkeypatch.setenv("BETTERTHAN_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(folder)

    def call(*arguments, output="figure.svg"):
        with pytest.raises(SystemExit) as stopped:
            main([*map(str, arguments), "-o", str(tmp_path / output)])
        path = tmp_path / output
        return stopped.value.code, capsys.readouterr().err, path.read_bytes() if path.exists() else b""

    return call


def words_of(svg):
    """All words of a picture as one text."""
    return " ".join(ET.fromstring(svg).itertext())  # noqa: S314  (our own picture)


@pytest.mark.parametrize("kind", mostly_slow(CALLS, "ranking", "margins", "tags", "quality"))
def test_every_kind_is_drawn_from_files(figure, kind):
    """The verb runs, and the picture says what it shows."""
    arguments, shown = CALLS[kind]
    code, said, svg = figure("figure", kind, *arguments)
    assert code == 0, said
    assert said.rstrip().endswith("figure.svg")
    assert shown in words_of(svg)


def test_the_help_names_every_kind():
    """In words, because a list of choices would be broken within its names."""
    text = " ".join((cli.commands["figure"].help or "").split())
    named = text.split("KIND is one of ", 1)[1].split(".", 1)[0]
    assert re.split(r", | and ", named) == list(KINDS)


def test_a_result_written_by_another_command_is_drawn(figure):
    """With every option of that command; several in one file too."""
    assert figure("compare", "human.csv", "--test", "sign", output="r.json")[0] == 0
    path = str(
        figure("compare", "human.csv", "--test", "sign", output="r.json")[1].split("Wrote ")[1].strip()
    )
    code, said, svg = figure("figure", "pairs", path, "--theme", "dark")
    assert (code, "by sign tests" in words_of(svg)) == (0, True), said
    assert figure("figure", "ranking", path)[1].startswith(
        "error: A figure of ranking shows Ranking; the files hold pairwise."
    )


def test_several_results_in_a_file_stand_side_by_side(figure, tmp_path):
    """As ``rank --by … --by … --json`` writes them."""
    scores = drawn_scores(4, 20)
    several = [bt.rank(scores, by=by, n_resamples=20).to_dict() for by in ("mean", "median")]
    (tmp_path / "several.json").write_text(json.dumps(several))
    code, said, svg = figure("figure", "ranks", tmp_path / "several.json")
    assert code == 0, said
    assert {"mean", "median"} <= set(words_of(svg).split())
    code, said, _ = figure("figure", "ranking", tmp_path / "several.json", output="other.svg")
    assert (code, said) == (2, "error: A figure of ranking shows one result, and the files hold 2.\n")


def test_words_of_translations_stand_above_tags(figure):
    """From the file of translations."""
    code, said, svg = figure("figure", "spans", "gold.tags", "ours.tags", "--mt", "test.mt", "--segment", "1")
    assert code == 0, said
    assert {"w0", "w1", "w2"} <= set(words_of(svg).split())


@pytest.mark.slow
def test_files_stand_side_by_side_in_a_scatter(figure):
    """On the same axes."""
    code, said, svg = figure("figure", "scatter", "human.csv", "human.csv", "--pair", "Aster", "Elm")
    assert code == 0, said
    assert words_of(svg).count("Aster is better on") == 2


def test_the_numbers_are_those_of_the_verb(figure, folder):
    """JSON of the chart holds the strengths of the ranking."""
    code, said, content = figure("figure", "ranking", "human.csv", "--resamples", 50, output="f.json")
    assert code == 0, said
    result = bt.rank(bt.read_scores(folder / "human.csv"), n_resamples=50)
    drawn = with_field(altair().Chart.from_dict(json.loads(content)), "strength")
    assert [row["strength"] for row in drawn] == pytest.approx(result.strength.tolist(), rel=1e-9)


@pytest.mark.parametrize(
    ("arguments", "output", "message"),
    [
        (("ranking", "no-such-file.csv"), "figure.gif", 'error: Unknown suffix ".gif"'),
        (
            ("ranking", "human.csv", "human.csv"),
            "f.svg",
            "error: This figure is drawn from one file, and 2 are named.",
        ),
        (
            ("pairs", "human.csv", "--by", "mean", "--by", "median"),
            "f.svg",
            "error: This figure shows one method, and --by names 2.",
        ),
        (
            ("aggregation", "a.txt", "--reference", "ref.txt", "--by", "blue"),
            "f.svg",
            'error: Unknown metric "blue".',
        ),
        (
            ("ranking", "human.csv", "--pair", "A", "B"),
            "f.svg",
            'error: A chart of kind "ranking" takes no systems',
        ),
    ],
)
def test_mistakes_are_said_in_one_line(figure, arguments, output, message):
    """And nothing is written; a wrong suffix is said before anything is read."""
    code, said, content = figure("figure", *arguments, output=output)
    assert (code, content) == (2, b"")
    assert message in said


def test_units_are_chosen_as_the_note_says(figure):
    """The note names an option of the command line, and the command has it; where nothing reads it, it is refused."""
    code, said, _ = figure("figure", "pairs", "human.csv")
    assert code == 0, said
    assert "Use --units segments for single segments." in said
    code, said, _ = figure("figure", "pairs", "human.csv", "--units", "segments", output="other.svg")
    assert (code, "30 documents" in said) == (0, False), said
    code, said, _ = figure("figure", "margins", "human.csv", "--units", "segments", output="third.svg")
    assert (code, said) == (2, "error: --units changes nothing in a figure of margins. Leave it out.\n")


@pytest.mark.parametrize("kind", ["ranking", "pairs"])
def test_a_system_that_never_loses_is_drawn_with_a_prior(figure, folder, kind):
    """As `agree` ranks it, and as the note says; a prior of 0 is refused."""
    (folder / "never.csv").write_text("A,B,C\n9,2,3\n9,4,1\n9,3,5\n8,1,2\n7,3,2\n9,1,2\n")
    code, said, _ = figure("figure", kind, "never.csv", "--by", "bradley-terry")

    assert code == 0
    assert "prior 0.5" in said
    assert figure("figure", kind, "never.csv", "--by", "bradley-terry", "--prior", "0")[0] == 2


@pytest.mark.parametrize(("by", "name"), [("elo", "Elo"), ("trueskill", "TrueSkill")])
def test_pairs_say_by_which_mechanism_and_are_ordered_by_it(figure, folder, by, name):
    """The heading names it, and the rows are those of the ranking."""
    _, _, text = figure("figure", "pairs", "human.csv", "--by", by, "--resamples", 200, output="x.json")
    drawn = json.loads(text)
    ranked = bt.rank(bt.read_scores(folder / "human.csv"), by=by, n_resamples=200)

    assert drawn["title"]["text"] == f"Every pair: how often the row beats the column by {name}"
    listed = list(dict.fromkeys(row["row"] for row in drawn["layer"][0]["data"]["values"]))
    assert listed == list(ranked.systems)
