"""Pairwise outcomes, and the strengths derived from them: wins, Bradley–Terry and its relatives, with their errors."""
