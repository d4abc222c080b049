"""The studies of metrics and word tags on real data: WMT20 metrics (MQM, DA) and WMT22 word tags."""

from __future__ import annotations

import csv
import gzip
import os
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

import betterthan as bt
from betterthan.analysis.resampling import Resampling
from betterthan.studies.catalogue import listed
from betterthan.studies.relative_ranking import darr_threshold
from betterthan.studies.request import StudyRequest
from betterthan.studies.study import study
from betterthan.studies.tagging import tagging_sampling, tagging_synthetic

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
METRICS, TAGS = DATA / "wmt20-metrics", DATA / "wmt22-qe-word"

# The same studies run every day on made data, in tests/studies.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not (METRICS.exists() and TAGS.exists()),
        reason=f"no {METRICS} or no {TAGS}; set BETTERTHAN_DATA to the data's folder",
    ),
]


def asked(name, *, as_published=False, **options):
    """A study asked for without scores."""
    entry = listed(name)
    return StudyRequest(
        name=name,
        listed=entry,
        setups=(),
        as_published=as_published,
        quick=False,
        options=entry.chosen(options, quick=False),
        resampling=Resampling.of(12345, workers=1),
    )


@cache
def documents(pair):
    """Document-level metrics of WMT20, and MQM averaged over the segments of each document."""
    with gzip.open(METRICS / "segments.tsv.gz", "rt", encoding="utf-8") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        document = {row["seg_id"]: row["doc"] for row in rows if row["lp"] == pair}
    chosen = {"lp": pair}
    people = bt.read_scores(METRICS / "mqm_seg.tsv.gz", where=chosen, lower_is_better=False)
    people = replace(people, groups=tuple(document[segment] for segment in people.segments)).by_group()
    # The task turned every metric so that more is better, whatever its name says.
    metrics = bt.read_metrics(METRICS / "metric_doc.tsv.gz", where=chosen, item="doc", lower_is_better=False)
    return {"human": people, **metrics}


@pytest.mark.parametrize(
    ("pair", "expected"),
    [("en-de", (9, 27, 37, 12, 26, 6, 2)), ("zh-en", (9, 31, 37, 11, 31, 7, 1))],
)
def test_values_of_metrics_tie_by_pairwise_accuracy(pair, expected):
    """27 metrics have 12 values and 31 have 11; the soft measure tells all apart but one metric under two names."""
    found = study("spa-ties", documents(pair), workers=1)
    assert found.tables[0].rows[0][1:] == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("pair", "hard", "soft"), [("en-de", (162, 5), (242, 7)), ("zh-en", (134, 4), (191, 4))]
)
def test_the_soft_measure_tells_more_metrics_apart(pair, hard, soft):
    """Significant comparisons and clusters; table 1 of the paper has 31 % more on its data, here it is 49 and 43 %."""
    found = study("spa-significance", documents(pair))
    row = dict(zip(found.tables[0].columns, found.tables[0].rows[0], strict=True))
    assert (row["significant PA"], row["clusters PA"]) == hard
    assert (row["significant SPA"], row["clusters SPA"]) == soft


def test_the_soft_measure_is_more_stable_on_one_pair_only():
    """Figure 2 claims it for all; on WMT20 documents it holds for English–German (7 of 7), not for Chinese–English."""
    more = {}
    for pair in ("en-de", "zh-en"):
        rows = study("spa-systems", documents(pair), workers=1).tables[0].rows
        means = [(row[4], row[7]) for row in rows if row[3] == "Pearson"]
        more[pair] = sum(soft > hard for hard, soft in means)
        assert len(means) == 7
    assert more == {"en-de": 7, "zh-en": 1}


@pytest.mark.parametrize("pair", ["en-de", "zh-en"])
def test_intervals_of_the_soft_measure_are_tighter(pair):
    """Figure 3, at every number of documents for the two best metrics."""
    found = study("spa-segments", documents(pair), options={"draws": 150}, workers=1)
    rows = found.tables[0].rows
    assert len(rows) == 10
    assert all(row[-1] < row[-2] for row in rows)


def test_thresholds_keep_less_than_the_paper_found():
    """Direct assessments of WMT20: 1 keeps eight times what 50 keeps (five on WMT19), 25 keeps 36 % (about half)."""
    pairs = ("de-en", "en-de", "en-ru", "km-en", "ps-en", "zh-en")
    path = METRICS / "da_seg.tsv.gz"
    judged = {
        pair: bt.read_metrics(path, where={"lp": pair}, item="seg_id", lower_is_better=False)["raw"]
        for pair in pairs
    }
    ratios = darr_threshold.run(asked("darr-threshold"), darr_threshold.read(judged)).table("ratios").rows
    found = {row[:2]: row[2] for row in ratios}
    assert found["all", "kept at 1 / kept at 50"] == pytest.approx(8.056, abs=1e-3)
    assert found["all", "kept at 25 / kept at 1"] == pytest.approx(0.361, abs=1e-3)
    assert found["to English", "kept at 1 / kept at 50"] < found["from English", "kept at 1 / kept at 50"]


def test_the_product_of_both_classes_is_fooled_least():
    """37 submissions in eight language pairs; read literally, all-bad wins against all of them by phrases."""
    tagged = tagging_synthetic.read(TAGS)
    text, literal = (
        tagging_synthetic.run(asked("tagging-synthetic", permutations=499, as_published=reading), tagged)
        for reading in (False, True)
    )
    sums = {row[0]: row[6] for row in text.table("table-1").rows}
    assert sums == {
        "f1_bad": 5,
        "f1_mult": 3,
        "phrase_f1_bad": 16,
        "phrase_f1_mult": 6,
        "mcc": 7,
        "sequence_correlation": 21,
    }
    by_phrases = {row[0]: row[1] for row in literal.table("table-1").rows}["phrase_f1_bad_as_published"]
    assert by_phrases == 37


@pytest.mark.slow
def test_repeated_sampling_orders_measures_as_table_2_does():
    """Khmer–English at 20 percent of errors, reduced schedule: the order of the paper, from the best to the worst."""
    tagged = tagging_sampling.read(TAGS / "km-en")
    options = {"rounds": 4, "samples": 1000, "level": 20}
    found = tagging_sampling.run(asked("tagging-sampling", **options), tagged)
    order = [row[0] for row in found.table("table-2").rows]
    assert order == list(tagging_sampling.PRINTED)
