"""Codes BT170 to BT189: problems with files of WMT's human evaluations; see :mod:`betterthan.read.problems`."""

from __future__ import annotations

WMT_PROBLEMS: dict[str, tuple[str, str, str]] = {
    "BT170": (
        "not a row of Appraise",
        "An export of Appraise has the same 11, 12 or 13 fields on every line, and the ninth is True or False.",
        "Export the file again; quote cells that contain commas.",
    ),
    "BT171": (
        "score out of range",
        "Direct assessments and ESA scores are numbers from 0 to 100.",
        "Check the order of the fields; leave the score empty if it is missing.",
    ),
    "BT172": (
        "no list of error spans",
        "The spans of an error span annotation are a JSON list of objects.",
        "Write [] where there is no error.",
    ),
    "BT173": (
        "one segment in two documents",
        "Segments are numbered through the whole test set, so each belongs to one document.",
        "Number segments by their line in the test set.",
    ),
    "BT174": (
        "unknown type of item",
        "Whether a row is a judgement or quality control is said by its type, and this type is not known.",
        "Write TGT or SYSTEM for judgements of systems, or remove the rows.",
    ),
    "BT175": (
        "unequal numbers of paragraphs",
        "All metrics and systems score the same paragraphs of a document, one score each.",
        "Write a score for every paragraph, null for a missing one.",
    ),
    "BT176": (
        "not a document with scores",
        "A line holds a language pair, the name of a document, and for each metric a list of scores.",
        "Write the file again in this layout.",
    ),
    "BT177": (
        "wrong number of fields",
        "Every line of this layout has the same fields, separated by blanks, so one more or less shifts the others.",
        "Write all fields on every line, NA for a missing score.",
    ),
    "BT178": (
        "pairs of several language pairs",
        "The list holds several language pairs, whose systems and segments have nothing to do with each other.",
        "Keep the lines of one language pair, or read it with Options(language_pair=...).",
    ),
    "BT179": (
        "pairs that repeat or contradict",
        "The same two systems stand more than once on the same segment, in one direction or in both.",
        "Remove the lines unless the segment was really judged more than once.",
    ),
    "BT180": (
        "several tables in one file",
        "A column such as lp holds several language pairs, and the same segment number means another text in each.",
        "Choose one of them: --where lp=en-de, or where={...} in Python.",
    ),
    "BT181": (
        "not a line of a submission",
        "A file for the metrics task has the same fields on every line: METRIC LP TESTSET … SYSTEM … SCORE.",
        "Write all fields on every line, NaN for a missing score; or write a table with a header.",
    ),
    "BT182": (
        "not a rating with errors",
        "A rating is a system, a list of errors as JSON (or None), and perhaps a rater; errors have severities.",
        "Write the line again; an empty list where there is no error.",
    ),
    "BT183": (
        "not a document of WMT25",
        "A line holds the name of a document (doc_id) with its translation (hypothesis) or with scores of systems.",
        "Write the file again in this layout; null for a missing translation.",
    ),
}
"""Title, meaning and cure by code."""
