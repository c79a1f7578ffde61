"""The race: clans, tiles and cards, its state, and where a witch can go."""

from collections.abc import Collection, Iterator
from functools import cache, lru_cache
from typing import Annotated

import msgspec

from pbem.kit.contract import Mark
from pbem.kit.secrecy import Each, Hidden, Open, Shown, put

CLANS = "ABCD"
"""A moon, B mushroom, C cat, D cauldron. The seats have the first letters, in order, or those that they choose."""
COLOURS = ("c1", "c2", "c3", "c5")
"""The colours of the clans."""

SEAT_MARKS = (
    *(Mark(f"hx-{clan.lower()}", colour, clan) for clan, colour in zip(CLANS, COLOURS, strict=True)),
    Mark("witch", "c6", "?"),
)
"""The marks of seats, by the places of their clans; at UNDECIDED that of a seat that has not chosen one."""
UNDECIDED = len(CLANS)

NUMBERS = (2, 3, 4, 5, 6, 7, 8, 9, 10)
SYMBOL = "S"
CARDS: tuple[str, ...] = (*(str(n) for n in NUMBERS), SYMBOL)
DECK: tuple[str, ...] = (*CARDS, SYMBOL, SYMBOL)
TILES: tuple[str, ...] = tuple(f"{clan}{card}" for clan in CLANS for card in CARDS)

FACES = (1, 2, 3, 4, 5, 6)
"""Of the die."""
COURSE = 48
STAGES = 3
GOAL = 51
"""The last square of the goal. Squares 49, 50, 51 are worth 2, 3, 4."""

CLAN_OF: dict[str, int] = {tile: CLANS.index(tile[0]) for tile in TILES}
VALUE_OF: dict[str, int] = {tile: 0 if tile[1:] == SYMBOL else int(tile[1:]) for tile in TILES}
"""The number on a tile; 0 for the magic symbol."""
STEPS_OF: dict[str, int] = {card: 0 if card == SYMBOL else int(card) for card in CARDS}
"""The number on a card; 0 for the magic symbol."""

Number = Annotated[int, msgspec.Meta(ge=2, le=10)]
# Not `$`, which would let a newline follow.
Card = Annotated[str, msgspec.Meta(pattern=r"^([2-9]|10|S)(?![\s\S])", max_length=2)]
Tile = Annotated[str, msgspec.Meta(pattern=r"^[A-D]([2-9]|10|S)(?![\s\S])", max_length=3)]
Clan = Annotated[int, msgspec.Meta(ge=0, le=3)]
"""A clan by its owner: the seat, or for neutral clans the numbers after those of the seats, by their letters."""
Letter = Annotated[str, msgspec.Meta(pattern=r"^[A-D](?![\s\S])", max_length=1)]
Origin = Annotated[int, msgspec.Meta(ge=0, le=COURSE)]
Place = Annotated[int, msgspec.Meta(ge=1, le=COURSE)]
Target = Annotated[int, msgspec.Meta(ge=1, le=GOAL)]

Stage = Annotated[tuple[Number, ...], msgspec.Meta(min_length=1, max_length=9)]
# Bounded lengths instead of tuples of fixed items: not every reader of a schema understands `items: false`.
Stages = Annotated[tuple[Stage, ...], msgspec.Meta(min_length=STAGES, max_length=STAGES)]
Three = Annotated[tuple[Number | None, ...], msgspec.Meta(min_length=3, max_length=3)]
Division = Annotated[tuple[Three, ...], msgspec.Meta(min_length=STAGES, max_length=STAGES)]
Witches = Annotated[tuple[int, ...], msgspec.Meta(min_length=3, max_length=3)]
Pile = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=12)]
Course = Annotated[tuple[Tile | None, ...], msgspec.Meta(min_length=COURSE, max_length=COURSE)]


# --- state -------------------------------------------------------------------------------------------------


class State(msgspec.Struct, frozen=True, gc=False):
    """A position of the race; in a viewer's own fold None stands for what they do not know."""

    seats: Open[int]
    goal_by_tile: Open[bool]
    hands: Open[tuple[tuple[Card, ...], ...]]
    """By seat. Public, since everybody can work them out: equal at first, played face up, never refilled."""
    piles: Hidden[tuple[Pile, ...]]
    """By `Clan`, the top first; () for the clan of a seat."""
    discards: Shown[tuple[tuple[Card, ...], ...]]
    """By `Clan`, the oldest first."""
    witches: Open[tuple[Witches, ...]]
    """By seat, in ascending order; 0 is the start, 49 to 51 the goal."""
    divided: Open[tuple[bool, ...]]
    stages: Each[tuple[Division | None, ...]]
    """By seat; None also before the seat has chosen: see `divided`."""
    clans: Open[tuple[int | None, ...]]
    """By seat, the place of its clan in CLANS; None before the seat has chosen it (2.5)."""
    tiles: Hidden[tuple[Tile | None, ...]] = ()
    """The tiles as they were laid; known to nobody, see `shown`."""
    shown: Shown[tuple[Tile | None, ...]] = ()
    """The course as it is visible: None is a tile face down."""
    turn: Open[int] = 0
    active: Open[int | None] = None
    die: Open[int | None] = None
    witch: Open[int | None] = None
    """The place of the witch that has moved in this turn; None before."""
    asked: Open[int | None] = None
    """The seat on whose symbol she stands, while it has to answer."""
    obliged: Open[bool] = False
    symbols: Open[int] = 0
    """The number of symbols in this turn that have been answered for or are about to be."""
    finisher: Open[int | None] = None
    scores: Open[tuple[int, ...]] = ()
    winners: Open[tuple[int, ...]] = ()


@cache
def clan_letters_and_tile_owners(clans: tuple[int | None, ...]) -> tuple[str, dict[str, int]]:
    """Returns the letters of clans by owner, and the owner of each tile: a seat, or a neutral clan's `Clan`.

    `clans` as in the state, once all have been chosen.

    >>> letters, owners = clan_letters_and_tile_owners((2, 0))
    >>> letters, owners["C7"], owners["A7"], owners["B7"], owners["D7"]
    ('CABD', 0, 1, 2, 3)
    """
    letters = "".join(CLANS[clan] for clan in (*clans, *range(len(CLANS))) if clan is not None)
    letters = "".join(dict.fromkeys(letters))
    return letters, {tile: letters.index(tile[0]) for tile in TILES}


def letter_of_clan(s: State, clan: int) -> str:
    """Returns the letter of a clan by its owner."""
    chosen = s.clans[clan] if clan < s.seats else None
    return clan_letters_and_tile_owners(s.clans)[0][clan] if chosen is None else CLANS[chosen]


def owner_of_tile(s: State, tile: str) -> int:
    """Returns the owner of a tile or card: a seat, or a neutral clan's `Clan`."""
    return clan_letters_and_tile_owners(s.clans)[1][tile]


def free_clans(s: State) -> list[int]:
    """Returns the clans that no seat has chosen, by their places in CLANS."""
    return [clan for clan in range(len(CLANS)) if clan not in s.clans]


def stage_of_place(place: int) -> int:
    """Returns the stage, 0 to 2, of a tile.

    >>> stage_of_place(16), stage_of_place(17), stage_of_place(48)
    (0, 1, 2)
    """
    return (place - 1) // 16


def points_at_place(place: int) -> int:
    """Returns the points of a witch at this place: 2, 3 or 4 in the goal, else 0.

    >>> points_at_place(51), points_at_place(49), points_at_place(48)
    (4, 2, 0)
    """
    return max(0, place - COURSE + 1) if place > COURSE else 0


@lru_cache(maxsize=256)
def cards_of_clan_without(gone: tuple[str, ...]) -> tuple[str, ...]:
    """Returns the cards of a clan without these."""
    left = list(DECK)
    for card in gone:
        left.remove(card)
    return tuple(left)


def tiles_possible_at(s: State, place: int) -> Iterator[Tile]:
    """Yields the tiles that may lie face down here: a stage has three numbers and the symbol of each clan (2.3)."""
    stage = stage_of_place(place)
    here = [tile for at, tile in enumerate(s.shown, 1) if tile and stage_of_place(at) == stage]
    owners = clan_letters_and_tile_owners(s.clans)[1]
    for tile in TILES:
        clan, number = owners[tile], VALUE_OF[tile]
        chosen = s.stages[clan] if clan < s.seats else None
        numbers = (number,) if chosen is None or None in chosen[stage] else chosen[stage]
        full = number and sum(owners[other] == clan and VALUE_OF[other] > 0 for other in here) == 3
        if tile not in (s.shown if number else here) and not full and (not number or number in numbers):
            yield tile


def witches_after_move(s: State, origin: int, target: int) -> tuple[Witches, ...]:
    """Returns the witches after one of the active seat has gone from here to there."""
    if s.active is None:
        raise ValueError("nobody is to move")
    three = list(s.witches[s.active])
    three[three.index(origin)] = target
    three.sort()
    return put(s.witches, s.active, tuple(three))


# --- the course ----------------------------------------------------------------------------------------------


def tiles_with_witch(s: State) -> set[int]:
    """Returns the tiles with a witch on them; start and goal hold any number."""
    return {place for three in s.witches for place in three if 0 < place <= COURSE}


def target_of_flight(origin: int, die: int, busy: Collection[int]) -> int | None:
    """Returns where the die takes a witch from here; None if she cannot move.

    From the start occupied tiles are not counted (3.3); on the course they are (3.4).

    >>> [target_of_flight(0, 3, {1, 3}), target_of_flight(10, 4, {14}),
    ...  target_of_flight(48, 4, ()), target_of_flight(50, 1, ())]
    [5, None, None, None]
    """
    if origin == 0:
        place = 0
        while die:
            place += 1
            die -= place not in busy
        return place
    target = origin + die
    return None if origin > COURSE or target > GOAL or target in busy else target


def flights_of_active_seat(s: State) -> dict[int, int]:
    """Returns the flights of the active seat, from origin to target; the start is one origin for all its witches."""
    if s.active is None or s.die is None:
        return {}
    busy, die, origins = tiles_with_witch(s), s.die, dict.fromkeys(s.witches[s.active])
    return {origin: target for origin in origins if (target := target_of_flight(origin, die, busy)) is not None}


def target_of_card(s: State, clan: int, card: str, busy: Collection[int]) -> int | None:
    """Returns where this card of the clan takes the witch on its symbol; None if it takes her nowhere.

    Forward for the clan's own witch (5.3), back for any other (5.4, R6), never behind tile 1 (R13). A symbol takes her
    to the next free one that lies face up (R9).
    """
    place, steps, own = s.witch, STEPS_OF[card], clan == s.active
    if place is None:
        return None
    if steps:
        target = place + steps if own else place - steps
        return target if 1 <= target <= GOAL and target not in busy else None
    places = range(place + 1, COURSE + 1) if own else range(place - 1, 0, -1)
    sign = f"{letter_of_clan(s, clan)}{SYMBOL}"
    return next((at for at in places if s.shown[at - 1] == sign and at not in busy), None)


def targets_of_playable_cards(s: State, clan: int) -> dict[str, int]:
    """Returns the cards that this clan's seat can play at the witch on its symbol, and where each takes her."""
    busy, cards = tiles_with_witch(s), dict.fromkeys(s.hands[clan])
    return {card: target for card in cards if (target := target_of_card(s, clan, card, busy)) is not None}
