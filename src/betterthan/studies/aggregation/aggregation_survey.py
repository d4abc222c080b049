"""Appendix A of the paper on aggregation: which metrics 345 papers report, and how they aggregate BLEU.

The counts are those of the paper; what is computed here are the percentages, and whether the numbers fit each other.
"""

from __future__ import annotations

from typing import Any

from betterthan.results.study import Study, StudyCell, StudyChart, StudyTable
from betterthan.studies.reporting import Claim, Mark, PrintedTable, figure, printed_table
from betterthan.studies.request import StudyRequest

METRICS = printed_table("aggregation", "survey_metrics")
AGGREGATIONS = printed_table("aggregation", "survey_aggregation")
_TEXT = printed_table("aggregation", "survey_text")
SAID: dict[str, Any] = dict(zip(_TEXT.columns, _TEXT.rows[0], strict=True))
"""Numbers of the text of the appendix."""
_ROUNDING = 0.1
"""A percentage that is printed with one decimal is no further from its counts, even if it was cut off."""


def run(request: StudyRequest) -> Study:
    """Compute the percentages of both tables again, and check the numbers of the appendix against each other."""
    tables = [
        _with_percent("table-2", "Table 2: metrics used in 345 papers", METRICS, SAID["papers"]),
        _with_percent("table-3", "Table 3: how 341 papers aggregate BLEU", AGGREGATIONS, SAID["bleu"]),
    ]
    return request.answer(
        tables=tables,
        claims=_claims(),
        charts=[_chart("table-2", METRICS, SAID["papers"]), _chart("table-3", AGGREGATIONS, SAID["bleu"])],
        sentences=(_summary(),),
        differences=_DIFFERENCES,
        draws=False,
        is_from_paper=True,
    )


_DIFFERENCES = (
    (
        "The counts are taken from the paper; the papers behind them are not listed there, so that they cannot be "
        "counted again."
    ),
)


def percentages(table: PrintedTable, total: int) -> list[float]:
    """Return the percentages that the counts of a table give.

    Examples
    --------
    >>> [round(value, 1) for value in percentages(AGGREGATIONS, 341)]
    [61.6, 35.8, 1.8, 0.9, 0.3]
    """
    return [100 * float(row[1] or 0) / total for row in table.rows]


def _with_percent(name: str, title: str, table: PrintedTable, total: int) -> StudyTable:
    rows: tuple[tuple[StudyCell, ...], ...] = tuple(
        (row[0], row[1], value) for row, value in zip(table.rows, percentages(table, total), strict=True)
    )
    return StudyTable(
        name=name,
        title=title,
        columns=table.columns,
        rows=rows,
        printed=tuple((None, None, row[2]) for row in table.rows),
        digits=1,
    )


def _claims() -> list[Claim]:
    return [
        *(
            _percent_claim(
                f"the percentages of table {number} are those of its counts", f"table {number}", table, total
            )
            for number, table, total in ((2, METRICS, SAID["papers"]), (3, AGGREGATIONS, SAID["bleu"]))
        ),
        _sum_claim(),
        _rest_claim(),
        _tools_claim(),
        _corpus_claim(),
        _neural_claim(),
    ]


def _percent_claim(text: str, where: str, table: PrintedTable, total: int) -> Claim:
    """Whether each printed percentage is its count over the total."""
    wrong = [
        f"{row[0]} {row[1]} of {total} is {value:.1f}%, not {row[2]}%"
        for row, value in zip(table.rows, percentages(table, total), strict=True)
        if abs(value - float(row[2] or 0)) > _ROUNDING
    ]
    return Claim(text, where, not wrong, "; ".join(wrong) or "all")


def _sum_claim() -> Claim:
    total = sum(int(row[1] or 0) for row in AGGREGATIONS.rows)
    bleu = SAID["bleu"]
    return Claim(
        f"the ways of aggregating BLEU add up to {bleu} papers",
        "table 3",
        total == bleu,
        f"their counts add up to {total}",
    )


def _rest_claim() -> Claim:
    rest = SAID["bleu"] - SAID["stated"]
    return Claim(
        f"{SAID['stated']} papers state how they aggregate BLEU, and {SAID['left']} remain",
        "appendix A",
        rest == SAID["left"],
        f"of {SAID['bleu']} papers with BLEU {rest} remain; {SAID['left']} are left of all {SAID['papers']}",
    )


def _tools_claim() -> Claim:
    both = SAID["sacrebleu"] + SAID["moses"]
    return Claim(
        f"{SAID['inferred']} papers name a tool, {SAID['sacrebleu']} SacreBLEU and {SAID['moses']} Moses",
        "appendix A",
        both == SAID["inferred"],
        f"{both} in all, so that {both - SAID['inferred']} would name both",
    )


def _corpus_claim() -> Claim:
    stated = next(int(row[1] or 0) for row in AGGREGATIONS.rows if row[0] == "corpus, stated")
    corpus = SAID["inferred"] + stated
    percent = 100 * corpus / SAID["bleu"]
    return Claim(
        f"{SAID['corpus']} papers, {SAID['corpus percent']:g}%, use corpus-level BLEU",
        "appendix A",
        corpus == SAID["corpus"] and abs(percent - SAID["corpus percent"]) <= 5 * _ROUNDING,
        f"{corpus} of {SAID['bleu']}, {percent:.1f}%",
    )


def _neural_claim() -> Claim:
    known = {str(row[0]): int(row[1] or 0) for row in METRICS.rows}
    named = sum(known[name] for name in ("COMET", "BERTScore", "BLEURT", "UniTE"))
    most = named + known["others"]
    return Claim(
        f"neural metrics are used in about {SAID['neural']} papers, fewer than a quarter",
        "appendix A",
        named <= SAID["neural"] <= most < SAID["papers"] / 4,
        f"{named} uses of COMET, BERTScore, BLEURT and UniTE, {most} with all others",
    )


def _summary() -> str:
    shares = dict(
        zip((row[0] for row in AGGREGATIONS.rows), percentages(AGGREGATIONS, SAID["bleu"]), strict=True)
    )
    corpus = shares["corpus, inferred"] + shares["corpus, stated"]
    return (
        f"Of {SAID['bleu']} papers with BLEU, {corpus:.0f}% probably report corpus scores, "
        f"{shares['unclear']:.0f}% do not say enough, and {shares['segments (m-BLEU)']:.1f}% report means of "
        "segments."
    )


def _chart(name: str, table: PrintedTable, total: int) -> StudyChart:
    return figure(
        (
            Mark("", series, str(row[0]), value)
            for series, values in (
                ("from the counts", percentages(table, total)),
                ("printed", [float(row[2] or 0) for row in table.rows]),
            )
            for row, value in zip(table.rows, values, strict=True)
        ),
        name=name,
        title=f"Table {name[-1]}: percentages from the counts, and as printed",
        kind="bars",
        x=table.columns[0],
        y=f"percent of {total} papers",
    )
