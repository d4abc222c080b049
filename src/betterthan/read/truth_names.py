"""Names of what systems are measured by: gold, truth, labels; nothing called so can win."""

from __future__ import annotations

import re
from collections.abc import Sequence

from betterthan.errors import ReadError
from betterthan.read.grid import quoted

TRUTH_WORDS = frozenset({"gold", "golden", "truth", "groundtruth", "ground", "gt", "label", "labels"})
# Among predictions of quality these are the truth too; in a table of scores they are human translations, which are
# ranked with a note.
_OF_PREDICTIONS = TRUTH_WORDS | {
    "human", "humans", "target", "targets", "ref", "refs", "reference", "references"
}  # fmt: skip


def is_truth(name: str) -> bool:
    """Whether a name, as a whole, is one of the truth.

    Examples
    --------
    >>> [is_truth(name) for name in ("gold", "Ground Truth", "gold_labels", "Gold-7B", "refA", "_")]
    [True, True, True, False, False, False]
    """
    words = _words(name)
    is_plain = re.fullmatch(r"[A-Za-z\s_.-]+", name) is not None  # "Gold-7B" is a system
    return is_plain and bool(words) and all(word in TRUTH_WORDS for word in words)


def is_truth_of_predictions(name: str) -> bool:
    """Whether a word of a name says that it is what predictions are compared with.

    Examples
    --------
    >>> [is_truth_of_predictions(name) for name in ("gold", "en-de.gold_labels", "refA", "Goldfish", "ours")]
    [True, True, True, False, False]
    """
    return any(word in _OF_PREDICTIONS for word in _words(name))


def refuse_truth(systems: Sequence[str], *, path: str | None) -> None:
    """Refuse the truth among the systems of a table of scores.

    Raises
    ------
    ReadError
        When some of the systems, and not all, are named like the truth (BT231).
    """
    truth = [name for name in systems if is_truth(name)]
    if truth and len(truth) < len(systems):
        raise ReadError(
            f"{quoted(truth[0])} is named like the truth and would be ranked as a system. Leave its file out, or keep "
            f"the rows of the others with --where; if it is a system, rename it.",
            path=path,
            code="BT231",
        )


def _words(name: str) -> list[str]:
    return [word.casefold() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+", name)]
