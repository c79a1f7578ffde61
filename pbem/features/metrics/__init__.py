"""Metrics: figures of the service for Prometheus.

figures     those of the database
pages       the address that a scraper asks
hooks       has processes add up what they count
"""
