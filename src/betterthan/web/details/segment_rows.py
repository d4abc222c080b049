"""The list of a page of segments beside the one that is read.

A list is the same for every reader, so it is rendered once and stays in memory for a while.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from betterthan.report.wording import digits_of
from betterthan.web.details.items import Filter, ItemsPage, items_page
from betterthan.web.details.segment_reading import forget_lists
from betterthan.web.render import environment
from betterthan.web.runs.folder import RunFolder
from betterthan.web.runs.saved_tables import FolderStamp, saved_tables

_REMEMBERED = 64


class SegmentRows(NamedTuple):
    """A page of segments, its own address without page or segment, and its table."""

    items: ItemsPage
    address: str
    table: Markup


@lru_cache(maxsize=_REMEMBERED)
def segment_rows(
    folder: RunFolder, _: FolderStamp | None, metric: str, filters: Filter, segment: str
) -> SegmentRows:
    """Return the table of a page of segments.

    Parameters
    ----------
    folder : RunFolder
    _ : FolderStamp
        Of what the run keeps: another one, another table.
    metric : str
        Of a table that the run keeps.
    filters : Filter
    segment : str
        The one that is read.
    """
    tables = saved_tables(folder)
    scores = next(table for table in tables.scores if table.name == metric)
    page = items_page(scores, filters, tables.texts)
    plain = {name: getattr(filters, name) for name in ("a", "b", "who", "group", "find", "order")}
    address = address_of(folder.run_id, metric=metric, **plain)
    table = (
        environment()
        .get_template("item_rows.html.j2")
        .render(
            wanted=filters,
            found=page,
            groups=bool(scores.groups),
            digits=digits_of(scores),
            address=address,
            here=segment,
        )
    )
    return SegmentRows(page, address, Markup(table))  # noqa: S704  (the template escapes)


def address_of(run_id: str, **address: str) -> str:
    """Return the address of a list, with what its filter says."""
    return f"/runs/{run_id}/items?" + urlencode({key: value for key, value in address.items() if value})


def forget_rows() -> None:
    """Drop what is remembered, such as of a run that was deleted."""
    segment_rows.cache_clear()
    forget_lists()
