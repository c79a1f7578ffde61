"""What happens in Niigata, in the order of RULES.*.md: its moves, and the facts that they make."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Any, Literal

import msgspec
from msgspec.structs import replace

from pbem.games.niigata import facts_tiles, rules_ponds, words
from pbem.games.niigata.facts_state import (
    Picking,
    State,
    is_taking_compulsory,
    next_phase_seat_and_step,
    next_picker,
    tiles_matching_dice,
)
from pbem.games.niigata.facts_tiles import Colour, Tile, animals_on_tile, cell_in_language
from pbem.kit.choices import Lazy
from pbem.kit.contract import IllegalMove, Phrase, Seat, Step
from pbem.kit.game.facts import Event
from pbem.kit.game.moves import Move, Reason
from pbem.kit.secrecy import Hidden, Open, Shown, less, put
from pbem.kit.texts import Lang, Text
from pbem.kit.words import AND, T, counted, joined, put_in, say, seats_joined, step

_CELL = "(0|[1-9][0-9]?[EW]([1-9][0-9]?[NS])?|[1-9][0-9]?[NS])"
_END = r"$(?!\n)"  # `$` alone would let a newline follow
Cell = Annotated[str, msgspec.Meta(pattern=f"^{_CELL}{_END}", max_length=6)]
"""A cell by its offset from the start tile: "0", "2N", "3W1S"."""
PieceName = Annotated[str, msgspec.Meta(pattern=rf"^{_CELL}\.[NESW]{_END}", max_length=8)]
"""A pond piece: its cell and one of the sides it reaches."""
Rotation = Annotated[int, msgspec.Meta(ge=0, le=3)]
Tiles = Annotated[tuple[Tile, ...], msgspec.Meta(max_length=12)]
Seats = Annotated[int, msgspec.Meta(ge=2, le=6)]
Points = Annotated[int, msgspec.Meta(ge=-1000, le=1000)]


# --- 2. Setting up -------------------------------------------------------------------------------------------


class LaidOut(Event, frozen=True):
    """The start tile lies, some tiles are put away unseen and the others shuffled; the highest roll throws first."""

    seats: Open[Seats]
    picking: Open[Picking]
    thrower: Open[Seat]
    stock: Hidden[Annotated[tuple[Tile | None, ...], msgspec.Meta(max_length=79)]]
    removed: Hidden[Annotated[tuple[Tile | None, ...], msgspec.Meta(max_length=79)]]

    def apply(self, s: State | None) -> State:
        seats, (frontier, ponds) = self.seats, rules_ponds.ponds_at_beginning()
        return State(
            seats, self.picking, self.thrower, self.stock, breeders=(facts_tiles.BREEDERS[seats],) * seats,
            laid=rules_ponds.START_LAID, frontier=frontier, ponds=ponds, hands=((),) * seats, passed=(False,) * seats,
            wasted=(0,) * seats,
        )  # fmt: skip

    def tell(self, s: State | None, lang: Lang) -> Phrase:
        fr, en = "{left} tuiles, {how} ; {thrower} lance en premier.", "{left} tiles, {how}; {thrower} rolls first."
        return self.say(lang, fr, en, left=len(self.stock), how=_HOW[self.picking][lang])


_HOW: dict[Picking, Text] = {
    "turns": T("à tour de rôle", "taken in turn"),
    "compulsory": T("on ne passe pas", "no passing"),
    "grab": T("tous à la fois", "first come, first served"),
}


# --- 3. A round ----------------------------------------------------------------------------------------------


class Thrown(Event, frozen=True):
    """A round began: tiles were turned up and the dice thrown."""

    seat: Open[Seat]
    colour: Open[Colour]
    number: Open[Annotated[int, msgspec.Meta(ge=2, le=5)]]
    display: Shown[Tiles]

    def apply(self, s: State) -> State:
        if len(self.display) > len(s.stock):
            raise ValueError("there are not so many tiles in the stock")
        return replace(
            s, phase="pick", thrower=self.seat, active=None if s.picking == "grab" else (self.seat + 1) % s.seats,
            round=s.round + 1, step=0, colour=self.colour, number=self.number, display=self.display,
            stock=s.stock[len(self.display) :], passed=(False,) * s.seats,
        )  # fmt: skip

    def tell(self, s: State, lang: Lang) -> Phrase:
        fr, en = "{seat} lance les dés : {die} et {number}.", "{seat} rolls the dice: {die} and {number}."
        return self.say(lang, fr, en, die=words.DIE[self.colour][lang])


# --- 4. Taking tiles -----------------------------------------------------------------------------------------


class Taken(Event, frozen=True):
    """A seat took a tile of the display."""

    seat: Open[Seat]
    tile: Open[Tile]

    told = T("{seat} prend {tile}.", "{seat} takes {tile}.")

    def apply(self, s: State) -> State:
        hands = put(s.hands, self.seat, (*s.hands[self.seat], self.tile))
        active = next_picker(s, self.seat, hands, s.passed)
        return replace(s, display=less(s.display, self.tile), hands=hands, active=active, step=s.step + 1)


class Take(Move, frozen=True):
    """Take this tile of the display."""

    tile: Tile

    makes, typed, name = Taken, ("take {tile}", "{tile}"), T("{tile}", "{tile}")
    gone = Reason("4.1", T(
        "{tile} n’est pas ou plus sur la table : prenez-en une autre.",
        "{tile} is not on display: take another tile."))  # fmt: skip
    too_many = Reason("4.2", T(
        "{tile} ne va pas avec les dés : plus de {number} animaux.",
        "{tile} does not match the dice: more than {number} animals."))  # fmt: skip
    wrong_carp = Reason("4.2", T(
        "{tile} n’a pas de carpe de la couleur du dé.", "{tile} shows no carp of the colour rolled."))  # fmt: skip

    @classmethod
    def every(cls, s: State, seat: int) -> list[Take]:
        return [cls(tile) for tile in s.display]

    @classmethod
    def legal(cls, s: State, seat: int) -> list[Take]:
        good = s.display if s.picking == "grab" else tiles_matching_dice(s)
        return [cls(tile) for tile in s.display if tile in good]

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if self.tile not in s.display:
            yield self.gone(tile=self.tile)
        if s.picking != "grab" and self.tile not in tiles_matching_dice(s):
            why = self.too_many if sum(animals_on_tile(self.tile)) > s.number else self.wrong_carp
            yield why(tile=self.tile, number=s.number)

    def tell(self, s: State, lang: Lang) -> Phrase:
        costs = T("elle ne va pas avec les dés et coûte un point", "it does not match the dice and costs a point")
        what = costs[lang] if self._costs_a_point(s) else words.animals_in_words(animals_on_tile(self.tile), lang)
        return self.say(lang, "Vous prenez {tile} : {what}.", "You take {tile}: {what}.", what=what)

    def path(self, s: State, lang: Lang) -> tuple[Step, ...]:
        costs = " (−1)" * self._costs_a_point(s)
        return (step(f"take-{self.tile}", self.say(lang, "Prendre {tile}", "Take {tile}") + costs, lang),)

    def _costs_a_point(self, s: State) -> bool:
        """Returns whether the tile may be grabbed, but costs a point (4.5)."""
        return s.picking == "grab" and s.phase == "pick" and self.tile not in tiles_matching_dice(s)


class Passed(Event, frozen=True):
    """A seat takes no more tiles this round, or put no breeder down."""

    seat: Open[Seat]

    def apply(self, s: State) -> State:
        if s.phase == "claim":
            phase, active, step = next_phase_seat_and_step(self.seat, s.hands, s.step)
            return replace(s, phase=phase, active=active, step=step)
        if s.phase != "pick":
            raise ValueError("one passes over a tile or a breeder")
        passed = put(s.passed, self.seat, True)
        return replace(s, passed=passed, active=next_picker(s, self.seat, s.hands, passed), step=s.step + 1)

    def tell(self, s: State, lang: Lang) -> Phrase:
        if s.phase == "claim":
            return self.say(lang, "{seat} garde ses éleveurs.", "{seat} places no breeder.")
        return self.say(lang, "{seat} ne prend plus de tuile.", "{seat} takes no more tiles.")


class Pass(Move, frozen=True):
    """Take no more tiles this round; or put no breeder down after this tile."""

    makes, typed, name = Passed, ("pass", "{nothing}"), T("rien", "nothing")
    must_take = Reason("4.4", T(
        "À cette table, on ne passe pas : prenez une tuile qui va avec les dés.",
        "At this table no one passes: take a tile that matches the dice."))  # fmt: skip

    @classmethod
    def read(cls, nothing: str = "") -> Pass:
        return cls()

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if s.phase == "pick" and is_taking_compulsory(s):
            yield self.must_take()

    def tell(self, s: State, lang: Lang) -> Phrase:
        if s.phase == "claim":
            return say(lang, "Vous gardez vos éleveurs.", "You keep your breeders.")
        return say(lang, "Vous ne prenez plus de tuile ce tour-ci.", "You take no more tiles this round.")

    def path(self, s: State, lang: Lang) -> tuple[Step, ...]:
        return (step("pass", (words.NO_BREEDER if s.phase == "claim" else words.NO_MORE)[lang], lang),)


PASS = Pass()


class Waste(msgspec.Struct, frozen=True, forbid_unknown_fields=True, gc=False):
    """A tile that was taken and does not go with the dice."""

    seat: Seat
    tile: Tile


class PickingEnded(Event, frozen=True):
    """Nobody takes more tiles: wrong ones go to their takers' waste piles, those left are discarded."""

    wasted: Open[Annotated[tuple[Waste, ...], msgspec.Meta(max_length=12)]]
    discarded: Open[Tiles]

    def apply(self, s: State) -> State:
        hands, wasted = s.hands, s.wasted
        for waste in self.wasted:
            hands = put(hands, waste.seat, less(hands[waste.seat], waste.tile))
            wasted = put(wasted, waste.seat, wasted[waste.seat] + 1)
        phase, active, step = next_phase_seat_and_step(s.thrower - 1, hands, -1)
        return replace(s, hands=hands, wasted=wasted, display=(), phase=phase, active=active, step=step)

    def tell(self, s: State, lang: Lang) -> Phrase:
        """Tells what becomes of the tiles that nobody lays: those of the waste piles, else those left on the table."""
        if self.wasted:
            return self._tell_waste(lang)
        left, one = counted(len(self.discarded), words.TILE, lang), len(self.discarded) == 1
        if not any(s.hands) and not any(s.passed):
            fr = f"Rien ne va avec les dés : {left} {'défaussée' if one else 'défaussées'}."
            return say(lang, fr, f"Nothing matches the dice: {left} {'is' if one else 'are'} discarded.")
        if not self.discarded:
            return ""
        fr = f"Il reste {left} : {'elle est défaussée' if one else 'elles sont défaussées'}."
        return say(lang, fr, f"{left} {'is' if one else 'are'} left and discarded.")

    def _tell_waste(self, lang: Lang) -> Phrase:
        """Tells whose tiles do not match the dice; where there are many, their number."""
        count, verb = len(self.wasted), say(lang, "gâche", "wastes")
        if count == 1:
            seat, tile = put_in(self.wasted[0].seat), put_in(self.wasted[0].tile)
            fr = f"{tile} ne va pas avec les dés : {seat} la gâche."
            return say(lang, fr, f"{tile} does not match the dice: {seat} wastes it.")
        if count == 2:
            of_seat: dict[int, list[str]] = {}
            for waste in self.wasted:
                of_seat.setdefault(waste.seat, []).append(put_in(waste.tile))
            return ", ".join(f"{{{seat}}} {verb} {joined(tiles, lang)}" for seat, tiles in of_seat.items()) + "."
        fr = f"{count} tuiles prises ne vont pas avec les dés : gâchées."
        return say(lang, fr, f"{count} tiles taken do not match the dice: wasted.")


# --- 5. Laying tiles -----------------------------------------------------------------------------------------


class Placed(Event, frozen=True):
    """A seat laid one of its tiles."""

    seat: Open[Seat]
    tile: Open[Tile]
    cell: Open[Cell]
    rotation: Open[Rotation]

    def apply(self, s: State) -> State:
        frontier, ponds, closed = rules_ponds.ponds_after_tile(s.frontier, s.ponds, self.cell, self.tile, self.rotation)
        hands, free = put(s.hands, self.seat, less(s.hands[self.seat], self.tile)), s.free + closed
        laid = {**s.laid, self.cell: rules_ponds.Laid(self.tile, self.rotation)}
        phase, active, step = "claim", s.active, s.step
        if not (free and s.breeders[self.seat]):  # R22
            phase, active, step = next_phase_seat_and_step(self.seat, hands, step)
        return replace(
            s, frontier=frontier, ponds=ponds, free=free, hands=hands, laid=laid, phase=phase, active=active, step=step
        )

    def tell(self, s: State, lang: Lang) -> Phrase:
        done = Place(self.tile, self.cell, self.rotation).ponds_to_close_in_words(s, lang)
        done = f"{AND[lang]}{words.CLOSES[lang]} {done}" if done else ""
        fr, en = "{seat} pose {tile} en {where}{done}.", "{seat} lays {tile} at {where}{done}."
        return self.say(lang, fr, en, where=cell_in_language(self.cell, lang), done=done)


class Place(Move, frozen=True):
    """Lay a tile of one's own into an empty cell, turned clockwise by this number of quarters."""

    tile: Tile
    cell: Cell
    rotation: Rotation = 0

    makes = Placed
    typed = "place {tile} {cell} r{rotation}", "place {tile}{cell}{rotation}", "{called}{numbered}{rotation}"
    not_in_hand = Reason("5.1", T(
        "{tile} n’est pas devant vous : posez une tuile que vous avez prise.",
        "{tile} is not in front of you: lay a tile that you have taken."))  # fmt: skip
    occupied = Reason("5.2", T(
        "Il y a déjà une tuile en {cell} : choisissez une case vide.",
        "There is a tile at {cell} already: choose an empty cell."))  # fmt: skip
    not_adjacent = Reason("5.2", T(
        "La case {cell} ne touche aucune tuile : choisissez une case qui touche une tuile par un côté.",
        "The cell {cell} touches no tile: choose one that shares a side with a tile."))  # fmt: skip
    changed_beside = Reason("5.2", T(
        "À côté d’une de ces cases, quelque chose a changé : regardez de nouveau où poser.",
        "Something beside one of these cells has changed: look again where to lay."))  # fmt: skip
    no_such_rotation = Reason("5.2", T(
        "Une tuile se tourne de 0, 1, 2 ou 3 fois 90°, pas de {rotation} : choisissez un de ces nombres.",
        "A tile is rotated 0, 1, 2 or 3 times by 90°, not {rotation} times: choose one of these."))  # fmt: skip

    @classmethod
    def read(cls, rotation: int, tile: Tile | None = None, cell: str = "", **named: Any) -> Place:
        """Without a verb the tile is `called` by its letter, and the cell begins with a number."""
        return cls(tile or named["called"], cell or named["numbered"], rotation)

    @classmethod
    def every(cls, s: State, seat: int) -> tuple[Place, ...]:
        return ()  # thousands: they are named by tile, cell and rotation

    @classmethod
    def legal(cls, s: State, seat: int) -> Lazy[Place]:
        """Returns every tile, rotation and cell. Of rotations that look the same only the lowest is written (R21)."""
        cells, hand = rules_ponds.cells_in_reading_order(s.frontier), s.hands[seat]
        turns = [(tile, rotation) for tile in hand for rotation in facts_tiles.ROTATIONS[tile]]

        def at(index: int) -> Place:
            tile, rotation = turns[index // len(cells)]
            return cls(tile, cells[index % len(cells)], rotation)

        def has(move: Place) -> bool:
            return move.tile in hand and move.cell in s.frontier and move.rotation in facts_tiles.QUARTERS

        return Lazy(len(turns) * len(cells), at, has)

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        if self.tile not in s.hands[seat]:
            yield self.not_in_hand(tile=self.tile)
        if self.cell in s.laid:
            yield self.occupied(cell=self.cell)
        if self.cell not in s.frontier:
            yield self.not_adjacent(cell=self.cell)
        if self.rotation not in facts_tiles.QUARTERS:
            yield self.no_such_rotation(rotation=self.rotation)

    @property
    def lowest_rotation_of_same_look(self) -> int:
        """The lowest of the rotations that look the same."""
        return facts_tiles.SAME[self.tile][self.rotation]

    def fact(self, s: State, seat: int) -> Placed:
        return Placed(seat, self.tile, self.cell, self.lowest_rotation_of_same_look)

    def ponds_to_close_in_words(self, s: State, lang: Lang) -> str:
        """Returns the ponds that it closes; "" if it closes none."""
        return words.ponds_closed_in_words(
            words.animals_of_ponds_to_close(s, self.tile, self.cell, self.lowest_rotation_of_same_look), lang
        )

    def tell(self, s: State, lang: Lang) -> Phrase:
        where, done = cell_in_language(self.cell, lang), self.ponds_to_close_in_words(s, lang)
        if done:  # then there is less room for how it lies, which the board shows
            where += f" ({90 * self.lowest_rotation_of_same_look}°)" * bool(self.lowest_rotation_of_same_look)
            done = f"{AND[lang]}{words.CLOSE[lang]} {done}"
        else:
            where += words.rotation_in_words(self.tile, self.lowest_rotation_of_same_look, lang)
        fr, en = "Vous posez {tile} en {where}{done}.", "You lay {tile} at {where}{done}."
        return self.say(lang, fr, en, where=where, done=done)

    def path(self, s: State, lang: Lang) -> tuple[Step, ...]:
        """Returns the steps to it: tile, cell, rotation."""
        turn, done = (
            words.TURNED[self.lowest_rotation_of_same_look][lang].capitalize(),
            self.ponds_to_close_in_words(s, lang),
        )
        if done:
            turn += f"{say(lang, ' :', ':')} {words.CLOSES[lang]} {done}"
        at = step(f"at-{self.cell}", f"{say(lang, 'En', 'At')} {cell_in_language(self.cell, lang)}", lang)
        return lay_step(self.tile, lang), at, step(f"turn-{self.lowest_rotation_of_same_look}", turn, lang)

    def short(self, lang: Lang) -> Phrase:
        where = cell_in_language(self.cell, lang) + words.rotation_in_words(
            self.tile, self.lowest_rotation_of_same_look, lang
        )
        return self.say(lang, "{tile} en {where}", "{tile} at {where}", where=where)


def lay_step(tile: str, lang: Lang) -> Step:
    """Returns the step that chooses the tile to lay."""
    return step(f"lay-{tile}", say(lang, f"Poser {{{tile}}}", f"Lay {{{tile}}}"), lang)


class Claimed(Event, frozen=True):
    """A seat put a breeder on a closed pond, named by its first piece."""

    seat: Open[Seat]
    pond: Open[PieceName]

    def apply(self, s: State) -> State:
        pond, breeders = s.ponds[self.pond], put(s.breeders, self.seat, s.breeders[self.seat] - 1)
        ponds = {**s.ponds, self.pond: rules_ponds.Pond(pond.pieces, pond.animals, pond.open, self.seat)}
        phase, active, step = next_phase_seat_and_step(self.seat, s.hands, s.step)
        return replace(
            s, ponds=ponds, free=less(s.free, self.pond), breeders=breeders, phase=phase, active=active, step=step
        )

    def tell(self, s: State, lang: Lang) -> Phrase:
        where, total = cell_in_language(self.pond.partition(".")[0], lang), words.worth_in_words(s, self.pond, lang)
        fr, en = "{seat} place un éleveur en {where} : {total}.", "{seat} places a breeder at {where}: {total}."
        return self.say(lang, fr, en, where=where, total=total)


class Claim(Move, frozen=True):
    """Put a breeder on the closed pond that this piece belongs to."""

    pond: PieceName

    makes, typed = Claimed, ("claim {pond}", "take claim {pond}", "place claim {pond}")
    no_pond = Reason("5.4", T(
        "Il n’y a pas de bassin en {pond} : nommez une case et un côté où il y a de l’eau.",
        "There is no pond at {pond}: name a cell and a side of it that shows water."))  # fmt: skip
    open_pond = Reason("5.4", T(
        "Le bassin en {pond} est encore ouvert : choisissez-en un clos.",
        "The pond at {pond} is still open: choose a closed one."))  # fmt: skip
    taken_pond = Reason("5.4", T(
        "Le bassin en {pond} a déjà un éleveur : choisissez-en un libre.",
        "The pond at {pond} has a breeder already: choose a free one."))  # fmt: skip

    @classmethod
    def every(cls, s: State, seat: int) -> list[Claim]:
        return [cls(name) for name in s.free]

    @classmethod
    def legal(cls, s: State, seat: int) -> Lazy[Claim]:
        """Returns the free ponds by name; any other piece of the pond is accepted, too."""
        return Lazy(len(s.free), lambda index: cls(s.free[index]), lambda move: not any(move.why_not(s, seat)))

    def why_not(self, s: State, seat: int) -> Iterator[IllegalMove]:
        name = self.name_of_claimed_pond(s)
        if name not in s.ponds:
            yield self.no_pond(pond=self.pond)
        elif name not in s.free:
            yield (self.open_pond if s.ponds[name].open else self.taken_pond)(pond=self.pond)

    def name_of_claimed_pond(self, s: State) -> str:
        """Returns the name of the pond; of no pond, what was written."""
        return self.pond if self.pond in s.ponds else rules_ponds.pond_at(s, self.pond) or self.pond

    def fact(self, s: State, seat: int) -> Claimed:
        return Claimed(seat, self.name_of_claimed_pond(s))

    def tell(self, s: State, lang: Lang) -> Phrase:
        where, what = (
            words.place_of_pond_in_words(self.name_of_claimed_pond(s), lang),
            words.worth_in_words(s, self.name_of_claimed_pond(s), lang),
        )
        fr = f"Vous placez un éleveur sur le bassin en {where} : {what}."
        return say(lang, fr, f"You place a breeder on the pond at {where}: {what}.")

    def path(self, s: State, lang: Lang) -> tuple[Step, ...]:
        name = self.name_of_claimed_pond(s)
        where, what = words.place_of_pond_in_words(name, lang, short=True), words.worth_in_words(s, name, lang)
        return (step(f"claim-{name}", say(lang, f"Bassin {where} : {what}", f"Pond {where}: {what}"), lang),)

    def short(self, lang: Lang) -> Phrase:
        return say(lang, "le bassin en ", "the pond at ") + cell_in_language(self.pond.replace(".", " "), lang)


# --- 6. The end ----------------------------------------------------------------------------------------------


class Ended(Event, frozen=True):
    """The match is over; points in seat order, all who won."""

    reason: Open[Literal["breeders", "stock"]]
    scores: Open[Annotated[tuple[Points, ...], msgspec.Meta(max_length=6)]]
    winners: Open[Annotated[tuple[Seat, ...], msgspec.Meta(max_length=6)]]

    def apply(self, s: State) -> State:
        if not len(self.scores) == s.seats >= len(self.winners):
            raise ValueError("points are for everybody at the table")
        return replace(s, phase="over", active=None, over=self.reason, scores=self.scores, winners=self.winners)

    def tell(self, s: State, lang: Lang) -> Phrase:
        won, alone = seats_joined(self.winners, lang), len(self.winners) == 1
        total = counted(max(self.scores[seat] for seat in self.winners), words.POINT, lang)
        why = T("La pioche est épuisée", "The stock is empty")
        if self.reason == "breeders":
            why = T("Tous les éleveurs sont placés", "All breeders are placed")
        fr = f"{why.fr} : {won} {'gagne' if alone else 'gagnent'} avec {total}."
        return say(lang, fr, f"{why.en}: {won} {'wins' if alone else 'win'} with {total}.")
