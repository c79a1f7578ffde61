"""What the time of an answer tells about others: `__main__` asks, and `subject` is a site that it asks."""
