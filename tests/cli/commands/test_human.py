"""``betterthan human``: direct assessment, relative rankings and MQM from files to answers."""

import json

import numpy as np
import pytest

import betterthan as bt


@pytest.fixture
def judgements(tmp_path):
    """Four judges of every output of three systems; the fourth answers at random; A is degraded as A#bad."""
    rng = np.random.default_rng(8)
    truth = {"A": 75, "B": 60, "C": 45}
    lines = ["item,system,rater,score"]
    for segment in range(20):
        ease = rng.normal() * 8
        for judge in ("u", "v", "w", "random"):
            for system, level in truth.items():
                noise = rng.normal() * 4 if judge != "random" else rng.uniform(-60, 60) - ease + 60 - level
                lines.append(f"{segment},{system},{judge},{np.clip(level + ease + noise, 0, 100):.1f}")
            if segment < 8:
                lower = 30 if judge != "random" else rng.normal()
                lines.append(f"{segment},A#bad,{judge},{np.clip(75 + ease - lower, 0, 100):.1f}")
    path = tmp_path / "judgements.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def results_of(said):
    """Every result of the JSON on stdout."""
    found = json.loads(said.out)
    return [bt.Result.from_dict(one) for one in (found if isinstance(found, list) else [found])]


def test_direct_assessment_is_ranked_and_judges_are_shown(betterthan, judgements):
    """Standardised, with intervals; the same numbers as in Python; fewer than fifteen judgments are named."""
    said = betterthan("human", "da", judgements, "--control", "A#bad=A")
    assert said.code == 0
    assert "Ranking" not in said.err
    assert "Ranking by adjusted mean: DA (z), higher is better" in said.out
    assert "Judges of DA" in said.out
    assert "fewer than 15" in said.out
    ranking, judges = results_of(betterthan("human", "da", judgements, "--control", "A#bad=A", "--json"))
    ratings = bt.read_ratings(judgements, name="DA").without_items(systems=["A#bad"])
    expected = bt.rank_ratings(ratings)
    assert ranking.systems == expected.systems == ("A", "B", "C")
    np.testing.assert_allclose(ranking.strength, expected.strength)
    np.testing.assert_allclose(ranking.low, expected.low)
    assert judges == bt.judges(bt.read_ratings(judgements, name="DA"), controls={"A#bad": "A"})
    assert judges.dropped == ("random",)


def test_judges_are_left_out_only_when_asked(betterthan, judgements):
    """Quality control on request; the notes tell."""
    plain = results_of(betterthan("human", "da", judgements, "--control", "A#bad=A", "--raw", "--json"))[0]
    clean = results_of(
        betterthan("human", "da", judgements, "--control", "A#bad=A", "--raw", "--drop-judges", "--json")
    )[0]
    assert any("judges random, by quality control" in note for note in clean.notes)
    assert not any("quality control" in note for note in plain.notes)
    means = bt.read_ratings(judgements).without(["random"]).to_scores()
    expected = dict(zip(means.systems, means.values.mean(axis=1), strict=True))
    assert dict(zip(clean.systems, clean.strength, strict=True)) == pytest.approx(
        {name: expected[name] for name in "ABC"}
    )


def test_scores_and_matches_are_written(betterthan, judgements, tmp_path):
    """And can be read back as what Python makes."""
    scores, matches = tmp_path / "scores.csv", tmp_path / "pairs.csv"
    said = betterthan(
        *("human", "da", judgements, "--raw", "--scores-to", scores),
        *("--darr", 25, "--matches-to", matches, "--by-margin", "--json"),
    )
    assert said.code == 0
    assert f"Wrote {scores}" in said.err
    assert f"Wrote {matches}" in said.err
    ratings = bt.read_ratings(judgements, name="DA")
    np.testing.assert_allclose(bt.read_scores(scores).values, ratings.to_scores().values)
    assert bt.read_matches(matches).n_matches == ratings.to_matches(margin=25).n_matches
    curve = results_of(said)[-1]
    np.testing.assert_allclose(curve.share, ratings.kept_by_margin(curve.margin))


def test_few_judgements_are_not_used_when_asked(betterthan, judgements):
    """Each output has four."""
    said = betterthan("human", "da", judgements, "--min-judgements", 5)
    assert said.code == 2
    assert "There are no judgments of" in said.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--darr", 25), "--darr MARGIN and --matches-to FILE belong together"),
        (("--matches-to", "x.csv"), "--darr MARGIN and --matches-to FILE belong together"),
        (("--control", "A"), '"A" has no "=". Write NAME=VALUE.'),
        (("--control", "X=A"), 'Unknown control item "X"'),
        (("--max-variance-ratio", 0), "must be 1 or more"),
    ],
)
def test_what_does_not_fit_is_refused(options, message, betterthan, judgements):
    """In one line, exit code 2."""
    said = betterthan("human", "da", judgements, *options)
    assert said.code == 2
    assert message in said.err


def test_means_without_judges_are_ranked_too(betterthan, tmp_path):
    """As campaigns publish them; judges cannot be tested."""
    path = tmp_path / "means.csv"
    path.write_text("item,system,score\n1,A,80\n1,B,60\n2,A,70\n2,B,66\n3,A,90\n", encoding="utf-8")
    (ranking,) = results_of(betterthan("human", "da", path, "--json"))
    assert ranking.systems == ("A", "B")
    assert "1 of 6 outputs were not judged" in ranking.notes[-1]
    said = betterthan("human", "da", path, "--drop-judges")
    assert said.code == 2
    assert "no column of judges" in said.err
    matches = tmp_path / "m.csv"
    assert betterthan("human", "da", path, "--darr", 10, "--matches-to", matches).code == 0
    assert bt.read_matches(matches).n_matches == 1


RANKINGS = "srcIndex,judgeId,system1Id,system1rank,system2Id,system2rank,system3Id,system3rank\n"


@pytest.fixture
def rankings(tmp_path):
    """Three systems ranked on thirty segments; two of them share an output once."""
    rng = np.random.default_rng(3)
    lines = []
    for segment in range(30):
        ranks = np.argsort(np.argsort(-(rng.normal(size=3) + np.array([1, 0.5, 0])))) + 1
        lines.append(f"{segment},j{segment % 5},A,{ranks[0]},B,{ranks[1]},C,{ranks[2]}")
    lines.append('30,j1,"A,B",1,C,2,,-1')
    path = tmp_path / "rankings.csv"
    path.write_text(RANKINGS + "\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_relative_rankings_are_ranked(betterthan, rankings, tmp_path):
    """By Bradley–Terry and TrueSkill, errors clustered by judge."""
    target = tmp_path / "matches.csv"
    said = betterthan(
        *("human", "rr", rankings, "--by", "bradley-terry", "--by", "trueskill"),
        *("--matches-to", target, "--resamples", 20, "--json", "--no-cache"),
    )
    terry, skill = results_of(said)
    assert terry == bt.rank(bt.read_rankings(rankings), scale="elo", ties="half", n_resamples=20)
    assert terry.settings.options["ci"] == "95,clustered"
    assert skill.settings.method == "trueskill"
    assert bt.read_matches(target).n_matches == 93
    dropped = results_of(betterthan("human", "rr", rankings, "--identical", "drop", "--json"))[0]
    assert any("were left out" in note for note in dropped.notes)


def test_two_systems_a_row_are_rankings_too(betterthan, tmp_path):
    """WMT16; scores are not."""
    path = tmp_path / "pairs.csv"
    rows = "".join(f"1,j{i % 3},A,{1 + i % 2},B,{2 - i % 2}\n" for i in range(9))
    path.write_text(
        "segmentId,judgeID,system1Id,system1rank,system2Id,system2rank\n" + rows, encoding="utf-8"
    )
    (found,) = results_of(betterthan("human", "rr", path, "--json"))
    assert found.systems == ("A", "B")
    path.write_text("id,A,B\n1,2,3\n2,3,4\n", encoding="utf-8")
    said = betterthan("human", "rr", path)
    assert said.code == 2
    assert "holds no rankings" in said.err


@pytest.fixture
def errors(tmp_path):
    """MQM of two systems by two raters."""
    rows = ["system\tdoc\tdocSegId\tglobalSegId\trater\tsource\ttarget\tcategory\tseverity"]
    for segment in range(1, 7):
        for rater in ("r1", "r2"):
            rows.append(f"A\td\t{segment}\t{segment}\t{rater}\ts\tt\tNo-error\tNo-error")
            rows.append(
                f"B\td\t{segment}\t{segment}\t{rater}\ts\tt\tStyle/Awkward\t{'Minor' if segment % 2 else 'Major'}"
            )
    path = tmp_path / "mqm.tsv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    return path


def test_mqm_is_ranked_with_weights(betterthan, errors):
    """Raw by default; a weight changes the score."""
    ranking, judges = results_of(betterthan("human", "mqm", errors, "--json"))
    assert dict(zip(ranking.systems, ranking.strength, strict=True)) == {"A": 0, "B": -3}
    assert judges.agreement.alpha == 1
    heavy = results_of(
        betterthan("human", "mqm", errors, "--weight", "Style/Minor=3", "--weight", "major=10", "--json")
    )[0]
    assert heavy.strength.tolist() == [0, -6.5]
    assert "MQM (z)" in betterthan("human", "mqm", errors, "--standardize").out


@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ("Major", 'has no "="'),
        ("Major=x", 'The weight of "Major" must be a number, not "x"'),
        ("Major=-1", "non-negative number"),
    ],
)
def test_odd_weights_are_refused(weight, message, betterthan, errors):
    """With the option's own words."""
    said = betterthan("human", "mqm", errors, "--weight", weight)
    assert said.code == 2
    assert message in said.err


@pytest.mark.parametrize("command", ["da", "rr", "mqm"])
def test_help_shows_examples(command, betterthan):
    """And says what the file must hold."""
    said = betterthan("human", command, "--help")
    assert said.code == 0
    assert f"betterthan human {command} " in said.out


SEVERAL = "\n".join(
    ["system,segment,raw,z,n"]
    + [
        f"{system},{i},{raw + i % 7},{z},{n}"
        for i in range(12)
        for system, raw, z, n in (("good", 80, 0.9, 1), ("bad", 40, -0.8, 9))
    ]
)


@pytest.mark.parametrize("judged", [False, True])
def test_of_several_scores_one_must_be_chosen(betterthan, tmp_path, judged):
    """Never the last column, which counts judgments."""
    path = tmp_path / "da.csv"
    text = SEVERAL if not judged else SEVERAL.replace("\ngood,", "\ngood,x,").replace("\nbad,", "\nbad,x,")
    path.write_text(text.replace("system,", "system,judge,", 1) if judged else text)
    said = betterthan("human", "da", path)
    assert said.code == 2
    assert "3 metrics where one is needed: raw, z, n. Choose one with --metric raw." in said.err
    ranking = results_of(betterthan("human", "da", path, "--metric", "raw", "--raw", "--json"))[0]
    assert ranking.systems == ("good", "bad")
    assert ranking.unit == "DA raw, higher is better"


def test_a_direction_of_no_score_is_refused(betterthan, judgements):
    """A slip in the name would go unseen."""
    assert betterthan("human", "da", judgements, "--lower-is-better", "nosuch").code == 2
