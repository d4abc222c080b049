"""A report on scores: every system on the same segments."""

from __future__ import annotations

import math
from typing import Any

from betterthan.analysis.compare.compare import TestName, compare
from betterthan.analysis.explain.diagnose import diagnose
from betterthan.analysis.rank.rank import Method, rank
from betterthan.errors import NotConverged, NotEstimable
from betterthan.present.tables.describe import describe
from betterthan.present.tables.metrics import human_translations
from betterthan.present.tables.pairwise import correction_words
from betterthan.report.document import (
    Block,
    Card,
    Fold,
    Paragraph,
    Report,
    Section,
    TableBlock,
    csv_of_result,
)
from betterthan.report.inputs import Inputs
from betterthan.report.pair.scores import explained, pair_blocks, pair_fold
from betterthan.report.payload import fits, packed_scores, packed_tests, packed_texts, size_note
from betterthan.report.sections.data import csv_files, data_section, files_section, method_section
from betterthan.report.sections.pairs import pairs_card, pairs_section
from betterthan.report.sections.ranking import (
    PairStanding,
    agreed,
    agreement_section,
    close_race,
    may_be_best,
    n_documents,
    ranking_section,
    standing,
)
from betterthan.report.sections.segments import chosen_segments, segments_section, slices_section
from betterthan.report.sections.sureness import claim_section, needed_range, sureness_section
from betterthan.report.sections.tasks import (
    MetricChanges,
    all_metrics,
    board_section,
    every_metric_section,
    metric_changes,
    over_tasks,
    tradeoffs_section,
)
from betterthan.report.wording import about, count, digits_of, plural
from betterthan.results.base import Result
from betterthan.results.explanation import Explanation
from betterthan.results.pairwise import PairwiseTable
from betterthan.results.ranking import Ranking
from betterthan.results.tasks import Board, Tradeoffs
from betterthan.tables.metric_names import is_human_translation
from betterthan.tables.scores import Scores

_METHODS: tuple[Method, ...] = ("mean", "median", "win_rate", "bradley_terry")
# The median of rights and wrongs is 0 or 1 and cannot rank systems.
_METHODS_OF_BINARY: tuple[Method, ...] = ("mean", "win_rate", "bradley_terry")
_EXPLAINED = 11
_MANY_TIES = 0.15
_METHODS_CITED = ("paired", "permutation", "holm", "bootstrap", "bradley_terry", "power")


def scores_report(inputs: Inputs) -> Report:
    """Compute everything that a report on scores shows."""
    binary = inputs.scores.is_binary
    rankings = _rankings(inputs, _METHODS_OF_BINARY if binary else _METHODS)
    known = {by: result for by, result in rankings.items() if isinstance(result, Ranking)}
    top = known["mean"]
    tests = _tests(inputs)
    pairs = tests["permutation"]
    neighbors = list(zip(top.systems, top.systems[1:], strict=False))[:_EXPLAINED]
    explanations = [explained(inputs, a, b) for a, b in neighbors]
    documents = n_documents(inputs)
    stand = [standing(result, tests, documents, is_binary=binary) for result in explanations]
    by_metric, tasks = all_metrics(inputs) if len(inputs.metrics) > 1 else None, over_tasks(inputs)
    changes = None if by_metric is None else metric_changes(by_metric, inputs, neighbors[0])
    agreement = agreed(known)
    results: dict[str, Result] = {f"ranking-{by}": result for by, result in known.items()}
    results |= {"pairs": pairs, "pair": explanations[0], "diagnosis": diagnose(inputs.scores)}
    results |= _present({"agreement": agreement, "tradeoffs": by_metric, "board": tasks})
    files = csv_files(results)
    sections = [
        ranking_section(rankings),
        _of_all_tables(tasks, by_metric),
        None if changes is None else every_metric_section(changes),
        _pairs(inputs, pairs, explanations, documents),
        _pair(inputs, explanations, stand, pairs.systems),
        *([agreement_section(known, agreement)] if agreement is not None else []),
        *_metrics(inputs, top),
        slices_section(inputs, *neighbors[0]),
        segments_section(inputs, *neighbors[0]),
        *_sureness(inputs, top, documents=documents is not None),
        data_section(
            inputs,
            _data_summary(inputs),
            _noted(results, documents, binary=binary),
            blocks=_diagnosis(results["diagnosis"]),
        ),
        method_section(_paragraph(inputs, top, pairs), results, _METHODS_CITED, inputs.command),
        files_section(results, files),
    ]
    return Report(
        title=_title(inputs),
        kind="scores",
        headline=_headline(inputs, known, explanations[0], changes),
        verdict=_verdict(inputs, stand[0], changes),
        caveats=_caveats(inputs),
        cards=_cards(inputs, pairs, explanations[0], known),
        sections=tuple(section for section in sections if section is not None),
        results=results,
        notes=inputs.notes,
        command=inputs.command,
        payload={"csv": files, **_payload(inputs, tests, explanations, stand)},
    )


def _of_all_tables(tasks: Board | None, metrics: Tradeoffs | None) -> Section | None:
    if tasks is not None:
        return board_section(tasks)
    return None if metrics is None else tradeoffs_section(metrics)


def _sureness(inputs: Inputs, top: Ranking, *, documents: bool) -> tuple[Section | None, Section | None]:
    return sureness_section(inputs, top, documents=documents), claim_section(inputs, top)


def _present(results: dict[str, Result | None]) -> dict[str, Result]:
    return {name: result for name, result in results.items() if result is not None}


def _verb_options(inputs: Inputs, **more: Any) -> dict[str, Any]:  # noqa: ANN401
    names: tuple[str, ...] = ("missing", "units", "rng")
    options = {key: inputs.options[key] for key in names if key in inputs.options}
    return {**options, **inputs.computing(), **more}


def _verdict(inputs: Inputs, pair: PairStanding, changes: MetricChanges | None) -> str:
    if changes is None:
        return pair.verdict
    return f"{changes.summary} The rest of this page is about {inputs.scores.name}: {pair.verdict}"


def _rankings(inputs: Inputs, methods: tuple[Method, ...]) -> dict[str, Ranking | str]:
    rankings: dict[str, Ranking | str] = {}
    for by in methods:
        try:
            rankings[by] = rank(inputs.scores, by=by, **_verb_options(inputs))
        except (NotEstimable, NotConverged) as error:
            rankings[by] = error.text
    return rankings


def _tests(inputs: Inputs) -> dict[str, PairwiseTable]:
    """All pairs by the test of the mean and, where segments are the units, by tests that only take segments."""
    names: tuple[TestName, ...] = ("permutation", "sign", "wilcoxon")
    return {
        name: compare(inputs.scores, test=name, **_verb_options(inputs))
        for name in (names[:1] if _is_by_documents(inputs) else names)
    }


def _is_by_documents(inputs: Inputs) -> bool:
    return inputs.options.get("units") == "groups"


def _pairs(
    inputs: Inputs, pairs: PairwiseTable, explanations: list[Explanation], documents: int | None
) -> Section:
    return pairs_section(
        pairs,
        unit="segment",
        any_pair=fits(inputs.scores),
        opened=_opened(explanations, pairs.systems),
        introduction=size_note(inputs.scores),
        over="" if documents is None else "documents",
    )


def _pair(
    inputs: Inputs, explanations: list[Explanation], stand: list[PairStanding], systems: tuple[str, ...]
) -> Section:
    first, *others = explanations
    blocks = pair_blocks(inputs.scores, first, words=(stand[0].lead, *stand[0].words))
    if others:
        place = {name: i for i, name in enumerate(systems)}
        folds = tuple(
            pair_fold(
                explanation, place[explanation.a], place[explanation.b], words=(words.lead, *words.words)
            )
            for explanation, words in zip(others, stand[1:], strict=True)
        )
        blocks = (*blocks, Paragraph("Other neighbors in the ranking", "dim"), *folds)
    title = f"{first.a} against {first.b}"
    return Section(
        key="pair",
        title=title,
        menu="One pair",
        lead="" if len(systems) == 2 else stand[0].lead,
        blocks=blocks,
    )


def _opened(explanations: list[Explanation], systems: tuple[str, ...]) -> dict[tuple[int, int], str]:
    """Return where each explained pair is in the page: the first in a section of its own, the others in folds."""
    place = {name: i for i, name in enumerate(systems)}
    anchors = {
        (place[pair.a], place[pair.b]): f"pair-{place[pair.a]}-{place[pair.b]}" for pair in explanations
    }
    return {**anchors, (place[explanations[0].a], place[explanations[0].b]): "pair"}


def _metrics(inputs: Inputs, first: Ranking) -> list[Section]:
    """Return how the other metrics of the data rank the same systems, when there are several."""
    if len(inputs.metrics) < 2 or inputs.scores.n_systems == 2:  # the table of every metric shows two systems
        return []
    about, *others = inputs.metrics
    rankings = {about: first}
    rankings |= {name: rank(inputs.metrics[name], by="mean", **_verb_options(inputs)) for name in others}
    agreement = agreed(rankings)
    if agreement is None:
        return []
    return [
        agreement_section(rankings, agreement, key="metrics", title="Do the metrics agree?", menu="Metrics")
    ]


def _noted(results: dict[str, Result], documents: int | None, *, binary: bool) -> list[Result]:
    """Return the results whose notes belong to the data check.

    Notes of an explanation about documents as units repeat those of the table of all pairs; of
    right and wrong they are about medians.
    """
    return [
        result for name, result in results.items() if name != "pair" or (documents is None and not binary)
    ]


def _diagnosis(diagnosis: Result) -> tuple[Block, ...]:
    table = TableBlock(key="diagnosis", table=describe(diagnosis), csv=csv_of_result(diagnosis), words=True)
    return (Fold(key="diagnosis-fold", label="Distribution and reliability of the scores", blocks=(table,)),)


def _title(inputs: Inputs) -> str:
    scores = inputs.scores
    direction = "higher is better" if scores.higher_is_better else "lower is better"
    n = scores.n_segments
    return f"{scores.name} ({direction}) · {scores.n_systems} systems · {count(n)} {plural(n, 'segment')}"


def _data_summary(inputs: Inputs) -> list[str]:
    scores = inputs.scores
    summary = (
        f"{scores.n_systems} systems × {count(scores.n_segments)} {plural(scores.n_segments, 'segment')}"
    )
    summary += f" in {_documents(scores)}" if scores.groups else ""
    n = scores.n_missing
    summary += f", {count(n)} {plural(n, 'score')} missing." if n else ", no score missing."
    return [summary]


def _documents(scores: Scores) -> str:
    n = len(set(scores.groups or ()))
    return f"{count(n)} {plural(n, 'document')}"


def _caveats(inputs: Inputs) -> tuple[str, ...]:
    """Name human translations among the systems: they are rarely what the systems are compared for."""
    human = [name for name in inputs.scores.systems if is_human_translation(name)]
    return (human_translations(human),) if human else ()


def _headline(
    inputs: Inputs, rankings: dict[str, Ranking], pair: Explanation, changes: MetricChanges | None
) -> str:
    if changes is not None and inputs.scores.n_systems == 2:
        return changes.headline
    top = rankings["mean"]
    by = "" if changes is None else f" by {inputs.scores.name}"
    best = may_be_best(top)
    first = top.systems[0]
    wins = rankings.get("bradley_terry")
    other = wins.systems[0] if wins is not None else first
    m = len(top.systems)
    if len(best) == 1 and other == first:
        return (
            f"{first} is better than {pair.b}."
            if m == 2
            else f"{first} is the best of {m} systems{by}, ahead of {pair.b}."
        )
    if len(best) == 1:
        return f"{first} has the best mean{by}, but {other} ranks first by wins."
    if m == 2:
        return f"No significant difference between {pair.a} and {pair.b}."
    return close_race(first, pair.b, len(best), m, by=by, is_tied=bool(top.rank[1] == 1))


def _cards(
    inputs: Inputs, pairs: PairwiseTable, pair: Explanation, rankings: dict[str, Ranking]
) -> tuple[Card, ...]:
    scores = inputs.scores
    m = scores.n_systems
    n, by_documents = count(scores.n_segments), _is_by_documents(inputs)
    documents = f", {_documents(scores)}{' as units' if by_documents else ''}" if scores.groups else ""
    return (
        Card(number=str(m), label="systems"),
        Card(number=n, label=f"segments{documents}"),
        pairs_card(pairs.n_different, m * (m - 1) // 2),
        _warning(inputs, pair, rankings),
    )


def _warning(inputs: Inputs, pair: Explanation, rankings: dict[str, Ranking]) -> Card:
    """Return the most important caveat, or how robust the lead is."""
    ties = pair.ties / pair.n_segments
    wins = rankings.get("bradley_terry")
    if wins is not None and wins.systems[0] != rankings["mean"].systems[0]:
        return Card(number="2 winners", label=f"{pair.a} by mean, {wins.systems[0]} by wins", is_warning=True)
    if ties > _MANY_TIES and not inputs.scores.is_binary:
        label = f"of segments are ties between {pair.a} and {pair.b}"
        return Card(number=f"{100 * ties:.0f}%", label=label, is_warning=True)
    needed = _needed(inputs, pair, rankings["mean"])
    if needed is not None:
        return needed
    flip = pair.flip("mean")
    if flip.n_segments is None:
        return Card(number="none", label="of the segments, left out, would change which system is first")
    label = f"{plural(flip.n_segments, 'segment')} left out would be enough to change which system is first"
    return Card(number=count(flip.n_segments), label=label)


def _needed(inputs: Inputs, pair: Explanation, ranking: Ranking) -> Card | None:
    """Return how many units would show the lead of the first system, where that is more than there are."""
    adjusted = None if ranking.segments_needed is None else float(ranking.segments_needed[0])
    needed = pair.n_needed if adjusted is None or not math.isfinite(adjusted) else adjusted
    if needed is None or needed <= pair.n_units:
        return None
    what = "documents" if pair.units == "groups" else "segments"
    both = inputs.scores.complete(missing="drop").select([pair.a, pair.b])
    gap = both.goodness[0] - both.goodness[1]
    number, span = needed_range(needed, gap) if what == "segments" else (about(needed), "")
    label = f"{what} would show a difference like that of the top two with 80% power"
    return Card(number=f"≈ {number}", of=span, label=label, is_warning=True)


def _paragraph(inputs: Inputs, ranking: Ranking, pairs: PairwiseTable) -> list[str]:
    scores = inputs.scores
    level = f"{100 * ranking.confidence:g}%"
    m = scores.n_systems
    by_documents = _is_by_documents(inputs)
    units = "documents" if by_documents else "segments"
    tests = f"two-sided paired permutation tests{' over documents' if by_documents else ''}"
    n_pairs = m * (m - 1) // 2
    over = f", {correction_words(pairs.correction)} over {count(n_pairs)} pairs" if n_pairs > 1 else ""
    return [
        f"We compared {m} systems on the same {count(scores.n_segments)} segments by {scores.name}.",
        f"Systems are ranked by their mean, with {level} confidence intervals of each mean ({units} as units).",
        f"Pairs are compared with {tests}{over}, at level {pairs.alpha:g}.",
        (
            f"We also report {'' if scores.is_binary else 'medians, '}win rates and Bradley–Terry strengths "
            "(Peyrard et al., 2021)."
        ),
        "Computed with betterthan.",
    ]


def _payload(
    inputs: Inputs,
    tests: dict[str, PairwiseTable],
    explanations: list[Explanation],
    stand: list[PairStanding],
) -> dict[str, Any]:
    if not fits(inputs.scores):
        return {}
    scores = inputs.scores.select(tests["permutation"].systems)
    place = {name: i for i, name in enumerate(scores.systems)}
    named = {"permutation": "mean (permutation)", "sign": "wins (sign)", "wilcoxon": "shift (Wilcoxon)"}
    if scores.is_binary:
        named["sign"] = "McNemar (exact)"
    if _is_by_documents(inputs):
        named["permutation"] = "mean (permutation, documents)"
    first = explanations[0]
    payload: dict[str, Any] = {
        "scores": packed_scores(scores, digits=digits_of(scores)),
        "tests": packed_tests([(named[name], test) for name, test in tests.items()], scores.systems),
        "words": {
            f"{place[explanation.a]} {place[explanation.b]}": [words.lead, *words.words]
            for explanation, words in zip(explanations, stand, strict=True)
        },
        "top": [place[first.a], place[first.b]],
        "binary": scores.is_binary,
    }
    if inputs.texts is not None and inputs.show_texts:
        segments = [
            scores.segments[i] for i in chosen_segments(scores, first.a, first.b, each=scores.n_segments)
        ]
        payload["texts"] = packed_texts(inputs.texts, scores.segments, segments)
    return payload
