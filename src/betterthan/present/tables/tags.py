"""Systems that tag words as tables: measures side by side, trivial labelings in brackets."""

from __future__ import annotations

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.present.numbers import percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import shows_letters, some_names
from betterthan.results.tags import Audition, TagRanking
from betterthan.results.units import unit_line

_NAMES = {
    "f1_mult": "F1-mult",
    "f1_bad": "F1-BAD",
    "f1_ok": "F1-OK",
    "f1_weighted": "F1-weighted",
    "mcc": "MCC",
    "precision_bad": "precision BAD",
    "recall_bad": "recall BAD",
    "precision_ok": "precision OK",
    "recall_ok": "recall OK",
    "phrase_f1_bad": "phrase F1-BAD",
    "phrase_f1_ok": "phrase F1-OK",
    "phrase_f1_mult": "phrase F1-mult",
    "sequence_correlation": "SeqCor",
}


TAG_MEASURES = (*_NAMES, *(f"{name}_as_published" for name in _NAMES))


def tag_measure_name(name: str) -> str:
    """Return a measure's name as people write it.

    Examples
    --------
    >>> tag_measure_name("f1_mult"), tag_measure_name("phrase_f1_bad_as_published"), tag_measure_name("mine")
    ('F1-mult', 'phrase F1-BAD (as published)', 'mine')
    """
    plain = name.removesuffix("_as_published")
    return _NAMES.get(plain, plain) + ("" if plain == name else " (as published)")


_DIGITS = 3
_LEGEND = "[…]: trivial labelings for comparison."
_CORRECTIONS = {
    "max_statistic": "adjusted by the maximum statistic",
    "none": "unadjusted",
    "bonferroni": "Bonferroni-adjusted",
    "holm": "Holm-adjusted",
    "benjamini_hochberg": "false discovery rate",
}


def tag_ranking_table(result: TagRanking) -> Table:
    """Return systems best first by the first measure, with its interval, groups and letters."""
    names = [tag_measure_name(name) for name in result.measures]
    columns = (
        TableColumn(heading="cluster", kind="integer"),
        TableColumn(heading="system"),
        TableColumn(heading=names[0], kind="number", digits=_DIGITS),
        TableColumn(heading=f"{percent(result.confidence)} CI", kind="interval", digits=_DIGITS),
        *([TableColumn(heading="group")] if _has_letters(result) else []),
        *(TableColumn(heading=name, kind="number", digits=_DIGITS) for name in names[1:]),
    )
    real = np.flatnonzero(~result.is_synthetic)
    systems = f"{real.size} system{'' if real.size == 1 else 's'}"
    size = f"{systems}, {len(result.systems) - real.size} trivial labelings, {result.n_words:,} tags"
    return Table(
        title=f"Word tags by {names[0]} ({size})",
        columns=columns,
        rows=tuple(_row(result, i) for i in range(len(result.systems))),
        bold=frozenset((int(i), 1) for i in real if result.cluster[i, 0] == 1),
        verdict=tuple(line for line in (result.undecidable or _verdict(result),) if line),
        unit=unit_line(result.unit_note, str(result.settings.options["units"])),
        words=_gamed(result),
        legend=_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _row(result: TagRanking, i: int) -> tuple[TableCell, ...]:
    name = f"[{result.systems[i]}]" if result.is_synthetic[i] else result.systems[i]
    group = float(result.cluster[i, 0])
    return (
        None if np.isnan(group) else int(group),
        name,
        float(result.value[i, 0]),
        (float(result.low[i, 0]), float(result.high[i, 0])),
        *([result.letters[i]] if _has_letters(result) else []),
        *(float(value) for value in result.value[i, 1:]),
    )


def _has_letters(result: TagRanking) -> bool:
    """Whether groups are shown; synthetic labelings have none."""
    return shows_letters(
        [letters for letters, made in zip(result.letters, result.is_synthetic, strict=True) if not made]
    )


def _verdict(result: TagRanking) -> str:
    if not result.n_pairs:
        return ""
    counts: dict[int, list[str]] = {}
    for name, n in zip(result.measures, result.n_different.tolist(), strict=True):
        counts.setdefault(n, []).append(tag_measure_name(name))
    how = (
        f"p ≤ {result.alpha:g}, randomization tests, {_CORRECTIONS.get(result.correction, result.correction)}"
    )
    if result.n_pairs == 1:
        differ = [
            f"{'differ' if n else 'do not differ'} significantly by {some_names(names)}"
            for n, names in counts.items()
        ]
        return f"The two systems {' and '.join(differ)} ({how})."
    first, *rest = [f"{n} by {some_names(names)}" for n, names in counts.items()]
    n, _, by = first.partition(" ")
    listed = "; ".join([f"{n} of {result.n_pairs} pairs of systems differ significantly {by}", *rest])
    return f"{listed} ({how})."


def _legend(result: TagRanking) -> str:
    letters = "Systems that share a letter do not differ significantly."
    letters = letters if result.n_pairs and _has_letters(result) else ""
    return " ".join(line for line in (letters, _LEGEND if result.is_synthetic.any() else "") if line)


def _gamed(result: TagRanking) -> tuple[str, ...]:
    """Say by which measures how many systems score below a trivial labeling."""
    most = {name: max(result.above(name).values(), default=0) for name in result.measures}
    counts: dict[int, list[str]] = {}
    for name, n in most.items():
        if n:
            counts.setdefault(n, []).append(tag_measure_name(name))
    if not counts:
        return ()
    n_real = int(np.count_nonzero(~result.is_synthetic))
    parts = [
        f"{n} of {n_real} {'system' if n_real == 1 else 'systems'} by {some_names(names)}"
        for n, names in counts.items()
    ]
    return (f"A trivial labeling outscores {'; '.join(parts)}.",)


_AUDITION_LEGEND = (
    "Under a labeling: how many systems it outscores. d: share of pairs of systems that differ significantly, in all, "
    "in the upper and in the lower half. A measure by which labelings outscore systems that know more than they do "
    "can be gamed."
)


def audition_table(result: Audition) -> Table:
    """Return measures with the systems that each labeling outscores, and the share of pairs that differ."""
    shares = [TableColumn(heading=name, kind="number") for name in ("d", "d top", "d bottom")]
    columns = (
        TableColumn(heading="measure"),
        *(TableColumn(heading=name, kind="integer") for name in result.synthetic),
        TableColumn(heading="sum", kind="integer"),
        *shares,
        TableColumn(heading="groups", kind="integer"),
    )
    size = f"{len(result.systems)} systems, {len(result.synthetic)} synthetic labelings"
    return Table(
        title=f"Audition of {len(result.measures)} measures of word tags ({size})",
        columns=columns,
        rows=tuple(_audition_row(result, i) for i in range(len(result.measures))),
        verdict=tuple(line for line in (result.undecidable,) if line),
        unit=unit_line(result.unit_note, str(result.settings.options["units"])),
        words=tuple(_outscored(result)),
        legend=_AUDITION_LEGEND,
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _audition_row(result: Audition, i: int) -> tuple[TableCell, ...]:
    shares = (result.d[i], result.d_top[i], result.d_bottom[i])
    return (
        tag_measure_name(result.measures[i]),
        *(float(n) for n in result.below[i]),
        float(result.total[i]),
        *(float(share) for share in shares),
        int(result.n_groups[i]),
    )


def _outscored(result: Audition) -> list[str]:
    """Say which measures no labeling games, and which labeling outscores most systems by each of the others."""
    sound = [
        tag_measure_name(name)
        for name, row in zip(result.measures, result.below, strict=True)
        if not _is_gamed(row)
    ]
    lines = [f"No labeling outscores a system by {some_names(sound)}."] if sound else []
    m = len(result.systems)
    for name, row in zip(result.measures, result.below, strict=True):
        if _is_gamed(row):
            worst = int(np.nanargmax(row))
            systems = f"{m} {'system' if m == 1 else 'systems'}"
            lines.append(
                f"By {tag_measure_name(name)} {result.synthetic[worst]} outscores {int(row[worst])} of {systems}."
            )
    return lines


def _is_gamed(below: FloatArray) -> bool:
    return bool(np.nansum(below) > 0)
