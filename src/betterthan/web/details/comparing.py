"""Two runs side by side: who moved, by how much, and whether the same thing was measured at all.

Whether a change is significant is a worker's answer (`betterthan.web.worker.changes`); here it is only shown.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from betterthan.present.numbers import digits_for

_COMPARED = ("ranking", "aggregated")


@dataclass(frozen=True, slots=True, kw_only=True)
class RankedPlace:
    """Where a system stands in one run."""

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


@dataclass(frozen=True, slots=True, kw_only=True)
class RunComparison:
    """What two runs say of the systems they share.

    Attributes
    ----------
    result : str
        Name of the ranking that both have.
    unit : str
    is_same_measure : bool
        Whether both were made by the same method, in the same unit; else strengths cannot be subtracted. What the
        metric is called does not count, because a name may be that of a file.
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
    unit: str
    is_same_measure: bool
    renamed: tuple[str, str] | None
    differences: tuple[tuple[str, str, str], ...]
    moves: tuple[Move, ...]
    note: str = ""

    @property
    def n_shared(self) -> int:
        """How many systems are in both runs."""
        return sum(move.before is not None and move.after is not None for move in self.moves)

    @property
    def is_tested(self) -> bool:
        """Whether the change of a system was tested."""
        return any(move.test is not None for move in self.moves)

    @property
    def n_segments(self) -> int:
        """How many segments the tests rest on, at most."""
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


def compare_runs(
    before: dict[str, Any], after: dict[str, Any], tests: Mapping[str, Any] | None = None
) -> tuple[RunComparison, ...]:
    """Compare the rankings that both runs have, from their results as plain data.

    Parameters
    ----------
    before, after : dict
        Results by name.
    tests : mapping, optional
        By name of the result: "systems" with the test of each, and a "note".

    Examples
    --------
    >>> ranking = {"kind": "ranking", "method": "mean", "unit": "points", "systems": ["A"], "rank": [1],
    ...            "strength": [2.0], "low": [1.5], "high": [2.5], "settings": {"options": {}}}
    >>> found = compare_runs({"mean": ranking}, {"mean": {**ranking, "strength": [4.0], "low": [3.0], "high": [5.0]}})
    >>> found[0].moves[0].change, found[0].moves[0].test
    (2.0, None)
    """
    metrics = _metric(before), _metric(after)
    return tuple(
        _comparison(
            name, _as_ranking(before[name]), _as_ranking(after[name]), metrics, (tests or {}).get(name, {})
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


def _as_ranking(result: dict[str, Any]) -> dict[str, Any]:
    """Return scores of texts as a ranking by the pooled score."""
    if result["kind"] == "ranking":
        return result
    direction = "higher is better" if result["higher_is_better"] else "lower is better"
    pooled = {"strength": result["pooled"], "low": result["pooled_low"], "high": result["pooled_high"]}
    return {**result, **pooled, "unit": f"{result['metric']}, {direction}"}


def measured_in(unit: str, metric: str) -> tuple[str, str]:
    """Return what a metric is called and what its strengths are measured in, from a ranking's unit.

    Parameters
    ----------
    unit : str
    metric : str
        Its name, if it is known; else it ends at the first comma.

    Examples
    --------
    >>> measured_in("human, higher is better", ""), measured_in("Elo points", "")
    (('human', 'higher is better'), ('', 'Elo points'))
    >>> measured_in("a, b, lower is better", "a, b")
    ('a, b', 'lower is better')
    """
    if metric and unit.startswith(f"{metric}, "):
        return metric, unit.removeprefix(f"{metric}, ")
    name, comma, rest = unit.partition(", ")
    return (name, rest) if comma else ("", unit)


def _metric(results: dict[str, Any]) -> str:
    """Return the metric that a report on scores is about; its explanation of a pair names it."""
    return str(results.get("pair", {}).get("metric") or "")


def _comparison(
    name: str,
    before: dict[str, Any],
    after: dict[str, Any],
    metrics: tuple[str, str],
    tests: Mapping[str, Any],
) -> RunComparison:
    differences = _differences(before, after)
    old, new = (
        measured_in(run["unit"], metric) for run, metric in zip((before, after), metrics, strict=True)
    )
    same = before["method"] == after["method"] and old[1] == new[1]
    systems = dict.fromkeys([*after["systems"], *before["systems"]])
    known = tests.get("systems", {}) if same else {}
    moves = tuple(_move(system, before, after, known.get(system), same=same) for system in systems)
    return RunComparison(
        result=name,
        unit=after["unit"],
        is_same_measure=same,
        renamed=(old[0], new[0]) if old[0] != new[0] else None,
        differences=differences,
        moves=moves,
        note=str(tests.get("note", "")) if same else "",
    )


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
