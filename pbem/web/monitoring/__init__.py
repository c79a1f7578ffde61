"""Probes and Prometheus.

health   liveness and readiness
metrics  figures of the database and of Redis, read at the scrape
"""
