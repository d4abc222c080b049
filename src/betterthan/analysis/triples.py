"""Can a third system change the order of two? Cycles, and what Bradley–Terry makes of every triple."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations, islice
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.bradley_terry import bradley_terry_batch
from betterthan.kernels.diagnosis import majority_cycles
from betterthan.results.diagnosis import Triple

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
    All m(m−1)(m−2)/6 triples, fitted in batches: 34 000 for 60 systems take about a second.

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
