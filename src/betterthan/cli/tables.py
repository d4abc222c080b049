"""From a file on the command line to the table that a verb takes."""

from __future__ import annotations

from dataclasses import replace

from betterthan.errors import BetterThanError
from betterthan.read.protocol import Options
from betterthan.read.scores import scores_of, the_metric
from betterthan.read.sniff import read_any
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores

NO_CLUSTER = "none"


def table_of(
    files: tuple[str, ...],
    options: Options,
    format_in: str | None,
    metric: str | None,
    *,
    cluster: str | None = None,
    covariates: tuple[str, ...] = (),
) -> Scores | Matches:
    """Read a file of scores, ratings or battles; several files make one table.

    Battles are counted by judge or session where a column tells it, unless `cluster` names another column or is
    "none"; a column that is found and not named is done without where it has gaps.
    """
    asked = replace(_with_cluster(options, cluster), covariates=covariates)
    reading, file = read_any(as_source(files), asked, format=format_in), ", ".join(files)
    if reading.tables and isinstance(reading.tables[0], Matches):
        return reading.tables[0]
    if cluster is not None or covariates:
        option = "--covariate" if covariates else "--cluster"
        raise BetterThanError(f"{option} is for battles, and {file} holds none. Leave it out.")
    return the_metric(scores_of(reading, path=file), metric, file)


def _with_cluster(options: Options, cluster: str | None) -> Options:
    if cluster is None:
        return replace(options, cluster=True)
    columns = {role: column for role, column in options.columns.items() if role != "judge"}
    return replace(options, columns=columns if cluster == NO_CLUSTER else {**columns, "judge": cluster})


def as_source(files: tuple[str, ...]) -> str | list[str]:
    """Return what a reader takes: one name, or a list of them."""
    return files[0] if len(files) == 1 else list(files)


def scores_table(file: str, options: Options, format_in: str | None, metric: str | None) -> Scores:
    """Read a file of scores or ratings."""
    return the_metric(scores_of(read_any(file, options, format=format_in), path=file), metric, file)
