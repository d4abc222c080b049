"""The pages of a run, for the bar above every page: the report, its pairs, its segments or battles, its files."""

from __future__ import annotations

from typing import NamedTuple

from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.saved_tables import SavedTables
from betterthan.web.url_names import url_name

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
