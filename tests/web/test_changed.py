"""What changed between two runs: by their numbers, whatever their files are called."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from tests.web.conftest import NAMES, SCORES
from tests.web.made_kinds import texts

import betterthan as bt
from betterthan.errors import TableError
from betterthan.tables.scores import Scores
from betterthan.web.details.comparing import compare_runs
from betterthan.web.render import HERE
from betterthan.web.worker.changes import changes


def ranking(unit="human, higher is better", systems=("A", "B"), **more):
    """A ranking as plain data."""
    n = len(systems)
    return {
        "kind": "ranking",
        "method": "mean",
        "unit": unit,
        "systems": list(systems),
        "rank": list(range(1, n + 1)),
        "strength": [float(n - i) for i in range(n)],
        "low": [n - i - 0.25 for i in range(n)],
        "high": [n - i + 0.25 for i in range(n)],
        "settings": {"options": {}},
    } | more


def test_a_file_of_another_name_is_the_same_measure(site, done):
    """The metric is named after the file, and its numbers are the same; the names are told."""
    other = site.report({"people.csv": SCORES})
    found = site.client.get(f"/api/v1/compare/{done['id']}/{other['id']}").json()
    assert "ranking-mean" in {one["result"] for one in found}
    assert {one["is_same_measure"] for one in found} == {True}
    assert {tuple(one["renamed"]) for one in found} == {("human", "people")}
    assert {move["change"] for one in found for move in one["moves"]} == {0.0}
    page = site.client.get(f"/compare/{done['id']}/{other['id']}").text
    assert "The metric is called human before and people after." in page
    assert "cannot be subtracted" not in page
    assert re.findall(r"<h(\d)", page)[:3] == ["1", "2", "2"]
    assert NAMES[1] in page


def measured(metric, direction):
    """What a worker stores about a ranking that is called "r"."""
    return {"metric": metric, "direction": direction}


@pytest.mark.parametrize(
    ("later", "measure", "same"),
    [
        ({}, measured("other", "higher"), True),
        ({}, measured("human", "lower"), False),
        ({"method": "median"}, measured("human", "higher"), False),
        ({"settings": {"options": {"scale": "elo"}}}, measured("human", "higher"), False),
    ],
    ids=["another name", "another direction", "another method", "another scale"],
)
def test_methods_directions_and_scales_count_and_names_do_not(later, measure, same):
    """Strengths are subtracted only where they measure the same."""
    changes = {"measures": {"r": [measured("human", "higher"), measure]}}
    (found,) = compare_runs({"r": ranking()}, {"r": ranking(**later)}, changes)
    assert found.is_same_measure is same
    assert {move.change for move in found.moves} == ({0.0} if same else {None})
    assert found.renamed == (None if measure["metric"] == "human" else ("human", "other"))


def test_a_name_may_have_commas_and_words_of_a_direction():
    """What is measured is data: no name is taken for anything else."""
    odd = "a, b, lower is better"
    changes = {"measures": {"r": [measured(odd, "higher"), measured("human", "higher")]}}
    (found,) = compare_runs({"r": ranking(f"{odd}, higher is better")}, {"r": ranking()}, changes)
    assert (found.is_same_measure, found.renamed) == (True, (odd, "human"))


def change_test(effect, *, is_significant):
    """The test of a system as a worker stores it."""
    numbers = {"effect": effect, "low": effect - 1, "high": effect + 1, "pvalue": 0.01, "adjusted": 0.02}
    return {**numbers, "is_significant": is_significant, "n_segments": 9, "units": "segments"}


@pytest.mark.parametrize(
    ("effects", "words"),
    [
        ({"A": 2.0}, "A improved significantly."),
        ({"A": -2.0}, "A became significantly worse."),
        ({"A": 0.0}, "A did not change significantly."),
        ({"A": 0.0, "B": 0.0}, "None of the 2 systems in both runs changed significantly."),
        (
            {"A": 2.0, "B": 0.0},
            "Of the 2 systems in both runs, 1 (A) improved significantly and none became significantly worse.",
        ),
        (
            {"A": 2.0, "B": -1.0, "C": 1.0, "D": 3.0, "E": 4.0},
            "Of the 5 systems in both runs, 4 improved significantly and 1 (B) became significantly worse.",
        ),
    ],
)
def test_the_tests_are_summed_up_in_a_sentence(effects, words):
    """How many systems improved and became worse, and which where they are few."""
    one = {"r": ranking(systems=tuple(effects))}
    systems = {name: change_test(effect, is_significant=effect != 0) for name, effect in effects.items()}
    (found,) = compare_runs(one, one, {"tests": {"r": {"systems": systems, "note": ""}}})
    assert found.summary == words


def test_runs_without_a_common_system_say_so(site, done):
    """Instead of a table of dashes alone."""
    renamed = SCORES
    for name, other in zip(NAMES, ("Ann", "Bo", "Cy"), strict=True):
        renamed = renamed.replace(name, other)
    other = site.report({"human.csv": renamed})
    page = site.client.get(f"/compare/{done['id']}/{other['id']}").text
    assert "No system is in both runs" in page
    assert "No system is in both runs" not in site.client.get(f"/compare/{done['id']}/{done['id']}").text


def scores_csv(values, names=("A", "B", "C"), documents=0):
    """A wide table of the segments s0, s1, …, in so many documents."""
    head = "segment," + ("doc," if documents else "") + ",".join(names) + "\n"
    lines = (
        f"s{j},"
        + (f"d{j % documents}," if documents else "")
        + ",".join(f"{value:.3f}" for value in row)
        + "\n"
        for j, row in enumerate(np.transpose(values))
    )
    return head + "".join(lines)


def by_mean(site, before, after):
    """The moves of the ranking by means."""
    found = site.client.get(f"/api/v1/compare/{before['id']}/{after['id']}").json()
    return next(one for one in found if one["result"] == "ranking-mean")


def test_a_small_rise_on_every_segment_is_significant(site):
    """Segments differ by tens and every score rises by one: the intervals overlap, and the paired test sees it."""
    values = np.random.default_rng(3).normal(60, 15, (3, 40))
    risen = values + np.array([[1.0], [0.0], [-1.0]]) * np.random.default_rng(4).uniform(0.5, 1.5, (3, 40))
    first, second = (site.report({"human.csv": scores_csv(v)}) for v in (values, risen))
    found = by_mean(site, first, second)
    moves = {move["system"]: move for move in found["moves"]}
    places = moves["A"]["before"], moves["A"]["after"]
    assert places[0]["high"] > places[1]["low"]  # the intervals overlap
    assert [moves[name]["test"]["is_significant"] for name in "ABC"] == [True, False, True]
    assert found["note"] == "P-values are adjusted for 3 systems by Holm's method."
    page = site.client.get(f"/compare/{first['id']}/{second['id']}").text
    assert (page.count("▲ better"), page.count("▼ worse")) == (1, 1)
    both = Scores(
        name="m",
        systems=["before", "after"],
        segments=[f"s{j}" for j in range(40)],
        values=np.round([values[0], risen[0]], 3),
    )
    expected = bt.compare(both, rng=12345).pair("after", "before")
    for name in ("effect", "low", "high", "pvalue"):
        assert moves["A"]["test"][name] == pytest.approx(getattr(expected, name), rel=1e-9)
    back = by_mean(site, second, first)
    turned = next(move for move in back["moves"] if move["system"] == "A")["test"]
    assert turned["effect"] == pytest.approx(-moves["A"]["test"]["effect"])
    assert turned["pvalue"] == pytest.approx(moves["A"]["test"]["pvalue"])


def test_only_segments_in_both_runs_are_tested():
    """Others, and those where a score is missing, are left out."""
    values = np.random.default_rng(5).normal(size=(1, 30))
    names = [f"s{j}" for j in range(30)]
    old = Scores(name="m", systems=["A"], segments=names[:25], values=values[:, :25])
    later = values[:, 5:].copy() + 1
    later[0, 3] = np.nan
    new = Scores(name="m", systems=["A"], segments=names[5:], values=later)
    found, note = changes(old, new)
    assert (found["A"]["effect"], found["A"]["n_segments"], note) == (pytest.approx(1.0), 19, "")
    with pytest.raises(TableError, match="share no segment"):
        changes(old.select(segments=names[:3]), new)


def test_few_documents_cannot_show_a_change_of_several_systems():
    """Six documents: Holm's correction for three systems cannot be passed, and the note says so."""
    values = np.random.default_rng(6).normal(size=(3, 24))
    groups = [f"d{j // 4}" for j in range(24)]
    old = Scores(
        name="m", systems=["A", "B", "C"], segments=[str(j) for j in range(24)], values=values, groups=groups
    )
    found, note = changes(old, replace(old, values=values + 0.5))
    assert {test["pvalue"] for test in found.values()} == {2 / 2**6}
    assert {test["adjusted"] for test in found.values()} == {3 * 2 / 2**6}
    assert {test["units"] for test in found.values()} == {"groups"}
    assert not any(test["is_significant"] for test in found.values())
    assert note == (
        "P-values are adjusted for 3 systems by Holm's method. With 6 units, none of the changes could be significant."
    )
    alone, note = changes(old.select(["A"]), replace(old, values=values + 0.5))
    assert alone["A"]["is_significant"]
    assert note == ""


def test_one_system_with_few_scores_leaves_the_others_adjusted():
    """Five scores of one system say nothing about two others with thirty."""
    values = np.random.default_rng(7).normal(size=(3, 30))
    values[2, 5:] = np.nan
    old = Scores(name="m", systems=["A", "B", "C"], segments=[str(j) for j in range(30)], values=values)
    noise = np.random.default_rng(8).normal(size=values.shape)
    found, note = changes(old, replace(old, values=values + noise))
    raw = [found[name]["pvalue"] for name in "ABC"]
    assert [found[name]["adjusted"] for name in "ABC"] == pytest.approx(multipletests(raw, method="holm")[1])
    assert note == "P-values are adjusted for 3 systems by Holm's method."


def test_texts_are_tested_by_their_pooled_score(site):
    """Two uploads of outputs, of which one system was improved."""
    given = texts()
    better = given | {"Second.txt": given["reference.txt"]}
    first, second = (site.report(files) for files in (given, better))
    found = site.client.get(f"/api/v1/compare/{first['id']}/{second['id']}").json()
    assert [one["result"] for one in found] == ["scores-chrf", "scores-bleu", "scores-ter"]
    for one in found:
        moves = {move["system"]: move for move in one["moves"]}
        assert moves["Second"]["test"]["is_significant"]
        assert moves["Second"]["test"]["effect"] > 0  # better, also where lower is better
        assert not moves["script_"]["test"]["is_significant"]


def test_what_changed_goes_with_the_earlier_run(site):
    """A deleted run leaves nothing in the folders of others."""
    first, second = (site.report({"human.csv": SCORES}) for _ in range(2))
    by_mean(site, first, second)
    answers = site.folder / "runs" / second["id"] / "answers"
    assert len(list(answers.glob(f"changes-{first['id']}-*"))) == 1
    assert site.client.delete(f"/api/v1/runs/{first['id']}").status_code == 204
    assert list(answers.glob("changes-*")) == []


def luminance(colour: str) -> float:
    """WCAG 2.2's relative luminance."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_delete_buttons_can_be_read(site):
    """Contrast of at least 4.5 to 1 on the buttons' ground, light and dark (WCAG 2.2, 1.4.3)."""
    style = (HERE / "static" / "app.css").read_text()
    assert len(re.findall(r"button\.danger\{color:var\(--danger\)", style)) == 2
    grounds = re.findall(r"--panel:(#\w+)", site.client.get("/static/report.css").text)[:2]
    full = [ground if len(ground) == 7 else "#" + "".join(2 * c for c in ground[1:]) for ground in grounds]
    colours = re.findall(r"--danger:(#\w{6})", style)
    assert len(full) == len(colours) == 2
    for ground, colour in zip(full, colours, strict=True):
        bright, dark = sorted((luminance(ground), luminance(colour)), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 4.5, (ground, colour)
