"""Doubts: codes of what a user should know but need not settle; see :mod:`betterthan.read.problems`.

BT20x are about scores and lines, BT238 and BT239 about the sets that rows belong to, BT260 to BT269 about names and
texts that may not be what they seem.
"""

from __future__ import annotations

DOUBTS: dict[str, tuple[str, str, str]] = {
    "BT201": (
        "ties made by rounding",
        "Scores have few decimals and many are exactly equal between systems; rounding may have made these ties.",
        "Write the scores with more digits.",
    ),
    "BT202": (
        "empty lines",
        "Some segments are empty; they are kept and scored as empty texts.",
        "Check whether the system failed there; write [No translation supplied] if so.",
    ),
    "BT203": (
        "scores of whole systems",
        "There is one score for each system. Such scores can be shown and correlated, but no difference can be tested.",
        "To rank or compare systems, give the file of segment scores.",
    ),
    "BT238": (
        "one value in several spellings",
        "A language pair or data set is written with blanks around it, or in another case, in some rows.",
        "Write it in one way; until then the spellings count as one.",
    ),
    "BT239": (
        "several test sets",
        "A column such as dataset or split says that rows are of several sets, and they count together.",
        "Keep one: --where dataset=NAME; nothing is to be done if all of them are meant.",
    ),
    "BT260": (
        "names that look alike",
        "Names of systems or judges differ only in case, blanks or Unicode form, and count as different.",
        "If they are the same, give them one name.",
    ),
    "BT261": (
        "outputs and reference in different languages",
        (
            "The most frequent words of outputs and reference are hardly ever the same, as when the source is given as "
            "reference. The scores are near 0 and mean nothing."
        ),
        "Give the reference translation; look at the first lines of both files.",
    ),
    "BT262": (
        "identical to the reference",
        "A system has the text of the reference on nearly every segment, so that its score is perfect by definition.",
        "Leave the reference out of the systems, or score against another reference.",
    ),
    "BT263": (
        "segments out of line",
        (
            "Outputs fit the references of their neighbours better than their own, or no better than any other: "
            "a line is missing or too much, or the file is of another test set."
        ),
        "Compare the files around the first segment that is named.",
    ),
    "BT264": (
        "the same output twice",
        "Two systems have the same text on every segment; perhaps one file was given for both.",
        "Name the right file for each system, or leave one of them out.",
    ),
    "BT265": (
        "human translations among systems",
        "A system is named as translations made by people are, and is ranked like the others.",
        "Nothing is to be done if that is meant; else leave it out.",
    ),
    "BT266": (
        "runs of different metrics",
        "Each file is the run of one system, and no column of scores has the same name in all of them.",
        "Give the column of the metric one name in all files.",
    ),
    "BT267": (
        "files not named like systems",
        (
            "No column names the systems, and the files are named like metrics, languages or test sets; ranked as they "
            "are, one metric or language would win over another."
        ),
        "If each file is the run of a system, name them: NAME=path.",
    ),
    "BT268": (
        "runs on different scales",
        "The scores of one file are far from those of the others, as percent is from shares, or follow from them.",
        "Give all scores in one unit; if they are, keep the column: --keep COLUMN.",
    ),
}
"""Title, meaning and cure by code."""
