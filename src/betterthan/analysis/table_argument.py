"""What a verb was given: a table, or something that must be read first."""

from __future__ import annotations

from betterthan.errors import TableError


def check_table(given: object, kinds: tuple[type, ...], *, verb: str) -> None:
    """Refuse what is no table, such as a path or a data frame, and say how to make one.

    Examples
    --------
    >>> from betterthan.tables.scores import Scores
    >>> check_table("scores.csv", (Scores,), verb="rank")
    Traceback (most recent call last):
    ...
    betterthan.errors.TableError: rank takes Scores, not str. Read it first, such as bt.read_scores("scores.csv").
    """
    if isinstance(given, kinds):
        return
    names = [kind.__name__ for kind in kinds]
    some = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
    path = f'"{given}"' if isinstance(given, str) else "…"
    raise TableError(
        f"{verb} takes {some}, not {type(given).__name__}. Read it first, such as bt.read_scores({path})."
    )
