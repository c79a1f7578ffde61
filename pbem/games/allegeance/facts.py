"""What happens in Allégeance, in the order of RULES.*.md: its moves, and the facts that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Annotated

import msgspec
from msgspec.structs import replace

from pbem.games.allegeance import words
from pbem.games.allegeance.facts_state import MOST_TIES, State, Tokens
from pbem.games.samurai import CARDS, NO_SUCH_CARD, Card
from pbem.kit.choices import Choices
from pbem.kit.contract import IllegalMove, Phrase, Seat, Step
from pbem.kit.game.facts import Event
from pbem.kit.game.moves import Move, Reason
from pbem.kit.secrecy import Hidden, Open, Own, Shown, each, fades, nobody, put, to, without
from pbem.kit.texts import Lang
from pbem.kit.words import T, counted, put_in, say, seats_joined, step

Cards = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=16)]
Whole = Annotated[tuple[Card | None, ...], msgspec.Meta(min_length=16, max_length=16)]
Top = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=1)]
Banned = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=2)]
Hands = Annotated[tuple[Cards, ...], msgspec.Meta(min_length=2, max_length=4)]
Seats = Annotated[tuple[Seat, ...], msgspec.Meta(min_length=1, max_length=4)]

# With open memory only the Door and the answers are hidden: every event whose marks it lifts has a field `open`.
# A card that changes places is in a field for its holders, which fades like the rest: TurnBegan repeats what is
# in each hand now.

# --- 1, 2. The match, its rounds and turns --------------------------------------------------------------------


class MatchBegan(Event, frozen=True, omit_defaults=True):
    """The match began, with this number of seats and of tokens that win; `ties` tie breaks at most.

    Where no tie is broken that is not written, as in the logs of before there was the choice.
    """

    seats: Open[Annotated[int, msgspec.Meta(ge=2, le=4)]]
    target: Open[Tokens]
    open: Open[bool]
    ties: Open[Annotated[int, msgspec.Meta(ge=0, le=MOST_TIES)]] = 0

    def apply(self, s: State | None) -> State:
        n = self.seats
        return State(n, self.target, self.open, (0,) * n, ((),) * n, (False,) * n, (None,) * n, ties=self.ties)

    def tell(self, s: State | None, lang: Lang) -> Phrase:
        win, memory = counted(self.target, words.TOKEN, lang), words.MEMORY[self.open][lang]
        if self.ties:
            return say(lang, f"{win} pour gagner seul. {memory}", f"{win} to win alone. {memory}")
        return say(lang, f"{win} pour gagner. {memory}", f"{win} to win. {memory}")


class RoundBegan(Event, frozen=True):
    """All cards lie shuffled behind the Door, next one first (2.1)."""

    first: Open[Seat]
    door: Hidden[Whole]

    def apply(self, s: State) -> State:
        nothing = ((),) * s.seats
        return replace(
            s, door=self.door, palace=(), hands=nothing, round=s.round + 1, first=self.first, banned=(), phase="turn"
        )

    def tell(self, s: State, lang: Lang) -> Phrase:
        fr = "Manche {number} : {first} commence, seize samouraïs attendent."
        en = "Round {number}: {first} begins. Sixteen samurai are waiting."
        return self.say(lang, fr, en, number=s.round + 1)


class TurnBegan(Event, frozen=True):
    """A seat is to announce (2.2). Says again what lies open, what is banned and what everybody holds."""

    told = T("", "")

    seat: Open[Seat]
    open: Open[bool]
    top: Annotated[Top, fades(unless="open", repeated=True)]
    banned: Annotated[Banned, fades(unless="open", repeated=True)]
    hands: Annotated[Hands, each(unless="open"), fades(unless="open", repeated=True)]

    def apply(self, s: State) -> State:
        if len(self.hands) != s.seats or not s.door:
            raise ValueError("everybody has a hand, and the Door a card, when a turn begins")
        return replace(
            s, turn=17 - len(s.door), active=self.seat, palace=(*s.palace[:-1], *self.top), banned=self.banned,
            hands=self.hands, announced=None, answered=(False,) * s.seats, wishes=(None,) * s.seats, phase="announce",
        )  # fmt: skip


# --- 3. Announcing -------------------------------------------------------------------------------------------


class Announced(Event, frozen=True):
    """The active seat said which card comes next (3.1)."""

    seat: Open[Seat]
    open: Open[bool]
    card: Annotated[Card | None, fades(unless="open")]

    def apply(self, s: State) -> State:
        return replace(s, announced=self.card, phase="reveal")

    def tell(self, s: State, lang: Lang) -> Phrase:
        if self.card is None:
            return self.say(lang, "{seat} fait une annonce.", "{seat} makes an announcement.")
        return self.say(lang, "{seat} annonce {card}.", "{seat} announces {card}.")


class Announce(Move, frozen=True):
    """Say which samurai stands behind the Door (3.1), be it out or not (R12)."""

    card: Card

    asked, makes, typed = "announce", Announced, "announce {card}"
    name, does = T("{card}", "{card}"), T("Annoncer {card}", "Announce {card}")
    no_such_card = Reason("1.1", NO_SUCH_CARD)
    banned = Reason("3.2", T(
        "{card} vient d’être annoncée : annoncez une autre carte.",
        "{card} has just been announced: announce another card."))  # fmt: skip
    next_only = Reason("8.3", T(
        "Avec la mémoire fermée, on ne prévoit que sa prochaine annonce : une liste qui se viderait toute seule "
        "retiendrait les cartes à votre place. Donnez votre consigne pour une seule question.",
        "With closed memory you can only order your next announcement: a list that shortens by itself would remember "
        "the cards for you. Give the order for one question."))  # fmt: skip

    @classmethod
    def every(cls, s: State, seat: int) -> Sequence[Announce]:
        return _announcements_possible(())

    @classmethod
    def legal(cls, s: State, seat: int) -> Sequence[Announce]:
        return _announcements_possible(s.banned)

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if self.card not in CARDS:
            yield self.no_such_card()
        if self.card in s.banned:
            yield self.banned(card=self.card)

    def fact(self, s: State, seat: int) -> Announced:
        return Announced(seat, s.open, self.card)

    def tell(self, s: State, lang: Lang) -> Phrase:
        """Tells what follows if it is right, or why it cannot be."""
        if self.card in s.hands[s.active]:
            where = say(lang, "dans votre main", "in your hand")
        elif self.card in s.palace[-1:]:
            where = say(lang, "en haut du Palais", "on top of the Palace")
        else:
            fr = "Vous annoncez {card}. Si elle sort, vous la donnez à un autre joueur."
            return self.say(lang, fr, "You announce {card}. If it comes out, you give it to another player.")
        fr = "Vous annoncez {card}, qui est {where} : elle ne peut pas sortir."
        return self.say(lang, fr, "You announce {card}, which is {where}: it cannot come out.", where=where)


@cache
def _announcements_possible(banned: tuple[Card | None, ...]) -> Sequence[Announce]:
    return Choices((Announce, tuple(Announce(card) for card in CARDS if card not in banned)))


def announcements_of_unseen_cards(fold: State, seat: int) -> Sequence[Announce]:
    """Returns announcements of cards neither in the seat's hand nor on top of the Palace; all, if there are none."""
    allowed = _announcements_possible(fold.banned)
    seen = {*fold.hands[seat], *fold.palace[-1:]}
    return [move for move in allowed if move.card not in seen] or allowed


# --- 4. The announcement is right ----------------------------------------------------------------------------


class Hit(Event, frozen=True):
    """The Door gave the announced card."""

    open: Open[bool]
    card: Annotated[Card | None, fades(unless="open")]

    def apply(self, s: State) -> State:
        return replace(s, door=s.door[1:], drawn=self.card, phase="give")

    def tell(self, s: State, lang: Lang) -> Phrase:
        if self.card is None:
            return say(lang, "L’annonce est juste.", "The announcement is right.")
        return self.say(lang, "La Porte livre {card} : c’est juste.", "The Door reveals {card}: right.")


class Missed(Event, frozen=True):
    """The Door gave another card; it lies on the Palace and covers what lay on top (5.1)."""

    open: Open[bool]
    card: Annotated[Card | None, fades(unless="open")]
    covered: Annotated[Top, nobody(unless="open")]

    def apply(self, s: State) -> State:
        door, palace = s.door[1:], (*s.palace[:-1], *self.covered, self.card)
        return replace(s, door=door, palace=palace, phase="window" if door else "turn")  # 5.7

    def tell(self, s: State, lang: Lang) -> Phrase:
        if self.card is None:
            return say(lang, "L’annonce est fausse.", "The announcement is wrong.")
        return self.say(lang, "La Porte livre {card} : c’est faux.", "The Door reveals {card}: wrong.")


# Made outside of the class, where newer Pythons evaluate annotations late: there `to` is the field.
Handed = Annotated[Card | None, to("to", unless="open"), fades(unless="open")]


class Given(Event, frozen=True):
    """The card that was hit went into another's hand (4.1)."""

    seat: Open[Seat]
    to: Open[Seat]
    open: Open[bool]
    card: Handed

    def apply(self, s: State) -> State:
        return replace(s, hands=s.hands_after_seat_gets_cards(self.to, self.card), drawn=None, phase="turn")

    def tell(self, s: State, lang: Lang) -> Phrase:
        given = words.card_name_or_other_words(self.card or s.drawn, words.THE_CARD, lang)
        return self.say(lang, "{seat} donne {given} à {to}.", "{seat} gives {given} to {to}.", given=given)


class Give(Move, frozen=True):
    """Give the samurai that was announced rightly to another seat (4.1)."""

    seat: Annotated[int, msgspec.Meta(ge=0, le=3, title="Seat")]

    asked, makes, typed = "give", Given, "give {seat}"
    name, does = T("{seat}", "{seat}"), T("Donner à {seat}", "Give to {seat}")
    give_self = Reason("4.1", T(
        "On ne se donne pas la carte à soi-même : choisissez un autre joueur.",
        "You cannot give the card to yourself: choose another player."), lasting=True)  # fmt: skip
    no_such_seat = Reason("4.1", T(
        "Il n’y a personne à cette place : choisissez un autre joueur.",
        "No one sits there: choose another player."), lasting=True)  # fmt: skip

    @classmethod
    def every(cls, s: State, seat: int) -> Sequence[Give]:
        return tuple(map(cls, range(s.seats)))

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if self.seat == seat:
            yield self.give_self()  # R1
        if not 0 <= self.seat < s.seats:
            yield self.no_such_seat()

    def fact(self, s: State, seat: int) -> Given:
        return Given(seat, self.seat, s.open, s.drawn)

    def tell(self, s: State, lang: Lang) -> Phrase:
        card, held = put_in(s.drawn), counted(len(s.hands[self.seat]) + 1, words.CARD, lang)
        fr = "Vous donnez {card} à {seat}, qui aura {held} en main."
        return self.say(lang, fr, "You give {card} to {seat}, who will hold {held}.", card=card, held=held)


def gifts_to_seats_with_fewest_cards(fold: State, seat: int) -> Sequence[Give]:
    """Returns the gifts to the other seats with the fewest cards."""
    gifts = [Give(other) for other in range(fold.seats) if other != seat]
    fewest = min(len(fold.hands[gift.seat]) for gift in gifts)
    return [gift for gift in gifts if len(fold.hands[gift.seat]) == fewest]


# --- 5. The announcement is wrong ----------------------------------------------------------------------------


class Answered(Event, frozen=True):
    """A seat has said whether it challenges (5.2)."""

    seat: Open[Seat]
    challenge: Own[bool | None]

    def apply(self, s: State) -> State:
        answered = put(s.answered, self.seat, True)
        return replace(s, answered=answered, wishes=put(s.wishes, self.seat, self.challenge))

    def tell(self, s: State, lang: Lang) -> Phrase:
        if self.challenge is None:
            return ""
        if self.challenge:
            return self.say(lang, "{seat} veut contester.", "{seat} wants to challenge.")
        return self.say(lang, "{seat} laisse passer.", "{seat} lets it pass.")


class Challenge(Move, frozen=True):
    """Claim that the announced card is already out: in the Palace or in a hand (5.2)."""

    asked, makes, typed = "answer", Answered, "challenge"
    name, does, last = T("contester", "challenge"), words.CHALLENGE, words.CHALLENGE

    def fact(self, s: State, seat: int) -> Answered:
        return Answered(seat, True)

    def tell(self, s: State, lang: Lang) -> Phrase:
        fr = "Vous contestez : {card} serait déjà sortie. Si vous avez tort, vous prenez {revealed}."
        en = "You challenge: {card} is already out. If you are wrong, you take {revealed}."
        return self.say(lang, fr, en, card=put_in(s.announced), revealed=put_in(s.palace[-1]))

    def path(self, s: State, lang: Lang) -> tuple[Step, ...]:
        card = words.card_name_or_other_words(s.announced, words.THE_CARD, lang)
        return (step("challenge", f"{words.CHALLENGE[lang]} {card}", lang),)


class LetPass(Move, frozen=True):
    """Claim nothing (5.2)."""

    asked, makes, typed = "answer", Answered, "pass"
    name, does, last = T("laisser passer", "let it pass"), words.LEAVE_BE, words.LEAVE_BE

    def fact(self, s: State, seat: int) -> Answered:
        return Answered(seat, False)

    def tell(self, s: State, lang: Lang) -> Phrase:
        fr = "Vous laissez passer {card}. Sans contestation, personne ne prend de carte."
        en = "You let {card} pass. If no one challenges, no one takes a card."
        if s.seats == 2:
            fr = "Vous laissez passer {card} : personne ne prend de carte."
            en = "You let {card} pass: no one takes a card."
        return self.say(lang, fr, en, card=put_in(s.announced))


class Unchallenged(Event, frozen=True):
    """Nobody challenged (5.6)."""

    told = T("Personne ne conteste.", "No one challenges.")

    def apply(self, s: State) -> State:
        return replace(s, phase="turn")


class Caught(Event, frozen=True):
    """The challenge was right (5.4): the announcer takes the announced card, from the Palace if it has no holder, and
    the revealed one; only the revealed one if they hold the announced card already (R4)."""

    seat: Open[Seat]
    challenger: Shown[Seat]
    holder: Open[Seat | None]
    open: Open[bool]
    card: Annotated[Card | None, to("seat", "holder", unless="open"), fades(unless="open")]
    revealed: Annotated[Card | None, to("seat", unless="open"), fades(unless="open")]

    def apply(self, s: State) -> State:
        palace = s.palace[:-1]
        if self.holder == self.seat:
            return replace(
                s, palace=palace, hands=s.hands_after_seat_gets_cards(self.seat, self.revealed), phase="turn"
            )
        hands = s.hands_after_seat_gets_cards(self.seat, self.card, self.revealed)
        if self.holder is None:
            palace = without(palace, self.card)
        else:
            hands = put(hands, self.holder, without(hands[self.holder], self.card))
        return replace(s, palace=palace, hands=hands, phase="turn")

    def tell(self, s: State, lang: Lang) -> Phrase:
        """Tells what the announcer takes, and where the announced card was, as far as they have not faded."""
        known, top = self.card or s.announced, self.revealed or s.palace[-1]
        card, revealed = put_in(known), words.card_name_or_other_words(top, words.THE_REVEALED, lang)
        if self.holder == self.seat:
            fr, en = ("a déjà {card} et ", "already has {card} and ") if known else ("", "")
            fr, en = fr + "prend {revealed}.", en + "takes {revealed}."
        elif known and top and self.holder is None:
            fr, en = "prend {card} au Palais et {revealed}.", "takes {card} from the Palace and {revealed}."
        elif known and top:
            fr, en = "prend {card} à {holder} et {revealed}.", "takes {card} from {holder} and {revealed}."
        elif self.holder is None:
            fr, en = "prend deux cartes au Palais.", "takes two cards from the Palace."
        else:
            fr, en = "prend deux cartes, dont une à {holder}.", "takes two cards, one from {holder}."
        fr, en = "{challenger} conteste : {seat} " + fr, "{challenger} challenges: {seat} " + en
        return self.say(lang, fr, en, card=card, revealed=revealed)


class Mistaken(Event, frozen=True):
    """The challenge was wrong: the challenger takes the revealed card (5.5)."""

    seat: Shown[Seat]
    open: Open[bool]
    revealed: Annotated[Card | None, to("seat", unless="open"), fades(unless="open")]

    def apply(self, s: State) -> State:
        return replace(
            s, hands=s.hands_after_seat_gets_cards(self.seat, self.revealed), palace=s.palace[:-1], phase="turn"
        )

    def tell(self, s: State, lang: Lang) -> Phrase:
        fr, en = (
            "{seat} conteste {card} à tort et prend {taken}.",
            "{seat} challenges {card} wrongly and takes {taken}.",
        )
        if s.announced is None:
            fr, en = "{seat} conteste à tort et prend {taken}.", "{seat} challenges wrongly and takes {taken}."
        taken = words.card_name_or_other_words(self.revealed or s.palace[-1], words.THE_REVEALED, lang)
        return self.say(lang, fr, en, card=put_in(s.announced), taken=taken)


# --- 6, 7. The end of a round and of the match ---------------------------------------------------------------


class RoundEnded(Event, frozen=True):
    """The Door is empty; those with the fewest cards get a token (6.1)."""

    winners: Open[Seats]

    def apply(self, s: State) -> State:
        tokens = tuple(n + (seat in self.winners) for seat, n in enumerate(s.tokens))
        return replace(s, tokens=tokens, leaders=self.winners, announced=None, banned=(), phase="round")

    def tell(self, s: State, lang: Lang) -> Phrase:
        return words.round_over_in_words(s.round, self.winners, s.seats, lang)


class TargetRaised(Event, frozen=True):
    """Several have all the tokens they need, so that everybody needs one more (7.3)."""

    def apply(self, s: State) -> State:
        return replace(s, target=s.target + 1, ties=s.ties - 1)

    def tell(self, s: State, lang: Lang) -> Phrase:
        win = counted(s.target + 1, words.TOKEN, lang)
        return say(lang, f"Égalité : une manche de plus, {win} pour gagner.", f"A tie: another round, {win} to win.")


class MatchWon(Event, frozen=True):
    """These seats have all the tokens they need (7.1)."""

    winners: Open[Seats]

    def apply(self, s: State) -> State:
        return replace(s, winners=self.winners, phase="over")

    def tell(self, s: State, lang: Lang) -> Phrase:
        fr, en = "{who} gagne la partie.", "{who} wins the match."
        if len(self.winners) > 1:
            fr, en = "{who} gagnent la partie ensemble.", "{who} win the match together."
        return self.say(lang, fr, en, who=seats_joined(self.winners, lang))
