"""What at the beginning of a file makes a format worth asking, so that the other formats need not be imported.

A sign is necessary, not sufficient: it may admit a format that then declines, but must never keep out one that would
have recognised the file. `tests/read/formats/test_declarations.py` holds every format to that.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

from betterthan.read.grid.beginning import Container, Peek, beginning_text, peek
from betterthan.read.grid.columns import plain
from betterthan.read.source.source import Source

JSON: tuple[Container, ...] = ("json", "jsonl")
TEXT: tuple[Container, ...] = ("delimited",)
NO_TEXT = (".csv", ".tsv", ".json", ".jsonl", ".ndjson", ".parquet", ".tags", ".xml", ".html", ".eval")
"""Suffixes of files that are not plain text, one segment per line."""
PARQUET: tuple[Container, ...] = ("parquet",)

Column = str | frozenset[str]


def one_of(names: Iterable[str]) -> frozenset[str]:
    """Return names of columns of which one is enough, as :func:`~betterthan.read.grid.columns.plain` spells them."""
    return frozenset(map(plain, names))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sign:
    r"""One thing that a format may be recognised by; everything that is given must hold.

    Attributes
    ----------
    containers : tuple
        What the file is made of, one of these; any if empty.
    columns : tuple of str or set of str
        Columns that must be there, spelled without case and punctuation; of a set, one of them.
    words : tuple of str
        Lower-case texts that must occur in the first 64 KB, in any case.
    pattern : str
        A regular expression that must match somewhere in the first 64 KB; case is ignored, ``^`` is the start of a
        line and ``\A`` that of the file.
    suffix : str
        What the name of the file ends with, ``.gz`` and ``.zst`` aside.
    other_suffixes : tuple of str
        Suffixes that the file does not have.
    magic : bytes
        What the file begins with.
    """

    containers: tuple[Container, ...] = ()
    columns: tuple[Column, ...] = ()
    words: tuple[str, ...] = ()
    pattern: str = ""
    suffix: str = ""
    other_suffixes: tuple[str, ...] = ()
    magic: bytes = b""


@dataclass(slots=True)
class Beginning:
    """The beginning of a file as signs see it, looked at once for all formats."""

    source: Source
    look: Peek
    columns: frozenset[str]
    text: str
    lower: str

    def shows(self, sign: Sign) -> bool:
        """Say whether a sign is there, the cheapest tests first."""
        return (
            (not sign.containers or self.look.container in sign.containers)
            and self.source.suffix.endswith(sign.suffix)
            and self.source.suffix not in sign.other_suffixes
            and self.source.head.startswith(sign.magic)
            and all(map(self._has_column, sign.columns))
            and all(word in self.lower for word in sign.words)
            and (not sign.pattern or _compiled(sign.pattern).search(self.text) is not None)
        )

    def _has_column(self, column: Column) -> bool:
        if not self.columns and self.look.container == "json":
            return True  # no object of the array is as short as the beginning, so its keys are not known
        return column in self.columns if isinstance(column, str) else not column.isdisjoint(self.columns)


def beginning(source: Source) -> Beginning:
    """Look at a file for all formats at once."""
    look, text = peek(source), beginning_text(source)
    return Beginning(source, look, frozenset(map(plain, look.header)), text, text.lower())


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
