"""Hagakure, by Frank Crittin and Grégoire Largey (2019): tricks, and banners that change what they are worth."""

from pbem.games.hagakure import (
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
from pbem.games.hagakure.board import end, whole
from pbem.kit.assemble import assemble

GAME = assemble(
    meta.META, rules, facts, notation, story, prompts, story, whole, {"greedy": bots.greedy},
    pad=prompts.pad, scores=rules.scores, candidates=prompts.candidates, figures=figures.FIGURES, end=end.draw,
    card=news.card, supposable=imagined.supposable, orders=orders, imagine=imagined.imagine, playout=bots.greedy,
    estimate=bots.estimate, intro=intro.INTRO, lesson=lesson.LESSON,
)  # fmt: skip
