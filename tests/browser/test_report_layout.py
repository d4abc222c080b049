"""The layout of the report in a real browser: few and many systems, wide and narrow, light and dark.

The reports are made from tables with names of 1 to 60 characters. One page is opened for each of them and resized.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

import betterthan as bt
from betterthan.report.compose import compose
from betterthan.report.document import Columns, Fold, Switch
from betterthan.report.page import page as page_of

pytestmark = pytest.mark.browser
WIDTHS = (1400, 1024, 768, 390)
SIZES = (2, 12, 60, 200)
WORDS = ("alpha", "bravo", "charlie", "delta", "echo", "foxtrot", "golf", "hotel", "india", "juliett")


def names(m):
    """Distinct names of 1, 5, 12, 20, 34 and 60 characters, with hyphens, underscores and none of either."""
    made = []
    for i in range(m):
        length = (1, 5, 12, 20, 34, 60)[i % 6]
        joined = ("-", "_", "")[(i // 6) % 3].join(WORDS[(i + k) % 10] for k in range(12))
        made.append(chr(0x100 + i) if length == 1 else f"{joined[: length - len(str(i))]}{i}")
    return made


def scores(m):
    """Twelve or so segments: the layout does not depend on their number."""
    rng = np.random.default_rng(m)
    n = 40 if m < 60 else 12
    values = rng.normal(60, 10, n) + rng.normal(0, 4, (m, n)) + np.linspace(9, 0, m)[:, None]
    return bt.Scores(
        name="COMET-22", systems=names(m), segments=[f"s{j}" for j in range(n)], values=np.round(values, 1)
    )


def battles(m):
    """Twenty battles per system."""
    rng = np.random.default_rng(m)
    left = rng.integers(0, m, 20 * m)
    right = (left + rng.integers(1, m, 20 * m)) % m
    outcome = (rng.random(20 * m) < 1 / (1 + np.exp((left - right) / m))).astype(float)
    return bt.Matches(systems=names(m), left=left, right=right, outcome=outcome)


def texts(m, n=40):
    """Outputs with long words and with a long line without blanks."""
    lines = [
        [f"the {WORDS[(i + j) % 10]} {'x' * (90 if j == 3 else 5)} of {j}" for j in range(n)]
        for i in range(m)
    ]
    return bt.Texts(
        systems=names(m),
        segments=[f"s{j}" for j in range(n)],
        outputs=lines,
        references=[lines[0]],
        sources=lines[1],
    )


@pytest.fixture(scope="module")
def addresses(tmp_path_factory):
    """One file per number of systems; that of twelve has texts, and that of 200 is about battles, which are quick."""
    folder = tmp_path_factory.mktemp("layout")
    made = {}
    for m in SIZES:
        report = compose([scores(m), texts(m)] if m == 12 else battles(m) if m == 200 else scores(m))
        path = folder / f"{m}.html"
        path.write_text(page_of(report), encoding="utf-8")
        made[m] = path.as_uri()
    return made


@pytest.fixture(scope="module")
def pages(browser, addresses):
    """One open page per report, with what it said and asked for."""
    context = browser.new_context(viewport={"width": 1400, "height": 900})
    opened = {}
    for m, address in addresses.items():
        page = context.new_page()
        page.said, page.asked = [], []
        page.on("console", lambda message, page=page: page.said.append(message.text))
        page.on("pageerror", lambda error, page=page: page.said.append(str(error)))
        page.on("request", lambda request, page=page: page.asked.append(request.url))
        page.goto(address)
        opened[m] = page
    yield opened
    context.close()


# The page hears of a new size before it is painted.
FRAMES = "() => new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"

PROBES = Path(__file__).with_name("layout_probes.js").read_text(encoding="utf-8")
OVERFLOWING, OVERLAPPING, PALE = (
    f"() => ({PROBES}).{name}()" for name in ("overflowing", "overlapping", "pale")
)


def test_the_probes_find_what_they_look_for(browser):
    """A page with one fault of each kind, so that a probe that finds nothing is not trusted blindly."""
    page = browser.new_page(viewport={"width": 400, "height": 300})
    page.set_content(
        "<body style='margin:0;background:#fff'><p style='width:900px'>wide</p>"
        "<p style='width:50px;overflow:hidden;white-space:nowrap'>clipped words</p>"
        "<p style='color:#aaa'>pale</p><svg width='100' height='40'><text x='5' y='20'>one</text>"
        "<text x='9' y='20'>two</text><text x='90' y='20'>beyond</text></svg></body>"
    )
    faults = " ".join(page.evaluate(OVERFLOWING))
    assert "page 900" in faults
    assert "beyond the window" in faults
    assert "clipped" in faults
    assert '"one" and "two"' in page.evaluate(OVERLAPPING)
    assert '"beyond" leaves its picture' in page.evaluate(OVERLAPPING)
    assert [words[:4] for words in page.evaluate(PALE)[1]] == ["2.32"]
    page.close()


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_its_place_and_no_label_covers_another(pages, m, width):
    """Wide tables and pictures scroll in frames of their own, and say so; no text is clipped."""
    page = pages[m]
    page.set_viewport_size({"width": width, "height": 900})
    page.evaluate(FRAMES)
    assert page.evaluate(OVERFLOWING) == []
    assert page.evaluate(OVERLAPPING) == []
    unannounced = page.evaluate(
        "() => [...document.querySelectorAll('.scroll')].filter(box => box.checkVisibility() && box.clientWidth"
        " && box.scrollWidth > box.clientWidth + 2 && !(box.previousElementSibling || {checkVisibility: () => false})"
        ".checkVisibility()).length"
    )
    assert unannounced == 0


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_has_contrast(pages, m, scheme):
    """4.5 to 1 at least, in cells of every shade too."""
    page = pages[m]
    page.emulate_media(color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach(part => { part.open = true; })")
    seen, pale = page.evaluate(PALE)
    page.evaluate("document.querySelectorAll('details:not(.part)').forEach(part => { part.open = false; })")
    assert seen > 5
    assert pale == []


@pytest.mark.parametrize("m", SIZES)
def test_the_first_interval_marks_are_in_the_window_of_a_phone(pages, m):
    """The mark is beside the name and needs no scrolling."""
    page = pages[m]
    page.set_viewport_size({"width": 390, "height": 900})
    ends = page.evaluate(
        "() => [...document.querySelectorAll('#ranking .view1 tbody .dot')]"
        ".map(dot => dot.getBoundingClientRect().right)"
    )
    assert len(ends) == m
    assert max(ends) <= 374  # the page has a margin of 16 pixels


@pytest.mark.parametrize("m", SIZES)
@pytest.mark.parametrize("width", WIDTHS)
def test_names_are_not_broken_into_syllables(pages, m, width):
    """A name of 60 characters takes two lines where there is space, and at most eight on a phone."""
    page = pages[m]
    page.set_viewport_size({"width": width, "height": 900})
    lines = page.evaluate(
        "() => [...document.querySelectorAll('.matrix tbody th, .data td.name')].filter(cell => cell.checkVisibility())"
        ".map(cell => { const range = document.createRange(); range.selectNodeContents(cell);"
        " return new Set([...range.getClientRects()].map(box => Math.round(box.bottom / 4))).size; })"
    )
    assert max(lines) <= (3 if width > 1000 else 8)


@pytest.mark.parametrize("m", SIZES)
def test_no_fault_and_no_request(pages, addresses, m):
    """Nothing in the console after all that was done to the page, and nothing asked for but its own file."""
    assert pages[m].said == []
    assert pages[m].asked == [addresses[m]]


def test_everything_interactive_is_reached_by_keyboard(pages):
    """Tab goes through every control that is visible; the cells of a matrix are one stop, with arrow keys inside."""
    page = pages[12]
    page.set_viewport_size({"width": 1400, "height": 900})
    wanted = page.evaluate(
        "() => { let n = 0; for (const node of document.querySelectorAll('a[href],button,input,select,summary')) {"
        " if (!node.checkVisibility() || node.disabled || node.closest('.matrix')) continue;"
        " if (node.type === 'radio' && !node.checked) continue; node.dataset.stop = String(n++); } return n; }"
    )
    page.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    reached, cells = set(), 0
    for _ in range(wanted + 80):
        page.keyboard.press("Tab")
        stop, in_matrix = page.evaluate(
            "() => [document.activeElement.dataset.stop, !!document.activeElement.closest('td')]"
        )
        reached.add(stop)
        cells += in_matrix
    assert {str(n) for n in range(wanted)} <= reached
    assert 1 <= cells <= 3
    page.locator("#matrix tbody tr").nth(0).locator("a").first.focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    place = page.evaluate(
        "() => { const cell = document.activeElement.closest('td');"
        " return [cell.parentElement.sectionRowIndex, cell.cellIndex]; }"
    )
    assert place == [2, 4]  # the diagonal is skipped


def test_segments_are_read_one_by_one_and_the_address_keeps_what_is_shown(pages, addresses, browser):
    """Arrow keys turn the pages, filters stay in the address, and a new page opened there shows the same."""
    page = pages[12]
    page.set_viewport_size({"width": 1400, "height": 900})
    page.locator("#segments").scroll_into_view_if_needed()
    page.evaluate("document.activeElement.blur(); document.getElementById('segments').scrollIntoView()")
    shown = page.locator("#segment-list > ol > li:visible")
    gaps = page.evaluate(
        "() => [...document.querySelectorAll('#segment-list > ol > li')].filter(row => row.dataset.why !== 'split')"
        ".map(row => Math.abs(Number(row.querySelector('.gap').textContent.replace('−', '-'))))"
    )
    assert gaps == sorted(gaps, reverse=True)
    first = shown.get_attribute("id")
    page.keyboard.press("ArrowRight")
    second = shown.get_attribute("id")
    page.keyboard.press("ArrowLeft")
    assert shown.get_attribute("id") == first != second
    assert page.locator(f"#{first} .said mark").count() > 0
    page.select_option("[data-reason]", "loss")
    page.locator("[data-step='1']").click()
    kept, at = shown.get_attribute("id"), page.evaluate("location.hash")
    assert "show=loss" in at
    other = browser.new_page()
    other.goto(addresses[12] + at)
    assert other.locator("#segment-list > ol > li:visible").get_attribute("id") == kept
    assert other.input_value("[data-reason]") == "loss"
    other.close()


def test_sections_collapse_and_links_open_them(pages):
    """One by one without a script, all at once with it; the menu opens what it leads to."""
    page = pages[2]
    page.set_viewport_size({"width": 1400, "height": 900})
    page.click(".fold-all")
    assert not page.locator("#ranking-mean").is_visible()
    page.click("nav a[href='#ranking']")
    assert page.locator("#ranking-mean").is_visible()
    assert not page.locator("#data .check").is_visible()
    page.evaluate("document.querySelectorAll('details.part').forEach(part => { part.open = true; })")


def test_right_and_wrong_are_four_counts():
    """Binary scores have a table of four counts, and neither medians nor a scatter plot."""
    a, b = np.repeat([1.0, 1.0, 0.0, 0.0], [20, 14, 4, 12]), np.repeat([1.0, 0.0, 1.0, 0.0], [20, 14, 4, 12])
    report = compose(bt.read_scores({"A": a, "B": b}))
    blocks = list(_blocks(next(part for part in report.sections if part.key == "pair").blocks))
    (table,) = [block.table for block in blocks if getattr(block, "key", "") == "top-pair-cases"]
    assert [row[1:] for row in table.rows] == [(20, 14, 34), (4, 12, 16), (24, 26, 50)]
    text = re.sub(r"<script.*?</script>", "", page_of(report), flags=re.DOTALL)
    assert "ranking-median" not in text
    assert 'class="picture scatter"' not in text
    assert "Mood" not in text


def _blocks(blocks):
    for block in blocks:
        yield block
        if isinstance(block, Columns):
            yield from _blocks((*block.left, *block.right))
        elif isinstance(block, Fold):
            yield from _blocks(block.blocks)
        elif isinstance(block, Switch):
            for choice in block.choices:
                yield from _blocks(choice.blocks)
