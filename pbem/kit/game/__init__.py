"""A game said once: moves that say why not, facts that apply and tell themselves, and what comes by itself.

A layer above the contract. `Game` works out of them what the contract asks for: questions, legal moves, refusals,
previews, suppositions, notation, buttons and links, and calls `pbem.kit.assemble`. Its methods have the contract's
names, so a game gives any face by hand where it overrides one. All that an author needs can be imported from here.

rules     `Game`: what a game says of itself, and the faces that follow
moves     answers, the reasons against them, and questions; how they are typed
facts     events, and states that count them
knowing   what is known when a fact comes by itself: by the service, one seat, or in every way it may come
sayings   what moves and facts must say of themselves
parts     boards made of parts that draw and say themselves
"""

from msgspec.structs import replace

from pbem.kit.chance import Chance, Luck
from pbem.kit.choices import Lazy
from pbem.kit.contract import Deal, DrawKind, IllegalMove, Options, Outcome, PlayerView, Seat
from pbem.kit.game.facts import Counting, Event
from pbem.kit.game.knowing import Knows
from pbem.kit.game.moves import Move, Question, Reason
from pbem.kit.game.parts import Big, Die, Meter, Part, Row
from pbem.kit.game.rules import Game, best
from pbem.kit.secrecy import Each, Fading, Hidden, Open, Own, Shown, less, put
from pbem.kit.texts import Lang, OptionText, Text
from pbem.kit.words import T, counted

__all__ = [
    "Big", "Chance", "Counting", "Deal", "Die", "DrawKind", "Each", "Event", "Fading", "Game", "Hidden", "IllegalMove",
    "Knows", "Lang", "Lazy", "Luck", "Meter", "Move", "Open", "OptionText", "Options", "Outcome", "Own", "Part",
    "PlayerView", "Question", "Reason", "Row", "Seat", "Shown", "T", "Text", "best", "counted", "less", "put",
    "replace",
]  # fmt: skip
"""What `from pbem.kit.game import *` brings: docs/new-game.md says in a line what each is for."""
