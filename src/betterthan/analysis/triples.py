"""Can a third system change the order of two? Cycles, and what Bradley–Terry makes of every triple."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.streams import stream
from betterthan.kernels.bradley_terry import bradley_terry, bradley_terry_batch
from betterthan.kernels.diagnosis import majority_cycles
from betterthan.kernels.pair_outcomes import resampled_win_counts
from betterthan.kernels.pvalues import adjusted_pairs
from betterthan.kernels.resample import bootstrap_counts, unit_sums
from betterthan.kernels.sign_test import sign_test
from betterthan.kernels.wins import WinCounts
from betterthan.results.diagnosis import Triple
from betterthan.tables.scores import Scores

MOST_TRIPLES = 1_500_000  # of 208 systems
_DRAWS, _DRAWS_AT_ONCE = 200, 20
_SEED = 12345
_CHUNK = 20_000
_LEVEL = 1e-9
_ORDER = ("cycle", "flips", "levels")


class Triples(NamedTuple):
    """What was found among all triples."""

    found: tuple[Triple, ...]
    n_triples: int
    n_unfitted: int


def troubled_triples(wins: FloatArray, systems: Sequence[str]) -> Triples:
    r"""Search all triples of systems for cycles and for pairs whose order the third system flips or levels.

    Two systems alone are ordered by who wins more segments. With a third one, Bradley–Terry solves

    .. math:: \sum_{j} \omega_{ij} = \sum_j (\omega_{ij} + \omega_{ji}) \frac{\lambda_i}{\lambda_i + \lambda_j}

    for all three together, and the order of the first two may change: irrelevant alternatives are not
    irrelevant [1]_. Ties are left out.

    Parameters
    ----------
    wins : array, shape (m, m)
    systems : sequence of str

    Notes
    -----
    All m(m−1)(m−2)/6 triples, fitted in batches: 34,000 for 60 systems take about a second. None are searched of more
    than 208 systems.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than average: paired evaluation of NLP systems, ACL, App. F. They
       found no such triple with more than 10 segments.

    Examples
    --------
    The example of [1]: B beats A two to one, and adding C levels all three.

    >>> found = troubled_triples(np.array([[0.0, 1, 2], [2, 0, 1], [1, 2, 0]]), "ABC").found
    >>> [(t.a, t.b, t.c, t.effect) for t in found]
    [('A', 'C', 'B', 'cycle'), ('A', 'C', 'B', 'levels'), ('B', 'A', 'C', 'levels'), ('C', 'B', 'A', 'levels')]
    """
    if math.comb(len(systems), 3) > MOST_TRIPLES:
        return Triples((), 0, 0)
    found = [_cycle(row, wins, systems) for row in majority_cycles(wins).tolist()]
    n_triples = n_unfitted = 0
    for chunk in _chunks(len(systems)):
        fit = bradley_terry_batch(wins[chunk[:, :, None], chunk[:, None, :]])
        n_triples += len(chunk)
        n_unfitted += int(np.isnan(fit.log_strength[:, 0]).sum())
        for first, second, third in ((0, 1, 2), (0, 2, 1), (1, 2, 0)):
            gap = fit.log_strength[:, first] - fit.log_strength[:, second]
            found += _changed(chunk[:, [first, second, third]], gap, wins, systems)
    key = {effect: place for place, effect in enumerate(_ORDER)}
    found.sort(key=lambda t: (key[t.effect], -t.alone, t.a, t.b, t.c))
    return Triples(tuple(found), n_triples, n_unfitted)


def significance_of_triples(
    found: tuple[Triple, ...], scores: Scores, counts: WinCounts
) -> tuple[Triple, ...]:
    """Add to each triple how sure the leads are that it rests on.

    A cycle is a finding when each of its three leads is significant; then the chance of any false cycle is at most
    that of any false lead, because the leads of all pairs are corrected together (Holm). Leads are tested by signs.
    Where segments belong to groups, these are the units: Student's t of the wins less losses of each group.
    """
    if not found:
        return found
    by_groups = scores.groups is not None and len(set(scores.groups)) < scores.n_segments
    pvalue = adjusted_pairs(_group_pvalues(scores) if by_groups else sign_test(counts).pvalue)
    place = {name: i for i, name in enumerate(scores.systems)}
    return tuple(replace(triple, pvalue=_largest(triple, pvalue, place)) for triple in found)


def _largest(triple: Triple, pvalue: FloatArray, place: dict[str, int]) -> float:
    a, b, c = place[triple.a], place[triple.b], place[triple.c]
    edges = ((a, b), (b, c), (c, a)) if triple.effect == "cycle" else ((a, b),)
    return max(float(pvalue[edge]) for edge in edges)


def _group_pvalues(scores: Scores) -> FloatArray:
    from scipy.special import stdtr  # noqa: PLC0415  (not every diagnosis needs it)

    groups = np.unique(np.array(scores.groups), return_inverse=True)[1].reshape(-1)
    m, n_groups = scores.n_systems, int(groups.max()) + 1
    pvalue = np.full((m, m), np.nan)
    for i in range(m - 1):
        signs = np.nan_to_num(np.sign(scores.goodness[i] - scores.goodness[i + 1 :]))
        sums = unit_sums(signs, groups, n_groups)
        with np.errstate(invalid="ignore", divide="ignore"):
            t = (
                sums.mean(axis=1) / (sums.std(axis=1, ddof=1) / math.sqrt(n_groups))
                if n_groups > 1
                else np.nan
            )
        p = np.nan_to_num(2 * stdtr(max(n_groups - 1, 1), -np.abs(t)), nan=1.0)
        # Groups that all say the same hardly vary; no fewer than all signs alike are needed.
        pvalue[i, i + 1 :] = pvalue[i + 1 :, i] = np.maximum(p, 2.0 ** (1 - n_groups))
    return pvalue


def expected_cycles(goodness: FloatArray, counts: WinCounts) -> float:
    r"""How many cycles chance would give if strengths alone decided who wins.

    Leads are drawn around what Bradley–Terry strengths imply, which has no cycles, with the noise of segments drawn
    with replacement,

    .. math:: \ell^* = s\, \ell_{\text{model}} + (\ell_{\text{drawn}} - \ell), \qquad
              s^2 = \frac{\overline{\ell^2} - \overline{\operatorname{var}}(\ell_{\text{drawn}})}
              {\overline{\ell_{\text{model}}^2}}

    and cycles are counted, on average over 200 draws. The factor s takes out of the leads what is noise in them.

    Examples
    --------
    Four systems that do not differ have four triples; about one in eleven is a cycle by chance.

    >>> goodness = np.random.default_rng(1).normal(size=(4, 401))
    >>> from betterthan.kernels.wins import win_counts
    >>> 0.1 < expected_cycles(goodness, win_counts(goodness)) < 0.6
    True
    """
    n = goodness.shape[1]
    lead = counts.wins - counts.wins.T
    decided = counts.wins + counts.wins.T
    theta = bradley_terry(counts.wins, prior=0.5).log_strength
    model = decided * np.tanh((theta[:, None] - theta[None, :]) / 2)
    noise = []
    for block in range(_DRAWS // _DRAWS_AT_ONCE):
        rng = stream(_SEED, "cycles by chance", block)
        weights = bootstrap_counts(_DRAWS_AT_ONCE, n, rng).astype(np.float64)
        wins = resampled_win_counts(goodness, weights).wins
        # Leads go in steps of 2, which are spread evenly here so that those of the model can be added.
        step = np.triu(rng.uniform(-1, 1, size=wins.shape), 1)
        noise.append(wins - wins.swapaxes(1, 2) - lead + step - step.swapaxes(1, 2))
    drawn = np.concatenate(noise)
    size, fitted = float((lead**2).mean()), float((model**2).mean())
    true_part = max(0.0, size - float(drawn.var(axis=0).mean()))
    factor = math.sqrt(min(1.0, true_part / fitted)) if fitted else 0.0
    # Leads of an even number of decided segments are even: those nearest to 0 are level.
    level = np.where(decided % 2 == 0, 1.0, 0.0)
    return float(np.mean([_n_cycles(factor * model + one, level) for one in drawn]))


def _n_cycles(lead: FloatArray, level: FloatArray) -> float:
    """Number of cycles of three: closed walks of three steps, each seen from its three systems."""
    beats = (lead > level).astype(np.float64)
    return float(((beats @ beats) * beats.T).sum() / 3)


def _chunks(m: int) -> Iterator[IntArray]:
    triples = combinations(range(m), 3)
    while chunk := list(islice(triples, _CHUNK)):
        yield np.array(chunk, dtype=np.int64)


def _cycle(row: list[int], wins: FloatArray, systems: Sequence[str]) -> Triple:
    a, b, c = row
    alone = min(float(wins[i, j] / (wins[i, j] + wins[j, i])) for i, j in ((a, b), (b, c), (c, a)))
    return Triple(
        a=systems[a], b=systems[b], c=systems[c], effect="cycle", alone=alone, together=float("nan")
    )


def _changed(rows: IntArray, gap: FloatArray, wins: FloatArray, systems: Sequence[str]) -> list[Triple]:
    """Triples (first, second, third) in which the third changes the order of the other two."""
    lead = wins[rows[:, 0], rows[:, 1]] - wins[rows[:, 1], rows[:, 0]]
    level = np.abs(gap) <= _LEVEL
    changed = np.flatnonzero((lead != 0) & (level | (np.sign(gap) == -np.sign(lead))))
    found = []
    for i in changed.tolist():
        first, second, third = rows[i].tolist()
        a, b, toward = (first, second, gap[i]) if lead[i] > 0 else (second, first, -gap[i])
        found.append(
            Triple(
                a=systems[a],
                b=systems[b],
                c=systems[third],
                effect="levels" if level[i] else "flips",
                alone=float(wins[a, b] / (wins[a, b] + wins[b, a])),
                together=0.5 if level[i] else float(1 / (1 + np.exp(-toward))),
            )
        )
    return found
