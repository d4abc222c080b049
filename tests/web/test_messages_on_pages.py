"""What a page says when something cannot be done: in words, where it was asked, with nothing lost."""

from __future__ import annotations

import html
import os
import re
import stat

import httpx
import pytest
from tests.web.conftest import NAMES

from betterthan.messages import COLUMN, Message, Option
from betterthan.web.names import on_page, page_text
from betterthan.web.runs.service import Service
from betterthan.web.runs.store import RunStore
from betterthan.web.settings import WebSettings
from betterthan.web.worker.file_tables import unused


def said(answer: httpx.Response) -> str:
    """The words of a page."""
    return html.unescape(re.sub(r"<[^>]+>", " ", answer.text))


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_what_the_server_keeps_is_for_one_user(tmp_path):
    """The folder, the list and its journals; file names and verdicts stand in them."""
    before = os.umask(0o022)
    try:
        service = Service(WebSettings(folder=tmp_path / "deep" / "kept"))
        modes = {
            path.name: stat.S_IMODE(path.stat().st_mode)
            for path in (service.settings.folder, *service.settings.folder.iterdir())
        }
        service.close()
    finally:
        os.umask(before)
    assert {"runs.sqlite", "runs.sqlite-wal", "runs.sqlite-shm", "kept", "secret"} <= modes.keys()
    assert not {name: oct(mode) for name, mode in modes.items() if mode & 0o077}


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_a_list_that_others_could_read_is_closed(tmp_path):
    """One of an earlier version, when it is opened again."""
    path = tmp_path / "runs.sqlite"
    RunStore(path).close()
    path.chmod(0o644)
    RunStore(path).close()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "path",
    ["/runs/xyz", "/runs/%2e%2e", "/new/xyz", "/runs/xyz.json", "/runs/xyz/items", "/compare/{id}/xyz"],
)
def test_a_run_that_is_none_is_not_found(site, done, path):
    """On a page in words; the API names the field."""
    raw = path.format(id=done["id"]).encode()
    answer = httpx.get(httpx.URL(site.address).copy_with(raw_path=raw))
    assert answer.status_code == 404
    assert "There is no such run." in said(answer)
    assert "pattern" not in answer.text
    assert site.client.get("/api/v1/runs/xyz").status_code == 422


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("page=abc", "page=abc, which has no meaning here. It is a whole number from 1; or leave it out."),
        ("page=0", "page=0, which"),
        ("who=zzz", "who=zzz, which has no meaning here. It can be all, a, b or tie; or leave it out."),
        ("find=" + "x" * 501, "It has at most 500 characters"),
    ],
)
def test_an_address_that_means_nothing_says_what_would(site, done, query, words):
    """The value, and what it can be."""
    answer = site.client.get(f"/runs/{done['id']}/items?{query}")
    assert answer.status_code == 400
    assert words in said(answer)
    assert site.client.get(f"/api/v1/runs/{done['id']}/items?{query}").status_code == 422


def test_beyond_the_last_page_is_the_last(site, done):
    """The list never says that there are no runs when there are."""
    answer = site.client.get("/?page=999")
    assert answer.status_code == 200
    assert "None yet." not in answer.text
    assert 'class="runs"' in answer.text
    assert done["id"]


@pytest.mark.parametrize("many", [0, 1, 3])
def test_other_than_two_ticks_are_told_where_they_were_made(site, done, many):
    """The ticks stay."""
    ids = [done["id"], "A" * 22, "B" * 22][:many]
    answer = site.client.post("/compare", data={"form_token": site.token(), "run": ids, "page": "1"})
    assert answer.status_code == 400
    assert "Tick exactly two runs to compare them;" in said(answer)
    assert "form_token" in answer.text
    assert answer.text.count(" checked") == min(many, 1)


def lines(*words: str) -> str:
    """A text of twelve lines."""
    return "".join(f"the {words[i % len(words)]} house number {i} was sold\n" for i in range(12))


TEXTS = {
    "human.csv": "segment,Aster,Cedar\n" + "".join(f"{i},{50 + i % 7},{48 + i % 5}\n" for i in range(12)),
    "Aster.txt": lines("old", "green", "small"),
    "Cedar.txt": lines("cold", "green", "tall"),
    "reference.txt": lines("old", "green", "tall"),
}


def test_a_file_that_is_not_used_is_named(site):
    """On the page of what was recognized, in the API, and in the report's notes."""
    run_id = site.upload(TEXTS)
    look = site.client.get(f"/api/v1/runs/{run_id}/recognized").json()
    assert look["question"] == "texts"
    assert [bool(file["unused"]) for file in look["files"]] == [True, False, False, False]
    words = "human.csv is not used: it is human scores, and this report is about texts."
    assert words in said(site.client.get(f"/new/{run_id}"))
    assert site.client.post(f"/api/v1/runs/{run_id}/start").status_code == 202
    run = site.settled(run_id)
    assert run["state"] == "done", run["problem"]
    assert [
        note for note in site.client.get(f"/runs/{run_id}.json").json()["notes"] if note.startswith(words)
    ]
    assert words in said(site.client.get(f"/runs/{run_id}"))


@pytest.mark.parametrize(
    ("question", "parts", "kinds", "expected"),
    [
        ("meta", ["data", "human", "reference"], ["scores", "scores", "texts"], [2]),
        ("scores", ["data", "human"], ["scores", "scores"], [1]),
        ("scores", ["data", "data", "reference"], ["scores", "texts", "texts"], []),
        ("scores", ["data", "reference"], ["scores", "texts"], [1]),
        ("tags", ["gold", "data", "words", "words"], ["tags", "tags", "texts", "texts"], [3]),
        ("texts", ["data", "reference", "source", "source"], ["texts"] * 4, [3]),
        ("texts", ["data", "reference", "nothing"], ["texts"] * 3, []),
        ("auto", ["human"], ["scores"], []),
    ],
)
def test_each_question_uses_its_parts(question, parts, kinds, expected):
    """What is left out on purpose is not complained about."""
    assert unused(question, parts, kinds) == expected


def test_a_system_against_itself_is_told(site, done):
    """The list shows it against another, and says so."""
    query = {"a": NAMES[1], "b": NAMES[1]}
    words = "B/two was chosen as both systems, and a system does not differ from itself."
    assert words in said(site.client.get(f"/runs/{done['id']}/items", params=query))
    query["b"] = NAMES[2]
    assert "chosen as both" not in said(site.client.get(f"/runs/{done['id']}/items", params=query))
    assert "chosen as both" not in said(site.client.get(f"/runs/{done['id']}/items"))


def test_delete_asks_once(site, done):
    """The button of a finished run is folded away, with what it does; that needs no script."""
    page = site.client.get(f"/runs/{done['id']}/manage").text
    folded = re.search(r"<details class=\"fold\">.*?</details>", page, re.DOTALL)[0]
    assert "cannot be undone" in folded
    assert f'action="/runs/{done["id"]}/delete"' in folded
    assert page.count("/delete") == 1


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ("item,A,B\n1,2,3\n2,,4\n3,5,6\n", "Use “A missing score: leaves its segment out”"),
        ("item,A,B\n1,2,3\n1,4,4\n3,5,6\n", "“Two scores for a segment: take the last”"),
    ],
    ids=["missing", "duplicates"],
)
def test_a_hint_names_the_field_of_the_page(site, content, field):
    """Not what Python and the shell call it; the fold with the field is open."""
    run_id = site.upload({"a.csv": content})
    answer = site.client.get(f"/new/{run_id}")
    assert "(See “Columns and options”.)" in said(answer)
    assert field in said(answer)
    assert re.search(r'<details class="fold" id="mapping" open>', answer.text)


def test_without_a_problem_the_fold_is_closed(site, done):
    """Nobody has to read what needs no change."""
    text = site.client.get(f"/new/{done['id']}").text
    assert re.search(r'<details class="fold" id="mapping">', text)
    assert "(See “" not in text


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (Option("item", COLUMN), "“segment”"),
        (Option("lower_is_better", "TER"), "“Which scores are better: lower”"),
        (Option("prior", 0.5), "--prior 0.5 (on the command line)"),
        (Option("reference", "FILE"), "“This file is: reference text”"),
        (Option("metric", "chrF"), "“Metric, if there are several: chrF”"),
    ],
)
def test_every_option_is_named_by_its_field(option, words):
    """The words are those of the fields; what has no field is an option of the command line."""
    assert words in page_text(Message("Use {fix}.", fix=option))


def test_the_fields_that_messages_name_are_there(site, done):
    """A label that is renamed must be renamed in the messages."""
    text = said(site.client.get(f"/new/{done['id']}"))
    names = ("missing", "duplicates", "item", "metric", "format", "units", "ignore", "keep", "winner_labels")
    labels = [on_page(Option(name)).strip("“”") for name in names]
    assert not [label for label in labels if label not in text]
