"""JSON of many shapes: nested scores, wrappers, the orientations of pandas, one object for each system."""

from __future__ import annotations

import json
from typing import Any

from tests.misreading.cases import GPT, LLAMA, ONE_TO_N, RIGHT, Case, Stop, long_rows

ROWS = list(zip(ONE_TO_N, GPT, LLAMA, strict=True))
RECORDS = [{"id": k, "GPT": x, "Llama": y} for k, x, y in ROWS]
ASK = Stop(words=(("line", "JSON", "object", "key"),))


def _json(name: str, data: Any, *words: str | tuple[str, ...]) -> Case:
    """Understood, or refused with a word about what it is."""
    return Case(
        name=name,
        files={"scores.json": json.dumps(data)},
        expect=RIGHT,
        or_stop=Stop(words=words or (("line", "JSON", "object", "key"),)),
    )


def _stop(name: str, data: Any) -> Case:
    return Case(name=name, files={"scores.json": json.dumps(data)}, expect=Stop(words=("layout",)))


def _lines(name: str, rows: list[dict[str, Any]], *words: str | tuple[str, ...]) -> Case:
    return Case(
        name=name,
        files={"scores.jsonl": "".join(json.dumps(row) + "\n" for row in rows)},
        expect=RIGHT,
        or_stop=Stop(words=words),
    )


CASES = (
    _json("rows below a key results", {"model": "x", "results": RECORDS}),
    _json("rows below a key data, with a count", {"count": 8, "data": RECORDS}),
    _json(
        "pandas by columns",
        {name: {str(i): row[name] for i, row in enumerate(RECORDS)} for name in RECORDS[0]},
    ),
    _json("pandas by index", {str(i): row for i, row in enumerate(RECORDS)}),
    _json(
        "pandas split",
        {"columns": ["id", "GPT", "Llama"], "index": list(range(8)), "data": [list(row) for row in ROWS]},
    ),
    _json("pandas values", [list(row) for row in ROWS]),
    _json(
        "pandas table",
        {
            "schema": {
                "fields": [{"name": n, "type": "number"} for n in RECORDS[0]],
                "pandas_version": "1.4.0",
            },
            "data": RECORDS,
        },
    ),
    _json("lists for each system and an id", {"id": ONE_TO_N, "GPT": GPT, "Llama": LLAMA}),
    _json(
        "lists for each system beside metadata",
        {"metadata": {"date": "2024-05-01"}, "GPT": GPT, "Llama": LLAMA},
    ),
    Case(
        name="one number for each system",
        files={"scores.json": json.dumps({"GPT": 0.63, "Llama": 0.59})},
        expect=Stop(words=("only one score for each system",)),
    ),
    _stop(
        "mean and deviation for each system",
        {"GPT": {"mean": 0.63, "std": 0.18, "n": 8}, "Llama": {"mean": 0.59, "std": 0.14, "n": 8}},
    ),
    _stop(
        "metrics for each system",
        {"GPT": {"bleu": 31.2, "comet": 0.81}, "Llama": {"bleu": 29.9, "comet": 0.79}},
    ),
    _lines(
        "a list of scores for each system",
        [{"system": "GPT", "scores": GPT}, {"system": "Llama", "scores": LLAMA}],
        "scores",
    ),
    _lines(
        "a score inside an object",
        [{"item": k, "system": s, "score": {"value": x, "reason": "fine"}} for k, s, x in long_rows()],
        "score",
    ),
    _lines(
        "outputs as a list of objects",
        [
            {"id": k, "outputs": [{"model": "GPT", "score": x}, {"model": "Llama", "score": y}]}
            for k, x, y in ROWS
        ],
        "layout",
    ),
    _lines(
        "a model as an object",
        [{"item": k, "model": {"name": s, "size": 7}, "score": x} for k, s, x in long_rows()],
        "model",
    ),
    _lines(
        "two lists of scores in a cell",
        [{"id": k, "GPT": [x, x], "Llama": [y, y]} for k, x, y in ROWS],
        "layout",
    ),
    _lines(
        "scores under other keys in the second half",
        [*RECORDS[:4], *({"id": r["id"], "gpt": r["GPT"], "llama": r["Llama"]} for r in RECORDS[4:])],
        ("missing", "gpt"),
    ),
    _lines(
        "true and false",
        [{"item": k, "system": s, "score": x, "correct": x > 0.5} for k, s, x in long_rows()],
        "correct",
    ),
)
