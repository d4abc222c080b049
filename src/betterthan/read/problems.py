"""The codes of problems with data, each with its meaning and its cure.

Codes below BT100 stop the reading of a file, BT1xx concern the shape of the data, BT2xx what is doubtful about
it. ``betterthan check --explain BT101`` shows the text.
"""

from __future__ import annotations

from typing import NamedTuple


class Explanation(NamedTuple):
    """Title, meaning and cure of a problem code."""

    title: str
    meaning: str
    cure: str


PROBLEMS: dict[str, Explanation] = {
    "BT001": Explanation(
        "no such file",
        "The path does not exist, or its folder cannot be entered.",
        "Check the spelling; quote names with blanks; use - for standard input.",
    ),
    "BT002": Explanation(
        "cannot be opened",
        "The path is a folder without data, or reading it is not permitted.",
        "Name a file, or change its permissions.",
    ),
    "BT003": Explanation(
        "empty file",
        "The file holds nothing but white space.",
        "Look at the program that wrote it.",
    ),
    "BT004": Explanation(
        "cut or damaged gzip",
        "The compressed stream ends too early or its check sum is wrong.",
        "Copy or download the file again; gzip -t FILE tests it.",
    ),
    "BT005": Explanation(
        "not UTF-8",
        "Text must be UTF-8; another encoding would change the characters silently.",
        "Convert it: iconv -f latin1 -t utf-8 IN > OUT.",
    ),
    "BT006": Explanation(
        "NUL bytes",
        "Plain text has no NUL bytes, so the file is binary or damaged.",
        "Export it again as UTF-8 text, CSV or Parquet.",
    ),
    "BT007": Explanation(
        "endless line",
        "A line is longer than any segment or table row can sensibly be.",
        "Check the line ends and the quotes.",
    ),
    "BT008": Explanation(
        "pickle",
        "Opening a pickle can run any program, so none is ever read.",
        "Convert it once where you trust it, for example with pandas, to CSV or Parquet.",
    ),
    "BT009": Explanation(
        "not recognised",
        "No reader knows this layout.",
        "Name the columns (--item, --system, --score) or the format (--format-in).",
    ),
    "BT010": Explanation(
        "not a readable table",
        "The engine that reads CSV, JSON and Parquet could not parse the file.",
        "Check the place named in the message, or write the file again.",
    ),
}
