"""Several metrics of the same systems: each tested, and the Pareto front."""
