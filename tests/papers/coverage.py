"""The table of what the papers describe: its rows, and the page that is made from them."""

from __future__ import annotations

import importlib
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "papers" / "coverage.md"
PYTHON = "python: "
MODULES = {
    "Better than Average": "better_than_average",
    "Soft Pairwise Accuracy": "soft_pairwise",
    "Human scores and metrics": "human_scores",
    "Corpus or segment": "corpus_or_segment",
    "Word-level quality estimation": "word_level",
    "All papers": "all_papers",
    "Errors and open details": "open_details",
}
HEAD = """# Coverage of the papers

Every capability (A) and every error or open detail (E) of the five papers, with a command or call that shows it on the
example data, and what a test checks in its answer: a number computed in another way, a law, or a value known by
construction. `demo` is the folder that `betterthan demo` writes; the test makes the other files. The studies are quick
here; [their page](../questions/studies.md) has full runs, and the pages of the papers compare the numbers with those
printed.

<!-- Made from tests/papers/coverage.toml and tests/papers/checks by `python -m tests.papers.coverage`. -->
"""


class Row(NamedTuple):
    """One capability or detail."""

    paper: str
    name: str
    what: str
    command: str
    state: str
    check: Callable

    @property
    def checked(self) -> str:
        """What the test checks, as a clause."""
        return (self.check.__doc__ or "").strip().rstrip(".").replace("\n   ", "")


def rows() -> list[Row]:
    """All rows of the table, in the order of the file."""
    papers = tomllib.loads((HERE / "coverage.toml").read_text(encoding="utf-8"))
    found = []
    for paper, entries in papers.items():
        checks = importlib.import_module(f"tests.papers.checks.{MODULES[paper]}")
        for name, (what, command, *state) in entries.items():
            found.append(
                Row(paper, name, what, command, state[0] if state else "yes", getattr(checks, name.lower()))
            )
    return found


def page() -> str:
    """The page as Markdown."""
    parts = [HEAD]
    for paper in MODULES:
        lines = [
            "",
            f"## {paper}",
            "",
            "| | in the paper | shown by | checked | state |",
            "|---|---|---|---|---|",
        ]
        for row in rows():
            if row.paper == paper:
                shown = row.command.removeprefix(PYTHON)
                command = shown if row.command.startswith(PYTHON) else f"betterthan {shown}"
                lines.append(f"| {row.name} | {row.what} | `{command}` | {row.checked} | {row.state} |")
        parts.append("\n".join(lines) + "\n")
    return "".join(parts)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
