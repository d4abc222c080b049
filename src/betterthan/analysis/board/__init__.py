"""Many tasks: one ranking of systems over all of them."""
