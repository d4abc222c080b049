"""Judgments of WMT24 as JSON lines: one object per judgment, with ``esa_score`` (a text) and ``esa_spans``.

The keys are ``langs, line_id, src, tgt, doc_id, domain, esa_spans, esa_score, system, annotator, times``.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from betterthan.errors import ReadError, some_of
from betterthan.read.formats.builders import RatingsBuilder, finite, scores_reading
from betterthan.read.formats.wmt.appraise_table import no_real_document
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.grid import label, quoted
from betterthan.read.grid.json_lines import numbered_objects
from betterthan.read.grid.numerals import check_names, parse
from betterthan.read.plausibility.direction import direction
from betterthan.read.protocol import Format, FormatReader, Guess, Options, Problem, Reading, reason
from betterthan.read.source.paths import files_in, opened_files
from betterthan.read.source.source import Source, open_source
from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts

_ESA = Format(
    name="wmt_jsonl",
    kind="ratings",
    description="judgments of WMT24 as JSON lines, with langs, line_id, system, annotator and esa_score",
)
ENDS = (".jsonl", ".jsonl.gz")
_NAMED = ("langs", "line_id", "system", "annotator")
_ESA_KEYS = (*_NAMED, "esa_score")


def sniff_esa(source: Source) -> Guess | None:
    """Recognize a first line that is an object with the keys of the dump."""
    first = first_object(source)
    if first is None or not set(_ESA_KEYS) <= first.keys():
        return None
    return Guess(confidence=1.0, because="JSON lines with langs, line_id, system, annotator and esa_score")


def sniff_folder(source: Source, sniff: Callable[[Source], Guess | None], what: str) -> Guess | None:
    """Recognize a folder of JSON lines by its first file, with the sniffer of that file."""
    files = [path for path in files_in(source.path) if path.name.endswith(ENDS)]
    if not files or not files[0].is_file():
        return None
    try:
        first = sniff(open_source(files[0]))
    except ReadError:
        return None
    return Guess(confidence=0.9, because=f"a folder with {len(files)} files of {what}") if first else None


def system_files(source: Source) -> Iterator[Source]:
    """Open a system's file, or those of a folder one by one; each is named after its system."""
    if not source.is_folder:
        yield source
        return
    yield from opened_files(source, [path for path in files_in(source.path) if path.name.endswith(ENDS)])


def first_object(source: Source) -> Mapping[str, Any] | None:
    """Return the object on the first line, or None when there is none."""
    if source.is_parquet or not source.head.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{"):
        return None
    line = next((line for line in first_lines(source) if line.strip()), "")
    try:
        parsed = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return parsed if isinstance(parsed, dict) else None


def read_esa(source: Source, options: Options) -> Reading:
    """Read the dump into one :class:`Ratings` for each language pair, line by line."""
    ratings = RatingsBuilder(options)
    for line, judgment in numbered_objects(source.lines(), source):
        ratings.n_rows += 1
        pair, segment, system, judge = (name_at(judgment, key, source, line) for key in _NAMED)
        document = name_at(judgment, "doc_id", source, line) if judgment.get("doc_id") is not None else ""
        score = _percentage(judgment, "esa_score", source, line)
        why = no_real_document(document) or ("no score" if np.isnan(score) else None)
        if why:
            ratings.dropped[why] += 1
            continue
        ratings.check_document(pair, segment, document, path=source.name, line=line)
        ratings.add(pair, system, segment, judge, score, group=document)
    return ratings.reading(source, format=_ESA, guess=sniff_esa(source), name="ESA")


def name_at(judgment: Mapping[str, Any], key: str, source: Source, line: int) -> str:
    """Return the name under a key; a number is converted to text.

    Raises
    ------
    ReadError
        When it is missing (BT105), or neither a text nor a whole number (BT025).
    """
    value = judgment.get(key)
    if isinstance(value, str) and value.strip():
        check_names({f'"{key}"': value}, path=source.name, line=line)
        return value.strip()
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    missing = value is None or value == ""
    raise source.error(
        f'"{key}" {"is missing" if missing else f"is {quoted(str(value))}"}. Write a text or a whole number.',
        line=line,
        code="BT105" if missing else "BT025",
    )


def _percentage(judgment: Mapping[str, Any], key: str, source: Source, line: int) -> float:
    value = judgment.get(key)
    score = np.inf if isinstance(value, bool) else parse(value)
    if np.isnan(score) or 0 <= score <= 100:
        return float(score)
    raise source.error(
        f'"{key}" is {quoted(str(value))}, not a score from 0 to 100. Write null for a missing score.',
        line=line,
        code="BT171",
    )


_SCORES = Format(
    name="wmt_scores",
    kind="scores",
    description="automatic scores of WMT25: SYSTEM.jsonl, one object per document with its metric_scores",
)
_SCORES_KEYS = ("language_pair", "document_id", "metric_scores")

Item = tuple[str, str]


@dataclass(slots=True)
class _DocumentScores:
    """Scores by metric, system and item; an item is a language pair and a paragraph."""

    systems: dict[str, int] = field(default_factory=dict)
    sizes: dict[Item, tuple[int, str]] = field(default_factory=dict)
    scores: dict[tuple[str, str], dict[tuple[str, Item], list[float]]] = field(default_factory=dict)
    n_rows: int = 0


def sniff_scores(source: Source) -> Guess | None:
    """Recognize a first object with metric_scores; a folder by such a file in it."""
    if source.is_folder:
        return sniff_folder(source, sniff_scores, "metric_scores")
    first = first_object(source)
    if first is None or not set(_SCORES_KEYS) <= first.keys():
        return None
    return Guess(confidence=0.99, because="JSON lines with language_pair, document_id and metric_scores")


def read_scores(source: Source, options: Options) -> Reading:
    """Read a system's file, or every system of a folder, into one :class:`Scores` a metric and language pair."""
    rows = _DocumentScores()
    for opened in system_files(source):
        system = opened.stem
        if system in rows.systems:
            raise source.error(f"System {quoted(system)} has two files. Remove one of them.", code="BT169")
        rows.systems[system] = len(rows.systems)
        for line, document in numbered_objects(opened.lines(), opened):
            rows.n_rows += 1
            _add_scores(rows, system, document, opened, line)
    if not rows.scores:
        raise source.error("No document has scores. Check the program that wrote the file.", code="BT011")
    return scores_reading(
        _tables(rows, options), source, format=_SCORES, guess=sniff_scores(source), n_rows=rows.n_rows
    )


def _add_scores(
    rows: _DocumentScores, system: str, document: Mapping[str, Any], source: Source, line: int
) -> None:
    pair, name, metrics = (document.get(key) for key in _SCORES_KEYS)
    is_named = all(isinstance(text, str) and text.strip() for text in (pair, name))
    if not is_named or not isinstance(metrics, dict):
        raise _wrong_score(
            "language_pair and document_id must be texts, metric_scores an object of lists", source, line
        )
    item = (str(pair), str(name))
    for metric, values in metrics.items():
        if not isinstance(values, list) or not values or not metric.strip():
            raise _wrong_score(
                f"The scores of {quoted(metric)} are not a list with one score per paragraph", source, line
            )
        _check_size(rows, item, len(values), system, source, line)
        cells = rows.scores.setdefault((metric, item[0]), {})
        if (system, item) in cells:
            raise source.error(
                f"Document {quoted(item[1])} of {item[0]} already has scores of {quoted(metric)}. "
                f"Remove one of the two lines.",
                line=line,
                code="BT101",
            )
        of, fix = f" (score of {quoted(metric)})", "Write null for a missing score."
        cells[system, item] = [finite(value, path=source.name, line=line, of=of, fix=fix) for value in values]


def _check_size(rows: _DocumentScores, item: Item, size: int, system: str, source: Source, line: int) -> None:
    expected, where = rows.sizes.setdefault(item, (size, system))
    if size != expected:
        raise source.error(
            f"Document {quoted(item[1])} has {size} scores here and {expected} before (system {quoted(where)}). "
            f"Write a score for every paragraph, null for a missing one.",
            line=line,
            code="BT175",
        )


def _wrong_score(what: str, source: Source, line: int) -> ReadError:
    return source.error(f"{what}. Write the file again.", line=line, code="BT176")


def _tables(rows: _DocumentScores, options: Options) -> tuple[Scores, ...]:
    several = len({pair for _, pair in rows.scores}) > 1
    return tuple(
        _scores(f"{metric} {pair}" if several else metric, pair, cells, rows, options)
        for (metric, pair), cells in rows.scores.items()
    )


def _scores(
    name: str,
    pair: str,
    cells: Mapping[tuple[str, Item], list[float]],
    rows: _DocumentScores,
    options: Options,
) -> Scores:
    documents = [item for item in rows.sizes if item[0] == pair]
    start, places = 0, {}
    for item in documents:
        places[item] = start
        start += rows.sizes[item][0]
    values = np.full((len(rows.systems), start), np.nan)
    for (system, item), scores in cells.items():
        values[rows.systems[system], places[item] : places[item] + len(scores)] = scores
    has_scores = ~np.isnan(values).all(axis=1)
    way = direction(name, values, options)
    without = [system for system, known in zip(rows.systems, has_scores, strict=True) if not known]
    notes = [f'Systems without any score of "{name}": {some_of(without)}.'] if without else []
    return Scores(
        name=name,
        systems=tuple(system for system, known in zip(rows.systems, has_scores, strict=True) if known),
        segments=tuple(f"{item[1]}:{k + 1}" for item in documents for k in range(rows.sizes[item][0])),
        values=values[has_scores],
        higher_is_better=way.higher_is_better,
        direction_doubt=way.doubt,
        groups=tuple(item[1] for item in documents for _ in range(rows.sizes[item][0])),
        notes=(*notes, *way.notes),
    )


_TEXTS = Format(
    name="wmt_texts",
    kind="texts",
    description="translations of WMT25: SYSTEM.jsonl, one object per document with doc_id and hypothesis",
)
PARAGRAPHS = "\n\n"
_TEXTS_KEYS = ("doc_id", "hypothesis")
_PARTS = "_#_"


@dataclass(slots=True)
class _Translations:
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


def sniff_texts(source: Source) -> Guess | None:
    """Recognize a first object with doc_id and hypothesis; a folder by such a file in it."""
    if source.is_folder:
        return sniff_folder(source, sniff_texts, "translations")
    first = first_object(source)
    if first is None or not set(_TEXTS_KEYS) <= first.keys():
        return None
    return Guess(confidence=0.98, because="JSON lines with doc_id and hypothesis")


def read_texts(source: Source, options: Options) -> Reading:
    """Read a system's file, or every system of a folder, into one :class:`Texts` a language pair."""
    translations = _Translations()
    for opened in system_files(source):
        if opened.stem in translations.systems:
            raise source.error(
                f"System {quoted(opened.stem)} has two files. Remove one of them.", code="BT131"
            )
        translations.systems[opened.stem] = len(translations.systems)
        for line, document in numbered_objects(opened.lines(), opened):
            translations.n_rows += 1
            _add_text(translations, opened.stem, document, opened, line)
    pairs = [pair for pair in _pairs(translations) if options.language_pair in (None, pair)]
    if not pairs:
        raise source.error(
            "No document has a translation. Check the program that wrote the file.", code="BT011"
        )
    odd = _without_odd(translations)
    tables = tuple(_texts(translations, pair) for pair in pairs)
    guess = sniff_texts(source)
    return Reading(
        format=_TEXTS,
        because=reason(guess),
        tables=tables,
        rows_read=translations.n_rows,
        rows_kept=translations.n_rows - len(odd),
        dropped={"another number of paragraphs": len(odd)} if odd else {},
        notes=tuple(
            f"{pair}: {len(table.segments):,} paragraphs." for pair, table in zip(pairs, tables, strict=True)
        ),
        problems=_problems(odd, source),
    )


def _add_text(
    translations: _Translations, system: str, document: Mapping[str, Any], source: Source, line: int
) -> None:
    name, text = (document.get(key) for key in _TEXTS_KEYS)
    if not isinstance(name, str) or not name.strip() or not (text is None or isinstance(text, str)):
        raise source.error(
            "doc_id must name a document, and hypothesis must be its translation or null. Write the line again.",
            line=line,
            code="BT183",
        )
    outputs = translations.documents.setdefault(name, {})
    if system in outputs:
        raise source.error(
            f"Document {quoted(name)} occurs twice in the file. Remove one of the two lines.",
            line=line,
            code="BT101",
        )
    outputs[system] = None if text is None else tuple(text.split(PARAGRAPHS))


def _pairs(translations: _Translations) -> list[str]:
    translated = (name for name, outputs in translations.documents.items() if any(outputs.values()))
    return list(dict.fromkeys(map(pair_of, translated)))


def _without_odd(translations: _Translations) -> list[tuple[str, str]]:
    """Remove translations with another number of paragraphs than most, and return their documents and systems."""
    odd = []
    for name, outputs in translations.documents.items():
        sizes = Counter(len(paragraphs) for paragraphs in outputs.values() if paragraphs is not None)
        usual = max(sizes, key=lambda size: (sizes[size], size), default=0)
        for system, paragraphs in outputs.items():
            if paragraphs is not None and len(paragraphs) != usual:
                odd.append((name, system))
                outputs[system] = None
    return odd


def _texts(translations: _Translations, pair: str) -> Texts:
    sizes = {
        name: next(len(paragraphs) for paragraphs in outputs.values() if paragraphs is not None)
        for name, outputs in translations.documents.items()
        if pair_of(name) == pair and any(outputs.values())
    }
    systems = [
        system
        for system in translations.systems
        if any(translations.documents[name].get(system) for name in sizes)
    ]
    return Texts(
        systems=tuple(systems),
        segments=tuple(f"{name}:{k}" for name, size in sizes.items() for k in range(1, size + 1)),
        outputs=tuple(_lines(translations, system, sizes) for system in systems),
        groups=tuple(name for name, size in sizes.items() for _ in range(size)),
    )


def _lines(translations: _Translations, system: str, sizes: Mapping[str, int]) -> tuple[str | None, ...]:
    lines: list[str | None] = []
    for name, size in sizes.items():
        lines += translations.documents[name].get(system) or [None] * size
    return tuple(lines)


def _problems(odd: list[tuple[str, str]], source: Source) -> tuple[Problem, ...]:
    if not odd:
        return ()
    listed = [f"{name} ({system})" for name, system in odd]
    text = (
        f"{len(odd)} translations have another number of paragraphs than those of most systems, so they cannot be "
        f"paired and are treated as missing: {some_of(listed, limit=2)}. Separate paragraphs by one blank line."
    )
    return (Problem(code="BT175", place=source.name, message=text),)


_JUDGMENTS = Format(
    name="wmt_judgements",
    kind="ratings",
    description="judgments of WMT25 as JSON lines: doc_id, tgt_text, and scores by system",
)
_JUDGMENTS_KEYS = ("doc_id", "tgt_text", "scores")
_NOBODY = "annotator"
"""The judge where the file has none."""


def sniff_judgments(source: Source) -> Guess | None:
    """Recognize a first object with doc_id, tgt_text and scores."""
    first = first_object(source)
    if first is None or not set(_JUDGMENTS_KEYS) <= first.keys() or not isinstance(first["scores"], dict):
        return None
    return Guess(confidence=0.99, because="JSON lines with doc_id, tgt_text and scores by system")


def read_judgments(source: Source, options: Options) -> Reading:
    """Read one :class:`Ratings` for each language pair, line by line; a row is a paragraph of a document."""
    ratings = RatingsBuilder(options)
    seen: Counter[str] = Counter()
    for line, paragraph in numbered_objects(source.lines(), source):
        document, scores = paragraph.get("doc_id"), paragraph.get("scores")
        if not isinstance(document, str) or not document.strip() or not isinstance(scores, dict):
            raise _wrong_judgment("doc_id must name a document and scores hold an object", source, line)
        seen[document] += 1
        for system, nobody, judged in _judgements(scores, source, line):
            ratings.n_rows += 1
            score = _percentage(judged, "human" if "human" in judged else "score", source, line)
            if np.isnan(score):
                ratings.dropped["no score"] += 1
                continue
            judge = label(judged.get("annotator")) or nobody
            segment = f"{document}:{seen[document]}"
            ratings.add(pair_of(document), system, segment, judge, score, group=document)
    return ratings.reading(source, format=_JUDGMENTS, guess=sniff_judgments(source), name="ESA")


def _judgements(
    scores: Mapping[str, Any], source: Source, line: int
) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """Yield the system, the name for an anonymous judge, and the judgment."""
    for system, judged in scores.items():
        if system.strip():
            check_names({"system": system}, path=source.name, line=line)
        several = judged if isinstance(judged, list) else [judged]
        for number, one in enumerate(several, 1):
            if not isinstance(one, dict) or not system.strip():
                raise _wrong_judgment(
                    f"The judgment of {quoted(system)} is not an object with a score", source, line
                )
            yield system, _NOBODY if len(several) == 1 else f"{_NOBODY} {number}", one


def _wrong_judgment(what: str, source: Source, line: int) -> ReadError:
    return source.error(f"{what}. Write the line again.", line=line, code="BT183")


ESA = FormatReader(_ESA, sniff_esa, read_esa)
SCORES = FormatReader(_SCORES, sniff_scores, read_scores)
"""Automatic scores of WMT25: ``SYSTEM.jsonl``, one object per document, or a folder of such files.

An object is ``{language_pair, domain, document_id, metric_scores: {METRIC: [one score per paragraph]}}``. An item is a
paragraph of a document, named ``DOCUMENT:NUMBER`` with numbers from 1.
"""
TEXTS = FormatReader(_TEXTS, sniff_texts, read_texts)
"""Translations of WMT25: ``systems/SYSTEM.jsonl``, one object per document, or a folder of such files.

An object is ``{doc_id, hypothesis}``, with a blank line between the paragraphs of a hypothesis. An item is a paragraph
of a document, named ``DOCUMENT:NUMBER`` with numbers from 1, as in the automatic scores. A document's name begins with
its language pair: ``en-is_IS_#_literary_#_NAME``.
"""
JUDGMENTS = FormatReader(_JUDGMENTS, sniff_judgments, read_judgments)
"""Judgments of WMT25 as JSON lines: one object per paragraph, with the scores of all systems.

An object is ``{doc_id, src_text, tgt_text, scores: {SYSTEM: {human, errors, annotator}}}``; a system judged more than
once has a list of these. The paragraphs of a document are consecutive and numbered from 1, as in the translations.
"""
