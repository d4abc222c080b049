"""What changed between two runs: by their numbers, whatever their files are called."""

from __future__ import annotations

import re

import pytest
from tests.web.conftest import NAMES, SCORES

from betterthan.web.details.comparing import compare_runs
from betterthan.web.render import HERE


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


@pytest.mark.parametrize(
    ("unit", "same"),
    [
        ("other, higher is better", True),
        ("human, lower is better", False),
        ("human, standardised, higher is better", False),
        ("Elo points", False),
    ],
)
def test_directions_and_scales_count_and_names_do_not(unit, same):
    """Strengths are subtracted only in one unit."""
    (found,) = compare_runs({"r": ranking()}, {"r": ranking(unit)})
    assert found.is_same_measure is same
    assert {move.change for move in found.moves} == ({0.0} if same else {None})
    assert compare_runs({"r": ranking()}, {"r": ranking(unit, method="median")})[0].is_same_measure is False


def test_a_name_may_have_commas():
    """The report says what its metric is called."""
    old = {"r": ranking("a, b, higher is better"), "pair": {"metric": "a, b"}}
    (found,) = compare_runs(old, {"r": ranking()})
    assert (found.is_same_measure, found.renamed) == (True, ("a, b", "human"))


def test_runs_without_a_common_system_say_so(site, done):
    """Instead of a table of dashes alone."""
    renamed = SCORES
    for name, other in zip(NAMES, ("Ann", "Bo", "Cy"), strict=True):
        renamed = renamed.replace(name, other)
    other = site.report({"human.csv": renamed})
    page = site.client.get(f"/compare/{done['id']}/{other['id']}").text
    assert "No system is in both runs" in page
    assert "No system is in both runs" not in site.client.get(f"/compare/{done['id']}/{done['id']}").text


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
