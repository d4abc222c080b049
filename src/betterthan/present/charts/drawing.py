"""What all charts share: Altair when it is needed, rows of data, names that fit, and a heading."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from betterthan.errors import MissingExtra
from betterthan.present.charts.theme import Theme, config
from betterthan.present.printable import printable
from betterthan.present.tables.ranking import method_name

# Whatever Altair makes, and Altair itself: it may be absent, so none of its types is named.
Drawing = Any
# A letter of the fonts is about so wide, in pixels at size 12.
_LETTER = 5.9
_MOST_LETTERS = 34
_METHODS = frozenset({"mean", "median", "win_rate", "bradley_terry", "elo", "trueskill"})


def altair() -> Drawing:
    """Return Altair, or say how to get it."""
    try:
        import altair as alt  # noqa: PLC0415  (an extra, and slow to import: only who draws pays for it)
    except ImportError as error:
        raise MissingExtra("A chart", extra="charts") from error
    return alt


def rows(columns: Mapping[str, Drawing]) -> Drawing:
    """Return columns of equal length as the data of a chart; NaN becomes null, and nothing a float has not."""
    plain = {name: [_plain(value) for value in values] for name, values in columns.items()}
    return altair().Data(
        values=[dict(zip(plain, row, strict=True)) for row in zip(*plain.values(), strict=True)]
    )


def _plain(value: object) -> object:
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        # Ten digits place a mark exactly enough, and do not differ between machines in the last bit.
        return float(f"{value:.10g}") if math.isfinite(value) else None
    return value


def names(labels: Sequence[str], most: int = _MOST_LETTERS) -> list[str]:
    """Return names as they can be shown: without control characters, shortened, still distinct.

    What long names share at their beginning and end goes first, then letters in the middle.

    Examples
    --------
    >>> names(["A", "a-very-long-name-of-a-system-1", "a-very-long-name-of-a-system-2"], most=12)
    ['A', 'a-very-lo…1', 'a-very-lo…2']
    """
    clean = [" ".join(printable(name).split()) or "–" for name in labels]
    long = [name for name in clean if len(name) > most]
    several = len(set(long)) > 1
    head = _shared(long) if several else 0
    tail = _shared([name[:head:-1] for name in long]) if several else 0
    shown: list[str] = []
    for name in clean:
        short = name if len(name) <= most else _short(name, most, head, tail)
        n_alike = sum(other == short or other.startswith(f"{short} (") for other in shown)
        shown.append(f"{short} ({n_alike + 1})" if n_alike else short)
    return shown


def _shared(texts: Sequence[str]) -> int:
    """Return how many letters all texts share at their beginning."""
    return next(
        (i for i, letters in enumerate(zip(*texts, strict=False)) if len(set(letters)) > 1),
        min(map(len, texts)),
    )


def _short(name: str, most: int, head: int, tail: int) -> str:
    """Cut `name` to `most` letters: first of the `head` and `tail` that it shares with others, then in the middle."""
    n_removed = len(name) - head - tail
    if head + tail > 0 and n_removed + 2 <= most:
        space = most - n_removed - 2
        before = min(head, max(space // 2, space - tail))
        begin = name[:head] if before == head else f"{name[: max(before, 0)]}…"
        after = min(tail, most - n_removed - len(begin) - 1)
        end = (
            name[len(name) - tail :]
            if after == tail
            else f"…{name[len(name) - after :] if after > 0 else ''}"
        )
        return f"{begin}{name[head : head + n_removed]}{end}"
    behind = (most - 1) // 2
    return f"{name[: most - 1 - behind]}…{name[-behind:]}"


def correction_name(correction: str) -> str:
    """Return a correction for many comparisons as people write it.

    Examples
    --------
    >>> correction_name("benjamini_hochberg"), correction_name("none")
    ('Benjamini–Hochberg', 'uncorrected')
    """
    known = {"none": "uncorrected", "benjamini_hochberg": "Benjamini–Hochberg"}
    return known.get(correction, correction.replace("_", " ").capitalize())


def ranking_name(name: str) -> str:
    """Return the name of a ranking; a method's own name as people write it.

    Examples
    --------
    >>> ranking_name("bradley-terry"), ranking_name("win_rate"), ranking_name("my_ranking")
    ('Bradley–Terry', 'win rate', 'my_ranking')
    """
    method = name.replace("-", "_")
    return method_name(method) if method in _METHODS else name


def headed(
    chart: Drawing,
    theme: Theme,
    *,
    title: str,
    words: Sequence[str] = (),
    width: float = 500,
    override: str | None = None,
) -> Drawing:
    """Return a finished chart: heading, words below it, a text alternative, and the theme.

    Parameters
    ----------
    chart : altair.Chart
    theme : Theme
    title : str
    words : sequence of str
        Each begins a line below the title; lines are broken at `width`.
    width : float
        Of the chart without names beside it, in pixels.
    override : str, optional
        A title instead of `title`; empty for neither title nor words.
    """
    shown = printable(title if override is None else override).replace("\n", " ")
    fit = textwrap.TextWrapper(max(40, int(width / _LETTER)), break_on_hyphens=False)
    lines = [line for sentence in words for line in fit.wrap(printable(sentence))]
    description = " ".join([printable(title), *(printable(sentence) for sentence in words)])
    heading = {"title": altair().TitleParams(shown, subtitle=lines)} if shown else {}
    return chart.properties(description=description, padding=14, **heading).configure(**config(theme))


def best_only(total: int, most: int, what: str = "systems") -> list[str]:
    """Return a sentence for what is left out, or nothing.

    Examples
    --------
    >>> best_only(130, 100), best_only(5, 100)
    (['The best 100 of 130 systems are shown.'], [])
    """
    return [f"The best {most} of {total} {what} are shown."] if total > most else []
