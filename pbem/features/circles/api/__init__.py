"""Circles, for programs: what a member sees and does on the pages, with their token.

sheets   circles, their members and their standing tables as members see them
circles  founding circles, reading them and their standings, and what the founder changes
members  inviting, joining, leaving; how a member is mailed and listed
tables   matches among the members, and standing tables that meet every week
"""

from pbem.features.circles.api import circles, members, tables  # noqa: F401 - members and tables add to circles

PARTS = (circles.blueprint,)
AFTER = "webhooks"
