"""Hogen: Allégeance, by Jean-Denis Oste: sixteen samurai behind a door, and who remembers them."""

from pbem.games.allegeance import (
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
from pbem.games.allegeance.board import end, whole
from pbem.kit.assemble import assemble

GAME = assemble(
    meta.META, rules, facts, notation, story, prompts, story, whole, {"greedy": bots.greedy},
    pad=prompts.pad, scores=rules.scores, candidates=prompts.candidates, figures=figures.FIGURES, end=end.draw,
    card=news.card, supposable=imagined.supposable, orders=orders, imagine=imagined.imagine, playout=bots.greedy,
    estimate=bots.estimate, intro=intro.INTRO, lesson=lesson.LESSON,
)  # fmt: skip
