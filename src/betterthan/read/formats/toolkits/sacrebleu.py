"""JSON output of sacreBLEU: corpus scores of one or more systems, with or without a paired test."""

from __future__ import annotations

import math
import re
from typing import Any

from betterthan.errors import ReadError
from betterthan.read.formats.builders import ScoresBuilder, finite, scores_reading
from betterthan.read.formats.metrics_task.score_files import system_level_note
from betterthan.read.formats.toolkits.toolkit_json import (
    ScoreRow,
    head_json,
    odd_shape,
    reading_of_rows,
    whole_json,
)
from betterthan.read.grid.beginning import first_lines
from betterthan.read.grid.columns import find
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.numerals import check_names, parse
from betterthan.read.protocol import WHOLE_SYSTEM, Format, FormatReader, Guess, Options, Reading
from betterthan.read.source.source import Source

_JSON = Format(
    name="sacrebleu",
    kind="scores",
    description="JSON printed by sacreBLEU: the score of each system on the whole corpus",
)
_ONE = frozenset({"name", "score", "signature"})
_BASELINE = "Baseline: "

Corpus = dict[str, ScoresBuilder]
"""Scores of each metric."""


def sniff_json(source: Source) -> Guess | None:
    """Recognize the keys name, score and signature, or system with a score of each metric."""
    if source.is_folder:
        return None
    parsed = head_json(source)
    several = parsed if isinstance(parsed, list) else [parsed]
    if not several or not all(isinstance(part, dict) and part for part in several):
        return None
    if all(part.keys() >= _ONE for part in several):
        return Guess(confidence=0.98, because="keys name, score and signature, as sacreBLEU prints them")
    if isinstance(parsed, list) and _are_systems(parsed, path=source.name):
        return Guess(
            confidence=0.97, because="one score of each metric for each system, as sacreBLEU prints them"
        )
    return None


def _are_systems(parts: list[dict[str, Any]], *, path: str) -> bool:
    """Whether each object is a system with its scores, as texts or with a p-value; tables of segments have ids."""
    names = [part.get("system") for part in parts]
    if not all(isinstance(name, str) for name in names) or len(set(names)) < len(names):
        return False
    keys = {key for part in parts for key in part}
    try:
        has_items = "item" in find(tuple(keys), {}, ("item",), path=path)
    except ReadError:
        return False
    scores = [value for part in parts for key, value in part.items() if key != "system"]
    return not has_items and bool(scores) and all(map(_is_score, scores))


def _is_score(value: Any) -> bool:  # noqa: ANN401  (JSON)
    if isinstance(value, dict):
        return value.keys() >= {"score", "p_value"}
    return isinstance(value, str) and math.isfinite(parse(_bare(value)))


def _bare(text: str) -> str:
    """Return a score without its interval: "42.7 (43.2 ± 8.0)" is 42.7."""
    return text.partition("(")[0].strip()


def read_json(source: Source, options: Options) -> Reading:
    """Read corpus scores; each metric is a table of the one segment "system"."""
    metrics = _corpus(whole_json(source), source)
    tables = [table.scores(name, options, notes=[system_level_note(name)]) for name, table in metrics.items()]
    n_scores = sum(len(table.cells) for table in metrics.values())
    return scores_reading(tables, source, format=_JSON, guess=sniff_json(source), n_rows=n_scores)


def _corpus(parsed: Any, source: Source) -> Corpus:  # noqa: ANN401  (JSON)
    parts = parsed if isinstance(parsed, list) else [parsed]
    corpus: Corpus = {}
    for part in parts:
        if not isinstance(part, dict):
            raise odd_shape(
                "sacreBLEU writes an object for each metric or system, and this is not one.", source
            )
        if part.keys() >= _ONE:
            _put(corpus, part["name"], source.stem, part["score"], source)
            continue
        if "system" not in part or len(part) == 1:
            raise odd_shape(
                "An object has neither name, score and signature nor a system with scores.", source
            )
        for metric, score in part.items():
            if metric != "system":
                _put(corpus, metric, part["system"], score, source)
    if not corpus:
        raise source.error("The file has no scores. Check the program that wrote the file.", code="BT011")
    return corpus


def _put(corpus: Corpus, metric: Any, system: Any, score: Any, source: Source) -> None:  # noqa: ANN401  (JSON)
    if not (isinstance(metric, str) and metric.strip() and isinstance(system, str)):
        raise odd_shape("The name of a metric or system is not a text.", source)
    system = system.removeprefix(_BASELINE)
    if not system.strip():
        raise odd_shape("A system has no name.", source)
    check_names({"system": system}, path=source.name, line=None)
    value = score.get("score") if isinstance(score, dict) else score
    number = finite(
        _bare(value) if isinstance(value, str) else value,
        path=source.name,
        line=None,
        fix="Print the scores again.",
        of=f" (score of {quoted(system)} by {quoted(metric)})",
    )
    corpus.setdefault(metric, ScoresBuilder()).add(
        system,
        WHOLE_SYSTEM,
        number,
        path=source.name,
        of=f" of {quoted(metric)}",
        fix="Give every system its own file name.",
    )


_LINES = Format(
    name="sacrebleu_lines",
    kind="scores",
    description="lines printed by sacreBLEU for single segments: METRIC|SIGNATURE = SCORE",
)
# The signature begins with the number of references, in the long or the short spelling.
_line = re.compile(
    r"(?P<metric>[^\s|]{1,40})\|(?P<signature>(?:nrefs|#):[^\s=]*) = (?P<score>\S+)(?: .*)?"
).fullmatch


def sniff_lines(source: Source) -> Guess | None:
    """Recognize a line of metric, signature and score."""
    if source.is_folder or source.is_parquet or source.head[:1] in b"[{":
        return None
    lines = [line.rstrip("\r\n") for line in first_lines(source) if line.strip()]
    if lines and _line(lines[0]):
        return Guess(
            confidence=0.98, because="each line is METRIC|SIGNATURE = SCORE, as sacreBLEU prints segments"
        )
    return None


def read_lines(source: Source, options: Options) -> Reading:
    """Read segment scores of one system, named by the file; the k-th line is the k-th segment."""
    guess = sniff_lines(source)
    rows: list[ScoreRow] = []
    signatures: dict[str, int] = {}
    blank = 0
    for number, line in enumerate(source.lines(), 1):
        if not line.strip():
            blank = blank or number
            continue
        match = _line(line)
        if match is None or blank:
            raise _no_score(line if match is None else "", blank or number, source)
        signatures.setdefault(f"{match['metric']}|{match['signature']}", number)
        rows.append(ScoreRow(str(number), source.stem, match["metric"], match["score"]))
    if len(signatures) > 1:
        raise _mixed(signatures, source)
    return reading_of_rows(
        rows,
        source,
        options,
        format=_LINES,
        guess=guess,
        notes=[f"Scored by {signature}." for signature in signatures],
        by_position=True,
    )


def _no_score(line: str, number: int, source: Source) -> ReadError:
    what = (
        f"{quoted(line)} is not a segment score"
        if line
        else "The line is empty, so segments would be misaligned"
    )
    return source.error(
        f"{what}. Keep only the lines METRIC|SIGNATURE = SCORE that sacrebleu -sl prints.",
        line=number,
        code="BT190",
    )


def _mixed(signatures: dict[str, int], source: Source) -> ReadError:
    first, second = list(signatures)[:2]
    return source.error(
        f"The signature changes from {quoted(first, limit=90)} to {quoted(second, limit=90)}, so the scores are not "
        f"comparable. Keep one run per file.",
        line=signatures[second],
        code="BT191",
    )


JSON = FormatReader(_JSON, sniff_json, read_json)
LINES = FormatReader(_LINES, sniff_lines, read_lines)
"""Output of ``sacrebleu --sentence-level``: a line for each segment, with its metric, signature and score."""
