"""What the agreement of judges means, in sentences."""

from __future__ import annotations

import math

from betterthan.analysis.wording import amount, counted, p_of, share
from betterthan.errors import some_of
from betterthan.results.judges import Judges

_LOW_POWER = 0.8


def sentences_about(found: Judges, *, alpha: float, min_shared: int) -> tuple[str, ...]:
    """Return who judged how much, how far they agree, who is not kept and why, and what cannot be told."""
    said = [_size(found), *_agreement(found), *_kept(found), *_unknown(found, alpha, min_shared)]
    return tuple(said)


def _size(found: Judges) -> str:
    total = int(found.n_judgements.sum())
    each = amount(found.agreement.per_output, 1).removesuffix(".0")
    return f"{counted(len(found.judges), 'judge')} gave {counted(total, 'judgement')}, {each} for an output."


def _agreement(found: Judges) -> list[str]:
    a = found.agreement
    if not (found.n_shared > 0).any():
        return ["No two judges judged the same output, so nothing is known about their agreement."]
    said = []
    if not math.isnan(a.alpha):
        said.append(
            f"Krippendorff's alpha is {amount(a.alpha, 2)} ({amount(a.alpha_standardized, 2)} once each judge is "
            f"standardised); 1 is perfect agreement, 0 what chance would give."
        )
    if not math.isnan(a.icc):
        mean_of = ""
        if a.per_output > 1 and not math.isnan(a.reliability):
            each = amount(a.per_output, 1).removesuffix(".0")
            mean_of = f"; the mean of {each} has {amount(a.reliability, 2)}"
        said.append(
            f"A single judgement has the reliability {amount(a.icc, 2)} (ICC(1), 95% {amount(a.icc_low, 2)} to "
            f"{amount(a.icc_high, 2)}){mean_of}."
        )
    if a.order_pairs:
        said.append(
            f"Two judges order two systems on a segment alike in {share(a.order_alike)} of "
            f"{counted(a.order_pairs, 'case')}, opposite in {share(a.order_opposite)}."
        )
    return said


def _kept(found: Judges) -> list[str]:
    if not found.dropped:
        return ["No judge is shown to be unreliable; all are kept."]
    why = dict(zip(found.judges, found.reasons, strict=True))
    told = some_of([f"{name} ({why[name]})" for name in found.dropped], limit=10)
    return [f"Not kept: {told}."]


def _unknown(found: Judges, alpha: float, min_shared: int) -> list[str]:
    """What the campaign cannot show: departures that may be chance, judges with few outputs, tests without power."""
    messages = []
    open_cases = [
        f"{name} ({ratio:.1f} times, {p_of(p)})"
        for name, ratio, p in zip(
            found.judges, found.variance_ratio.tolist(), found.variance_pvalue.tolist(), strict=True
        )
        if p > alpha
    ]
    if open_cases:
        messages.append(
            f"Kept although their variance is high, because it may be chance: {some_of(open_cases, limit=10)}."
        )
    few = [name for name, n in zip(found.judges, found.n_shared.tolist(), strict=True) if n < min_shared]
    if few and (found.n_shared > 0).any():
        messages.append(
            f"Too little is known about {some_of(few)}: fewer than {counted(min_shared, 'output')} shared with others."
        )
    if found.power < _LOW_POWER:
        messages.append(
            f"A judge who answers at random would be found by the comparison with the others with a chance of only "
            f"about {_percent(round(found.power, 1))}: that a judge is kept shows little."
        )
    without = [name for name, n in zip(found.judges, found.n_controls.tolist(), strict=True) if n == 0]
    if without and found.n_controls.any():
        messages.append(f"No control items for {some_of(without)}.")
    if found.control_power < _LOW_POWER:
        items = counted(_median_number(found), "control item")
        messages.append(
            f"{items} cannot show that a judge is careless: somebody who answers at random would be found with a "
            f"chance of only {_percent(found.control_power)}."
        )
    return messages


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f}%"


def _median_number(found: Judges) -> int:
    has = sorted(n for n in found.n_controls.tolist() if n > 0)
    return int(has[(len(has) - 1) // 2])
