"""The course, and how a turn runs, until somebody has a choice or the race is over: what a witch's arrival leads to."""

from collections.abc import Collection, Iterable

from pbem.games.hexen_rennen import facts
from pbem.kit.chance import Luck
from pbem.kit.replay import Course


def effect_of_card(state: facts.State, clan: int, card: str, place: int) -> facts.Drawn:
    """Returns what the card of a neutral clan does to the witch on its symbol here (5.5)."""
    busy, steps = tiles_with_witch(state), facts.STEPS_OF[card]
    target = place - steps if steps else free_symbol(state, clan, behind(place), busy)
    return facts.Drawn(clan, card, place, place if target is None or target < 1 or target in busy else target)


class Run(Course[facts.State]):
    """Collects events, each folded in as soon as it is known.

    Without luck it only foresees: it stops at the first tile or card that the fold does not show.
    """

    __slots__ = ("luck",)

    def __init__(self, state: facts.State, luck: Luck | None) -> None:
        super().__init__(facts.evolve, state)
        self.luck = luck

    def play_on(self, *, back: bool) -> None:
        """Lets the witch arrive, then begins turns until somebody has a choice. `back`: a number moved her back."""
        if self.arrive(back=back):
            self.begin_next()

    def begin_next(self) -> None:
        """Begins the next seat's turn, and further ones while a turn is over at once."""
        if self.luck is None or self.state.active is None:
            return
        while self.begin((self.state.active + 1) % self.state.seats, self.luck):
            pass

    def begin(self, seat: int, luck: Luck) -> bool:
        """Rolls for the seat and moves if there is no choice (8.2); returns whether its turn is over."""
        self.add(facts.Rolled(seat, luck.named(f"die:s{seat}:{self.state.turn + 1}").roll(facts.FACES)))
        possible = flights(self.state)
        if not possible:
            self.add(facts.Stuck(seat))
            return True
        if len(possible) > 1:
            return False
        ((origin, target),) = possible.items()
        self.add(facts.Flew(seat, origin, target))
        return self.arrive(back=False)

    def arrive(self, *, back: bool) -> bool:
        """Applies the place to the witch that has arrived; returns whether the turn is over and the race is not."""
        while True:
            state = self.state
            place, active = state.witch, state.active
            assert place is not None, "a witch has moved"
            assert active is not None, "somebody's turn runs"
            if place > facts.COURSE:
                return self._in_goal(active)
            tile = self._tile(place)
            if tile is None:
                return False
            clan = facts.CLAN_OF[tile]
            if steps := facts.VALUE_OF[tile]:
                target, last = place + steps, facts.GOAL if state.goal_by_tile else facts.COURSE
                if clan != active or target > last or target in tiles_with_witch(state):  # 5.1, R1
                    return True
                self.add(facts.Carried(active, place, target))
                back = False  # R10
            elif clan >= state.seats:
                if not self._neutral(clan, place):
                    return True
                back = True  # R7
            elif self._symbol(clan, place, back):
                back = clan != active
            else:
                return self.state.asked is None

    def _tile(self, place: int) -> str | None:
        """Returns the tile here, after turning it up if necessary."""
        tile = self.state.shown[place - 1]
        if tile is None and self.luck is not None:
            tile = self.state.tiles[place - 1]
            assert tile is not None, "the full fold knows the course"
            self.add(facts.Turned(place, tile))
        return tile

    def _in_goal(self, active: int) -> bool:
        """Ends the race with the third witch of a seat (7.1); returns whether it goes on."""
        if self.state.witches[active][0] <= facts.COURSE:
            return True
        scores = tuple(sum(map(facts.points, three)) for three in self.state.witches)
        best = max(scores)
        winners = tuple(seat for seat, score in enumerate(scores) if score == best)  # R8
        self.add(facts.Finished(active, scores, winners))
        return False

    def _neutral(self, clan: int, place: int) -> bool:
        """Draws for a neutral symbol (5.5); returns whether a number takes the witch somewhere."""
        pile = self.state.piles[clan]
        if not pile:
            self.add(facts.Exhausted(clan, place))
            return False
        card = pile[0]
        if card is None or self.luck is None:
            return False
        drawn = effect_of_card(self.state, clan, card, place)
        self.add(drawn)
        return card != facts.SYMBOL and drawn.target != place

    def _symbol(self, clan: int, place: int, obliged: bool) -> bool:
        """Asks the owner of a symbol, unless there is no choice; returns whether a number was played at once."""
        cards = plays(self.state, clan)
        if not cards:
            self.add(facts.Powerless(clan, place))
            return False
        self.add(facts.Reached(clan, place, obliged))
        if not obliged or len(cards) > 1:
            return False
        ((card, target),) = cards.items()  # 8.2: the only card must be played
        self.add(facts.Played(clan, card, place, target))
        return card != facts.SYMBOL


# --- the course ----------------------------------------------------------------------------------------------


def tiles_with_witch(state: facts.State) -> set[int]:
    """Returns the tiles with a witch on them; start and goal hold any number."""
    return {place for three in state.witches for place in three if 0 < place <= facts.COURSE}


def flight(origin: int, die: int, busy: Collection[int]) -> int | None:
    """Returns where the die takes a witch from here; None if she cannot move.

    From the start occupied tiles are not counted (3.3); on the course they are (3.4).

    >>> flight(0, 3, {1, 3}), flight(10, 4, {14}), flight(48, 4, ()), flight(50, 1, ())
    (5, None, None, None)
    """
    if origin == 0:
        place = 0
        while die:
            place += 1
            die -= place not in busy
        return place
    target = origin + die
    return None if origin > facts.COURSE or target > facts.GOAL or target in busy else target


def flights(state: facts.State) -> dict[int, int]:
    """Returns the flights of the active seat, from origin to target; the start is one origin for all its witches."""
    if state.active is None or state.die is None:
        return {}
    busy = tiles_with_witch(state)
    ends = {origin: flight(origin, state.die, busy) for origin in dict.fromkeys(state.witches[state.active])}
    return {origin: target for origin, target in ends.items() if target is not None}


def free_symbol(state: facts.State, clan: int, places: Iterable[int], busy: Collection[int]) -> int | None:
    """Returns the first of these places that is free and shows the clan's symbol face up (R9)."""
    wanted = f"{facts.CLANS[clan]}S"
    return next((place for place in places if state.shown[place - 1] == wanted and place not in busy), None)


def behind(place: int) -> range:
    """Returns the places behind this one, nearest first."""
    return range(place - 1, 0, -1)


def card_target(state: facts.State, clan: int, card: str, busy: Collection[int]) -> int | None:
    """Returns where this card of the clan takes the witch on its symbol; None if it cannot be played.

    Forward for the clan's own witch (5.3), back for any other (5.4), never behind tile 1 (R13).
    """
    place, steps = state.witch, facts.STEPS_OF[card]
    if place is None:
        return None
    own = clan == state.active
    if not steps:
        return free_symbol(state, clan, range(place + 1, facts.COURSE + 1) if own else behind(place), busy)
    target = place + steps if own else place - steps
    return target if 1 <= target <= facts.GOAL and target not in busy else None


def plays(state: facts.State, clan: int) -> dict[str, int]:
    """Returns the cards that this clan's seat can play at the witch on its symbol, and where each takes her."""
    busy = tiles_with_witch(state)
    ends = {card: card_target(state, clan, card, busy) for card in dict.fromkeys(state.hands[clan])}
    return {card: target for card, target in ends.items() if target is not None}
