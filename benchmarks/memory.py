"""Peak memory and processor time of commands on large tables and on files made to fill a machine.

Usage: python benchmarks/memory.py [--memory 1GB] [--only WORD] [--small] [--seconds 540]

Every command runs in a process of its own with a memory budget. It must stay below the budget and what Python and its
libraries take themselves, and end with exit code 0, or with 2 and one sentence; check ends with 1 where it reports
a problem. Otherwise, or where a command has not ended after the seconds given, the script ends with exit code 1.
Linux only, for it reads /proc.
"""

# ruff: noqa: S608  (the queries are ours)
from __future__ import annotations

import argparse
import gzip
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from betterthan import budget

COMMANDS = ("check", "rank", "report", "diagnose")
LIBRARIES = 160 * budget.MEGABYTE  # Python and what the report loads, which no budget can take away
ROW = "{:<44} {:>9} {:<9} {:>6} {:>9} {:>8} {:>8}  {}"
# The process counts for itself: what the operating system tells of a child begins with the peak of its parent.
PROGRAM = """
import os
from betterthan.cli.main import main
try:
    main()
finally:
    with open("/proc/self/status") as status, open(os.environ["PEAK"], "w") as peak:
        peak.write(next(line.split()[1] for line in status if line.startswith("VmHWM")))
"""
SHEET = "xl/worksheets/sheet1.xml"
PARTS = {
    "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>',
    "xl/workbook.xml": '<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">'
    '<sheets><sheet name="a" sheetId="1" r:id="r1"/></sheets></workbook>',
    "xl/_rels/workbook.xml.rels": '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
    '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" '
    'Target="worksheets/sheet1.xml"/></Relationships>',
}


class Case(NamedTuple):
    """A file: what it is, how it is written into a folder, and whether it is made to do harm."""

    name: str
    write: Callable[[Path, int], Path]
    is_hostile: bool = False


class Run(NamedTuple):
    """What a command used and how it ended; `code` is None where it was stopped."""

    code: int | None
    peak: int
    cpu: float
    seconds: float
    said: str


def run(words: list[str], folder: Path, seconds: float) -> Run:
    """Run the command line in a process of its own."""
    peak = folder / "peak.txt"
    peak.unlink(missing_ok=True)
    environment = {**os.environ, "BETTERTHAN_CACHE": str(folder / "cache"), "PEAK": str(peak)}
    begin, used = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        env=environment,
        start_new_session=True,
        text=True,
    )
    try:
        _, said = process.communicate(timeout=seconds)
        code = process.returncode
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        _, said = process.communicate()
        code = None
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - used.ru_utime - used.ru_stime
    kilobytes = int(peak.read_text()) if peak.exists() else 0
    return Run(code, kilobytes << 10, cpu, time.monotonic() - begin, said.strip())


def verdict(command: str, done: Run, size: int) -> str:
    """Return what is wrong with a run, or an empty string."""
    if done.code is None:
        return "did not end"
    if done.code not in ((0, 1) if command == "check" else (0, 2)):
        return f"exit code {done.code}"
    if done.code == 2 and (not done.said.startswith("error") or "\n" in done.said):
        return "more than one sentence"
    return "above its budget" if done.peak > size + LIBRARIES else ""


def wide(m: int, n: int) -> Callable[[Path, int], Path]:
    """Return what writes systems side by side."""

    def write(folder: Path, divisor: int) -> Path:
        path = folder / "wide.csv"
        systems, rows = max(m // divisor, 3) if m > n else m, n if m > n else n // divisor
        _copy(
            path,
            "SELECT i // 30 AS doc, i AS id, "
            + ", ".join(f"round(random() + {s / systems:.4f}, 3) AS S{s}" for s in range(systems))
            + f" FROM range({rows}) t(i)",
        )
        return path

    return write


def long(kind: str) -> Callable[[Path, int], Path]:
    """Return what writes ten million rows of 20 systems, one below the other."""

    def write(folder: Path, divisor: int) -> Path:
        path = folder / f"long.{kind}"
        rows = 10_000_000 // divisor
        _copy(
            path,
            "SELECT i // 20 AS item, 'System ' || (i % 20) AS system, "
            f"round(random() + (i % 20) / 40, 3) AS score FROM range({rows}) t(i)",
        )
        return path

    return write


def battles(kind: str) -> Callable[[Path, int], Path]:
    """Return what writes ten million battles of 100 systems."""

    def write(folder: Path, divisor: int) -> Path:
        path = folder / f"battles.{kind}"
        _copy(
            path,
            "SELECT 'M' || (i % 100) AS model_a, 'M' || ((i % 100 + 1 + (i // 100) % 99) % 100) AS model_b, "
            "CASE WHEN random() < 0.4 THEN 'model_a' WHEN random() < 0.6 THEN 'model_b' ELSE 'tie' END AS winner "
            f"FROM range({10_000_000 // divisor}) t(i)",
        )
        return path

    return write


def packed_csv(folder: Path, divisor: int) -> Path:
    """Twenty gigabytes of rows in some megabytes: one compressed part again and again."""
    path = folder / "bomb.csv.gz"
    part = gzip.compress(b"1234567,0.5,0.25\n" * (1 << 22), 1)
    with path.open("wb") as file:
        file.write(gzip.compress(b"id,A,B\n"))
        for _ in range(max(280 // divisor, 1)):
            file.write(part)
    return path


def packed_line(folder: Path, divisor: int) -> Path:
    """A line of ten gigabytes without an end."""
    path = folder / "line.csv.gz"
    part = gzip.compress(b"0.5," * (1 << 24), 1)
    with path.open("wb") as file:
        for _ in range(max(160 // divisor, 1)):
            file.write(part)
    return path


def sheet(folder: Path, divisor: int) -> Path:
    """A spreadsheet of two gigabytes of rows in some megabytes."""
    return _spreadsheet(
        folder,
        divisor,
        b"<worksheet><sheetData>",
        b"<row>" + b"<c><v>0.5</v></c>" * 3 + b"</row>",
        b"</sheetData></worksheet>",
    )


def sheet_entities(folder: Path, _divisor: int) -> Path:
    """A spreadsheet whose XML defines entities by entities by entities."""
    entities = '<!ENTITY a0 "0.5">' + "".join(f'<!ENTITY a{k} "{f"&a{k - 1};" * 10}">' for k in range(1, 12))
    begin = f"<!DOCTYPE x [{entities}]><worksheet><sheetData><row><c><v>&a11;</v></c></row>".encode()
    return _spreadsheet(folder, 1 << 20, begin, b"<row/>", b"</sheetData></worksheet>")


def many_rows(folder: Path, divisor: int) -> Path:
    """Parquet that declares a billion equal rows in a megabyte."""
    path = folder / "rows.parquet"
    rows = 1_000_000_000 // divisor
    _copy(path, f"SELECT 1 AS item, 'A' AS system, 0.5 AS score FROM range({rows})")
    return path


def many_columns(folder: Path, divisor: int) -> Path:
    """A table of a million columns."""
    path = folder / "columns.csv"
    n = 1_000_000 // divisor
    header = ",".join(f"S{i}" for i in range(n))
    path.write_text(f"id,{header}\n" + "".join(f"{i}{',0.5' * n}\n" for i in range(5)))
    return path


def deep(folder: Path, divisor: int) -> Path:
    """JSON of ten million lists in lists."""
    path = folder / "deep.json"
    n = 10_000_000 // divisor
    path.write_bytes(b"[" * n + b"]" * n)
    return path


def deep_objects(folder: Path, divisor: int) -> Path:
    """JSON lines of objects a hundred thousand deep."""
    path = folder / "deep.jsonl"
    n = 100_000 // divisor
    path.write_bytes((b'{"a":' * n + b"1" + b"}" * n + b"\n") * 20)
    return path


def new_keys(folder: Path, divisor: int) -> Path:
    """JSON lines with a new key in each of 300,000 rows."""
    path = folder / "keys.jsonl"
    path.write_text("".join(f'{{"id":{i},"k{i}":0.5}}\n' for i in range(300_000 // divisor)))
    return path


CASES = (
    Case("6 systems × 150,000 segments, CSV", wide(6, 150_000)),
    Case("3,000 systems × 300 segments, CSV", wide(3_000, 300)),
    Case("10,000,000 rows, long CSV", long("csv")),
    Case("10,000,000 rows, long Parquet", long("parquet")),
    Case("10,000,000 battles, CSV", battles("csv")),
    Case("10,000,000 battles, Parquet", battles("parquet")),
    Case("gzip of 20 GB of rows", packed_csv, is_hostile=True),
    Case("gzip of one line of 10 GB", packed_line, is_hostile=True),
    Case("spreadsheet of 2 GB of rows", sheet, is_hostile=True),
    Case("spreadsheet with entities of entities", sheet_entities, is_hostile=True),
    Case("Parquet of 1,000,000,000 equal rows", many_rows, is_hostile=True),
    Case("1,000,000 columns, CSV", many_columns, is_hostile=True),
    Case("JSON, 10,000,000 lists deep", deep, is_hostile=True),
    Case("JSON lines, 100,000 objects deep", deep_objects, is_hostile=True),
    Case("JSON lines, a new key in each row", new_keys, is_hostile=True),
)


def _copy(path: Path, query: str) -> None:
    """Write the rows of a query, in a process of its own: this one stays small."""
    how = "FORMAT parquet, COMPRESSION zstd" if path.suffix == ".parquet" else "HEADER"
    program = (
        f'import duckdb; duckdb.execute("""SELECT setseed(0.5); COPY ({query}) TO \'{path}\' ({how})""")'
    )
    subprocess.run([sys.executable, "-"], input=program, text=True, check=True)


def _spreadsheet(folder: Path, divisor: int, begin: bytes, row: bytes, end: bytes) -> Path:
    path = folder / "sheet.xlsx"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name, text in PARTS.items():
            archive.writestr(name, text)
        with archive.open(SHEET, "w", force_zip64=True) as file:
            file.write(begin)
            block = row * (1 << 14)
            for _ in range(max((2 << 30) // len(block) // divisor, 1)):
                file.write(block)
            file.write(end)
    return path


def rows_of(case: Case, size: str, seconds: float, divisor: int) -> Iterator[tuple[bool, str]]:
    """Run all commands on a file; yield whether it is well, and the row of the table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = case.write(folder, divisor)
        weight = path.stat().st_size
        for command in COMMANDS:
            more = ["-o", str(folder / "page.html")] if command == "report" else []
            done = run([command, str(path), "--memory", size, *more], folder, seconds)
            wrong = verdict(command, done, budget.parse_size(size))
            yield (
                not wrong,
                ROW.format(
                    case.name,
                    f"{weight / 1e6:,.1f} MB",
                    command,
                    "-" if done.code is None else done.code,
                    f"{done.peak / budget.MEGABYTE:,.0f} MB",
                    f"{done.cpu:,.1f} s",
                    f"{done.seconds:,.0f} s",
                    wrong or done.said.replace(name, "").replace("\n", " ")[:160],
                ),
            )


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--memory", default="1GB", metavar="SIZE")
    parser.add_argument("--only", default="", metavar="WORD", help="cases whose name contains it")
    parser.add_argument("--small", action="store_true", help="a hundredth of every size, to try the script")
    parser.add_argument("--seconds", type=float, default=540, help="after which a command is stopped")
    given = parser.parse_args()
    print(ROW.format("file", "size", "command", "exit", "peak", "CPU", "time", ""), flush=True)
    failed = 0
    for case in CASES:
        if given.only.lower() in case.name.lower():
            for is_well, row in rows_of(case, given.memory, given.seconds, 100 if given.small else 1):
                print(row, flush=True)
                failed += not is_well
    print(f"{failed} runs not as they should be" if failed else "all runs within their budget")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
