"""May this release ship? A candidate against a baseline, with a margin for each metric.

How much more data would decide a row of a gate that is open.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple, cast

import numpy as np
from scipy.special import nctdtr

from betterthan.analysis.compare.compare_runs import Over
from betterthan.analysis.gate.margins import (
    GateOptions,
    GateTable,
    Standing,
    standing,
    standing_of_part,
    verdict_of,
)
from betterthan.analysis.gate.pairing import (
    SliceableTable,
    Slicing,
    paired,
    parts_of,
    refuse_unsliceable,
    slicing_from,
    slicing_of,
)
from betterthan.analysis.plan.designs import Design, Means, RightWrong
from betterthan.analysis.plan.pilots import PilotOptions, pilot_of
from betterthan.analysis.plan.plan import Question
from betterthan.analysis.table_argument import AnyData, as_table, refuse_changed_items
from betterthan.analysis.units import UnitName
from betterthan.arrays import FloatArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.errors import BetterThanError, NotEstimable, TableError, some_of, unknown_name
from betterthan.kernels.intervals.intervals import skewness_interval, skewness_of_sums
from betterthan.kernels.intervals.mean_differences import is_two_valued
from betterthan.kernels.intervals.proportions import clear_skewness
from betterthan.kernels.sign_flips.exact import Alternative
from betterthan.kernels.significance.pvalues import adjusted
from betterthan.messages import MORE, Message, Option
from betterthan.results.decisions import PASSING, Gate, WorstItem
from betterthan.results.settings import Settings
from betterthan.tables.any_table import AnyTable
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.runs import Runs
from betterthan.tables.scores import Scores

_FEWEST = 3


class Deciding(NamedTuple):
    """Units with which a row is decided: if the difference stays as observed, and if there is none; NaN if unknown."""

    needed: float = math.nan
    needed_if_equal: float = math.nan


class SkewedMeans(NamedTuple):
    """Means of scores with rare large losses, whose lower limit is drawn toward the losses.

    Attributes
    ----------
    sd, skewness : float
        Of the differences of items.
    """

    sd: float
    skewness: float

    @property
    def most(self) -> float:
        """Scores may differ by any amount."""
        return math.inf

    def power(self, difference: float, n: int, level: float, alternative: Alternative) -> float:
        """Return the probability that the lower limit lies above minus the difference."""
        del alternative
        if n < _FEWEST:
            return 0.0
        unit = np.ones(1)
        low, _ = skewness_interval(0 * unit, unit, self.skewness * unit, np.array([n]), confidence=1 - level)
        return float(1.0 - nctdtr(n - 1, difference * math.sqrt(n) / self.sd, -float(low[0])))

    def roughly(self, difference: float, reach: float) -> float:
        """Return the number for symmetric differences, from where the search begins."""
        return (self.sd * reach / difference) ** 2


def deciding(table: GateTable, one: Standing, margin: float, options: GateOptions) -> Deciding:
    """Return the numbers of units, by the same designs as :func:`betterthan.plan` with this table as a pilot.

    A row is decided when the difference is shown to be above minus the margin, or below 0, whichever is farther away.
    For scores of single items with a long tail of losses one more as large as the largest is allowed for, and the
    lower limit is drawn toward them, as in their intervals.
    """
    units = "auto" if one.unit == "battles" else options.units
    try:
        pilot = pilot_of(
            table,
            PilotOptions((options.candidate, options.baseline), units, "drop", None, 1 - options.alpha),
        )
    except NotEstimable:
        if one.compared.both_right is None or one.unit != "items":
            return Deciding()
        # Right and wrong on the same items: that one of two more would differ is as much as was seen against it.
        design: Design | SkewedMeans = Means(math.sqrt(1 / (one.n_units + 2)))
    else:
        design = _with_unseen(_of_margins(pilot.design, one.effect), table, one, options)
    question = Question(options.power, options.alpha, "two-sided")
    distance = max(one.effect + margin, -one.effect)
    return Deciding(_needed(question, design, distance), _needed(question, design, margin))


def _of_margins(design: Design, effect: float) -> Design:
    """Return the design of a test against a margin; of right and wrong answers the variance matters there."""
    if isinstance(design, RightWrong):
        return Means(math.sqrt(max(design.discordance - effect**2, 1e-12)))
    return design


def _with_unseen(
    design: Design, table: GateTable, one: Standing, options: GateOptions
) -> Design | SkewedMeans:
    """Return the design of scores with losses that are rare and large, and one more of the largest of them."""
    if not (isinstance(table, Scores) and isinstance(design, Means)) or one.unit != "items":
        return design
    values = table.select((options.candidate, options.baseline)).goodness
    values = values[:, ~np.isnan(values).any(axis=0)]
    gaps = values[0] - values[1]
    if is_two_valued(values) or gaps.size < _FEWEST or -_skewness(gaps) <= clear_skewness(gaps.size):
        return design
    gaps = np.append(gaps, gaps.min())
    return SkewedMeans(float(np.std(gaps, ddof=1)), _skewness(gaps))


def _skewness(gaps: FloatArray) -> float:
    around = gaps - gaps.mean()
    squares, cubes = (np.array([(around**power).sum()]) for power in (2, 3))
    return float(skewness_of_sums(squares, cubes, np.array([gaps.size]))[0])


def _needed(question: Question, design: Design | SkewedMeans, distance: float) -> float:
    return question.needed(design, distance) if 0 < distance < design.most else math.inf


KINDS: tuple[type[GateTable], ...] = (Scores, Counts, Matches, Runs)
_MOST_WORST = 10
_ALWAYS = 0.5
"""How far the probability of a win can be from one half."""


class GatedTable(NamedTuple):
    """A metric with its margin."""

    table: GateTable
    margin: float


class _Row(NamedTuple):
    """A metric, or a slice of one, with what was found of it."""

    table: GateTable
    slice: str
    margin: float
    is_required: bool
    found: Standing


@with_one_blas_thread
def gate(
    baseline: AnyData,
    candidate: AnyData = None,
    *,
    margin: float | Mapping[str, float],
    metric: str | None = None,
    slices: str | Sequence[str] | Mapping[str, Sequence[object]] = (),
    system: str | Sequence[str] | None = None,
    run: str | None = None,
    systems: Sequence[str] | None = None,
    units: UnitName = "auto",
    over: Over = "items and runs",
    missing: Literal["raise", "drop"] = "raise",
    alpha: float = 0.05,
    power: float = 0.8,
    undecided: Literal["", "pass", "fail"] = "",
) -> Gate:
    r"""Decide whether a candidate may replace a baseline: is it shown not to be worse by more than a margin?

    With the interval of the difference δ (candidate less baseline, positive where the candidate is better) at the level
    1 − alpha, and the margin m:

    * "better": δ is significantly above 0.
    * "equivalent": δ is shown to lie between −m and m (two one-sided tests).
    * "pass": δ is shown to be above −m (not inferior).
    * "fail": δ is significantly below 0, and not shown to be above −m.
    * "undecided": none of these; the data do not suffice.

    Parameters
    ----------
    baseline, candidate : Scores, Counts, Matches or Runs, or what they are read from
        The scores of both systems: two files, two arrays, two tables with a system each, … for the same items. Or one
        table with both, or a list of tables with a metric each, and `systems`.
    margin : float, or mapping of str to float
        How much worse the candidate may be, in the unit of the metric; for battles, of the probability of a win. 0
        demands that it is better. A mapping names the metrics that are required, each with its margin.
    metric, system, run
        As for :func:`betterthan.compare`.
    slices : str or sequence of str, optional
        Columns such as a topic: no part of the items with the same value may fail. For tables and arrays a mapping from
        a name to a label for each item.
    systems : sequence of str, optional
        The baseline and the candidate, where a table names them; by default the only two, in the order of the table.
    units, over
        As for :func:`betterthan.compare`.
    missing : {"raise", "drop"}, default "raise"
        Items that one of the two lacks are an error, or left out and noted.
    alpha : float, default 0.05
    power : float, default 0.8
        For the numbers of items that would decide.
    undecided : {"", "pass", "fail"}, default ""
        What the exit code of an undecided gate is that of.

    Returns
    -------
    Gate
        Its `exit_code` is 0 for the first three verdicts, 1 for "fail" and 3 for "undecided".

    Raises
    ------
    MissingScores
        When items differ and `missing` is "raise".
    BetterThanError
        When the two systems are not identified, or an option has no effect.

    Notes
    -----
    With several metrics the gate passes if every one is shown to be within its margin; since all must be, this needs no
    correction (an intersection–union test [4]_). It fails if a metric or a slice fails; p-values behind "fail" and
    "better" are adjusted by Holm over all rows. Slices need not be shown to be within the margin, which small ones
    could not be.

    Effect, interval and p-value are those of :func:`betterthan.compare`, so documents, repeated runs and clusters of
    battles are respected. For answers that are right or wrong the margin is tested by the exact unconditional score
    test [2]_, which holds its level however rare changes are. For other scores of single items every claim must also
    hold in an interval that allows for losses (or gains) as large as the largest that were not yet seen: where losses
    are rare and large, small samples often lack them. An end of the interval moves to the margin or to 0 where these
    methods put it on the other side.

    A candidate that is worse by more than the margin passes with a probability of at most alpha / 2, and one that is
    not worse fails with a probability of at most alpha / 2.

    References
    ----------
    .. [1] Piaggio, Elbourne, Pocock, Evans and Altman (2012), Reporting of noninferiority and equivalence randomized
       trials, JAMA 308.
    .. [2] Hsueh, Liu and Chen (2001), Unconditional exact tests for equivalence or noninferiority for paired binary
       endpoints, Biometrics 57.
    .. [3] Schuirmann (1987), A comparison of the two one-sided tests procedure, J. Pharmacokinetics and
       Biopharmaceutics 15.
    .. [4] Berger (1982), Multiparameter hypothesis testing and acceptance sampling, Technometrics 24.

    Examples
    --------
    >>> import betterthan as bt
    >>> baseline, candidate = [0, 1, 1, 0, 1] * 60, [0, 1, 1, 0, 1] * 59 + [0, 1, 0, 1, 1]
    >>> bt.gate(baseline, candidate, margin=0.05).verdict
    'equivalent'
    >>> found = bt.gate(baseline[:50], candidate[-50:], margin=0.02)
    >>> found.verdict, found.exit_code, found[0].needed_if_equal > 50
    ('undecided', 3, True)
    """
    data = _one_table(baseline, candidate, missing)
    tables = _tables(data, margin, metric, system, run)
    if not _are_tables(data):
        refuse_changed_items(*data, system=system, run=run)
    slicings = _slicings(data, slices, tables[0].table, system, run)
    return gate_tables(
        tables,
        slicings,
        systems=systems,
        units=units,
        over=over,
        missing=missing,
        alpha=alpha,
        power=power,
        undecided=undecided,
    )


def gate_tables(
    tables: Sequence[GatedTable],
    slicings: Sequence[Slicing] = (),
    *,
    systems: Sequence[str] | None,
    units: UnitName,
    over: Over,
    missing: Literal["raise", "drop"],
    alpha: float,
    power: float,
    undecided: Literal["", "pass", "fail"],
) -> Gate:
    """Return the gate of tables that were read; see :func:`gate`."""
    _check([one.margin for one in tables], alpha, power, undecided, missing)
    for table, margin in tables:
        _refuse_wide(table, margin)
    before, after = _two(tables[0].table, systems)
    options = GateOptions(
        baseline=before, candidate=after, alpha=alpha, power=power, units=units, over=over, missing=missing
    )
    rows = []
    for table, margin in tables:
        _two(table, (before, after))
        rows.append(_Row(table, "", float(margin), is_required=True, found=standing(table, margin, options)))
        for slicing in slicings:
            refuse_unsliceable(table, slicing.name)
            for name, part in parts_of(cast("SliceableTable", table), slicing):
                found = standing_of_part(part, margin, options)
                rows.append(_Row(part, name, float(margin), is_required=False, found=found))
    return _result(rows, options, undecided)


def _tables(
    data: tuple[AnyData, ...],
    margin: float | Mapping[str, float],
    metric: str | None,
    system: str | Sequence[str] | None,
    run: str | None,
) -> list[GatedTable]:
    """Return the table of each metric with its margin."""
    if isinstance(margin, Mapping) and (metric is not None or not margin):
        raise BetterThanError(
            Message(
                "{margin} names the metrics, one or more, each with its margin. Leave out {metric}.",
                margin=Option("margin", dict(margin)),
                metric=Option("metric", metric),
            )
        )
    (first, *more) = data
    if not more and isinstance(first, list | tuple) and _are_tables(first):
        return _given_tables(first, margin)
    if isinstance(margin, Mapping) and isinstance(first, AnyTable):
        return _given_tables([first], margin)
    margins = list(margin.items()) if isinstance(margin, Mapping) else [(metric, margin)]
    return [
        GatedTable(as_table(*data, kinds=KINDS, verb="gate", metric=name, system=system, run=run), one)
        for name, one in margins
    ]


def _one_table(
    baseline: AnyData, candidate: AnyData, missing: Literal["raise", "drop"]
) -> tuple[AnyData, ...]:
    """Return what holds both systems: two tables of one system each become one."""
    if candidate is None:
        return (baseline,)
    if isinstance(baseline, AnyTable) or isinstance(candidate, AnyTable):
        return (paired(baseline, candidate, missing=missing),)
    return baseline, candidate


def _are_tables(data: Sequence[object]) -> bool:
    """Whether nothing has to be read."""
    flat = [each for one in data for each in (one if isinstance(one, list | tuple) else [one])]
    return bool(flat) and all(isinstance(each, AnyTable) for each in flat)


def _given_tables(tables: Sequence[AnyData], margin: float | Mapping[str, float]) -> list[GatedTable]:
    named = {_name(table): table for table in (as_table(each, kinds=KINDS, verb="gate") for each in tables)}
    if len(named) < len(tables):
        raise TableError("Two of the tables have the same metric. Give each a name of its own.")
    if not isinstance(margin, Mapping):
        return [GatedTable(table, margin) for table in named.values()]
    for name in margin:
        if name not in named:
            raise unknown_name("metric", name, named)
    return [GatedTable(named[name], one) for name, one in margin.items()]


def _slicings(
    data: tuple[AnyData, ...],
    slices: str | Sequence[str] | Mapping[str, Sequence[object]],
    table: GateTable,
    system: str | Sequence[str] | None,
    run: str | None,
) -> list[Slicing]:
    """Return the slices, read from columns or given."""
    if isinstance(slices, Mapping):
        return [slicing_from(str(name), labels, table) for name, labels in slices.items()]
    names = (slices,) if isinstance(slices, str) else tuple(slices)
    if names and isinstance(data[0], AnyTable | list | tuple):
        raise BetterThanError(
            Message(
                "{option} names columns to be read. For tables and arrays give a label for each item: {mapping}.",
                option=Option("slices", list(names)),
                mapping=Option("slices", {names[0]: [MORE]}),
            )
        )
    grouped = [
        as_table(*data, kinds=KINDS, verb="gate", metric=_name(table), system=system, run=run, group=name)
        for name in names
    ]
    return [slicing_of(name, each) for name, each in zip(names, grouped, strict=True)]


def _check(margins: Sequence[float], alpha: float, power: float, undecided: str, missing: str) -> None:
    check_share("alpha", alpha)
    check_share("power", power)
    for margin in margins:
        if not 0 <= margin < math.inf:
            raise BetterThanError(
                Message("{option} must be 0 or more.", option=Option("margin", margin), severity="error")
            )
    if undecided not in ("", "pass", "fail"):
        raise unknown_name("undecided", undecided, ("pass", "fail"))
    if missing not in ("raise", "drop"):
        raise unknown_name("missing", missing, ("raise", "drop"))


def _refuse_wide(table: GateTable, margin: float) -> None:
    """Raise for a margin by which a system that always loses would pass."""
    if isinstance(table, Matches) and margin >= _ALWAYS:
        raise BetterThanError(
            Message(
                "{option} must be below 0.5 for battles: it is a difference in the probability of a win, and with this "
                "margin a candidate that loses every battle would pass.",
                option=Option("margin", margin),
            )
        )


def _two(table: GateTable, systems: Sequence[str] | None) -> tuple[str, str]:
    """Return the names of baseline and candidate."""
    chosen = table.systems if systems is None else tuple(systems)
    if len(set(chosen)) != 2 or len(chosen) != 2:
        raise TableError(
            Message(
                "A gate takes two systems, a baseline and a candidate, and there are {n}: {names}. Use {option}.",
                n=len(chosen),
                names=some_of(list(chosen)),
                option=Option("systems", list(table.systems[:2])),
            )
        )
    for name in chosen:
        if name not in table.systems:
            raise unknown_name("system", name, table.systems)
    return chosen[0], chosen[1]


def _result(rows: list[_Row], options: GateOptions, undecided: str) -> Gate:
    pvalue = np.array([row.found.pvalue for row in rows])
    corrected = adjusted(pvalue, correction="holm")
    verdicts = tuple(
        verdict_of(row.found, row.margin, float(p), options.alpha)
        for row, p in zip(rows, corrected, strict=True)
    )
    open_rows = [
        deciding(row.table, row.found, row.margin, options)
        if verdict == "undecided" and row.is_required
        else Deciding()
        for row, verdict in zip(rows, verdicts, strict=True)
    ]
    found = [row.found for row in rows]
    return Gate(
        baseline=options.baseline,
        candidate=options.candidate,
        verdict=_together([v for row, v in zip(rows, verdicts, strict=True) if row.is_required], verdicts),
        metric=tuple(_name(row.table) for row in rows),
        slice=tuple(row.slice for row in rows),
        margin=np.array([row.margin for row in rows]),
        is_required=np.array([row.is_required for row in rows]),
        baseline_score=np.array([one.baseline_score for one in found]),
        candidate_score=np.array([one.candidate_score for one in found]),
        effect=np.array([one.effect for one in found]),
        low=np.array([one.low for one in found]),
        high=np.array([one.high for one in found]),
        pvalue=pvalue,
        adjusted=corrected,
        verdicts=verdicts,
        n_units=np.array([one.n_units for one in found], dtype=np.int64),
        unit=tuple(one.unit for one in found),
        needed=np.array([one.needed for one in open_rows]),
        needed_if_equal=np.array([one.needed_if_equal for one in open_rows]),
        worst=tuple(item for row in rows if not row.slice for item in _worst(row.table, options)),
        measured=tuple(one.compared.measured or "battles" for one in found),
        alpha=options.alpha,
        power=options.power,
        undecided=undecided,
        notes=_notes(rows),
        settings=_settings(rows, options),
    )


def _notes(rows: list[_Row]) -> tuple[str, ...]:
    """Return the notes on whole metrics, then those on slices, which name the slices."""
    whole = dict.fromkeys(note for row in rows if not row.slice for note in row.found.compared.notes)
    of_slices: dict[str, list[str]] = {}
    for row in rows:
        for note in row.found.compared.notes:
            if note not in whole:
                of_slices.setdefault(note, []).append(row.slice)
    named = [
        Message(
            "{note} This concerns {slices}.",
            severity=getattr(note, "severity", "info"),
            note=note,
            slices=some_of(list(dict.fromkeys(slices)), limit=3),
        )
        for note, slices in of_slices.items()
    ]
    return (*whole, *named)


def _settings(rows: list[_Row], options: GateOptions) -> Settings:
    first = rows[0].found.compared
    return Settings(
        method="gate",
        options={
            "test": first.test,
            "units": first.units,
            "margin": ",".join(f"{row.margin:g}" for row in rows),
            "alpha": options.alpha,
            "power": options.power,
            "over": options.over if any(isinstance(row.table, Runs) for row in rows) else None,
            "missing": first.settings.options.get("missing"),
        },
        data=first.settings.data,
        n_systems=2,
        n_segments=first.settings.n_segments,
    )


def _together(required: Sequence[str], every: Sequence[str]) -> str:
    """Return the verdict on all rows: one failure fails, and every required row must pass."""
    if "fail" in every:
        return "fail"
    if any(verdict not in PASSING for verdict in required):
        return "undecided"
    return required[0] if len(set(required)) == 1 else "pass"


def _name(table: GateTable) -> str:
    return "battles" if isinstance(table, Matches) else table.name


def _worst(table: GateTable, options: GateOptions) -> list[WorstItem]:
    """Return the items with the largest losses; of equal ones the first."""
    if isinstance(table, Matches | Counts):
        return []
    scores = table.to_scores() if isinstance(table, Runs) else table
    chosen = scores.select((options.baseline, options.candidate)).complete(missing="drop")
    before, after = chosen.goodness
    order = np.argsort(after - before, kind="stable")[:_MOST_WORST]
    return [
        WorstItem(
            metric=table.name,
            item=chosen.segments[i],
            baseline_score=float(chosen.values[0, i]),
            candidate_score=float(chosen.values[1, i]),
            loss=float(before[i] - after[i]),
        )
        for i in order.tolist()
        if before[i] > after[i]
    ]
