"""What holds for all studies of metrics, aggregation and tags: they run on nothing, survive JSON and can be shown."""

from __future__ import annotations

import json

import pytest
from tests.everyday import few

from betterthan.present.charts.save import chart_bytes
from betterthan.present.charts.study import study_chart
from betterthan.present.charts.theme import DARK
from betterthan.present.tables.study import study_csv, study_tables
from betterthan.results.base import Result
from betterthan.studies.catalogue import PAIRED, STUDIES
from betterthan.studies.study import study

OTHERS = tuple(name for name, entry in STUDIES.items() if not entry.paper.startswith(PAIRED))
# Smaller than quick, where quick takes seconds.
SMALL = {
    "spa-significance": {"permutations": 20},
    "spa-speed": {"permutations": 20, "repeats": 2},
    "spa-systems": {"permutations": 20, "subsets": 10},
    "spa-segments": {"permutations": 20, "draws": 5, "metrics": 1},
    "tau-variants": {"thresholds": 1},
    "aggregation-robustness": {"repeats": 10, "corpora": 20},
    "tagging-synthetic": {"permutations": 99},
    "tagging-sampling": {"rounds": 1, "samples": 100},
}


@pytest.fixture(scope="module")
def found():
    """Each study once, on the demo campaign."""
    return {name: study(name, quick=True, options=SMALL.get(name, {}), workers=1) for name in OTHERS}


@pytest.mark.parametrize("name", few(OTHERS, 5))
def test_a_study_survives_json_and_says_what_it_is(name, found):
    """Through text and back; names of tables and figures are their own; the demo is named as such."""
    one = found[name]
    assert Result.from_dict(json.loads(one.to_json())) == one
    assert (one.name, one.question, one.reading) == (name, STUDIES[name].question, "text")
    assert one.settings.signature.startswith(f"betterthan|study {name}|reading:text")
    tables, charts = [table.name for table in one.tables], [chart.name for chart in one.charts]
    assert len(set(tables)) == len(tables) > 0
    assert len(set(charts)) == len(charts) > 0
    assert one.sentences
    assert not one.tables[0].is_detail
    assert any("demo campaign" in note for note in one.notes) == STUDIES[name].takes_data


@pytest.mark.parametrize("name", few(OTHERS, 5))
def test_tables_and_figures_can_be_shown(name, found):
    """Every table as CSV and as a description, every figure as a picture."""
    pytest.importorskip("altair")
    one = found[name]
    for table, shown in zip(one.tables, study_tables(one), strict=True):
        assert len(shown.rows) == len(table.rows)
        assert study_csv(table).count("\n") == len(table.rows) + 1
    for chart in one.charts:
        spec = json.loads(chart_bytes(study_chart(one, DARK, figure=chart.name), "json"))
        lines = spec["title"]["text"]  # a list where a long title is broken
        assert " ".join([lines] if isinstance(lines, str) else lines) == chart.title
