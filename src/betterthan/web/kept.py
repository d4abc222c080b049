"""Tables of scores that a run keeps, so that pairs and segments can be looked at without parsing its files again."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import fields
from functools import lru_cache
from typing import Any

import numpy as np

from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts
from betterthan.web.folder import RunFolder

MOST_CELLS = 10_000_000
_REMEMBERED = 4
_LABELS, _TEXTS = "kept.json", "kept-texts.json"
Stamp = tuple[int, int]


def keep(tables: Sequence[Scores], folder: RunFolder, texts: Texts | None = None) -> None:
    """Write tables into the run's folder, the numbers as plain arrays."""
    labels, cells = [], 0
    for position, table in enumerate(tables):
        cells += table.values.size
        if cells > MOST_CELLS:  # the first tables are those that the report is about
            break
        buffer = io.BytesIO()
        np.save(buffer, table.values, allow_pickle=False)
        folder.write(f"kept-{position}.npy", buffer.getvalue())
        labels.append(
            {
                "array": f"kept-{position}.npy",
                "name": table.name,
                "systems": table.systems,
                "segments": table.segments,
                "higher_is_better": table.higher_is_better,
                "groups": table.groups,
                "notes": table.notes,
            }
        )
    if texts is not None:
        folder.write(_TEXTS, {entry.name: getattr(texts, entry.name) for entry in fields(texts)})
    folder.write(_LABELS, {"tables": labels})


def kept(folder: RunFolder) -> tuple[Scores, ...]:
    """Return the kept tables; none where the run is not about scores."""
    stamp = _stamp(folder, _LABELS)
    return () if stamp is None else _tables(folder, stamp)


def kept_texts(folder: RunFolder) -> Texts | None:
    """Return the kept texts, if there are any."""
    stamp = _stamp(folder, _TEXTS)
    return None if stamp is None else _texts(folder, stamp)


def forget() -> None:
    """Drop what is remembered of runs, such as one that was deleted."""
    _tables.cache_clear()
    _texts.cache_clear()


def _stamp(folder: RunFolder, name: str) -> Stamp | None:
    """Return what changes when a file does, or None if there is none."""
    try:
        status = (folder.answers / name).stat()
    except FileNotFoundError:
        return None
    return status.st_mtime_ns, status.st_ino


@lru_cache(maxsize=_REMEMBERED)
def _tables(folder: RunFolder, _: Stamp) -> tuple[Scores, ...]:
    return tuple(_scores(entry, folder) for entry in folder.read(_LABELS)["tables"])


@lru_cache(maxsize=_REMEMBERED)
def _texts(folder: RunFolder, _: Stamp) -> Texts:
    return Texts(**folder.read(_TEXTS))


def _scores(entry: dict[str, Any], folder: RunFolder) -> Scores:
    array = str(entry.pop("array"))
    return Scores(values=np.load(folder.answers / array, allow_pickle=False), **entry)
