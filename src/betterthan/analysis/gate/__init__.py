"""May a candidate replace a baseline: margins, verdicts, and what would decide an open one."""
