import collections
import dataclasses

import numpy as np
import pytest
from tests.everyday import few

from betterthan.examples.campaign import TAGGED_SYSTEM, Battle, battles, campaign
from betterthan.examples.sentences import PUNCTUATION, natural


def test_shapes(example):
    """Eight systems, three hundred segments, four metrics, and a label for everything."""
    assert len(example.systems) == 8
    for labels in (example.segments, example.documents, example.domains, example.source, example.reference):
        assert len(labels) == 300
    assert example.human.shape == (8, 300)
    assert list(example.metrics) == ["Learned", "chrF", "TER", "Length"]
    assert {table.shape for table in example.metrics.values()} == {(8, 300)}
    assert tuple(example.outputs) == example.systems
    assert {len(lines) for lines in example.outputs.values()} == {300}
    assert len(example.battles) == 2000


def test_nothing_can_be_changed(example):
    """Fields, mappings and arrays refuse to be written to."""
    with pytest.raises(dataclasses.FrozenInstanceError):
        example.seed = 1
    with pytest.raises(TypeError):
        example.metrics["BLEU"] = example.human
    for table in (example.human, *example.metrics.values()):
        with pytest.raises(ValueError, match="read-only"):
            table[0, 0] = 1


def test_the_same_seed_gives_the_same_campaign(example):
    """Two calls agree in every field."""
    again = campaign.__wrapped__(2024)  # made anew, not remembered
    for field in dataclasses.fields(example):
        assert repr(getattr(again, field.name)) == repr(getattr(example, field.name))
    np.testing.assert_array_equal(again.human, example.human)
    for name, table in example.metrics.items():
        np.testing.assert_array_equal(again.metrics[name], table)


@pytest.mark.parametrize("seed", few([7, 0, 1], 1))
def test_another_seed_gives_another_campaign_of_the_same_kind(example, seed):
    """Aster is best and Hazel worst, whatever the seed."""
    other = campaign(seed)
    means = other.human.mean(axis=1)

    assert not np.array_equal(other.human, example.human)
    assert other.systems[means.argmax()] == "Aster"
    assert other.systems[means.argmin()] == "Hazel"
    assert np.isfinite([*other.metrics.values()]).all()


def test_human_scores_look_like_those_of_people(example):
    """Whole numbers from 0 to 100, many multiples of five, many hundreds, and ties between systems."""
    human = example.human
    ties = (human[:, None] == human[None]).mean(axis=2)[np.triu_indices(8, 1)]

    assert np.array_equal(human, np.floor(human))
    assert human.min() >= 0
    assert human.max() == 100
    assert 0.6 < (human % 5 == 0).mean() < 0.9
    assert 0.1 < (human == 100).mean() < 0.3
    assert 0.05 < ties.mean() < 0.2


def test_metrics_keep_to_their_ranges(example):
    """Learned and Length from 0 to 1, chrF from 0 to 100, TER from 0 up."""
    for name, top in (("Learned", 1), ("Length", 1), ("chrF", 100)):
        assert 0 <= example.metrics[name].min() < example.metrics[name].max() <= top
    assert example.metrics["TER"].min() == 0
    assert example.lower_is_better == {"TER"}


def test_no_text_is_empty_or_breaks_a_line(example):
    """One line a segment, in every text."""
    for lines in (example.source, example.reference, *example.outputs.values()):
        assert all(line == line.strip() != "" and len(line.splitlines()) == 1 for line in lines)


def test_battles_name_known_systems_segments_and_outcomes(example):
    """Two different systems each time, and all four outcomes occur."""
    assert all(isinstance(battle, Battle) for battle in example.battles)
    assert (
        {b.model_a for b in example.battles} == {b.model_b for b in example.battles} == set(example.systems)
    )
    assert all(battle.model_a != battle.model_b for battle in example.battles)
    assert {battle.segment for battle in example.battles} <= set(example.segments)
    outcomes = collections.Counter(battle.winner for battle in example.battles)
    assert set(outcomes) == {"model_a", "model_b", "tie", "both_bad"}
    assert min(outcomes.values()) >= 20
    assert len({battle.judge for battle in example.battles}) == 12


def test_every_pair_of_systems_meets_and_neither_side_is_favoured(example):
    """At least forty votes a pair; the left side wins about half of those decided."""
    met = collections.Counter(frozenset(battle[:2]) for battle in example.battles)
    decided = [battle.winner for battle in example.battles if battle.winner.startswith("model")]

    assert len(met) == 28
    assert min(met.values()) >= 40
    assert abs(decided.count("model_a") / len(decided) - 0.5) < 0.05


def test_a_battle_of_two_hopeless_outputs_is_both_bad(example):
    """Whoever is a little less bad."""
    segments = [dataclasses.make_dataclass("Named", ["name"])(name) for name in example.segments]
    votes = battles(np.full((2, 300), [[-50.0], [-90.0]]), ("Aster", "Hazel"), segments, 1)

    assert {vote.winner for vote in votes} == {"both_bad"}


def test_tags_fit_the_output_token_by_token(example):
    """As many tags as tokens on each line, gold and predicted; the tokens are those of the system's text."""
    tags = example.tags
    n_tokens = [len(line) for line in tags.tokens]

    assert tags.system == TAGGED_SYSTEM
    assert tuple(natural(line) for line in tags.tokens) == example.outputs[TAGGED_SYSTEM]
    assert len(tags.predicted) == 4
    for lines in (tags.gold, *tags.predicted.values()):
        assert [len(line) for line in lines] == n_tokens
        assert {tag for line in lines for tag in line} == {"OK", "BAD"}


def test_gold_never_blames_punctuation_and_blames_a_quarter_of_the_words(example):
    """A realistic share of BAD."""
    pairs = [
        pair
        for lines in zip(example.tags.tokens, example.tags.gold, strict=True)
        for pair in zip(*lines, strict=True)
    ]
    bad = [token for token, tag in pairs if tag == "BAD"]

    assert not PUNCTUATION & set(bad)
    assert 0.2 < len(bad) / len(pairs) < 0.35
