"""One cell of the calibration page: a design, a trial on one simulated table, and the band it must lie in.

A trial draws one table from a truth that is known, calls a public verb with its defaults, and says whether the event
of the cell happened: a false claim (size), an interval that holds the truth (coverage), a claim that is true (power).
Where one table has several intervals, the trial may return the share of them; the Monte Carlo error is that of the
mean over tables, so dependence within a table does no harm.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Trial = Callable[[np.random.Generator], float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A number on the calibration page.

    Attributes
    ----------
    table : str
        Where it stands: "verb/quantity", such as "rank-matches/coverage".
    row, column : str
        Names of the design, as a reader of the page sees them.
    trial : callable
        From a random generator to the event's indicator (or share) on one simulated table. A module-level function or
        a `functools.partial` of one, so that it can be sent to a worker process.
    low, high : float
        The band, as shares: 0.93 to 0.97 for an interval of 95%, 0 to 0.06 for a family-wise error.
    tables : int
        Simulated tables in the full run; never under 500.
    seconds : float
        About how long one table takes. Only used for planning: sizes of chunks, cheap cells first, and the everyday
        smoke test, which leaves out what takes long.
    limit : str
        For a cell that lies outside its band and is known to: the sentence that the page prints about it. Empty
        otherwise, and then `make slow` fails when the cell leaves its band by more than three Monte Carlo errors.
    """

    table: str
    row: str
    column: str
    trial: Trial
    low: float
    high: float
    tables: int = 2000
    seconds: float = 0.05
    limit: str = ""

    @property
    def key(self) -> str:
        """What the cell's random streams and stored number are found by."""
        return f"{self.table}/{self.row}/{self.column}"
