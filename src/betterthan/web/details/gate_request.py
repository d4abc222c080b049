"""What is asked of a gate on its page, and where a run keeps the answer."""

from __future__ import annotations

import hashlib
import json
from typing import NamedTuple

_LAYOUT = 1  # of the stored files; one of another layout is made anew
_DIGITS = 16
PREFIX = "gate-"


class GateRequest(NamedTuple):
    """The options of a gate as fields of a form.

    Attributes
    ----------
    metric : str
        Empty for battles.
    baseline, candidate : str
    margin : float
    """

    metric: str = ""
    baseline: str = ""
    candidate: str = ""
    margin: float = 0.0

    @property
    def details(self) -> dict[str, str]:
        """The request as the task of a worker.

        Examples
        --------
        >>> GateRequest.of(GateRequest("acc", "A", "B", 0.02).details).margin
        0.02
        """
        return {**self._asdict(), "margin": repr(self.margin)}

    @staticmethod
    def of(details: dict[str, str]) -> GateRequest:
        """Return the request of a worker's task."""
        return GateRequest(
            metric=details["metric"],
            baseline=details["baseline"],
            candidate=details["candidate"],
            margin=float(details["margin"]),
        )

    @property
    def file(self) -> str:
        """The name of the stored answer; names of systems never become paths."""
        text = json.dumps(self.details, sort_keys=True)
        return f"{PREFIX}{_LAYOUT}-{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}.json"
