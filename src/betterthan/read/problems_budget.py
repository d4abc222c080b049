"""Codes BT250 to BT259: data and work beyond the memory budget; see :mod:`betterthan.read.problems`."""

from __future__ import annotations

BUDGET_PROBLEMS: dict[str, tuple[str, str, str]] = {
    "BT250": (
        "more memory than the budget",
        "The work would need more memory than the budget, which by default is half of what the machine has free.",
        "Take a part of the data or fewer resamples, or raise the budget: --memory 16GB, BETTERTHAN_MEMORY=16GB.",
    ),
    "BT251": (
        "too many different keys",
        "Each key of the JSON objects is a column, and there are more keys than any table has columns.",
        'Put what varies from row to row into values: {"system": "A", "score": 0.5} instead of {"A": 0.5}.',
    ),
    "BT252": (
        "endless stream",
        "Standard input or an open file brought more than eight times the memory budget, or half of the free disk.",
        "Save it to a file and give that, or raise the budget: --memory 16GB.",
    ),
}
"""Title, meaning and cure by code."""
