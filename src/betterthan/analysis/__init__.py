"""The verbs, one module per question: from tables and kernels to results.

Rule of this package: branch on what a method declares it needs, never on its name.
"""
