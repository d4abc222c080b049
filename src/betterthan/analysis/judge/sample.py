"""Which outputs should people label?"""

from __future__ import annotations

from typing import Literal, NamedTuple

import numpy as np

from betterthan.analysis.resampling import Rng, seed_of
from betterthan.analysis.table_argument import AnyData, as_judged
from betterthan.arrays import BoolArray, FloatArray, IntArray
from betterthan.engine.blocks import stream
from betterthan.errors import BetterThanError, TableError, unknown_name
from betterthan.kernels.judges.drawing import inclusion_probabilities, mixed_with_uniform, systematic_sample
from betterthan.messages import COLUMN, Message, Option
from betterthan.results.judges import Sample
from betterthan.results.settings import Settings
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores

_MOST_STRATA = 100
Strata = Literal["group"] | int | None


class _Frame(NamedTuple):
    """What can be drawn: one entry per item, or per output."""

    segment: IntArray
    system: IntArray
    """Of an output; -1 for items, of which all outputs are meant."""
    size: FloatArray
    level: FloatArray
    """Goodness by the judge, for strata."""


def sample(
    data: AnyData,
    n: int,
    *,
    by: Literal["uniform", "disagreement"] = "uniform",
    of: Literal["items", "outputs"] = "items",
    strata: Strata = None,
    metric: str | None = None,
    rng: Rng = 12345,
) -> Sample:
    r"""Draw items or outputs for people to label, with the weights that :func:`betterthan.correct` needs.

    Parameters
    ----------
    data : Scores, Ratings, or anything they can be read from
        Scores of all outputs by a judge, or by several.
    n : int
        How many items, or outputs of all systems together.
    by : {"uniform", "disagreement"}, default "uniform"
        * "uniform": all with the same probability.
        * "disagreement": half of the probability is proportional to the standard deviation of the judges' scores of an
          output where several judges are known, otherwise of the systems' scores of an item. Labels where a judge is
          more likely to be wrong say more.
    of : {"items", "outputs"}, default "items"
        * "items": all systems' outputs of the drawn items are labeled, which compares systems best.
        * "outputs": outputs of different systems are drawn independently of each other.
    strata : "group" or int, optional
        Draw from each document, or other group, in proportion to its size; or from as many classes of the judge's
        mean score.
    metric : str, optional
        The score to read where there are several.
    rng : int or numpy.random.Generator, default 12345

    Returns
    -------
    Sample
        In random order, so that the first labels are a sample too, with the same weights up to a factor.

    Notes
    -----
    The sample has a fixed size and every item is included exactly with its probability: systematic sampling in random
    order within strata [1]_. With equal probabilities and without strata it is a simple random sample.

    References
    ----------
    .. [1] Madow (1949), On the theory of systematic sampling, II, Annals of Mathematical Statistics 20.

    Examples
    --------
    >>> import betterthan as bt
    >>> judge = {"A": [0.9, 0.8, 0.4, 0.6, 0.7, 0.9], "B": [0.8, 0.1, 0.5, 0.6, 0.7, 0.8]}
    >>> drawn = bt.sample(judge, 3, by="disagreement")
    >>> sorted(set(zip(drawn.item, drawn.weight.round(2).tolist())))
    [('1', 2.12), ('2', 1.0), ('6', 2.12)]
    """
    _check(by, of, strata)
    table = as_judged(data, metric=metric, verb="sample")
    scores = table.to_scores() if isinstance(table, Ratings) else table
    frame = _frame(table, scores, by, of)
    total = frame.segment.size
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or not 1 <= n <= total:
        raise BetterThanError(
            Message(
                "{option} must be a number of {of} from 1 to {total:,}, not {n!r}.",
                option=Option("n"),
                of=of,
                total=total,
                n=n,
            )
        )
    codes, names = _strata(scores, frame, strata)
    probability = inclusion_probabilities(frame.size, int(n))
    seed = seed_of(rng)
    generator = stream(seed, f"sample {by} {of} {strata}", 0)
    chosen = systematic_sample(probability, codes, generator)
    item, system, place = _outputs(scores, frame, chosen, generator)
    return Sample(
        by=by,
        of=of,
        item=tuple(scores.segments[i] for i in item.tolist()),
        system=tuple(scores.systems[i] for i in system.tolist()),
        probability=probability[place],
        weight=1 / probability[place],
        n_drawn=int(chosen.sum()),
        n_available=total,
        strata={name: int((codes[chosen] == k).sum()) for k, name in enumerate(names)},
        systems=scores.systems,
        measured=scores.name,
        notes=scores.notes,
        settings=Settings(
            method="sample",
            options={"by": by, "of": of, "number": int(n), "strata": strata},
            seed=seed,
            data=table.digest,
            n_systems=scores.n_systems,
            n_segments=scores.n_segments,
        ),
    )


def _check(by: str, of: str, strata: Strata) -> None:
    if by not in ("uniform", "disagreement"):
        raise unknown_name("way of drawing", by, ("uniform", "disagreement"))
    if of not in ("items", "outputs"):
        raise unknown_name("unit of drawing", of, ("items", "outputs"))
    if isinstance(strata, str) and strata != "group":
        raise unknown_name("strata", strata, ("group",))
    if strata is not None and not isinstance(strata, str) and not 2 <= strata <= _MOST_STRATA:
        raise BetterThanError(
            Message(
                "{option} must be from 2 to {most}, or group, not {strata!r}.",
                option=Option("strata"),
                most=_MOST_STRATA,
                strata=strata,
            )
        )


def _frame(table: Scores | Ratings, scores: Scores, by: str, of: str) -> _Frame:
    judged = ~np.isnan(scores.values)
    if not judged.any():
        raise TableError(f'"{scores.name}" has no scores, so there is nothing to draw from.')
    spread = _spread(table, scores, judged) if by == "disagreement" else np.ones(judged.shape)
    goodness = np.where(judged, scores.values * scores.sign, 0.0)
    if of == "outputs":
        system, segment = np.nonzero(judged)
        size = spread[system, segment]
        level = goodness[system, segment]
    else:
        segment = np.flatnonzero(judged.any(axis=0))
        system = np.full(segment.size, -1)
        counts = judged[:, segment].sum(axis=0)
        size = np.where(judged, spread, 0.0)[:, segment].sum(axis=0) / counts
        level = goodness[:, segment].sum(axis=0) / counts
    return _Frame(segment, system, mixed_with_uniform(size) if by == "disagreement" else size, level)


def _spread(table: Scores | Ratings, scores: Scores, judged: BoolArray) -> FloatArray:
    """Standard deviation of judges on each output, or of systems on each item."""
    if isinstance(table, Ratings) and len(table.judges) > 1:
        place = table.system * len(table.segments) + table.segment
        centred = table.score - scores.values.ravel()[place]
        squares = np.bincount(place, centred**2, minlength=scores.values.size)
        counts = np.bincount(place, minlength=scores.values.size)
        return np.asarray(np.sqrt(squares / np.maximum(counts - 1, 1))).reshape(scores.values.shape)
    if len(scores.systems) < 2:
        raise BetterThanError(
            Message(
                "Disagreement needs two systems, or several judges. Name their column with {judge}, or use {by}.",
                judge=Option("judge", COLUMN),
                by=Option("by", "uniform"),
            )
        )
    counts = judged.sum(axis=0)
    known = np.where(judged, scores.values, 0.0)
    mean = known.sum(axis=0) / np.maximum(counts, 1)
    squares = np.where(judged, (known - mean) ** 2, 0.0).sum(axis=0)
    return np.tile(np.sqrt(squares / np.maximum(counts - 1, 1)), (len(scores.systems), 1))


def _strata(scores: Scores, frame: _Frame, strata: Strata) -> tuple[IntArray, tuple[str, ...]]:
    """Number the stratum of each entry, and name the strata."""
    if strata is None:
        return np.zeros(frame.segment.size, dtype=np.int64), ()
    if isinstance(strata, str):
        if scores.groups is None:
            raise TableError(
                Message(
                    '"{name}" has no groups (documents) to draw from. Name their column with {group}.',
                    name=scores.name,
                    group=Option("group", COLUMN),
                )
            )
        names = tuple(dict.fromkeys(scores.groups))
        index = {name: k for k, name in enumerate(names)}
        groups = np.array([index[name] for name in scores.groups], dtype=np.int64)
        return groups[frame.segment], names
    order = np.argsort(frame.level, kind="stable")
    codes = np.empty(order.size, dtype=np.int64)
    codes[order] = np.arange(order.size) * int(strata) // order.size
    return codes, tuple(f"class {k + 1} of {int(strata)}" for k in range(int(strata)))


def _outputs(
    scores: Scores, frame: _Frame, chosen: BoolArray, generator: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray]:
    """Return segment, system and place in the frame of each output to label, in random order of what was drawn."""
    places = generator.permutation(np.flatnonzero(chosen))
    if frame.system[0] >= 0:
        return frame.segment[places], frame.system[places], places
    segments, systems, origin = [], [], []
    for place in places.tolist():
        judged = np.flatnonzero(~np.isnan(scores.values[:, frame.segment[place]]))
        shuffled = generator.permutation(judged)
        segments += [frame.segment[place]] * shuffled.size
        systems += shuffled.tolist()
        origin += [place] * shuffled.size
    return np.array(segments), np.array(systems), np.array(origin)
