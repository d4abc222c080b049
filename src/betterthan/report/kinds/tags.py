"""A report on word tags: which system tags words best."""

from __future__ import annotations

from typing import Any

import numpy as np

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.tags.rank_tags import DEFAULT_MEASURES, rank_tags
from betterthan.analysis.tags.tag_counts import tag_counts
from betterthan.present.numbers import percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.describe import describe
from betterthan.present.tables.metrics import tag_measure_name
from betterthan.present.tables.pairwise import capitalized, correction_words
from betterthan.report.document import (
    Card,
    Fold,
    Paragraph,
    Report,
    Section,
    Switch,
    SwitchView,
    TableBlock,
    TaggedSentence,
    TaggedSentences,
    csv_of_result,
)
from betterthan.report.figures.marks import interval_marks, scale_heading
from betterthan.report.inputs import Inputs
from betterthan.report.sections.data import csv_files, data_section, files_section, method_section
from betterthan.report.sections.pairs import pairs_card, pairs_section
from betterthan.report.sections.ranking import close_race, effect_sentence
from betterthan.report.wording import count, number_different, page_table, plural
from betterthan.results.base import Result
from betterthan.results.metrics import TagRanking
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.tags import WordTags

_MOST_SENTENCES = 12


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
        *([_sentences(tags, ranking, inputs)] if len(tags.systems) > 1 else []),
        data_section(inputs, [_data_summary(tags)], results.values()),
        method_section(_paragraph(tags, ranking), results, ("tags", "permutation"), inputs.command),
        files_section(results, files),
    ]
    return Report(
        title=f"Word tags · {len(tags.systems)} {plural(len(tags.systems), 'system')} · {count(tags.n_words)} words",
        kind="tags",
        headline=_headline(ranking),
        verdict=_verdict(ranking, pairs),
        cards=_cards(tags, ranking),
        sections=tuple(sections),
        results=results,
        notes=inputs.notes,
        command=inputs.command,
        payload={"csv": files},
    )


def _ranking(ranking: TagRanking) -> Section:
    """Return one view per measure, with the synthetic labelings in brackets among the systems."""
    choices = []
    for k, measure in enumerate(ranking.measures):
        order = np.argsort(-np.nan_to_num(ranking.value[:, k], nan=-np.inf), kind="stable").tolist()
        choices.append(
            SwitchView(key=measure, label=tag_measure_name(measure), blocks=(_by_measure(ranking, k, order),))
        )
    switch = Switch(key="measure", label="Measure", choices=tuple(choices))
    table = page_table(describe(ranking))
    whole = Fold(
        key="measures-fold",
        label="All measures in one table",
        blocks=(
            TableBlock(key="all-measures", table=table, csv=csv_of_result(ranking)),
            Paragraph(table.legend, "dim"),
        ),
    )
    words = tuple(Paragraph(line, "dim") for line in (*table.verdict, table.unit, *table.words) if line)
    lead = (
        "Best first, with the confidence interval of each system. [In brackets]: trivial labelings; a measure that "
        "ranks them high can be gamed."
    )
    return Section(key="ranking", title="Ranking", lead=lead, blocks=(switch, *words, whole))


def _by_measure(ranking: TagRanking, k: int, order: list[int]) -> TableBlock:
    name = tag_measure_name(ranking.measures[k])
    columns = (
        TableColumn(heading="cluster", kind="integer"),
        TableColumn(heading="system"),
        TableColumn(heading=name, kind="number", digits=3),
        TableColumn(heading=f"{percent(ranking.confidence)} CI", kind="interval", digits=3),
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
    """Return the confusion counts of each system."""
    columns = (
        TableColumn(heading="system"),
        TableColumn(heading="BAD tagged BAD", kind="integer"),
        TableColumn(heading="BAD tagged OK", kind="integer"),
        TableColumn(heading="OK tagged BAD", kind="integer"),
        TableColumn(heading="OK tagged OK", kind="integer"),
        TableColumn(heading="tagged BAD", kind="count"),
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
        key="confusion",
        table=Table(title="Words by gold tag and predicted tag", columns=columns, rows=tuple(rows)),
    )
    lead = f"{bad:.1f}% of the words are BAD in the gold tags."
    return Section(
        key="confusion-section",
        title="Correct and wrong tags",
        menu="Confusion",
        lead=lead,
        blocks=(table,),
    )


def _sentences(tags: WordTags, ranking: TagRanking, inputs: Inputs) -> Section:
    """Return the sentences on which the first two systems differ most in the number of wrong tags."""
    a, b = [name for name in ranking.systems if name in tags.systems][:2]
    wrong = {name: tags.predicted[tags.systems.index(name)] != tags.gold for name in (a, b)}
    n_wrong = {
        name: np.bincount(tags.segment_of_word[wrong[name]], minlength=len(tags.segments)) for name in (a, b)
    }
    gap = n_wrong[b].astype(np.int64) - n_wrong[a]
    order = np.argsort(-np.abs(gap), kind="stable")[:_MOST_SENTENCES].tolist()
    words = inputs.words if inputs.show_texts else ()
    rows = tuple(
        _sentence(tags, i, (a, b), int(gap[i]), words[i] if words else None) for i in order if gap[i]
    )
    lead = (
        f"The sentences on which {a} and {b} differ most in the number of wrong tags. Shaded: tagged BAD. Outlined: "
        "the tag is wrong."
    )
    if not words:
        lead += (
            " Words are shown by their numbers; to see them, name the file with the tagged translations too."
            if inputs.show_texts
            else " Words are left out of this report."
        )
    block = TaggedSentences(key="sentence-list", rows=rows)
    return Section(key="segments", title="Sentences to read", menu="Sentences", lead=lead, blocks=(block,))


def _sentence(
    tags: WordTags, i: int, pair: tuple[str, str], gap: int, words: tuple[str, ...] | None
) -> TaggedSentence:
    part = slice(int(tags.offsets[i]), int(tags.offsets[i + 1]))
    gold = tags.gold[part].tolist()
    shown = words if words is not None else tuple(str(k) for k in range(1, len(gold) + 1))
    lines = [("gold", tuple((word, bad, False) for word, bad in zip(shown, gold, strict=True)))]
    for name in pair:
        predicted = tags.predicted[tags.systems.index(name), part].tolist()
        lines.append(
            (
                name,
                tuple(
                    (word, bad, bad != true) for word, bad, true in zip(shown, predicted, gold, strict=True)
                ),
            )
        )
    fewer = pair[0] if gap > 0 else pair[1]
    n = abs(gap)
    difference = f"{n} fewer {plural(n, 'error')} by {fewer}"
    return TaggedSentence(segment=tags.segments[i], difference=difference, lines=tuple(lines))


def _headline(ranking: TagRanking) -> str:
    real = [i for i in range(len(ranking.systems)) if not ranking.is_synthetic[i]]
    first = ranking.systems[real[0]]
    alike = [i for i in real[1:] if set(ranking.letters[i]) & set(ranking.letters[real[0]])]
    name = tag_measure_name(ranking.measures[0])
    if len(real) == 1:
        return f"{first} reaches {ranking.value[real[0], 0]:.3f} by {name}."
    second, m = ranking.systems[real[1]], len(real)
    if not alike:
        end = f"is better than {second}" if m == 2 else f"is the best of {m} systems, ahead of {second}"
        return f"{first} {end}, by {name}."
    if m == 2:
        return f"No significant difference between {first} and {second} by {name}."
    return close_race(first, second, len(alike) + 1, m, by=f" by {name}")


def _verdict(ranking: TagRanking, pairs: PairwiseTable | None) -> str:
    real = [i for i in range(len(ranking.systems)) if not ranking.is_synthetic[i]]
    first, name = real[0], tag_measure_name(ranking.measures[0])
    summary = (
        f"{ranking.systems[first]} has {name} {ranking.value[first, 0]:.3f} ({percent(ranking.confidence)} CI "
        f"{ranking.low[first, 0]:.3f} to {ranking.high[first, 0]:.3f})."
    )
    if pairs is not None:
        summary = effect_sentence(pairs, ranking.systems[first], ranking.systems[real[1]])
        different = capitalized(number_different(int(ranking.n_different[0]), ranking.n_pairs))
        summary += f" {different} significantly." if ranking.n_pairs > 1 else ""
    gamed = {synthetic: n for synthetic, n in ranking.above(ranking.measures[0]).items() if n}
    if gamed:
        n, m = max(gamed.values()), len(real)
        summary += f" A trivial labeling ({' or '.join(gamed)}) scores higher than {n} of {m} systems."
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
        f"Confidence intervals cover {percent(ranking.confidence)} (jackknife over sentences or documents).",
        f"Pairs are compared by approximate randomization, {how}, at level {ranking.alpha:g}.",
        "Computed with betterthan.",
    ]
