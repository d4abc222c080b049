"""The first line below a table says which unit was used, in every verb; then whether so few could decide anything."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest
from tests.made import accuracy_counts, drawn_scores

import betterthan as bt
from betterthan.analysis.pairs.significance import TESTS
from betterthan.present.tables.describe import describe
from betterthan.report.pair.scores import notes_of
from betterthan.results.settings import BY_SEGMENT

N = 24


def documents(n_documents):
    """Which document each segment is in."""
    return [f"d{i * n_documents // N}" for i in range(N)]


def scores(n_documents, m=3, seed=0):
    """Scores of far-apart systems in documents."""
    return drawn_scores(m, N, gap=3, seed=seed, groups=documents(n_documents))


def counts(n_documents):
    """Right and all, in documents."""
    right = np.random.default_rng(1).binomial(9, np.array([[0.2], [0.5], [0.9]]), (3, N))
    return accuracy_counts(np.stack([right, np.full((3, N), 9)], axis=2), groups=documents(n_documents))


def tags(n_documents):
    """Word tags in documents."""
    rng = np.random.default_rng(2)
    gold = rng.random(N * 8) < 0.3
    wrong = rng.random((3, gold.size)) < np.array([[0.02], [0.2], [0.4]])
    return bt.WordTags(
        systems=["A", "B", "C"],
        segments=[str(i) for i in range(N)],
        gold=gold,
        predicted=gold ^ wrong,
        offsets=np.arange(0, gold.size + 1, 8),
        groups=documents(n_documents),
    )


VERBS = {
    "rank": lambda n, **units: bt.rank(scores(n), **units),
    "compare": lambda n, **units: bt.compare(scores(n), **units),
    "explain": lambda n, **units: bt.explain(scores(n), "A", "B", **units),
    "rank counts": lambda n, **units: bt.rank(counts(n), **units),
    "compare counts": lambda n, **units: bt.compare(counts(n), n_resamples=99, **units),
    "explain counts": lambda n, **units: bt.explain(counts(n), "A", "B", **units),
    "aggregate": lambda n, **units: bt.aggregate(counts(n), **units),
    "rank_ratings": lambda n, **units: bt.rank_ratings(scores(n), **units),
    "rank_tags": lambda n, **units: bt.rank_tags(tags(n), n_resamples=99, **units),
    "audition": lambda n, **units: bt.audition(tags(n), n_resamples=99, **units),
    "sentence_quality": lambda n, **units: bt.sentence_quality(scores(n), scores(n, m=1, seed=5), **units),
}
BY_DESIGN = ("rank", "compare", "explain", "explain counts", "aggregate", "rank_tags", "audition")


@pytest.mark.parametrize("verb", VERBS)
def test_the_first_line_says_the_unit(verb):
    """Documents by default, or segments where the user wants them; said once, with how to change it."""
    by_default, by_segments = VERBS[verb](8), VERBS[verb](8, units="segments")
    for found, line in (
        (by_default, 'Unit: 8 documents (24 segments). Use units="segments" for single segments.'),
        (
            by_segments,
            (
                "Unit: 24 segments, although segments of a document are correlated. "
                'Use units="groups" for whole documents.'
            ),
        ),
    ):
        table = describe(found)
        assert table.unit == line
        assert line not in table.notes
        assert found.unit_note
        assert line.startswith(found.unit_note)


@pytest.mark.parametrize("verb", BY_DESIGN)
def test_that_so_few_units_cannot_decide_is_the_verdict(verb):
    """Four documents can be swapped in 16 ways, so that no p-value is below 0.125."""
    found = VERBS[verb](4)
    verdict = describe(found).verdict[0]
    assert "No pair could be significant" in verdict or "are too few" in verdict
    assert not any("No pair could" in note or "are too few" in note for note in describe(found).notes)


def test_metrics_are_judged_by_documents_and_say_so():
    """Intervals draw documents; the published measure permutes segments, and the first line says both."""
    found = bt.meta_evaluate([scores(8, seed=3)], scores(8), p_values="analytic")
    unit = describe(found).unit
    assert unit.startswith("Unit: 8 documents (24 segments).")
    assert "permute single segments, as published" in unit


def test_pages_say_the_unit_without_an_argument_of_python():
    """A page has no keyword arguments; unit and what cannot be decided stand among its notes."""
    said = [note.text for note in notes_of(bt.explain(scores(4), "A", "B"))]
    assert "Unit: 4 documents (24 segments)." in said
    assert any(text.startswith("No pair could be significant") for text in said)
    assert not any("units=" in text for text in said)


@pytest.mark.parametrize("verb", ["rank", "compare", "explain"])
@pytest.mark.parametrize("by_documents", [False, True])
def test_intervals_of_few_units_are_called_rough(verb, by_documents):
    """In comparisons as in rankings, whether segments or documents are few."""
    call = {"rank": bt.rank, "compare": bt.compare, "explain": lambda table: bt.explain(table, "A", "B")}[
        verb
    ]
    table = scores(6) if by_documents else drawn_scores(3, 6)
    what = "6 documents" if by_documents else "6 segments"
    assert f"Only {what}: confidence intervals from so few are approximate." in call(table).notes
    assert not any("are rough" in note for note in call(drawn_scores(3, 24)).notes)


@pytest.mark.parametrize("test", list(TESTS))
@pytest.mark.parametrize("missing", ["raise", "pairwise"])
def test_the_advice_about_units_can_be_followed(test, missing):
    """Some tests take no documents, and documents need every score; then the line names what has to change as well."""
    table = scores(6)
    if missing == "pairwise":
        values = np.array(table.values)
        values[0, 0] = np.nan
        table = replace(table, values=values)
        if test == "bootstrap":
            return  # it needs every score itself
    line = describe(bt.compare(table, test=test, missing=missing, units="segments")).unit
    advice = dict(re.findall(r'(\w+)="(\w+)"', line))
    assert advice["units"] == "groups"
    assert bt.compare(table, **{"test": test, "missing": missing, **advice}).units == "groups"


def test_tests_that_take_no_groups_are_known_where_lines_are_written():
    """One list is beside the tests, the other beside the words."""
    assert {name for name, test in TESTS.items() if not test.takes_groups} == set(BY_SEGMENT)
