"""How well one ordering follows another: correlations, taus, pairwise accuracy."""
