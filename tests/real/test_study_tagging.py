"""The studies of word tags on the submissions to WMT22, and what the page says of them."""

from __future__ import annotations

import os
import re
from pathlib import Path

import numpy as np
import pytest
from tests.studies.test_tagging_studies import asked

from betterthan.studies.tagging import tagging_sampling, tagging_synthetic

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
TAGS = DATA / "wmt22-qe-word"
PAGE = ROOT / "docs" / "papers" / "word-level-quality.md"
CALLED = {
    "F1-BAD": "f1_bad",
    "F1-mult": "f1_mult",
    "phrase F1-BAD": "phrase_f1_bad",
    "phrase F1-mult": "phrase_f1_mult",
    "MCC": "mcc",
    "SeqCor": "sequence_correlation",
}

# The same studies run every day on made data, in tests/studies.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not TAGS.exists(), reason=f"no {TAGS}; set BETTERTHAN_DATA to the data's folder"),
]


def shown(title):
    """Rows of the first table of a section of the page, by their first cell."""
    part = PAGE.read_text(encoding="utf-8").split(f"## {title}\n", 1)[1]
    table = re.search(r"\| measure .*\n\|[-:| ]+\n((?:\|.*\n)+)", part).group(1)
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {row[0]: row[1:] for row in rows}


@pytest.mark.slow
def test_table_1_of_the_page_is_what_the_study_finds():
    """Both readings with all permutations; every number of the page."""
    tagged = tagging_synthetic.read(TAGS)
    expected = shown("Table 1, on other data")
    for reading in (False, True):
        found = tagging_synthetic.run(
            asked("tagging-synthetic", quick=False, as_published=reading), tagged
        ).table("table-1")
        rows = {row[0]: row[1:] for row in found.rows}
        for called, name in CALLED.items():
            literal = reading and name.startswith("phrase")
            row = rows[f"{name}_as_published" if literal else name]
            page = expected[f"{called}, as published" if literal else called]
            assert [float(cell) for cell in page] == pytest.approx(row, abs=0.0051), called


def test_the_product_of_both_classes_is_fooled_least():
    """37 submissions in eight language pairs; read literally, all-bad wins against all of them by phrases."""
    tagged = tagging_synthetic.read(TAGS)
    text, literal = (
        tagging_synthetic.run(asked("tagging-synthetic", as_published=reading), tagged).table("table-1")
        for reading in (False, True)
    )
    sums = {row[0]: row[6] for row in text.rows}
    assert min(sums, key=sums.get) == "f1_mult"
    assert sums == {name: int(shown("Table 1, on other data")[called][5]) for called, name in CALLED.items()}
    assert {row[0]: row[1] for row in literal.rows}["phrase_f1_bad_as_published"] == 37
    told = {row[0]: row[7:] for row in text.rows}
    assert min(told, key=lambda name: told[name][0]) == "mcc"


def test_the_papers_own_levels_can_be_made_from_japanese():
    """30 to 30.2 percent of 25,079 tags; two rounds of the first numbers of samples."""
    tagged = tagging_sampling.read(TAGS / "en-ja")
    options = {"rounds": 2, "samples": 200, "level": 30, "unit": 0.01}
    found = tagging_sampling.run(asked("tagging-sampling", **options), tagged)
    levels = {row[1] for row in found.table("p-values").rows}
    assert min(levels) == round(0.3 * 25_079)
    needed = {row[0]: row[-1] for row in found.table("table-2").rows}
    assert needed["f1_mult"] == 100  # of 0.2 points, as printed


@pytest.mark.slow
def test_repeated_sampling_orders_measures_as_table_2_does():
    """Thirty of the thousand rounds: the order of the page, which is the paper's but for the last two."""
    tagged = tagging_sampling.read(TAGS / "en-ja")
    options = {"rounds": 30, "samples": 10_000, "level": 30}
    found = tagging_sampling.run(asked("tagging-sampling", quick=False, **options), tagged)
    order = [row[0] for row in found.table("table-2").rows]
    assert order[:3] == list(tagging_sampling.PRINTED)[:3]
    assert set(order[3:]) == set(list(tagging_sampling.PRINTED)[3:])
    page = shown("Table 2, on other data")
    assert [CALLED[name] for name in page][:3] == order[:3]
    for row in found.table("table-2").rows:
        (called,) = [name for name, own in CALLED.items() if own == row[0]]
        told = [
            None if cell.startswith("–") else int(cell.split(" ")[0].replace(",", ""))
            for cell in page[called]
        ]
        places = [0, *tagging_sampling.SCHEDULE, None]
        # Thirty rounds are fewer than all: a neighbour in the schedule is near enough.
        steps = [abs(places.index(a) - places.index(b)) for a, b in zip(told, row[1:], strict=True)]
        assert max(steps) <= 1, (called, told, row)


def test_no_difference_gives_p_values_that_are_uniform():
    """Levels that are the same number of tags: half of the p-values are below one half, a tenth below a tenth."""
    tagged = tagging_sampling.read(TAGS / "en-ru")
    work = tagging_sampling._work(
        asked("tagging-sampling", rounds=40, samples=100, level=5, unit=1e-9), tagged[0]
    )
    drawn = np.stack(
        [
            tagging_sampling._round(work, range(block, block + 1), np.random.default_rng(block))
            for block in range(40)
        ]
    )
    assert len(set(work.errors)) == 1
    # Pairs of levels share samples, so that 40 rounds are far fewer than 400 tests.
    assert abs((drawn < 0.5).mean() - 0.5) < 0.1
    assert abs((drawn < 0.1).mean() - 0.1) < 0.05
