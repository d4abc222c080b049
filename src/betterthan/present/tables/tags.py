"""Systems that tag words as tables: measures side by side, labellings that know nothing in brackets."""

from __future__ import annotations

import numpy as np

from betterthan.present.numbers import percent
from betterthan.present.table import Cell, Column, Table
from betterthan.results.tags import Audition, TagRanking
from betterthan.results.units import with_unit_first

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


def tag_measure_name(name: str) -> str:
    """Return a measure's name as people write it.

    Examples
    --------
    >>> tag_measure_name("f1_mult"), tag_measure_name("phrase_f1_bad_as_published"), tag_measure_name("mine")
    ('F1-mult', 'phrase F1-BAD (as published)', 'mine')
    """
    plain = name.removesuffix("_as_published")
    return _NAMES.get(plain, plain.replace("_", " ")) + ("" if plain == name else " (as published)")


_DIGITS = 3
_LEGEND = (
    "[…] are synthetic labellings that know next to nothing. Where one outscores a system, the measure can be gamed, "
    "or the system knows as little."
)
_CORRECTIONS = {
    "max_statistic": "adjusted by the maximum statistic",
    "none": "uncorrected",
    "bonferroni": "Bonferroni-corrected",
    "holm": "Holm-corrected",
    "benjamini_hochberg": "false discovery rate",
}


def tag_ranking_table(result: TagRanking) -> Table:
    """Return systems best first by the first measure, with its interval, groups and letters."""
    names = [tag_measure_name(name) for name in result.measures]
    columns = (
        Column(heading="group", kind="integer"),
        Column(heading="system"),
        Column(heading=names[0], kind="number", digits=_DIGITS),
        Column(heading=percent(result.confidence), kind="interval", digits=_DIGITS),
        Column(heading="letters"),
        *(Column(heading=name, kind="number", digits=_DIGITS) for name in names[1:]),
    )
    real = np.flatnonzero(~result.is_synthetic)
    size = f"{real.size} systems, {len(result.systems) - real.size} synthetic, {result.n_words:,} tags"
    return Table(
        title=f"Word tags by {names[0]} ({size})",
        columns=columns,
        rows=tuple(_row(result, i) for i in range(len(result.systems))),
        bold=frozenset((int(i), 1) for i in real if result.cluster[i, 0] == 1),
        words=with_unit_first(
            _words(result), result.unit_note, result.settings.options["units"], result.undecidable
        ),
        notes=result.notes,
        signature=result.settings.signature,
    )


def _row(result: TagRanking, i: int) -> tuple[Cell, ...]:
    name = f"[{result.systems[i]}]" if result.is_synthetic[i] else result.systems[i]
    group = float(result.cluster[i, 0])
    return (
        None if np.isnan(group) else int(group),
        name,
        float(result.value[i, 0]),
        (float(result.low[i, 0]), float(result.high[i, 0])),
        result.letters[i],
        *(float(value) for value in result.value[i, 1:]),
    )


def _words(result: TagRanking) -> tuple[str, ...]:
    sentences = []
    if result.n_pairs:
        parts = [
            f"{tag_measure_name(name)} {n_different} ({_groups(int(groups))})"
            for name, n_different, groups in zip(
                result.measures, result.n_different, result.n_groups, strict=True
            )
        ]
        how = f"randomisation tests, {_CORRECTIONS.get(result.correction, result.correction)}"
        sentences.append(
            f"Of {result.n_pairs} pairs of systems, significantly different at {result.alpha:g} ({how}): "
            f"{', '.join(parts)}."
        )
    if not result.is_synthetic.any():
        return tuple(sentences)
    sentences.append(_LEGEND)
    return (*sentences, *(line for name in result.measures for line in _gamed(result, name)))


def _groups(n: int) -> str:
    return f"{n} group" if n == 1 else f"{n} groups"


def _gamed(result: TagRanking, measure: str) -> list[str]:
    beaten = {name: n for name, n in result.above(measure).items() if n}
    if not beaten:
        return []
    n_real = int(np.count_nonzero(~result.is_synthetic))
    listed = ", ".join(f"{name} outscores {n} of {n_real}" for name, n in beaten.items())
    return [f"By {tag_measure_name(measure)} {listed}."]


_AUDITION_LEGEND = (
    "Under a labelling: how many systems it outscores. d: share of pairs of systems that differ significantly, in all, "
    "in the upper and in the lower half. A measure by which labellings outscore systems that know more than they do "
    "can be gamed."
)


def audition_table(result: Audition) -> Table:
    """Return measures with the systems that each labelling outscores, and the share of pairs that differ."""
    shares = [Column(heading=name, kind="number") for name in ("d", "d top", "d bottom")]
    columns = (
        Column(heading="measure"),
        *(Column(heading=name, kind="integer") for name in result.synthetic),
        Column(heading="sum", kind="integer"),
        *shares,
        Column(heading="groups", kind="integer"),
    )
    size = f"{len(result.systems)} systems, {len(result.synthetic)} synthetic labellings"
    return Table(
        title=f"Audition of {len(result.measures)} measures of word tags ({size})",
        columns=columns,
        rows=tuple(_audition_row(result, i) for i in range(len(result.measures))),
        words=with_unit_first(
            (*(_named(line, result) for line in result.sentences), _AUDITION_LEGEND),
            result.unit_note,
            result.settings.options["units"],
            result.undecidable,
        ),
        notes=result.notes,
        signature=result.settings.signature,
    )


def _audition_row(result: Audition, i: int) -> tuple[Cell, ...]:
    shares = (result.d[i], result.d_top[i], result.d_bottom[i])
    return (
        tag_measure_name(result.measures[i]),
        *(float(n) for n in result.below[i]),
        float(result.total[i]),
        *(float(share) for share in shares),
        int(result.n_groups[i]),
    )


def _named(sentence: str, result: Audition) -> str:
    """Write measures in a sentence as the table does; longest names first, so that none is cut in two."""
    for name in sorted(result.measures, key=len, reverse=True):
        sentence = sentence.replace(name, tag_measure_name(name))
    return sentence
