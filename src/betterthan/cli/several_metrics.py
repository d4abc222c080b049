"""Commands on one metric that are given several: what they show, and which of their options then have no effect."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from betterthan.cli.options import is_changed
from betterthan.errors import BetterThanError, ReadError
from betterthan.messages import Message, Option

if TYPE_CHECKING:
    from betterthan.read.inputs import TableReader
    from betterthan.results.tasks import Tradeoffs

SEVERAL_METRICS = "BT023"
"""The code of the error for several metrics of which none is chosen."""
_SHARED = ("missing", "units", "confidence", "alpha", "baseline", "systems")


def wants_several(metric: Sequence[str], of_one_metric: Sequence[str]) -> bool:
    """Whether a command names several metrics.

    Raises
    ------
    BetterThanError
        When an option is given beside them that is for a single metric.
    """
    if len(metric) < 2:
        return False
    for name in filter(is_changed, of_one_metric):
        raise BetterThanError(
            Message(
                "{option} is for a single metric, and {n} are named. Leave it out, or name one.",
                option=Option(name, True),
                n=len(metric),
            )
        )
    return True


def shows_several(error: ReadError, metric: Sequence[str], of_one_metric: Sequence[str]) -> bool:
    """Whether data in which several metrics were found are to be compared by all of them."""
    return error.code == SEVERAL_METRICS and not metric and not any(map(is_changed, of_one_metric))


def compared_by_all(
    read: TableReader,
    files: Sequence[str],
    metric: Sequence[str],
    given: dict[str, Any],
    *,
    instead_of: ReadError | None = None,
) -> Tradeoffs:
    """Compare systems by all metrics of the files, or by those named.

    Raises
    ------
    ReadError
        `instead_of`, the error for several metrics, when none of them has the name of a known metric, and the format
        of the files does not say that they are metrics: they may be systems, language pairs or other columns then, so
        they must be named.
    """
    from betterthan.analysis.tradeoffs.metric_tables import chosen_metrics
    from betterthan.analysis.tradeoffs.tradeoffs import tradeoffs
    from betterthan.cli.computing import computing_arguments
    from betterthan.read.grid.selection import refuse_unknown_directions

    found = read.runs_or_scores(files)
    if instead_of is not None and not _are_metrics(read, files, found):
        raise instead_of
    refuse_unknown_directions(read.options, found)
    computing = computing_arguments(given)
    wanted: dict[str, Any] = {name: given[name] or None for name in _SHARED if name in given}
    return tradeoffs(chosen_metrics(found, metric), **computing, **wanted)


def _are_metrics(read: TableReader, files: Sequence[str], names: Iterable[str]) -> bool:
    from betterthan.read.formats.registry import reader
    from betterthan.read.several.runs import is_metric

    if any(map(is_metric, names)):
        return True
    formats = {read.recognised(file).format for file in files}
    return all(reader(name).FORMAT.is_run for name in formats)
