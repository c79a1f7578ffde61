"""Les bassins de Niigata, a prototype by ZeBlate: ponds of tiles, carp to count and herons that eat them."""

from pbem.games.niigata import (
    bots,
    figures,
    history,
    imagined,
    intro,
    lesson,
    meta,
    news,
    notation,
    orders,
    prompts,
    rules,
    story,
)
from pbem.games.niigata.board import end, whole
from pbem.kit.assemble import assemble

GAME = assemble(
    meta.META, rules, history, notation, story, prompts, story, whole, {"greedy": bots.greedy},
    pad=prompts.pad, scores=rules.scores, candidates=prompts.candidates, figures=figures.FIGURES, end=end.draw,
    card=news.card, supposable=imagined.supposable, orders=orders, imagine=imagined.imagine, playout=bots.quick,
    estimate=bots.estimate, intro=intro.INTRO, lesson=lesson.LESSON,
)  # fmt: skip
