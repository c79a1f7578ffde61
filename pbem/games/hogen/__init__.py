"""Hogen, by Jean-Denis Oste (2013): sixteen samurai; everybody hides one."""

from pbem.games.hogen import (
    bots,
    facts,
    figures,
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
from pbem.games.hogen.board import end, whole
from pbem.kit.assemble import assemble

GAME = assemble(
    meta.META, rules, facts, notation, story, prompts, story, whole, {"greedy": bots.greedy},
    pad=prompts.pad, candidates=prompts.candidates, figures=figures.FIGURES, end=end.draw, card=news.card,
    orders=orders.ORDERS, supposable=imagined.supposable, imagine=imagined.imagine, playout=bots.quick,
    estimate=bots.estimate, intro=intro.INTRO, lesson=lesson.LESSON,
)  # fmt: skip
