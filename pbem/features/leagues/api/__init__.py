"""Leagues, their seasons, and what an organiser does by program.

leagues  founding a league, changing the terms of its next season, ending it
seasons  opening, starting and closing one; its standings, matches and results; entering, inviting, withdrawing
"""

from pbem import limits
from pbem.features.leagues.api import leagues, seasons

PARTS = (leagues.blueprint, seasons.blueprint, seasons.entrants_blueprint)
AFTER = "privacy"
LIMITS = (limits.Limit(leagues.FOUND, limits.matches), limits.Limit(seasons.ADD, limits.JOINS))
