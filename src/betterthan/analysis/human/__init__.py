"""Human judgements: judges, kept pairs, identical outputs, and rankings of ratings."""
