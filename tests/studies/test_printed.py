"""What the papers print: every number has its source, and every table is read by the study it is compared with."""

from __future__ import annotations

import json
from importlib.resources import files

import pytest

from betterthan.studies.reporting import PAPERS, printed_table

FOLDER = files("betterthan.studies") / "data"


def test_every_file_belongs_to_a_paper():
    """No file lies there that nothing reads."""
    assert sorted(path.name for path in FOLDER.iterdir()) == sorted(f"{paper}.json" for paper in PAPERS)


@pytest.mark.parametrize("paper", PAPERS)
def test_numbers_have_their_source(paper):
    """Authors and year of the paper, then the place of each table in it; rows are as wide as their heading."""
    written = json.loads((FOLDER / f"{paper}.json").read_text(encoding="utf-8"))
    assert "(20" in written.pop("source")
    for name in written:
        table = printed_table(paper, name)
        assert any(place in table.where for place in ("table", "figure", "section"))
        assert {len(row) for row in table.rows} == {len(table.columns)}


def test_rows_are_looked_up_by_their_labels():
    """The first cells say what a row is about; numbers as in section 4.4 and figure 6."""
    assert printed_table("aggregation", "means").values()["x-BLEU",] == (0.43,)
    assert printed_table("paired", "figure_6").values()["t",] == (0.42, 0.50, 0.74, 0.94)
