"""Names of the metrics that count something, as click knows them; a test keeps them and the metrics alike."""

from __future__ import annotations

from typing import Any

import click

_AVERAGED = [
    f"{part}-{average}"
    for part in ("f1", "precision", "recall")
    for average in ("micro", "macro", "weighted")
]
METRIC_NAMES = (
    *("bleu", "chrf", "chrf++", "ter"),
    *("accuracy", "balanced-accuracy", "f1", "precision", "recall", *_AVERAGED, "mcc", "kappa"),
    *("wer", "cer", "mer", "wil"),
    *(f"rouge-{kind}{part}" for kind in ("1", "2", "l", "lsum") for part in ("", "-precision", "-recall")),
    *("exact-match", "token-f1"),
)
"""Written out, because the metrics themselves take a quarter of a second to load."""


class MetricName(click.Choice[str]):
    """A metric, or one of a single class: ``f1:spam``."""

    def __init__(self) -> None:
        super().__init__(METRIC_NAMES)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:  # noqa: ANN401
        """Return the name as it was typed."""
        base, colon, label = str(value).partition(":")
        if colon and label and base in ("f1", "precision", "recall"):
            return str(value)
        return super().convert(value, param, ctx)

    def get_metavar(self, param: click.Parameter, ctx: click.Context | None = None) -> str:  # noqa: ARG002
        """Return what the help shows; the names are too many for a line."""
        return "METRIC"
