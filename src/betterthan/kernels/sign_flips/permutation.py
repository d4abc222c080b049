r"""Paired permutation tests of all pairs of systems at once, by random sign flips.

Swapping the scores of systems a and b on segment i flips the sign of their difference. With one matrix R of
random signs (resamples × segments) the partial sums :math:`S = R X^\top` are formed once per system, and the
flipped difference of every pair is :math:`T_{ab} = S_a - S_b`: the work is linear in the number of systems.

The signs are shared by all pairs, so the Monte Carlo errors of different pairs are dependent. Each single
p-value is as good as any; a count of significant pairs is noisier than independent draws would make it.

Scores made ready for sign flips of all pairs: centred, in whole units, with bounds on rounding.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.kernels.compiled import compiled, is_loaded
from betterthan.kernels.flag_counts import flag_space, sums_of_bytes
from betterthan.kernels.sign_flips.exact import TIE_TOLERANCE, Alternative
from betterthan.kernels.sign_flips.unit import in_units, natural_unit

Floating = TypeVar("Floating", np.float32, np.float64)
Float32Array = npt.NDArray[np.float32]

WHOLE_IN_FLOAT32 = 2**22  # sums of whole numbers up to here, and halves, are exact in float32
HALF_UNIT_OF_FLOAT32 = 2.0**-24
LOPSIDED = 1e-8
SAFETY = 6.0  # the largest error seen, sums of 200 taken one by one, was 2.4


@dataclass(frozen=True, slots=True)
class CentredScores:
    """Scores made ready for sign flips, once for all blocks; see :func:`centred_scores`.

    Parameters
    ----------
    values : array, shape (m, n)
        Scores minus a segment's centre, in natural units if there are any; missing cells are 0.
    patterns : array of bool, shape (k, n)
        The distinct rows of "this cell is there".
    pattern : array of int, shape (m,)
        Which of them belongs to each system.
    totals : array, shape (m, m)
        Observed sum of differences over the segments both systems have.
    slack : array, shape (m, m)
        Sums closer than this are ties.
    doubt : array, shape (m, m)
        What float32 may be wrong by; closer calls are decided in float64.
    is_whole : bool
        Values are whole numbers so small that float32 makes no error.
    """

    values: FloatArray
    patterns: BoolArray
    pattern: IntArray
    totals: FloatArray
    slack: FloatArray
    doubt: FloatArray
    is_whole: bool


def centred_scores(goodness: FloatArray) -> CentredScores:
    r"""Subtract each segment's mean over systems, find ties' unit and rounding bounds.

    Differences of systems do not change, and the sums become small enough for float32. Where some scores are very much
    larger than most, it is the median, for a mean would swallow the differences of the others.

    Parameters
    ----------
    goodness : array, shape (m, n)
        Higher is better. NaN is missing: a pair is compared on the segments that both systems have.

    Notes
    -----
    Whole multiples of a natural unit are turned into integers, whose sums are exact. For other scores the
    error of a float32 sum with random signs behaves as a random walk [1]_; we allow
    :math:`6 u \sqrt{n (\lVert x_a \rVert^2 + \lVert x_b \rVert^2)}` with :math:`u = 2^{-24}`, twelve standard
    deviations even where a sum is taken one by one, as a product of short rows does on one thread.

    References
    ----------
    .. [1] Higham and Mary (2020), Sharper probabilistic backward error analysis for basic linear algebra
       kernels with random data, SIAM J. Sci. Comput. 42, theorem 3.4.

    Examples
    --------
    >>> centred_scores(np.array([[0.3, 0.1], [0.1, 0.0]])).totals
    array([[ 0.,  3.],
           [-3.,  0.]])
    """
    unit = natural_unit(goodness)
    values = goodness if unit is None else in_units(goodness, unit)
    centre = values.mean(axis=0)
    complete = bool(np.isfinite(centre).all())
    if complete:
        there = np.ones((1, goodness.shape[1]), dtype=bool)
        patterns, pattern = there, np.zeros(len(goodness), dtype=np.int64)
    else:
        there = np.isfinite(goodness)
        centre = np.where(there, values, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1)
        patterns, pattern = np.unique(there, axis=0, return_inverse=True)
        pattern = pattern.reshape(-1).astype(np.int64)
    if _is_lopsided(values):
        centre = _medians(values)
    values = values - (centre if unit is None else np.rint(centre))
    values = _of_moderate_size(values if complete else np.where(there, values, 0.0))
    sums = values.sum(axis=1)[:, None] if complete else values @ patterns.T
    totals = sums[:, pattern] - sums[:, pattern].T
    return _with_bounds(values, patterns, pattern, totals, is_unit=unit is not None)


def _is_lopsided(values: FloatArray) -> bool:
    """Whether some scores are so large that a mean with them would swallow the differences of the others."""
    size = np.abs(values)
    n_large = np.count_nonzero(size > LOPSIDED * np.nanmax(size, initial=0.0))
    return bool(n_large < np.count_nonzero(size > 0) / 2)


def _medians(values: FloatArray) -> FloatArray:
    """Median of each column that has a value, else 0."""
    is_empty = np.isnan(values).all(axis=0)
    return np.asarray(np.nanmedian(np.where(is_empty, 0.0, values), axis=0))


def _of_moderate_size(values: FloatArray) -> FloatArray:
    """Multiply by a power of two, which changes no comparison, if float32 could not hold the squares."""
    largest = max(float(values.max(initial=0.0)), -float(values.min(initial=0.0)))
    if 1e-12 < largest < 1e12 or largest == 0:
        return values
    return np.ldexp(values, -int(np.frexp(largest)[1]))


def _with_bounds(
    values: FloatArray, patterns: BoolArray, pattern: IntArray, totals: FloatArray, *, is_unit: bool
) -> CentredScores:
    square = np.einsum("ij,ij->i", values, values)
    size = np.sqrt(values.shape[1] * square)  # Cauchy and Schwarz: at least the sum of absolute values
    u = HALF_UNIT_OF_FLOAT32
    walk = SAFETY * u * np.sqrt(values.shape[1] * (square[:, None] + square))
    is_whole = is_unit and bool(2 * size.max(initial=0.0) < WHOLE_IN_FLOAT32)
    slack = np.full(totals.shape, 1e-6) if is_unit else TIE_TOLERANCE * (size[:, None] + size)
    doubt = np.full(totals.shape, 0.5) if is_whole else walk + 4 * u * np.abs(totals) + slack
    return CentredScores(values, patterns, pattern, totals, slack, doubt, is_whole)


def partial_sums(
    values: npt.NDArray[Floating], patterns: BoolArray, signs: npt.NDArray[Floating]
) -> npt.NDArray[Floating]:
    """Flipped sums of each system over the segments of each pattern: shape (k, m, n_resamples)."""
    whole = values @ signs.T
    gaps = [np.flatnonzero(~present) for present in patterns]
    if not any(gap.size for gap in gaps):
        return whole[None]
    return np.stack([whole - values[:, gap] @ signs[:, gap].T for gap in gaps])


def flipped_differences(
    sums: npt.NDArray[Floating], pattern: IntArray, a: int, *, out: npt.NDArray[Floating]
) -> npt.NDArray[Floating]:
    """T of system a against each later system, over the segments both have: shape (m - a - 1, n_resamples)."""
    if len(sums) == 1:
        return np.asarray(np.subtract(sums[0, a], sums[0, a + 1 :], out=out))
    return np.asarray(np.subtract(sums[pattern[a + 1 :], a], sums[pattern[a], a + 1 :], out=out))


def pair_differences(scores: CentredScores, a: int | IntArray, b: int | IntArray) -> FloatArray:
    """Differences of two systems on all segments, 0 where one is missing: shape (n,), or (pairs, n) of several."""
    difference = scores.values[a] - scores.values[b]
    if len(scores.patterns) > 1:
        difference *= scores.patterns[scores.pattern[a]] & scores.patterns[scores.pattern[b]]
    return np.asarray(difference)


AnyArray = npt.NDArray[Any]


def tally_loop(
    sums: AnyArray, lower: AnyArray, upper: AnyArray, beyond: AnyArray, reached: AnyArray, is_two_sided: int
) -> None:
    """Count for each pair a < b the resamples whose difference of sums is above `upper`, and not below `lower`.

    Parameters
    ----------
    sums : array of float32, shape (m, n_resamples)
    lower, upper : array of float32, shape (m, m)
    beyond, reached : array of int64, shape (m, m)
        Filled above the diagonal.
    is_two_sided : int
        Not 0: absolute differences.

    Examples
    --------
    >>> import numpy as np
    >>> beyond, reached = np.zeros((2, 2, 2), dtype=int)
    >>> bound = np.full((2, 2), 2.0, dtype=np.float32)
    >>> sums = np.array([[3, 2, -3], [0, 0, 0]], dtype=np.float32)
    >>> tally_loop(sums, bound, bound, beyond, reached, 1)
    >>> int(beyond[0, 1]), int(reached[0, 1])
    (2, 3)
    """
    n_systems, n_resamples = sums.shape
    for a in range(n_systems):
        for b in range(a + 1, n_systems):
            above, high, low = 0, upper[a, b], lower[a, b]
            not_below = 0
            if is_two_sided:
                for r in range(n_resamples):
                    size = abs(sums[a, r] - sums[b, r])
                    above += size > high
                    not_below += size >= low
            else:
                for r in range(n_resamples):
                    difference = sums[a, r] - sums[b, r]
                    above += difference > high
                    not_below += difference >= low
            beyond[a, b] = above
            reached[a, b] = not_below


CHUNK_BYTES = 48 * 2**20
SIGN_BYTES = 2 * 2**20
MOST_ROWS = 512  # of stacked tables
WORTH_COMPILING = 2**31  # pairs of systems times resamples, each way: more than importing numba costs
LARGEST_CHUNK = 2000  # resamples; no more than MOST_FLAGS can be counted at once
SignWords = npt.NDArray[np.uint64]
SIGNS_OF_BYTE = (2.0 * (np.arange(256)[:, None] >> np.arange(8) & 1) - 1).astype(np.float32)


class Tallies(NamedTuple):
    """How often a resampled statistic was beyond the observed one, and how often equal; blocks add up.

    ``greater[a, b]`` and ``equal[a, b]`` belong to the pair (a, b); "beyond" is in the direction of the
    alternative. On the diagonal every resample is a tie.
    """

    greater: IntArray
    equal: IntArray

    def __add__(self, other: object) -> Tallies:
        """Tallies of both blocks together."""
        if not isinstance(other, Tallies):
            return NotImplemented
        return Tallies(self.greater + other.greater, self.equal + other.equal)


def random_signs(n_resamples: int, n_units: int, rng: np.random.Generator) -> Float32Array:
    """Draw fair signs ±1, one random bit each: shape (n_resamples, n_units).

    A row uses whole 64-bit words, so drawing rows in portions gives the same signs as drawing them at once.

    Examples
    --------
    >>> random_signs(2, 5, np.random.default_rng(0))
    array([[ 1.,  1.,  1.,  1.,  1.],
           [ 1., -1., -1., -1., -1.]], dtype=float32)
    """
    return signs_of(random_words(n_resamples, n_units, rng), n_units)


def random_words(n_resamples: int, n_units: int, rng: np.random.Generator) -> SignWords:
    """Draw the bits of :func:`random_signs`, 64 to a word: shape (n_resamples, words in a row)."""
    shape = n_resamples, -(-n_units // 64)
    return rng.integers(0, 2**64 - 1, size=shape, dtype=np.uint64, endpoint=True)


def signs_of(words: SignWords, n_units: int, out: Float32Array | None = None) -> Float32Array:
    """Bits as ±1, into memory that can be used again, of shape (n_resamples, words in a row, 8, 8)."""
    octets = words.astype("<u8", copy=False).view(np.uint8).reshape(*words.shape, 8)
    signs = np.take(SIGNS_OF_BYTE, octets, axis=0, out=out, mode="clip")
    return signs.reshape(len(words), 64 * words.shape[1])[:, :n_units]


def permutation_block(
    goodness: FloatArray | CentredScores,
    n_resamples: int,
    rng: np.random.Generator,
    *,
    alternative: Alternative = "two-sided",
) -> Tallies:
    r"""Tally one block of random sign flips for all pairs of systems.

    .. math:: \text{greater}_{ab} = \#\{r : T^{(r)}_{ab} > t_{ab}\}, \quad
              \text{equal}_{ab} = \#\{r : T^{(r)}_{ab} = t_{ab}\},

    with absolute values for "two-sided".

    Parameters
    ----------
    goodness : array, shape (m, n), or CentredScores
        Higher is better, NaN is missing. Documents permuted as units come as their sums. For several blocks,
        make the :func:`~betterthan.kernels.sign_flips.permutation.centred_scores` once.
    n_resamples : int
        Resamples in this block.
    rng : numpy.random.Generator
    alternative : {"two-sided", "greater", "less"}
        "greater": system a is better than system b.

    Returns
    -------
    Tallies
        Arrays of shape (m, m); tallies of blocks add up. :func:`add_one` turns them into p-values.

    Notes
    -----
    The product is formed in float32; sums too close to the observed one for float32 are recomputed in float64, so ties
    are counted as in exact arithmetic. One-sided tallies satisfy ``greater[a, b] + equal[a, b] + greater[b, a] ==
    n_resamples``. Cost: 2 m n multiplications and m²/2 comparisons a resample, in portions of at most about 48 MB.

    Examples
    --------
    >>> scores = np.array([[3.0, 4.0, 5.0, 4.0], [1.0, 4.0, 2.0, 3.0]])
    >>> tallies = permutation_block(scores, 1000, np.random.default_rng(0))
    >>> int(tallies.greater[0, 1]), int(tallies.equal[0, 1])  # exactly: 0 and 2 of 8
    (0, 236)
    """
    return permutation_blocks([goodness], n_resamples, rng, alternative=alternative)[0]


def permutation_blocks(
    tables: Sequence[FloatArray | CentredScores],
    n_resamples: int,
    rng: np.random.Generator,
    *,
    alternative: Alternative = "two-sided",
) -> list[Tallies]:
    """Tally one block of random sign flips for several tables of scores on the same units, with the same flips.

    The signs are spread out once, and tables with the same gaps share one product. What comes out is what
    :func:`permutation_block` gives for each table from a generator in the same state.

    Parameters
    ----------
    tables : sequence of array, shape (m, n), or CentredScores
        The same n; m may differ.
    n_resamples, rng, alternative
        As in :func:`permutation_block`.

    Examples
    --------
    >>> scores = np.array([[3.0, 4.0, 5.0, 4.0], [1.0, 4.0, 2.0, 3.0]])
    >>> both = permutation_blocks([scores, 10 - scores], 1000, np.random.default_rng(0), alternative="greater")
    >>> [int(tallies.greater[0, 1]) for tallies in both]
    [0, 879]
    """
    scores = [table if isinstance(table, CentredScores) else centred_scores(table) for table in tables]
    n = scores[0].values.shape[1]
    found = [np.zeros((2, len(one.values), len(one.values)), dtype=np.int64) for one in scores]
    stacks = [_stacked(scores, members) for members in _alike(scores)]
    rows = max(len(stack.values) * len(stack.patterns) for stack in stacks)
    for size in portions(n_resamples, n // 8 + 8 * rows):
        words = random_words(size, n, rng)
        for stack in stacks:
            sums = flipped_sums(stack.values, stack.patterns, words)
            for member, first in stack.first_row.items():
                own = sums[:, first : first + len(scores[member].values)]
                greater, equal = found[member]
                _tally_pairs(greater, equal, scores[member], own, words, two_sided=alternative == "two-sided")
    return [_mirrored(greater, equal, n_resamples, alternative) for greater, equal in found]


class _Stack(NamedTuple):
    """Tables with the same gaps, one above the other in single precision."""

    values: Float32Array
    patterns: BoolArray
    first_row: dict[int, int]


def _alike(scores: list[CentredScores]) -> list[list[int]]:
    """Indices of the tables, those with the same gaps together, few enough for their sums to stay in the cache."""
    together: dict[tuple[bytes, bytes], list[list[int]]] = {}
    for i, one in enumerate(scores):
        stacks = together.setdefault((one.patterns.tobytes(), one.pattern.tobytes()), [[]])
        if sum(len(scores[j].values) for j in stacks[-1]) >= MOST_ROWS:
            stacks.append([])
        stacks[-1].append(i)
    return [stack for stacks in together.values() for stack in stacks]


def _stacked(scores: list[CentredScores], members: list[int]) -> _Stack:
    sizes = [len(scores[i].values) for i in members]
    starts = np.concatenate([[0], np.cumsum(sizes)]).tolist()
    # Products are quicker in rows of four.
    values = np.zeros((-(-starts[-1] // 4) * 4, scores[members[0]].values.shape[1]), dtype=np.float32)
    for i, first, size in zip(members, starts, sizes, strict=False):
        values[first : first + size] = scores[i].values
    return _Stack(values, scores[members[0]].patterns, dict(zip(members, starts, strict=False)))


def portions(n_resamples: int, bytes_each: int) -> list[int]:
    """Cut resamples into portions that fit the memory; the cut does not change the random numbers.

    Examples
    --------
    >>> portions(4500, 1000)
    [2000, 2000, 500]
    """
    largest = max(1, min(LARGEST_CHUNK, CHUNK_BYTES // max(1, bytes_each)))
    return [min(largest, n_resamples - start) for start in range(0, n_resamples, largest)]


def flipped_sums(values: Float32Array, patterns: BoolArray, words: SignWords) -> Float32Array:
    """Partial sums of all systems, from signs spread out a few resamples at a time in the same memory."""
    step = max(256, SIGN_BYTES // (256 * max(1, words.shape[1])))
    space = np.empty((min(step, len(words)), words.shape[1], 8, 8), dtype=np.float32)
    rows = [words[start : start + step] for start in range(0, len(words), step)]
    n = values.shape[1]
    return np.concatenate(
        [partial_sums(values, patterns, signs_of(part, n, space[: len(part)])) for part in rows], axis=2
    )


def _tally_pairs(
    greater: IntArray,
    equal: IntArray,
    scores: CentredScores,
    sums: Float32Array,
    words: SignWords,
    *,
    two_sided: bool,
) -> None:
    """Add the tallies of a portion to the pairs a < b."""
    totals = np.abs(scores.totals) if two_sided else scores.totals
    lower, upper = (totals - scores.doubt).astype(np.float32), (totals + scores.doubt).astype(np.float32)
    is_complete = len(sums) == 1
    if is_complete and is_loaded() and (loop := compiled(tally_loop)) is not None:
        beyond, reached = np.zeros((2, *totals.shape), dtype=np.int64)
        loop(sums[0], lower, upper, beyond, reached, int(two_sided))
    else:
        beyond, reached = _tally_by_system(scores.pattern, sums, lower, upper, two_sided=two_sided)
    near = reached - beyond
    if not scores.is_whole:
        for a, b in np.argwhere(near).tolist():
            beyond[a, b], near[a, b] = _decided(scores, a, b, words, sums, two_sided=two_sided)
    greater += beyond
    equal += near


def _tally_by_system(
    pattern: IntArray, sums: Float32Array, lower: Float32Array, upper: Float32Array, *, two_sided: bool
) -> tuple[IntArray, IntArray]:
    """Count as :func:`tally_loop` does, one system against all later ones at once."""
    m, n_resamples = sums.shape[1:]
    flags = flag_space(2, m, n_resamples)
    certain, possible = flags[:, :, :n_resamples]
    eights = flags.view(np.uint64)
    lanes = np.zeros((2, m, m), dtype=np.uint64)
    space = np.empty_like(sums[0])
    for a in range(m - 1):
        rows, first = slice(a + 1, m), slice(m - a - 1)
        flipped = flipped_differences(sums, pattern, a, out=space[rows])
        if two_sided:
            np.abs(flipped, out=flipped)
        np.greater(flipped, upper[a, rows, None], out=certain[first])
        np.greater_equal(flipped, lower[a, rows, None], out=possible[first])
        np.add.reduce(eights[:, first], axis=2, out=lanes[:, a, rows])
    beyond, reached = sums_of_bytes(lanes)
    return beyond, reached


def _mirrored(greater: IntArray, equal: IntArray, n_resamples: int, alternative: Alternative) -> Tallies:
    """Complete the tallies of the pairs a < b by what they say about (b, a)."""
    other = greater if alternative == "two-sided" else np.triu(n_resamples - greater - equal, 1)
    both = greater + other.T
    equal = equal + equal.T
    np.fill_diagonal(equal, n_resamples)
    return Tallies(both.T.copy() if alternative == "less" else both, equal)


def _decided(
    scores: CentredScores,
    a: int,
    b: int,
    words: SignWords,
    sums: Float32Array,
    *,
    two_sided: bool,
) -> tuple[int, int]:
    """Count beyond and tied of one pair, with the close calls of float32 in float64."""
    left, right = sums[scores.pattern[b], a], sums[scores.pattern[a], b]
    total = abs(scores.totals[a, b]) if two_sided else scores.totals[a, b]
    rough = np.abs(left - right) if two_sided else left - right
    close = np.flatnonzero(np.abs(rough - total) <= 2 * scores.doubt[a, b])
    difference = pair_differences(scores, a, b)
    rows = signs_of(words[close], difference.size)
    if close.size > 8:  # many close calls come from pairs that differ on few segments
        kept = np.flatnonzero(difference)
        rows, difference = rows[:, kept], difference[kept]
    flipped = rows.astype(np.float64) @ difference
    flipped = np.abs(flipped) if two_sided else flipped
    clear = np.count_nonzero(rough > total) - np.count_nonzero(rough[close] > total)
    beyond = flipped > total + scores.slack[a, b]
    tied = ~beyond & (flipped >= total - scores.slack[a, b])
    return int(clear + np.count_nonzero(beyond)), int(np.count_nonzero(tied))


def add_one(count: IntArray, n_resamples: int) -> FloatArray:
    """P-value (b + 1) / (B + 1), valid for any number of resamples [1]_; for claims about systems.

    References
    ----------
    .. [1] Phipson and Smyth (2010), Permutation p-values should never be zero, SAGMB 9, article 39.

    Examples
    --------
    >>> add_one(np.array([0, 49]), 999)
    array([0.001, 0.05 ])
    """
    return np.asarray((count + 1.0) / (n_resamples + 1.0), dtype=np.float64)


def share(count: IntArray, n_resamples: int) -> FloatArray:
    """Literal share b / B, as soft pairwise accuracy was published; it can be 0.

    Examples
    --------
    >>> share(np.array([0, 50]), 1000)
    array([0.  , 0.05])
    """
    return np.asarray(count / float(n_resamples), dtype=np.float64)


def mid_share(tallies: Tallies, n_resamples: int) -> FloatArray:
    """Share with ties counted as half: p(a, b) + p(b, a) = 1, and ½ for identical systems.

    Examples
    --------
    >>> mid_share(Tallies(np.array([[0]]), np.array([[1000]])), 1000)
    array([[0.5]])
    """
    return np.asarray((2 * tallies.greater + tallies.equal) / (2.0 * n_resamples), dtype=np.float64)
