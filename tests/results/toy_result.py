"""A kind of result that the package does not know: everything a new one needs is in this module."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from betterthan.arrays import FloatArray
from betterthan.present.charts.drawing import Drawing, altair, headed, rows
from betterthan.present.charts.theme import Theme
from betterthan.present.table import Table, TableColumn
from betterthan.results.base import NamedRows, Result, best_name, row_at
from betterthan.results.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class TossedCoin:
    """One coin."""

    coin: str
    heads: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class CoinTosses(NamedRows[TossedCoin], Result):
    """Share of heads of each coin, fairest first."""

    kind: ClassVar[str] = "coin_tosses"
    row_type: ClassVar[type] = TossedCoin
    row_noun: ClassVar[str] = "coin"

    coins: tuple[str, ...]
    heads: FloatArray
    notes: tuple[str, ...]
    settings: Settings

    @property
    def best(self) -> str:
        """The fairest."""
        return best_name(self.coins, self.heads)

    def _row_names(self) -> tuple[str, ...]:
        return self.coins

    def _row(self, i: int) -> TossedCoin:
        return row_at(self, i, TossedCoin, coin=self.coins[i])

    def columns(self) -> dict[str, Sequence[Any]]:
        """Return one row a coin."""
        return {"coin": self.coins, "heads": self.heads.tolist()}


def coin_tosses_table(result: CoinTosses) -> Table:
    """Return the coins with their shares."""
    return Table(
        title="Coins",
        columns=(TableColumn(heading="coin"), TableColumn(heading="heads", kind="number")),
        rows=tuple((row.coin, row.heads) for row in result),
        notes=result.notes,
        signature=result.settings.signature,
    )


def coin_tosses_chart(result: CoinTosses, theme: Theme, *, title: str | None = None) -> Drawing:
    """Draw a bar a coin."""
    bars = altair().Chart(rows(result.columns())).mark_bar().encode(x="heads:Q", y="coin:N")
    return headed(bars, theme, title="How fair are the coins?", override=title)
