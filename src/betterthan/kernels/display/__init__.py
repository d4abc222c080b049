"""From tests to what a table shows: letters, clusters, ranges of ranks."""
