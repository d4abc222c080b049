"""The ranking: a table with interval marks for each way of aggregating, their agreement, and the verdict of a pair.

An explanation looks at one pair alone. The report looks at all pairs, so the table of all pairs decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from betterthan.analysis.rank.agreement import agreement
from betterthan.analysis.units import units_of
from betterthan.analysis.wording import amount, decimals_for
from betterthan.present.numbers import percent
from betterthan.present.tables.describe import describe
from betterthan.present.tables.pairwise import correction_words, name_of_test
from betterthan.present.tables.standing import method_name
from betterthan.report.document import (
    Block,
    Columns,
    Figure,
    Paragraph,
    Section,
    Switch,
    SwitchView,
    TableBlock,
    csv_of_result,
)
from betterthan.report.figures.lines import MOST_SYSTEMS, slope_picture
from betterthan.report.figures.marks import interval_marks, scale_heading
from betterthan.report.inputs import Inputs
from betterthan.report.wording import LOST, count, page_table, plural
from betterthan.results.explanation import Explanation
from betterthan.results.pairwise import Pair, PairwiseTable, equals_p
from betterthan.results.ranking import NEXT_COMMAND, Agreement, Ranking

_LEAD = "Best first, with the confidence interval of each system. In color: systems that may be the best."
_MOST_LETTERS = (
    15  # systems above which letters are longer than they are useful; the rank range says the same
)


def ranking_block(ranking: Ranking, key: str) -> TableBlock:
    """Return a ranking as a table with interval marks, in color for systems that may be the best.

    Of many systems the letters of groups are left out: the rank range says the same.
    """
    m = len(ranking.systems)
    if m > _MOST_LETTERS:
        ranking = replace(ranking, letters=("",) * m)
    best = (ranking.rank_low == 1).tolist()
    numbers = [getattr(ranking, name).tolist() for name in ("strength", "low", "high")]
    return TableBlock(
        key=key,
        table=page_table(describe(ranking)),
        marks=interval_marks(*numbers, stressed=best),
        marks_heading=scale_heading(*numbers),
        csv=csv_of_result(ranking),
        words=True,
    )


def ranking_section(rankings: Mapping[str, Ranking | str], *, lead: str = _LEAD) -> Section:
    """Return the section: one view per way of aggregating; where there is no ranking, a text says why."""
    choices = []
    for by, ranking in rankings.items():
        block = (
            Paragraph(ranking, "note")
            if isinstance(ranking, str)
            else ranking_block(ranking, f"ranking-{by}")
        )
        choices.append(SwitchView(key=by, label=method_name(by), blocks=(block,)))
    blocks = (Switch(key="by", label="Way of aggregating", choices=tuple(choices)),)
    return Section(
        key="ranking", title="Ranking", lead=lead, blocks=blocks if len(choices) > 1 else choices[0].blocks
    )


def close_race(
    first: str, second: str, n_best: int, n: int, *, by: str = "", what: str = "system", is_tied: bool = False
) -> str:
    """Return the headline where several systems may be the best.

    Examples
    --------
    >>> close_race("A", "B", 3, 12), close_race("A", "B", 4, 4, by=" by chrF")
    ('A ranks first, ahead of B, but 3 of 12 systems may be the best.', 'No system can be called best by chrF.')
    >>> close_race("A", "B", 3, 12, is_tied=True)
    'A and B share the first rank, and 3 of 12 systems may be the best.'
    """
    if n_best == n:
        return f"No {what} can be called best{by}."
    if is_tied:
        return f"{first} and {second} share the first rank{by}, and {n_best} of {n} {what}s may be the best."
    return f"{first} ranks first{by}, ahead of {second}, but {n_best} of {n} {what}s may be the best."


def may_be_best(ranking: Ranking) -> list[str]:
    """Return the systems that may be the best."""
    return [ranking.systems[i] for i in np.flatnonzero(ranking.rank_low == 1).tolist()]


# Which test of all pairs belongs to which claim of an explanation.
_TESTS = {"mean": ("permutation", "mean"), "bradley_terry": ("sign", "wins")}


class PairStanding(NamedTuple):
    """A pair in words.

    Attributes
    ----------
    verdict : str
        A few sentences for the head of the report.
    lead : str
        The line below the title of the pair.
    words : tuple of str
        The explanation that follows.
    """

    verdict: str
    lead: str
    words: tuple[str, ...]


def n_documents(inputs: Inputs) -> int | None:
    """Return how many documents are the units, or None where single segments are."""
    if inputs.options.get("units", "segments") == "segments":
        return None
    scores = inputs.scores.complete(missing=inputs.options.get("missing", "raise"))
    return units_of(scores, "groups").n_units


def standing(
    pair: Explanation,
    tests: Mapping[str, PairwiseTable],
    documents: int | None,
    *,
    is_binary: bool = False,
) -> PairStanding:
    """Return what the data support saying about a pair.

    Parameters
    ----------
    pair : Explanation
        Of the pair alone, in the units that were chosen.
    tests : mapping of str to PairwiseTable
        All pairs by "permutation", in the units that were chosen; where these are segments also by "sign".
    documents : int, optional
        How many documents are the units; None where single segments are.
    is_binary : bool
        Whether every score is right or wrong, so that the sizes of wins and losses say nothing.
    """
    table = tests["permutation"]
    n_pairs = _n_pairs(table)
    if is_binary and n_pairs == 1:
        return PairStanding(pair.verdict, pair.verdict, (*pair.reasons[1:], pair.advice))
    effect = effect_sentence(
        table, pair.a, pair.b, higher_is_better=pair.higher_is_better, documents=documents
    )
    lead = f"{table.undecidable} {effect}" if table.undecidable else effect
    alone = f"For this pair alone: {pair.verdict}" if n_pairs > 1 else pair.verdict
    reasons = pair.reasons[1:] if is_binary else pair.reasons
    lost = {} if documents is not None else lost_claims(pair, tests)
    # By documents the advice is also about wins, which are not adjusted for all pairs here.
    last = (pair.advice,) if documents is None or n_pairs == 1 else ()
    last = (_left(pair, lost, n_pairs),) if lost else last
    verdict = " ".join((lead, wins_sentence(pair), *(last if lost else ())))
    return PairStanding(verdict, lead, (alone, *reasons, *last))


def effect_sentence(
    table: PairwiseTable, a: str, b: str, *, higher_is_better: bool = True, documents: int | None = None
) -> str:
    """Say by how much one system leads the other, and how sure that is: effect, interval, p-value, test."""
    pair = table.pair(a, b)
    evidence = f"({_interval(table, pair)}{_p(table, pair, documents)})"
    if pair.effect == 0:
        return f"{a} and {b} have equal means {evidence}."
    ahead, behind = (a, b) if pair.effect > 0 else (b, a)
    size = amount(abs(pair.effect), _digits(pair))
    direction = "higher" if higher_is_better else "lower (better)"
    sentence = f"{ahead} scores {size} {direction} than {behind}"
    if pair.verdict is not None:
        return f"{sentence}, a significant difference at level {table.alpha:g} {evidence}."
    lost = _n_pairs(table) > 1 and pair.pvalue <= table.alpha
    end = f" The difference is {LOST}." if lost else ""
    return f"{sentence}, but the difference is not significant at level {table.alpha:g} {evidence}.{end}"


def wins_sentence(pair: Explanation) -> str:
    """Say who wins how many segments; and point it out where the system with the better mean wins fewer."""
    ties = f", with {count(pair.ties)} {plural(pair.ties, 'tie')}" if pair.ties else ""
    if pair.wins == pair.losses:
        return f"Each wins {count(pair.wins)} of {count(pair.n_segments)} segments{ties}."
    most, fewer = max(pair.wins, pair.losses), min(pair.wins, pair.losses)
    ahead = pair.a if pair.wins > pair.losses else pair.b
    by_mean = pair.mechanism("mean").winner
    if by_mean in (None, ahead):
        return (
            f"{ahead} wins {count(most)} of {count(pair.n_segments)} segments and loses {count(fewer)}{ties}."
        )
    return f"However, {ahead} wins more segments: {count(most)} against {count(fewer)}{ties}."


def lost_claims(pair: Explanation, tests: Mapping[str, PairwiseTable]) -> dict[str, float]:
    """Return what is significant for this pair alone and not after adjustment: "mean" or "wins" to the adjusted p."""
    if _n_pairs(tests["permutation"]) < 2:
        return {}
    lost = {}
    for mechanism, (test, name) in _TESTS.items():
        adjusted = tests[test].pair(pair.a, pair.b).adjusted
        if pair.mechanism(mechanism).is_significant and not adjusted <= tests[test].alpha:
            lost[name] = adjusted
    return lost


def _left(pair: Explanation, lost: Mapping[str, float], n_pairs: int) -> str:
    """Say what adjustment leaves of the claims about a pair."""
    numbers = " and ".join(f"{equals_p(p)} for the {name}" for name, p in lost.items())
    start = f"Adjusted for all {count(n_pairs)} pairs, {numbers}: {LOST}"
    still_significant = [
        name
        for mechanism, (_, name) in _TESTS.items()
        if pair.mechanism(mechanism).is_significant and name not in lost
    ]
    if still_significant:
        name = still_significant[0]
        return f"{start}; only the {name} still {'differs' if name == 'mean' else 'differ'} significantly."
    return f"{start}. The data do not settle which of {pair.a} and {pair.b} is better."


def _digits(pair: Pair) -> int:
    return decimals_for((pair.high - pair.low) / 2, pair.effect)


def _interval(table: PairwiseTable, pair: Pair) -> str:
    if math.isnan(pair.low) or math.isnan(pair.high):
        return ""
    low, high = (pair.low, pair.high) if pair.effect >= 0 else (-pair.high, -pair.low)
    digits = _digits(pair)
    alone = " for this pair alone" if _n_pairs(table) > 1 and not table.simultaneous else ""
    return f"{percent(table.confidence)} CI {amount(low, digits)} to {amount(high, digits)}{alone}; "


def _p(table: PairwiseTable, pair: Pair, documents: int | None) -> str:
    n_pairs = _n_pairs(table)
    over = "" if documents is None else f" over {count(documents)} documents"
    tested = f"{name_of_test(table.test)}{over}"
    if n_pairs == 1 or table.correction == "none":
        return f"{equals_p(pair.pvalue)}, {tested}"
    return f"{equals_p(pair.adjusted)}, {tested}, {correction_words(table.correction)} for {count(n_pairs)} pairs"


def _n_pairs(table: PairwiseTable) -> int:
    m = len(table.systems)
    return m * (m - 1) // 2


def agreed(rankings: Mapping[str, Ranking]) -> Agreement | None:
    """Return how rankings agree, or None when there are fewer than two."""
    if len(rankings) < 2:
        return None
    return agreement({method_name(by): ranking for by, ranking in rankings.items()})


def agreement_section(
    rankings: Mapping[str, Ranking],
    result: Agreement,
    *,
    key: str = "agreement",
    title: str = "Do the ways of ranking agree?",
    menu: str = "Agreement",
) -> Section:
    """Return the sentences, the picture of ranks side by side, and the shares of pairs in the same order."""
    named = {method_name(by): ranking for by, ranking in rankings.items()}
    picture = slope_picture(named, "Ranks of the systems in each ranking")
    m = len(result.systems)
    caption = (
        "Ranks, best on top. In color: systems whose order is reversed. Bars join systems that are tied."
    )
    if m > MOST_SYSTEMS:
        caption += f" The best {MOST_SYSTEMS} of {m} systems are shown."
    words = [line for line in result.sentences if getattr(line, "code", "") != NEXT_COMMAND]
    if m == 2:  # a picture of one pair shows nothing more
        return Section(key=key, title=title, menu=menu, blocks=tuple(map(Paragraph, words)))
    blocks: tuple[Block, ...] = (
        *(Paragraph(sentence) for sentence in words),
        Columns(
            (Figure(key=f"{key}-places", svg=picture, caption=caption),),
            (TableBlock(key=f"{key}-table", table=page_table(describe(result)), csv=csv_of_result(result)),),
            fits_left=True,
        ),
    )
    return Section(key=key, title=title, menu=menu, blocks=blocks)
