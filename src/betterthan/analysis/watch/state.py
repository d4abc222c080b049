"""The state of a watch: what was counted and how, in a file, so that it can be continued.

The file is a function of all that was counted, whatever the number of looks, and is replaced as a whole: a watch that
was stopped at any moment continues with the same bytes.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from betterthan.analysis.watch.sequences import Sequences
from betterthan.arrays import FloatArray, IntArray
from betterthan.errors import BetterThanError
from betterthan.messages import Message, Option
from betterthan.writing import write_whole

SCHEMA = "betterthan.watch/1"
_TELLING = 10
"""Units that are the same as those counted before by mistake, and not by chance."""
_INTEGERS = ("first", "second")


class Chosen(NamedTuple):
    """The options of a watch, which stay the same."""

    horizon: int | None
    expected: float | None
    margin: float | None
    alternative: str
    alpha: float
    bounds: Sequence[float] | None
    units: str
    missing: str

    def plain(self) -> dict[str, Any]:
        """Return the options as JSON has them."""
        bounds = None if self.bounds is None else [float(each) for each in self.bounds]
        return {**self._asdict(), "bounds": bounds}


def continued(new: Sequences, chosen: Chosen, path: Path, *, append: bool) -> Sequences:
    """Return what was counted before and what is new, and store it in the file.

    Raises
    ------
    BetterThanError
        When the file is not a state, an option or a system is another one, or what was counted has changed.
    """
    before = _read(path) if path.exists() else None
    if before is None:
        together = new
    else:
        _check_same(before, new, chosen, path)
        known = _columns(before, path)
        if append:
            _refuse_twice(known, new)
            columns = {name: np.concatenate([known[name], new.columns[name]], axis=-1) for name in known}
            together = new._replace(columns=columns)
        else:
            _check_beginning(known, new, path)
            together = new
    text = json.dumps(_plain(together, chosen), allow_nan=False, ensure_ascii=False, separators=(",", ":"))
    if before is None or before != json.loads(text):
        write_whole(path, text + "\n")
    return together


def _plain(found: Sequences, chosen: Chosen) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "options": chosen.plain(),
        "systems": list(found.systems),
        "unit": found.unit,
        "comparison": found.comparison,
        "measured": found.measured,
        "bound": found.bound if math.isfinite(found.bound) else None,
        "columns": {name: column.tolist() for name, column in found.columns.items()},
    }


def _read(path: Path) -> Mapping[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise _not_a_state(path) from error
    if (
        not isinstance(data, dict)
        or data.get("schema") != SCHEMA
        or not isinstance(data.get("options"), dict)
    ):
        raise _not_a_state(path)
    return data


def _not_a_state(path: Path) -> BetterThanError:
    return BetterThanError(
        Message(
            "{file} is not the state of a watch. Name another file with {state}, which will be written.",
            file=path.name,
            state=Option("state"),
        )
    )


def _columns(data: Mapping[str, Any], path: Path) -> dict[str, FloatArray | IntArray]:
    found: dict[str, FloatArray | IntArray] = {}
    try:
        for name, column in data["columns"].items():
            found[name] = np.array(column, np.int64) if name in _INTEGERS else np.array(column, np.float64)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise _not_a_state(path) from error
    return found


def _check_same(before: Mapping[str, Any], new: Sequences, chosen: Chosen, path: Path) -> None:
    for name, value in chosen.plain().items():
        known = before["options"].get(name)
        if known != value:
            raise BetterThanError(
                Message(
                    "{file} was begun {how}. Evidence is valid only if the options stay the same: use those, or begin "
                    "another watch with another {state}.",
                    file=path.name,
                    how=Message("with {option}", option=Option(name, known))
                    if known is not None
                    else Message("without {option}", option=Option(name, value)),
                    state=Option("state"),
                )
            )
    now = _plain(new, chosen)
    for name, noun in (
        ("systems", "systems"),
        ("unit", "unit"),
        ("measured", "metric"),
        ("comparison", "data"),
    ):
        if before.get(name) != now[name]:
            raise BetterThanError(
                Message(
                    "{file} was begun with other {noun}: {before}, now {now}. Begin another watch, or choose the same "
                    "systems and columns.",
                    file=path.name,
                    noun=noun,
                    before=_listed(before.get(name)),
                    now=_listed(now[name]),
                )
            )


def _listed(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _check_beginning(known: Mapping[str, FloatArray | IntArray], new: Sequences, path: Path) -> None:
    """Raise where the data do not begin with what was counted."""
    n = known["sizes"].size
    if new.n_units < n:
        raise BetterThanError(
            Message(
                "{file} has counted {n} {unit}, and the data have {now}. If they are only what is new, use {append}.",
                file=path.name,
                n=f"{n:,}",
                unit=new.unit,
                now=f"{new.n_units:,}",
                append=Option("append", value=True),
            )
        )
    changed = np.zeros(n, dtype=np.bool_)
    for name, column in known.items():
        different = new.columns[name][..., :n] != column
        changed |= different if different.ndim == 1 else different.any(axis=0)
    if changed.any():
        raise BetterThanError(
            Message(
                "Number {place} of the {unit} that {file} has counted is another one now: rows were changed, reordered "
                "or inserted, or a group of rows was counted before it was complete. New rows belong at the end.",
                place=f"{int(changed.argmax()) + 1:,}",
                unit=new.unit,
                file=path.name,
            )
        )


def _refuse_twice(known: Mapping[str, FloatArray | IntArray], new: Sequences) -> None:
    """Raise where everything that was counted would be counted again."""
    n = known["sizes"].size
    if _TELLING <= n <= new.n_units and all(
        bool((new.columns[name][..., :n] == column).all()) for name, column in known.items()
    ):
        raise BetterThanError(
            Message(
                "The data begin with the {n} {unit} that were counted before. Leave out {append}.",
                n=f"{n:,}",
                unit=new.unit,
                append=Option("append", value=True),
            )
        )
