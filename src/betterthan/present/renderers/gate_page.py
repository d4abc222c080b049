"""A gate as one HTML page: the verdict, every interval against its margin, and the items that lost most.

The page holds all it shows and follows the reader's choice of light or dark; on a narrow screen rows become blocks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from betterthan.messages import Spelling
from betterthan.present.numbers import digits_for, interval, number, percent
from betterthan.present.renderers.html import escape
from betterthan.present.tables.decisions import gate_digits, gate_table, without_zeros
from betterthan.results.decisions import PASSING, Gate, GateRow, WorstItem

_LEAST_MARGINS, _SPARE = 1.7, 1.08
_SHOWN = {
    "better": "Better",
    "equivalent": "Equivalent",
    "pass": "Pass",
    "fail": "Fail",
    "undecided": "Undecided",
}
_TONES = {"fail": "bad", "undecided": "open", **dict.fromkeys(PASSING, "good")}
_STYLE = Path(__file__).with_suffix(".css")


def gate_page(result: Gate, spelling: Spelling = str) -> str:
    """Return the whole page; options named in notes are written as `spelling` does.

    Examples
    --------
    >>> import betterthan as bt
    >>> page = gate_page(bt.gate([0, 1, 1, 0, 1] * 60, [0, 1, 1, 0, 1] * 59 + [0, 1, 0, 1, 1], margin=0.05))
    >>> page.startswith("<!doctype html>"), "<h1" in page, "<svg" in page
    (True, True, True)
    """
    table = gate_table(result).spelled(spelling)
    word, _, rest = table.verdict[0].partition(": ")
    sentences = "".join(f"<p>{escape(sentence)}</p>" for sentence in table.verdict[1:])
    notes = "".join(f"<li>{escape(note)}</li>" for note in table.notes)
    notes = f'<h2>Notes</h2><ul class="notes">{notes}</ul>' if notes else ""
    style = _STYLE.read_text(encoding="utf-8")
    title = escape(f"{_SHOWN[result.verdict]}: {result.candidate} against {result.baseline}")
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><title>{title}</title>\n'
        f'<meta name=viewport content="width=device-width,initial-scale=1">\n<style>{style}</style></head>\n'
        f'<body><main><p class="kicker">{escape(table.title)}</p>\n'
        f'<h1 class="{_TONES[result.verdict]}">{escape(word)}</h1>\n'
        f'<p class="lead">{escape(rest)}</p>{sentences}\n{_rows(result)}{_worst(result)}'
        f"{notes}<p><code>{escape(result.settings.signature)}</code></p></main></body></html>\n"
    )


def _rows(result: Gate) -> str:
    has_slices = any(result.slice)
    level = percent(result.confidence)
    heads = (
        f"{level} CI and margin",
        "difference",
        f"{level} CI",
        result.baseline,
        result.candidate,
        "margin",
        "verdict",
    )
    head = "".join(
        f'<th scope="col"{" class=l" if i == 0 else ""}>{escape(h)}</th>' for i, h in enumerate(heads)
    )
    first = "metric and slice" if has_slices else "metric"
    body = "".join(_row(result, row, heads) for row in result)
    legend = (
        "The dot is the difference, the bar its interval; to the right the candidate is better. Shaded: worse by more "
        "than the margin."
    )
    more = " Slices need not be shown to be within the margin; none may fail." if has_slices else ""
    return (
        f"<h2>{'Metrics and slices' if has_slices else 'Metrics' if len(result) > 1 else 'Interval and margin'}</h2>"
        f'<table class="rows"><caption>{legend}{more}</caption><thead><tr><th scope="col" class="l">{first}</th>'
        f"{head}</tr></thead><tbody>{body}</tbody></table>\n"
    )


def _row(result: Gate, row: GateRow, heads: Sequence[str]) -> str:
    digits = gate_digits(result, row.metric)
    part = f"<small>{escape(row.slice)}</small>" if row.slice else ""
    count = f"<small>{row.n_units:,} {escape(row.unit)}</small>"
    cells = (
        number(row.effect, digits),
        interval(row.low, row.high, digits),
        number(row.baseline_score, digits),
        number(row.candidate_score, digits),
        f"{row.margin:g}",
    )
    shown = "".join(
        f'<td data-of="{escape(of)}">{escape(cell)}</td>' for of, cell in zip(heads[1:-1], cells, strict=True)
    )
    return (
        f'<tr><td class="l name">{escape(row.metric)}{part}{count}</td><td class="picture">{_picture(result, row)}</td>'
        f'{shown}<td data-of="{heads[-1]}" class="verdict {_TONES[row.verdict]}">{row.verdict}</td></tr>'
    )


def _picture(result: Gate, row: GateRow) -> str:
    """Return the interval with 0 and the margin; rows of a metric share a scale."""
    rows = [one for one in result if one.metric == row.metric]
    ends = [abs(end) for one in rows for end in (one.low, one.high, one.effect) if math.isfinite(end)]
    limit = max([_SPARE * end for end in ends] + [_LEAST_MARGINS * row.margin]) or 1.0

    def at(value: float) -> str:
        return f"{50 + 50 * min(max(value / limit, -1), 1):.2f}%"

    tone, margin = _TONES[row.verdict], f"{row.margin:g}"
    parts = [f'<rect class="worse" x="0" y="2" width="{at(-row.margin)}" height="28"/>']
    parts.append(
        '<line class="zero" x1="50%" x2="50%" y1="2" y2="30"/><text class="tick" x="50%" y="44">0</text>'
    )
    if row.margin > 0:
        for value, far, text in ((-row.margin, "", f"−{margin}"), (row.margin, " far", margin)):
            parts.append(
                f'<line class="edge{far}" x1="{at(value)}" x2="{at(value)}" y1="2" y2="30"/>'
                f'<text class="tick" x="{at(value)}" y="44">{text}</text>'
            )
    if math.isfinite(row.low) and math.isfinite(row.high):
        parts.append(f'<line class="{tone}" x1="{at(row.low)}" x2="{at(row.high)}" y1="16" y2="16"/>')
    parts.append(f'<circle class="{tone}" cx="{at(row.effect)}" cy="16" r="5.5"/>')
    digits = gate_digits(result, row.metric)
    words = f"Difference {number(row.effect, digits)}, interval {interval(row.low, row.high, digits)}, margin {margin}"
    return f'<svg role="img" aria-label="{escape(words)}">{"".join(parts)}</svg>'


def _worst(result: Gate) -> str:
    if not result.worst:
        return ""
    metrics = tuple(dict.fromkeys(item.metric for item in result.worst))
    many = len(metrics) > 1
    heads = ("item", *(["metric"] if many else []), result.baseline, result.candidate, "loss")
    left = 2 if many else 1
    head = "".join(
        f'<th scope="col"{" class=l" if i < left else ""}>{escape(text)}</th>' for i, text in enumerate(heads)
    )
    body = "".join(_lost(item, _digits(result, item.metric), many=many) for item in result.worst)
    return f'<h2>Largest losses</h2><table class="worst"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>\n'


def _digits(result: Gate, metric: str) -> int:
    return min(3, max(digits_for([], [abs(one.loss) for one in result.worst if one.metric == metric]), 0))


def _lost(item: WorstItem, digits: int, *, many: bool) -> str:
    names = (item.item, *([item.metric] if many else []))
    numbers = (item.baseline_score, item.candidate_score, item.loss)
    left = "".join(f'<td class="l">{escape(name)}</td>' for name in names)
    return f"<tr>{left}{''.join(f'<td>{without_zeros(value, digits)}</td>' for value in numbers)}</tr>"
