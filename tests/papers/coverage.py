"""The table of what the papers describe: its rows, and the page that is made from them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "papers" / "coverage.md"
PYTHON = "python: "
HEAD = """# Coverage of the papers

Every capability (A) and every error or open detail (E) of the five papers, with a command or call that shows it on the
example data. A test runs them all; `demo` is the folder that `betterthan demo` writes; the test makes the other files.
The studies are quick here; [their page](../questions/studies.md) has full runs, and the pages of the papers compare
the numbers with those printed.

<!-- Made from tests/papers/coverage.toml by `python -m tests.papers.coverage`; a test compares the two. -->
"""


class Row(NamedTuple):
    """One capability or detail."""

    paper: str
    name: str
    what: str
    command: str
    shows: str
    is_slow: bool
    remark: str


def rows() -> list[Row]:
    """All rows of the table, in the order of the file."""
    papers = tomllib.loads((HERE / "coverage.toml").read_text(encoding="utf-8"))
    found = []
    for paper, entries in papers.items():
        for name, (what, command, shows, *more) in entries.items():
            remarks = [text for text in more if text != "slow"]
            found.append(Row(paper, name, what, command, shows, "slow" in more, " ".join(remarks)))
    return found


def page() -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for paper in dict.fromkeys(row.paper for row in rows()):
        lines = ["", f"## {paper}", "", "| | in the paper | shown by | state |", "|---|---|---|---|"]
        for row in rows():
            if row.paper == paper:
                shown = row.command.removeprefix(PYTHON)
                command = shown if row.command.startswith(PYTHON) else f"betterthan {shown}"
                state = f"yes; {row.remark}" if row.remark else "yes"
                lines.append(f"| {row.name} | {row.what} | `{command}` | {state} |")
        parts.append("\n".join(lines) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
