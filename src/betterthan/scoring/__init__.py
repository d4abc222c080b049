"""From texts to counts: BLEU, chrF and TER as additive counts per segment.

Rule of this package: texts are checked and counted here, once; every score is a formula of `kernels` on the counts.
"""
