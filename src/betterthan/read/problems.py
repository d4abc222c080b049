"""The codes of problems with data, each with its meaning and its cure.

Codes below BT100 stop the reading of a file, BT1xx concern the shape of the data, BT2xx what it means, BT3xx single
kinds of files. Each declares whether it is a fault, which has to be settled, or a doubt, which is only good to know.
``betterthan check --explain BT101`` shows the text.

Within these, BT170 to BT189 are about files of WMT's human evaluations, BT220 to BT229 about directions, winners and
judges, BT230 to BT249 about several files, folders and quotation marks, BT250 to BT259 about the memory budget, BT260
to BT269 about names and texts that may not be what they seem, BT302 to BT309 about quality estimation, BT310 to BT329
about battles and what is converted, BT330 to BT349 about packed files.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

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


BUDGET_PROBLEMS: dict[str, tuple[str, str, str]] = {
    "BT250": (
        "more memory than the budget",
        "The work would need more memory than the budget, which by default is half of what the machine has free.",
        "Take a part of the data or fewer resamples, or raise the budget: --memory 16GB, BETTERTHAN_MEMORY=16GB.",
    ),
    "BT251": (
        "too many different keys",
        "Each key of the JSON objects is a column, and there are more keys than any table has columns.",
        'Put what varies from row to row into values: {"system": "A", "score": 0.5} instead of {"A": 0.5}.',
    ),
    "BT252": (
        "endless stream",
        "Standard input or an open file brought more than eight times the memory budget, or half of the free disk.",
        "Save it to a file and give that, or raise the budget: --memory 16GB.",
    ),
}
"""Title, meaning and cure by code."""


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


QUALITY_PROBLEMS: dict[str, tuple[str, str, str]] = {
    "BT302": (
        "not the same words",
        "Gold and prediction tag different words in a sentence, so their tags cannot be compared.",
        "Tag the words of the gold file; only upper and lower case may differ.",
    ),
    "BT303": (
        "words numbered wrongly",
        "Words of a sentence are put in order by their numbers, and a number is missing, doubled or no number.",
        "Number the words of each sentence 0, 1, 2, …, each once.",
    ),
    "BT304": (
        "sentences that do not match",
        "A prediction lacks sentences of the gold file, or their ids cannot be matched with lines.",
        "Tag every sentence, with the same ids in both files.",
    ),
    "BT305": (
        "no span of the translation",
        "Start and end must be character offsets inside the translation, one pair a label.",
        "Count characters from 0, the end not included; write -1 -1 no-error where there is no error.",
    ),
    "BT306": (
        "unknown severity or type",
        "A label is not known, and leaving it out or guessing its meaning would change the scores.",
        "Correct the labels, or remove the rows.",
    ),
    "BT307": (
        "not one truth",
        "The files share several language pairs or none, or several labellings may be the truth; each is scored alone.",
        "Choose one with language_pair, give files of one pair, and call the truth gold.",
    ),
    "BT308": (
        "side that is not there",
        "Tags of words, of gaps and of source words are scored separately, and the file has none of those asked for.",
        "Leave side out, or choose one that is there.",
    ),
    "BT309": (
        "tags of different things",
        "One file tags words, another characters or gaps.",
        "Hold words against words, gaps against gaps and spans against spans or words.",
    ),
}
"""Title, meaning and cure by code."""


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
