"""Pairs and segments of battles, texts and tags: the same pages as of scores, and numbers that others confirm."""

from __future__ import annotations

import csv
import html
import io
import re
from collections import Counter
from math import log10

import numpy as np
import pytest
from tests.web.made_kinds import HARM, SYSTEMS, battles, tags, texts

import betterthan as bt
from betterthan.read.protocol import Options
from betterthan.tables.tags import WordTags
from betterthan.web.names import url_name
from betterthan.web.runs.run import StoredFile
from betterthan.web.worker.composing import listed_battles, words_of

TEXT_SYSTEM = "script_.txt".removesuffix(
    ".txt"
)  # a file's name loses folders and signs before it names a system


@pytest.fixture(scope="module")
def runs(site):
    """A finished run of each kind; they are made side by side."""
    files = {"battles": {"battles.csv": battles()}, "texts": texts(), "tags": tags()}
    ids = {kind: site.upload(given) for kind, given in files.items()}
    for run_id in ids.values():
        assert site.client.post(f"/api/v1/runs/{run_id}/start").status_code == 202
    found = {kind: site.settled(run_id) for kind, run_id in ids.items()}
    for kind, run in found.items():
        assert (run["state"], run["kind"]) == ("done", kind), run["problem"]
    return found


def links(page: str, where: str) -> set[str]:
    """The addresses on this server that a page leads to."""
    found = {html.unescape(address).partition("#")[0] for address in re.findall(r'href="([^"]+)"', page)}
    return {
        address if address[0] == "/" else where.partition("?")[0] + address for address in found if address
    }


@pytest.mark.parametrize(
    "kind", ["battles", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("texts", "tags"))]
)
def test_every_address_that_a_page_links_to_is_answered(site, runs, kind):
    """From the report over pairs to segments, as far as links lead; a name like a script is text everywhere."""
    open_, seen = {f"/runs/{runs[kind]['id']}"}, {}
    while open_:
        where = open_.pop()
        answer = site.client.get(where)
        seen[where] = answer.status_code
        if answer.headers["content-type"].startswith("text/html"):
            assert "<script>alert" not in answer.text, where
            open_ |= links(answer.text, where) - seen.keys()
        open_ = {each for each in open_ if runs[kind]["id"] in each}
    assert {where: status for where, status in seen.items() if status != 200} == {}
    assert sum("/pairs/" in where for where in seen) >= 4
    assert sum("/items" in where for where in seen) >= 2


@pytest.mark.parametrize("kind", ["battles", "texts", "tags"])
def test_cells_of_the_matrix_lead_to_their_pairs(site, runs, kind):
    """Each cell to the pair of its row and its column, whatever the names are."""
    run_id = runs[kind]["id"]
    page = site.client.get(f"/runs/{run_id}").text
    matrix = re.search(r'<table class="matrix".*?</table>', page, re.DOTALL)[0]
    rows = [html.unescape(name) for name in re.findall(r'<th scope="row" title="([^"]*)"', matrix)]
    found = re.findall(r'<a href="([^"]+)"', matrix)
    expected = [f"/runs/{run_id}/pairs/{url_name(a)}/{url_name(b)}" for a in rows for b in rows if a != b]
    assert found == expected
    without_script = re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL)
    assert without_script.count("Select a cell ") <= 1  # said once: by the app, or by the report's own script
    assert "Select a cell " in page


def test_a_pair_of_battles_has_the_numbers_of_the_file(site, runs):
    """Wins, ties and losses as a loop counts them; strengths and probability say the same on two scales."""
    a, b = SYSTEMS[:2]
    where = f"runs/{runs['battles']['id']}/pairs/{url_name(a)}/{url_name(b)}"
    found = site.client.get(f"/api/v1/{where}").json()
    counted = Counter(
        "tie" if row["winner"] == "tie" else row[row["winner"]]
        for row in csv.DictReader(io.StringIO(battles()))
        if {row["model_a"], row["model_b"]} == {a, b}
    )
    assert [found[name] for name in ("wins", "ties", "losses")] == [counted[a], counted["tie"], counted[b]]
    ranking = bt.rank(
        bt.read_matches(io.StringIO(battles()), keep=["judge"]), by="bradley_terry", scale="elo"
    )
    strength = dict(zip(ranking.systems, ranking.strength.tolist(), strict=True))
    assert found["strength_difference"] == pytest.approx(strength[a] - strength[b], abs=1e-6)
    assert found["strength_difference"] == pytest.approx(400 * log10(found["effect"] / (1 - found["effect"])))
    assert found["low"] < found["effect"] < found["high"]
    turned = site.client.get(f"/api/v1/runs/{runs['battles']['id']}/pairs/{url_name(b)}/{url_name(a)}").json()
    assert turned["effect"] == pytest.approx(1 - found["effect"])
    assert turned["strength_low"] == pytest.approx(-found["strength_high"])
    page = site.client.get(f"/{where}").text
    met = sum(counted.values())
    assert f"Of the {met} battles" in page
    assert "for this pair alone) under Bradley–Terry" in page
    assert found["unit_note"] in page
    assert (found["units"], found["p_method"]) == ("matches", "formula")
    assert f"{found['effect']:.3f}" in page


def test_sides_of_battles_are_counted_apart(site, runs):
    """How often a system won on the left and on the right, as a loop over the file finds it."""
    a, b = SYSTEMS[1:]
    page = site.client.get(f"/runs/{runs['battles']['id']}/pairs/{url_name(a)}/{url_name(b)}").text
    rows = list(csv.DictReader(io.StringIO(battles())))
    for side, other, label in (("model_a", "model_b", "left"), ("model_b", "model_a", "right")):
        here = [row for row in rows if (row[side], row[other]) == (a, b)]
        won = [sum(row["winner"] == name for row in here) for name in (side, "tie", other)]
        cells = re.search(rf"<td[^>]*>B/two on the {label}</td>(.*?)</tr>", page, re.DOTALL)[1]
        assert [int(n) for n in re.findall(r"<td[^>]*>(\d+)</td>", cells)] == [len(here), *won]


@pytest.mark.parametrize("who", ["all", "a", "b", "tie"])
def test_battles_are_listed_in_the_order_of_the_file(site, runs, who):
    """With segment and judge, filtered by who won."""
    a, b = SYSTEMS[0], SYSTEMS[2]
    query = {"a": a, "b": b, "who": who}
    found = site.client.get(f"/api/v1/runs/{runs['battles']['id']}/battles", params=query).json()
    expected = []
    for row in csv.DictReader(io.StringIO(battles())):
        winner = None if row["winner"] == "tie" else row[row["winner"]]
        wanted = {"all": True, "a": winner == a, "b": winner == b, "tie": winner is None}[who]
        if {row["model_a"], row["model_b"]} == {a, b} and wanted:
            expected.append((row["model_a"], row["model_b"], winner, row["segment"], row["judge"]))
    names = ("left", "right", "winner", "segment", "judge")
    assert [tuple(battle[name] for name in names) for battle in found["battles"]] == expected
    page = site.client.get(f"/runs/{runs['battles']['id']}/items", params=query).text
    assert page.count("<tr>") == len(expected) + 1
    assert f"{len(expected)} battles" in page


def test_battles_have_pages(site, runs):
    """Fifty a page, each once; part of a segment's name finds it; a stranger is named as one."""
    where = f"/api/v1/runs/{runs['battles']['id']}/battles"
    pages = [site.client.get(where, params={"page": page}).json() for page in (1, 2, 3)]
    assert [len(page["battles"]) for page in pages] == [50, 40, 40]  # a page beyond the last is the last
    segments = [battle["segment"] for page in pages[:2] for battle in page["battles"]]
    assert segments == [f"q{i:02}" for i in range(90)]
    assert [b["segment"] for b in site.client.get(where, params={"find": "Q1"}).json()["battles"]] == [
        f"q{i}" for i in range(10, 20)
    ]
    assert site.client.get(where, params={"a": "Nobody"}).status_code == 404


def test_a_pair_of_texts_has_sacrebleus_score(site, runs):
    """The pooled scores are those of the field's own program; the lead is their difference."""
    sacrebleu = pytest.importorskip("sacrebleu")
    given = texts()
    outputs = [given[f"{HARM}.txt"].splitlines(), given["Second.txt"].splitlines()]
    expected = [
        sacrebleu.corpus_chrf(lines, [given["reference.txt"].splitlines()]).score for lines in outputs
    ]
    systems = site.client.get(f"/runs/{runs['texts']['id']}.json").json()["results"]["pairs"]["systems"]
    first = next(name for name in systems if name != "Second")
    found = site.client.get(f"/api/v1/runs/{runs['texts']['id']}/pairs/{url_name(first)}/Second").json()
    pooled = found["aggregations"][0]
    assert (pooled["score_a"], pooled["score_b"]) == pytest.approx(tuple(expected))
    assert pooled["effect"] == pytest.approx(expected[0] - expected[1])
    by_ter = site.client.get(
        f"/api/v1/runs/{runs['texts']['id']}/pairs/{url_name(first)}/Second", params={"metric": "TER"}
    ).json()
    assert by_ter["metric"] == "TER"
    assert not by_ter["higher_is_better"]


def side(page: str, system: str) -> str:
    """The box of a system on the page of a segment."""
    return next(
        box
        for box in re.findall(r'<section class="side.*?</section>', page, re.DOTALL)
        if f'<span class="name">{html.escape(system)}</span>' in box
    )


def test_a_segment_of_texts_shows_them_with_the_differences_marked(site, runs):
    """Source, reference, both outputs whole; a script in a text is text, and marked because the other has none."""
    given = {name: text.splitlines() for name, text in texts().items()}
    where = f"/runs/{runs['texts']['id']}/items"
    first = next(name for name in given if name not in ("source.txt", "reference.txt", "Second.txt"))
    for j in (0, 3, 11):
        page = site.client.get(where, params={"segment": str(j + 1), "order": "file"}).text
        assert f"<h2>Segment {j + 1}</h2>" in page
        for name in ("source.txt", "reference.txt"):
            assert html.escape(given[name][j]) in page
        for system, lines in ((TEXT_SYSTEM, given[first]), ("Second", given["Second.txt"])):
            text = re.search(r'<p class="text"[^>]*>(.*?)</p>', side(page, system), re.DOTALL)[1]
            assert html.unescape(re.sub(r"</?(mark|span)[^>]*>", "", text)) == lines[j]
    page = site.client.get(where, params={"segment": "4"}).text
    assert (
        f'<mark class="off">{html.escape(HARM)}</mark>' in page
    )  # neither the other nor the reference has it


def test_a_pair_of_tags_has_scikit_learns_scores(site, runs):
    """F1 and MCC of all words together; the table of who is right where sums up to the words."""
    metrics = pytest.importorskip("sklearn.metrics")
    a, b = SYSTEMS[:2]
    where = f"runs/{runs['tags']['id']}/pairs/{url_name(a)}/{url_name(b)}"
    found = site.client.get(f"/api/v1/{where}").json()
    by = {one["measure"]: one for one in found["measures"]}
    gold, said = labels("gold"), {name: labels(name) for name in (a, b)}
    for name, key in ((a, "score_a"), (b, "score_b")):
        both = [metrics.f1_score(gold, said[name], pos_label=label) for label in (True, False)]
        assert by["f1_mult"][key] == pytest.approx(both[0] * both[1])
        assert by["mcc"][key] == pytest.approx(metrics.matthews_corrcoef(gold, said[name]))
        assert by["accuracy"][key] == pytest.approx(metrics.accuracy_score(gold, said[name]))
    for one in by.values():
        assert one["effect"] == pytest.approx(one["score_a"] - one["score_b"])
        assert one["low"] <= one["effect"] <= one["high"]
        assert 0 < one["pvalue"] <= 1
    page = site.client.get(f"/{where}").text
    cells = re.search(r'id="pair-words".*?<td[^>]*>all</td>(.*?)</tr>', page, re.DOTALL)[1]
    right = [np.array(said[name]) == np.array(gold) for name in (a, b)]
    expected = [
        len(gold),
        *(int((right[0] == x).__and__(right[1] == y).sum()) for x, y in ((1, 1), (1, 0), (0, 1), (0, 0))),
    ]
    assert [int(n) for n in re.findall(r"<td[^>]*>(\d+)</td>", cells)] == expected


def labels(name: str) -> list[bool]:
    """All tags of a system in the made data, True for BAD."""
    given = tags()
    rows = csv.reader(io.StringIO(given["gold.tsv" if name == "gold" else "systems.tsv"]), delimiter="\t")
    return [tag == "BAD" for row in rows if row[1] == name for tag in row[5].split()]


def test_a_segment_of_tags_shows_words_with_their_tags(site, runs):
    """The gold tags and both systems, word by word: marked where tagged BAD, framed where wrong."""
    a, b = SYSTEMS[:2]
    bad, wrong = Counter(), Counter()
    segments = [row[2] for row in csv.reader(io.StringIO(tags()["gold.tsv"]), delimiter="\t")][1:]
    for segment in segments:
        query = {"a": a, "b": b, "segment": segment}
        page = site.client.get(f"/runs/{runs['tags']['id']}/items", params=query).text
        gold = re.search(r'<dd class="tagged"[^>]*>(.*?)</dd>', page)[1]
        lines = {name: re.search(r'"text tagged"[^>]*>(.*?)</p>', side(page, name))[1] for name in (a, b)}
        for name, line in {"gold": gold, **lines}.items():
            assert "&lt;b&gt;w&lt;/b&gt;" in line
            bad[name] += line.count('<mark class="bad')
            wrong[name] += len(re.findall(r'class="(?:bad )?wrong"', line))
    for name in ("gold", a, b):
        assert bad[name] == sum(labels(name))
        assert wrong[name] == sum(x != y for x, y in zip(labels(name), labels("gold"), strict=True))


@pytest.mark.slow
def test_words_that_do_not_fit_are_told(site):
    """Tags are then shown by number, and the report says why."""
    given = tags() | {"output.mt": "There were two lines of words here.\nAnd this one was the other.\n"}
    run = site.report(given)
    assert run["state"] == "done", run["problem"]
    note = "output.mt has 2 lines and the tags 20 segments; tags are shown without words."
    assert note in site.client.get(f"/runs/{run['id']}").text
    page = site.client.get(f"/runs/{run['id']}/items").text
    assert re.search(r'<dd class="tagged"[^>]*>(<[^>]*>)?1(</[^>]*>)? ', page)


@pytest.mark.slow
def test_what_may_not_be_shown_is_not_kept(site):
    """Without texts in the report the pages have none either; the scores are there all the same."""
    run = site.report(texts(), with_texts=False)
    assert run["state"] == "done", run["problem"]
    page = site.client.get(f"/runs/{run['id']}/items").text
    assert "<dl" not in page
    assert 'class="text"' not in page
    assert page.count('<tr id="segment-') == 12
    assert not (site.folder / "runs" / run["id"] / "answers" / "kept-texts.json").exists()


@pytest.mark.slow
def test_battles_without_segments_are_counted_by_kind(site):
    """A file that names no segments has no single battles to show, only how often each kind was fought."""
    rows = [line.rsplit(",", 2)[0] for line in battles().splitlines()]
    run = site.report({"votes.csv": "\n".join(rows) + "\n"})
    assert run["state"] == "done", run["problem"]
    found = site.client.get(f"/api/v1/runs/{run['id']}/battles").json()
    assert found["weight"] == 90
    assert {(b["segment"], b["judge"]) for b in found["battles"]} == {("", "")}
    kinds = Counter(tuple(row.split(",")) for row in rows[1:])
    assert sorted(b["weight"] for b in found["battles"]) == sorted(kinds.values())
    assert "has no segment ids" in site.client.get(f"/runs/{run['id']}/items").text


def test_a_file_of_battles_is_listed_or_counted(tmp_path):
    """Row by row where it names segments; else, and where there are too many, by kind."""
    path = tmp_path / "votes.csv"
    path.write_text(battles())
    matches = bt.read_matches(path)
    listed = listed_battles(str(path), Options(), matches)
    rows = list(csv.DictReader(io.StringIO(battles())))
    found = [
        (
            listed.matches.systems[listed.matches.left[i]],
            listed.segments[listed.matches.segment[i]],
            listed.judges[listed.matches.group[i]],
        )
        for i in range(90)
    ]
    assert found == [(row["model_a"], row["segment"], row["judge"]) for row in rows]
    path.write_text("\n".join(line.rsplit(",", 2)[0] for line in battles().splitlines()))
    counted = listed_battles(str(path), Options(), matches)
    assert (counted.segments, counted.judges, counted.matches.n_matches) == ((), (), 90)
    assert counted.matches.left.size < 90
    path.write_text(battles().replace("q07", ""))  # a battle whose segment nobody wrote down
    assert listed_battles(str(path), Options(), matches).segments == ()


def test_words_fit_tags_or_it_is_told(tmp_path, monkeypatch):
    """As many as tags, or with gaps between them, or with one for the end."""
    monkeypatch.chdir(tmp_path)
    file = StoredFile(name="output.mt", digest="9f", suffix=".mt", size=1)
    both = {"systems": ["A"], "segments": ["1", "2"]}
    for offsets, text, said in (
        ([0, 2, 3], "a b\nc\n", ""),
        ([0, 5, 8], "a b\nc\n", ""),
        ([0, 3, 5], "a b\nc\n", ""),
        ([0, 4, 5], "a b\nc\n", "the number of words is not that of the tags in 1 segments, such as 1"),
        ([0, 2, 3], "a b\n", "output.mt has 1 lines and the tags 2 segments"),
    ):
        (tmp_path / file.stored).write_text(text)
        gold = [False] * offsets[-1]
        words, notes = words_of([file], WordTags(**both, gold=gold, predicted=[gold], offsets=offsets))
        assert [said in note for note in notes] == ([True] if said else []), notes
        assert words == (() if "lines" in said else (("a", "b"), ("c",)))
    assert words_of([], None) == ((), ())
