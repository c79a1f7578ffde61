"""Hogen: Allégeance, by Jean-Denis Oste: sixteen samurai behind a door, and who remembers them."""

from pbem.games.allegeance import (
    bots,
    describe,
    estimate,
    figures,
    history,
    imagined,
    meta,
    notation,
    orders,
    prompts,
    rules,
    story,
    suppose,
)
from pbem.games.allegeance.board import whole
from pbem.kit.assemble import assemble

BOTS = {"greedy": bots.greedy}
GAME = assemble(
    meta.META,
    rules,
    history,
    notation,
    story,
    prompts,
    describe,
    whole,
    BOTS,
    pad=prompts.pad,
    scores=rules.scores,
    candidates=prompts.candidates,
    figures=figures.FIGURES,
    supposable=suppose.supposable,
    orders=orders,
    imagine=imagined.imagine,
    playout=bots.greedy,
    estimate=estimate.estimate,
)
