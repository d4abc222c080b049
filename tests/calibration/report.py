"""Measure everything, keep the counts in docs/calibration.json, and write the tables of docs/calibration.md.

``python -m tests.calibration.report`` takes a quarter of an hour; with words after it, only experiments whose
names contain one of them are measured again; with ``--tables`` only the page is written.
"""

from __future__ import annotations

import json
import re
import sys
import time
from pathlib import Path

import numpy as np
from tests.calibration import coverage, false_positives, families
from tests.calibration.simulate import Tally

import betterthan as bt

DOCS = Path(__file__).parents[2] / "docs"
PAGE, DATA = DOCS / "calibration.md", DOCS / "calibration.json"
SEED = 20_240_501
SECTIONS = {
    "false_positives": false_positives.EXPERIMENTS,
    "families": families.EXPERIMENTS,
    "coverage": coverage.EXPERIMENTS,
}
_PLACE = re.compile(r"(<!-- table: (\S+) -->\n).*?(<!-- end of table -->)", re.DOTALL)


def measure(section, name, seed):
    """The tallies of one experiment: {row: {column: Tally}}; the same seed gives the same tallies."""
    place = list(SECTIONS[section]).index(name)
    rng = np.random.default_rng([seed, list(SECTIONS).index(section), place])
    return SECTIONS[section][name](rng)


def group_of(name):
    """The table of the page in which an experiment stands."""
    return name.split(":")[0]


def kept():
    """The measured tallies: {section: {group: {row: {column: Tally}}}}."""
    measured = json.loads(DATA.read_text(encoding="utf-8"))["measured"]
    return {
        section: {
            group: {
                row: {column: Tally(*count) for column, count in columns.items()}
                for row, columns in rows.items()
            }
            for group, rows in groups.items()
        }
        for section, groups in measured.items()
    }


def keep(measured):
    """Write the tallies, one row a line."""
    text = json.dumps(
        {"version": bt.__version__, "seed": SEED, "measured": measured}, ensure_ascii=False, indent=1
    )
    text = re.sub(r"\[\s+(\d+),\s+(\d+)\s+\]", r"[\1, \2]", text)
    DATA.write_text(text + "\n", encoding="utf-8")


def table(rows):
    """A Markdown table of shares in percent."""
    columns = list(dict.fromkeys(column for cells in rows.values() for column in cells))
    lines = ["| | " + " | ".join(columns) + " |", "|---|" + "---:|" * len(columns)]
    for row, cells in rows.items():
        shown = [f"{100 * cells[c].share:.1f}" if c in cells else "" for c in columns]
        lines.append(f"| {row} | " + " | ".join(shown) + " |")
    return "\n".join(lines) + "\n"


def filled(text, measured):
    """The page with the tables of these tallies."""

    def fill(found):
        section, group = found[2].split("/")
        return found[1] + "\n" + table(measured[section][group]) + "\n" + found[3]

    return _PLACE.sub(fill, text)


def main(arguments):
    """Measure what is asked for, everything by default, and write both files."""
    measured = kept() if DATA.exists() else {}
    if "--tables" not in arguments:
        for section, experiments in SECTIONS.items():
            for name in experiments:
                if not arguments or any(word in f"{section}/{name}" for word in arguments):
                    _measured(measured, section, name)
                    keep(measured)
    PAGE.write_text(filled(PAGE.read_text(encoding="utf-8"), measured), encoding="utf-8")


def _measured(measured, section, name):
    started = time.perf_counter()
    rows = measured.setdefault(section, {}).setdefault(group_of(name), {})
    for row, columns in measure(section, name, SEED).items():
        rows.setdefault(row, {}).update(columns)
    sys.stderr.write(f"{section}/{name}: {time.perf_counter() - started:.0f} s\n")


if __name__ == "__main__":
    main(sys.argv[1:])
