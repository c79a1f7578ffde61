"""The viewer of a board of Hexen Rennen, what may be touched, and where the story's numbers belong."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from pbem.games.hexen_rennen import facts_race as race
from pbem.games.hexen_rennen import words
from pbem.games.hexen_rennen.facts import Carried, Drawn, Flew, Played, Reached, Turned
from pbem.kit.contract import Link
from pbem.kit.drawing import board


@dataclass(frozen=True)
class View(board.View[race.State]):
    """What every part of the drawing needs to know."""

    def clan(self, owner: int) -> int:
        """Returns the place in CLANS of a seat's clan, or of a neutral one; UNDECIDED before the seat has chosen it."""
        if owner < self.fold.seats:
            clan = self.fold.clans[owner]
            return race.UNDECIDED if clan is None else clan
        return race.CLANS.index(race.letter_of_clan(self.fold, owner))

    @property
    def shows_clans_to_choose(self) -> bool:
        """True if the board shows the clans: the viewer has none yet, or takes one now; others see it to the end."""
        clans = self.fold.clans
        if self.viewer is None:
            return None in clans
        return clans[self.viewer] is None or self.choice("clan") is not None

    @cached_property
    def owner_of_witch_by_tile(self) -> Mapping[int, int]:
        """The seat whose witch stands on each tile."""
        three = enumerate(self.fold.witches)
        return {place: seat for seat, places in three for place in places if 0 < place <= race.COURSE}

    @cached_property
    def latest_story_by_place(self) -> Mapping[int, int]:
        """The story number of the latest event at each place; a witch that moves on takes hers along."""
        spots: dict[int, int] = {}
        for story, event in self.scene.recent:
            match event:
                case Turned(place):
                    spots[place] = story
                case Flew() | Carried() | Played() | Drawn():
                    spots.pop(event.origin, None)
                    spots[event.target] = story
        return spots

    @cached_property
    def touchable_card_by_target(self) -> Mapping[int, str]:
        """The card that may be touched at the place it leads to, while one is asked for; none where two would lead."""
        if self.fold.asked is None:
            return {}
        ends = {
            card: end
            for card, end in race.targets_of_playable_cards(self.fold, self.fold.asked).items()
            if self.link(f"card-{card}")
        }
        return {end: card for card, end in ends.items() if list(ends.values()).count(end) == 1}

    @cached_property
    def flight_link_by_landing(self) -> Mapping[int, Link]:
        """The flights that may be touched at their end, by place; none where two would end."""
        offered = self.offered("fly") if self.fold.witch is None else {}
        ends = race.flights_of_active_seat(self.fold) if offered else {}
        alone = {origin: end for origin, end in ends.items() if list(ends.values()).count(end) == 1}
        return {end: offered[str(origin)] for origin, end in alone.items() if str(origin) in offered}

    @cached_property
    def place_left_by_chosen_move(self) -> int | None:
        """The place that the witch of the chosen move leaves: the origin of her flight, or the symbol in the story."""
        origin = self.choice("fly")
        if origin is not None:
            return int(origin)
        if self.choice("card") is None:
            return None
        return next((event.place for _, event in reversed(self.scene.recent) if isinstance(event, Reached)), None)

    @cached_property
    def landing_of_chosen_move(self) -> int | None:
        """The place where the witch of the chosen move would be."""
        return None if self.choice("fly") is None and self.choice("card") is None else self.fold.witch

    @cached_property
    def has_chosen_to_play_no_card(self) -> bool:
        """Whether the chosen move leaves the witch where she is."""
        return self.chosen("leave")

    # --- who is to act -----------------------------------------------------------------------------------------

    @property
    def acting_seat(self) -> int | None:
        """The seat that the table waits for, or whose witch flies; None if the match is over, or before the race."""
        if self.fold.finisher is not None or not self.fold.turn:
            return None
        if self.has_chosen_to_play_no_card:
            return self.viewer
        acting = self.fold.asked if self.fold.asked is not None else self.fold.active
        return None if acting is None or self.asks_nothing_of(acting) else acting

    @property
    def plays_card(self) -> bool:
        """True while the viewer is asked for a card, or has chosen one."""
        if (
            self.viewer is None
            or self.asks_nothing_of(self.viewer)
            or not self.fold.shown
            or (self.fold.finisher is not None and not self.scene.chosen)
        ):
            return False
        return self.fold.asked == self.viewer or self.has_chosen_to_play_no_card or self.choice("card") is not None

    @property
    def turn_or_winner_in_words(self) -> str:
        """Whose turn it is, or who has won; "" if the match is over before anybody has."""
        fold = self.fold
        if fold.finisher is not None:
            together = len(fold.winners) > 1
            return words.WIN_TOGETHER[self.lang] if together else self.to(words.WINS, fold.winners[0], 16)
        if self.scene.over:
            return ""
        if None in fold.clans:
            return words.ALL_CHOOSE[self.lang]
        if not fold.turn or fold.active is None:
            return words.ALL_DIVIDE[self.lang]
        if fold.asked is not None:
            return self.to(words.MUST_PLAY if fold.obliged else words.MAY_PLAY, fold.asked, 16)
        if self.has_chosen_to_play_no_card:
            return words.MAY_PLAY[0][self.lang]
        return self.to(words.TURN if fold.witch is None else words.FLIGHT, fold.active, 16)

    def what_seat_does_in_words(self, seat: int) -> str:
        """Returns what a seat does, without its name; "" if it waits."""
        fold, lang, form = self.fold, self.lang, seat != self.viewer
        if not fold.shown:
            still = "" if self.scene.over else words.STILL_DIVIDES[lang]
            if fold.clans[seat] is None:
                return "" if self.scene.over else words.STILL_CHOOSES[lang]
            return words.HAS_DIVIDED[lang] if fold.divided[seat] else still
        if seat in fold.winners:
            return words.HAS_WON[form][lang]
        if seat != self.acting_seat:
            return ""
        if fold.asked is not None or self.has_chosen_to_play_no_card:
            return (words.IS_OBLIGED if fold.obliged else words.IS_ASKED)[form][lang]
        return (words.CHOOSES if fold.witch is None else words.FLIES)[form][lang]
