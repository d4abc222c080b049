"""An explanation of counts as a table: an aggregation a row, then the words."""

from __future__ import annotations

from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Cell, Column, Table
from betterthan.results.counts_explanation import Aggregation, CountsExplanation
from betterthan.results.units import with_unit_first, without_unit

_NAMES = {"pooled": "pooled", "segment_mean": "segment mean", "bootstrap_mean": "bootstrap mean"}
_LEGEND = "* significant at level {:g}, for this pair alone; lead: positive when {} is better."


def counts_explanation_table(result: CountsExplanation) -> Table:
    """Return both scores, the lead and its test under each aggregation; the sentences below."""
    pooled = result.aggregation("pooled")
    digits = digits_for([(pooled.high - pooled.low) / 2], [pooled.effect])
    direction = "higher" if result.higher_is_better else "lower"
    return Table(
        title=f"{result.a} against {result.b}: {result.metric}, {direction} is better, {result.n_segments} segments",
        columns=(
            Column(heading="aggregation"),
            Column(heading=result.a, kind="number", digits=digits),
            Column(heading=result.b, kind="number", digits=digits),
            Column(heading="better"),
            Column(heading="lead", kind="number", digits=digits),
            Column(heading=percent(1 - result.alpha), kind="interval", digits=digits),
            Column(heading="test"),
            Column(heading="p", kind="pvalue"),
        ),
        rows=tuple(_row(way) for way in result.aggregations),
        bold=frozenset((i, 3) for i, way in enumerate(result.aggregations) if way.is_significant),
        words=with_unit_first(
            result.sentences, result.unit_note, result.settings.options["units"], result.undecidable
        ),
        notes=(
            _LEGEND.format(result.alpha, result.a),
            *without_unit(
                result.notes, result.unit_note, result.settings.options["units"], result.undecidable
            ),
        ),
        signature=result.settings.signature,
    )


def _row(way: Aggregation) -> tuple[Cell, ...]:
    better = "level" if way.winner is None else way.winner + ("*" if way.is_significant else "")
    return (
        _NAMES[way.name],
        way.score_a,
        way.score_b,
        better,
        way.effect,
        (way.low, way.high),
        way.test,
        way.pvalue,
    )
