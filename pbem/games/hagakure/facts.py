"""What happens in Hagakure, in the order of RULES.*.md: its moves, and the facts that they make."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from pbem.games.hagakure import facts_cards as deck
from pbem.games.hagakure import words
from pbem.games.hagakure.facts_state import (
    LAST_ROUND,
    State,
    cards_seat_may_hold,
    is_tie_break_round,
    leading_seats_after_round,
    next_player,
    playable_cards,
    seat_taking_trick,
)
from pbem.kit.contract import IllegalMove, Phrase, Seat
from pbem.kit.game.facts import Event
from pbem.kit.game.moves import Move, Reason
from pbem.kit.secrecy import Each, Hidden, Open, Own, Shown, put, without
from pbem.kit.texts import Lang
from pbem.kit.words import T, put_in, say, seats_joined

Number = Annotated[int, msgspec.Meta(ge=1, le=LAST_ROUND)]
Points = Annotated[int, msgspec.Meta(ge=-4, le=12)]


# --- 2. The deal and the Nobori ------------------------------------------------------------------------------


class Dealt(Event, frozen=True, omit_defaults=True):
    """A round begins: the hands are dealt, and the Yomi, which nobody sees (2.1). A seat without cards sits out (6.4).

    The match has this number of regular `rounds`, and none after round `last`. What the table chose besides is written
    where it is not as usual.
    """

    number: Open[Number]
    rounds: Open[Number]
    last: Open[Number]
    dealer: Open[Seat]
    hands: Each[Annotated[tuple[deck.Hand, ...], msgspec.Meta(max_length=deck.MOST_SEATS)]]
    yomi: Hidden[deck.Hand]
    exact: Open[bool] = False
    among_leaders: Open[bool] = False

    def apply(self, s: State | None) -> State:
        seats, first = len(self.hands), next_player(self.players, self.dealer)
        dealt: dict[str, Any] = {
            "rounds": self.rounds, "last": self.last, "exact": self.exact, "among_leaders": self.among_leaders,
            "number": self.number, "players": self.players, "dealer": self.dealer, "phase": "nobori",
            "active": first, "hands": self.hands, "yomi": self.yomi, "raised": (None,) * seats, "leader": first,
            "won": ((),) * seats, "tricks": (0,) * seats, "bare": (False,) * seats,
        }  # fmt: skip
        if s is None:
            return State(seats=seats, nobori=(deck.NOBORI,) * seats, totals=(0,) * seats, **dealt)
        return replace(s, trick=(), previous=(), **dealt)

    def tell(self, s: State | None, lang: Lang) -> Phrase:
        """Tells which round it is, why an extra one is played, and who begins."""
        first, extra = put_in(next_player(self.players, self.dealer)), self.number - self.rounds
        name = say(lang, f"Manche {self.number}", f"Round {self.number}")
        if extra > 0 and self.among_leaders:
            who = words.names_in_tie_break(self.players, lang)
            name = say(lang, f"Égalité, départage {extra} entre {who}", f"A tie, tie-break {extra} between {who}")
        elif extra > 0:
            name = say(lang, f"Égalité, manche de plus {extra}", f"A tie, extra round {extra}")
        fr, en = "{name} : {dealer} distribue, {first} commence.", "{name}: {dealer} deals, {first} begins."
        return self.say(lang, fr, en, name=name, first=first)

    @property
    def players(self) -> tuple[int, ...]:
        """The seats that get cards, in order."""
        return tuple(seat for seat, hand in enumerate(self.hands) if hand)


class Kept(Event, frozen=True):
    """A seat plays no Nobori (2.2)."""

    seat: Open[Seat]

    told = T("{seat} ne joue pas de bannière.", "{seat} plays no banner.")

    def apply(self, s: State) -> State:
        return _state_after_nobori(s, self.seat, None)


class Skipped(Event, frozen=True):
    """A seat has no Nobori left to play (2.6)."""

    seat: Open[Seat]

    told = T("{seat} n’a plus de bannière.", "{seat} has no banner left.")

    def apply(self, s: State) -> State:
        return _state_after_nobori(s, self.seat, None, answers=False)


class Raised(Event, frozen=True):
    """A seat played a Nobori that changes its score (2.3)."""

    seat: Open[Seat]
    nobori: Open[deck.Sign]

    def apply(self, s: State) -> State:
        return _state_after_nobori(s, self.seat, self.nobori)

    def tell(self, s: State, lang: Lang) -> Phrase:
        name, does = words.NOBORI_NAMES[self.nobori][lang], words.effect_of_nobori(self.nobori, s, lang)
        return self.say(lang, "{seat} joue {name} : {does}.", "{seat} plays {name}: {does}.", name=name, does=does)


class Swapped(Event, frozen=True):
    """A seat exchanged its hand for the Yomi and alone sees what it drew (2.5)."""

    seat: Open[Seat]
    drawn: Own[deck.Hand]

    def apply(self, s: State) -> State:
        # Knowledge moves with the cards: a seat that had looked at either pile knows where it is now.
        hand, yomi = s.yomi if None in self.drawn else self.drawn, s.hands[self.seat]
        return _state_after_nobori(s, self.seat, "swap", hands=put(s.hands, self.seat, hand), yomi=yomi)

    def tell(self, s: State, lang: Lang) -> Phrase:
        if None in self.drawn:
            return self.say(lang, "{seat} échange sa main contre le Yomi.", "{seat} swaps their hand for the Yomi.")
        got = words.pile_in_words(self.drawn, lang)
        return self.say(lang, "{seat} échange et reçoit {got}.", "{seat} swaps and gets {got}.", got=got)


class Looked(Event, frozen=True):
    """A seat looked at another's hand, or at the Yomi (None); it alone saw the cards (2.4)."""

    seat: Open[Seat]
    target: Open[Seat | None]
    cards: Own[deck.Hand]

    def apply(self, s: State) -> State:
        seen: dict[str, Any] = {}
        if None not in self.cards:
            seen = {"yomi": self.cards} if self.target is None else {"hands": put(s.hands, self.target, self.cards)}
        return _state_after_nobori(s, self.seat, "look", **seen)

    def tell(self, s: State, lang: Lang) -> Phrase:
        what = words.look_target_in_words(self.target, lang)
        if None in self.cards:
            return self.say(lang, "{seat} regarde {what}.", "{seat} looks at {what}.", what=what)
        seen = words.pile_in_words(self.cards, lang)
        return self.say(lang, "{seat} voit {what} : {seen}.", "{seat} sees {what}: {seen}.", what=what, seen=seen)


def _state_after_nobori(
    state: State, seat: int, nobori: deck.Nobori | None, answers: bool = True, **changes: Any
) -> State:
    """Returns the state in which the next seat plays a Nobori; after the last one the tricks begin."""
    following = next_player(state.players, seat)
    if nobori is not None:
        changes["raised"] = put(state.raised, seat, nobori)
        changes["nobori"] = put(state.nobori, seat, tuple(n for n in state.nobori[seat] if n != nobori))
    if following == state.leader:
        changes["phase"] = "play"
    answered = seat if answers else state.answered
    stretch = state.stretch + (answered != state.answered)
    return replace(state, active=following, answered=answered, stretch=stretch, **changes)


def _reason_nobori_is_used(nobori: deck.Nobori) -> Reason:
    """Returns the reason against a Nobori that has been played (2.2)."""
    name = words.NOBORI_NAMES[nobori]
    said = T(
        f"Votre bannière {name.fr} a déjà servi : choisissez-en une autre, ou aucune.",
        f"Your {name.en} banner has been used: choose another, or none.",
    )
    return Reason("2.2", said, lasting=True)


class Keep(Move, frozen=True):
    """Play no Nobori in this round (2.2)."""

    asked, makes, typed = "nobori", Kept, ("[play] none", "none play")
    name, does = T("pas de bannière", "no banner"), words.NO_BANNER
    label = T("Vous ne jouez pas de bannière dans cette manche.", "You play no banner this round.")


class Raise(Move, frozen=True):
    """Play a Nobori that changes the score of the round (2.3)."""

    nobori: deck.Sign

    asked, makes, typed = "nobori", Raised, "[play] {nobori}"
    used_double, used_zero, used_villagers = map(_reason_nobori_is_used, deck.SIGNS)
    other_nobori = Reason("2.3", T(
        "Ce qui change le décompte : Double, Zéro ou Villageois. Échange et Regard sont des coups à part.",
        "What changes the score: Double, Zero or Villagers. Swap and Look are moves of their own."))  # fmt: skip

    @classmethod
    def every(cls, s: State, seat: int) -> Sequence[Raise]:
        return tuple(map(cls, deck.SIGNS))

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if self.nobori not in deck.SIGNS:
            yield self.other_nobori()
        elif self.nobori not in s.nobori[seat]:
            yield getattr(self, f"used_{self.nobori}")()

    def tell(self, s: State, lang: Lang) -> Phrase:
        name, does = self.short(lang), words.effect_of_nobori(self.nobori, s, lang, words.YOUR_EFFECTS)
        return self.say(lang, "Vous jouez {name} : {does}.", "You play {name}: {does}.", name=name, does=does)

    def short(self, lang: Lang) -> Phrase:
        return words.NOBORI_NAMES[self.nobori][lang]


class Swap(Move, frozen=True):
    """Play the Nobori that exchanges the hand for the Yomi (2.5)."""

    asked, makes, typed = "nobori", Swapped, "[play] swap [yomi]"
    name = words.NOBORI_NAMES["swap"]
    label = T(
        "Vous jouez Échange : toute votre main contre le Yomi, sans le voir.",
        "You play Swap: your whole hand for the Yomi, unseen.",
    )
    used_swap = _reason_nobori_is_used("swap")

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if "swap" not in s.nobori[seat]:
            yield self.used_swap()

    def fact(self, s: State, seat: int) -> Swapped:
        return Swapped(seat, s.yomi)


class Look(Move, frozen=True):
    """Play the Nobori that looks at somebody's hand, or at the Yomi where no seat is named (2.4)."""

    target: Seat | None

    asked, makes, typed = "nobori", Looked, ("[play] look {target}", "[play] look yomi")
    used_look = _reason_nobori_is_used("look")
    own_hand = Reason("2.4", T(
        "Vous connaissez déjà votre main : regardez le Yomi ou la main de quelqu’un d’autre.",
        "You know your own hand: look at the Yomi or at another player’s hand."), lasting=True)  # fmt: skip
    no_such_seat = Reason("2.4", T(
        "Il n’y a personne à cette place : regardez le Yomi ou la main d’un autre joueur.",
        "No one sits there: look at the Yomi or at another player’s hand."), lasting=True)  # fmt: skip

    no_hand = Reason("6.4", T(
        "Ce joueur ne joue pas cette manche : il n’a pas de main à regarder.",
        "That player sits out this round: they have no hand to look at."))  # fmt: skip

    @classmethod
    def read(cls, target: int | None = None) -> Look:
        return cls(target)

    @classmethod
    def every(cls, s: State, seat: int) -> Sequence[Look]:
        return (cls(None), *(cls(other) for other in s.players if other != seat))

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if "look" not in s.nobori[seat]:
            yield self.used_look()
        if self.target == seat:
            yield self.own_hand()
        if self.target is not None and not 0 <= self.target < s.seats:
            yield self.no_such_seat()
        elif self.target is not None and self.target not in s.players:
            yield self.no_hand()

    def fact(self, s: State, seat: int) -> Looked:
        return Looked(seat, self.target, s.yomi if self.target is None else s.hands[self.target])

    def tell(self, s: State, lang: Lang) -> Phrase:
        fr, en = "Vous jouez Regard : vous seul voyez {what}.", "You play Look: you alone see {what}."
        return self.say(lang, fr, en, what=words.look_target_in_words(self.target, lang))

    def short(self, lang: Lang) -> Phrase:
        return f"{words.NOBORI_NAMES['look'][lang]} ({words.look_target_in_words(self.target, lang)})"


# --- 3. Tricks -----------------------------------------------------------------------------------------------


class Played(Event, frozen=True):
    """A seat played a card (3.1)."""

    seat: Open[Seat]
    card: Shown[deck.Card]

    def apply(self, s: State) -> State:
        seat, hand, bare = self.seat, s.hands[self.seat], s.bare
        if s.trick and deck.is_warrior(s.trick[0]) and not deck.is_warrior(self.card):
            bare = put(bare, seat, True)
        answered = seat if len(hand) > 1 else s.answered  # the last card of a hand answers no question
        return replace(
            s, hands=put(s.hands, seat, without(hand, self.card)), trick=(*s.trick, self.card), bare=bare,
            active=next_player(s.players, seat), answered=answered, stretch=s.stretch + (answered != s.answered),
        )  # fmt: skip

    def tell(self, s: State, lang: Lang) -> Phrase:
        """Tells how it was played: led, after others, or as the last of a hand; and what it shows to all."""
        fr, en = "{seat} joue {shown}.", "{seat} plays {shown}."
        if len(s.hands[self.seat]) == 1:
            fr, en = "{seat} pose sa dernière carte : {shown}.", "{seat} plays their last card: {shown}."
        elif not s.trick:
            fr, en = "{seat} entame avec {shown}.", "{seat} leads {shown}."
        elif deck.is_warrior(s.trick[0]) and not deck.is_warrior(self.card):
            fr = "{seat} joue {shown}, sans samouraï ni Vieux Fou."
            en = "{seat} plays {shown}: no samurai, no Old Fool."
        return self.say(lang, fr, en, shown=words.card_in_words(self.card, lang))


class Play(Move, frozen=True):
    """Play a card of the hand (3.1)."""

    card: deck.Card

    asked, makes, typed = "card", Played, "[play] {card}"
    not_in_hand = Reason("3.1", T(
        "{card} n’est pas dans votre main : jouez une de vos cartes.",
        "{card} is not in your hand: play one of your cards."))  # fmt: skip
    must_follow = Reason("3.3", T(
        "{led} est demandé : jouez votre samouraï ou Vieux Fou, pas {card}.",
        "{led} was led: play your samurai or Old Fool, not {card}."))  # fmt: skip

    @classmethod
    def every(cls, s: State, seat: int) -> Sequence[Play]:
        return tuple([_PLAYS[card] for card in cards_seat_may_hold(s, seat)])

    @classmethod
    def legal(cls, s: State, seat: int) -> Sequence[Play]:
        return [_PLAYS[card] for card in playable_cards(s, seat)]

    def fact(self, s: State, seat: int) -> Played:
        return Played(seat, self.card)

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        hand = s.hands[seat]
        if self.card not in hand and None not in hand:
            yield self.not_in_hand(card=deck.card_in_notation(self.card))
        follows = bool(s.trick) and deck.is_warrior(s.trick[0])
        if follows and not deck.is_warrior(self.card) and any(map(deck.is_warrior, deck.visible_cards(hand))):
            yield self.must_follow(card=deck.card_in_notation(self.card), led=deck.card_in_notation(s.trick[0]))

    def tell(self, s: State, lang: Lang) -> Phrase:
        """Tells who plays next, or who takes the trick that this card completes."""
        played = say(lang, "Vous jouez ", "You play ") + words.card_in_words(self.card, lang)
        trick = (*s.trick, self.card)
        if len(trick) < len(s.players):
            following = put_in(next_player(s.players, s.active))
            return say(lang, f"{played}. {following} joue ensuite.", f"{played}. {following} plays next.")
        winner = seat_taking_trick(s, trick)
        if winner == s.active:
            return say(lang, f"{played}. Le pli est à vous.", f"{played}. The trick is yours.")
        return say(lang, f"{played}. Le pli est à {{{winner}}}.", f"{played}. {{{winner}}} takes the trick.")

    def short(self, lang: Lang) -> Phrase:
        return words.card_placeholder(self.card)


_PLAYS = tuple(map(Play, range(28)))


class TrickWon(Event, frozen=True):
    """The trick is complete and this seat takes it (3.4)."""

    seat: Open[Seat]

    def apply(self, s: State) -> State:
        seat = self.seat
        return replace(
            s, active=seat, leader=seat, trick=(), won=put(s.won, seat, (*s.won[seat], *s.trick)),
            tricks=put(s.tricks, seat, s.tricks[seat] + 1), previous=s.trick, previous_leader=s.leader,
        )  # fmt: skip

    def tell(self, s: State, lang: Lang) -> Phrase:
        """Tells what is special about it: the 18 is in it, or Old Fools have won it."""
        bonus, more = words.card_placeholder(deck.BONUS) if deck.BONUS in s.trick else "", ""
        if s.trick.count(deck.FOOL) > 1:
            more = say(lang, " et ", " and ") + bonus if bonus else ""
            more += say(lang, " avec le dernier Fou", " with the last Old Fool")
        elif bonus:
            more = say(lang, f", avec {bonus} : +1", f", with {bonus}: +1")
        which = words.trick_name(s, lang)
        return self.say(lang, "{seat} gagne le {which}{more}.", "{seat} takes {which}{more}.", which=which, more=more)


# --- 4. Points -----------------------------------------------------------------------------------------------


class Scored(Event, frozen=True):
    """The round is over and gives these points, in seat order (4)."""

    points: Open[Annotated[tuple[Points, ...], msgspec.Meta(max_length=deck.MOST_SEATS)]]

    def apply(self, s: State) -> State:
        totals = s.totals
        if not is_tie_break_round(s, s.number):
            totals = tuple(a + b for a, b in zip(totals, self.points, strict=True))
        return replace(s, phase="scored", totals=totals, sheet=(*s.sheet, self.points))

    def tell(self, s: State, lang: Lang) -> Phrase:
        """Tells who got most points; the board has the points of all."""
        best = max(self.points[seat] for seat in s.players)
        seats = [seat for seat in s.players if self.points[seat] == best]
        who, total = seats_joined(seats, lang), words.points_in_words(best, lang)
        fr, en = "Manche {number} finie : {who} marquent {total}.", "Round {number} is over: {who} score {total}."
        if len(seats) == 1:
            fr, en = "Manche {number} finie : {who} marque {total}.", "Round {number} is over: {who} scores {total}."
        elif len(seats) > 2:
            who = say(lang, f"{len(seats)} joueurs", f"{len(seats)} players")
        return say(lang, fr, en).format(number=s.number, who=who, total=total)


# --- 5. The end ----------------------------------------------------------------------------------------------


class Ended(Event, frozen=True):
    """The match is over: one winner by points (5.1), or several who share (5.3)."""

    reason: Open[Literal["points", "shared"]]
    winners: Open[Annotated[tuple[Seat, ...], msgspec.Meta(max_length=deck.MOST_SEATS)]]

    def apply(self, s: State) -> State:
        return replace(s, phase="over", over=self.reason, winners=self.winners)

    def tell(self, s: State, lang: Lang) -> Phrase:
        fr, en = "À égalité avec {total}, {names} partagent la victoire.", "Tied at {total}, {names} share the victory."
        if len(self.winners) == 1 and is_tie_break_round(s, s.number):
            fr, en = "{names} gagne au départage.", "{names} wins the tie-break."
        elif len(self.winners) == 1:
            fr, en = "{names} gagne avec {total}.", "{names} wins with {total}."
        return self.say(
            lang, fr, en, names=seats_joined(self.winners, lang), total=words.points_in_words(max(s.totals), lang)
        )


def end_after_round(state: State) -> Ended | None:
    """Returns the end after a round; None if there is another: while several lead, an extra one if any is left."""
    if state.number < state.rounds:
        return None
    ahead = leading_seats_after_round(state, state.number)
    if len(ahead) == 1:
        return Ended("points", ahead)  # 5.1
    return Ended("shared", ahead) if state.number >= state.last else None  # 5.2, 5.3
