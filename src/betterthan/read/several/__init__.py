"""Several files or tables that belong together."""
