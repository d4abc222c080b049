"""Battles: who met whom and who won, from arena dumps, evalica files and plain tables.

Layouts understood: ``model_a, model_b, winner``; ``left, right, winner``; ``a, b, outcome``; two generators
with ``preference`` on the scale 1 to 2; three columns of 0 and 1 for left, right and tie; two games with
swapped sides; two ranks (the relative ranking of WMT, where 1 is best and equal ranks are a tie); chosen and
rejected models.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal

from betterthan.errors import ReadError, unknown_name
from betterthan.read.battle_columns import ROLES, BattleColumns, find_columns, kept_out
from betterthan.read.battle_files import column_names, with_plain_line_ends
from betterthan.read.battle_frames import IN_MEMORY, open_frame, tally_frame
from betterthan.read.battle_tally import Tally, settle
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source import Source, open_source
from betterthan.tables.matches import Matches

FORMAT = Format(
    name="battles",
    kind="matches",
    description="Two systems and a winner a row: CSV, TSV, JSON, JSONL or Parquet.",
)


def sniff(source: Source) -> Guess | None:
    """Say how sure it is that a file holds battles: by its column names."""
    try:
        columns = find_columns(column_names(source), given={}, path=source.name)
    except ReadError as error:
        ambiguous = error.code == "BT120" and "may be in the columns" in error.message
        return Guess(confidence=0.6, because="two pairs of systems' columns") if ambiguous else None
    winner = f'the winner in "{", ".join(columns.winner)}"' if columns.winner else "the first always winning"
    because = f'two systems in the columns "{columns.left}" and "{columns.right}", {winner}'
    return Guess(confidence=0.95, because=because)


def read(source: Source, options: Options) -> Reading:
    """Read a file of battles; see :func:`read_matches`."""
    given = {role: options.columns[role] for role in ROLES if role in options.columns}
    source = with_plain_line_ends(source)
    names = column_names(source)
    columns = find_columns(
        names,
        given=given,
        keep=options.keep,
        cluster=options.cluster,
        covariates=options.covariates,
        path=source.name,
    )
    settled = settle(_tally_file(source, names, columns), both_bad=options.both_bad)
    return Reading(
        format=FORMAT,
        because=f'two systems in the columns "{columns.left}" and "{columns.right}"',
        tables=(settled.matches,),
        rows_read=settled.n_rows,
        rows_kept=settled.n_rows - settled.n_dropped,
        dropped={"both bad": settled.n_dropped} if settled.n_dropped else {},
        notes=(*settled.matches.notes, *_unused(names, columns)),
    )


def read_matches(
    data: object,
    *,
    left: str | None = None,
    right: str | None = None,
    winner: str | None = None,
    weight: str | None = None,
    item: str | None = None,
    judge: str | None = None,
    keep: Sequence[Literal["item", "judge"]] = (),
    covariates: Sequence[str] = (),
    both_bad: Literal["tie", "drop"] = "tie",
) -> Matches:
    """Read battles, aggregated unless single rows are asked for.

    Columns are found by their names (case and punctuation ignored) or given. The winner may be told by side
    (left, right; model_a, model_b; a, b), by number (1, 0, 0.5 for the left system), or by the name of one of
    the row's two systems; tie, both_bad and their usual spellings are known. Two columns of ranks tell it as well:
    1 is best, equal ranks are a tie. Anything else, the empty cell included, stops the reading: a typo must never
    become a tie.

    Parameters
    ----------
    data : path, "-", open file, data frame or dict of columns
        A file is CSV, TSV, JSON (lines or an array of objects) or Parquet, possibly gzipped.
    left, right, winner, weight : str, optional
        Columns, where their names do not tell. A column called "weight" is used without asking.
    item : str, optional
        The column of the segment (question, prompt). When it is given, every row is kept, in the order of the
        data, with a code in `segment`.
    judge : str, optional
        The column of the judge (worker, session). When it is given, battles are counted for each judge by itself,
        with a code in `group`, so that errors are clustered by judge; no more rows than needed are kept.
    keep : sequence of {"item", "judge"}, optional
        The same with the columns found by name. A judge comes before a session and a ranking, because all
        battles of a session are one judge's.
    covariates : sequence of str, optional
        Columns of numbers that are held equal when systems are ranked (style control): the difference of the two
        systems, such as "length_difference", or two columns with a minus between them, such as "len_a-len_b",
        left's first. Every row is kept.
    both_bad : {"tie", "drop"}, default "tie"
        What "both are bad" counts as; a note says how many there were.

    Returns
    -------
    Matches
        With the systems in alphabetical (code point) order, whatever the order of the rows.

    Raises
    ------
    ReadError
        When columns are not found, labels are not known, a system has no name or meets itself, or covariates are
        asked for in more than five million rows.

    Notes
    -----
    Rows in which a system meets itself are refused, not dropped: they often mean that a column was misread.
    Files are counted inside DuckDB: memory grows with the pairs of systems, not with the rows. With judges it grows
    with the different (left, right, winner, judge); above five million of these the judges are given up, and a note
    says so.

    Examples
    --------
    >>> battles = {"left": ["A", "B", "A"], "right": ["B", "A", "C"], "winner": ["left", "tie", "C"]}
    >>> matches = read_matches(battles)
    >>> matches
    Matches(3 systems, 3 matches in 3 rows)
    >>> matches.notes
    ('Battles read: 3 (left 1, tie 1, right 1).',)
    """
    _check_choices(both_bad, keep)
    roles = {"left": left, "right": right, "winner": winner, "weight": weight, "item": item, "judge": judge}
    given = {role: column for role, column in roles.items() if column is not None}
    if isinstance(data, str | os.PathLike) or hasattr(data, "read"):
        source = with_plain_line_ends(open_source(data))  # type: ignore[arg-type]  # whatever has read()
        names = column_names(source)
        columns = find_columns(names, given=given, keep=keep, covariates=covariates, path=source.name)
        tally = _tally_file(source, names, columns)
    else:
        frame = open_frame(data)
        columns = find_columns(frame.names, given=given, keep=keep, covariates=covariates, path=IN_MEMORY)
        tally = tally_frame(frame, columns)
    return settle(tally, both_bad=both_bad).matches


def _tally_file(source: Source, names: Sequence[str], columns: BattleColumns) -> Tally:
    from betterthan.read.battle_query import tally_file  # noqa: PLC0415  (brings DuckDB)

    return tally_file(source, names, columns)


def _check_choices(both_bad: str, keep: Sequence[str]) -> None:
    if both_bad not in ("tie", "drop"):
        raise unknown_name("policy for both bad", both_bad, ["tie", "drop"])
    for role in keep:
        if role not in ("item", "judge"):
            raise unknown_name("role to keep", role, ["item", "judge"])


def _unused(names: Sequence[str], columns: BattleColumns) -> list[str]:
    unused = kept_out(names, columns)
    if not unused:
        return []
    listed = " and ".join(f'"{name}"' for name in unused)
    return [f"Not used: {listed}; name them as item (to keep single rows) or judge (to cluster errors)."]
