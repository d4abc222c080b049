"""How much is said below a table: what must be known first is said above it, and the rest is behind --notes."""

from __future__ import annotations

import statistics

import pytest

from betterthan.examples.campaign import campaign
from betterthan.examples.write import write_campaign

TEXTS = ("texts/Aster.txt", "texts/Birch.txt", "texts/Daphne.txt")
TAGS = ("tags/gold.tags", "tags/Finch.tags", "tags/Heron.tags", "tags/Wren.tags")
COMMANDS = {
    "check": ("check", "human.csv"),
    "check battles": ("check", "battles.csv"),
    "rank": ("rank", "human.csv"),
    "rank, two ways": ("rank", "human.csv", "--by", "mean", "--by", "bradley-terry"),
    "rank battles": ("rank", "battles.csv"),
    "compare": ("compare", "human.csv"),
    "compare three": ("compare", "human.csv", "Aster", "Birch", "Cedar"),
    "compare in battles": ("compare", "battles.csv", "Aster", "Birch"),
    "explain": ("explain", "human.csv", "Daphne", "Elm"),
    "agree": ("agree", "human.csv"),
    "diagnose": ("diagnose", "human.csv"),
    "meta": ("meta", "metrics.tsv", "--human", "human.csv", "--p-values", "analytic"),
    "score": ("score", "chrf", "--reference", "texts/reference.txt", *TEXTS),
    "score, three metrics": (
        *("score", "--metric", "bleu", "--metric", "chrf", "--metric", "ter"),
        *("--reference", "texts/reference.txt", *TEXTS, "--baseline", "Daphne"),
    ),
    "tags": ("tags", *TAGS, "--no-pairs"),
}
"""What ``betterthan demo`` runs, and what is tried next."""


@pytest.fixture(scope="module")
def demo(tmp_path_factory):
    """The example campaign."""
    folder = tmp_path_factory.mktemp("demo")
    write_campaign(folder, campaign())
    return folder


def below(text):
    """Return the lines after the last row of the last table."""
    lines = text.rstrip("\n").split("\n")
    at = max(i for i, line in enumerate(lines) if "────" in line)
    end = next((i for i in range(at, len(lines)) if not lines[i].strip()), len(lines))
    return [line for line in lines[end:] if line.strip()]


def test_little_is_said_below_a_table(betterthan, demo, monkeypatch):
    """Four lines or fewer for half of the commands; only explanations, answers in words, take more than seven."""
    monkeypatch.chdir(demo)
    counts = {name: len(below(betterthan(*command).out)) for name, command in COMMANDS.items()}
    assert statistics.median(counts.values()) <= 4, counts
    in_words = ("explain", "diagnose")
    assert max(n for name, n in counts.items() if name not in in_words) <= 7, counts
