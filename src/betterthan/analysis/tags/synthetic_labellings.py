"""Uninformative labelings, which a measure should rank below the real systems."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from betterthan.analysis.computing import Rng, seed_of
from betterthan.arrays import BoolArray
from betterthan.engine.blocks import stream
from betterthan.errors import TableError
from betterthan.kernels.tags import synthetic_tags as made
from betterthan.messages import Message, Option
from betterthan.tables.tags import WordTags

Maker = Callable[[BoolArray, np.random.Generator], BoolArray]

LABELLINGS: dict[str, Maker] = {
    "all-bad": lambda gold, _: made.all_bad(gold),
    "all-good": lambda gold, _: made.all_good(gold),
    "optimistic": made.optimistic,
    "pessimistic": made.pessimistic,
    "random": made.random_tags,
}
SYNTHETIC = tuple(LABELLINGS)


def with_synthetic(tags: WordTags, *, rng: Rng = 12345) -> WordTags:
    """Add five synthetic labelings to the systems: all-bad, all-good, optimistic, pessimistic, random.

    All of them should rank below real systems; otherwise the measure can be gamed [1]_.

    Parameters
    ----------
    tags : WordTags
    rng : int or numpy.random.Generator, default 12345

    Returns
    -------
    WordTags
        The systems of `tags`, then

        * "all-bad", "all-good": every word the same;
        * "optimistic": BAD recall 0.1 and precision 0.9, so that few words are BAD (2% if 18% truly are);
        * "pessimistic": BAD recall 0.9 and OK recall 0.1, so that 90% of the words are BAD;
        * "random": BAD with the share of BAD words in the gold tags.

    Raises
    ------
    TableError
        When a system has the name of a labeling.

    References
    ----------
    .. [1] Logacheva, Lukasik, Specia (2016), Metrics for evaluation of word-level machine translation quality
       estimation, ACL, section 3.1.

    Examples
    --------
    >>> import betterthan as bt
    >>> tags = bt.WordTags(systems=["A"], segments=["1"], gold=[True, False], predicted=[[True, True]], offsets=[0, 2])
    >>> bt.with_synthetic(tags).systems
    ('A', 'all-bad', 'all-good', 'optimistic', 'pessimistic', 'random')
    """
    taken = [name for name in SYNTHETIC if name in tags.systems]
    if taken:
        raise TableError(
            Message(
                'A system is called "{system}", which is the name of a synthetic labeling. Rename it, or '
                "leave the synthetic labelings out with {synthetic}.",
                system=taken[0],
                synthetic=Option("synthetic", False),
            )
        )
    seed = seed_of(rng)
    labelled = [
        make(tags.gold, stream(seed, f"synthetic tags: {name}", 0)) for name, make in LABELLINGS.items()
    ]
    return replace(
        tags, systems=(*tags.systems, *SYNTHETIC), predicted=np.vstack([tags.predicted, *labelled])
    )
