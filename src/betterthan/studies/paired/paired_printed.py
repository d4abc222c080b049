"""What the paired-evaluation paper prints in tables 1, 3 and 4 and in figure 6."""

from __future__ import annotations

from betterthan.results.study import Entry

PAIRS = (("mean", "median"), ("mean", "bradley_terry"), ("median", "bradley_terry"))
"""In the order of table 1."""
TEN_PAIRS = (
    *PAIRS,
    ("mean", "elo"),
    ("median", "elo"),
    ("mean", "trueskill"),
    ("median", "trueskill"),
    ("bradley_terry", "elo"),
    ("bradley_terry", "trueskill"),
    ("elo", "trueskill"),
)
"""In the order of table 4."""
TABLE_4 = (
    (0.04, 0.18, 0.30),
    (0.09, 0.40, 0.49),
    (0.09, 0.41, 0.55),
    (0.20, 0.55, 0.84),
    (0.19, 0.56, 0.84),
    (0.18, 0.44, 0.76),
    (0.17, 0.46, 0.79),
    (0.16, 0.38, 0.75),
    (0.18, 0.53, 0.72),
    (0.18, 0.45, 0.71),
)
"""Pairs ordered differently, other best, other top 3, over 296 setups; the first three rows are table 1."""
TESTS = ("t", "Mood", "sign", "Wilcoxon")
FIGURE_6 = (
    (0.42, 0.50, 0.74, 0.94),
    (0.98, 0.21, 0.89, 0.98),
    (0.89, 0.55, 0.35, 0.90),
    (0.96, 0.51, 0.76, 0.41),
)
FAMILIES = ("BLEU", "ROUGE", "ROUGE-WE", "MoverScore", "BERTScore")
_ORDER_3 = (PAIRS[1], PAIRS[2], PAIRS[0])
"""Pairs in the order of the columns of table 3."""
# A row a data set and measure; five families of three pairs each.
_TABLE_3 = """
TAC08  disagree .09 .13 .15 .07 .13 .14 .12 .06 .13 .05 .11 .12 .05 .11 .12
TAC08  best     .43 .73 .47 .33 .52 .47 .58 .20 .47 .10 .50 .47 .13 .17 .27
TAC08  top3     .73 .77 .77 .61 .80 .81 .87 .65 .80 .43 .73 .70 .60 .93 .87
TAC09  disagree .08 .13 .13 .08 .16 .16 .07 .15 .16 .06 .14 .13 .06 .12 .12
TAC09  best     .00 .00 .00 .00 .00 .00 .00 .00 .00 .00 .00 .00 .00 .00 .00
TAC09  top3     .70 .70 .70 .63 .87 .82 .48 .73 .75 .33 .70 .70 .43 .73 .67
TAC11  disagree .07 .12 .12 .06 .13 .12 .05 .13 .12 .04 .11 .10 .04 .11 .10
TAC11  best     .37 .67 .50 .42 .64 .61 .33 .67 .65 .40 .63 .63 .27 .73 .63
TAC11  top3     .73 .87 .83 .58 .88 .87 .60 .93 .92 .57 .87 .80 .43 .87 .83
CNN/DM disagree .14 .17 .12 .08 .07 .02 .06 .05 .02 .07 .06 .08 .08 .08 .04
CNN/DM best     .53 .80 .83 .00 .00 .00 .00 .00 .00 .00 .00 .00 .00 .00 .00
CNN/DM top3     .97 .97 .90 .73 .49 .24 .90 .42 .48 .00 .00 .00 .90 .90 .06
WMT17  disagree .07 .08 .05 .07 .07 .04 .07 .08 .04 .03 .04 .03 .03 .04 .03
WMT17  best     .17 .19 .14 .28 .42 .23 .35 .40 .19 .22 .15 .24 .15 .22 .24
WMT17  top3     .43 .57 .40 .56 .63 .29 .57 .67 .40 .26 .37 .37 .23 .27 .33
WMT18  disagree .09 .09 .03 .11 .11 .04 .12 .12 .04 .06 .06 .04 .06 .06 .03
WMT18  best     .67 .63 .24 .55 .65 .26 .61 .67 .66 .47 .49 .18 .43 .47 .31
WMT18  top3     .77 .74 .25 .56 .69 .39 .66 .77 .40 .57 .58 .33 .57 .58 .19
WMT19  disagree .07 .08 .04 .10 .11 .04 .11 .11 .05 .05 .04 .05 .04 .04 .05
WMT19  best     .32 .36 .25 .44 .45 .18 .46 .48 .16 .32 .25 .33 .31 .17 .35
WMT19  top3     .54 .42 .30 .48 .54 .30 .51 .54 .33 .54 .41 .46 .39 .26 .39
TC     disagree .26 .22 .34 .24 .19 .24 .27 .28 .22 .28 .19 .29 .18 .24 .20
TC     best     .53 .43 .66 .52 .46 .40 .53 .63 .45 .63 .33 .53 .30 .40 .27
TC     top3     .57 .60 .63 .57 .56 .60 .62 .55 .47 .63 .60 .60 .53 .57 .57
PC     disagree .28 .24 .32 .25 .23 .22 .21 .22 .22 .12 .20 .19 .13 .12 .13
PC     best     .50 .50 .63 .42 .53 .43 .28 .33 .30 .33 .47 .50 .30 .37 .43
PC     top3     .33 .33 .43 .42 .60 .55 .37 .72 .63 .23 .30 .27 .27 .20 .07
MSCOCO disagree .20 .18 .12 .18 .14 .03 - - - - - - - - -
MSCOCO best     1.0 1.0 .00 .03 .03 .00 - - - - - - - - -
MSCOCO top3     1.0 1.0 .17 1.0 1.0 .47 - - - - - - - - -
"""


def plain_name(name: str) -> str:
    """Return a name of a data set or metric without case and punctuation.

    Examples
    --------
    >>> plain_name("CNN/DM"), plain_name("TAC-08")
    ('cnndm', 'tac08')
    """
    return "".join(letter for letter in name.lower() if letter.isalnum())


def family_of(metric: str) -> str:
    """Return the family of metrics of table 3, or the metric itself.

    Examples
    --------
    >>> family_of("ROUGE_WE_1"), family_of("ROUGE_L"), family_of("Bleu_2"), family_of("S3_pyr")
    ('ROUGE-WE', 'ROUGE', 'BLEU', 'S3_pyr')
    """
    plain = plain_name(metric)
    # The longest first: ROUGE-WE is not ROUGE.
    for family in sorted(FAMILIES, key=len, reverse=True):
        if plain.startswith(plain_name(family)) and not (family == "BLEU" and plain == "bleurt"):
            return family
    return metric


def _parsed() -> dict[tuple[str, str, str, tuple[str, str]], float]:
    found = {}
    for line in _TABLE_3.strip().splitlines():
        dataset, measure, *cells = line.split()
        for place, cell in enumerate(cells):
            if cell != "-":
                key = (plain_name(dataset), FAMILIES[place // 3], measure, _ORDER_3[place % 3])
                found[key] = float(cell)
    return found


TABLE_3 = _parsed()
"""(data set without case and punctuation, family, measure, pair) to the printed number."""


def table_3(dataset: str, family: str, measure: str, pair: tuple[str, str]) -> Entry:
    """Return what table 3 prints, None where it prints nothing.

    Examples
    --------
    >>> table_3("TAC-08", "BLEU", "best", ("mean", "bradley_terry"))
    0.43
    """
    return TABLE_3.get((plain_name(dataset), family, measure, pair))
