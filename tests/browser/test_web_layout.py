"""Every page of the web app at four widths, light and dark: nothing sticks out, everything is legible and reachable."""

from __future__ import annotations

import time
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from tests.browser.test_report_layout import names
from tests.browser.test_web import serving
from tests.web.made_kinds import battles, tags, texts

httpx = pytest.importorskip("httpx", reason="the browser group is not installed")
pytest.importorskip("uvicorn", reason="the web extra is not installed")

pytestmark = pytest.mark.browser

WIDTHS = (1400, 1024, 768, 390)
SYSTEMS = [f"System_{i:02}.with-a-rather-long-name-2026" if i % 5 == 0 else f"S{i}" for i in range(8)]
SCORES = "segment,doc," + ",".join(SYSTEMS) + "\n" + "".join(
    f"document-{j // 3}-segment-{j:03},newspaper-{j // 3},"
    + ",".join(str((i * 37 + j * 61 + i * j) % 101) for i in range(len(SYSTEMS)))
    + "\n"
    for j in range(18)
)  # fmt: skip
TWELVE = "segment," + ",".join(names(12)) + "\n" + "".join(
    f"s{j:02}," + ",".join(str((i * 29 + j * 53 + i * j) % 97) for i in range(12)) + "\n" for j in range(18)
)  # fmt: skip
RIGHT_OR_WRONG = "item,run_v1,run_v2\n" + "".join(f"q{j:02},{j % 3 // 2},{j % 2}\n" for j in range(30))
METRICS = "system,segment,metric,score\n" + "".join(
    f"{system},document-{j // 3}-segment-{j:03},{metric},{(i * 31 + j * 47 + k * 13 + i * j) % 89}\n"
    for k, metric in enumerate(("COMET-22", "chrF"))
    for i, system in enumerate(SYSTEMS)
    for j in range(18)
)
LONG_WORD = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft"
WRONG = "segment,A,B\n1,2,3\n1,4,4\n3,5,6\n"


def longer_texts():
    """The made texts, with a word that is wider than a phone and files of two more systems."""
    files = texts()
    lines = files["Second.txt"].splitlines()
    lines[2] += f" {LONG_WORD * 2}"
    files["Second.txt"] = "\n".join(lines) + "\n"
    return files | {"Third.txt": files["reference.txt"], "Fourth.txt": files["source.txt"]}


class App:
    """A server with runs of every kind."""

    def __init__(self, address):
        self.address = address
        self._client = httpx.Client(base_url=f"{address}/api/v1/", timeout=60)
        kinds = {
            "scores": {"human.csv": SCORES},
            "later": {"human.csv": SCORES.replace(",9", ",8")},
            "texts": longer_texts(),
            "battles": {"battles.csv": battles()},
            "tags": tags(),
            "wrong": {"wrong.csv": WRONG},
            "twelve": {"scores.csv": TWELVE},
            "outcomes": {"outcomes.csv": RIGHT_OR_WRONG},
            "metrics": {"metrics.csv": METRICS, "human.csv": SCORES},
        }
        self.runs = {kind: self._uploaded(files) for kind, files in kinds.items()}
        for kind, run in self.runs.items():
            self._settled(run)
            if kind != "wrong":
                self._client.post(f"runs/{run}/start")
        states = {kind: self._settled(run) for kind, run in self.runs.items()}
        self._client.close()
        assert states == {kind: "ready" if kind == "wrong" else "done" for kind in kinds}

    def _uploaded(self, files):
        parts = [("files", (name, content.encode())) for name, content in files.items()]
        return self._client.post("runs", files=parts).json()["id"]

    def _settled(self, run):
        end = time.monotonic() + 120
        while time.monotonic() < end:
            state = self._client.get(f"runs/{run}").json()["state"]
            if state not in {"looking", "waiting", "running"}:
                return state
            time.sleep(0.05)
        raise AssertionError(f"still {state}")

    @property
    def pages(self):
        """The address of every kind of page, by a name."""
        runs = self.runs
        return {
            "home": "/",
            "home, nothing found": "/?find=nothing-like-this",
            "new": "/new",
            "learn": "/learn",
            "API": "/api",
            "error": "/no-such-page",
            "one file": f"/new/{runs['scores']}",
            "many files": f"/new/{runs['texts']}",
            "a file with problems": f"/new/{runs['wrong']}",
            "segments of scores": f"/runs/{runs['scores']}/items",
            "segments of texts": f"/runs/{runs['texts']}/items?a=Second&b=Third&segment=3",
            "segments, none found": f"/runs/{runs['texts']}/items?find=nothing-like-this",
            "segments of tags": f"/runs/{runs['tags']}/items",
            "battles": f"/runs/{runs['battles']}/items",
            "pair": f"/runs/{runs['texts']}/pairs/Second/Third",
            "segments of twelve systems": f"/runs/{runs['twelve']}/items",
            "pair of outcomes": f"/runs/{runs['outcomes']}/pairs/run_v2/run_v1",
            "a metric and human scores": f"/new/{runs['metrics']}",
            "files": f"/runs/{runs['texts']}/manage",
            "what changed": f"/compare/{runs['scores']}/{runs['later']}",
            "report": f"/runs/{runs['scores']}",
        }


@pytest.fixture(scope="module")
def app(tmp_path_factory, browser):  # noqa: ARG001  (without a browser nothing is computed)
    """One server for all tests."""
    with serving(tmp_path_factory.mktemp("layout")) as address:
        yield App(address)


CHECKS = (Path(__file__).parent / "layout_checks.js").read_text(encoding="utf-8")


def checked(page, check, part):
    """What a check of layout_checks.js says about a part of a page, or all of it."""
    return page.evaluate(f"part => ({CHECKS.strip()}).{check}(part)", part)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_and_is_legible(browser, app, scheme):
    """No page, box or text is wider than its place; every text has a contrast of 4.5 to 1; no script complains."""
    context = browser.new_context(color_scheme=scheme)
    page = context.new_page()
    complaints, hosts, faults = [], set(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda line: complaints.append(line.text) if line.type == "error" else None)
    page.on("request", lambda request: hosts.add(urlsplit(request.url).netloc))
    for name, path in app.pages.items():
        complaints.clear()
        page.set_viewport_size({"width": WIDTHS[0], "height": 800})
        page.goto(app.address + path)
        part = ".bar" if name == "report" else None  # the report itself is tested elsewhere
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 800})
            faults += [f"{name}, {width} px: {fault}" for fault in checked(page, "layout", part)]
        n_texts, dim = checked(page, "contrast", part)
        assert n_texts > 4, name
        faults += [f"{name}: contrast {fault}" for fault in dim]
        expected = 1 if name == "error" else 0  # the browser itself names a page that is not found
        faults += [f"{name}: {complaint}" for complaint in complaints[expected:]]
    context.close()
    assert not faults, "\n".join(faults)
    assert hosts == {urlsplit(app.address).netloc}


FOCUSABLE = "a[href], button, select, input:not([type=hidden]), summary, [tabindex='0']"


def test_the_checks_find_what_they_look_for(browser):
    """A box that sticks out, a text wider than its box, one that is cut off, and one that is hard to read."""
    page = browser.new_page(viewport={"width": 390, "height": 800})
    page.set_content(
        '<body style="background:#fff;color:#000"><div style="width:500px">out</div>'
        '<p style="width:40px">unbreakable</p><p style="height:10px;overflow:hidden">cut<br>off</p>'
        '<p style="color:#999">pale</p><div style="overflow:auto"><p style="width:900px">may be wide</p></div></body>'
    )
    faults = checked(page, "layout", None)
    assert [fault.split(":")[0] for fault in faults] == [
        "the page is 508 px wide",
        "outside",
        "wider than its box",
        "cut off",
    ]
    assert checked(page, "contrast", None) == [5, ['2.85: p. "pale"']]
    page.close()


@pytest.mark.parametrize("name", ["many files", "segments of texts", "what changed", "API"])
def test_everything_is_reached_with_the_tab_key(browser, app, name):
    """Every link, field and box that scrolls, in the order of the page, and the focus shows."""
    context = browser.new_context(viewport={"width": 1400, "height": 800})
    page = context.new_page()
    page.goto(app.address + app.pages[name])
    total = page.evaluate(
        f"""() => {{
          const all = [...document.querySelectorAll("{FOCUSABLE}")];
          window.wanted = all.filter((el) => el.checkVisibility() && !el.disabled);
          return wanted.length;
        }}"""
    )
    reached = []
    for _ in range(total):
        page.keyboard.press("Tab")
        reached.append(page.evaluate("wanted.indexOf(document.activeElement)"))
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
    assert reached == list(range(total))
    context.close()


def test_keys_turn_segments_and_the_filter_stays(browser, app):
    """Next and previous by arrow keys and letters, the same filter in the address; in a field keys are letters."""
    context = browser.new_context(viewport={"width": 1400, "height": 800})
    page = context.new_page()
    page.goto(f"{app.address}/runs/{app.runs['scores']}/items")
    # The two best systems, the largest difference first.
    assert page.locator("select[name=order]").input_value() == "largest"
    sizes = [abs(float(text.replace("−", "-"))) for text in page.locator(".list td.b").all_inner_texts()]
    assert sizes == sorted(sizes, reverse=True)
    page.locator("select[name=who]").select_option("a")
    page.get_by_role("button", name="Apply").click()
    page.wait_for_url("**who=a**")
    listed = page.locator(".list tbody th a").all_inner_texts()
    heading = page.locator("#reading h2")
    assert page.get_by_text("Keys:").is_visible()
    for key, place in (("ArrowRight", 1), ("j", 2), ("k", 1), ("ArrowLeft", 0)):
        page.keyboard.press(key)
        page.locator("#reading .turn", has_text=f"{place + 1} of {len(listed)}").wait_for()
        assert listed[place] in heading.inner_text()
        assert "who=a" in page.url
    page.keyboard.press("ArrowLeft")  # there is none before the first
    page.locator("input[name=find]").focus()
    page.keyboard.press("j")
    assert page.locator("input[name=find]").input_value() == "j"
    assert listed[0] in heading.inner_text()
    context.close()


def test_tables_sort_by_their_headings(browser, app):
    """By numbers as numbers, and back."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(app.address + app.pages["many files"])
    sizes = page.locator("table.files tbody td[data-v]:nth-of-type(4)")
    before = [int(cell.get_attribute("data-v")) for cell in sizes.all()]
    page.get_by_role("button", name="size").click()
    assert [int(cell.get_attribute("data-v")) for cell in sizes.all()] == sorted(before)
    page.get_by_role("button", name="size").click()
    assert [int(cell.get_attribute("data-v")) for cell in sizes.all()] == sorted(before, reverse=True)
    context.close()


def test_the_bar_stays_on_a_report(browser, app):
    """Far down the report the app is one click away."""
    context = browser.new_context(viewport={"width": 1024, "height": 700})
    page = context.new_page()
    page.goto(app.address + app.pages["report"])
    page.evaluate("scrollTo(0, 3000)")
    box = page.locator(".bar").bounding_box()
    assert box["y"] == 0
    page.get_by_role("navigation", name="Pages of this run").get_by_role("link", name="Segments").click()
    page.get_by_role("heading", name="Segments", exact=True).wait_for()
    context.close()
