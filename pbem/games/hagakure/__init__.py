"""Hagakure, by Frank Crittin and Grégoire Largey (2019): tricks, and banners that change what they are worth."""

from collections.abc import Mapping
from types import MappingProxyType

from pbem.games.hagakure import notation, rules, words
from pbem.games.hagakure.board import draw
from pbem.games.hagakure.bots import greedy
from pbem.games.hagakure.describe import describe
from pbem.games.hagakure.history import evolve
from pbem.games.hagakure.meta import META
from pbem.games.hagakure.story import tell
from pbem.kit.contract import Bot, Meta

BOTS: Mapping[str, Bot] = MappingProxyType({"greedy": greedy})


class Hagakure:
    """The game: a name for each function of its modules."""

    __slots__ = ()

    @property
    def meta(self) -> Meta:
        """What can be said of Hagakure without playing it."""
        return META

    @property
    def bots(self) -> Mapping[str, Bot]:
        """The sensible player."""
        return BOTS

    setup = staticmethod(rules.setup)
    decide = staticmethod(rules.decide)
    evolve = staticmethod(evolve)
    pending = staticmethod(rules.pending)
    legal = staticmethod(rules.legal)
    fallback = staticmethod(rules.fallback)
    preview = staticmethod(rules.preview)
    outcome = staticmethod(rules.outcome)
    parse = staticmethod(notation.parse)
    format = staticmethod(notation.format)
    tell = staticmethod(tell)
    prompt = staticmethod(words.prompt)
    label = staticmethod(words.label)
    path = staticmethod(words.path)
    describe = staticmethod(describe)
    draw = staticmethod(draw)


GAME = Hagakure()
