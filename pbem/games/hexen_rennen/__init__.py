"""Hexen Rennen, by Wolfgang Panning (2001): a race of witches over tiles that nobody knows."""

from pbem.games.hexen_rennen import (
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
from pbem.games.hexen_rennen.board import end, whole
from pbem.kit.assemble import assemble

GAME = assemble(
    meta.META, rules, facts, notation, story, prompts, story, whole, {"greedy": bots.greedy},
    pad=prompts.pad, scores=rules.scores, candidates=prompts.candidates, figures=figures.FIGURES, end=end.draw,
    card=news.card, supposable=imagined.supposable, foretell=imagined.foretell, orders=orders, imagine=imagined.imagine,
    playout=bots.quick, estimate=bots.estimate, intro=intro.INTRO, lesson=lesson.LESSON,
)  # fmt: skip
