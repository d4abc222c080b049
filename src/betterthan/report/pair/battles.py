"""A pair in battles: the fitted model, and the battles between the two."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from markupsafe import Markup

from betterthan.present.numbers import interval, number, percent
from betterthan.present.table import Table, TableColumn
from betterthan.present.tables.pairwise import capitalized, correction_words, pair_pvalue_words
from betterthan.report.document import Block, Figure, Paragraph, Section, TableBlock
from betterthan.report.figures.marks import element, picture
from betterthan.report.wording import count, plural
from betterthan.results.pairwise import Pair, PairwiseTable, equals_p, pvalue
from betterthan.tables.matches import Matches

ELO = 400 / math.log(10)  # points that multiply the odds by e
_WIDTH, _HEIGHT = 640, 30


def strength_difference(pair: Pair) -> tuple[float, float, float]:
    r"""Return by how many Elo points a is stronger than b, with its interval.

    Bradley–Terry's probability of a win and the difference of strengths say the same on two scales,

    .. math:: \Delta = \frac{400}{\ln 10} \ln \frac{p}{1 - p} ;

    the limits of the interval are those of the probability; NaN where that has reached 0 or 1.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> [round(x, 1) for x in strength_difference(SimpleNamespace(effect=10 / 11, low=0.5, high=10 / 11))]
    [400.0, 0.0, 400.0]
    """
    low, middle, high = (_points(p) for p in (pair.low, pair.effect, pair.high))
    return middle, low, high


def _points(p: float) -> float:
    return ELO * math.log(p / (1 - p)) if 0 < p < 1 else math.nan


def battle_pair_section(pairs: PairwiseTable, matches: Matches, a: str, b: str) -> Section:
    """Return everything about one pair of systems that met in battles."""
    pair = pairs.pair(a, b)
    n_pairs = len(pairs.systems) * (len(pairs.systems) - 1) // 2
    adjusted = (
        f"Adjusted for all {n_pairs:,} pairs, {equals_p(pair.adjusted)}: "
        if n_pairs > 1
        else f"{capitalized(equals_p(pair.pvalue))}: "
    )
    verdict = "the two differ significantly" if pair.verdict else "no significant difference"
    blocks: list[Block] = [Paragraph(f"{adjusted}{verdict} at level {pairs.alpha:g}. {_direct(pair)}", "why")]
    if pair.wins + pair.ties + pair.losses > 0:
        blocks.append(_bar(pair))
        blocks.append(_direct_battles(matches, pair))
    blocks.insert(1, _model(pair, pairs))
    lead = (
        f"{a} beats {b} with probability {pair.effect:.2f} ({percent(pairs.confidence)} interval {pair.low:.2f} to "
        f"{pair.high:.2f}{', for this pair alone' if n_pairs > 1 else ''}) under Bradley–Terry."
    )
    blocks += [Paragraph(line, "note") for line in (pairs.unit_note, pair_pvalue_words(pair)) if line]
    return Section(key="pair", title="By the fitted model and by battles", lead=lead, blocks=tuple(blocks))


def battle_pair_data(pairs: PairwiseTable, a: str, b: str) -> dict[str, Any]:
    """Return the numbers of a pair as plain data; what is not defined is None."""
    pair = pairs.pair(a, b)
    names = ("effect", "low", "high", "wins", "ties", "losses", "pvalue", "adjusted", "p_low", "p_high")
    difference = dict(
        zip(("strength_difference", "strength_low", "strength_high"), strength_difference(pair), strict=True)
    )
    numbers = {name: getattr(pair, name) for name in names} | difference
    return {
        "kind": "battle_pair",
        "a": a,
        "b": b,
        "effect_name": pairs.effect_name,
        "unit": "Elo points",
        "confidence": pairs.confidence,
        "alpha": pairs.alpha,
        "correction": pairs.correction,
        **{name: None if math.isnan(value) else value for name, value in numbers.items()},
        "p_method": pair.p_method,
        "verdict": pair.verdict,
        "units": pairs.units,
        "unit_note": pairs.unit_note,
    }


def _direct(pair: Pair) -> str:
    met = pair.wins + pair.ties + pair.losses
    if not met:
        return f"{pair.a} and {pair.b} never met; the model compares them through other systems."
    share = (pair.wins + pair.ties / 2) / met
    return (
        f"Of the {count(met)} battles between them, {pair.a} won {count(pair.wins)} and {pair.b} won "
        f"{count(pair.losses)}; {count(pair.ties)} {plural(int(pair.ties), 'was a tie', 'were ties')}. With ties as "
        f"half, {pair.a} won {share:.2f} of them. The model also uses their battles against other systems."
    )


def _model(pair: Pair, pairs: PairwiseTable) -> TableBlock:
    middle, low, high = strength_difference(pair)
    columns = (
        TableColumn(heading=f"{pair.a} against {pair.b}"),
        TableColumn(heading="value", kind="count"),
        TableColumn(heading=percent(pairs.confidence), kind="count"),
    )
    signed = ("+" if middle > 0 else "") + number(middle, 0)
    rows = (
        (f"P({pair.a} wins)", f"{pair.effect:.3f}", interval(pair.low, pair.high, 3)),
        ("difference in Elo points", signed, interval(low, high, 0)),
        ("p", pvalue(pair.pvalue), "–"),
        (f"p adjusted ({correction_words(pairs.correction)})", pvalue(pair.adjusted), "–"),
    )
    return TableBlock(key="pair-model", table=Table(title="The fitted model", columns=columns, rows=rows))


def _bar(pair: Pair) -> Figure:
    """Return wins, ties and losses as one bar."""
    parts = ((pair.wins, "win"), (pair.ties, "tie"), (pair.losses, "loss"))
    total = sum(part for part, _ in parts)
    x, drawn = 0.0, []
    for part, kind in parts:
        width = _WIDTH * part / total
        drawn.append(element("rect", x=x, y=0, width=width, height=_HEIGHT, class_=kind))
        x += width
    words = f"{pair.a} won {count(pair.wins)}, ties {count(pair.ties)}, {pair.b} won {count(pair.losses)}"
    svg: Markup = picture(_WIDTH, _HEIGHT, words, *drawn)
    return Figure(key="pair-outcomes", svg=svg, caption=f"From left to right: {words}.")


def _direct_battles(matches: Matches, pair: Pair) -> TableBlock:
    """Return the outcomes by which system was on the left, to show whether the side matters."""
    i, j = matches.systems.index(pair.a), matches.systems.index(pair.b)
    columns = (
        TableColumn(heading="battles between them"),
        TableColumn(heading="battles", kind="count"),
        TableColumn(heading=f"{pair.a} won", kind="count"),
        TableColumn(heading="ties", kind="count"),
        TableColumn(heading=f"{pair.b} won", kind="count"),
        TableColumn(heading=f"share of {pair.a}", kind="number", digits=2),
    )
    on_left = _ended(matches, i, j)
    on_right = _ended(matches, j, i)[::-1]
    rows = tuple(
        (label, *_cells(ended))
        for label, ended in (
            (f"{pair.a} on the left", on_left),
            (f"{pair.a} on the right", on_right),
            ("both", on_left + on_right),
        )
    )
    return TableBlock(
        key="pair-battles",
        table=Table(
            title=f"Battles of {pair.a} and {pair.b}",
            columns=columns,
            rows=rows,
            words=("Left and right: the order in which the file names the two. Ties count as half.",),
        ),
        words=True,
    )


def _ended(matches: Matches, left: int, right: int) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the weight of battles that left won, that were tied, and that right won."""
    here = (matches.left == left) & (matches.right == right)
    return np.array([matches.weight[here & (matches.outcome == ended)].sum() for ended in (1.0, 0.5, 0.0)])


def _cells(ended: np.ndarray[tuple[int], np.dtype[np.float64]]) -> tuple[str | float | None, ...]:
    total = float(ended.sum())
    share = float(ended[0] + ended[1] / 2) / total if total else None
    return (count(total), *(count(float(part)) for part in ended), share)
