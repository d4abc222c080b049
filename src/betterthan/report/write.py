"""A report as one HTML file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from betterthan.errors import BetterThanError
from betterthan.messages import Spelling
from betterthan.report.compose import compose
from betterthan.report.inputs import ReportSource
from betterthan.report.page import page
from betterthan.writing import write_whole


def write_report(
    path: str | Path,
    *tables_or_files: ReportSource,
    spelling: Spelling = str,
    **options: Any,  # noqa: ANN401  (as of compose)
) -> Path:
    """Write all analyses that the data support as one HTML file that needs no network.

    Parameters
    ----------
    path : path
        Output file; an existing one is replaced only when the new one is complete.
    *tables_or_files : paths or tables
        Scores, battles, metrics, texts or tags: see :func:`betterthan.report.compose.compose`.
    spelling : callable, optional
        How options named in messages are written; as keyword arguments by default.
    **options
        As for :func:`betterthan.report.compose.compose`: `question`, `human`, `references`, `source`, `metric`,
        `options`, `format`, `missing`, `units`, `texts`, `rng`, `workers`, `cache`, `progress`.

    Returns
    -------
    Path
        The file that was written.

    Examples
    --------
    >>> import tempfile
    >>> import betterthan as bt
    >>> scores = bt.read_scores({"A": [3.0, 5.0, 4.0, 6.0], "B": [1.0, 2.0, 1.5, 2.5]})
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = write_report(f"{folder}/report.html", scores)
    ...     print(written.name, written.stat().st_size < 400_000)
    report.html True
    """
    place = Path(path)
    if place.is_dir():
        raise BetterThanError(f'"{place}" is a folder. Name a file, such as {place / "report.html"}.')
    text = page(compose(list(tables_or_files), **options), spelling=spelling)
    write_whole(place, text)
    return place
