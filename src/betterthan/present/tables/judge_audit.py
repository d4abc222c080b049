"""An audit of a judge as a table: one check per row, and the confusion of verdicts above."""

from __future__ import annotations

import math

from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.results.judge_audit import CHECKS, AuditCheck, JudgeAudit
from betterthan.results.pvalues import equals_p

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
        rows=tuple(_row(result, row) for row in result),
        verdict=sentences(result),
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


def _row(result: JudgeAudit, row: AuditCheck) -> tuple[TableCell, ...]:
    digits = _digits(result, row.check)
    return (
        CHECKS[row.check],
        row.part or "all",
        number(row.value, digits),
        interval(row.low, row.high, digits),
        row.n,
        None if math.isnan(row.adjusted) else row.adjusted,
    )


def sentences(result: JudgeAudit) -> tuple[str, ...]:
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
