"""Human judgments: judges, kept pairs, identical outputs, and rankings of ratings."""
