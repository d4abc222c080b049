"""Codes BT230 to BT249 and BT330 to BT349: several files, folders, patterns, packed files and quotation marks.

See :mod:`betterthan.read.problems`.
"""

from __future__ import annotations

FILE_PROBLEMS: dict[str, tuple[str, str, str]] = {
    "BT230": (
        "option without effect",
        "An option was given that this layout cannot apply, such as the name of a column where columns have no names.",
        "Leave the option out, or convert the file to a table first: betterthan convert FILE -o FILE.csv",
    ),
    "BT231": (
        "truth among systems",
        "A file or row is named like what systems are measured by (gold, labels, …) and would be ranked with them.",
        "Compare predictions with it: betterthan quality GOLD FILE...; a system needs another name: NAME=path.",
    ),
    "BT232": (
        "ids beside rows without ids",
        "One table names its segments, the other has only rows; joined by number, the wrong ones could be paired.",
        "Name the column that holds the ids: --item COLUMN; if there is none, add one.",
    ),
    "BT233": (
        "unused column of ids",
        "Rows would be joined by their order, although a column that was not used tells every row from the others.",
        "Name it: --item COLUMN; or remove the column if the rows are in the same order.",
    ),
    "BT234": (
        "rows of different documents",
        "The files have no ids of segments, and the same row is of one document here and of another there.",
        "Add a column with the ids of segments to both files.",
    ),
    "BT235": (
        "ids from 0 and from 1",
        "Segments count from 0 in one table and from 1 in the other, so that each could be paired with its neighbour.",
        "Add 1 to the ids from 0, or write all ids with a letter (s1); or name a column with ids: --item COLUMN.",
    ),
    "BT236": (
        "few segments in common",
        "Fewer than half of the segments of the smaller table are in the other one.",
        "Check that both are of the same test set, and name the column with the ids: --item COLUMN.",
    ),
    "BT237": (
        "several language pairs",
        "A column such as lp names several language pairs; a system is another one in each, so their mean misleads.",
        "Choose one: --where lp=en-de; to pool them, name all: --where lp=en-de --where lp=zh-en.",
    ),
    "BT240": (
        "quotation marks that may hide rows",
        "A cell in quotes goes on over lines that look like rows of the table; they may be rows, with quotes as text.",
        "Remove the quotation marks if the lines are rows; else write the cell on one line or the table as JSON.",
    ),
    "BT330": (
        "files of different kinds",
        "The folder, pattern or list holds, say, texts beside scores, and nobody can say what they mean together.",
        "Name the files that belong together: FOLDER/*.csv; betterthan check FOLDER lists what each of them is.",
    ),
    "BT331": (
        "scored in two files",
        "The same segment of the same system has a score of the same metric in two of the files.",
        "Leave one of the files out, or give one a name of its own: NAME=path.",
    ),
    "BT332": (
        "unequal numbers of segments",
        "The files have no ids of segments, so row k must be segment k in each of them, and their lengths differ.",
        "Name the column with the ids, --item COLUMN, or score the same segments.",
    ),
    "BT333": (
        "not pieces of one table",
        "Files of this layout cannot be put together, or their columns differ.",
        "Name one of them, or convert them to one table first.",
    ),
    "BT334": (
        "several sets",
        "The files are of several language pairs, sets of texts or splits, or a shard of a split is missing.",
        "Name one set: FOLDER/en-de, or FOLDER/data/train-*.parquet.",
    ),
    "BT335": (
        "too many files",
        "More than ten thousand files were named at once, probably by a folder too high up.",
        "Name a folder or pattern with fewer.",
    ),
    "BT336": (
        "too large when unpacked",
        "The packed file grows beyond eight times the memory budget, or half of the free disk, as hostile files do.",
        "Unpack it yourself and look at what is in it, or raise the budget: --memory 16GB.",
    ),
    "BT337": (
        "no ordinary file",
        "A pipe can be read only once and may wait for ever; a device may never end.",
        "Send it through standard input: COMMAND | betterthan check -",
    ),
    "BT338": (
        "archive",
        "Archives and files of office programs may hold anything; they are not opened.",
        "Unpack it, or export a table as CSV or Parquet.",
    ),
    "BT339": (
        "one file needed",
        "Several files were named where only one is understood.",
        "Name one of them.",
    ),
    "BT340": (
        "dangerous path in an archive",
        "A member of the archive has an absolute path or one that climbs out of its folder, as hostile archives do.",
        "Do not unpack it; ask whoever made it.",
    ),
    "BT341": (
        "Arrow data",
        "Arrow and Feather files, and folders of datasets.save_to_disk, are not read; Parquet holds the same.",
        'Write Parquet once: datasets.load_from_disk("FOLDER").to_parquet("x.parquet"); a set of splits has one each.',
    ),
}
"""Title, meaning and cure by code."""
