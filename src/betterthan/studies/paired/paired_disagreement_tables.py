"""Tables 1, 3 and 4 of the paired-evaluation paper from the disagreements of every setup."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.engine.blocks import Array
from betterthan.results.study import Entry, StudyTable
from betterthan.studies.paired.disagreement import MEASURE_TITLES, MEASURES
from betterthan.studies.paired.paired_printed import PAIRS, TABLE_4, TEN_PAIRS, family_of, table_3
from betterthan.studies.paired.strengths import TITLES
from betterthan.studies.paired.subsamples import CODE_SIZES, RULES, TEXT_SIZES
from betterthan.studies.setups import Setup

READINGS = ("text", "as published")
_SIZES = {"ten": (10,), "text_sizes": TEXT_SIZES, "code_sizes": CODE_SIZES}
_TITLES = {
    **{name: rule.title for name, rule in RULES.items()},
    "ten": "ten segments",
    "text_sizes": "sizes of the text, up to all segments",
    "code_sizes": "sizes of the program, up to all segments",
}


_FAR, _NEAR = 0.1, 0.04
SHOWN = "fifth"
"""The rule whose table 3 is shown unasked: it comes closest to the printed one."""
PRINTED_DRAWS = 30
"""Draws behind each metric of table 3, whose shares are multiples of 1/30."""
_SHORT = {"disagree": "pairs", "best": "best", "top3": "top"}
_SHORT_PAIRS = dict(zip(PAIRS, ("mean/med", "mean/BT", "med/BT"), strict=True))


class DisagreementBlocks(NamedTuple):
    """Disagreements of all setups, and the reading asked for (0 text, 1 as published)."""

    setups: tuple[Setup, ...]
    blocks: Sequence[dict[str, Array]]
    reading: int

    def full(self) -> FloatArray:
        """With all segments: (setups, 3 pairs, 3 measures)."""
        return np.stack([block["full"][self.reading] for block in self.blocks])

    def by_rule(self, rule: str, place: int, reading: int) -> FloatArray:
        """Mean over the draws of a rule in one setup; (3 pairs, 3 measures)."""
        block = self.blocks[place]
        if rule in _SIZES:
            sizes = [f"size {size}" for size in _SIZES[rule]]
            return np.asarray(np.mean([self._drawn(block, name, reading) for name in sizes], axis=0))
        return self._drawn(block, rule, reading)

    def _drawn(self, block: dict[str, Array], rule: str, reading: int) -> FloatArray:
        """Sizes beyond the number of segments are all segments."""
        if rule not in block or rule == "full":
            return np.asarray(block["full"][reading])
        return known_mean(block[rule][:, reading])


def known_mean(values: FloatArray) -> FloatArray:
    """Mean over the first axis of what is there; NaN of nothing."""
    known = ~np.isnan(values)
    count = known.sum(axis=0)
    total = np.where(known, values, 0.0).sum(axis=0)
    return np.asarray(np.where(count > 0, total / np.maximum(count, 1), np.nan))


def pair_title(pair: tuple[str, str]) -> str:
    """Return two mechanisms as a heading has them."""
    return f"{TITLES[pair[0]]} / {TITLES[pair[1]]}"


def full_table(found: DisagreementBlocks, name: str, pairs: Sequence[tuple[str, str]]) -> StudyTable:
    """Return table 1 (three pairs) or table 4 (ten): means over setups, with all segments."""
    five = np.stack([block["five"] for block in found.blocks])
    means = known_mean(five)[: len(pairs)]
    return StudyTable(
        name=name,
        title=f"{name.replace('-', ' ').title()}: disagreement over {len(found.setups)} setups",
        columns=("mechanisms", *(MEASURE_TITLES[measure] for measure in MEASURES)),
        rows=tuple(
            (pair_title(pair), *(float(value) for value in row))
            for pair, row in zip(TEN_PAIRS, means, strict=False)
        ),
        printed=tuple((None, *row) for row in TABLE_4[: len(pairs)]),
    )


def _cells(found: DisagreementBlocks) -> dict[tuple[str, str], list[int]]:
    """Places of the setups of each data set and family of metrics."""
    cells: dict[tuple[str, str], list[int]] = {}
    for place, setup in enumerate(found.setups):
        cells.setdefault((setup.dataset, family_of(setup.metric)), []).append(place)
    return cells


def _cell_means(found: DisagreementBlocks, rule: str, reading: int) -> dict[tuple[str, str], FloatArray]:
    return {
        cell: known_mean(np.stack([found.by_rule(rule, place, reading) for place in places]))
        for cell, places in _cells(found).items()
    }


def breakdown_tables(found: DisagreementBlocks) -> list[StudyTable]:
    """Return table 3 under every rule, in the reading asked for."""
    return [_breakdown(found, rule) for rule in (*RULES, "ten")]


def _breakdown(found: DisagreementBlocks, rule: str) -> StudyTable:
    means = _cell_means(found, rule, found.reading)
    rows: list[tuple[Entry, ...]] = []
    printed: list[tuple[Entry, ...]] = []
    for (dataset, family), values in means.items():
        rows.append((dataset, family, *(float(value) for value in values.T.reshape(-1))))
        told = [table_3(dataset, family, measure, pair) for measure in MEASURES for pair in PAIRS]
        printed.append((None, None, *told))
    heads = [f"{_SHORT[measure]} {_SHORT_PAIRS[pair]}" for measure in MEASURES for pair in PAIRS]
    return StudyTable(
        name=f"table-3-{rule.replace('_', '-')}",
        title=f"Table 3, {_TITLES[rule]}: disagreement by data set and family of metrics",
        columns=("data", "metric", *heads),
        rows=tuple(rows),
        printed=tuple(printed) if any(cell is not None for row in printed for cell in row) else None,
        is_detail=rule != SHOWN,
        notes=(
            "BT: Bradley–Terry. Pairs: share of pairs ordered differently; best and top: setups with others.",
        ),
    )


class _Fit(NamedTuple):
    """How far a rule is from table 3: mean absolute difference of each measure and of all, and what chance would do."""

    rule: str
    reading: str
    apart: tuple[float, ...]
    expected: float | None


def _fit(found: DisagreementBlocks, rule: str, reading: int) -> _Fit | None:
    """Hold a rule against table 3; None where nothing is printed."""
    apart: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    chance: list[float] = []
    errors = _cell_errors(found, rule, reading)
    for cell, values in _cell_means(found, rule, reading).items():
        for j, pair in enumerate(PAIRS):
            for k, measure in enumerate(MEASURES):
                printed = table_3(*cell, measure, pair)
                if isinstance(printed, float) and not np.isnan(values[j, k]):
                    apart[measure].append(abs(float(values[j, k]) - printed))
                    chance += [float(errors[cell][j, k])] if errors else []
    every = [one for several in apart.values() for one in several]
    if not every:
        return None
    means = (*(float(np.mean(apart[measure])) for measure in MEASURES), float(np.mean(every)))
    return _Fit(rule, READINGS[reading], means, float(np.mean(chance)) if errors else None)


def _cell_errors(
    found: DisagreementBlocks, rule: str, reading: int
) -> dict[tuple[str, str], FloatArray] | None:
    r"""How far two runs of the same rule lie apart by chance, ours and one of 30 draws; None for rules without draws.

    The difference of two means over draws has variance :math:`v (1/R + 1/30)`, and a normal variable with standard
    deviation s is :math:`s \sqrt{2 / \pi}` away from 0 on average.
    """
    if any(rule not in block for block in found.blocks) or rule == "full":
        return None
    result = {}
    for cell, places in _cells(found).items():
        draws = [found.blocks[place][rule][:, reading] for place in places]
        # What is undefined in a draw (a tau of a constant) is left out, as it is from the means.
        spread = [known_mean((each - known_mean(each)) ** 2) for each in draws]
        variance = np.nansum(spread, axis=0) / len(places) ** 2
        result[cell] = np.sqrt(2 / np.pi * variance * (1 / len(draws[0]) + 1 / PRINTED_DRAWS))
    return result


def _ranked(found: DisagreementBlocks) -> list[_Fit]:
    fits = [_fit(found, rule, reading) for rule in (*RULES, *_SIZES) for reading in range(len(READINGS))]
    return sorted((fit for fit in fits if fit is not None), key=lambda fit: fit.apart[-1])


def rules_table(found: DisagreementBlocks) -> StudyTable | None:
    """Return which rule of drawing test sets comes closest to table 3, if any cell of it is in the data."""
    rows = tuple((_TITLES[fit.rule], fit.reading, *fit.apart, fit.expected) for fit in _ranked(found))
    if not rows:
        return None
    return StudyTable(
        name="table-3-rules",
        title="Mean absolute difference from the printed table 3, closest first",
        columns=(
            "test sets",
            "reading",
            *(MEASURE_TITLES[measure] for measure in MEASURES),
            "all",
            "by chance alone",
        ),
        rows=rows,
        digits=3,
        notes=("By chance alone: how far two runs of the same rule, one of 30 draws, would lie apart.",),
    )


def closest(found: DisagreementBlocks) -> tuple[str, ...]:
    """Say which rule comes closest to table 3."""
    ranked = _ranked(found)
    if not ranked:
        return ()
    best, full = ranked[0], next(fit for fit in ranked if fit.rule == "full")
    chance = "" if best.expected is None else f", where chance alone would make it {best.expected:.3f}"
    return (
        (
            f"Closest to table 3 comes {_TITLES[best.rule]} ({best.reading}), {best.apart[-1]:.3f} away on "
            f"average{chance}; all segments ({full.reading}) are {full.apart[-1]:.3f} away."
        ),
    )


def swapped(found: DisagreementBlocks) -> tuple[str, ...]:
    """Name cells of table 3 whose columns for mean and for median against Bradley–Terry seem to have changed places."""
    told = []
    for (dataset, family), values in _cell_means(found, SHOWN, 1).items():
        printed = [table_3(dataset, family, "disagree", pair) for pair in PAIRS[1:]]
        if not all(isinstance(one, float) for one in printed):
            continue
        ours, theirs = values[1:, 0], np.array(printed, dtype=np.float64)
        as_printed, turned = np.abs(ours - theirs).sum(), np.abs(ours - theirs[::-1]).sum()
        if as_printed > _FAR and turned < _NEAR:
            told.append(
                f"In table 3 the columns of {dataset}, {family} for mean and for median against Bradley–Terry seem "
                f"to have changed places: {theirs[0]:.2f} and {theirs[1]:.2f} are printed, {ours[0]:.2f} and "
                f"{ours[1]:.2f} found."
            )
    return tuple(told)
