"""What can be asked: pages, forms and the API."""
