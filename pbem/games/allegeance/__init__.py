"""Hogen: Allégeance, by Jean-Denis Oste: sixteen samurai behind a door, and who remembers them."""

from collections.abc import Mapping

from pbem.games.allegeance import notation, rules, words
from pbem.games.allegeance.board import draw
from pbem.games.allegeance.bots import BOTS
from pbem.games.allegeance.describe import describe
from pbem.games.allegeance.history import evolve
from pbem.games.allegeance.meta import META
from pbem.games.allegeance.story import tell
from pbem.kit.contract import Bot, Meta


class Allegeance:
    """The game: a name for each function of its modules."""

    __slots__ = ()

    @property
    def meta(self) -> Meta:
        """What can be said of Allégeance without playing it."""
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


GAME = Allegeance()
