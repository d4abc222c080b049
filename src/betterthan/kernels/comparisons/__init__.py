"""Who beat whom, and the strengths that follow: wins, Bradley–Terry and its relatives, with their errors."""
