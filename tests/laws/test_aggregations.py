"""Laws that all ways of ranking obey; the exceptions are sets with names."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
import pytest
from tests.everyday import few
from tests.made import (
    by_pair,
    by_system,
    drawn_counts,
    drawn_matches,
    drawn_scores,
    same_after_json,
    scores_of,
)

import betterthan as bt
from betterthan.engine.blocks import block_ranges
from betterthan.present.renderers.render import FORMATS, render


def best_tenth(goodness):
    """A function of the caller: the mean of the best tenth of a system's scores."""
    return np.sort(goodness, axis=1)[:, -max(1, goodness.shape[1] // 10) :].mean(axis=1)


FAST = {"n_resamples": 15, "n_orders": 12, "workers": 1}
MECHANISMS = {
    "mean": {"by": "mean"},
    "mean bca": {"by": "mean", "interval": "bca"},
    "median": {"by": "median"},
    "win_rate": {"by": "win_rate"},
    "bradley_terry": {"by": "bradley_terry"},
    "bradley_terry half": {"by": "bradley_terry", "ties": "half"},
    "bradley_terry prior": {"by": "bradley_terry", "prior": 0.5},
    "bradley_terry log": {"by": "bradley_terry", "scale": "log"},
    "bradley_terry elo": {"by": "bradley_terry", "scale": "elo"},
    "bradley_terry davidson": {"by": "bradley_terry", "ties": "davidson"},
    "bradley_terry as_published": {"by": "bradley_terry", "ties": "as_published"},
    "elo": {"by": "elo"},
    "elo segments": {"by": "elo", "order": "segments"},
    "elo as_published": {"by": "elo", "order": "as_published"},
    "trueskill": {"by": "trueskill"},
    "trueskill segments": {"by": "trueskill", "order": "segments"},
    "trueskill as_published": {"by": "trueskill", "order": "as_published"},
    "own function": {"by": best_tenth},
}
# A rating learns match by match: the last matches count most.
ORDER_SENSITIVE = {name for name in MECHANISMS if name.startswith(("elo", "trueskill"))}
# Averaged over shuffles, the order matters only through the shuffles that were drawn.
ORDER_AVERAGED = {"elo", "trueskill"}
# Ties go to the system that stands second in the table.
TIES_BY_POSITION = {"bradley_terry as_published", "elo as_published", "trueskill as_published"}
# They ask only who is better on a segment.
RANK_BASED = {
    name for name in MECHANISMS if name.startswith(("win_rate", "bradley_terry", "elo", "trueskill"))
}
# Their strengths are in the metric's unit, and lower where the metric is better when lower.
IN_UNITS_OF_THE_METRIC = {"mean", "mean bca", "median"}
# More segments, more steps of learning, or less weight of the prior.
CHANGED_BY_REPETITION = ORDER_SENSITIVE | {"bradley_terry prior"}
# The test behind the ranks speaks of the strengths themselves; the others count segments of a pair.
TESTED_BY_STRENGTH = {"mean", "mean bca", "median", "own function"}

TABLES = {
    "distinct": drawn_scores(4, 25, seed=1),
    "ties": scores_of(np.round(drawn_scores(4, 31, seed=2).values)),
    "clear": drawn_scores(5, 19, seed=3, gap=1.2),
}
each_mechanism = pytest.mark.parametrize("mechanism", MECHANISMS)
each_table = pytest.mark.parametrize("table", few(["distinct", "ties"], 1))


def ranked(table, mechanism, **options):
    """The ranking of a table by the mechanism of that name; those of `TABLES` are made once."""
    if any(table is known for known in TABLES.values()) and not options:
        return ranked_once(table.digest, mechanism)
    return bt.rank(table, **{**FAST, **MECHANISMS[mechanism], **options})


@cache
def ranked_once(digest, mechanism):
    """The ranking of the table in `TABLES` with this digest."""
    (table,) = (known for known in TABLES.values() if known.digest == digest)
    return bt.rank(table, **FAST, **MECHANISMS[mechanism])


def close(found, expected, *, slack=1e-9):
    """Whether two columns by system agree up to rounding."""
    assert found.keys() == expected.keys()
    return all(found[name] == pytest.approx(expected[name], rel=slack, abs=slack) for name in found)


@each_mechanism
@each_table
def test_renaming_systems_renames_the_answer(mechanism, table):
    """Names decide nothing: not the numbers, not the order."""
    scores = TABLES[table]
    new = {name: f"system {name.lower()}" for name in scores.systems}
    renamed = scores_of(dict(zip(new.values(), scores.values, strict=True)))
    one, other = ranked(scores, mechanism), ranked(renamed, mechanism)

    assert tuple(new[name] for name in one.systems) == other.systems
    for field in ("strength", "low", "high", "rank", "rank_low", "rank_high", "cluster", "beats_next"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))
    assert one.letters == other.letters


@each_mechanism
@each_table
def test_the_order_of_systems_decides_no_strength(mechanism, table):
    """Columns may be swapped, except where a published program depends on their order."""
    scores = TABLES[table]
    turned = scores.select(scores.systems[::-1])
    one, other = ranked(scores, mechanism), ranked(turned, mechanism)
    if mechanism in ORDER_AVERAGED:
        assert_same_up_to_orders(one, other)
    elif mechanism not in ORDER_SENSITIVE | TIES_BY_POSITION:
        for field in ("strength", "low", "high", "rank", "rank_low", "rank_high", "cluster"):
            assert close(by_system(one, field), by_system(other, field))


@each_mechanism
@each_table
def test_the_order_of_segments_decides_no_strength(mechanism, table):
    """Rows may be shuffled, except for ratings that learn match by match."""
    scores = TABLES[table]
    order = np.random.default_rng(0).permutation(scores.n_segments)
    mixed = scores.select(segments=[scores.segments[i] for i in order])
    one, other = ranked(scores, mechanism), ranked(mixed, mechanism)
    if mechanism in ORDER_AVERAGED:
        assert_same_up_to_orders(one, other)
    elif mechanism not in ORDER_SENSITIVE:
        assert close(by_system(one), by_system(other))
        assert one.systems == other.systems
        assert close(by_system(one, "rank_low"), by_system(other, "rank_low"))


def assert_same_up_to_orders(one, other):
    """Two means over different shuffles differ by what the spread over orders allows."""
    error = np.array(list(by_system(one, "order_spread").values())) * np.sqrt(2 / FAST["n_orders"])
    gap = [by_system(one)[name] - by_system(other)[name] for name in one.systems]
    assert np.all(np.abs(gap) <= 5 * error + 1e-9)


@each_mechanism
@each_table
def test_repeating_every_segment_changes_no_strength(mechanism, table):
    """Strengths are averages over segments, not sums, but for a prior and for ratings that go on learning."""
    scores = TABLES[table]
    twice = scores_of(np.repeat(scores.values, 2, axis=1))
    if mechanism not in CHANGED_BY_REPETITION | {"own function"}:
        assert close(by_system(ranked(scores, mechanism)), by_system(ranked(twice, mechanism)))


@pytest.mark.parametrize("mechanism", sorted(RANK_BASED))
@each_table
@pytest.mark.parametrize("stretch", [np.exp])
def test_stretching_the_scale_changes_nothing_for_what_asks_who_is_better(mechanism, table, stretch):
    """A monotone map of the scores keeps every comparison, hence every number to the last bit."""
    scores = TABLES[table]
    one, other = ranked(scores, mechanism), ranked(scores_of(stretch(scores.values)), mechanism)

    assert one.systems == other.systems
    for field in ("strength", "low", "high", "rank_low", "rank_high"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


@each_table
def test_the_median_moves_with_a_monotone_map(table):
    """With an odd number of segments the median is a score, and a map takes it along."""
    scores = TABLES[table]
    one, other = ranked(scores, "median"), ranked(scores_of(np.exp(scores.values)), "median")

    assert np.exp(one.strength) == pytest.approx(other.strength)
    assert one.systems == other.systems
    np.testing.assert_array_equal(one.rank_low, other.rank_low)


@each_mechanism
@each_table
def test_an_error_rate_is_ranked_as_the_score_it_negates(mechanism, table):
    """Lower is better says the same as negated scores: same order, same ranks, same tests."""
    scores = TABLES[table]
    errors = scores_of(-scores.values, higher_is_better=False)
    one, other = ranked(scores, mechanism), ranked(errors, mechanism)
    sign = -1 if mechanism in IN_UNITS_OF_THE_METRIC else 1

    assert one.systems == other.systems
    assert one.letters == other.letters
    np.testing.assert_array_equal(one.strength, sign * other.strength)
    # An end of an interval is a difference, and the other end a sum: some versions of NumPy round them differently.
    np.testing.assert_allclose(one.low, -other.high if sign < 0 else other.low, rtol=1e-13)
    for field in ("rank", "rank_low", "rank_high", "cluster", "beats_next", "differs_from_next"):
        np.testing.assert_array_equal(getattr(one, field), getattr(other, field))


@each_mechanism
@each_table
def test_a_leaderboard_is_in_order(mechanism, table):
    """Best first, ranks and clusters never fall, intervals are not inside out, every system is there once."""
    scores = TABLES[table]
    found = ranked(scores, mechanism)

    assert sorted(found.systems) == sorted(scores.systems)
    assert found.rank[0] == 1
    assert np.all(np.diff(found.rank) >= 0)
    assert found.cluster[0] == 1
    assert set(np.diff(found.cluster)) <= {0, 1}
    assert np.all(found.low <= found.high)
    assert np.all((found.rank_low >= 1) & (found.rank_low <= found.rank_high))
    assert np.all(found.rank_high <= scores.n_systems)
    assert np.isnan(found.beats_next[-1])
    assert not found.differs_from_next[-1]
    assert (found.order_spread is not None) == (mechanism in ORDER_AVERAGED)


@pytest.mark.parametrize("mechanism", sorted(TESTED_BY_STRENGTH))
@pytest.mark.parametrize("table", TABLES)
def test_a_rank_lies_in_its_interval_when_the_test_speaks_of_the_strengths(mechanism, table):
    """Whoever is significantly better is also ahead. For the others see the next test."""
    found = ranked(TABLES[table], mechanism, confidence=0.6)

    assert np.all(found.rank_low <= found.rank)
    assert np.all(found.rank <= found.rank_high)


def test_a_rank_lies_in_its_range_when_pairs_contradict_the_whole():
    """A beats B on 65 of 100 segments, yet B is ahead, because it alone beats C on all.

    The range is that of the win rates that are ranked, not of the pairs.
    """
    a = np.where(np.arange(100) < 65, 3.0, 0.0)
    table = scores_of({"A": a, "B": np.full(100, 2.0), "C": np.full(100, 1.0)})
    found = bt.rank(table, by="win_rate", n_resamples=200)

    assert found.systems[0] == "B"
    assert np.all(found.rank_low <= found.rank)
    assert np.all(found.rank <= found.rank_high)


@each_mechanism
@pytest.mark.parametrize("table", ["ties", "clear"])
def test_two_systems_share_a_letter_exactly_when_they_are_not_told_apart(mechanism, table):
    """Letters, clusters, spread and stars all come from the same decisions."""
    scores = TABLES[table]
    found = ranked(scores, mechanism, confidence=0.7)
    m = len(found.systems)
    different = np.array([[not set(one) & set(other) for other in found.letters] for one in found.letters])

    worse_than = different.sum(axis=0)  # told apart from so many, in either direction
    np.testing.assert_array_equal((found.rank_low - 1) + (m - found.rank_high), worse_than)
    np.testing.assert_array_equal(found.differs_from_next[:-1], np.diagonal(different, offset=1))
    for i in range(m):
        inside = [j for j in range(i) if found.cluster[j] == found.cluster[i]]
        assert not any(different[i, j] for j in inside)


@each_mechanism
def test_the_decisions_are_those_of_compare(mechanism):
    """Rank and compare agree about every pair: both ask the same question of the same strengths."""
    options = MECHANISMS[mechanism]
    if options.get("ties") == "davidson" or "order" in options:
        return  # compare has no such options
    scores = TABLES["clear"]
    shared = {key: options[key] for key in ("by", "ties", "prior") if key in options}
    pairs = bt.compare(scores, **shared)
    found = bt.rank(scores, **options)
    letters = dict(zip(found.systems, found.letters, strict=True))

    assert found.test == pairs.test
    for pair in pairs.pairs():
        assert (pair.verdict is None) == bool(set(letters[pair.a]) & set(letters[pair.b]))


OTHER_TABLES = {
    "counts": (drawn_counts(3, 20), {}),
    "counts by segment": (drawn_counts(3, 20), {"by": "median"}),
    "matches": (drawn_matches(), {}),
    "matches drop": (drawn_matches(), {"ties": "drop", "scale": "elo"}),
    "matches davidson": (drawn_matches(), {"ties": "davidson"}),
    "matches percentile": (drawn_matches(), {"interval": "percentile"}),
    "matches win_rate": (drawn_matches(), {"by": "win_rate"}),
    "matches elo": (drawn_matches(), {"by": "elo"}),
    "matches trueskill": (drawn_matches(), {"by": "trueskill"}),
    "matches clustered": (drawn_matches(group=np.arange(300) % 17), {}),
}
EVERYTHING = {
    **{name: (TABLES["ties"], options) for name, options in MECHANISMS.items()},
    **{f"groups {name}": (drawn_scores(3, 24, groups=list("abcdefgh" * 3)), {**options, "units": "groups"})
       for name, options in MECHANISMS.items() if "bca" not in name},
    **OTHER_TABLES,
}  # fmt: skip
each_ranking = pytest.mark.parametrize("case", few(EVERYTHING, 15))


@each_ranking
def test_a_ranking_survives_json_and_shows_itself_in_every_format(case):
    """Nothing that can be computed cannot be written, and what is read again is the same."""
    table, options = EVERYTHING[case]
    found = bt.rank(table, **FAST, **options)

    assert same_after_json(found)
    for name in FORMATS:
        assert found.systems[0] in render(found, name)


@each_ranking
def test_the_number_of_workers_changes_no_byte(case, monkeypatch):
    """1, 2 and 4 workers write the same JSON, when the work is cut into many blocks."""
    small = partial(block_ranges, budget=40_000)
    monkeypatch.setattr("betterthan.analysis.resampling.block_ranges", small)
    table, options = EVERYTHING[case]
    one, *others = (
        bt.rank(table, **{**FAST, **options, "workers": workers}).to_json() for workers in (1, 2, 4)
    )

    assert others == [one, one]


@each_ranking
def test_a_signature_names_data_size_version_and_interval(case):
    """What makes two numbers comparable stands in the line below the table."""
    table, options = EVERYTHING[case]
    found = bt.rank(table, **FAST, **options)
    line = found.settings.signature
    data = table.per_segment() if case == "counts by segment" else table

    assert line.startswith(f"betterthan|{found.settings.method}|")
    for part in (
        f"|data:{data.digest}|",
        f"|version:{bt.__version__}",
        f"|k:{table.n_systems}|",
        "|ci:95,",
        "|test:",
    ):
        assert part in line
    drawn = any(word in line for word in ("percentile", "bca", "bootstrap", "max_statistic", "|pooled|"))
    assert ("|seed:12345|" in line) == drawn  # the test of a pooled score permutes


CHANGES = {
    "by": {"by": "median"},
    "ties": {"by": "bradley_terry", "ties": "half"},
    "prior": {"by": "bradley_terry", "prior": 2.0},
    "scale": {"by": "bradley_terry", "scale": "log"},
    "order": {"by": "elo", "order": "segments"},
    "n_orders": {"by": "elo", "n_orders": 7},
    "units": {"units": "segments"},
    "interval": {"interval": "bca"},
    "confidence": {"confidence": 0.9},
    "n_resamples": {"by": "median", "n_resamples": 41},
    "rng": {"by": "median", "rng": 1},
}


@pytest.mark.parametrize("option", CHANGES)
def test_every_option_that_changes_a_number_changes_the_signature(option):
    """Two results with one signature have the same numbers."""
    table = drawn_scores(3, 24, groups=list("abcdefgh" * 3))
    changed = {**FAST, **CHANGES[option]}
    before = {**changed, option: {**FAST, "by": "mean"}.get(option)}
    if before[option] is None:
        del before[option]

    assert bt.rank(table, **before).settings.signature != bt.rank(table, **changed).settings.signature


def test_the_same_seed_gives_the_same_bytes_and_another_seed_other_intervals():
    """Seeds are numbers or generators; a generator moves on."""
    table = TABLES["distinct"]
    options = {"n_resamples": 99, "interval": "percentile"}
    first, again, other = (bt.rank(table, rng=rng, **options) for rng in (5, 5, 6))
    rng = np.random.default_rng(0)

    assert first.to_json() == again.to_json()
    assert first.low.tolist() != other.low.tolist()
    assert first.strength.tolist() == other.strength.tolist()
    assert bt.rank(table, rng=rng, **options) != bt.rank(table, rng=rng, **options)


def test_matches_do_not_mind_who_is_written_first():
    """Left and right swapped with the outcome, rows shuffled, rows added up: the same strengths."""
    table = drawn_matches()
    order = np.random.default_rng(0).permutation(table.left.size)
    swapped = bt.Matches(systems=table.systems, left=table.right, right=table.left, outcome=1 - table.outcome)
    mixed = bt.Matches(
        systems=table.systems, left=table.left[order], right=table.right[order], outcome=table.outcome[order]
    )
    expected = bt.rank(table)
    for other in (swapped, mixed, table.aggregated()):
        found = bt.rank(other)
        assert close(by_system(found), by_system(expected))
        assert close(by_system(found, "low"), by_system(expected, "low"))


@pytest.mark.parametrize("by", ["bradley_terry", "win_rate"])
def test_matches_do_not_mind_the_order_of_systems(by):
    """Strengths, intervals and spreads move with their systems."""
    table = drawn_matches()
    turned = bt.Matches(
        systems=table.systems[::-1], left=3 - table.left, right=3 - table.right, outcome=table.outcome
    )
    one, other = bt.rank(table, by=by), bt.rank(turned, by=by)
    for field in ("strength", "low", "high", "rank_low", "rank_high"):
        assert close(by_system(one, field), by_system(other, field))


def test_counts_do_not_mind_the_order_of_systems_and_segments():
    """The pooled score is a sum; only the random draws of the interval know where a segment stood."""
    table = drawn_counts()
    turned = table.select(table.systems[::-1])
    mixed = table.select(segments=table.segments[::-1])

    for field in ("strength", "low", "high", "rank_low"):
        assert close(by_system(bt.rank(table), field), by_system(bt.rank(turned), field))
    assert close(by_system(bt.rank(table)), by_system(bt.rank(mixed)))
    assert by_pair(bt.compare(table), "pvalue") == pytest.approx(by_pair(bt.compare(turned), "pvalue"))
