"""Hexen Rennen, by Wolfgang Panning (2001): a race of witches over tiles that nobody knows."""

from pbem.games.hexen_rennen import (
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
from pbem.games.hexen_rennen.board import whole
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
    foretell=suppose.foretell,
    orders=orders,
    imagine=imagined.imagine,
    playout=bots_quick.quick,
    estimate=estimate.estimate,
)
