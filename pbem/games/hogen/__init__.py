"""Hogen, by Jean-Denis Oste (2013): sixteen samurai; everybody hides one."""

from pbem.games.hogen import (
    bots,
    bots_quick,
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
from pbem.games.hogen.board import whole
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
    candidates=prompts.candidates,
    figures=figures.FIGURES,
    orders=orders.ORDERS,
    supposable=suppose.supposable,
    imagine=imagined.imagine,
    playout=bots_quick.quick,
    estimate=estimate.estimate,
)
