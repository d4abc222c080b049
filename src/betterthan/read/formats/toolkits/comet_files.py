"""Output of COMET: ``comet-score --to_json``, ``comet-compare --to_json``, and printed lines."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Any, NamedTuple

from betterthan.errors import ReadError
from betterthan.read.formats.toolkits.toolkit_json import ScoreRow, odd_shape, reading_of_rows, whole_json
from betterthan.read.grid.grid import quoted
from betterthan.read.protocol import Format, Guess, Options, Reading
from betterthan.read.source.source import Source

FORMAT = Format(
    name="comet",
    kind="scores",
    description="output of COMET: JSON of comet-score or comet-compare, or printed lines FILE Segment K score: X",
)
METRIC = "COMET"
_starts_scored = re.compile(rb'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*\{').match
_segment = re.compile(r"(?P<system>.+)\tSegment (?P<item>[0-9]{1,9})\tscore: (?P<score>\S+)").fullmatch
_total = re.compile(r".+\tscore: \S+").fullmatch


class _Scored(NamedTuple):
    """The scores of a system in the order of its file, and the source of each segment where there is one."""

    scores: Sequence[Any]
    sources: Sequence[Any]


def sniff(source: Source) -> Guess | None:
    """Recognize the keys of its JSON, or a printed line."""
    if source.is_folder or source.is_parquet:
        return None
    head = source.head.removeprefix(b"\xef\xbb\xbf")
    if b'"statistical_results"' in head and head.lstrip()[:1] == b"{":
        return Guess(confidence=0.98, because="the key statistical_results, as comet-compare writes it")
    if _starts_scored(head) and b'"COMET"' in head and b'"mt"' in head:
        return Guess(
            confidence=0.98, because="segments with mt and COMET by file, as comet-score writes them"
        )
    lines = head[:4096].decode("utf-8", errors="replace").split("\n")
    if any(_segment(line.rstrip("\r")) for line in lines):
        return Guess(confidence=0.97, because="lines FILE, Segment K, score: X, as comet-score prints them")
    return None


def read(source: Source, options: Options) -> Reading:
    """Read segment scores; in JSON the k-th entry is the k-th segment, printed lines are numbered from 0."""
    guess = sniff(source)

    name = options.name or METRIC
    if source.head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] != b"{":
        return _read_lines(source, options, name, guess)
    scored = _scored(whole_json(source), source)
    _check_same_segments(scored, source)
    rows = [
        ScoreRow(str(number), system, name, score)
        for system, part in scored.items()
        for number, score in enumerate(part.scores, 1)
    ]
    return reading_of_rows(rows, source, options, format=FORMAT, guess=guess, by_position=True)


def _scored(parsed: Any, source: Source) -> dict[str, _Scored]:  # noqa: ANN401  (JSON)
    if not isinstance(parsed, dict):
        raise odd_shape("COMET writes a JSON object.", source)
    if "translations" in parsed:
        return _compared(parsed, source)
    short = _short_names(list(parsed))
    scored = {}
    for path, entries in parsed.items():
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise odd_shape(f"{quoted(path)} has no list of segments.", source)
        if entries and not any(METRIC in entry for entry in entries):
            raise odd_shape(f"No segment of {quoted(path)} has a score ({METRIC}).", source)
        scored[short[path]] = _Scored(
            [entry.get(METRIC) for entry in entries], [entry.get("src") for entry in entries]
        )
    return scored


def _compared(parsed: Mapping[str, Any], source: Source) -> dict[str, _Scored]:
    """Return the systems of comet-compare, which share one list of sources."""
    parts = parsed["translations"]
    sources = parsed.get("source")
    if not isinstance(parts, list) or not all(
        isinstance(part, dict) and isinstance(part.get("name"), str) and isinstance(part.get("scores"), list)
        for part in parts
    ):
        raise odd_shape("Each of the translations needs a name and a list of scores.", source)
    short = _short_names([part["name"] for part in parts])
    if len(short) < len(parts):
        raise odd_shape("Two translations have the same name.", source)
    shared = sources if isinstance(sources, list) else []
    for part in parts:
        if shared and len(shared) != len(part["scores"]):
            raise _other_length("source", len(shared), part["name"], len(part["scores"]), source)
    return {short[part["name"]]: _Scored(part["scores"], shared) for part in parts}


def _short_names(paths: Sequence[str]) -> dict[str, str]:
    """Name systems by their files without folder and suffix, unless two would become one."""
    short = {path: PurePath(path).name.removesuffix(".txt") for path in paths}
    count = Counter(short.values())
    return {path: name if name and count[name] == 1 else path for path, name in short.items()}


def _check_same_segments(scored: Mapping[str, _Scored], source: Source) -> None:
    """Raise when systems have different lengths or sources: they are paired by position only."""
    (first, *others) = scored.items() if scored else [("", _Scored([], []))]
    for system, part in others:
        if len(part.scores) != len(first[1].scores):
            raise _other_length(first[0], len(first[1].scores), system, len(part.scores), source)
        pairs = zip(first[1].sources, part.sources, strict=True)
        odd = next((k for k, (one, two) in enumerate(pairs, 1) if one != two), None)
        if odd is not None:
            raise source.error(
                f"Segment {odd} of {quoted(first[0])} and of {quoted(system)} have different sources, so they cannot "
                f"be paired. Score the same test set with every system.",
                code="BT192",
            )


def _other_length(one: str, count: int, two: str, other: int, source: Source) -> ReadError:
    return source.error(
        f"{quoted(one)} has {count:,} segments and {quoted(two)} has {other:,}, so they cannot be paired. "
        f"Score the same test set with every system.",
        code="BT192",
    )


def _read_lines(source: Source, options: Options, name: str, guess: Guess | None) -> Reading:
    rows: list[ScoreRow] = []
    dropped = {"score of a whole system": 0, "other text": 0}
    for line in source.lines():
        match = _segment(line)
        if match:
            # Printed segments are numbered from 0, everything else from 1; an offset would pair the wrong segments.
            rows.append(ScoreRow(str(int(match["item"]) + 1), match["system"], name, match["score"]))
        elif line.strip():
            dropped["score of a whole system" if _total(line) else "other text"] += 1
    short = _short_names(list(dict.fromkeys(row.system for row in rows)))
    rows = [row._replace(system=short[row.system]) for row in rows]
    return reading_of_rows(
        rows, source, options, format=FORMAT, guess=guess, dropped=dropped, by_position=True
    )
