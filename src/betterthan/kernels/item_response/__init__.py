"""Item response theory: abilities of systems, and difficulty and discrimination of the items they answer."""
