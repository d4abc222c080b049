"""From the shared computing options to the arguments of a verb."""

from __future__ import annotations

from typing import Any

from betterthan.cli.streams import progress_display
from betterthan.engine.cache import Cache


def computing_arguments(given: dict[str, Any]) -> dict[str, Any]:
    """Take ``--seed``, ``--resamples``, ``--workers`` and ``--no-cache`` out of `given`, as a verb calls them."""
    seed, resamples, workers = given.pop("seed"), given.pop("resamples"), given.pop("workers")
    cache = None if given.pop("no_cache") else Cache()
    arguments = {"rng": seed, "workers": workers, "cache": cache, "progress": progress_display()}
    return arguments if resamples is None else {**arguments, "n_resamples": resamples}
