"""Greedy clusters as shared tasks draw them."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from betterthan.kernels.display.ranks import greedy_clusters

relations = st.integers(1, 8).flatmap(lambda m: hnp.arrays(np.bool_, (m, m)))


@given(relations)
def test_the_published_walk(different):
    """The literal loop: look at every member of the current cluster."""
    clusters, current = [1], [0]
    for system in range(1, len(different)):
        if any(different[system, member] or different[member, system] for member in current):
            clusters.append(clusters[-1] + 1)
            current = [system]
        else:
            clusters.append(clusters[-1])
            current.append(system)

    np.testing.assert_array_equal(greedy_clusters(different), clusters)


def test_only_the_current_cluster_is_asked():
    """The third system differs from the first cluster's member only, and stays in the second cluster."""
    different = np.zeros((3, 3), dtype=bool)
    different[0, 1] = different[0, 2] = True

    np.testing.assert_array_equal(greedy_clusters(different), [1, 2, 2])
