"""Codes BT220 to BT229 (directions, winners, judges) and BT310 to BT329 (battles and what is converted)."""

from __future__ import annotations

BATTLE_PROBLEMS: dict[str, tuple[str, str, str]] = {
    "BT220": (
        "direction not clear",
        "The metric's name and values do not say whether higher or lower is better, and the answer depends on it.",
        "Say it: --lower-is-better NAME or --higher-is-better NAME (in Python: lower_is_better).",
    ),
    "BT221": (
        "winners coded by numbers",
        "A winner 1 may be the first system, which won, or the second, counted from 0; the answer turns round with it.",
        "Say what the numbers mean: --winner-label 1=left --winner-label 0=right (in Python: winner_labels).",
    ),
    "BT222": (
        "not a winner label",
        "A label that was explained does not occur, or its meaning is none of left, right, tie and both_bad.",
        "Write LABEL=left, LABEL=right or LABEL=tie with a label of the file.",
    ),
    "BT223": (
        "judges or verdicts",
        "A column called judge holds few numbers, one for each output: names of judges, or what one judge said.",
        "Say which: --judge COLUMN for names, --score COLUMN for verdicts, --format-in long for several scores.",
    ),
    "BT310": (
        "not one table of battles",
        "The source was recognised as something else, or as several tables, where one table of battles is needed.",
        "Use the function or command for that kind of data, or name a file of battles.",
    ),
    "BT311": (
        "columns cannot be chosen here",
        "The layout says itself what its columns mean, so a column that is named would be ignored.",
        "Leave the names out, or name left and right to read the file as battles.",
    ),
    "BT312": (
        "not grades of MT-bench",
        "The columns question_id, model, score and turn were not all found.",
        "Rename the columns, or name them as a long table: --item, --system, --score.",
    ),
    "BT313": (
        "no grade or turn",
        "Grades of MT-bench are numbers of 0 or more, or −1 where the judge gave none; turns are counted from 1.",
        "Correct the cell, or remove the row.",
    ),
    "BT314": (
        "language pair not known",
        "A folder of the metrics task holds its scores by language pair, and the source names none.",
        "Say which: --language-pair en-de.",
    ),
    "BT315": (
        "no scores for a folder",
        "A folder of the metrics task holds scores; battles, texts and tags have no place in it.",
        "Write them as a table: -o FILE.parquet.",
    ),
}
"""Title, meaning and cure by code."""
