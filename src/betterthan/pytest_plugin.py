"""Fixture for pytest: ``assert_not_worse`` fails a test when a candidate is worse than a baseline.

pytest finds it where betterthan is installed. Nothing is imported before a test asks for it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from betterthan.results.decisions import Gate


def not_worse(
    baseline: object, candidate: object = None, *, margin: object, undecided: str = "fail", **options: object
) -> Gate:
    """Return the gate of a candidate, if it is shown not to be worse than the baseline by more than the margin.

    Parameters
    ----------
    baseline, candidate, margin
        As for :func:`betterthan.gate`.
    undecided : {"fail", "pass", "skip"}, default "fail"
        What happens where the data do not suffice.
    **options
        Others of :func:`betterthan.gate`.

    Raises
    ------
    AssertionError
        With the table of the gate, when it fails or is undecided.

    Examples
    --------
    >>> not_worse([5, 6, 5, 7, 6, 5, 6, 7], [6, 8, 6, 8, 7, 7, 7, 8], margin=0.5).verdict
    'better'
    """
    from betterthan.analysis.gate.gate import gate
    from betterthan.errors import unknown_name

    __tracebackhide__ = True
    if undecided not in ("fail", "pass", "skip"):
        raise unknown_name("undecided", undecided, ("fail", "pass", "skip"))
    options["undecided"] = "pass" if undecided == "pass" else "fail"
    verb: Callable[..., Gate] = gate  # which checks what it is given
    found = verb(baseline, candidate, margin=margin, **options)
    if undecided == "skip" and found.verdict == "undecided":
        pytest.skip(f"The gate is undecided.\n{found}")
    if not found.passed:
        raise AssertionError(f"\n{found}")
    return found


@pytest.fixture(scope="session")
def assert_not_worse() -> Callable[..., Gate]:
    """Return a function that fails the test unless a candidate is shown not to be worse; see :func:`not_worse`."""
    return not_worse
