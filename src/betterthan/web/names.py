"""Names: layouts that can be read, systems in addresses, and the fields of the page for the options of a message.

A system's name may hold a slash, a dot or a question mark, and an address may not. Percent signs do not help, because
servers undo them before they cut a path at its slashes; so the escape is a tilde, as datasette has it.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from betterthan.cli.wording import typed_option
from betterthan.messages import ONLY_TYPED, Message, Option, Placeholder, Spelling, joined, spelled
from betterthan.read.formats.registry import READERS

FORMAT_NAMES = tuple(sorted(READERS))


_PLAIN = re.compile(rb"[A-Za-z0-9_-]")
_ESCAPED = re.compile(r"~([0-9A-F]{2})|([A-Za-z0-9_-])")


def url_name(name: str) -> str:
    """Return a name as one part of an address.

    Examples
    --------
    >>> url_name("GPT-4/o"), url_name("é"), url_name("")
    ('GPT-4~2Fo', '~C3~A9', '~')
    """
    if not name:
        return "~"
    # A lone surrogate cannot be in a name read from UTF-8, but one can be in an address.
    raw = name.encode("utf-8", errors="surrogatepass")
    return "".join(chr(byte) if _PLAIN.match(bytes([byte])) else f"~{byte:02X}" for byte in raw)


def name_from_url(part: str) -> str | None:
    """Return the name that a part of an address stands for, or None if it stands for none.

    Examples
    --------
    >>> name_from_url("GPT-4~2Fo"), name_from_url("a b"), name_from_url("~")
    ('GPT-4/o', None, '')
    """
    if part == "~":
        return ""
    raw = bytearray()
    position = 0
    while position < len(part):
        match = _ESCAPED.match(part, position)
        if match is None:
            return None
        raw.append(int(match[1], 16) if match[1] else ord(match[2]))
        position = match.end()
    try:
        name = raw.decode("utf-8")
    except UnicodeDecodeError:
        return None
    return name if url_name(name) == part else None  # a name has one address


FOLD = "Columns and options"


class _Field(NamedTuple):
    """A field of the page: its label, and what its choices are called."""

    label: str
    choices: Mapping[object, str] = MappingProxyType({})


ROLE_LABELS = {
    "item": "segment",
    "system": "system",
    "score": "score",
    "metric": "metric",
    "group": "document",
    "judge": "judge",
    "left": "first system of a battle",
    "right": "second system of a battle",
    "winner": "winner of a battle",
    "weight": "weight of a row",
}
"""What each column of a table is called on the page, by the name of its role."""
_IN_FOLD = {
    **{"metric_column" if role == "metric" else role: _Field(label) for role, label in ROLE_LABELS.items()},
    "missing": _Field("A missing score", {"drop": "leaves its segment out", "raise": "is an error"}),
    "duplicates": _Field(
        "Two scores for a segment",
        {"first": "take the first", "last": "take the last", "mean": "take their mean"},
    ),
    "ignore": _Field("Columns that are not systems"),
    "keep": _Field("Columns that are systems"),
    "metric": _Field("Metric, if there are several"),
    "both_bad": _Field("A vote “both bad”", {"tie": "is a tie", "drop": "is left out"}),
    "winner_labels": _Field("What winner labels mean"),
    "format": _Field("Layout"),
    "units": _Field("Resampling unit", {"segments": "segments", "groups": "whole documents"}),
}
_BESIDE = {
    "reference": _Field("This file is", {FOLD: "reference text"}),
    "references": _Field("This file is", {FOLD: "reference text"}),
    "human": _Field("This file is", {FOLD: "human scores"}),
    "source": _Field("This file is", {FOLD: "source text"}),
}
_DIRECTIONS = {"lower_is_better": "lower", "higher_is_better": "higher"}


def on_page(option: Option) -> str:
    """Return an option as the field that it is on the page; what has none is an option of the command line.

    Examples
    --------
    >>> on_page(Option("missing", "drop")), on_page(Option("metric", "chrF"))
    ('“A missing score: leaves its segment out”', '“Metric, if there are several: chrF”')
    >>> on_page(Option("prior", 0.5))
    '--prior 0.5 (on the command line)'
    >>> on_page(Option("by", "bradley_terry")), on_page(Option("upload"))
    ('--by bradley-terry (on the command line)', '--upload')
    """
    if option.name in _DIRECTIONS:
        return f"“Which scores are better: {_DIRECTIONS[option.name]}”"
    if option.name in _BESIDE:
        return f"“This file is: {_BESIDE[option.name].choices[FOLD]}”"
    field = _IN_FOLD.get(option.name)
    if field is None:
        return (
            str(option) if option.name in ONLY_TYPED else f"{_typed_option()(option)} (on the command line)"
        )
    if option.value is None or isinstance(option.value, Placeholder):
        return f"“{field.label}”"
    return f"“{field.label}: {_value(field, option.value)}”"


@functools.cache
def _typed_option() -> Spelling:
    """Return how an option is typed; the commands, which know it, are loaded when one is first named."""
    from betterthan.cli.main import cli  # noqa: PLC0415

    return typed_option(cli)


def _value(field: _Field, value: object) -> str:
    if isinstance(value, dict):
        return " ".join(f"{key}={one}" for key, one in value.items())
    if isinstance(value, list | tuple):
        return ", ".join(map(str, value))
    return field.choices.get(value, str(value))


def is_in_fold(text: str) -> bool:
    """Return whether a field of the folded part of the page is named in a message.

    Examples
    --------
    >>> is_in_fold(Message("Use {fix}.", fix=Option("missing", "drop"))), is_in_fold("The file is empty.")
    (True, False)
    """
    return isinstance(text, Message) and any(
        option.name in _IN_FOLD or option.name in _DIRECTIONS for option in text.options
    )


def page_text(text: str) -> str:
    """Return a message as the page writes it, with the place of the fields that it names.

    Examples
    --------
    >>> page_text(Message("A score is missing. Use {fix}.", fix=Option("missing", "drop")))
    'A score is missing. Use “A missing score: leaves its segment out”. (See “Columns and options”.)'
    """
    where = f"(See “{FOLD}”.)" if is_in_fold(text) else ""
    return spelled(joined([text, where]), on_page)
