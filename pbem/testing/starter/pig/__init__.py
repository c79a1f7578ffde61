"""Pig: roll as long as you dare; a 1 loses the pot."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from msgspec import Meta

from pbem.kit.game import *

from .lesson import LESSON

TARGET, TURNS = 50, 10


class State(Counting, frozen=True):
    scores: Open[tuple[int, ...]] = ()
    active: Open[int] = 0
    turn: Open[int] = 1
    pot: Open[int] = 0
    face: Open[int] = 6
    rolling: Open[bool] = False

    def pass_on(self, scores: tuple[int, ...]) -> "State":
        return State(scores, (self.active + 1) % len(scores), self.turn + 1, face=self.face)


class Began(Event, frozen=True):
    seats: Open[Annotated[int, Meta(ge=2, le=4)]]
    told = T("La partie commence.", "The match begins.")

    def apply(self, s: State | None) -> State:
        return State((0,) * self.seats)


class Dared(Event, frozen=True):
    seat: Open[Seat]
    told = T("{seat} lance le dé.", "{seat} rolls.")

    def apply(self, s: State) -> State:
        return replace(s, rolling=True)


class Rolled(Event, frozen=True):
    seat: Open[Seat]
    face: Open[Annotated[int, Meta(ge=1, le=6)]]

    def apply(self, s: State) -> State:
        s = replace(s, face=self.face, rolling=False)
        return s.pass_on(s.scores) if self.face == 1 else replace(s, pot=s.pot + self.face)

    def tell(self, s: State, lang: Lang) -> str:
        if self.face == 1:
            return self.say(lang, "{seat} fait 1 : le pot est perdu.", "{seat} rolls 1: the pot is lost.")
        return self.say(lang, "{seat} fait {face}.", "{seat} rolls {face}.")


class Held(Event, frozen=True):
    seat: Open[Seat]
    told = T("{seat} garde {s.pot} points.", "{seat} banks {s.pot} points.")

    def apply(self, s: State) -> State:
        return s.pass_on(put(s.scores, self.seat, s.scores[self.seat] + s.pot))


class Roll(Move, frozen=True):
    asked, makes, typed, does = "roll", Dared, ("roll", "lance", "r"), T("Lancer", "Roll")
    label = T("Vous lancez le dé.", "You roll the die.")


class Hold(Move, frozen=True):
    asked, makes, typed, does = "roll", Held, ("hold", "garde", "h"), T("Garder", "Hold")
    label = T("Vous gardez le pot.", "You bank the pot.")
    nothing = Reason("2", T("Lancez au moins une fois.", "Roll at least once."))

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if not s.pot:
            yield self.nothing()


class PigGame(Game):
    slug, title, seats, minutes, ease = "pig", T("Cochon", "Pig"), (2, 3, 4), 10, 1
    blurb = T("Lancez le dé tant que vous osez : un 1 perd tout.", "Roll as long as you dare: a 1 loses all.")
    draws = {"die": DrawKind(T("Dé", "Die"), (0, 2, 3, 4, 5, 6))}
    endings = {
        "target": T("quelqu’un a 50 points", "somebody has 50 points"),
        "turns": T("dix tours sont joués", "ten turns are played"),
    }
    questions = {
        "roll": Question(T("À vous de jouer", "Your turn"), prompt=T("En jeu : {s.pot}.", "At stake: {s.pot}."))
    }

    def begin(self, seats: int, options: Any, luck: Luck) -> Event:
        return Began(seats)

    def asks(self, s: State) -> Iterator[tuple[int, str]]:
        yield s.active, "roll"

    def next_fact(self, s: State, k: Knows, since: Sequence[Any]) -> Event | None:
        if s.rolling:
            return Rolled(s.active, k.roll("die", s.active, range(1, 7)))
        return Held(s.active) if s.pot and s.scores[s.active] + s.pot >= TARGET else None

    def outcome(self, s: State) -> Outcome | None:
        ended = "target" if max(s.scores) >= TARGET else "turns" if s.turn > TURNS * len(s.scores) else None
        return Outcome(ended, best(s.scores), s.scores) if ended else None

    def board(self, s: State) -> Iterator[Part]:
        yield Row((Die(s.face, move="roll"), Big(s.pot, T("en jeu", "at stake"), move="hold")))
        yield from (Meter(score, TARGET, seat=seat) for seat, score in enumerate(s.scores))


GAME = PigGame().assemble(lesson=LESSON)
