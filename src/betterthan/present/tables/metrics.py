"""Metrics as tables: meta-evaluations and what they say in words, predicted quality of sentences, and word tags.

Systems that tag words have measures side by side, and trivial labelings in brackets.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from betterthan.arrays import FloatArray
from betterthan.errors import some_of
from betterthan.messages import Message, Option, method_note
from betterthan.present.numbers import digits_for, percent
from betterthan.present.table import Table, TableCell, TableColumn
from betterthan.present.tables.standing import shows_letters, some_names
from betterthan.results.metrics import Audition, Caveat, MetaEvaluation, SentenceQuality, TagRanking
from betterthan.results.settings import unit_line
from betterthan.tables.metric_names import common_pattern
from betterthan.tables.row_order import BY_ORDER


def sentence_quality_table(result: SentenceQuality) -> Table:
    """Return systems by Pearson's correlation, with the errors of a constant prediction below them."""
    widths = (result.high - result.low) / 2
    digits = [digits_for(widths[:, i].tolist()) for i in range(4)]
    columns = (
        TableColumn(heading="system"),
        TableColumn(heading="Pearson", kind="number", digits=digits[0]),
        TableColumn(heading=f"{percent(result.confidence)} CI", kind="interval", digits=digits[0]),
        *([TableColumn(heading="group")] if shows_letters(result.letters) else []),
        TableColumn(heading="Spearman", kind="number", digits=digits[1]),
        TableColumn(heading="MAE", kind="number", digits=digits[2]),
        TableColumn(heading="RMSE", kind="number", digits=digits[3]),
    )
    rows = [_quality_row(result, i) for i in range(len(result.systems))]
    nothing = float("nan")
    constant: tuple[TableCell, ...] = (
        *("[mean of the truth]", nothing, (nothing, nothing)),
        *([""] if shows_letters(result.letters) else []),
        *(nothing, result.constant_mae, result.constant_rmse),
    )
    p = result.pvalue
    n_different = int(np.count_nonzero(np.triu(_significant_pairs(result), 1)))
    pairs = len(p) * (len(p) - 1) // 2
    level = f"{test_name(result)}, Holm-adjusted, level {result.alpha:g}"
    if pairs == 1:
        differ = f"The two systems {'differ' if n_different else 'do not differ'} significantly"
    else:
        differ = f"{n_different:,} of {pairs:,} pairs differ significantly"
    return Table(
        title=f"Predicted quality of {result.settings.n_segments:,} sentences",
        columns=columns,
        rows=(*rows, constant),
        rules=frozenset({len(rows) - 1}),
        verdict=(f"{differ} ({level}).",) if pairs else (),
        unit=unit_line(result.unit_note, str(result.settings.options["units"])),
        words=result.sentences,
        legend="Systems that share a letter do not differ significantly."
        if pairs and shows_letters(result.letters)
        else "",
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def test_name(result: SentenceQuality) -> str:
    """Return the test that decides whether two correlations differ."""
    return "Williams' test" if "williams" in str(result.settings.options["test"]) else "jackknife test"


def _quality_row(result: SentenceQuality, i: int) -> tuple[TableCell, ...]:
    return (
        result.systems[i],
        float(result.pearson[i]),
        (float(result.low[i, 0]), float(result.high[i, 0])),
        *([result.letters[i]] if shows_letters(result.letters) else []),
        float(result.spearman[i]),
        float(result.mae[i]),
        float(result.rmse[i]),
    )


def _significant_pairs(result: SentenceQuality) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    shared = [[bool(set(a) & set(b)) for b in result.letters] for a in result.letters]
    return ~np.array(shared, dtype=np.bool_)


_NAMES = {
    "soft_pairwise_accuracy": "soft pairwise accuracy",
    "pairwise_accuracy": "pairwise accuracy",
    "accuracy_with_ties": "accuracy with ties",
    "pearson": "Pearson's r",
    "spearman": "Spearman's ρ",
    "kendall_b": "Kendall's τ-b",
    "tau_ties_ignored": "τ, metric ties ignored",
    "tau_ties_soft": "τ, metric ties count 0",
    "tau_ties_hard": "τ, metric ties count −1",
    "tau_human_ties": "τ, human ties kept",
}
_HEADINGS = {
    "soft_pairwise_accuracy": "SPA",
    "pairwise_accuracy": "accuracy",
    "accuracy_with_ties": "accuracy",
    "tau_ties_ignored": "τ",
    "tau_ties_soft": "τ",
    "tau_ties_hard": "τ",
    "tau_human_ties": "τ",
}
_LEVELS = {
    "system": "over systems",
    "segment": "on segments",
    "within_system": "within systems",
    "global": "over all scores",
}
_TESTS = {
    "perm_inputs": "PERM-INPUTS",
    "perm_systems": "PERM-SYSTEMS",
    "perm_both": "PERM-BOTH",
    "perm_cells": "PERM-CELLS",
    "perm_pairs": "PERM-PAIRS",
    "williams": "Williams' test",
    "bootstrap": "the bootstrap",
}
DIGITS = 3


def measure_name(method: str) -> str:
    """Return a measure's name as people write it.

    Examples
    --------
    >>> measure_name("kendall_b"), measure_name("my_measure")
    ("Kendall's τ-b", 'my_measure')
    """
    return _NAMES.get(method, method)


def different_measure_names(methods: Sequence[str]) -> list[str]:
    """Return short names of measures; long ones where two of them would be called the same.

    Examples
    --------
    >>> different_measure_names(["pairwise_accuracy", "tau_ties_hard", "tau_human_ties"])
    ['accuracy', 'τ, metric ties count −1', 'τ, human ties kept']
    """
    short = [short_measure_name(method) for method in methods]
    return [
        _NAMES.get(method, name) if short.count(name) > 1 else name
        for method, name in zip(methods, short, strict=True)
    ]


def short_measure_name(method: str) -> str:
    """Return a measure's name for the head of a column.

    Examples
    --------
    >>> short_measure_name("soft_pairwise_accuracy"), short_measure_name("pearson")
    ('SPA', "Pearson's r")
    """
    return _HEADINGS.get(method, measure_name(method))


def meta_evaluation_table(result: MetaEvaluation) -> Table:
    """Return the table of metrics: best first, a rule between clusters, as the WMT metrics task prints it."""
    has_interval = not bool(np.isnan(result.low).all())
    columns = [
        TableColumn(heading="cluster", kind="integer"),
        TableColumn(heading="metric"),
        TableColumn(heading=short_measure_name(result.method), kind="number", digits=DIGITS),
    ]
    if has_interval:
        columns.append(
            TableColumn(heading=f"{percent(result.confidence)} CI", kind="interval", digits=DIGITS)
        )
    columns += [TableColumn(heading=name, kind="number", digits=DIGITS) for name in result.part_names]
    if result.n_decided is not None:
        columns.append(TableColumn(heading="pairs", kind="count"))
    if result.threshold is not None:
        columns.append(TableColumn(heading="tie below", kind="count"))
    tested = result.comparisons.test != "none"
    if tested:
        columns.append(TableColumn(heading="better than", kind="count", spare=1))
    if tested and shows_letters(result.letters):
        columns.append(TableColumn(heading="group", spare=2))
    return Table(
        title=_title(result),
        columns=tuple(columns),
        rows=tuple(
            _row(result, i, has_interval=has_interval, tested=tested) for i in range(len(result.metrics))
        ),
        rules=frozenset(i for i, c in enumerate(result.cluster[:-1]) if result.cluster[i + 1] != c),
        bold=frozenset((i, 1) for i, c in enumerate(result.cluster) if c == 1) if tested else frozenset(),
        verdict=meta_verdict(result),
        unit=unit_line(result.unit_note, result.units),
        words=_words(result),
        legend=_legend(result),
        notes=(*result.notes, *_scope(result)),
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _title(result: MetaEvaluation) -> str:
    segments = "one score each" if result.n_segments == 1 else f"{result.n_segments:,} segments"
    size = f"{result.n_systems} systems, {segments}"
    return f"Metrics against {result.human}: {measured_words(result)} ({size})"


def measured_words(result: MetaEvaluation) -> str:
    """Return the measure and its level, such as "Pearson's r, over systems"."""
    return f"{measure_name(result.method)}, {_LEVELS[result.level]}"


def _row(result: MetaEvaluation, i: int, *, has_interval: bool, tested: bool) -> tuple[TableCell, ...]:
    cells: list[TableCell] = [
        int(result.cluster[i]) if tested else None,
        result.metrics[i],
        float(result.value[i]),
    ]
    if has_interval:
        cells.append((float(result.low[i]), float(result.high[i])))
    if result.part_value is not None:
        cells += [float(value) for value in result.part_value[i]]
    if result.n_decided is not None:
        cells.append(f"{int(result.n_decided[i]):,}")
    if result.threshold is not None:
        cells.append(f"{result.threshold[i]:.3g}")
    if tested:
        cells.append(str(int(result.comparisons.better[i].sum())))
    if tested and shows_letters(result.letters):
        cells.append(result.letters[i])
    return tuple(cells)


def meta_verdict(result: MetaEvaluation) -> tuple[str, ...]:
    """Return which metric agrees best, how many pairs differ, and what could make this misleading."""
    caveats = tuple(caveat_sentence(one) for one in result.caveats)
    if result.comparisons.test == "none":
        return ("Metrics were not tested against each other.", *caveats)
    if result.n_significant == 0 and all(result.is_tested) and len(result.metrics) > 2:
        return (f"{result.metrics[0]} has the highest value, but {_no_difference(result)}.", *caveats)
    return (f"{_winner(result)} {differences(result)}.", *caveats)


def _no_difference(result: MetaEvaluation) -> str:
    """Return that no metric differs from another, by which test, to follow a comma."""
    return (
        f"no two of the {len(result.metrics)} metrics differ significantly ({_how_tested(result, 'level')})"
    )


def _words(result: MetaEvaluation) -> tuple[str, ...]:
    about_pairs = () if result.n_decided is None else (_about_pairs(result),)
    return (*_directions(result), *about_pairs)


def _legend(result: MetaEvaluation) -> str:
    if result.comparisons.test == "none":
        return ""
    return "Metrics that share a letter do not differ significantly." if shows_letters(result.letters) else ""


def _scope(result: MetaEvaluation) -> tuple[str, ...]:
    """Return for what else differences should hold, as a note."""
    if result.comparisons.test == "none":
        return ()
    return (method_note("{scope}", scope=scope_sentence(result)),)


def _directions(result: MetaEvaluation) -> tuple[str, ...]:
    """Say of which metrics lower is better; a metric read the wrong way seems to disagree with humans."""
    low = result.lower_is_better
    if not low:
        return ()
    rest = "" if set(low) >= {*result.metrics, result.human} else "; higher is better for all others"
    return (f"Lower is better for {some_of(low, limit=8)}{rest}.",)


def differences(result: MetaEvaluation) -> str:
    """Return how many pairs of metrics differ, by which test and correction, without a full stop."""
    n_pairs = len(result.metrics) * (len(result.metrics) - 1) // 2
    criterion = "p ≤" if result.n_significant else "level"
    if n_pairs == 1:
        differ = f"The two metrics {'differ' if result.n_significant else 'do not differ'} significantly"
    else:
        differ = f"{result.n_significant:,} of {n_pairs:,} pairs of metrics differ significantly"
    return f"{differ} ({_how_tested(result, criterion)})"


def _how_tested(result: MetaEvaluation, criterion: str) -> str:
    """Return test, sides, level and correction, for brackets."""
    comparisons = result.comparisons
    n_pairs = len(result.metrics) * (len(result.metrics) - 1) // 2
    sides = (
        "one-sided in favor of the higher value (WMT)" if comparisons.alternative == "wmt" else "two-sided"
    )
    adjusted = (
        f"{correction_name(comparisons.correction)} over {n_pairs:,} pairs" if n_pairs > 1 else "one pair"
    )
    if comparisons.correction == "none":
        adjusted = "unadjusted"
    test = _TESTS.get(comparisons.test, comparisons.test)
    return f"{test}, {sides}, {criterion} {comparisons.alpha:g}, {adjusted}"


def correction_name(correction: str) -> str:
    """Return a correction as it is usually written.

    Examples
    --------
    >>> correction_name("max_statistic"), correction_name("benjamini_hochberg")
    ('step-down maximum', 'Benjamini–Hochberg')
    """
    names = {
        "none": "unadjusted",
        "holm": "Holm",
        "bonferroni": "Bonferroni",
        "benjamini_hochberg": "Benjamini–Hochberg",
        "max_statistic": "step-down maximum",
    }
    return names.get(correction, correction)


def scope_sentence(result: MetaEvaluation) -> str:
    """Return for what else a difference should hold, by the test that found it."""
    test = _TESTS.get(result.comparisons.test, result.comparisons.test)
    scope = result.comparisons.generalises_to
    systems = f"these {result.n_systems} systems"
    if scope == "systems":
        return f"{test}: a difference should also hold for other systems like these."
    if scope == "both":
        also = "other segments and systems, if no metric prefers single systems"
        return f"{test}: a difference should also hold for {also}."
    return f"{test}: a difference should also hold for other segments with {systems}, not for other systems."


def caveat_sentence(caveat: Caveat) -> str:
    """Return a caveat as a sentence.

    Examples
    --------
    >>> caveat_sentence(Caveat(code="many_ties", names=("Blunt",), n_decided=5, n_pairs=1200))
    'Blunt ties nearly everything: it separates 5 of 1,200 pairs of outputs (0.4%).'
    """
    if caveat.code in ("by_order", "unmatched"):
        return _about_matching(caveat)
    names = some_names(caveat.names)
    if caveat.code == "human_translations":
        return human_translations(caveat.names, ", which many metrics misjudge")
    if caveat.code == "same_systems":
        return f"{names} have identical scores by every metric. They may be one system under several names."
    if caveat.code == "same_metrics":
        return f"{names} have identical scores. They may be one metric under several names."
    if caveat.code == "out_of_reach":
        least = f"with {names} the smallest possible p-value is {caveat.least:.2g}"
        return f"No pair of metrics could be significant at level {caveat.alpha:g}: {least}."
    share = 100 * caveat.n_decided / max(caveat.n_pairs, 1)
    decided = f"it separates {caveat.n_decided:,} of {caveat.n_pairs:,} pairs of outputs ({share:.1f}%)"
    return f"{names} ties nearly everything: {decided}."


def human_translations(names: Sequence[str], why: str = "") -> Message:
    """Return a sentence on systems with names of human translations, with the option to leave them out.

    Examples
    --------
    >>> human_translations(["Human-A", "Human-B"])
    'Human-A and Human-B seem to be human translations. To leave them out: leave_out=["Human-*"].'
    """
    several = len(names) > 1
    return Message(
        "{names} {what}{why}. To leave {them} out: {leave_out}.",
        names=some_names(names),
        what="seem to be human translations" if several else "seems to be a human translation",
        why=why,
        leave_out=Option("leave_out", common_pattern(names)),
        them="them" if several else "it",
    )


def _about_matching(caveat: Caveat) -> str:
    if caveat.code == "by_order":
        return BY_ORDER
    count = f"{caveat.n_left_out:,} of the {caveat.n_segments:,} segments of {some_of(caveat.names)}"
    return f"{count} {'are' if caveat.n_left_out > 1 else 'is'} left out, because not every table has them."


def _about_pairs(result: MetaEvaluation) -> str:
    if result.method == "tau_ties_ignored":
        return f"τ rests on the pairs that a metric does not tie (column pairs), of {result.n_pairs:,}."
    return f"Pairs: those that a metric does not tie, of {result.n_pairs:,}."


def _winner(result: MetaEvaluation) -> str:
    tested = [i for i in range(len(result.metrics)) if result.is_tested[i]]
    if not tested:
        return "No pair of metrics could be tested."
    first, *others = tested
    best = result.metrics[first]
    alike = [result.metrics[i] for i in others if set(result.letters[i]) & set(result.letters[first])]
    among = "" if len(tested) == len(result.metrics) else "Among the metrics that could be tested, "
    if not alike:
        rest = result.metrics[others[0]] if len(others) == 1 else "every other metric"
        return f"{among}{best} agrees significantly better with human judgments than {rest}."
    if len(alike) == len(others):
        rest = alike[0] if len(others) == 1 else "any other metric"
        return f"{among}{best} has the highest value, but does not differ significantly from {rest}."
    named = ", ".join(alike[:4]) + (f" and {len(alike) - 4} more" if len(alike) > 4 else "")
    return f"{among}{best} has the highest value; it does not differ significantly from {named}."


_TAG_MEASURES = {
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


TAG_MEASURES = (*_TAG_MEASURES, *(f"{name}_as_published" for name in _TAG_MEASURES))


def tag_measure_name(name: str) -> str:
    """Return a measure's name as people write it.

    Examples
    --------
    >>> tag_measure_name("f1_mult"), tag_measure_name("phrase_f1_bad_as_published"), tag_measure_name("mine")
    ('F1-mult', 'phrase F1-BAD (as published)', 'mine')
    """
    plain = name.removesuffix("_as_published")
    return _TAG_MEASURES.get(plain, plain) + ("" if plain == name else " (as published)")


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
        rows=tuple(_tagger_row(result, i) for i in range(len(result.systems))),
        bold=frozenset((int(i), 1) for i in real if result.cluster[i, 0] == 1),
        verdict=tuple(line for line in (result.undecidable or _verdict(result),) if line),
        unit=unit_line(result.unit_note, str(result.settings.options["units"])),
        words=_gamed(result),
        legend=_tag_legend(result),
        notes=result.notes,
        signature=result.settings.signature,
        short_signature=result.settings.short_signature,
    )


def _tagger_row(result: TagRanking, i: int) -> tuple[TableCell, ...]:
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


def _tag_legend(result: TagRanking) -> str:
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
