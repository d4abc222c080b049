"""Which options of a ranking matter to a mechanism, so that none is given in vain."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from betterthan.analysis.aggregations import ORDERED
from betterthan.errors import BetterThanError
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores

DEFAULTS: dict[str, Any] = {
    "ties": "default",
    "prior": 0.0,
    "scale": "share",
    "order": "shuffled",
    "size": 1000,
}
"""What a user may give in vain. How much is drawn (`n_resamples`, `n_orders`) and by whom is a budget, not a wish."""

_OF = {
    "ties": 'Use it with by="bradley_terry".',
    "prior": 'Use it with by="bradley_terry".',
    "scale": 'Use it with by="bradley_terry".',
    "order": 'Use it with by="elo" and by="trueskill".',
    "size": 'Use it for counts with by="bootstrap_mean".',
}

Table = Scores | Counts | Matches


def refuse_unused(table: Table, by: object, options: Mapping[str, Any]) -> None:
    """Refuse an option that was given and would change nothing.

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=["1"], values=[[1], [2]])
    >>> refuse_unused(scores, "mean", {"prior": 1.0})
    Traceback (most recent call last):
    ...
    betterthan.errors.BetterThanError: prior=1 changes nothing in a ranking by="mean". Use it with by="bradley_terry".
    """
    for name in unused(table, by, options):
        value = options[name]
        shown = f'"{value}"' if isinstance(value, str) else f"{value:g}"
        method = getattr(_method(table, by), "__name__", _method(table, by))
        raise BetterThanError(f'{name}={shown} changes nothing in a ranking by="{method}". {_OF[name]}')


def unused(table: Table, by: object, options: Mapping[str, Any]) -> list[str]:
    """Return the options that differ from their default and change nothing in a ranking of this table."""
    used = _used(table, _method(table, by))
    given = (name for name, default in DEFAULTS.items() if options.get(name, default) != default)
    return [name for name in given if name not in used]


def of_each_method(
    table: Table, methods: Sequence[Any], options: Mapping[str, Any]
) -> list[tuple[Any, dict[str, Any]]]:
    """Return each method with its options, where the same were given for all.

    An option that matters to some of the methods is left out for the others. One that matters to none stays, and is
    refused by the ranking.

    Examples
    --------
    >>> scores = Scores(name="m", systems=["A", "B"], segments=["1"], values=[[1], [2]])
    >>> of_each_method(scores, ["mean", "elo"], {"order": "listed", "scale": "log"})
    [('mean', {'scale': 'log'}), ('elo', {'order': 'listed', 'scale': 'log'})]
    """
    idle = [set(unused(table, by, options)) for by in methods]
    nowhere = set.intersection(*idle) if idle else set()
    return [
        (by, {name: value for name, value in options.items() if name not in one - nowhere})
        for by, one in zip(methods, idle, strict=True)
    ]


def _method(table: Table, by: object) -> object:
    if by is not None:
        return by
    if isinstance(table, Matches):
        return "bradley_terry"
    return "pooled" if isinstance(table, Counts) else "mean"


def _used(table: Table, by: object) -> tuple[str, ...]:
    if by == "bradley_terry":
        return "ties", "prior", "scale"
    if by in ORDERED:
        # Of matches groups and ranges of ranks rest on Bradley–Terry.
        return ("order", "ties", "prior") if isinstance(table, Matches) else ("order",)
    return ("size",) if by == "bootstrap_mean" else ()
