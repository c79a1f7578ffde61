"""Les bassins de Niigata, a prototype by ZeBlate: ponds of tiles, carps to count and waders that eat them."""

from collections.abc import Mapping

from pbem.games.niigata import history, notation, rules, words
from pbem.games.niigata.board import draw
from pbem.games.niigata.bots import BOTS
from pbem.games.niigata.describe import describe
from pbem.games.niigata.meta import META
from pbem.games.niigata.story import tell
from pbem.kit.contract import Bot, Meta


class Niigata:
    """The game: a name for each function of its modules."""

    __slots__ = ()

    @property
    def meta(self) -> Meta:
        """What can be said of Niigata without playing it."""
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


GAME = Niigata()
