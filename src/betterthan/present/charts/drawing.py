"""What all charts share: Altair when it is needed, rows of data, names that fit, axes, and a heading.

In notebooks, charts are drawn as SVG by the installed converter: nothing is loaded from a network.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cache
from typing import Any, TypeVar

import numpy as np

from betterthan.errors import MissingExtra
from betterthan.present.charts.theme import Theme, config
from betterthan.present.geometry import ticks
from betterthan.present.printable import printable
from betterthan.present.tables.standing import method_name
from betterthan.present.text_width import columns_of, is_basic, text_width, wrapped


def shown_offline(chart: Any) -> Any:  # noqa: ANN401  (one of Altair's charts, which may be absent)
    """Return the same chart, which a notebook shows as SVG.

    What Altair shows by default is a page that loads its scripts from another host. Restyled copies keep this
    behavior, and a renderer that the user has enabled is respected.
    """
    kind: type[Any] = type(chart)
    same: Any = object.__new__(_offline(kind))  # type: ignore[arg-type]  # a class is hashable
    same.__dict__.update(chart.__dict__)
    return same


@cache
def _offline(kind: type) -> type:
    """Return the subclass of one of Altair's kinds of charts; copies of its charts are of the same class."""

    def bundle(self: Any, *args: object, **options: object) -> Any:  # noqa: ANN401
        import altair as alt  # noqa: PLC0415  (a chart is there, so Altair is)

        if alt.renderers.active != "default":
            return kind._repr_mimebundle_(self, *args, **options)  # type: ignore[attr-defined]
        from betterthan.present.charts.save import chart_bytes  # noqa: PLC0415  (it imports this package)

        try:
            return {"image/svg+xml": chart_bytes(self, "svg").decode()}
        except MissingExtra as error:
            return {"text/plain": str(error)}

    members = {"_repr_mimebundle_": bundle, "__doc__": kind.__doc__}
    return type(kind.__name__, (kind,), members)


# Whatever Altair makes, and Altair itself: it may be absent, so none of its types is named.
Drawing = Any
_LABEL = 11  # size of the labels of axes
_NARROWEST, _NARROWEST_TITLE = 300, 420
_MOST_DECIMALS, _LARGE = 6, 1e9
_MOST_LETTERS = 34
Value = TypeVar("Value")
_METHODS = frozenset({"mean", "median", "win_rate", "bradley_terry", "elo", "trueskill", "irt", "irt_2pl"})


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


def with_short_names(value: Value, labels: Sequence[str], most: int = _MOST_LETTERS) -> Value:
    """Return a result with every name of a system shortened as :func:`names` does, for headings made of the result.

    Examples
    --------
    >>> with_short_names(("A", ("a-very-long-name-of-a-system-1", 3)), ["A", "a-very-long-name-of-a-system-1"], most=12)
    ('A', ('a-very…tem-1', 3))
    """
    distinct = list(dict.fromkeys(labels))
    renamed: Value = _renamed(value, dict(zip(distinct, names(distinct, most), strict=True)))
    return renamed


def _renamed(value: Any, called: Mapping[str, str]) -> Any:  # noqa: ANN401  (any field of a result)
    if isinstance(value, str):
        return called.get(value, value)
    if isinstance(value, tuple):
        parts = [_renamed(part, called) for part in value]
        return type(value)(*parts) if hasattr(value, "_fields") else tuple(parts)
    if is_dataclass(value) and not isinstance(value, type):
        named = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        return replace(
            value,
            **{
                name: _renamed(part, called)
                for name, part in named.items()
                if name not in ("notes", "settings") and (isinstance(part, str | tuple) or is_dataclass(part))
            },
        )
    return value


def names(labels: Sequence[str], most: int = _MOST_LETTERS) -> list[str]:
    """Return names as they can be shown: without control characters, shortened, still distinct.

    A name that fits is never changed. Of long names, what they share at their beginning and end goes first, then
    letters in the middle; wide characters count two.

    Examples
    --------
    >>> names(["A", "a-very-long-name-of-a-system-1", "a-very-long-name-of-a-system-2"], most=12)
    ['A', 'a-very-lo…1', 'a-very-lo…2']
    >>> names(["Llama 3 (70B)", "Llama 3"])
    ['Llama 3 (70B)', 'Llama 3']
    """
    clean = [" ".join(printable(name).split()) or "–" for name in labels]
    long = [name for name in clean if columns_of(name) > most]
    several = len(set(long)) > 1
    head = _shared(long) if several else 0
    tail = _shared([name[:head:-1] for name in long]) if several else 0
    taken = {name for name in clean if columns_of(name) <= most}
    shown: list[str] = []
    drawn: set[str] = set()
    for name in clean:
        columns = columns_of(name)
        is_long = columns > most
        short = _short(name, max(4, most * len(name) // columns), head, tail) if is_long else name
        number, distinct = 1, short
        while distinct in drawn or (is_long and distinct in taken):
            number += 1
            distinct = f"{short} ({number})"
        drawn.add(distinct)
        shown.append(distinct)
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


def widest(labels: Sequence[str], size: float = 12) -> float:
    """Return the width of the widest of several labels, in pixels; 0 for none."""
    return max((text_width(label, size) for label in labels), default=0.0)


def counted(n: int, what: str) -> str:
    """Return a number with its noun, singular or plural, thousands with a comma.

    Examples
    --------
    >>> counted(1, "pair"), counted(1770, "pair")
    ('1 pair', '1,770 pairs')
    """
    return f"{n:,} {what}{'' if n == 1 else 's'}"


def number_axis(
    limits: tuple[float, float],
    pixels: float,
    *,
    across: bool = True,
    percent: bool = False,
    whole: bool = False,
    **axis: object,
) -> dict[str, Drawing]:
    """Return scale and axis of a number: exactly these limits, round ticks, and a label at every tick.

    Parameters
    ----------
    limits : (float, float)
    pixels : float
        Length of the axis, which decides how many labels fit.
    across : bool
        Whether the axis is horizontal, so that labels stand side by side.
    percent : bool
        Whether numbers are shares to be written in percent.
    whole : bool
        Whether only whole numbers occur, so that ticks between them would mean nothing.
    **axis
        Further options of the axis.
    """
    alt = altair()
    for most in range(9, 1, -1):
        values, decimals = ticks(*limits, most=most)
        if whole and decimals and most > 2:
            continue
        percents = max(0, decimals - 2)
        # Very small and very large numbers are written as powers of ten.
        is_extreme = decimals > _MOST_DECIMALS or max(map(abs, limits)) >= _LARGE
        labels = [
            f"{100 * value:.{percents}f}%"
            if percent
            else f"{value:.3g}"
            if is_extreme
            else f"{value:,.{decimals}f}"
            for value in values
        ]
        length = (widest(labels, _LABEL) + 12) if across else 22
        if length * (len(values) - 1) <= pixels * (values[-1] - values[0]) / (limits[1] - limits[0]):
            break
    form = f".{percents}%" if percent else ".3~g" if is_extreme else f",.{decimals}f"
    return {
        "scale": alt.Scale(domain=list(limits), nice=False, zero=False),
        "axis": alt.Axis(values=list(values), format=form, labelOverlap=False, **axis),
    }


def legend_columns(labels: Sequence[str], pixels: float) -> int:
    """Return the number of columns in which the labels of a legend fit side by side.

    Characters that the fonts of charts may lack are drawn in another one, whose widths are not known: then one column.
    """
    if not all(is_basic(character) for label in labels for character in label):
        return 1
    return max(1, min(len(labels), int(pixels // (widest(labels, _LABEL) + 30))))


def correction_name(correction: str) -> str:
    """Return a correction for many comparisons as it is usually written.

    Examples
    --------
    >>> correction_name("benjamini_hochberg"), correction_name("none")
    ('Benjamini–Hochberg', 'uncorrected')
    """
    known = {
        "none": "uncorrected",
        "benjamini_hochberg": "Benjamini–Hochberg",
        "max_statistic": "maximum statistic",
    }
    return known.get(correction, correction.replace("_", " ").capitalize())


def ranking_name(name: str) -> str:
    """Return the name of a ranking; a method's own name as it is usually written.

    Examples
    --------
    >>> ranking_name("bradley-terry"), ranking_name("win_rate"), ranking_name("my_ranking")
    ('Bradley–Terry', 'win rate', 'my_ranking')
    """
    method = name.replace("-", "_")
    return method_name(method) if method in _METHODS else name


def humans_called(name: str) -> str:
    """Return how human judgments of this name are called; a name that says only that is left out.

    Examples
    --------
    >>> humans_called("MQM"), humans_called("human")
    ('humans (MQM)', 'humans')
    """
    shown = " ".join(names([name], most=24))
    return "humans" if shown.lower() in {"human", "humans"} else f"humans ({shown})"


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
        Each begins a line below the title. Lines are broken where the chart ends; only a title may be wider than a
        small chart.
    width : float
        Of the chart with the names beside it, in pixels.
    override : str, optional
        A title instead of `title`; empty for neither title nor words.
    """
    shown = printable(title if override is None else override).replace("\n", " ")
    titles = wrapped(shown, max(width, _NARROWEST_TITLE), 15, is_bold=True)
    line_width = max(width, _NARROWEST, *(text_width(line, 15, is_bold=True) for line in titles))
    lines = [line for sentence in words for line in wrapped(printable(sentence), line_width)]
    description = " ".join([printable(title), *(printable(sentence) for sentence in words)])
    title_text = titles if len(titles) > 1 else shown
    heading = {"title": altair().TitleParams(title_text, subtitle=lines)} if shown else {}
    finished = chart.properties(description=description, padding=14, **heading).configure(**config(theme))
    return shown_offline(finished)


def best_only(total: int, most: int, what: str = "systems") -> list[str]:
    """Return a sentence for what is left out, or nothing.

    Examples
    --------
    >>> best_only(130, 100), best_only(5, 100)
    (['The best 100 of 130 systems are shown.'], [])
    """
    return [f"The best {most} of {total:,} {what} are shown."] if total > most else []
