"""How often one place may upload logs, on pages and by programs together, and look at them on pages."""

from pbem.errors import N_
from pbem.limits import Account

LOGS_PER_HOUR = 30
"""Each is kept for a while."""
LOGS = Account("logs", LOGS_PER_HOUR, N_("Too many logs were sent from your network within the hour. Please wait."))
OPENED_PER_HOUR = 600
"""Each step of a log without JavaScript is one time."""
OPENED = Account(
    "opened", OPENED_PER_HOUR, N_("Logs were opened too often from your network within the hour. Please wait.")
)
