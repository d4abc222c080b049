"""The report in a real browser, from a file: with scripts and without, wide and narrow, by keyboard."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest

from betterthan.report.compose import compose, write_report
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

pytestmark = pytest.mark.browser
EVIL = "<script>alert(1)</script>"
NAMES = (EVIL, "=SUM(A1)", "A-system-with-a-very-long-name-" + "x" * 60, "Plain")
TEXT = "the quick brown fox number"


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A report on four systems with hostile and long names, and texts."""
    rng = np.random.default_rng(1)
    values = rng.normal(60, 12, 40) + rng.normal(0, 6, (4, 40)) + np.array([[4.0], [2.0], [1.0], [0.0]])
    segments = [f"seg{j}" for j in range(40)]
    scores = Scores(name="chrF", systems=NAMES, segments=segments, values=np.round(values, 1))
    lines = [[f"{TEXT} {j} of {name}" for j in range(40)] for name in NAMES]
    texts = Texts(
        systems=NAMES, segments=segments, outputs=lines, references=[[f"{TEXT} {j}" for j in range(40)]]
    )
    path = write_report(tmp_path_factory.mktemp("page") / "report.html", scores, texts)
    return path.as_uri()


def test_the_page_runs_without_a_fault_and_asks_for_nothing_else(opened, address):
    """No console message, no dialog, no request but the file itself."""
    page = opened(address)
    page.wait_for_selector("#any-pair:not([hidden])")
    assert page.said == []
    assert [url for url in page.asked if not url.startswith("blob:")] == [address]


def test_a_name_that_is_a_script_shows_as_text(opened, address):
    """In the headline's page, in tables, in pictures and in menus."""
    page = opened(address)
    assert EVIL in page.inner_text("#ranking-mean")
    assert EVIL in page.inner_text("#pair-a")
    assert any(EVIL[:20] in text for text in page.locator("svg text").all_text_contents())
    assert page.said == []


def test_readable_without_scripts(opened, address):
    """Verdict, ranking, matrix, pictures and method are there; what needs a script is not shown."""
    page = opened(address, java_script_enabled=False)
    for anchor in ("verdict", "ranking", "pairs", "pair", "agreement", "segments", "sure", "data", "method"):
        assert page.locator(f"#{anchor}").is_visible()
    assert page.locator("#top-pair svg circle").count() > 10
    assert not page.locator("#any-pair").is_visible()
    page.click("label[for=by-median]")
    assert page.locator("#ranking-median").is_visible()
    assert not page.locator("#ranking-mean").is_visible()


def test_without_scripts_a_cell_leads_to_its_pair(opened, address):
    """Every link of the matrix has its place in the page, and a click shows it."""
    page = opened(address, java_script_enabled=False)
    links = page.locator("#matrix a")
    targets = [link.get_attribute("href")[1:] for link in links.all()]
    assert len(targets) == 4 * 3
    assert all(page.locator(f'[id="{target}"]').count() == 1 for target in targets)
    page.locator("#matrix tbody tr").nth(0).locator("a").nth(2).click()
    row = page.locator("#row-0-3")
    assert row.is_visible()
    named = [head.get_attribute("title") for head in page.locator("#matrix tbody th").all()]
    assert sorted(named) == sorted(NAMES)
    assert row.locator("td").all_text_contents()[:2] == [named[0], named[3]]


def test_a_cell_opens_its_pair_and_a_dot_its_segment(opened, address):
    """From the matrix to the pair, from the picture to the segment with its texts."""
    page = opened(address)
    page.locator("#matrix tbody tr").nth(0).locator("a").nth(2).click()
    page.wait_for_selector("#pair-view svg.scatter")
    told = page.inner_text("#pair-view")
    assert page.evaluate("location.hash") == "#pair-0-3"
    wins, losses, equal = map(
        int, re.search(r"better on (\d+) segments, .* on (\d+), equal on (\d+)", told).groups()
    )
    assert wins + losses + equal == 40
    results = json.loads(page.locator("#results").text_content())["results"]["pairs"]
    assert wins == results["wins"][0][3]
    page.locator("#pair-view svg.scatter circle").first.click(force=True)
    page.wait_for_selector("#pair-view .segments li")
    assert TEXT in page.inner_text("#pair-view .segments")
    assert page.said == []


def test_any_pair_is_drawn_as_the_page_draws_it(opened, address):
    """The script's picture of the top pair has the dots of the static one."""
    still, moving = opened(address, java_script_enabled=False), opened(address)
    places = [
        sorted(
            (dot.get_attribute("cx"), dot.get_attribute("cy"))
            for dot in page.locator("#top-pair svg .points circle").all()
        )
        for page in (still, moving)
    ]
    numbers = [np.array(found, dtype=float) for found in places]
    assert numbers[0].shape == numbers[1].shape
    assert np.abs(np.sort(numbers[0], axis=0) - np.sort(numbers[1], axis=0)).max() < 0.2


def test_tables_sort_and_segments_filter(opened, address):
    """A click sorts by number, a second one turns the order; words leave only the segments that have them."""
    page = opened(address)
    column = "#ranking-mean tbody td:nth-child(5)"  # rank, range, name and mark come first
    page.locator("#ranking-mean th button").nth(3).click()
    rising = [float(text) for text in page.locator(column).all_text_contents()]
    assert rising == sorted(rising)
    page.locator("#ranking-mean th button").nth(3).click()
    assert [float(text) for text in page.locator(column).all_text_contents()] == rising[::-1]
    assert page.locator("#segment-list li:visible").count() == 1
    page.check("[data-list]")
    before = page.locator("#segment-list li:visible").count()
    page.select_option("[data-reason]", "loss")
    losses = page.locator("#segment-list li:visible").count()
    assert 0 < losses < before
    page.fill("[data-segment-filter]", "no such words")
    assert page.locator("#segment-list li:visible").count() == 0


def test_downloads_are_the_results(opened, address):
    """JSON and CSV come out of the page without a network."""
    page = opened(address)
    with page.expect_download() as waiting:
        page.click("[data-download=json]")
    data = json.loads(waiting.value.path().read_text(encoding="utf-8"))
    assert set(data["results"]) >= {"ranking-mean", "pairs"}
    with page.expect_download() as waiting:
        page.click("[data-download=ranking-mean]")
    text = waiting.value.path().read_text(encoding="utf-8")
    assert "'=SUM(A1)" in text
    assert waiting.value.suggested_filename == "ranking-mean.csv"


def test_copy_under_a_table(opened, address):
    """The LaTeX of the ranking is shown on request, with a button to copy it."""
    page = opened(address, permissions=["clipboard-read", "clipboard-write"])
    page.locator("#ranking-mean .copies summary").first.click()
    assert r"\begin{tabular}" in page.inner_text("#ranking-mean .copies pre >> nth=0")
    page.locator("#ranking-mean .copies button.copy").first.click()
    page.wait_for_selector(
        "#ranking-mean button.copy:has-text('Copied'), #ranking-mean button.copy:has-text('Selected')"
    )


@pytest.mark.parametrize("width", [360, pytest.param(768, marks=pytest.mark.slow), 1180])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_sideways_scroll_at_any_width(opened, address, width, scheme):
    """Wide tables scroll inside their frames; the ground follows the reader's choice."""
    page = opened(address, viewport={"width": width, "height": 800}, color_scheme=scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    ground = page.evaluate("getComputedStyle(document.body).backgroundColor")
    darkness = sum(map(int, re.findall(r"\d+", ground)[:3])) / 3
    assert (darkness < 60) == (scheme == "dark")


def test_by_keyboard(opened, address):
    """Tab reaches the menu, the ways of aggregating and the cells; Enter opens a pair."""
    page = opened(address)
    reached = set()
    for _ in range(60):
        page.keyboard.press("Tab")
        reached.add(
            page.evaluate(
                "(document.activeElement.closest('nav,.switch,#matrix,.copies,header') || {}).id || "
                "(document.activeElement.closest('nav,.switch,.copies,header') || {}).className || "
                "document.activeElement.tagName"
            )
        )
        if page.evaluate("!!document.activeElement.closest('#matrix')"):
            break
    assert {"switch", "matrix"} <= reached
    page.keyboard.press("Enter")
    page.wait_for_selector("#pair-view svg.scatter")


def test_an_address_opens_its_pair(opened, address):
    """A link to a pair can be sent to a colleague."""
    page = opened(address + "#pair-1-3")
    page.wait_for_selector("#pair-view svg.scatter")
    assert page.input_value("#pair-a") == "1"
    assert page.input_value("#pair-b") == "3"


def test_prints_on_paper(opened, address, tmp_path):
    """All ways of aggregating are printed, the menu is not, and nothing is wider than the sheet."""
    page = opened(address)
    page.emulate_media(media="print")
    assert not page.locator("header").is_visible()
    assert page.locator("#ranking-median th").first.is_visible()
    assert page.locator("#ranking-median tbody").is_visible()
    page.pdf(path=tmp_path / "page.pdf", prefer_css_page_size=True)
    assert (tmp_path / "page.pdf").stat().st_size > 20_000


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=pytest.mark.slow) for kind in ("battles", "meta", "texts")] + ["tags"]
)
def test_every_kind_opens_without_a_fault(opened, tmp_path, kind):
    """Small data of each kind; no message in the console, no sideways scroll."""
    path = write_report(tmp_path / "report.html", *_small(kind)[0], **_small(kind)[1])
    page = opened(path.as_uri(), viewport={"width": 360, "height": 800})
    page.wait_for_selector("#files")
    assert page.said == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def _small(kind):
    import betterthan as bt

    rng = np.random.default_rng(2)
    systems, segments = ["A", "B", "C", "D"], [str(i) for i in range(30)]
    truth = rng.normal(0, 1, (4, 30)) + np.array([[2.0], [1.0], [0.5], [0.0]])
    if kind == "battles":
        left, right = rng.integers(0, 4, 300), rng.integers(1, 4, 300)
        right = (left + right) % 4
        outcome = rng.choice([0.0, 0.5, 1.0], 300)
        return [bt.Matches(systems=systems, left=left, right=right, outcome=outcome)], {}
    if kind == "meta":
        made = [
            Scores(
                name=name,
                systems=systems,
                segments=segments,
                values=truth + noise * rng.normal(0, 1, (4, 30)),
            )
            for name, noise in (("human", 0.0), ("good", 0.3), ("poor", 3.0))
        ]
        return made[1:], {"human": made[0]}
    lines = [[f"word {j} {'a ' * (1 + (i + j) % 4)}" for j in range(30)] for i in range(4)]
    if kind == "texts":
        return [Texts(systems=systems, segments=segments, outputs=lines, references=[lines[0]])], {}
    gold = rng.random(300) < 0.3
    predicted = [gold ^ (rng.random(300) < share) for share in (0.1, 0.2, 0.3, 0.4)]
    tags = bt.WordTags(
        systems=systems,
        segments=segments,
        gold=gold,
        predicted=np.array(predicted),
        offsets=np.arange(31) * 10,
    )
    return [tags], {}


def test_a_report_in_memory_is_the_one_in_the_file(tmp_path):
    """Composing and writing share one page."""
    from betterthan.report.page import page as whole

    scores = Scores(name="m", systems=["A", "B"], segments=["1", "2", "3"], values=[[1, 2, 3], [2, 1, 1]])
    assert write_report(tmp_path / "r.html", scores).read_text(encoding="utf-8") == whole(compose(scores))
