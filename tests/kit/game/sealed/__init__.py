"""Sealed: hidden dice, a claim about all of them, and a window in which everybody doubts or believes in secret."""

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
from pbem.kit.game.rules import Game, best
from pbem.kit.secrecy import Each, Fading, Open, Own, Shown, put
from pbem.kit.texts import Lang
from pbem.kit.words import T

FACES, ROUNDS, SCORE = (1, 2, 3, 4, 5, 6), 9, 3
Face = Annotated[int, Meta(ge=1, le=6)]
Sum = Annotated[int, Meta(ge=1, le=18)]


class State(Counting, frozen=True):
    dice: Each[tuple[int | None, ...]] = ()
    wishes: Each[tuple[bool | None, ...]] = ()
    """Who doubts, as far as they have answered."""
    scores: Open[tuple[int, ...]] = ()
    rolled: Open[int] = 0
    """The number of seats that have a die."""
    answered: Open[tuple[bool, ...]] = ()
    active: Open[int] = 0
    said: Open[int] = 0
    loser: Open[int | None] = None
    rounds: Open[int] = 0

    def next_round(self, active: int) -> State:
        nobody = (None,) * len(self.dice)
        return replace(
            self, dice=nobody, wishes=nobody, rolled=0, answered=(False,) * len(nobody), active=active, said=0,
            loser=None, rounds=self.rounds + 1,
        )  # fmt: skip


class Began(Event, frozen=True):
    seats: Open[Annotated[int, Meta(ge=2, le=3)]]
    told = T("La partie commence.", "The match begins.")

    def apply(self, s: State | None) -> State:
        return State((None,) * self.seats, scores=(SCORE,) * self.seats).next_round(0)


class Rolled(Event, frozen=True):
    seat: Open[Seat]
    face: Own[Face | None]

    def apply(self, s: State) -> State:
        return replace(s, dice=put(s.dice, self.seat, self.face), rolled=s.rolled + 1)

    def tell(self, s: State, lang: Lang) -> str:
        if self.face is None:
            return self.say(lang, "{seat} lance son dé en secret.", "{seat} rolls a die in secret.")
        return self.say(lang, "{seat} lance son dé en secret : {face}.", "{seat} rolls a die in secret: {face}.")


class Claimed(Event, frozen=True):
    seat: Open[Seat]
    said: Open[Sum]
    told = T("{seat} annonce {said} ou plus.", "{seat} claims {said} or more.")

    def apply(self, s: State) -> State:
        return replace(s, said=self.said)


class Answered(Event, frozen=True):
    seat: Open[Seat]
    doubts: Own[bool | None]
    told = T("{seat} a répondu.", "{seat} has answered.")

    def apply(self, s: State) -> State:
        answered = put(s.answered, self.seat, True)
        return replace(s, answered=answered, wishes=put(s.wishes, self.seat, self.doubts))


class Believed(Event, frozen=True):
    told = T("Personne ne doute.", "Nobody doubts.")

    def apply(self, s: State) -> State:
        return s.next_round((s.active + 1) % len(s.dice))


class Doubted(Event, frozen=True):
    seat: Shown[Seat]
    dice: Fading[Annotated[tuple[int | None, ...], Meta(max_length=3)]]
    true: Shown[bool]

    def apply(self, s: State) -> State:
        loser = self.seat if self.true else s.active
        return replace(s, loser=loser, scores=put(s.scores, loser, s.scores[loser] - 1))

    def tell(self, s: State, lang: Lang) -> str:
        shown = " + ".join(map(str, self.dice)) if None not in self.dice else "…"
        if self.true:
            return self.say(lang, "{seat} doute à tort : {dice}.", "{seat} doubts and is wrong: {dice}.", dice=shown)
        return self.say(
            lang, "{seat} doute, et c’est faux : {dice}.", "{seat} doubts and is right: {dice}.", dice=shown
        )


class Chosen(Event, frozen=True):
    seat: Open[Seat]
    first: Open[Seat]
    told = T("{seat} fait commencer {first}.", "{seat} lets {first} begin.")

    def apply(self, s: State) -> State:
        return s.next_round(self.first)


class Claim(Move, frozen=True):
    said: Sum
    asked, makes, typed, does = "claim", Claimed, "claim {said}", T("Annoncer {said}", "Claim {said}")
    name, label = T("{said}", "{said}"), T("Vous annoncez {said} ou plus.", "You claim {said} or more.")
    too_high = Reason("2", T("Tous les dés ensemble font {most} au plus.", "All dice together make {most} at most."))

    @classmethod
    def every(cls, s: State, seat: int) -> list[Move]:
        return [cls(said) for said in range(1, 6 * len(s.dice) + 1)]

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if not 1 <= self.said <= 6 * len(s.dice):
            yield self.too_high(most=6 * len(s.dice))


class Doubt(Move, frozen=True):
    asked, makes, typed, does = "answer", Answered, ("doubt", "doute"), T("Douter", "Doubt")
    label = T("Vous doutez.", "You doubt.")

    def fact(self, s: State, seat: int) -> Event:
        return Answered(seat, True)


class Believe(Move, frozen=True):
    asked, makes, typed, does = "answer", Answered, ("believe", "crois"), T("Croire", "Believe")
    label = T("Vous croyez l’annonce.", "You believe the claim.")

    def fact(self, s: State, seat: int) -> Event:
        return Answered(seat, False)


class Choose(Move, frozen=True):
    first: Seat
    asked, makes, typed, does = "choose", Chosen, "choose {first}", T("Choisir {first}", "Choose {first}")
    name, label = T("{first}", "{first}"), T("Vous faites commencer {first}.", "You let {first} begin.")
    nobody = Reason("4", T("Personne n’a cette place.", "Nobody has this seat."), lasting=True)

    @classmethod
    def every(cls, s: State, seat: int) -> list[Move]:
        return [cls(first) for first in range(len(s.dice))]

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if self.first not in range(len(s.dice)):
            yield self.nobody()


class Sealed(Game):
    slug, title, seats, minutes = "sealed", T("Scellé", "Sealed"), (2, 3), 10
    blurb = T("Bluffez sur la somme des dés cachés.", "Bluff about the sum of the hidden dice.")
    draws = {"die": DrawKind(T("Dé", "Die"))}
    endings = {
        "out": T("quelqu’un n’a plus de point", "somebody has no point left"),
        "rounds": T("neuf manches sont jouées", "nine rounds are played"),
    }
    questions = {
        "claim": Question(
            T("À vous d’annoncer", "Your turn to claim"), prompt=T("Combien au moins ?", "How much at least?")
        ),
        "answer": Question(
            T("Doutez-vous ?", "Do you doubt?"),
            prompt=lambda s, seat, lang: T("Au moins {said} ?", "At least {said}?").fill(said=s.said)[lang],
            window=True,
            always=(Doubt(), Believe()),
        ),
        "choose": Question(
            T("À vous de choisir", "Your turn to choose"), prompt=T("Qui commence ?", "Who begins?"), public=True
        ),
    }

    def begin(self, seats: int, options: Any, luck: Luck) -> Event:
        return Began(seats)

    def asks(self, s: State) -> Iterator[tuple[int, str]]:
        if s.loser is not None:
            yield s.loser, "choose"
        elif not s.said:
            yield s.active, "claim"
        else:
            yield from ((seat, "answer") for seat in self._others(s) if not s.answered[seat])

    def _others(self, s: State) -> list[int]:
        """The seats that answer a claim, in the order in which they doubt."""
        return [(s.active + at) % len(s.dice) for at in range(1, len(s.dice))]

    def next_fact(self, s: State, k: Knows, since: Sequence[Any]) -> Event | None:
        if s.rolled < len(s.dice):
            return Rolled(s.rolled, k.roll("die", s.rolled, FACES))
        if not s.said or s.loser is not None or not all(s.answered[seat] for seat in self._others(s)):
            return None
        doubter = next((seat for seat in self._others(s) if k.value(s.wishes[seat], (True, False))), None)
        if doubter is None:
            return Believed()
        dice = tuple(k.value(die, FACES) for die in s.dice)
        return Doubted(doubter, dice, sum(dice) >= s.said)

    def outcome(self, s: State) -> Outcome | None:
        if not all(s.scores):
            return Outcome("out", best(s.scores), s.scores)
        return Outcome("rounds", best(s.scores), s.scores) if s.rounds > ROUNDS else None

    def board(self, s: State) -> Iterator[Part]:
        yield Big(s.said, T("annoncé", "claimed"))
        for seat, die in enumerate(s.dice):
            yield Row((Die(die), Meter(s.scores[seat], SCORE, seat=seat)), seat=seat)


def count_on_others(view: PlayerView, seat: int, chance: Chance) -> Move:
    """Takes each die that it does not see for three."""
    s: State = view.fold
    total = sum(3 if die is None else die for die in s.dice)
    if s.loser is not None:
        return Choose(seat)
    return Claim(total) if not s.said else Doubt() if s.said > total else Believe()


def imagine(view: PlayerView, seat: int, chance: Chance) -> State:
    """Any dice and answers: what others claim says nothing for certain."""
    s: State = view.fold
    dice = tuple(chance.pick(FACES) if die is None and at < s.rolled else die for at, die in enumerate(s.dice))
    answers = zip(s.wishes, s.answered, strict=True)
    return replace(s, dice=dice, wishes=tuple(chance.pick((True, False)) if a and w is None else w for w, a in answers))


GAME = Sealed().assemble(bots={"greedy": count_on_others}, imagine=imagine)
