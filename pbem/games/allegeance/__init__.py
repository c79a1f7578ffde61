"""Hogen: Allégeance, by Jean-Denis Oste: sixteen samurai behind a door, and who remembers them."""

from pbem.games.allegeance import bots, describe, figures, imagined, intro, lesson, news
from pbem.games.allegeance.board import end, whole
from pbem.games.allegeance.rules import RULES

GAME = RULES.assemble(
    board=whole, describe=describe, bots={"greedy": bots.greedy}, figures=figures.FIGURES, end=end.draw, card=news.card,
    imagine=imagined.imagine, playout=bots.greedy, estimate=bots.estimate, intro=intro.INTRO, lesson=lesson.LESSON,
)  # fmt: skip
