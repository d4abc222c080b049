"""From a file on the command line to the table that a verb takes."""

from __future__ import annotations

import re
from dataclasses import replace

from betterthan.errors import BetterThanError, ReadError
from betterthan.read.doubts.chosen_columns import refuse_unknown_directions
from betterthan.read.protocol import Options
from betterthan.read.scores import scores_of, the_metric
from betterthan.read.sniff import read_any
from betterthan.read.source.given_files import is_there, split_given
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
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
    asked = replace(_with_cluster(options, cluster), covariates=covariates, metric=metric)
    reading, file = read_any(as_source(files), asked, format=format_in), ", ".join(files)
    refuse_unknown_directions(
        options, [table.name for table in reading.tables if isinstance(table, Scores | Ratings)]
    )
    if reading.tables and isinstance(reading.tables[0], Matches):
        return reading.tables[0]
    if cluster is not None or covariates:
        option = "--covariate" if covariates else "--cluster"
        raise BetterThanError(f"{option} is for battles, and {file} holds none. Leave it out.")
    return the_metric(scores_of(reading, path=file), metric, file, hint=reading.metric_hint)


def _with_cluster(options: Options, cluster: str | None) -> Options:
    if cluster is None:
        return replace(options, cluster=True)
    columns = {role: column for role, column in options.columns.items() if role != "judge"}
    return replace(options, columns=columns if cluster == NO_CLUSTER else {**columns, "judge": cluster})


def as_source(files: tuple[str, ...]) -> str | list[str]:
    """Return what a reader takes: one name, or a list of them."""
    return files[0] if len(files) == 1 else list(files)


def scores_table(
    files: str | tuple[str, ...], options: Options, format_in: str | None, metric: str | None
) -> Scores:
    """Read a file of scores or ratings; several files make one table."""
    several = (files,) if isinstance(files, str) else files
    asked = replace(options, metric=metric)
    reading, file = read_any(as_source(several), asked, format=format_in), ", ".join(several)
    refuse_unknown_directions(
        options, [table.name for table in reading.tables if isinstance(table, Scores | Ratings)]
    )
    return the_metric(scores_of(reading, path=file), metric, file, hint=reading.metric_hint)


def files_and_systems(words: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Tell the files of a command from the systems that may be named behind them.

    The first word is a file. So is every other that is written like one and is there, and every one that ends like a
    table, so that a slip in its name is not taken for a system. A word like "Aster" is a system even where a folder of
    that name lies beside the files.

    Raises
    ------
    BetterThanError
        When a file follows a system.

    Examples
    --------
    >>> files_and_systems(("a.csv", "b.csv", "Aster", "gpt-4.1"))
    (('a.csv', 'b.csv'), ('Aster', 'gpt-4.1'))
    """
    is_file = [place == 0 or _is_file(word) for place, word in enumerate(words)]
    n_files = is_file.index(False) if False in is_file else len(words)
    late = next((word for word, file in zip(words[n_files:], is_file[n_files:], strict=True) if file), None)
    if late is not None:
        raise BetterThanError(
            f'"{late}" is a file, but "{words[n_files]}" before it is not. '
            f"Name the files first, then the systems; a system called like a file is named with --only."
        )
    return words[:n_files], words[n_files:]


_PLAIN = re.compile(r"[^./\\=*?\[]+").fullmatch
_ENDS = (".csv", ".tsv", ".json", ".jsonl", ".parquet", ".gz", ".zst", ".score", ".eval")


def _is_file(word: str) -> bool:
    if word == "-" or word.lower().endswith(_ENDS):
        return True
    if _PLAIN(word):
        return False
    try:
        return all(is_there(path) for path in split_given(word)[1])
    except ReadError:  # a pattern that no file fits, or nothing before the sign =
        return False
