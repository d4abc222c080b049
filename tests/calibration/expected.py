"""What each measured share must lie between: the exact band of the nominal level, or a documented departure."""

from __future__ import annotations

from tests.calibration.simulate import band

NOMINAL, AT_MOST = "nominal", "at most"

# Tests of scores whose p-values are finely graded, so that they must not fall below their level either.
_FINE = ("t", "Wilcoxon", "permutation", "bootstrap")

_FALSE_POSITIVES = {
    # Twenty documents drawn again vary less than twenty new ones would.
    ("bootstrap of strengths, median", "20 documents"): (0.040, 0.090),
    ("bootstrap of strengths, Bradley–Terry", "20 documents"): (0.045, 0.095),
    # Student's t is cautious when the tails are heavy, and so is what imitates it.
    ("t", "heavy tails, 100"): (0.020, 0.055),
    ("permutation, analytic", "heavy tails, 100"): (0.025, 0.060),
    ("bootstrap", "heavy tails, 100"): (0.010, 0.055),
    # Ties counted against the leader: the published code calls many ties significant.
    ("sign, ties as published", "grades 0–4, 100"): (0.70, 0.85),
    ("sign, ties as published", "right or wrong, 100"): (0.99, 1.0),
    # Clustering with few judges, or not at all.
    ("Wald, robust", "100 matches"): (0.035, 0.075),
    ("Wald, clustered by judge", "20 judges"): (0.035, 0.080),
}
_FALSE_POSITIVES_OF_ROWS = {
    "Mood": (0.0, 0.025),
    "t by segments": (0.18, 0.33),
    "Wald, judges not told": (0.11, 0.22),
    "bootstrap of absolute differences": (0.075, 0.170),
    "unpaired z": (0.0, 0.040),
}

_FAMILIES = {
    ("t, Benjamini–Hochberg", "any false claim"): (0.08, 0.14),
    ("t, Benjamini–Hochberg", "all ranks covered"): (0.86, 0.92),
}

_COVERAGE = {
    # Half a point for a tie varies less than a win or a loss; medians of few grades sit on one of them.
    ("P(beats), Wilson, grades", None): (0.95, 1.0),
    ("median of differences, order statistics, grades", None): (0.95, 1.0),
    ("difference of medians, percentile, grades", None): (0.95, 1.0),
    ("win rate", None): (0.92, 0.99),
    # What happens when documents or judges are ignored.
    ("mean, segments drawn", None): (0.65, 0.82),
    ("difference of means, t by segments", None): (0.65, 0.82),
    ("Bradley–Terry, judges not told", None): (0.79, 0.90),
    ("elo, averaged over orders", None): (0.88, 0.97),
    ("trueskill, averaged over orders", None): (0.88, 0.97),
}
_ROUGH = ("n = 30", "20 documents", "20 judges", "100 matches")


def limits(section, row, column, trials):
    """The least and the greatest share that is right."""
    return {"false_positives": _false_positives, "families": _families, "coverage": _coverage}[section](
        row, column, trials
    )


def _false_positives(row, column, trials):
    known = _FALSE_POSITIVES.get((row, column)) or _FALSE_POSITIVES_OF_ROWS.get(row)
    return known or _of_level(trials, NOMINAL if _is_fine(row, column) else AT_MOST)


def _is_fine(row, column):
    """Whether p-values are so finely graded that the level is reached, not only kept."""
    graded = column.startswith(("grades", "right"))
    if column.endswith(("documents", "matches", "judges")):
        return True
    return row.startswith(_FINE) and not graded and "accuracy" not in row


def _of_level(trials, kind):
    low, high = band(trials)
    return (low if kind == NOMINAL else 0.0), high


def _families(row, column, trials):
    known = _FAMILIES.get((row, column))
    if known:
        return known
    low, high = band(trials)
    if row == "t, none":
        return 0.30, 0.45
    if column == "all ranks covered":
        return 1 - high, 1.0
    return (low if row.endswith("maximum statistic") and column == "normal" else 0.0), high


def _coverage(row, column, _trials):
    known = _COVERAGE.get((row, None))
    return known or ((0.88, 0.985) if column in _ROUGH else (0.92, 0.98))


def agree(one, other, errors=4.5):
    """Whether two tallies may be of the same chance; trials of one table are not quite independent."""
    both = (one.hits + other.hits + 1) / (one.trials + other.trials + 2)
    spread = (both * (1 - both) * (1 / one.trials + 1 / other.trials)) ** 0.5
    return abs(one.share - other.share) <= errors * spread
