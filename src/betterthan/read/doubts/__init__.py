"""What could be misread: columns, layouts, directions and options that are doubted before anything is ranked."""
