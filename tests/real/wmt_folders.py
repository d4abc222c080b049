"""Texts and human scores of WMT, laid out as the studies of aggregation read them; the commands are on the page."""

from __future__ import annotations

import csv
import gzip
from pathlib import Path

NEEDED = ("wmt23-general-text", "wmt23-mqm-3raters", "wmt21-newstest-mqm", "wmt21-ted-mqm")
PAIRS = ("de-en", "en-de", "en-ja", "en-zh", "he-en", "zh-en")


def lay_out(data: Path, folder: Path) -> None:
    """Make mqm23, news21 and ted21 in a folder; WMT23 with direct assessment needs no laying out."""
    for pair in ("en-de", "zh-en"):
        _linked(data / "wmt23-general-text" / pair, folder / "mqm23" / pair)
        _judged_once(data / "wmt23-mqm-3raters" / f"{pair}.tsv.gz", folder / "mqm23" / pair / "mqm.tsv")
        _linked(data / "wmt21-newstest-mqm" / pair, folder / "news21" / pair)
        _talks(data / "wmt21-ted-mqm" / f"{pair}.tsv.gz", folder / "ted21" / pair)


def _linked(source: Path, folder: Path) -> None:
    folder.mkdir(parents=True)
    for path in source.iterdir():
        (folder / path.name).symlink_to(path.resolve())


def _judged_once(source: Path, path: Path) -> None:
    """A system that was judged beside two others is one system, and the same judges count twice."""
    with gzip.open(source, "rt", encoding="utf-8") as lines, path.open("w", encoding="utf-8") as out:
        for line in lines:
            cells = line.split("\t")
            cells[0], _, beside = cells[0].partition("_with_")
            cells[4] += f"-{beside}" if beside else ""
            out.write("\t".join(cells))


def _talks(source: Path, folder: Path) -> None:
    """One file holds texts and scores; lines of all systems are in the same order."""
    (folder / "sys").mkdir(parents=True)
    texts: dict[str, list[str]] = {}
    with (
        gzip.open(source, "rt", encoding="utf-8", newline="") as lines,
        (folder / "mqm.tsv").open("w", encoding="utf-8") as scores,
    ):
        scores.write("system\tseg_id\tmqm\n")
        for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE):
            own = texts.setdefault(row["system"], [])
            own.append(row["target"])
            scores.write(f"{row['system']}\t{len(own)}\t{row['mqm']}\n")
    for name, own in texts.items():
        path = folder / f"{name}.txt" if name == "ref-A" else folder / "sys" / f"{name}.txt"
        if name == "ref-A" or not name.startswith("ref-"):
            path.write_text("".join(f"{line}\n" for line in own), encoding="utf-8")
