"""The verb behind all studies: repeat an experiment of one of the papers."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from betterthan.analysis.resampling import Resampling, Rng
from betterthan.engine.blas import with_one_blas_thread
from betterthan.engine.cache import Cache
from betterthan.engine.progress import Progress
from betterthan.errors import TableError
from betterthan.results.study import Study, StudyTable
from betterthan.studies.catalogue import listed
from betterthan.studies.request import StudyRequest
from betterthan.studies.setups import Setup, read_setups, setups_of
from betterthan.studies.translated import Translated
from betterthan.tables.ratings import Ratings
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.tables.texts import Texts

StudyInput = Scores | Ratings | Texts | WordTags | Translated
StudyData = str | Path | StudyInput | Sequence[str | Path] | Sequence[Translated] | Mapping[str, StudyInput]
"""What some study takes: paths, a table, or tables by the name of their metric or data set."""


class _Prepared(NamedTuple):
    """The module of a study, its request, and the data that it reads by itself, if it does."""

    module: ModuleType
    request: StudyRequest
    data_arguments: tuple[object, ...]


@with_one_blas_thread
def study(
    name: str,
    data: StudyData | None = None,
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
    """Repeat an experiment of one of the papers, on its own data, yours, or the demo campaign.

    The numbers that the paper prints are shown next to ours, and sentences say what differs and why. The words of the
    paper are followed, and mistakes are read as documented; with `as_published` the programs released with it are
    followed, to the letter where that changes a number.

    Parameters
    ----------
    name : str
        Of the study: a key of :data:`betterthan.studies.catalogue.STUDIES`.
    data : path, table, several paths, or mapping of name to table, optional
        Scores for most studies, by their metric; human scores, texts or word tags by their data set for those that the
        catalogue says so of. A long table may have a column for the data set (``dataset``, ``lp``, …). Without data
        the study runs on those printed in the paper, or on the demo campaign.
    as_published : bool, default False
        Follow the released programs instead of the text of the paper.
    quick : bool, default False
        Use fewer draws: seconds instead of minutes.
    options : mapping of str to value, optional
        Options of the study, such as ``{"repeats": 5}``; the catalogue lists them.
    lower_is_better, higher_is_better : sequence of str
        Metrics for which lower, or higher, is better, whatever their name.
    rng : int or numpy.random.Generator, default 12345
    workers, executor, cache, progress
        How the work is carried out; see :class:`betterthan.analysis.resampling.Computing`. None of it changes a number.

    Returns
    -------
    Study

    Raises
    ------
    UnknownName
        For a study, an option or a choice that does not exist.
    TableError
        For data of a kind that the study does not accept.

    Examples
    --------
    >>> found = study("figure-one")
    >>> found.table("strengths").column("mean")
    (9.2, 9.2, 9.2)
    """
    resampling = Resampling.of(rng, workers=workers, executor=executor, cache=cache, progress=progress)
    module, request, data_arguments = _prepared(
        *(name, data, options or {}, resampling),
        as_published=as_published,
        quick=quick,
        directions=(lower_is_better, higher_is_better),
    )
    result: Study = module.run(request, *data_arguments)
    return result


@with_one_blas_thread
def measured(
    name: str,
    data: StudyData | None = None,
    *,
    quick: bool = False,
    options: Mapping[str, object] | None = None,
    lower_is_better: Sequence[str] = (),
    higher_is_better: Sequence[str] = (),
    rng: Rng = 12345,
) -> tuple[StudyTable, ...]:
    """Return what a study measures with a clock; nothing for most.

    Times differ from run to run, so they are no part of the result: neither of its JSON, nor of what is compared when
    it is computed again.

    Parameters
    ----------
    name, data, quick, options, lower_is_better, higher_is_better, rng
        As for :func:`study`.

    Returns
    -------
    tuple of StudyTable

    Examples
    --------
    >>> measured("figure-one")
    ()
    """
    if not hasattr(_home(name), "measured"):
        return ()
    module, request, data_arguments = _prepared(
        *(name, data, options or {}, Resampling.of(rng, workers=1)),
        as_published=False,
        quick=quick,
        directions=(lower_is_better, higher_is_better),
    )
    tables: tuple[StudyTable, ...] = module.measured(request, *data_arguments)
    return tables


def _home(name: str) -> ModuleType:
    return importlib.import_module(f"betterthan.studies.{listed(name).home}")


def _prepared(
    name: str,
    data: StudyData | None,
    options: Mapping[str, object],
    resampling: Resampling,
    *,
    as_published: bool,
    quick: bool,
    directions: tuple[Sequence[str], Sequence[str]],
) -> _Prepared:
    chosen = listed(name)
    if data is not None and not chosen.takes_data:
        raise TableError(f"{name} draws its own scores, so data cannot be given. Leave the data out.")
    module = _home(name)
    # A study of texts, tags or judgments has its own `read`; all others are run on scores, from which the segments
    # that some system has no score for are left out unless a study says KEEPS_GAPS.
    reads_data = data is not None and hasattr(module, "read")
    if reads_data and any(directions):
        raise TableError(
            f"lower_is_better and higher_is_better are for metrics; {name} takes {chosen.data}. Leave them out."
        )
    request = StudyRequest(
        name=name.replace("_", "-"),
        listed=chosen,
        setups=() if reads_data else _setups(data, *directions, keep_gaps=hasattr(module, "KEEPS_GAPS")),
        as_published=as_published,
        quick=quick,
        options=chosen.chosen(options, quick=quick),
        resampling=resampling,
    )
    return _Prepared(module, request, (module.read(data),) if reads_data else ())


def _setups(
    data: StudyData | None, lower: Sequence[str], higher: Sequence[str], *, keep_gaps: bool
) -> tuple[Setup, ...]:
    if data is None:
        return ()
    if (lower or higher) and isinstance(data, Scores | Mapping):
        raise TableError(
            "lower_is_better and higher_is_better are for files; Scores say themselves whether higher is better."
        )
    if isinstance(data, Scores):
        return setups_of({data.name: data}, keep_gaps=keep_gaps)
    if isinstance(data, Mapping):
        tables = {name: table for name, table in data.items() if isinstance(table, Scores)}
        if len(tables) < len(data):
            raise TableError(
                "A study takes a mapping of metrics to Scores. Read files with read_metrics first."
            )
        return setups_of(tables, keep_gaps=keep_gaps)
    several = [data] if isinstance(data, str | Path) else data
    paths = [one for one in several if isinstance(one, str | Path)] if isinstance(several, Sequence) else []
    if not isinstance(several, Sequence) or len(paths) < len(several):
        raise TableError(
            f"This study takes scores: files, Scores, or a mapping of metrics to Scores, not {type(data).__name__}."
        )
    return read_setups(paths, lower_is_better=lower, higher_is_better=higher, keep_gaps=keep_gaps)
