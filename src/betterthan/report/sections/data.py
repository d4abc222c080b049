"""What the page was made of: the data check with its codes, the method to paste, and downloads of the results.

Downloads are as many as fit: a page must stay small enough to be mailed.
"""

from __future__ import annotations

import functools
import json
import platform
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib.metadata import version
from pathlib import Path
from typing import Any

from betterthan import __version__
from betterthan.messages import METHOD_NOTE, Message
from betterthan.read.problems import PROBLEMS
from betterthan.report.document import (
    Block,
    Checklist,
    ChecklistItem,
    Code,
    Columns,
    Downloads,
    Fold,
    Paragraph,
    Report,
    Section,
    csv_of_result,
)
from betterthan.report.inputs import Inputs
from betterthan.report.wording import count
from betterthan.results.base import Result
from betterthan.results.checkup import Checkup
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.settings import UNIT_LINE, first_lines

_ONE_SYSTEM = "BT104"


def data_section(
    inputs: Inputs, facts: Iterable[str], results: Iterable[Result], *, blocks: tuple[Block, ...] = ()
) -> Section:
    """Return the checklist: what is there, every problem of every file, every note of every result once."""
    items = [ChecklistItem(state="ok", text=text) for text in facts]
    items += _files_read(inputs.checkups)
    for checkup in inputs.checkups:
        items += _problems(checkup, is_alone=len(inputs.checkups) == 1)
    known = {item.text for item in items}
    # Tables name the unit themselves; that nothing could be significant is said once, for the pairs.
    lines = [
        line
        for result in results
        for line in (*(first_lines(result) if isinstance(result, PairwiseTable) else ()), *result.notes)
    ]
    notes = dict.fromkeys(
        [*inputs.notes, *(line for line in lines if getattr(line, "code", "") != UNIT_LINE)]
    )
    items += [ChecklistItem(state=_state(note), text=note) for note in notes if note not in known]
    if all(item.state in ("ok", "note") for item in items):
        items.append(ChecklistItem(state="ok", text="No problems found."))
    return Section(
        key="data",
        title="Data check",
        menu="Data",
        lead="What was read and left out, with notes and warnings.",
        blocks=(Checklist(tuple(items)), *blocks),
    )


def _state(note: str) -> str:
    """Return "note" for what only says how a number was made or what is harmless; all else is a warning."""
    is_note = isinstance(note, Message) and (note.code == METHOD_NOTE or note.severity == "info")
    return "note" if is_note else "warning"


def _files_read(checkups: Iterable[Checkup]) -> list[ChecklistItem]:
    """Return one line per format: of many files that were read in the same way, the names in one list."""
    files: dict[tuple[str, str], list[str]] = {}
    for checkup in checkups:
        files.setdefault((checkup.format, f"{checkup.because}{_rows(checkup)}"), []).append(checkup.file)
    items = []
    for (layout, account), names in files.items():
        listed = ", ".join(Path(name).name for name in names)
        text = f"{count(len(names))} files were read as {layout} ({account} each): {listed}."
        if len(names) == 1:
            text = f"{names[0]} was read as {layout} ({account})."
        items.append(ChecklistItem(state="ok", text=text))
    return items


def _rows(checkup: Checkup) -> str:
    if not checkup.rows_read:
        return ""
    dropped = "".join(f"; {count(n)} dropped: {reason}" for reason, n in checkup.dropped.items())
    return f"; {count(checkup.rows_kept)} of {count(checkup.rows_read)} rows kept{dropped}"


def _problems(checkup: Checkup, *, is_alone: bool) -> list[ChecklistItem]:
    items = []
    for problem in checkup.problems:
        if problem.code == _ONE_SYSTEM and not is_alone:  # the other files have the others
            continue
        known = PROBLEMS.get(problem.code)
        items.append(
            ChecklistItem(
                state="warning" if problem.is_doubt else "error",
                code=problem.code,
                text=Message(
                    "{title}, {place}: {message}",
                    title=problem.title,
                    place=problem.place,
                    message=problem.message,
                ),
                more=f"{known.meaning} {known.cure}" if known else "",
            )
        )
    return items


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


_FILE = Path(__file__).parents[1] / "templates" / "citations.bib"
_KEYS = {
    "paired": "peyrard2021better",
    "permutation": "good2005permutation",
    "holm": "holm1979simple",
    "bootstrap": "koehn2004statistical",
    "bradley_terry": "bradley1952rank",
    "power": "card2020power",
    "soft_pairwise_accuracy": "thompson2024improving",
    "sacrebleu": "post2018call",
    "chrf": "popovic2015chrf",
    "tags": "logacheva2016metrics",
    "quality": "graham2015improving",
}


def bibtex(methods: Iterable[str]) -> str:
    """Return the entries of these methods, each once.

    Examples
    --------
    >>> print(bibtex(["holm"]).splitlines()[0])
    @article{holm1979simple,
    """
    return "\n\n".join(_entries()[_KEYS[method]] for method in dict.fromkeys(methods))


@functools.cache
def _entries() -> dict[str, str]:
    written = _FILE.read_text(encoding="utf-8").strip().split("\n\n")
    return {re.match(r"@\w+{(\w+),", entry).group(1): entry for entry in written}  # type: ignore[union-attr]


_PACKAGES = ("numpy", "scipy", "duckdb", "sacrebleu")


def method_section(
    paragraph: Sequence[str], results: Mapping[str, Result], methods: Iterable[str], command: str
) -> Section:
    """Return what a paper needs to describe and reproduce the numbers."""
    signatures = dict.fromkeys(result.settings.signature for result in results.values())
    signed = Code(key="signatures", label="Signatures", text="\n".join(signatures))
    cited = Code(key="citations", label="Citations (BibTeX)", text=bibtex(methods))
    blocks = (
        Columns(
            (Code(key="paragraph", label="To paste into a paper", text=" ".join(paragraph)),),
            (
                Code(key="command", label="Command that reproduces this report", text=command),
                Code(key="versions", label="Versions", text=versions()),
            ),
        ),
        Fold(key="signatures-fold", label="Signatures of all results", blocks=(signed,)),
        Fold(key="citations-fold", label="Citations", blocks=(cited,)),
    )
    lead = "How the numbers were computed, and how to cite and reproduce them."
    return Section(key="method", title="Method", lead=lead, blocks=blocks)


def versions() -> str:
    """Return the versions that numbers may depend on; no date, so that the same data give the same page."""
    packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
    return f"betterthan {__version__}, Python {platform.python_version()}, {packages}"
