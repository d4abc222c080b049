"""Repeated runs of systems on the same items: where the variation comes from, and what each factor does."""
