"""A report on battles: who met whom, and who won."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.rank.rank import of_each_method, rank
from betterthan.errors import NotConverged, NotEstimable
from betterthan.present.numbers import percent
from betterthan.present.table import Table, TableColumn
from betterthan.report.document import Card, Paragraph, Report, Section, TableBlock
from betterthan.report.inputs import Inputs
from betterthan.report.sections.data import csv_files, data_section, files_section, method_section
from betterthan.report.sections.pairs import pairs_card, pairs_section
from betterthan.report.sections.ranking import (
    agreed,
    agreement_section,
    close_race,
    may_be_best,
    ranking_section,
)
from betterthan.report.wording import count, plural
from betterthan.results.base import Result
from betterthan.results.pairwise import PairwiseTable, equals_p
from betterthan.results.ranking import Ranking
from betterthan.tables.matches import Matches

_METHODS = ("bradley_terry", "win_rate", "elo")
_FEW_MEETINGS = 30


def battles_report(inputs: Inputs) -> Report:
    """Compute everything that a report on battles shows."""
    matches = inputs.matches
    assert matches is not None  # noqa: S101  (gathered so)
    rankings = _rankings(inputs, matches)
    known = {by: ranking for by, ranking in rankings.items() if isinstance(ranking, Ranking)}
    if "bradley_terry" not in known:
        raise NotEstimable(str(rankings["bradley_terry"]))
    top = known["bradley_terry"]
    pairs = compare(matches, rng=inputs.options.get("rng", 12345), **inputs.computing())
    agreement = agreed(known)
    results: dict[str, Result] = {f"ranking-{by}": ranking for by, ranking in known.items()} | {
        "pairs": pairs
    }
    if agreement is not None:
        results["agreement"] = agreement
    files = csv_files(results)
    sections = [
        ranking_section(rankings, lead=_lead(top)),
        pairs_section(pairs, unit="battle", any_pair=False),
        *([agreement_section(known, agreement)] if agreement is not None else []),
        _meetings(pairs),
        data_section(inputs, [_data_summary(matches)], results.values()),
        method_section(_paragraph(matches, pairs), results, ("bradley_terry", "holm"), inputs.command),
        files_section(results, files),
    ]
    headline, verdict = _verdict(top, pairs)
    return Report(
        title=f"Battles · {len(matches.systems)} systems · {count(matches.n_matches)} battles",
        kind="battles",
        headline=headline,
        verdict=verdict,
        cards=_cards(matches, pairs),
        sections=tuple(sections),
        results=results,
        notes=inputs.notes,
        command=inputs.command,
        payload={"csv": files},
    )


def _rankings(inputs: Inputs, matches: Matches) -> dict[str, Ranking | str]:
    rankings: dict[str, Ranking | str] = {}
    options: dict[str, Any] = {"rng": inputs.options.get("rng", 12345), **inputs.computing()}
    for by, ranking in of_each_method(matches, _METHODS, {"scale": "elo", **options}):
        try:
            rankings[by] = rank(matches, by=by, **ranking)
        except (NotEstimable, NotConverged) as error:
            rankings[by] = error.text
    return rankings


def _lead(ranking: Ranking) -> str:
    return f"Strengths in {ranking.unit}; systems that may be best are in color. Rules separate significance clusters."


def _data_summary(matches: Matches) -> str:
    return f"{count(matches.n_matches)} battles of {len(matches.systems)} systems, {100 * _ties(matches):.0f}% ties."


def _ties(matches: Matches) -> float:
    return float(matches.weight[matches.outcome == 0.5].sum() / matches.weight.sum())


def _verdict(ranking: Ranking, pairs: PairwiseTable) -> tuple[str, str]:
    best, first, second = may_be_best(ranking), ranking.systems[0], ranking.systems[1]
    m = len(ranking.systems)
    pair = pairs.pair(first, second)
    if m == 2:
        headline = (
            f"{first} is better than {second}."
            if len(best) == 1
            else f"No significant difference between {first} and {second}."
        )
    elif len(best) == 1:
        headline = f"{first} is the best of {m} systems, ahead of {second}."
    else:
        headline = close_race(first, second, len(best), m, is_tied=bool(ranking.rank[1] == 1))
    met = pair.wins + pair.ties + pair.losses
    direct = (
        f"Of the {count(met)} battles between them, {first} won {count(pair.wins)} and {second} won "
        f"{count(pair.losses)}."
        if met
        else f"{first} and {second} never met; the model compares them through other systems."
    )
    return headline, (
        f"{first} beats {second} with probability {pair.effect:.2f} under Bradley–Terry "
        f"({percent(pairs.confidence)} CI {pair.low:.2f} to {pair.high:.2f}"
        f"{' for this pair alone' if m > 2 else f'; {equals_p(pair.pvalue)}'})."
        f"{_adjusted(pairs, first, second)} {direct}"
    )


def _adjusted(pairs: PairwiseTable, first: str, second: str) -> str:
    """Say what adjustment for all pairs makes of the p-value of one; nothing where there is only one pair."""
    pair, n_pairs = pairs.pair(first, second), len(pairs.systems) * (len(pairs.systems) - 1) // 2
    if n_pairs == 1:
        return ""
    if pair.adjusted <= pairs.alpha:
        return f" The difference is significant ({equals_p(pair.adjusted)}, adjusted for all {count(n_pairs)} pairs)."
    alone = f"{equals_p(pair.pvalue)} for this pair alone, but " if pair.pvalue <= pairs.alpha else ""
    return (
        f" The difference is not significant ({alone}{equals_p(pair.adjusted)} after adjustment for all "
        f"{count(n_pairs)} pairs)."
    )


def _cards(matches: Matches, pairs: PairwiseTable) -> tuple[Card, ...]:
    m = len(matches.systems)
    met = _met(pairs)
    few = int((met[np.triu_indices(m, 1)] == 0).sum())
    ties = _ties(matches)
    last = (
        Card(number=count(few), of=f"of {count(m * (m - 1) // 2)}", label="pairs never met", is_warning=True)
        if few
        else Card(number=f"{100 * ties:.0f}%", label="ties", is_warning=ties > 0.4)
    )
    return (
        Card(number=str(m), label="systems"),
        Card(number=count(matches.n_matches), label="battles"),
        pairs_card(pairs.n_different, m * (m - 1) // 2),
        last,
    )


def _met(pairs: PairwiseTable) -> np.ndarray:
    return np.nan_to_num(pairs.wins + pairs.ties + pairs.losses)


def _meetings(pairs: PairwiseTable) -> Section:
    """Return how often systems met: a pair that never met is compared by the model alone."""
    met = _met(pairs)
    m = len(pairs.systems)
    columns = (
        TableColumn(heading="system"),
        TableColumn(heading="battles", kind="integer"),
        TableColumn(heading="opponents", kind="integer"),
        TableColumn(heading="fewest battles", kind="integer"),
        TableColumn(heading="against"),
    )
    rows = []
    for i, name in enumerate(pairs.systems):
        others = [j for j in range(m) if j != i]
        least = min(others, key=lambda j, i=i: (met[i, j], j))  # type: ignore[misc]
        rows.append(
            (name, float(met[i].sum()), int((met[i] > 0).sum()), float(met[i, least]), pairs.systems[least])
        )
    few = int((met[np.triu_indices(m, 1)] < _FEW_MEETINGS).sum())
    n_pairs = m * (m - 1) // 2
    words = f"Every pair met at least {_FEW_MEETINGS} times."
    if few:
        who = "The one pair" if n_pairs == 1 else f"{count(few)} of {count(n_pairs)} pairs"
        words = (
            f"{who} met fewer than {_FEW_MEETINGS} times; "
            f"{plural(few, 'its comparison relies', 'their comparisons rely')} mostly on the model."
        )
    elif n_pairs == 1:
        words = f"The one pair met at least {_FEW_MEETINGS} times."
    table = TableBlock(
        key="meetings", table=Table(title="How often systems met", columns=columns, rows=tuple(rows))
    )
    return Section(
        key="sure", title="How often systems met", menu="Meetings", blocks=(Paragraph(words), table)
    )


def _paragraph(matches: Matches, pairs: PairwiseTable) -> list[str]:
    return [
        f"We ranked {len(matches.systems)} systems in {count(matches.n_matches)} battles by Bradley–Terry strength.",
        "Ties count as half.",
        "Intervals and tests come from the robust (sandwich) covariance.",
        f"P-values are adjusted for all pairs by Holm's method; the level is {pairs.alpha:g}.",
        "Computed with betterthan.",
    ]
