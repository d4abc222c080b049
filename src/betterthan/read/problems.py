"""The codes of problems with data, each with its meaning and its cure.

Codes below BT100 stop the reading of a file, BT1xx concern the shape of the data, BT2xx what it means, BT3xx single
kinds of files. Each declares whether it is a fault, which has to be settled, or a doubt, which is only good to know.
``betterthan check --explain BT101`` shows the text.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

from betterthan.read.problems_battles import BATTLE_PROBLEMS
from betterthan.read.problems_budget import BUDGET_PROBLEMS
from betterthan.read.problems_doubts import DOUBTS
from betterthan.read.problems_files import FILE_PROBLEMS
from betterthan.read.problems_quality import QUALITY_PROBLEMS
from betterthan.read.problems_wmt import WMT_PROBLEMS


class Explanation(NamedTuple):
    """Title, meaning and cure of a problem code, and whether it is a fault or, as a doubt, only something to know."""

    title: str
    meaning: str
    cure: str
    severity: Literal["fault", "doubt"] = "fault"


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
        "Name the columns of scores (--item, --system, --score) or of battles (--left, --right, --winner), or the "
        "format (--format-in).",
    ),
    "BT010": Explanation(
        "not a readable table",
        "The engine that reads CSV, JSON and Parquet could not parse the file.",
        "Check the place named in the message, or write the file again.",
    ),
    "BT011": Explanation(
        "no rows",
        "The file has a header but no row below it, or only empty rows.",
        "Look at the program that wrote it.",
    ),
    "BT012": Explanation(
        "ragged row",
        "A row has more or fewer cells than the header, so its cells cannot be told apart.",
        "Quote cells that contain the delimiter; leave missing cells empty but keep their delimiters.",
    ),
    "BT013": Explanation(
        "text in a column of numbers",
        "A cell is neither a number nor empty. Decimal commas, hexadecimal numbers and 1_000 are not numbers here.",
        "Correct the cell; leave it empty if the score is missing.",
    ),
    "BT014": Explanation(
        "infinite number",
        "A score is infinite, or beyond 1e30, where variances and their errors overflow.",
        "Leave the cell empty if the score is missing.",
    ),
    "BT015": Explanation(
        "broken quotes",
        "A quotation mark is never closed, text follows a closing one, or a carriage return stands inside a line.",
        'Quote a whole cell, and write a quotation mark inside it as "".',
    ),
    "BT016": Explanation(
        "not an object a line",
        "JSON lines hold one complete object on every line.",
        "Write each object on a line of its own, without commas between them.",
    ),
    "BT017": Explanation(
        "two columns of one name",
        "Columns are found by name, so each needs its own.",
        "Rename or remove one of them.",
    ),
    "BT018": Explanation(
        "column without a name",
        "A column has values but an empty cell in the header; only a data frame's index 0, 1, 2, … is left out.",
        "Name the column.",
    ),
    "BT019": Explanation(
        "no header",
        "The first line holds numbers where the names of the systems should be.",
        "Add a header line.",
    ),
    "BT020": Explanation(
        "two readings",
        "The columns can be understood in two ways that give different tables.",
        "Name the columns (--item, --system, --score) or the format (--format-in).",
    ),
    "BT021": Explanation(
        "a column is missing",
        "No column says which segment, which system, which judge, or what score.",
        "Name it: --item, --system, --judge, --score.",
    ),
    "BT022": Explanation(
        "another kind of data",
        "The file holds matches, texts or tags where scores are needed.",
        "Use the command or function for that kind of data.",
    ),
    "BT023": Explanation(
        "several metrics",
        "There is more than one metric where one is needed: in one file, or because each file is called after its own.",
        "Choose one with --metric NAME. If each file is the run of one system, name its column: --score COLUMN.",
    ),
    "BT024": Explanation(
        "damaged Parquet",
        "The file begins like Parquet, but its end or its pages cannot be read.",
        "Copy or write the file again.",
    ),
    "BT025": Explanation(
        "nested value",
        "An object or a list stands where the name of a segment, system, metric or judge is needed.",
        "Write a text or a number.",
    ),
    "BT101": Explanation(
        "duplicate",
        "The same segment of the same system (by the same judge) has more than one score.",
        'Remove one, or say what to do: duplicates="first", "last" or "mean".',
    ),
    "BT102": Explanation(
        "missing scores",
        "Some systems have no score for some segments; they stay missing and never become 0.",
        'Fill them in, or leave these segments out for all systems: missing="drop".',
    ),
    "BT103": Explanation(
        "one score for each system",
        "Paired tests and Bradley–Terry compare systems segment by segment; averages are not enough.",
        "Give the file of segment scores.",
    ),
    "BT104": Explanation(
        "one system",
        "With a single system nothing can be compared.",
        "Add the scores of another system.",
    ),
    "BT105": Explanation(
        "row without a name",
        "A row does not say which segment, system, metric or judge it belongs to.",
        "Fill the cell in or remove the row.",
    ),
    "BT106": Explanation(
        "two directions",
        "The column higher_is_better is not the same on all rows of a metric, or neither true nor false.",
        "Correct the column, or remove it and say --lower-is-better NAME.",
    ),
    "BT107": Explanation(
        "too many cells",
        "Systems × segments is far more than the number of rows, so a wrong column was probably taken.",
        "Name the columns: --item, --system.",
    ),
    "BT120": Explanation(
        "no columns for battles",
        "Two systems and a winner were not found among the columns, or were found twice.",
        "Rename the columns, or name them: --left, --right, --winner.",
    ),
    "BT121": Explanation(
        "unknown winner labels",
        "A winner is empty or not a known word; counting it as a tie would turn a typo into a draw.",
        "Write left, right, tie or both_bad, or remove the rows.",
    ),
    "BT122": Explanation(
        "winner with two readings",
        "The winner's label is the name of one system and also a word for another side.",
        "Write left, right or tie, or rename the system.",
    ),
    "BT123": Explanation(
        "a system meets itself",
        "Both sides of a battle have the same name, so nothing can be learnt from it.",
        "Remove these rows; if there are many, check the columns.",
    ),
    "BT124": Explanation(
        "system without a name",
        "A battle has an empty cell where a system's name should be.",
        "Fill in the names, or remove the rows.",
    ),
    "BT125": Explanation(
        "weight is not a number",
        "Weights must be numbers of 0 or more.",
        "Write 1 for a battle that counts once.",
    ),
    "BT126": Explanation(
        "no battles",
        "The table has a header but no rows.",
        "Look at the program that wrote it.",
    ),
    "BT127": Explanation(
        "segment or judge missing",
        "A row has no value in the column that tells segments or judges apart.",
        "Fill the column in, or read the battles without it.",
    ),
    "BT128": Explanation(
        "covariate is not a number",
        "A covariate, such as the difference in length, must be a finite number in every battle.",
        "Fill the cell in, or leave the row or the covariate out.",
    ),
    "BT129": Explanation(
        "too many battles for covariates",
        "With covariates battles cannot be counted by kind, so each stands in memory by itself.",
        "Read a random sample of the rows, or leave the covariates out.",
    ),
    "BT130": Explanation(
        "unequal numbers of lines",
        "Line k of every parallel file must be segment k, so their lengths must agree.",
        "Write an empty line for an empty output; look for line ends inside segments.",
    ),
    "BT131": Explanation(
        "two files of the same name",
        "Two files would give two systems with the same name.",
        "Name one of them: NAME=path.",
    ),
    "BT133": Explanation(
        "missing output",
        "A line says [No translation supplied]: a missing output, which a reference or source cannot be.",
        "Leave the segment out of all files, or fill it in.",
    ),
    "BT134": Explanation(
        "no file given",
        "A file or its name is missing from what was asked.",
        "Pass paths, or NAME=path.",
    ),
    "BT140": Explanation(
        "not a tag",
        "Every word of a .tags file must be OK or BAD.",
        "Write one sentence a line and one tag a word.",
    ),
    "BT141": Explanation(
        "unequal numbers of sentences",
        "Line k of gold and predictions must be the same sentence.",
        "Check that both files belong to the same test set.",
    ),
    "BT142": Explanation(
        "unequal numbers of tags",
        "A sentence has more tags in one file than in another.",
        "Tag the same words; remove gap tags from one of them if only one has them.",
    ),
    "BT150": Explanation(
        "error without a weight",
        "An MQM error has a severity that no weight is known for; counting it as nothing would flatter the system.",
        "Give its weight: --weight Critical=10, or weights={...} in Python.",
    ),
    "BT160": Explanation(
        "not a line of a score file",
        "A line of a score file is a system's name and its score (with the domain before them at domain level).",
        "Write two fields with a blank or a tab between them, without a header; None for a missing score.",
    ),
    "BT161": Explanation(
        "unknown level",
        "Scores belong to segments (seg), documents (doc), domains (domain) or systems (sys).",
        "Name the file NAME.seg.score, NAME.doc.score, NAME.domain.score or NAME.sys.score.",
    ),
    "BT162": Explanation(
        "unequal numbers of scores",
        "Line k of a system is its segment k, so every system needs as many lines as there are segments.",
        "Write one line a segment, None for a missing score.",
    ),
    "BT163": Explanation(
        "not inside the folder",
        "A file of the folder is a link that leads out of it or in a circle, or is no ordinary file; it is not read.",
        "Copy the file into the folder.",
    ),
    "BT164": Explanation(
        "several language pairs",
        "The folder holds several language pairs, and their segments have nothing to do with each other.",
        "Choose one: --where lp=en-de, or language_pair=.",
    ),
    "BT165": Explanation(
        "no score files",
        "The folder holds no scores of the level that was asked for.",
        "Check its layout: human-scores/LP.NAME.LEVEL.score, metric-scores/LP/NAME-REF.LEVEL.score.",
    ),
    "BT166": Explanation(
        "documents not known",
        "The file that says to which document each segment belongs is missing or has a line of another shape.",
        "Write documents/LP.docs with DOMAIN and DOCUMENT on one line a segment.",
    ),
    "BT167": Explanation(
        "no such rows",
        "No row has the value that was asked for in that column.",
        "Write COLUMN=VALUE with one of the values seen.",
    ),
    "BT168": Explanation(
        "rows cannot be chosen",
        "Only tables with named columns have rows to choose by value.",
        "Leave --where out, or convert the file to a table first.",
    ),
    "BT169": Explanation(
        "two metrics of one name",
        "Two files hold scores of the same name, and one would hide the other.",
        "Rename one file, or read them one by one.",
    ),
    **{code: Explanation(*told) for code, told in WMT_PROBLEMS.items()},
    "BT190": Explanation(
        "not what the toolkit writes",
        "The file looks like the output of an evaluation toolkit, but a part of it is missing or of another type.",
        "Write it again with the toolkit, and do not edit it by hand.",
    ),
    "BT191": Explanation(
        "settings change within a file",
        "Scores with different signatures (tokeniser, case, version) cannot be compared.",
        "Score all segments with the same settings; keep one run a file.",
    ),
    "BT192": Explanation(
        "systems scored on different segments",
        "Scores that are paired by their position must come from the same segments in the same order.",
        "Score the same test set with every system.",
    ),
    "BT193": Explanation(
        "no score of a single document",
        "A metric of the samples is a list or an object, from which only a score of the whole corpus is computed.",
        "Use a metric with a number for each document.",
    ),
    "BT194": Explanation(
        "different prompts",
        "The systems did not see the same prompt for the same document, so a difference may come from the prompt.",
        "Run all systems with the same template, examples and number of shots.",
    ),
    "BT195": Explanation(
        "damaged archive",
        "The ZIP file is cut off, a member does not match its check sum, is encrypted or too large.",
        "Copy the file again; unzip -t FILE tests it.",
    ),
    "BT196": Explanation(
        "unfinished run",
        "The log says that the run was cancelled, failed, or has not ended, so samples may be missing.",
        "Run it again, or finish it with inspect eval-retry.",
    ),
    "BT197": Explanation(
        "grade without a number",
        "The value of a score is a text that stands for no number, and a guess could flatter a system.",
        "Score the log again with numbers, or with the grades C, P, I and N.",
    ),
    "BT198": Explanation(
        "two logs of one run",
        "A model ran the same task with the same arguments in two logs, and both cannot count.",
        "Keep one of the two logs in the folder.",
    ),
    "BT199": Explanation(
        "failed samples",
        "Samples ended in an error and have no score. They are missing, not wrong.",
        "Run the failed samples again.",
    ),
    "BT210": Explanation(
        "a column may not be a system",
        "In a wide table every column of numbers is a system, but this one looks like ids, lengths, ranks, averages, "
        "costs or times, by its name or by its values.",
        "Leave it out with --ignore COLUMN (ignore=), or say that it is a system: --keep COLUMN (keep=).",
    ),
    "BT211": Explanation(
        "metrics where systems are needed",
        "The columns of numbers are named like metrics, so they belong to one system and cannot be ranked.",
        "Name one such file for each system, add a column called system, or say that they are systems: --keep COLUMN.",
    ),
    "BT212": Explanation(
        "long table with unknown headers",
        "Two columns together name every row once, as system and segment do when each row holds one score; read as "
        "one system a column, ids would be ranked.",
        "Name the columns (--system, --item, --score), or say that columns are systems: --keep COLUMN (keep=).",
    ),
    "BT213": Explanation(
        "percent signs in some cells only",
        "Some scores have a percent sign and others do not, so 0.5 may mean half or half a percent.",
        "Write all scores in the same way, half as 50%; leave a column that is not a system out: --ignore COLUMN.",
    ),
    "BT214": Explanation(
        "columns cannot be chosen so",
        "--ignore and --keep choose among the columns of a table of scores, and a column is either used or ignored.",
        "Leave out one of the options.",
    ),
    "BT215": Explanation(
        "rows may be systems",
        "The columns are numbered like segments, so the table may have one row for each system.",
        "Say which column names the systems (--system COLUMN), or which one names the segments (--item COLUMN).",
    ),
    "BT216": Explanation(
        "a row may be a summary",
        "A row is named like an average or total, or holds the means or sums of the others, and would count as a "
        "segment.",
        "Remove the row; if it is a segment, give it a name of its own.",
    ),
    "BT217": Explanation(
        "systems and segments may be swapped",
        "The column of systems holds more and numbered values, that of segments few names.",
        "Say which column holds the systems and which the segments: --system COLUMN --item COLUMN.",
    ),
    **{code: Explanation(*told, severity="doubt") for code, told in DOUBTS.items()},
    **{code: Explanation(*told) for code, told in QUALITY_PROBLEMS.items()},
    **{code: Explanation(*told) for code, told in BATTLE_PROBLEMS.items()},
    **{code: Explanation(*told) for code, told in BUDGET_PROBLEMS.items()},
    **{code: Explanation(*told) for code, told in FILE_PROBLEMS.items()},
}


def is_doubt(code: str) -> bool:
    """Whether a problem is only something to know; a code without a text of its own is a fault."""
    return code in PROBLEMS and PROBLEMS[code].severity == "doubt"


def title(code: str) -> str:
    """Return what a problem is called."""
    return PROBLEMS[code].title if code in PROBLEMS else "problem"
