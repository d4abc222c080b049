"""Published scores laid out as wide tables, one column a system, raise no doubt about any of their columns."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.everyday import few

from betterthan.read.scores import read_scores
from betterthan.read.sniff import read_any
from betterthan.tables.scores import Scores

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
FILES = (
    "bt-eval/dialogue.csv.gz",
    pytest.param("bt-eval/tac.csv.gz", marks=pytest.mark.slow),
    "bt-eval/tac_pyramid.csv.gz",
    "wmt20-metrics/mqm_seg.tsv.gz",
    "wmt21-newstest-mqm/en-de/mqm_seg.tsv.gz",
    "wmt21-ted-mqm/zh-en.tsv.gz",
)

pytestmark = pytest.mark.skipif(
    not DATA.exists(), reason=f"no data in {DATA}; set BETTERTHAN_DATA to the data's folder"
)


@pytest.mark.parametrize("file", few(FILES))
@pytest.mark.parametrize("has_ids", [True, False])
def test_published_scores_are_read_without_doubt(file, has_ids):
    """Systems of real campaigns, human translations among them, stay systems; rows stay segments."""
    for table in read_any(str(DATA / file)).tables:
        assert isinstance(table, Scores)
        wide = dict(zip(table.systems, table.values, strict=True))
        found = read_scores(
            {"segment": list(table.segments), **wide} if has_ids else wide, lower_is_better=False
        )
        assert found.systems == table.systems
        assert found.n_segments == table.n_segments
