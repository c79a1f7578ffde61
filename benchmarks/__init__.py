"""Measurements, not tests: `make bench-rules`, `make bench`."""
