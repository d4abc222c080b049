"""What a row of the coverage shows: the output of its command, the same as JSON, and the files behind it."""

from __future__ import annotations

import csv
import json
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

import betterthan as bt
from betterthan.kernels.agreement.tau_tables import tau
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.fixed_point import fixed_point
from betterthan.kernels.comparisons.wins import win_counts
from betterthan.kernels.ratings.elo import elo

PYTHON = "python: "
NAMES = {"bt": bt, "np": np, "tau": tau, "elo": elo, "win_counts": win_counts}
NAMES |= {"fixed_point": fixed_point, "bradley_terry": bradley_terry}


@dataclass(frozen=True)
class Shown:
    """One row while it is checked.

    Attributes
    ----------
    command : str
        What follows ``betterthan``, or "python: " and an expression.
    folder : Path
        The working directory: the demo campaign, and small files of other kinds.
    run : callable
        Runs a command of betterthan, and returns standard output and standard error.
    """

    command: str
    folder: Path
    run: Callable[[str], tuple[str, str]]

    @cached_property
    def text(self) -> str:
        """What the command prints, with single spaces."""
        return self.says(self.command)

    def says(self, command: str) -> str:
        """Return what a command prints, both streams, with single spaces."""
        return " ".join(" ".join(self.run(command)).split())

    @cached_property
    def found(self) -> Any:
        """The result of the command, from its JSON."""
        return self.json(self.command)

    def json(self, command: str) -> Any:
        """Return the result of a command, from its JSON."""
        plain = command.replace(" --notes", "").replace(" --signature", "")
        return json.loads(self.run(f"{plain} -f json")[0])

    @cached_property
    def value(self) -> Any:
        """The value of the expression."""
        names = {**NAMES, "human": self.human, "metrics": self.metrics}
        return eval(self.command.removeprefix(PYTHON), names)  # noqa: S307  (our own file)

    @cached_property
    def human(self) -> bt.Scores:
        """Human scores of the demo campaign."""
        return bt.read_scores(self.folder / "demo" / "human.csv")

    @cached_property
    def metrics(self) -> dict[str, bt.Scores]:
        """Metrics of the demo campaign."""
        return bt.read_metrics(self.folder / "demo" / "metrics.tsv")

    def column(self, system: str) -> np.ndarray:
        """Return the human scores of a system, read by the standard library."""
        with (self.folder / "demo" / "human.csv").open(encoding="utf-8", newline="") as lines:
            return np.array([float(row[system]) for row in csv.DictReader(lines)])

    def of(self, name: str, *, by: str = "strength", found: Any = None) -> float:
        """Return one number of a system from a ranking."""
        ranking = self.found if found is None else found
        return ranking[by][ranking["systems"].index(name)]

    def table(self, name: str, found: Any = None) -> list[dict[str, Any]]:
        """Return the rows of a table of a study."""
        (table,) = (one for one in (found or self.found)["tables"] if one["name"] == name)
        return [dict(zip(table["columns"], row, strict=True)) for row in table["rows"]]

    def printed(self, name: str) -> list[dict[str, Any]]:
        """Return the numbers of the paper beside a table of a study."""
        (table,) = (one for one in self.found["tables"] if one["name"] == name)
        return [dict(zip(table["columns"], row, strict=True)) for row in table["printed"]]

    def claims(self) -> dict[str, str]:
        """Return whether each claim of the paper holds in a study."""
        return {row["claim"]: row["holds"] for row in self.table("claims")}

    def chart(self, name: str) -> dict[str, Any]:
        """Return the data of a figure of a study."""
        (chart,) = (one for one in self.found["charts"] if one["name"] == name)
        return chart

    @cached_property
    def marks(self) -> list[dict[str, Any]]:
        """The marks of a figure: the same command, as Vega-Lite; that it writes the named file is seen first."""
        words = shlex.split(self.command)
        self.run(self.command)
        place = words.index("-o") + 1
        picture = self.folder / words[place]
        assert picture.read_text(encoding="utf-8").startswith("<svg"), picture.name
        words[place] = "marks.json"
        self.run(shlex.join(words))
        return list(_marks(json.loads((self.folder / "marks.json").read_text(encoding="utf-8"))))

    def drawn(self, kind: str, *fields: str) -> list[list[dict[str, Any]]]:
        """Return the data of all marks of a kind whose rows have these fields."""
        found = [
            mark["data"]["values"]
            for mark in self.marks
            if mark["mark"]["type"] == kind and mark.get("data", {}).get("values")
        ]
        return [values for values in found if all(field in values[0] for field in fields)]


def _marks(node: Any, data: dict[str, Any] | None = None) -> Iterator[dict[str, Any]]:
    """All marks below a node, each with the data that it inherits."""
    if isinstance(node, dict):
        data = node.get("data", data)
        if "mark" in node:
            yield {**node, "data": data or {}}
        for value in node.values():
            yield from _marks(value, data)
    elif isinstance(node, list):
        for value in node:
            yield from _marks(value, data)
