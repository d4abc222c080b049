"""Small data of every kind, with names and words that would do harm where they are not escaped."""

from __future__ import annotations

import random

HARM = "<script>alert(1)</script>"
SYSTEMS = (HARM, "B/two", "=C")


def battles() -> str:
    """Ninety battles of three systems, with ties, segments and judges."""
    draw = random.Random(5)  # noqa: S311  (made data)
    rows = []
    for i in range(90):
        left, right = draw.sample(range(3), 2)
        share = draw.random()
        winner = "tie" if share < 0.2 else "model_a" if share < 0.55 + 0.1 * (right - left) else "model_b"
        rows.append(f"{SYSTEMS[left]},{SYSTEMS[right]},{winner},J{draw.randrange(4)},q{i:02}\n")
    return "model_a,model_b,winner,judge,segment\n" + "".join(rows)


def texts() -> dict[str, str]:
    """Twelve lines of a source, a reference and two systems; a line holds a script, and a file is named like one."""
    draw = random.Random(6)  # noqa: S311  (made data)
    words = (
        "the",
        "old",
        "house",
        "near",
        "a",
        "quiet",
        "river",
        "was",
        "sold",
        "to",
        "an",
        "honest",
        "farmer",
    )
    reference = [" ".join(draw.choices(words, k=9)) for _ in range(12)]

    def worse(line: str, share: float) -> str:
        return " ".join(draw.choice(words) if draw.random() < share else word for word in line.split())

    first = [worse(line, 0.2) for line in reference]
    second = [worse(line, 0.4) for line in reference]
    first[3] = f"{HARM} {first[3]}"
    lines = {"source.txt": [line[::-1] for line in reference], "reference.txt": reference}
    lines |= {f"{HARM}.txt": first, "Second.txt": second}
    return {name: "".join(f"{line}\n" for line in text) for name, text in lines.items()}


def tags() -> dict[str, str]:
    """Gold and two systems, a row a sentence, the systems named in the file; beside them the words."""
    draw = random.Random(7)  # noqa: S311  (made data)
    head = "lp\tname\tsid\tmt\tmttok\ttags\n"
    gold, said, words = [], [], []
    for j in range(20):
        line = [f"w{j}{i}" for i in range(3 + j % 4)]
        line[0] = "<b>w</b>"
        truth = [draw.random() < 0.35 for _ in line]
        words.append(line)
        gold.append(_row("gold", j, line, truth))
        for share, name in ((0.15, HARM), (0.35, "B/two")):
            said.append(_row(name, j, line, [bad ^ (draw.random() < share) for bad in truth]))
    return {
        "gold.tsv": head + "".join(gold),
        "systems.tsv": head + "".join(said),
        "output.mt": "".join(" ".join(line) + "\n" for line in words),
    }


def _row(name: str, j: int, words: list[str], bad: list[bool]) -> str:
    labels = " ".join("BAD" if one else "OK" for one in bad)
    line = " ".join(words)
    return f"en-de\t{name}\t{j}\t{line}\t{line}\t{labels}\n"
