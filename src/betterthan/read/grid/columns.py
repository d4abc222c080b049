"""Roles of columns, found by name or set by the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from betterthan.errors import ReadError, unknown_name
from betterthan.messages import COLUMN, Message, Option

# For each role the first name that occurs is used; case and punctuation are ignored.
ROLES: dict[str, tuple[str, ...]] = {
    "item": (
        "item", "item_id", "id", "example_id", "instance_id", "instance", "sample_id", "doc_hash", "segment",
        "segment_id", "seg", "seg_id", "sid", "line_id", "line", "index", "idx", "question_id",
        "global_seg_id", "doc_seg_id", "doc_segment_id",
    ),
    "system": (
        "system", "system_id", "sys", "sys_id", "systemid", "model", "model_name", "model_id", "generator",
        "mt_model",
    ),
    "score": ("score", "value", "rating", "mean", "z_mean", "esa_score"),
    "metric": ("metric", "metric_name", "scorer", "measure"),
    "group": ("doc", "doc_id", "document_id", "docid", "document", "group"),
    "judge": ("rater", "rater_id", "annotator", "user_id", "userid", "judge", "judge_id", "worker_id"),
    "direction": ("higher_is_better",),
    "run": (
        "run", "run_id", "seed", "trial", "replicate", "replication", "rerun", "sample", "repeat", "repetition",
        "attempt", "epoch",
    ),
}  # fmt: skip
# The names of the columns of battles: the two systems, and who won.
SIDES = (
    ("left", "right"),
    ("model_a", "model_b"),
    ("model_1", "model_2"),
    ("model_left", "model_right"),
    ("system_a", "system_b"),
    ("system_1", "system_2"),
    ("system1_id", "system2_id"),
    ("generator_1", "generator_2"),
    ("player_a", "player_b"),
    ("chosen_model", "rejected_model"),
    ("a", "b"),
)
WINNERS = ("winner", "outcome", "preference", "result", "vote")
SEVERAL_WINNERS = (("winner_model_a", "winner_model_b", "winner_tie"), ("g1_winner", "g2_winner"))
RANKS = (
    ("system1_rank", "system2_rank"),
    ("rank_1", "rank_2"),
    ("rank_a", "rank_b"),
    ("left_rank", "right_rank"),
)
"""Two columns in which 1 is best and equal numbers are a tie."""
# Columns that describe a row and are never a system or a metric.
DESCRIPTIVE = (
    "domain", "category", "genre", "split", "subject", "task", "lp", "lang", "language", "pair", "weight", "seed",
    "run", "trial", "epoch", "repeat", "time", "timestamp", "source", "target", "reference", "kind", "start", "end",
    "doc_seg_id", "doc_segment_id",
)  # fmt: skip

TASKS = frozenset(
    (
        "task",
        "taskname",
        "dataset",
        "datasetname",
        "datasets",
        "tasks",
        "benchmark",
        "benchmarkname",
        "subtask",
    )
)
"""Names of a column of tasks, without case and punctuation."""

GOLD = frozenset(
    (
        *("gold", "goldlabel", "label", "labels", "ytrue", "true", "truelabel", "truth", "groundtruth"),
        *("target", "expected", "reference", "ref", "answer", "correctanswer", "actual"),
    )
)
"""Names of a column of gold labels, without case and punctuation."""


def plain(name: str) -> str:
    """Return a column's name without case and punctuation.

    Examples
    --------
    >>> plain("Seg_ID")
    'segid'
    """
    return "".join(c for c in name.casefold() if c.isalnum())


_DESCRIPTIVE = frozenset(map(plain, DESCRIPTIVE))


def is_descriptive(name: str) -> bool:
    """Whether a column only describes its row."""
    return plain(name) in _DESCRIPTIVE


_SCORE = frozenset(map(plain, ROLES["score"]))


def is_called_score(name: str) -> bool:
    """Whether a column has a generic name such as "score".

    Examples
    --------
    >>> is_called_score("Score"), is_called_score("COMET")
    (True, False)
    """
    return plain(name) in _SCORE


def find(
    header: Sequence[str], named: Mapping[str, str], roles: Sequence[str], *, path: str
) -> dict[str, int]:
    """Return the column of each of `roles` in the header.

    Raises
    ------
    UnknownName
        When the user named a column that does not exist.
    ReadError
        When two columns match a role equally well (BT020).
    """
    positions: dict[str, int] = {}
    by_name: dict[str, list[int]] = {}
    for column, name in enumerate(header):
        by_name.setdefault(plain(name), []).append(column)
    for role in roles:
        if role in named:
            positions[role] = _position(named[role], header)
    for role in roles:
        if role not in positions:
            hit = _by_name(header, by_name, role, taken=set(positions.values()), path=path)
            if hit is not None:
                positions[role] = hit
    return positions


def _position(name: str, header: Sequence[str]) -> int:
    if name not in header:
        raise unknown_name("column", name, header)
    return list(header).index(name)


def _by_name(
    header: Sequence[str], by_name: Mapping[str, list[int]], role: str, *, taken: set[int], path: str
) -> int | None:
    for name in ROLES[role]:
        fitting = [column for column in by_name.get(plain(name), ()) if column not in taken]
        if len(fitting) > 1:
            first, second = (header[column] for column in fitting[:2])
            raise ReadError(
                Message(
                    'The {role} may be in column "{first}" or in column "{second}". Choose one with {fix}.',
                    role=role,
                    first=first,
                    second=second,
                    fix=role_option(role, first),
                ),
                path=path,
                code="BT020",
            )
        if fitting:
            return fitting[0]
    return None


def role_option(role: str, column: str | None = COLUMN) -> Option:
    """Return the option that names the column of a role.

    Examples
    --------
    >>> str(role_option("item")), str(role_option("metric", "measure"))
    ('item=COLUMN', 'metric_column="measure"')
    """
    return Option("metric_column" if role == "metric" else role, column)
