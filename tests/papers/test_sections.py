"""Slow tests on real data read tables of the pages by section; their titles are compared with the pages here."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
READ_BY = {
    "corpus-or-segment": ("test_study_aggregation.py", r'tables\("([^"]+)"\)'),
    "word-level-quality": ("test_study_tagging.py", r'shown\("([^"]+)"\)'),
}


@pytest.mark.parametrize("page", READ_BY)
def test_sections_that_tests_on_real_data_read_are_on_the_page(page):
    """Every title in the test is a heading of the page, and one title at least is read."""
    name, pattern = READ_BY[page]
    read = set(re.findall(pattern, (ROOT / "tests" / "real" / name).read_text(encoding="utf-8")))
    text = (ROOT / "docs" / "papers" / f"{page}.md").read_text(encoding="utf-8")
    assert read
    assert read <= set(re.findall(r"^#+ (.+)$", text, re.MULTILINE))
