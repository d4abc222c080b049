"""Who of the judges can be trusted, and how far they agree."""

import json
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.everyday import examples

import betterthan as bt
from betterthan.kernels.judges.reliability import intraclass_two_way, krippendorff_alpha


def campaign(*, noise, n_systems=4, n_segments=30, seed=5, shift=None, higher_is_better=True):
    """Every judge of every output; each judge adds noise of its own size to the truth."""
    rng = np.random.default_rng(seed)
    truth = 60 + 15 * rng.normal(size=(n_systems, n_segments))
    shift = np.zeros(len(noise)) if shift is None else np.asarray(shift)
    score = (
        truth
        + shift[:, None, None]
        + np.asarray(noise)[:, None, None] * rng.normal(size=(len(noise), n_systems, n_segments))
    )
    judge, system, segment = np.indices(score.shape).reshape(3, -1)
    return bt.Ratings(
        name="quality",
        systems=[f"S{i}" for i in range(n_systems)],
        segments=[str(i) for i in range(n_segments)],
        judges=[f"J{i}" for i in range(len(noise))],
        system=system,
        segment=segment,
        judge=judge,
        score=score.ravel() if higher_is_better else -score.ravel(),
        higher_is_better=higher_is_better,
    )


def with_controls(ratings, *, drop, n=12):
    """Beside system S0 its degraded version on the first segments; judge j scores it `drop[j]` lower."""
    genuine = np.flatnonzero((ratings.system == 0) & (ratings.segment < n))
    rng = np.random.default_rng(9)
    lower = np.asarray(drop)[ratings.judge[genuine]] + rng.normal(size=genuine.size)
    sign = 1 if ratings.higher_is_better else -1
    return bt.Ratings(
        name=ratings.name,
        systems=[*ratings.systems, "S0#bad"],
        segments=ratings.segments,
        judges=ratings.judges,
        system=[*ratings.system, *[len(ratings.systems)] * genuine.size],
        segment=[*ratings.segment, *ratings.segment[genuine]],
        judge=[*ratings.judge, *ratings.judge[genuine]],
        score=[*ratings.score, *(ratings.score[genuine] - sign * lower)],
        higher_is_better=ratings.higher_is_better,
    )


def test_a_judge_who_answers_at_random_is_not_kept():
    """By the variance beside peers; the reason is told, and the ratings are freed of the judge."""
    ratings = campaign(noise=[5, 6, 5, 60, 6])
    found = bt.judges(ratings)
    assert found.dropped == ("J3",)
    assert found.variance_ratio[3] > 2
    assert found.reasons[3].startswith("variance of the differences from the others ")
    assert "Excluded: J3 (variance" in " ".join(found.sentences)
    kept = found.kept(ratings)
    assert kept.judges == ("J0", "J1", "J2", "J4")
    assert kept.notes == ("120 of 600 judgments left out: judges J3, by quality control.",)
    after = bt.judges(kept)
    assert after.dropped == ()
    assert "No judge was found to be unreliable; all are kept." in after.sentences
    assert after.agreement.alpha > found.agreement.alpha + 0.1


def test_the_threshold_is_the_callers():
    """The same judges, another rule; ratios do not change."""
    ratings = campaign(noise=[5, 6, 5, 60, 6])
    loose = bt.judges(ratings, max_variance_ratio=1000)
    assert loose.dropped == ()
    np.testing.assert_array_equal(loose.variance_ratio, bt.judges(ratings).variance_ratio)
    strict = bt.judges(ratings, max_variance_ratio=1)
    above = dict(zip(strict.judges, strict.variance_ratio > 1, strict=True))
    assert all(above[name] for name in strict.dropped)


def test_a_severe_judge_is_kept():
    """Severity is bias, not noise."""
    found = bt.judges(campaign(noise=[5, 5, 5, 5], shift=[0, 0, 0, -40]))
    assert found.dropped == ()
    assert found.bias[3] == pytest.approx(-40, abs=2)
    assert found.agreement.icc_consistency > found.agreement.icc_agreement + 0.2
    assert found.agreement.alpha_standardized > found.agreement.alpha + 0.2


def test_use_of_the_scale_is_noise_only_without_standardising():
    """A judge with three times the scale is as good as others, once standardized."""
    ratings = campaign(noise=[4, 4, 4, 4])
    stretched = bt.Ratings(
        **{
            **{name: getattr(ratings, name) for name in ("name", "systems", "segments", "judges", "system")},
            "segment": ratings.segment,
            "judge": ratings.judge,
            "score": np.where(ratings.judge == 0, 60 + 3 * (ratings.score - 60), ratings.score),
        }
    )
    assert bt.judges(stretched).dropped == ()
    assert bt.judges(stretched, standardize=False).dropped == ("J0",)


@pytest.mark.parametrize("up", [True, False])
def test_a_judge_who_does_not_see_degraded_outputs_is_not_kept(up):
    """By the control test, also where lower is better; control items count for nothing else and are left out."""
    plain = campaign(noise=[5, 5, 5], higher_is_better=up)
    ratings = with_controls(plain, drop=[30, 0, 25])
    found = bt.judges(ratings, controls={"S0#bad": "S0"})
    assert found.dropped == ("J1",)
    assert found.reasons[1].startswith(
        "scores the degraded output lower in only 7 of 12 control items, p = 0.013"
    )
    assert found.n_controls.tolist() == [12, 12, 12]
    assert found.control_right.tolist() == [12, 7, 12]
    # P(X ≤ 7) of 12 pairs at 0.9, times three judges (R: 3 * pbinom(7, 12, 0.9)).
    assert found.careless_pvalue.tolist() == pytest.approx([1, 0.0129880298, 1], abs=1e-9)
    np.testing.assert_allclose(found.control_difference, [30, 0, 25], atol=1)
    assert found.control_pvalue[0] == pytest.approx(2**-12)
    assert found.agreement == bt.judges(plain).agreement
    np.testing.assert_array_equal(found.variance_ratio, bt.judges(plain).variance_ratio)
    kept = found.kept(ratings)
    assert kept.systems == plain.systems
    assert kept.digest == plain.without(["J1"]).digest
    assert kept.notes == (
        "36 of 396 judgments left out: those of S0#bad.",
        "120 of 360 judgments left out: judges J1, by quality control.",
    )


def test_few_controls_do_not_show_that_a_judge_is_careless():
    """One of four wrong is no reason, and the words say what four pairs can show."""
    ratings = with_controls(campaign(noise=[5, 5]), drop=[0, 0], n=4)
    found = bt.judges(ratings, controls={"S0#bad": "S0"})
    assert found.dropped == ()
    # Nobody is dropped above 1 of 4 right, which an answer at random is in 5 of 16 cases.
    assert found.control_power == pytest.approx(5 / 16)
    assert any(
        said.startswith("4 control items cannot show that a judge is careless") for said in found.sentences
    )


def test_a_judge_who_is_right_on_most_controls_is_kept():
    """Four of five right, five judges: careful judges miss one in five now and then."""
    ratings = with_controls(campaign(noise=[5] * 5), drop=[30, 30, 30, 30, 30], n=5)
    score = ratings.score.copy()
    degraded = np.flatnonzero((ratings.system == 4) & (ratings.judge == 0))
    score[degraded[0]] += 80
    found = bt.judges(replace(ratings, score=score), controls={"S0#bad": "S0"})
    assert found.control_right[0] == 4
    assert found.control_pvalue[0] > 0.05
    assert found.dropped == ()


def test_judges_who_happen_to_differ_on_few_outputs_are_kept():
    """Ten outputs and a ratio above 2 are no proof: it is said, with the p-value and what ten outputs can show."""
    ratings = campaign(noise=[15] * 12, n_systems=1, n_segments=10, seed=1)
    found = bt.judges(ratings)
    assert found.variance_ratio.max() > 2
    assert found.dropped == ()
    assert np.nanmin(found.variance_pvalue) > 0.05
    said = " ".join(found.sentences)
    assert "Kept despite a high variance that may be chance" in said
    assert found.power < 0.8
    assert "Comparison with the other judges would detect a judge who answers at random" in said


def test_two_judges_cannot_tell_which_of_them_is_wrong():
    """They differ from each other alike."""
    assert bt.judges(campaign(noise=[1, 90])).dropped == ()


def test_degraded_segments_are_controls_too():
    """A segment may have a degraded copy."""
    rows = {"item": [], "system": [], "rater": [], "score": []}
    for k in range(6):
        for name, score in ((f"{k}", 80 + k), (f"{k}#bad", 30 + 2 * k)):
            for column, cell in zip(rows, (name, "A", "x", score), strict=True):
                rows[column].append(cell)
    ratings = bt.read_ratings(rows, name="quality")
    found = bt.judges(ratings, controls={f"{k}#bad": f"{k}" for k in range(6)})
    assert found.control_pvalue[0] == pytest.approx(2**-6)
    assert found.kept(ratings).segments == tuple("012345")


@pytest.mark.parametrize(
    ("controls", "message"),
    [
        ({"S9#bad": "S0"}, 'Unknown control item "S9#bad"'),
        ({"S1": "S9"}, 'The control item "S1" needs a genuine system, and "S9" is not one.'),
        ({"S1": "S1"}, 'The control item "S1" needs a genuine system, and "S1" is not one.'),
        ({"3": "S1"}, 'The control item "3" needs a genuine segment, and "S1" is not one.'),
    ],
)
def test_controls_that_do_not_exist_are_refused(controls, message):
    """With their names."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.judges(campaign(noise=[1, 1]), controls=controls)


def test_a_control_that_is_both_system_and_segment_is_refused():
    """Nothing is guessed."""
    ratings = bt.Ratings(
        name="q",
        systems=["1", "A"],
        segments=["1", "2"],
        judges=["x"],
        system=[0],
        segment=[0],
        judge=[0],
        score=[5],
    )
    with pytest.raises(bt.TableError, match='"1" is the name of a system and of a segment'):
        bt.judges(ratings, controls={"1": "A"})


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ({"max_variance_ratio": 0.5}, "max_variance_ratio must be 1 or more"),
        ({"max_variance_ratio": np.nan}, "max_variance_ratio must be 1 or more"),
        ({"min_shared": 1}, "min_shared must be 2 or more"),
        ({"control_accuracy": 0.5}, "control_accuracy must lie between 0.5"),
        ({"alpha": 1}, "alpha must lie between 0 and 1"),
    ],
)
def test_rules_that_make_no_sense_are_refused(option, message):
    """Each with the reason."""
    with pytest.raises(bt.BetterThanError, match=message):
        bt.judges(campaign(noise=[1, 1]), **option)


def test_agreement_is_that_of_the_kernels_on_a_complete_design():
    """The table of outputs × judges, laid out by hand."""
    ratings = campaign(noise=[5, 9, 14], n_systems=3, n_segments=7)
    table = np.full((21, 3), np.nan)
    for system, segment, judge, score in zip(
        ratings.system, ratings.segment, ratings.judge, ratings.score, strict=True
    ):
        table[system * 7 + segment, judge] = score
    found = bt.judges(ratings).agreement
    assert found.alpha == pytest.approx(krippendorff_alpha(np.repeat(np.arange(21), 3), table.ravel()).alpha)
    assert found.icc_agreement == pytest.approx(intraclass_two_way(table).icc)
    assert found.icc_consistency == pytest.approx(intraclass_two_way(table, kind="consistency").icc)
    alike = [
        np.sign(table[a * 7 + s, i] - table[b * 7 + s, i])
        == np.sign(table[a * 7 + s, j] - table[b * 7 + s, j])
        for s in range(7)
        for a in range(3)
        for b in range(a)
        for i in range(3)
        for j in range(i)
    ]
    assert (found.order_pairs, found.order_alike) == (len(alike), pytest.approx(np.mean(alike)))
    assert found.per_output == 3
    assert found.reliability == pytest.approx(3 * found.icc / (1 + 2 * found.icc))


def test_repeats_are_measured_and_averaged():
    """A judge who scores an output 40 and 60 has a deviation of √200; agreement sees 50."""
    rows = {"item": [1, 1, 1, 2, 2], "system": ["A"] * 5, "rater": ["x", "x", "y", "x", "y"]}
    ratings = bt.read_ratings({**rows, "score": [40, 60, 50, 20, 20]}, duplicates="mean", name="q")
    found = bt.judges(ratings)
    assert found.n_repeats.tolist() == [1, 0]
    assert found.repeat_deviation[0] == pytest.approx(200**0.5)
    assert np.isnan(found.repeat_deviation[1])
    assert found.agreement.alpha == 1


def test_judges_who_share_nothing_have_no_agreement():
    """Undefined is NaN, and the words say why."""
    ratings = bt.read_ratings(
        {
            "item": [1, 2, 3, 4],
            "system": ["A", "B", "A", "B"],
            "rater": ["x", "x", "y", "y"],
            "score": [1, 2, 3, 4],
        }
    )
    found = bt.judges(ratings)
    assert np.isnan(found.agreement.alpha)
    assert np.isnan(found.variance_ratio).all()
    assert found.dropped == ()
    assert any(said.startswith("No two judges judged the same output") for said in found.sentences)


@settings(max_examples=examples(15))
@given(st.permutations(range(4)), st.permutations(range(3)))
def test_names_and_order_do_not_matter(judges, systems):
    """Renaming judges and systems permutes the answer."""
    ratings = campaign(noise=[5, 6, 40, 6], n_systems=3, n_segments=6)
    renamed = bt.Ratings(
        name="quality",
        systems=ratings.systems,
        segments=ratings.segments,
        judges=ratings.judges,
        system=np.array(systems)[ratings.system],
        segment=ratings.segment,
        judge=np.array(judges)[ratings.judge],
        score=ratings.score,
    )
    one, two = bt.judges(ratings), bt.judges(renamed)
    for name in ("mean", "deviation", "correlation", "bias", "variance_ratio"):
        np.testing.assert_allclose(getattr(two, name)[list(judges)], getattr(one, name), rtol=1e-9, atol=1e-9)
    assert two.agreement.alpha == pytest.approx(one.agreement.alpha)


def test_the_result_survives_json_and_is_shown():
    """All formats; columns of controls only where there are controls."""
    ratings = with_controls(campaign(noise=[5, 5, 60, 6]), drop=[30, 0, 25, 20])
    found = bt.judges(ratings, controls={"S0#bad": "S0"})
    assert bt.Result.from_dict(json.loads(found.to_json())) == found
    shown = str(found)
    assert shown.startswith("Judges of quality\n")
    assert "7 of 12" in shown
    assert "repeats sd" not in shown
    assert next(iter(found.columns())) == "judge"
    assert found.to_frame()["keep"].tolist() == found.keep.tolist()
    for form in ("markdown", "latex", "csv", "html"):
        assert "J2" in bt.render(found, form)
    assert repr(found).startswith("Judges(4 judges, 2 not kept, alpha 0.")


@pytest.mark.slow
@pytest.mark.parametrize(("noise", "told"), [(2**0.5, 1.5), (1, 2), (0.5**0.5, 3)])
def test_the_ratio_of_a_random_judge_is_as_the_docstring_tells(noise, told):
    """On 100 campaigns of eight judges, three an output; nobody else is lost at the default."""
    random, others = [], []
    for seed in range(100):
        rng = np.random.default_rng(seed)
        truth = rng.normal(size=400)
        who = rng.permuted(np.tile(np.arange(8), (400, 1)), axis=1)[:, :3]
        errors = rng.normal(size=who.shape)
        ratings = bt.Ratings(
            name="q",
            systems=["A"],
            segments=[str(i) for i in range(400)],
            judges=[f"J{i}" for i in range(8)],
            system=np.zeros(1200, int),
            segment=np.repeat(np.arange(400), 3),
            judge=who.ravel(),
            score=np.where(who == 7, errors, truth[:, None] + noise * errors).ravel(),
        )
        ratio = bt.judges(ratings).variance_ratio
        random.append(ratio[7])
        others += ratio[:7].tolist()
    assert np.median(random) == pytest.approx(told, abs=0.1)
    assert np.mean(np.array(others) > 2) < 0.01
