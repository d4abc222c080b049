"""The table of a page of segments: the same for every reader, so it is made once and kept in memory for a while."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from betterthan.report.segments import digits_of
from betterthan.web.beneath import tags_beneath, texts_beneath
from betterthan.web.folder import RunFolder
from betterthan.web.items import Filter, ItemsPage, items_page
from betterthan.web.kept import Stamp, kept
from betterthan.web.render import environment

_REMEMBERED = 64


class SegmentRows(NamedTuple):
    """A page of segments, its own address without the page's number, and its table."""

    found: ItemsPage
    address: str
    table: Markup


@lru_cache(maxsize=_REMEMBERED)
def segment_rows(folder: RunFolder, _: Stamp | None, metric: str, wanted: Filter) -> SegmentRows:
    """Return the table of a page of segments.

    Parameters
    ----------
    folder : RunFolder
    _ : Stamp
        Of what the run keeps: another one, another table.
    metric : str
        Of a table that the run keeps.
    wanted : Filter
    """
    held = kept(folder)
    scores = next(table for table in held.scores if table.name == metric)
    found = items_page(scores, wanted)
    shown, pair = [item.segment for item in found.items], (wanted.a, wanted.b)
    plain = {name: getattr(wanted, name) for name in ("a", "b", "who", "group", "find", "order")}
    address = address_of(folder.run_id, metric=metric, **plain)
    table = (
        environment()
        .get_template("item_rows.html.j2")
        .render(
            scores=scores,
            wanted=wanted,
            found=found,
            groups=bool(scores.groups),
            digits=digits_of(scores),
            texts=texts_beneath(held, shown, pair),
            tags=tags_beneath(held, shown, pair),
            address=address,
        )
    )
    return SegmentRows(found, address, Markup(table))  # noqa: S704  (the template escapes)


def address_of(run_id: str, **given: str) -> str:
    """Return the address of a list, with what is given of its filter."""
    return f"/runs/{run_id}/items?" + urlencode({key: value for key, value in given.items() if value})


def forget_rows() -> None:
    """Drop what is remembered, such as of a run that was deleted."""
    segment_rows.cache_clear()
