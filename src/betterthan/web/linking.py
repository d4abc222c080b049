"""Links from a report into the app: cells of the matrix lead to the pages of their pairs."""

from __future__ import annotations

from dataclasses import replace

from betterthan.report.document import Block, Fold, Matrix, Report, Section
from betterthan.web.kept import Kept
from betterthan.web.tilde import tilde

_MATRIX = "matrix"  # the matrix of systems; others are of metrics
_OPENS = "A cell leads to its pair."


def linked(report: Report, kept: Kept, address: str) -> Report:
    """Return the report with the cells of its matrix leading to pages of pairs, where there are such pages."""
    known = frozenset(kept.systems)
    if report.kind == "meta" or len(known) < 2:
        return report
    return replace(report, sections=tuple(_section(section, known, address) for section in report.sections))


def pair_address(address: str, a: str, b: str) -> str:
    """Return where a pair is shown.

    Examples
    --------
    >>> pair_address("/runs/7", "GPT-4/o", "B")
    '/runs/7/pairs/GPT-4~2Fo/B'
    """
    return f"{address}/pairs/{tilde(a)}/{tilde(b)}"


def _section(section: Section, known: frozenset[str], address: str) -> Section:
    blocks = tuple(_block(block, known, address) for block in section.blocks)
    if blocks == section.blocks:
        return section
    # A report whose script can show any pair says so itself.
    lead = section.lead if "A cell " in section.lead else f"{section.lead} {_OPENS}"
    return replace(section, blocks=blocks, lead=lead)


def _block(block: Block, known: frozenset[str], address: str) -> Block:
    if isinstance(block, Fold):
        return replace(block, blocks=tuple(_block(part, known, address) for part in block.blocks))
    if not isinstance(block, Matrix) or block.key != _MATRIX:
        return block
    return replace(
        block,
        cells=tuple(
            tuple(
                cell
                if cell is None or not {row, column} <= known
                else replace(cell, target=pair_address(address, row, column))
                for column, cell in zip(block.columns, cells, strict=True)
            )
            for row, cells in zip(block.rows, block.cells, strict=True)
        ),
    )
