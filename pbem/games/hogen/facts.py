"""What happens in Hogen, in the order of RULES.*.md: its state, its moves, and the facts that they make."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from math import perm
from typing import Annotated, Literal

import msgspec
from msgspec.structs import force_setattr, replace

from pbem.games.samurai import CARDS, CLAN_NAMES, CLANS, NO_SUCH_CARD, RANKS, Card, Clan, names_of_known_cards
from pbem.kit.choices import Lazy, nth_arrangement
from pbem.kit.contract import IllegalMove, Options, Phrase, Seat
from pbem.kit.game.facts import Event
from pbem.kit.game.moves import Move, Reason
from pbem.kit.secrecy import Each, Open, Own, Shown, each, fades, put, to, without
from pbem.kit.texts import Lang
from pbem.kit.words import T, put_in, say, seen_from

Rank = Annotated[int, msgspec.Meta(ge=1, le=4)]


class Guess(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """The ally somebody is said to have."""

    seat: Seat
    card: Card

    typed = "{seat}=[a] [ally] {card}"


# A log from elsewhere can hold no more than the table does: four seats, sixteen cards.
Hand = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=4)]
Hands = Annotated[tuple[Hand, ...], msgspec.Meta(max_length=4)]
Palace = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=4)]
Guesses = Annotated[tuple[Guess, ...], msgspec.Meta(max_length=3)]


class HogenOptions(Options, frozen=True, omit_defaults=True):
    """Whether cards that were seen and then hidden again can be read again (R10, R14)."""

    memory: Annotated[
        Literal["open", "closed"],
        msgspec.Meta(
            description="Open: what has been seen can be read again. Closed: cards that are hidden again are not shown."
        ),
    ] = "open"


class State(msgspec.Struct, frozen=True, gc=False):
    """A position of Hogen; in a viewer's own fold None stands for a card they do not know or have to remember.

    The marks are those of an imagined match. They hide whole hands; what everybody saw taken is in `shown` still.
    """

    seats: Open[int]
    palace: Shown[tuple[Card | None, ...]]
    hands: Each[tuple[Hand, ...]]
    allies: Each[Hand]
    """None also while the ally is not chosen: see `chosen`."""
    chosen: Open[tuple[bool, ...]]
    out: Open[tuple[bool, ...]]
    turn: Open[int] = 0
    """0 while the allies are chosen; then incremented whenever the acting seat changes."""
    active: Open[int | None] = None
    call: Open[Call | None] = None
    answering: Open[int | None] = None
    failed: Open[tuple[Call, ...]] = ()
    """The calls that everybody has passed since the last exchange or change of the active seat."""
    exchanges: Open[int] = 0
    over: Open[str | None] = None
    winner: Open[int | None] = None
    shown: Shown[tuple[tuple[Card, ...], ...]] = ()
    """The cards of each hand that everybody saw it take; () with closed memory."""
    called: Open[tuple[tuple[Call, ...], ...]] = ()
    """The distinct calls of each seat so far."""
    lacked: Open[tuple[tuple[Call, ...], ...]] = ()
    """The distinct calls that each seat has passed: none of its cards that never moved fits them. With closed memory
    those since its last exchange: nobody can be told which of its cards never moved."""
    named: Shown[tuple[tuple[Guess, ...], ...]] = ()
    """The declaration of each seat; empty for a seat that made none."""

    @property
    def has_open_memory(self) -> bool:
        """True if what everybody has seen stays visible: see `HogenOptions`."""
        return bool(self.shown)


def opponents_in_seat_order(state: State, seat: int) -> tuple[int, ...]:
    """Returns the other seats in seat order."""
    return _opponents(state.seats, seat)


@cache
def _opponents(seats: int, seat: int) -> tuple[int, ...]:
    return tuple(other for other in range(seats) if other != seat)


def unseen_cards(fold: State) -> tuple[Card, ...]:
    """Returns the cards whose place the fold does not know."""
    seen = {*fold.palace, *fold.allies, *(card for hand in fold.hands for card in hand)}
    return tuple(card for card in CARDS if card not in seen)


# --- 2. Setting up -------------------------------------------------------------------------------------------


# With closed memory (8.7) what somebody was shown fades. Each fact that shows cards says `open`, which logs leave out
# where it is true; `Covered` says again what lies open and what everybody holds.


class Dealt(Event, frozen=True, omit_defaults=True):
    """The palace lies open, the other cards are dealt."""

    palace: Annotated[Palace, fades(unless="open")]
    hands: Annotated[Hands, each(), fades(unless="open")]
    open: Open[bool] = True

    def apply(self, s: State | None) -> State:
        seats = len(self.hands)
        no, nothing = (False,) * seats, ((),) * seats
        return State(
            seats, self.palace, self.hands, allies=(None,) * seats, chosen=no, out=no,
            shown=nothing if self.open else (), called=nothing, lacked=nothing, named=nothing,
        )  # fmt: skip

    def tell(self, s: State | None, lang: Lang) -> Phrase:
        cards, each = names_of_known_cards(self.palace, lang), len(self.hands[0])
        dealt = say(lang, f"Chacun reçoit {each} cartes.", f"Everyone gets {each} cards.")
        return say(lang, f"Palais : {cards}. ", f"Palace: {cards}. ") + dealt if cards else dealt


class Covered(Event, frozen=True):
    """With closed memory, hands are hidden again: says what lies open in the palace, and to each what it holds."""

    palace: Annotated[Palace, fades(repeated=True)]
    hands: Annotated[Hands, each(), fades(repeated=True)]

    told = T("", "")  # nothing happens

    def apply(self, s: State) -> State:
        if s.has_open_memory or [*map(len, (self.palace, *self.hands))] != [*map(len, (s.palace, *s.hands))]:
            raise ValueError("with closed memory as many cards lie as lay")
        return replace(s, palace=self.palace, hands=self.hands)


class AllyChosen(Event, frozen=True):
    """A seat put its ally face down (2.3)."""

    seat: Open[Seat]
    card: Own[Card | None]

    def apply(self, s: State) -> State:
        hands, chosen = put(s.hands, self.seat, without(s.hands[self.seat], self.card)), put(s.chosen, self.seat, True)
        return replace(s, hands=hands, allies=put(s.allies, self.seat, self.card), chosen=chosen)

    def tell(self, s: State, lang: Lang) -> Phrase:
        if self.card is None:
            return self.say(lang, "{seat} cache son alliée.", "{seat} hides an ally.")
        return self.say(lang, "{seat} cache son alliée : {card}.", "{seat} hides an ally: {card}.")


class ChooseAlly(Move, frozen=True):
    """Put this card of the hand face down: the ally (2.3)."""

    card: Card

    asked, makes, typed = "ally", AllyChosen, "ally [ally] {card} [ally]"
    name, does = T("{card}", "{card}"), T("Cacher {card}", "Hide {card}")
    label = T(
        "Vous cachez {card} jusqu’à la fin : c’est votre alliée.", "You hide {card} until the end: it is your ally."
    )
    not_in_hand = Reason("5.2", T(
        "{card} n’est pas dans votre main : choisissez une carte de votre main.",
        "{card} is not in your hand: choose a card from your hand."))  # fmt: skip

    @classmethod
    def every(cls, s: State, seat: int) -> tuple[ChooseAlly, ...]:
        return tuple([cls(card) for card in s.hands[seat] if card is not None])

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if self.card not in s.hands[seat]:
            yield self.not_in_hand(card=self.card)


class Began(Event, frozen=True):
    """The lot fell on the seat that begins (2.4)."""

    seat: Open[Seat]

    told = T("{seat} commence, par tirage au sort.", "{seat} is drawn to begin.")

    def apply(self, s: State) -> State:
        return replace(s, active=self.seat, turn=1)


# --- 4. Calling ----------------------------------------------------------------------------------------------


class Called(Event, frozen=True):
    """The active seat called for a clan, a rank or a card (4.1)."""

    seat: Open[Seat]
    clan: Open[Clan | None]
    rank: Open[Rank | None]

    def apply(self, s: State) -> State:
        call = Call(self.clan, self.rank)
        return replace(s, call=call, answering=(self.seat + 1) % s.seats, called=_add_call(s.called, self.seat, call))

    def tell(self, s: State, lang: Lang) -> Phrase:
        what = Call(self.clan, self.rank).short(lang)
        return self.say(lang, "{seat} appelle {what}.", "{seat} calls for {what}.", what=what)


class Call(Move, frozen=True):
    """Ask the table for a clan, a rank, or the one card of both (4.1)."""

    clan: Clan | None = None
    rank: Rank | None = None

    asked, makes, does = "act", Called, T("Appeler {what}", "Call for {what}")
    typed = (
        "call {clan}{rank}", "call [clan] {clan}", "clan {clan}", "call [rank] {rank}", "rank {rank}", "call {card}",
        "card {card}", "clan {card}", "rank {card}",
    )  # fmt: skip
    no_such_card = Reason("1.1", NO_SUCH_CARD)
    empty_call = Reason("4.1", T(
        "Un appel nomme un clan, un rang ou les deux : choisissez-en au moins un.",
        "A call names a clan, a rank or both: choose at least one."))  # fmt: skip
    single_shares = Reason("4.2", T(
        "Votre alliée a ce clan ou ce rang : appelez-en un qu’elle n’a pas.",
        "Your ally has this clan or rank: call for one that it does not have."), lasting=True)  # fmt: skip
    double_shares = Reason("4.3", T(
        "Appelez une carte qui a le clan ou le rang de votre alliée, pas les deux.",
        "Call for a card that has your ally’s clan or its rank, not both."), lasting=True)  # fmt: skip
    already_failed = Reason("4.4", T(
        "Personne n’a répondu à cet appel, rien n’a changé : appelez autre chose.",
        "No one answered that call and nothing has changed: call for another."))  # fmt: skip

    @property
    def clan_rank_or_card(self) -> str:
        """What is called for, as players type it.

        >>> Call("M").clan_rank_or_card, Call(rank=4).clan_rank_or_card, Call("M", 1).clan_rank_or_card
        ('M', '4', 'M1')
        """
        return f"{self.clan or ''}{self.rank or ''}"

    @property
    def is_for_clan_or_rank_alone(self) -> bool:
        """Whether it is for a clan alone or a rank alone."""
        return self.clan is None or self.rank is None

    @classmethod
    def read(cls, clan: Clan | None = None, rank: int | None = None, card: str = "") -> Call:
        return next(call for call in EVERY_CALL if call.clan_rank_or_card == card) if card else cls(clan, rank)

    @classmethod
    def every(cls, s: State, seat: int) -> Sequence[Call]:
        ally = s.allies[seat]
        return calls_allowed_with_ally(ally) if ally else EVERY_CALL

    @classmethod
    def legal(cls, s: State, seat: int) -> Sequence[Call]:
        calls = cls.every(s, seat)
        return tuple([call for call in calls if call not in s.failed]) if s.failed else calls

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if self.clan is None and self.rank is None:
            yield self.empty_call()
        elif self.clan not in (None, *CLANS) or self.rank not in (None, *RANKS):
            yield self.no_such_card()
        elif self not in self.every(s, seat):
            yield self.single_shares() if self.is_for_clan_or_rank_alone else self.double_shares()
        if self in s.failed:
            yield self.already_failed()

    def tell(self, s: State, lang: Lang) -> Phrase:
        what, then = self.short(lang), self._who_will_answer_in_words(s, lang)
        return say(lang, f"Vous appelez {what}. {then}", f"You call for {what}. {then}")

    def _who_will_answer_in_words(self, s: State, lang: Lang) -> Phrase:
        """Tells who will answer, as far as the caller can know (5.1)."""
        if s.active is None:
            return ""
        hidden = any(answers_call(card, self) for card in unseen_cards(s))
        for seat in seen_from(s.active, s.seats)[1:]:
            if any(answers_call(card, self) for card in s.hands[seat]):
                return say(lang, f"{{{seat}}} devra répondre.", f"{{{seat}}} must answer.")
            if hidden and None in s.hands[seat]:
                text = T("{0} répond, ou à défaut le suivant.", "{0} answers, or the next player who can.")
                return text[lang].format(put_in(seat))
        return say(lang, "Personne ne peut répondre : vous rejouerez.", "No one can answer, so you will go again.")

    def short(self, lang: Lang) -> Phrase:
        """Returns what it asks for, a card by its placeholder.

        >>> Call("M").short("fr"), Call("M", 1).short("en")
        ('un Minamoto', '{M1}')
        """
        return self.in_words(lang) if self.is_for_clan_or_rank_alone else put_in(self.clan_rank_or_card)

    def in_words(self, lang: Lang) -> str:
        """Returns what it asks for, a card as it is typed.

        >>> Call(rank=4).in_words("fr"), Call("M", 1).in_words("en")
        ('le rang 4', 'M1')
        """
        if self.clan is None:
            return say(lang, f"le rang {self.rank}", f"rank {self.rank}")
        clan = CLAN_NAMES[self.clan]
        return say(lang, f"un {clan}", f"a {clan}") if self.rank is None else self.clan_rank_or_card


EVERY_CALL = (
    *(Call(clan=clan) for clan in CLANS),
    *(Call(rank=rank) for rank in RANKS),
    *(Call(clan, rank) for clan in CLANS for rank in RANKS),
)


@cache
def calls_allowed_with_ally(ally: str) -> list[Call]:
    """Returns the twelve calls that a player with this ally may make (R5), in a list that nobody changes.

    A single call shares nothing with the ally; a call for one card shares its clan or its rank, not both.
    """
    shares = {call: (call.clan == ally[0]) + (call.rank == int(ally[1])) for call in EVERY_CALL}
    return [call for call in EVERY_CALL if shares[call] == (0 if call.is_for_clan_or_rank_alone else 1)]


@cache
def all_cards_answering_call(call: Call) -> frozenset[str | None]:
    """Returns the cards that answer the call.

    >>> sorted(all_cards_answering_call(Call(rank=4))), all_cards_answering_call(Call("M", 1))
    (['B4', 'F4', 'M4', 'T4'], frozenset({'M1'}))
    """
    clans, ranks = (call.clan or "FMTB"), (str(call.rank or "1234"))
    return frozenset(card for card in CARDS if card[0] in clans and card[1] in ranks)


def answers_call(card: str | None, call: Call) -> bool:
    """Returns whether the card answers the call; a hidden one does not."""
    return card in all_cards_answering_call(call)


def _add_call(calls: tuple[tuple[Call, ...], ...], seat: int, call: Call) -> tuple[tuple[Call, ...], ...]:
    return calls if call in calls[seat] else put(calls, seat, (*calls[seat], call))


# --- 5. Answering --------------------------------------------------------------------------------------------


class Passed(Event, frozen=True):
    """A seat has no card that fits (5.1)."""

    seat: Open[Seat]

    def apply(self, s: State) -> State:
        assert s.call is not None, "a seat passes on a call"
        lacked, following = _add_call(s.lacked, self.seat, s.call), (self.seat + 1) % s.seats
        if following != s.active:
            return replace(s, answering=following, lacked=lacked)
        return replace(s, call=None, answering=None, failed=(*s.failed, s.call), lacked=lacked)  # 5.5

    def tell(self, s: State, lang: Lang) -> Phrase:
        if (self.seat + 1) % s.seats != s.active:
            return self.say(lang, "{seat} passe.", "{seat} passes.")
        nobody = f"Personne n’a répondu : {{{s.active}}} rejoue.", f"No one answered: {{{s.active}}} goes again."
        return self.say(lang, "{seat} passe. {nobody}", "{seat} passes. {nobody}", nobody=say(lang, *nobody))


class Exchanged(Event, frozen=True, omit_defaults=True):
    """A seat answered: `given` lies in the palace (5.2), `taken` is in its hand (5.3)."""

    seat: Open[Seat]
    given: Annotated[Card | None, fades(unless="open")]
    taken: Annotated[Card | None, fades(unless="open")]
    open: Open[bool] = True

    def apply(self, s: State) -> State:
        seat, following, shown, lacked = self.seat, _first_seat_not_out_from(s, self.seat, s.out), s.shown, s.lacked
        if self.taken is not None and s.has_open_memory:
            shown = put(shown, seat, (*[card for card in shown[seat] if card != self.given], self.taken))
        if not s.has_open_memory:
            lacked = put(lacked, seat, ())
        hand, palace = s.hands[seat], s.palace
        if self.given is None:  # faded, perhaps beside what was seen later
            hand, palace = (None,) * len(hand), (None,) * len(palace)
        return replace(
            s,
            hands=put(s.hands, seat, (*without(hand, self.given), self.taken)),
            shown=shown,
            lacked=lacked,
            palace=(*without(palace, self.taken), self.given),  # a made-up log may take a card that is not there
            call=None,
            answering=None,
            failed=(),
            active=following,
            # The next turn is that of the seat that answered; if it is out, that of the seat after it (R7).
            turn=s.turn + (1 if following == seat else 2),
            exchanges=s.exchanges + 1,
        )

    def tell(self, s: State, lang: Lang) -> Phrase:
        if self.given is None:
            fr, en = "{seat} échange une carte avec le palais.", "{seat} exchanges a card with the palace."
        else:
            fr, en = "{seat} pose {given} et prend {taken}.", "{seat} lays {given} and takes {taken}."
        return self.say(lang, fr, en) + next_turn_in_words(self, s, lang)


class Exchange(Move, frozen=True):
    """Answer a call: lay `give` from the hand into the palace and take another card from it."""

    give: Card
    take: Card

    asked, makes = "answer", Exchanged
    typed = (
        "give [card] {give} take [card] {take}", "take [card] {take} give [card] {give}", "[give] {give} {take}",
        "exchange [card] {give} {take}", "give take {give} {take}", "take give {take} {give}",
    )  # fmt: skip
    name = T("{give} contre {take}", "{give} for {take}")
    steps = T("Poser {give} | Prendre {take}", "Lay {give} | Take {take}")
    head, last = T("Posez {give} et prenez…", "Lay {give} and take…"), T("{take}", "{take}")
    not_in_hand = ChooseAlly.not_in_hand
    does_not_fit = Reason("5.2", T(
        "{card} ne répond pas à l’appel : posez une carte qui a tout ce qu’il demande.",
        "{card} does not answer the call: lay a card that matches all of it."))  # fmt: skip
    take_another = Reason("5.3", T(
        "On ne reprend pas la carte qu’on pose : prenez-en une autre au palais.",
        "You may not take back the card you lay: take another from the palace."))  # fmt: skip
    not_in_palace = Reason("5.3", T(
        "{card} n’est pas au palais : prenez une des quatre cartes qui y sont.",
        "{card} is not in the palace: take one of the four cards that are there."))  # fmt: skip

    def fact(self, s: State, seat: int) -> Exchanged:
        return Exchanged(seat, self.give, self.take, s.has_open_memory)

    @classmethod
    def every(cls, s: State, seat: int) -> tuple[Exchange, ...]:
        """Of a hidden hand: with its known cards, then with those it may have."""
        hand = s.hands[seat]
        gives = [card for card in hand if card is not None] + [
            *(cards_that_may_hide_in_hand(s, seat) if None in hand else ())
        ]
        return tuple([cls(give, take) for give in gives for take in s.palace if take is not None])

    @classmethod
    def legal(cls, s: State, seat: int) -> tuple[Exchange, ...]:
        gives = [card for card in s.hands[seat] if card is not None and (s.call is None or answers_call(card, s.call))]
        return tuple([cls(give, take) for give in gives for take in s.palace if take is not None])

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if self.give not in s.hands[seat] and None not in s.hands[seat]:
            yield self.not_in_hand(card=self.give)
        if s.call is not None and not answers_call(self.give, s.call):
            yield self.does_not_fit(card=self.give)
        if self.take == self.give:
            yield self.take_another(card=self.take)  # R2
        if self.take not in s.palace:
            yield self.not_in_palace(card=self.take)

    def tell(self, s: State, lang: Lang) -> Phrase:
        said = self.say(lang, "Vous posez {give} et prenez {take}.", "You lay {give} and take {take}.")
        if s.answering is None:
            return said
        exchanged = Exchanged(s.answering, self.give, self.take)
        if exchanged.apply(s).active == s.answering:
            return said + say(lang, " Ensuite, à vous d’appeler.", " Then it is your turn to call.")
        return said + next_turn_in_words(exchanged, s, lang)


def cards_that_may_hide_in_hand(s: State, seat: int) -> Iterator[Card]:
    """Yields what a hidden card of the hand may be: it has never moved, so it is none of those that the seat passed."""
    yield from (card for card in unseen_cards(s) if not any(answers_call(card, passed) for passed in s.lacked[seat]))


def _first_seat_not_out_from(state: State, seat: int, out: tuple[bool, ...]) -> int | None:
    """Returns the seat itself or the next one clockwise that is not out (5.4, R7); None if all are."""
    return seat if not out[seat] else next((other for other in seen_from(seat, state.seats) if not out[other]), None)


def next_turn_in_words(event: Exchanged | Refuted, before: State, lang: Lang) -> Phrase:
    """Returns who acts next, as a sentence; "" if it is the seat itself."""
    active = event.apply(before).active
    if active is None or active == event.seat:
        return ""
    return say(lang, f" À {{{active}}} de jouer.", f" {{{active}}} is next.")


# --- 6. Declaring --------------------------------------------------------------------------------------------


class Declared(Event, frozen=True):
    """The active seat named everybody's ally, in seat order (6.1)."""

    seat: Open[Seat]
    allies: Shown[Guesses]

    def apply(self, s: State) -> State:  # its consequence comes as Unmasked or Refuted
        return replace(s, named=put(s.named, self.seat, self.allies))

    def tell(self, s: State, lang: Lang) -> Phrase:
        return self.say(lang, "{seat} déclare : {named}.", "{seat} declares: {named}.", named=name_allies(self.allies))


class Declare(Move, frozen=True):
    """Name the ally of every other seat, all at once. Kept in seat order: who names the same says the same."""

    allies: tuple[Guess, ...]

    asked, makes, typed = "act", Declared, "declare [ally] {allies}"
    steps = T("Déclarer | {seat} : {card}", "Declare | {seat}: {card}")
    no_such_card = Call.no_such_card
    name_everybody = Reason("6.1", T(
        "Nommez l’alliée de chaque autre joueur, une fois chacun, même hors jeu.",
        "Name the ally of every other player once, also of those who are out."), lasting=True)  # fmt: skip
    named_palace = Reason("6.2", T(
        "{card} est au palais, ce n’est l’alliée de personne : nommez une autre carte.",
        "{card} is in the palace, so it is no one’s ally: name another card."))  # fmt: skip
    named_own = Reason("6.2", T(
        "{card} est à vous, ce n’est l’alliée d’aucun autre : nommez une autre carte.",
        "{card} is yours, so it is no one else’s ally: name another card."))  # fmt: skip
    named_twice = Reason("6.2", T(
        "{card} est nommée deux fois : elle n’existe qu’une fois, nommez-en une autre.",
        "{card} is named twice: each card exists only once, name another."))  # fmt: skip

    def __post_init__(self) -> None:
        force_setattr(self, "allies", tuple(sorted(self.allies, key=lambda guess: (guess.seat, guess.card))))

    @classmethod
    def read(cls, allies: tuple[Guess, ...]) -> Declare | None:
        return cls(allies) if len({guess.seat for guess in allies}) == len(allies) else None

    @classmethod
    def every(cls, s: State, seat: int) -> Sequence[Declare]:
        return ()  # hundreds: they are named card by card

    @classmethod
    def legal(cls, s: State, seat: int) -> Sequence[Declare]:
        others = opponents_in_seat_order(s, seat)

        def at(index: int) -> Declare:
            return cls(
                tuple(map(Guess, others, nth_arrangement(cards_seat_may_name_as_ally(s, seat), len(others), index)))
            )

        size = perm(len(CARDS) - len({*s.palace, *s.hands[seat], s.allies[seat]}), len(others))
        return Lazy(size, at, lambda move: not any(move.why_not(s, seat)))

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        """Judged only by what the declarer knows (R9)."""
        if tuple(guess.seat for guess in self.allies) != opponents_in_seat_order(s, seat):
            yield self.name_everybody()
        named = [guess.card for guess in self.allies]
        for card in named:
            if card not in CARDS:
                yield self.no_such_card()
            if card in s.palace:
                yield self.named_palace(card=card)
            if card in s.hands[seat] or card == s.allies[seat]:
                yield self.named_own(card=card)
            if named.count(card) > 1:
                yield self.named_twice(card=card)

    def tell(self, s: State, lang: Lang) -> Phrase:
        named = name_allies(self.allies)
        return say(lang, f"Vous déclarez {named} : gagné ou hors jeu.", f"You declare {named}: you win or are out.")

    def short(self, lang: Lang) -> Phrase:
        return name_allies(self.allies)


class Unmasked(Event, frozen=True):
    """The declaration was right: these allies are shown and the seat has won (6.3)."""

    seat: Open[Seat]
    allies: Shown[Guesses]

    told = T(
        "Tout est juste : {seat} gagne. Les alliées sont montrées.",
        "All of it is right: {seat} wins. The allies are shown.",
    )

    def apply(self, s: State) -> State:
        named = {guess.seat: guess.card for guess in self.allies}
        known = tuple(named.get(seat, ally) for seat, ally in enumerate(s.allies))
        return replace(s, allies=known, over="found", winner=self.seat)


Truth = Annotated[tuple[Card | None, ...], msgspec.Meta(max_length=3)]


class Refuted(Event, frozen=True, omit_defaults=True):
    """The declaration was wrong. The declarer alone sees the others' true allies, in seat order, and is out (6.4)."""

    seat: Open[Seat]
    truth: Annotated[Truth, to("seat"), fades(unless="open")]
    open: Open[bool] = True

    def apply(self, s: State) -> State:
        others, out = (
            dict(zip(opponents_in_seat_order(s, self.seat), self.truth, strict=True)),
            put(s.out, self.seat, True),
        )
        seen = enumerate(s.allies if s.has_open_memory else ())
        known = tuple(others.get(seat) or ally for seat, ally in seen) or s.allies
        return replace(
            s, allies=known, out=out, failed=(), active=_first_seat_not_out_from(s, self.seat, out), turn=s.turn + 1
        )

    def tell(self, s: State, lang: Lang) -> Phrase:
        pairs = zip(opponents_in_seat_order(s, self.seat), self.truth, strict=True)
        if truth := name_allies(Guess(other, card) for other, card in pairs if card):
            fr, en = "{seat} est hors jeu. En fait : {truth}.", "{seat} is out. In fact: {truth}."
            return self.say(lang, fr, en, truth=truth)
        wrong = self.say(lang, "C’est faux : {seat} est hors jeu.", "That is wrong: {seat} is out.")
        return wrong + next_turn_in_words(self, s, lang)


def cards_seat_may_name_as_ally(state: State, seat: int) -> tuple[str, ...]:
    """Returns the cards that the seat may name in a declaration: neither its own nor in the palace (R9)."""
    excluded = {*state.palace, *state.hands[seat], state.allies[seat]}
    return tuple(card for card in CARDS if card not in excluded)


def name_allies(allies: Iterable[Guess]) -> Phrase:
    """Returns whose ally is which card, as a declaration names them.

    >>> name_allies((Guess(1, "F1"), Guess(2, "B1")))
    '{1} {F1}, {2} {B1}'
    """
    return ", ".join(f"{put_in(guess.seat)} {put_in(guess.card)}" for guess in allies)


# --- 7. The end ----------------------------------------------------------------------------------------------


class Stopped(Event, frozen=True):
    """The match ended without a winner."""

    reason: Open[Literal["all_wrong", "cap"]]

    def apply(self, s: State) -> State:
        return replace(s, over=self.reason, active=None, call=None, answering=None)

    def tell(self, s: State, lang: Lang) -> Phrase:
        if self.reason == "all_wrong":
            return say(lang, "Tout le monde s’est trompé : personne ne gagne.", "Everyone was wrong: no one wins.")
        fr = "Cent échanges : la partie s’arrête, personne ne gagne."
        return say(lang, fr, "A hundred exchanges: the match ends and no one wins.")
