"""A gate for GitHub Actions: annotations, which are lines that the runner reads, and the summary of a job."""

from __future__ import annotations

from betterthan.messages import Spelling
from betterthan.present.printable import printable
from betterthan.present.renderers.markdown import render_markdown
from betterthan.present.tables.decisions import (
    failing_rows,
    gate_sentences,
    gate_table,
    open_rows,
    row_name,
    row_sentence,
)
from betterthan.results.decisions import Gate

_MARKS = {0: "✅", 1: "❌", 3: "⚠️"}
_LEVELS = {0: "notice", 1: "error", 3: "warning"}


def workflow_commands(result: Gate) -> list[str]:
    """Return a workflow command for the verdict, and one for each metric or slice that stands in the way.

    References
    ----------
    .. [1] GitHub, Workflow commands for GitHub Actions,
       https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands

    Examples
    --------
    >>> import betterthan as bt
    >>> found = bt.gate([5, 6, 5, 7, 6, 5, 6, 7], [6, 8, 6, 8, 7, 7, 7, 8], margin=0.5)
    >>> print(workflow_commands(found)[0][:76])
    ::notice title=Gate%3A better::Better: B is significantly better than A (dif
    """
    level = _LEVELS[result.exit_code]
    told = gate_sentences(result) if len(result) == 1 else gate_sentences(result)[:1]
    lines = [_command(level, f"Gate: {result.verdict}", " ".join(told))]
    if len(result) == 1:
        return lines
    other = "warning" if level == "notice" else level
    levels = [(i, "error") for i in failing_rows(result)] + [(i, other) for i in open_rows(result)]
    own = [
        _command(each, f"Gate: {row_name(result[i])}", f"{row_sentence(result, i)}.") for i, each in levels
    ]
    return [*lines, *own]


def _command(level: str, title: str, message: str) -> str:
    properties = ",".join(f"{name}={_property(value)}" for name, value in {"title": title}.items())
    return f"::{level} {properties}::{_data(message)}"


def _data(text: str) -> str:
    return printable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def job_summary(result: Gate, spelling: Spelling = str) -> str:
    """Return Markdown for the summary of a job: the verdict as a heading, and the table.

    Examples
    --------
    >>> import betterthan as bt
    >>> print(job_summary(bt.gate([1, 0] * 25, [1, 0] * 25, margin=0.02)).splitlines()[0])
    ## ⚠️ Gate: undecided
    """
    heading = f"## {_MARKS[result.exit_code]} Gate: {result.verdict}\n\n"
    return heading + render_markdown(gate_table(result).spelled(spelling))
