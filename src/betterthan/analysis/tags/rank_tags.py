"""Which system tags words best, by several measures side by side?"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from typing import Literal, NamedTuple

import numpy as np

from betterthan.analysis.pairs.pairwise import shared_ranks
from betterthan.analysis.resampling import Resampling, Rng
from betterthan.analysis.table_argument import AnyData, as_table
from betterthan.analysis.tags.tag_counts import SYNTHETIC, TagMeasure, tag_counts, with_synthetic
from betterthan.analysis.tags.tag_tests import (
    TagTestOptions,
    about_intervals,
    interval,
    pair_tests,
    tag_units,
    too_few,
    unit_name,
)
from betterthan.analysis.units import unit_note
from betterthan.arrays import FloatArray, IntArray
from betterthan.budget import check_share
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError
from betterthan.results.metrics import TagRanking
from betterthan.results.settings import Settings
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.tags import WordTags

DEFAULT_MEASURES: tuple[TagMeasure, ...] = ("f1_mult", "mcc", "f1_bad", "f1_ok", "phrase_f1_mult")


class _Column(NamedTuple):
    """Results for one measure, systems in the order of the table."""

    value: FloatArray
    low: FloatArray
    high: FloatArray
    cluster: FloatArray
    letters: dict[str, str]
    n_different: int
    notes: tuple[str, ...]


@with_one_blas_thread
def rank_tags(
    tags: AnyData,
    *,
    by: Sequence[TagMeasure | Formula] = DEFAULT_MEASURES,
    synthetic: bool = True,
    as_published: bool = False,
    units: Literal["auto", "segments", "groups"] = "auto",
    correction: str = "max_statistic",
    alpha: float = 0.05,
    confidence: float = 0.95,
    n_resamples: int = 9999,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> TagRanking:
    r"""Rank systems that tag words OK or BAD, by several measures, with uninformative labelings for contrast.

    Each pair of systems is tested by approximate randomization: the tags of whole segments are swapped between the two,
    and the measure is recomputed from the pooled counts. The familywise error rate over the pairs is at most `alpha`
    for each measure.

    Parameters
    ----------
    tags : WordTags
        Gold tags, and one or more systems; or a file or folder that holds them.
    by : sequence of measures
        As for :func:`betterthan.tag_counts`; the first orders the systems.
    synthetic : bool, default True
        Whether to include the labelings of :func:`betterthan.with_synthetic`; they are scored but not tested.
    as_published : bool, default False
        The literal reading of the phrase measures.
    units : {"auto", "segments", "groups"}, default "auto"
        The unit that is swapped and left out: documents where they are known, otherwise sentences. Words are never
        units.
    correction : {"max_statistic", "holm", "bonferroni", "benjamini_hochberg", "none"}, default "max_statistic"
        "max_statistic" is the step-down of [3]_: pairs are compared with the largest difference of any pair in each
        resample, so that clear differences stay significant however many systems there are. "bonferroni" is used in
        [1]_, and needs `n_resamples` above the number of pairs divided by `alpha`.
    alpha : float, default 0.05
    confidence : float, default 0.95
        Confidence level of the intervals.
    n_resamples : int, default 9999
        Resamples of the tests.
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    TagRanking

    References
    ----------
    .. [1] Logacheva, Lukasik, Specia (2016), Metrics for evaluation of word-level machine translation quality
       estimation, ACL, section 3.1.
    .. [2] Yeh (2000), More accurate tests for the statistical significance of result differences, COLING.
    .. [3] Westfall and Young (1993), Resampling-based multiple testing, Wiley.

    Notes
    -----
    Intervals are Student's, with the standard error of the jackknife over sentences on the logit scale (Fisher's for
    the correlation coefficient, the scale itself for a measure of your own). With 50 to 1,000 sentences, 3% to 20% BAD
    words and skewed lengths of sentences their coverage is 93% to 97%; only that of the correlation coefficient is 91%
    with 50 sentences of which few have BAD words.

    Examples
    --------
    >>> import betterthan as bt
    >>> tags = bt.WordTags(systems=["A"], segments=["1", "2"], offsets=[0, 4, 6],
    ...                    gold=[True, True, False, False, False, True],
    ...                    predicted=[[True, False, False, False, False, True]])
    >>> found = bt.rank_tags(tags, by=["f1_mult", "f1_bad"])
    >>> found.systems[0], found.value[0].round(4).tolist()
    ('A', [0.6857, 0.8])
    >>> found.value[found.systems.index("all-bad")].round(4).tolist()
    [0.0, 0.6667]
    """
    tags = as_table(tags, kinds=(WordTags,), verb="rank_tags")
    _check(tags, by, confidence)
    testing = TagTestOptions(
        correction=correction,
        alpha=alpha,
        units=unit_name(tags, units),
        resampling=Resampling.of(
            rng, n_resamples, workers=workers, executor=executor, cache=cache, progress=progress
        ),
    )
    shown = with_synthetic(tags, rng=testing.resampling.seed) if synthetic else tags
    tables = [
        tag_counts(shown, by=one, as_published=as_published and str(one).startswith("phrase_")) for one in by
    ]
    names = tuple(table.name for table in tables)
    if len(set(names)) < len(names):
        raise BetterThanError(f"Each measure can be named once; they are {', '.join(names)}.")
    found = [_column(table, tags.systems, testing, confidence) for table in tables]
    order = np.argsort(shared_ranks(found[0].value), kind="stable")
    systems = tuple(shown.systems[i] for i in order)
    n_pairs = len(tags.systems) * (len(tags.systems) - 1) // 2
    notes = [note for table in tables for note in table.notes]
    notes += [note for one in found for note in one.notes]
    unit = tag_units(tags, testing.units)
    few = too_few(n_pairs, unit.n_units, testing)
    return TagRanking(
        systems=systems,
        is_synthetic=np.array([name not in tags.systems for name in systems]),
        measures=names,
        value=_side_by_side(found, "value", order),
        low=_side_by_side(found, "low", order),
        high=_side_by_side(found, "high", order),
        cluster=_side_by_side(found, "cluster", order),
        letters=tuple(found[0].letters.get(name, "") for name in systems),
        n_groups=np.array([int(np.nanmax(one.cluster)) for one in found]),
        n_different=np.array([one.n_different for one in found]),
        n_pairs=n_pairs,
        correction=correction,
        alpha=alpha,
        confidence=confidence,
        n_words=tags.n_words,
        notes=tuple(dict.fromkeys([*notes])),
        unit_note=unit_note(tags, unit),
        undecidable=few,
        settings=_settings(tags, names, testing, confidence, synthetic=synthetic),
    )


def _check(tags: WordTags, by: Sequence[object], confidence: float) -> None:
    if isinstance(by, str) or not by:
        raise BetterThanError('by must be a list of one or more measures, such as ["f1_mult", "mcc"].')
    check_share("confidence", confidence)
    if not tags.n_words:
        raise BetterThanError("There are no words, so nothing can be scored. Check that the files hold tags.")


def _column(counts: Counts, real: tuple[str, ...], testing: TagTestOptions, confidence: float) -> _Column:
    value = counts.pooled()
    found = interval(counts, testing, confidence)
    notes = about_intervals(counts.name, found, value, counts.systems[: len(real)])
    cluster = np.full(len(counts.systems), np.nan)
    pairs = pair_tests(counts, real, testing)
    place = [counts.systems.index(name) for name in pairs.systems]
    cluster[place] = pairs.cluster
    letters = dict(zip(pairs.systems, pairs.letters, strict=True))
    return _Column(value, found.low, found.high, cluster, letters, pairs.n_different, tuple(notes))


def _side_by_side(found: Sequence[_Column], name: str, order: IntArray) -> FloatArray:
    return np.asarray(np.stack([getattr(one, name) for one in found], axis=1)[order])


def _settings(
    tags: WordTags, names: tuple[str, ...], testing: TagTestOptions, confidence: float, *, synthetic: bool
) -> Settings:
    return Settings(
        method="rank_tags",
        options={
            "by": ",".join(names),
            "ci": f"{100 * confidence:g},jackknife",
            "test": f"permutation,{testing.correction},{testing.alpha:g},{testing.resampling.n_resamples}",
            "units": testing.units,
            "synthetic": str(len(SYNTHETIC)) if synthetic else None,
        },
        data=tags.digest,
        seed=testing.resampling.seed,
        n_systems=len(tags.systems),
        n_segments=len(tags.segments),
    )
