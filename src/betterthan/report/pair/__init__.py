"""Everything about one pair of systems, by the kind of data; the report and the app show the same."""
