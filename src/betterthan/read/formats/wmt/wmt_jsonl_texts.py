"""Translations of WMT25: ``systems/SYSTEM.jsonl``, one object a document, or a folder of such files.

An object is ``{doc_id, hypothesis}``, with a blank line between the paragraphs of a hypothesis. An item is a paragraph
of a document, named ``DOCUMENT:NUMBER`` with numbers from 1, as in the automatic scores. A document's name begins with
its language pair: ``en-is_IS_#_literary_#_NAME``.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.wmt.wmt_jsonl import first_object, sniff_folder, system_files
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.protocol import Format, Guess, Options, Problem, Reading
from betterthan.read.source.source import Source
from betterthan.tables.texts import Texts

FORMAT = Format(
    name="wmt_texts",
    kind="texts",
    description="translations of WMT25: SYSTEM.jsonl, an object a document with doc_id and hypothesis",
)
PARAGRAPHS = "\n\n"
_KEYS = ("doc_id", "hypothesis")
_PARTS = "_#_"


@dataclass(slots=True)
class _Found:
    """Paragraphs by document and system; None is a translation that is missing."""

    systems: dict[str, int] = field(default_factory=dict)
    documents: dict[str, dict[str, tuple[str, ...] | None]] = field(default_factory=dict)
    n_rows: int = 0


def pair_of(document: str) -> str:
    """Return the language pair that a document's name begins with, or nothing.

    Examples
    --------
    >>> pair_of("en-is_IS_#_literary_#_chapter1"), pair_of("chapter1")
    ('en-is_IS', '')
    """
    pair, parted, _ = document.partition(_PARTS)
    return pair if parted else ""


def sniff(source: Source) -> Guess | None:
    """Recognise a first object with doc_id and hypothesis; a folder by such a file in it."""
    if source.is_folder:
        return sniff_folder(source, sniff, "translations")
    first = first_object(source)
    if first is None or not set(_KEYS) <= first.keys():
        return None
    return Guess(confidence=0.98, because="JSON lines with doc_id and hypothesis")


def read(source: Source, options: Options) -> Reading:
    """Read a system's file, or every system of a folder, into one :class:`Texts` a language pair."""
    found = _Found()
    for opened in system_files(source):
        if opened.stem in found.systems:
            raise ReadError(
                f"System {quoted(opened.stem)} has two files. Remove one of them.",
                path=source.name,
                code="BT131",
            )
        found.systems[opened.stem] = len(found.systems)
        for line, document in numbered_objects(opened.lines(), opened):
            found.n_rows += 1
            _add(found, opened.stem, document, opened, line)
    wanted = [pair for pair in _pairs(found) if options.language_pair in (None, pair)]
    if not wanted:
        raise ReadError(
            "No document has a translation. Check what wrote the file.", path=source.name, code="BT011"
        )
    odd = _without_odd(found)
    tables = tuple(_texts(found, pair) for pair in wanted)
    guess = sniff(source)
    return Reading(
        format=FORMAT,
        because=guess.because if guess else "the format was named",
        tables=tables,
        rows_read=found.n_rows,
        rows_kept=found.n_rows - len(odd),
        dropped={"another number of paragraphs": len(odd)} if odd else {},
        notes=tuple(
            f"{pair}: {len(table.segments):,} paragraphs." for pair, table in zip(wanted, tables, strict=True)
        ),
        problems=_problems(odd, source),
    )


def _add(found: _Found, system: str, document: Mapping[str, Any], source: Source, line: int) -> None:
    name, text = (document.get(key) for key in _KEYS)
    if not isinstance(name, str) or not name.strip() or not (text is None or isinstance(text, str)):
        raise ReadError(
            "doc_id must name a document, and hypothesis be its translation or null. Write the line again.",
            path=source.name,
            line=line,
            code="BT183",
        )
    outputs = found.documents.setdefault(name, {})
    if system in outputs:
        raise ReadError(
            f"Document {quoted(name)} stands in the file twice. Remove one of the two lines.",
            path=source.name,
            line=line,
            code="BT101",
        )
    outputs[system] = None if text is None else tuple(text.split(PARAGRAPHS))


def _pairs(found: _Found) -> list[str]:
    translated = (name for name, outputs in found.documents.items() if any(outputs.values()))
    return list(dict.fromkeys(map(pair_of, translated)))


def _without_odd(found: _Found) -> list[tuple[str, str]]:
    """Take translations with another number of paragraphs than most away, and return their documents and systems."""
    odd = []
    for name, outputs in found.documents.items():
        sizes = Counter(len(paragraphs) for paragraphs in outputs.values() if paragraphs is not None)
        usual = max(sizes, key=lambda size: (sizes[size], size), default=0)
        for system, paragraphs in outputs.items():
            if paragraphs is not None and len(paragraphs) != usual:
                odd.append((name, system))
                outputs[system] = None
    return odd


def _texts(found: _Found, pair: str) -> Texts:
    sizes = {
        name: next(len(paragraphs) for paragraphs in outputs.values() if paragraphs is not None)
        for name, outputs in found.documents.items()
        if pair_of(name) == pair and any(outputs.values())
    }
    systems = [system for system in found.systems if any(found.documents[name].get(system) for name in sizes)]
    return Texts(
        systems=tuple(systems),
        segments=tuple(f"{name}:{k}" for name, size in sizes.items() for k in range(1, size + 1)),
        outputs=tuple(_lines(found, system, sizes) for system in systems),
        groups=tuple(name for name, size in sizes.items() for _ in range(size)),
    )


def _lines(found: _Found, system: str, sizes: Mapping[str, int]) -> tuple[str | None, ...]:
    lines: list[str | None] = []
    for name, size in sizes.items():
        lines += found.documents[name].get(system) or [None] * size
    return tuple(lines)


def _problems(odd: list[tuple[str, str]], source: Source) -> tuple[Problem, ...]:
    if not odd:
        return ()
    listed = [f"{name} ({system})" for name, system in odd]
    text = (
        f"{len(odd)} translations have another number of paragraphs than those of most systems, so they cannot be "
        f"paired and are missing: {some_of(listed, limit=2)}. Separate paragraphs by one blank line."
    )
    return (Problem(code="BT175", place=source.name, message=text),)
