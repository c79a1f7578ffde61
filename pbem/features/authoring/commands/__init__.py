"""`pbem new-game` and `pbem check`, for authors of games.

new_game   writes the package of a game that plays
check      checks a game, and says what is wrong
"""

from pbem.features.authoring.commands import check, new_game

COMMANDS = (check.check, new_game.new_game)
