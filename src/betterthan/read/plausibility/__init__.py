"""What could be misread: columns, layouts and directions that are questioned before anything is ranked."""
