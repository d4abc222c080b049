"""The tables of a run, saved so that pairs and segments can be shown without parsing its files again.

Labels are JSON, numbers plain arrays; nothing is ever unpickled. Pages need no counts: those are loaded by workers.
Messages are saved as data, and their options are spelled for the page that shows them.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, replace
from functools import lru_cache
from typing import Any

import numpy as np

from betterthan.messages import Message, Option, Placeholder
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts
from betterthan.web.runs.folder import RunFolder

_KEYS = frozenset({"template", "code", "severity", "fields"})


def packed(value: Any) -> Any:  # noqa: ANN401  (any JSON)
    """Return JSON data in which messages, options and placeholders can be recognized again.

    Examples
    --------
    >>> packed(Message("Use {fix}.", fix=Option("missing", "drop")))["fields"]
    {'fix': {'option': 'missing', 'value': 'drop'}}
    >>> packed(("a", 1))
    ['a', 1]
    """
    if isinstance(value, Message):
        fields = {name: packed(field) for name, field in value.fields.items()}
        return {"template": value.template, "code": value.code, "severity": value.severity, "fields": fields}
    if isinstance(value, Option):
        return {"option": value.name, "value": packed(value.value)}
    if isinstance(value, Placeholder):
        return {"placeholder": str(value)}
    if isinstance(value, dict):
        return {str(key): packed(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [packed(one) for one in value]
    item = getattr(value, "item", None)  # of a NumPy number
    return item() if callable(item) else value


def unpacked(value: Any) -> Any:  # noqa: ANN401  (any JSON)
    """Return what was packed; lists stay lists.

    Examples
    --------
    >>> message = unpacked(packed(Message("Use {fix}.", fix=Option("missing", "drop"))))
    >>> message, message.options
    ('Use missing="drop".', (Option(name='missing', value='drop'),))
    """
    if isinstance(value, list):
        return [unpacked(one) for one in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == _KEYS:
        fields = unpacked(value["fields"])
        return Message(value["template"], code=value["code"], severity=value["severity"], **fields)
    if value.keys() == {"option", "value"}:
        return Option(value["option"], unpacked(value["value"]))
    if value.keys() == {"placeholder"}:
        return Placeholder(value["placeholder"])
    return {key: unpacked(one) for key, one in value.items()}


MOST_CELLS = 10_000_000
_REMEMBERED = 4
_LABELS, _TEXTS = "tables.json", "texts.json"
FolderStamp = tuple[int, int]
_ARRAYS = {
    "scores": ("values",),
    "counts": ("values",),
    "tags": ("gold", "predicted", "offsets"),
    "matches": ("left", "right", "outcome", "weight", "segment", "group"),
}
_MESSAGES = ("notes", "direction_doubt")
"""Fields of tables that hold messages, which keep the options that they name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedBattles:
    """Battles to be listed, with the names that the table of matches has only numbers for.

    Attributes
    ----------
    matches : Matches
        One row per battle in the order of the file; where these are too many or unknown, one per kind of battle.
    segments, judges : tuple of str
        Names of the numbers in `matches.segment` and `matches.group`; empty where they are not known.
    """

    matches: Matches
    segments: tuple[str, ...] = ()
    judges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedTables:
    """The tables of a run; what its kind of data does not have is empty.

    Attributes
    ----------
    scores : tuple of Scores
        By segment, one table per metric; of counts, the score of each segment by itself.
    counts : tuple of Counts
        Of texts; only saved, and loaded by :func:`saved_counts`.
    texts : Texts or None
        Only where the report may show them.
    tags : WordTags or None
    words : tuple of tuples of str
        The tagged words of each segment; empty where they were not given.
    battles : Battles or None
    ranked : tuple of str
        The systems as the report ranks them, best first; empty where it ranks none of them.
    """

    scores: tuple[Scores, ...] = ()
    counts: tuple[Counts, ...] = ()
    texts: Texts | None = None
    tags: WordTags | None = None
    words: tuple[tuple[str, ...], ...] = ()
    battles: ListedBattles | None = None
    ranked: tuple[str, ...] = ()

    @property
    def systems(self) -> tuple[str, ...]:
        """The systems of the first table; none where nothing is kept."""
        if self.battles is not None:
            return self.battles.matches.systems
        return self.scores[0].systems if self.scores else ()

    def top_pair(self, systems: tuple[str, ...]) -> tuple[str, str]:
        """Return the two best of some systems, by the report's ranking or else in the order of the table."""
        known = frozenset(systems)
        best = [name for name in self.ranked if name in known]
        first, second, *_ = dict.fromkeys((*best, *systems))
        return first, second


NO_TABLES = SavedTables()


def save_tables(tables: SavedTables, folder: RunFolder) -> SavedTables:
    """Write tables into the run's folder and return those that were: of too many numbers only the first."""
    saved = _within(tables)
    labels: dict[str, Any] = {"words": saved.words, "ranked": saved.ranked}
    for kind, some in _by_kind(saved).items():
        labels[kind] = [_written(table, _ARRAYS[kind], f"{kind}-{i}", folder) for i, table in enumerate(some)]
    if saved.battles is not None:
        labels |= {"segments": saved.battles.segments, "judges": saved.battles.judges}
    if saved.texts is not None:
        folder.write(_TEXTS, {entry.name: getattr(saved.texts, entry.name) for entry in fields(saved.texts)})
    folder.write(_LABELS, labels)
    return saved


def saved_tables(folder: RunFolder) -> SavedTables:
    """Return the tables of a run, without counts."""
    stamps = _stamp(folder, _LABELS), _stamp(folder, _TEXTS)
    return NO_TABLES if stamps[0] is None else _loaded(folder, stamps)


def saved_counts(folder: RunFolder, formula_named: Callable[[str], Formula | None]) -> tuple[Counts, ...]:
    """Return the counts of a run.

    Parameters
    ----------
    folder : RunFolder
    formula_named : callable
        Returns a formula by its name, or None if it is now another one; such counts are left out.
    """
    labels = folder.read(_LABELS) or {"counts": []}
    tables = [_with_arrays(entry, folder, "counts") for entry in labels["counts"]]
    formulas = [formula_named(entry["formula"]) for entry in tables]
    return tuple(
        Counts(**{**entry, "formula": formula})
        for entry, formula in zip(tables, formulas, strict=True)
        if formula is not None
    )


def save_table(table: Scores | Matches, stem: str, folder: RunFolder) -> dict[str, Any]:
    """Write one table, with file names that begin with `stem`, and return its labels for :func:`saved_table`."""
    kind = "scores" if isinstance(table, Scores) else "matches"
    return {"table": kind, **_written(table, _ARRAYS[kind], stem, folder)}


def saved_table(labels: dict[str, Any], folder: RunFolder) -> Scores | Matches:
    """Return a table from its labels as :func:`save_table` returned them."""
    kind = labels["table"]
    entry = {name: value for name, value in labels.items() if name != "table"}
    fields = _with_arrays(entry, folder, kind)
    return Scores(**fields) if kind == "scores" else Matches(**fields)


def stamp_of(folder: RunFolder) -> FolderStamp | None:
    """Return what changes when a run keeps something else; None when it keeps nothing."""
    return _stamp(folder, _LABELS)


def forget_tables() -> None:
    """Drop what is remembered of runs, such as one that was deleted."""
    _loaded.cache_clear()


def _within(tables: SavedTables) -> SavedTables:
    """Return what fits; the first tables are those that the report is about."""
    left = MOST_CELLS
    some: dict[str, list[Any]] = {"scores": [], "counts": []}
    for name, fitting in some.items():
        for table in getattr(tables, name):
            left -= table.values.size
            if left >= 0:
                fitting.append(table)
    tags = tables.tags if tables.tags is None or tables.tags.predicted.size <= MOST_CELLS else None
    return replace(
        tables,
        scores=tuple(some["scores"]),
        counts=tuple(some["counts"]),
        tags=tags,
        words=tables.words if tags is not None else (),
    )


def _by_kind(saved: SavedTables) -> dict[str, tuple[Any, ...]]:
    return {
        "scores": saved.scores,
        "counts": saved.counts,
        "tags": () if saved.tags is None else (saved.tags,),
        "matches": () if saved.battles is None else (saved.battles.matches,),
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
            plain = packed(value) if entry.name in _MESSAGES else value
            labels[entry.name] = value.name if entry.name == "formula" else plain
    return labels


def _stamp(folder: RunFolder, name: str) -> FolderStamp | None:
    """Return what changes when a file does, or None if there is none."""
    try:
        status = (folder.answers / name).stat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_ino


@lru_cache(maxsize=_REMEMBERED)
def _loaded(folder: RunFolder, stamps: tuple[FolderStamp | None, FolderStamp | None]) -> SavedTables:
    labels = folder.read(_LABELS)
    tables = {
        kind: [_with_arrays(entry, folder, kind) for entry in labels[kind]]
        for kind in _ARRAYS
        if kind != "counts"
    }
    return SavedTables(
        scores=tuple(Scores(**entry) for entry in tables["scores"]),
        texts=None if stamps[1] is None else Texts(**folder.read(_TEXTS)),
        tags=WordTags(**tables["tags"][0]) if tables["tags"] else None,
        words=tuple(tuple(words) for words in labels["words"]),
        battles=_battles(tables["matches"], labels),
        ranked=tuple(labels.get("ranked", ())),
    )


def _battles(records: list[dict[str, Any]], labels: Mapping[str, Any]) -> ListedBattles | None:
    if not records:
        return None
    return ListedBattles(
        matches=Matches(**records[0]), segments=tuple(labels["segments"]), judges=tuple(labels["judges"])
    )


def _with_arrays(entry: dict[str, Any], folder: RunFolder, kind: str) -> dict[str, Any]:
    arrays = {
        name: np.load(folder.answers / entry[name], allow_pickle=False)
        for name in _ARRAYS[kind]
        if entry[name] is not None
    }
    messages = {name: unpacked(entry[name]) for name in _MESSAGES if name in entry}
    return {**entry, **messages, **arrays}
