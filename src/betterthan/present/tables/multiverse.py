"""A multiverse as a table: for each option of each choice, how many analyses support the claim."""

from __future__ import annotations

from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.results.multiverse import CONTRADICTED, SUPPORTED, ChosenOption, Multiverse, influence

_CHOICES = {
    "metric": "metric",
    "items": "items",
    "compared": "systems compared",
    "unit": "unit",
    "aggregation": "aggregation",
    "test": "test",
    "ties": "ties",
    "correction": "correction",
}
_OPTIONS = {
    "only those": "only these",
    "bonferroni": "Bonferroni",
    "holm": "Holm",
    "benjamini_hochberg": "Benjamini–Hochberg",
}
_MATTERS = 0.1
"""A choice matters if the shares of its options differ by so much."""
_MOST_NAMED = 2


def multiverse_table(result: Multiverse) -> Table:
    """Return the shares of analyses by option, the most influential choice first."""
    options = result.options()
    columns = (
        TableColumn(heading="choice"),
        TableColumn(heading="option"),
        TableColumn(heading="analyses", kind="integer"),
        TableColumn(heading="supported", kind="count"),
        TableColumn(heading="ahead", kind="count"),
        TableColumn(heading="behind", kind="count"),
        TableColumn(heading="contradicted", kind="count"),
    )
    last = {i for i in range(len(options) - 1) if options[i].choice != options[i + 1].choice}
    rows = tuple(_row(option, is_first=i == 0 or i - 1 in last) for i, option in enumerate(options))
    return Table(
        title=f"{result.claim} by {len(result):,} analyses: {_measured(result)}",
        columns=columns,
        rows=(("all", "", len(result), *_shares(_whole(result))), *rows),
        rules=frozenset({0, *(i + 1 for i in last)}),
        verdict=sentences(result),
        legend=_legend(result),
        notes=(*_impossible(result), *result.notes),
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def choice_name(choice: str) -> str:
    """Return what a choice is called."""
    return _CHOICES[choice]


def option_name(option: str) -> str:
    """Return what an option is called."""
    return _OPTIONS.get(option, option)


def _measured(result: Multiverse) -> str:
    metrics = tuple(dict.fromkeys(result.metric))
    named = metrics[0] if len(metrics) == 1 else f"{len(metrics)} metrics"
    return f"{named}, {result.n_segments:,} segments"


def _whole(result: Multiverse) -> ChosenOption:
    n = len(result)
    return ChosenOption(
        choice="all",
        option="",
        n=n,
        supported=result.share(SUPPORTED),
        ahead=float((result.direction > 0).mean()),
        behind=float((result.direction < 0).mean()),
        contradicted=result.share(CONTRADICTED),
    )


def _row(option: ChosenOption, *, is_first: bool) -> tuple[TableCell, ...]:
    return (
        choice_name(option.choice) if is_first else "",
        option_name(option.option),
        option.n,
        *_shares(option),
    )


def _shares(option: ChosenOption) -> tuple[str, ...]:
    return tuple(
        whole_percent(share) for share in (option.supported, option.ahead, option.behind, option.contradicted)
    )


def whole_percent(share: float) -> str:
    """Return a share in whole percent that is 0% or 100% only if it is exactly that.

    Examples
    --------
    >>> whole_percent(0.0), whole_percent(0.001), whole_percent(0.456), whole_percent(0.999)
    ('0%', '<1%', '46%', '>99%')
    """
    if 0 < share < 0.005:
        return "<1%"
    return ">99%" if 0.995 < share < 1 else f"{100 * share:.0f}%"


def sentences(result: Multiverse) -> tuple[str, ...]:
    """Return whether the claim survives, and which choices decide."""
    n = len(result)
    whole = _whole(result)
    supported, contradicted = round(n * whole.supported), round(n * whole.contradicted)
    if supported == n:
        return (
            f"The claim {result.claim} survives every choice: all {n:,} analyses support it (p ≤ {result.alpha:g}).",
        )
    start = (
        f"None of {n:,} analyses supports the claim {result.claim}"
        if not supported
        else f"{supported:,} of {n:,} analyses ({whole_percent(whole.supported)}) support the claim {result.claim}"
    )
    lines = [f"{start} (p ≤ {result.alpha:g}). {_directions(result, whole, contradicted)}"]
    return (*lines, *_what_matters(result))


def _directions(result: Multiverse, whole: ChosenOption, contradicted: int) -> str:
    ahead, behind = whole_percent(whole.ahead), whole_percent(whole.behind)
    text = f"{result.system} is ahead in {ahead} of the analyses and behind in {behind}"
    if contradicted:
        text += f" (significantly in {contradicted:,} analyses)"
    equal = 1 - whole.ahead - whole.behind
    return f"{text}; they are equal in {whole_percent(equal)}." if equal > 1e-9 else f"{text}."


def _what_matters(result: Multiverse) -> tuple[str, ...]:
    options = result.options()
    by_choice = [
        [one for one in options if one.choice == choice]
        for choice in dict.fromkeys(o.choice for o in options)
    ]
    # A test belongs to an aggregation and differs at least as much.
    deciding = [one for one in by_choice if one[0].choice != "test" and max(influence(one)) >= _MATTERS]
    deciding = deciding[:_MOST_NAMED]
    if not deciding:
        return (
            ("No single choice changes the share of supporting analyses by 10 points or more.",)
            if options
            else ()
        )
    parts = [_contrast(result, group) for group in deciding]
    return (f"What decides: {'; '.join(parts)}.",)


def _contrast(result: Multiverse, group: list[ChosenOption]) -> str:
    """Name the options of a choice with the most and the least support, or lead."""
    is_support = influence(group)[0] >= _MATTERS
    name = "supported" if is_support else "ahead"
    what = "supported by" if is_support else f"{result.system} ahead in"
    low, high = (pick(group, key=lambda one: getattr(one, name)) for pick in (min, max))
    return (
        f"{choice_name(group[0].choice)} ({what} {whole_percent(getattr(high, name))} with {option_name(high.option)}, "
        f"{whole_percent(getattr(low, name))} with {option_name(low.option)})"
    )


def _legend(result: Multiverse) -> str:
    return (
        f"Supported: {result.system} is better, and p ≤ {result.alpha:g} after correction. Contradicted: significantly "
        "worse. All analyses use the same data, so shares are not probabilities. The choice that decides most is first."
    )


def _impossible(result: Multiverse) -> tuple[str, ...]:
    if not result.n_impossible:
        return ()
    return (f"{result.n_impossible:,} further analyses have no answer on these data and are left out.",)
