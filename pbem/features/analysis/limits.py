"""How often one place may ask for analyses, on pages and by programs together."""

from pbem.errors import N_
from pbem.limits import Account

ANALYSES_PER_HOUR = 30
"""Each keeps a worker busy for minutes."""
ANALYSES = Account(
    "analyses",
    ANALYSES_PER_HOUR,
    N_("Too many analyses were requested from your network within the hour. Please wait."),
)
