"""The settings of uploaded logs."""

from pbem.environment import Number

MEGABYTES = Number("PBEM_LOGS_MB", 200, 1, 1_000_000)
"""How much they may take in the database, compressed."""
SETTINGS = (MEGABYTES,)
