"""The settings of Web Push."""

from pbem.environment import Number

MAIL_AFTER_S = Number("PBEM_PUSH_MAIL_AFTER", 3600, 0, 86_400)
"""Seconds after which a mail follows a notification that nobody has opened."""
SETTINGS = (MAIL_AFTER_S,)
