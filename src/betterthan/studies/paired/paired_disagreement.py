"""Section 5 of the paired-evaluation paper: how often mechanisms disagree on real scores.

Tables 1, 3 and 4 and figure 4, from the disagreements of every setup.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from betterthan.analysis.wording import amount, counted
from betterthan.arrays import FloatArray, IntArray
from betterthan.engine.blocks import Array, even_parts, stream
from betterthan.kernels.agreement.kendall import kendall_b
from betterthan.kernels.agreement.rankings import order_agreement, same_top
from betterthan.kernels.intervals.intervals import percentile_interval
from betterthan.kernels.resampling.resample import bootstrap_counts
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.paired.strengths import FIVE, PRIOR, THREE, TITLES, played_strengths, three_strengths
from betterthan.studies.paired.subsamples import CODE_SIZES, RULES, TEXT_SIZES, SubsampleRule
from betterthan.studies.reporting import UNKNOWN, Claim, Mark, figure, holds_in, printed_table
from betterthan.studies.request import StudyRequest
from betterthan.studies.setups import Setup, setups_digest

MEASURES = ("disagree", "best", "top3")
MEASURE_TITLES = {"disagree": "pairs disagree", "best": "other best", "top3": "other top 3"}
TOP = 3


def disagreement(first: FloatArray, second: FloatArray, *, as_published: bool) -> FloatArray:
    r"""Share of pairs ordered differently, whether the best differs, and whether the top three do.

    Flipped pairs are counted, and the best are compared as sets to which all who tie belong. As published [1]_, the
    first is :math:`(1 - \tau_b) / 2`, and ties at the border are broken by the order of the columns.

    Parameters
    ----------
    first, second : array, shape (m,)
        Strengths, higher is better.
    as_published : bool

    Returns
    -------
    array, shape (3,)
        The first is NaN as published when one of the two ties all systems.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than Average: Paired Evaluation of NLP Systems, ACL. Section 5.1.

    Examples
    --------
    >>> disagreement(np.array([4.0, 3, 2, 1]), np.array([3.0, 4, 2, 1]), as_published=False).round(3)
    array([0.167, 1.   , 0.   ])
    >>> disagreement(np.array([4.0, 3, 2, 1]), np.array([4.0, 4, 2, 1]), as_published=True).round(3)
    array([0.044, 0.   , 0.   ])
    """
    if as_published:
        flipped = (1 - kendall_b(first, second)) / 2
        other = [_first_of(first, k) != _first_of(second, k) for k in (1, TOP)]
    else:
        flipped = order_agreement(first, second).share_flipped
        other = [not same_top(first, second, k) for k in (1, TOP)]
    return np.array([flipped, *map(float, other)])


def _first_of(strength: FloatArray, k: int) -> frozenset[int]:
    return frozenset(np.argsort(-strength, kind="stable")[:k].tolist())


TABLE_4 = printed_table("paired", "table_4").values(2)
"""Pairs of mechanisms, to pairs ordered differently, other best and other top 3."""
TEN_PAIRS = tuple((str(first), str(second)) for first, second in TABLE_4)
"""In the order of table 4."""
PAIRS = TEN_PAIRS[:3]
"""In the order of table 1."""


def plain_name(name: str) -> str:
    """Return a name of a data set or metric without case and punctuation.

    Examples
    --------
    >>> plain_name("CNN/DM"), plain_name("TAC-08")
    ('cnndm', 'tac08')
    """
    return "".join(letter for letter in name.lower() if letter.isalnum())


def _parsed_table_3() -> dict[tuple[str, str, str, tuple[str, str]], float]:
    # The columns of table 3 have the pairs in another order than table 1.
    pairs = (PAIRS[1], PAIRS[2], PAIRS[0])
    return {
        (plain_name(str(dataset)), str(family), str(measure), pair): share
        for (dataset, family, measure), shares in printed_table("paired", "table_3").values(3).items()
        for pair, share in zip(pairs, shares, strict=True)
    }


TABLE_3 = _parsed_table_3()
"""(data set without case and punctuation, family, measure, pair) to the printed number."""
FAMILIES = tuple(dict.fromkeys(family for _, family, _, _ in TABLE_3))


def table_3(dataset: str, family: str, measure: str, pair: tuple[str, str]) -> StudyCell:
    """Return what table 3 prints, None where it prints nothing.

    Examples
    --------
    >>> table_3("TAC-08", "BLEU", "best", ("mean", "bradley_terry"))
    0.43
    """
    return TABLE_3.get((plain_name(dataset), family, measure, pair))


def family_of(metric: str) -> str:
    """Return the family of metrics of table 3, or the metric itself.

    Examples
    --------
    >>> family_of("ROUGE_WE_1"), family_of("ROUGE_L"), family_of("Bleu_2"), family_of("S3_pyr")
    ('ROUGE-WE', 'ROUGE', 'BLEU', 'S3_pyr')
    """
    plain = plain_name(metric)
    # The longest first: ROUGE-WE is not ROUGE.
    for family in sorted(FAMILIES, key=len, reverse=True):
        if plain.startswith(plain_name(family)) and not (family == "BLEU" and plain == "bleurt"):
            return family
    return metric


READINGS = ("text", "as published")
_SIZES = {"ten": (10,), "text_sizes": TEXT_SIZES, "code_sizes": CODE_SIZES}
_TITLES = {
    **{name: rule.title for name, rule in RULES.items()},
    "ten": "ten segments",
    "text_sizes": "each size of the text, and all segments",
    "code_sizes": "each size of the program, and all segments",
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
            sizes = [f"size {size}" for size in _SIZES[rule] if f"size {size}" in block]
            every = (*sizes, *([] if rule == "ten" and sizes else ["full"]))
            return np.asarray(np.mean([self._drawn(block, name, reading) for name in every], axis=0))
        return self._drawn(block, rule, reading)

    def _drawn(self, block: dict[str, Array], rule: str, reading: int) -> FloatArray:
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


def full_table(disagreements: DisagreementBlocks, name: str, pairs: Sequence[tuple[str, str]]) -> StudyTable:
    """Return table 1 (three pairs) or table 4 (ten): means over setups, with all segments."""
    five = np.stack([block["five"] for block in disagreements.blocks])
    means = known_mean(five)[: len(pairs)]
    return StudyTable(
        name=name,
        title=f"{name.replace('-', ' ').title()}: disagreement over {len(disagreements.setups)} setups",
        columns=("mechanisms", *(MEASURE_TITLES[measure] for measure in MEASURES)),
        rows=tuple(
            (pair_title(pair), *(float(value) for value in row))
            for pair, row in zip(pairs, means, strict=True)
        ),
        printed=tuple((None, *TABLE_4[pair]) for pair in pairs),
    )


def _cells(disagreements: DisagreementBlocks) -> dict[tuple[str, str], list[int]]:
    """Places of the setups of each data set and family of metrics."""
    cells: dict[tuple[str, str], list[int]] = {}
    for place, setup in enumerate(disagreements.setups):
        cells.setdefault((setup.dataset, family_of(setup.metric)), []).append(place)
    return cells


def _cell_means(
    disagreements: DisagreementBlocks, rule: str, reading: int
) -> dict[tuple[str, str], FloatArray]:
    return {
        cell: known_mean(np.stack([disagreements.by_rule(rule, place, reading) for place in places]))
        for cell, places in _cells(disagreements).items()
    }


def breakdown_tables(disagreements: DisagreementBlocks) -> list[StudyTable]:
    """Return table 3 under every rule, in the reading asked for."""
    return [_breakdown(disagreements, rule) for rule in (*RULES, "ten")]


def _breakdown(disagreements: DisagreementBlocks, rule: str) -> StudyTable:
    means = _cell_means(disagreements, rule, disagreements.reading)
    rows: list[tuple[StudyCell, ...]] = []
    printed: list[tuple[StudyCell, ...]] = []
    for (dataset, family), values in means.items():
        rows.append((dataset, family, *(float(value) for value in values.T.reshape(-1))))
        printed_row = [table_3(dataset, family, measure, pair) for measure in MEASURES for pair in PAIRS]
        printed.append((None, None, *printed_row))
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


def _fit(disagreements: DisagreementBlocks, rule: str, reading: int) -> _Fit | None:
    """Hold a rule against table 3; None where nothing is printed."""
    apart: dict[str, list[float]] = {measure: [] for measure in MEASURES}
    chance: list[float] = []
    errors = _cell_errors(disagreements, rule, reading)
    for cell, values in _cell_means(disagreements, rule, reading).items():
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
    disagreements: DisagreementBlocks, rule: str, reading: int
) -> dict[tuple[str, str], FloatArray] | None:
    r"""How far two runs of the same rule lie apart by chance, ours and one of 30 draws; None for rules without draws.

    The difference of two means over draws has variance :math:`v (1/R + 1/30)`, and a normal variable with standard
    deviation s is :math:`s \sqrt{2 / \pi}` away from 0 on average.
    """
    if any(rule not in block for block in disagreements.blocks) or rule == "full":
        return None
    result = {}
    for cell, places in _cells(disagreements).items():
        draws = [disagreements.blocks[place][rule][:, reading] for place in places]
        # What is undefined in a draw (a tau of a constant) is left out, as it is from the means.
        spread = [known_mean((each - known_mean(each)) ** 2) for each in draws]
        variance = np.nansum(spread, axis=0) / len(places) ** 2
        result[cell] = np.sqrt(2 / np.pi * variance * (1 / len(draws[0]) + 1 / PRINTED_DRAWS))
    return result


def _ranked(disagreements: DisagreementBlocks) -> list[_Fit]:
    fits = [
        _fit(disagreements, rule, reading) for rule in (*RULES, *_SIZES) for reading in range(len(READINGS))
    ]
    return sorted((fit for fit in fits if fit is not None), key=lambda fit: fit.apart[-1])


def rules_table(disagreements: DisagreementBlocks) -> StudyTable | None:
    """Return which rule of drawing test sets comes closest to table 3, if any cell of it is in the data."""
    rows = tuple((_TITLES[fit.rule], fit.reading, *fit.apart, fit.expected) for fit in _ranked(disagreements))
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


def closest(disagreements: DisagreementBlocks) -> tuple[str, ...]:
    """Say which rule comes closest to table 3."""
    ranked = _ranked(disagreements)
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


def swapped(disagreements: DisagreementBlocks) -> tuple[str, ...]:
    """Name cells of table 3 whose columns for mean and for median against Bradley–Terry seem to have changed places."""
    sentences = []
    for (dataset, family), values in _cell_means(disagreements, SHOWN, 1).items():
        printed = [table_3(dataset, family, "disagree", pair) for pair in PAIRS[1:]]
        if not all(isinstance(one, float) for one in printed):
            continue
        ours, theirs = values[1:, 0], np.array(printed, dtype=np.float64)
        as_printed, turned = np.abs(ours - theirs).sum(), np.abs(ours - theirs[::-1]).sum()
        if as_printed > _FAR and turned < _NEAR:
            sentences.append(
                f"In table 3 the columns of {dataset}, {family} for mean and for median against Bradley–Terry seem "
                f"to have changed places: {theirs[0]:.2f} and {theirs[1]:.2f} are printed, {ours[0]:.2f} and "
                f"{ours[1]:.2f} found."
            )
    return tuple(sentences)


_RESAMPLES = 2000


SIZES = (10, 20, 40, 50, 100, 200, 500, 1000, 5000)
"""Sizes of figure 4c: those of the text and of the program, and some between, for small test sets."""
TASKS = {
    "summarization": ("tac", "cnndm", "summeval", "realsumm"),
    "machine translation": ("wmt", "newstest"),
    "dialogue": ("tc", "pc", "topicalchat", "personachat"),
    "image captioning": ("mscoco", "coco"),
}
"""Tasks by the beginnings of the names of their data sets, without case and punctuation."""


def task_of(dataset: str) -> str:
    """Return the task that a data set is of, by its name; the data set itself where that is not known.

    Examples
    --------
    >>> task_of("TAC-08"), task_of("PersonaChat"), task_of("de-en"), task_of("news")
    ('summarization', 'dialogue', 'machine translation', 'news')
    """
    plain = plain_name(dataset)
    parts = dataset.lower().replace("_", "-").split()[-1:]
    if parts and len(parts[0]) == len("xx-yy") and parts[0][2] == "-":
        return "machine translation"
    return next((task for task, starts in TASKS.items() if plain.startswith(starts)), dataset)


class _SizeClass(NamedTuple):
    """Setups that reach the same largest size: the same setups at all sizes, so that a line compares like with like."""

    sizes: tuple[int, ...]
    places: tuple[int, ...]
    median_n: float

    @property
    def title(self) -> str:
        """What the panel shows."""
        return f"{counted(len(self.places), 'setup')} with {amount(self.median_n, 0)} segments (median)"


def _size_classes(disagreements: DisagreementBlocks) -> list[_SizeClass]:
    classes: dict[tuple[int, ...], list[int]] = {}
    for place, block in enumerate(disagreements.blocks):
        classes.setdefault(tuple(size for size in SIZES if f"size {size}" in block), []).append(place)
    return [
        _SizeClass(
            sizes,
            tuple(places),
            float(np.median([disagreements.setups[place].scores.n_segments for place in places])),
        )
        for sizes, places in sorted(classes.items(), key=lambda item: len(item[0]))
    ]


def _at_sizes(disagreements: DisagreementBlocks, one: _SizeClass) -> dict[float, FloatArray]:
    """Share of pairs ordered differently by number of segments, all of them last; (setups, 3 pairs) each."""
    values = {
        float(size): np.stack(
            [disagreements.by_rule(f"size {size}", k, disagreements.reading)[:, 0] for k in one.places]
        )
        for size in one.sizes
    }
    return values | {one.median_n: disagreements.full()[list(one.places)][:, :, 0]}


def sizes_table(disagreements: DisagreementBlocks) -> StudyTable:
    """Return the share of pairs ordered differently by test set size, the numbers of figure 4c."""
    rows: list[tuple[StudyCell, ...]] = []
    for one in _size_classes(disagreements):
        for size, values in _at_sizes(disagreements, one).items():
            label = "all" if size == one.median_n else int(size)
            rows.append((one.title, label, *(float(value) for value in known_mean(values))))
    return StudyTable(
        name="figure-4c",
        title="Figure 4c: share of pairs ordered differently, by number of segments drawn",
        columns=("setups", "segments", *(pair_title(pair) for pair in PAIRS)),
        rows=tuple(rows),
        digits=3,
        notes=("Setups are grouped by their size, so that the same ones are behind all numbers of a group.",),
    )


def groups_table(
    name: str, title: str, label: str, groups: Mapping[str, FloatArray], *, rule: str
) -> StudyTable:
    """Return the numbers of figure 4a or 4b, most affected by the choice of mean or median against wins first."""
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (group, len(values), *(float(value) for value in known_mean(values)))
        for group, values in groups.items()
    )
    return StudyTable(
        name=name,
        title=title,
        columns=(label, "setups", *(pair_title(pair) for pair in PAIRS)),
        rows=rows,
        digits=3,
        notes=(f"Test sets: {_TITLES[rule]}. Most affected first.",),
    )


_RULES_OF_FIGURE = {"figure-4a": ("text_sizes", "fifth_or_30"), "figure-4b": ("text_sizes", "fifth")}
"""How test sets are drawn by appendix A.3, and by the program."""
_FLOOR = 0.1
"""What the disagreement of the paper does not fall below."""


def by_metric(disagreements: DisagreementBlocks) -> dict[str, FloatArray]:
    """Return the share of pairs ordered differently in each setup, by family of metrics."""
    rule = _RULES_OF_FIGURE["figure-4a"][disagreements.reading]
    return _grouped(disagreements, rule, lambda setup: family_of(setup.metric))


def by_task(disagreements: DisagreementBlocks) -> dict[str, FloatArray]:
    """Return the same by task."""
    rule = _RULES_OF_FIGURE["figure-4b"][disagreements.reading]
    return _grouped(disagreements, rule, lambda setup: task_of(setup.dataset))


def figure_4(disagreements: DisagreementBlocks, seed: int) -> list[StudyChart]:
    """Return figure 4: by metric, by task, by test set size."""
    shares = "share of pairs ordered differently"
    bars = [
        figure(
            _bars(name, groups, seed),
            name=name,
            title=f"Figure 4{name[-1]}: {title}",
            x=x,
            y=shares,
            kind="bars",
            note=f"{_MARKS.format('Bars')} Test sets: {_TITLES[_RULES_OF_FIGURE[name][disagreements.reading]]}.",
        )
        for name, title, x, groups in (
            ("figure-4a", "disagreement by metric", "metric", by_metric(disagreements)),
            ("figure-4b", "disagreement by task", "task", by_task(disagreements)),
        )
    ]
    marks = [
        Mark(
            one.title,
            pair_title(pair),
            size,
            *_with_bar(_known(values[:, place]), seed, f"{one.title} {size} {place}"),
        )
        for one in _size_classes(disagreements)
        for place, pair in enumerate(PAIRS)
        for size, values in _at_sizes(disagreements, one).items()
    ]
    sizes = figure(
        marks,
        name="figure-4c",
        title="Figure 4c: disagreement by test set size",
        x="segments (logarithmic)",
        y=shares,
        log_x=True,
        rule=_FLOOR,
        note=f"{_MARKS.format('Points')} A panel has the same setups at every size. Dashed: {_FLOOR:.0%}.",
    )
    return [*bars, sizes]


_MARKS = "{}: means over setups. Vertical lines: 95% bootstrap intervals."


def _grouped(
    disagreements: DisagreementBlocks, rule: str, key: Callable[[Setup], str]
) -> dict[str, FloatArray]:
    groups: dict[str, list[FloatArray]] = {}
    for place, setup in enumerate(disagreements.setups):
        groups.setdefault(key(setup), []).append(
            disagreements.by_rule(rule, place, disagreements.reading)[:, 0]
        )
    stacked = {name: np.stack(values) for name, values in groups.items()}
    return dict(sorted(stacked.items(), key=lambda item: -float(np.mean(known_mean(item[1])[1:]))))


def _bars(name: str, groups: Mapping[str, FloatArray], seed: int) -> list[Mark]:
    return [
        Mark(
            "", pair_title(pair), group, *_with_bar(_known(values[:, place]), seed, f"{name} {group} {place}")
        )
        for group, values in groups.items()
        for place, pair in enumerate(PAIRS)
    ]


def _known(values: FloatArray) -> FloatArray:
    return np.asarray(values[~np.isnan(values)])


def _with_bar(values: FloatArray, seed: int, label: str) -> tuple[StudyCell, StudyCell, StudyCell]:
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
        "setups",
        work,
        _setup,
        parts=even_parts(len(used)),
        key=(setups_digest(used), SIZES),
        uses="processes",
    )
    disagreements = DisagreementBlocks(used, blocks, int(request.as_published))
    rules = rules_table(disagreements)
    metrics, tasks = by_metric(disagreements), by_task(disagreements)
    tables = [full_table(disagreements, "table-1", PAIRS), full_table(disagreements, "table-4", TEN_PAIRS)]
    tables += [*([rules] if rules else []), *breakdown_tables(disagreements)]
    tables += [
        groups_table(
            *(name, f"Figure {name[7:]}: share of pairs ordered differently, by {label}", label, groups),
            rule=_RULES_OF_FIGURE[name][disagreements.reading],
        )
        for name, label, groups in (("figure-4a", "metric", metrics), ("figure-4b", "task", tasks))
    ]
    tables += [sizes_table(disagreements)]
    return request.answer(
        tables=tables,
        claims=_claims(disagreements, metrics, tasks),
        charts=figure_4(disagreements, request.seed),
        sentences=(*_sentences(disagreements), *closest(disagreements)),
        differences=(*_DIFFERENCES, *(() if request.as_published else (_COUNTED,)), *swapped(disagreements)),
        notes=_notes(used, blocks),
        used=used,
    )


def _setup(work: _SetupDraws, part: range, _rng: np.random.Generator) -> dict[str, Array]:
    """Disagreements of one setup.

    "five": (10 pairs, 3 measures) with all segments in the reading asked for; "full": (2 readings, 3 pairs, 3
    measures); a rule's or size's name: (draws, 2, 3, 3); "regularized": how many fits needed a prior, and of how many.
    """
    block = part.start
    tables = (work.goodness[block], work.values[block])
    full, regularized = _three(tables, [np.arange(tables[0].shape[1])])
    by_rule: dict[str, Array] = {"full": full[0], "five": _five(work, tables[int(work.as_published)], block)}
    n = tables[0].shape[1]
    for name, rule in {**RULES, **_sizes(n)}.items():
        if name == "full":
            continue
        rng = stream(work.seed, f"segments by {name}", block)
        drawn, more = _three(tables, [rule.draw(n, rng) for _ in range(work.repeats)])
        by_rule[name] = drawn
        regularized += more
    return {
        **by_rule,
        "regularized": np.array([regularized, 1 + work.repeats * (len(by_rule) - 2)], dtype=np.int64),
    }


def _sizes(n: int) -> dict[str, SubsampleRule]:
    """Rules for the test set sizes of the paper and of its program that are smaller than n."""
    sizes = sorted({*SIZES, *TEXT_SIZES, *CODE_SIZES})
    return {f"size {size}": SubsampleRule(f"{size} segments", _fixed(size)) for size in sizes if size < n}


def _fixed(size: int) -> Callable[[int], int]:
    """A number of segments that does not depend on how many there are."""
    return lambda _: size


def _three(tables: tuple[FloatArray, FloatArray], cuts: list[IntArray]) -> tuple[FloatArray, int]:
    """Disagreements of three mechanisms on drawn segments, in both readings; (draws, 2, 3, 3)."""
    result = np.empty((len(cuts), 2, len(PAIRS), 3))
    regularized = 0
    for place, (table, as_published) in enumerate(zip(tables, _READINGS, strict=True)):
        strengths = three_strengths([table[:, cut] for cut in cuts], as_published=as_published)
        regularized += strengths.n_regularized
        for draw, strength in enumerate(strengths.values):
            for pair, (first, second) in enumerate(PAIRS):
                ranked = strength[THREE.index(first)], strength[THREE.index(second)]
                result[draw, place, pair] = disagreement(*ranked, as_published=as_published)
    return result, regularized


def _five(work: _SetupDraws, table: FloatArray, block: int) -> FloatArray:
    three = three_strengths([table], as_published=work.as_published).values[0]
    played = played_strengths(
        table, as_published=work.as_published, orders=work.orders, seed=work.seed, label=f"setup {block}"
    )
    by_mechanism = dict(zip(FIVE, [*three, *played], strict=True))
    return np.stack(
        [disagreement(by_mechanism[a], by_mechanism[b], as_published=work.as_published) for a, b in TEN_PAIRS]
    )


def _claims(
    disagreements: DisagreementBlocks, metrics: Mapping[str, FloatArray], tasks: Mapping[str, FloatArray]
) -> list[Claim]:
    full = known_mean(disagreements.full())
    pairs = ", ".join(f"{pair_title(pair)} {full[i, 0]:.0%}" for i, pair in enumerate(PAIRS))
    best = ", ".join(f"{pair_title(pair)} {full[i, 1]:.0%}" for i, pair in enumerate(PAIRS))
    return [
        Claim(
            "about 10% of the pairs of systems are ordered differently",
            "section 5.1, table 1",
            bool(_NEAR_TEN[0] <= full[:, 0].max() <= _NEAR_TEN[1]),
            pairs,
        ),
        Claim(
            "in 30% of the setups or more another system is the best, by mean or median and Bradley–Terry",
            "abstract, table 1",
            holds_in(int((full[1:, 1] >= _MANY).sum()), 2),
            best,
        ),
        Claim(
            "mean and median agree more with each other than with Bradley–Terry",
            "section 5.1, table 1",
            holds_in(int((full[1:, 0] > full[0, 0]).sum()), 2),
            pairs,
        ),
        *_metric_claims(metrics),
        *_task_claims(tasks),
        *_size_claims(disagreements),
    ]


_NEAR_TEN, _MANY = (0.05, 0.15), 0.3
_EASY, _HARD = ("machine translation", "summarization"), ("dialogue", "image captioning")


def _against_wins(groups: Mapping[str, FloatArray]) -> dict[str, float]:
    """Disagreement of mean and of median with Bradley–Terry, averaged; most first."""
    means = {name: float(np.mean(known_mean(values)[1:])) for name, values in groups.items()}
    return dict(sorted(means.items(), key=lambda item: -item[1]))


def _listed(values: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {value:.1%}" for name, value in values.items())


def _metric_claims(metrics: Mapping[str, FloatArray]) -> list[Claim]:
    means = _against_wins(metrics)
    recent = [name for name in ("BERTScore", "MoverScore") if name in means]
    middle = float(np.median(list(means.values())))
    # One metric alone is neither the most nor the least affected, nor is any where all are alike.
    differ = min(means.values()) < max(means.values())
    return [
        Claim(
            "BLEU is affected most",
            "section 5.1, figure 4a",
            next(iter(means)) == "BLEU" if differ and "BLEU" in means else UNKNOWN,
            _listed(means),
        ),
        Claim(
            "BERTScore and MoverScore are affected less than most metrics",
            "section 5.1, figure 4a",
            holds_in(sum(means[name] < middle for name in recent), len(recent) if differ else 0),
            f"{_listed({name: means[name] for name in recent}) or 'not in the data'}; median of all {middle:.1%}",
        ),
    ]


def _task_claims(tasks: Mapping[str, FloatArray]) -> list[Claim]:
    means = _against_wins(tasks)
    easy, hard = ([means[name] for name in names if name in means] for names in (_EASY, _HARD))
    return [
        Claim(
            "dialogue and captioning show more disagreement than translation and summarization",
            "section 5.1, figure 4b",
            min(hard) > max(easy) if easy and hard else UNKNOWN,
            _listed(means),
        )
    ]


def _size_claims(disagreements: DisagreementBlocks) -> list[Claim]:
    """Whether disagreement falls with more segments, and how far."""
    ends = []
    for one in _size_classes(disagreements):
        values = list(_at_sizes(disagreements, one).values())
        if len(values) > 1:
            ends.append((one, float(np.nanmean(values[0])), known_mean(values[-1])))
    falls = "; ".join(f"{one.title}: {first:.0%} to {np.mean(last):.0%}" for one, first, last in ends)
    lowest = "; ".join(
        f"{one.title}: {', '.join(f'{pair_title(pair)} {last[i]:.0%}' for i, pair in enumerate(PAIRS))}"
        for one, _, last in ends
    )
    above = sum(bool((last[1:] >= _FLOOR).all()) for *_, last in ends)
    return [
        Claim(
            "with larger test sets the mechanisms agree more",
            "section 5.1, figure 4c",
            holds_in(sum(float(np.mean(last)) < first for _, first, last in ends), len(ends)),
            falls,
        ),
        Claim(
            "disagreement with Bradley–Terry does not fall below 10%",
            "section 5.1, figure 4c",
            holds_in(above, len(ends)),
            lowest,
        ),
    ]


def _sentences(disagreements: DisagreementBlocks) -> tuple[str, ...]:
    setups = [setup.scores for setup in disagreements.setups]
    pairs = sum(scores.n_systems * (scores.n_systems - 1) // 2 for scores in setups)
    mean_bt = disagreements.full()[:, PAIRS.index(("mean", "bradley_terry"))]
    share, best, top = np.nanmean(mean_bt, axis=0)
    return (
        (
            f"{counted(len(setups), 'setup')} with {amount(pairs, 0)} pairs of systems: mean and Bradley–Terry order "
            f"{share:.1%} of the pairs differently, name another best system in {best:.0%} of the setups and another "
            f"top 3 in {top:.0%}."
        ),
    )


def _notes(used: tuple[Setup, ...], blocks: list[dict[str, Array]]) -> tuple[str, ...]:
    needed = sum(int(block["regularized"][0]) for block in blocks)
    total = sum(int(block["regularized"][1]) for block in blocks)
    small = [setup for setup in used if setup.scores.n_systems <= 3]
    notes = []
    if needed:
        notes.append(
            f"In {amount(needed, 0)} of {amount(total, 0)} fits Bradley–Terry strengths do not exist; there every "
            f"system gets {PRIOR} wins and losses against a fictive one (not as published)."
        )
    if small:
        notes.append(
            f"In {len(small)} setups there are no more than three systems, so that all have the same top 3."
        )
    return tuple(notes)


_DIFFERENCES = (
    (
        "Tables 1 and 4 of the paper are over 296 setups, of which only some are in the data here; the numbers "
        "in brackets are for all of them."
    ),
    "The abstract speaks of different best systems in about 30% of the setups, table 1 of 40%.",
    (
        "For figure 4, appendix A.3 lists six sizes of test sets, which the program does not use: it draws a fifth of "
        "the segments, at least 30 for figure 4a."
    ),
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
