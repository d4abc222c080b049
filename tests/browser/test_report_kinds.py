"""Reports of every kind in a real browser: legible and whole, wide and on a phone, light and dark."""

from __future__ import annotations

import numpy as np
import pytest
from tests.browser.test_report_layout import FRAMES, OVERFLOWING, OVERLAPPING, PALE
from tests.everyday import few

import betterthan as bt
from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign
from betterthan.report.compose import compose
from betterthan.report.page import page as page_of

pytestmark = pytest.mark.browser
SEGMENTS = 40


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The first segments of the example campaign."""
    place, made = tmp_path_factory.mktemp("kinds"), campaign()
    wanted = set(made.segments[:SEGMENTS])
    for path in write_campaign(place, made):
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        if path.name == "metrics.tsv":
            lines = [lines[0], *(line for line in lines if line.split("\t")[2] in wanted)]
        elif path.suffix != ".md":
            lines = lines[: 600 if path.name == "battles.csv" else SEGMENTS + (path.name == "human.csv")]
        path.write_text("".join(lines), encoding="utf-8")
    return place


def _texts(folder):
    texts = folder / "texts"
    outputs = [str(texts / f"{name}.txt") for name in ("Aster", "Birch", "Daphne", "reference")]
    return compose(outputs, references=str(texts / "reference.txt"), source=str(texts / "source.txt"))


def _tags(folder):
    return compose(
        [str(folder / "tags" / name) for name in ("gold.tags", "Finch.tags", "Heron.tags", "output.mt")]
    )


def _quality(folder):
    rng = np.random.default_rng(4)
    truth = rng.beta(1, 3, 60)
    for name, noise in (("gold", 0.0), ("ours", 0.05), ("base", 0.3)):
        values = np.clip(truth + rng.normal(0, noise, 60), 0, 1)
        (folder / f"{name}.hter").write_text("\n".join(f"{value:.4f}" for value in values) + "\n")
    return compose([str(folder / f"{name}.hter") for name in ("gold", "ours", "base")])


def _tasks(folder):  # noqa: ARG001  (drawn)
    """Two runs, right or wrong on three tasks."""
    rng = np.random.default_rng(5)
    return compose(
        [
            bt.Scores(
                name=f"{task}: exact_match",
                systems=["run_v1", "run_v2"],
                segments=map(str, range(80)),
                values=(rng.normal(0, 1, 80) + rng.normal(0, 1, (2, 80)) + [[0.0], [shift]] > 0).astype(
                    float
                ),
            )
            for task, shift in (("arc_challenge", 0.8), ("gsm8k", 0.1), ("truthfulqa_mc2", -0.2))
        ]
    )


def _human(folder):
    """Human translations among the systems, so that the verdict has a caveat."""
    scores = bt.read_scores(str(folder / "human.csv"))
    names = ["Human-A.0", "Human-B.0", *scores.systems[2:]]
    return compose(bt.Scores(name="MQM", systems=names, segments=scores.segments, values=scores.values))


KINDS = {
    "battles": lambda folder: compose(str(folder / "battles.csv")),
    "metrics and human scores": lambda folder: compose(
        str(folder / "metrics.tsv"), human=str(folder / "human.csv")
    ),
    "several metrics": lambda folder: compose(str(folder / "metrics.tsv"), question="scores"),
    "texts": _texts,
    "tags": _tags,
    "predicted quality": _quality,
    "two runs": _tasks,
    "human translations": _human,
}


@pytest.fixture(scope="module")
def opened_page(browser, folder):
    """An open page for each kind, made when first asked for, with what it said and asked for."""
    context, pages = browser.new_context(viewport={"width": 1400, "height": 900}), {}

    def page_of_kind(kind):
        if kind not in pages:
            path = folder / f"{kind}.html"
            path.write_text(page_of(KINDS[kind](folder)), encoding="utf-8")
            page = context.new_page()
            page.said, page.asked, page.address = [], [], path.as_uri()
            page.on("console", lambda message: page.said.append(message.text))
            page.on("pageerror", lambda error: page.said.append(str(error)))
            page.on("request", lambda request: page.asked.append(request.url))
            page.goto(path.as_uri())
            pages[kind] = page
        return pages[kind]

    yield page_of_kind
    context.close()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("width", few([1400, 1024, 768, 390], 2))
def test_nothing_is_cut_or_covered(opened_page, kind, width):
    """Also in what is folded: nothing sticks out of its box, no label covers another."""
    page = opened_page(kind)
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(
        "document.querySelectorAll('details:not(.copies details)').forEach(part => { part.open = true; })"
    )
    page.evaluate(FRAMES)
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate(OVERLAPPING) == []


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(opened_page, kind, scheme):
    """4.5 to 1 at least."""
    page = opened_page(kind)
    page.emulate_media(color_scheme=scheme)
    seen, pale = page.evaluate(PALE)
    assert seen > 5
    assert pale == []


@pytest.mark.parametrize("kind", KINDS)
def test_the_first_screen_answers(opened_page, kind):
    """Headline, verdict, caveats and cards fit on the first screen of a laptop and of a phone held upright, twice."""
    page = opened_page(kind)
    for width, height in ((1400, 800), (390, 2 * 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.evaluate("scrollTo(0, 0)")
        bottom = page.evaluate("document.getElementById('verdict').getBoundingClientRect().bottom")
        assert bottom <= height


@pytest.mark.parametrize("kind", KINDS)
def test_every_control_is_reached_by_keyboard(opened_page, kind):
    """Tab goes through every link, button, field and fold that is visible."""
    page = opened_page(kind)
    page.set_viewport_size({"width": 1400, "height": 900})
    wanted = page.evaluate(
        "() => { let n = 0; for (const node of document.querySelectorAll('a[href],button,input,select,summary')) {"
        " if (!node.checkVisibility() || node.disabled || node.closest('.matrix') || node.tabIndex < 0) continue;"
        " if (node.type === 'radio' && !node.checked) continue; node.dataset.stop = String(n++); } return n; }"
    )
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    reached = set()
    for _ in range(wanted + 80):
        page.keyboard.press("Tab")
        reached.add(page.evaluate("document.activeElement.dataset.stop"))
    assert {str(n) for n in range(wanted)} <= reached


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_is_complained_about_or_requested(opened_page, kind):
    """The console is empty, and nothing is asked for but the file itself."""
    page = opened_page(kind)
    assert page.said == []
    assert page.asked == [page.address]
