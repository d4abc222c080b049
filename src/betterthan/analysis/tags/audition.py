"""Which measure of word tags can we trust? Tests with uninformative labelings and real systems."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from typing import Literal, NamedTuple, get_args

import numpy as np

from betterthan.analysis.resampling import Resampling, Rng
from betterthan.analysis.tags.tag_counts import SYNTHETIC, TagMeasure, with_synthetic
from betterthan.analysis.tags.tag_tests import (
    Measured,
    TagPairTests,
    TagTestOptions,
    measured,
    pair_tests,
    points,
    tag_units,
    too_few,
    unit_name,
)
from betterthan.analysis.units import unit_note
from betterthan.analysis.wording import counted, listing
from betterthan.arrays import FloatArray
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.results.metrics import Audition
from betterthan.results.settings import Settings
from betterthan.tables.counts import Formula
from betterthan.tables.tags import WordTags

Middle = Literal["both", "neither"]
Own = Formula | Callable[[WordTags], Measured]
DEFAULT_MEASURES: tuple[TagMeasure, ...] = (
    "f1_bad",
    "f1_mult",
    "phrase_f1_bad",
    "phrase_f1_mult",
    "mcc",
    "sequence_correlation",
)


class _Judged(NamedTuple):
    """One measure: scores of all labelings, and how well it discriminates between the real systems."""

    value: FloatArray
    below: FloatArray
    d: float
    d_top: float
    d_bottom: float
    n_groups: int


@with_one_blas_thread
def audition(
    tags: WordTags,
    *,
    by: Sequence[TagMeasure | Own] | Mapping[str, TagMeasure | Own] = DEFAULT_MEASURES,
    middle: Middle = "both",
    as_published: bool = False,
    units: Literal["auto", "segments", "groups"] = "auto",
    correction: str = "max_statistic",
    alpha: float = 0.05,
    n_resamples: int = 9999,
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Audition:
    r"""Evaluate measures of word tags: can they be gamed, and do they discriminate between systems?

    Five uninformative labelings (:func:`betterthan.with_synthetic`) should score below every real system; for each
    measure, the systems that each labeling outscores are counted. In addition, a useful measure finds many significant
    differences between real systems [1]_:

    .. math:: d = \frac{\#\{\text{pairs that differ significantly}\}}{m (m - 1) / 2}

    also within the upper and the lower half of the ranking. Each half is corrected for its own pairs only, so its d may
    exceed the overall d.

    Parameters
    ----------
    tags : WordTags
        Gold tags and two or more systems.
    by : sequence of measures, or mapping of names to measures
        Names as for :func:`betterthan.tag_counts`; by default the six of [1]_. A measure of your own is a Formula on
        sums of tp, fp, fn, tn, or a function from WordTags to Counts or Scores of the same systems.
    middle : {"both", "neither"}, default "both"
        Which half the middle one of an odd number of systems belongs to.
    as_published : bool, default False
        The literal reading of the phrase measures.
    units : {"auto", "segments", "groups"}, default "auto"
        The unit that is swapped: documents where they are known, otherwise sentences.
    correction : {"max_statistic", "holm", "bonferroni", "benjamini_hochberg", "none"}, default "max_statistic"
        Over the pairs compared; see :func:`betterthan.rank_tags`. [1]_ uses "bonferroni", with which no pair of 33 or
        more systems can differ significantly at the default number of resamples.
    alpha : float, default 0.05
        Level of the randomization tests.
    n_resamples : int, default 9999
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; none of these changes a result.

    Returns
    -------
    Audition

    References
    ----------
    .. [1] Logacheva, Lukasik, Specia (2016), Metrics for evaluation of word-level machine translation quality
       estimation, ACL, section 3.1 and table 1.

    Examples
    --------
    Two systems that find some of the errors; by F1 of BAD alone, tagging every word BAD beats both:

    >>> import betterthan as bt
    >>> import numpy as np
    >>> rng = np.random.default_rng(0)
    >>> gold = rng.random(600) < 0.4
    >>> guess = [gold & (rng.random(600) < 0.35), gold & (rng.random(600) < 0.3)]
    >>> tags = bt.WordTags(systems=["A", "B"], segments=[str(i) for i in range(60)], gold=gold, predicted=guess,
    ...                    offsets=np.arange(0, 601, 10))
    >>> found = bt.audition(tags, by=["f1_bad", "f1_mult"], n_resamples=99)
    >>> found.below[:, found.synthetic.index("all-bad")].tolist()
    [2.0, 0.0]
    """
    _check(tags, middle)
    testing = TagTestOptions(
        correction=correction,
        alpha=alpha,
        units=unit_name(tags, units),
        resampling=Resampling.of(
            rng, n_resamples, workers=workers, executor=executor, cache=cache, progress=progress
        ),
    )
    shown = with_synthetic(tags, rng=testing.resampling.seed)
    tables = _tables(shown, by, as_published=as_published)
    judged = [_judged(table, tags.systems, testing, middle) for table in tables.values()]
    below = np.stack([one.below for one in judged])
    total = np.nansum(below, axis=1)
    n_compared = len(tags.systems) * np.count_nonzero(~np.isnan(below), axis=1)
    m = len(tags.systems)
    notes = [note for table in tables.values() for note in table.notes]
    unit = tag_units(tags, testing.units)
    few = too_few(m * (m - 1) // 2, unit.n_units, testing)
    return Audition(
        measures=tuple(tables),
        systems=tags.systems,
        synthetic=SYNTHETIC,
        value=np.stack([one.value for one in judged]),
        below=below,
        total=total,
        gamed=np.where(n_compared > 0, total / np.maximum(n_compared, 1), np.nan),
        d=np.array([one.d for one in judged]),
        d_top=np.array([one.d_top for one in judged]),
        d_bottom=np.array([one.d_bottom for one in judged]),
        n_groups=np.array([one.n_groups for one in judged]),
        alpha=alpha,
        middle=middle,
        sentences=_sentences(tuple(tables), below, m),
        notes=tuple(dict.fromkeys([*notes, *_few(m)])),
        unit_note=unit_note(tags, unit),
        undecidable=few,
        settings=_settings(tags, tuple(tables), testing, middle),
    )


def _check(tags: WordTags, middle: str) -> None:
    if len(tags.systems) < 2:
        raise TableError(f"There is only one system, {tags.systems[0]}; an audition needs two or more.")
    if not tags.n_words:
        raise TableError("There are no words, so nothing can be scored. Check that the files hold tags.")
    if middle not in get_args(Middle):
        raise unknown_name("middle", middle, get_args(Middle))


def _tables(
    tags: WordTags,
    by: Sequence[TagMeasure | Own] | Mapping[str, TagMeasure | Own],
    *,
    as_published: bool,
) -> dict[str, Measured]:
    if isinstance(by, str) or not by:
        raise BetterThanError('by must be a list of one or more measures, such as ["f1_mult", "mcc"].')
    if isinstance(by, Mapping):
        return {name: measured(tags, one, as_published=as_published) for name, one in by.items()}
    found = [measured(tags, one, as_published=as_published) for one in by]
    names = [table.name for table in found]
    if len(set(names)) < len(names):
        raise BetterThanError(
            f"Two measures have the same name ({', '.join(names)}). Pass a mapping of names to measures."
        )
    return dict(zip(names, found, strict=True))


def _judged(table: Measured, real: tuple[str, ...], testing: TagTestOptions, middle: Middle) -> _Judged:
    merit = points(table)
    side = 1.0 if table.higher_is_better else -1.0
    mine, theirs = merit[: len(real)], merit[len(real) :]
    below = np.where(np.isnan(theirs), np.nan, (mine[:, None] < theirs[None, :]).sum(axis=0))
    pairs = pair_tests(table, real, testing)
    upper, lower = (pair_tests(table, pairs.systems[half], testing) for half in halves(len(real), middle))
    return _Judged(
        value=side * merit,
        below=below,
        d=_share(pairs),
        d_top=_share(upper),
        d_bottom=_share(lower),
        n_groups=int(pairs.cluster.max()),
    )


def halves(m: int, middle: Middle = "both") -> tuple[slice, slice]:
    """Return the upper and the lower half of m ranked systems; the middle one of an odd number is in both or neither.

    Examples
    --------
    >>> [list(range(5))[half] for half in halves(5)]
    [[0, 1, 2], [2, 3, 4]]
    >>> [list(range(5))[half] for half in halves(5, "neither")]
    [[0, 1], [3, 4]]
    """
    size = (m + 1) // 2 if middle == "both" else m // 2
    return slice(0, size), slice(m - size, m)


def _share(pairs: TagPairTests) -> float:
    m = len(pairs.systems)
    return float(pairs.n_different / (m * (m - 1) / 2)) if m > 1 else float("nan")


def _few(m: int) -> tuple[str, ...]:
    few = f"With {m} systems each half has {(m + 1) // 2}; shares of so few pairs are unreliable."
    return (few,) if m < 6 else ()


def _sentences(names: tuple[str, ...], below: FloatArray, m: int) -> tuple[str, ...]:
    sound = [name for name, row in zip(names, below, strict=True) if np.nansum(row) == 0]
    told = [f"No labeling outscores a system by {listing(sound)}."] if sound else []
    for name, row in zip(names, below, strict=True):
        if np.nansum(row) > 0:
            worst = int(np.nanargmax(row))
            told.append(
                f"By {name} {SYNTHETIC[worst]} outscores {int(row[worst])} of {counted(m, 'system')}."
            )
    return tuple(told)


def _settings(tags: WordTags, names: tuple[str, ...], testing: TagTestOptions, middle: Middle) -> Settings:
    return Settings(
        method="audition",
        options={
            "by": ",".join(names),
            "test": f"permutation,{testing.correction},{testing.alpha:g},{testing.resampling.n_resamples}",
            "units": testing.units,
            "middle": middle if len(tags.systems) % 2 else None,
        },
        data=tags.digest,
        seed=testing.resampling.seed,
        n_systems=len(tags.systems),
        n_segments=len(tags.segments),
    )
