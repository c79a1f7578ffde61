"""What happens in Hexen Rennen, in the order of RULES.*.md: the facts, and the moves that make them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import combinations
from typing import Annotated, Literal

import msgspec
from msgspec.structs import force_setattr, replace

from pbem.games.hexen_rennen import facts_race as race
from pbem.games.hexen_rennen import words
from pbem.kit.choices import Choices, Lazy
from pbem.kit.contract import IllegalMove, Options, Phrase, Seat, Step
from pbem.kit.game.facts import Event
from pbem.kit.game.moves import Move, Reason
from pbem.kit.options import always_written
from pbem.kit.secrecy import Hidden, Open, Own, Shown, less, put
from pbem.kit.texts import Lang
from pbem.kit.words import T, joined, put_in, say, seats_joined, step


class HexenOptions(Options, frozen=True, omit_defaults=True):
    """Whether a tile of the witch's own clan may carry her into the goal (R1), and how seats get their clans (2.5)."""

    goal_by_tile: bool = always_written(False)
    clans: Annotated[
        Literal["seats", "chosen"],
        msgspec.Meta(
            description="Whether the clans go by the seats, A to D, or each player chooses one of those left."
        ),
    ] = "seats"


# --- 2. Setting up -------------------------------------------------------------------------------------------


class Opened(Event, frozen=True, omit_defaults=True):
    """The clans of the seats race (2.1); the cards of each other clan, A first, are a shuffled pile (2.3).

    `choosing`: the seats choose their clans (2.5).
    """

    seats: Open[Annotated[int, msgspec.Meta(ge=2, le=4)]]
    goal_by_tile: Open[bool]
    piles: Hidden[Annotated[tuple[race.Pile, ...], msgspec.Meta(max_length=2)]]
    choosing: Open[bool] = False

    def apply(self, s: race.State | None) -> race.State:
        seats, piles = self.seats, ((),) * self.seats + self.piles
        if len(piles) != len(race.CLANS):
            raise ValueError("every clan without a seat has a pile")
        return race.State(
            seats, self.goal_by_tile, hands=(race.DECK,) * seats, piles=piles, discards=((),) * len(race.CLANS),
            witches=((0, 0, 0),) * seats, divided=(False,) * seats, stages=(None,) * seats,
            clans=(None,) * seats if self.choosing else tuple(range(seats)),
        )  # fmt: skip

    def tell(self, s: race.State | None, lang: Lang) -> Phrase:
        if self.choosing:
            fr = "Chacun choisit son clan : premier arrivé, premier servi."
            return say(lang, fr, "Everyone chooses a clan: first come, first served.")
        neutral = race.CLANS[self.seats :]
        who, are = joined(neutral, lang), ("sont neutres", "are") if len(neutral) > 1 else ("est neutre", "is")
        text = say(lang, "Trois sorcières et douze cartes chacun.", "Three witches and twelve cards each.")
        return text + (say(lang, f" {who} {are[0]}.", f" {who} {are[1]} neutral.") if neutral else "")


class Chosen(Event, frozen=True):
    """A seat chose its clan (2.5), or got the only one left (8.2)."""

    seat: Open[Seat]
    clan: Open[race.Letter]

    def apply(self, s: race.State) -> race.State:
        clan = race.CLANS.index(self.clan)
        if s.clans[self.seat] is not None or clan in s.clans:
            raise ValueError("a seat has one clan, and a clan one seat")
        return replace(s, clans=put(s.clans, self.seat, clan))

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        fr, en = "{seat} prend le clan {name}.", "{seat} takes clan {name}."
        return self.say(lang, fr, en, name=words.clan_name(race.CLANS.index(self.clan), lang))


class Choose(Move, frozen=True):
    """Take this clan (2.5)."""

    clan: race.Letter

    asked, makes, typed = "clan", Chosen, "choose {clan}"
    clan_taken = Reason("2.5", T(
        "Quelqu’un a déjà ce clan : choisissez-en un autre.",
        "Someone has this clan already: choose another one."))  # fmt: skip

    @classmethod
    def every(cls, s: race.State, seat: int) -> tuple[Choose, ...]:
        return _CLANS

    def why_not(self, s: race.State, seat: int) -> Iterator[IllegalMove]:
        if self.clan not in [race.CLANS[clan] for clan in race.free_clans(s)]:
            yield self.clan_taken()

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        name = words.clan_name(race.CLANS.index(self.clan), lang)
        return say(lang, f"Vous prenez le clan {name}.", f"You take clan {name}.")

    def path(self, s: race.State, lang: Lang) -> tuple[Step, ...]:
        return (step(f"clan-{self.clan}", words.clan_name(race.CLANS.index(self.clan), lang), lang),)

    def short(self, lang: Lang) -> Phrase:
        return words.clan_name(race.CLANS.index(self.clan), lang)


_CLANS = tuple(map(Choose, race.CLANS))


class Divided(Event, frozen=True):
    """A seat chose which of its numbers lie in which stage (2.2)."""

    seat: Open[Seat]
    stages: Own[race.Division]

    def apply(self, s: race.State) -> race.State:
        if s.tiles or s.clans[self.seat] is None:
            raise ValueError("the course lies already, or the seat has no clan")
        return replace(s, divided=put(s.divided, self.seat, True), stages=put(s.stages, self.seat, self.stages))

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        if self.stages[0][0] is None:
            return self.say(lang, "{seat} a réparti ses tuiles.", "{seat} has divided their tiles.")
        known = words.short_stages(self.stages)
        return self.say(lang, "{seat} a réparti : {known}.", "{seat} has divided: {known}.", known=known)


class Divide(Move, frozen=True):
    """Put the nine numbers into the three stages (2.2). Within a stage their order means nothing: they are sorted."""

    stages: race.Stages

    asked, makes, typed = "divide", Divided, "divide {stages}"
    three_each = Reason("2.2", T(
        "Trois nombres par étape : à l’étape {stage}, vous en avez mis {count}.",
        "Three numbers into each stage: you have put {count} into stage {stage}."))  # fmt: skip
    number_twice = Reason("2.2", T(
        "Vous n’avez qu’une tuile {number} : mettez-la dans une seule étape.",
        "You have only one tile {number}: put it into one stage only."))  # fmt: skip
    other_numbers = Reason("2.2", T(
        "Vos nombres vont de 2 à 10 : mettez-en trois dans chacune des trois étapes.",
        "Your numbers go from 2 to 10: put three of them into each of three stages."))  # fmt: skip

    def __post_init__(self) -> None:
        force_setattr(self, "stages", tuple(tuple(sorted(stage)) for stage in self.stages))

    @classmethod
    def every(cls, s: race.State, seat: int) -> Sequence[Divide]:
        return ()  # 1,680: they are put together number by number

    @classmethod
    def legal(cls, s: race.State, seat: int) -> Sequence[Move]:
        return DIVISIONS

    def why_not(self, s: race.State | None, seat: int) -> Iterator[IllegalMove]:
        for stage, numbers in enumerate(self.stages, 1):
            if len(numbers) != 3:
                yield self.three_each(stage=stage, count=len(numbers))
        every = [n for numbers in self.stages for n in numbers]
        for n in every:
            if every.count(n) > 1:
                yield self.number_twice(number=n)
        if sorted(every) != [*race.NUMBERS]:
            yield self.other_numbers()

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        one, two, three = (", ".join(map(str, numbers)) for numbers in self.stages)
        fr = f"L’étape 1 reçoit {one} ; l’étape 2, {two} ; l’étape 3, {three}."
        return say(lang, fr, f"Stage 1 gets {one}; stage 2 gets {two}; stage 3 gets {three}.")

    def path(self, s: race.State, lang: Lang) -> tuple[Step, ...]:
        """Returns a step for each number: within a stage their order is free."""
        return _steps_of_division(self.stages, lang)

    def short(self, lang: Lang) -> Phrase:
        return words.stages_in_words(self.stages, lang)


@lru_cache(4096)
def _steps_of_division(stages: race.Stages, lang: Lang) -> tuple[Step, ...]:
    return tuple(
        step_to_put_number_in_stage(stage, n, lang) for stage, numbers in enumerate(stages, 1) for n in numbers
    )


@cache
def step_to_put_number_in_stage(stage: int, n: int, lang: Lang) -> Step:
    """Returns the step that puts a number into a stage. Made once: 1,680 divisions consist of 27 of them."""
    return step(f"{stage}-{n}", say(lang, f"{n} à l’étape {stage}", f"{n} to stage {stage}"), lang)


_FIRST = tuple(combinations(race.NUMBERS, 3))
_SECOND = tuple(combinations(range(6), 3))


@cache
def division_at_index(index: int) -> Divide:
    """Returns the index-th of the 1,680 ways to divide the nine numbers. Made once: each page of a division has all.

    >>> division_at_index(0).stages, division_at_index(1679).stages
    (((2, 3, 4), (5, 6, 7), (8, 9, 10)), ((8, 9, 10), (5, 6, 7), (2, 3, 4)))
    """
    first, second = divmod(index, len(_SECOND))
    rest = [n for n in race.NUMBERS if n not in _FIRST[first]]
    two = tuple([rest[at] for at in _SECOND[second]])
    return Divide((_FIRST[first], two, tuple([n for n in rest if n not in two])))


DIVISIONS: Choices[Move] = Choices(
    (Divide, Lazy[Divide](len(_FIRST) * len(_SECOND), division_at_index, lambda move: not any(move.why_not(None, 0))))
)


class Laid(Event, frozen=True):
    """The tiles lie face down, each stage shuffled; the lot fell on the seat that begins (2.4)."""

    tiles: Hidden[race.Course]
    first: Open[Seat]

    told = T(
        "Tuiles posées. Le sort désigne {first} pour commencer.",
        "The tiles are placed. {first} is drawn at random to begin.",
    )

    def apply(self, s: race.State) -> race.State:
        return replace(s, tiles=self.tiles, shown=(None,) * race.COURSE)


# --- 3. A turn -----------------------------------------------------------------------------------------------


class Rolled(Event, frozen=True):
    """The turn of a seat began with this die (3.1)."""

    seat: Open[Seat]
    die: Open[Annotated[int, msgspec.Meta(ge=1, le=6)]]

    told = T("", "")  # with the flight

    def apply(self, s: race.State) -> race.State:
        if not s.shown:
            raise ValueError("nobody rolls before the tiles are laid")
        # The number of seats is that of the witches: an event for any other seat cannot begin a turn.
        s.witches[self.seat]
        return replace(
            s, turn=s.turn + 1, active=self.seat, die=self.die, witch=None, asked=None, obliged=False, symbols=0
        )


class Stuck(Event, frozen=True):
    """No witch of the seat can move by the die: its turn is over (3.2)."""

    seat: Open[Seat]

    told = T(
        "{seat} fait {s.die} et ne peut déplacer aucune sorcière.", "{seat} rolls {s.die} and cannot move any witch."
    )

    def apply(self, s: race.State) -> race.State:
        return s


class Flew(Event, frozen=True):
    """A witch of the seat moved by the die (3.2)."""

    seat: Open[Seat]
    origin: Open[race.Origin]
    target: Open[race.Target]

    def apply(self, s: race.State) -> race.State:
        return replace(s, witches=race.witches_after_move(s, self.origin, self.target), witch=self.target)

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        path, halted = _way_and_why_halted(self, s, lang)
        fr, en = "{seat} fait {die} et vole {path}.", "{seat} rolls {die} and flies {path}."
        return self.say(lang, fr, en, die=s.die, path=path) + halted


class Fly(Move, frozen=True):
    """Move the witch that stands here by the die; 0 is the start."""

    origin: Annotated[int, msgspec.Meta(ge=0, le=race.GOAL)]

    asked, makes, typed = "fly", Flew, "fly {origin}"
    no_witch = Reason("3.2", T(
        "Aucune de vos sorcières n’est en {place} : choisissez-en une autre.",
        "None of your witches is on {place}: choose another one."))  # fmt: skip
    in_goal = Reason("6.3", T(
        "Elle est arrivée et ne bouge plus : choisissez-en une autre.",
        "She has reached the goal and no longer moves: choose another one."), lasting=True)  # fmt: skip
    too_far = Reason("6.2", T(
        "Ce serait au-delà de la case 4 de l’arrivée : choisissez autre chose.",
        "That would go past square 4 of the goal: choose something else."))  # fmt: skip
    occupied = Reason("3.4", T(
        "La tuile {place} est occupée : choisissez autre chose.",
        "Tile {place} is occupied: choose something else."))  # fmt: skip

    @classmethod
    def every(cls, s: race.State, seat: int) -> tuple[Fly, ...]:
        return tuple(map(_fly, dict.fromkeys(s.witches[seat])))  # R15

    @classmethod
    def legal(cls, s: race.State, seat: int) -> tuple[Fly, ...]:
        return tuple(map(_fly, race.flights_of_active_seat(s)))

    def why_not(self, s: race.State, seat: int) -> Iterator[IllegalMove]:
        if self.origin not in s.witches[seat]:
            yield self.no_witch(place=self.origin)
        if self.origin > race.COURSE:
            yield self.in_goal()
        if s.die is not None and race.target_of_flight(self.origin, s.die, race.tiles_with_witch(s)) is None:
            place = self.origin + s.die
            yield self.too_far() if place > race.GOAL else self.occupied(place=place)

    def fact(self, s: race.State, seat: int) -> Flew:
        target = race.target_of_flight(self.origin, s.die or 0, race.tiles_with_witch(s))
        assert target is not None, "the die takes her somewhere"
        return Flew(seat, self.origin, target)

    def path(self, s: race.State, lang: Lang) -> tuple[Step, ...]:
        sign, target = words.place_sign(self.origin, lang), race.flights_of_active_seat(s).get(self.origin)
        return (step(f"fly-{self.origin}", words.mover_and_target(sign, target, s, lang), lang),)

    def short(self, lang: Lang) -> Phrase:
        return words.which_witch(self.origin, lang)


# --- 4. and 5. Arriving: what a tile does --------------------------------------------------------------------


class Turned(Event, frozen=True):
    """A tile was turned up, for good (4.1)."""

    place: Open[race.Place]
    tile: Shown[race.Tile]

    def apply(self, s: race.State) -> race.State:
        return replace(s, shown=put(s.shown, self.place - 1, self.tile))

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        turned = self.say(lang, "La tuile {place} est retournée : {tile}.", "Tile {place} is turned up: {tile}.")
        return turned + words.why_halted(self.apply(s), lang)


class Carried(Event, frozen=True):
    """The number of her own clan carried the witch on (5.1)."""

    seat: Open[Seat]
    origin: Open[race.Place]
    target: Open[race.Target]

    def apply(self, s: race.State) -> race.State:
        return replace(s, witches=race.witches_after_move(s, self.origin, self.target), witch=self.target)

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        (path, halted), tile = _way_and_why_halted(self, s, lang), put_in(s.shown[self.origin - 1])
        carried = self.say(lang, "{tile} porte {seat} {path}.", "{tile} carries {seat} {path}.", tile=tile, path=path)
        return carried + halted


class Reached(Event, frozen=True):
    """The witch stands on the magic symbol of a seat, who may play a card (5.2), or must when obliged (5.6)."""

    seat: Open[Seat]
    place: Open[race.Place]
    obliged: Open[bool]

    def apply(self, s: race.State) -> race.State:
        if self.seat >= s.seats or s.witch != self.place:
            raise ValueError("no witch stands on the symbol of a seat there")
        return replace(s, asked=self.seat, obliged=self.obliged, symbols=s.symbols + 1)

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        may = say(lang, "doit" if self.obliged else "peut", "must" if self.obliged else "may")
        against = "" if self.seat == s.active else say(lang, " contre ", " against ") + put_in(s.active)
        fr, en = "Sur {sign}, {seat} {may} jouer une carte{against}.", "On {sign}, {seat} {may} play a card{against}."
        return self.say(lang, fr, en, sign=words.symbol_of_clan(s, self.seat), may=may, against=against)


class Powerless(Event, frozen=True):
    """The witch stands on the magic symbol of a seat none of whose cards could move her."""

    seat: Open[Seat]
    place: Open[race.Place]

    def apply(self, s: race.State) -> race.State:
        return s

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        fr, en = "Sur {sign}, {seat} ne peut jouer aucune carte.", "On {sign}, {seat} cannot play any card."
        return self.say(lang, fr, en, sign=words.symbol_of_clan(s, self.seat))


class Played(Event, frozen=True):
    """A seat played a card at the witch on its symbol (5.3, 5.4)."""

    seat: Open[Seat]
    card: Open[race.Card]
    origin: Open[race.Place]
    target: Open[race.Target]

    def apply(self, s: race.State) -> race.State:
        return replace(
            s,
            hands=put(s.hands, self.seat, less(s.hands[self.seat], self.card)),
            discards=put(s.discards, self.seat, (*s.discards[self.seat], self.card)),
            witches=race.witches_after_move(s, self.origin, self.target),
            witch=self.target,
            asked=None,
            obliged=False,
        )

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        path, halted = _way_and_why_halted(self, s, lang)
        goes = path if self.seat == s.active else _return_in_words(path, s, lang)
        card = put_in(f"{race.letter_of_clan(s, self.seat)}{self.card}")
        return (
            self.say(lang, "{seat} joue {card} : {goes}.", "{seat} plays {card}: {goes}.", card=card, goes=goes)
            + halted
        )


class Play(Move, frozen=True):
    """Play this card at the witch that stands on one's symbol."""

    card: race.Card

    makes, typed = Played, "play {card}"
    not_in_hand = Reason("5.2", T(
        "Vous n’avez plus de carte {card} : jouez une carte de votre main.",
        "You have no card {card} left: play a card from your hand."))  # fmt: skip
    no_symbol_ahead = Reason("5.3", T(
        "Aucune tuile libre à votre symbole devant elle : jouez autre chose.",
        "No free tile ahead of her shows your symbol: play something else."))  # fmt: skip
    no_symbol_behind = Reason("5.4", T(
        "Aucune tuile libre à votre symbole derrière elle : jouez autre chose.",
        "No free tile behind her shows your symbol: play something else."))  # fmt: skip
    before_the_first = Reason("5.4", T(
        "Aucune sorcière ne recule au-delà de la tuile 1 : jouez autre chose.",
        "No witch goes back past tile 1: play something else."))  # fmt: skip

    @classmethod
    def every(cls, s: race.State, seat: int) -> tuple[Play, ...]:
        return tuple(map(_play, dict.fromkeys(s.hands[seat])))

    @classmethod
    def legal(cls, s: race.State, seat: int) -> tuple[Play, ...]:
        return tuple(map(_play, race.targets_of_playable_cards(s, seat)))  # R17

    def why_not(self, s: race.State, seat: int) -> Iterator[IllegalMove]:
        if self.card not in s.hands[seat]:
            yield self.not_in_hand(card=self.card)
        if s.witch is None or self.card in race.targets_of_playable_cards(s, seat):
            return
        own = seat == s.active
        place = s.witch + race.STEPS_OF[self.card] * (1 if own else -1)
        if self.card == race.SYMBOL:
            yield self.no_symbol_ahead() if own else self.no_symbol_behind()
        elif place > race.GOAL:
            yield Fly.too_far()
        else:
            yield self.before_the_first() if place < 1 else Fly.occupied(place=place)

    def fact(self, s: race.State, seat: int) -> Played:
        assert s.witch is not None, "a witch stands on the symbol"
        target = race.target_of_card(s, seat, self.card, race.tiles_with_witch(s))
        assert target is not None, "the card takes her somewhere"
        return Played(seat, self.card, s.witch, target)

    def path(self, s: race.State, lang: Lang) -> tuple[Step, ...]:
        clan = s.asked or 0
        sign = words.symbol_of_clan(s, clan) if self.card == race.SYMBOL else self.card
        target = race.targets_of_playable_cards(s, clan).get(self.card)
        return (step(f"card-{self.card}", words.mover_and_target(sign, target, s, lang), lang),)

    def short(self, lang: Lang) -> Phrase:
        if self.card == race.SYMBOL:
            return say(lang, "la carte à symbole", "the symbol card")
        return say(lang, f"la carte {self.card}", f"card {self.card}")


class Spared(Event, frozen=True):
    """A seat left the witch on its symbol alone (5.6)."""

    seat: Open[Seat]
    place: Open[race.Place]

    def apply(self, s: race.State) -> race.State:
        return replace(s, asked=None, obliged=False)

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        if self.seat == s.active:
            fr, en = "{seat} reste en {place} et garde ses cartes.", "{seat} stays on {place} and keeps their cards."
        else:
            fr, en = "{seat} laisse en {place} la sorcière de {whose}.", "{seat} leaves {whose}’s witch on {place}."
        return self.say(lang, fr, en, whose=put_in(s.active))


class Leave(Move, frozen=True):
    """Leave the witch where she stands, and keep one's cards."""

    makes, typed = Spared, "leave"
    name = T("aucune carte", "no card")
    obliged = Reason("5.6", T(
        "Une carte nombre l’a fait reculer ici : vous devez jouer une carte.",
        "A number card sent her back here: you must play a card."))  # fmt: skip

    @classmethod
    def legal(cls, s: race.State, seat: int) -> tuple[Leave, ...]:
        return () if s.obliged else _LEAVE

    def why_not(self, s: race.State, seat: int) -> Iterator[IllegalMove]:
        if s.obliged:
            yield self.obliged()

    def fact(self, s: race.State, seat: int) -> Spared:
        assert s.witch is not None, "a witch stands on the symbol"
        return Spared(seat, s.witch)

    def path(self, s: race.State, lang: Lang) -> tuple[Step, ...]:
        return (step("leave", words.name_of_playing_none(s, lang), lang),)

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        where, whose = words.place_in_words(s.witch or 0, lang), put_in(s.active)
        if s.asked == s.active:
            return say(lang, f"Vous restez {where} et gardez vos cartes.", f"You stay {where} and keep your cards.")
        fr = f"Vous laissez la sorcière de {whose} {where} et gardez vos cartes."
        return say(lang, fr, f"You leave {whose}’s witch {where} and keep your cards.")


# Moves are made once: the same ones are legal again and again.
_fly, _play, _LEAVE = cache(Fly), cache(Play), (Leave(),)


class Drawn(Event, frozen=True):
    """The top card of a neutral clan was drawn for the witch on its symbol; it moved her if `target` differs (5.5)."""

    clan: Open[race.Clan]
    card: Shown[race.Card]
    origin: Open[race.Place]
    target: Open[race.Place]

    def apply(self, s: race.State) -> race.State:
        pile = s.piles[self.clan]
        if not pile:
            raise ValueError("the pile is empty")
        return replace(
            s,
            piles=put(s.piles, self.clan, pile[1:]),
            discards=put(s.discards, self.clan, (*s.discards[self.clan], self.card)),
            witches=race.witches_after_move(s, self.origin, self.target),
            witch=self.target,
        )

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        clan, halted = race.letter_of_clan(s, self.clan), ""
        draws = say(lang, f"Le clan {clan} tire {{{clan}{self.card}}}", f"Clan {clan} draws {{{clan}{self.card}}}")
        if self.target == self.origin:
            return draws + say(lang, ", sans effet.", ", without effect.")
        path, halted = _way_and_why_halted(self, s, lang)
        return f"{draws}{say(lang, ' : ', ': ')}{_return_in_words(path, s, lang)}.{halted}"


class Exhausted(Event, frozen=True):
    """The witch stands on the symbol of a neutral clan that has no card left."""

    clan: Open[race.Clan]
    place: Open[race.Place]

    def apply(self, s: race.State) -> race.State:
        return s

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        fr, en = (
            "Le clan {letter} n’a plus de cartes : rien ne se passe.",
            "Clan {letter} has no cards left: nothing happens.",
        )
        return self.say(lang, fr, en, letter=race.letter_of_clan(s, self.clan))


def _way_and_why_halted(event: Flew | Carried | Played | Drawn, s: race.State, lang: Lang) -> tuple[Phrase, Phrase]:
    """Tells how a witch got from one place to another, and why her own clan's number does not carry her on."""
    halted = words.why_halted(event.apply(s), lang)
    path = words.target_in_words(event.target, lang) if halted else words.way_in_words(event.origin, event.target, lang)
    return path + words.tile_in_brackets(s, event.target), halted


def _return_in_words(path: Phrase, s: race.State, lang: Lang) -> Phrase:
    return say(lang, f"{{{s.active}}} recule {path}", f"{{{s.active}}} back {path}")


# --- 7. The end ----------------------------------------------------------------------------------------------


class Finished(Event, frozen=True):
    """A seat has its three witches in the goal (7.1): the race is over, with these scores in seat order."""

    seat: Open[Seat]
    scores: Open[Annotated[tuple[Annotated[int, msgspec.Meta(ge=0, le=12)], ...], msgspec.Meta(max_length=4)]]
    winners: Open[Annotated[tuple[Seat, ...], msgspec.Meta(min_length=1, max_length=4)]]

    def apply(self, s: race.State) -> race.State:
        if len(self.scores) != s.seats or max(self.seat, *self.winners) >= s.seats:
            raise ValueError("every seat has a score")
        return replace(s, finisher=self.seat, scores=self.scores, winners=self.winners)

    def tell(self, s: race.State, lang: Lang) -> Phrase:
        who, many, best = seats_joined(self.winners, lang), len(self.winners) > 1, max(self.scores)
        fr = f"La course est finie. {who} {'gagnent' if many else 'gagne'} avec {best} points."
        return say(lang, fr, f"The race is over. {who} {'win' if many else 'wins'} with {best} points.")
