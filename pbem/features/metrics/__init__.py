"""Metrics: figures of the service for Prometheus.

figures     those of the database
families    all of them, as Prometheus reads them
pages       the address that a scraper asks
hooks       has processes add up what they count
"""
