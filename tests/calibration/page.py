"""The measured numbers in docs/calibration.json, and the tables that docs/calibration.md shows of them."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

from tests.calibration.cells import Cell

DOCS = Path(__file__).parents[2] / "docs"
PAGE, DATA = DOCS / "calibration.md", DOCS / "calibration.json"
SURE = 3  # Monte Carlo errors by which a cell may miss its band before the tests fail
_MARKER = re.compile(r"(<!-- table: ([^\n]+) -->\n).*?(<!-- end of table -->)", re.DOTALL)
_SUPERSCRIPTS = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True, slots=True, kw_only=True)
class Measurement:
    """What the trials of one cell returned on tables 0 to ``tables - 1``: sum, sum of squares, processor time."""

    tables: int
    total: float
    squares: float
    seconds: float

    @classmethod
    def of(cls, values: Sequence[float], seconds: float) -> Measurement:
        """Sum up the values of consecutive tables.

        Values are rounded to multiples of 2⁻²⁰. Then their sums and those of their squares (multiples of 2⁻⁴⁰ below
        2¹³) are exact, and do not depend on how the tables were cut into chunks.
        """
        rounded = [round(value * 2**20) / 2**20 for value in values]
        return cls(
            tables=len(rounded),
            total=sum(rounded),
            squares=sum(value * value for value in rounded),
            seconds=seconds,
        )

    def __add__(self, other: Measurement) -> Measurement:
        """Append later tables."""
        return Measurement(
            tables=self.tables + other.tables,
            total=self.total + other.total,
            squares=self.squares + other.squares,
            seconds=round(self.seconds + other.seconds, 2),
        )

    @property
    def share(self) -> float:
        """The mean over tables."""
        return self.total / self.tables

    @property
    def error(self) -> float:
        """Standard error of the share, with one table of 0 and one of 1 added, so that 0 of 500 is not certainty."""
        n = self.tables + 2
        variance = (self.squares + 1) / n - ((self.total + 1) / n) ** 2
        return math.sqrt(variance / self.tables)

    def outside(self, cell: Cell, errors: float = SURE) -> bool:
        """Whether the share misses the cell's band by more than this many Monte Carlo errors."""
        slack = errors * self.error
        return not cell.low - slack <= self.share <= cell.high + slack

    def agrees(self, other: Measurement, errors: float = 4) -> bool:
        """Whether two measurements may be of the same truth."""
        return abs(self.share - other.share) <= errors * math.hypot(self.error, other.error)

    def __str__(self) -> str:
        return f"{100 * self.share:.1f} ± {100 * self.error:.1f}"


FEWEST = 500  # simulated tables behind a number that is shown
EMPTY = Measurement(tables=0, total=0.0, squares=0.0, seconds=0.0)


def load() -> dict[str, Measurement]:
    """Read the stored measurements, by key of their cell."""
    if not DATA.exists():
        return {}
    stored = json.loads(DATA.read_text(encoding="utf-8"))
    names = [field.name for field in fields(Measurement)]
    return {key: Measurement(**{name: cell[name] for name in names}) for key, cell in stored.items()}


def save(measured: Mapping[str, Measurement]) -> None:
    """Write the measurements, sorted, one cell per line; share and error are there for readers."""
    lines = []
    for key in sorted(measured):
        derived = {"share": round(measured[key].share, 4), "error": round(measured[key].error, 4)}
        lines.append(f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(derived | asdict(measured[key]))}")
    DATA.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def table(cells: Iterable[Cell], measured: Mapping[str, Measurement]) -> str:
    """Return the Markdown table of these cells in percent, and below it the known limits."""
    declared = list(cells)
    cells = [cell for cell in declared if cell.key in measured and measured[cell.key].tables >= FEWEST]
    if not cells:
        return "Not measured yet.\n"
    rows: dict[str, dict[str, Cell]] = {}
    for cell in cells:
        rows.setdefault(cell.row, {})[cell.column] = cell
    columns = list(dict.fromkeys(cell.column for cell in cells))
    limits: dict[str, str] = {}  # sentence to mark, in order of appearance
    lines = [
        "| | " + " | ".join([*columns, "band"]) + " |",
        "|---|" + "---:|" * (len(columns) + 1),
    ]
    for row, of_row in rows.items():
        shown = [_number(of_row[name], measured, limits) if name in of_row else "" for name in columns]
        bands = ", ".join(dict.fromkeys(map(_band, of_row.values())))
        lines.append(f"| {row} | " + " | ".join([*shown, bands]) + " |")
    counts = sorted({measured[cell.key].tables for cell in cells})
    many = f"{counts[0]:,}" if len(counts) == 1 else f"{counts[0]:,} to {counts[-1]:,}"
    waiting = len(declared) - len(cells)
    rest = f" {waiting} more designs are not measured yet." if waiting else ""
    lines += ["", f"{many} simulated tables per number.{rest}"]
    lines += (
        ["", *(f"- {mark} Known limit. {sentence}" for sentence, mark in limits.items())] if limits else []
    )
    return "\n".join(lines) + "\n"


def _band(cell: Cell) -> str:
    """The band in percent; where everything is allowed, the number is there to be known and not to be judged."""
    return "any" if (cell.low, cell.high) == (0, 1) else f"{100 * cell.low:g} to {100 * cell.high:g}"


def _number(cell: Cell, measured: Mapping[str, Measurement], limits: dict[str, str]) -> str:
    """A share with its error, and a mark when the cell lies outside its band and is known to."""
    measurement = measured[cell.key]
    if not cell.limit or not measurement.outside(cell, errors=0):
        return str(measurement)
    mark = limits.setdefault(cell.limit, str(len(limits) + 1).translate(_SUPERSCRIPTS))
    return f"{measurement} {mark}"


def tables_on(text: str) -> list[str]:
    """Names of the tables that a page has a place for."""
    return [match[2] for match in _MARKER.finditer(text)]


def with_places(text: str, tables: Iterable[str]) -> str:
    """Return the page with a place at its end for each table that has none yet."""
    missing = [name for name in dict.fromkeys(tables) if name not in tables_on(text)]
    return text + "".join(
        f"\n## {name}\n\n<!-- table: {name} -->\n<!-- end of table -->\n" for name in missing
    )


def filled(text: str, cells: Sequence[Cell], measured: Mapping[str, Measurement]) -> str:
    """Return the page with the tables of these measurements between its markers."""

    def fill(match: re.Match[str]) -> str:
        of_table = [cell for cell in cells if cell.table == match[2]]
        return f"{match[1]}\n{table(of_table, measured)}\n{match[3]}"

    return _MARKER.sub(fill, text)
