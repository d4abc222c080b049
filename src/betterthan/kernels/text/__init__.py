"""Statistics of texts: n-grams, edits, and the formulas of BLEU, chrF and TER."""
