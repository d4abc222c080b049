"""What the files of a run are together, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_BY_PART = {
    "human": ("file of human scores", "files of human scores"),
    "reference": ("reference", "references"),
    "source": ("source", "sources"),
    "gold": ("gold standard", "gold standards"),
    "words": ("text that was tagged", "texts that were tagged"),
    "nothing": ("file that is not used", "files that are not used"),
}
_BY_KIND = {
    "texts": ("system", "systems"),
    "tags": ("file of tags", "files of tags"),
    "scores": ("file of scores", "files of scores"),
    "ratings": ("file of ratings", "files of ratings"),
    "matches": ("file of battles", "files of battles"),
}
_UNKNOWN = ("file that was not recognized", "files that were not recognized")


def file_summary(files: Sequence[dict[str, Any]]) -> str:
    """Return the number of files of each role, data first; of a single file what it holds.

    Examples
    --------
    >>> text = {"kind": "texts", "part": "data", "contents": []}
    >>> file_summary([{**text, "part": "source"}, {**text, "part": "reference"}, text, text])
    '2 systems, 1 reference, 1 source'
    >>> file_summary([{"kind": "scores", "part": "data", "contents": ["scores: 3 systems × 24 segments"]}])
    'scores: 3 systems × 24 segments'
    """
    if len(files) == 1 and files[0]["contents"]:
        return str(files[0]["contents"][0])
    nouns = [*_BY_KIND.values(), _UNKNOWN, *(_BY_PART[part] for part in sorted(_BY_PART, key=_order))]
    counts = dict.fromkeys(nouns, 0)
    for file in files:
        counts[_BY_PART.get(file["part"]) or _BY_KIND.get(file["kind"], _UNKNOWN)] += 1
    return ", ".join(f"{n} {noun[n > 1]}" for noun, n in counts.items() if n)


def _order(part: str) -> int:
    return ("human", "gold", "reference", "source", "words", "nothing").index(part)
