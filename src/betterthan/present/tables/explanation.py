"""Explanations as tables: one row per question or way of aggregating, then the words.

What a file holds as a table: a checkup with its preview; a diagnosis, one measure per row, then what it means.
"""

from __future__ import annotations

from betterthan.messages import joined
from betterthan.present.numbers import digits_for, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.pairwise import right_and_wrong
from betterthan.results.checkup import Checkup, Diagnosis
from betterthan.results.explanation import Aggregation, CountsExplanation, Explanation, Flip, Mechanism
from betterthan.results.settings import unit_line

_QUESTIONS = {
    "mean": "{better} mean?",
    "median": "{better} median?",
    "bradley_terry": "more wins?",
    "shift": "location shift?",
}

_LEGEND = "* p ≤ {:g}, for this pair alone; segments to flip: the fewest whose removal reverses the answer."


def explanation_table(result: Explanation) -> Table:
    """Return what each mechanism says, its test, and how few segments reverse it; the sentences below."""
    if result.both_right is not None:
        return _outcome_table(result)
    rows: list[tuple[TableCell, ...]] = []
    bold = set()
    for mechanism in result.mechanisms:
        if mechanism.is_significant and mechanism.winner:
            bold.add((len(rows), 1))
        rows.append(_row(result, mechanism))
        rows += [("", "", "", test.name, test.pvalue, "") for test in mechanism.other_tests]
    direction = "higher" if result.higher_is_better else "lower"
    return Table(
        title=f"{result.a} against {result.b}: {result.metric}, {direction} is better, "
        f"{result.n_segments:,} segments",
        columns=(
            TableColumn(heading="question"),
            TableColumn(heading="answer"),
            TableColumn(heading="lead"),
            TableColumn(heading="test"),
            TableColumn(heading="p", kind="pvalue"),
            TableColumn(heading="segments to flip"),
        ),
        rows=tuple(rows),
        bold=frozenset(bold),
        verdict=tuple(line for line in (result.undecidable, *result.sentences[:1]) if line),
        unit=unit_line(result.unit_note, result.units),
        words=tuple(f"• {line}" for line in result.sentences[1:]),
        legend=explanation_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _outcome_table(result: Explanation) -> Table:
    """Return the table of right and wrong, and the one question that it answers."""
    mean = result.mechanism("mean")
    mark = "*" if mean.is_significant else ""
    test = "McNemar, exact" if result.units == "segments" else "permutation"
    only = f"{max(result.wins, result.losses)} to {min(result.wins, result.losses)}"
    counts = (result.both_right or 0, result.wins, result.losses, result.both_wrong or 0)
    return Table(
        title=f"{result.a} against {result.b}: {result.metric}, right or wrong, {result.n_segments:,} segments",
        columns=(
            TableColumn(heading="question"),
            TableColumn(heading="answer"),
            TableColumn(heading="only one right"),
            TableColumn(heading="test"),
            TableColumn(heading="p", kind="pvalue"),
            TableColumn(heading="segments to flip"),
        ),
        rows=(
            (
                *(
                    "right more often?",
                    f"{mean.winner}{mark}" if mean.winner else "equally often",
                    only,
                    test,
                ),
                *(mean.pvalue, _turned(result.flip("mean"))),
            ),
        ),
        bold=frozenset({(0, 1)}) if mean.is_significant else frozenset(),
        verdict=tuple(line for line in (result.undecidable, *result.sentences[:1]) if line),
        unit=unit_line(result.unit_note, result.units),
        words=tuple(f"• {line}" for line in result.sentences[2:]),
        legend=explanation_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
        above=(right_and_wrong(result.a, result.b, *counts),),
    )


def explanation_legend(result: Explanation) -> str:
    """Return what the star and the last column of the table mean."""
    return _LEGEND.format(result.alpha)


def _row(result: Explanation, mechanism: Mechanism) -> tuple[TableCell, ...]:
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


_NAMES = {"pooled": "pooled", "segment_mean": "segment mean", "bootstrap_mean": "bootstrap mean"}
_COUNTS_LEGEND = "* p ≤ {:g}, for this pair alone; lead: positive when {} is better."


def counts_explanation_table(result: CountsExplanation) -> Table:
    """Return both scores, the lead and its test under each aggregation; the sentences below."""
    pooled = result.aggregation("pooled")
    digits = digits_for([(pooled.high - pooled.low) / 2], [pooled.effect])
    direction = "higher" if result.higher_is_better else "lower"
    return Table(
        title=f"{result.a} against {result.b}: {result.metric}, {direction} is better, {result.n_segments:,} segments",
        columns=(
            TableColumn(heading="aggregation"),
            TableColumn(heading=result.a, kind="number", digits=digits),
            TableColumn(heading=result.b, kind="number", digits=digits),
            TableColumn(heading="better"),
            TableColumn(heading="lead", kind="number", digits=digits),
            TableColumn(heading=f"{percent(1 - result.alpha)} CI", kind="interval", digits=digits),
            TableColumn(heading="test"),
            TableColumn(heading="p", kind="pvalue"),
        ),
        rows=tuple(_counts_row(way) for way in result.aggregations),
        bold=frozenset((i, 3) for i, way in enumerate(result.aggregations) if way.is_significant),
        verdict=tuple(line for line in (result.undecidable, *result.sentences[:1]) if line),
        unit=unit_line(result.unit_note, str(result.settings.options["units"])),
        words=tuple(f"• {line}" for line in result.sentences[1:]),
        legend=_COUNTS_LEGEND.format(result.alpha, result.a),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _counts_row(way: Aggregation) -> tuple[TableCell, ...]:
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


MOST_LINES = 20  # of contents; a file of many metrics and languages has hundreds


def checkup_table(result: Checkup) -> Table:
    """Return contents, account and verdict, the preview in canonical columns, and the problems below it."""
    dropped = "; ".join(f"{count:,} dropped: {reason}" for reason, count in result.dropped.items())
    account = f"{result.rows_kept:,} of {result.rows_read:,} rows kept{f' ({dropped})' if dropped else ''}"
    problems = [
        line
        for p in result.problems
        for line in (f"{p.code} {p.title} · {p.place}", joined(["  ", p.message], ""))
    ]
    return Table(
        title=f"{result.file}: {result.format} ({result.because})",
        columns=tuple(TableColumn(heading=name) for name in result.preview_columns),
        rows=result.preview,
        verdict=(*_folded(result.contents), *([account] if result.rows_read else []), _verdict(result)),
        words=tuple(problems),
        notes=result.notes,
    )


def _folded(contents: tuple[str, ...]) -> tuple[str, ...]:
    if len(contents) <= MOST_LINES:
        return contents
    rest = len(contents) - MOST_LINES
    return (*contents[:MOST_LINES], f"… and {rest:,} more; -f json lists them all")


def _verdict(result: Checkup) -> str:
    n_warnings = sum(problem.is_doubt for problem in result.problems)
    n_faults = len(result.problems) - n_warnings
    parts = [
        f"{n} {what}{'' if n == 1 else 's'}"
        for n, what in ((n_faults, "problem"), (n_warnings, "warning"))
        if n
    ]
    return " and ".join(parts) + ", see below" if parts else "no problems found"


def diagnosis_table(result: Diagnosis) -> Table:
    """Return the measures with their values, and the sentences below."""
    digits = 2 if result.system_spread < 100 else 0
    rows = (
        ("missing scores", _share(result.missing_share)),
        ("outliers among scores (1.5 IQR)", _share(result.outlier_share)),
        ("outliers among differences", _share(result.difference_outlier_share)),
        ("ties", _share(result.tie_share)),
        ("correlation between systems", number(result.pairing, 2)),
        ("Kendall's tau-b between systems", number(result.mean_kendall, 2)),
        ("noise removed by pairing", _share(result.variance_removed)),
        ("spread of systems on a segment", number(result.system_spread, digits)),
        ("spread of segments (difficulty)", number(result.segment_spread, digits)),
        ("spread of a system's rank", number(result.rank_spread, 2)),
        ("cycles of three systems", f"{result.count('cycle')} of {result.n_triples}"),
        ("cycles expected by chance", number(result.expected_cycles, 1)),
        ("pairs that a third system flips", str(result.count("flips"))),
        ("pairs that a third system levels", str(result.count("levels"))),
    )
    return Table(
        title=f"Diagnosis of {result.metric}{', lower is better' if result.lower_is_better else ''}",
        columns=(TableColumn(heading="measure"), TableColumn(heading="value", kind="number")),
        rows=rows,
        words=result.sentences,
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _share(value: float) -> str:
    return "–" if value != value else percent(round(value, 3)).replace("-", "−")  # noqa: PLR0124  (NaN is not equal to itself)
