"""Leagues, their seasons, and what an organiser does by program.

leagues   founding a league, changing the terms of its next season, ending it
seasons   opening, starting and closing a season; its standings; making its matches; the feed of its results
entrants  entering, inviting, withdrawing
"""

from pbem import limits
from pbem.features.leagues.api import entrants, leagues, seasons

PARTS = (leagues.blueprint, seasons.blueprint, entrants.blueprint)
AFTER = "privacy"
LIMITS = (limits.Limit(leagues.FOUND, limits.matches), limits.Limit(entrants.ADD, limits.JOINS))
