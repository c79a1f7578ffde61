"""Statistics of play by people who remember: simulated players forget each card they saw with some probability.

    python -m tests.games.allegeance.figures --matches 1000

Simulated players announce a card that they do not remember to be out, challenge when they remember that the
announced card is out, and give to the player with the fewest cards. Each has their own memory: when a card
comes up, each player forgets it independently with chance `forgets`, unless they hold it or it lies on top.
"""

import argparse
import hashlib
from dataclasses import dataclass, field
from typing import Any

from pbem.games.allegeance import GAME
from pbem.games.allegeance.facts import (
    Announce,
    Announced,
    Challenge,
    Hit,
    LetPass,
    Missed,
    RoundBegan,
    RoundEnded,
    gifts_to_seats_with_fewest_cards,
)
from pbem.games.allegeance.facts_state import State, Table
from pbem.games.samurai import CARDS
from pbem.kit.chance import Chance, SeedChance
from pbem.kit.contract import Event, Move


@dataclass
class Figures:
    """Sums over matches of one number of seats."""

    matches: int = 0
    rounds: int = 0
    announcements: int = 0
    windows: int = 0
    hits: int = 0
    shared: int = 0
    more_than_nine: int = 0
    unannounceable: int = 0
    """Rounds in which the last card of the Door was banned."""
    forced: int = 0
    """Announcements before the last card when all cards behind the Door were banned."""
    memory: list[set[str]] = field(default_factory=list)

    def per_match(self) -> tuple[float, float, float]:
        """Rounds, announcements and windows of a match."""
        return self.rounds / self.matches, self.announcements / self.matches, self.windows / self.matches

    def see(self, event: Event, forgets: float, seats: int, luck: Chance) -> None:
        """Counts the event; each player remembers or forgets the card that came up."""
        match event:
            case RoundBegan():
                self.memory = [set() for _ in range(seats)]
            case Hit(_, card) | Missed(_, card):
                self.hits += isinstance(event, Hit)
                for known in self.memory:
                    if luck.below(1000) >= 1000 * forgets:
                        known.add(card or "")
            case RoundEnded():
                self.rounds += 1
            case Announced():
                self.announcements += 1

    def move(self, state: State, seat: int, luck: Chance) -> Move:
        """Returns the simulated player's move."""
        known = self.memory[seat] | {c for c in (*state.hands[seat], *state.palace[-1:]) if c}
        if state.phase == "give":
            return luck.pick(gifts_to_seats_with_fewest_cards(state, seat))
        if state.phase == "window":
            return Challenge() if state.announced in known else LetPass()
        allowed = [card for card in CARDS if card not in state.banned]
        new = [card for card in allowed if card not in known]
        self.forced += len(state.door) > 1 and not set(state.door) - set(state.banned)
        if len(state.door) == 1:
            self.unannounceable += state.door[0] in state.banned
        return Announce(luck.pick(new or allowed))


def simulate_matches(seats: int, forgets: float, matches: int) -> Figures:
    """Plays this many matches; returns their sums."""
    figures = Figures()
    for number in range(matches):
        seed = hashlib.sha256(f"figures {seats} {forgets} {number}".encode()).digest()
        state: Any = None
        events = GAME.setup(seats, Table(), SeedChance(seed, 1, "setup"))
        at = 1
        while True:
            for event in events:
                at += 1
                state = GAME.evolve(state, event)
                figures.see(event, forgets, seats, SeedChance(seed, at, "fallback"))
            asks = GAME.pending(state)
            if not asks:
                break
            figures.windows += asks[0].kind == "answer" and len(asks) == seats - 1
            seat = asks[0].seat
            move = figures.move(state, seat, SeedChance(seed, at, "bot"))
            events = GAME.decide(state, seat, move, SeedChance(seed, at, "decide"))
        figures.matches += 1
        figures.shared += len(state.winners) > 1
        figures.more_than_nine += sum(state.tokens) > 9
    return figures


def main() -> None:
    """Prints the statistics."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--matches", type=int, default=1000)
    args = parser.parse_args()
    for forgets in (0.0, 0.2, 0.4):
        for seats in (2, 3, 4):
            f = simulate_matches(seats, forgets, args.matches)
            rounds, announcements, windows = f.per_match()
            print(  # noqa: T201
                f"forgets {forgets}, {seats} seats: {rounds:.1f} rounds, {announcements:.0f} announcements, "
                f"{windows:.0f} windows, {f.hits / f.rounds:.2f} hits a round, "
                f"shared {100 * f.shared / f.matches:.0f} %, more than nine tokens "
                f"{100 * f.more_than_nine / f.matches:.0f} %, last card banned "
                f"{100 * f.unannounceable / f.rounds:.0f} %, forced {f.forced / f.rounds:.2f} a round"
            )


if __name__ == "__main__":
    main()
