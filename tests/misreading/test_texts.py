"""Small text files in each other's place: the source as reference or as output, reference and output swapped.

A few sentences must be enough to see it, and sentences that differ for good reasons must not be doubted.
"""

from __future__ import annotations

import contextlib
import io
import re

import pytest

import betterthan as bt
from betterthan.cli.main import main

ENGLISH = (
    "The new bridge over the river will be opened by the mayor next Friday.",
    "Many residents had waited for years because the old road was often closed.",
    "In winter the ice makes it dangerous to walk along the bank after dark.",
    "The council says that the work has cost less than it had expected.",
)
GERMAN = (
    "Die neue Brücke über den Fluss wird nächsten Freitag vom Bürgermeister eröffnet.",
    "Viele Anwohner hatten jahrelang gewartet, weil die alte Straße oft gesperrt war.",
    "Im Winter macht es das Eis gefährlich, nach Einbruch der Dunkelheit am Ufer entlangzugehen.",
    "Der Stadtrat sagt, dass die Arbeiten weniger gekostet haben als erwartet.",
)
ONLINE = (
    "Die neue Brücke über den Fluss wird am nächsten Freitag durch den Bürgermeister eröffnet.",
    "Viele Bewohner hatten seit Jahren gewartet, weil die alte Straße häufig geschlossen war.",
    "Im Winter ist es wegen des Eises gefährlich, nach Einbruch der Dunkelheit am Ufer zu gehen.",
    "Der Rat sagt, dass die Arbeit weniger gekostet hat, als er erwartet hatte.",
)
POOR = (
    "Neu Brücke Fluss ist öffnen Bürgermeister am Freitag die nächste Woche.",
    "Vieler Mensch wartete Jahr, denn Straße alt war zu und oft gesperrt.",
    "Eis im Winter sehr gefährlich laufen bei dem Ufer in der Dunkelheit.",
    "Stadtrat meint die Arbeit kostete nicht so viel wie man hat erwartet.",
)
JAPANESE = (
    "川にかかる新しい橋は来週の金曜日に市長によって開通します。",
    "古い道路がよく通行止めになったため、多くの住民が何年も待っていました。",
    "冬は氷のため、暗くなってから岸辺を歩くのは危険です。",
    "議会によると、工事の費用は予想より少なかったそうです。",
)
GUESSES = tuple(f"{name}ville" for name in "abcdefghijklmnopqrstuvwxyzäöüßøåçñêî")
TOWNS = tuple(f"{name}burg" for name in "abcdefghijklmnopqrstuvwxyzäöüßøåçñêî")
REFUSALS = ("I am sorry, but I cannot help you with that request.",) * 8
ANSWERS = tuple(f"{one} {other}" for one in GERMAN[:2] for other in GERMAN)

LONG = (" ".join(GERMAN * 3),)

FOREIGN, REFERENCE, SAME = "BT261", "BT262", "BT264"
# Files by name, those given as references, and the codes that must appear.
CASES = {
    "outputs in German, an English reference": ({"a": GERMAN, "b": ONLINE}, ENGLISH, {FOREIGN}),
    "one output in German, an English reference": ({"a": ONLINE}, ENGLISH, {FOREIGN}),
    "outputs in Japanese, an English reference": ({"a": JAPANESE}, ENGLISH, {FOREIGN}),
    "the English source among German outputs": ({"a": ONLINE, "b": ENGLISH}, GERMAN, {FOREIGN}),
    "the reference among the outputs": ({"a": ONLINE * 2, "b": GERMAN * 2}, GERMAN * 2, {REFERENCE}),
    "one long line, and the same as reference": (
        {"a": LONG},
        LONG,
        {REFERENCE},
    ),
    "one output twice": ({"a": ONLINE * 2, "b": ONLINE * 2}, GERMAN * 2, {SAME}),
    "a good and a poor system": ({"a": ONLINE, "b": POOR}, GERMAN, set()),
    "a poor system alone": ({"a": POOR}, GERMAN, set()),
    "short answers that are all wrong": ({"a": GUESSES}, TOWNS, set()),
    "refusals": ({"a": REFUSALS, "b": ANSWERS}, ANSWERS[::-1][4:] + ANSWERS[:4], set()),
    "three good lines, two the same": ({"a": (*GERMAN[:2], ONLINE[2])}, GERMAN[:3], set()),
    "a few lines that are all right": ({"a": GERMAN[:3], "b": GERMAN[:3]}, GERMAN[:3], set()),
    "two words": ({"a": ("Guten Tag.",)}, ("Good morning.",), set()),
    "two equal words": ({"a": ("Guten Tag.",)}, ("Guten Tag.",), set()),
}


def written(folder, name, lines):
    """The path of a file with these lines."""
    path = folder / f"{name}.txt"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return str(path)


def run(*words):
    """The output of a command that must succeed, and what it wrote to standard error."""
    out, err = io.StringIO(), io.StringIO()
    with (
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(err),
        pytest.raises(SystemExit) as stopped,
    ):
        main(list(words))
    assert stopped.value.code == 0, err.getvalue()
    return out.getvalue(), err.getvalue()


@pytest.mark.parametrize("case", CASES)
def test_files_in_the_wrong_place_are_doubted_and_others_are_not(case, tmp_path):
    """By `score`, and by the notes of the counts in Python."""
    outputs, reference, codes = CASES[case]
    files = [written(tmp_path, name, lines) for name, lines in outputs.items()]
    _, said = run("score", "chrf", "--reference", written(tmp_path, "expected", reference), *files)
    assert set(re.findall(r"warning\[(BT\d+)\]", said)) == codes
    notes = " ".join(bt.chrf(outputs, reference).notes)
    seen = {
        FOREIGN: "hardly a frequent word",
        REFERENCE: "identical to the reference",
        SAME: "have the same output",
    }
    assert {code for code, words in seen.items() if words in notes} == codes


def test_the_source_is_recognized_where_it_is_known():
    """As the reference, as an output, and not beside a translation."""

    def notes(output, reference):
        texts = bt.Texts(
            systems=["a"],
            segments=["1", "2", "3", "4"],
            outputs=[output],
            references=[reference],
            sources=ENGLISH,
        )
        return bt.chrf(texts).notes

    assert notes(ONLINE, ENGLISH)[0].startswith(
        "The reference is identical to the source on 4 of 4 segments."
    )
    assert any(note.startswith('"a" is identical to the source') for note in notes(ENGLISH, GERMAN))
    assert not any("source" in note for note in notes(ONLINE, GERMAN))


def test_names_of_files_say_that_they_are_swapped(tmp_path):
    """A reference given as output, and a source given as reference; a second reference as a system is fine."""
    ours, ref = written(tmp_path, "ours", ONLINE), written(tmp_path, "ref", GERMAN)
    assert "ref.txt is named like a reference, but was given as an output" in run(
        "score", "chrf", "--reference", ours, ref, "--notes"
    )[0].replace("\n", " ")
    source = written(tmp_path, "src.en", ENGLISH)
    assert "named like a source" in run("score", "chrf", "--reference", source, ours, "--notes")[0].replace(
        "\n", " "
    )
    second = written(tmp_path, "refB", POOR)
    assert "named like" not in run("score", "chrf", "--reference", ref, second, "--notes")[0]
