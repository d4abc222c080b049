"""When to stop: evidence about pairs of systems while the data grow."""
