"""What is asked of a watch on its page, and where a run keeps the answer."""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

_LAYOUT = 1  # of the stored files; one of another layout is made anew
_DIGITS = 16
PREFIX = "watch-"


class WatchRequest(NamedTuple):
    """The options of a watch as fields of a form; empty or 0 where nothing is asked.

    Attributes
    ----------
    metric : str
        Empty for battles.
    a, b : str
        Two systems; all where they are empty. With a margin, a is the baseline.
    horizon, top : int
    margin : float
    """

    metric: str = ""
    a: str = ""
    b: str = ""
    horizon: int = 0
    margin: float = 0.0
    top: int = 0

    @property
    def systems(self) -> tuple[str, str] | None:
        """The two systems, or None for all."""
        return (self.a, self.b) if self.a and self.b else None

    @property
    def details(self) -> dict[str, str]:
        """The request as the task of a worker.

        Examples
        --------
        >>> WatchRequest.of(WatchRequest(a="A", b="B", margin=0.02).details).margin
        0.02
        """
        return {
            name: repr(value) if name == "margin" else str(value) for name, value in self._asdict().items()
        }

    @staticmethod
    def of(details: dict[str, str]) -> WatchRequest:
        """Return the request of a worker's task."""
        return WatchRequest(
            metric=details["metric"],
            a=details["a"],
            b=details["b"],
            horizon=int(details["horizon"]),
            margin=float(details["margin"]),
            top=int(details["top"]),
        )

    @property
    def file(self) -> str:
        """The name of the stored answer; names of systems never become paths."""
        text = json.dumps(self.details, sort_keys=True)
        return f"{PREFIX}{_LAYOUT}-{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}.json"
