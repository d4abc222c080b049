"""On what an answer rests: single segments, weights, odd scores."""
