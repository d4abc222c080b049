"""Settings: how a result was made, as fields and as one line."""

from __future__ import annotations

from dataclasses import dataclass

from betterthan import __version__

SettingValue = str | int | float | bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Everything needed to make the result again, except the data themselves.

    Parameters
    ----------
    method : str
        Such as "mean" or "bradley_terry".
    options : dict of str to str, int, float, bool or None
        In the order in which the signature shows them; None is left out of the signature.
    seed : int, optional
        Of the random streams; None when nothing was drawn.
    n_systems, n_segments : int, optional
        Size of the data.
    data : str
        Digest of the data.
    version : str
        Of this package.

    Examples
    --------
    >>> print(Settings(method="mean", options={"ci": "95,percentile,2000"}, seed=12345,
    ...                n_systems=3, n_segments=1997, data="9f3c1a2b", version="0.1.0"))
    betterthan|mean|n:1997|k:3|ci:95,percentile,2000|seed:12345|data:9f3c1a2b|version:0.1.0
    """

    method: str
    options: dict[str, SettingValue]
    data: str
    seed: int | None = None
    n_systems: int | None = None
    n_segments: int | None = None
    version: str = __version__

    @property
    def signature(self) -> str:
        """One line that makes the number comparable, after the example of sacreBLEU."""
        size = {"n": self.n_segments, "k": self.n_systems}
        rest = {"seed": self.seed, "data": self.data, "version": self.version}
        parts = {**size, **self.options, **rest}
        shown = [f"{key}:{_plain(value)}" for key, value in parts.items() if value is not None]
        return "|".join(["betterthan", self.method, *shown])

    def __str__(self) -> str:
        return self.signature


def _plain(value: SettingValue) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    text = f"{value:g}" if isinstance(value, float) else str(value)
    # "|" and ":" separate fields, so names of files or columns must not bring their own.
    return text.replace("|", "/").replace(":", "=")
