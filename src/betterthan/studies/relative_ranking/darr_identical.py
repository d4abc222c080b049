"""Tables 1 to 3 of the paper on relative rankings: identical translations that are called better and worse."""

from __future__ import annotations

import math
from typing import NamedTuple

from betterthan.analysis.human.identical_outputs import identical_outputs
from betterthan.analysis.wording import counted, share
from betterthan.errors import BetterThanError
from betterthan.results.human import IdenticalOutputs
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.reporting import UNKNOWN, Claim, Mark, figure, holds_in, printed_table
from betterthan.studies.request import StudyRequest
from betterthan.studies.translated import (
    Translated,
    read_translated,
    translated_or_demo,
    with_texts,
)

read = read_translated
_MOST_LISTED = 200
TABLE_3 = printed_table("relative_ranking", "table_3")


class _DatasetOutputs(NamedTuple):
    """One data set with its identical outputs."""

    dataset: str
    outputs: IdenticalOutputs

    @property
    def n_judged(self) -> int:
        """Pairs with identical outputs of which both were judged."""
        return sum(not math.isnan(pair.gap) for pair in self.outputs.identical_pairs)


def run(request: StudyRequest, translated: tuple[Translated, ...] | None = None) -> Study:
    """Find the pairs of systems with the same text whose human scores differ by a margin or more."""
    used = tuple(one for one in translated_or_demo(request, translated) if one.human is not None)
    if not used:
        raise BetterThanError("No data set has human scores. Put a file called human.csv beside the texts.")
    margin = float(request.options["margin"])
    datasets = [
        _DatasetOutputs(
            one.dataset,
            identical_outputs(one.texts, one.human, margin=margin, metrics=tuple(one.metrics.values())),
        )
        for one in used
    ]
    answer = request.answer(
        tables=[_table_3(datasets), _called_better(datasets), _printed()],
        claims=_claims(datasets),
        charts=[_chart(datasets)],
        sentences=_sentences(datasets, margin),
        differences=_DIFFERENCES,
        draws=False,
    )
    return with_texts(answer, used, is_demo=translated is None)


_DIFFERENCES = (
    (
        "The paper counts the pairs of WMT19 and rounds them to thousands; its own numbers are in the table "
        '"table-3-printed". Texts are the same here when every character is.'
    ),
)


def _table_3(datasets: list[_DatasetOutputs]) -> StudyTable:
    metrics = list(dict.fromkeys(each.metric for one in datasets for each in one.outputs.metric_ties))
    rows: list[tuple[StudyCell, ...]] = []
    for one in datasets:
        dataset, outputs = one
        ties = {each.metric: each for each in outputs.metric_ties}
        tie_counts = [
            (ties[name].ties, ties[name].identical) if name in ties else (None, None) for name in metrics
        ]
        rows.append(
            (
                *(dataset, outputs.n_pairs, outputs.n_judged, outputs.n_kept),
                *(outputs.n_identical, one.n_judged, outputs.n_surviving),
                *(count for counts in tie_counts for count in counts),
            )
        )
    return StudyTable(
        name="table-3",
        title="Pairs of systems on a segment: judged, kept by the margin, with identical texts, and tied by metrics",
        columns=(
            *("data", "pairs", "judged", "kept", "identical", "identical and judged", "identical and kept"),
            *(what for name in metrics for what in (f"ties of {name}", f"ties of {name}, identical")),
        ),
        rows=tuple(rows),
        notes=("Ties of metrics are counted among the pairs that are kept.",),
    )


def _called_better(datasets: list[_DatasetOutputs]) -> StudyTable:
    """Those that survive, widest gap first: tables 1 and 2 in one."""
    rows: list[tuple[StudyCell, ...]] = [
        (dataset, pair.segment, pair.first, pair.second, pair.gap, pair.text)
        for dataset, outputs in datasets
        for pair in outputs.identical_pairs[:_MOST_LISTED]
        if pair.survives
    ]
    return StudyTable(
        name="tables-1-and-2",
        title="Identical texts of which one is called better",
        columns=("data", "segment", "better", "worse", "gap", "text"),
        rows=tuple(rows),
        is_detail=True,
        notes=(f"At most {_MOST_LISTED} of a data set.",),
    )


def _printed() -> StudyTable:
    return StudyTable(
        name="table-3-printed",
        title="Table 3 as it is printed, for WMT19",
        columns=TABLE_3.columns,
        rows=TABLE_3.rows,
        is_detail=True,
    )


def _chart(datasets: list[_DatasetOutputs]) -> StudyChart:
    marks = [
        Mark("", what, one.dataset, count)
        for one in datasets
        for what, count in (
            ("identical and judged", one.n_judged),
            ("identical and kept", one.outputs.n_surviving),
        )
    ]
    return figure(
        marks,
        name="table-3",
        title="Pairs of systems with identical texts that were judged, and those called better and worse",
        kind="bars",
        x="data",
        y="pairs",
    )


def _claims(datasets: list[_DatasetOutputs]) -> list[Claim]:
    judged = [one for one in datasets if one.n_judged]
    surviving = sum(one.outputs.n_surviving > 0 for one in judged)
    ties = [each for one in datasets for each in one.outputs.metric_ties if each.ties]
    from_identical = sum(each.identical for each in ties)
    total = sum(each.ties for each in ties)
    return [
        Claim(
            "pairs of identical translations survive the threshold",
            "section 2.3, tables 1 to 3",
            holds_in(surviving, len(judged)),
            ", ".join(f"{one.dataset} {one.outputs.n_surviving} of {one.n_judged}" for one in judged)
            or "none judged",
        ),
        Claim(
            "a significant amount of the ties of metrics comes from identical translations",
            "section 2.3, table 3",
            UNKNOWN if not total else from_identical >= _MANY * total,
            f"{from_identical} of {total} ties" if total else "no metrics with ties",
        ),
    ]


_MANY = 0.1


def _sentences(datasets: list[_DatasetOutputs], margin: float) -> tuple[str, ...]:
    same = sum(one.n_judged for one in datasets)
    n_kept, left = (sum(getattr(one.outputs, name) for one in datasets) for name in ("n_kept", "n_surviving"))
    part = f", {share(left / n_kept)} of all that are kept" if n_kept else ""
    return (
        (
            f"Of {counted(same, 'pair')} of systems with identical texts and human scores, {left} were scored "
            f"{margin:g} or more apart, so that a relative ranking calls one better{part}."
        ),
    )
