"""Section 3.1 and table 1 of the paper on word tags: which measures are fooled by uninformative labelings?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from betterthan.analysis.tags.audition import audition, halves
from betterthan.analysis.wording import counted, listing
from betterthan.arrays import FloatArray
from betterthan.messages import Message, Option
from betterthan.present.tables.metrics import tag_measure_name
from betterthan.results.metrics import Audition
from betterthan.results.settings import first_lines
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.reporting import Claim, Mark, figure, holds_in, printed_table
from betterthan.studies.request import StudyRequest
from betterthan.studies.tagging.tagged import Tagged, read_tagged, tagged_or_demo, with_tags

read = read_tagged
((_PAPER_SYSTEMS, _PAPER_FOOLED),) = printed_table("tagging", "section_3_1").rows


class _Pooled(NamedTuple):
    """All data sets together; k measures.

    Attributes
    ----------
    below : array, shape (k, labelings)
        Systems that each labeling outscores.
    differing : array, shape (k, 3)
        Share of pairs that differ significantly: of all, in upper halves, in lower halves.
    """

    measures: tuple[str, ...]
    synthetic: tuple[str, ...]
    n_systems: int
    below: FloatArray
    differing: FloatArray


def run(request: StudyRequest, tagged: tuple[Tagged, ...] | None = None) -> Study:
    """Let every measure judge the systems of each data set beside five synthetic labelings."""
    used = tagged_or_demo(request, tagged)
    auditions = [_judged(request, one) for one in used]
    pooled = _pooled(auditions)
    answer = request.answer(
        tables=[_table_1(pooled), *([_by_data(used, auditions)] if len(used) > 1 else [])],
        claims=_claims(pooled),
        charts=[_chart(pooled)],
        sentences=_sentences(pooled),
        differences=_differences(as_published=request.as_published),
        notes=tuple(dict.fromkeys(line for one in auditions for line in (*first_lines(one), *one.notes))),
    )
    return with_tags(answer, used, is_demo=tagged is None)


def _judged(request: StudyRequest, one: Tagged) -> Audition:
    return audition(
        one.tags,
        as_published=request.as_published,
        correction="bonferroni",
        n_resamples=request.number("permutations"),
        rng=request.seed,
        **request.computing.arguments(),
    )


def _pooled(auditions: list[Audition]) -> _Pooled:
    """Sum what was counted; shares of pairs are weighted by the number of pairs."""
    shares = np.stack([np.stack([one.d, one.d_top, one.d_bottom], axis=1) for one in auditions])
    pairs = np.array([_pairs(one) for one in auditions], dtype=np.float64)[:, None, :]
    with np.errstate(invalid="ignore", divide="ignore"):
        share = np.where(pairs > 0, shares * pairs, 0.0).sum(axis=0) / pairs.sum(axis=0)
    return _Pooled(
        measures=auditions[0].measures,
        synthetic=auditions[0].synthetic,
        n_systems=sum(len(one.systems) for one in auditions),
        below=np.sum([one.below for one in auditions], axis=0),
        differing=share,
    )


def _pairs(one: Audition) -> list[int]:
    m = len(one.systems)
    sizes = [m, *(len(range(m)[half]) for half in halves(m))]
    return [size * (size - 1) // 2 for size in sizes]


def _table_1(pooled: _Pooled) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = [
        (
            measure,
            *(_whole(n) for n in pooled.below[i].tolist()),
            _whole(float(np.nansum(pooled.below[i]))),
            *pooled.differing[i].tolist(),
        )
        for i, measure in enumerate(pooled.measures)
    ]
    return StudyTable(
        name="table-1",
        title=f"How many of {counted(pooled.n_systems, 'system')} each labeling outscores, and significant pairs",
        columns=("measure", *pooled.synthetic, "sum", "d", "d top", "d bottom"),
        rows=tuple(rows),
        notes=(
            "The numbers of table 1 are not in the text of the paper that we have; what its words say is below.",
        ),
    )


def _whole(number: float) -> StudyCell:
    return None if np.isnan(number) else int(number)


def _by_data(used: tuple[Tagged, ...], auditions: list[Audition]) -> StudyTable:
    rows: list[tuple[StudyCell, ...]] = [
        (
            one.dataset,
            measure,
            len(each.systems),
            *(_whole(n) for n in each.below[i].tolist()),
            *(float(each.d[i]), float(each.d_top[i]), float(each.d_bottom[i])),
        )
        for one, each in zip(used, auditions, strict=True)
        for i, measure in enumerate(each.measures)
    ]
    return StudyTable(
        name="table-1-by-data",
        title="The same for each data set",
        columns=("data", "measure", "systems", *auditions[0].synthetic, "d", "d top", "d bottom"),
        rows=tuple(rows),
        is_detail=True,
    )


def _chart(pooled: _Pooled) -> StudyChart:
    return figure(
        (
            Mark("", tag_measure_name(measure), labelling, float(pooled.below[i, j]) / pooled.n_systems)
            for i, measure in enumerate(pooled.measures)
            for j, labelling in enumerate(pooled.synthetic)
        ),
        name="fooled",
        title="Share of real systems that an uninformative labeling outscores",
        kind="matrix",
        x="labeling",
        y="measure",
    )


class _Seen(NamedTuple):
    """Table 1 by the names of measures and labelings; the literal reading has names of its own, which begin alike."""

    pooled: _Pooled

    @property
    def place(self) -> dict[str, int]:
        """The row of each measure."""
        return {name.removesuffix("_as_published"): i for i, name in enumerate(self.pooled.measures)}

    def below(self, measure: str, *labelings: str) -> float:
        """Return how many systems these labelings outscore."""
        columns = [self.pooled.synthetic.index(name) for name in labelings]
        return float(self.pooled.below[self.place[measure], columns].sum())

    def total(self, measure: str) -> int:
        """Return how many systems all labelings outscore."""
        return int(np.nansum(self.pooled.below[self.place[measure]]))

    def totals(self, measures: Sequence[str]) -> str:
        """Return the same in words."""
        return ", ".join(f"{tag_measure_name(name)} {self.total(name)}" for name in measures)

    def d(self, half: int) -> dict[str, float]:
        """Return the distinction coefficient of each measure, of all pairs (0), the upper (1) or lower half (2)."""
        return {name: float(self.pooled.differing[i, half]) for name, i in self.place.items()}


def _claims(pooled: _Pooled) -> list[Claim]:
    """What section 3.1 says of table 1; its numbers are not in the text that we have."""
    seen = _Seen(pooled)
    return [*_labeling_claims(seen), *_distinction_claims(seen), _overall_claim(seen)]


_WHERE = "section 3.1"
_MANY_BAD, _FEW_BAD = ("all-bad", "pessimistic"), ("all-good", "optimistic")
_SEPARATING, _OTHERS = (
    ("f1_mult", "phrase_f1_mult", "sequence_correlation"),
    ("f1_bad", "phrase_f1_bad", "mcc"),
)
_MOST, _LESS = 0.8, 0.05


def _labeling_claims(seen: _Seen) -> list[Claim]:
    n = seen.pooled.n_systems
    best = min(seen.total(name) for name in _OTHERS)
    favored = {
        name: (seen.below(name, *_MANY_BAD), seen.below(name, *_FEW_BAD))
        for name in ("f1_bad", "phrase_f1_bad")
    }
    phrases = [seen.below("phrase_f1_bad", name) for name in _MANY_BAD]
    optimistic = seen.below("mcc", "optimistic")
    return [
        Claim(
            "SeqCor and both products of F1 scores separate synthetic labelings from systems better than the rest",
            _WHERE,
            holds_in(sum(seen.total(name) < best for name in _SEPARATING), len(_SEPARATING)),
            f"of {n * len(seen.pooled.synthetic)}: {seen.totals((*_SEPARATING, *_OTHERS))}",
        ),
        Claim(
            "F1-BAD and phrase F1-BAD favor labelings with many BAD words",
            _WHERE,
            holds_in(sum(many > few for many, few in favored.values()), len(favored)),
            ", ".join(
                f"{tag_measure_name(name)} {many:g} and {few:g} with few"
                for name, (many, few) in favored.items()
            ),
        ),
        Claim(
            f"by phrase F1-BAD all-bad and pessimistic outscore {_PAPER_FOOLED} of {_PAPER_SYSTEMS} systems",
            _WHERE,
            holds_in(sum(count >= _MOST * n for count in phrases), len(phrases)),
            f"{' and '.join(f'{count:g}' for count in phrases)} of {n}",
        ),
        Claim(
            "MCC ranks the optimistic labeling above most systems",
            _WHERE,
            2 * optimistic > n,
            f"above {optimistic:g} of {n}",
        ),
    ]


def _distinction_claims(seen: _Seen) -> list[Claim]:
    d, top, bottom = (seen.d(half) for half in range(3))

    def listed(values: dict[str, float]) -> str:
        return ", ".join(f"{tag_measure_name(name)} {value:.2f}" for name, value in values.items())

    halves = ", ".join(f"{tag_measure_name(name)} {bottom[name]:.2f} and {top[name]:.2f}" for name in top)
    return [
        Claim(
            "the distinction coefficient d of MCC is the lowest",
            _WHERE,
            d["mcc"] < min(value for name, value in d.items() if name != "mcc"),
            listed(d),
        ),
        Claim(
            "the coefficient d is always greater in the lower half of the systems",
            f"{_WHERE}, note 3",
            holds_in(sum(bottom[name] > top[name] for name in top), len(top)),
            halves,
        ),
        Claim(
            "SeqCor fails in the upper half",
            _WHERE,
            top["sequence_correlation"] <= float(np.median(list(top.values()))) - _LESS,
            listed(top),
        ),
    ]


def _overall_claim(seen: _Seen) -> Claim:
    errors, d = [seen.total(name) for name in seen.place], seen.d(0)
    own, median = seen.total("f1_mult"), float(np.median(errors))
    middle = float(np.median(list(d.values())))
    return Claim(
        "F1-mult does well in both: few errors, and a high d",
        _WHERE,
        own <= median and d["f1_mult"] >= middle,
        f"{own} errors, median {median:g}; d {d['f1_mult']:.2f}, median {middle:.2f}",
    )


def _sentences(pooled: _Pooled) -> tuple[str, ...]:
    total = np.nansum(pooled.below, axis=1)
    names = [tag_measure_name(name) for name in pooled.measures]
    least = [name for name, n in zip(names, total.tolist(), strict=True) if n == total.min()]
    most = [name for name, n in zip(names, total.tolist(), strict=True) if n == total.max()]
    differing = pooled.differing[:, 0]
    sharp = [name for name, d in zip(names, differing.tolist(), strict=True) if d == np.nanmax(differing)]
    n_pairs = pooled.n_systems * len(pooled.synthetic)
    return (
        (
            f"Least fooled: {listing(least)}, {int(total.min())} of {n_pairs} comparisons of a labeling with a "
            f"system; most: {listing(most)}, {int(total.max())}."
        ),
        f"The most pairs of systems differ significantly by {listing(sharp)}: {np.nanmax(differing):.0%}.",
    )


def _differences(*, as_published: bool) -> tuple[str, ...]:
    return (
        Message(
            "The credit of gold spans over the number of predicted spans, as the paper words it, can exceed 1; "
            + ("that reading was taken." if as_published else "{option} takes that literal reading."),
            option=Option("as_published", True),
        ),
    )
