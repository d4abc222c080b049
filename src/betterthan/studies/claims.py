"""What a paper claims, and whether it holds on the data of a study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from betterthan.results.study import StudyTable

IN_PART, UNKNOWN = "in part", "–"


class Claim(NamedTuple):
    """One claim.

    Attributes
    ----------
    text : str
        What the paper says, in a few words, as it stands in the middle of a sentence.
    where : str
        Section, figure or table.
    holds : bool or str
        On the data of the study; :data:`IN_PART` where it holds for some of them, :data:`UNKNOWN` where they cannot
        tell.
    seen : str
        What was found instead of it or for it.
    """

    text: str
    where: str
    holds: bool | str
    seen: str

    @property
    def verdict(self) -> str:
        """Yes, no, in part, or a dash."""
        return self.holds if isinstance(self.holds, str) else "yes" if self.holds else "no"


def holds_in(n_holding: int, n: int) -> bool | str:
    """Return whether a claim holds that was checked in n cases.

    Examples
    --------
    >>> holds_in(3, 3), holds_in(0, 3), holds_in(1, 3), holds_in(0, 0)
    (True, False, 'in part', '–')
    """
    return UNKNOWN if not n else IN_PART if 0 < n_holding < n else n_holding == n


def claims_table(claims: Sequence[Claim]) -> StudyTable:
    """Return the claims as a table of a study."""
    return StudyTable(
        name="claims",
        title="Claims of the paper, compared with this data",
        columns=("claim", "where", "holds", "here"),
        rows=tuple(
            (claim.text[0].upper() + claim.text[1:], claim.where, claim.verdict, claim.seen)
            for claim in claims
        ),
    )


def conclusion(claims: Sequence[Claim]) -> str:
    """Return what is to be said of the claims as a whole: whether they hold, and which do not.

    Examples
    --------
    >>> conclusion([Claim("the mean fails with outliers", "section 4", True, "it does")])
    'The claim of the paper holds on this data: the mean fails with outliers.'
    >>> conclusion([Claim("one", "1", True, ""), Claim("two", "2", False, ""), Claim("three", "3", UNKNOWN, "")])
    'Of 2 claims of the paper that this data can check, 1 holds. Not: two.'
    """
    known = [claim for claim in claims if claim.verdict != UNKNOWN]
    if not known:
        return "This data cannot check the claims of the paper."
    if len(known) == 1:
        how = {"yes": "holds", "no": "does not hold", IN_PART: "holds in part"}[known[0].verdict]
        return f"The claim of the paper {how} on this data: {known[0].text}."
    n_holding = sum(claim.verdict == "yes" for claim in known)
    hold = {0: "none holds", 1: "1 holds", len(known): "all hold"}.get(n_holding, f"{n_holding} hold")
    sentences = [f"Of {len(known)} claims of the paper that this data can check, {hold}."]
    for verdict, start in (("no", "Not"), (IN_PART, "In part")):
        texts = [claim.text for claim in known if claim.verdict == verdict]
        sentences += [f"{start}: {'; '.join(texts)}."] if texts else []
    return " ".join(sentences)
