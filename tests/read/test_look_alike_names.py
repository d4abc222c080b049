"""Names that differ only in what a reader does not see are a doubt of every check."""

from __future__ import annotations

import betterthan as bt


def test_a_check_names_them_and_is_no_failure():
    """Systems that differ in case; other systems give no word."""
    checkup = bt.check({"Aster": [1.0, 2.0], "aster": [2.0, 1.0], "Birch": [2.0, 3.0]})
    (doubt,) = checkup.problems
    assert (doubt.code, checkup.exit_code) == ("BT260", 0)
    assert '"Aster", "aster"' in doubt.message
    assert bt.check({"Aster": [1.0, 2.0], "Birch": [2.0, 3.0]}).problems == ()
