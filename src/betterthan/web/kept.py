"""Tables of scores that a run keeps, so that pairs and segments can be looked at without parsing its files again."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from betterthan.tables.scores import Scores
from betterthan.tables.texts import Texts
from betterthan.web.folder import RunFolder

MOST_CELLS = 50_000_000
_LABELS = "kept.json"


def keep(tables: Sequence[Scores], folder: RunFolder, texts: Texts | None = None) -> None:
    """Write tables into the run's folder, the numbers as plain arrays."""
    labels = []
    for position, table in enumerate(tables):
        if table.values.size > MOST_CELLS:
            continue
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
    folder.write(_LABELS, {"tables": labels, "texts": None if texts is None else _plain(texts)})


def kept(folder: RunFolder) -> list[Scores]:
    """Return the kept tables; none where the run is not about scores."""
    data = folder.read(_LABELS)
    return [_scores(entry, folder) for entry in (data or {}).get("tables", ())]


def kept_texts(folder: RunFolder) -> Texts | None:
    """Return the kept texts, if there are any."""
    data = (folder.read(_LABELS) or {}).get("texts")
    return None if data is None else Texts(**data)


def _scores(entry: dict[str, Any], folder: RunFolder) -> Scores:
    array = str(entry.pop("array"))
    return Scores(values=np.load(folder.answers / array, allow_pickle=False), **entry)


def _plain(texts: Texts) -> dict[str, Any]:
    return {entry.name: getattr(texts, entry.name) for entry in fields(texts)}
