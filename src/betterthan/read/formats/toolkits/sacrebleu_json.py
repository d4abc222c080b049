"""What sacreBLEU prints as JSON: corpus scores of one system or of several, with or without a paired test."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from betterthan.errors import ReadError
from betterthan.read.doubts.direction import direction
from betterthan.read.doubts.doubts import doubts_of
from betterthan.read.formats.metrics_task.score_files import system_level_note
from betterthan.read.formats.toolkits.toolkit_json import head_json, odd_shape, whole_json
from betterthan.read.grid.columns import find
from betterthan.read.grid.grid import quoted
from betterthan.read.grid.missing import check_names
from betterthan.read.grid.numerals import parse
from betterthan.read.protocol import WHOLE_SYSTEM, Format, Guess, Options, Reading
from betterthan.read.source.source import Source
from betterthan.tables.scores import Scores

FORMAT = Format(
    name="sacrebleu",
    kind="scores",
    description="JSON printed by sacreBLEU: the score of each system on the whole corpus",
)
_ONE = frozenset({"name", "score", "signature"})
_BASELINE = "Baseline: "

Corpus = dict[str, dict[str, float]]
"""Scores by metric and system."""


def sniff(source: Source) -> Guess | None:
    """Recognise the keys name, score and signature, or system with a score of each metric."""
    if source.is_folder:
        return None
    found = head_json(source)
    several = found if isinstance(found, list) else [found]
    if not several or not all(isinstance(part, dict) and part for part in several):
        return None
    if all(part.keys() >= _ONE for part in several):
        return Guess(confidence=0.98, because="keys name, score and signature, as sacreBLEU prints them")
    if isinstance(found, list) and _are_systems(found, path=source.name):
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


def read(source: Source, options: Options) -> Reading:
    """Read corpus scores; each metric is a table of the one segment "system"."""
    found = sniff(source)
    corpus = _corpus(whole_json(source), source)
    tables = tuple(_table(name, by_system, options) for name, by_system in corpus.items())
    n_scores = sum(map(len, corpus.values()))
    return Reading(
        format=FORMAT,
        because=found.because if found else "the format was named",
        tables=tables,
        rows_read=n_scores,
        rows_kept=n_scores,
        notes=tuple(note for table in tables for note in table.notes),
        problems=doubts_of(tables, place=source.name),
    )


def _corpus(parsed: Any, source: Source) -> Corpus:  # noqa: ANN401  (JSON)
    parts = parsed if isinstance(parsed, list) else [parsed]
    corpus: Corpus = {}
    for part in parts:
        if not isinstance(part, dict):
            raise odd_shape("sacreBLEU writes an object for each metric or system, and this is none.", source)
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
        raise ReadError("There is no score in it. Check what wrote the file.", path=source.name, code="BT011")
    return corpus


def _put(corpus: Corpus, metric: Any, system: Any, score: Any, source: Source) -> None:  # noqa: ANN401  (JSON)
    if not (isinstance(metric, str) and metric.strip() and isinstance(system, str)):
        raise odd_shape("The name of a metric or system is no text.", source)
    system = system.removeprefix(_BASELINE)
    if not system.strip():
        raise odd_shape("A system has no name.", source)
    check_names({"system": system}, path=source.name, line=None)
    value = score.get("score") if isinstance(score, dict) else score
    number = parse(_bare(value) if isinstance(value, str) else value)
    if math.isinf(number):
        raise ReadError(
            f'{quoted(str(value))} is not a number ("{metric[:40]}" of "{system[:40]}"). Print the scores again.',
            path=source.name,
            code="BT013",
        )
    by_system = corpus.setdefault(metric, {})
    if system in by_system:
        raise ReadError(
            f'"{system[:80]}" has two scores of "{metric[:40]}". Give every system its own file name.',
            path=source.name,
            code="BT101",
        )
    by_system[system] = number


def _table(name: str, by_system: dict[str, float], options: Options) -> Scores:
    values = np.array(list(by_system.values()))[:, None]
    way = direction(name, values, options)
    return Scores(
        name=name,
        systems=tuple(by_system),
        segments=(WHOLE_SYSTEM,),
        values=values,
        higher_is_better=way.higher_is_better,
        direction_doubt=way.doubt,
        notes=(system_level_note(name), *([way.note] if way.note else [])),
    )
