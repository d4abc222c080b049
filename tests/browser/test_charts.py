"""Charts in Chromium: labels are drawn where the layout has put them, in whatever fonts the machine has."""

from __future__ import annotations

import pytest
from tests.present.charts.pictures import Picture, made
from tests.present.charts.test_legible import systems

from betterthan.present.charts.chart import chart_kinds

pytestmark = pytest.mark.browser
EXTENTS = """() => [...document.querySelectorAll('div.chart')].map(div => {
  const frame = div.querySelector('svg').getBoundingClientRect();
  const lines = [...div.querySelectorAll('text')].flatMap(t => t.children.length ? [...t.children] : [t]);
  const texts = lines.filter(t => t.textContent).map(t => {
    const box = t.getBoundingClientRect();
    return [t.textContent, box.left - frame.left, box.top - frame.top, box.right - frame.left, box.bottom - frame.top];
  });
  return {name: div.id, width: frame.width, height: frame.height, texts};
})"""


@pytest.mark.slow
def test_chromium_draws_every_label_inside_the_picture(browser):
    """In whatever fonts this machine has, one page for all charts."""
    pictures = {
        f"{kind} {size}": Picture(made(kind, systems(size))) for size in (2, 12) for kind in chart_kinds()
    }
    html = "".join(f'<div class="chart" id="{name}">{each.source}</div>' for name, each in pictures.items())
    page = browser.new_page()
    page.set_content(html)
    extents = page.evaluate(EXTENTS)
    page.close()
    assert len(extents) == len(pictures)
    wrong = [
        (chart["name"], words)
        for chart in extents
        for words, left, top, right, bottom in chart["texts"]
        if left < -1 or top < -1 or right > chart["width"] + 1 or bottom > chart["height"] + 1
    ]
    assert not wrong
