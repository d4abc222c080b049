"""A page stays small enough to be mailed, says what it leaves out, leads nowhere in vain, and runs no test twice."""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser

import numpy as np
import pytest
from tests.report.conftest import made_scores

import betterthan as bt
from betterthan.report.compose import compose
from betterthan.report.document import Fold
from betterthan.report.inputs import Once
from betterthan.report.page import page
from betterthan.report.payload import MOST_CELLS, fits, packed_tests, size_note
from betterthan.report.sections import data as files_module
from betterthan.report.sections.data import MOST_CSV, MOST_JSON, csv_files, embedded, files_section, fitting
from betterthan.report.sections.pairs import pairs_section


class Anchors(HTMLParser):
    """Ids, and where the links of the matrix lead."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.targets, self.inside = set(), [], False
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        """Note ids everywhere, and links in the matrix."""
        found = dict(attrs)
        self.ids.add(found.get("id"))
        self.inside |= found.get("id") == "matrix"
        if tag == "a" and self.inside:
            self.targets.append(found["href"])

    def handle_endtag(self, tag):
        """Leave the matrix with its table."""
        self.inside &= tag != "table"


class Listening:
    """Progress that remembers how many blocks of each job were computed, and how many were there already."""

    def __init__(self):
        self.jobs = []

    def start(self, total, label, *, done=0):
        """Remember the job."""
        self.jobs.append([label, total, done, 0])

    def advance(self, n=1):
        """Count."""
        self.jobs[-1][3] += n

    def finish(self):
        """Nothing remains to be done."""


def test_the_largest_are_left_out_until_the_rest_fits():
    """What fits stays whole; nothing stays when nothing fits."""
    sizes = {"a": 3, "b": 10, "c": 10, "d": 1}
    assert fitting(sizes, most=24) == set(sizes)
    assert fitting(sizes, most=23) == {"a", "b", "d"}
    assert fitting(sizes, most=10) == {"a", "d"}
    assert fitting(sizes, most=0) == set()


@pytest.fixture(scope="module")
def many():
    """All pairs of eighty systems: about 1.5 MB as JSON."""
    return bt.compare(made_scores(m=80, n=12), method="analytic", units="segments")


def test_a_result_too_large_for_the_page_is_named_with_its_command(many):
    """Neither JSON nor CSV of 3160 pairs fits; the section says so, and what writes them."""
    results = {"small": bt.diagnose(made_scores()), "pairs": many}
    files = csv_files(results)
    assert set(files) == {"small"}
    (_, note) = files_section(results, files).blocks
    assert re.search(
        r'"pairs" is too large for this page \([\d,]+ KB\)\. Write it with betterthan compare -o\.', note.text
    )
    (downloads,) = files_section({"small": results["small"]}, files).blocks
    assert downloads.names == ("small",)


def test_the_table_of_the_first_pairs_promises_no_file_that_is_left_out(many):
    """Neither the page with pairs.csv nor the one without it names the file beside the table."""
    section = pairs_section(many, unit="segment", any_pair=False)
    (table,) = next(block for block in section.blocks if isinstance(block, Fold)).blocks
    assert table.table.words[-1] == "The pairs of the best systems. For all 3,160, see Files."


def test_pairs_of_very_many_systems_are_not_written_out_to_be_measured(many, monkeypatch):
    """Their text alone would take gigabytes."""
    monkeypatch.setattr(files_module, "MOST_SYSTEMS", 50)
    monkeypatch.setattr(type(many), "columns", None)
    monkeypatch.setattr(type(many), "to_dict", None)
    results = {"small": bt.diagnose(made_scores()), "pairs": many}
    files = csv_files(results)
    assert set(files) == {"small"}
    (_, note) = files_section(results, files).blocks
    assert note.text == '"pairs" is too large for this page. Write it with betterthan compare -o.'


def test_many_systems_stay_under_two_megabytes():
    """The JSON of all pairs gives way to their CSV, which has all digits; the page says so."""
    report = compose(made_scores(m=66, n=12, digits=6), units="segments")
    text = page(report)
    assert len(text.encode()) < 2_000_000
    data = json.loads(re.search(r'id="results">(.*?)</script>', text, re.DOTALL).group(1))
    assert "pairs" not in data["results"]
    assert len(json.dumps(data["results"], ensure_ascii=False, separators=(",", ":")).encode()) <= MOST_JSON
    assert sum(len(text.encode()) for text in report.payload["csv"].values()) <= MOST_CSV
    assert "pairs" in report.payload["csv"]
    assert "pairs.csv has all its numbers" in text
    assert "pairs" in report.to_dict()["results"]  # only the page is bounded


def test_small_reports_leave_nothing_out(reports):
    """Every result is inside, and no sentence says otherwise."""
    for report in reports.values():
        assert embedded(report) == report.to_dict()
        assert set(report.payload["csv"]) == set(report.results)
        assert "too large" not in page(report)


def test_scores_too_many_to_be_drawn_are_said():
    """Beyond the bound no script draws any pair, and the section names the command that does."""
    at = bt.Scores(
        name="m",
        systems=["A", "B"],
        segments=map(str, range(MOST_CELLS // 2)),
        values=np.zeros((2, MOST_CELLS // 2)),
    )
    assert fits(at)
    assert size_note(at) == ""
    above = bt.Scores(
        name="m",
        systems=["A", "B"],
        segments=map(str, range(MOST_CELLS // 2 + 1)),
        values=np.zeros((2, MOST_CELLS // 2 + 1)),
    )
    assert not fits(above)
    assert size_note(above).startswith("With 150,002 scores, this page shows only the neighbors")


def test_packed_tests_are_read_back():
    """Four bytes a number hold effects and p-values to seven digits, in the order asked for."""
    import base64

    table = bt.compare(made_scores(m=3, n=9))
    order = ("S2", "S0", "S1")
    (packed,) = packed_tests([("mean", table)], order)
    at = [table.systems.index(name) for name in order]
    for key, matrix in (("effect", table.effect), ("p", table.pvalue), ("adjusted", table.adjusted)):
        found = np.frombuffer(base64.b64decode(packed[key]), dtype="<f4").reshape(3, 3)
        np.testing.assert_allclose(found, matrix[np.ix_(at, at)], rtol=1e-6)


@pytest.mark.parametrize("kind", ["scores", "battles", "texts", "tags"])
def test_without_scripts_every_cell_leads_to_its_pair(reports, folder, outputs, kind):
    """Neighbors to their section, others to their row of the table; no link leads nowhere."""
    report = reports[kind]
    if kind == "texts":
        report = compose(outputs, references=str(folder / "texts/reference.txt"))
    elif kind == "tags":
        names = ("gold", "Finch", "Heron", "Lark")
        report = compose([str(folder / "tags" / f"{name}.tags") for name in names])
    found = Anchors(page(report))
    m = len(report.results["pairs"].systems)
    assert m >= 3
    assert len(found.targets) == m * (m - 1)
    assert {target[1:] for target in found.targets} <= found.ids


@pytest.mark.slow
def test_cells_without_a_row_are_no_links():
    """Of 300 pairs the table shows 200; the cells of the others are text until a script makes them links."""
    report = compose(made_scores(m=25, n=12))
    found = Anchors(page(report))
    assert {target[1:] for target in found.targets} <= found.ids
    assert 400 <= len(found.targets) < 600


def test_the_row_of_a_cell_is_that_of_its_pair(reports):
    """The anchor (i, j) stands at the row with the systems i and j."""
    text = page(reports["battles"])
    systems = reports["battles"].results["pairs"].systems
    for i, j in ((0, 1), (1, 3), (2, 4)):
        row = re.search(rf'<tr id="row-{i}-{j}">(.*?)</tr>', text, re.DOTALL).group(1)
        assert re.findall(r'<td class="l[^"]*">([^<]*)</td>', row)[:2] == [systems[i], systems[j]]


def test_tests_are_run_once():
    """The matrix takes the tests of the ranking by means; win rates have their own; numbers are those of the verbs."""
    scores, heard = made_scores(m=4, n=40), Listening()
    report = compose(scores, progress=heard)
    tests = [job for job in heard.jobs if job[0] == "permutation tests"]
    assert len(tests) == 3
    assert [computed for _, _, _, computed in tests] == [tests[0][1], tests[1][1], 0]
    assert tests[2][2] == tests[2][1]
    assert report.results["ranking-mean"] == bt.rank(scores, by="mean", units="groups")
    assert report.results["pairs"] == bt.compare(scores, test="permutation", units="groups")


def test_what_is_held_is_bounded():
    """Beyond its room nothing more is held, and what is held comes back unchanged."""
    held = Once(most_bytes=100)
    held.save("a", {0: np.arange(5.0)})
    held.save("a", {1: {"x": np.arange(5.0)}})
    held.save("b", {0: np.arange(10.0)})
    assert sorted(held.load("a")) == [0, 1]
    assert held.load("a")[0].tolist() == [0, 1, 2, 3, 4]
    assert held.load("b") == {}


@pytest.mark.slow
def test_size_of_many_systems_on_two_thousand_segments():
    """Ten systems under 400 KB, sixty with long names under 2 MB."""
    assert len(page(compose(made_scores(m=10, n=2000, digits=6))).encode()) < 400_000
    names = [f"a-laboratory-with-a-long-name/translation-model-{i:02}-large" for i in range(60)]
    assert len(page(compose(made_scores(m=60, n=2000, digits=6, names=names))).encode()) < 2_000_000
