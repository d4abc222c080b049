"""Measure calibration cells through the public verbs, store the numbers, and write the tables of the page.

    python -m tests.calibration.runner                            every cell that is not yet measured in full
    python -m tests.calibration.runner --only 'rank-scores/*'     only these tables (or cells)
    python -m tests.calibration.runner --tables 200 --workers 1   a first look; a later run continues from there
    python -m tests.calibration.runner --again                    forget the stored numbers first
    python -m tests.calibration.runner --page                     only write the page

Table number t of a cell draws from a random stream of its own, made from the seed, the cell's key and t. So the
numbers do not depend on workers, chunks, or on which cells are measured together, and a cell that was measured with
200 tables is continued with table 200.
"""

from __future__ import annotations

import argparse
import importlib
import multiprocessing
import os
import sys
import time
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import numpy as np
from tests.calibration import page
from tests.calibration.cells import Cell
from tests.calibration.page import EMPTY, Measurement

from betterthan.engine.blocks import stream
from betterthan.kernels.compiled import load_compiler

SEED = 20_261_116
CHUNK_SECONDS = 5.0


@cache
def all_cells() -> dict[str, Cell]:
    """Every cell that a module of this folder declares, by key, in the order of modules and declarations."""
    names = sorted(path.stem for path in Path(__file__).parent.glob("*.py"))
    cells: dict[str, Cell] = {}
    for name in names:
        if name == "runner" or name.startswith("test_"):
            continue
        for cell in getattr(importlib.import_module(f"tests.calibration.{name}"), "CELLS", ()):
            if cell.key in cells:
                raise ValueError(f"Two cells are called {cell.key!r}.")
            cells[cell.key] = cell
    return cells


def measure(cell: Cell, first: int, last: int, seed: int = SEED) -> Measurement:
    """Run the cell's trial on the tables from `first` up to `last`, without `last`."""
    started = time.process_time()
    values = []
    for number in range(first, last):
        value = float(cell.trial(stream(seed, cell.key, number)))
        if not 0 <= value <= 1:
            raise ValueError(f"Table {number} of {cell.key!r} gave {value}; a trial returns a share.")
        values.append(value)
    return EMPTY + Measurement.of(values, time.process_time() - started)


def _measure_by_key(key: str, first: int, last: int) -> Measurement:
    load_compiler()  # numbers do not depend on it
    return measure(all_cells()[key], first, last)


@dataclass(slots=True)
class Campaign:
    """Cells to be measured, and the numbers so far."""

    cells: Sequence[Cell]
    measured: dict[str, Measurement]
    tables: int | None = None
    failed: dict[str, str] = field(default_factory=dict)

    def wanted(self, cell: Cell) -> int:
        """How many tables this run wants of a cell."""
        return cell.tables if self.tables is None else min(self.tables, cell.tables)

    def stored(self, cell: Cell) -> Measurement:
        """What is known of a cell."""
        return self.measured.get(cell.key, EMPTY)

    def cost(self, cell: Cell) -> float:
        """Seconds per table, as measured or else as declared."""
        known = self.stored(cell)
        return known.seconds / known.tables if known.tables and known.seconds else cell.seconds

    def remaining(self, cell: Cell) -> float:
        """Seconds that a cell still takes on one core."""
        return self.cost(cell) * max(0, self.wanted(cell) - self.stored(cell).tables)

    def chunks(self) -> Iterator[tuple[Cell, int, int]]:
        """The tables that are missing, in pieces of some seconds, cell by cell and in order."""
        for cell in self.cells:
            size = int(np.clip(CHUNK_SECONDS / max(self.cost(cell), 1e-4), 1, 500))
            first, wanted = self.stored(cell).tables, self.wanted(cell)
            for start in range(first, wanted, size):
                if cell.key not in self.failed:
                    yield cell, start, min(start + size, wanted)

    def run(self, workers: int, budget: float) -> None:
        """Measure chunk after chunk until all is done or the time is up; chunks that have begun are finished."""
        deadline = time.monotonic() + budget
        chunks = self.chunks()
        running: deque[tuple[Cell, int, Future[Measurement]]] = deque()
        saved = time.monotonic()
        context = multiprocessing.get_context("spawn")
        with ProcessPoolExecutor(workers, mp_context=context) as pool:
            while True:
                while len(running) < 2 * workers and time.monotonic() < deadline:
                    chunk = next(chunks, None)
                    if chunk is None:
                        break
                    cell, first, last = chunk
                    running.append((cell, last, pool.submit(_measure_by_key, cell.key, first, last)))
                if not running:
                    break
                cell, last, future = (
                    running.popleft()
                )  # in the order of tables, so that what is stored has no gaps
                self._take(cell, future)
                if last == self.wanted(cell) and cell.key not in self.failed:
                    _say(f"{cell.key}: {_state(cell, self.measured[cell.key])}")
                if time.monotonic() - saved > 30:
                    page.save(self.measured)
                    saved = time.monotonic()

    def _take(self, cell: Cell, future: Future[Measurement]) -> None:
        """Add a chunk to its cell; after a failure the rest of the cell is left out and the others go on."""
        try:
            chunk = future.result()
        except Exception as error:  # noqa: BLE001  (hours of other cells must not be lost)
            self.failed.setdefault(cell.key, f"{type(error).__name__}: {error}")
            _say(f"{cell.key}: FAILED, {self.failed[cell.key]}")
        if cell.key not in self.failed:
            self.measured[cell.key] = self.stored(cell) + chunk


def _state(cell: Cell, measurement: Measurement) -> str:
    band = f"band {100 * cell.low:g} to {100 * cell.high:g}"
    text = f"{measurement}  ({band}; {measurement.tables:,} tables, {measurement.seconds:,.0f} s)"
    if not measurement.outside(cell, errors=0):
        return text + ("  HAS A LIMIT BUT LIES INSIDE" if cell.limit else "")
    sure = "OUTSIDE" if measurement.outside(cell) else "outside, perhaps by chance"
    return f"{text}  {sure}{', known' if cell.limit else ''}"


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def chosen(patterns: Sequence[str]) -> list[Cell]:
    """Cells whose table or key fits one of the patterns; all without patterns."""
    cells = list(all_cells().values())
    fits = [
        cell
        for cell in cells
        if any(fnmatch(name, pattern) for pattern in patterns for name in (cell.table, cell.key))
    ]
    return fits if patterns else cells


def write_page(measured: dict[str, Measurement]) -> None:
    """Fill the tables of docs/calibration.md."""
    cells = list(all_cells().values())
    text = page.with_places(page.PAGE.read_text(encoding="utf-8"), [cell.table for cell in cells])
    page.PAGE.write_text(page.filled(text, cells, measured), encoding="utf-8")


def _arguments(words: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.calibration.runner", description="Measure cells.")
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="TABLE", help="tables or cells; * is allowed"
    )
    parser.add_argument("--tables", type=int, help="at most this many simulated tables per cell")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--cheap-first", action="store_true", help="the cells that take least time first")
    parser.add_argument(
        "--budget-seconds", type=float, default=float("inf"), help="start nothing new afterwards"
    )
    how = parser.add_mutually_exclusive_group()
    how.add_argument("--resume", action="store_true", help="continue the stored measurements (the default)")
    how.add_argument(
        "--again", action="store_true", help="forget the stored measurements of these cells first"
    )
    how.add_argument("--page", action="store_true", help="measure nothing, write the page")
    how.add_argument("--list", action="store_true", help="measure nothing, list the cells and their state")
    return parser.parse_args(words)


def main(words: Sequence[str] | None = None) -> int:
    """Measure what was asked for and write both files; 1 when a cell lies outside its band and is not known to."""
    for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(name, "1")  # read by NumPy when the worker processes start
    options = _arguments(words)
    cells, measured = chosen(options.only), page.load()
    measured = {key: measured[key] for key in measured if key in all_cells()}  # of cells that still exist
    if options.again:
        measured = {key: measured[key] for key in measured if key not in {cell.key for cell in cells}}
    campaign = Campaign(cells, measured, options.tables)
    if options.cheap_first:
        campaign.cells = sorted(cells, key=campaign.remaining)
    if options.list:
        for cell in cells:
            _say(
                f"{cell.key}: {_state(cell, measured[cell.key]) if cell.key in measured else 'not measured'}"
            )
        return 0
    if not options.page:
        left = sum(map(campaign.remaining, cells))
        _say(f"{len(cells)} cells, about {left / 60:,.0f} minutes of one core")
        try:
            campaign.run(options.workers, options.budget_seconds)
        finally:
            page.save(campaign.measured)
    write_page(campaign.measured)
    return _summary(campaign)


def _summary(campaign: Campaign) -> int:
    """Print the cells outside their band, and what is not measured."""
    known = [cell for cell in campaign.cells if cell.key in campaign.measured]
    outside = [cell for cell in known if campaign.measured[cell.key].outside(cell)]
    missing = [cell for cell in campaign.cells if campaign.stored(cell).tables < cell.tables]
    _say(
        f"\n{len(outside)} of {len(known)} measured cells are outside their band; {len(missing)} not measured in full"
    )
    for cell in outside:
        _say(f"  {cell.key}: {_state(cell, campaign.measured[cell.key])}")
    for key, error in campaign.failed.items():
        _say(f"  {key}: FAILED, {error}")
    return int(bool(campaign.failed) or any(not cell.limit for cell in outside))


if __name__ == "__main__":
    raise SystemExit(main())
