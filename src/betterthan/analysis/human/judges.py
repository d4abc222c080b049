"""Do the human judges agree, and which of them are reliable?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from betterthan.analysis.resampling import Rng, seed_of
from betterthan.analysis.table_argument import AnyData, judgements_with_judges
from betterthan.analysis.wording import amount, counted, share
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.budget import check_share
from betterthan.engine.blocks import stream
from betterthan.errors import BetterThanError, TableError, some_of, unknown_name
from betterthan.kernels.judges.judge_pairs import mean_kappa, order_kappa, pairwise_order
from betterthan.kernels.judges.judge_screening import (
    Controls,
    JudgedItems,
    PeerAgreement,
    careless_pvalues,
    control_test,
    mean_of_repeats,
    peer_agreement,
    power_by_peers,
    power_of_controls,
    repeat_consistency,
    screen_by_peers,
)
from betterthan.kernels.judges.left_out import FEWEST
from betterthan.kernels.judges.reliability import (
    alpha_interval,
    intraclass_one_way,
    intraclass_two_way,
    krippendorff_alpha,
    spearman_brown,
)
from betterthan.results.human import Judges, JudgesAgreement
from betterthan.results.pairwise import equals_p
from betterthan.results.settings import Settings
from betterthan.tables.ratings import Ratings

_LOW_POWER = 0.8
_MOST_REASONS = 10  # judges in a sentence


def sentences_about(found: Judges, *, alpha: float, min_shared: int) -> tuple[str, ...]:
    """Return sentences on the amount of judging, agreement, excluded judges with reasons, and what cannot be shown."""
    said = [_size(found), *_agreement_sentence(found), *_kept(found), *_unknown(found, alpha, min_shared)]
    return tuple(said)


def _size(found: Judges) -> str:
    total = int(found.n_judgements.sum())
    each = amount(found.agreement.per_output, 1).removesuffix(".0")
    return f"{counted(len(found.judges), 'judge')} gave {counted(total, 'judgment')}, {each} for an output."


def _agreement_sentence(found: Judges) -> list[str]:
    a = found.agreement
    if not (found.n_shared > 0).any():
        return ["No two judges judged the same output, so their agreement cannot be measured."]
    said = []
    if not math.isnan(a.alpha):
        said.append(
            f"Krippendorff's alpha is {amount(a.alpha, 2)}{_limits(a.alpha_low, a.alpha_high)}, and "
            f"{amount(a.alpha_standardized, 2)}{_limits(a.alpha_standardized_low, a.alpha_standardized_high)} after "
            f"standardizing each judge; 1 is perfect agreement, 0 is chance agreement."
        )
    if not math.isnan(a.icc):
        mean_of = ""
        if a.per_output > 1 and not math.isnan(a.reliability):
            each = amount(a.per_output, 1).removesuffix(".0")
            mean_of = f"; the mean of {each} has {amount(a.reliability, 2)}"
        said.append(
            f"A single judgment has the reliability {amount(a.icc, 2)}{_limits(a.icc_low, a.icc_high, 'ICC(1)')}"
            f"{mean_of}."
        )
    if a.n_interval_units < FEWEST:
        said.append(f"Intervals of agreement are not available for fewer than {FEWEST} {a.interval_units}.")
    if a.order_pairs:
        said.append(
            f"Two judges order two systems on a segment alike in {share(a.order_alike)} of "
            f"{counted(a.order_pairs, 'case')}, opposite in {share(a.order_opposite)}."
        )
    return said


def _limits(low: float, high: float, name: str = "") -> str:
    """Return the 95% confidence interval in parentheses; empty where there is none."""
    known = [] if math.isnan(low) else [f"95% CI {amount(low, 2)} to {amount(high, 2)}"]
    words = ", ".join([name] * bool(name) + known)
    return f" ({words})" if words else ""


def _kept(found: Judges) -> list[str]:
    if not found.dropped:
        return ["No judge was found to be unreliable; all are kept."]
    why = dict(zip(found.judges, found.reasons, strict=True))
    told = "; ".join(f"{some_of([name])} ({why[name]})" for name in found.dropped[:_MOST_REASONS])
    rest = len(found.dropped) - _MOST_REASONS
    return [f"Excluded: {told}{f'; and {rest} more' if rest > 0 else ''}."]


def _unknown(found: Judges, alpha: float, min_shared: int) -> list[str]:
    """Return what cannot be shown: deviations that may be chance, judges with few outputs, tests with low power."""
    messages = []
    open_cases = [
        f"{name} ({ratio:.1f} times, {equals_p(p)})"
        for name, ratio, p in zip(
            found.judges, found.variance_ratio.tolist(), found.variance_pvalue.tolist(), strict=True
        )
        if p > alpha
    ]
    if open_cases:
        messages.append(f"Kept despite a high variance that may be chance: {some_of(open_cases, limit=10)}.")
    few = [name for name, n in zip(found.judges, found.n_shared.tolist(), strict=True) if n < min_shared]
    if few and (found.n_shared > 0).any():
        messages.append(
            f"Too little evidence on {some_of(few)}: fewer than {counted(min_shared, 'output')} shared with others."
        )
    if found.power < _LOW_POWER:
        messages.append(
            f"Comparison with the other judges would detect a judge who answers at random with a power of only about "
            f"{_percent(round(found.power, 1))}, so being kept is weak evidence of reliability."
        )
    without = [name for name, n in zip(found.judges, found.n_controls.tolist(), strict=True) if n == 0]
    if without and found.n_controls.any():
        messages.append(f"No control items for {some_of(without)}.")
    if found.control_power < _LOW_POWER:
        items = counted(_median_number(found), "control item")
        messages.append(
            f"{items} cannot show that a judge is careless: a judge who answers at random would be detected with a "
            f"power of only {_percent(found.control_power)}."
        )
    return messages


def _percent(chance: float) -> str:
    return f"{100 * chance:.0f}%"


def _median_number(found: Judges) -> int:
    has = sorted(n for n in found.n_controls.tolist() if n > 0)
    return int(has[(len(has) - 1) // 2])


class _Rule(NamedTuple):
    max_variance_ratio: float
    min_shared: int
    control_accuracy: float
    alpha: float
    """Of each of the two tests."""


def judges(
    ratings: AnyData,
    *,
    max_variance_ratio: float = 2.0,
    min_shared: int = 10,
    controls: Mapping[str, str] | None = None,
    control_accuracy: float = 0.9,
    alpha: float = 0.05,
    standardize: bool = True,
    rng: Rng = 12345,
) -> Judges:
    r"""Measure the agreement of judges, and identify unreliable ones.

    Each judge is compared with the mean of all others on the outputs they share. A judge is excluded whose
    differences from the others vary much more than those of the median judge, and more than chance explains; so is
    one who is right about control items significantly less often than a careful judge. The probability that *any*
    careful judge of the campaign is excluded is at most `alpha`.

    .. math:: \text{variance ratio}_j = \frac{s_j^2}{\operatorname{median}_i s_i^2}, \qquad
       s_j^2 = \operatorname{Var}_u \Big( \sqrt{\tfrac{m_u - 1}{m_u}} (x_{ju} - \bar x_{-j,u}) \Big)

    Parameters
    ----------
    ratings : Ratings, or what they are read from
        Such as a path or a data frame with a column of judges.
    max_variance_ratio : float, default 2
        Judges above it are excluded if, in addition, the largest ratio among equally good judges is rarely as large
        (:func:`~betterthan.kernels.judges.judge_screening.screen_by_peers`). With three judges per output, a judge who
        answers at random has a ratio of about 1.5, 2 or 3 where a single judgment of the others has a reliability of
        1/3, 1/2 or 2/3: lower it when `icc` is low.
    min_shared : int, default 10
        Judges who share fewer outputs with others are kept, because there is too little evidence.
    controls : mapping of str to str, optional
        Maps degraded systems (or segments) to the originals, such as ``{"A#bad": "A"}``. Control items are used for the
        control test only, and :meth:`~betterthan.results.human.Judges.kept` leaves them out.
    control_accuracy : float, default 0.9
        How often a careful judge scores the degraded output lower. A judge who is right significantly less often is
        excluded (exact binomial test, Holm's correction over all judges). A judge who answers at random is right half
        of the time.
    alpha : float, default 0.05
        Probability that any careful judge of the campaign is excluded; with control items, each of the two tests has
        half of it.
    standardize : bool, default True
        Whether to standardize each judge's scores before comparing judges, so that neither severity nor use of the
        scale counts as noise.
    rng : int or numpy.random.Generator, default 12345
        For the test of the variance ratios.

    Returns
    -------
    Judges
        ``result.kept(ratings)`` returns the ratings of the judges who are kept.

    Raises
    ------
    TableError
        When a control item does not exist.

    Notes
    -----
    A judge's repeated judgments of an output are averaged first, and their standard deviation is reported. Agreement is
    measured on the raw scores, and once also after standardizing. Two-way intraclass correlations need a complete
    design.

    Intervals of agreement treat documents as independent where the ratings name them, and segments otherwise: outputs
    of several systems for one segment are correlated. They are conditional on the judges. For penalties that are mostly
    0 and rarely large, the intervals of `alpha`, `icc` and `kappa` are too narrow with fewer than 200 outputs; that of
    `alpha_ordinal` is not (see :doc:`/calibration`).

    Being kept does not show that a judge is good. `power` and `control_power` are the probabilities of detecting a
    judge who answers at random: 19% with 12 judges and 5 control items each.

    References
    ----------
    .. [1] Graham, Baldwin, Moffat and Zobel (2017), Can machine translation systems be evaluated by the crowd alone,
       Natural Language Engineering 23.
    .. [2] Krippendorff (2011), Computing Krippendorff's alpha-reliability, University of Pennsylvania.
    .. [3] Shrout and Fleiss (1979), Intraclass correlations: uses in assessing rater reliability, Psychological
       Bulletin 86.

    Examples
    --------
    The last of four judges uses the scale in reverse.

    >>> import betterthan as bt
    >>> import numpy as np
    >>> rng = np.random.default_rng(1)
    >>> score = rng.normal(60, 15, size=(20, 1)) + rng.normal(0, 8, size=(20, 4))
    >>> score[:, 3] = 120 - score[:, 3]
    >>> ratings = bt.read_ratings({"item": np.repeat(np.arange(20), 4), "system": ["A"] * 80,
    ...                            "rater": ["w", "x", "y", "z"] * 20, "score": score.ravel()}, name="DA")
    >>> result = bt.judges(ratings)
    >>> result.dropped, result.correlation.round(2).tolist()
    (('z',), [0.5, 0.44, 0.23, -0.68])
    >>> round(bt.judges(result.kept(ratings)).agreement.alpha, 2)
    0.52
    """
    ratings = judgements_with_judges(ratings, verb="judges")
    rule = _checked(max_variance_ratio, min_shared, control_accuracy, alpha)
    pairs = _control_labels(ratings, controls or {})
    systems, segments = (tuple(degraded) for degraded in pairs)
    genuine = ratings.without_items(systems=systems, segments=segments)
    compared = genuine.standardized() if standardize else genuine
    n_judges, raw, seed = len(ratings.judges), _judged(genuine), seed_of(rng)
    in_points = peer_agreement(raw, n_judges=n_judges)
    peers = peer_agreement(_judged(compared), n_judges=n_judges)
    ratio, tested = _ratio(peers, min_shared), _tested(ratings, pairs)
    if tested.n.any():
        rule = rule._replace(alpha=alpha / 2)
    departs, power = _screened(_judged(compared), ratio, rule, standardize=standardize, seed=seed)
    careless = careless_pvalues(tested.right, tested.n, accuracy=control_accuracy)
    reasons = _reasons(ratio, departs, tested, careless, rule)
    n, mean, deviation = _by_judge(genuine)
    repeats = repeat_consistency(_unit(genuine), genuine.judge, genuine.score, n_judges=n_judges)
    silent = Judges(
        metric=ratings.name,
        judges=ratings.judges,
        n_judgements=n,
        mean=mean,
        deviation=deviation,
        n_shared=in_points.n_shared,
        correlation=peers.correlation,
        bias=in_points.bias,
        variance_ratio=ratio,
        variance_pvalue=departs,
        n_controls=tested.n,
        control_right=tested.right,
        control_difference=tested.difference,
        control_pvalue=tested.pvalue,
        careless_pvalue=careless,
        n_repeats=repeats.n,
        repeat_deviation=repeats.deviation,
        keep=np.array([not reason for reason in reasons], dtype=np.bool_),
        reasons=reasons,
        control_systems=systems,
        control_segments=segments,
        agreement=_agreement(genuine, raw),
        power=power,
        control_power=_control_power(tested.n, rule),
        sentences=(),
        notes=(*ratings.notes, *compared.notes[len(genuine.notes) :]),
        settings=_settings(ratings, rule, n_controls=int(tested.n.sum()), standardize=standardize, seed=seed),
    )
    return replace(silent, sentences=sentences_about(silent, alpha=rule.alpha, min_shared=min_shared))


def _screened(
    rows: JudgedItems, ratio: FloatArray, rule: _Rule, *, standardize: bool, seed: int
) -> tuple[FloatArray, float]:
    """P-values of the judges above the limit, and the power to detect a judge who answers at random."""
    how: dict[str, Any] = {
        "tested": ~np.isnan(ratio),
        "alpha": rule.alpha,
        "standardize": standardize,
        "generator": partial(stream, seed),
    }
    departs = screen_by_peers(rows, candidates=ratio > rule.max_variance_ratio, **how)
    # A judge already found to be an outlier would mask another one.
    others = np.isin(rows.judge, np.flatnonzero(departs <= rule.alpha), invert=True)
    rest = JudgedItems(rows.unit[others], rows.judge[others], rows.value[others])
    return departs, power_by_peers(rest, max_variance_ratio=rule.max_variance_ratio, **how)


def _control_power(n: IntArray, rule: _Rule) -> float:
    """Power for the judge with the median number of control items, among those who have any."""
    has = n[n > 0]
    if not has.size:
        return math.nan
    middle = int(np.sort(has)[(has.size - 1) // 2])
    return power_of_controls(middle, has.size, accuracy=rule.control_accuracy, alpha=rule.alpha)


def _checked(max_variance_ratio: float, min_shared: int, control_accuracy: float, alpha: float) -> _Rule:
    if not max_variance_ratio >= 1:
        raise BetterThanError(
            f"max_variance_ratio must be 1 or more, not {max_variance_ratio!r}: the median judge has 1."
        )
    if min_shared < 2:
        raise BetterThanError(
            f"min_shared must be 2 or more, not {min_shared!r}: one output has no variance."
        )
    if not 0.5 < control_accuracy < 1:
        raise BetterThanError(
            f"control_accuracy must lie between 0.5 (answers at random) and 1, not {control_accuracy!r}."
        )
    check_share("alpha", alpha)
    return _Rule(max_variance_ratio, min_shared, control_accuracy, alpha)


def _control_labels(ratings: Ratings, controls: Mapping[str, str]) -> tuple[dict[str, str], dict[str, str]]:
    """Return the degraded systems and the degraded segments, each with its original."""
    systems: dict[str, str] = {}
    segments: dict[str, str] = {}
    for degraded, origin in controls.items():
        is_system, is_segment = degraded in ratings.systems, degraded in ratings.segments
        if is_system and is_segment:
            raise TableError(
                f'The control item "{degraded}" is the name of a system and of a segment. Rename one.'
            )
        if not (is_system or is_segment):
            raise unknown_name("control item", degraded, (*ratings.systems, *ratings.segments))
        known = ratings.systems if is_system else ratings.segments
        if origin not in known or origin in controls:
            what = "system" if is_system else "segment"
            raise TableError(
                f'The control item "{degraded}" needs a genuine {what}, and "{origin}" is not one.'
            )
        (systems if is_system else segments)[degraded] = origin
    return systems, segments


def _unit(ratings: Ratings) -> IntArray:
    return ratings.system * len(ratings.segments) + ratings.segment


def _judged(ratings: Ratings) -> JudgedItems:
    return mean_of_repeats(_unit(ratings), ratings.judge, ratings.score)


def _by_judge(ratings: Ratings) -> tuple[IntArray, FloatArray, FloatArray]:
    """Number, mean and standard deviation of each judge's scores."""
    size = len(ratings.judges)
    n = np.bincount(ratings.judge, minlength=size)
    mean = np.bincount(ratings.judge, weights=ratings.score, minlength=size) / np.where(n > 0, n, np.nan)
    squares = np.bincount(ratings.judge, weights=(ratings.score - mean[ratings.judge]) ** 2, minlength=size)
    return n, mean, np.sqrt(squares / np.where(n > 1, n - 1, np.nan))


def _ratio(peers: PeerAgreement, min_shared: int) -> FloatArray:
    known = (peers.n_shared >= min_shared) & ~np.isnan(peers.variance)
    median = float(np.median(peers.variance[known])) if known.any() else math.nan
    return np.where(known, peers.variance, np.nan) / (median if median > 0 else math.nan)


def _tested(ratings: Ratings, pairs: tuple[dict[str, str], dict[str, str]]) -> Controls:
    """Join each judge's score of a degraded output with that judge's score of the genuine one."""
    system, changed_system = _origins(ratings.systems, pairs[0])
    segment, changed_segment = _origins(ratings.segments, pairs[1])
    n_segments, n_judges = len(ratings.segments), len(ratings.judges)
    rows = _judged(ratings)
    at_system, at_segment = rows.unit // n_segments, rows.unit % n_segments
    degraded = changed_system[at_system] | changed_segment[at_segment]
    origin = (system[at_system] * n_segments + segment[at_segment]) * n_judges + rows.judge
    key = rows.unit * n_judges + rows.judge  # ascending, because rows are sorted by unit and judge
    place = np.minimum(np.searchsorted(key, origin), max(key.size - 1, 0))
    found = degraded & (key[place] == origin) if key.size else degraded
    sign = 1.0 if ratings.higher_is_better else -1.0
    return control_test(
        rows.judge[found], sign * rows.value[place[found]], sign * rows.value[found], n_judges=n_judges
    )


def _origins(names: tuple[str, ...], made_from: Mapping[str, str]) -> tuple[IntArray, BoolArray]:
    place = {name: i for i, name in enumerate(names)}
    origin = np.array([place[made_from.get(name, name)] for name in names], dtype=np.int64)
    return origin, origin != np.arange(len(names))


def _reasons(
    ratio: FloatArray, departs: FloatArray, tested: Controls, careless: FloatArray, rule: _Rule
) -> tuple[str, ...]:
    """Return for each judge the reason for exclusion; empty for those who are kept."""
    reasons = []
    for one in range(ratio.size):
        why = []
        if departs[one] <= rule.alpha:
            why.append(
                f"variance of the differences from the others {ratio[one]:.1f} times that of the median judge, "
                f"{equals_p(float(departs[one]))}, adjusted for all judges"
            )
        if careless[one] <= rule.alpha:
            why.append(
                f"scores the degraded output lower in only {tested.right[one]:g} of {tested.n[one]} control items, "
                f"{equals_p(float(careless[one]))}, adjusted for all judges"
            )
        reasons.append("; ".join(why))
    return tuple(reasons)


def _agreement(genuine: Ratings, raw: JudgedItems) -> JudgesAgreement:
    n_segments = len(genuine.segments)
    standardized = _judged(genuine.standardized())
    cluster, interval_units = _clusters(genuine)
    of_rows, of_standardized = (cluster[rows.unit % n_segments] for rows in (raw, standardized))
    one_way = intraclass_one_way(raw.unit, raw.value, cluster=of_rows)
    consistency, absolute = _two_way(raw)
    alpha_low, alpha_high = alpha_interval(raw.unit, raw.value, cluster=of_rows)
    ordinal_low, ordinal_high = alpha_interval(raw.unit, raw.value, level="ordinal", cluster=of_rows)
    standardized_low, standardized_high = alpha_interval(
        standardized.unit, standardized.value, cluster=of_standardized
    )
    kappa = mean_kappa(raw.unit, raw.judge, raw.value, cluster=of_rows)
    orders = pairwise_order(raw.unit % n_segments, raw.unit // n_segments, raw.judge, raw.value)
    n_pairs = int(orders.n_pairs.sum())
    units, judged = np.unique(raw.unit, return_counts=True)
    per_output = raw.value.size / max(units.size, 1)
    return JudgesAgreement(
        alpha=krippendorff_alpha(raw.unit, raw.value).alpha,
        alpha_low=alpha_low,
        alpha_high=alpha_high,
        alpha_ordinal=krippendorff_alpha(raw.unit, raw.value, level="ordinal").alpha,
        alpha_ordinal_low=ordinal_low,
        alpha_ordinal_high=ordinal_high,
        alpha_standardized=krippendorff_alpha(standardized.unit, standardized.value).alpha,
        alpha_standardized_low=standardized_low,
        alpha_standardized_high=standardized_high,
        icc=one_way.icc,
        icc_low=one_way.low,
        icc_high=one_way.high,
        icc_agreement=absolute,
        icc_consistency=consistency,
        per_output=per_output,
        reliability=spearman_brown(one_way.icc, per_output) if one_way.icc >= 0 else math.nan,
        kappa=kappa.kappa,
        kappa_low=kappa.low,
        kappa_high=kappa.high,
        order_pairs=n_pairs,
        order_alike=float(orders.alike.sum()) / n_pairs if n_pairs else math.nan,
        order_opposite=float(orders.opposite.sum()) / n_pairs if n_pairs else math.nan,
        order_kappa=order_kappa(orders),
        interval_units=interval_units,
        n_interval_units=np.unique(cluster[units[judged > 1] % n_segments]).size,
    )


def _clusters(ratings: Ratings) -> tuple[IntArray, str]:
    """Number the document of each segment, or the segment itself, as the unit of independence."""
    if ratings.groups is None:
        return np.arange(len(ratings.segments)), "segments"
    return np.unique(ratings.groups, return_inverse=True)[1], "documents"


def _two_way(raw: JudgedItems) -> tuple[float, float]:
    """ICC(C,1) and ICC(A,1), where every judge judged every output."""
    units, judges_ = np.unique(raw.unit), np.unique(raw.judge)
    if units.size * judges_.size != raw.value.size:
        return math.nan, math.nan
    table = raw.value.reshape(units.size, judges_.size)  # rows are sorted by unit and judge
    return intraclass_two_way(table, kind="consistency").icc, intraclass_two_way(table).icc


def _settings(ratings: Ratings, rule: _Rule, *, n_controls: int, standardize: bool, seed: int) -> Settings:
    return Settings(
        method="judges",
        options={
            "judges": len(ratings.judges),
            "standardized": standardize,
            "variance": float(rule.max_variance_ratio),
            "shared": rule.min_shared,
            "test": f"permutation,step-down,{rule.alpha:g}",
            "controls": f"{n_controls},binomial {rule.control_accuracy:g},holm,{rule.alpha:g}"
            if n_controls
            else None,
        },
        data=ratings.digest,
        seed=seed,
        n_systems=len(ratings.systems),
        n_segments=len(ratings.segments),
    )
