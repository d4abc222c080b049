"""Large tables whose quotes DuckDB would read otherwise than we do: looked for, and written again without doubt.

Small tables are parsed by Python, large ones by DuckDB, which leaves out spaces between a quote and the edge of its
cell, and does not always see that quotes between tabs are text. Such files are parsed by Python row by row and written
with every cell in quotes, so that a table does not depend on the size of its file.
"""

from __future__ import annotations

import csv
import io
import os
import re
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from betterthan import scratch
from betterthan.errors import ReadError
from betterthan.read.delimited import Quoting, numbered_records
from betterthan.read.packed import Spool
from betterthan.read.source import Source


class LooseQuotes:
    """Looks at a file piece by piece: has it quotes between tabs, or spaces between a quote and an edge or a quote?"""

    def __init__(self, delimiter: str) -> None:
        edge = re.escape(delimiter.encode())
        loose = rb'"' if delimiter == "\t" else rb'(?:^|[\n"%b]) +"|" +(?:$|[\r\n%b])' % (edge, edge)
        self._search = re.compile(loose).search
        self.found = False

    def see(self, chunk: bytes) -> None:
        """Look at the next piece; where it begins or ends amid spaces counts as an edge, which costs time at worst."""
        self.found = self.found or (b'"' in chunk and self._search(chunk) is not None)


def rewritten(source: Source, delimiter: str) -> tuple[Source, Quoting]:
    """Return a copy of a table with every cell in quotes, and how the quotes of the table itself are to be read.

    Raises
    ------
    ReadError
        As :func:`~betterthan.read.delimited.delimited_grid` does, for the same rows.
    """
    try:
        return _copied(source, delimiter, csv.QUOTE_MINIMAL), csv.QUOTE_MINIMAL
    except ReadError:
        if delimiter == "\t":
            with suppress(ReadError):
                return _copied(source, delimiter, csv.QUOTE_NONE), csv.QUOTE_NONE
        raise


def _copied(source: Source, delimiter: str, quoting: Quoting) -> Source:
    descriptor, spool = tempfile.mkstemp(prefix="spool-", dir=scratch.folder())
    path = Path(spool)
    try:
        with (
            os.fdopen(descriptor, "w", encoding="utf-8", newline="") as file,
            # The text was checked before, and lines end as they do where a small one is parsed.
            io.TextIOWrapper(source.open(), encoding="utf-8-sig", newline="\n") as lines,
        ):
            write = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL, lineterminator="\n")
            records = numbered_records(lines, source, delimiter, quoting=quoting)
            write.writerows(record for _, record in records)
    except BaseException:
        path.unlink(missing_ok=True)
        raise
    return replace(source, path=path, is_gzip=False, spool=Spool(path))
