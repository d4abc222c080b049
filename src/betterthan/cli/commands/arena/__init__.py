"""Commands on boards of battles."""
