"""A report on texts: outputs scored against references by BLEU, chrF and TER."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

from betterthan.analysis.compare.compare import compare
from betterthan.analysis.explain.explain import explain
from betterthan.analysis.rank.aggregate import aggregate
from betterthan.analysis.rank.agreement import agreement
from betterthan.analysis.rank.rank import rank
from betterthan.errors import unknown_name
from betterthan.present.tables.describe import describe
from betterthan.report.document import Card, Report, Section, Switch, SwitchView, TableBlock, csv_of_result
from betterthan.report.figures.marks import interval_marks, scale_heading
from betterthan.report.inputs import Inputs
from betterthan.report.pair.texts import text_pair_blocks
from betterthan.report.payload import fits, packed_scores, packed_tests, packed_texts, size_note
from betterthan.report.sections.data import csv_files, data_section, files_section, method_section
from betterthan.report.sections.pairs import pairs_card, pairs_section
from betterthan.report.sections.ranking import agreement_section, close_race, effect_sentence
from betterthan.report.sections.segments import chosen_segments, segments_section
from betterthan.report.sections.sureness import sureness_section
from betterthan.report.wording import LOST, count, digits_of, page_table, plural
from betterthan.results.base import Result
from betterthan.results.explanation import CountsExplanation
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Aggregated
from betterthan.scoring.bleu import bleu
from betterthan.scoring.chrf import chrf
from betterthan.scoring.mismatches import mismatches
from betterthan.scoring.ter import ter
from betterthan.tables.counts import Counts
from betterthan.tables.texts import Texts

_SCORERS: dict[str, Callable[..., Counts]] = {"chrf": chrf, "bleu": bleu, "ter": ter}


def texts_report(inputs: Inputs) -> Report:
    """Compute everything that a report on texts shows."""
    texts = inputs.texts
    assert texts is not None  # noqa: S101  (gathered so)
    options: dict[str, Any] = {"rng": inputs.options.get("rng", 12345), **inputs.computing()}
    counted = _counted(inputs, texts)
    aggregated = {name: aggregate(counts, **options) for name, counts in counted.items()}
    results: dict[str, Result] = {f"scores-{name}": table for name, table in aggregated.items()}
    top = next(iter(aggregated.values()))
    compared = _compared(inputs, counted, top, options) if len(texts.systems) > 1 else None
    if compared is not None:
        results |= compared.results
    cited = ("sacrebleu", "chrf", "permutation", "holm", "bootstrap")
    files = csv_files(results)
    sections = [
        _ranking(aggregated),
        *(compared.sections if compared is not None else ()),
        data_section(inputs, [_data_summary(texts)], results.values()),
        method_section(_paragraph(texts, aggregated), results, cited, inputs.command),
        files_section(results, files),
    ]
    return Report(
        title=f"{len(texts.systems)} {plural(len(texts.systems), 'system')} · {count(len(texts.segments))} segments · "
        f"{_references(texts)}",
        kind="texts",
        headline=_headline(top),
        verdict=f"{top.systems[0]} scores {top.pooled[0]:.2f} {top.metric}."
        if compared is None
        else compared.verdict,
        caveats=_caveats(texts),
        cards=_cards(texts, top, None if compared is None else compared.pairs),
        sections=tuple(sections),
        results=results,
        notes=inputs.notes,
        command=inputs.command,
        payload={"csv": files, **({} if compared is None else compared.payload)},
    )


class _Compared(NamedTuple):
    """Comparison of two or more systems."""

    pairs: PairwiseTable
    sections: tuple[Section, ...]
    results: dict[str, Result]
    verdict: str
    payload: dict[str, Any]


def _compared(
    inputs: Inputs, counted: dict[str, Counts], top: Aggregated, options: dict[str, Any]
) -> _Compared:
    main = next(iter(counted.values()))
    segments = _of_segments(inputs, main)
    pairs = compare(main, **options)
    pair = explain(main, *top.systems[:2], rng=options["rng"])
    rankings = {table.name: rank(table, **options) for table in counted.values()}
    alike = agreement(rankings)
    sections = (
        pairs_section(
            pairs,
            unit="segment",
            any_pair=fits(segments.scores),
            opened={(pairs.systems.index(pair.a), pairs.systems.index(pair.b)): "pair"},
            introduction=size_note(segments.scores),
        ),
        _pair(segments, pair, _words(pair, pairs)),
        agreement_section(rankings, alike, title="Do BLEU, chrF and TER agree?"),
        segments_section(segments, *top.systems[:2]),
        sureness_section(segments, rank(segments.scores, by="mean", **options)),
    )
    results: dict[str, Result] = {"pairs": pairs, "pair": pair, "agreement": alike}
    payload = _payload(segments, pairs, pair) if fits(segments.scores) else {}
    return _Compared(pairs, sections, results, _verdict(pair, pairs), payload)


def _of_segments(inputs: Inputs, counts: Counts) -> Inputs:
    return replace(inputs, kind="scores", metrics={counts.name: counts.per_segment()})


def _counted(inputs: Inputs, texts: Texts) -> dict[str, Counts]:
    """Return the counts of every metric, the wanted one first."""
    metric = str(inputs.options.get("metric") or "chrf").lower()
    if metric not in _SCORERS:
        raise unknown_name("metric", metric, _SCORERS)
    missing = "drop" if inputs.options.get("missing") == "drop" else "raise"
    order = [metric, *(name for name in _SCORERS if name != metric)]
    return {
        name: _SCORERS[name](texts, missing=missing, workers=inputs.options.get("workers")) for name in order
    }


def _ranking(aggregated: dict[str, Aggregated]) -> Section:
    choices = []
    for name, table in aggregated.items():
        numbers = [getattr(table, part).tolist() for part in ("pooled", "pooled_low", "pooled_high")]
        block = TableBlock(
            key=f"scores-{name}",
            table=page_table(describe(table)),
            marks=interval_marks(*numbers, stressed=(table.rank_low == 1).tolist()),
            marks_heading=scale_heading(*numbers),
            csv=csv_of_result(table),
            words=True,
        )
        choices.append(SwitchView(key=name, label=table.metric, blocks=(block,)))
    lead = "Best first by the pooled score, drawn with its interval. In color: systems that may be the best."
    switch = Switch(key="metric", label="Metric", choices=tuple(choices))
    return Section(key="ranking", title="Ranking", lead=lead, blocks=(switch,))


def _pair(segments: Inputs, explanation: CountsExplanation, words: tuple[str, ...]) -> Section:
    return Section(
        key="pair",
        title=f"{explanation.a} against {explanation.b}",
        menu="One pair",
        lead=words[0],
        blocks=text_pair_blocks(segments.scores, explanation, key="top-pair", words=words),
    )


def _headline(aggregated: Aggregated) -> str:
    best = [
        name for name, low in zip(aggregated.systems, aggregated.rank_low.tolist(), strict=True) if low == 1
    ]
    m, first = len(aggregated.systems), aggregated.systems[0]
    if m == 1:
        return f"{first}: {aggregated.pooled[0]:.1f} {aggregated.metric}."
    second = aggregated.systems[1]
    if m == 2 and len(best) == 2:
        return f"No significant difference between {first} and {second} by {aggregated.metric}."
    if len(best) == 1:
        return (
            f"{first} is better than {second} by {aggregated.metric}."
            if m == 2
            else f"{first} is the best of {m} systems by {aggregated.metric}, ahead of {second}."
        )
    return close_race(first, second, len(best), m, by=f" by {aggregated.metric}")


def _caveats(texts: Texts) -> tuple[str, ...]:
    """Return what seems wrong with the texts themselves, such as a system that is the reference."""
    # Source files and references are complete; outputs may have gaps.
    seen = mismatches(texts.systems, texts.outputs, texts.references, texts.sources)
    return tuple(found.message for found in seen)


def _verdict(pair: CountsExplanation, pairs: PairwiseTable) -> str:
    """Say by how much the first system leads the second by the pooled score, and what the other aggregations say."""
    effect = effect_sentence(pairs, pair.a, pair.b, higher_is_better=pair.higher_is_better)
    return f"{effect} {pair.verdict}"


def _is_lost(pair: CountsExplanation, pairs: PairwiseTable) -> bool:
    """Whether the pooled score differs significantly for this pair alone, and not among all pairs."""
    alone = pair.aggregation("pooled").is_significant
    return alone and len(pairs.systems) > 2 and not pairs.pair(pair.a, pair.b).adjusted <= pairs.alpha


def _words(pair: CountsExplanation, pairs: PairwiseTable) -> tuple[str, ...]:
    """Return the explanation; it recommends nothing where adjustment for all pairs leaves the question open."""
    if not _is_lost(pair, pairs):
        return pair.sentences
    left = f"The difference in pooled score is {LOST}. The data do not settle which of {pair.a} and {pair.b} is better."
    return (pair.verdict, *pair.reasons, left)


def _data_summary(texts: Texts) -> str:
    m, n = len(texts.systems), len(texts.segments)
    return (
        f"Texts of {m} {plural(m, 'system')} on {count(n)} {plural(n, 'segment')}, with {_references(texts)}."
    )


def _references(texts: Texts) -> str:
    n = len(texts.references)
    return f"{n} reference{'' if n == 1 else 's'}"


def _cards(texts: Texts, top: Aggregated, pairs: PairwiseTable | None) -> tuple[Card, ...]:
    m = len(texts.systems)
    cards = [
        Card(number=str(m), label=plural(m, "system")),
        Card(number=count(len(texts.segments)), label=f"segments, {_references(texts)}"),
    ]
    if pairs is not None:
        cards.append(pairs_card(pairs.n_different, m * (m - 1) // 2))
    if top.longest_tenth == top.longest_tenth:
        share = 100 * top.longest_tenth
        label = "of the pooled score's weight is on the longest tenth of segments"
        cards.append(Card(number=f"{share:.0f}%", label=label, is_warning=share > 25))
    return tuple(cards)


def _paragraph(texts: Texts, aggregated: dict[str, Aggregated]) -> list[str]:
    named = ", ".join(f"{table.metric} ({table.score})" for table in aggregated.values())
    m, n = len(texts.systems), count(len(texts.segments))
    return [
        f"We scored {m} {plural(m, 'system')} on {n} segments with {_references(texts)}.",
        f"Metrics: {named}.",
        "Pairs are compared with paired permutation tests of the pooled score, adjusted by Holm's method.",
        "Confidence intervals are percentiles of a bootstrap over segments.",
        "Computed with betterthan.",
    ]


def _payload(segments: Inputs, pairs: PairwiseTable, pair: CountsExplanation) -> dict[str, Any]:
    scores = segments.scores.select(pairs.systems)
    place = {name: i for i, name in enumerate(scores.systems)}
    payload: dict[str, Any] = {
        "scores": packed_scores(scores, digits=digits_of(scores)),
        "tests": packed_tests([("pooled (permutation)", pairs)], scores.systems),
        "words": {f"{place[pair.a]} {place[pair.b]}": list(_words(pair, pairs))},
        "top": [place[pair.a], place[pair.b]],
    }
    if segments.show_texts and segments.texts is not None:
        chosen = chosen_segments(scores, pair.a, pair.b, each=scores.n_segments)
        payload["texts"] = packed_texts(segments.texts, scores.segments, [scores.segments[i] for i in chosen])
    return payload
