"""Hogen, by Jean-Denis Oste (2013): sixteen samurai, of whom everybody hides one."""

from collections.abc import Mapping
from types import MappingProxyType

from pbem.games.hogen import history, notation, rules, words
from pbem.games.hogen.board import draw
from pbem.games.hogen.bots import greedy
from pbem.games.hogen.describe import describe
from pbem.games.hogen.meta import META
from pbem.games.hogen.story import tell
from pbem.kit.contract import Bot, Meta

BOTS: Mapping[str, Bot] = MappingProxyType({"greedy": greedy})


class Hogen:
    """The game: a name for each function of its modules."""

    __slots__ = ()

    @property
    def meta(self) -> Meta:
        """What can be said of Hogen without playing it."""
        return META

    @property
    def bots(self) -> Mapping[str, Bot]:
        """The sensible player."""
        return BOTS

    setup = staticmethod(rules.setup)
    decide = staticmethod(rules.decide)
    evolve = staticmethod(history.evolve)
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


GAME = Hogen()
