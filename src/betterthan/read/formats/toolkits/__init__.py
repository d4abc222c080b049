"""What evaluation toolkits write."""
