"""Comparison of systems by their win rates in matches, with cluster-robust errors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from betterthan.analysis.matches.match_units import crossed, match_units, thin_note, two_way, units_of_matches
from betterthan.analysis.matches.matches import critical_values, ties_note, upper_tail
from betterthan.analysis.pairs.pairwise import PairFindings, PairOptions, pairwise_table
from betterthan.analysis.strengths.aggregations import win_rates
from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import NotEstimable
from betterthan.kernels.comparisons.sandwich import difference_errors
from betterthan.kernels.comparisons.wins import WinCounts
from betterthan.kernels.resampling.clustered import ManyClusters, many_clusters
from betterthan.kernels.significance.pvalues import pairwise_pvalues
from betterthan.results.pairwise import PairwiseTable
from betterthan.tables.checks import at, positions
from betterthan.tables.matches import Matches

_TIES_UNSEEN = 4  # the share of ties is shrunk as if four more matches had been decided


@dataclass(frozen=True, slots=True, kw_only=True)
class WinRates:
    """Win rates, with ties counted as half, and their errors.

    Attributes
    ----------
    rate, played : array, shape (m,)
    errors, degrees : array, shape (m,)
    pair_errors, pair_degrees : array, shape (m, m)
        Errors and degrees of freedom of differences of rates.
    is_clustered : bool
    counts : WinCounts
    """

    rate: FloatArray
    played: FloatArray
    errors: FloatArray
    degrees: FloatArray
    pair_errors: FloatArray
    pair_degrees: FloatArray
    is_clustered: bool
    counts: WinCounts

    def interval(self, confidence: float) -> tuple[FloatArray, FloatArray]:
        r"""Wilson's interval with the effective number of independent matches.

        .. math:: \tilde n = \frac{\hat r (1 - \hat r)}{\mathrm{se}^2}, \qquad
                  \frac{\hat r + t^2/2\tilde n \pm t \sqrt{\hat r (1 - \hat r)/\tilde n + t^2/4\tilde n^2}}
                       {1 + t^2/\tilde n}

        Without ties and clusters this is the number of matches, and the interval is Wilson's.
        """
        t = critical_values(confidence, self.degrees)
        spread = self.rate * (1 - self.rate)
        with np.errstate(divide="ignore", invalid="ignore"):
            size = np.where(self.errors > 0, spread / self.errors**2, self._fewest())
        size = np.where(spread > 0, size, self._fewest())
        middle = self.rate + t**2 / (2 * size)
        reach = t * np.sqrt(spread / size + (t / (2 * size)) ** 2)
        scale = 1 + t**2 / size
        return np.maximum((middle - reach) / scale, 0.0), np.minimum((middle + reach) / scale, 1.0)

    def _fewest(self) -> FloatArray:
        """Effective number for a system that always won or lost: its matches, or its clusters if fewer."""
        return np.asarray(np.minimum(self.played, np.nan_to_num(self.degrees, nan=0.0, posinf=np.inf) + 1))


def fitted_win_rates(matches: Matches, counts: WinCounts) -> WinRates:
    """Return the win rates of matches with cluster-robust errors."""
    rate = win_rates(counts)
    played = np.asarray((counts.wins + counts.wins.T + counts.ties).sum(axis=1))
    units = units_of_matches(matches)
    alone = _score_errors(counts, rate, played)
    m = rate.size
    if not units:
        ties = counts.ties.sum(axis=1)
        variance = (rate * (1 - rate) - ties / (played + _TIES_UNSEEN) / 4) / played
        return WinRates(
            rate=rate,
            played=played,
            errors=np.sqrt(np.maximum(variance, 0.0)),
            degrees=np.full(m, np.inf),
            pair_errors=alone,
            pair_degrees=np.full((m, m), np.inf),
            is_clustered=False,
            counts=counts,
        )
    by = [_clustered(matches, rate, unit.code) for unit in units]
    tables = [one.covariance for one in by]
    if len(by) == 2:
        both = _clustered(matches, rate, crossed(units))
        tables.append(two_way(tables[0], tables[1], both.covariance))
    return WinRates(
        rate=rate,
        played=played,
        errors=np.sqrt(np.max([np.diagonal(table) for table in tables], axis=0)),
        degrees=np.min([one.degrees(np.eye(m)) for one in by], axis=0),
        # Clusters that all agree have no variance; the error for independent matches is a lower bound.
        pair_errors=np.maximum(np.max([difference_errors(table) for table in tables], axis=0), alone),
        pair_degrees=np.min([one.degrees_of_pairs(m) for one in by], axis=0),
        is_clustered=True,
        counts=counts,
    )


def _clustered(matches: Matches, rate: FloatArray, code: IntArray) -> ManyClusters:
    used = matches.weight > 0
    number = np.unique(code[used], return_inverse=True)[1].reshape(-1)
    if number.max(initial=0) < 1:
        raise NotEstimable(
            "All matches belong to one group, so standard errors cannot be estimated. Two or more are needed."
        )
    left, right, weight, outcome = (
        getattr(matches, name)[used] for name in ("left", "right", "weight", "outcome")
    )
    system = np.concatenate([left, right])
    excess = np.concatenate([outcome, 1 - outcome]) - rate[system]
    twice = np.tile(weight, 2)
    return many_clusters(np.tile(number, 2), system, twice, twice * excess, n_parameters=rate.size)


def _score_errors(counts: WinCounts, rate: FloatArray, played: FloatArray) -> FloatArray:
    r"""Standard errors (m, m) of differences of win rates under the null hypothesis, for independent matches.

    Residuals are from the common rate, as in Wilson's interval, so that a perfect record has an error too:

    .. math:: \frac{1}{n_a^2} \sum_{r \ni a} (y_{ra} - r_0)^2 + \frac{1}{n_b^2} \sum_{r \ni b} (y_{rb} - r_0)^2
              - \frac{2}{n_a n_b} \sum_{r \ni a, b} (y_{ra} - r_0)(y_{rb} - r_0), \qquad r_0 = \tfrac12 (r_a + r_b)
    """
    middle = (rate[:, None] + rate[None, :]) / 2
    won, tied = counts.wins.sum(axis=1)[:, None], counts.ties.sum(axis=1)[:, None]
    lost = played[:, None] - won - tied
    own = (won * (1 - middle) ** 2 + tied * (0.5 - middle) ** 2 + lost * middle**2) / played[:, None] ** 2
    met = counts.wins + counts.wins.T
    shared = -met * middle * (1 - middle) + counts.ties * (0.5 - middle) ** 2
    return np.asarray(np.sqrt(np.maximum(own + own.T - 2 * shared / np.outer(played, played), 0.0)))


def compare_win_rates(
    matches: Matches, found: WinRates, options: PairOptions, *, systems: Sequence[str] | None = None
) -> PairwiseTable:
    """Tests of all differences of win rates, or of those of some `systems`; rates are those in all matches."""
    chosen = positions(systems, matches.systems, what="system")
    square = np.ix_(chosen, chosen)
    rate, error, degrees = found.rate[chosen], found.pair_errors[square], found.pair_degrees[square]
    difference = rate[:, None] - rate[None, :]
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.where(error > 0, difference / error, 0.0)
    width = critical_values(options.confidence_of_one(len(chosen)), degrees) * error
    counts = found.counts
    named = at(chosen, matches.systems)
    return pairwise_table(
        PairFindings(
            systems=named,
            goodness=rate,
            test="wald",
            effect_name="difference of win rates",
            size_name="difference of win rates",
            effect=difference,
            low=np.maximum(difference - width, -1.0),
            high=np.minimum(difference + width, 1.0),
            size=difference,
            wins=counts.wins[square],
            ties=counts.ties[square],
            pvalue=pairwise_pvalues(upper_tail(z, degrees), alternative=options.alternative),
            data=matches.digest,
            options={
                "matches": round(matches.n_matches),
                "se": "clustered" if found.is_clustered else "robust",
            },
            notes=(
                *matches.notes,
                *ties_note(counts, "half"),
                *thin_note(named, degrees, units_of_matches(matches), matches),
            ),
            **match_units(matches),
        ),
        options,
    )
