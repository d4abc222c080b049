"""A small folder of the metrics task made by us, and its damaged variants."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

SYSTEMS = ("Aster", "Birch", "online-C.7")
SEGMENTS = 6
DOCUMENTS = (("news", "n1"),) * 2 + (("news", "n2"),) + (("speech", "s1"),) * 3


def score_text(rows: dict[str, list[object]], separator: str = "\t") -> str:
    """A score file, system by system."""
    return "".join(f"{name}{separator}{score}\n" for name, scores in rows.items() for score in scores)


def scores(system: int, factor: float) -> list[float]:
    """Scores that differ by system, segment and metric."""
    return [round(factor * (system + 1) + 0.1 * k, 3) for k in range(SEGMENTS)]


def files(pair: str = "en-de") -> dict[str, str]:
    """The files of a language pair, by their place in the folder."""
    with_reference = (*SYSTEMS, "refB")
    human = {name: [-value for value in scores(i, 2.0)] for i, name in enumerate(SYSTEMS[:2])}
    human["Aster"][3] = "None"
    human |= {"online-C.7": ["None"] * SEGMENTS, "refB": [0.0] * SEGMENTS}
    return {
        f"sources/{pair}.txt": "".join(f"source {k}\n" for k in range(SEGMENTS)),
        f"documents/{pair}.docs": "".join(f"{domain}\t{name}\n" for domain, name in DOCUMENTS),
        f"references/{pair}.refA.txt": "text\n" * SEGMENTS,
        f"references/{pair}.refB.txt": "text\n" * SEGMENTS,
        f"system-outputs/{pair}/Silent.txt": "text\n" * SEGMENTS,
        f"human-scores/{pair}.mqm.seg.score": score_text(human),
        f"human-scores/{pair}.mqm.sys.score": "Aster -2.5\nBirch -4\nonline-C.7 None\n",
        f"human-scores/{pair}.da.z.sys.score": "Aster 0.5\nBirch 0.25\nonline-C.7 0.1\n",
        f"metric-scores/{pair}/BLEU-refA.seg.score": score_text(
            {name: scores(i, 10.0) for i, name in enumerate(with_reference)}, " "
        ),
        f"metric-scores/{pair}/BLEU-refB.seg.score": score_text(
            {name: scores(i, 11.0) for i, name in enumerate(SYSTEMS)}
        ),
        f"metric-scores/{pair}/My-QE-src.seg.score": score_text(
            {name: scores(i, 0.5) for i, name in enumerate(with_reference)}
        ),
        f"metric-scores/{pair}/TER-refA.seg.score": score_text(
            {name: [-value for value in scores(i, 0.25)] for i, name in enumerate(SYSTEMS)}
        ),
        f"metric-scores/{pair}/BLEU-refA.sys.score": "Aster 30\nBirch 31\nonline-C.7 29.5\nrefB 28\n",
        f"metric-scores/{pair}/BLEU-refA.doc.score": score_text(
            {name: [i + 0.5, i + 0.25, i + 0.125] for i, name in enumerate(SYSTEMS)}
        ),
        f"metric-scores/{pair}/BLEU-refA.domain.score": "".join(
            f"{domain} {name} {i + j}\n"
            for i, name in enumerate(SYSTEMS)
            for j, domain in enumerate(("news", "speech"))
        ),
    }


def make(folder: Path, *pairs: str) -> Path:
    """Write the folder with these language pairs, en-de if none is named."""
    for pair in pairs or ("en-de",):
        for place, text in files(pair).items():
            path = folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return folder


BLEU = "metric-scores/en-de/BLEU-refA.seg.score"
DOCS = "documents/en-de.docs"


def _rewritten(place: str, old: str, new: str) -> Callable[[Path], None]:
    def change(folder: Path) -> None:
        path = folder / place
        text = path.read_text(encoding="utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), encoding="utf-8")

    return change


def _renamed(place: str, new: str) -> Callable[[Path], None]:
    return lambda folder: (folder / place).rename(folder / new) and None


def _no_documents(folder: Path) -> None:
    (folder / DOCS).rename(folder / "documents" / "en-fr.docs")


def _outside(folder: Path) -> None:
    secret = folder.parent / "secret.seg.score"
    secret.write_text("Aster 1\n", encoding="utf-8")
    (folder / BLEU).unlink()
    (folder / BLEU).symlink_to(secret)


def _circle(folder: Path) -> None:
    (folder / BLEU).unlink()
    (folder / BLEU).symlink_to(folder / BLEU)


def _pipe(folder: Path) -> None:
    (folder / BLEU).unlink()
    os.mkfifo(folder / BLEU)


# What is done to the folder, the code, and what the message must say.
DAMAGED: dict[str, tuple[Callable[[Path], None], str, str]] = {
    "no documents": (_no_documents, "BT166", r"documents/en-de\.docs: There is a folder of documents, but none"),
    "documents of three fields": (
        _rewritten(DOCS, "news\tn1", "news\tn1\tx"), "BT166", r"en-de\.docs, line 1: The line has 3 fields"),
    "fewer documents than sources": (
        _rewritten(DOCS, "news\tn1\n", ""), "BT162", r"en-de\.docs has 5 lines, but sources/en-de\.txt has 6"),
    "unequal lengths": (
        _rewritten(BLEU, "Birch 20.3\n", ""), "BT162",
        (r'BLEU-refA\.seg\.score, line 11: System "Birch" has 5 scores, the last in this line, but '
        r"documents/en-de\.docs has 6 lines\. One line per segment is needed: write None")),
    "a line too many": (
        _rewritten(BLEU, "Birch 20.3\n", "Birch 20.3\nBirch 1\n"), "BT162", r'"Birch" has 7 scores'),
    "no number": (
        _rewritten(BLEU, "Birch 20.3", "Birch n/a?"), "BT013", r'refA\.seg\.score, line 10: "n/a\?" is not a number'),
    "infinite": (_rewritten(BLEU, "Birch 20.3", "Birch inf"), "BT014", r'line 10: "inf" is infinite'),
    "a header": (_rewritten(BLEU, "Aster 10.0", "system score\nAster 10.0"), "BT013", r'line 1: "score" is not a num'),
    "three fields": (_rewritten(BLEU, "Birch 20.3", "Birch 20.3 9"), "BT160", r"line 10: The line has 3 fields where"),
    "an empty line": (_rewritten(BLEU, "Birch 20.3\n", "\n"), "BT160", r"line 10: The line is empty where SYSTEM"),
    "unknown level": (
        _renamed(BLEU, "metric-scores/en-de/BLEU-refA.word.score"), "BT161",
        r'BLEU-refA\.word\.score: "word" is not a level of scores\. The levels are seg, doc, domain, sys'),
    "empty file": (lambda folder: (folder / BLEU).write_text("") and None, "BT003", r"seg\.score: The file is empty"),
    "not UTF-8": (lambda folder: (folder / BLEU).write_bytes(b"A\xff 1\n") and None, "BT005", r"line 1: The byte 0xff"),
    "a link out of the folder": (_outside, "BT163", r"BLEU-refA\.seg\.score: This link leads out of the folder"),
    "a circular link": (_circle, "BT163", r"BLEU-refA\.seg\.score: This link is broken or circular"),
    "a pipe": (_pipe, "BT163", r"BLEU-refA\.seg\.score: This is not a regular file"),
    "a second copy": (
        lambda folder: (folder / f"{BLEU}.gz").write_bytes((folder / BLEU).read_bytes()) and None, "BT169",
        r'There is a second file with scores called "BLEU-refA"'),
}  # fmt: skip
