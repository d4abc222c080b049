"""Levels are kept and intervals cover, as docs/calibration.md says: measured again with another seed."""

import numpy as np
import pytest
from tests.calibration import expected, report
from tests.calibration.false_positives import ALONE, OFFERED, pvalue
from tests.calibration.simulate import (
    COUNTED,
    KINDS,
    counts_of,
    document_scores,
    documents,
    scores_of,
    single_segments,
)

import betterthan as bt
from betterthan.analysis.aggregations import aggregation
from betterthan.analysis.resampling import Bootstrap, bootstrap
from betterthan.engine.streams import stream
from betterthan.kernels.counts_permutation import counts_permutation_block
from betterthan.kernels.intervals import bca_interval, jackknife_means, percentile_interval
from betterthan.kernels.permutation import add_one

ANOTHER_SEED = 7
EXPERIMENTS = [(section, name) for section, names in report.SECTIONS.items() for name in names]


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(("section", "name"), EXPERIMENTS, ids=["/".join(pair) for pair in EXPERIMENTS])
def test_measured_again_the_page_is_right(section, name):
    """Each share lies where it must, and agrees with the page within the error of both measurements."""
    page = report.kept()[section][report.group_of(name)]
    faults = []
    for row, columns in report.measure(section, name, ANOTHER_SEED).items():
        for column, count in columns.items():
            low, high = expected.limits(section, row, column, count.trials)
            if not low <= count.share <= high:
                faults.append(f"{row}, {column}: {count.share:.4f}, not {low:.4f} to {high:.4f}")
            if not expected.agree(count, page[row][column]):
                faults.append(
                    f"{row}, {column}: {count.share:.4f}, on the page {page[row][column].share:.4f}"
                )
    assert not faults, "\n".join(faults)


def test_the_page_shows_what_was_measured():
    """Its tables are those of calibration.json, and every measurement is in one of them."""
    text, measured = report.PAGE.read_text(encoding="utf-8"), report.kept()
    assert report.filled(text, measured) == text, "python -m tests.calibration.report --tables"
    for section, groups in measured.items():
        for group in groups:
            assert f"<!-- table: {section}/{group} -->" in text


def test_what_was_measured_lies_where_it_must():
    """The numbers of the page themselves, and none is left over from an experiment that is gone."""
    for section, groups in report.kept().items():
        assert set(groups) == {report.group_of(name) for name in report.SECTIONS[section]}
        for rows in groups.values():
            for row, columns in rows.items():
                for column, count in columns.items():
                    low, high = expected.limits(section, row, column, count.trials)
                    assert low <= count.share <= high, (section, row, column, count)


@pytest.mark.parametrize("name", OFFERED)
def test_the_measured_tests_are_those_of_compare(name):
    """The simulations ask a test directly; the verb gives the same p-value."""
    test, options = OFFERED[name]
    values = KINDS["grades 0–4, 20"].tables(np.random.default_rng(1), 1)[0]
    pair = bt.compare(scores_of(values), test=test, n_resamples=999, rng=3, **options).pair("S0", "S1")
    assert pvalue(test, values, single_segments(20), seed=3, **options) == pair.pvalue


@pytest.mark.parametrize("test", ["t", "permutation", "bootstrap"])
def test_the_measured_tests_by_documents_are_those_of_compare(test):
    """The same for documents."""
    rng = np.random.default_rng(1)
    units = documents(rng, 12)
    values = document_scores(rng, units, 2)
    table = bt.compare(scores_of(values, units), test=test, units="groups", n_resamples=999, rng=3)
    assert pvalue(test, values, units, seed=3) == table.pair("S0", "S1").pvalue


@pytest.mark.parametrize("name", COUNTED)
def test_the_measured_permutation_of_counts_is_that_of_compare(name):
    """The same for counts."""
    draw, formula = COUNTED[name]
    values = draw(np.random.default_rng(1), 2, 30)
    table = bt.compare(counts_of(values, formula), n_resamples=999, rng=3)
    rng = stream(3, "permutation of counts", 0)
    tallies = counts_permutation_block(values, 999, rng, formula=formula.pooled)
    expected_p = add_one(tallies.greater + tallies.equal, 999)[0, 1]
    assert table.pair("S0", "S1").pvalue == expected_p


@pytest.mark.parametrize("by", ["mean", "median", "win_rate", "bradley_terry"])
def test_the_measured_intervals_are_those_of_rank(by):
    """The simulations draw by the same functions as the verb, and find the same limits."""
    values = KINDS["normal, 20"].tables(np.random.default_rng(1), 1, 3)[0]
    options = {"interval": "percentile", "scale": "log", "n_resamples": 200, "rng": 3}
    ranking = bt.rank(scores_of(values), by=by, **options)
    method = aggregation(by, ties="drop", prior=0.0, scale="log")
    how = Bootstrap(units=single_segments(20), n_resamples=200, seed=3, digest="", computing=ALONE)
    draws = bootstrap(method.name, values, method.resampled, how, bytes_each=1000)
    order = [int(name[1:]) for name in ranking.systems]
    np.testing.assert_allclose(
        percentile_interval(draws[:, order], 0.95), [ranking.low, ranking.high], rtol=1e-12
    )


def test_the_measured_bca_interval_is_that_of_rank():
    """The closed form of the jackknife gives the same interval as leaving out one segment at a time."""
    values = KINDS["normal, 20"].tables(np.random.default_rng(1), 1, 3)[0]
    ranking = bt.rank(scores_of(values), interval="bca", n_resamples=200, rng=3)
    method = aggregation("mean", ties="drop", prior=0.0, scale="log")
    how = Bootstrap(units=single_segments(20), n_resamples=200, seed=3, digest="", computing=ALONE)
    draws = bootstrap("mean", values, method.resampled, how, bytes_each=1000)
    limits = bca_interval(draws, values.mean(axis=1), jackknife_means(values), confidence=0.95)
    order = [int(name[1:]) for name in ranking.systems]
    np.testing.assert_allclose(np.array(limits)[:, order], [ranking.low, ranking.high], rtol=1e-9)
