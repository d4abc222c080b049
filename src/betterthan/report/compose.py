"""From data to a report: which question it is, everything that belongs to its answer, and the file."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from betterthan.analysis.units import has_documents
from betterthan.errors import BetterThanError
from betterthan.messages import Spelling, joined
from betterthan.read.protocol import Options
from betterthan.report.document import Report
from betterthan.report.inputs import Inputs, ReportSource, gather
from betterthan.report.page import page
from betterthan.writing import write_whole

if TYPE_CHECKING:
    from betterthan.analysis.resampling import Rng
    from betterthan.analysis.units import UnitName


# A report on scores need not load what tags need.
_COMPOSERS = {
    "scores": ("kinds.scores", "scores_report"),
    "battles": ("kinds.battles", "battles_report"),
    "meta": ("kinds.meta", "meta_report"),
    "texts": ("kinds.texts", "texts_report"),
    "tags": ("kinds.tags", "tags_report"),
    "quality": ("kinds.quality", "quality_report"),
    "runs": ("kinds.runs", "runs_report"),
}
_NO_DOCUMENTS = "Only reports on scores can use documents as units; this one does not."


def compose(
    files: ReportSource | Sequence[ReportSource],
    *,
    question: Literal["auto", "scores", "battles", "meta", "texts", "tags", "quality"] = "auto",
    human: ReportSource | None = None,
    references: str | Path | Sequence[str | Path] = (),
    source: str | Path | None = None,
    metric: str | None = None,
    leave_out: Sequence[str] = (),
    options: Options | None = None,
    format: str | None = None,  # noqa: A002  (the user's word)
    missing: Literal["raise", "drop"] = "raise",
    units: UnitName = "auto",
    texts: bool = True,
    rng: Rng = 12345,
    workers: int | None = None,
    cache: Any = None,  # noqa: ANN401  (a Cache of the engine)
    progress: Any = None,  # noqa: ANN401  (a Progress of the engine)
) -> Report:
    """Compute a report.

    Parameters
    ----------
    files : path or table, or several
        Scores: one file, and outputs as lines of text for the segments to look at. Battles: one file. Metrics: one or
        more files, or a folder of the metrics task. Texts: one file per system, as path or ``"NAME=path"``. Tags: the
        gold file first, and optionally the tagged translations. Quality of sentences: the true scores first.
    question : {"auto", "scores", "battles", "meta", "texts", "tags", "quality"}
        By default it follows from the data.
    human : path or Scores, optional
        Human scores; makes the question "meta".
    references : path or several
        For texts, and beside outputs.
    source : path, optional
        The source texts, to be shown beside outputs.
    metric : str, optional
        The metric, if the file has several; by default the first, and the report says so.
    leave_out : sequence of str
        Systems to leave out of scores and metrics, by name or pattern, such as ``"Human-*"``.
    options, format
        What is known about the columns and the layout, as for :func:`betterthan.check`.
    missing : {"raise", "drop"}, default "raise"
    units : {"auto", "segments", "groups"}, default "auto"
    texts : bool, default True
        False leaves every text out of the report, for confidential data.
    rng, workers, cache, progress
        As everywhere; they do not change a number, except `rng`.

    Returns
    -------
    Report

    Examples
    --------
    >>> import betterthan as bt
    >>> scores = bt.read_scores({"A": [3.0, 5.0, 4.0, 6.0], "B": [1.0, 2.0, 1.5, 2.5], "C": [2.0, 2.0, 2.0, 2.0]})
    >>> report = compose(scores)
    >>> report.kind, [section.key for section in report.sections][:3]
    ('scores', ['ranking', 'pairs', 'pair'])
    """
    return composed(
        gather(
            _several(files),
            question=question,
            human=human,
            references=_several(references),
            source=source,
            metric=metric,
            leave_out=leave_out,
            options=options,
            format=format,
            texts=texts,
            missing=missing,
            units=units,
            rng=rng,
            workers=workers,
            cache=cache,
            progress=progress,
        )
    )


def composed(inputs: Inputs) -> Report:
    """Compute the report of inputs that were already gathered."""
    if inputs.options.get("units", "auto") == "auto":
        by_documents = inputs.kind == "scores" and has_documents(inputs.scores)
        inputs = replace(
            inputs, options={**inputs.options, "units": "groups" if by_documents else "segments"}
        )
    module, name = _COMPOSERS[inputs.kind if inputs.runs is None else "runs"]
    report: Report = getattr(importlib.import_module(f"betterthan.report.{module}"), name)(inputs)
    if inputs.options.get("units") == "groups" and inputs.kind != "scores":
        # In the verdict, because the numbers are not those that were requested.
        return replace(report, verdict=joined([report.verdict, _NO_DOCUMENTS]))
    return report


def _several(value: Any) -> list[Any]:  # noqa: ANN401  (one or many)
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str) else [value]


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
