"""Items drawn from a population (2PL): abilities by marginal maximum likelihood, and posterior means of the items."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.optimize import minimize
from scipy.special import expit

from betterthan.arrays import BoolArray, FloatArray
from betterthan.errors import NotConverged

_WIDEST = 6.0  # nodes lie between −6 and 6 standard deviations
_MANY_SYSTEMS = 30  # so many make the likelihood of an item narrow, and need nodes that are closer together
_LOG_DISCRIMINATIONS, _WIDEST_LOG = 21, 4.0
_NARROWEST, _WIDEST_DIFFICULTY = 0.02, 8.0
# For systems that hardly differ, items that are steps at one difficulty fit as well as items of many difficulties: the
# likelihood then has no smooth maximum. With 1, nineteen of twenty items discriminate between 0.14 and 7.
_WIDEST_DISCRIMINATION = 1.0
_AT_ONCE = 1 << 22
_STEP = 1e-4


class ItemPopulation(NamedTuple):
    """Abilities of systems, and what items are like.

    Attributes
    ----------
    ability : array, shape (m,)
        In log odds at an item of average discrimination, with sum 0.
    influence : array, shape (n, m)
        Of the items on the abilities; zero where abilities were given.
    difficulty, discrimination : array, shape (n,)
        Posterior means, geometric of discriminations; a system of ability b is right with probability ½ on an item of
        difficulty b.
    difficulty_spread, discrimination_spread : float
        Standard deviations in the population of items: of difficulties, and of log discriminations.
    """

    ability: FloatArray
    influence: FloatArray
    difficulty: FloatArray
    discrimination: FloatArray
    difficulty_spread: float
    discrimination_spread: float


def item_population(
    right: BoolArray, *, ability: FloatArray | None = None, discriminates: bool = True
) -> ItemPopulation:
    r"""Abilities where items are random, with their own difficulty and discrimination.

    .. math:: P(x_{si} = 1) = \frac{1}{1 + e^{-a_i (\theta_s - b_i)}}, \qquad
              b_i \sim N(\mu, \tau^2), \qquad \log a_i \sim N(0, s^2)

    The abilities, :math:`\mu, \tau` and s maximize the likelihood with all items integrated out. A benchmark has few
    systems and many items, so it is the items that must not have parameters of their own.

    Parameters
    ----------
    right : array of bool, shape (m, n)
    ability : array, shape (m,), optional
        Abilities that are known, such as those of the 1PL model; then only the items are estimated.
    discriminates : bool, default True
        Whether items differ in discrimination; without it all have 1.

    Returns
    -------
    ItemPopulation

    Raises
    ------
    NotConverged

    Notes
    -----
    Integrals by the trapezoidal rule, which converges exponentially for such functions; L-BFGS with the analytic
    gradient. The influence of an item is its score times the inverse of the information, in the way of all maximum
    likelihood estimates. s is at most 1.

    References
    ----------
    .. [1] Bock and Aitkin (1981), Marginal maximum likelihood estimation of item parameters, Psychometrika 46, with the
       roles of persons and items exchanged.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> ability, difficulty = np.array([-1.0, -0.5, 0.5, 1.0]), rng.normal(size=800)
    >>> right = rng.random((4, 800)) < expit(ability[:, None] - difficulty)
    >>> item_population(right, discriminates=False).ability.round(1)
    array([-1. , -0.4,  0.5,  0.9])
    """
    m, n = right.shape
    patterns, which, counts = np.unique(right.T, axis=0, return_inverse=True, return_counts=True)
    which = which.reshape(-1)
    grid = _grid(121 if m > _MANY_SYSTEMS else 61, discriminates=discriminates)
    model = _Model(patterns.astype(np.float64), counts.astype(np.float64), grid, ability, discriminates)
    start = model.start()
    found = minimize(
        lambda x: tuple(-part for part in model.value_and_score(x)),
        start,
        jac=True,
        method="L-BFGS-B",
        bounds=model.bounds(),
        options={"maxiter": 500, "ftol": 1e-13, "gtol": 1e-7 * n},
    )
    if not np.isfinite(found.x).all() or (not found.success and found.status != 2):
        raise NotConverged(
            "The item response model did not converge. Use one with fewer parameters.",
            iterations=int(found.nit),
            last_change=float(np.abs(found.jac).max()),
        )
    of_pattern = model.items(found.x)
    abilities, centre = model.abilities(found.x), float(model.abilities(found.x).mean())
    influence = np.zeros((n, m))
    if ability is None:
        influence = model.influence(found.x)[which]
    spread = np.exp(found.x[-2:]) if discriminates else np.append(np.exp(found.x[-1]), 0.0)
    return ItemPopulation(
        ability=abilities - centre,
        influence=influence - influence.mean(axis=1, keepdims=True),
        difficulty=of_pattern[0][which] - centre,
        discrimination=of_pattern[1][which],
        difficulty_spread=float(spread[0]),
        discrimination_spread=float(spread[1]),
    )


class _Grid(NamedTuple):
    """Nodes in standard deviations of difficulty and of log discrimination, and log weights."""

    difficulty: FloatArray
    log_discrimination: FloatArray
    log_weight: FloatArray


def _grid(n_difficulties: int, *, discriminates: bool) -> _Grid:
    z = np.linspace(-_WIDEST, _WIDEST, n_difficulties)
    u = np.linspace(-_WIDEST_LOG, _WIDEST_LOG, _LOG_DISCRIMINATIONS) if discriminates else np.zeros(1)
    both_z, both_u = (part.reshape(-1) for part in np.meshgrid(z, u, indexing="ij"))
    log_weight = -(both_z**2 + both_u**2) / 2
    return _Grid(both_z, both_u, log_weight - np.logaddexp.reduce(log_weight))


class _Model:
    """The marginal likelihood of patterns; parameters are location or abilities, log τ, and log s."""

    def __init__(
        self,
        patterns: FloatArray,
        counts: FloatArray,
        grid: _Grid,
        known: FloatArray | None,
        discriminates: bool,  # noqa: FBT001
    ) -> None:
        self.patterns, self.counts, self.grid = patterns, counts, grid
        self.known, self.discriminates = known, discriminates
        self.n_located = 1 if known is not None else patterns.shape[1]

    def start(self) -> FloatArray:
        """Log odds of right answers, items with a standard deviation of 1, discriminations of 0.3."""
        share = self.counts @ self.patterns / self.counts.sum()
        n = self.counts.sum()
        logits = np.log((share * n + 0.5) / ((1 - share) * n + 0.5))
        located = 1.2 * logits if self.known is None else np.array([(1.2 * logits - self.known).mean()])
        return np.concatenate([located, [0.0], [np.log(0.3)] if self.discriminates else []])

    def bounds(self) -> list[tuple[float, float]]:
        """Abilities within 30 log odds, standard deviations within reason."""
        widest = (_WIDEST_DIFFICULTY, _WIDEST_DISCRIMINATION)[: 1 + self.discriminates]
        spreads = [(float(np.log(_NARROWEST)), float(np.log(most))) for most in widest]
        return [(-30.0, 30.0)] * self.n_located + spreads

    def abilities(self, x: FloatArray) -> FloatArray:
        """The abilities, relative to the mean difficulty."""
        return x[: self.n_located] if self.known is None else self.known + x[0]

    def value_and_score(self, x: FloatArray) -> tuple[float, FloatArray]:
        """Log-likelihood and its gradient."""
        value, score = 0.0, np.zeros(x.size)
        for part in self._parts():
            log_marginal, by_pattern = self._scores(x, part)
            value += float(self.counts[part] @ log_marginal)
            score += self.counts[part] @ by_pattern
        return value, score

    def influence(self, x: FloatArray) -> FloatArray:
        """Influence (k, m) of an item of each pattern on the abilities."""
        free = np.array([low < at < high for at, (low, high) in zip(x, self.bounds(), strict=True)])
        steps = _STEP * np.eye(x.size)[free]
        gradient: Callable[[FloatArray], FloatArray] = lambda at: self.value_and_score(at)[1][free]  # noqa: E731
        columns = [(gradient(x - step) - gradient(x + step)) / (2 * _STEP) for step in steps]
        information = np.stack(columns, axis=1)
        by_pattern = np.concatenate([self._scores(x, part)[1] for part in self._parts()])[:, free]
        pulls = np.linalg.solve((information + information.T) / 2, by_pattern.T).T
        return np.asarray(self.counts.sum() * pulls[:, : self.n_located])

    def items(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Posterior mean of difficulty and geometric mean of discrimination, for each pattern."""
        difficulty, discrimination = self._nodes(x)
        means = []
        for part in self._parts():
            posterior = self._posterior(x, part)[1]
            means.append(posterior @ np.stack([difficulty, np.log(discrimination)], axis=1))
        found = np.concatenate(means)
        return found[:, 0], np.exp(found[:, 1])

    def _nodes(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        tau = np.exp(x[self.n_located])
        s = np.exp(x[self.n_located + 1]) if self.discriminates else 0.0
        return tau * self.grid.difficulty, np.exp(s * self.grid.log_discrimination)

    def _parts(self) -> list[slice]:
        step = max(1, _AT_ONCE // self.grid.log_weight.size)
        return [slice(start, start + step) for start in range(0, len(self.patterns), step)]

    def _posterior(self, x: FloatArray, part: slice) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Log marginal probability of patterns, posterior of the nodes, and log odds of right answers at the nodes."""
        difficulty, discrimination = self._nodes(x)
        log_odds = discrimination * (self.abilities(x)[:, None] - difficulty)
        joint = self.patterns[part] @ log_odds - np.logaddexp(0, log_odds).sum(axis=0) + self.grid.log_weight
        largest = joint.max(axis=1, keepdims=True)
        posterior = np.exp(joint - largest)
        total = posterior.sum(axis=1, keepdims=True)
        return (largest + np.log(total))[:, 0], posterior / total, log_odds

    def _scores(self, x: FloatArray, part: slice) -> tuple[FloatArray, FloatArray]:
        """Log marginal probability (k,) of patterns and its gradient (k, p)."""
        log_marginal, posterior, log_odds = self._posterior(x, part)
        difficulty, discrimination = self._nodes(x)
        chance, patterns = expit(log_odds), self.patterns[part]
        surplus = patterns.sum(axis=1)[:, None] - chance.sum(axis=0)  # Σ_s (x − P) at each node
        weighted = posterior * discrimination
        of_ability = weighted.sum(axis=1)[:, None] * patterns - weighted @ chance.T
        of_tau = -(weighted * surplus) @ difficulty
        located = of_ability if self.known is None else of_ability.sum(axis=1)[:, None]
        columns = [located, of_tau[:, None]]
        if self.discriminates:
            slope = patterns @ log_odds - (chance * log_odds).sum(axis=0)
            s_u = np.exp(x[self.n_located + 1]) * self.grid.log_discrimination
            columns.append(((posterior * slope) @ s_u)[:, None])
        return log_marginal, np.concatenate(columns, axis=1)
