"""Cells about matches, documents and ratings: judges who are few or uneven, thin systems, both orders of a question."""

from __future__ import annotations

from functools import cache, partial

import numpy as np
from scipy.special import expit
from tests.calibration.cells import Cell

import betterthan as bt
from betterthan.kernels.comparisons.bradley_terry import bradley_terry
from betterthan.kernels.comparisons.strengths import to_elo, to_shares

COVERS, KEEPS = (0.93, 0.97), (0.0, 0.06)
UNEVEN = (
    "A few long documents carry most segments, and the t-test claims up to 7%. The permutation test, which is the "
    "default, keeps its level."
)
TASTE = 0.5  # standard deviation of what a judge thinks of a system, on the log scale
TIES = 0.15
_SCALES = {"share": to_shares, "log": lambda theta: theta, "elo": to_elo}


def _names(m):
    return [f"S{i:02d}" for i in range(m)]


def _met(rng, m, n, weight=None):
    """Who stands left and who right in n matches; systems with a small weight are seldom drawn."""
    share = np.ones(m) if weight is None else np.asarray(weight, dtype=float)
    first = rng.choice(m, n, p=share / share.sum())
    others = np.tile(share, (n, 1))
    others[np.arange(n), first] = 0
    second = (rng.random((n, 1)) * others.sum(axis=1, keepdims=True) < others.cumsum(axis=1)).argmax(axis=1)
    return first, second


def _ended(rng, ahead, ties=0.0):
    outcome = (rng.random(ahead.size) < expit(ahead)).astype(float)
    outcome[rng.random(ahead.size) < ties] = 0.5
    return outcome


@cache
def _target(m, spread, taste, ties, weight=None):
    """Log strengths that Bradley–Terry finds in endless matches of judges who differ, ties as half."""
    theta = _truth(m, spread)
    nodes, weights = np.polynomial.hermite_e.hermegauss(40)
    gap = theta[:, None] - theta[None, :]
    wins = expit(gap[..., None] + np.sqrt(2) * taste * nodes) @ (weights / weights.sum())
    share = np.ones(m) if weight is None else np.array(weight)
    often = share[:, None] * share[None, :] * (1 / (share.sum() - share[:, None]) + 1 / (share.sum() - share))
    table = (ties / 2 + (1 - ties) * wins) * often
    np.fill_diagonal(table, 0.0)
    return bradley_terry(table).log_strength


def _truth(m, spread):
    return np.linspace(spread, -spread, m) if m > 1 else np.zeros(1)


def _found(ask):
    """The answer, or None where strengths do not exist in this table."""
    try:
        return ask()
    except bt.NotEstimable:
        return None


# --- Bradley–Terry strengths of independent matches -----------------------------------------------------------


def strengths_hold(rng, *, m, n, scale, ties=0.0, uneven=False, interval="default"):
    """Share of strengths in their intervals; the strongest and weakest meet seldom where matches are uneven."""
    weight = (0.3, *[1.0] * (m - 2), 0.3) if uneven else None
    theta = _truth(m, 0.6)
    while True:
        left, right = _met(rng, m, n, weight)
        outcome = _ended(rng, theta[left] - theta[right], ties)
        table = bt.Matches(systems=_names(m), left=left, right=right, outcome=outcome)
        options = {} if interval == "default" else {"interval": interval, "n_resamples": 400}
        found = _found(lambda t=table, o=options: bt.rank(t, scale=scale, **o))
        if found is not None:
            break
    truth = _SCALES[scale](_target(m, 0.6, 0.0, ties, weight))
    where = [int(name[1:]) for name in found.systems]
    return float(((found.low <= truth[where]) & (truth[where] <= found.high)).mean())


# --- Judges ---------------------------------------------------------------------------------------------------


def _judged(rng, m, n, n_judges, *, spread=0.0, even=None, thin=0):
    """Matches of judges with tastes of their own; only the first `thin` judges ever see the last system."""
    share = np.full(n_judges, 1 / n_judges) if even is None else rng.dirichlet(np.full(n_judges, even))
    judge = rng.choice(n_judges, n, p=share)
    left, right = _met(rng, m, n)
    if thin:
        sees = ((left == m - 1) | (right == m - 1)) & (judge >= thin)
        judge = np.where(sees, rng.integers(0, thin, n), judge)
    taste = _truth(m, spread) + rng.normal(0, TASTE, (n_judges, m))
    outcome = _ended(rng, taste[judge, left] - taste[judge, right], TIES)
    return bt.Matches(systems=_names(m), left=left, right=right, outcome=outcome, group=judge)


def judged_differences_hold(rng, *, n_judges, m=4, n=600, even=None):
    """Share of P(beats) in their intervals."""
    found = bt.compare(_judged(rng, m, n, n_judges, spread=0.4, even=even))
    target = dict(zip(_names(m), _target(m, 0.4, TASTE, TIES), strict=True))
    return float(np.mean([p.low <= expit(target[p.a] - target[p.b]) <= p.high for p in found.pairs()]))


def judged_strengths_hold(rng, *, n_judges, m=4, n=600, by="bradley_terry", interval="default"):
    """Share of strengths (or win rates) in their intervals."""
    table = _judged(rng, m, n, n_judges, spread=0.4)
    options = {} if interval == "default" else {"interval": interval, "n_resamples": 400}
    found = bt.rank(table, by=by, **options)
    truth = to_shares(_target(m, 0.4, TASTE, TIES))
    if by == "win_rate":
        theta = _target(
            m, 0.4, TASTE, TIES
        )  # everybody meets everybody equally often: expected wins are the fit's
        chance = expit(theta[:, None] - theta[None, :])
        truth = (chance.sum(axis=1) - 0.5) / (m - 1)
    where = [int(name[1:]) for name in found.systems]
    return float(((found.low <= truth[where]) & (truth[where] <= found.high)).mean())


def judges_tell_equals_apart(rng, *, n_judges, m=4, n=600, even=None, by="bradley_terry"):
    """Whether any of m equal systems is said to be better than another."""
    found = bt.rank(_judged(rng, m, n, n_judges, even=even), by=by)
    return float(found.cluster.max() > 1 or len(set(found.letters)) > 1)


def thin_system_is_told_apart(rng, *, thin, n_judges=20, m=4, n=800):
    """Whether a system that few judges saw, equal to another, is said to differ from it."""
    table = _judged(rng, m, n, n_judges, thin=thin)
    found = bt.compare(table, systems=(_names(m)[0], _names(m)[-1]))
    return float(found.n_different > 0)


def thin_system_is_held(rng, *, thin, n_judges=20, m=4, n=800):
    """Whether the interval of its P(beats) holds one half."""
    found = bt.compare(
        _judged(rng, m, n, n_judges, thin=thin), systems=(_names(m)[0], _names(m)[-1])
    ).pairs()[0]
    return float(found.low <= 0.5 <= found.high)


def one_judge_a_pair(rng, *, m=5, judges_each=3):
    """Whether any claim is made when every judge saw one pair of equal systems only."""
    pairs = [(a, b) for a in range(m) for b in range(a)] * judges_each
    judge = np.repeat(np.arange(len(pairs)), 20)
    left, right = (np.repeat([pair[i] for pair in pairs], 20) for i in (0, 1))
    bias = np.repeat(rng.normal(0, 0.7, len(pairs)), 20)
    table = bt.Matches(systems=_names(m), left=left, right=right, outcome=_ended(rng, bias), group=judge)
    found = _found(lambda: bt.compare(table))
    return float(found is not None and found.n_different > 0)


def equals_are_told_apart(rng, *, m, n, by="bradley_terry"):
    """Whether any of m equal systems is said to be better than another, matches independent."""
    left, right = _met(rng, m, n)
    table = bt.Matches(systems=_names(m), left=left, right=right, outcome=_ended(rng, np.zeros(n), TIES))
    found = _found(lambda: bt.rank(table, by=by))
    return float(found is not None and len(set(found.letters)) > 1)


def spread_systems_fall_into_groups(rng, *, m=40, n=40_000):
    """Whether 40 systems of very different strength fall into ten groups at least."""
    left, right = _met(rng, m, n)
    theta = _truth(m, 3.0)
    table = bt.Matches(
        systems=_names(m), left=left, right=right, outcome=_ended(rng, theta[left] - theta[right])
    )
    return float(bt.rank(table).cluster.max() >= 10)


# --- Both orders of a question, several judges ----------------------------------------------------------------


def _questions(rng, n_questions, n_judges, m, taste=0.0):
    """Every question in both orders by every judge; a question favors some systems, and judges may have tastes."""
    a, b = _met(rng, m, n_questions)
    favour = rng.normal(0, 1.0, n_questions)
    question = np.repeat(np.arange(n_questions), 2 * n_judges)
    swapped = np.tile(np.repeat([False, True], n_judges), n_questions)
    judge = np.tile(np.arange(n_judges), 2 * n_questions)
    left = np.where(swapped, b[question], a[question])
    right = np.where(swapped, a[question], b[question])
    ahead = np.where(swapped, -1, 1) * favour[question]
    if taste:
        likes = rng.normal(0, taste, (n_judges, m))
        ahead = ahead + likes[judge, left] - likes[judge, right]
    won = rng.random(question.size) < expit(ahead)
    names = _names(m)
    return {
        "question_id": [f"q{i}" for i in question],
        "judge": [f"j{i}" for i in judge],
        "left": [names[i] for i in left],
        "right": [names[i] for i in right],
        "winner": ["left" if won_ else "right" for won_ in won],
    }


def both_orders_tell_equals_apart(rng, *, n_questions=300, n_judges=2, m=3, taste=0.0):
    """Whether any of m equal systems is said to be better, the battles read as they are."""
    found = bt.compare(bt.read_matches(_questions(rng, n_questions, n_judges, m, taste)))
    return float(found.n_different > 0)


# --- Documents ------------------------------------------------------------------------------------------------


def document_sizes(rng, kind, n_documents):
    """Segments in each document."""
    if kind == "equal":
        return np.full(n_documents, 10)
    if kind == "lognormal":
        return np.maximum(1, np.rint(np.exp(rng.normal(2, 1, n_documents)))).astype(int)
    sizes = np.full(n_documents, 10)
    sizes[0] = 10 * (n_documents - 1)  # half of everything
    return sizes


def _by_documents(rng, kind, n_documents, gap, **options):
    sizes = document_sizes(rng, kind, n_documents)
    of = np.repeat(np.arange(n_documents), sizes)
    values = rng.normal(size=(2, of.size)) + 0.5 * rng.normal(size=(2, n_documents))[:, of]
    values[0] += gap
    segments = [str(i) for i in range(of.size)]
    table = bt.Scores(
        name="score", systems=["A", "B"], segments=segments, values=values, groups=[f"d{i}" for i in of]
    )
    return bt.compare(table, **options).pair("A", "B")


def documents_tell_equals_apart(rng, *, kind, n_documents, **options):
    """Whether one of two equal systems is said to be better."""
    return float(_by_documents(rng, kind, n_documents, 0.0, **options).verdict is not None)


def documents_hold(rng, *, kind, n_documents):
    """Whether the interval of the difference holds the truth."""
    found = _by_documents(rng, kind, n_documents, 0.3)
    return float(found.low <= 0.3 <= found.high)


# --- Ratings with gaps ----------------------------------------------------------------------------------------


def _campaign(rng, shared, m=3, own=60):
    """Each system was judged on segments of its own, and on a few that all share."""
    n = shared + m * own
    hardness, theta = rng.normal(0, 2, n), np.zeros((m, 1))
    values = hardness + theta + rng.normal(0, 1, (m, n))
    seen = np.zeros((m, n), dtype=bool)
    seen[:, :shared] = True
    for i in range(m):
        seen[i, shared + i * own : shared + (i + 1) * own] = True
    values[~seen] = np.nan
    return bt.Scores(name="DA", systems=_names(m), segments=[str(i) for i in range(n)], values=values)


def ratings_tell_equals_apart(rng, *, shared):
    """Whether any of three equal systems is said to be better."""
    return float(bt.rank_ratings(_campaign(rng, shared)).cluster.max() > 1)


def ratings_hold(rng, *, shared):
    """Share of means in their intervals; the truth is the mean over the segments that might have been drawn."""
    found = bt.rank_ratings(_campaign(rng, shared))
    return float(((found.low <= 0.0) & (found.high >= 0.0)).mean())


def judged_by_few(rng, *, m, n_judges, taste, n=30):
    """Whether any of m equal systems is said to be better; each output has one judge, and judges have tastes."""
    system, judge = np.repeat(np.arange(m), n), rng.integers(0, n_judges, m * n)
    severity, spread = 0.8 * rng.normal(size=n_judges), np.exp(0.2 * rng.normal(size=n_judges))
    quality = (
        rng.normal(size=m * n)
        + rng.normal(size=m * n)
        + taste * rng.normal(size=(n_judges, m))[judge, system]
    )
    table = bt.Ratings(
        name="DA",
        systems=_names(m),
        segments=[str(i) for i in range(m * n)],  # every system has segments of its own
        judges=[f"j{i}" for i in range(n_judges)],
        system=system,
        segment=np.arange(m * n),
        judge=judge,
        score=70 + 15 * (severity[judge] + spread[judge] * quality),
    )
    return float(bt.rank_ratings(table).cluster.max() > 1)


FEW_JUDGES = (
    "Errors are those of other segments with the same judges. Where judges have tastes of their own, three of them "
    "prefer some system in 9 to 15% of campaigns."
)


def _cell(table, row, column, trial, band, **more):
    return Cell(table=table, row=row, column=column, trial=trial, low=band[0], high=band[1], **more)


CELLS: list[Cell] = [
    *(
        _cell(
            "rank-matches/coverage",
            f"{scale}{', uneven' if uneven else ''}{', ties' if ties else ''}",
            f"{m} systems, {n} matches",
            partial(strengths_hold, m=m, n=n, scale=scale, ties=ties, uneven=uneven),
            COVERS if n >= 40 * m else (0.93, 0.985),
        )
        for m in (2, 3, 5, 10)
        for n in (50, 400)
        for scale in ("share", "log", "elo")
        for ties, uneven in ((0.0, False), (0.3, True))
        if not (m == 10 and n == 50) and not (uneven and (m == 2 or n < 100))
    ),
    *(
        _cell(
            "rank-matches/coverage",
            "share, percentile",
            f"{m} systems, 400 matches",
            partial(strengths_hold, m=m, n=400, scale="share", interval="percentile"),
            COVERS,
        )
        for m in (2, 5)
    ),
    *(
        cell
        for n in (5, 12, 50)
        for cell in (
            _cell(
                "judges/size",
                "rank, 4 equal systems",
                f"{n} judges",
                partial(judges_tell_equals_apart, n_judges=n),
                KEEPS,
            ),
            _cell(
                "judges/size",
                "rank by win rate, 4 equal systems",
                f"{n} judges",
                partial(judges_tell_equals_apart, n_judges=n, by="win_rate"),
                KEEPS,
            ),
            _cell(
                "judges/size",
                "rank, 4 equal systems, uneven judges",
                f"{n} judges",
                partial(judges_tell_equals_apart, n_judges=n, even=0.7),
                KEEPS,
            ),
            _cell(
                "judges/coverage",
                "P(beats)",
                f"{n} judges",
                partial(judged_differences_hold, n_judges=n),
                COVERS,
            ),
            _cell(
                "judges/coverage", "share", f"{n} judges", partial(judged_strengths_hold, n_judges=n), COVERS
            ),
            _cell(
                "judges/coverage",
                "win rate",
                f"{n} judges",
                partial(judged_strengths_hold, n_judges=n, by="win_rate"),
                COVERS,
            ),
            _cell(
                "judges/coverage",
                "share, percentile",
                f"{n} judges",
                partial(judged_strengths_hold, n_judges=n, interval="percentile"),
                COVERS,
                limit="Percentiles of five drawn judges are too narrow; the default interval is not."
                if n == 5
                else "",
            ),
        )
    ),
    *(
        cell
        for thin in (2, 3, 5)
        for cell in (
            _cell(
                "thin-system/size",
                "compare with a system of all judges",
                f"{thin} of 20 judges",
                partial(thin_system_is_told_apart, thin=thin),
                KEEPS,
                limit="So few judges saw the system that its standard error is rough: up to 7% false claims.",
            ),
            _cell(
                "thin-system/coverage",
                "P(beats)",
                f"{thin} of 20 judges",
                partial(thin_system_is_held, thin=thin),
                COVERS,
            ),
        )
    ),
    _cell("judges/size", "each judge saw one pair", "3 judges a pair", one_judge_a_pair, KEEPS),
    *(
        _cell(
            "many-systems/size",
            name,
            f"{m} equal systems",
            partial(equals_are_told_apart, m=m, n=60 * m, by=by),
            KEEPS,
        )
        for m in (10, 46)
        for name, by in (("rank", "bradley_terry"), ("rank by win rate", "win_rate"))
    ),
    _cell(
        "many-systems/power",
        "rank",
        "40 systems far apart fall into ten groups or more",
        spread_systems_fall_into_groups,
        (0.8, 1.0),
        tables=500,
    ),
    *(
        _cell(
            "both-orders/size",
            "compare, 3 equal systems, 300 questions in both orders",
            f"{n} judges",
            partial(both_orders_tell_equals_apart, n_judges=n),
            KEEPS,
        )
        for n in (1, 2, 8)
    ),
    *(
        _cell(
            "both-orders/size",
            f"compare, {m} equal systems, {q} questions in both orders, judges with tastes",
            f"{n} judges",
            partial(both_orders_tell_equals_apart, n_questions=q, n_judges=n, m=m, taste=TASTE),
            KEEPS,
            tables=500,
        )
        for m, q in ((3, 80), (7, 210))
        for n in (5, 8)  # fewer are not grouped by the reader: the claim is then about these judges
    ),
    *(
        cell
        for kind in ("equal", "lognormal", "one giant")
        for n in (10, 20, 50)
        for cell in (
            _cell(
                "documents/size",
                f"default test, {kind} sizes",
                f"{n} documents",
                partial(documents_tell_equals_apart, kind=kind, n_documents=n),
                KEEPS,
            ),
            _cell(
                "documents/size",
                f"t, {kind} sizes",
                f"{n} documents",
                partial(documents_tell_equals_apart, kind=kind, n_documents=n, test="t"),
                KEEPS,
                limit=UNEVEN if kind == "lognormal" else "",
            ),
            _cell(
                "documents/coverage",
                f"difference, {kind} sizes",
                f"{n} documents",
                partial(documents_hold, kind=kind, n_documents=n),
                (0.93, 0.98),
            ),
        )
    ),
    *(
        cell
        for shared in (4, 12, 40)
        for cell in (
            _cell(
                "rank-ratings/size",
                "3 equal systems",
                f"{shared} shared segments",
                partial(ratings_tell_equals_apart, shared=shared),
                KEEPS,
            ),
            _cell(
                "rank-ratings/coverage",
                "means",
                f"{shared} shared segments",
                partial(ratings_hold, shared=shared),
                COVERS,
            ),
        )
    ),
    *(
        _cell(
            "rank-ratings/judges",
            f"{m} equal systems{', judges with tastes' if taste else ''}",
            f"{n} judges",
            partial(judged_by_few, m=m, n_judges=n, taste=taste),
            KEEPS,
            seconds=0.004,
            limit=FEW_JUDGES if taste and n == 3 else "",
        )
        for m in (3, 7)
        for taste in (0.0, 0.3)
        for n in (3, 8, 25)
    ),
]
