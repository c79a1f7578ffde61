"""Hexen Rennen, by Wolfgang Panning (2001): a race of witches over tiles that nobody knows."""

from collections.abc import Mapping
from types import MappingProxyType

from pbem.games.hexen_rennen import notation, rules, words
from pbem.games.hexen_rennen.board import draw
from pbem.games.hexen_rennen.bots import greedy
from pbem.games.hexen_rennen.describe import describe
from pbem.games.hexen_rennen.history import evolve
from pbem.games.hexen_rennen.meta import META
from pbem.games.hexen_rennen.story import tell
from pbem.kit.contract import Bot, Meta

BOTS: Mapping[str, Bot] = MappingProxyType({"greedy": greedy})


class HexenRennen:
    """The game: a name for each function of its modules."""

    __slots__ = ()

    @property
    def meta(self) -> Meta:
        """What can be said of Hexen Rennen without playing it."""
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


GAME = HexenRennen()
