"""Writing tables: tidy rows, folders of the metrics task, previews."""
