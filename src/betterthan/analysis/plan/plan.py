"""How much data is enough? Sizes, power and detectable differences, from assumptions or from a pilot."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from betterthan.analysis.plan.designs import BattlesDesign, Design, LabelsDesign, Means, Powered, RightWrong
from betterthan.analysis.plan.pilots import Ends, Pilot, PilotOptions, PilotTable, pilot_of
from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.analysis.units import UnitName
from betterthan.arrays import FloatArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.kernels.significance.power import MOST, least_difference, least_number
from betterthan.messages import Message, Option, joined
from betterthan.results.decisions import Plan
from betterthan.results.settings import OptionValue, Settings
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.ratings import Ratings
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

KINDS: tuple[type[PilotTable], ...] = (Scores, Counts, Matches, Runs, Ratings)
_FEW, _MANY = 30, 20_000
"""Numbers of units whose detectable differences bound those of a plan that names none."""
_MOST_ROWS = 6
_CURVE_POINTS = 61
_MOST_SYSTEMS = 10_000
_BESIDE = {
    "sd": ("noise_sd", "run_sd", "repeats", "document_size", "icc", "judged", "judge_correlation"),
    "discordance": (),
    "ties": (),
}
"""What may be assumed beside each kind's own assumption."""


class Assumed(NamedTuple):
    """Assumptions before data; None where not given. :func:`plan` describes them."""

    sd: float | None = None
    discordance: float | None = None
    ties: float | None = None
    noise_sd: float | None = None
    run_sd: float | None = None
    repeats: int | None = None
    document_size: float | None = None
    icc: float | None = None
    judged: int | None = None
    judge_correlation: float | None = None


class Question(NamedTuple):
    """What is wanted of the power: its level and target."""

    power: float
    level: float
    alternative: Alternative

    @property
    def reach(self) -> float:
        """How many standard errors a difference must be for this power, by the normal distribution."""
        sides = 2 if self.alternative == "two-sided" else 1
        return max(float(ndtri(self.power)) - float(ndtri(self.level / sides)), 1e-3)

    def of(self, design: Powered, difference: float, n: int) -> float:
        """Return the power of n units."""
        return design.power(difference, n, self.level, self.alternative)

    def needed(self, design: Powered, difference: float) -> float:
        """Return the number of units, or infinity."""
        guess = design.roughly(difference, self.reach)
        if guess > 10 * MOST:
            return math.inf
        start = max(2, math.ceil(min(guess, MOST)))
        found = least_number(lambda n: self.of(design, difference, n), self.power, start=start)
        return math.inf if found is None else float(found)

    def least(self, design: Powered, n: int) -> float:
        """Return the least detectable difference of n units, or NaN."""
        return least_difference(lambda d: self.of(design, d, n), self.power, most=design.most)


@with_one_blas_thread
def plan(
    pilot: AnyData = None,
    *more: AnyData,
    metric: str | None = None,
    system: str | Sequence[str] | None = None,
    run: str | None = None,
    systems: Sequence[str] | None = None,
    difference: float | Sequence[float] | None = None,
    number: int | None = None,
    power: float = 0.8,
    alpha: float = 0.05,
    alternative: Alternative = "two-sided",
    n_systems: int | None = None,
    sd: float | None = None,
    discordance: float | None = None,
    ties: float | None = None,
    noise_sd: float | None = None,
    run_sd: float | None = None,
    repeats: int | None = None,
    document_size: float | None = None,
    icc: float | None = None,
    judged: int | None = None,
    judge_correlation: float | None = None,
    units: UnitName = "auto",
    missing: Literal["raise", "drop"] = "raise",
    confidence: float = 0.95,
) -> Plan:
    r"""Return how much data shows a true difference between two systems, from assumptions or from a pilot.

    The power is that of the test by which :func:`betterthan.compare` compares such data by default: the permutation
    test of means, the exact test of answers that are right or wrong, the permutation of corpus scores, the test for
    other items and other runs, and the Wald test of Bradley–Terry strengths. With more than two systems the level is
    that of the first step of Holm's correction, α over the number of pairs; where other pairs are significant too,
    fewer data are enough.

    Parameters
    ----------
    pilot, *more : Scores, Counts, Matches, Runs or Ratings, or what they are read from
        A small study with the same metric and the same kind of systems and items; without one, assumptions are needed:
        one of `sd`, `discordance` and `ties`.
    metric, system, run
        As for :func:`betterthan.compare`.
    systems : sequence of str, optional
        Systems of the pilot to plan for; all by default. What is planned for is typical of their pairs. If two are
        named and no `difference` is given, it is the one that was observed between the two.
    difference : float or sequence of float, optional
        True differences to be shown, in the unit of the metric; for battles the probability of a win less one half.
        By default round numbers.
    number : int, optional
        Items (documents, battles) that there are: adds their power, and the least difference they show. By default
        those of the pilot.
    power : float, default 0.8
    alpha : float, default 0.05
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
    n_systems : int, optional
        How many systems will be compared; by default those of the pilot that are planned for, and 2 without one.
    sd : float, optional
        Plans for scores: standard deviation of the differences of two systems' scores of one item.
    discordance : float, optional
        Plans for right and wrong answers: share of items on which exactly one of the two systems is right.
    ties : float, optional
        Plans for battles in which all systems meet equally often: share of ties, 0 for none.
    noise_sd, run_sd : float, optional
        Beside `sd`: the standard deviation of repeated scores of an item by the same system, and of whole runs.
    repeats : int, optional
        Runs of each system, or judgments of each item; by default as many as in the pilot.
    document_size, icc : float, optional
        Beside `sd`: segments of a document, and the correlation of differences within a document. Documents are then
        what is counted.
    judged : int, optional
    judge_correlation : float, optional
        Beside `sd`, for human labels: the number of items that an automatic judge has scored, and the correlation of
        its differences with the human ones.
    units : {"auto", "segments", "groups"}, default "auto"
        As in :func:`betterthan.compare`.
    missing : {"raise", "drop"}, default "raise"
    confidence : float, default 0.95
        Of the ranges that the uncertainty of the pilot leaves.

    Returns
    -------
    Plan

    Raises
    ------
    BetterThanError
        Without a pilot or assumptions, or with assumptions that contradict each other.
    NotEstimable
        When the pilot shows no variation.

    Notes
    -----
    Ranges reflect how well the pilot knows the variation, not how well it knows the difference. A difference that was
    observed in a pilot is uncertain itself, and often too large where the pilot was chosen because of it: plan for the
    smallest difference that matters.

    References
    ----------
    .. [1] Card, Henderson, Khandelwal, Jia, Mahowald and Jurafsky (2020), With little power comes great responsibility,
       EMNLP.
    .. [2] Duffy (1984), Asymptotic and exact power for the McNemar test, Biometrics 40.
    .. [3] Angelopoulos, Duchi and Zrnic (2023), PPI++: efficient prediction-powered inference.

    Examples
    --------
    >>> import betterthan as bt
    >>> bt.plan(sd=1.0, difference=0.5)[0].needed
    34.0
    >>> bt.plan(discordance=0.1, difference=0.01)[0].needed
    8032.0
    >>> round(bt.plan(ties=0.2, number=1000).least, 3)
    0.04
    """
    assumed = Assumed(
        *(sd, discordance, ties, noise_sd, run_sd, repeats, document_size, icc, judged, judge_correlation)
    )
    _check_shares(power, alpha, confidence, alternative)
    chosen = None if systems is None else _checked_names(systems)
    design: Design
    found: Pilot | None = None
    if pilot is None:
        _refuse_without_pilot(metric=metric, system=system, run=run, systems=systems)
        compared = _checked_systems(n_systems, 2)
        design = _assumed_design(assumed, compared)
    else:
        _refuse_beside_pilot(assumed)
        table: PilotTable = as_table(
            pilot, *more, kinds=KINDS, verb="plan", metric=metric, system=system, run=run
        )
        found = pilot_of(table, PilotOptions(chosen, units, missing, repeats, confidence))
        design = found.design
        compared = _checked_systems(n_systems, len(found.systems))
    question = Question(power, _level(alpha, compared, alternative), alternative)
    pair = chosen if chosen is not None and len(chosen) == 2 else ()
    observed = found.observed if found is not None and pair else math.nan
    differences = _differences(difference, design, question, observed)
    at = _checked_number(number) if number is not None or found is None else found.n
    return _result(design, found, question, differences, at, alpha, compared, confidence, pair)


def _result(
    design: Design,
    found: Pilot | None,
    question: Question,
    differences: FloatArray,
    number: int | None,
    alpha: float,
    n_systems: int,
    confidence: float,
    pair: tuple[str, ...],
) -> Plan:
    ends = None if found is None else found.ends
    sizes = np.array([_sizes(design, ends, question, each) for each in differences.tolist()])
    least = _least(design, ends, question, number)
    here = [
        math.nan if number is None else question.of(design, each, number) for each in differences.tolist()
    ]
    curve = _curve_numbers(sizes[:, 0], number)
    powers = np.array([[question.of(design, each, n) for n in curve] for each in differences.tolist()])
    options: dict[str, OptionValue] = {
        "of": design.kind,
        "power": question.power,
        "level": question.level,
        "alternative": question.alternative,
        **{name: float(f"{value:.6g}") for name, value in design.assumptions().items()},
        "ci": None if found is None else f"{100 * confidence:g}",
    }
    return Plan(
        comparison=design.kind,
        unit=design.unit,
        unit_size=design.size if isinstance(design, Means) else 1.0,
        difference=differences,
        needed=sizes[:, 0],
        low=sizes[:, 1],
        high=sizes[:, 2],
        number=number,
        power_here=np.array(here),
        least=least[0],
        least_low=least[1],
        least_high=least[2],
        power=question.power,
        alpha=alpha,
        alternative=question.alternative,
        n_systems=n_systems,
        level=question.level,
        assumptions=design.assumptions(),
        pilot_number=None if found is None else found.n,
        measured="" if found is None else found.measured,
        pair=pair,
        confidence=confidence,
        curve_number=np.array(curve, dtype=np.int64),
        curve_power=powers,
        notes=() if found is None else found.notes,
        settings=Settings(
            method="plan",
            options=options,
            data="assumed" if found is None else found.digest,
            n_systems=n_systems,
            n_segments=number,
        ),
    )


# ---- checks of what was given


def _check_shares(power: float, alpha: float, confidence: float, alternative: str) -> None:
    for name, value in (("power", power), ("alpha", alpha), ("confidence", confidence)):
        check_share(name, value)
    if alternative not in ("two-sided", "greater", "less"):
        raise unknown_name("alternative", alternative, ("two-sided", "greater", "less"))
    if power <= alpha:
        raise BetterThanError(f"The power, {power:g}, must be larger than the level, {alpha:g}.")


def _refuse_without_pilot(**given: object) -> None:
    for name, value in given.items():
        if value is not None:
            raise BetterThanError(
                Message("{option} belongs to a pilot, and there is none.", option=Option(name, value))
            )


def _refuse_beside_pilot(assumed: Assumed) -> None:
    for name, value in assumed._asdict().items():
        if value is not None and name != "repeats":
            raise BetterThanError(
                Message(
                    "{option} is estimated from the pilot. Leave one of the two out.",
                    option=Option(name, value),
                )
            )


def _checked_names(systems: Sequence[str]) -> tuple[str, ...]:
    names = (systems,) if isinstance(systems, str) else tuple(systems)
    if len(set(names)) < max(2, len(names)):
        raise BetterThanError(
            Message("{option} names fewer than two different systems.", option=Option("systems", list(names)))
        )
    return names


def _checked_systems(n_systems: int | None, there: int) -> int:
    found = there if n_systems is None else n_systems
    if not 2 <= found <= _MOST_SYSTEMS or found != int(found):
        raise BetterThanError(
            Message(
                "{option} is the number of systems to be compared, from 2 to {most}.",
                option=Option("n_systems", n_systems),
                most=f"{_MOST_SYSTEMS:,}",
            )
        )
    return int(found)


def _checked_number(number: int | None) -> int | None:
    if number is not None and (not 1 <= number <= MOST or number != int(number)):
        raise BetterThanError(
            Message(
                "{option} is not a number of items from 1 to {most}.",
                option=Option("number", number),
                most=f"{MOST:,}",
            )
        )
    return None if number is None else int(number)


def _assumed_design(assumed: Assumed, n_systems: int) -> Design:
    given = {name: value for name, value in assumed._asdict().items() if value is not None}
    kinds = [name for name in _BESIDE if name in given]
    if len(kinds) != 1:
        options = joined([Option(name) for name in kinds or _BESIDE], ", ")
        what = (
            "Give a pilot to plan from, or make one assumption:"
            if not kinds
            else "These are assumptions about different kinds of data:"
        )
        raise BetterThanError(Message("{what} {options}.", what=what, options=options))
    (kind,) = kinds
    for name, value in given.items():
        if name not in (kind, *_BESIDE[kind]):
            raise BetterThanError(
                Message(
                    "{option} has no effect beside {kind}.",
                    option=Option(name, value),
                    kind=Option(kind),
                )
            )
    if assumed.discordance is not None:
        _check_within("discordance", assumed.discordance, 0.0, 1.0, is_low_open=True)
        return RightWrong(float(assumed.discordance))
    if assumed.ties is not None:
        _check_within("ties", assumed.ties, 0.0, 0.99)
        return BattlesDesign(float(assumed.ties), n_systems)
    return _assumed_means(assumed)


def _assumed_means(assumed: Assumed) -> Design:
    _check_within("sd", assumed.sd, 0.0, math.inf, is_low_open=True)
    for name in ("noise_sd", "run_sd"):
        _check_within(name, getattr(assumed, name), 0.0, math.inf)
    _check_within("repeats", assumed.repeats, 1, 10**6)
    _check_within("document_size", assumed.document_size, 1, 10**6)
    _check_within("icc", assumed.icc, 0.0, 1.0)
    _check_within("judged", assumed.judged, 2, MOST)
    _check_within("judge_correlation", assumed.judge_correlation, -0.9999, 0.9999)
    for one, other in (
        ("judged", "judge_correlation"),
        ("judge_correlation", "judged"),
        ("document_size", "icc"),
        ("icc", "document_size"),
        ("run_sd", "repeats"),
        ("noise_sd", "repeats"),
    ):
        if getattr(assumed, one) is not None and getattr(assumed, other) is None:
            raise BetterThanError(Message("{one} needs {other}.", one=Option(one), other=Option(other)))
    sd = float(assumed.sd or 0.0)
    if assumed.judged is not None and assumed.judge_correlation is not None:
        for name in ("noise_sd", "run_sd", "repeats", "document_size", "icc"):
            if getattr(assumed, name) is not None:
                raise BetterThanError(
                    Message(
                        "{option} has no effect beside {kind}.", option=Option(name), kind=Option("judged")
                    )
                )
        return LabelsDesign(sd, float(assumed.judge_correlation), int(assumed.judged))
    if assumed.run_sd is not None and (assumed.repeats or 1) < 2:
        raise BetterThanError(
            "With one run of each system, nothing is known of other runs. Plan two or more."
        )
    return Means(
        sd,
        float(assumed.noise_sd or 0.0),
        float(assumed.run_sd or 0.0),
        int(assumed.repeats or 1),
        float(assumed.document_size or 1.0),
        float(assumed.icc or 0.0),
        of="scores" if assumed.run_sd is None else "runs",
    )


def _check_within(
    name: str, value: float | None, low: float, high: float, *, is_low_open: bool = False
) -> None:
    if value is None or (value < math.inf and (low < value <= high or (value == low and not is_low_open))):
        return
    limits = f"above {low:g}" if is_low_open else f"{low:g} or more"
    if high < math.inf:
        limits += f" and at most {high:g}"
    raise BetterThanError(Message("{option} must be {limits}.", option=Option(name, value), limits=limits))


# ---- levels, differences and sizes


def _level(alpha: float, n_systems: int, alternative: str) -> float:
    """The level of the first step of Holm's correction; one-sided over both directions of several pairs."""
    pairs = math.comb(n_systems, 2)
    return alpha / (pairs if pairs == 1 or alternative == "two-sided" else 2 * pairs)


def _differences(
    difference: float | Sequence[float] | None, design: Design, question: Question, observed: float
) -> FloatArray:
    if difference is None and not math.isnan(observed) and observed != 0:
        return np.array([abs(observed)])
    if difference is None:
        return _round_differences(design, question)
    values = np.unique(np.atleast_1d(np.asarray(difference, dtype=np.float64)))
    if not values.size or not (np.isfinite(values).all() and values[0] > 0):
        raise BetterThanError(
            Message(
                "{option} must be above 0: true differences to be shown.",
                option=Option("difference", difference),
            )
        )
    if values[-1] > design.most:
        raise BetterThanError(
            Message(
                "A difference of {value:g} is not possible: {why}.",
                value=float(values[-1]),
                why=design.why_most(),
            )
        )
    return values


def _round_differences(design: Design, question: Question) -> FloatArray:
    """Return round differences that take between some dozens and some thousands of units."""
    low, high = (question.least(design, n) for n in (_MANY, _FEW))
    if math.isnan(low):
        raise BetterThanError(
            "No difference can be shown even with 20,000 units. Name a difference, or change the assumptions."
        )
    high = min(high if math.isfinite(high) else 100 * low, design.most)
    first = math.floor(math.log10(low))
    values = [step * 10.0**power for power in range(first, first + 5) for step in (1, 2, 5)]
    inside = [float(f"{value:.6g}") for value in values if low <= value <= high] or [float(f"{high:.2g}")]
    return np.array(inside[:_MOST_ROWS])


def _sizes(design: Design, ends: Ends | None, question: Question, difference: float) -> tuple[float, ...]:
    """Return the number of units, and its range where there is a pilot."""
    needed = question.needed(design, difference)
    if ends is None:
        return needed, math.nan, math.nan
    low, high = (question.needed(end, difference) for end in ends(difference, question.reach))
    return needed, min(low, needed), max(high, needed)


def _least(
    design: Design, ends: Ends | None, question: Question, number: int | None
) -> tuple[float, float, float]:
    if number is None:
        return math.nan, math.nan, math.nan
    least = question.least(design, number)
    if ends is None or math.isnan(least):
        return least, math.nan, math.nan
    low, high = (question.least(end, number) for end in ends(least, question.reach))
    return least, low, high


def _curve_numbers(needed: FloatArray, number: int | None) -> list[int]:
    """Return numbers of units on a logarithmic scale around those that are needed."""
    known = [each for each in needed.tolist() if math.isfinite(each)]
    known += [] if number is None else [float(number)]
    low, high = (min(known) / 4, max(known) * 2.5) if known else (10.0, 10_000.0)
    points = np.geomspace(max(2.0, low), max(10.0, high), _CURVE_POINTS)
    return sorted({round(each) for each in points.tolist()})
