"""Hexen Rennen, by Wolfgang Panning (2001): a race of witches over tiles that nobody knows."""

from pbem.games.hexen_rennen import bots, describe, figures, imagined, intro, lesson, news, rules_marks
from pbem.games.hexen_rennen.board import end, whole
from pbem.games.hexen_rennen.orders import HexenRennen
from pbem.games.hexen_rennen.rules import RULES

GAME = HexenRennen().assemble(
    board=whole, describe=describe, bots={"greedy": bots.greedy}, figures=figures.FIGURES, end=end.draw, card=news.card,
    foretell=RULES.foretell, imagine=imagined.imagine, playout=bots.quick, estimate=bots.estimate, intro=intro.INTRO,
    lesson=lesson.LESSON, with_marks=rules_marks.with_marks,
)  # fmt: skip
