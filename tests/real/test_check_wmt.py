"""What check says of published files of WMT without any flag, against a plain count of their lines."""

from __future__ import annotations

import csv
import gzip
import os
from pathlib import Path

import pytest
from tests.everyday import few

import betterthan as bt
from betterthan.read.sniff import read_any

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
WMT20, WMT21, WMT23 = (DATA / name for name in ("wmt20-metrics", "wmt21-newstest-mqm", "wmt23-mqm-3raters"))

pytestmark = pytest.mark.skipif(
    not (WMT20.exists() and WMT21.exists() and WMT23.exists()),
    reason=f"no WMT data in {DATA}; set BETTERTHAN_DATA to the data's folder",
)


def rows_of(path):
    """The rows of a table, by the csv module alone; quotation marks are text."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("pair", few(["de-en", "en-de", "en-ru", "km-en", "ps-en"], 2))
def test_official_pairs_are_recognised_as_matches(pair):
    """Every pair of daRR, in its order, with its segment; no human systems."""
    path = WMT20 / f"darr_pairs.{pair}.tsv.gz"
    rows = rows_of(path)
    found = bt.check(path)
    assert (found.format, found.problems) == ("better_worse", ())
    assert (found.rows_read, found.rows_kept) == (len(rows), len(rows))
    (table,) = read_any(path).tables
    got = [(table.systems[a], table.systems[b]) for a, b in zip(table.left, table.right, strict=True)]
    assert got == [(row["better"], row["worse"]) for row in rows]
    assert len(set(table.segment.tolist())) == len({(row["doc"], row["doc_seg_id"]) for row in rows})
    assert not [name for name in table.systems if name.startswith("Human")]


# Systems and annotated segments, as the collection's README states them.
@pytest.mark.parametrize(("pair", "n_segments", "n_systems"), [("en-de", 527, 17), ("zh-en", 650, 15)])
def test_mqm_of_newstest2021(pair, n_segments, n_systems):
    """All segments of all systems, none missing."""
    path = WMT21 / pair / "mqm_seg.tsv.gz"
    found = bt.check(path)
    assert (found.format, found.rows_kept) == ("long", n_segments * n_systems)
    scores = bt.read_scores(path)
    assert (scores.n_systems, scores.n_segments) == (n_systems, n_segments)


@pytest.mark.parametrize(("pair", "n_segments"), [("en-de", 104), ("zh-en", 377)])
def test_three_raters_of_2023(pair, n_segments):
    """Segments × 10 systems × 3 ratings."""
    found = bt.check(WMT23 / f"{pair}.tsv.gz")
    assert (found.format, found.rows_read) == ("ratings", len(rows_of(WMT23 / f"{pair}.tsv.gz")))
    ratings = bt.read_ratings(WMT23 / f"{pair}.tsv.gz")
    assert len(ratings.segments) == n_segments
    assert ratings.n_judgements == n_segments * 10 * 3
