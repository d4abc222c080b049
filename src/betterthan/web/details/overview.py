"""A run at a glance: its pages, for the bar above every page, and what its files are together, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from betterthan.web.names import url_name
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.saved_tables import SavedTables

FILE = "tabs.json"


class Tab(NamedTuple):
    """A page of a run: what it is called inside, on the page, and where it is."""

    key: str
    label: str
    address: str


def tabs_of(run_id: str, saved: SavedTables) -> tuple[Tab, ...]:
    """Return the pages that a finished run has.

    Examples
    --------
    >>> [tab.label for tab in tabs_of("7", SavedTables())]
    ['Report', 'Files']
    """
    address = f"/runs/{run_id}"
    tabs = [Tab("report", "Report", address)]
    if len(saved.systems) > 1:
        first, second = saved.top_pair(saved.systems)
        tabs.append(Tab("pair", "Pairs", f"{address}/pairs/{url_name(first)}/{url_name(second)}"))
        tabs.append(Tab("items", "Segments" if saved.battles is None else "Battles", f"{address}/items"))
        if saved.tags is None and not saved.counts:
            tabs.append(Tab("gate", "Gate", f"{address}/gate"))
            tabs.append(Tab("watch", "Enough data?", f"{address}/watch"))
    return (*tabs, Tab("files", "Files", f"{address}/manage"))


def write_tabs(folder: RunFolder, saved: SavedTables) -> tuple[Tab, ...]:
    """Store the pages of a run, so that no page has to load its tables to know them."""
    tabs = tabs_of(folder.run_id, saved)
    folder.write(FILE, {"tabs": tabs})
    return tabs


def stored_tabs(folder: RunFolder) -> tuple[Tab, ...]:
    """Return the pages of a run; of one that is not finished none, of one from an earlier version the report."""
    stored = folder.read(FILE)
    if stored is not None:
        return tuple(Tab(*tab) for tab in stored["tabs"])
    is_finished = (folder.answers / "report.html").exists()
    return tabs_of(folder.run_id, SavedTables()) if is_finished else ()


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
