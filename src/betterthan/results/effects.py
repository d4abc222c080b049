"""What moves votes besides the systems: covariates such as length, and the side on which an answer is shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from betterthan.arrays import FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Effects:
    """Effects of covariates on the odds that the left system wins.

    Attributes
    ----------
    names : tuple of str
    log_odds, low, high : array, shape (c,)
        Change of the log odds per standard deviation of the covariate, with its interval.
    pvalue : array, shape (c,)
        Two-sided, of no effect.

    Examples
    --------
    >>> import betterthan as bt
    >>> battles = {"left": ["X", "Y"] * 8, "right": ["Y", "X"] * 8, "winner": ["X", "Y", "Y", "X"] * 4,
    ...            "longer": [2, 1, -1, -2, -1, 2, 1, -1] * 2}
    >>> effects = bt.rank(bt.read_matches(battles, covariates=["longer"])).effects
    >>> effects.names, bool(effects.log_odds[0] > effects.low[0])
    (('longer',), True)
    """

    names: tuple[str, ...]
    log_odds: FloatArray
    low: FloatArray
    high: FloatArray
    pvalue: FloatArray

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row per covariate."""
        numbers = {name: getattr(self, name).tolist() for name in ("log_odds", "low", "high", "pvalue")}
        return {"covariate": self.names, **numbers}


@dataclass(frozen=True, slots=True, kw_only=True)
class SideEffect:
    """Whether being shown on the left changes the odds of winning.

    Attributes
    ----------
    left_wins, right_wins : float
        Decided battles.
    log_odds, low, high : float
        Change of the log odds for the system on the left, with its interval.
    pvalue : float
        Two-sided, of no effect.

    Examples
    --------
    >>> import betterthan as bt
    >>> battles = {"left": ["A", "B"] * 30, "right": ["B", "A"] * 30, "winner": ["left"] * 40 + ["right"] * 20}
    >>> side = bt.rank(battles).side
    >>> side.left_wins, round(side.log_odds, 2), side.pvalue < 0.05
    (40.0, 0.67, True)
    """

    left_wins: float
    right_wins: float
    log_odds: float
    low: float
    high: float
    pvalue: float
