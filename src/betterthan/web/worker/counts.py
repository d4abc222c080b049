"""Counts of texts and tags for the pages of pairs; a formula is a function, so it is found again by its name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Literal

from betterthan.analysis.tags.tag_counts import TagMeasure, tag_counts
from betterthan.scoring.bleu import bleu
from betterthan.scoring.chrf import chrf
from betterthan.scoring.ter import ter
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

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
