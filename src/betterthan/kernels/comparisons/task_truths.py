"""What the true means of systems on tasks may be, given those that were seen: draws of both, task by task."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray

_GRID = 25
_NARROW, _WIDE = 0.05, 4.0
"""Ends of the grid of interactions, in errors of a mean over tasks, and in the larger of spread and error."""
_NO_INTERACTION = 0.5
"""Prior probability that systems differ by the same amount on every task."""
_TINY = 1e-12


class Interaction(NamedTuple):
    r"""How much the lead of a system may vary with the task, and its mean lead if it varies so much.

    Attributes
    ----------
    variance : array, shape (k,)
        Values of :math:`\tau^2`.
    chance : array, shape (k,)
        Their probabilities.
    lead : array, shape (k, m)
        Expected lead of each system over tasks, for each of them.
    root : array, shape (k, m, m) or (k, 1, 1)
        Roots of its covariance; a number where it is the same for all systems.
    """

    variance: FloatArray
    chance: FloatArray
    lead: FloatArray
    root: FloatArray


def noise_factor(deviations: FloatArray) -> FloatArray:
    """Return a factor F of shape (r, m), r at most m, so that F' F is the covariance of the means that they belong to.

    Parameters
    ----------
    deviations : array, shape (m, n)
        Deviations of n units, already divided by the number of items.

    Examples
    --------
    >>> factor = noise_factor(np.array([[0.1, -0.1, 0.0], [0.1, 0.1, -0.2]]))
    >>> np.round(factor.T @ factor, 3)
    array([[0.03, 0.  ],
           [0.  , 0.09]])
    """
    m, n = deviations.shape
    scale = np.sqrt(n / (n - 1)) if n > 1 else 0.0
    if n <= m:
        return np.asarray(scale * deviations.T)
    factor = np.linalg.qr(deviations.T).R
    # A factor is unique up to the signs of its rows, which depend on the library.
    return np.asarray(scale * factor * np.where(np.diag(factor) < 0, -1.0, 1.0)[:, None])


def interaction(means: FloatArray, noise: FloatArray) -> Interaction:
    r"""Return what means of tasks show of the interaction of systems and tasks.

    With :math:`x_{st} = \alpha_s + \gamma_t + \iota_{st} + e_{st}`, :math:`\iota_{st}` normal with variance
    :math:`\tau^2`, and :math:`e_{st}` of a known variance, :math:`\tau` has a restricted likelihood. A priori it is 0
    or half-Cauchy at the scale of the noise, each with probability ½.

    Parameters
    ----------
    means : array, shape (m, T)
        Observed means; NaN where a system lacks a task.
    noise : array, shape (T,)
        Variance of an observed mean around the truth, half that of a difference of two systems.

    References
    ----------
    .. [1] Gelman (2006), Prior distributions for variance parameters in hierarchical models, Bayesian Analysis 1.

    Examples
    --------
    >>> close = interaction(np.array([[0.5, 0.7, 0.3], [0.4, 0.61, 0.19]]), np.full(3, 0.01))
    >>> bool(close.chance[0] > 0.5), np.round(close.lead[0], 2)
    (True, array([ 0.05, -0.05]))
    """
    here = ~np.isnan(means)
    present = here.astype(np.float64)
    counts = present.sum(axis=0)
    level = np.where(here, means, 0.0).sum(axis=0) / counts
    centred = np.where(here, means - level, 0.0)
    grid, prior = _prior(centred, present, noise)
    logs, leads, roots = [], [], []
    for tau in grid.tolist():
        weight = 1.0 / (tau**2 + noise)
        lead, root, log_size = _additive(centred, present, counts, weight)
        fit = float(weight @ (centred**2).sum(axis=0) - (centred @ weight) @ lead)
        logs.append(-0.5 * (fit - float((counts - 1) @ np.log(weight)) + log_size))
        leads.append(lead)
        roots.append(root)
    chance = np.exp(np.array(logs) - max(logs)) * prior
    return Interaction(grid**2, chance / chance.sum(), np.stack(leads), np.stack(roots))


def _prior(centred: FloatArray, present: FloatArray, noise: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return standard deviations of the interaction, the first of them 0, and their prior probabilities."""
    error = float(np.sqrt(noise.mean()))
    own = centred.sum(axis=1) / present.sum(axis=1)
    spread = float(np.sqrt((((centred - own[:, None]) * present) ** 2).sum() / max(present.sum() - 1, 1.0)))
    grid = np.geomspace(_NARROW * error / np.sqrt(noise.size), _WIDE * max(spread, error), _GRID)
    grid = np.concatenate([[0.0], grid])
    density = np.gradient(grid) / (1.0 + (grid / error) ** 2)
    prior = (1 - _NO_INTERACTION) * density / density.sum()
    prior[0] += _NO_INTERACTION
    return grid, prior


def _additive(
    centred: FloatArray, present: FloatArray, counts: FloatArray, weight: FloatArray
) -> tuple[FloatArray, FloatArray, float]:
    """Fit leads by weighted least squares; also the root of their covariance and the log of its inverse's size."""
    m = len(centred)
    pull = centred @ weight
    if present.all():
        total = float(weight.sum())
        return pull / total, np.full((1, 1), total**-0.5), (m - 1) * float(np.log(total))
    normal = np.diag(present @ weight) - (present * (weight / counts)) @ present.T
    values, vectors = np.linalg.eigh(normal)
    known = values > _TINY * values[-1]
    inverse = np.where(known, 1.0 / np.where(known, values, 1.0), 0.0)
    root = (vectors * np.sqrt(inverse)) @ vectors.T
    return root @ (root @ pull), root, float(np.log(values[known]).sum())


def truth_draws(
    means: FloatArray,
    factors: list[FloatArray],
    degrees: FloatArray,
    found: Interaction,
    noise: FloatArray,
    n_draws: int,
    rng: np.random.Generator,
) -> tuple[FloatArray, FloatArray]:
    r"""Draw what the means of tasks may be: with every task on its own, and as far as tasks are alike.

    The first are the observed means and their noise. In the second a mean is drawn toward what an additive model of
    systems and tasks expects, by :math:`\sigma_t^2 / (\tau^2 + \sigma_t^2)`; :math:`\tau` and the leads are drawn, too.
    Only the order of the systems on a task has a meaning: constants of tasks are left out.

    Parameters
    ----------
    means : array, shape (m, T)
    factors : list of array, shape (r, m)
        From :func:`noise_factor`, of each task.
    degrees : array, shape (T,)
        Degrees of freedom of each.
    found : Interaction
    noise : array, shape (T,)
    n_draws : int
    rng : numpy.random.Generator

    Returns
    -------
    alone, together : array, shape (n_draws, m, T)
    """
    m, n_tasks = means.shape
    deviation = np.empty((n_draws, m, n_tasks))
    for t, factor in enumerate(factors):
        normal = rng.standard_normal((n_draws, len(factor)))
        scale = np.sqrt(degrees[t] / rng.chisquare(degrees[t], n_draws))
        deviation[:, :, t] = (normal * scale[:, None]) @ factor
    which = rng.choice(found.chance.size, n_draws, p=found.chance)
    normal = rng.standard_normal((n_draws, m))
    if found.root.shape[-1] == 1:
        around = normal * found.root[which, :, 0]
    else:
        around = np.einsum("bij,bj->bi", found.root[which], normal)
    lead = found.lead[which] + around
    keep = found.variance[which, None] / (found.variance[which, None] + noise)
    together = (1 - keep[:, None, :]) * lead[:, :, None] + keep[:, None, :] * means
    together += np.sqrt(keep)[:, None, :] * deviation
    return means + deviation, together
