"""Variance shares and effects of factors as tables."""

from __future__ import annotations

import math

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.results.pvalues import equals_p
from betterthan.results.runs import Factors, Needed, Variation
from betterthan.results.units import unit_line


def variation_table(result: Variation) -> Table:
    """Return the variance of each source with its share, and what would halve an interval."""
    digits = digits_for([], [max(result.variance.max(), 1e-6)])
    return Table(
        title=f"Variation of {result.measured}",
        columns=(
            TableColumn(heading="source"),
            TableColumn(heading="variance", kind="number", digits=digits),
            TableColumn(heading="share", kind="count"),
            TableColumn(heading=f"{percent(result.confidence)} CI", kind="count"),
        ),
        rows=tuple(
            (
                row.source,
                row.variance,
                _share(row.share),
                "–" if math.isnan(row.low) else f"{_share(row.low)} to {_share(row.high)}",
            )
            for row in result
        ),
        words=advice(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _share(share: float) -> str:
    return "–" if math.isnan(share) else f"{100 * share:.0f}%"


def advice(result: Variation) -> tuple[str, ...]:
    """Return how many more runs or items would halve the interval of a difference.

    Examples
    --------
    >>> more = Needed(more=4.0, low=2.0, high=float("inf"))
    >>> counted(more, "run")
    'about 4 more runs (2 or more)'
    """
    if result.more_runs is None or result.more_items is None:
        return ()
    runs, items = counted(result.more_runs, "run"), counted(result.more_items, "item")
    if not runs and not items:
        times = f"about {result.times_both:.1f} times as many of both would"
        return (f"Neither more runs nor more items alone would halve the interval of a difference; {times}.",)
    if runs and items:
        return (f"To halve the interval of a difference: {runs} of each system, or {items}.",)
    other = "items" if runs else "runs"
    own = f"{runs} of each system" if runs else items
    return (f"To halve the interval of a difference: {own}; more {other} alone would not do it.",)


def counted(needed: Needed, what: str) -> str:
    """Return a number with its range; empty where no number is enough."""
    if math.isinf(needed.more):
        return ""
    if math.isinf(needed.high):
        spread = f"{_round(needed.low)} or more"
    else:
        spread = f"{_round(needed.low)} to {_round(needed.high)}"
    return f"about {_round(needed.more)} more {what}{'' if needed.more == 1 else 's'} ({spread})"


def _round(number: float) -> str:
    """Two digits are as many as an estimate of this kind has."""
    return f"{float(f'{number:.2g}'):,.0f}"


def factors_table(result: Factors) -> Table:
    """Return the effects of all factors and interactions, grouped by term."""
    digits = digits_for((result.high - result.low) / 2, result.effect)
    is_corrected = any(result.term.count(term) > 1 for term in result.terms)
    columns = [
        TableColumn(heading="factor"),
        TableColumn(heading="level"),
        TableColumn(heading="effect", kind="number", digits=digits),
        TableColumn(heading=f"{percent(result.confidence)} CI", kind="interval", digits=digits),
        TableColumn(heading="p", kind="pvalue"),
    ]
    if is_corrected:
        columns.append(TableColumn(heading="p adjusted", kind="pvalue"))
    last = [i for i in range(len(result) - 1) if result.term[i] != result.term[i + 1]]
    return Table(
        title=f"Effects of {_listed(result.terms)} on {result.measured}",
        columns=tuple(columns),
        rows=tuple(_row(result, i, is_corrected=is_corrected) for i in range(len(result))),
        rules=frozenset(last) if is_corrected else frozenset(),
        verdict=tuple(_verdict(result, term) for term in result.terms),
        unit=unit_line(result.unit_note, "runs"),
        legend=_legend(is_corrected=is_corrected),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _row(result: Factors, i: int, *, is_corrected: bool) -> tuple[TableCell, ...]:
    is_first = i == 0 or result.term[i] != result.term[i - 1]
    row = result[i]
    cells = (row.term if is_first else "", row.level, row.effect, (row.low, row.high), row.pvalue)
    return (*cells, row.adjusted) if is_corrected else cells


def _verdict(result: Factors, term: str) -> str:
    p = result.pvalue_of(term)
    is_clear = p <= result.alpha
    if " × " in term:
        first, second = term.split(" × ")
        verb = "depends" if is_clear else "does not depend significantly"
        return f"The effect of {first} {verb} on {second} ({equals_p(p)})."
    return f"{term}: {'a significant' if is_clear else 'no significant'} effect ({equals_p(p)})."


def _listed(names: tuple[str, ...]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _legend(*, is_corrected: bool) -> str:
    adjusted = " p adjusted: by Holm within a factor." if is_corrected else ""
    return f"A positive effect is better. A − B: A rather than B.{adjusted}"
