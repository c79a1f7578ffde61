"""Measurements, not tests: `make bench-rules`, `make bench`; `python -m benchmarks.ladder` for the layers of a move."""
