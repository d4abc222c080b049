"""Scores of predicted labels as counts: for each class the items predicted rightly, predicted, and labeled so."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from betterthan.arrays import FloatArray, IntArray
from betterthan.budget import require
from betterthan.errors import BetterThanError, TableError, some_of, unknown_name
from betterthan.kernels.text.error_rates import CLASS_FORMULAS, Average, Part, all_right, mean_of_classes
from betterthan.messages import NAME, Message, Option, method_note
from betterthan.scoring.signatures import counts_of, own_signature
from betterthan.scoring.texts import Missing, Outputs, Parallel, References, parallel
from betterthan.tables.checks import listed
from betterthan.tables.counts import Counts, Formula
from betterthan.tables.texts import Texts

_PARTS: tuple[Part, ...] = ("f1", "precision", "recall")
_AVERAGES: tuple[Average, ...] = ("micro", "macro", "weighted")
_WORDS = {
    "accuracy": "accuracy",
    "balanced-accuracy": "balanced accuracy",
    "f1": "F1",
    "kappa": "Cohen's kappa",
    "mcc": "MCC",
    "precision": "precision",
    "recall": "recall",
}
_OF_ALL = ("accuracy", "balanced-accuracy", "kappa", "mcc")
LABEL_METRICS = (
    *_OF_ALL,
    *_PARTS,
    *(f"{part}-{average}" for part in _PARTS for average in _AVERAGES),
)
"""Names of the metrics on labels."""
LABEL_OPTIONS = {
    name: frozenset({"positive"}) if name in _PARTS else frozenset({"labels"})
    for name in LABEL_METRICS
    if name not in _OF_ALL
}
"""Which options they take: the class of one, or the classes of an average."""

# Of two classes, the one that is looked for; as it is written in lower case.
_POSITIVE = (
    {"0", "1"},
    {"false", "true"},
    {"no", "yes"},
    {"n", "y"},
    {"negative", "positive"},
    {"neg", "pos"},
)
_FEW = 10


class _Metric(NamedTuple):
    """A metric by its parts: ("f1", "macro"), ("mcc", None)."""

    base: str
    average: str | None

    @property
    def is_of_one_class(self) -> bool:
        """Whether it is F1, precision or recall of a single class."""
        return self.base in _PARTS and self.average is None

    @property
    def adds_classes_up(self) -> bool:
        """Whether only sums over classes are needed, so that three numbers for each item suffice."""
        return self.base == "accuracy" or self.average == "micro" or self.is_of_one_class


class _Labels(NamedTuple):
    """Labels as numbers of classes, −1 for a class that does not count: (m, n) predicted, (n,) gold."""

    classes: tuple[str, ...]
    predicted: IntArray
    gold: IntArray


def label_counts(
    outputs: Outputs,
    references: References = None,
    *,
    metric: str = "accuracy",
    positive: object = None,
    labels: Sequence[object] | None = None,
    missing: Missing = "raise",
) -> Counts:
    """Count what a score of predicted labels is made of; :func:`betterthan.score` describes the options.

    Examples
    --------
    >>> counts = label_counts({"A": ["cat", "dog", "dog"]}, ["cat", "cat", "dog"], metric="f1-macro")
    >>> counts.pooled().round(4)
    array([0.6667])
    """
    if metric not in LABEL_METRICS:
        raise unknown_name("metric of labels", metric, LABEL_METRICS)
    parts = (
        _Metric(*metric.split("-")) if metric.count("-") and metric not in _OF_ALL else _Metric(metric, None)
    )
    texts = _parallel_labels(outputs, references, missing)
    found = _numbered(texts, parts, positive, labels)
    formula = _formula(parts, found, is_listed=labels is not None)
    names = ("all",) if parts.adds_classes_up else found.classes
    return counts_of(
        texts,
        _counted(found, adds_up=parts.adds_classes_up),
        formula,
        columns=[f"{kind}: {name}" for kind in ("right", "predicted", "gold") for name in names],
        notes=_notes(texts, found, parts, formula, is_listed=labels is not None),
    )


def _parallel_labels(outputs: Outputs, references: References, missing: Missing) -> Parallel:
    """Check labels like texts; blanks around them do not count, and an empty prediction is a missing one."""
    if isinstance(outputs, Texts):
        lists = tuple(tuple(_none_if_empty(line) for line in lines) for lines in outputs.outputs)
        outputs = replace(outputs, outputs=lists)
    elif isinstance(outputs, Mapping):
        outputs = {
            name: [_none_if_empty(line) for line in _as_texts(lines)] for name, lines in outputs.items()
        }
    texts = parallel(outputs, _as_references(references), missing=missing, are_prose=False)
    if len(texts.references) > 1:
        raise TableError(
            f"There are {len(texts.references)} references, but an item has one gold label. Pass one of them."
        )
    empty = [texts.segments[i] for i, line in enumerate(texts.references[0]) if not (line or "").strip()]
    if empty:
        raise TableError(f"No gold label for segment {some_of(empty)}. Every item needs one.")
    return texts


def _none_if_empty(line: str | None) -> str | None:
    return line if line is None or not isinstance(line, str) or line.strip() else None


def _as_references(references: Any) -> Any:  # noqa: ANN401  (what parallel() checks)
    if references is None or isinstance(references, str):
        return references
    if isinstance(references, Mapping):
        return {name: _as_texts(lines) for name, lines in references.items()}
    parts = listed(references, what="references")
    return _as_texts(parts) if all(_is_label(part) for part in parts) else [_as_texts(part) for part in parts]


def _as_texts(lines: Any) -> Any:  # noqa: ANN401  (what parallel() checks)
    """Return labels as texts: whole numbers and True and False are written out, everything else is left as it is."""
    if isinstance(lines, str) or not hasattr(lines, "__iter__"):
        return lines
    return [str(line) if isinstance(line, bool | np.bool_ | int | np.integer) else line for line in lines]


def _is_label(part: object) -> bool:
    return part is None or isinstance(part, str | bool | np.bool_ | int | np.integer)


def _numbered(texts: Parallel, metric: _Metric, positive: object, labels: Sequence[object] | None) -> _Labels:
    gold = [str(line).strip() for line in texts.references[0]]
    predicted = [[line.strip() for line in lines] for lines in texts.outputs]
    seen = sorted({*gold, *(line for lines in predicted for line in lines)} - {""})
    if metric.is_of_one_class:
        classes: Sequence[str] = [_positive(seen, positive, metric)]
    elif labels is not None:
        classes = _chosen(labels, seen)
    else:
        # Of an output that is missing, MCC and kappa must know that it is there.
        classes = [*seen, ""] if metric.base in ("mcc", "kappa") and any("" in x for x in predicted) else seen
    number = {name: i for i, name in enumerate(classes)}
    return _Labels(
        tuple(classes),
        np.array([[number.get(line, -1) for line in lines] for lines in predicted], dtype=np.int64),
        np.array([number.get(line, -1) for line in gold], dtype=np.int64),
    )


def _positive(seen: Sequence[str], positive: object, metric: _Metric) -> str:
    """Return the class that is looked for: the one named, or of two such as 0 and 1 the second."""
    if positive is not None:
        name = str(positive).strip()
        if name not in seen:
            raise unknown_name("class", name, seen)
        return name
    pair = next((each for each in _POSITIVE if {name.lower() for name in seen} <= each), None)
    if pair is None:
        raise BetterThanError(
            Message(
                "{metric} of one class needs {positive}; the classes are {classes}. For all of them use "
                "{metric}-macro, {metric}-micro or {metric}-weighted.",
                metric=metric.base,
                positive=Option("positive", NAME),
                classes=some_of(seen),
            )
        )
    return next((name for name in seen if name.lower() == max(pair)), max(pair))


def _chosen(labels: Sequence[object], seen: Sequence[str]) -> list[str]:
    names = [str(label).strip() for label in listed(labels, what="labels")]
    if not names or len(set(names)) < len(names):
        raise BetterThanError("labels must name one or more different classes.")
    unknown = [name for name in names if name not in seen]
    if len(unknown) == len(names):
        raise unknown_name("class", unknown[0], seen)
    return names


def _counted(found: _Labels, *, adds_up: bool) -> FloatArray:
    """Return for each item which class was right, predicted and gold: (m, n, 3 K), or (m, n, 3) of all classes."""
    (m, n), n_classes = found.predicted.shape, 1 if adds_up else len(found.classes)
    require(
        16.0 * m * n * 3 * n_classes, f"Counting {n_classes:,} classes", instead="Use accuracy or f1-micro"
    )
    right = (found.predicted == found.gold) & (found.gold >= 0)
    if adds_up:
        marks = (right, found.predicted >= 0, np.broadcast_to(found.gold >= 0, (m, n)))
        return np.stack(marks, axis=-1).astype(np.float64)
    values = np.zeros((m, n, 3, n_classes))
    names = np.arange(n_classes)
    values[:, :, 2] = found.gold[:, None] == names
    for system, predicted, is_right in zip(values, found.predicted, right, strict=True):
        system[:, 1] = predicted[:, None] == names
        system[:, 0] = system[:, 1] * is_right[:, None]
    return values.reshape(m, n, -1)


def _formula(metric: _Metric, found: _Labels, *, is_listed: bool) -> Formula:
    base = _WORDS[metric.base]
    name = base if metric.average is None else f"{metric.average} {base}"
    settings: dict[str, object] = {}
    pooled: Callable[[FloatArray], FloatArray] = CLASS_FORMULAS[metric.base]
    if metric.is_of_one_class:
        name = f"{base} of {found.classes[0]}"
    elif metric.average is not None:
        settings["classes"] = ",".join(found.classes) if is_listed else "all"
    if metric.average in ("macro", "weighted"):
        settings["undefined"] = 0
        options: dict[str, Any] = {"part": metric.base, "average": metric.average, "is_listed": is_listed}
        pooled = partial(mean_of_classes, **options)
    return Formula(
        name=own_signature(name, **settings),
        pooled=pooled,
        segment=all_right,
        limits=(-1.0, 1.0) if metric.base in ("mcc", "kappa") else (0.0, 1.0),
    )


def _notes(
    texts: Parallel, found: _Labels, metric: _Metric, formula: Formula, *, is_listed: bool
) -> list[str]:
    notes: list[str] = [method_note("Signature: {formula}.", formula=formula.name)]
    in_gold = {str(line).strip() for line in texts.references[0]}
    for system, lines in zip(texts.systems, texts.outputs, strict=True):
        strange = [line.strip() for line in lines if line.strip() and line.strip() not in in_gold]
        if strange:
            notes.append(
                Message(
                    "{system} predicts labels that the gold labels never have: {names} ({n:,} {items}).",
                    system=system,
                    names=some_of(sorted(set(strange))),
                    n=len(strange),
                    items="item" if len(strange) == 1 else "items",
                )
            )
    if metric.average in ("macro", "weighted") or metric.is_of_one_class:
        notes += _undefined(texts, found, metric, is_listed=is_listed or metric.is_of_one_class)
    if metric.average == "macro" or metric.base == "balanced-accuracy":
        notes += _rare(found)
    return notes


def _undefined(texts: Parallel, found: _Labels, metric: _Metric, *, is_listed: bool) -> list[str]:
    """A note on classes without a prediction, a gold label or both, whose score is undefined, by system."""
    in_gold = set(found.gold.tolist())
    bare: dict[str, list[str]] = {}
    for system, predicted in zip(texts.systems, found.predicted, strict=True):
        kept = set(predicted.tolist())
        for i, name in enumerate(found.classes):
            if not is_listed and i not in in_gold and i not in kept:
                continue  # left out of the mean for this system
            is_bare = {"precision": i not in kept, "recall": i not in in_gold}
            if is_bare.get(metric.base, i not in kept and i not in in_gold):
                bare.setdefault(name, []).append(system)
    if not bare:
        return []
    reason = {"precision": "it is never predicted", "recall": "the gold labels never have it"}
    return [
        Message(
            "{metric} is undefined{counted} where {reason}: {classes}.",
            metric=_WORDS[metric.base].capitalize(),
            counted="" if metric.average is None else " and counts as 0",
            reason=reason.get(metric.base, "a class is neither predicted nor in the gold labels"),
            classes=some_of([f"{name} ({some_of(systems)})" for name, systems in bare.items()]),
        )
    ]


def _rare(found: _Labels) -> list[str]:
    """A note on classes with so few items that a mean over classes depends on each of them."""
    sizes = np.bincount(found.gold[found.gold >= 0], minlength=len(found.classes))
    rare = [
        f"{name} ({size})"
        for name, size in zip(found.classes, sizes.tolist(), strict=True)
        if 0 < size < _FEW
    ]
    if not rare:
        return []
    return [
        Message(
            "Classes with fewer than {few} gold items count as much as the others: {names}.",
            few=_FEW,
            names=some_of(rare),
        )
    ]
