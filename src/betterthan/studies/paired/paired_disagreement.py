"""Section 5 and figure 4 of the paired-evaluation paper: how often mechanisms disagree on real scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from betterthan.analysis.wording import amount, counted
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import Array, even_parts
from betterthan.engine.streams import stream
from betterthan.kernels.intervals.intervals import percentile_interval
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.results.study import Entry, Study, StudyChart, StudyTable
from betterthan.studies.paired.disagreement import disagreement
from betterthan.studies.paired.paired_disagreement_tables import (
    DisagreementBlocks,
    breakdown_tables,
    closest,
    full_table,
    known_mean,
    pair_title,
    rules_table,
    swapped,
)
from betterthan.studies.paired.paired_printed import PAIRS, TEN_PAIRS
from betterthan.studies.paired.strengths import FIVE, PRIOR, THREE, played_strengths, three_strengths
from betterthan.studies.paired.subsamples import CODE_SIZES, RULES, TEXT_SIZES, Rule
from betterthan.studies.request import StudyRequest
from betterthan.studies.setups import Setup, setups_digest

_RESAMPLES = 2000


def sizes_table(found: DisagreementBlocks) -> StudyTable:
    """Return the share of pairs ordered differently by test set size, the numbers of figure 4c."""
    sizes = CODE_SIZES if found.reading else TEXT_SIZES
    rows: list[tuple[Entry, ...]] = []
    for size in sizes:
        values = _at_size(found, size)
        if len(values):
            rows.append((size, len(values), *(float(value) for value in known_mean(values))))
    return StudyTable(
        name="figure-4c",
        title="Figure 4c: share of pairs ordered differently, by number of segments drawn",
        columns=("segments", "setups", *(pair_title(pair) for pair in PAIRS)),
        rows=tuple(rows),
        digits=3,
    )


def _at_size(found: DisagreementBlocks, size: int) -> FloatArray:
    """Share of pairs ordered differently in each setup that is larger; as published smaller ones take part whole."""
    name = f"size {size}"
    taking_part = [place for place, block in enumerate(found.blocks) if name in block or found.reading]
    values = [found.by_rule(name, place, found.reading)[:, 0] for place in taking_part]
    return np.stack(values) if values else np.empty((0, len(PAIRS)))


def figure_4(found: DisagreementBlocks, seed: int) -> list[StudyChart]:
    """Return figure 4: by metric, by data set, by test set size."""
    metrics = _grouped(found, "fifth_or_30", lambda setup: setup.metric)
    datasets = _grouped(found, "fifth", lambda setup: setup.dataset)
    sizes = {
        str(size): _at_size(found, size)
        for size in (CODE_SIZES if found.reading else TEXT_SIZES)
        if len(_at_size(found, size))
    }
    return [
        _chart("figure-4a", "Figure 4a: disagreement by metric", "metric", metrics, seed, kind="bars"),
        _chart("figure-4b", "Figure 4b: disagreement by data set", "data set", datasets, seed, kind="bars"),
        _chart(
            "figure-4c", "Figure 4c: disagreement by test set size", "segments", sizes, seed, kind="lines"
        ),
    ]


def _grouped(found: DisagreementBlocks, rule: str, key: Callable[[Setup], str]) -> dict[str, FloatArray]:
    groups: dict[str, list[FloatArray]] = {}
    for place, setup in enumerate(found.setups):
        groups.setdefault(key(setup), []).append(found.by_rule(rule, place, found.reading)[:, 0])
    return {name: np.stack(values) for name, values in groups.items()}


def _chart(
    name: str, title: str, x: str, groups: dict[str, FloatArray], seed: int, *, kind: str
) -> StudyChart:
    points: list[tuple[Entry, ...]] = []
    for group, values in groups.items():
        for place, pair in enumerate(PAIRS):
            own = values[~np.isnan(values[:, place]), place]
            place_x: Entry = float(group) if kind == "lines" else group
            points.append((pair_title(pair), place_x, *_with_bar(own, seed, f"{name} {group} {place}")))
    columns = list(zip(*points, strict=True)) if points else [()] * 5
    fields = dict(zip(("series", "x", "y", "low", "high"), columns, strict=True))
    return StudyChart(
        name=name,
        title=title,
        kind=kind,
        x=x,
        y="share of pairs ordered differently",
        columns={"panel": ("",) * len(points), **fields},
    )


def _with_bar(values: FloatArray, seed: int, label: str) -> tuple[Entry, Entry, Entry]:
    """Mean over setups and the bootstrap interval over setups, None for a single one."""
    if values.size < 2:
        return (float(values[0]) if values.size else None), None, None
    draws = bootstrap_counts(_RESAMPLES, values.size, stream(seed, label, 0)) @ values / values.size
    low, high = percentile_interval(draws[:, None], 0.95)
    return float(values.mean()), float(low[0]), float(high[0])


_READINGS = (False, True)
"""The words of the paper, then as published."""


class _SetupDraws(NamedTuple):
    """What all blocks need: goodness and raw values of each setup, and the plan of draws."""

    goodness: tuple[FloatArray, ...]
    values: tuple[FloatArray, ...]
    repeats: int
    orders: int
    as_published: bool
    seed: int


def run(request: StudyRequest) -> Study:
    """Rank every setup by every mechanism, on all segments and on drawn ones, and count disagreements."""
    used = request.setups_or_demo()
    work = _SetupDraws(
        tuple(setup.scores.goodness for setup in used),
        tuple(setup.scores.values for setup in used),
        request.number("repeats"),
        request.number("orders"),
        request.as_published,
        request.seed,
    )
    blocks = request.run(
        "setups", work, _setup, parts=even_parts(len(used)), key=(setups_digest(used),), uses="processes"
    )
    found = DisagreementBlocks(used, blocks, int(request.as_published))
    rules = rules_table(found)
    tables = [full_table(found, "table-1", PAIRS), full_table(found, "table-4", TEN_PAIRS)]
    tables += [*([rules] if rules else []), *breakdown_tables(found), sizes_table(found)]
    return request.answer(
        tables=tables,
        charts=figure_4(found, request.seed),
        sentences=(*_sentences(found), *closest(found)),
        differences=(*_DIFFERENCES, *(() if request.as_published else (_COUNTED,)), *swapped(found)),
        notes=_notes(used, blocks),
        used=used,
    )


def _setup(work: _SetupDraws, part: range, _rng: np.random.Generator) -> dict[str, Array]:
    """Disagreements of one setup.

    "five": (10 pairs, 3 measures) with all segments in the reading asked for; "full": (2 readings, 3 pairs, 3
    measures); a rule's or size's name: (draws, 2, 3, 3); "regularised": how many fits needed a prior, and of how many.
    """
    block = part.start
    tables = (work.goodness[block], work.values[block])
    full, regularised = _three(tables, [np.arange(tables[0].shape[1])])
    found: dict[str, Array] = {"full": full[0], "five": _five(work, tables[int(work.as_published)], block)}
    n = tables[0].shape[1]
    for name, rule in {**RULES, **_sizes(n)}.items():
        if name == "full":
            continue
        rng = stream(work.seed, f"segments by {name}", block)
        drawn, more = _three(tables, [rule.draw(n, rng) for _ in range(work.repeats)])
        found[name] = drawn
        regularised += more
    return {
        **found,
        "regularised": np.array([regularised, 1 + work.repeats * (len(found) - 2)], dtype=np.int64),
    }


def _sizes(n: int) -> dict[str, Rule]:
    """Rules for the test set sizes of the paper and of its program that are smaller than n."""
    sizes = sorted({*TEXT_SIZES, *CODE_SIZES})
    return {f"size {size}": Rule(f"{size} segments", _fixed(size)) for size in sizes if size < n}


def _fixed(size: int) -> Callable[[int], int]:
    """A number of segments that does not depend on how many there are."""
    return lambda _: size


def _three(tables: tuple[FloatArray, FloatArray], cuts: list[IntArray]) -> tuple[FloatArray, int]:
    """Disagreements of three mechanisms on drawn segments, in both readings; (draws, 2, 3, 3)."""
    result = np.empty((len(cuts), 2, len(PAIRS), 3))
    regularised = 0
    for place, (table, as_published) in enumerate(zip(tables, _READINGS, strict=True)):
        strengths = three_strengths([table[:, cut] for cut in cuts], as_published=as_published)
        regularised += strengths.n_regularised
        for draw, own in enumerate(strengths.values):
            for pair, (first, second) in enumerate(PAIRS):
                ranked = own[THREE.index(first)], own[THREE.index(second)]
                result[draw, place, pair] = disagreement(*ranked, as_published=as_published)
    return result, regularised


def _five(work: _SetupDraws, table: FloatArray, block: int) -> FloatArray:
    three = three_strengths([table], as_published=work.as_published).values[0]
    played = played_strengths(
        table, as_published=work.as_published, orders=work.orders, seed=work.seed, label=f"setup {block}"
    )
    own = dict(zip(FIVE, [*three, *played], strict=True))
    return np.stack([disagreement(own[a], own[b], as_published=work.as_published) for a, b in TEN_PAIRS])


def _sentences(found: DisagreementBlocks) -> tuple[str, ...]:
    setups = [setup.scores for setup in found.setups]
    pairs = sum(scores.n_systems * (scores.n_systems - 1) // 2 for scores in setups)
    mean_bt = found.full()[:, PAIRS.index(("mean", "bradley_terry"))]
    share, best, top = np.nanmean(mean_bt, axis=0)
    return (
        (
            f"{counted(len(setups), 'setup')} with {amount(pairs, 0)} pairs of systems: mean and Bradley–Terry order "
            f"{share:.1%} of the pairs differently, name another best system in {best:.0%} of the setups and another "
            f"top 3 in {top:.0%}."
        ),
    )


def _notes(used: tuple[Setup, ...], blocks: list[dict[str, Array]]) -> tuple[str, ...]:
    needed = sum(int(block["regularised"][0]) for block in blocks)
    total = sum(int(block["regularised"][1]) for block in blocks)
    small = [setup for setup in used if setup.scores.n_systems <= 3]
    told = []
    if needed:
        told.append(
            f"In {amount(needed, 0)} of {amount(total, 0)} fits Bradley–Terry strengths do not exist; there every "
            f"system gets {PRIOR} wins and losses against a fictive one (not as published)."
        )
    if small:
        told.append(
            f"In {len(small)} setups there are no more than three systems, so that all have the same top 3."
        )
    return tuple(told)


_DIFFERENCES = (
    (
        "Tables 1 and 4 of the paper are over 296 setups, of which only some are in the data here; the numbers "
        "beside ours are for all of them."
    ),
    "The abstract speaks of different best systems in about 30 % of the setups, table 1 of 40 %.",
    (
        "Table 3 does not say how test sets were drawn. Its shares for single metrics are all multiples of 1/30, so "
        "there were 30 draws for each metric and data set."
    ),
)
_COUNTED = (
    "The paper computes the share of pairs from Kendall's tau, which counts a tie as half a disagreement; here "
    "flipped pairs are counted. Ties at the border of the best and of the top 3 bring all of their members in "
    "here, and are broken by the order of columns in the paper."
)
