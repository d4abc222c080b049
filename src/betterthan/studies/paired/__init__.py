"""Experiments of the paired-evaluation paper."""
