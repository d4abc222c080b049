"""Directions of the metrics in published files: all known, none doubted."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.everyday import few

import betterthan as bt

ROOT = Path(__file__).resolve().parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
pytestmark = pytest.mark.skipif(
    not DATA.exists(), reason=f"no {DATA}; set BETTERTHAN_DATA to the data's folder"
)
FILES = {
    "bt-eval/dialogue.csv.gz": {"JS"},
    "wmt20-metrics/metric_sys.tsv.gz": set(),
    "wmt20-metrics/mqm_seg.tsv.gz": set(),
    "wmt21-ted-mqm/en-de.tsv.gz": set(),
    "wmt23-mqm-3raters/en-de.tsv.gz": set(),
}


@pytest.mark.parametrize("name", few(FILES))
def test_no_published_direction_is_doubted(name):
    """Divergences are better when lower, and error rates were negated where they were published."""
    found = bt.check(DATA / name)
    assert not [problem for problem in found.problems if problem.code == "BT220"]
    assert not [line for line in found.contents if line.endswith("direction not clear")]
    lower = {line for line in found.contents if "lower is better" in line}
    assert all(any(f" {metric}_" in line for metric in FILES[name]) for line in lower), lower
