"""Pig: roll as long as you dare; a 1 loses what is at stake."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any

from msgspec import Meta
from msgspec.structs import replace

from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import DrawKind, IllegalMove, Outcome, PlayerView, Seat
from pbem.kit.game.facts import Counting, Event
from pbem.kit.game.knowing import Knows
from pbem.kit.game.moves import Move, Question, Reason
from pbem.kit.game.parts import Big, Die, Meter, Part, Row
from pbem.kit.game.rules import Game
from pbem.kit.secrecy import Open
from pbem.kit.texts import Lang
from pbem.kit.tuples import put
from pbem.kit.words import T, counted

TARGET, TURNS = 50, 10
POINTS = T("point", "point"), T("points", "points")


class State(Counting, frozen=True):
    scores: Open[tuple[int, ...]] = ()
    active: Open[int] = 0
    turn: Open[int] = 1
    pot: Open[int] = 0
    face: Open[int] = 6
    rolling: Open[bool] = False

    def pass_on(self, scores: tuple[int, ...]) -> State:
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
            lost = counted(s.pot, POINTS, lang)
            return self.say(lang, "{seat} fait 1 et perd {lost}.", "{seat} rolls 1 and loses {lost}.", lost=lost)
        pot = counted(s.pot + self.face, POINTS, lang)
        return self.say(lang, "{seat} fait {face} : {pot} en jeu.", "{seat} rolls {face}: {pot} at stake.", pot=pot)


class Held(Event, frozen=True):
    seat: Open[Seat]

    def apply(self, s: State) -> State:
        return s.pass_on(put(s.scores, self.seat, s.scores[self.seat] + s.pot))

    def tell(self, s: State, lang: Lang) -> str:
        return self.say(lang, "{seat} garde {won}.", "{seat} banks {won}.", won=counted(s.pot, POINTS, lang))


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


def at_stake(s: State, seat: int, lang: Lang) -> str:
    return T("{n} en jeu.", "{n} at stake.").fill(n=counted(s.pot, POINTS, lang))[lang]


class Pig(Game):
    slug, title, seats, minutes, ease = "pig", T("Cochon", "Pig"), (2, 3, 4), 10, 1
    blurb = T("Lancez le dé tant que vous osez : un 1 perd tout.", "Roll as long as you dare: a 1 loses all.")
    draws = {"die": DrawKind(T("Dé", "Die"), (0, 2, 3, 4, 5, 6))}
    endings = {
        "target": T("quelqu’un a 50 points", "somebody has 50"),
        "turns": T("dix tours sont joués", "ten turns are played"),
    }
    questions = {"roll": Question(T("À vous de lancer ou de garder", "Your turn to roll or hold"), prompt=at_stake)}

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

    def scores(self, s: State) -> tuple[int, ...]:
        return s.scores

    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        return Hold() if fold.pot else Roll()

    def board(self, s: State) -> Iterator[Part]:
        yield Row((Die(s.face, move="roll"), Big(s.pot, T("en jeu", "at stake"), move="hold")))
        yield from (Meter(score, TARGET, seat=seat) for seat, score in enumerate(s.scores))


def hold_at_20(view: PlayerView, seat: int, chance: Chance) -> Move:
    return Hold() if view.fold.pot >= 20 else Roll()


def best(scores: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(seat for seat, score in enumerate(scores) if score == max(scores))


GAME = Pig().assemble(bots={"greedy": hold_at_20})
