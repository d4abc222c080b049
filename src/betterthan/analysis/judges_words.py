"""What the agreement of judges means, in sentences."""

from __future__ import annotations

import math

from betterthan.analysis.wording import amount, counted, share
from betterthan.errors import some_of
from betterthan.results.judges import Judges


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
            f"A single judgement has the reliability {amount(a.icc, 2)} (ICC(1), 95 % {amount(a.icc_low, 2)} to "
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
        return ["Every judge is kept."]
    why = dict(zip(found.judges, found.reasons, strict=True))
    told = some_of([f"{name} ({why[name]})" for name in found.dropped], limit=10)
    return [f"Not kept: {told}."]


def _unknown(found: Judges, alpha: float, min_shared: int) -> list[str]:
    said = []
    few = [name for name, n in zip(found.judges, found.n_shared.tolist(), strict=True) if 0 <= n < min_shared]
    if few and (found.n_shared > 0).any():
        said.append(
            f"Too little is known about {some_of(few)}: fewer than {counted(min_shared, 'output')} shared with others."
        )
    tried = [
        name
        for name, n in zip(found.judges, found.n_controls.tolist(), strict=True)
        if n == 0 or 2.0**-n >= alpha
    ]
    if tried and found.n_controls.any():
        said.append(
            f"Too few control items to tell for {some_of(tried)}: the test cannot reach the level {alpha:g}."
        )
    return said
