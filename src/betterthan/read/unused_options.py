"""Options that a layout cannot apply: ignored, they would leave the user with an answer to another question."""

from __future__ import annotations

from collections.abc import Collection

from betterthan.errors import ReadError, unknown_name
from betterthan.read.columns import flag
from betterthan.read.grid import quoted
from betterthan.read.protocol import EVERY, Format, Options

_TABLE = frozenset({"item", "system", "score", "metric", "group", "judge"})
# The columns that can be named, by layout; the other layouts have fixed names, or no names at all.
_COLUMNS: dict[str, frozenset[str]] = {
    "long": _TABLE,
    "wide": _TABLE,
    "ratings": _TABLE,
    "battles": frozenset({"item", "system", "group", "judge", "left", "right", "winner", "weight"}),
    "texts_table": frozenset({"item", "system", "group"}),
    "tags_table": frozenset({"item", "system", "group"}),
    "segments": _TABLE,
}
# Each of several files is read, and asked this, by itself.
_SEVERAL = "several"


def refuse_unused(options: Options, layout: Format, *, path: str) -> None:
    """Refuse columns that were named for a layout in which columns cannot be named.

    Raises
    ------
    ReadError
        With the option to leave out (BT230).
    """
    if layout.name == _SEVERAL:
        return
    for role, column in options.columns.items():
        if role not in _COLUMNS.get(layout.name, frozenset()):
            raise ReadError(
                f"{flag(role)} {quoted(column)} cannot be applied here, because this is {layout.description}. "
                f"Leave it out.",
                path=path,
                code="BT230",
            )
    of_battles = {"--both-bad": options.both_bad == "drop", "--winner-label": bool(options.winner_labels)}
    for option, is_given in of_battles.items():
        if is_given and layout.kind != "matches":
            raise ReadError(
                f"{option} is for battles, and this is {layout.description}. Leave it out.",
                path=path,
                code="BT230",
            )


def refuse_unknown_directions(options: Options, metrics: Collection[str]) -> None:
    """Refuse a direction for a metric that is not there: a typo in its name would turn a ranking round unseen."""
    named = (options.lower_is_better | options.higher_is_better) - {EVERY}
    for name in sorted(named - set(metrics)):
        raise unknown_name("metric", name, metrics)
