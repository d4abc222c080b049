"""The studies of aggregation on texts and human scores of WMT, and what the page says of them."""

from __future__ import annotations

import os
import re
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.real.wmt_folders import NEEDED, lay_out
from tests.studies.test_tagging_studies import asked

from betterthan.studies.aggregation import aggregation_grid, aggregation_human, aggregation_robustness
from betterthan.studies.translated import on_judged, read_translated, system_means

ROOT = Path(__file__).parents[2]
DATA = Path(os.environ.get("BETTERTHAN_DATA", ROOT.parent / "shared" / "data"))
WMT23 = DATA / "wmt23-general-text"
PAGE = ROOT / "docs" / "papers" / "corpus-or-segment.md"
SPACED = ("de-en", "en-de", "he-en", "zh-en")

# The same studies run every day on made data, in tests/studies.
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not all((DATA / name).exists() for name in NEEDED),
        reason=f"not all of {', '.join(NEEDED)} in {DATA}; set BETTERTHAN_DATA to the data's folder",
    ),
]


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    """Everything that people judged, by name."""
    folder = tmp_path_factory.mktemp("wmt")
    lay_out(DATA, folder)
    return read_translated([WMT23, *(folder / name for name in ("mqm23", "news21", "ted21"))])


@cache
def tables(title):
    """Rows of the tables of a section of the page."""
    part = PAGE.read_text(encoding="utf-8").split(f"### {title}\n", 1)[1].split("\n##", 1)[0]
    found = re.findall(r"((?:^\|.*\n)+)", part, re.MULTILINE)
    return [[_cells(line) for line in table.splitlines()[2:]] for table in found]


def _cells(line):
    return [_number(cell.strip().strip("*")) for cell in line.strip("|").split("|")]


def _number(cell):
    plain = cell.replace("−", "-").replace(",", "")
    if re.fullmatch(r"-?[\d.]+ ?%", plain):
        return float(plain.rstrip(" %")) / 100
    return float(plain) if re.fullmatch(r"-?[\d.]+", plain) else cell


def is_shown(cells, values, digits=3):
    """Whether cells of the page are these numbers, rounded."""
    assert cells == pytest.approx(values, abs=0.51 * 10**-digits)


def test_one_language_pair_is_what_the_page_shows():
    """English–German of WMT23: a row of the table inside language pairs for each metric."""
    used = read_translated(WMT23 / "en-de")
    found = aggregation_grid.run(asked("aggregation-grid", quick=False), used).table("by-data")
    (shown,) = tables("Within each language pair")
    for row in found.rows:
        (page,) = [cells for cells in shown if cells[:2] == [row[0], "en-de"]]
        is_shown(page[2:10], row[2:10])
        is_shown(page[10:11], row[10:11], digits=0)
        is_shown(page[11:], row[11:], digits=2)


def test_human_scores_are_the_means_of_the_files(judged):
    """Talks: pandas' own grouping; direct assessment: the official z-scores."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_csv(
        DATA / "wmt21-ted-mqm" / "en-de.tsv.gz", sep="\t", quoting=3, keep_default_na=False
    )
    expected = frame.astype({"mqm": float}).groupby("system").mqm.mean()
    (talks,) = [on_judged(one) for one in judged if one.dataset == "ted21 en-de"]
    assert system_means(talks.human, talks.texts.systems) == pytest.approx(
        [expected[name] for name in talks.texts.systems]
    )
    official = (
        pandas.read_csv(WMT23 / "da_sqm_sys.tsv.gz", sep="\t").query("lp == 'zh-en'").set_index("system").z
    )
    (news,) = [on_judged(one) for one in judged if one.dataset == "wmt23-general-text zh-en"]
    assert system_means(news.human, news.texts.systems) == pytest.approx(official[list(news.texts.systems)])
    sizes = {one.dataset: (len(one.texts.systems), len(one.texts.segments)) for one in map(on_judged, judged)}
    assert sizes["mqm23 en-de"] == (8, 104)
    assert sizes["mqm23 zh-en"] == (10, 377)
    assert sizes["news21 en-de"] == (8, 527)


def test_what_the_page_says_about_the_paper():
    """The sentences of the page, from its own tables: every claim that is not borne out, and the one that is."""
    across, means = tables("Three aggregation methods across systems")
    rows = {tuple(row[:2]): row[3:] for row in across}
    for metric in ("BLEU", "chrF"):
        assert rows[metric, f"m-{metric}"][1] > 0.97  # pooled and segments do not correlate weakly
        assert rows[metric, f"x-{metric}"][1] > 0.999  # nor does pooled with its own bootstrap
    free = [row for pair, row in rows.items() if row[0] != "" and not {"BLEU", "chrF"} & set(pair)]
    assert len(free) == 4
    assert all(abs(paper - turned) < 0.031 for paper, _, turned, _ in free)
    assert len(means) == 6
    people = {row[0]: row for row in tables("With human judgments")[0] if row[1] == ""}
    for what in ("mean, DA", "mean, MQM"):  # the averages differ by two hundredths at most
        numbers = people[what][4:]
        assert numbers[0::3] == pytest.approx(numbers[1::3], abs=0.0205)
    pairs = [row[4:] for row in tables("With human judgments")[0] if row[1] != ""]
    assert len(pairs) == 11
    assert sum((row[1] > row[0]) + (row[4] > row[3]) for row in pairs) == 9  # nine of 22
    sizes = {(row[0], int(row[1])): row for row in tables("Small test sets")[0]}
    for metric in ("BLEU", "chrF"):
        ours = [sizes[metric, size][5] for size in (1, 10, 100, 1000)]
        assert ours == sorted(ours)
        assert sizes[metric, 100][5] > sizes[metric, 100][7]


def _correlations(found, names):
    scores = {name: np.array([row[found.columns.index(name)] for row in found.rows]) for name in names}
    return {(a, b): stats.pearsonr(scores[a], scores[b]).statistic for a in names for b in names if a != b}


@pytest.mark.slow
def test_three_ways_across_systems_are_what_the_page_shows():
    """83 outputs in both readings, with and without targets that 13a cannot split."""
    used = read_translated(WMT23)
    ours, turned = (
        aggregation_grid.run(asked("aggregation-grid", quick=False, as_published=reading), used)
        for reading in (False, True)
    )
    names = aggregation_grid.NAMES
    whole = turned.table("scores")
    kept = [row for row in whole.rows if str(row[0]).split()[-1] in SPACED]
    spaced = type(whole)(name="scores", title="", columns=whole.columns, rows=tuple(kept))
    found = [_correlations(table, names) for table in (ours.table("scores"), whole, spaced)]
    across, means = tables("Three aggregation methods across systems")
    for a, b, _, _, *page in across:
        is_shown(page, [each[a, b] for each in found])
    for name, _, *page in means:
        place = whole.columns.index(name)
        each = (ours.table("scores").rows, whole.rows, kept)
        is_shown(page, [np.mean([row[place] for row in rows]) / 100 for rows in each])


@pytest.mark.slow
def test_small_test_sets_are_what_the_page_shows():
    """Medians over all draws, in both readings."""
    used = read_translated(WMT23)
    rows = {}
    for reading in (False, True):
        options = {"quick": False, "as_published": reading}
        found = aggregation_robustness.run(asked("aggregation-robustness", **options), used)
        rows |= {(reading, *row[:3]): row[5] for row in found.table("figure-5").rows}
    for metric, size, *page in tables("Small test sets")[0]:
        for k, what in enumerate(aggregation_robustness.WHATS):
            for reading in (False, True):
                cell = page[2 * k + 1 + reading]
                expected = rows.get((reading, metric, what, int(size)))
                assert (cell == "") == (expected is None)
                if expected is not None:
                    is_shown([cell], [expected])


@pytest.mark.slow
def test_correlations_with_people_are_what_the_page_shows(judged):
    """Eleven data sets and the means of both kinds, in both readings."""
    names = ("BLEU", "m-BLEU", "x-BLEU", "chrF", "m-chrF", "x-chrF")
    (shown,) = tables("With human judgments")
    for reading, label in ((False, "mean"), (True, "transposed")):
        found = aggregation_human.run(asked("aggregation-human", quick=False, as_published=reading), judged)
        table = found.table("table-1")
        for kind in ("DA", "MQM"):
            mean = {row[2]: row[3] for row in table.rows if row[0] == kind}
            (page,) = [row for row in shown if row[0] == f"{label}, {kind}"]
            is_shown(page[4:], [mean[name] for name in names])
        if not reading:
            pages = [row for row in shown if row[1] != ""]
            for page, row in zip(pages, found.table("by-data").rows, strict=True):
                assert page[1:4] == [str(row[0]).split()[-1], row[2], row[3]]
                is_shown(page[4:], row[4:])
