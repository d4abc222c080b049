"""Section 3.1 and table 1 of the paper on word tags: which measures are fooled by uninformative labelings?"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from betterthan.analysis.tags.audition import audition, halves
from betterthan.analysis.wording import counted, listing
from betterthan.arrays import FloatArray
from betterthan.messages import Message, Option
from betterthan.present.tables.tags import tag_measure_name
from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.results.tags import Audition
from betterthan.results.units import first_lines
from betterthan.studies.claims import Claim, holds_in
from betterthan.studies.figure import Mark, figure
from betterthan.studies.printed import printed_table
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


_MOST, _HALF, _LOW_ERRORS = 0.8, 0.5, 0.05


def _claims(pooled: _Pooled) -> list[Claim]:
    """What section 3.1 says of table 1; its numbers are not in the text that we have."""
    # The literal reading has names of its own, which begin alike.
    place = {name.removesuffix("_as_published"): i for i, name in enumerate(pooled.measures)}
    column = {name: j for j, name in enumerate(pooled.synthetic)}
    sums, d = np.nansum(pooled.below, axis=1), pooled.differing
    n, n_all = pooled.n_systems, pooled.n_systems * len(pooled.synthetic)

    def below(measure: str, *labelings: str) -> float:
        return float(sum(pooled.below[place[measure], column[name]] for name in labelings))

    def totals(*measures: str) -> str:
        return ", ".join(f"{tag_measure_name(name)} {int(sums[place[name]])}" for name in measures)

    def shares(k: int) -> str:
        return ", ".join(f"{tag_measure_name(name)} {d[i, k]:.2f}" for name, i in place.items())

    separating, others = (
        ("f1_mult", "phrase_f1_mult", "sequence_correlation"),
        ("f1_bad", "phrase_f1_bad", "mcc"),
    )
    best_others = min(sums[place[name]] for name in others)
    bad, good = ("all-bad", "pessimistic"), ("all-good", "optimistic")
    pessimists = [below(name, *bad) > below(name, *good) for name in ("f1_bad", "phrase_f1_bad")]
    phrase = [below("phrase_f1_bad", name) / n for name in bad]
    tops = {name: d[i, 1] for name, i in place.items()}
    return [
        Claim(
            "SeqCor and both products of F1 scores separate synthetic labelings from systems better than the rest",
            "section 3.1",
            holds_in(sum(bool(sums[place[name]] <= best_others) for name in separating), len(separating)),
            f"of {n_all}: {totals(*separating, *others)}",
        ),
        Claim(
            "F1-BAD and phrase F1-BAD favor labelings with many BAD words",
            "section 3.1",
            holds_in(sum(pessimists), 2),
            ", ".join(
                f"{tag_measure_name(name)} {below(name, *bad):g} and {below(name, *good):g} with few"
                for name in ("f1_bad", "phrase_f1_bad")
            ),
        ),
        Claim(
            f"by phrase F1-BAD all-bad and pessimistic outscore {_PAPER_FOOLED} of {_PAPER_SYSTEMS} systems",
            "section 3.1",
            holds_in(sum(share >= _MOST for share in phrase), 2),
            f"{' and '.join(f'{share * n:g}' for share in phrase)} of {n}",
        ),
        Claim(
            "MCC ranks the optimistic labeling above most systems",
            "section 3.1",
            below("mcc", "optimistic") > _HALF * n,
            f"above {below('mcc', 'optimistic'):g} of {n}",
        ),
        Claim(
            "the distinction coefficient d of MCC is the lowest",
            "section 3.1",
            bool(d[place["mcc"], 0] <= np.nanmin(d[:, 0])),
            shares(0),
        ),
        Claim(
            "the coefficient d is always greater in the lower half of the systems",
            "section 3.1, note 3",
            holds_in(int((d[:, 2] > d[:, 1]).sum()), len(d)),
            ", ".join(
                f"{tag_measure_name(name)} {d[i, 2]:.2f} and {d[i, 1]:.2f}" for name, i in place.items()
            ),
        ),
        Claim(
            "SeqCor fails in the upper half",
            "section 3.1",
            bool(tops["sequence_correlation"] <= float(np.nanmedian(d[:, 1])) - _LOW_ERRORS),
            shares(1),
        ),
        Claim(
            "F1-mult does well in both: few errors, and a high d",
            "section 3.1",
            bool(
                sums[place["f1_mult"]] <= np.median(sums) and d[place["f1_mult"], 0] >= np.nanmedian(d[:, 0])
            ),
            f"{int(sums[place['f1_mult']])} errors, median {np.median(sums):g}; d {d[place['f1_mult'], 0]:.2f}, "
            f"median {np.nanmedian(d[:, 0]):.2f}",
        ),
    ]


def _sentences(pooled: _Pooled) -> tuple[str, ...]:
    total = np.nansum(pooled.below, axis=1)
    least = [name for name, n in zip(pooled.measures, total.tolist(), strict=True) if n == total.min()]
    most = [name for name, n in zip(pooled.measures, total.tolist(), strict=True) if n == total.max()]
    differing = pooled.differing[:, 0]
    sharp = [
        name for name, d in zip(pooled.measures, differing.tolist(), strict=True) if d == np.nanmax(differing)
    ]
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
