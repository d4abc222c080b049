r"""Errors of clustered data that hold with few or uneven clusters: bias-reduced covariance, and degrees of freedom.

A sandwich covariance is too small when few clusters (judges, documents) inform a contrast, because each pulls the
fit toward itself. Bell and McCaffrey [1]_ undo that: with the inverse information :math:`M = R R^{\mathsf T}`, the
information :math:`G_j` and the score :math:`u_j` of cluster j,

.. math:: P_j = R^{\mathsf T} G_j R, \qquad
          V = R \Big[\sum_j (I - P_j)^{-1/2} R^{\mathsf T} u_j u_j^{\mathsf T} R (I - P_j)^{-1/2}\Big] R^{\mathsf T},

which is unbiased when the model holds (CR2). A variance from few clusters is itself uncertain. Satterthwaite's degrees
of freedom say how much, for each contrast c by itself [2]_: with :math:`x = R^{\mathsf T} c`,
:math:`d_j = x^{\mathsf T} P_j x` and :math:`q_j = P_j (I - P_j)^{-1/2} x`,

.. math:: \nu = \frac{(\sum_j d_j)^2}{\sum_j d_j^2 + \sum_{i \ne j} (q_i^{\mathsf T} q_j)^2}.

A system that 2 of 20 judges have seen has :math:`\nu = 1`, whatever the number of matches.

References
----------
.. [1] Bell, McCaffrey (2002), Bias reduction in standard errors for linear regression with multi-stage samples,
   Survey Methodology 28.
.. [2] Pustejovsky, Tipton (2018), Small-sample methods for cluster-robust variance estimation and hypothesis testing in
   fixed effects models, Journal of Business & Economic Statistics 36.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray

# A direction that one cluster alone determines has λ = 1: it leaves no residual to judge by. Its variance is the
# model's then, and a contrast with more than this share of it has no degrees of freedom; of a difference, with any.
_ALONE = 1e-9
MUCH = 0.25
_ANY = 1e-6
_MOST_CUBES = 3e7
MOST_CLUSTERS = 5000
_MOST_NUMBERS = 2e7
_MOST_CROSSED = 1e8
_BLOCK = 2**21
_DENSE = 2**24


class ClusterTerm(NamedTuple):
    r"""What one cluster adds to a least-squares or likelihood fit of w parameters.

    Attributes
    ----------
    design : array, shape (r, w)
        Any root of its information, :math:`D^{\mathsf T} D = G_j`; its rows times the roots of their weights.
    score : array, shape (w,)
        Sum of weight · residual · design over its rows.
    """

    design: FloatArray
    score: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class FewClusters:
    """The covariance of a fit by the formulas of this module, and the degrees of freedom of contrasts.

    Attributes
    ----------
    covariance : array, shape (w, w)
    """

    covariance: FloatArray
    root: FloatArray  # (w, r)
    axes: FloatArray  # (r, n): eigenvectors of all P_j side by side
    share: FloatArray  # (n,): their eigenvalues
    start: IntArray  # (g,): where each cluster's axes begin

    def degrees(self, contrasts: FloatArray) -> FloatArray:
        """Degrees of freedom of each contrast (k, w); NaN where one cluster alone determines much of it."""
        projected = np.asarray(contrasts, dtype=np.float64) @ self.root
        return self._degrees(projected, MUCH)

    def degrees_of_pairs(self, n_systems: int) -> FloatArray:
        """Degrees of freedom of all differences of the first m parameters, (m, m).

        NaN on the diagonal, and where one cluster alone connects the two.
        """
        first, second = np.triu_indices(n_systems, k=1)
        found = np.full((n_systems, n_systems), np.nan)
        step = max(1, _BLOCK // max(1, self.share.size))
        parts = [
            self._degrees(
                self.root[first[at : at + step]] - self.root[second[at : at + step]], _ANY, first.size
            )
            for at in range(0, first.size, step)
        ]
        found[first, second] = np.concatenate(parts) if parts else []
        found[second, first] = found[first, second]
        return found

    def _degrees(self, projected: FloatArray, most_hidden: float, n_all: int | None = None) -> FloatArray:
        along = projected @ self.axes
        alone = self.share > 1 - _ALONE
        energy = along**2 * self.share
        hidden = energy[:, alone].sum(axis=1) > most_hidden * (projected**2).sum(axis=1)
        energy[:, alone] = 0.0
        each = np.add.reduceat(energy, self.start, axis=1)
        total = each.sum(axis=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            part = each / total[:, None]
            square = (part**2).sum(axis=1)
            pull = part**2 / np.maximum(1 - part, _ALONE)
            crossed = pull.sum(axis=1) ** 2 - (pull**2).sum(
                axis=1
            )  # were all clusters pulling along one line
        # The double sum over clusters is exact for as many contrasts as time allows, those with the fewest degrees
        # first: it takes one degree of freedom from a contrast that all clusters inform, and more from a thin one.
        g, r = self.start.size, len(self.axes)
        n_exact = int(_MOST_CROSSED / (g * r * min(g, r)) * len(projected) / (n_all or len(projected)))
        chosen = np.argsort(-(square + crossed), kind="stable")[:n_exact]
        scaled = along * np.where(alone, 0.0, self.share / np.sqrt(np.maximum(1 - self.share, _ALONE)))
        step = max(1, _BLOCK // (g * r))
        for at in range(0, chosen.size, step):
            rows = chosen[at : at + step]
            with np.errstate(divide="ignore", invalid="ignore"):
                crossed[rows] = self._crossed(scaled[rows]) / total[rows] ** 2
        with np.errstate(divide="ignore", invalid="ignore"):
            degrees = 1 / (square + crossed)
        degrees[hidden | ~(total > 0)] = np.nan
        return np.asarray(degrees)

    def _crossed(self, scaled: FloatArray) -> FloatArray:
        """The sum of (q_i · q_j)² over i ≠ j, for each contrast."""
        ends = [*self.start[1:].tolist(), self.share.size]
        bounds = list(zip(self.start.tolist(), ends, strict=True))
        pulls = np.stack([scaled[:, a:b] @ self.axes[:, a:b].T for a, b in bounds], axis=1)  # (k, g, r)
        turned = pulls.swapaxes(1, 2)
        squares = pulls @ turned if pulls.shape[1] <= pulls.shape[2] else turned @ pulls
        own = (pulls**2).sum(axis=2)
        return np.asarray((squares**2).sum(axis=(1, 2)) - (own**2).sum(axis=1))


def few_clusters(bread: FloatArray, clusters: Iterable[ClusterTerm]) -> FewClusters:
    r"""Bias-reduced covariance (CR2) of a fit.

    Parameters
    ----------
    bread : array, shape (w, w)
        M, the (pseudo-)inverse of the information of all clusters together.
    clusters : iterable of ClusterTerm

    Returns
    -------
    FewClusters

    Examples
    --------
    The mean of 1, 3 | 5 in two clusters. With shares s = 2/3 and 1/3, each squared sum of residuals is divided by
    1 − s.

    >>> first, second = ClusterTerm(np.ones((2, 1)), np.array([-2.0])), ClusterTerm(np.ones((1, 1)), np.array([2.0]))
    >>> found = few_clusters(np.array([[1 / 3]]), [first, second])
    >>> found.covariance.round(6), found.degrees(np.ones((1, 1))).round(6)
    (array([[2.]]), array([1.]))
    """
    values, vectors = np.linalg.eigh((bread + bread.T) / 2)
    real = values > values[-1] * 1e-12
    root = vectors[:, real] * np.sqrt(values[real])
    axes, shares, scores, n_axes, unseen = [], [], [], [], []
    for design, score in clusters:
        axis, share = _axes(design @ root)
        along = axis.T @ (root.T @ score)
        alone = share > 1 - _ALONE
        scores.append(axis @ np.where(alone, 0.0, along / np.sqrt(np.maximum(1 - share, _ALONE))))
        unseen.append(axis[:, alone])
        axes.append(axis)
        shares.append(share)
        n_axes.append(share.size)
    adjusted = root @ np.concatenate([np.array(scores).T, *unseen], axis=1)
    start = np.concatenate([[0], np.cumsum(n_axes)[:-1]]).astype(np.int64)
    return FewClusters(
        covariance=adjusted @ adjusted.T,
        root=root,
        axes=np.concatenate(axes, axis=1),
        share=np.concatenate(shares),
        start=start,
    )


def _axes(rotated: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Eigenvectors (r, n) and eigenvalues of P = BᵀB with B (rows, r), those above 0; never none."""
    rows, r = rotated.shape
    if rows < r:
        values, vectors = np.linalg.eigh(rotated @ rotated.T)
        keep = values > 1e-13
        keep[-1] = True
        share = np.maximum(values[keep], 1e-300)
        axis = rotated.T @ vectors[:, keep] / np.sqrt(share)
    else:
        values, axis = np.linalg.eigh(rotated.T @ rotated)
        keep = values > 1e-13
        keep[-1] = True
        share, axis = np.maximum(values[keep], 1e-300), axis[:, keep]
    return np.ascontiguousarray(axis), np.minimum(share, 1.0)


def is_affordable(rows: Sequence[int] | IntArray, width: int) -> bool:
    """Whether :func:`few_clusters` of so many design rows a cluster takes a second or so.

    Examples
    --------
    >>> is_affordable([400] * 50, 20), is_affordable([400] * 3000, 200)
    (True, False)
    """
    rank = np.minimum(np.asarray(rows, dtype=np.float64), width)
    return bool(
        rank.size <= MOST_CLUSTERS and (rank**3).sum() <= _MOST_CUBES and rank.sum() * width <= _MOST_NUMBERS
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class ManyClusters:
    """The same where the information of a cluster is diagonal, or is taken to be: cheap for any number of clusters.

    Attributes
    ----------
    covariance : array, shape (w, w)
    """

    covariance: FloatArray
    variance: FloatArray  # (w,): 1 / information of each parameter
    overlap: FloatArray  # (w, w)
    alone: FloatArray  # (w,): 1 where one cluster has all that is known about a parameter

    def degrees(self, contrasts: FloatArray) -> FloatArray:
        """Degrees of freedom of each contrast (k, w); NaN where one cluster alone determines much of it."""
        weight = np.asarray(contrasts, dtype=np.float64) ** 2 * self.variance
        with np.errstate(divide="ignore", invalid="ignore"):
            degrees = weight.sum(axis=1) ** 2 / np.einsum("ka,ab,kb->k", weight, self.overlap, weight)
        hidden = weight @ self.alone > MUCH * weight.sum(axis=1)
        return np.where(hidden | ~np.isfinite(degrees), np.nan, degrees)

    def degrees_of_pairs(self, n_systems: int) -> FloatArray:
        """Degrees of freedom of all differences of the first m parameters, (m, m); NaN as for few clusters."""
        v = self.variance[:n_systems]
        part = v[:, None] / (v[:, None] + v[None, :])
        overlap = self.overlap[:n_systems, :n_systems]
        own = np.diagonal(overlap)
        square = part**2 * own[:, None] + part.T**2 * own[None, :] + 2 * part * part.T * overlap
        with np.errstate(divide="ignore", invalid="ignore"):
            degrees = 1 / square
        alone = self.alone[:n_systems] > 0
        degrees[alone[:, None] | alone[None, :] | ~np.isfinite(degrees)] = np.nan
        np.fill_diagonal(degrees, np.nan)
        return np.asarray(degrees)


def many_clusters(
    cluster: IntArray,
    parameter: IntArray,
    information: FloatArray,
    score: FloatArray,
    *,
    n_parameters: int,
    bread: FloatArray | None = None,
) -> ManyClusters:
    r"""Bias-reduced covariance when parameters are means of their own, such as win rates.

    With the share :math:`\rho_{ja}` of the information about parameter a that comes from cluster j, the formulas of
    this module need no roots of matrices:

    .. math:: V = M \Big[\sum_j \tilde u_j \tilde u_j^{\mathsf T}\Big] M, \quad
              \tilde u_{ja} = \frac{u_{ja}}{\sqrt{1 - \rho_{ja}}}, \quad
              \nu = \frac{(\sum_a w_a)^2}{\sum_{ab} w_a w_b K_{ab}}, \quad w_a = c_a^2 M_{aa},

    .. math:: K_{ab} = \sum_j \rho_{ja} \rho_{jb} + \Big(\sum_j f_{ja} f_{jb}\Big)^2 - \sum_j f_{ja}^2 f_{jb}^2,
              \qquad f = \rho / \sqrt{1 - \rho}.

    Parameters
    ----------
    cluster, parameter : array of int, shape (t,)
        Of each contribution, numbered from 0; those of the same cluster and parameter are added up.
    information, score : array, shape (t,)
    n_parameters : int
        w.
    bread : array, shape (w, w), optional
        The inverse information where it is not diagonal. Then the formulas are an approximation, for more clusters than
        :func:`few_clusters` can take; the many make it a good one, and a thin system is still seen.

    Examples
    --------
    >>> found = many_clusters(np.array([0, 0, 1]), np.zeros(3, int), np.ones(3), np.array([-2.0, 0, 2]), n_parameters=1)
    >>> found.covariance.round(6), found.degrees(np.ones((1, 1))).round(6)
    (array([[2.]]), array([1.]))
    """
    shape = int(cluster.max(initial=-1)) + 1, n_parameters
    amount, sums = (_table(value, cluster, parameter, shape) for value in (information, score))
    total = np.asarray(amount.sum(axis=0)).reshape(-1)
    with np.errstate(divide="ignore", invalid="ignore"):
        variance = np.nan_to_num(1 / total, posinf=0.0)
    share, part = amount * variance, sums
    values, scores = (share, part) if isinstance(share, np.ndarray) else (share.data, part.data)
    alone = values > 1 - _ALONE
    left = np.sqrt(np.where(alone, 1.0, 1 - values))
    is_alone = _like(share, alone.astype(np.float64)).sum(axis=0)
    if bread is None:
        bread = np.diag(variance)
    own, pull = np.where(alone, 0.0, values), np.where(alone, 0.0, values / left)
    middle = _squares(_like(share, np.where(alone, 0.0, scores / left)))
    overlap = (
        _squares(_like(share, own)) + _squares(_like(share, pull)) ** 2 - _squares(_like(share, pull**2))
    )
    return ManyClusters(
        covariance=bread @ middle @ bread,
        variance=variance,
        overlap=overlap,
        alone=np.asarray(is_alone, dtype=np.float64).reshape(-1),
    )


def degrees_of_mean(shares: FloatArray) -> float:
    """Degrees of freedom of the standard error of a mean over units that have these shares of its segments.

    Parameters
    ----------
    shares : array, shape (n_units,)
        Above 0, with the sum 1.

    Examples
    --------
    Ten equal documents, and ten of which one has half of the segments:

    >>> round(degrees_of_mean(np.full(10, 0.1)), 6)
    9.0
    >>> round(degrees_of_mean(np.array([0.5, *[0.5 / 9] * 9])), 1)
    3.2
    """
    number = np.arange(shares.size)
    found = many_clusters(number, np.zeros_like(number), shares, shares, n_parameters=1)
    return float(found.degrees(np.ones((1, 1)))[0])


def _table(value: FloatArray, row: IntArray, column: IntArray, shape: tuple[int, int]) -> Any:  # noqa: ANN401
    """Add up values by row and column: a full table, or a sparse one where most of it would be empty."""
    if shape[0] * shape[1] <= max(_DENSE, 8 * value.size):
        cell = np.multiply(row, shape[1], dtype=np.int64) + column
        return np.bincount(cell, value, shape[0] * shape[1]).reshape(shape)
    from scipy.sparse import csr_array  # noqa: PLC0415  (takes a while to load, and is seldom needed)

    table = csr_array((value, (row, column)), shape=shape)
    table.sum_duplicates()
    return table


def _like(table: Any, value: FloatArray) -> Any:  # noqa: ANN401
    """Return a table with the places of another and these values."""
    if isinstance(table, np.ndarray):
        return value
    found = table.copy()
    found.data = value
    return found


def _squares(table: Any) -> FloatArray:  # noqa: ANN401
    """XᵀX."""
    found = table.T @ table
    return np.asarray(found if isinstance(found, np.ndarray) else found.toarray(), dtype=np.float64)
