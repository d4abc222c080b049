"""Common parts of text metrics: sacreBLEU's signature as the name of a formula, and the table of counts."""

from __future__ import annotations

from collections.abc import Sequence

from betterthan import __version__
from betterthan.arrays import FloatArray
from betterthan.scoring.texts import Parallel
from betterthan.tables.counts import Counts, Formula

_RESERVED = str.maketrans("|:\n", "/. ")


def signed(metric: str, **settings: object) -> str:
    """Return the metric's name with sacreBLEU's signature, the version last.

    The name of a formula is part of digests, of JSON and of the settings of every result, so that none of them can
    lose the signature.

    Examples
    --------
    >>> signed("BLEU", nrefs=1, case="mixed").rpartition(":")[0]
    'BLEU|nrefs:1|case:mixed|version'
    """
    from sacrebleu import __version__ as version  # noqa: PLC0415  (loaded when texts are scored, not before)

    parts = [f"{key}:{value}" for key, value in settings.items()]
    return "|".join([metric, *parts, f"version:{version}"])


def own_signature(metric: str, **settings: object) -> str:
    """Return the metric's name with our own signature, in the form of sacreBLEU's.

    Examples
    --------
    >>> own_signature("WER", case="mixed", tok="spaces").rpartition(":")[0]
    'WER|case:mixed|tok:spaces|version'
    """
    parts = [f"{key}:{str(value).translate(_RESERVED)}" for key, value in settings.items()]
    return "|".join([metric.translate(_RESERVED), *parts, f"version:{__version__}"])


def counts_of(
    texts: Parallel,
    values: FloatArray,
    formula: Formula,
    *,
    columns: Sequence[str],
    notes: Sequence[str] = (),
    higher_is_better: bool = True,
) -> Counts:
    """Return the counts of a metric under the first part of its formula's name, with the texts' labels and notes."""
    return Counts(
        name=formula.name.partition("|")[0],
        systems=texts.systems,
        segments=texts.segments,
        values=values,
        columns=tuple(columns),
        formula=formula,
        higher_is_better=higher_is_better,
        groups=texts.groups,
        row_order=texts.row_order,
        notes=(*texts.notes, *notes),
    )
