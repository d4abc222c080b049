"""How files are written: quotes, line breaks and line ends, encodings, JSON of several shapes."""

from __future__ import annotations

import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
from tests.misreading.cases import (
    GPT,
    LLAMA,
    MEANS,
    ONE_TO_N,
    PLAIN,
    RIGHT,
    Case,
    Fought,
    Ranked,
    Stop,
    long_rows,
    parquet,
    wide,
)

ROWS = list(zip(ONE_TO_N, GPT, LLAMA, strict=True))
RECORDS = [{"id": k, "GPT": x, "Llama": y} for k, x, y in ROWS]
TEXTS = ('"Yes', "No", "Maybe", "So", 'he said "no"', "Well", "Fine", 'Bye"')
"""What people say: one begins with a quotation mark and never ends, another only ends."""
TWICE = ', "GPT": 0.01'
WIDE = {"id": ONE_TO_N, "GPT": GPT, "Llama": LLAMA}
ARENA = {
    "model_a": ["GPT"] * 5,
    "model_b": ["Llama"] * 5,
    "winner": ["model_a", "model_b", "model_a", "model_b", "model_a"],
}
FOUGHT = Fought(wins={("GPT", "Llama"): 3, ("Llama", "GPT"): 2}, best="GPT")
BATTLES = (
    ("model_a", '"Why'),
    ("model_b", "How"),
    ("model_a", 'now"'),
    ("model_b", "Who"),
    ("model_a", "When"),
)


def _tsv(header: str, rows: list[tuple[object, ...]]) -> str:
    return "".join("\t".join(map(str, row)) + "\n" for row in [tuple(header.split(",")), *rows])


def _twice() -> bytes:
    """Parquet with two columns of one name."""
    table = pa.table([pa.array(ONE_TO_N), pa.array(GPT), pa.array(LLAMA)], names=["id", "GPT", "GPT"])
    buffer = io.BytesIO()
    pq.write_table(table, buffer)
    return buffer.getvalue()


CASES = (
    Case(
        name="quotation marks in a TSV column of texts, wide",
        files={
            "scores.tsv": _tsv(
                "id,GPT,Llama,text", [(*row, text) for row, text in zip(ROWS, TEXTS, strict=True)]
            )
        },
        expect=RIGHT,
    ),
    Case(
        name="quotation marks in a TSV column of texts before the scores",
        files={
            "scores.tsv": _tsv(
                "id,text,GPT,Llama", [(k, text, x, y) for (k, x, y), text in zip(ROWS, TEXTS, strict=True)]
            )
        },
        expect=RIGHT,
    ),
    Case(
        name="quotation marks in a TSV column of texts, long",
        files={
            "scores.tsv": _tsv("item,system,text,score", [(k, s, TEXTS[k - 1], x) for k, s, x in long_rows()])
        },
        expect=RIGHT,
    ),
    Case(
        name="quotation marks in TSV ids",
        files={
            "scores.tsv": _tsv(
                "id,GPT,Llama", [(f"{text} {k}", x, y) for (k, x, y), text in zip(ROWS, TEXTS, strict=True)]
            )
        },
        expect=Ranked(means=MEANS, segments=8, cells={("GPT", '"Yes 1'): 0.71}),
    ),
    Case(
        name="quotation marks in TSV battles",
        files={
            "battles.tsv": _tsv("model_a,model_b,winner,prompt", [("GPT", "Llama", *row) for row in BATTLES])
        },
        expect=FOUGHT,
    ),
    Case(
        name="quotation marks in TSV battles, texts first",
        files={
            "battles.tsv": _tsv(
                "prompt,model_a,model_b,winner", [(text, "GPT", "Llama", won) for won, text in BATTLES]
            )
        },
        expect=FOUGHT,
    ),
    Case(
        name="one quotation mark in a TSV",
        files={
            "scores.tsv": _tsv(
                "id,GPT,Llama,text", [(*row, '5" disk' if row[0] == 3 else "x") for row in ROWS]
            )
        },
        expect=RIGHT,
    ),
    Case(
        name="a cell of several lines in a CSV",
        files={
            "scores.csv": wide("id,GPT,Llama")
            .replace("Llama\n", "Llama,text\n")
            .replace("0.62\n", '0.62,"one\ntwo"\n')
            .replace("0.58\n", "0.58,x\n")
            .replace("0.8\n", '0.8,"a, b"\n')
            .replace("0.47\n", "0.47,x\n")
            .replace("0.51\n", "0.51,x\n")
            .replace("0.4\n", "0.4,x\n")
            .replace("0.73\n", "0.73,x\n")
            .replace("0.6\n", "0.6,x\n")
        },
        expect=RIGHT,
    ),
    Case(
        name="a quotation mark in a CSV that is never closed",
        files={"scores.csv": wide().replace("\n3,", '\n"3,')},
        expect=Stop(words=(("quot", "line 4"),)),
    ),
    Case(
        name="a quotation mark that swallows rows of a CSV",
        files={
            "scores.csv": 'id,text,GPT,Llama\n1,"Yes,0.71,0.62\n2,No,0.55,0.58\n3,Bye",0.91,0.8\n4,So,0.43,0.47\n'
            "5,Well,0.66,0.51\n"
        },
        expect=Ranked(means={"GPT": 2.0 / 3, "Llama": 1.78 / 3}, segments=3, says=(("line", "quot"),)),
        or_stop=Stop(words=(("quot", "line 2"),)),
    ),
    Case(
        name="a comma inside a cell without quotes",
        files={"scores.csv": "id,text,GPT,Llama\n1,Yes,0.71,0.62\n2,No, never,0.55,0.58\n3,Bye,0.91,0.8\n"},
        expect=Stop(words=("line 3",)),
    ),
    Case(
        name="one line that ends as on Windows",
        files={"scores.csv": wide().replace("0.58\n", "0.58\r\n")},
        expect=RIGHT,
    ),
    Case(
        name="lines that end as on old Macs",
        files={"scores.csv": wide().replace("\n", "\r")},
        expect=RIGHT,
        or_stop=Stop(words=("scores.csv",)),
    ),
    Case(
        name="byte order mark and line ends of Windows",
        files={"scores.csv": "\ufeff" + wide().replace("\n", "\r\n")},
        expect=PLAIN,
    ),
    Case(
        name="byte order mark before a name in quotes",
        files={"scores.csv": '\ufeff"id","GPT","Llama"\n' + wide().partition("\n")[2]},
        expect=PLAIN,
    ),
    Case(
        name="UTF-16",
        files={"scores.csv": wide().encode("utf-16")},
        expect=RIGHT,
        or_stop=Stop(words=("UTF-16",)),
    ),
    Case(
        name="Latin-1",
        files={"scores.csv": wide("id,GPT,Übersetzer").encode("latin-1")},
        expect=Stop(words=("UTF-8", "line 1")),
    ),
    Case(
        name="gzip under the name of a CSV",
        files={"scores.csv": gzip.compress(wide().encode(), mtime=0)},
        expect=PLAIN,
    ),
    Case(
        name="a CSV under the name of gzip",
        files={"scores.csv.gz": wide()},
        expect=RIGHT,
        or_stop=Stop(words=("gz",)),
    ),
    Case(
        name="tabs under the name of a CSV",
        files={"scores.csv": wide(separator="\t")},
        expect=PLAIN,
    ),
    Case(
        name="commas under the name of a TSV",
        files={"scores.tsv": wide()},
        expect=RIGHT,
        or_stop=Stop(words=("scores.tsv",)),
    ),
    Case(
        name="a workbook",
        files={"scores.xlsx": b"PK\x03\x04" + bytes(60)},
        expect=Stop(words=("scores.xlsx",)),
    ),
    Case(
        name="a workbook under the name of a CSV",
        files={"scores.csv": b"PK\x03\x04" + bytes(60)},
        expect=Stop(words=("scores.csv",)),
    ),
    Case(name="an empty file", files={"scores.csv": ""}, expect=Stop(words=("empty",))),
    Case(
        name="a header without rows", files={"scores.csv": "id,GPT,Llama\n"}, expect=Stop(words=("header",))
    ),
    Case(
        name="a page of HTML",
        files={"scores.csv": "<!DOCTYPE html>\n<html><body>404, not found</body></html>\n"},
        expect=Stop(words=("scores.csv",)),
    ),
    Case(
        name="a pointer of Git LFS",
        files={"scores.csv": "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12345\n"},
        expect=Stop(words=("scores.csv",), in_check=False),
    ),
    Case(
        name="marks of a merge conflict",
        files={"scores.csv": wide().replace("\n3,", "\n<<<<<<< HEAD\n3,")},
        expect=Stop(words=("line 4",)),
    ),
    Case(
        name="JSON list of rows",
        files={"scores.json": json.dumps(RECORDS)},
        expect=RIGHT,
        or_stop=Stop(words=(("line", "JSON"),)),
    ),
    Case(
        name="JSON list of rows on many lines",
        files={"scores.json": json.dumps(RECORDS, indent=2)},
        expect=RIGHT,
        or_stop=Stop(words=(("line", "JSON"),)),
    ),
    Case(
        name="JSON with a list for each system",
        files={"scores.json": json.dumps({"GPT": GPT, "Llama": LLAMA})},
        expect=RIGHT,
        or_stop=Stop(words=(("line", "JSON", "list"),)),
    ),
    Case(
        name="JSON with an object for each system",
        files={
            "scores.json": json.dumps(
                {"GPT": {f"s{k}": x for k, x, _ in ROWS}, "Llama": {f"s{k}": y for k, _, y in ROWS}}
            )
        },
        expect=RIGHT,
        or_stop=Stop(words=(("line", "JSON", "object"),)),
    ),
    Case(
        name="JSON lists of different lengths",
        files={"scores.json": json.dumps({"GPT": GPT, "Llama": LLAMA[:6]})},
        expect=Stop(words=(("line", "JSON", "list", "length"),)),
    ),
    Case(
        name="JSON lines with a key twice",
        files={
            "scores.jsonl": "".join(
                f'{{"id": {k}, "GPT": {x}, "Llama": {y}, "GPT": 0.01}}\n' for k, x, y in ROWS
            )
        },
        expect=Stop(words=("GPT",)),
    ),
    Case(
        name="JSON lines with a key twice on one line",
        files={
            "scores.jsonl": "".join(
                f'{{"id": {k}, "GPT": {x}, "Llama": {y}{TWICE if k == 3 else ""}}}\n' for k, x, y in ROWS
            )
        },
        expect=Stop(words=("GPT", "line 3")),
    ),
    Case(
        name="JSON lines with a byte order mark",
        files={"scores.jsonl": "\ufeff" + "".join(json.dumps(row) + "\n" for row in RECORDS)},
        expect=RIGHT,
        or_stop=Stop(words=("line 1",)),
    ),
    Case(
        name="JSON lines with a key that is missing once",
        files={
            "scores.jsonl": "".join(
                json.dumps({key: x for key, x in row.items() if (row["id"], key) != (3, "GPT")}) + "\n"
                for row in RECORDS
            )
        },
        expect=Stop(words=("missing", "GPT", "3")),
    ),
    Case(
        name="JSON lines with numbers as text",
        files={
            "scores.jsonl": "".join(json.dumps({**row, "GPT": str(row["GPT"])}) + "\n" for row in RECORDS)
        },
        expect=RIGHT,
    ),
    Case(
        name="JSON lines with scores inside an object",
        files={
            "scores.jsonl": "".join(
                json.dumps({"id": row["id"], "scores": {"GPT": row["GPT"], "Llama": row["Llama"]}}) + "\n"
                for row in RECORDS
            )
        },
        expect=RIGHT,
        or_stop=Stop(words=("scores",)),
    ),
    Case(
        name="JSON lines with a comma after each",
        files={"scores.jsonl": "".join(json.dumps(row) + ",\n" for row in RECORDS)},
        expect=Stop(words=("line 1",)),
    ),
    Case(
        name="Parquet with two columns of one name",
        files={"scores.parquet": _twice()},
        expect=Stop(words=("GPT",)),
    ),
    Case(
        name="a folder whose name looks like a column and a value",
        files={"GPT=7/scores.csv": wide()},
        command=("rank", "GPT=7/scores.csv"),
        expect=PLAIN,
    ),
    *(
        Case(
            name=f"Parquet in a folder called {folder}",
            files={f"{folder}/scores.parquet": parquet(WIDE)},
            command=("rank", f"{folder}/scores.parquet"),
            expect=PLAIN,
        )
        for folder in ("GPT=7", "temperature=0.7", "higher_is_better=false")
    ),
    Case(
        name="Parquet battles in a folder called winner=model_b",
        files={"winner=model_b/battles.parquet": parquet(ARENA)},
        command=("rank", "winner=model_b/battles.parquet"),
        expect=FOUGHT,
    ),
    Case(
        name="Parquet whose name looks like a pattern",
        files={"scores[1].parquet": parquet(WIDE)},
        expect=PLAIN,
    ),
    Case(
        name="a file whose name looks like a pattern",
        files={"scores[1].csv": wide()},
        expect=PLAIN,
    ),
)
