"""What probes and Prometheus ask.

health   whether the process lives, and whether it can be given requests
metrics  figures of the database and of Redis, read at the scrape
"""
