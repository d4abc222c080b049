"""What a run keeps, so that pairs and segments can be looked at without parsing its files again.

Labels are JSON, numbers plain arrays; nothing is ever unpickled.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts
from betterthan.web.details.formulas import counts_of_tags, formula_named
from betterthan.web.runs.folder import RunFolder

MOST_CELLS = 10_000_000
_REMEMBERED = 4
_LABELS, _TEXTS = "kept-tables.json", "kept-texts.json"
Stamp = tuple[int, int]
_ARRAYS = {
    "scores": ("values",),
    "counts": ("values",),
    "tags": ("gold", "predicted", "offsets"),
    "matches": ("left", "right", "outcome", "weight", "segment", "group"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Battles:
    """Battles to be listed, with the names that the table of matches has only numbers for.

    Attributes
    ----------
    matches : Matches
        A row a battle in the order of the file; where that is too many or unknown, a row a kind of battle.
    segments, judges : tuple of str
        Names of the numbers in `matches.segment` and `matches.group`; empty where they are not known.
    """

    matches: Matches
    segments: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """The tables of a run; what its kind of data does not have is empty.

    Attributes
    ----------
    scores : tuple of Scores
        By segment, a table a metric; of counts, the score of each segment by itself.
    counts : tuple of Counts
        Of texts and tags.
    texts : Texts or None
        Only where the report may show them.
    tags : WordTags or None
    words : tuple of tuples of str
        The tagged words of each segment; empty where they were not given.
    battles : Battles or None
    """

    scores: tuple[Scores, ...] = ()
    counts: tuple[Counts, ...] = ()
    texts: Texts | None = None
    tags: WordTags | None = None
    words: tuple[tuple[str, ...], ...] = ()
    battles: Battles | None = None

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of the first table; none where nothing is kept."""
        if self.battles is not None:
            return self.battles.matches.systems
        return self.scores[0].systems if self.scores else ()

    def counts_named(self, metric: str) -> Counts | None:
        """Return the counts behind a table of scores, if there are any."""
        return next((counts for counts in self.counts if counts.name == metric), None)


NOTHING = Kept()


def keep(given: Kept, folder: RunFolder) -> Kept:
    """Write tables into the run's folder and return those that were: of too many numbers only the first."""
    held = _within(given)
    labels: dict[str, Any] = {"words": held.words}
    for kind, tables in _tables(held).items():
        labels[kind] = [
            _written(table, _ARRAYS[kind], f"kept-{kind}-{i}", folder) for i, table in enumerate(tables)
        ]
    if held.battles is not None:
        labels |= {"segments": held.battles.segments, "judges": held.battles.judges}
    if held.texts is not None:
        folder.write(_TEXTS, {entry.name: getattr(held.texts, entry.name) for entry in fields(held.texts)})
    folder.write(_LABELS, labels)
    return held


def kept(folder: RunFolder) -> Kept:
    """Return what a run keeps."""
    stamps = _stamp(folder, _LABELS), _stamp(folder, _TEXTS)
    return NOTHING if stamps[0] is None else _loaded(folder, stamps)


def stamp_of(folder: RunFolder) -> Stamp | None:
    """Return what changes when a run keeps something else; None when it keeps nothing."""
    return _stamp(folder, _LABELS)


def forget() -> None:
    """Drop what is remembered of runs, such as one that was deleted."""
    _loaded.cache_clear()


def _within(given: Kept) -> Kept:
    """Return what fits; the first tables are those that the report is about."""
    left = MOST_CELLS
    some: dict[str, list[Any]] = {"scores": [], "counts": []}
    for name, tables in some.items():
        for table in getattr(given, name):
            left -= table.values.size
            if left >= 0:
                tables.append(table)
    tags = given.tags if given.tags is None or given.tags.predicted.size <= MOST_CELLS else None
    return replace(
        given,
        scores=tuple(some["scores"]),
        counts=tuple(some["counts"]),
        tags=tags,
        words=given.words if tags is not None else (),
    )


def _tables(held: Kept) -> dict[str, tuple[Any, ...]]:
    return {
        # Scores of single segments are made again from counts where there are any.
        "scores": () if held.counts or held.tags is not None else held.scores,
        "counts": held.counts if held.tags is None else (),
        "tags": () if held.tags is None else (held.tags,),
        "matches": () if held.battles is None else (held.battles.matches,),
    }


def _written(table: Any, arrays: tuple[str, ...], stem: str, folder: RunFolder) -> dict[str, Any]:  # noqa: ANN401
    """Write the arrays of a table and return its labels, with the name of each array's file."""
    labels: dict[str, Any] = {}
    for entry in fields(table):
        value = getattr(table, entry.name)
        if entry.name in arrays and value is not None:
            buffer = io.BytesIO()
            np.save(buffer, value, allow_pickle=False)
            folder.write(f"{stem}-{entry.name}.npy", buffer.getvalue())
            labels[entry.name] = f"{stem}-{entry.name}.npy"
        elif entry.name not in ("covariates", "covariate_names"):  # no page shows them
            labels[entry.name] = value.name if entry.name == "formula" else value
    return labels


def _stamp(folder: RunFolder, name: str) -> Stamp | None:
    """Return what changes when a file does, or None if there is none."""
    try:
        status = (folder.answers / name).stat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_ino


@lru_cache(maxsize=_REMEMBERED)
def _loaded(folder: RunFolder, stamps: tuple[Stamp | None, Stamp | None]) -> Kept:
    labels = folder.read(_LABELS)
    found = {kind: [_with_arrays(entry, folder, kind) for entry in labels[kind]] for kind in _ARRAYS}
    tags = WordTags(**found["tags"][0]) if found["tags"] else None
    counts = counts_of_tags(tags) if tags is not None else _counts(found["counts"])
    scores = tuple(Scores(**entry) for entry in found["scores"]) or tuple(c.per_segment() for c in counts)
    return Kept(
        scores=scores,
        counts=counts,
        texts=None if stamps[1] is None else Texts(**folder.read(_TEXTS)),
        tags=tags,
        words=tuple(tuple(words) for words in labels["words"]),
        battles=_battles(found["matches"], labels),
    )


def _counts(found: list[dict[str, Any]]) -> tuple[Counts, ...]:
    """Return counts with their formulas; those of another version of a metric are not shown."""
    formulas = [formula_named(entry["formula"]) for entry in found]
    return tuple(
        Counts(**{**entry, "formula": formula})
        for entry, formula in zip(found, formulas, strict=True)
        if formula is not None
    )


def _battles(found: list[dict[str, Any]], labels: Mapping[str, Any]) -> Battles | None:
    if not found:
        return None
    return Battles(
        matches=Matches(**found[0]), segments=tuple(labels["segments"]), judges=tuple(labels["judges"])
    )


def _with_arrays(entry: dict[str, Any], folder: RunFolder, kind: str) -> dict[str, Any]:
    arrays = {
        name: np.load(folder.answers / entry[name], allow_pickle=False)
        for name in _ARRAYS[kind]
        if entry[name] is not None
    }
    return {**entry, **arrays}
