"""Hagakure, by Frank Crittin and Grégoire Largey (2019): tricks, and banners that change what they are worth."""

from pbem.games.hagakure import bots, describe, figures, imagined, intro, lesson, news
from pbem.games.hagakure.board import end, whole
from pbem.games.hagakure.rules import RULES

GAME = RULES.assemble(
    board=whole, describe=describe, bots={"greedy": bots.greedy}, figures=figures.FIGURES, end=end.draw, card=news.card,
    imagine=imagined.imagine, playout=bots.greedy, estimate=bots.estimate, intro=intro.INTRO, lesson=lesson.LESSON,
)  # fmt: skip
