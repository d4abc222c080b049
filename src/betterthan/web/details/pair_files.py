"""Where a run keeps what a worker computed about a pair of systems, or about another run."""

from __future__ import annotations

import hashlib

from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.saved_tables import SavedTables

_LAYOUT = 1  # of the stored files; one of another layout is made anew
_LAYOUT_OF_CHANGES = 2
_DIGITS = 16


def pair_file(tables: SavedTables, a: str, b: str, metric: str = "") -> str:
    """Return the name of the file on a pair; names of systems never become paths.

    Examples
    --------
    >>> from betterthan.tables.scores import Scores
    >>> scores = Scores(name="m", systems=["A", "B"], segments=["1"], values=[[1.0], [2.0]])
    >>> pair_file(SavedTables(scores=(scores,)), "B", "A")
    'pair-1-0-1-0.json'
    """
    metrics = [table.name for table in tables.scores]
    # Battles have no metric, and of tags one page shows all measures.
    is_first = tables.battles is not None or tables.tags is not None or not metric
    place = 0 if is_first else metrics.index(metric)
    systems = tables.systems if is_first else tables.scores[place].systems
    return f"pair-{_LAYOUT}-{place}-{systems.index(a)}-{systems.index(b)}.json"


def changes_file(before: RunFolder, after: RunFolder) -> str:
    """Return the name of the file on what changed; another one when either report is replaced."""
    digest = hashlib.sha256()
    for folder in (before, after):
        digest.update(hashlib.sha256((folder.answers / "results.json").read_bytes()).digest())
    return f"{changes_prefix(before.run_id)}{_LAYOUT_OF_CHANGES}-{digest.hexdigest()[:_DIGITS]}.json"


def changes_prefix(before: str) -> str:
    """Return how the names of all files begin that were made from an earlier run; they go when that run goes."""
    return f"changes-{before}-"
