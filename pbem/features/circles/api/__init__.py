"""Circles, for programs: what a member sees and does on the pages, with their token.

circles  circles and who belongs to them: founding, reading, what the founder changes; inviting, joining, leaving
tables   matches among the members, and standing tables that meet every week
"""

from pbem.features.circles.api import circles, tables  # noqa: F401 - tables adds to circles

PARTS = (circles.blueprint,)
AFTER = "webhooks"
