"""Answers with their scores, as evaluation toolkits write them: items named by content, repeated answers as runs."""

from __future__ import annotations

import hashlib
import json
import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from betterthan.read.formats.toolkits.toolkit_json import ScoreRow
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import Problem
from betterthan.read.source.source import Source

_DIGITS = 12
_LONGEST = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedCase:
    """An answer of a system to an item, with its scores.

    Attributes
    ----------
    system, item : str
    scores : dict
        By metric; None is missing.
    run : str
        Of all items, where the file or folder has several; empty otherwise.
    failed : bool
        Whether the system or a judge ended in an error, so that a score is missing.
    """

    system: str
    item: str
    scores: Mapping[str, float | None]
    run: str = ""
    failed: bool = False


@dataclass(slots=True)
class CaseRows:
    """The rows of all answers, and what was left out of them."""

    rows: list[ScoreRow]
    left_out: dict[str, int] = field(default_factory=dict)


def content_name(question: Any, *more: Any) -> str:  # noqa: ANN401  (JSON)
    """Return a name for an item that depends on its content only: its first words and a digest.

    Positions would pair different items after a data set is filtered or sorted again.

    Examples
    --------
    >>> content_name("What is 2 + 2?", "4")
    'What is 2 + 2? [7196e5f92aa9]'
    """
    text = json.dumps([question, *more], sort_keys=True, ensure_ascii=True, default=str)
    digest = hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]
    shown = question if isinstance(question, str) else json.dumps(question, ensure_ascii=False, default=str)
    words = " ".join("".join(letter if letter.isprintable() else " " for letter in shown).split())
    words = words if len(words) <= _LONGEST else words[: _LONGEST - 1].rstrip() + "…"
    return f"{words} [{digest}]".strip()


def number(name: str, value: Any, source: Source, *, line: int | None = None) -> float | None:  # noqa: ANN401  (JSON)
    """Return a score, None if it is missing.

    Raises
    ------
    ReadError
        For anything else (BT013).
    """
    score = parse(value)
    if math.isinf(score):
        raise source.error(
            f"The value of {quoted(name)} is not a number: {quoted(str(value))}. Write it again with the toolkit.",
            line=line,
            code="BT013",
        )
    return None if math.isnan(score) else score


def case_rows(cases: Sequence[GradedCase]) -> CaseRows:
    """Return one row for each answer and metric, also where a metric is missing.

    Where a system answered every item several times these are runs. Otherwise equal items are different ones, told
    apart by their order. A metric without any number is left out.
    """
    items = _numbered(cases)
    numbers = Counter(metric for case in cases for metric, value in case.scores.items() if value is not None)
    metrics = dict.fromkeys(metric for case in cases for metric in case.scores)
    rows = [
        ScoreRow(item, case.system, metric, case.scores.get(metric), run)
        for metric in metrics
        if numbers[metric]
        for case, (item, run) in zip(cases, items, strict=True)
    ]
    left_out = Counter(metric for case in cases for metric in case.scores if not numbers[metric])
    return CaseRows(rows, dict(left_out))


def _numbered(cases: Sequence[GradedCase]) -> list[tuple[str, str]]:
    """Return the item and the run of each answer."""
    times = Counter((case.system, case.run, case.item) for case in cases)
    has_runs = any(case.run for case in cases)
    are_repeats = not has_runs and len(times) < len(cases) and min(times.values()) > 1
    seen: Counter[tuple[str, str, str]] = Counter()
    numbered = []
    for case in cases:
        key = (case.system, case.run, case.item)
        seen[key] += 1
        again = seen[key]
        item = case.item if are_repeats or again == 1 else f"{case.item} #{again}"
        numbered.append((item, str(again) if are_repeats else case.run))
    return numbered


def failures(cases: Sequence[GradedCase], place: str, *, fix: str) -> Iterator[Problem]:
    """Yield a problem for each system with answers or scores that ended in an error (BT199)."""
    failed = Counter(case.system for case in cases if case.failed)
    total = Counter(case.system for case in cases)
    for system, count in failed.items():
        message = (
            f"{count:,} of {total[system]:,} answers of {quoted(system)} or their scores ended in an error, so a score "
            f"is missing, not 0. {fix}"
        )
        yield Problem(code="BT199", place=place, message=message)
