r"""Certified p-values of the sign-flip test for real-valued scores: no resampling, no seed, no grid.

The null distribution of :math:`T = \sum_i \varepsilon_i d_i` has the characteristic function
:math:`\varphi(\omega) = \prod_i \cos(\omega d_i)`. Trigonometric polynomials that lie below and above the
indicator of an interval turn finitely many of its values into a lower and an upper bound on p.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.kernels.sign_flips.exact import TIE_TOLERANCE, Alternative

REACH = 6.5  # in standard deviations; beyond it Hoeffding leaves 2 exp(-6.5² / 2) = 1.3e-9
RUN = 128  # neighboring frequencies evaluated from one table of cosines
GROUP = 32  # runs evaluated together
ITEMS = 32  # differences multiplied in before looking which frequencies are still alive
NEGLIGIBLE = 1e-17
EPSILON = float(np.finfo(np.float64).eps)


class Bracket(NamedTuple):
    """A p-value known to lie between `low` and `high`, and the best guess."""

    low: float
    high: float
    estimate: float


def sign_flip_bracket(
    differences: FloatArray, *, alternative: Alternative = "two-sided", n_frequencies: int = 16384
) -> Bracket:
    r"""Bracket the p-value of the sign-flip test; the exact value is certain to lie inside.

    Wrap T around a circle of circumference L and let :math:`\varphi_j = \prod_i \cos(2\pi j d_i / L)`. With
    Vaaler's polynomial of degree N [1]_, for :math:`s = |t|` and
    :math:`\Phi(u) = \pi u (1-u) \cot \pi u + u`,

    .. math::
        P(|T| < s) = \frac{2s}{L} + \frac{2}{\pi} \sum_{j=1}^{N} \Phi\Big(\frac{j}{N+1}\Big) \varphi_j
        \frac{\sin(2\pi j s/L)}{j} \; \pm \; \frac{1}{N+1} \Big[ 1 + 2 \sum_{j=1}^{N}
        \Big(1 - \frac{j}{N+1}\Big) \varphi_j \cos(2\pi j s/L) \Big].

    Parameters
    ----------
    differences : array, shape (n,)
        Paired differences. NaN is left out.
    alternative : {"two-sided", "greater", "less"}
    n_frequencies : int, default 16384
        N. The width is about 2 L f(t) / N for a null density f, hence some 10⁻⁴ whatever n is.

    Returns
    -------
    Bracket
        `estimate` is the centre of the polynomials; where T has no mass at t it is far more accurate than the
        width says, and where it has, the mass is counted as half.

    Notes
    -----
    L = s + 6.5 √Σd² (or s + Σ|d| if that is less). Sums that wrap into the interval have probability at most
    :math:`2\exp(-(L-s)^2/2\sum d^2)` by Hoeffding's inequality, which is added to `high`. So is a bound on
    the rounding error of the cosines, and `high` never exceeds Hoeffding's bound on p itself.
    Cost: a frequency is given up once its product falls below 10⁻¹⁷, mostly after some 80 differences, so
    the work is about 80 N cosines, independent of n.

    References
    ----------
    .. [1] Vaaler (1985), Some extremal functions in Fourier analysis, Bull. AMS 12, theorems 18 and 19.
    .. [2] Hoeffding (1963), Probability inequalities for sums of bounded random variables, JASA 58, theorem 2.

    Examples
    --------
    >>> d = np.array([1.0, 2.0, -0.5, np.pi, np.e, -0.1, 2.2])
    >>> low, high, _ = sign_flip_bracket(d)
    >>> low <= 6 / 128 <= high
    True
    """
    sizes = -np.sort(-np.abs(differences[np.isfinite(differences) & (differences != 0)]))
    largest = sizes.max(initial=0.0) or 1.0
    sizes = sizes / largest
    observed = math.fsum(differences[np.isfinite(differences)] / largest)
    slack = TIE_TOLERANCE * float(sizes.sum())
    if sizes.size == 0 or (alternative == "two-sided" and abs(observed) <= slack):
        return Bracket(1.0, 1.0, 1.0)
    if alternative == "two-sided":
        return _outside(sizes, abs(observed) - slack, n_frequencies)
    toward = observed if alternative == "greater" else -observed
    # P(T >= x) is half of P(|T| >= x) above zero, and one minus half of P(|T| > -x) below.
    low, high, estimate = _outside(sizes, abs(toward - slack), n_frequencies)
    if toward > slack:
        return Bracket(low / 2, high / 2, estimate / 2)
    return Bracket(1 - high / 2, 1 - low / 2, 1 - estimate / 2)


def _outside(sizes: FloatArray, edge: float, n_frequencies: int) -> Bracket:
    """Bracket both P(|T| >= edge) and P(|T| > edge) for edge >= 0."""
    variance, whole = float(sizes @ sizes), float(sizes.sum())
    reach = max(min(REACH * math.sqrt(variance), whole), edge) * (1 + 2.0**-20)
    circle = edge + reach
    wrapped = 0.0 if reach > whole else 2 * math.exp(-(reach**2) / (2 * variance))
    j = np.arange(1.0, n_frequencies + 1)
    phi = _product_of_cosines(sizes / circle, n_frequencies)
    turn = 2 * np.pi * (j * (edge / circle) % 1.0)
    u = j / (n_frequencies + 1)
    # [1] theorem 18: the centre; theorem 19: the Fejér kernel bounds its error.
    weight = np.pi * u * (1 - u) / np.tan(np.pi * u) + u
    inside = 2 * edge / circle + 2 / np.pi * float(np.sum(weight * phi * np.sin(turn) / j))
    fejer = 1 + 2 * float(np.sum((1 - u) * phi * np.cos(turn)))
    doubt = max(fejer, 0.0) / (n_frequencies + 1) + _rounding(sizes.size, whole / circle, n_frequencies)
    estimate = 1 - inside
    # All signs alike reach the largest sum; Hoeffding bounds the tail from above ([2]).
    floor = 2 * 0.5**sizes.size if edge < whole else 0.0
    ceiling = min(1.0, 2 * math.exp(-(edge**2) / (2 * variance)))
    low, high = max(estimate - doubt, floor), min(estimate + doubt + wrapped, ceiling)
    return Bracket(low, max(low, high), min(max(estimate, low), max(low, high)))


def _product_of_cosines(shares: FloatArray, n_frequencies: int) -> FloatArray:
    """φ_j = Π cos(2π j θ_i) for j = 1 … N, in groups of runs that fit the cache."""
    n_runs = -(-n_frequencies // RUN)
    groups = [np.arange(start, min(start + GROUP, n_runs)) for start in range(0, n_runs, GROUP)]
    return np.concatenate([_runs_of_products(shares, runs) for runs in groups])[:n_frequencies]


def _runs_of_products(shares: FloatArray, runs: IntArray) -> FloatArray:
    """Products at the frequencies RUN·r + 1 … RUN·(r + 1); cos(x + y) = cos x cos y - sin x sin y."""
    phi = np.ones((runs.size, RUN))
    alive = np.arange(runs.size)
    within = np.arange(1.0, RUN + 1)
    for start in range(0, shares.size, ITEMS):
        theta = shares[start : start + ITEMS]
        fine = 2 * np.pi * (theta[:, None] * within % 1.0)
        coarse = (2 * np.pi * (runs[alive, None] * (RUN * theta) % 1.0))[:, :, None]
        factors = np.cos(coarse) * np.cos(fine)
        factors -= np.sin(coarse) * np.sin(fine)
        phi[alive] *= factors.prod(axis=1)
        faded = np.abs(phi[alive]).max(axis=1) < NEGLIGIBLE
        phi[alive[faded]] = 0.0
        alive = alive[~faded]
        if not alive.size:
            break
    return phi.reshape(-1)


def _rounding(n: int, turns: float, n_frequencies: int) -> float:
    """Bound what float64 adds: angles of j θ turns are wrong by 4π j θ ε, each factor by 8 ε more.

    Summed with the weights 2/(πj) + 2/(N+1) of the two series; `turns` is Σ θ_i, and the angle of the edge
    adds at most one more.
    """
    angles = 4 * np.pi * (turns + 1) * 2 * n_frequencies
    factors = (8 * n + 8) * (math.log(n_frequencies) + 3)
    return EPSILON * float(angles + factors) + 4 * NEGLIGIBLE * (math.log(n_frequencies) + 3)
