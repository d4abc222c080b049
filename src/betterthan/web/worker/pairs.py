"""The worker's part in pages of pairs: computed with the run where there are few, and on request where there are many.

A run writes all its pairs if that is at most `MOST_PAGES` pages over at most `MOST_SEGMENTS` segments together: some
seconds. Of larger runs a page is computed when it is first asked for, in a worker of its own, and stored. The formula
of counts is a function, so it is found again by its name.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from itertools import permutations
from typing import Any, Literal, NamedTuple

from betterthan.analysis.tags.tag_counts import TagMeasure, tag_counts
from betterthan.errors import BetterThanError
from betterthan.report.pair.view import PairTables, pair_view
from betterthan.scoring.bleu import bleu
from betterthan.scoring.chrf import chrf
from betterthan.scoring.ter import ter
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts
from betterthan.web.details.pair_files import pair_file
from betterthan.web.names import on_page, page_text
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.saved_tables import SavedTables, saved_counts, saved_tables
from betterthan.web.runs.task import Task
from betterthan.web.worker.worker import News, with_shown_names

SCORERS: dict[str, Callable[..., Counts]] = {"chrf": chrf, "bleu": bleu, "ter": ter}
# Of single sentences only the share of right tags is always defined, so the list of sentences begins with it.
TAG_MEASURES: tuple[TagMeasure, ...] = ("accuracy", "f1_mult", "mcc")


def counts_of_texts(texts: Texts, *, metric: str | None, missing: str) -> tuple[Counts, ...]:
    """Return the counts of all metrics, the wanted one first, as the report has them."""
    first = (metric or "chrf").lower()
    rule: Literal["raise", "drop"] = "drop" if missing == "drop" else "raise"
    order = sorted(SCORERS, key=lambda name: name != first)
    return tuple(SCORERS[name](texts, missing=rule, workers=1) for name in order)


def counts_of_tags(tags: WordTags) -> tuple[Counts, ...]:
    """Return the counts of the measures that are shown of tags.

    Examples
    --------
    >>> tags = WordTags(systems=["A"], segments=["1"], gold=[True, False], predicted=[[True, True]], offsets=[0, 2])
    >>> [(counts.name, counts.pooled().tolist()) for counts in counts_of_tags(tags)][:2]
    [('accuracy', [0.5]), ('f1_mult', [0.0])]
    """
    return tuple(tag_counts(tags, by=measure) for measure in TAG_MEASURES)


def formula_named(name: str) -> Formula | None:
    """Return the formula of a metric on texts by its signature, or None where it is now another one.

    The signature holds the version of the tokenizers, so counts of an older version are not mixed with this one's.

    Examples
    --------
    >>> formula_named("chrF2|nrefs:1|version:0") is None
    True
    """
    references = re.search(r"\|nrefs:(\d{1,4})(\||$)", name)
    for scorer in SCORERS.values():
        lines = (("a",),) * int(references[1] if references else 1)
        smallest = Texts(systems=("A",), segments=("1",), outputs=(("a",),), references=lines)
        formula = scorer(smallest, workers=1).formula
        if formula.name == name:
            return formula
    return None


MOST_PAGES = 60
MOST_SEGMENTS = 200_000


class Page(NamedTuple):
    """A pair in one direction, by one metric; the metric is empty for battles and tags."""

    a: str
    b: str
    metric: str


def pair_tables(saved: SavedTables, counts: tuple[Counts, ...], results: dict[str, Any]) -> PairTables:
    """Return what the pages of pairs are computed from."""
    return PairTables(
        results=results,
        scores=saved.scores,
        counts=counts,
        texts=saved.texts,
        tags=saved.tags,
        matches=None if saved.battles is None else saved.battles.matches,
    )


def stored_results(folder: RunFolder) -> dict[str, Any]:
    """Return the results of the report as plain data, with their notes as the page writes them."""
    results: dict[str, Any] = folder.read("results.json")["results"]
    notes = folder.read("notes.json") or {}
    return {name: {**result, "notes": notes.get(name, result["notes"])} for name, result in results.items()}


def pages_with_run(saved: SavedTables) -> list[Page]:
    """Return the pages that are computed with the run: those of all metrics, of the first, or none."""
    if saved.battles is not None or saved.tags is not None:
        groups = [[Page(a, b, "") for a, b in permutations(saved.systems, 2)]]
    else:
        groups = [
            [Page(a, b, table.name) for a, b in permutations(table.systems, 2)] for table in saved.scores
        ]
    n_segments = saved.scores[0].n_segments if saved.scores else 1
    for n_groups in (len(groups), 1):
        pages = [page for group in groups[:n_groups] for page in group]
        if len(pages) <= MOST_PAGES and len(pages) * n_segments <= MOST_SEGMENTS:
            return pages
    return []


def write_pairs(task: Task, news: News, saved: SavedTables, tables: PairTables) -> None:
    """Write the pages of pairs that belong to the run; what does not succeed is left to be asked for."""
    pages = pages_with_run(saved)
    with suppress(
        MemoryError, OSError
    ):  # the report is there, and a page that is asked for says what is wrong
        for done, page in enumerate(pages):
            news.start(len(pages), "Comparing pairs", done=done)
            _write_page(task, saved, tables, page)


def compute_pair(task: Task, news: News) -> None:
    """Compute one requested pair in both directions, from what the run has stored."""
    news.stage("Comparing the pair")
    saved = saved_tables(task.folder)
    counts = (
        counts_of_tags(saved.tags) if saved.tags is not None else saved_counts(task.folder, formula_named)
    )
    tables = pair_tables(saved, counts, stored_results(task.folder))
    a, b, metric = (task.details[name] for name in ("a", "b", "metric"))
    for page in (Page(a, b, metric), Page(b, a, metric)):
        _write_page(task, saved, tables, page)


def _write_page(task: Task, saved: SavedTables, tables: PairTables, page: Page) -> None:
    try:
        view = pair_view(tables, page.a, page.b, metric=page.metric)
        stored = {
            "html": with_shown_names(view.html(spelling=on_page), task.files),
            "data": view.data,
            "problem": "",
        }
    except BetterThanError as error:  # the data say nothing about this pair, and why
        stored = {"html": "", "data": {}, "problem": with_shown_names(page_text(error.text), task.files)}
    task.folder.write(pair_file(saved, page.a, page.b, page.metric), stored)
