"""Tables of text for DuckDB: as they stand where it reads them as Python does, else a copy without any freedom.

So a table does not depend on whether its file was small enough for Python to parse.
"""

from __future__ import annotations

import csv
import os
import tempfile
from dataclasses import dataclass, field, replace
from pathlib import Path
from weakref import WeakKeyDictionary

from betterthan import scratch
from betterthan.read.delimited import Quoting, numbered_records
from betterthan.read.packed import Spool
from betterthan.read.quotes import read_quotes
from betterthan.read.regular_text import RegularText
from betterthan.read.source import Source
from betterthan.read.text import open_text, small_text


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineText:
    """A file that the engine can read, and how the quotes of the original are read."""

    file: Source = field(repr=False)
    quoting: Quoting = csv.QUOTE_MINIMAL


# Without the source itself, which would keep its own entry alive for ever.
_seen: WeakKeyDictionary[Source, tuple[Source | None, Quoting]] = WeakKeyDictionary()


def engine_text(source: Source, delimiter: str, look: RegularText | None = None) -> EngineText:
    """Return a delimited file for the engine; looked at once, as long as the source lives.

    Parameters
    ----------
    source : Source
    delimiter : str
    look : RegularText, optional
        That has seen the whole file; without it, every byte is checked here.

    Raises
    ------
    ReadError
        For what is not plain text, as :func:`~betterthan.read.text.small_text` does, for quotes that may hide rows
        (BT240), and for malformed rows (BT012, BT015).
    """
    if source not in _seen:
        look = look or _looked_at(source, delimiter)
        quoting = read_quotes(source, delimiter, look, lambda: open_text(source))
        _seen[source] = (None if look.is_regular else _copied(source, delimiter, quoting), quoting)
    copy, quoting = _seen[source]
    return EngineText(file=copy or source, quoting=quoting)


def check_quotes(source: Source, delimiter: str) -> None:
    """Refuse quotes that may hide rows (BT240), for whoever reads the rows of a delimited file by themselves."""
    read_quotes(source, delimiter, _looked_at(source, delimiter), lambda: open_text(source))


def _looked_at(source: Source, delimiter: str) -> RegularText:
    look = RegularText(delimiter)
    small_text(source, limit=0, see=look.see)
    look.end()
    return look


def _copied(source: Source, delimiter: str, quoting: Quoting) -> Source:
    """Write a table again with every cell in quotes."""
    descriptor, spool = tempfile.mkstemp(prefix="spool-", dir=scratch.folder())
    path = Path(spool)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file, open_text(source) as lines:
            write = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
            records = (record for _, record in numbered_records(lines, source, delimiter, quoting=quoting))
            # The engine is told the names, and a line end in one of them would confuse it.
            write.writerow(f"c{i}" for i, _ in enumerate(next(records, ())))
            write.writerows(records)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return replace(source, path=path, is_gzip=False, spool=Spool(path))
