"""Pages that people read: one segment at a time, many files as one table, the list of runs, the API."""

from __future__ import annotations

import html
import json
import re
import shutil
import subprocess
import sys

import numpy as np
import pytest
from tests.web.conftest import NAMES, SCORES
from tests.web.made_kinds import battles, texts

from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts
from betterthan.web.details.battle_list import BATTLE_ORDERS
from betterthan.web.details.items import Filter, items_page
from betterthan.web.details.segments import marked_pieces, place_in_list, segment_reading
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.run import RunRecord, new_id
from betterthan.web.runs.saved_tables import SavedTables, save_tables, stamp_of
from betterthan.web.runs.store import RunStore


@pytest.fixture
def sixty(tmp_path):
    """The folder and the tables of a run of 60 systems with texts, ranked from the last to the first."""
    systems = [f"S{i:02}" for i in range(60)]
    segments = [f"s{j}" for j in range(7)]
    values = np.random.default_rng(1).normal(size=(60, 7))
    scores = Scores(name="m", systems=systems, segments=segments, values=values)
    outputs = [[f"word{i} of {j}" for j in range(7)] for i in range(60)]
    all_texts = Texts(systems=systems, segments=segments, outputs=outputs, references=[["word3 of it"] * 7])
    folder = RunFolder(tmp_path, new_id())
    folder.make()
    saved = SavedTables(scores=(scores,), texts=all_texts, ranked=tuple(reversed(systems)))
    save_tables(saved, folder)
    return folder, saved


def test_a_segment_of_sixty_systems_is_read_from_end_to_end(sixty):
    """Next leads through all segments in order; all systems are on the strip, the best first."""
    folder, saved = sixty
    (scores,) = saved.scores
    assert saved.top_pair(scores.systems) == ("S59", "S58")
    filters = Filter(a="S59", b="S58", order="largest")
    gaps = np.abs(scores.values[59] - scores.values[58])
    expected = [scores.segments[j] for j in np.argsort(-gaps, kind="stable")]
    segment, seen = "", []
    while segment is not None:
        place = place_in_list(folder, stamp_of(folder), scores, filters, segment=segment, per_page=50)
        reading = segment_reading(folder, stamp_of(folder), scores, filters, place)
        seen.append(reading.item.segment)
        assert (reading.number, reading.total) == (len(seen), 7)
        assert reading.previous == (seen[-2] if len(seen) > 1 else None)
        shown = [one.score for one in reading.systems]
        assert shown == sorted(scores.values[:, scores.segments.index(seen[-1])], reverse=True)
        assert len(reading.other_outputs) == 58
        assert (reading.systems[0].place, reading.systems[-1].place) == (98.0, 2.0)
        segment = reading.following
    assert seen == expected


def test_a_segment_that_the_filter_leaves_out_is_not_read(sixty):
    """The first one of the list is; and where nothing fits there is none."""
    folder, saved = sixty
    (scores,) = saved.scores
    filters = Filter(a="S59", b="S58", find="s3")
    place = place_in_list(folder, stamp_of(folder), scores, filters, segment="s0", per_page=50)
    assert segment_reading(folder, stamp_of(folder), scores, filters, place).item.segment == "s3"
    nothing = Filter(a="S59", b="S58", find="no such words")
    assert place_in_list(folder, stamp_of(folder), scores, nothing, segment="", per_page=50) is None


def test_words_are_found_in_ids_and_texts(sixty):
    """Of any system, in letters of either case."""
    _, saved = sixty
    (scores,) = saved.scores
    for needle, expected in (("WORD7 of 5", {"s5"}), ("s6", {"s6"}), ("word3 of it", set(scores.segments))):
        found = items_page(scores, Filter(a="S01", b="S02", find=needle), saved.texts)
        assert {item.segment for item in found.items} == expected
    assert items_page(scores, Filter(a="S01", b="S02", find="WORD7")).total == 0  # no texts, no words


@pytest.mark.parametrize(
    ("text", "other", "reference"),
    [
        ("a b c", "a x c", "a b z"),
        ("一二三", "一二四", "五二三"),
        ("same", "same", "same"),
        ("  spaced   out ", "spaced out", "spaced"),
        ("", "x", "y"),
    ],
)
def test_marks_leave_the_text_as_it_is(text, other, reference):
    """Pieces put together are the text; spaces are never marked; equal texts have no marks."""
    pieces = marked_pieces(text, other, reference)
    assert "".join(piece.text for piece in pieces) == text
    assert not [p for p in pieces if (p.differs or p.is_unreferenced) and any(map(str.isspace, p.text))]
    assert not any(piece.differs for piece in marked_pieces(text, text, reference))


def test_segments_begin_with_the_two_best_and_the_largest_difference(site, done):
    """Without any filter; the API goes on to list them as in the file."""
    page = site.client.get(f"/runs/{done['id']}/items").text
    results = site.client.get(f"/runs/{done['id']}.json").json()["results"]
    best = results["ranking-mean"]["systems"][:2]
    assert [html.unescape(name) for name in re.findall(r'class="name">(.*?)</span>', page)] == best
    differences = re.findall(r'<td class="b">([^<]*)</td>', page)
    sizes = [abs(float(text.replace("−", "-"))) for text in differences]
    assert len(sizes) == 24
    assert sizes == sorted(sizes, reverse=True)


def test_many_files_are_one_table(site):
    """Headed by what they are; each with its role and rows."""
    given = texts()
    run_id = site.upload(given)
    answer = site.client.get(f"/new/{run_id}")
    assert '<p class="lead">2 systems, 1 reference, 1 source</p>' in answer.text
    assert answer.text.count('<select name="part-') == len(given)
    table = re.search(r'<table class="data files.*?</table>', answer.text, re.DOTALL)[0]
    assert table.count("<tr>") == 1 + len(given)
    assert table.count('<td data-v="12">12</td>') == len(given)


def test_the_form_keeps_the_units_that_the_data_have(site):
    """What nobody changed is sent as it was: documents, where they are known."""
    run_id = site.upload({"human.csv": SCORES})
    page = site.client.get(f"/new/{run_id}").text
    units = re.search(r'<select name="units">(.*?)</select>', page)[1]
    assert re.findall(r'value="(\w+)" selected', units) == ["auto"]


@pytest.mark.parametrize(
    ("find", "expected"), [("aster", {"A", "B"}), ("50%", {"C"}), ("_", {"B"}), ("digest", set())]
)
def test_runs_are_found_by_title_verdict_and_file(tmp_path, find, expected):
    """Signs are taken as they are, and what a file is kept under is not searched."""
    runs = RunStore(tmp_path / "runs.sqlite")
    for i, (title, verdict) in enumerate(
        {"A": "Aster wins.", "B": "aster_2 loses.", "C": "In 50% of cases"}.items()
    ):
        run = RunRecord(id=new_id(), created=float(i), state="done", title=title, files=(), verdict=verdict)
        runs.add(run)
    assert {run.title for run in runs.page(find=find)} == expected
    assert runs.count(find) == len(expected)
    assert [run.title for run in runs.page(order="oldest")] == ["A", "B", "C"]
    assert [run.title for run in runs.page(order="newest")] == ["C", "B", "A"]
    runs.close()


def test_the_list_says_when_nothing_is_found(site, done):
    """And shows all again on request; a run is found by the name of its file."""
    assert done["id"] in site.client.get("/", params={"find": "human.csv"}).text
    answer = site.client.get("/", params={"find": "<b>nothing</b>"})
    assert "No run matches “&lt;b&gt;nothing&lt;/b&gt;”." in answer.text
    assert done["id"] not in answer.text


@pytest.fixture(scope="module")
def run_of_battles(site):
    """A run of ninety battles."""
    return site.report({"battles.csv": battles()})


@pytest.mark.parametrize("order", BATTLE_ORDERS)
def test_battles_are_sorted_by_a_column(site, run_of_battles, order):
    """In the API and on the page alike, and no battle is lost."""
    where, query = f"runs/{run_of_battles['id']}", {"order": order}
    rows = [
        row
        for page in (1, 2)
        for row in site.client.get(f"/api/v1/{where}/battles", params=query | {"page": page}).json()[
            "battles"
        ]
    ]
    assert len(rows) == 90
    if order not in ("file", "times"):
        keys = [(row[order] is None, row[order]) for row in rows]
        assert keys == sorted(keys)
    assert site.client.get(f"/{where}/items", params=query).status_code == 200


@pytest.mark.parametrize("kind", ["shell", "python"])
def test_the_examples_of_the_api_page_work(site, tmp_path, kind):
    """Copied from the page and run as they are."""
    page = site.client.get("/api").text
    program = html.unescape(re.search(rf'id="{kind}"><pre[^>]*>(.*?)</pre>', page, re.DOTALL)[1])
    if kind == "shell" and not shutil.which("curl"):
        pytest.skip("curl is not installed.")
    (tmp_path / "scores.csv").write_text(SCORES)
    command = ["/bin/sh", "-c", program] if kind == "shell" else [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True)
    if kind == "shell":
        assert "ranking-mean" in json.loads(done.stdout)["results"]
    else:
        assert "ranking-mean" in done.stdout


def test_the_api_page_names_every_address_and_the_token(site, serving, tmp_path):
    """All methods of the document; where a token is needed, the examples take it and the page does not show it."""
    page = site.client.get("/api").text
    for path in site.client.get("/api/v1/openapi.json").json()["paths"]:
        assert f"<code>{html.escape(path)}</code>" in page
    with serving(tmp_path, token="a secret") as other:  # noqa: S106
        page = other.client.get("/api", headers={"Authorization": "Bearer a secret"}).text
        assert "Authorization: Bearer $TOKEN" in html.unescape(page)
        assert "a secret" not in page


def test_a_pair_is_picked_by_two_fields(site, done):
    """Names that are no part of an address lead to the page of the pair; the same twice, to another."""
    where = f"/runs/{done['id']}/pairs"
    answer = site.client.get(where, params={"a": NAMES[1], "b": NAMES[2]})
    assert answer.headers["location"] == f"{where}/B~2Ftwo/~3DC"
    for query in ({}, {"a": NAMES[1]}, {"a": NAMES[1], "b": NAMES[1]}):
        answer = site.client.get(where, params=query, follow_redirects=True)
        assert answer.status_code == 200


def test_the_bar_leads_to_all_pages_of_a_run(site, done):
    """The same on the report, the pair, the segments and the files; and each says where one is."""
    pages = {
        "Report": f"/runs/{done['id']}",
        "Segments": f"/runs/{done['id']}/items",
        "Files": f"/runs/{done['id']}/manage",
    }
    for label, path in pages.items():
        text = site.client.get(path).text
        bar = re.search(r'<div class="bar".*?aria-label="Pages of this run">(.*?)</div>', text, re.DOTALL)[1]
        assert re.findall(r">([^<]+)</a>", bar) == [
            "Report",
            "Pairs",
            "Segments",
            "Gate",
            "Enough data?",
            "Files",
        ]
        assert re.findall(r'aria-current="page">([^<]+)', bar) == [label]
        assert text.count('class="bar"') == 1
