"""The fewest battles whose removal or reversal puts another system first by Bradley–Terry."""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.comparisons.bradley_terry import bradley_terry_batch
from betterthan.kernels.comparisons.connectivity import is_connected
from betterthan.kernels.comparisons.match_counts import laplacian
from betterthan.kernels.comparisons.strengths import win_probability
from betterthan.kernels.comparisons.wins import with_ties

Change = Literal["removal", "reversal"]
_ROUNDS = 12
_CLOSE = 1.5  # challengers whose estimate is at most this multiple of the best are refitted
_MOST_REFITTED = 5
_AHEAD = 1e-9
_MOST_TRIED = 200
_ONE_BY_ONE = 12
_EARLIER = 4  # where many battles are needed, effects grow on the way and the estimate is too high


class Turned(NamedTuple):
    """Battles whose removal or reversal puts another system first.

    Attributes
    ----------
    n_battles : int
        0 when no such set was found.
    challenger : int
        The system that is then first; -1 when there is none.
    wins : array of int, shape (m, m)
        How many wins of the row over the column are removed or reversed.
    ties : array of int, shape (m, m)
        How many ties are removed; above the diagonal only.
    lead : float
        Log strength of the challenger less that of the former first, refitted.
    """

    n_battles: int
    challenger: int
    wins: IntArray
    ties: IntArray
    lead: float


class _Cells(NamedTuple):
    """Kinds of battles: wins of `first` over `second`, then ties, with their numbers."""

    first: IntArray
    second: IntArray
    is_tie: IntArray
    number: FloatArray
    n_systems: int
    ties: str
    change: Change

    def tables(self, taken: FloatArray) -> FloatArray:
        """Wins (m, m), ties shared out, after these many battles of each kind are changed."""
        wins, ties = np.zeros((2, self.n_systems, self.n_systems))
        rest, tied = self.number - taken, self.is_tie == 1
        wins[self.first[~tied], self.second[~tied]] = rest[~tied]
        if self.change == "reversal":
            wins[self.second[~tied], self.first[~tied]] += taken[~tied]
            rest = self.number
        ties[self.first[tied], self.second[tied]] = rest[tied]
        return np.asarray(with_ties(wins, ties + ties.T, self.ties))  # type: ignore[arg-type]  # one of the two


def turns_first(wins: FloatArray, ties: FloatArray, *, change: Change, policy: str = "half") -> Turned:
    r"""Find few battles whose removal or reversal puts another system first, and refit to confirm it.

    To first order, removing a win of i over j lowers the lead of the first system f over c by

    .. math:: (1 - p_{ij}) (v_i - v_j), \qquad v = H^{+} (e_f - e_c),

    with H the information [1]_, a tie by :math:`(\tfrac12 - p_{ij})(v_i - v_j)`, and reversing the win by
    :math:`v_i - v_j`. For k battles those of the largest effect are taken, strengths are refitted without them, effects
    computed again at these strengths, and so on until the set no longer changes; k is found by bisection.

    Parameters
    ----------
    wins, ties : array, shape (m, m)
        Whole numbers; ties symmetric. Strengths must exist.
    change : {"removal", "reversal"}
        Reversal makes wins into losses and leaves ties.
    policy : {"half", "drop"}, default "half"
        How ties count.

    Returns
    -------
    Turned
        An upper bound on the fewest, confirmed by the refit. Its cost does not depend on the number of battles.

    References
    ----------
    .. [1] Broderick, Giordano and Meager (2020), An automatic finite-sample robustness metric: when can dropping a
       little data make a big difference?, arXiv:2011.14999.

    Examples
    --------
    >>> wins = np.array([[0.0, 6], [4, 0]])
    >>> turned = turns_first(wins, np.zeros((2, 2)), change="removal")
    >>> turned.n_battles, turned.challenger, int(turned.wins[0, 1])
    (3, 1, 3)
    >>> turns_first(wins, np.zeros((2, 2)), change="reversal").n_battles
    2
    """
    cells = _cells(wins, ties, change, policy)
    theta = _refit(cells.tables(np.zeros(cells.number.size)))
    nothing = np.zeros(wins.shape, dtype=np.int64)
    none = Turned(0, -1, nothing, nothing, float("nan"))
    if np.isnan(theta).any() or theta.size < 2:
        return none
    first = int(np.argmax(theta))
    estimates = {
        c: _estimate(cells, theta, first, c) for c in np.argsort(-theta, kind="stable").tolist() if c != first
    }
    best: tuple[int, int, FloatArray] | None = None
    for challenger in sorted(estimates, key=lambda c: estimates[c])[:_MOST_REFITTED]:
        if best is not None and estimates[challenger] > _CLOSE * best[0] + 1:
            break
        found = _fewest(cells, theta, first, challenger, estimates[challenger], best[0] if best else None)
        if found is not None and (best is None or found[0] < best[0]):
            best = found[0], challenger, found[1]
    if best is None:
        return none
    return _turned(cells, best[0], first, best[2])


def _turned(cells: _Cells, n_battles: int, first: int, taken: FloatArray) -> Turned:
    theta = _refit(cells.tables(taken))
    table = np.zeros((2, cells.n_systems, cells.n_systems), dtype=np.int64)
    table[cells.is_tie, cells.first, cells.second] = np.rint(taken).astype(np.int64)
    challenger = int(np.argmax(theta))
    return Turned(n_battles, challenger, table[0], table[1], float(theta[challenger] - theta[first]))


def _cells(wins: FloatArray, ties: FloatArray, change: Change, policy: str) -> _Cells:
    won, tied = np.nonzero(wins), np.nonzero(np.triu(ties, 1))
    first, second = (np.concatenate([won[i], tied[i]]) for i in (0, 1))
    is_tie = np.repeat([0, 1], [won[0].size, tied[0].size])
    count = np.concatenate([wins[won], ties[tied]])
    return _Cells(first, second, is_tie, count, len(wins), policy, change)


def _refit(wins: FloatArray) -> FloatArray:
    """Log strengths, or NaN where they do not exist."""
    theta: FloatArray = bradley_terry_batch(wins[None]).log_strength[0]
    return theta


def _effects(cells: _Cells, theta: FloatArray, wins: FloatArray, first: int, challenger: int) -> FloatArray:
    """How much one battle of each kind lowers the lead of the first system; 0 where it does not."""
    chance = win_probability(theta)
    information = laplacian((wins + wins.T) * chance * (1 - chance))
    m = theta.size
    contrast = np.zeros(m)
    contrast[first], contrast[challenger] = 1.0, -1.0
    level = float(np.trace(information)) / m
    pull = np.linalg.solve(information + level / m, contrast)
    apart = pull[cells.first] - pull[cells.second]
    expected = chance[cells.first, cells.second]
    if cells.change == "reversal":
        effect = np.where(cells.is_tie == 1, 0.0, apart)
    else:
        tied = (0.5 - expected) * apart if cells.ties == "half" else np.zeros(apart.size)
        effect = np.where(cells.is_tie == 1, tied, (1 - expected) * apart)
    return np.maximum(effect, 0.0)


def _estimate(cells: _Cells, theta: FloatArray, first: int, challenger: int) -> float:
    """Battles that are needed if effects added up."""
    effect = _effects(cells, theta, cells.tables(np.zeros(cells.number.size)), first, challenger)
    order = np.argsort(-effect, kind="stable")
    total = np.cumsum(effect[order] * cells.number[order])
    lead = theta[first] - theta[challenger]
    at = int(np.searchsorted(total, lead))
    if at >= total.size or not effect[order[at]] > 0:
        return float(cells.number.sum())
    before = total[at - 1] if at else 0.0
    return float(cells.number[order][:at].sum() + (lead - before) / effect[order[at]])


def _taken(effect: FloatArray, most: FloatArray, k: int) -> FloatArray:
    """The k battles of the largest effect, at most so many of each kind."""
    order = np.argsort(-effect, kind="stable")
    useful = order[effect[order] > 0]
    ends = np.cumsum(most[useful])
    taken = np.zeros(most.size)
    taken[useful] = np.clip(k - (ends - most[useful]), 0, most[useful])
    return taken


def _fewest(
    cells: _Cells, theta: FloatArray, first: int, challenger: int, estimate: float, bound: int | None
) -> tuple[int, FloatArray] | None:
    """Bisect the number of battles; `bound` is a number that another challenger has reached."""
    most = int(cells.number.sum()) if bound is None else bound
    tried: dict[int, FloatArray | None] = {}

    def turning(k: int) -> FloatArray | None:
        if k not in tried:
            tried[k] = _turning(cells, theta, first, challenger, k)
        return tried[k]

    # Where battles are few, a larger set may fail because strengths no longer exist, so all numbers are tried.
    for k in range(1, min(_ONE_BY_ONE, most) + 1):
        if (found := turning(k)) is not None:
            return k, found
    low, high = min(_ONE_BY_ONE, most), min(max(_ONE_BY_ONE + 1, int(estimate / _EARLIER)), most)
    while turning(high) is None:
        if high >= most:
            return None
        low, high = high, min(most, high + max(1, high // 8))
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if turning(middle) is not None else (middle, high)
    found = tried[high]
    return None if found is None else (high, found)


def _turning(cells: _Cells, theta: FloatArray, first: int, challenger: int, k: int) -> FloatArray | None:
    """K battles whose change puts the challenger ahead, or None when none were found."""
    wins, here = cells.tables(np.zeros(cells.number.size)), theta
    seen: set[bytes] = set()
    for _ in range(_ROUNDS):
        effect = _effects(cells, here, wins, first, challenger)
        taken = _connected(cells, effect, k)
        if taken is None or taken.tobytes() in seen:
            return None
        seen.add(taken.tobytes())
        wins = cells.tables(taken)
        here = _refit(wins)
        if np.isnan(here).any():
            return None
        if here[challenger] - here[first] > _AHEAD:
            return taken
    return None


def _connected(cells: _Cells, effect: FloatArray, k: int) -> FloatArray | None:
    """The k battles of the largest effect without which strengths exist; None where they are not found."""
    most = cells.number.copy()
    for _ in range(cells.n_systems):
        taken = _taken(effect, most, k)
        if taken.sum() < k:
            return None
        if is_connected(cells.tables(taken)[None])[0]:
            return taken
        # One battle of a kind that is gone has to stay: the least useful that connects the systems.
        gone = np.flatnonzero((taken == cells.number) & (taken > 0))
        if not gone.size or gone.size > _MOST_TRIED:
            return None
        gone = gone[np.argsort(effect[gone], kind="stable")]
        stays = gone[0]
        for cell in gone.tolist():
            less = taken.copy()
            less[cell] -= 1
            if is_connected(cells.tables(less)[None])[0]:
                stays = cell
                break
        most[stays] -= 1
    return None
