"""A report on repeated runs: every system on the same items, several times."""

from __future__ import annotations

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.rank.rank import rank
from betterthan.analysis.runs.factors import factors
from betterthan.analysis.runs.variation import variation
from betterthan.present.tables.describe import describe
from betterthan.report.document import Card, Report
from betterthan.report.inputs import Inputs
from betterthan.report.sections.data import csv_files, data_section, files_section, method_section
from betterthan.report.sections.pairs import pairs_card, pairs_section
from betterthan.report.sections.ranking import close_race, may_be_best, ranking_section
from betterthan.report.sections.tasks import factors_section, variation_section
from betterthan.report.wording import count, plural
from betterthan.results.base import Result
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.tables.runs import Runs


def runs_report(inputs: Inputs) -> Report:
    """Compute everything that a report on repeated runs shows."""
    runs = inputs.runs
    assert runs is not None  # noqa: S101  (gathered so)
    options = {key: inputs.options[key] for key in ("missing", "units", "rng") if key in inputs.options}
    rankings = {by: rank(runs, by=by, **options, **inputs.computing()) for by in ("mean", *_pass_rules(runs))}
    pairs = compare(runs, **options, **inputs.computing())
    spread = variation(runs)
    results: dict[str, Result] = {f"ranking-{by}": ranking for by, ranking in rankings.items()}
    results |= {"pairs": pairs, "variation": spread}
    rest = {key: value for key, value in options.items() if key != "rng"}
    by_factor = [factors(runs, **rest)] if runs.factors else []
    if by_factor:
        results["factors"] = by_factor[0]
    files = csv_files(results)
    top = rankings["mean"]
    sections = [
        ranking_section(rankings),
        pairs_section(pairs, unit="item", any_pair=False),
        *map(factors_section, by_factor),
        variation_section(spread),
        data_section(inputs, [_data_summary(runs)], results.values()),
        method_section(_paragraph(runs, top, pairs), results, ("holm",), inputs.command),
        files_section(results, files),
    ]
    return Report(
        title=f"{runs.name} ({runs.direction}) · {_size(runs)}",
        kind="runs",
        headline=_headline(top),
        verdict=" ".join(describe(pairs).verdict),
        cards=_cards(runs, pairs),
        sections=tuple(sections),
        results=results,
        notes=inputs.notes,
        command=inputs.command,
        payload={"csv": files},
    )


def _pass_rules(runs: Runs) -> tuple[str, ...]:
    """Return pass@k and pass^k of right and wrong answers, with the runs that every item has."""
    count_of = np.bincount(runs.system * runs.n_segments + runs.segment)
    least = int(count_of[count_of > 0].min())
    if not runs.is_binary or not runs.higher_is_better or least < 2:
        return ()
    return f"pass@{least}", f"pass^{least}"


def _size(runs: Runs) -> str:
    items = f"{count(runs.n_segments)} {plural(runs.n_segments, 'item')}"
    return f"{runs.n_systems} systems · {items} · {runs.runs_in_words}"


def _headline(top: Ranking) -> str:
    best, first, second = may_be_best(top), top.systems[0], top.systems[1]
    m = len(top.systems)
    if len(best) == 1:
        return f"{first} is better than {second}." if m == 2 else f"{first} is the best of {m} systems."
    if m == 2:
        return f"No significant difference between {first} and {second}."
    return close_race(first, second, len(best), m, is_tied=bool(top.rank[1] == 1))


def _cards(runs: Runs, pairs: PairwiseTable) -> tuple[Card, ...]:
    m, few = runs.n_systems, int(runs.runs_of_systems.min())
    return (
        Card(number=str(m), label="systems"),
        Card(number=count(runs.n_segments), label=plural(runs.n_segments, "item")),
        Card(number=str(few), label=f"{plural(few, 'run')} of each system", is_warning=few < 3),
        pairs_card(pairs.n_different, m * (m - 1) // 2),
    )


def _data_summary(runs: Runs) -> str:
    size = f"{runs.n_systems} systems × {count(runs.n_segments)} items, {runs.runs_in_words}"
    return f"{count(runs.score.size)} scores of {size}."


def _paragraph(runs: Runs, top: Ranking, pairs: PairwiseTable) -> list[str]:
    compared = (
        f"We compared {runs.n_systems} systems on the same {count(runs.n_segments)} items by {runs.name}"
    )
    level = f"{100 * top.confidence:g}%"
    return [
        f"{compared}, {runs.runs_in_words}.",
        f"Systems are ranked by their mean, with {level} confidence intervals for other items and other runs.",
        f"P-values are adjusted for all pairs by Holm's method; the level is {pairs.alpha:g}.",
        "Computed with betterthan.",
    ]
