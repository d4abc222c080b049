"""The other tests of pairs, effect sizes, and families of p-values."""
