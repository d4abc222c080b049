"""The data check: what was read and left out, and warnings with codes and what to do about them."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from betterthan.messages import METHOD_NOTE, Message
from betterthan.read.problems import PROBLEMS
from betterthan.report.document import Block, Checklist, ChecklistItem, Section
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
