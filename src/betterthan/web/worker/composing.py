"""The worker's work: from the files of a run to the report, its other formats, and what pairs and segments need.

For the list of battles single battles are read again with their segments and judges, whose names a table of matches
lacks. Cells of the report's matrix link to the pages of their pairs.
"""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace
from typing import Any

from betterthan.engine.cache import Cache
from betterthan.errors import BetterThanError, ReadError
from betterthan.messages import spelled
from betterthan.present.renderers.render import render
from betterthan.read.check import check_runs
from betterthan.read.formats.battles.battle_columns import ROLES, BattleColumns, find_columns
from betterthan.read.formats.battles.battle_query import (
    engine_file,
    look_at,
    text_query,
    with_plain_line_ends,
)
from betterthan.read.formats.quality.tag_labels import split_words
from betterthan.read.grid.duck import connect
from betterthan.read.protocol import EVERY, Options
from betterthan.read.sniff import read_any
from betterthan.read.source.source import Source, open_source
from betterthan.report.command import command_of
from betterthan.report.compose import composed
from betterthan.report.document import AnyPair, Block, Fold, Matrix, Report, Section
from betterthan.report.inputs import Inputs, gather, with_weights
from betterthan.report.page import Links, page, script_text, style_sheet
from betterthan.results.base import json_text
from betterthan.results.checkup import Checkup
from betterthan.tables.counts import Counts
from betterthan.tables.matches import Matches
from betterthan.tables.scores import Scores
from betterthan.tables.tags import WordTags
from betterthan.web.details.overview import Tab, write_tabs
from betterthan.web.names import on_page, url_name
from betterthan.web.render import environment
from betterthan.web.runs.run import PARTS, StoredFile
from betterthan.web.runs.saved_tables import ListedBattles, SavedTables, save_tables
from betterthan.web.runs.task import Task
from betterthan.web.worker.file_tables import (
    FileTables,
    file_tables,
    named_path,
    options_of,
    unused,
    unused_note,
)
from betterthan.web.worker.first_look import suggested_parts
from betterthan.web.worker.pairs import (
    counts_of_tags,
    counts_of_texts,
    pair_tables,
    stored_results,
    write_pairs,
)
from betterthan.web.worker.worker import News, with_shown_names

MOST_BATTLES = 1_000_000
_MOST_NAMES = 200_000


def listed_battles(
    path: str,
    options: Options,
    matches: Matches,
    *,
    format: str | None = None,  # noqa: A002
) -> ListedBattles:
    """Return the battles of a file one by one, or counted by kind where the file does not distinguish them.

    Parameters
    ----------
    path : str
    options : Options
        As the report read the file.
    matches : Matches
        What the report is about; counted, it is the list where the file has no column for segments, or too many rows.
    format : str, optional
    """
    counted = ListedBattles(matches=matches.aggregated())
    if matches.n_matches > MOST_BATTLES:
        return counted
    try:
        source = with_plain_line_ends(open_source(path))
        header, columns = _columns(source, options)
        if columns.item is None:
            return counted
        named = {"item": columns.item, **({"judge": columns.judge} if columns.judge else {})}
        reading = replace(options, columns={**options.columns, **named})
        (rows,) = read_any(path, reading, format=format).tables
        names = {role: _names(source, header, column) for role, column in named.items()}
    except (ReadError, ValueError):  # another layout, or a row without a segment: the counts remain
        return counted
    if not isinstance(rows, Matches) or rows.systems != matches.systems:
        return counted
    return ListedBattles(matches=rows, segments=names["item"], judges=names.get("judge", ()))


def _columns(source: Source, options: Options) -> tuple[tuple[str, ...], BattleColumns]:
    look = look_at(source)
    columns = {role: options.columns[role] for role in ROLES if role in options.columns}
    # Every covariate is asked for, because then the segment and the judge are found by name without being needed.
    roles = find_columns(look.header, named=columns, covariates=(EVERY,), rows=look.rows, path=source.name)
    return look.header, roles


def _names(source: Source, header: tuple[str, ...], column: str) -> tuple[str, ...]:
    """Return the names of a column in the order by which the reader numbers them: sorted."""
    with connect(engine_file(source)) as connection:
        query = f"SELECT DISTINCT v0 FROM ({text_query(source, header, [column])}) ORDER BY v0 LIMIT {_MOST_NAMES + 1}"  # noqa: S608  (quoted there)
        names = tuple(str(row[0]) for row in connection.execute(query).fetchall())
    return names if len(names) <= _MOST_NAMES else ()


SentenceWords = tuple[tuple[str, ...], ...]


def counts_of_inputs(inputs: Inputs) -> tuple[Counts, ...]:
    """Return the counts of texts or tags; none of other data."""
    if inputs.kind == "tags":
        assert inputs.tags is not None  # noqa: S101  (gathered so)
        return counts_of_tags(inputs.tags)
    if inputs.kind == "texts":
        assert inputs.texts is not None  # noqa: S101
        missing = str(inputs.options.get("missing"))
        return counts_of_texts(inputs.texts, metric=inputs.options.get("metric"), missing=missing)
    return ()


def tables_to_save(
    inputs: Inputs, counts: tuple[Counts, ...], task: Task, data: list[StoredFile], words: SentenceWords
) -> SavedTables:
    """Return the tables that pages of pairs and segments need, by the kind of data."""
    if inputs.kind == "battles":
        return SavedTables(battles=_battles(inputs, task, data))
    scores = tuple(table.per_segment() for table in counts)
    if inputs.kind == "tags":
        return SavedTables(tags=inputs.tags, scores=scores, words=words if inputs.show_texts else ())
    texts = inputs.texts if inputs.show_texts else None
    if inputs.kind == "texts":
        return SavedTables(counts=counts, scores=scores, texts=texts)
    return SavedTables(scores=_tables(inputs), texts=texts)


def _battles(inputs: Inputs, task: Task, data: list[StoredFile]) -> ListedBattles:
    assert inputs.matches is not None  # noqa: S101
    options, layout = replace(options_of(task.choices), cluster=True), task.choices.format or None
    return listed_battles(data[0].stored, options, inputs.matches, format=layout)


def _tables(inputs: Inputs) -> tuple[Scores, ...]:
    """Return the metrics, with the human scores first where metrics are compared with them."""
    metrics = tuple(inputs.metrics.values())
    if inputs.kind != "meta" or inputs.human is None or inputs.human.name in inputs.metrics:
        return metrics
    return (inputs.human, *metrics)


def words_of(files: list[StoredFile], tags: WordTags | None) -> tuple[SentenceWords, tuple[str, ...]]:
    """Return the tagged words of every segment, and why there are none where they do not fit the tags."""
    if tags is None or not files:
        return (), ()
    file = files[0]
    lines = tuple(tuple(split_words(line)) for line in open_source(file.stored).lines())
    if len(lines) != len(tags.segments):
        message = f"{file.name} has {len(lines):,} lines and the tags {len(tags.segments):,} segments"
        return (), (f"{message}; tags are shown without words.",)
    lengths = (tags.offsets[1:] - tags.offsets[:-1]).tolist()
    odd = [
        segment
        for segment, words, n in zip(tags.segments, lines, lengths, strict=True)
        if n not in (len(words), 2 * len(words) + 1, len(words) + 1)
    ]
    if odd:
        message = f"In {file.name} the number of words is not that of the tags in {len(odd)} segments, such as {odd[0]}"
        return lines, (f"{message}; there, tags are shown without words.",)
    return lines, ()


_NONCE = "report"  # named by no policy
_HEAD = (
    '<link rel="icon" href="/static/icon.svg" type="image/svg+xml">'
    '<link rel="stylesheet" href="/static/bar.css">'
)
_MATRIX = "matrix"  # the matrix of systems; others are of metrics
_OPENS = "Select a cell to open its pair."


def linked(report: Report, saved: SavedTables, address: str) -> Report:
    """Return the report with the cells of its matrix leading to pages of pairs, where there are such pages."""
    known = frozenset(saved.systems)
    if report.kind == "meta" or len(known) < 2:
        return report
    return replace(report, sections=tuple(_section(section, known, address) for section in report.sections))


def pair_address(address: str, a: str, b: str) -> str:
    """Return where a pair is shown.

    Examples
    --------
    >>> pair_address("/runs/7", "GPT-4/o", "B")
    '/runs/7/pairs/GPT-4~2Fo/B'
    """
    return f"{address}/pairs/{url_name(a)}/{url_name(b)}"


def _section(section: Section, known: frozenset[str], address: str) -> Section:
    blocks = tuple(_block(block, known, address) for block in section.blocks)
    if blocks == section.blocks:
        return section
    # A report whose script can show any pair says itself what a cell does.
    lead = section.lead if any(map(_opens_pairs, section.blocks)) else f"{section.lead} {_OPENS}"
    return replace(section, blocks=blocks, lead=lead)


def _opens_pairs(block: Block) -> bool:
    """Whether a report leads from every cell to its pair by itself: by a script, or to a place in the page."""
    if isinstance(block, Matrix):
        cells = [cell for row in block.cells for cell in row if cell is not None]
        return block.key == _MATRIX and all(cell.target for cell in cells)
    return isinstance(block, AnyPair)


def _block(block: Block, known: frozenset[str], address: str) -> Block:
    if isinstance(block, Fold):
        return replace(block, blocks=tuple(_block(part, known, address) for part in block.blocks))
    if not isinstance(block, Matrix) or block.key != _MATRIX:
        return block
    return replace(
        block,
        cells=tuple(
            tuple(
                cell
                if cell is None or not {row, column} <= known
                else replace(cell, target=pair_address(address, row, column))
                for column, cell in zip(block.columns, cells, strict=True)
            )
            for row, cells in zip(block.rows, block.cells, strict=True)
        ),
    )


def answer(task: Task, news: News) -> dict[str, str]:
    """Make the report and write everything the server hands out; return what the list of runs shows."""
    news.stage("Reading the files")
    parts = files_by_part(task)
    inputs = _gathered(task, news, parts)
    words, notes = words_of(parts["words"], inputs.tags)
    inputs = replace(inputs, notes=(*inputs.notes, *notes, *_left_out(task, inputs.kind)))
    news.stage("Computing")
    report = composed(inputs)
    news.stage("Writing the report")
    counts = counts_of_inputs(inputs)
    tables = tables_to_save(inputs, counts, task, parts["data"], words)
    saved = save_tables(replace(tables, ranked=_ranked(report, tables)), task.folder)
    _write(report, saved, task)
    if report.kind != "meta":
        write_pairs(task, news, saved, pair_tables(saved, counts, stored_results(task.folder)))
    verdict = spelled(with_shown_names(report.verdict, task.files), on_page)
    return {"title": _title(report, task), "kind": report.kind, "verdict": verdict}


def _ranked(report: Report, tables: SavedTables) -> tuple[str, ...]:
    """Return the systems as the first result ranks them; a ranking of tags has labelings that are not systems."""
    ranked = getattr(next(iter(report.results.values())), "systems", ())
    return tuple(name for name in ranked if name in tables.systems)


def _gathered(task: Task, news: News, parts: dict[str, list[StoredFile]]) -> Inputs:
    choices, question = task.choices, _question(task)
    if len(parts["human"]) > 1:
        raise BetterThanError(f"{len(parts['human'])} files are marked as human scores, and one is needed.")
    # Tags want the gold standard first.
    files = [*parts["gold"], *parts["data"]]
    in_files = {} if question in ("texts", "tags") else file_tables(task)
    options: dict[str, Any] = {
        "question": question,
        "references": [named_path(file) for file in parts["reference"]],
        "source": parts["source"][0].stored if parts["source"] else None,
        "metric": choices.metric or None,
        "options": options_of(choices),
        "format": choices.format or None,
        "texts": choices.with_texts,
        "missing": choices.missing,
        "units": choices.units,
        "rng": 12345,
    }
    tables = [_tables_of_files(some, in_files, question) for some in (files, parts["human"])]
    if not _are_of_one_language_pair([*files, *parts["human"]], in_files):
        tables = [None, None]  # the files themselves are refused, with the reason
    data = [named_path(file) for file in files]
    human = named_path(parts["human"][0]) if parts["human"] else None
    inputs = gather(
        tables[0] or data,
        human=tables[1][0] if tables[1] is not None and len(tables[1]) == 1 else human,
        with_checks=False,
        workers=1,  # the memory limit is a process's own, and several runs share the machine
        cache=Cache(task.folder.checkpoints),
        progress=news,
        **options,
    )
    if inputs.kind == "meta" and human is not None:
        inputs = with_weights(inputs, human, options["options"], options["format"])
    command = with_shown_names(command_of(data, human=human, **options), task.files)
    checkups = () if inputs.kind in ("texts", "tags") else _checkups(task, parts, in_files)
    return replace(inputs, command=command, checkups=checkups)


def _tables_of_files(
    files: list[StoredFile], in_files: dict[StoredFile, FileTables], question: str
) -> list[Any] | None:
    """Return the tables of the first file, then the others; None where files are read together or do not fit."""
    with_tables = [file for file in files if file in in_files and in_files[file].tables]
    if len(with_tables) != 1 or with_tables[0] is not files[0]:
        return None
    tables = in_files[files[0]].tables
    if question != "auto" and isinstance(tables[0], Matches) != (question == "battles"):
        return None
    return [*tables, *(named_path(file) for file in files[1:])]


def _are_of_one_language_pair(files: list[StoredFile], in_files: dict[StoredFile, FileTables]) -> bool:
    known = [in_files[file] for file in files if file in in_files]
    return len({pair.casefold() for one in known for pair in one.language_pairs}) < 2


def _question(task: Task) -> str:
    """Return the question asked, or the one that the look suggests."""
    if task.choices.question != "auto":
        return task.choices.question
    look = task.folder.read("look.json") or {}
    return str(look.get("question", "auto"))


def files_by_part(task: Task) -> dict[str, list[StoredFile]]:
    """Return the files by what they are."""
    parts: dict[str, list[StoredFile]] = {part: [] for part in PARTS}
    for file, part in zip(task.files, _named_parts(task)[0], strict=True):
        parts[part].append(file)
    return parts


def _named_parts(task: Task) -> tuple[list[str], list[str]]:
    """Return what each file is in the run, and what it looks like."""
    look = task.folder.read("look.json") or {"files": []}
    kinds = [entry["kind"] for entry in look["files"]] or ["unknown"] * len(task.files)
    return list(task.choices.parts) or suggested_parts([file.stem for file in task.files], kinds), kinds


def _left_out(task: Task, question: str) -> tuple[str, ...]:
    """Return a note on every file that the question has no use for."""
    parts, kinds = _named_parts(task)
    return tuple(unused_note(task.files[at], question, parts[at]) for at in unused(question, parts, kinds))


def _checkups(
    task: Task, parts: dict[str, list[StoredFile]], in_files: dict[StoredFile, FileTables]
) -> tuple[Checkup, ...]:
    """Return what was said about each file of scores or battles, under the names by which the user knows them.

    Raises
    ------
    BetterThanError
        When there are more rows than a run may have.
    """
    known = in_files or file_tables(task)
    checkups = [known[file].checkup for file in (*parts["data"], *parts["human"])]
    rows = sum(checkup.rows_read for checkup in checkups)
    if rows > task.rows:
        raise BetterThanError(
            f"The files have {rows:,} rows, and a run may have {task.rows:,}. "
            "Take a part of the data, or use the command line."
        )
    of_runs = None
    if not parts["human"]:
        files = [named_path(file) for file in parts["data"]]
        of_runs = check_runs(files, options=options_of(task.choices), format=task.choices.format or None)
    return tuple(_named(checkup, task) for checkup in (checkups if of_runs is None else [of_runs]))


def _named(checkup: Checkup, task: Task) -> Checkup:
    problems = tuple(
        replace(
            problem,
            place=with_shown_names(problem.place, task.files),
            message=with_shown_names(problem.message, task.files),
        )
        for problem in checkup.problems
    )
    return replace(checkup, file=with_shown_names(checkup.file, task.files), problems=problems)


def _write(report: Report, saved: SavedTables, task: Task) -> None:
    folder, address = task.folder, f"/runs/{task.run_id}"
    links = Links(
        home="/",
        json=f"{address}.json",
        csv=f"{address}.csv",
        tex=f"{address}.tex",
        # A page with a nonce states no policy of its own; the server sends ours, which lets in the bar's style.
        nonce=_NONCE,
    )
    html = with_bar(
        page(linked(report, saved, address), links=links, spelling=on_page), write_tabs(folder, saved)
    )
    folder.write("policy.txt", policy())
    folder.write("report.html", with_shown_names(html, task.files))
    folder.write("results.json", with_shown_names(report.to_json(), task.files))
    # Results that are read back have plain strings, and pages of pairs show their notes.
    folder.write("notes.json", with_shown_names(json_text(_notes_on_page(report)), task.files))
    results = list(report.results.values())
    folder.write("table.csv", with_shown_names(render(results[0], "csv", spelling=on_page), task.files))
    folder.write(
        "table.tex",
        with_shown_names(
            "\n".join(render(result, "latex", spelling=on_page) for result in results), task.files
        ),
    )


def with_bar(html: str, tabs: tuple[Tab, ...]) -> str:
    """Return the page of a report with the app's bar above its own header."""
    bar = environment().get_template("bar.html.j2").render(here="report", tabs=tabs)
    for element, added in (("</head>", f"{_HEAD}\n"), ("<header", f"{bar}\n")):
        before, found, after = html.partition(element)
        html = f"{before}{added}{found}{after}"
    return html


def _notes_on_page(report: Report) -> dict[str, list[str]]:
    return {
        name: [spelled(note, on_page) for note in result.notes] for name, result in report.results.items()
    }


def policy() -> str:
    """Return the policy of a report's page: its own style and script, named by their digests, and the app's bar.

    It is kept beside the page, because a later version of this package has another style.
    """
    style, script = (_digest(text) for text in (style_sheet(), script_text()))
    return (
        f"default-src 'none'; style-src '{style}' 'self'; script-src '{script}'; img-src 'self' data:; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _title(report: Report, task: Task) -> str:
    return with_shown_names(report.title, task.files) or task.files[0].name
