"""Outputs that do not belong to their references are announced; those that do are scored without a word."""

from __future__ import annotations

import pytest

import betterthan as bt
from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign
from betterthan.scoring.mismatches import mismatches


@pytest.fixture(scope="module")
def texts(tmp_path_factory):
    """Systems, outputs, references and sources of the example campaign."""
    folder = tmp_path_factory.mktemp("campaign")
    write_campaign(folder, campaign())
    lines = {
        file.stem: tuple(file.read_text(encoding="utf-8").split("\n")[:-1])
        for file in (folder / "texts").iterdir()
    }
    reference, source = lines.pop("reference"), lines.pop("source")
    return tuple(lines), tuple(lines.values()), (reference,), source


def codes(*given):
    """The codes of what was seen."""
    return [each.code for each in mismatches(*given)]


def test_texts_that_fit_give_no_warning(texts):
    """All systems of the example, against the reference."""
    systems, outputs, references, _ = texts
    assert codes(systems, outputs, references) == []


def test_the_source_as_reference_is_noticed(texts):
    """For all systems at once, and for the one whose file it is."""
    systems, outputs, references, sources = texts
    (found,) = mismatches(systems, outputs, (sources,))
    assert found.code == "BT261"
    assert "Is the reference the source, or of another language?" in found.message
    (found,) = mismatches(systems[:2], (outputs[0], sources), references)
    assert found.message.startswith(
        f"The output of {systems[1]} and the reference have hardly a frequent word"
    )


def test_the_reference_among_the_systems_is_noticed(texts):
    """Also with a few lines changed; and of several references the one that it is."""
    systems, outputs, references, _ = texts
    changed = ("x", *references[0][1:])
    (found,) = mismatches(systems[:2], (outputs[0], changed), references)
    assert (found.code, "identical to the reference on 299 of 300 segments" in found.message) == (
        "BT262",
        True,
    )
    (found,) = mismatches(systems[:1], (references[0],), (outputs[0], references[0]))
    assert "identical to reference 2 on 300 of 300" in found.message


def test_one_file_for_two_systems_is_noticed(texts):
    """Named once, for the two."""
    systems, outputs, references, _ = texts
    (found,) = mismatches(systems[:2], (outputs[0], outputs[0]), references)
    assert (found.code, f'"{systems[0]}" and "{systems[1]}" have the same output' in found.message) == (
        "BT264",
        True,
    )


@pytest.mark.parametrize("at", [0, 150, 270])
def test_a_missing_and_an_additional_line_are_found(texts, at):
    """From the place on where they are."""
    systems, outputs, references, _ = texts
    (lines, *_) = outputs
    (found,) = mismatches(systems[:1], ((*lines[:at], *lines[at + 1 :], "x"),), references)
    assert found.code == "BT263"
    assert f"segments {at + 1} to " in found.message
    assert "fit the reference 1 line later better" in found.message
    (found,) = mismatches(systems[:1], ((*lines[:at], "x", *lines[at:-1]),), references)
    assert "fit the reference 1 line earlier better" in found.message


def test_outputs_in_another_order_are_noticed(texts):
    """No line fits its own reference better than any other."""
    systems, outputs, references, _ = texts
    (found,) = mismatches(systems[:1], (outputs[0][::-1],), references)
    assert found.code == "BT263"
    assert "of another test set, or in another order?" in found.message


@pytest.mark.parametrize("metric", [bt.bleu, bt.chrf, bt.ter])
def test_every_metric_carries_the_warning_before_other_notes(metric, texts):
    """So that reports and the web app show it too."""
    systems, outputs, _, sources = texts
    counts = metric({systems[0]: outputs[0][:100]}, [sources[:100]])
    assert counts.notes[0].startswith("The outputs and the reference have hardly a frequent word in common.")


def test_few_short_or_repeated_lines_give_no_warning():
    """Where nothing can be known, nothing is said."""
    lines = ("Yes.", "No.", "Yes.", "No.")
    assert codes(("A",), (lines,), (lines,)) == []
    assert codes(("A",), (("Yes.",) * 60,), (("No.",) * 60,)) == []
    assert codes(("A",), (("",) * 60,), (("No.",) * 60,)) == []
    assert codes(("A",), (("42", "17") * 30,), (("42", "18") * 30,)) == []


def test_texts_that_are_all_alike_are_not_called_misplaced():
    """Commands from one template share nearly every word with every line."""
    lines = tuple(f"Turn to page {i} of the green book and read the last line" for i in range(40))
    output = tuple(line.replace("green", "red") for line in lines)
    assert codes(("A",), (output,), (lines,)) == []
