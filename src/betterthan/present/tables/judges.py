"""Judges and labels as tables: checks and confusion of an audit, corrected means, and a sample of outputs to label."""

from __future__ import annotations

import math

import numpy as np

from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import best_sentence, rank_range
from betterthan.results.judges import CHECKS, AuditCheck, Corrected, JudgeAudit, Sample
from betterthan.results.pairwise import equals_p
from betterthan.results.settings import unit_line

_SHARES = ("agreement", "kappa", "alpha", "correlation", "repeats", "repeats_alpha", "both_orders", "left")
_MOST_SENTENCES = 4


def judge_audit_table(result: JudgeAudit) -> Table:
    """Return the checks, agreement first, then biases."""
    return Table(
        title=f"Audit of {result.judge}" + (f" against {result.human}" if result.human else ""),
        columns=(
            TableColumn(heading="check"),
            TableColumn(heading="of"),
            TableColumn(heading="value", kind="count"),
            TableColumn(heading=f"{percent(result.confidence)} CI", kind="count"),
            TableColumn(heading="n", kind="integer"),
            TableColumn(heading="p adjusted", kind="pvalue"),
        ),
        rows=tuple(_audit_row(result, row) for row in result),
        verdict=audit_sentences(result),
        legend=_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
        above=_confusion(result),
    )


def _digits(result: JudgeAudit, check: str) -> int:
    if check in _SHARES:
        return 2
    halves = [(row.high - row.low) / 2 for row in result if row.check not in _SHARES]
    return digits_for(halves)


def _audit_row(result: JudgeAudit, row: AuditCheck) -> tuple[TableCell, ...]:
    digits = _digits(result, row.check)
    return (
        CHECKS[row.check],
        row.part or "all",
        number(row.value, digits),
        interval(row.low, row.high, digits),
        row.n,
        None if math.isnan(row.adjusted) else row.adjusted,
    )


def audit_sentences(result: JudgeAudit) -> tuple[str, ...]:
    """Return how well the judge agrees with people, and which biases show."""
    lines = [*_agreement(result)]
    biases = result.biases
    lines += [_bias(result, row) for row in biases[:_MOST_SENTENCES]]
    if len(biases) > _MOST_SENTENCES:
        lines.append(f"{len(biases) - _MOST_SENTENCES} more biases are significant.")
    if not biases and any(not math.isnan(each) for each in result.pvalue.tolist()):
        lines.append(f"No bias is significant (level {1 - result.confidence:.3g}, Holm-adjusted).")
    return tuple(lines)


def _agreement(result: JudgeAudit) -> tuple[str, ...]:
    rows = {row.check: row for row in result if not row.part}
    lines = []
    if "agreement" in rows and "kappa" in rows:
        kappa = rows["kappa"]
        reach = interval(kappa.low, kappa.high, 2)
        limits = "" if reach == "–" else f", {percent(result.confidence)} CI {reach}"
        share = f"{100 * rows['agreement'].value:.0f}%"
        lines.append(
            f"Judge and humans give the same verdict on {share} of {rows['agreement'].n:,} "
            f"(Cohen's kappa {number(kappa.value, 2)}{limits})."
        )
    elif "correlation" in rows:
        row = rows["correlation"]
        reach = interval(row.low, row.high, 2)
        limits = "" if reach == "–" else f" ({percent(result.confidence)} CI {reach})"
        lines.append(
            f"The judge's scores have a correlation of {number(row.value, 2)} with {row.n:,} human labels{limits}."
        )
    if "both_orders" in rows:
        row = rows["both_orders"]
        lines.append(
            f"The same output wins in both orders in {100 * row.value:.0f}% of {row.n:,} pairs "
            f"({percent(result.confidence)} CI {100 * row.low:.0f} to {100 * row.high:.0f}%)."
        )
    return tuple(lines)


def _bias(result: JudgeAudit, row: AuditCheck) -> str:
    size = number(abs(row.value), _digits(result, row.check))
    sign = "higher" if row.value > 0 else "lower"
    end = f"({equals_p(row.adjusted)}, Holm-adjusted)."
    if row.check == "difference":
        return f"The judge scores {size} {sign} than humans {end}"
    if row.check == "favor":
        alike = "Of outputs that humans rate alike, the judge scores those of"
        return f"{alike} {row.part} {size} {sign} than others {end}"
    if row.check == "own":
        return f"Of outputs that humans rate alike, the judge scores those of its own systems {size} {sign} {end}"
    if row.check == "length":
        longer = (
            "Of outputs that humans rate alike, the judge scores those that are one standard deviation longer"
        )
        return f"{longer} {size} {sign} {end}"
    side = "left" if row.value > 0.5 else "right"
    share = 100 * max(row.value, 1 - row.value)
    return (
        f"The {side} side wins {share:.0f}% of the {row.n:,} pairs whose orders contradict each other {end}"
    )


def _legend(result: JudgeAudit) -> str:
    parts = []
    if any(check in ("favor", "own", "length") for check in result.check):
        parts.append("Favors: points of the judge among outputs that humans rate alike")
    if any(not math.isnan(each) for each in result.pvalue.tolist()):
        parts.append("p: null hypothesis of no bias")
    return "; ".join(parts) + "." if parts else ""


def _confusion(result: JudgeAudit) -> tuple[Table, ...]:
    if not result.categories.size:
        return ()
    digits = 0 if (result.categories == result.categories.round()).all() else 2
    names = [number(float(each), digits) for each in result.categories]
    return (
        Table(
            title="Verdicts of humans (rows) and judge (columns)",
            columns=(
                TableColumn(heading="human"),
                *(TableColumn(heading=name, kind="integer") for name in names),
            ),
            rows=tuple(
                (name, *(int(each) for each in row))
                for name, row in zip(names, result.confusion, strict=True)
            ),
        ),
    )


def corrected_table(result: Corrected) -> Table:
    """Return the corrected means, best first, and what they were made from."""
    digits = digits_for((result.high - result.low) / 2, result.mean)
    level = percent(result.confidence)
    columns = [
        TableColumn(heading="rank", kind="integer"),
        TableColumn(heading="rank range", kind="count"),
        TableColumn(heading="system"),
        TableColumn(heading="corrected", kind="number", digits=digits),
        TableColumn(heading=f"{level} CI", kind="interval", digits=digits),
        TableColumn(heading="judge", kind="number", digits=_judge_digits(result), spare=2),
        TableColumn(heading="labels alone", kind="number", digits=digits, spare=3),
        TableColumn(heading=f"{level} CI", kind="interval", digits=digits, spare=4),
        TableColumn(heading="labels", kind="integer"),
        TableColumn(heading="effective", kind="integer", spare=1),
    ]
    return Table(
        title=_title(result),
        columns=tuple(columns),
        rows=tuple(_corrected_row(result, i) for i in range(len(result))),
        rules=frozenset(i for i, c in enumerate(result.cluster[:-1]) if result.cluster[i + 1] != c),
        bold=frozenset((i, 2) for i, rank in enumerate(result.rank) if rank == 1),
        verdict=corrected_sentences(result),
        unit=unit_line(result.unit_note, result.units),
        words=_words(result),
        legend="Effective: how many labels would give as short an interval without the judge; "
        + ("rules separate significance clusters." if len(result) > 1 else "the judge is on its own scale."),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _judge_digits(result: Corrected) -> int:
    """As many decimals as show the differences between systems."""
    spread = float(np.ptp(result.judge))
    return digits_for([spread / 10], result.judge)


def _title(result: Corrected) -> str:
    direction = "higher" if result.higher_is_better else "lower"
    return f"{result.metric}, {direction} is better: {result.judge_metric} corrected by human labels"


def _corrected_row(result: Corrected, i: int) -> tuple[TableCell, ...]:
    row = result[i]
    effective = None if np.isnan(row.effective_labels) else round(row.effective_labels)
    return (
        row.rank,
        rank_range(row.rank_low, row.rank_high),
        row.system,
        row.mean,
        (row.low, row.high),
        row.judge,
        row.human,
        (row.human_low, row.human_high),
        row.labels,
        effective,
    )


def corrected_sentences(result: Corrected) -> tuple[str, ...]:
    """Return the answer: which system is best, or how two systems differ."""
    if len(result) == 2:
        return (_difference(result),)
    if len(result) > 2:
        how = f"t test, Holm-adjusted for {len(result.pairs()):,} pairs"
        return (best_sentence(result, 1 - result.confidence, how),)
    row = result[0]
    digits = digits_for([(row.high - row.low) / 2], [row.mean])
    reach = interval(row.low, row.high, digits)
    return (
        f"The mean of {row.system} is {number(row.mean, digits)} ({percent(result.confidence)} CI {reach}).",
    )


def _difference(result: Corrected) -> str:
    """Compare two systems in words."""
    pair = result.pairs()[0]
    digits = digits_for([(pair.high - pair.low) / 2], [pair.difference])
    if pair.difference < 0:
        first, second, size, low, high = pair.b, pair.a, -pair.difference, -pair.high, -pair.low
    else:
        first, second, size, low, high = pair.a, pair.b, pair.difference, pair.low, pair.high
    reach = f"{percent(result.confidence)} CI {interval(low, high, digits)}"
    text = f"{first} scores {number(size, digits)} higher than {second} ({reach}, {equals_p(pair.pvalue)}, t test)"
    return f"{text}." if pair.verdict else f"{text}; the difference is not significant."


def _words(result: Corrected) -> tuple[str, ...]:
    """Say how the judge alone would have ranked, and how many labels it saves."""
    lines = []
    sign = 1.0 if result.higher_is_better else -1.0
    by_judge = sign * np.sign(result.slope.mean()) * result.judge
    if len(result) > 1 and not np.isnan(by_judge).any():
        first = result.systems[int(np.argmax(by_judge))]
        if first != result.systems[0]:
            lines.append(f"The judge alone would put {first} first.")
    # The verdict of a comparison is a label of both systems.
    times = 2 if result.are_battles else 1
    total, effective = int(result.labels.sum()) // times, float(np.nansum(result.effective_labels)) / times
    lines.append(
        f"{total:,} labels with the judge are as precise as {effective:,.0f} labels without it"
        f"{' for the means of single systems' if len(result) > 1 else ''}."
    )
    return tuple(lines)


_WAYS = {
    "uniform": "drawn with equal probabilities",
    "disagreement": "drawn more often where scores disagree",
}


def sample_table(result: Sample) -> Table:
    """Return the outputs to label, in the order in which they should be labeled."""
    return Table(
        title=f"Outputs to label: {result.n_drawn:,} of {result.n_available:,} {result.of}",
        columns=(
            TableColumn(heading="item"),
            TableColumn(heading="system"),
            TableColumn(heading="weight", kind="number", digits=2),
        ),
        rows=tuple((row.item, row.system, row.weight) for row in result),
        verdict=(_sentence(result),),
        words=(*_strata(result), *_weights(result)),
        legend="Weight: 1 / probability of being drawn.",
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _sentence(result: Sample) -> str:
    outputs = f"{len(result):,} outputs" if len(result) != 1 else "1 output"
    systems = f"{len(result.systems)} systems" if len(result.systems) > 1 else result.systems[0]
    of_items = f" of {result.n_drawn:,} items" if result.of == "items" else ""
    return f"{outputs}{of_items} by {systems} to label, {_WAYS[result.by]}, in random order."


def _strata(result: Sample) -> tuple[str, ...]:
    if not result.strata:
        return ()
    counts = sorted(result.strata.values())
    reach = f"{counts[0]}" if counts[0] == counts[-1] else f"{counts[0]} to {counts[-1]}"
    return (f"From each of {len(counts):,} strata: {reach} {result.of}.",)


def _weights(result: Sample) -> tuple[str, ...]:
    low, high = float(result.weight.min()), float(result.weight.max())
    if high - low < 1e-9 * high:
        return ()
    return (f"Weights: {number(low, 2)} to {number(high, 2)}. Keep their column with the labels.",)
