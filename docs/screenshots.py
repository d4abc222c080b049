"""Take the pictures of the report and of the web app that the pages show: python docs/screenshots.py.

Needs Chromium and playwright; everything shown is made from the demo campaign.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import sync_playwright
from small_png import shrink

import betterthan as bt
from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign

HERE = Path(__file__).parent
WIDTH = 1180


def main() -> None:
    """Write docs/report-light.png, docs/report-dark.png, docs/serve.png and docs/serve-new.png."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        place = Path(folder)
        write_campaign(place / "demo", campaign())
        texts = sorted((place / "demo" / "texts").glob("[A-H]*.txt"))
        page = bt.write_report(place / "report.html", place / "demo" / "human.csv", *texts)
        browser = driver.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox", "--disable-gpu"]
        )
        shoot(browser, page.as_uri(), "report-light.png", scheme="light", height=1500)
        shoot(browser, f"{page.as_uri()}#pair", "report-dark.png", scheme="dark", height=1000)
        with_server(browser, place)
        browser.close()


def shoot(browser: Any, address: str, name: str, *, scheme: str, height: int) -> None:  # noqa: ANN401
    """Save what a window of this height shows."""
    page = browser.new_page(viewport={"width": WIDTH, "height": height}, color_scheme=scheme)
    page.goto(address)
    page.wait_for_timeout(300)
    page.screenshot(path=HERE / name)
    page.close()
    shrink(HERE / name)
    print(f"{name}: {(HERE / name).stat().st_size / 1000:.0f} kB")


def with_server(browser: Any, place: Path) -> None:  # noqa: ANN401
    """Start the app on a free port, run two examples, and show the page of a new run and the list of runs."""
    command = [sys.executable, "-c", "from betterthan.cli.main import main; main()", "serve", "--port", "0"]
    server = subprocess.Popen(
        [*command, "--no-token", "--folder", str(place / "runs")],
        stderr=subprocess.STDOUT,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        line = next(line for line in server.stdout or () if "http://" in line)
        address = line.split("http://")[1].split()[0]
        page = browser.new_page(viewport={"width": WIDTH, "height": 900})
        for example in ("Eight systems", "Votes between"):
            page.goto(f"http://{address}")
            page.get_by_role("button", name=example).click()
            page.wait_for_selector("button:has-text('Make the report')")
            if example == "Eight systems":
                page.screenshot(
                    path=HERE / "serve-new.png", clip={"x": 0, "y": 0, "width": WIDTH, "height": 740}
                )
                shrink(HERE / "serve-new.png")
            page.get_by_role("button", name="Make the report").click()
            page.wait_for_selector("#ranking", timeout=120_000)
        page.close()
        shoot(browser, f"http://{address}", "serve.png", scheme="light", height=900)
    finally:
        server.terminate()
        server.wait(10)


if __name__ == "__main__":
    main()
