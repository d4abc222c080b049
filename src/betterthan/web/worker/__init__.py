"""What happens in a worker process: the first look at files, and the report."""
