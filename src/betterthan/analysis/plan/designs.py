"""Designs of a comparison: what is repeated, how it varies, and the power that follows."""

from __future__ import annotations

import math
from typing import NamedTuple, Protocol

from betterthan.kernels.runs.components import power_of_runs
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.kernels.significance.power import (
    power_of_battles,
    power_of_means,
    power_of_normal,
    power_of_right_wrong,
)

UNLIMITED = math.inf
_FEWEST_LABELS = 4
_FEW_BATTLES = 300


class Powered(Protocol):
    """What has a power that grows with a number of units."""

    @property
    def most(self) -> float:
        """The largest difference there can be."""

    def power(self, difference: float, n: int, level: float, alternative: Alternative) -> float:
        """Return the power of n units."""

    def roughly(self, difference: float, reach: float) -> float:
        """Return about how many units put the difference at so many standard errors; a start for the search."""


class Design(Powered, Protocol):
    """A comparison of two systems whose size can be chosen."""

    @property
    def kind(self) -> str:
        """What is compared, as the result names it."""

    @property
    def unit(self) -> str:
        """What is counted, in the plural."""

    def why_most(self) -> str:
        """Return why no difference can be larger, as a clause; empty where any can be."""

    def assumptions(self) -> dict[str, float]:
        """Return what the power depends on, by name."""


class Means(NamedTuple):
    r"""Means of scores, with repeats of each item and with documents.

    The variance of the difference of two means over n items is

    .. math:: \frac{\sigma_d^2 + 2 \sigma_e^2 / R}{n} + \frac{2 \sigma_b^2}{R},

    with :math:`\sigma_d` the standard deviation of the differences of items, :math:`\sigma_e` that of repeated scores
    of one item (runs or judgments), :math:`\sigma_b` that of whole runs, and R repeats. For documents of k segments
    with intraclass correlation :math:`\rho` the first part is multiplied by :math:`1 + (k - 1) \rho`.

    Attributes
    ----------
    sd, noise_sd, run_sd : float
    repeats : int
    size : float
        Segments of a document; 1 where items are the units.
    icc : float
    of : str
        What is compared: "scores", "corpus scores", "runs" (which may differ as a whole) or "judgments".
    """

    sd: float
    noise_sd: float = 0.0
    run_sd: float = 0.0
    repeats: int = 1
    size: float = 1.0
    icc: float = 0.0
    of: str = "scores"

    @property
    def kind(self) -> str:
        """What is compared."""
        return self.of

    @property
    def unit(self) -> str:
        """Documents where they have several segments."""
        return "documents" if self.size > 1 else "items"

    @property
    def most(self) -> float:
        """Scores may differ by any amount."""
        return UNLIMITED

    def why_most(self) -> str:
        """Nothing limits it."""
        return ""

    @property
    def unit_variance(self) -> float:
        """Variance of the mean difference of one document or item."""
        variance = self.sd**2 + 2 * self.noise_sd**2 / self.repeats
        return variance * (1 + (self.size - 1) * self.icc) / self.size

    def power(self, difference: float, n: int, level: float, alternative: Alternative) -> float:
        """Return the power of the paired test, for other runs too where runs differ as a whole."""
        if self.of != "runs" or self.repeats < 2:
            spread = math.sqrt(self.unit_variance)  # 0 in some draws of variance components
            effect = (
                difference / spread if spread else math.copysign(math.inf, difference) if difference else 0.0
            )
            return power_of_means(effect, n, level=level, alternative=alternative)
        return power_of_runs(
            difference,
            n,
            self.repeats,
            item_variance=self.unit_variance,
            run_variance=2 * self.run_sd**2,
            noise_variance=2 * self.noise_sd**2,
            level=level,
            alternative=alternative,
        )

    def roughly(self, difference: float, reach: float) -> float:
        """Return infinity where runs alone vary too much."""
        left = (difference / reach) ** 2 - 2 * self.run_sd**2 / self.repeats
        return self.unit_variance / left if left > 0 else math.inf

    def assumptions(self) -> dict[str, float]:
        """Return the standard deviation of the differences, and what else is not at its default."""
        if self.size > 1 and not self.icc:
            return {"document_sd": math.sqrt(self.unit_variance), "document_size": self.size}
        found = {"sd": self.sd}
        if self.noise_sd or self.run_sd:
            found |= {"noise_sd": self.noise_sd, "run_sd": self.run_sd, "repeats": float(self.repeats)}
        if self.size > 1:
            found |= {"document_size": self.size, "icc": self.icc}
        return found


class RightWrong(NamedTuple):
    """Answers that are right or wrong, compared by the exact test of the items on which only one system is right.

    Attributes
    ----------
    discordance : float
        Share of items on which only one system is right. A larger difference raises it where it is an estimate.
    is_estimate : bool
    """

    discordance: float
    is_estimate: bool = False

    @property
    def kind(self) -> str:
        """What is compared."""
        return "right or wrong"

    @property
    def unit(self) -> str:
        """Items."""
        return "items"

    @property
    def most(self) -> float:
        """One system is right wherever they differ; a pilot does not bound the discordance."""
        return 1.0 if self.is_estimate else self.discordance

    def why_most(self) -> str:
        """The share of items on which only one system is right."""
        if self.is_estimate:
            return "a share of right answers cannot differ by more than 1"
        return (
            f"with a discordance of {self.discordance:g}, one system is right on at most {self.discordance:g} of the "
            "items more than the other"
        )

    def power(self, difference: float, n: int, level: float, alternative: Alternative) -> float:
        """Return the power of the exact test."""
        discordance = max(self.discordance, difference)
        return power_of_right_wrong(difference, discordance, n, level=level, alternative=alternative)

    def roughly(self, difference: float, reach: float) -> float:
        """Return the number by McNemar's test."""
        return max(self.discordance, difference) * (reach / difference) ** 2

    def assumptions(self) -> dict[str, float]:
        """Return the share of items on which only one system is right."""
        return {"discordance": self.discordance}


class BattlesDesign(NamedTuple):
    r"""Battles, compared by their Bradley–Terry strengths.

    With s the probability that the better system wins a battle, t the share of ties, which count as half, and m systems
    that meet equally often, the difference of two log strengths after N battles has the variance

    .. math:: \frac{s (1 - s) - t / 4}{(s (1 - s))^2} \cdot \frac{m - 1}{N} .

    A difference is :math:`s - \tfrac12`. Where `variance` is given, it is N times the variance, whatever s.
    """

    ties: float
    systems: int = 2
    variance: float = math.nan

    @property
    def kind(self) -> str:
        """What is compared."""
        return "battles"

    @property
    def unit(self) -> str:
        """Battles of all systems together."""
        return "battles"

    @property
    def most(self) -> float:
        """A win in every battle, or in every one that is no tie."""
        return 0.5 * (1 - self.ties) - 1e-9

    def why_most(self) -> str:
        """Ties count as half a win."""
        most = 0.5 * (1 - self.ties)
        ties = f", with {100 * self.ties:.3g}% of battles tied," if self.ties else ""
        return f"it is the probability of a win minus 0.5, which{ties} is at most {most:.3g}"

    def _variance(self, difference: float) -> float:
        if not math.isnan(self.variance):
            return self.variance
        spread = 0.25 - difference**2
        return (spread - self.ties / 4) / spread**2 * (self.systems - 1)

    def power(self, difference: float, n: int, level: float, alternative: Alternative) -> float:
        """Return the power of the Wald test, added up over all results where two systems meet a few hundred times."""
        if self.systems == 2 and n <= _FEW_BATTLES and math.isnan(self.variance):
            return power_of_battles(difference, self.ties, n, level=level, alternative=alternative)
        log_odds = math.log((0.5 + difference) / (0.5 - difference))
        error = math.sqrt(self._variance(difference) / n)
        return power_of_normal(log_odds, error, level=level, alternative=alternative)

    def roughly(self, difference: float, reach: float) -> float:
        """Return the number by the Wald test."""
        log_odds = math.log((0.5 + difference) / (0.5 - difference))
        return self._variance(difference) * (reach / log_odds) ** 2

    def assumptions(self) -> dict[str, float]:
        """Return the share of ties."""
        return {"ties": self.ties}


class LabelsDesign(NamedTuple):
    r"""Human labels on some of N items that a judge has scored.

    The prediction-powered estimate of a difference has the variance

    .. math:: \frac{(1 - \rho^2) \sigma^2}{n} + \frac{\rho^2 \sigma^2}{N},

    with n labels, :math:`\sigma` the standard deviation of the human differences and :math:`\rho` their correlation
    with those of the judge.
    """

    sd: float
    correlation: float
    judged: int

    @property
    def kind(self) -> str:
        """What is compared."""
        return "human labels beside a judge"

    @property
    def unit(self) -> str:
        """Items that humans label, for both systems."""
        return "labeled items"

    @property
    def most(self) -> float:
        """Scores may differ by any amount."""
        return UNLIMITED

    def why_most(self) -> str:
        """Nothing limits it."""
        return ""

    def power(self, difference: float, n: int, level: float, alternative: Alternative) -> float:
        """Return the power of the test of the corrected difference; labels beyond N items are of no use."""
        labels = min(n, self.judged)
        if labels < _FEWEST_LABELS:
            return 0.0
        # How far the judge is trusted is estimated from the labels, too, which costs one of them.
        own = (1 - self.correlation**2) * (labels - 2) / (labels - 3)
        variance = self.sd**2 * (own / labels + self.correlation**2 / self.judged)
        effect = difference / math.sqrt(variance * (labels - 1))
        return power_of_means(effect, labels - 1, level=level, alternative=alternative)

    def roughly(self, difference: float, reach: float) -> float:
        """Return infinity where the judged items are too few."""
        left = (difference / (reach * self.sd)) ** 2 - self.correlation**2 / self.judged
        return (1 - self.correlation**2) / left if left > 0 else math.inf

    def assumptions(self) -> dict[str, float]:
        """Return the spread of human differences, and what the judge knows of them."""
        return {"sd": self.sd, "judge_correlation": self.correlation, "judged": float(self.judged)}
