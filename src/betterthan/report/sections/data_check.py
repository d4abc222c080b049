"""The section on the data: what was read, what was left out, what is doubtful, with codes and cures."""

from __future__ import annotations

from collections.abc import Iterable

from betterthan.messages import Message
from betterthan.read.problems import PROBLEMS
from betterthan.report.document import Block, Checklist, Item, Section
from betterthan.report.inputs import Inputs
from betterthan.report.wording import count, thousands
from betterthan.results.base import Result
from betterthan.results.checkup import Checkup

# How notes begin that only say how a number was made; whatever is not known to be harmless is a doubt.
_HARMLESS = (
    "Signature: ",
    "Tokeniser ",
    "bootstrap_mean is the mean score of corpora",
    "Intervals keep each metric's threshold",
    "Comparison graph: connected;",
)


def data_section(
    inputs: Inputs, said: Iterable[str], results: Iterable[Result], *, blocks: tuple[Block, ...] = ()
) -> Section:
    """Return the checklist: what is there, every problem of every file, every note of every result once."""
    items = [Item(state="ok", text=text) for text in said]
    for checkup in inputs.checkups:
        items += _of_checkup(checkup)
    known = {item.text for item in items}
    notes = dict.fromkeys([*inputs.notes, *(note for result in results for note in result.notes)])
    items += [Item(state=_state(note), text=thousands(note)) for note in notes if note not in known]
    if all(item.state in ("ok", "note") for item in items):
        items.append(Item(state="ok", text="No problems found."))
    return Section(
        key="data",
        title="Data check",
        menu="Data",
        lead="What was read, left out, noted and doubted.",
        blocks=(Checklist(tuple(items)), *blocks),
    )


def _state(note: str) -> str:
    """Return "note" for what only says how something was made, and "doubt" for everything else."""
    return "note" if note.startswith(_HARMLESS) else "doubt"


def _of_checkup(checkup: Checkup) -> list[Item]:
    account = ""
    if checkup.rows_read:
        dropped = "; ".join(f"{count(n)} dropped: {reason}" for reason, n in checkup.dropped.items())
        account = f"; {count(checkup.rows_kept)} of {count(checkup.rows_read)} rows kept" + (
            f" ({dropped})" if dropped else ""
        )
    items = [
        Item(state="ok", text=f"{checkup.file} was read as {checkup.format} ({checkup.because}){account}.")
    ]
    for problem in checkup.problems:
        known = PROBLEMS.get(problem.code)
        items.append(
            Item(
                state="doubt" if problem.is_doubt else "fault",
                code=problem.code,
                text=Message(
                    "{title}, {place}: {message}",
                    title=problem.title,
                    place=problem.place,
                    message=thousands(problem.message),
                ),
                more=f"{known.meaning} {known.cure}" if known else "",
            )
        )
    return items
