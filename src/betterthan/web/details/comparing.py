"""Two runs side by side: who moved, by how much, and whether the same thing was measured at all.

Whether a change is significant is a worker's answer (`betterthan.web.worker.changes`); here it is only shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from betterthan.present.numbers import digits_for

_COMPARED = ("ranking", "aggregated")
_METHODS = {
    "aggregate": "Corpus score",
    "mean": "Mean",
    "median": "Median",
    "win_rate": "Win rate",
    "bradley_terry": "Bradley–Terry strength",
    "elo": "Elo rating",
    "trueskill": "TrueSkill rating",
}
_MOST_NAMED = 3
Verdict = Literal["better", "worse", "unchanged", "untested", "new", "gone"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPlace:
    """The rank and strength of a system in one run."""

    rank: int
    strength: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangeTest:
    """The paired test of a system against itself, on the segments that both runs have.

    `effect` is positive where the system became better; `pvalue` is of this system by itself, `adjusted` for all
    systems.
    """

    effect: float | None
    low: float | None
    high: float | None
    pvalue: float | None
    adjusted: float | None
    is_significant: bool
    n_segments: int
    units: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Move:
    """A system in both runs; None where it is absent, and `test` where no test was made."""

    system: str
    before: RankedPlace | None
    after: RankedPlace | None
    change: float | None
    test: ChangeTest | None

    @property
    def verdict(self) -> Verdict:
        """What can be said about the system: significantly better or worse, or why nothing can."""
        if self.before is None or self.after is None:
            return "new" if self.before is None else "gone"
        if self.test is None or self.test.effect is None:
            return "untested"
        if not self.test.is_significant:
            return "unchanged"
        return "better" if self.test.effect > 0 else "worse"


class ComparedMeasure(NamedTuple):
    """What a ranking is about, as the worker that has its table says it.

    Attributes
    ----------
    metric : str
        Empty for battles.
    direction : {"higher", "lower", ""}
        Which scores are better; empty where that is no question.
    """

    metric: str = ""
    direction: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """What two runs say of the systems they share.

    Attributes
    ----------
    result : str
        Name of the ranking that both have.
    method, metric : str
        What the later ranking summarizes the scores by, and of which metric; no metric for battles.
    unit : str
    is_same_measure : bool
        Whether both were made by the same method, in the same direction and scale; else strengths cannot be
        subtracted. What the metric is called does not count, because a name may be that of a file.
    renamed : tuple of (str, str), optional
        What the metric is called before and after, where that differs.
    differences : tuple of (str, str, str)
        Setting, before, after: where the two were made differently.
    moves : tuple of Move
        In the order of the second run.
    note : str
        What must be known about the tests; empty where there are none.
    """

    result: str
    method: str
    metric: str
    unit: str
    is_same_measure: bool
    renamed: tuple[str, str] | None
    differences: tuple[tuple[str, str, str], ...]
    moves: tuple[Move, ...]
    note: str = ""

    @property
    def label(self) -> str:
        """The method and the metric as a heading."""
        of = f" of {self.metric}" if self.metric else ""
        return f"{_METHODS.get(self.method, self.method)}{of}"

    @property
    def summary(self) -> str:
        """What the tests say about all systems together; empty where nothing was tested."""
        tested = [move.system for move in self.moves if move.test is not None]
        better, worse = ([m.system for m in self.moves if m.verdict == word] for word in ("better", "worse"))
        if not tested:
            return ""
        if not better and not worse:
            who = f"None of the {len(tested)} systems in both runs" if len(tested) > 1 else tested[0]
            return f"{who} {'changed' if len(tested) > 1 else 'did not change'} significantly."
        if len(tested) == 1:
            return f"{tested[0]} {'improved significantly' if better else 'became significantly worse'}."
        return (
            f"Of the {len(tested)} systems in both runs, {_number_of(better)} improved significantly "
            f"and {_number_of(worse)} became significantly worse."
        )

    @property
    def n_shared(self) -> int:
        """The number of systems in both runs."""
        return sum(move.before is not None and move.after is not None for move in self.moves)

    @property
    def is_tested(self) -> bool:
        """Whether the change of a system was tested."""
        return any(move.test is not None for move in self.moves)

    @property
    def n_segments(self) -> int:
        """The number of segments that the tests rest on, at most."""
        return max((move.test.n_segments for move in self.moves if move.test is not None), default=0)

    @property
    def is_by_documents(self) -> bool:
        """Whether the tests take whole documents as units."""
        return any(move.test is not None and move.test.units == "groups" for move in self.moves)

    @property
    def digits(self) -> int:
        """Decimals that the intervals' widths allow."""
        places = [place for move in self.moves for place in (move.before, move.after) if place is not None]
        widths = [(p.high - p.low) / 2 for p in places if p.low is not None and p.high is not None]
        return digits_for(widths, [p.strength for p in places if p.strength is not None])

    @property
    def change_digits(self) -> int:
        """Decimals that the intervals of the changes allow."""
        tests = [move.test for move in self.moves if move.test is not None]
        widths = [(one.high - one.low) / 2 for one in tests if one.low is not None and one.high is not None]
        return digits_for(widths, [one.effect for one in tests if one.effect is not None])


def compare_runs(
    before: dict[str, Any], after: dict[str, Any], changes: Mapping[str, Any] | None = None
) -> tuple[RunComparison, ...]:
    """Compare the rankings that both runs have, from their results as plain data.

    Parameters
    ----------
    before, after : dict
        Results by name.
    changes : mapping, optional
        What a worker stored, by name of the result: "tests" with the "systems" and a "note", and "measures" with
        what is measured before and after.

    Examples
    --------
    >>> ranking = {"kind": "ranking", "method": "mean", "unit": "points", "systems": ["A"], "rank": [1],
    ...            "strength": [2.0], "low": [1.5], "high": [2.5], "settings": {"options": {}}}
    >>> (one,) = compare_runs({"mean": ranking}, {"mean": {**ranking, "strength": [4.0], "low": [3.0], "high": [5.0]}})
    >>> one.moves[0].change, one.moves[0].test, one.label
    (2.0, None, 'Mean')
    """
    tests, measures = ((changes or {}).get(name, {}) for name in ("tests", "measures"))
    return tuple(
        _comparison(
            name,
            _as_ranking(before[name]),
            _as_ranking(after[name]),
            [ComparedMeasure(**one) for one in measures.get(name, ({}, {}))],
            tests.get(name, {}),
        )
        for name in compared_results(before, after)
    )


def compared_results(before: dict[str, Any], after: dict[str, Any]) -> list[str]:
    """Return the names of the rankings and of the scores of texts that both runs have."""
    return [
        name
        for name, result in after.items()
        if result.get("kind") in _COMPARED and before.get(name, {}).get("kind") == result["kind"]
    ]


def metric_of(result: dict[str, Any]) -> str:
    """Return the metric of a result, empty where it is the one that the report is about."""
    return str(result.get("metric") or "")


def _number_of(systems: list[str]) -> str:
    """Return how many systems these are, and which where they are few.

    Examples
    --------
    >>> _number_of([]), _number_of(["A", "B"]), _number_of(list("ABCDE"))
    ('none', '2 (A, B)', '5')
    """
    if not systems:
        return "none"
    return f"{len(systems)} ({', '.join(systems)})" if len(systems) <= _MOST_NAMED else str(len(systems))


def _as_ranking(result: dict[str, Any]) -> dict[str, Any]:
    """Return scores of texts as a ranking by the pooled score."""
    if result["kind"] == "ranking":
        return result
    direction = "higher is better" if result["higher_is_better"] else "lower is better"
    pooled = {"strength": result["pooled"], "low": result["pooled_low"], "high": result["pooled_high"]}
    return {**result, **pooled, "unit": f"{result['metric']}, {direction}"}


def _comparison(
    name: str,
    before: dict[str, Any],
    after: dict[str, Any],
    measures: list[ComparedMeasure],
    tests: Mapping[str, Any],
) -> RunComparison:
    old, new = measures
    same = _how_measured(before, old) == _how_measured(after, new)
    systems = dict.fromkeys([*after["systems"], *before["systems"]])
    known = tests.get("systems", {}) if same else {}
    return RunComparison(
        result=name,
        method=after["method"],
        metric=new.metric,
        unit=after["unit"],
        is_same_measure=same,
        renamed=(old.metric, new.metric) if old.metric != new.metric else None,
        differences=_differences(before, after),
        moves=tuple(_move(system, before, after, known.get(system), same=same) for system in systems),
        note=str(tests.get("note", "")) if same else "",
    )


def _how_measured(ranking: dict[str, Any], measure: ComparedMeasure) -> tuple[object, ...]:
    """Return what must be the same for two strengths to be subtracted."""
    return ranking["method"], ranking["settings"]["options"].get("scale"), measure.direction


def _move(
    system: str, before: dict[str, Any], after: dict[str, Any], test: dict[str, Any] | None, *, same: bool
) -> Move:
    old, new = _place(system, before), _place(system, after)
    change = None
    if same and old is not None and new is not None and None not in (old.strength, new.strength):
        change = new.strength - old.strength  # type: ignore[operator]
    tested = None if test is None else ChangeTest(**test)
    return Move(system=system, before=old, after=new, change=change, test=tested)


def _place(system: str, ranking: dict[str, Any]) -> RankedPlace | None:
    if system not in ranking["systems"]:
        return None
    at = ranking["systems"].index(system)
    return RankedPlace(
        rank=ranking["rank"][at],
        strength=ranking["strength"][at],
        low=ranking["low"][at],
        high=ranking["high"][at],
    )


def _differences(before: dict[str, Any], after: dict[str, Any]) -> tuple[tuple[str, str, str], ...]:
    old, new = _settings(before), _settings(after)
    names = dict.fromkeys([*old, *new])
    return tuple(
        (name, old.get(name, "–"), new.get(name, "–")) for name in names if old.get(name) != new.get(name)
    )


def _settings(result: dict[str, Any]) -> dict[str, str]:
    settings = result["settings"]
    plain = {name: settings.get(name) for name in ("seed", "n_systems", "n_segments", "data", "version")}
    values = {"method": result["method"], "unit": result["unit"], **settings["options"], **plain}
    return {name: str(value) for name, value in values.items() if value is not None}
