"""The verb behind all studies: run an experiment of one of the papers again."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import cast

from betterthan.analysis.computing import Computing, Rng, seed_of
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import TableError
from betterthan.results.study import Study
from betterthan.studies.asked import Asked
from betterthan.studies.catalogue import listed
from betterthan.studies.setups import Setup, read_setups, setups_of
from betterthan.tables.scores import Scores

Data = str | Path | Scores | Sequence[str | Path] | Mapping[str, Scores]


@with_one_blas_thread
def study(
    name: str,
    data: Data | None = None,
    *,
    as_published: bool = False,
    quick: bool = False,
    options: Mapping[str, object] | None = None,
    lower_is_better: Sequence[str] = (),
    higher_is_better: Sequence[str] = (),
    rng: Rng = 12345,
    workers: int | None = None,
    executor: Executor | None = None,
    cache: Cache | None = None,
    progress: Progress | None = None,
) -> Study:
    """Run an experiment of one of the papers again, on its own data, yours, or the demo campaign.

    The numbers that the paper prints stand beside ours, and sentences say what differs and why. The words of the paper
    are followed, and slips are read as documented; with `as_published` the programs released with it are followed, to
    the letter where that changes a number.

    Parameters
    ----------
    name : str
        Of the study: a key of :data:`betterthan.studies.catalogue.STUDIES`.
    data : path, Scores, several paths, or mapping of metric to Scores, optional
        A long table may have a column for the data set (``dataset``, ``lp``, …). Without data the study runs on those
        printed in the paper, or on the demo campaign.
    as_published : bool, default False
        As the released programs do it.
    quick : bool, default False
        Fewer draws: seconds instead of minutes.
    options : mapping of str to value, optional
        The study's own, such as ``{"repeats": 5}``; the catalogue lists them.
    lower_is_better, higher_is_better : sequence of str
        Metrics of files of which less, or more, is better, whatever their name.
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        Who does the work; see :class:`betterthan.analysis.computing.Computing`. None of it changes a number.

    Returns
    -------
    Study

    Raises
    ------
    UnknownName
        For a study, an option or a choice that there is not.

    Examples
    --------
    >>> found = study("figure-one")
    >>> found.table("strengths").column("mean")
    (9.2, 9.2, 9.2)
    """
    chosen = listed(name)
    module = importlib.import_module(f"betterthan.studies.{chosen.home}")
    # A study of texts, tags or judgements reads its own data; all others are run on scores.
    reads_own = data is not None and hasattr(module, "read")
    asked = Asked(
        name=name.replace("_", "-"),
        listed=chosen,
        setups=() if reads_own else _setups(data, lower_is_better, higher_is_better),
        as_published=as_published,
        quick=quick,
        seed=seed_of(rng),
        options=chosen.chosen(options or {}, quick=quick),
        computing=Computing(workers=workers, executor=executor, cache=cache, progress=progress),
    )
    return cast("Study", module.run(asked, module.read(data)) if reads_own else module.run(asked))


def _setups(data: Data | None, lower: Sequence[str], higher: Sequence[str]) -> tuple[Setup, ...]:
    if data is None:
        return ()
    if (lower or higher) and isinstance(data, Scores | Mapping):
        raise TableError(
            "lower_is_better and higher_is_better are for files; Scores say themselves whether higher is better."
        )
    if isinstance(data, Scores):
        return setups_of({data.name: data})
    if isinstance(data, Mapping):
        if not all(isinstance(table, Scores) for table in data.values()):
            raise TableError(
                "A study takes a mapping of metrics to Scores. Read files with read_metrics first."
            )
        return setups_of(data)
    return read_setups(data, lower_is_better=lower, higher_is_better=higher)
