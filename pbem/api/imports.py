"""Logs of matches that were played anywhere: sent, kept for a while, looked at."""

from pbem.api.document import Endpoints

blueprint = Endpoints("imports", "Logs that were sent here.")
