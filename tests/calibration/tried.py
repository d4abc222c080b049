"""Intervals that were tried: coverage and mean width of ours and of others, where the choice is hard.

    python -m tests.calibration.tried                   measure all tables again, store them, and write the page
    python -m tests.calibration.tried right-or-wrong    only these tables
    python -m tests.calibration.tried --page            only write the page

The differences of right and wrong answers are enumerated, so their numbers are exact. The other tables are simulated;
all methods see the same 2,000 simulated tables. The numbers are in docs/calibration_tried.json.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator, Mapping

import numpy as np
from scipy.special import gammaln, ndtr, ndtri, stdtrit
from scipy.stats import beta, binom, f, norm
from tests.calibration import agreement, intervals, page, simulate
from tests.calibration.matches import document_sizes

from betterthan.engine.blocks import stream
from betterthan.kernels.intervals.intervals import skewness_interval, skewness_of_sums
from betterthan.kernels.intervals.proportions import (
    paired_shares_interval,
    sign_test_holds,
)
from betterthan.kernels.judges.reliability import alpha_interval

DATA = page.DOCS / "calibration_tried.json"
SEED = 20_261_117
TABLES = 2000
BLOCK = 250  # simulated tables that share the draws of a bootstrap
RESAMPLES = 1999
CONFIDENCE = 0.95
Z = float(norm.isf(0.025))
_MARKER = re.compile(r"(<!-- tried: ([^\n]+) -->\n).*?(<!-- end of tried -->)", re.DOTALL)

Array = np.ndarray
Limits = tuple[Array, Array]
# Design to method to coverage, mean width and, for right and wrong, how often the exact test says otherwise.
Figures = dict[str, dict[str, list[float]]]


# --- Differences of right and wrong ---------------------------------------------------------------------------
# b segments became right and c became wrong, of n.


def ours(b: Array, c: Array, n: int) -> Limits:
    """What bt.compare gives for answers that are right or wrong."""
    return paired_shares_interval(b, c, np.full(np.shape(b), float(n)), confidence=CONFIDENCE)


def bonett_price(b: Array, c: Array, n: int) -> Limits:
    """Wald's interval with one more segment of either kind: Bonett and Price (2012)."""
    gain, loss = (b + 1) / (n + 2), (c + 1) / (n + 2)
    reach = Z * np.sqrt((gain + loss - (gain - loss) ** 2) / (n + 2))
    return np.maximum(gain - loss - reach, -1.0), np.minimum(gain - loss + reach, 1.0)


def tango(b: Array, c: Array, n: int) -> Limits:
    """All differences that the score test does not reject: Tango (1998), Statistics in Medicine 17."""

    def z_of(delta: Array) -> Array:
        linear = (2 * n - b + c) * delta - b - c
        constant = -c * delta * (1 - delta)
        # Likeliest chance of a loss when the difference of chances is delta.
        loss = (np.sqrt(np.maximum(linear**2 - 8 * n * constant, 0.0)) - linear) / (4 * n)
        variance = n * (2 * loss + delta * (1 - delta))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(variance > 0, (b - c - n * delta) / np.sqrt(np.maximum(variance, 0)), 0.0)

    middle = (b - c) / n
    ends = []
    for edge in (-1.0, 1.0):
        inside, outside = middle.astype(float), np.full(np.shape(b), edge)
        for _ in range(50):
            half = (inside + outside) / 2
            is_inside = np.abs(z_of(half)) <= Z
            inside, outside = np.where(is_inside, half, inside), np.where(is_inside, outside, half)
        ends.append((inside + outside) / 2)
    return ends[0], ends[1]


def conditional(b: Array, c: Array, n: int) -> Limits:
    """Clopper and Pearson's interval of the share of gains among the changes, times the changes that were seen."""
    changed = np.asarray(b + c, dtype=float)
    low, high = _clopper_pearson(np.asarray(b, dtype=float), changed)
    low, high = (np.where(changed > 0, changed * (2 * end - 1) / n, 0.0) for end in (low, high))
    return low, high


def _clopper_pearson(successes: Array, n: Array) -> Limits:
    """Quantiles of Beta(k, n - k + 1) and Beta(k + 1, n - k), 0 and 1 at the ends; NaN where n = 0."""
    known = np.where(n > 0, n, np.nan)
    low = beta.ppf((1 - CONFIDENCE) / 2, np.maximum(successes, 1), known - successes + 1)
    high = beta.ppf((1 + CONFIDENCE) / 2, successes + 1, np.maximum(known - successes, 1))
    return np.where(successes == 0, 0 * known, low), np.where(successes == n, 0 * known + 1, high)


def _wilson(share: Array, n: int) -> Limits:
    """The score interval of a share."""
    middle, scale = share + Z**2 / (2 * n), 1 + Z**2 / n
    reach = Z * np.sqrt(share * (1 - share) / n + (Z / (2 * n)) ** 2)
    return (middle - reach) / scale, (middle + reach) / scale


def newcombe(b: Array, c: Array, n: int, right: Array) -> Limits:
    """Square-and-add: Wilson's intervals of both shares and their correlation, Newcombe (1998), method 10.

    `right` segments are right before and after.
    """
    first, second = (right + b) / n, (right + c) / n
    (low_1, high_1), (low_2, high_2) = _wilson(first, n), _wilson(second, n)
    cross = right * (n - right - b - c) - b * c
    cross = np.where(cross > 0, np.maximum(cross - n / 2, 0), cross)
    margins = n**4 * first * (1 - first) * second * (1 - second)
    phi = np.where(margins > 0, cross / np.sqrt(np.where(margins > 0, margins, 1.0)), 0.0)
    down, up = (first - low_1, high_2 - second), (high_1 - first, second - low_2)
    reach = [np.sqrt(np.maximum(x**2 - 2 * phi * x * y + y**2, 0.0)) for x, y in (down, up)]
    return first - second - reach[0], first - second + reach[1]


PAIRED: dict[str, Callable[[Array, Array, int], Limits]] = {
    "ours": ours,
    "Bonett–Price": bonett_price,
    "Tango": tango,
    "exact conditional": conditional,
}
SIZES, CHANGED = (20, 50, 100, 200, 500, 1000), (0.01, 0.02, 0.04, 0.1, 0.2, 0.3)
RATIOS = {"even": 1 / 2, "two to one": 2 / 3}
SHOWN = (0.01, 0.04, 0.2)


def enumerated(n: int, changed: float, ratio: float, accuracy: float = 0.7) -> dict[str, list[float]]:
    """Sum up each method over all counts of changes, leaving out chances below 1e-12.

    Coverage, mean width, and how often the interval contradicts the exact sign test, which is McNemar's exact test.
    Only Newcombe's interval depends on the accuracy of the first system.
    """
    gain, loss = changed * ratio, changed * (1 - ratio)
    b, c = (part.ravel() for part in np.meshgrid(_likely(n, gain), _likely(n, loss), indexing="ij"))
    b, c = b[b + c <= n], c[b + c <= n]
    rest = n - b - c
    log = gammaln(n + 1) - gammaln(b + 1) - gammaln(c + 1) - gammaln(rest + 1)
    chance = np.exp(log + b * np.log(gain) + c * np.log(loss) + rest * np.log1p(-changed))
    b, c, rest, chance = (part[chance > 1e-12] for part in (b, c, rest, chance))
    truth = gain - loss
    is_equal = sign_test_holds(b, c, CONFIDENCE)
    result = {name: _weighed(method(b, c, n), chance, truth, is_equal) for name, method in PAIRED.items()}
    both = (accuracy - loss) / (1 - changed)
    right = np.arange(_likely(int(rest.min()), both)[0], _likely(int(rest.max()), both)[-1] + 1)
    chances = chance[:, None] * binom.pmf(right, rest[:, None], both)
    rows, columns = np.nonzero(chances > 1e-13)
    limits = newcombe(b[rows], c[rows], n, right[columns].astype(float))
    result["Newcombe"] = _weighed(limits, chances[rows, columns], truth, is_equal[rows])
    return result


def _likely(n: int, chance: float) -> Array:
    return np.arange(binom.ppf(1e-13, n, chance), binom.isf(1e-13, n, chance) + 1)


def _weighed(limits: Limits, chance: Array, truth: float, is_equal: Array) -> list[float]:
    low, high = limits
    contradicts = ((low <= 0) & (high >= 0)) != is_equal
    # A limit at the truth itself covers; rounding must not decide that.
    held = (low <= truth + 1e-12) & (truth - 1e-12 <= high)
    return [float(chance[held].sum()), float(chance @ (high - low)), float(chance[contradicts].sum())]


def right_or_wrong() -> Figures:
    """All designs."""
    return {
        f"{n}, {100 * changed:g}%, {name}": enumerated(n, changed, ratio)
        for n in SIZES
        for changed in CHANGED
        for name, ratio in RATIOS.items()
    }


# --- Ratios of sums, of which a mean is one -------------------------------------------------------------------


def ratio_intervals(top: Array, bottom: Array, rng: np.random.Generator) -> dict[str, Limits]:
    """Intervals of sum(top) / sum(bottom) in each row, by every method; rows are simulated tables."""
    n = top.shape[1]
    whole = bottom.sum(axis=1, keepdims=True)
    estimate = top.sum(axis=1, keepdims=True) / whole
    without = (top.sum(axis=1, keepdims=True) - top) / (whole - bottom)
    pull = (n - 1) * (estimate - without)
    pull = pull - pull.mean(axis=1, keepdims=True)
    squares, cubes = (pull**2).sum(axis=1), (pull**3).sum(axis=1)
    middle, error, size = estimate[:, 0], np.sqrt(squares / (n * (n - 1))), np.full(len(top), n)
    reach = -stdtrit(n - 1, 0.025) * error
    shift = np.where(squares > 0, cubes / (6 * n * np.where(squares > 0, squares, 1.0)), 0.0)
    skewness = skewness_of_sums(squares, cubes, size)
    result = {
        "Student's t": (middle - reach, middle + reach),
        "Johnson's t": (middle + shift - reach, middle + shift + reach),
        "t, widened for skewness": skewness_interval(middle, error, skewness, size, confidence=CONFIDENCE),
    }
    weights = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(float).T
    below = bottom @ weights
    drawn = top @ weights / below
    tails = np.full((len(top), 2), [0.025, 0.975])
    ordered = np.sort(drawn, axis=1)
    result["percentile bootstrap"] = quantiles(ordered, tails)
    result["BCa bootstrap"] = quantiles(ordered, bca_shares(drawn, middle, squares, cubes))
    inner = (top**2) @ weights - 2 * drawn * ((top * bottom) @ weights) + drawn**2 * (bottom**2 @ weights)
    spread = np.sqrt(np.maximum(inner, 0.0) * n / (n - 1)) / below
    # Resamples without any spread have no t; they are left out.
    with np.errstate(divide="ignore", invalid="ignore"):
        studentized = np.where(spread > 1e-9 * np.abs(drawn).max(), (drawn - estimate) / spread, np.nan)
    small, large = quantiles(np.sort(studentized, axis=1), tails)
    result["bootstrap-t"] = (middle - large * error, middle - small * error)
    return result


def bca_shares(drawn: Array, estimate: Array, squares: Array, cubes: Array) -> Array:
    """Percentiles of the bias-corrected and accelerated bootstrap, (tables, 2): Efron and Tibshirani (1993), §14.3."""
    estimate = estimate[:, None]
    bias = ndtri(((drawn < estimate).mean(axis=1) + (drawn <= estimate).mean(axis=1)) / 2)[:, None]
    speed = (cubes / (6 * np.where(squares > 0, squares, 1.0) ** 1.5))[:, None]
    moved = bias + np.array([[-Z, Z]])
    with np.errstate(invalid="ignore"):
        return ndtr(bias + moved / (1 - speed * moved))


def quantiles(ordered: Array, shares: Array) -> Limits:
    """Quantiles of each row, whose values ascend with NaN last, at shares (rows, 2)."""
    known = (~np.isnan(ordered)).sum(axis=1)[:, None]
    place = np.nan_to_num(shares) * np.maximum(known - 1, 0)
    left = np.floor(place).astype(int)
    right = np.minimum(left + 1, np.maximum(known - 1, 0))
    lower, upper = (np.take_along_axis(ordered, at, axis=1) for at in (left, right))
    ends = np.where(np.isnan(shares), np.nan, lower + (place - left) * (upper - lower))
    return ends[:, 0], ends[:, 1]


def empirical_likelihood(values: Array) -> Limits:
    """Owen's interval of each row's mean, by Fisher's quantile: weights 1 / (1 + s x) with x from the far end."""
    n = values.shape[1]
    limit = f.isf(0.05, 1, n - 1)
    ends = []
    for sign in (1, -1):
        far = np.min(sign * values, axis=1, keepdims=True)
        above = sign * values - far
        scale = np.maximum(above.max(axis=1, keepdims=True), 1e-300)
        low, high = np.full((len(values), 1), -20.0), np.full((len(values), 1), 40.0)
        for _ in range(60):
            half = (low + high) / 2
            log = -np.log1p(np.exp(half) * above / scale)
            distance = -2 * (log.sum(axis=1) + n * np.log(n) - n * np.log(np.exp(log).sum(axis=1)))
            is_near = distance[:, None] <= limit
            low, high = np.where(is_near, half, low), np.where(is_near, high, half)
        weights = 1 / (1 + np.exp(low) * above / scale)
        ends.append(sign * (far[:, 0] + (weights * above).sum(axis=1) / weights.sum(axis=1)))
    return ends[0], ends[1]


def _shown(limits: Mapping[str, Limits], truth: float, known: Array) -> dict[str, list[float]]:
    """Coverage and mean width; tables without any spread have no interval, are not covered and have no width."""
    result = {}
    for name, (low, high) in limits.items():
        held = known & (low <= truth) & (truth <= high)
        result[name] = [float(held.mean()), float(np.mean((high - low)[known]))]
    return result


def _joined(blocks: list[dict[str, Limits]]) -> dict[str, Limits]:
    return {
        name: (
            np.concatenate([block[name][0] for block in blocks]),
            np.concatenate([block[name][1] for block in blocks]),
        )
        for name in blocks[0]
    }


# --- Means of penalties ---------------------------------------------------------------------------------------


def penalties() -> Figures:
    """Means of MQM-like penalties; two unrelated systems make a table of bt.rank, and each is a trial."""
    return {
        f"{kind}, n = {n}": penalties_of(kind, n)
        for kind in ("MQM penalties", "MQM, rare -25")
        for n in (8, 12, 20, 50)
    }


def penalties_of(kind: str, n: int, tables: int = TABLES) -> dict[str, list[float]]:
    """One design."""
    rng = stream(SEED, f"penalties {kind}", n)
    samples = np.stack([intervals.DRAWS[kind](rng, (2, n)) for _ in range(tables // 2)])
    first = {"ours": _ours_of_means(samples)}
    values = samples.reshape(-1, n)
    blocks = [
        ratio_intervals(part, np.ones_like(part), rng) | {"empirical likelihood": empirical_likelihood(part)}
        for part in np.array_split(values, max(1, len(values) // BLOCK))
    ]
    others = _joined(blocks)
    del others["t, widened for skewness"]  # ours, but for tables of two values
    # No penalty is better than none: as ours, all intervals end there.
    cut = {name: (low, np.minimum(high, 0.0)) for name, (low, high) in others.items()}
    return _shown(first | cut, intervals._truth(kind, "mean"), np.ptp(values, axis=1) > 0)


def _ours_of_means(samples: Array) -> Limits:
    ends = []
    for values in samples:
        ranking = simulate.rank(simulate.scores_of(values), workers=1)
        order = np.argsort(simulate.numbers(ranking.systems))
        ends.append((ranking.low[order], ranking.high[order]))
    low, high = (np.concatenate([end[i] for end in ends]) for i in (0, 1))
    return low, high


# --- Documents of unlike sizes --------------------------------------------------------------------------------

GAP = 0.3


def documents() -> Figures:
    """Mean differences over documents of log-normal sizes."""
    return {
        f"{n} documents, {name}": documents_of(n, effect=effect)
        for name, effect in EFFECTS.items()
        for n in (10, 20, 50)
    }


def symmetric_effects(rng: np.random.Generator, n_documents: int) -> Array:
    """Each system has documents that suit it or do not."""
    return 0.5 * rng.normal(size=(2, n_documents))


def skewed_effects(rng: np.random.Generator, n_documents: int) -> Array:
    """The first system fails on a few documents; differences vary as much as with symmetric effects."""
    return np.stack([np.sqrt(0.5) * (1 - rng.exponential(size=n_documents)), np.zeros(n_documents)])


EFFECTS = {"symmetric": symmetric_effects, "skewed": skewed_effects}


def documents_of(
    n_documents: int,
    tables: int = TABLES,
    effect: Callable[[np.random.Generator, int], Array] = symmetric_effects,
) -> dict[str, list[float]]:
    """One design of two systems."""
    rng = stream(SEED, "documents", n_documents)
    sums, sizes = [], []
    own: dict[str, list[tuple[float, float]]] = {"ours": [], "t, bias-reduced": []}
    for _ in range(tables):
        size = document_sizes(rng, "lognormal", n_documents)
        of = np.repeat(np.arange(n_documents), size)
        values = rng.normal(size=(2, of.size)) + effect(rng, n_documents)[:, of]
        values[0] += GAP
        table = simulate.scores_of(values, of)
        for name, options in (("ours", {}), ("t, bias-reduced", {"test": "t"})):
            pair = simulate.compare(table, workers=1, **options).pair("S0", "S1")
            own[name].append((pair.low, pair.high))
        sums.append(np.bincount(of, weights=values[0] - values[1]))
        sizes.append(size.astype(float))
    total, size = np.array(sums), np.array(sizes)
    ours: dict[str, Limits] = {name: tuple(np.array(ends).T) for name, ends in own.items()}
    limits = ours | document_intervals(total, size, rng)
    return _shown(limits, GAP, np.ones(tables, dtype=bool))


def document_intervals(total: Array, size: Array, rng: np.random.Generator) -> dict[str, Limits]:
    """Intervals of the mean difference from the documents' summed differences and sizes, a table a row."""
    n_documents = total.shape[1]
    mean = total.sum(axis=1) / size.sum(axis=1)
    left = total - mean[:, None] * size
    error = np.sqrt((left**2).sum(axis=1) * n_documents / (n_documents - 1)) / size.sum(axis=1)
    reach = -stdtrit(n_documents - 1, 0.025) * error
    means = total / size
    own = -stdtrit(n_documents - 1, 0.025) * means.std(axis=1, ddof=1) / np.sqrt(n_documents)
    signs = rng.choice([-1.0, 1.0], size=(n_documents, 999))
    if n_documents <= 10:
        signs = 1.0 - 2.0 * (np.arange(2 ** (n_documents - 1)) >> np.arange(n_documents)[:, None] & 1)
    return {
        "t, all documents alike": (mean - reach, mean + reach),
        "t of documents' means": (means.mean(axis=1) - own, means.mean(axis=1) + own),
        "wild bootstrap inverted": _inverted(total, size, signs, mean, error),
    }


def _inverted(total: Array, size: Array, signs: Array, mean: Array, error: Array) -> Limits:
    """All differences that flips of the documents' signs do not reject, up to 40 standard errors away.

    Studentized: the wild cluster bootstrap with the null imposed, of Cameron, Gelbach and Miller (2008).
    """

    def is_kept(delta: Array) -> Array:
        left = total - delta[:, None] * size

        def statistic(flipped: Array, weighed: Array) -> Array:
            slope = flipped / size.sum(axis=1)[:, None]
            squares = (left**2).sum(axis=1)[:, None] - 2 * slope * weighed
            return np.abs(flipped) / np.sqrt(squares + slope**2 * (size**2).sum(axis=1)[:, None])

        seen = statistic(left.sum(axis=1)[:, None], (size * left).sum(axis=1)[:, None])
        drawn = statistic(left @ signs, (size * left) @ signs)
        more = (drawn >= seen * (1 - 1e-12)).sum(axis=1)
        is_complete = signs.shape[1] == 2 ** (len(signs) - 1)
        share = more / signs.shape[1] if is_complete else (more + 1) / (signs.shape[1] + 1)
        return share > 1 - CONFIDENCE

    ends = []
    for sign in (-1, 1):
        inside, outside = np.zeros_like(mean), np.full_like(mean, 40.0)
        for _ in range(18):
            half = (inside + outside) / 2
            kept = is_kept(mean + sign * half * error)
            inside, outside = np.where(kept, half, inside), np.where(kept, outside, half)
        ends.append(mean + sign * (inside + outside) / 2 * error)
    return ends[0], ends[1]


# --- TER ------------------------------------------------------------------------------------------------------


def translation_edits() -> Figures:
    """TER of a system, and the difference of two, over 30 segments, in points."""
    return ter_of(30)


def ter_of(n: int, tables: int = TABLES) -> Figures:
    """Both designs."""
    rng = stream(SEED, "TER", n)
    draw, formula = intervals.COUNTS["TER"]
    counts = np.stack([draw(rng, 2, n) for _ in range(tables)])
    one, both = [], []
    for values in counts:
        table = simulate.counts_of(values, formula)
        ranking = simulate.rank(table, workers=1)
        at = ranking.systems.index("S0")
        one.append((ranking.low[at], ranking.high[at]))
        pair = simulate.compare(table, n_resamples=99, workers=1).pair("S0", "S1")
        both.append((pair.low, pair.high))
    length = counts[:, 0, :, 1]
    tops = {"score": counts[:, 0, :, 0], "difference": counts[:, 0, :, 0] - counts[:, 1, :, 0]}
    truths = {"score": intervals._pooled_truth("TER"), "difference": 0.0}
    result = {}
    for (name, top), found in zip(tops.items(), (one, both), strict=True):
        parts = [
            ratio_intervals(top[i : i + BLOCK], length[i : i + BLOCK], rng) for i in range(0, tables, BLOCK)
        ]
        limits = {"ours": (np.array(found)[:, 0], np.array(found)[:, 1])} | _joined(parts)
        points = {key: (100 * low, 100 * high) for key, (low, high) in limits.items()}
        result[f"{name}, n = {n}"] = _shown(points, 100 * truths[name], np.ones(tables, dtype=bool))
    return result


# --- Agreement about penalties --------------------------------------------------------------------------------


def agreement_about_penalties() -> Figures:
    """Krippendorff's alpha of MQM-like penalties."""
    return {
        f"{n} outputs, {n_judges} judges": alpha_of(n, n_judges)
        for n_judges in (2, 5)
        for n in (20, 50, 100, 200)
    }


def alpha_of(n: int, n_judges: int, tables: int = TABLES) -> dict[str, list[float]]:
    """One design, where every judge judges every output."""
    design = agreement.Design("MQM-like", n_judges)
    rng = stream(SEED, f"agreement {n_judges}", n)
    scores = np.stack([agreement.judged(design, n, rng).score for _ in range(tables)])
    output = np.repeat(np.arange(n), n_judges)
    ours = np.array([alpha_interval(output, score.ravel()) for score in scores])
    blocks = [
        alpha_intervals(part, rng) for part in np.array_split(scores, max(1, 20 * len(scores) // BLOCK))
    ]
    limits = {"ours": (ours[:, 0], ours[:, 1])} | _joined(blocks)
    return _shown(limits, agreement.truth(design)["alpha"], np.ones(tables, dtype=bool))


def alpha_intervals(scores: Array, rng: np.random.Generator) -> dict[str, Limits]:
    """Intervals of alpha by every other method, from scores of tables × outputs × judges."""
    n, n_judges = scores.shape[1:]
    parts = np.stack(
        [
            n_judges * scores.var(axis=2, ddof=1),
            (scores**2).sum(axis=2),
            scores.sum(axis=2),
            np.full(scores.shape[:2], float(n_judges)),
        ],
        axis=2,
    )
    whole = parts.sum(axis=1)
    alpha, slopes = _alpha_with_slopes(whole)
    pull = (n - 1) * (alpha[:, None] - _alpha_with_slopes(whole[:, None] - parts)[0])
    pull = pull - pull.mean(axis=1, keepdims=True)
    squares, cubes = (pull**2).sum(axis=1), (pull**3).sum(axis=1)
    error, size = np.sqrt(squares / (n * (n - 1))), np.full(len(scores), n)
    reach = -stdtrit(n - 1, 0.025) * error
    middle, scale = np.arctanh(alpha), 1 / (1 - alpha**2)
    skewness = 4 * skewness_of_sums(squares, cubes, size)
    wide = skewness_interval(middle, scale * error, skewness, size, confidence=CONFIDENCE)
    result = {
        "Student's t": (alpha - reach, alpha + reach),
        "t, Fisher's scale": _from_fisher(middle - scale * reach, middle + scale * reach),
        "widened for four times the skewness": _from_fisher(*wide),
    }
    weights = rng.multinomial(n, np.full(n, 1 / n), size=RESAMPLES).astype(float)
    drawn, drawn_slopes = _alpha_with_slopes(np.einsum("rn,tnp->trp", weights, parts))
    products = np.einsum("rn,tnp,tnq->trpq", weights, parts, parts, optimize=True)
    variance = np.einsum("trp,trpq,trq->tr", drawn_slopes, products, drawn_slopes)
    # Resamples in which outputs or judges do not differ have no alpha or no error; they are left out.
    drawn = np.where(variance > 1e-18, drawn, np.nan)
    tails = np.full((len(scores), 2), [0.025, 0.975])
    ordered = np.sort(drawn, axis=1)
    result["percentile bootstrap"] = quantiles(ordered, tails)
    result["BCa bootstrap"] = quantiles(ordered, bca_shares(drawn, alpha, squares, cubes))
    plain = np.sqrt(np.square(np.einsum("tp,tnp->tn", slopes, parts)).sum(axis=1))
    with np.errstate(divide="ignore", invalid="ignore"):
        studentized = (np.arctanh(drawn) - middle[:, None]) * (1 - drawn**2) / np.sqrt(variance)
    small, large = quantiles(np.sort(np.where(np.isfinite(studentized), studentized, np.nan), axis=1), tails)
    result["bootstrap-t"] = _from_fisher(middle - large * scale * plain, middle - small * scale * plain)
    return result


def _alpha_with_slopes(sums: Array) -> tuple[Array, Array]:
    """Alpha and its derivatives by the sums of disagreement, squares, values and counts on the last axis.

    The slope of counts is that of the mean about which squares are taken; times the parts of an output the slopes sum
    to the pull of that output on alpha.
    """
    disagreement, squares, total, count = np.moveaxis(sums, -1, 0)
    mean = total / count
    with np.errstate(divide="ignore", invalid="ignore"):
        by_spread = (count - 1) / count / (squares - total * mean)
        ratio = disagreement * by_spread
        spread = ratio * by_spread * count / (count - 1)
        slopes = np.stack([-by_spread, spread, -2 * mean * spread, mean**2 * spread], axis=-1)
    return 1 - ratio, slopes


def _from_fisher(low: Array, high: Array) -> Limits:
    return np.tanh(low), np.tanh(high)


# --- The page -------------------------------------------------------------------------------------------------

MEASURES: dict[str, Callable[[], Figures]] = {
    "right-or-wrong": right_or_wrong,
    "penalties": penalties,
    "documents": documents,
    "ter": translation_edits,
    "agreement": agreement_about_penalties,
}
EXACT = "right-or-wrong"


def table(name: str, figures: Figures) -> str:
    """Markdown: a design a row, a method a column, each with coverage in percent and mean width."""
    methods = list(next(iter(figures.values())))
    lines = ["| | " + " | ".join(methods) + " |", "|---|" + "---:|" * len(methods)]
    for design, row in figures.items():
        if name != EXACT or any(f", {100 * share:g}%," in design for share in SHOWN):
            label = f"n = {design}" if name == EXACT else design
            lines.append(
                f"| {label} | " + " | ".join(_cell(name, *row[method][:2]) for method in methods) + " |"
            )
    if name == EXACT:
        lines += list(_summary(figures, methods))
    return "\n".join(lines) + "\n"


def _cell(name: str, coverage: float, width: float) -> str:
    return (
        f"{100 * coverage:.1f} ({100 * width:.1f})"
        if name == EXACT
        else f"{100 * coverage:.1f} ({width:.2f})"
    )


def _summary(figures: Figures, methods: list[str]) -> Iterator[str]:
    """Rows over all designs: the least coverage, widths as shares of ours, and disagreement with the exact test."""
    least = [min(row[method][0] for row in figures.values()) for method in methods]
    width = [np.mean([row[method][1] / row["ours"][1] for row in figures.values()]) for method in methods]
    yield (
        f"| least coverage of all {len(figures)} designs | "
        + " | ".join(f"{100 * x:.1f}" for x in least)
        + " |"
    )
    yield "| mean width, ours = 1 | " + " | ".join(f"{x:.2f}" for x in width) + " |"
    most = [max(row[method][2] for row in figures.values()) for method in methods]
    yield "| contradicts the exact test, at most | " + " | ".join(f"{100 * x:.1f}" for x in most) + " |"


def load() -> dict[str, Figures]:
    """The stored numbers, by table."""
    return json.loads(DATA.read_text(encoding="utf-8")) if DATA.exists() else {}


def save(measured: Mapping[str, Figures]) -> None:
    """One design a line."""
    blocks = []
    for name, figures in measured.items():
        rows = [
            f"  {json.dumps(design, ensure_ascii=False)}: {json.dumps(_rounded(row), ensure_ascii=False)}"
            for design, row in figures.items()
        ]
        blocks.append(f"{json.dumps(name)}: {{\n" + ",\n".join(rows) + "\n}")
    DATA.write_text("{\n" + ",\n".join(blocks) + "\n}\n", encoding="utf-8")


def _rounded(row: Mapping[str, list[float]]) -> dict[str, list[float]]:
    return {method: [round(number, 5) for number in numbers] for method, numbers in row.items()}


def filled(text: str, measured: Mapping[str, Figures]) -> str:
    """The page with these tables between its markers."""
    return _MARKER.sub(lambda match: f"{match[1]}\n{table(match[2], measured[match[2]])}\n{match[3]}", text)


def main(words: list[str]) -> None:
    """Measure what is asked for, all without words; then write both files."""
    measured = load()
    if words != ["--page"]:
        for name in words or MEASURES:
            measured[name] = MEASURES[name]()
        save({name: measured[name] for name in MEASURES if name in measured})
    page.PAGE.write_text(filled(page.PAGE.read_text(encoding="utf-8"), load()), encoding="utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
