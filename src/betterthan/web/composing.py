"""The worker's work: from the files of a run to the report, its other formats, and what pairs and segments need."""

from __future__ import annotations

import base64
import hashlib
from dataclasses import replace

from betterthan.engine.cache import Cache
from betterthan.errors import BetterThanError
from betterthan.present.render import render
from betterthan.read.check import check
from betterthan.report.compose import composed
from betterthan.report.document import Report
from betterthan.report.inputs import Inputs, gather
from betterthan.report.page import Links, page, script_text, style_sheet
from betterthan.results.checkup import Checkup
from betterthan.web.keeping import kept_of_inputs, words_of
from betterthan.web.kept import Kept, keep
from betterthan.web.linking import linked, pair_address
from betterthan.web.look import given, options_of, suggested_parts
from betterthan.web.run import PARTS, StoredFile
from betterthan.web.unused import unused, unused_note
from betterthan.web.worker import News, Task, told


def answer(task: Task, news: News) -> dict[str, str]:
    """Make the report and write everything the server hands out; return what the list of runs shows."""
    news.stage("Reading the files")
    parts = _parts(task)
    inputs = _gathered(task, news, parts)
    words, notes = words_of(parts["words"], inputs.tags)
    inputs = replace(inputs, notes=(*inputs.notes, *notes, *_left_out(task, inputs.kind)))
    news.stage("Computing")
    report = composed(inputs)
    news.stage("Writing the report")
    kept = keep(kept_of_inputs(inputs, task, parts["data"], words), task.folder)
    _write(report, kept, task)
    return {"title": _title(report, task), "kind": report.kind, "verdict": told(report.verdict, task.files)}


def _gathered(task: Task, news: News, parts: dict[str, list[StoredFile]]) -> Inputs:
    choices = task.choices
    human = [given(file) for file in parts["human"]]
    if len(human) > 1:
        raise BetterThanError(f"{len(human)} files are marked as human scores, and one is needed.")
    # Tags want the gold standard first.
    files = [given(file) for kind in ("gold", "data") for file in parts[kind]]
    inputs = gather(
        files,
        question=_question(task),
        human=human[0] if human else None,
        references=[given(file) for file in parts["reference"]],
        source=parts["source"][0].stored if parts["source"] else None,
        metric=choices.metric or None,
        options=options_of(choices),
        format=choices.format or None,
        texts=choices.with_texts,
        missing=choices.missing,
        units=choices.units,
        rng=12345,
        workers=1,  # the memory limit is a process's own, and several runs share the machine
        cache=Cache(task.folder.checkpoints),
        progress=news,
    )
    return replace(inputs, command=told(inputs.command, task.files), checkups=_checkups(task, parts, inputs))


def _question(task: Task) -> str:
    """Return the question asked, or the one that the look suggests."""
    if task.choices.question != "auto":
        return task.choices.question
    look = task.folder.read("look.json") or {}
    return str(look.get("question", "auto"))


def _parts(task: Task) -> dict[str, list[StoredFile]]:
    """Return the files by what they are."""
    found: dict[str, list[StoredFile]] = {part: [] for part in PARTS}
    for file, part in zip(task.files, _named_parts(task)[0], strict=True):
        found[part].append(file)
    return found


def _named_parts(task: Task) -> tuple[list[str], list[str]]:
    """Return what each file is in the run, and what it looks like."""
    look = task.folder.read("look.json") or {"files": []}
    kinds = [entry["kind"] for entry in look["files"]] or ["unknown"] * len(task.files)
    return list(task.choices.parts) or suggested_parts([file.stem for file in task.files], kinds), kinds


def _left_out(task: Task, question: str) -> tuple[str, ...]:
    """Return a note on every file that the question has no use for."""
    parts, kinds = _named_parts(task)
    return tuple(unused_note(task.files[at], question, parts[at]) for at in unused(question, parts, kinds))


def _checkups(task: Task, parts: dict[str, list[StoredFile]], inputs: Inputs) -> tuple[Checkup, ...]:
    """Return what was said about each file of scores or battles, under the names by which the user knows them.

    Raises
    ------
    BetterThanError
        When there are more rows than a run may have.
    """
    if inputs.kind in ("texts", "tags"):
        return inputs.checkups
    options, format_in = options_of(task.choices), task.choices.format or None
    files = [*parts["data"], *parts["human"]]
    found = [check(given(file), options=options, format=format_in) for file in files]
    rows = sum(checkup.rows_read for checkup in found)
    if rows > task.rows:
        raise BetterThanError(
            f"The files have {rows:,} rows, and a run may have {task.rows:,}. "
            "Take a part of the data, or use the command line."
        )
    return tuple(_named(checkup, task) for checkup in found)


def _named(checkup: Checkup, task: Task) -> Checkup:
    problems = tuple(
        replace(problem, place=told(problem.place, task.files), message=told(problem.message, task.files))
        for problem in checkup.problems
    )
    return replace(checkup, file=told(checkup.file, task.files), problems=problems)


def _write(report: Report, kept: Kept, task: Task) -> None:
    folder, address = task.folder, f"/runs/{task.run_id}"
    links = Links(home="/", json=f"{address}.json", csv=f"{address}.csv", tex=f"{address}.tex")
    html = page(linked(report, kept, address), links=links).replace(
        '<p class="tools">', f'<p class="tools">{_ways(report, kept, address)}', 1
    )
    folder.write("policy.txt", policy())
    folder.write("report.html", told(html, task.files))
    folder.write("results.json", told(report.to_json(), task.files))
    results = list(report.results.values())
    folder.write("table.csv", told(render(results[0], "csv"), task.files))
    folder.write("table.tex", told("\n".join(render(result, "latex") for result in results), task.files))


def _ways(report: Report, kept: Kept, address: str) -> str:
    """Return the links from the report into the app; every part of an address is plain by its making."""
    ways = [("Manage", f"{address}/manage")]
    if kept.systems:
        ways.insert(0, ("All battles" if kept.battles is not None else "All segments", f"{address}/items"))
    if len(kept.systems) > 1:
        ranked = getattr(next(iter(report.results.values())), "systems", ())
        # Best first where the first result ranks systems; a ranking of tags has labellings that are no systems.
        best = [name for name in ranked if name in kept.systems] or kept.systems
        first, second = best[0], next(name for name in (*best, *kept.systems) if name != best[0])
        ways.insert(0, ("Pair by pair", pair_address(address, first, second)))
    return "".join(f'<a class="button" href="{where}">{label}</a>' for label, where in ways)


def policy() -> str:
    """Return the policy of a report's page: its own style and script, named by their digests, and nothing else.

    It is kept beside the page, because a later version of this package has another style.
    """
    style, script = (_digest(text) for text in (style_sheet(), script_text()))
    return (
        f"default-src 'none'; style-src '{style}'; script-src '{script}'; img-src data:; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'"
    )


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode("ascii")


def _title(report: Report, task: Task) -> str:
    return told(report.title, task.files) or task.files[0].name
