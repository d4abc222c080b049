"""The web app in a real browser: upload to segment, keyboard, cancel, restart, narrow, hostile names."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.web.made_kinds import battles, tags, texts

pytest.importorskip("uvicorn", reason="the web extra is not installed")

pytestmark = pytest.mark.browser

ROWS = "".join(
    f"s{i},d{i // 4},{50 + (i * 7) % 40},{45 + (i * 11) % 37},{20 + (i * 5) % 31}\n" for i in range(24)
)
SCORES = "segment,doc,<script>alert(1)</script>,Birch,Cedar\n" + ROWS
LONG = "segment," + ",".join(f"S{i}" for i in range(30)) + "\n" + "".join(
    f"s{j}," + ",".join(str((i * 37 + j * 61 + i * j) % 101) for i in range(30)) + "\n" for j in range(1500)
)  # fmt: skip
# The server stops when its standard input ends: with the test, however that ends.
PROGRAM = (
    "import os, signal, sys, threading\n"
    "threading.Thread(target=lambda: (sys.stdin.read(), os.kill(os.getpid(), signal.SIGTERM)), daemon=True).start()\n"
    "from betterthan.cli.main import main\n"
    "main(sys.argv[1:])\n"
)
MINUTE = 60_000


@contextmanager
def serving(folder: Path, *options: str, token: str | None = None) -> Iterator[str]:
    """Serve a folder in a process of its own and give its address; to everybody, unless a token is given."""
    who = ["--no-token"] if token is None else ["--token", token]
    command = [sys.executable, "-c", PROGRAM, "serve", *who, "--port", "0", "--folder", str(folder), *options]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        line = process.stderr.readline()
        assert line.startswith("Serving at http://127.0.0.1:"), line
        yield line.split()[2].removesuffix("/")
        process.stdin.close()
        process.wait(30)


@pytest.fixture(scope="module")
def address(tmp_path_factory):
    """A server that the tests share."""
    with serving(tmp_path_factory.mktemp("web")) as found:
        yield found


@pytest.fixture
def page(browser):
    """A page that reports every fault of a script, every refused source, and every box that opens by itself."""
    context = browser.new_context(viewport={"width": 1180, "height": 800})
    made = context.new_page()
    faults: list[str] = []
    made.on("pageerror", lambda error: faults.append(str(error)))
    made.on("console", lambda line: faults.append(line.text) if line.type == "error" else None)
    made.on("dialog", lambda dialog: (faults.append(dialog.message), dialog.dismiss()))
    yield made
    context.close()
    assert not faults, faults


def uploaded(page, address, name="human.csv", content=SCORES):
    """Choose a file, have it looked at, and stand on the page of what was recognized."""
    page.goto(address)
    page.set_input_files("#files", {"name": name, "mimeType": "text/csv", "buffer": content.encode()})
    page.get_by_role("button", name="Look at these files").click()
    page.get_by_role("heading", name="What was recognized").wait_for(timeout=MINUTE)


def reported(page, address, **given):
    """Go all the way to the report and return its address."""
    uploaded(page, address, **given)
    page.get_by_role("button", name="Make the report").click()
    page.locator("section#verdict").wait_for(timeout=MINUTE)
    return page.url


@pytest.fixture(scope="module")
def report(browser, address):
    """The address of a report that tests only look at."""
    context = browser.new_context()
    found = reported(context.new_page(), address)
    context.close()
    return found


def test_from_upload_to_report_to_pair_to_segment(page, address):
    """What a user does first; a system named like a script is text on each of these pages."""
    reported(page, address)
    assert page.get_by_text("<script>alert(1)</script>").count() > 0
    bar_link(page, "Pairs").click()
    page.get_by_role("heading", level=1).filter(has_text="against").wait_for()
    assert page.locator("svg").count() >= 2
    page.get_by_role("link", name="Segments of this pair").click()
    page.locator("select[name=who]").select_option("a")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**/items?*who=a*")
    differences = page.locator("table.items td.b").all_inner_texts()
    assert differences
    assert all(text.startswith("+") for text in differences)
    segment = page.locator("table.items tbody th a").nth(1)
    name = segment.inner_text()
    segment.click()
    page.locator("#reading h2", has_text=name).wait_for()
    assert "who=a" in page.url
    page.go_back()
    page.go_back()
    assert "order=largest" in page.url


KINDS = {"battles": {"battles.csv": battles()}, "texts": texts(), "tags": tags()}


def reported_kind(page, address, kind):
    """Upload the files of a kind of data and go all the way to the report."""
    page.goto(address)
    files = [
        {"name": name, "mimeType": "text/plain", "buffer": content.encode()}
        for name, content in KINDS[kind].items()
    ]
    page.set_input_files("#files", files)
    page.get_by_role("button", name="Look at these files").click()
    page.get_by_role("heading", name="What was recognized").wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Make the report").click()
    page.locator("section#verdict").wait_for(timeout=2 * MINUTE)


@pytest.mark.parametrize(
    "kind", ["texts", *(pytest.param(kind, marks=pytest.mark.slow) for kind in ("battles", "tags"))]
)
def test_a_cell_leads_to_its_pair_and_its_segments(page, address, kind):
    """By the keyboard alone; a system or a word like a script is text; nothing is wider than a narrow screen."""
    reported_kind(page, address, kind)
    cell = page.locator("table.matrix td a").first
    tab_to(page, cell, most=200)
    page.keyboard.press("Enter")
    page.get_by_role("heading", level=1).filter(has_text="against").wait_for(timeout=MINUTE)
    assert page.locator("table.data").count() >= 1
    label = "Battles of this pair" if kind == "battles" else "Segments of this pair"
    tab_to(page, page.get_by_role("link", name=label))
    page.keyboard.press("Enter")
    page.locator("table.items tbody tr").first.wait_for()
    shown = page.locator("main")
    if kind == "texts":  # one of its segments holds a script
        page.locator("table.items th a", has_text="4").first.click()
        page.locator("#reading h2", has_text="Segment 4").wait_for()
    assert shown.get_by_text("<script>alert(1)</script>").count() > 0
    assert shown.locator("script").count() == 0
    marks = page.locator("#reading mark").count()
    assert (marks > 0) == (kind != "battles")
    page.set_viewport_size({"width": 360, "height": 740})
    for _ in range(3 if kind == "texts" else 2):  # segments, and the pair from which they came
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, page.url
        page.go_back()
        page.get_by_role("heading", level=1).wait_for()


def test_everything_can_be_done_with_the_keyboard(page, address):
    """Tab to an example, Enter; Tab to the button, Enter; the report comes."""
    page.goto(address)
    wanted = page.get_by_role("button", name="Eight systems, human scores")
    tab_to(page, wanted)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="What was recognized").wait_for(timeout=MINUTE)
    tab_to(page, page.get_by_role("button", name="Make the report"))
    page.keyboard.press("Enter")
    page.locator("section#verdict").wait_for(timeout=2 * MINUTE)
    tab_to(page, bar_link(page, "Segments"))
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="Segments", exact=True).wait_for()


def bar_link(page, name):
    """A link of the bar to another page of the run."""
    return page.get_by_role("navigation", name="Pages of this run").get_by_role("link", name=name)


def tab_to(page, wanted, most=120):
    """Press Tab until an element has the focus, and see that the focus shows."""
    handle = wanted.element_handle()
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate("wanted => wanted === document.activeElement", handle):
            assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
            return
    raise AssertionError("the Tab key does not lead there")


def test_progress_moves_and_cancel_stops(page, address):
    """The label changes while it runs, without the page being loaded again; then it says that it was cancelled."""
    uploaded(page, address, name="long.csv", content=LONG)
    page.get_by_role("button", name="Make the report").click()
    page.locator("#progress").wait_for()
    page.evaluate("window.stayed = true")
    page.locator("#label", has_text=" of ").wait_for(timeout=MINUTE)
    assert page.evaluate("window.stayed")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("heading", name="This run was cancelled").wait_for(timeout=MINUTE)
    page.get_by_role("button", name="Delete").click()
    page.wait_for_url(address + "/")
    assert page.get_by_text("long.csv").count() == 0


@pytest.mark.slow
def test_a_restart_in_mid_run_is_told_and_mended(browser, tmp_path):
    """The run says that it was interrupted and can go on; what was done before is there."""
    context = browser.new_context()
    page = context.new_page()
    with serving(tmp_path) as address:
        reported(page, address)
        uploaded(page, address, name="long.csv", content=LONG)
        page.get_by_role("button", name="Make the report").click()
        page.locator("#progress").wait_for()
        page.goto("about:blank")
    with serving(tmp_path) as address:
        page.goto(address)
        assert page.locator(".runs input:enabled").count() == 1
        page.get_by_role("link", name="long.csv").click()
        page.get_by_role("heading", name="This run was interrupted").wait_for()
        page.get_by_role("button", name="Start again").click()
        page.locator("#progress").wait_for()
    context.close()


def test_without_scripts_the_app_works(browser, address):
    """Upload, wait by reloading, read the report, filter segments."""
    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    uploaded(page, address)
    page.get_by_role("button", name="Make the report").click()
    page.locator("section#verdict").wait_for(timeout=2 * MINUTE)
    bar_link(page, "Segments").click()
    assert page.locator("table.items tbody tr").count() == 24
    page.goto(address + "/learn")
    assert page.get_by_text("0.657").count() == 1
    assert not page.locator("#plot").is_visible()
    context.close()


@pytest.mark.parametrize("scheme", ["light", pytest.param("dark", marks=pytest.mark.slow)])
def test_a_narrow_screen_has_no_sideways_scroll(browser, address, report, scheme):
    """360 pixels, every kind of page, light and dark."""
    context = browser.new_context(viewport={"width": 360, "height": 740}, color_scheme=scheme)
    page = context.new_page()
    run = report.rsplit("/", 1)[1]
    for path in (
        "/", "/new", "/learn", f"/new/{run}", f"/runs/{run}", f"/runs/{run}/items", f"/runs/{run}/pairs/Birch/Cedar",
        f"/runs/{run}/manage", f"/compare/{run}/{run}", "/no-such-page",
    ):  # fmt: skip
        page.goto(address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
    context.close()


@pytest.mark.slow
def test_the_lesson_follows_the_arrow_keys_and_the_pointer(page, address):
    """Numbers as the library has them; a raised point changes the mean, and perhaps nothing else."""
    page.goto(address + "/learn")
    page.locator("#plot").wait_for()
    shares = page.locator("[data-share]").all_inner_texts()
    assert shares == ["0.094", "0.249", "0.657"]
    point = page.get_by_role("slider", name="A, segment 5")
    point.focus()
    page.keyboard.press("ArrowUp")
    assert point.get_attribute("aria-valuenow") == "18"
    assert page.locator("tr[data-system=A] [data-mean]").inner_text() == "9.40"
    assert page.locator("tr[data-system=A] [data-median]").inner_text() == "11.00"
    page.get_by_role("button", name="The paper's example").click()
    box = page.get_by_role("slider", name="B, segment 1").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] - 2000, steps=4)
    page.mouse.up()
    assert page.get_by_role("slider", name="B, segment 1").get_attribute("aria-valuenow") == "20"
    assert page.locator("tr[data-system=B] [data-mean]").inner_text() == "12.80"


def test_a_page_of_another_site_cannot_reach_the_app(browser, address, tmp_path):
    """A form elsewhere that posts here is refused; nothing is begun."""
    evil = tmp_path / "evil.html"
    evil.write_text(
        f'<form method="post" action="{address}/api/v1/examples/scores"><button>Win</button></form>'
    )
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    before = page.locator(".runs li").count()
    page.goto(evil.as_uri())
    page.get_by_role("button").click()
    page.get_by_text("another site").wait_for()
    page.goto(address)
    assert page.locator(".runs li").count() == before
    context.close()


@pytest.mark.slow
def test_the_server_stops_with_its_parent(tmp_path):
    """No test leaves a server behind."""
    with serving(tmp_path):
        pass
    time.sleep(0.1)
    with serving(tmp_path) as again:
        assert again.startswith("http://127.0.0.1:")


def test_the_link_signs_in_and_a_page_without_it_asks_for_the_token(page, tmp_path):
    """Opened from a file, as --open does it, the token leaves the address and the next pages need none."""
    token = "the token of this test"  # noqa: S105
    with serving(tmp_path / "runs", token=token) as link:
        address = link.split("?")[0]
        page.goto("about:blank")
        way = tmp_path / "open.html"
        way.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={link}">')
        page.goto(way.as_uri())
        page.wait_for_url(address)
        page.get_by_role("link", name="Learn").click()
        page.get_by_role("heading", level=1).wait_for()
        stranger = page.context.browser.new_context()
        other = stranger.new_page()
        other.goto(f"{address}learn")
        other.get_by_label("Token").fill(token)
        other.get_by_role("button", name="Sign in").click()
        other.wait_for_url(f"{address}learn")
        stranger.close()
