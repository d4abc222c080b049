"""Simulated tables whose truth is known.

All tables have a segment effect that the systems share, as real test sets do: some segments are hard for everybody.
"Equal" systems are exchangeable: on each segment, the scores could be handed out among the systems in any other way.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

import betterthan as bt

Array = np.ndarray
Rng = np.random.Generator


# The verbs that trials call; with ``workers=1``, which changes no number: the runner has workers of its own.
compare, rank = bt.compare, bt.rank


def names(m: int) -> list[str]:
    """S0, S1, …: the number of a system can be read back from its name."""
    return [f"S{i}" for i in range(m)]


def numbers(systems: Sequence[str]) -> Array:
    """The numbers of systems, from their names."""
    return np.array([int(name[1:]) for name in systems])


def scores_of(values: Array, groups: Array | None = None) -> bt.Scores:
    """A table of scores, systems × segments; groups are the numbers of the segments' documents."""
    m, n = values.shape
    documents = None if groups is None else [f"d{group}" for group in groups]
    return bt.Scores(
        name="score", systems=names(m), segments=list(map(str, range(n))), values=values, groups=documents
    )


# --- Equal systems --------------------------------------------------------------------------------------------


def normal(rng: Rng, m: int, n: int) -> Array:
    """Normal scores around a normal segment effect."""
    return rng.normal(size=n) + rng.normal(size=(m, n))


def heavy(rng: Rng, m: int, n: int) -> Array:
    """Heavy tails: Student's t with 3 degrees of freedom."""
    return rng.normal(size=n) + rng.standard_t(3, size=(m, n))


def mqm(rng: Rng, m: int, n: int) -> Array:
    """MQM-like penalties: mostly 0, some −1 and −5, rarely −25; hard segments have more errors for everybody."""
    hard = expit(-1 + rng.normal(size=n))
    chance = rng.random((m, n))
    return -(1.0 * (chance < hard) + 4.0 * (chance < 0.4 * hard) + 20.0 * (chance < 0.03 * hard))


def binary(rng: Rng, m: int, n: int) -> Array:
    """Right or wrong, with items that are easy or hard for everybody."""
    return (rng.random((m, n)) < expit(0.5 + 1.5 * rng.normal(size=n))).astype(float)


def tied(rng: Rng, m: int, n: int) -> Array:
    """Normal scores; on 30% of the segments all systems have the same."""
    return rng.normal(size=n) + rng.normal(size=(m, n)) * (rng.random(n) >= 0.3)


EQUAL: dict[str, Callable[[Rng, int, int], Array]] = {
    "normal": normal,
    "heavy tails (t₃)": heavy,
    "MQM-like": mqm,
    "binary": binary,
    "30% ties": tied,
}


def documents(rng: Rng, n_documents: int) -> Array:
    """The document number of each segment; documents have two to ten segments."""
    return np.repeat(np.arange(n_documents), rng.integers(2, 11, size=n_documents))


def by_documents(rng: Rng, m: int, groups: Array) -> Array:
    """Scores of equal systems that each do well on some documents and badly on others."""
    effect = 0.7 * rng.normal(size=(m, groups.max() + 1))
    return effect[:, groups] + normal(rng, m, groups.size)


# --- Equal means without exchangeability ------------------------------------------------------------------------


def exponential_difference(rng: Rng, n: int) -> Array:
    """Two systems with equal means whose differences are skewed: an exponential variable minus its mean."""
    segment = rng.normal(size=n)
    return np.stack([segment, segment + rng.exponential(size=n) - 1])


def lognormal_difference(rng: Rng, n: int) -> Array:
    """Two systems with equal means whose differences are very skewed: a log-normal variable minus its mean."""
    segment = rng.normal(size=n)
    return np.stack([segment, segment + rng.lognormal(size=n) - np.exp(0.5)])


def rare_disaster(rng: Rng, n: int) -> Array:
    """A steady system (−1 on every segment, a little noise) and one that is perfect except for −25 on 4%."""
    steady = -1 + 0.1 * rng.normal(size=n)
    return np.stack([steady, -25.0 * (rng.random(n) < 0.04)])


# --- Counts ---------------------------------------------------------------------------------------------------


def _accuracy(sums: Array) -> Array:
    return sums[..., 0] / sums[..., 1]


def _overlap(sums: Array) -> Array:
    """Like BLEU with words and pairs of words: geometric mean of two precisions, brevity penalty."""
    one, two, length, reference = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.sqrt(one / length * two / length)
        return np.where(length > 0, precision * np.exp(np.minimum(0.0, 1 - reference / length)), 0.0)


ACCURACY = bt.Formula(name="accuracy", pooled=_accuracy)
OVERLAP = bt.Formula(name="overlap", pooled=_overlap)


def counts_of(values: Array, formula: bt.Formula) -> bt.Counts:
    """A table of counts, systems × segments × columns."""
    m, n, k = values.shape
    return bt.Counts(
        name=formula.name,
        systems=names(m),
        segments=list(map(str, range(n))),
        values=values.astype(float),
        columns=[f"c{i}" for i in range(k)],
        formula=formula,
    )


def accuracy_counts(rng: Rng, m: int, n: int, ability: Array | float = 0.8) -> bt.Counts:
    """Words right of words, with segments of very different length and difficulty; ability in log-odds."""
    length = rng.integers(1, 40, size=n)
    chance = expit(np.broadcast_to(np.reshape(ability, (-1, 1)), (m, 1)) + rng.normal(size=n))
    right = rng.binomial(length, chance)
    return counts_of(np.stack([right, np.broadcast_to(length, (m, n))], axis=2), ACCURACY)


def overlap_counts(rng: Rng, m: int, n: int) -> bt.Counts:
    """Matching words and pairs of words; lengths differ between systems."""
    reference = rng.integers(5, 40, size=n)
    length = np.maximum(2, reference + rng.integers(-4, 4, size=(m, n)))
    chance = expit(0.5 + rng.normal(size=n))
    one = rng.binomial(length, chance)
    two = rng.binomial(one, np.broadcast_to(0.7 * chance, one.shape))
    return counts_of(np.stack([one, two, length, np.broadcast_to(reference, (m, n))], axis=2), OVERLAP)


COUNTS: dict[str, Callable[[Rng, int, int], bt.Counts]] = {
    "accuracy": accuracy_counts,
    "BLEU-like": overlap_counts,
}


# --- Unequal systems ------------------------------------------------------------------------------------------


def ladder_items(rng: Rng, accuracy: Array, n: int) -> Array:
    """Right or wrong: a system solves the items that are easier than its accuracy, give or take some luck."""
    difficulty = rng.random(n)
    luck = 0.05 * rng.normal(size=(accuracy.size, n))
    return (difficulty + luck < accuracy[:, None]).astype(float)


def one_leader(rng: Rng, m: int, n: int, lead: float) -> Array:
    """Normal scores of equal systems and one, the first, whose scores are higher by `lead`."""
    values = normal(rng, m, n)
    values[0] += lead
    return values


def wins_without_mean(rng: Rng, m: int, n: int) -> Array:
    """The first system beats each other one on 60% of the segments, and yet all means are equal."""
    values = normal(rng, m, n)
    values[0] += np.where(rng.random(n) < 0.6, 5.0, -7.5)
    return values


def gumbel_scores(rng: Rng, log_strength: Array, n: int, tie_share: float = 0.2) -> Array:
    """Scores by which a beats b with the Bradley–Terry chance; on some segments all systems tie.

    The difference of two Gumbel variables is logistic, so P(a > b) = σ(θ_a − θ_b) exactly.
    """
    noise = rng.gumbel(size=(log_strength.size, n))
    alike = rng.random(n) < tie_share
    return rng.normal(size=n) + np.where(alike, 0.0, log_strength[:, None] + noise)


@dataclass(frozen=True, slots=True)
class Arena:
    """Matches of random pairs that obey the Bradley–Terry model, given the tastes of judges."""

    n_matches: int
    n_judges: int | None = None
    taste: float = 0.0  # standard deviation of a judge's own log strengths around those of all
    tie_share: float = 0.2

    def matches(self, rng: Rng, log_strength: Array) -> bt.Matches:
        """Draw the matches, each judged by one judge."""
        m, n = log_strength.size, self.n_matches
        left = rng.integers(0, m, size=n)
        right = (left + rng.integers(1, m, size=n)) % m
        advantage = log_strength[left] - log_strength[right]
        judge = None
        if self.n_judges is not None:
            judge = rng.integers(0, self.n_judges, size=n)
            taste = self.taste * rng.normal(size=(self.n_judges, m))
            advantage = advantage + taste[judge, left] - taste[judge, right]
        outcome = (rng.random(n) < expit(advantage)).astype(float)
        outcome[rng.random(n) < self.tie_share] = 0.5
        return bt.Matches(systems=names(m), left=left, right=right, outcome=outcome, group=judge)
