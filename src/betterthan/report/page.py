"""From a report to one HTML page, or to the fragment that shows a part of it.

A page holds all it shows. Its policy forbids everything but its own style and script, which are named by their
digests; there is no inline style and no inline handler anywhere.
"""

from __future__ import annotations

import base64
import functools
import hashlib
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup, escape

from betterthan import __version__
from betterthan.messages import Spelling, spelled
from betterthan.present.printable import unturned
from betterthan.present.table import Table
from betterthan.report.document import Report, Section, TableBlock, TableCopy, copies_of
from betterthan.report.sections.data import embedded
from betterthan.report.wording import shortened
from betterthan.results.base import json_text

_TEMPLATES = Path(__file__).parent / "templates"
# Where a long name may be broken over two lines: after a sign that separates its parts.
_SEPARATOR = re.compile(r"(?<=[-_./:|,@])(?![-_./:|,@\s]|$)")
# A line does not end between a sign and its number.
_NUMBER = re.compile(r"(?<=\bp) ([=<≤>]) (?=[\d.])|(?<=\d%) (?=CI\b)")
_LONG_WORD, _LONG_NAME, _SENTENCE = 16, 24, 36
# A script element ends at "</script" and JSON does not care how a character is written.
_IN_SCRIPT = str.maketrans(
    {"<": "\\u003c", ">": "\\u003e", "&": "\\u0026", "\u2028": "\\u2028", "\u2029": "\\u2029"}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Links:
    """Addresses that a server gives a page; a page from a file has none.

    Attributes
    ----------
    home, json, csv, tex : str, optional
        The list of runs, and this report in other formats.
    pair : str, optional
        Where a pair is shown, such as ``"/runs/7/pairs/{a}/{b}"``; names are quoted for it. Without it, cells of the
        matrix open the pair inside the page.
    nonce : str, optional
        Of the server's own policy; the page then names its style and script by it instead of by digests.
    """

    home: str | None = None
    json: str | None = None
    csv: str | None = None
    tex: str | None = None
    pair: str | None = None
    nonce: str | None = None


def page(report: Report, *, links: Links | Mapping[str, str] | None = None, spelling: Spelling = str) -> str:
    """Return the whole page: the same report gives the same bytes.

    Parameters
    ----------
    report : Report
    links : Links or mapping of its fields, optional
        What a server adds.
    spelling : callable, optional
        How options named in messages are written; as keyword arguments by default.
    """
    addresses = links if isinstance(links, Links) else Links(**(links or {}))
    style, script = style_sheet(), script_text()
    return (
        _environment(spelling)
        .get_template("page.html.j2")
        .render(
            report=report,
            links=addresses,
            nonce=addresses.nonce,
            policy=None if addresses.nonce else _policy(style, script),
            style=Markup(style),  # noqa: S704  (our own file)
            script=Markup(script),  # noqa: S704
            results=in_script(embedded(report)),
            payload=in_script(report.payload),
        )
    )


def section_fragment(section: Section, *, spelling: Spelling = str) -> str:
    """Return one section as HTML, for a page that has its own head and style."""
    return str(_environment(spelling).get_template("section.html.j2").render(section=section, links=None))


@functools.cache
def style_sheet() -> str:
    """Return the style of all pages; it follows the reader's choice of light or dark."""
    return (_TEMPLATES / "report.css").read_text(encoding="utf-8")


@functools.cache
def script_text() -> str:
    """Return the script of all pages."""
    return (_TEMPLATES / "report.js").read_text(encoding="utf-8")


def in_script(data: Mapping[str, Any]) -> Markup:
    r"""Return JSON that can stand inside a script element.

    Examples
    --------
    >>> print(in_script({"a": "</script>"}))
    {"a":"\u003c/script\u003e"}
    """
    text = json_text(data, separators=(",", ":"))
    return Markup(text.translate(_IN_SCRIPT))  # noqa: S704  (no character of it can end the element)


def _policy(style: str, script: str) -> str:
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


@functools.lru_cache(maxsize=8)
def _environment(spelling: Spelling) -> Environment:
    """Return the templates, with options in what they show as an interface writes them."""

    def shown(value: object) -> object:
        return unturned(spelled(value, spelling) if isinstance(value, str) else value)

    def breakable(value: str) -> str:
        return breakable_text(str(shown(value)))

    def copies(block: TableBlock) -> tuple[TableCopy, ...]:
        return copies_of(replace(block, table=block.table.spelled(spelling)))

    environment = Environment(
        loader=FileSystemLoader(_TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=shown,
    )
    environment.globals.update(
        cell_class=_cell_class,
        copies_of=copies,
        name_column=_name_column,
        pair_address=_pair_address,
        shortened=shortened,
        sort_key=_sort_key,
        version=__version__,
    )
    environment.filters["breakable"] = breakable
    return environment


def breakable_text(text: str) -> Markup:
    """Return a text in which long names may be broken where a separator ends a part, and nowhere else.

    Examples
    --------
    >>> print(breakable_text("acme__acme-7b-instruct is better"))
    acme__<wbr>acme-<wbr>7b-<wbr>instruct is better
    """
    if len(text) <= _LONG_WORD:
        return escape(text)
    text = _NUMBER.sub(
        lambda match: f"\N{NO-BREAK SPACE}{match[1]}\N{NO-BREAK SPACE}" if match[1] else "\N{NO-BREAK SPACE}",
        text,
    )
    words = (
        Markup('<span class="whole">{}</span>').format(word)
        if word.startswith("--")  # a flag is typed as one word
        else Markup("<wbr>").join(_SEPARATOR.split(word))
        if len(word) > _LONG_WORD
        else escape(word)
        for word in re.split(r"([ \t\n]+)", text)
    )
    return Markup("").join(words)


def _name_column(table: Table) -> int:
    """Return the column that names the rows: the first that holds text."""
    return next((j for j, column in enumerate(table.columns) if column.kind == "text"), 0)


def _cell_class(cell: str) -> str:
    """Return how a cell may be broken: sentences anywhere between words, names between their parts.

    Examples
    --------
    >>> _cell_class("0.5"), _cell_class("acme-7b-instruct"), _cell_class("a-name-of-more-than-twenty-four")
    ('', ' short', ' long')
    """
    if len(cell) > _SENTENCE and " " in cell:
        return " w"
    if max(map(len, _SEPARATOR.split(cell)), default=0) > _LONG_NAME:
        return " unbroken"
    return " long" if len(cell) > _LONG_NAME else " short" if len(cell) > 12 else ""


def _pair_address(links: Links, a: str, b: str) -> str:
    return str(links.pair).format(a=quote(a, safe=""), b=quote(b, safe=""))


def _sort_key(table: Table, i: int, j: int) -> str | None:
    """Return what a cell is sorted by: its number, or None for its text."""
    cell = table.rows[i][j]
    value = cell[0] if isinstance(cell, tuple) else cell
    if isinstance(value, str) or value is None or not math.isfinite(value):
        return None
    return f"{value:.12g}"
