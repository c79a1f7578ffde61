"""Personal tokens: a digest of each, what it may do, and until when."""
