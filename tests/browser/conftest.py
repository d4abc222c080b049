"""A real browser: Debian's Chromium, driven by playwright. Without it tests are skipped, and in CI they fail."""

from __future__ import annotations

import os
import shutil

import pytest

# The last four keep the browser from asking for updates: nothing but our own pages is ever opened.
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def _unavailable(why):
    if os.environ.get("CI") == "true":
        pytest.fail(f"{why} CI must run the browser tests.")
    pytest.skip(f"{why} Install it to run the browser tests.")


@pytest.fixture(scope="session")
def browser():
    """Chromium without a window."""
    path = shutil.which("chromium")
    if path is None:
        _unavailable("chromium is not installed.")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        _unavailable("playwright is not installed.")
    with sync_playwright() as driver:
        started = driver.chromium.launch(executable_path=path, args=FLAGS)
        yield started
        started.close()


@pytest.fixture
def opened(browser):
    """Open an address; every message of the console, error and request outside the page's own file is kept."""
    contexts = []

    def open_page(address, **options):
        context = browser.new_context(**{"viewport": {"width": 1180, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.said, page.asked = [], []
        page.on("console", lambda message: page.said.append(message.text))
        page.on("pageerror", lambda error: page.said.append(str(error)))
        page.on("dialog", lambda dialog: (page.said.append(f"dialog {dialog.message}"), dialog.dismiss()))
        page.on("request", lambda request: page.asked.append(request.url))
        page.goto(address)
        return page

    yield open_page
    for context in contexts:
        context.close()
