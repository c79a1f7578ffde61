"""Les bassins de Niigata, a prototype by ZeBlate: ponds of tiles, carp to count and herons that eat them."""

from pbem.games.niigata import bots, describe, figures, imagined, intro, lesson, news
from pbem.games.niigata.board import end, whole
from pbem.games.niigata.rules import RULES

GAME = RULES.assemble(
    board=whole, describe=describe, bots={"greedy": bots.greedy}, figures=figures.FIGURES, end=end.draw, card=news.card,
    imagine=imagined.imagine, playout=bots.quick, estimate=bots.estimate, intro=intro.INTRO, lesson=lesson.LESSON,
)  # fmt: skip
