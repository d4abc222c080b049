"""Uninformative word tags, which every real system should beat and every good measure should rank low."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import BoolArray

OPTIMISTIC_RECALL, OPTIMISTIC_PRECISION = 0.1, 0.9
PESSIMISTIC_RECALL_BAD, PESSIMISTIC_RECALL_OK = 0.9, 0.1


def all_bad(gold: BoolArray) -> BoolArray:
    """Tag every word BAD.

    Examples
    --------
    >>> all_bad(np.array([True, False]))
    array([ True,  True])
    """
    return np.ones(gold.size, dtype=np.bool_)


def all_good(gold: BoolArray) -> BoolArray:
    """Tag every word OK.

    Examples
    --------
    >>> all_good(np.array([True, False]))
    array([False, False])
    """
    return np.zeros(gold.size, dtype=np.bool_)


def optimistic(gold: BoolArray, rng: np.random.Generator) -> BoolArray:
    r"""Tag few words BAD, nearly always rightly: BAD precision 0.9 and recall 0.1.

    With b the share of BAD words, :math:`0.1\,b / 0.9` of all words are tagged BAD. The paper [1]_ says 2%, which
    corresponds to its data (b = 18%); precision and recall are kept here, whatever b is.

    Parameters
    ----------
    gold : array of bool, shape (w,)
        True where the word is BAD.
    rng : numpy.random.Generator

    Returns
    -------
    array of bool, shape (w,)
        Rates hold exactly, up to rounding to whole words; which words is random.

    References
    ----------
    .. [1] Logacheva, Lukasik, Specia (2016), Metrics for evaluation of word-level machine translation quality
       estimation, ACL, section 3.1.

    Examples
    --------
    >>> gold = np.arange(1000) < 180
    >>> tags = optimistic(gold, np.random.default_rng(0))
    >>> int(tags.sum()), int((tags & gold).sum())
    (20, 18)
    """
    hits = OPTIMISTIC_RECALL * np.count_nonzero(gold)
    alarms = hits * (1 - OPTIMISTIC_PRECISION) / OPTIMISTIC_PRECISION
    return _chosen(gold, hits, rng) | _chosen(~gold, alarms, rng)


def pessimistic(gold: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Tag 90% of the words BAD at random: BAD recall 0.9, OK recall 0.1.

    Parameters
    ----------
    gold : array of bool, shape (w,)
    rng : numpy.random.Generator

    Returns
    -------
    array of bool, shape (w,)
        Rates hold exactly, up to rounding to whole words; which words is random.

    Examples
    --------
    >>> gold = np.arange(1000) < 180
    >>> tags = pessimistic(gold, np.random.default_rng(0))
    >>> int(tags.sum()), int((tags & gold).sum())
    (900, 162)
    """
    hits = PESSIMISTIC_RECALL_BAD * np.count_nonzero(gold)
    alarms = (1 - PESSIMISTIC_RECALL_OK) * np.count_nonzero(~gold)
    return _chosen(gold, hits, rng) | _chosen(~gold, alarms, rng)


def random_tags(gold: BoolArray, rng: np.random.Generator) -> BoolArray:
    """Tag each word BAD with the probability that a word of the gold tags is BAD.

    Examples
    --------
    >>> gold = np.arange(10_000) < 1800
    >>> abs(float(random_tags(gold, np.random.default_rng(0)).mean()) - 0.18) < 0.02
    True
    """
    share = gold.mean() if gold.size else 0.0
    return np.asarray(rng.random(gold.size) < share)


def _chosen(among: BoolArray, how_many: float, rng: np.random.Generator) -> BoolArray:
    """A number (rounded) of the marked words at random, as marks."""
    places = np.flatnonzero(among)
    marks = np.zeros(among.size, dtype=np.bool_)
    # Rounded first to nine digits, or 0.1 · 5 words and 0.9 · 5 words would depend on the last bit.
    number = min(int(np.floor(round(how_many, 9) + 0.5)), places.size)
    marks[rng.permutation(places)[:number]] = True
    return marks
