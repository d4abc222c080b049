"""Pages of pairs, segments and battles, and two runs side by side."""
