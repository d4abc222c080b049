"""The calibration page shows what was measured, what was measured lies where it must, and it still does."""

from __future__ import annotations

import os

import pytest
from tests.calibration import page, runner
from tests.calibration.cells import Cell
from tests.everyday import few

ANOTHER_SEED = 7
# Up to which cost, declared and measured, the everyday smoke test runs a cell: seconds per table.
CHEAP = 0.05
# Hours of one core that `make slow` spends here by default; BETTERTHAN_CALIBRATION=1 measures with all tables.
HOURS = 1.6

CELLS = runner.all_cells()
MEASURED = page.load()
OF_TABLE = {
    table: [cell for cell in CELLS.values() if cell.table == table]
    for table in dict.fromkeys(cell.table for cell in CELLS.values())
}


def cost(cell: Cell) -> float:
    """Seconds per table: what was declared or what was measured, whichever is more."""
    known = MEASURED.get(cell.key, page.EMPTY)
    return max(cell.seconds, known.seconds / max(1, known.tables))


def share_of_tables() -> float:
    """Which part of each cell's tables `make slow` simulates."""
    hours = sum(cost(cell) * cell.tables for cell in CELLS.values()) / 3600
    return float(os.environ.get("BETTERTHAN_CALIBRATION", min(1.0, HOURS / hours)))


def test_the_page_shows_what_was_measured():
    """Its tables are those of the stored numbers, and every table has a place."""
    text = page.PAGE.read_text(encoding="utf-8")
    assert page.filled(text, list(CELLS.values()), MEASURED) == text, (
        "python -m tests.calibration.runner --page"
    )
    assert set(page.tables_on(text)) >= OF_TABLE.keys()


def test_numbers_of_cells_that_are_gone_are_gone():
    """The stored file holds declared cells only."""
    assert MEASURED.keys() <= CELLS.keys()


@pytest.mark.slow
def test_every_cell_is_measured():
    """With 500 tables or more; what is not says so on the page."""
    few = [key for key in CELLS if key not in MEASURED or MEASURED[key].tables < page.FEWEST]
    assert not few, "\n".join(["make calibration", *few])


@pytest.mark.parametrize("table", OF_TABLE)
def test_what_was_measured_lies_in_its_band(table):
    """Or the page says that it does not."""
    outside = [
        f"{cell.key}: {MEASURED[cell.key]}"
        for cell in OF_TABLE[table]
        if cell.key in MEASURED and not cell.limit and MEASURED[cell.key].outside(cell)
    ]
    assert not outside, "\n".join(outside)


@pytest.mark.parametrize("table", few(OF_TABLE, 18))
def test_the_cheapest_cell_of_every_table_runs(table):
    """Two tables of the cheapest cell of each table; all cells run in `make slow`."""
    for cell in OF_TABLE[table]:
        assert cell.low < cell.high
        assert cell.tables >= page.FEWEST
    cheap = [cell for cell in OF_TABLE[table] if cost(cell) <= CHEAP]
    for cell in sorted(cheap, key=cost)[:1]:
        assert runner.measure(cell, 0, 2, ANOTHER_SEED).tables == 2


def test_a_cell_outside_its_band_is_marked_and_explained():
    """The page shows share and error in percent, and the limit of what lies outside."""
    cells = [
        Cell(table="t", row="r", column=f"n = {n}", trial=float, low=0, high=0.06, limit="Few segments.")
        for n in (8, 80)
    ]
    measured = {
        cell.key: page.Measurement(tables=1000, total=hits, squares=hits, seconds=1)
        for cell, hits in zip(cells, (140, 50), strict=True)
    }
    assert page.table(cells, measured).split("\n") == [
        "| | n = 8 | n = 80 | band |",
        "|---|---:|---:|---:|",
        "| r | 14.0 ± 1.1 ¹ | 5.0 ± 0.7 | 0 to 6 |",
        "",
        "1,000 simulated tables per number.",
        "",
        "- ¹ Known limit. Few segments.",
        "",
    ]
    assert [measured[cell.key].outside(cell) for cell in cells] == [True, False]


def test_numbers_do_not_depend_on_chunks():
    """Nor on where an earlier run stopped."""
    cell = min(CELLS.values(), key=lambda cell: cell.seconds)
    parts = runner.measure(cell, 0, 1) + runner.measure(cell, 1, 4)
    whole = runner.measure(cell, 0, 4)
    assert (parts.tables, parts.total, parts.squares) == (whole.tables, whole.total, whole.squares)


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("key", CELLS)
def test_measured_again(key):
    """With other random numbers each cell lies in its band, and agrees with the page."""
    cell = CELLS[key]
    tables = max(20, round(share_of_tables() * cell.tables))
    again = runner.measure(cell, 0, tables, ANOTHER_SEED)
    assert cell.limit or not again.outside(cell), f"{again}, not {cell.low} to {cell.high}"
    assert key in MEASURED, f"{again}, but nothing is stored: make calibration"
    assert again.agrees(MEASURED[key]), f"{again}, on the page {MEASURED[key]}"
