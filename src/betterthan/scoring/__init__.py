"""From texts to counts: BLEU, chrF and TER as what each segment adds to a sum.

Rule of the room: texts are checked and counted here, once; every score is a formula of `kernels` on the counts.
"""
