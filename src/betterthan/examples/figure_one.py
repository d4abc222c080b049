"""The motivating example of the paired-evaluation paper: equal means, yet systems that are not equal."""

from __future__ import annotations


def figure_one() -> dict[str, list[float]]:
    """Scores of three systems on five segments, as in figure 1 of [1]_.

    All means are 9.2, and the medians are 11, 7 and 11. Yet B is better than A on four segments of five, C is
    better than A on four, and C is better than B on four: only what looks at pairs of scores sees it.

    Returns
    -------
    dict of list of float
        System to scores, segment by segment; a new dictionary at each call.

    References
    ----------
    .. [1] Peyrard, Zhao, Eger, West (2021), Better than Average: Paired Evaluation of NLP Systems, ACL.
       Figure 1.

    Examples
    --------
    >>> scores = figure_one()
    >>> [sum(values) / len(values) for values in scores.values()]
    [9.2, 9.2, 9.2]
    >>> sum(b > a for a, b in zip(scores["A"], scores["B"], strict=True))
    4
    """
    return {
        "A": [1.0, 5.0, 11.0, 12.0, 17.0],
        "B": [2.0, 6.0, 7.0, 13.0, 18.0],
        "C": [5.0, 11.0, 12.0, 17.0, 1.0],
    }
