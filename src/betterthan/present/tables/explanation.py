"""Explanations as tables: a question or a way of aggregating a row, then the words."""

from __future__ import annotations

from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Cell, Column, Table
from betterthan.results.explanation import Aggregation, CountsExplanation, Explanation, Flip, Mechanism
from betterthan.results.units import with_unit_first

_QUESTIONS = {
    "mean": "{better} mean?",
    "median": "{better} median?",
    "bradley_terry": "more wins?",
    "shift": "shifted?",
}

_LEGEND = (
    '* significant at level {:g}, for this pair alone; "turns without": the fewest segments whose removal gives '
    "the other answer."
)


def explanation_table(result: Explanation) -> Table:
    """Return what each mechanism says, its test, and how few segments turn it; the sentences below."""
    rows: list[tuple[Cell, ...]] = []
    for mechanism in result.mechanisms:
        rows.append(_row(result, mechanism))
        rows += [("", "", "", test.name, test.pvalue, "") for test in mechanism.other_tests]
    direction = "higher" if result.higher_is_better else "lower"
    return Table(
        title=f"{result.a} against {result.b}: {result.metric}, {direction} is better, "
        f"{result.n_segments} segments",
        columns=(
            Column(heading="question"),
            Column(heading="answer"),
            Column(heading="lead"),
            Column(heading="test"),
            Column(heading="p", kind="pvalue"),
            Column(heading="turns without"),
        ),
        rows=tuple(rows),
        bold=frozenset((i, 1) for i, row in enumerate(rows) if _is_sure(result, row)),
        words=with_unit_first(result.sentences, result.unit_note, result.units, result.undecidable),
        notes=(
            _LEGEND.format(result.alpha),
            *result.notes,
        ),
        signature=result.settings.signature,
    )


def _row(result: Explanation, mechanism: Mechanism) -> tuple[Cell, ...]:
    better = "higher" if result.higher_is_better else "lower (better)"
    question = _QUESTIONS[mechanism.name].format(better=better)
    turned = "" if mechanism.name == "shift" else _turned(result.flip(mechanism.name))
    mark = "*" if mechanism.is_significant else ""
    answer = f"{mechanism.winner}{mark}" if mechanism.winner else "level"
    test = f"{mechanism.test} (Bradley–Terry)" if mechanism.name == "bradley_terry" else mechanism.test
    return question, answer, _size(result, mechanism), test, mechanism.pvalue, turned


def _size(result: Explanation, mechanism: Mechanism) -> str:
    if mechanism.name == "bradley_terry":
        return f"{max(result.wins, result.losses)} to {min(result.wins, result.losses)}"
    if mechanism.name == "shift":
        return number(abs(mechanism.effect), 2)
    digits = digits_for([(result.high - result.low) / 2], [result.mean_difference])
    return number(abs(mechanism.effect), digits)


def _turned(flip: Flip) -> str:
    if flip.n_segments is None:
        return "–"
    return f"{flip.n_segments} ({percent(round(flip.share, 3 if flip.share < 0.1 else 2))})"


def _is_sure(result: Explanation, row: tuple[Cell, ...]) -> bool:
    return isinstance(row[1], str) and row[1].endswith("*") and row[1][:-1] in {result.a, result.b}


_NAMES = {"pooled": "pooled", "segment_mean": "segment mean", "bootstrap_mean": "bootstrap mean"}
_COUNTS_LEGEND = "* significant at level {:g}, for this pair alone; lead: positive when {} is better."


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
        rows=tuple(_counts_row(way) for way in result.aggregations),
        bold=frozenset((i, 3) for i, way in enumerate(result.aggregations) if way.is_significant),
        words=with_unit_first(
            result.sentences, result.unit_note, result.settings.options["units"], result.undecidable
        ),
        notes=(
            _COUNTS_LEGEND.format(result.alpha, result.a),
            *result.notes,
        ),
        signature=result.settings.signature,
    )


def _counts_row(way: Aggregation) -> tuple[Cell, ...]:
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
