"""Single battles for the list: read again with their segments and judges, whose names a table of matches lacks."""

from __future__ import annotations

from dataclasses import replace

from betterthan.errors import ReadError
from betterthan.read.battle_columns import ROLES, BattleColumns, find_columns
from betterthan.read.battle_files import engine_file, look_at, text_query, with_plain_line_ends
from betterthan.read.duck import connect
from betterthan.read.protocol import EVERY, Options
from betterthan.read.sniff import read_any
from betterthan.read.source import Source, open_source
from betterthan.tables.matches import Matches
from betterthan.web.kept import Battles

MOST_BATTLES = 1_000_000
_MOST_NAMES = 200_000


def listed_battles(path: str, options: Options, matches: Matches, *, format: str | None = None) -> Battles:  # noqa: A002
    """Return the battles of a file one by one, or counted by kind where they cannot be told apart.

    Parameters
    ----------
    path : str
    options : Options
        As the report read the file.
    matches : Matches
        What the report is about; counted, it is the list where the file has no column for segments, or too many rows.
    format : str, optional
    """
    counted = Battles(matches=matches.aggregated())
    if matches.n_matches > MOST_BATTLES:
        return counted
    try:
        source = with_plain_line_ends(open_source(path))
        header, columns = _columns(source, options)
        if columns.item is None:
            return counted
        named = {"item": columns.item, **({"judge": columns.judge} if columns.judge else {})}
        wanted = replace(options, columns={**options.columns, **named})
        (rows,) = read_any(path, wanted, format=format).tables
        names = {role: _names(source, header, column) for role, column in named.items()}
    except (ReadError, ValueError):  # another layout, or a row without a segment: the counts remain
        return counted
    if not isinstance(rows, Matches) or rows.systems != matches.systems:
        return counted
    return Battles(matches=rows, segments=names["item"], judges=names.get("judge", ()))


def _columns(source: Source, options: Options) -> tuple[tuple[str, ...], BattleColumns]:
    look = look_at(source)
    given = {role: options.columns[role] for role in ROLES if role in options.columns}
    # Every covariate is asked for, because then the segment and the judge are found by name without being needed.
    found = find_columns(look.header, given=given, covariates=(EVERY,), rows=look.rows, path=source.name)
    return look.header, found


def _names(source: Source, header: tuple[str, ...], column: str) -> tuple[str, ...]:
    """Return the names of a column in the order by which the reader numbers them: sorted."""
    with connect(engine_file(source)) as connection:
        query = f"SELECT DISTINCT v0 FROM ({text_query(source, header, [column])}) ORDER BY v0 LIMIT {_MOST_NAMES + 1}"  # noqa: S608  (quoted there)
        found = tuple(str(row[0]) for row in connection.execute(query).fetchall())
    return found if len(found) <= _MOST_NAMES else ()
