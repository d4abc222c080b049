"""The doubts about every published file, all of them: whatever else is doubted there is doubted wrongly."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

import betterthan as bt

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not DATA.exists(), reason=f"no data in {DATA}; set BETTERTHAN_DATA to the data's folder"
    ),
]

EMPTY_LINES, WHOLE_SYSTEMS, HUMAN_TRANSLATIONS = "BT202", "BT203", "BT265"
DOUBTS = {
    "wmt20-metrics/da_seg.tsv.gz": [HUMAN_TRANSLATIONS],
    "wmt20-metrics/da_sys.tsv.gz": [WHOLE_SYSTEMS, HUMAN_TRANSLATIONS],
    "wmt20-metrics/metric_doc.tsv.gz": [HUMAN_TRANSLATIONS],
    "wmt20-metrics/metric_seg.tsv.gz": [HUMAN_TRANSLATIONS],
    "wmt20-metrics/metric_sys.tsv.gz": [WHOLE_SYSTEMS, HUMAN_TRANSLATIONS],
    "wmt20-metrics/mqm_seg.tsv.gz": [HUMAN_TRANSLATIONS],
    "wmt21-newstest-mqm/comet_sys_refA.tsv.gz": [WHOLE_SYSTEMS, HUMAN_TRANSLATIONS],
    "wmt21-newstest-mqm/en-de/mqm_seg.tsv.gz": [HUMAN_TRANSLATIONS],
    "wmt21-newstest-mqm/zh-en/mqm_seg.tsv.gz": [HUMAN_TRANSLATIONS],
    "wmt21-newstest-mqm/zh-en/sys/Online-W.en.txt.gz": [EMPTY_LINES],
    "wmt21-newstest-mqm/zh-en/sys/ZengHuiMT.en.txt.gz": [EMPTY_LINES],
    "wmt21-ted-mqm/en-de.tsv.gz": [HUMAN_TRANSLATIONS],
    "wmt21-ted-mqm/zh-en.tsv.gz": [HUMAN_TRANSLATIONS],
    "wmt23-general-text/da_sqm_sys.tsv.gz": [WHOLE_SYSTEMS, HUMAN_TRANSLATIONS],
    "wmt23-general-text/he-en/sys/ZengHuiMT.en.txt.gz": [EMPTY_LINES],
    "wmt23-mqm-3raters/en-de.tsv.gz": [HUMAN_TRANSLATIONS],
}


def test_only_what_is_doubtful_is_doubted():
    """Empty lines, scores of whole systems and people's translations, where they are, and nothing else."""
    found = {}
    for path in sorted(DATA.rglob("*.gz")):
        problems = bt.check(path).problems
        if problems:
            found[path.relative_to(DATA).as_posix()] = sorted(problem.code for problem in problems)
    assert found == DOUBTS
