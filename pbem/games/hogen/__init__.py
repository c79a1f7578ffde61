"""Hogen, by Jean-Denis Oste (2013): sixteen samurai; everybody hides one."""

from pbem.games.hogen import bots, describe, figures, imagined, intro, lesson, news
from pbem.games.hogen.board import end, whole
from pbem.games.hogen.rules import RULES

GAME = RULES.assemble(
    board=whole, describe=describe, bots={"greedy": bots.greedy}, figures=figures.FIGURES, end=end.draw, card=news.card,
    imagine=imagined.imagine, playout=bots.quick, estimate=bots.estimate, intro=intro.INTRO, lesson=lesson.LESSON,
)  # fmt: skip
