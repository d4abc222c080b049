"""Corrected scores of single items, from the result of a correction."""

from __future__ import annotations

from betterthan.errors import TableError
from betterthan.results.judges import Corrected
from betterthan.tables.scores import Scores


def corrected_scores(result: Corrected) -> Scores:
    r"""Return corrected scores of the judged items, as a table that every verb takes.

    .. math:: y_i = \hat\theta + \lambda (J_i - \bar J) + [i \in L]\, \tilde w_i N \frac{e_i - \bar e_w}{1 - h_i},
              \qquad e_i = H_i - \lambda J_i

    with the shares :math:`\tilde w` of the weights, N judged items, and the leverages h. Their mean is the corrected
    mean, and their standard error that of the corrected mean. They are not estimates of single items: a labeled item
    carries the correction of many, and can lie outside the scale. Verbs that compute means take the result itself and
    use this table.

    Raises
    ------
    TableError
        When the result has win rates of battles.

    Examples
    --------
    >>> import betterthan as bt
    >>> judge = {"A": [0.9, 0.8, 0.7, 0.9], "B": [0.5, 0.7, 0.4, 0.6]}
    >>> found = bt.correct(judge, {"A": [1, 0.6, 0.8, None], "B": [0.4, 0.8, 0.3, None]})
    >>> scores = bt.corrected_scores(found)
    >>> scores.values.mean(axis=1).round(3).tolist() == found.mean.round(3).tolist()
    True
    """
    if result.are_battles:
        raise TableError(
            "These are corrected win rates of battles, and no scores of items can be made from them. Use their own "
            "ranks, intervals and tests of pairs."
        )
    return Scores(
        name=result.metric,
        systems=result.systems,
        segments=result.segments,
        values=result.values,
        higher_is_better=result.higher_is_better,
        groups=result.groups,
        notes=result.notes,
    )
