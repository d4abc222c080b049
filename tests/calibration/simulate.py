"""Tables whose truth is known: two systems that are equally good, and systems of given strengths.

Every table has a segment effect that all systems share, as real test sets do: some segments are hard for
everybody. "Equally good" means exchangeable: on each segment, either score could as well have been the other's.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import expit
from scipy.stats import binom

import betterthan as bt
from betterthan.analysis.units import Units
from betterthan.kernels.bradley_terry import bradley_terry
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores

ALPHA = 0.05
TRIALS = 2000

# To hold BLAS to one thread anew takes longer than many of these small answers.
compare, rank = inspect.unwrap(bt.compare), inspect.unwrap(bt.rank)


class Tally(NamedTuple):
    """How often something happened."""

    hits: int
    trials: int

    @property
    def share(self):
        """Of the trials."""
        return self.hits / self.trials


def tally(happened):
    """Count the true ones."""
    happened = np.asarray(happened)
    return Tally(int(happened.sum()), int(happened.size))


def band(trials, share=ALPHA, certainty=0.999):
    """The shares that `trials` draws show with probability `certainty`, exactly, when `share` is true."""
    low, high = binom.interval(certainty, trials, share)
    return low / trials, high / trials


# --- Scores of systems that are equally good ------------------------------------------------------------------


def _normal(rng, size, segment):
    return segment + rng.normal(size=size)


def _heavy(rng, size, segment):
    return segment + rng.standard_t(2, size=size)


def _grades(rng, size, segment):
    return np.clip(np.rint(2 + segment + rng.normal(size=size)), 0, 4)


def _answers(rng, size, segment):
    return (rng.random(size) < expit(0.5 + 1.5 * segment)).astype(np.float64)


@dataclass(frozen=True, slots=True)
class Kind:
    """What scores look like, and how many segments there are."""

    draw: Callable
    n: int

    def tables(self, rng, trials=TRIALS, m=2):
        """Draw tables of m exchangeable systems, shape (trials, m, n)."""
        segment = rng.normal(size=(trials, 1, self.n))
        return self.draw(rng, (trials, m, self.n), segment)


KINDS = {
    "normal, 100": Kind(_normal, 100),
    "heavy tails, 100": Kind(_heavy, 100),
    "grades 0–4, 100": Kind(_grades, 100),
    "right or wrong, 100": Kind(_answers, 100),
    "normal, 20": Kind(_normal, 20),
    "grades 0–4, 20": Kind(_grades, 20),
}


def single_segments(n):
    """Every segment a unit of its own."""
    return Units(np.arange(n), n)


def documents(rng, n_documents):
    """Documents of two to ten segments."""
    sizes = rng.integers(2, 11, size=n_documents)
    return Units(np.repeat(np.arange(n_documents), sizes), n_documents)


def document_scores(rng, units, m, shared=1.0):
    """Scores of m equally good systems, each of which does well on some documents and badly on others."""
    n = units.of_segment.size
    of_document = 0.7 * rng.normal(size=(m, units.n_units))
    return shared * rng.normal(size=n) + of_document[:, units.of_segment] + rng.normal(size=(m, n))


def scores_of(values, units=None):
    """A table of these values, with the units as documents."""
    m, n = values.shape
    return Scores(
        name="score",
        systems=[f"S{i}" for i in range(m)],
        segments=[str(i) for i in range(n)],
        values=values,
        groups=None if units is None else [f"d{u}" for u in units.of_segment],
    )


# --- Counts ---------------------------------------------------------------------------------------------------

ACCURACY = Formula(name="accuracy", pooled=lambda sums: sums[..., 0] / sums[..., 1])


def _overlap(sums):
    """Like BLEU with words and pairs of words: geometric mean of two precisions, brevity penalty."""
    one, two, length, reference = np.moveaxis(sums, -1, 0)
    with np.errstate(divide="ignore", invalid="ignore"):
        precision = np.sqrt(one / length * two / length)
        return np.where(length > 0, precision * np.exp(np.minimum(0.0, 1 - reference / length)), 0.0)


OVERLAP = Formula(name="overlap", pooled=_overlap)


def accuracy_counts(rng, m, n):
    """Words right of words, with segments of very different lengths and difficulty."""
    length = rng.integers(1, 40, size=n)
    chance = expit(0.8 + rng.normal(size=n))
    right = rng.binomial(length, chance, size=(m, n))
    return np.stack([right, np.broadcast_to(length, (m, n))], axis=2).astype(np.float64)


def overlap_counts(rng, m, n):
    """Matching words and pairs of words; lengths differ between systems."""
    reference = rng.integers(5, 40, size=n)
    length = np.maximum(2, reference + rng.integers(-4, 4, size=(m, n)))
    chance = expit(0.5 + rng.normal(size=n))
    one = rng.binomial(length, chance)
    two = rng.binomial(one, np.broadcast_to(0.7 * chance, one.shape))
    return np.stack([one, two, length, np.broadcast_to(reference, (m, n))], axis=2).astype(np.float64)


class Counted(NamedTuple):
    """How to draw counts, and what turns them into a score."""

    draw: Callable
    formula: Formula

    def truth(self):
        """The score of an endless test set."""
        rng = np.random.default_rng(2_718_281)
        return float(self.formula.pooled(self.draw(rng, 1, 4_000_000).sum(axis=(0, 1))))


COUNTED = {"accuracy": Counted(accuracy_counts, ACCURACY), "overlap": Counted(overlap_counts, OVERLAP)}


def counts_of(values, formula):
    """A table of these counts."""
    m, n, k = values.shape
    return Counts(
        name=formula.name,
        systems=[f"S{i}" for i in range(m)],
        segments=[str(i) for i in range(n)],
        values=values,
        columns=[f"c{i}" for i in range(k)],
        formula=formula,
    )


# --- Systems of known strengths -------------------------------------------------------------------------------

STRENGTHS = np.array([0.6, 0.2, -0.2, -0.6])


def gumbel_scores(rng, strength, n, tie_share=0.2):
    """Scores by which a beats b with the Bradley–Terry chance; on some segments all systems tie.

    The difference of two Gumbel variables is logistic, so P(a > b) = σ(θ_a − θ_b) exactly.
    """
    noise = rng.gumbel(size=(strength.size, n))
    alike = rng.random(n) < tie_share
    return rng.normal(size=n) + np.where(alike, 0.0, strength[:, None] + noise)


class Arena(NamedTuple):
    """Matches of judges, who may have tastes of their own."""

    n_matches: int
    n_judges: int | None = None
    taste: float = 0.0
    tie_share: float = 0.2

    def matches(self, rng, strength):
        """Random pairs, each match judged by one judge."""
        m = strength.size
        left = rng.integers(0, m, size=self.n_matches)
        right = (left + rng.integers(1, m, size=self.n_matches)) % m
        advantage = strength[left] - strength[right]
        judge = None
        if self.n_judges is not None:
            judge = rng.integers(0, self.n_judges, size=self.n_matches)
            taste = self.taste * rng.normal(size=(self.n_judges, m))
            advantage = advantage + taste[judge, left] - taste[judge, right]
        outcome = (rng.random(self.n_matches) < expit(advantage)).astype(np.float64)
        outcome[rng.random(self.n_matches) < self.tie_share] = 0.5
        systems = [f"S{i}" for i in range(m)]
        return Matches(systems=systems, left=left, right=right, outcome=outcome, group=judge)

    def chances(self, strength):
        """The chance that row beats column, ties half, over all judges."""
        node, weight = np.polynomial.hermite_e.hermegauss(61)
        difference = strength[:, None] - strength[None, :]
        won = expit(difference[..., None] + np.sqrt(2) * self.taste * node) @ weight / weight.sum()
        chance = (1 - self.tie_share) * won + self.tie_share / 2
        np.fill_diagonal(chance, 0.0)
        return chance

    def truth(self, strength):
        """The log strengths that endless matches lead to."""
        return bradley_terry(self.chances(strength)).log_strength
