"""The rules of Niigata, in the order of RULES.*.md: who is asked, what comes by itself, and all that describes it.

Which moves are legal, and why others are not, stands in `facts`.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from pbem.games.niigata import facts, facts_tiles, rules_pad
from pbem.games.niigata.facts import PASS, Claim, Pass, Place, Take
from pbem.games.niigata.facts_state import (
    NiigataOptions,
    State,
    is_asked_to_pick,
    is_taking_compulsory,
    tiles_matching_dice,
)
from pbem.games.niigata.orders import GUARDS, ORDERS, OwnOrders
from pbem.games.niigata.rules_ponds import cells_in_reading_order, points_and_leaders, scores
from pbem.games.niigata.words import NO_MORE, dice_in_words, place_of_pond_in_words
from pbem.kit.assemble import kinds_in
from pbem.kit.chance import Chance, Luck
from pbem.kit.contract import Ask, Candidate, DrawKind, Mark, Outcome, Pad, Phrase
from pbem.kit.game.facts import Event
from pbem.kit.game.knowing import Knows
from pbem.kit.game.moves import Move, Question
from pbem.kit.game.rules import Game
from pbem.kit.notation import plain_text, seat_letter, understand
from pbem.kit.texts import Lang, OptionText
from pbem.kit.words import OR, T, joined, put_in, say

# --- what binds the seat that is asked -----------------------------------------------------------------------


def prompt_to_take(s: State, seat: int, lang: Lang) -> Phrase:
    """Tells the dice, and that one may pass where one may (4.4)."""
    said = dice_in_words(s, lang)
    if is_taking_compulsory(s):
        fr = f"Prenez une tuile qui va avec les dés ({said})."
        return say(lang, fr, f"Take a tile that matches the dice ({said}).")
    fr = f"Prenez une tuile qui va avec les dés ({said}), ou passez."
    return say(lang, fr, f"Take a tile that matches the dice ({said}), or pass.")


def prompt_to_grab(s: State, seat: int, lang: Lang) -> Phrase:
    """Tells the dice, and whether it is the second tile."""
    said, second = dice_in_words(s, lang), bool(s.hands[seat])
    fr = f"Dés : {said}. Prenez {'encore ' * second}une tuile, ou arrêtez-vous."
    return say(lang, fr, f"Dice: {said}. Grab {'another' if second else 'a'} tile, or stop.")


def prompt_to_lay(s: State, seat: int, lang: Lang) -> Phrase:
    """Tells the tiles that the seat holds."""
    hand = joined(map(put_in, s.hands[seat]), lang, OR)
    fr = f"Posez {hand} à côté d’une tuile, tournée comme vous voulez."
    return say(lang, fr, f"Lay {hand} beside a tile, rotated as you like.")


def prompt_to_claim(s: State, seat: int, lang: Lang) -> Phrase:
    """Tells how many breeders are left."""
    left = s.breeders[seat]
    mine = T(f"un de vos {left} éleveurs", f"one of your {left} breeders")
    if left == 1:
        mine = T("votre dernier éleveur", "your last breeder")
    fr = f"Placez {mine.fr} sur un bassin clos, ou gardez-le."
    return say(lang, fr, f"Place {mine.en} on a closed pond, or keep it.")


# --- how moves are typed -------------------------------------------------------------------------------------

_FAR, _ACROSS, _ALONG, _NUMBER = " 0*[1-9][0-9]?", " [ew]", " [ns]", "(?: minus)? 0*[0-9]{1,2}"
_CELL = (
    f"(?: start|{_FAR}{_ACROSS}{_FAR}{_ALONG}|{_FAR}{_ALONG}{_FAR}{_ACROSS}|{_FAR} [nesw]"
    f"|{_ACROSS}{_FAR}{_ALONG}{_FAR}|{_ALONG}{_FAR}{_ACROSS}{_FAR}| [nesw]{_FAR}|{_NUMBER}{_NUMBER}| 0)"
)
"""By its way from the start tile in either order, by x and y, or the start tile itself."""
_NO_MORE = "(?: claim| take| place| turn| pass)*"
_NOTHING = "(?: claim| take| place| not)*"
_TURNS = {"zero": 0, "not": 0, "0": 0, "1": 1, "90": 1, "half": 2, "2": 2, "180": 2, "3": 3, "270": 3}
_APART = (
    # "1nn", "3w1sn", "1nr1": a side or a rotation right behind a cell, but not the French word in "20en 1n".
    (re.compile(r"(?<=[0-9])([nesow])(?!(?<=e)n *[0-9])([nesowr])(?![a-z])"), r"\1 \2"),
    # "taken20", "posen20"
    (re.compile(r"\b(take|grab|prends?|prendre|place|lay|put|pose|poser|mets)n(?=[0-9])"), r"\1 n"),
    (re.compile("[-−–‐‑](?=[0-9])"), " minus "),
)


def _parse_tile(text: str) -> facts_tiles.Tile | None:
    """Returns the tile of this number, if there is one."""
    number = int(text.split()[-1])
    return facts_tiles.NAMES[number - 1] if 1 <= number <= len(facts_tiles.NAMES) else None


def _parse_cell(text: str) -> str:
    """Returns the cell.

    >>> _parse_cell(" 1 s 3 w"), _parse_cell(" minus 3 1"), _parse_cell(" start")
    ('3W1S', '3W1S', '0')
    """
    words = text.replace("minus ", "-").split()
    far = dict(zip(filter(str.isalpha, words), (int(word) for word in words if not word.isalpha()), strict=False))
    if far:
        return facts_tiles.cell_name(far.get("e", 0) - far.get("w", 0), far.get("s", 0) - far.get("n", 0))
    return facts_tiles.cell_name(*map(int, words)) if len(words) == 2 else "0"


def _parse_pond(text: str) -> str:
    """Returns the piece of this cell and side."""
    *cell, side = (word for word in text.split() if word != "claim")
    return f"{_parse_cell(' '.join(cell))}.{side.upper()}"


def _parse_rotation(text: str) -> int | None:
    """Returns the quarter turns; None if the text names none."""
    said = [word for word in text.split() if word not in ("turn", "rotation")]
    if said:
        return _TURNS[said[0]]
    return None if "rotation" in text else int("turn" in text)


class Niigata(OwnOrders, Game):
    """What `Meta` and the layer are told; the methods below are the rules."""

    slug, title, minutes = "niigata", T("Les bassins de Niigata", "The Ponds of Niigata"), 40
    blurb = T(
        "Fermez des bassins pleins de carpes, et placez vos éleveurs sur les meilleurs.",
        "Close ponds full of carp, and place your few breeders on the best.",
    )
    seats, state, moves, events = (2, 3, 4, 5, 6), State, kinds_in(facts, Move), kinds_in(facts, Event)
    questions = {
        "pick": Question(
            T("Prenez une tuile", "Your turn to take a tile"),
            moves=(Take, Pass),
            prompt=prompt_to_take,
            public=True,
            hint=T(
                "Prenez une tuile qui va avec les dés. Vous la poserez quand chacun aura choisi.",
                "Take a tile that matches the dice. You lay it once everyone has chosen.",
            ),
        ),
        "grab": Question(
            T("Prenez une tuile, vite", "Grab a tile"),
            moves=(Take, Pass),
            prompt=prompt_to_grab,
            race=True,
            hint=T(
                "Premier arrivé, premier servi. Une tuile qui ne va pas avec les dés coûte un point.",
                "First come, first served. A tile that does not match the dice costs a point.",
            ),
        ),
        "place": Question(
            T("Posez une tuile", "Your turn to lay a tile"),
            moves=(Place,),
            prompt=prompt_to_lay,
            public=True,
            hint=T(
                "Choisissez une case vide, puis comment tourner la tuile. Un bassin est clos quand son eau ne "
                "donne plus sur une case vide.",
                "Choose an empty cell, then how to rotate the tile. A pond is closed once its water faces no "
                "empty cell.",
            ),
        ),
        "claim": Question(
            T("Placer un éleveur ?", "Place a breeder?"),
            moves=(Claim, Pass),
            prompt=prompt_to_claim,
            public=True,
            hint=T(
                "Un éleveur reste là jusqu’à la fin et vous en avez peu : attendez un bassin qui rapporte.",
                "A breeder stays there to the end, and you have few: wait for a pond that scores well.",
            ),
        ),
    }
    endings = {
        "breeders": T("tous les éleveurs sont placés", "all breeders are placed"),
        "stock": T("la pioche est épuisée", "the stock is used up"),
    }
    draws = {
        "stock": DrawKind(T("Ordre de la pioche", "Order of the stock")),
        "first": DrawKind(T("Qui lance les dés en premier", "Who rolls the dice first"), chooses_seat=True),
        "colour": DrawKind(T("Dé des couleurs", "Colour die")),
        "number": DrawKind(T("Dé chiffré", "Number die")),
    }
    traits, orders, guards = frozenset({"simultaneous"}), ORDERS, GUARDS
    sittings = ("pick", "place"), ("place", "claim"), ("claim", "place")
    # At most 78 tiles are shown, and 90 picks made of them, passes included; each tile is laid and claimed on once.
    bound, bot_version = 260, 2
    options, samples = NiigataOptions, (NiigataOptions("grab"), NiigataOptions("compulsory"))
    option_texts = {
        "picking": OptionText(
            T("Prendre les tuiles", "Taking tiles"),
            T(
                "À tour de rôle, et l’on peut passer ou non ; ou tous à la fois : premier arrivé, premier servi.",
                "In turn, where one may pass or not; or all at once: first come, first served.",
            ),
            {
                "turns": T("À tour de rôle", "In turn"),
                "compulsory": T("À tour de rôle, sans passer", "In turn, no passing"),
                "grab": T("Premier arrivé, premier servi", "First come, first served"),
            },
        )
    }
    marks = {tile: Mark(facts_tiles.symbol_of_tile_with_animals(tile), "c6") for tile in facts_tiles.PRINTED}
    bot_names = ("Aoi", "Chiyo", "Fumi", "Hana", "Kenta", "Mio", "Nao", "Ren", "Sora", "Taro", "Umi", "Yuna")
    shapes, on_board = ("portrait", "landscape", "low", "pad"), frozenset({"at"})
    foresees = False  # the board shows what was done, with the tiles that are still on display
    weights = {"Take": 6, "Claim": 3}

    # --- the rules, by the numbers of RULES.*.md -------------------------------------------------------------

    def begin(self, seats: int, options: NiigataOptions, luck: Luck) -> facts.LaidOut:
        """Shuffles the tiles and puts some away (2.3); the lot says who throws first (2.5, R20)."""
        shuffled, removed = luck.named("stock").shuffled(facts_tiles.NAMES), facts_tiles.REMOVED[seats]
        thrower = luck.named("first").below(seats)
        return facts.LaidOut(seats, options.picking, thrower, shuffled[removed:], shuffled[:removed])

    def asks(self, s: State) -> Sequence[Ask]:
        """Asks the next one for a tile, or all who may take more (4.3, 4.5); then who lays one, or has (5.1, 5.4)."""
        if s.active is not None:
            turn = f"r{s.round}.{'p' if s.phase == 'pick' else 't'}{s.step}"
            return (Ask(s.active, f"{turn}.{s.phase}", turn, s.phase),)
        turn = f"r{s.round}.grab"
        return [
            Ask(seat, f"{turn}.{seat_letter(seat)}{len(s.hands[seat]) + 1}", turn, "grab")
            for seat in range(s.seats)
            if is_asked_to_pick(s, seat)
        ]

    def next_fact(self, s: State, k: Knows, since: Sequence[Event]) -> Event | None:
        """Returns the end of the picking or of the match, the throw of a new round, and the only tile to be taken."""
        if s.phase == "pick":
            wanted = s.active is not None or any(is_asked_to_pick(s, seat) for seat in range(s.seats))
            if not wanted or tiles_matching_dice(s).isdisjoint(s.display):
                return self._end_picking(s)  # 4.6, R19
            if is_taking_compulsory(s) and s.active is not None:
                tile, *others = tiles_matching_dice(s).intersection(s.display)
                return None if others else facts.Taken(s.active, tile)  # R23
            return None
        if not any(s.breeders):
            return facts.Ended("breeders", *points_and_leaders(s))  # 6.1, R16
        if s.phase != "between":
            return None
        return self._throw_dice(s, k) if s.stock else facts.Ended("stock", *points_and_leaders(s))  # 6.1

    def _end_picking(self, s: State) -> facts.PickingEnded:
        """Puts the tiles that do not go with the dice on the waste piles (4.5)."""
        good = tiles_matching_dice(s)
        wasted = tuple(
            facts.Waste(seat, tile) for seat, hand in enumerate(s.hands) for tile in hand if tile not in good
        )
        return facts.PickingEnded(wasted, s.display)

    def _throw_dice(self, s: State, k: Knows) -> facts.Thrown:
        """Turns up two tiles a player, and throws the dice (3.1 to 3.3)."""
        seat = (s.thrower + 1) % s.seats if s.round else s.thrower  # R11
        tiles = tuple(tile for tile in k.need(s.stock[: 2 * s.seats]) if tile)
        colour = k.named(f"colour:r{s.round + 1}").roll(facts_tiles.COLOUR_DIE)
        number = k.named(f"number:r{s.round + 1}").roll(facts_tiles.NUMBER_DIE)
        return facts.Thrown(seat, colour, number, tiles)

    def check_event(self, s: State | None, event: Any) -> None:
        """Refuses what comes after the end."""
        super().check_event(s, event)
        if s is not None and s.over:
            raise ValueError("nothing can happen after the end")

    def outcome(self, s: State) -> Outcome | None:
        """Returns who won, and everybody's points (6.5)."""
        return None if s.over is None else Outcome(s.over, s.winners, s.scores)

    def scores(self, s: State) -> tuple[int, ...]:
        """Returns the points of each seat so far: its ponds less its waste pile (6.2, 6.4)."""
        return scores(s)

    def fallback(self, fold: State, seat: int, chance: Chance) -> Move:
        """Returns what disturbs least (R18): no tile, or one of few animals; no breeder; a place that joins no carp."""
        if fold.phase == "pick" and is_taking_compulsory(fold):
            return min(Take.legal(fold, seat), key=lambda take: sum(facts_tiles.animals_on_tile(take.tile)))
        if fold.phase != "place":
            return PASS
        tile = fold.hands[seat][0]
        cells, water = cells_in_reading_order(fold.frontier), facts_tiles.FACES[tile][0].sides

        def joins_carps(cell: str) -> bool:
            names = (name for side, name in enumerate(fold.frontier[cell]) if water[side] >= 0)
            return any(any(pond.animals[:3]) for name in names if (pond := fold.ponds.get(name)))

        return Place(tile, next((cell for cell in cells if not joins_carps(cell)), cells[0]), 0)

    # --- moves as they are typed (8) -------------------------------------------------------------------------

    hint = T(
        "Écrivez par exemple : prends N20 (une tuile) · passe · pose N20 3O1S r1 (tuile, case, quarts de tour) · "
        "éleveur 3O1S N (un bassin : case et côté). Case : 3O1S est à 3 à l’ouest et 1 au sud de la tuile de "
        "départ, qui est 0.",
        "Write for example: take N20 (a tile) · pass · place N20 3W1S r1 (tile, cell, quarter turns) · "
        "claim 3W1S N (a pond: cell and side). A cell: 3W1S is 3 to the west and 1 to the south of the start tile, "
        "which is 0.",
    )
    kinds = {
        "tile": ("(?: n)? [0-9]+", _parse_tile),
        "called": (" n [0-9]+", _parse_tile),
        "cell": (_CELL, _parse_cell),
        "numbered": (f"(?! [nesw]){_CELL}", _parse_cell),
        "rotation": (f"(?: turn| rotation)*(?: (?:{'|'.join(_TURNS)}))?(?: turn| rotation)*", _parse_rotation),
        "pond": (f"(?: claim)*{_CELL}(?: claim)* [nesw](?: claim)*", _parse_pond),
        "nothing": (f"{_NO_MORE} pass{_NO_MORE}|{_NOTHING} not{_NOTHING}", str),
    }
    vocabulary = {
        "take": "take takes grab grabs prend prends prendre prenez pioche piocher choisis choisir attrape",
        "place": "place places placez lay lays put pose poser posez placer mets met mettre mettez",
        "claim": "claim claims breeder breeders eleveur eleveurs bassin pond reclame reclamer revendique",
        "pass": "pass passe passer passes passez stop stops stoppe arrete arreter rien aucun aucune non no none "
        "nothing skip garde garder gardez keep plus done fini enough assez",
        "not": "not pas don dont",
        "rotation": "r rot rotation",
        "turn": "turn turns turned quart quarts quarter quarters tour tours tourne tournee tourner tournez rotated",
        "half": "demi half",
        "n": "n north nord",
        "e": "e east est",
        "s": "s south sud",
        "w": "w west o ouest",
        "start": "start depart",
        "zero": "sans without zero",
        "1": "one",
        "2": "two deux",
        "3": "three trois",
    }
    fillers = (
        "a and at au aux avec by case ce cell ci clockwise cote d de degrees degres do droite du en et horaire i in it "
        "j je l la le les ll m ma me merci mes mon more my ne of on par please right sens side sur svp t thank thanks "
        "that the this tile tiles to tuile tuiles un une vers vos vous want with veux you your round"
    )

    def parse(self, text: str, seat: int | None = None) -> Any:
        """Reads numbers below zero, too, and what stands right behind a number."""
        return understand(
            text, lambda typed: self._patterns.read(self._plain_text_with_numbers_apart(typed)), self.hint
        )

    def _plain_text_with_numbers_apart(self, text: str) -> str:
        plain = plain_text(text)
        for glued, apart in _APART:
            plain = glued.sub(apart, plain)
        return plain

    def format(self, move: Move) -> str:
        """Returns the move by its first pattern, with the side of a pond as a word of its own."""
        return super().format(move).replace(".", " ")

    # --- offered ---------------------------------------------------------------------------------------------

    def pad(self, ask: Ask, fold: State, lang: Lang) -> Pad:
        """Returns the answers in short, with a map as long as it is small."""
        return rules_pad.pad(ask, fold, lang)

    def candidates(self, ask: Ask, fold: State, lang: Lang) -> Iterator[Candidate]:
        """Yields the tiles on display, or every pond with animals."""
        if ask.kind in ("pick", "grab"):
            yield from (Candidate(put_in(tile), Take(tile)) for tile in fold.display)
        if ask.kind == "pick" and is_taking_compulsory(fold):
            yield Candidate(NO_MORE[lang], PASS)
        if ask.kind == "claim":
            for name in sorted(fold.ponds, key=facts_tiles.piece_order_key):
                if any(fold.ponds[name].animals):
                    yield Candidate(place_of_pond_in_words(name, lang), Claim(name))


RULES = Niigata()
