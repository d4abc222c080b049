"""Output files of evaluation toolkits."""
