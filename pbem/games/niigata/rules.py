"""The rules of Les bassins de Niigata. The numbers in comments are those of RULES.en.md."""

from collections.abc import Sequence

from pbem.games.niigata import facts, facts_tiles
from pbem.games.niigata.facts import Claim, NiigataOptions, Pass, Place, State, Take
from pbem.games.niigata.facts_tiles import FACES, NAMES, ROTATIONS, SAME, Tile
from pbem.games.niigata.history import evolve
from pbem.games.niigata.rules_ponds import in_order, points_of, pond_at, standing
from pbem.kit.chance import Chance, Luck
from pbem.kit.choices import Choices, Lazy
from pbem.kit.contract import Ask, Event, IllegalMove, Move, Outcome
from pbem.kit.notation import seat_letter
from pbem.kit.replay import Course

PASS = Pass()


def setup(seats: int, options: NiigataOptions, luck: Luck) -> list[Event]:
    """Shuffles the tiles, puts some away, and throws the first dice."""
    shuffled = luck.named("stock").shuffled(NAMES)
    removed = facts_tiles.REMOVED[seats]
    # Rolling until one seat is highest is equally likely to pick any seat (2.5).
    thrower = luck.named("first").below(seats)
    laid_out = facts.LaidOut(seats, options.picking, thrower, shuffled[removed:], shuffled[:removed])
    return [laid_out, *_next_round(evolve(None, laid_out), luck)]


# --- what is legal -----------------------------------------------------------------------------------------


def takeable(state: State) -> frozenset[Tile]:
    """Returns the tiles that match this round's dice."""
    return facts_tiles.TAKEABLE[state.colour or "", state.number]


def may_pick(state: State, seat: int) -> bool:
    """Returns whether the seat is asked for a tile."""
    if state.phase != "pick" or seat >= state.seats:
        return False
    if state.picking == "turns":
        return state.active == seat
    return not state.passed[seat] and len(state.hands[seat]) < 2


def legal(state: State, seat: int) -> Sequence[Move]:
    """Returns every move that answers the seat's question."""
    if may_pick(state, seat):
        good = takeable(state)
        tiles = state.display if state.picking == "grab" else [t for t in state.display if t in good]
        return Choices((Take, [Take(tile) for tile in tiles]), (Pass, (PASS,)))
    if state.active != seat:
        return ()
    if state.phase == "place":
        return Choices((Place, _placements(state, seat)))
    if state.phase == "claim":
        return Choices((Claim, _claims(state)), (Pass, (PASS,)))
    return ()


def _placements(state: State, seat: int) -> Lazy[Place]:
    """Returns every tile, rotation and cell. Rotations that look the same are one move, written with the lowest."""
    cells = in_order(state.frontier)
    hand = state.hands[seat]
    turns = [(tile, rotation) for tile in hand for rotation in ROTATIONS[tile]]

    def at(index: int) -> Place:
        tile, rotation = turns[index // len(cells)]
        return Place(tile, cells[index % len(cells)], rotation)

    def has(move: Place) -> bool:
        return move.tile in hand and move.cell in state.frontier and move.rotation in facts_tiles.QUARTERS

    return Lazy(len(turns) * len(cells), at, has)


def _claims(state: State) -> Lazy[Claim]:
    """Returns the free ponds by name; any other piece of the pond is accepted, too."""

    def has(move: Claim) -> bool:
        return pond_at(state, move.pond) in state.free

    return Lazy(len(state.free), lambda index: Claim(state.free[index]), has)


# --- questions ---------------------------------------------------------------------------------------------


def pending(state: State) -> tuple[Ask, ...]:
    """Returns the open question; when tiles are grabbed, one for everybody who may take more."""
    if state.phase == "pick" and state.picking == "grab":
        turn = f"r{state.round}.grab"
        return tuple(
            Ask(seat, f"{turn}.{seat_letter(seat)}{len(state.hands[seat]) + 1}", turn, "grab")
            for seat in range(state.seats)
            if may_pick(state, seat)
        )
    if state.active is None:
        return ()
    turn = f"r{state.round}.{'p' if state.phase == 'pick' else 't'}{state.step}"
    return (Ask(state.active, f"{turn}.{state.phase}", turn, state.phase),)


def outcome(state: State) -> Outcome | None:
    """Returns who won, and everybody's points."""
    return None if state.over is None else Outcome(state.over, state.winners, state.scores)


def scores(fold: State) -> tuple[int, ...]:
    """Returns the points of each seat so far: its ponds less its waste pile (6.2, 6.4)."""
    return tuple(points_of(fold, seat) for seat in range(fold.seats))


# --- decisions ---------------------------------------------------------------------------------------------


def decide(state: State, seat: int, move: Move, luck: Luck) -> list[Event]:
    """Returns the facts that follow from a move, with rounds in which nothing can be taken (4.6)."""
    if not may_pick(state, seat) and state.active != seat:
        raise IllegalMove("not_asked")
    match state.phase, move:
        case "pick", Take(tile):
            if tile not in state.display:
                raise IllegalMove("gone", tile=tile)
            if state.picking == "turns" and tile not in takeable(state):
                too_many = sum(facts_tiles.animals_on(tile)) > state.number
                raise IllegalMove("too_many" if too_many else "wrong_carp", tile=tile, number=state.number)
            return _after_pick(state, facts.Taken(seat, tile), luck)
        case "pick", Pass():
            return _after_pick(state, facts.Passed(seat), luck)
        case "place", Place(tile, cell, rotation):
            if tile not in state.hands[seat]:
                raise IllegalMove("not_in_hand", tile=tile)
            if cell in state.laid:
                raise IllegalMove("occupied", cell=cell)
            if cell not in state.frontier:
                raise IllegalMove("not_adjacent", cell=cell)
            if rotation not in facts_tiles.QUARTERS:
                raise IllegalMove("no_such_rotation", rotation=rotation)
            return _after_turn(state, fact_of_placement(seat, move), luck)
        case "claim", Claim(piece):
            pond = pond_at(state, piece)
            if pond is None:
                raise IllegalMove("no_pond", pond=piece)
            if pond not in state.free:
                raise IllegalMove("open_pond" if state.ponds[pond].open else "taken_pond", pond=piece)
            claimed = facts.Claimed(seat, pond)
            if sum(state.breeders) > 1:
                return _after_turn(state, claimed, luck)
            return [claimed, facts.Ended("breeders", *standing(evolve(state, claimed)))]  # R16
        case "claim", Pass():
            return _after_turn(state, facts.Passed(seat), luck)
    raise IllegalMove("wrong_kind")


def _after_pick(state: State, event: Event, luck: Luck) -> list[Event]:
    """Returns the pick, and what follows if it was the last of the round."""
    after = evolve(state, event)
    wanted = any(may_pick(after, seat) for seat in range(after.seats))
    if wanted and not takeable(after).isdisjoint(after.display):  # R19
        return [event]
    ended = picking_ended(after)
    return [event, ended, *_next_round(evolve(after, ended), luck)]


def picking_ended(state: State) -> facts.PickingEnded:
    """Returns the end of the picking: the tiles that do not go with the dice are wasted."""
    good = takeable(state)
    wasted = tuple(facts.Waste(s, tile) for s, hand in enumerate(state.hands) for tile in hand if tile not in good)
    return facts.PickingEnded(wasted, state.display)


def _next_round(state: State, luck: Luck) -> list[Event]:
    """Throws dice until somebody is asked or the stock is empty; does nothing if somebody is asked already."""
    course = Course(evolve, state)
    while course.state.phase == "between":
        if not course.state.stock:
            return [*course.events, facts.Ended("stock", *standing(course.state))]
        course.add(_throw(course.state, luck))
        if takeable(course.state).isdisjoint(course.state.display):
            course.add(facts.PickingEnded((), course.state.display))
    return course.events


def _throw(state: State, luck: Luck) -> facts.Thrown:
    seat = (state.thrower + 1) % state.seats if state.round else state.thrower
    tiles = state.stock[: 2 * state.seats]
    coming = f"r{state.round + 1}"
    colour = luck.named(f"colour:{coming}").roll(facts_tiles.COLOUR_DIE)
    number = luck.named(f"number:{coming}").roll(facts_tiles.NUMBER_DIE)
    return facts.Thrown(seat, colour, number, tuple(tile for tile in tiles if tile))


def fact_of_placement(seat: int, move: Place) -> facts.Placed:
    """Returns the fact of a placement, with the lowest of the rotations that look the same."""
    return facts.Placed(seat, move.tile, move.cell, SAME[move.tile][move.rotation])


def _after_turn(state: State, event: Event, luck: Luck) -> list[Event]:
    """Returns the placement or the answer about a breeder, and the next round if it was the last of this one."""
    held = sum(map(len, state.hands))
    if held > (1 if isinstance(event, facts.Placed) else 0):
        return [event]
    return [event, *_next_round(evolve(state, event), luck)]


def preview(fold: State, seat: int, move: Move) -> list[Event]:
    """Returns the one event of a legal move that the mover can foresee."""
    match move:
        case Take(tile):
            return [facts.Taken(seat, tile)]
        case Pass():
            return [facts.Passed(seat)]
        case Place():
            return [fact_of_placement(seat, move)]
        case Claim(pond):
            return [facts.Claimed(seat, pond_at(fold, pond) or pond)]
    raise IllegalMove("wrong_kind")


def fallback(fold: State, seat: int, chance: Chance) -> Move:
    """Returns no tile, no breeder; lays a tile in hand, as it was drawn, where it joins no pond with carp (R18)."""
    if fold.phase != "place":
        return PASS
    tile = fold.hands[seat][0]
    cells, water = in_order(fold.frontier), FACES[tile][0].sides

    def joins_carps(cell: str) -> bool:
        names = (name for side, name in enumerate(fold.frontier[cell]) if water[side] >= 0)
        return any(any(pond.animals[:3]) for name in names if (pond := fold.ponds.get(name)))

    return Place(tile, next((cell for cell in cells if not joins_carps(cell)), cells[0]), 0)
