"""The section on the data: what was read, what was left out, what is doubtful, with codes and cures."""

from __future__ import annotations

from collections.abc import Iterable

from betterthan.messages import METHOD_NOTE, Message
from betterthan.read.problems import PROBLEMS
from betterthan.report.document import Block, Checklist, ChecklistItem, Section
from betterthan.report.inputs import Inputs
from betterthan.report.wording import count
from betterthan.results.base import Result
from betterthan.results.checkup import Checkup
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.units import UNIT_LINE, first_lines


def data_section(
    inputs: Inputs, facts: Iterable[str], results: Iterable[Result], *, blocks: tuple[Block, ...] = ()
) -> Section:
    """Return the checklist: what is there, every problem of every file, every note of every result once."""
    items = [ChecklistItem(state="ok", text=text) for text in facts]
    for checkup in inputs.checkups:
        items += _of_checkup(checkup)
    known = {item.text for item in items}
    # Tables say the unit themselves; what cannot be significant at all is said once, of the pairs.
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
        lead="What was read, left out, noted and doubted.",
        blocks=(Checklist(tuple(items)), *blocks),
    )


def _state(note: str) -> str:
    """Return "note" for what only says how a number was made; what does not say so of itself is a doubt."""
    return "note" if isinstance(note, Message) and note.code == METHOD_NOTE else "doubt"


def _of_checkup(checkup: Checkup) -> list[ChecklistItem]:
    account = ""
    if checkup.rows_read:
        dropped = "; ".join(f"{count(n)} dropped: {reason}" for reason, n in checkup.dropped.items())
        account = f"; {count(checkup.rows_kept)} of {count(checkup.rows_read)} rows kept" + (
            f" ({dropped})" if dropped else ""
        )
    items = [
        ChecklistItem(
            state="ok", text=f"{checkup.file} was read as {checkup.format} ({checkup.because}){account}."
        )
    ]
    for problem in checkup.problems:
        known = PROBLEMS.get(problem.code)
        items.append(
            ChecklistItem(
                state="doubt" if problem.is_doubt else "fault",
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
