"""When may we stop? Evidence about every pair of systems that may be looked at after every unit.

The state of a watch: what was counted and how, in a file, so that it can be continued.

The file is a function of all that was counted, whatever the number of looks, and is replaced as a whole: a watch that
was stopped at any moment continues with the same bytes.
"""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np
from scipy.special import ndtri

from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.analysis.units import UnitName
from betterthan.analysis.watch.sequences import PairSequence, Sequences, of_matches, of_scores
from betterthan.arrays import FloatArray, IntArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import BetterThanError, unknown_name
from betterthan.kernels.sequential.betting import (
    Bets,
    Evidence,
    adjusted,
    bets_for,
    evidence,
    growth,
    limits,
    more_units,
)
from betterthan.kernels.sequential.next_pairs import best_systems, next_pairs, top_error
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.messages import FILE, Message, Option
from betterthan.results.decisions import Watch
from betterthan.results.settings import OptionValue, Settings
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores
from betterthan.writing import write_whole

SCHEMA = "betterthan.watch/1"
_TELLING = 10
"""Units that are the same as those counted before by mistake, and not by chance."""
_INTEGERS = ("first", "second")


class Chosen(NamedTuple):
    """The options of a watch, which stay the same."""

    horizon: int | None
    expected: float | None
    margin: float | None
    alternative: str
    alpha: float
    bounds: Sequence[float] | None
    units: str
    missing: str

    def plain(self) -> dict[str, Any]:
        """Return the options as JSON has them."""
        bounds = None if self.bounds is None else [float(each) for each in self.bounds]
        return {**self._asdict(), "bounds": bounds}


def continued(new: Sequences, chosen: Chosen, path: Path, *, append: bool) -> Sequences:
    """Return what was counted before and what is new, and store it in the file.

    Raises
    ------
    BetterThanError
        When the file is not a state, an option or a system is another one, or what was counted has changed.
    """
    before = _read(path) if path.exists() else None
    if before is None:
        together = new
    else:
        _check_same(before, new, chosen, path)
        known = _columns(before, path)
        if append:
            _refuse_twice(known, new)
            columns = {name: np.concatenate([known[name], new.columns[name]], axis=-1) for name in known}
            together = new._replace(columns=columns)
        else:
            _check_beginning(known, new, path)
            together = new
    text = json.dumps(_plain(together, chosen), allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    if before is None or before != json.loads(text):
        write_whole(path, text + "\n")
    return together


def _plain(found: Sequences, chosen: Chosen) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "options": chosen.plain(),
        "systems": list(found.systems),
        "unit": found.unit,
        "comparison": found.comparison,
        "measured": found.measured,
        "bound": found.bound if math.isfinite(found.bound) else None,
        "columns": {name: column.tolist() for name, column in found.columns.items()},
    }


def _read(path: Path) -> Mapping[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _not_a_state(path) from error
    if (
        not isinstance(data, dict)
        or data.get("schema") != SCHEMA
        or not isinstance(data.get("options"), dict)
    ):
        raise _not_a_state(path)
    return data


def _not_a_state(path: Path) -> BetterThanError:
    return BetterThanError(
        Message(
            "{file} is not the state of a watch. Name another file with {state}, which will be written.",
            file=path.name,
            state=Option("state"),
        )
    )


def _columns(data: Mapping[str, Any], path: Path) -> dict[str, FloatArray | IntArray]:
    found: dict[str, FloatArray | IntArray] = {}
    try:
        for name, column in data["columns"].items():
            found[name] = np.array(column, np.int64) if name in _INTEGERS else np.array(column, np.float64)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _not_a_state(path) from error
    return found


def _check_same(before: Mapping[str, Any], new: Sequences, chosen: Chosen, path: Path) -> None:
    for name, value in chosen.plain().items():
        known = before["options"].get(name)
        if known != value:
            raise BetterThanError(
                Message(
                    "{file} was begun {how}. Evidence is valid only if the options stay the same: use those, or begin "
                    "another watch with another {state}.",
                    file=path.name,
                    how=Message("with {option}", option=Option(name, known))
                    if known is not None
                    else Message("without {option}", option=Option(name, value)),
                    state=Option("state"),
                )
            )
    now = _plain(new, chosen)
    for name, noun in (
        ("systems", "systems"),
        ("unit", "unit"),
        ("measured", "metric"),
        ("comparison", "data"),
    ):
        if before.get(name) != now[name]:
            raise BetterThanError(
                Message(
                    "{file} was begun with other {noun}: {before}, now {now}. Begin another watch, or choose the same "
                    "systems and columns.",
                    file=path.name,
                    noun=noun,
                    before=_listed(before.get(name)),
                    now=_listed(now[name]),
                )
            )


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _check_beginning(known: Mapping[str, FloatArray | IntArray], new: Sequences, path: Path) -> None:
    """Raise where the data do not begin with what was counted."""
    n = known["sizes"].size
    if new.n_units < n:
        raise BetterThanError(
            Message(
                "{file} has counted {n} {unit}, and the data have {now}. If they are only what is new, use {append}.",
                file=path.name,
                n=f"{n:,}",
                unit=new.unit,
                now=f"{new.n_units:,}",
                append=Option("append", value=True),
            )
        )
    changed = np.zeros(n, dtype=np.bool_)
    for name, column in known.items():
        different = new.columns[name][..., :n] != column
        changed |= different if different.ndim == 1 else different.any(axis=0)
    if changed.any():
        raise BetterThanError(
            Message(
                "Number {place} of the {unit} that {file} has counted is another one now: rows were changed, reordered "
                "or inserted, or a group of rows was counted before it was complete. New rows belong at the end.",
                place=f"{int(changed.argmax()) + 1:,}",
                unit=new.unit,
                file=path.name,
            )
        )


def _refuse_twice(known: Mapping[str, FloatArray | IntArray], new: Sequences) -> None:
    """Raise where everything that was counted would be counted again."""
    n = known["sizes"].size
    if _TELLING <= n <= new.n_units and all(
        bool((new.columns[name][..., :n] == column).all()) for name, column in known.items()
    ):
        raise BetterThanError(
            Message(
                "The data begin with the {n} {unit} that were counted before. Leave out {append}.",
                n=f"{n:,}",
                unit=new.unit,
                append=Option("append", value=True),
            )
        )


KINDS: tuple[type[Scores | Matches], ...] = (Scores, Matches)
_POWER = 0.8
_RANGE = 1.2816
"""Standard errors of a range of 80%."""
_FEWEST = 5
_LOOKS = 512
_CURVE_POINTS, _CURVE_CELLS = 200, 8_000
_LONGEST = 10**9
_ASKED, _MOST_ASKED = 100, 1_000_000


class _Question(NamedTuple):
    """What is tested: the hypothesis, and when it is rejected."""

    alternative: Alternative
    alpha: float
    margin: float | None

    @property
    def threshold(self) -> float:
        """Logarithm of the e-value that is enough for one pair."""
        return -math.log(self.alpha)

    def path(self, found: Evidence) -> FloatArray:
        """Return the logarithm of the e-value after each unit of a pair."""
        if self.alternative == "two-sided":
            return found.log_both
        return found.log_up if self.alternative == "greater" else found.log_down

    def sides(self, up: FloatArray, down: FloatArray) -> FloatArray:
        """Return what concerns the bets that count."""
        if self.alternative == "two-sided":
            return np.concatenate([up, down])
        return up if self.alternative == "greater" else down

    def oriented(self, pair: PairSequence) -> PairSequence:
        """Return the pair with its second system first where that is the candidate."""
        if self.margin is None:
            return pair
        return pair._replace(a=pair.b, b=pair.a, values=0.0 - pair.values)

    def tested(self, pair: PairSequence) -> FloatArray:
        """Return the differences whose mean is not positive, or zero, by hypothesis."""
        return pair.values if self.margin is None else pair.values + self.margin * pair.sizes

    def bound(self, bound: float) -> float:
        """Return the largest possible difference of a segment after adding the margin."""
        return bound + (self.margin or 0.0)


@with_one_blas_thread
def watch(
    data: AnyData,
    *more: AnyData,
    metric: str | None = None,
    system: str | Sequence[str] | None = None,
    systems: Sequence[str] | None = None,
    horizon: int | None = None,
    expected: float | None = None,
    bounds: Sequence[float] | None = None,
    margin: float | None = None,
    alternative: Alternative = "two-sided",
    alpha: float = 0.05,
    units: UnitName = "auto",
    missing: Literal["raise", "drop"] = "raise",
    top: int | None = None,
    ask: int | None = None,
    state: str | os.PathLike[str] | None = None,
    append: bool = False,
) -> Watch:
    r"""Return whether the data collected so far are enough to decide which systems are better.

    Usual p-values may be looked at once, at a number of items that was fixed before. The e-values of this function may
    be looked at after every item, and collecting may stop at any of them: the probability that a true hypothesis is
    ever rejected, for any pair, is at most `alpha`. The order of the items must have nothing to do with their scores.

    Parameters
    ----------
    data, *more : Scores or Matches, or what they are read from
        Items or battles in the order in which they were collected.
    metric, system
        As for :func:`betterthan.compare`.
    systems : sequence of str, optional
        Systems to watch; all by default.
    horizon : int, optional
        The number of units of a pair at which collecting ends anyway, such as that of :func:`betterthan.plan`. The
        evidence then grows fastest for differences that a study of this size detects; it is valid beyond as well.
    expected : float, optional
        The difference that is expected or matters, for the same purpose; for battles the probability of a win less one
        half.
    bounds : sequence of two floats, optional
        The lowest and highest possible score. Scores of 0 and 1 have these bounds anyway. With bounds the evidence is
        about means whatever the distribution; without, it assumes that differences are symmetric where systems do not
        differ, see Notes.
    margin : float, optional
        For two systems, the first the baseline and the second the candidate: test whether the candidate is worse by
        less than this (or worse by more).
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        Whether to test for any difference, or only whether the first system of a pair is better (or worse).
    alpha : float, default 0.05
    units : {"auto", "segments", "groups"}, default "auto"
        As in :func:`betterthan.compare`: whole documents are the units where they are known, and must be complete.
    missing : {"raise", "drop"}, default "raise"
    top : int, optional
        For battles of three or more systems: recommend the pairs that should meet next, so that the best `top` systems
        are soon known. Evidence remains valid when they do.
    ask : int, optional
        How many battles to recommend with `top`; 100 by default.
    state : path, optional
        A file that keeps what was counted and how. The first call writes it, later calls continue: the options must
        stay the same, and what was counted must not have changed. The result is the same as that of a single call.
    append : bool, default False
        Whether the data are only what is new since the last call with this `state`; by default they are everything.

    Returns
    -------
    Watch

    Raises
    ------
    BetterThanError
        When an option contradicts the data or another option.
    TableError
        When battles are counted, so that their order is not known.

    Notes
    -----
    The e-value of a pair is the capital of a bettor who starts with 1 and bets on every unit with the sum

    .. math:: E_n = \sum_k w_k \prod_{t \le n} (1 + \lambda_{k, t} d_t)

    where :math:`d_t` is the difference of unit t and the bets :math:`\lambda_{k, t}` depend on earlier units only; the
    two-sided e-value is the mean of those for both directions. Several pairs are adjusted by closed testing with
    averages, which is more powerful than Holm's correction and holds under any dependence.

    Hypotheses: with known bounds (battles, right or wrong, `bounds`) that the mean difference is 0 given the past.
    Without bounds gains are limited to the stake, which is exact for differences that are symmetric around 0, as in the
    permutation test. It is close to exact for skewed differences of mean 0, unless rare differences are many times
    larger than all others; then give `bounds`.

    References
    ----------
    .. [1] Waudby-Smith and Ramdas (2024), Estimating means of bounded random variables by betting, JRSS B 86.
    .. [2] Ramdas, Grünwald, Vovk and Shafer (2023), Game-theoretic statistics and safe anytime-valid inference,
       Statistical Science 38.

    Examples
    --------
    >>> import betterthan as bt
    >>> votes = {"left": ["A"] * 30, "right": ["B"] * 30, "winner": ["A", "A", "B", "A", "A", "A"] * 5}
    >>> found = bt.watch(votes)
    >>> found[0].verdict, found[0].decided_at
    ('A', 20)
    >>> early = bt.watch({name: column[:12] for name, column in votes.items()})
    >>> early[0].verdict, early[0].more
    ('', 9.0)
    """
    table: Scores | Matches = as_table(
        data, *more, kinds=KINDS, verb="watch", metric=metric, system=system, in_order=True
    )
    _check(alpha, alternative, horizon, expected, margin)
    if isinstance(table, Matches):
        _refuse_for_battles(bounds=bounds, units=units, missing=missing)
        found = of_matches(table, systems=systems)
    else:
        found = of_scores(table, systems=systems, bounds=bounds, units=units, missing=missing)
    if margin is not None:
        _check_margin(found, alternative)
    chosen = Chosen(horizon, expected, margin, alternative, alpha, bounds, units, missing)
    _check_top(found, top, ask)
    if state is not None:
        found = continued(found, chosen, Path(state), append=append)
    elif append:
        raise BetterThanError(
            Message(
                "{append} needs {state}, which holds what came before.",
                append=Option("append", value=True),
                state=Option("state", FILE),
            )
        )
    question = _Question(alternative, alpha, margin)
    n_pairs = math.comb(len(found.systems), 2)
    level = alpha / n_pairs / (2 if alternative == "two-sided" else 1)
    reach = float(ndtri(_POWER) - ndtri(level))
    is_bounded = math.isfinite(found.bound)
    bets = bets_for(bounded=is_bounded, horizon=horizon, difference=expected, reach=reach)
    result = _result(found, question, bets, horizon, expected)
    return result if top is None else _with_recommendation(result, found, top, _ASKED if ask is None else ask)


def _result(
    found: Sequences, question: _Question, bets: Bets, horizon: int | None, expected: float | None
) -> Watch:
    bound = question.bound(found.bound)
    pairs = [question.oriented(pair) for pair in found.pairs()]
    evidences = [evidence(question.tested(pair), pair.sizes, bets, bound=bound) for pair in pairs]
    paths = [question.path(each) for each in evidences]
    decided = _decided(paths, pairs, question.threshold)
    final = np.array([path[-1] if path.size else 0.0 for path in paths])
    enough = _enough(final, question.threshold)
    rows = []
    for pair, each, at, target in zip(pairs, evidences, decided.tolist(), enough.tolist(), strict=True):
        low, high = limits(pair.values, pair.sizes, bets, bound=found.bound, threshold=question.threshold)
        ahead = (0.0, 0.0, 0.0) if at else _more(pair, each, question, bets, bound, target)
        rows.append((_mean(pair), low, high, *ahead))
    numbers = np.array(rows, dtype=np.float64)
    curve_unit, curve = _curve(paths, pairs, found.n_units)
    names = found.systems
    return Watch(
        a=tuple(names[pair.a] for pair in pairs),
        b=tuple(names[pair.b] for pair in pairs),
        n=np.array([pair.values.size for pair in pairs], dtype=np.int64),
        difference=numbers[:, 0],
        low=numbers[:, 1],
        high=numbers[:, 2],
        log_e=final,
        adjusted_log_e=adjusted(final),
        verdict=_verdicts(pairs, evidences, decided, names, question),
        decided_at=decided,
        more=numbers[:, 3],
        more_low=numbers[:, 4],
        more_high=numbers[:, 5],
        systems=names,
        unit=found.unit,
        n_units=found.n_units,
        comparison=found.comparison,
        measured=found.measured,
        null=_null(found),
        alternative=question.alternative,
        alpha=question.alpha,
        margin=math.nan if question.margin is None else question.margin,
        expected=math.nan if expected is None else expected,
        horizon=horizon,
        ask=np.zeros(len(pairs), dtype=np.int64),
        top=(),
        misplaced=math.nan,
        curve_unit=curve_unit,
        curve_log_e=curve,
        notes=found.notes,
        settings=_settings(found, question, horizon, expected),
    )


def _with_recommendation(result: Watch, found: Sequences, top: int, ask: int) -> Watch:
    wins = found.wins()
    counts = next_pairs(wins, top, ask)
    best = best_systems(wins, top)
    place = {name: i for i, name in enumerate(found.systems)}
    asked = [int(counts[place[a], place[b]]) for a, b in zip(result.a, result.b, strict=True)]
    return replace(
        result,
        ask=np.array(asked, dtype=np.int64),
        top=tuple(found.systems[i] for i in best.tolist()),
        misplaced=top_error(wins, top),
    )


def _null(found: Sequences) -> str:
    return "mean" if math.isfinite(found.bound) else "symmetric"


def _settings(found: Sequences, question: _Question, horizon: int | None, expected: float | None) -> Settings:
    options: dict[str, OptionValue] = {
        "null": _null(found),
        "alternative": question.alternative,
        "alpha": question.alpha,
        "margin": question.margin,
        "horizon": horizon,
        "expected": expected,
        "bound": None if math.isinf(found.bound) else found.bound,
        "unit": found.unit,
    }
    n_systems = len(found.systems)
    return Settings(
        method="watch", options=options, data=found.digest, n_systems=n_systems, n_segments=found.n_units
    )


# ---- checks


def _check(
    alpha: float, alternative: str, horizon: int | None, expected: float | None, margin: float | None
) -> None:
    check_share("alpha", alpha)
    if alternative not in ("two-sided", "greater", "less"):
        raise unknown_name("alternative", alternative, ("two-sided", "greater", "less"))
    if horizon is not None and not (1 <= horizon <= _LONGEST and horizon == int(horizon)):
        raise BetterThanError(
            Message(
                "{option} must be a number of units from 1 to {most}.",
                option=Option("horizon", horizon),
                most=f"{_LONGEST:,}",
            )
        )
    for name, value in (("expected", expected), ("margin", margin)):
        if value is not None and not 0 < value < math.inf:
            raise BetterThanError(Message("{option} must be above 0.", option=Option(name, value)))


def _refuse_for_battles(**given: object) -> None:
    usual = {"bounds": None, "units": "auto", "missing": "raise"}
    for name, value in given.items():
        if value != usual[name]:
            shown = list(value) if isinstance(value, tuple) else value
            raise BetterThanError(
                Message("{option} has no effect on battles. Leave it out.", option=Option(name, shown))
            )


def _check_margin(found: Sequences, alternative: str) -> None:
    if len(found.systems) != 2:
        raise BetterThanError(
            Message(
                "{margin} compares a candidate with a baseline, and there are {n} systems. Choose them with {systems}, "
                "the baseline first.",
                margin=Option("margin"),
                n=len(found.systems),
                systems=Option("systems", list(found.systems[:2])),
            )
        )
    if alternative != "two-sided":
        raise BetterThanError(
            Message(
                "{option} contradicts {margin}, which tests in both directions.",
                option=Option("alternative", alternative),
                margin=Option("margin"),
            )
        )


def _check_top(found: Sequences, top: int | None, ask: int | None) -> None:
    if top is None:
        if ask is not None:
            raise BetterThanError(Message("{ask} needs {top}.", ask=Option("ask", ask), top=Option("top", 1)))
        return
    if found.comparison != "battles":
        raise BetterThanError(
            Message("{option} is for battles: items are scored for every system.", option=Option("top", top))
        )
    most = len(found.systems) - 1
    if most < 2 or not 1 <= top <= most or top != int(top):
        raise BetterThanError(
            Message(
                "{option} is a number of systems from 1 to {most}, and there must be three systems or more.",
                option=Option("top", top),
                most=max(most, 1),
            )
        )
    if ask is not None and not 1 <= ask <= _MOST_ASKED:
        raise BetterThanError(
            Message(
                "{option} must be a number of battles from 1 to {most}.",
                option=Option("ask", ask),
                most=f"{_MOST_ASKED:,}",
            )
        )


# ---- evidence


def _mean(pair: PairSequence) -> float:
    total = float(pair.sizes.sum())
    return math.fsum(pair.values.tolist()) / total if total else math.nan


def _decided(paths: list[FloatArray], pairs: list[PairSequence], threshold: float) -> IntArray:
    """Return the time after which the adjusted evidence for each pair first was enough; 0 where it never was.

    Only times at which the evidence for an undecided pair is enough by itself need be adjusted.
    """
    decided = np.zeros(len(paths), dtype=np.int64)
    ripe = [pair.time[path >= threshold] for pair, path in zip(pairs, paths, strict=True)]
    last = 0
    while True:
        waiting = [each[each > last] for each, at in zip(ripe, decided, strict=True) if not at]
        times = np.unique(np.concatenate(waiting))[:_LOOKS] if waiting else np.zeros(0, dtype=np.int64)
        if not times.size:
            return decided
        enough = adjusted(_at(paths, pairs, times)) >= threshold
        first = np.where(enough.any(axis=0), times[enough.argmax(axis=0)], 0)
        decided = np.where(decided > 0, decided, first)
        last = int(times[-1])


def _at(paths: list[FloatArray], pairs: list[PairSequence], times: IntArray) -> FloatArray:
    """Return the logarithms of the e-values of all pairs after these times, shape (times, pairs)."""
    columns = []
    for pair, path in zip(pairs, paths, strict=True):
        number = np.searchsorted(pair.time, times, side="right")
        columns.append(np.concatenate([[0.0], path])[number])
    return np.stack(columns, axis=1)


def _enough(final: FloatArray, threshold: float) -> FloatArray:
    """Return the evidence that each pair needs while those behind it have none: as many times more as they are."""
    behind = (final[None, :] < final[:, None]).sum(axis=1) + (final[None, :] == final[:, None]).sum(axis=1)
    return np.asarray(threshold + np.log(behind))


def _verdicts(
    pairs: list[PairSequence],
    evidences: list[Evidence],
    decided: IntArray,
    names: Sequence[str],
    question: _Question,
) -> tuple[str, ...]:
    each = zip(pairs, evidences, decided.tolist(), strict=True)
    return tuple(_verdict(pair, found, at, names, question) for pair, found, at in each)


def _verdict(pair: PairSequence, found: Evidence, at: int, names: Sequence[str], question: _Question) -> str:
    if not at:
        return ""
    n = int(np.searchsorted(pair.time, at, side="right")) - 1
    is_up = bool(found.log_up[n] >= found.log_down[n])
    if question.margin is not None:
        return "not worse" if is_up else "worse"
    return names[pair.a if is_up else pair.b]


def _more(
    pair: PairSequence, found: Evidence, question: _Question, bets: Bets, bound: float, target: float
) -> tuple[float, float, float]:
    """Return about how many more units decide the pair, and a range: if the mean is a little higher or lower."""
    values, sizes = question.tested(pair), pair.sizes
    if values.size < _FEWEST:
        return math.inf, 0.0, math.inf
    starts = question.sides(found.up, found.down)
    target += math.log(2) if question.alternative == "two-sided" else 0.0

    def more(shift: float) -> float:
        up, down = growth(values + shift * sizes, sizes, bets, bound=bound + abs(shift))
        return more_units(starts, question.sides(up, down), target)

    mean = _mean(pair._replace(values=values))
    spread = math.sqrt(float(np.mean((values - mean * sizes) ** 2)))
    error = _RANGE * spread * math.sqrt(values.size) / float(sizes.sum())
    if question.alternative == "two-sided" and abs(mean) <= error:
        ends = [more(math.copysign(error, mean)), math.inf]
    else:
        ends = [more(-error), more(error)]
    middle = more(0.0)
    return middle, min(*ends, middle), max(*ends, middle)


def _curve(paths: list[FloatArray], pairs: list[PairSequence], n_units: int) -> tuple[IntArray, FloatArray]:
    """Return the evidence at times that suit a chart."""
    points = min(_CURVE_POINTS, max(2, _CURVE_CELLS // len(paths)))
    times = np.unique(np.linspace(0, n_units, points).astype(np.int64))
    return times, _at(paths, pairs, times).T
