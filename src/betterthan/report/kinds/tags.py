"""A report on word tags: which system finds the bad words."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.tags.rank_tags import DEFAULT_MEASURES, rank_tags
from betterthan.analysis.tags.tag_counts import tag_counts
from betterthan.present.numbers import percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.describe import describe
from betterthan.present.tables.pairwise import capitalized, correction_words
from betterthan.present.tables.tags import tag_measure_name
from betterthan.report.copies import csv_of_result
from betterthan.report.document import Card, Report, Section, Switch, SwitchView, TableBlock
from betterthan.report.figures.marks import interval_marks, scale_heading
from betterthan.report.inputs import Inputs
from betterthan.report.sections.data_check import data_section
from betterthan.report.sections.files import csv_files, files_section
from betterthan.report.sections.method import method_section
from betterthan.report.sections.pairs import pairs_card, pairs_section
from betterthan.report.wording import count, number_different, page_table, plural
from betterthan.results.base import Result
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.tags import TagRanking
from betterthan.tables.tags import WordTags


def tags_report(inputs: Inputs) -> Report:
    """Compute everything that a report on word tags shows."""
    tags = inputs.tags
    assert tags is not None  # noqa: S101  (gathered so)
    options: dict[str, Any] = {"rng": inputs.options.get("rng", 12345), **inputs.computing()}
    ranking = rank_tags(tags, **options)
    results: dict[str, Result] = {"ranking": ranking}
    pairs: PairwiseTable | None = None
    if len(tags.systems) > 1:
        pairs = compare(tag_counts(tags, by=DEFAULT_MEASURES[0]), correction="max_statistic", **options)
        results["pairs"] = pairs
    files = csv_files(results)
    sections = [
        _ranking(ranking),
        *([pairs_section(pairs, unit="segment", any_pair=False)] if pairs is not None else []),
        _confusion(tags, ranking),
        data_section(inputs, [_data_summary(tags)], results.values()),
        method_section(_paragraph(tags, ranking), results, ("tags", "permutation"), inputs.command),
        files_section(results, files),
    ]
    return Report(
        title=f"Word tags · {len(tags.systems)} {plural(len(tags.systems), 'system')} · {count(tags.n_words)} words",
        kind="tags",
        headline=_headline(ranking),
        verdict=_verdict(ranking),
        cards=_cards(tags, ranking),
        sections=tuple(sections),
        results=results,
        notes=inputs.notes,
        command=inputs.command,
        payload={"csv": files},
    )


def _ranking(ranking: TagRanking) -> Section:
    """Return a view a measure, with the synthetic labelings in brackets among the systems."""
    choices = []
    for k, measure in enumerate(ranking.measures):
        order = np.argsort(-np.nan_to_num(ranking.value[:, k], nan=-np.inf), kind="stable").tolist()
        choices.append(
            SwitchView(key=measure, label=tag_measure_name(measure), blocks=(_by_measure(ranking, k, order),))
        )
    switch = Switch(key="measure", label="Measure", choices=tuple(choices))
    table = page_table(describe(ranking))
    whole = TableBlock(key="all-measures", table=table, csv=csv_of_result(ranking), words=True)
    lead = "Best first. [In brackets]: labelings that know next to nothing; a measure by which they win can be gamed."
    return Section(key="ranking", title="Ranking", lead=lead, blocks=(switch, whole))


def _by_measure(ranking: TagRanking, k: int, order: list[int]) -> TableBlock:
    name = tag_measure_name(ranking.measures[k])
    columns = (
        TableColumn(heading="group", kind="integer"),
        TableColumn(heading="system"),
        TableColumn(heading=name, kind="number", digits=3),
        TableColumn(heading=percent(ranking.confidence), kind="interval", digits=3),
    )
    rows = tuple(
        (
            None if np.isnan(ranking.cluster[i, k]) else int(ranking.cluster[i, k]),
            f"[{ranking.systems[i]}]" if ranking.is_synthetic[i] else ranking.systems[i],
            float(ranking.value[i, k]),
            (float(ranking.low[i, k]), float(ranking.high[i, k])),
        )
        for i in order
    )
    numbers = [[float(getattr(ranking, part)[i, k]) for i in order] for part in ("value", "low", "high")]
    stressed = [bool(ranking.cluster[i, k] == 1) for i in order]
    return TableBlock(
        key=f"by-{ranking.measures[k]}",
        table=Table(title=f"Systems by {name}", columns=columns, rows=rows),
        marks=interval_marks(*numbers, stressed=stressed),
        marks_heading=scale_heading(*numbers),
    )


def _confusion(tags: WordTags, ranking: TagRanking) -> Section:
    """Return how many BAD and OK words each system found."""
    columns = (
        TableColumn(heading="system"),
        TableColumn(heading="BAD found", kind="integer"),
        TableColumn(heading="BAD missed", kind="integer"),
        TableColumn(heading="OK called BAD", kind="integer"),
        TableColumn(heading="OK found", kind="integer"),
        TableColumn(heading="share called BAD", kind="count"),
    )
    rows: list[tuple[TableCell, ...]] = []
    for name in (name for name in ranking.systems if name in tags.systems):
        predicted = tags.predicted[tags.systems.index(name)]
        counts = [
            int(np.count_nonzero(part))
            for part in (
                tags.gold & predicted,
                tags.gold & ~predicted,
                ~tags.gold & predicted,
                ~tags.gold & ~predicted,
            )
        ]
        rows.append((name, *counts, f"{100 * predicted.mean():.1f}%"))
    bad = 100 * float(tags.gold.mean())
    table = TableBlock(
        key="confusion", table=Table(title="Words by truth and by tag", columns=columns, rows=tuple(rows))
    )
    lead = f"In truth {bad:.1f}% of the words are BAD."
    return Section(
        key="confusion-section",
        title="Found, missed, cried wolf",
        menu="Confusion",
        lead=lead,
        blocks=(table,),
    )


def _headline(ranking: TagRanking) -> str:
    real = [i for i in range(len(ranking.systems)) if not ranking.is_synthetic[i]]
    first = ranking.systems[real[0]]
    alike = [i for i in real[1:] if set(ranking.letters[i]) & set(ranking.letters[real[0]])]
    name = tag_measure_name(ranking.measures[0])
    if len(real) == 1:
        return f"{first} reaches {ranking.value[real[0], 0]:.3f} by {name}."
    if not alike:
        return f"{first} tags best by {name}."
    others = f"{len(alike)} other {plural(len(alike), 'system does', 'systems do')}"
    return f"{first} leads by {name}, but {others} not differ significantly from it."


def _verdict(ranking: TagRanking) -> str:
    real = [i for i in range(len(ranking.systems)) if not ranking.is_synthetic[i]]
    first, name = real[0], tag_measure_name(ranking.measures[0])
    summary = (
        f"{ranking.systems[first]} has {name} {ranking.value[first, 0]:.3f} ({percent(ranking.confidence)} interval "
        f"{ranking.low[first, 0]:.3f} to {ranking.high[first, 0]:.3f})."
    )
    if ranking.n_pairs:
        different = capitalized(number_different(int(ranking.n_different[0]), ranking.n_pairs))
        after = " after correction" if ranking.n_pairs > 1 else ""
        summary += f" {different} significantly different at level {ranking.alpha:g}{after}."
    gamed = {synthetic: n for synthetic, n in ranking.above(ranking.measures[0]).items() if n}
    if gamed:
        n, m = max(gamed.values()), len(real)
        summary += f" A trivial labeling ({' or '.join(gamed)}) outscores {n} of {m} systems."
    return summary


def _data_summary(tags: WordTags) -> str:
    m, bad = len(tags.systems), 100 * tags.gold.mean()
    size = (
        f"{count(tags.n_words)} words in {count(len(tags.segments))} {plural(len(tags.segments), 'segment')}"
    )
    return f"Tags of {m} {plural(m, 'system')} on {size}; {bad:.1f}% of the words are BAD in the gold tags."


def _cards(tags: WordTags, ranking: TagRanking) -> tuple[Card, ...]:
    gamed = max(ranking.above(ranking.measures[0]).values(), default=0)
    return (
        Card(number=str(len(tags.systems)), label=plural(len(tags.systems), "system")),
        Card(number=count(tags.n_words), label=f"words in {count(len(tags.segments))} segments"),
        pairs_card(int(ranking.n_different[0]), ranking.n_pairs),
        Card(
            number=str(gamed),
            label=f"{plural(gamed, 'system scores', 'systems score')} below a trivial labeling",
            is_warning=gamed > 0,
        ),
    )


def _paragraph(tags: WordTags, ranking: TagRanking) -> list[str]:
    measure = tag_measure_name(ranking.measures[0])
    how = correction_words(ranking.correction)
    return [
        (
            f"We scored {len(tags.systems)} {plural(len(tags.systems), 'system')} on {count(tags.n_words)} words "
            f"by {measure} (Logacheva et al., 2016)."
        ),
        f"Intervals cover {percent(ranking.confidence)} (jackknife, without one sentence or document at a time).",
        f"Pairs are compared by approximate randomisation, {how}, at level {ranking.alpha:g}.",
        "Computed with betterthan.",
    ]
