"""Downloads of the results, as far as they fit: a page must stay small enough to be mailed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from betterthan.report.copies import csv_of_result
from betterthan.report.document import Block, Downloads, Paragraph, Report, Section
from betterthan.results.base import Result

MOST_JSON = 600_000
MOST_CSV = 400_000
# Results with a number for each pair of more systems than this are too large for any page; they are not even written
# out to be measured, which would take gigabytes.
MOST_SYSTEMS = 1000
_OF_PAIRS = ("diagnosis", "pairwise")
# The command that writes a result of this kind with -o.
_COMMANDS = {
    "agreement": "agree",
    "aggregated": "score",
    "corrected": "correct",
    "counts_explanation": "explain",
    "diagnosis": "diagnose",
    "explanation": "explain",
    "judge_audit": "audit-judge",
    "meta_evaluation": "meta",
    "sentence_quality": "quality",
    "pairwise": "compare",
    "ranking": "rank",
    "tag_ranking": "tags",
}


def fitting(sizes: Mapping[str, int], most: int) -> set[str]:
    """Return what is kept when the largest are left out until the rest fits; of equals the later goes first.

    Examples
    --------
    >>> sorted(fitting({"a": 5, "b": 90, "c": 4}, most=20))
    ['a', 'c']
    """
    names_that_fit = dict(sizes)
    while names_that_fit and sum(names_that_fit.values()) > most:
        del names_that_fit[max(reversed(names_that_fit), key=names_that_fit.__getitem__)]
    return set(names_that_fit)


def embedded(report: Report) -> dict[str, Any]:
    """Return the report as data for its page: what :meth:`Report.to_dict` gives, without results that are too large."""
    whole = replace(report, results=_writable(report.results)).to_dict()
    names_that_fit = fitting({name: _size(data) for name, data in whole["results"].items()}, MOST_JSON)
    return {
        **whole,
        "results": {name: data for name, data in whole["results"].items() if name in names_that_fit},
    }


def csv_files(results: Mapping[str, Result]) -> dict[str, str]:
    """Return the text of each CSV file that fits into the page."""
    texts = {name: csv_of_result(result) for name, result in _writable(results).items()}
    names_that_fit = fitting({name: len(text.encode()) for name, text in texts.items()}, MOST_CSV)
    return {name: text for name, text in texts.items() if name in names_that_fit}


def files_section(results: Mapping[str, Result], files: Mapping[str, str]) -> Section:
    """Return the downloads, with a note on results that are too large for the page.

    Parameters
    ----------
    results : mapping of str to Result
    files : mapping of str to str
        As :func:`csv_files` gives them.
    """
    sizes = {name: _size(result.to_dict()) for name, result in _writable(results).items()}
    names_that_fit = fitting(sizes, MOST_JSON)
    blocks: list[Block] = [Downloads(tuple(files))]
    lead = "All results, embedded in this page: together as JSON, and each as CSV with all digits."
    if len(names_that_fit) < len(results) or len(files) < len(results):
        lead = "The results embedded in this page, as JSON and as CSV."
        blocks.append(Paragraph(_left_out(results, sizes, names_that_fit, files), "note"))
    return Section(key="files", title="Files", lead=lead, blocks=tuple(blocks))


def _writable(results: Mapping[str, Result]) -> dict[str, Result]:
    """Return the results without those that are known to be too large."""
    return {
        name: result
        for name, result in results.items()
        if result.kind not in _OF_PAIRS or len(getattr(result, "systems", ())) <= MOST_SYSTEMS
    }


def _left_out(
    results: Mapping[str, Result],
    sizes: Mapping[str, int],
    names_that_fit: Iterable[str],
    files: Mapping[str, str],
) -> str:
    """Say which results are not in the page, how large they are, and where to find their numbers."""
    lines = []
    for name, result in results.items():
        size = f" ({sizes[name] / 1000:,.0f} KB)" if name in sizes else ""
        if name in names_that_fit and name in files:
            continue
        if name in files:
            lines.append(
                f'"{name}" is too large for results.json here{size}; {name}.csv has all its numbers.'
            )
        elif name in names_that_fit:
            lines.append(f"{name}.csv is too large for this page; results.json has all its numbers.")
        else:
            command = _COMMANDS.get(result.kind)
            remedy = f" Write it with betterthan {command} -o." if command else ""
            lines.append(f'"{name}" is too large for this page{size}.{remedy}')
    return " ".join(lines)


def _size(data: Any) -> int:  # noqa: ANN401  (plain JSON data)
    return len(json.dumps(data, allow_nan=False, ensure_ascii=False, separators=(",", ":")).encode())
