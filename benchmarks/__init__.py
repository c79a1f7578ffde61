"""Measurements that are no tests: `make bench-rules`."""
