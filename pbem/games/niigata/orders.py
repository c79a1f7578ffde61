"""What a seat of Niigata may order beside fixed answers and lists, and when it may want to be asked."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec

from pbem.games.niigata.bots import best_place, least_gain_for_breeder
from pbem.games.niigata.facts import PASS, Claim, Pass, Place, Take
from pbem.games.niigata.facts_state import State, is_taking_compulsory, tiles_matching_dice
from pbem.games.niigata.facts_tiles import FACES, QUARTERS, ROTATIONS, Tile, cell_in_language, neighbours_of_cell
from pbem.games.niigata.rules_ponds import cells_in_reading_order, join_ponds, worth_of_pond
from pbem.games.niigata.words import TURNED
from pbem.kit.assemble import NoOrders
from pbem.kit.chance import Chance
from pbem.kit.contract import Ask, GuardKind, Move, Order, OrderKind, Parameter, PlayerView
from pbem.kit.orders.shapes import Always, Line, Prefer, moves_of
from pbem.kit.texts import Lang
from pbem.kit.words import OR, T, joined, put_in, say

EMPTY = "-"
MOST_PLACES = 6
_BESIDE = r"(-|I|N[0-9]{2})"
Beside = Annotated[str, msgspec.Meta(pattern=rf"^{_BESIDE}(\.{_BESIDE}){{3}}$(?!\n)", max_length=15)]
"""The tiles beside a cell in the order N, E, S, W, `-` where it is empty."""


class LayThere(Order, frozen=True):
    """Lay the first of these tiles that one holds in its place, if nothing beside that cell has changed; else ask.

    `beside` says what lay around the cell of each. `margin`: ask, too, if the tile could by now close a pond elsewhere
    that counts at least this many points more than what it closes there; 0: never.
    """

    moves: Annotated[tuple[Place, ...], msgspec.Meta(min_length=1, max_length=MOST_PLACES)]
    beside: Annotated[tuple[Beside, ...], msgspec.Meta(min_length=1, max_length=MOST_PLACES)]
    margin: Annotated[int, msgspec.Meta(ge=0, le=30)] = 0


class Breed(Order, frozen=True):
    """Put a breeder on the free pond that counts most, if it counts at least this many points; else put none."""

    least: Annotated[int, msgspec.Meta(ge=1, le=30)]


def _lay_there_order_in_words(order: LayThere, lang: Lang) -> str:
    at = say(lang, " en ", " ")
    places = joined((f"{put_in(move.tile)}{at}{cell_in_language(move.cell, lang)}" for move in order.moves), lang, OR)
    more_fr = f" et si elle ne peut fermer ailleurs aucun bassin valant {order.margin} de plus" if order.margin else ""
    more_en = f" and it could close no pond elsewhere worth {order.margin} more" if order.margin else ""
    fr = f"Pose {places}, si rien n’a changé à côté de la case{more_fr} ; sinon, vous choisissez."
    return say(lang, fr, f"Lays {places}, if nothing beside the cell has changed{more_en}; if not, you choose.")


_BREED = T(
    "Place un éleveur sur le bassin libre qui vaut le plus s’il vaut au moins {}, sinon aucun.",
    "Places a breeder on the free pond worth most if it is worth at least {}, else none.",
)

_THERE = {
    "moves": Parameter(
        T("Poser la première de ces tuiles que vous avez", "Lay the first of these tiles that you hold"),
        parts={
            "tile": Parameter(
                T("Tuile", "Tile"), lambda fold, seat: (*fold.hands[seat], *fold.display), lambda tile, _: put_in(tile)
            ),
            "cell": Parameter(T("Case", "Cell"), lambda fold, seat: cells_in_reading_order(fold.frontier),
            cell_in_language),
            "rotation": Parameter(
                T("Sens", "Rotation"), lambda fold, seat: QUARTERS, lambda quarters, lang: TURNED[quarters][lang]
            ),
        },
    ),
    "beside": Parameter(
        T("Ce qui est à côté", "What lies beside"),
        filled=lambda given, fold, seat: [tiles_beside_cell_in_notation(fold, move["cell"]) for move in given["moves"]],
    ),
    "margin": Parameter(
        T("Me demander si elle peut fermer ailleurs un bassin qui vaut ce nombre de points de plus (0 : jamais)",
          "Ask me if it could close a pond elsewhere worth this many points more (0: never)")
    ),
}  # fmt: skip
_LEAST = {
    "least": Parameter(T("Sur un bassin qui vaut au moins ce nombre de points",
                         "On a pond worth at least this many points")),
}  # fmt: skip

ORDERS = (
    OrderKind(
        LayThere, "lay", ("place",), T("Poser là", "Lay it there"), _lay_there_order_in_words,
        (
            LayThere(moves=(Place("N20", "1N", 1),), beside=("-.-.I.-",)),
            LayThere(
                moves=(Place("N36", "1E", 0), Place("N01", "1S", 2), Place("N79", "2W1S", 0)),
                beside=("-.-.-.I", "I.-.-.-", "N10.-.N11.-"),
                margin=2,
            ),
        ),
        _THERE,
    ),
    OrderKind(
        Breed, "breeder", ("claim",), T("Un éleveur", "A breeder"),
        lambda order, lang: _BREED[lang].format(order.least), (Breed(least=4),), _LEAST, "match",
    ),
)  # fmt: skip

GUARDS = {
    "closing": GuardKind(T("un bassin clos est libre", "a closed pond is free"), lambda fold, seat: bool(fold.free)),
    "ending": GuardKind(T("la pioche est vide", "the stock is empty"), lambda fold, seat: not fold.stock),
    "last": GuardKind(
        T("il vous reste un seul éleveur", "you have one breeder left"), lambda fold, seat: fold.breeders[seat] == 1
    ),
}


def tiles_beside_cell_in_notation(fold: State, cell: str) -> str:
    """Returns the tiles beside a cell, as orders write them."""
    return ".".join(fold.laid[name].tile if name in fold.laid else EMPTY for name in neighbours_of_cell(cell))


_MARGIN = 4
"""How much more a pond elsewhere must count for a typical person to want to be asked again."""


class OwnOrders(NoOrders):
    """What is done with orders: who follows them, when they are refused, and which a typical person leaves."""

    def follow(self, order: Order, fold: State, ask: Ask, chance: Chance) -> Move | None:
        """Returns the placement, if nothing beside its cell has changed; the breeder, or none."""
        if isinstance(order, Breed):
            best = max(fold.free, key=lambda name: worth_of_pond(fold.ponds[name].animals).points)
            return Claim(best) if worth_of_pond(fold.ponds[best].animals).points >= order.least else PASS
        assert isinstance(order, LayThere), "an order of Niigata"
        places = zip(order.moves, order.beside, strict=False)
        move, seen = next(((move, seen) for move, seen in places if move.tile in fold.hands[ask.seat]), (None, ""))
        if move is None or move.cell not in fold.frontier or tiles_beside_cell_in_notation(fold, move.cell) != seen:
            return None
        if order.margin:
            there = _points_of_best_pond_closed(fold, move.tile, move.cell, move.rotation)
            elsewhere = (
                _points_of_best_pond_closed(fold, move.tile, cell, r)
                for cell in fold.frontier
                for r in ROTATIONS[move.tile]
            )
            if any(points >= there + order.margin for points in elsewhere):
                return None
        return move

    def check_order(self, order: Order, fold: State, seat: int) -> None:
        """Refuses a list of tiles that nobody can take in this round, and a place that is none or has changed."""
        if isinstance(order, LayThere):
            for move in order.moves:
                if move.cell in fold.laid:
                    raise Place.occupied(cell=move.cell)
                if move.cell not in fold.frontier:
                    raise Place.not_adjacent(cell=move.cell)
            if order.beside != tuple(tiles_beside_cell_in_notation(fold, move.cell) for move in order.moves):
                raise Place.changed_beside()
        moves = moves_of(order)
        if (
            isinstance(order, (Always, Line, Prefer))
            and order.kind == "pick"
            and PASS in moves
            and is_taking_compulsory(fold)
        ):
            raise Pass.must_take()
        if order.scope != "match" and fold.phase == "pick":
            taken = [move for move in moves if isinstance(move, Take) and move.tile not in fold.display]
            if taken and len(taken) == len(moves):
                raise Take.gone(tile=taken[0].tile, left=", ".join(fold.display))

    def answers(self, kind: str, fold: State, seat: int) -> Sequence[Any]:
        """Returns all answers that may be looked for; no pass over tiles where nobody passes."""
        every: Sequence[Any] = super().answers(kind, fold, seat)
        return [move for move in every if move != PASS] if kind == "pick" and is_taking_compulsory(fold) else every

    def round_of(self, fold: State) -> int:
        """Returns the number of the round."""
        return fold.round

    def typical(self, view: PlayerView, seat: int, chance: Chance) -> list[Order]:
        """Returns those of a person who ranks the tiles they can take, says where theirs go, and saves breeders."""
        fold: State = view.fold
        if fold.phase in ("between", "over"):
            return []
        orders: list[Order] = [Breed(least=least_gain_for_breeder(fold, seat))]
        tiles = list(fold.hands[seat])
        if fold.phase == "pick" and fold.picking != "grab":
            wanted = [tile for tile in fold.display if tile in tiles_matching_dice(fold)]
            nothing = () if is_taking_compulsory(fold) else (PASS,)
            ranked = sorted(wanted, key=lambda tile: best_place(fold, seat, tile)[0], reverse=True)
            orders.append(Prefer[Any](kind="pick", moves=(*map(Take, ranked), *nothing)))
            tiles += ranked[: MOST_PLACES - len(tiles)]
        if tiles:
            moves = sorted((best_place(fold, seat, tile) for tile in tiles), key=lambda found: found[0], reverse=True)
            places = tuple(move for _, move in moves)
            seen = tuple(tiles_beside_cell_in_notation(fold, move.cell) for move in places)
            orders.append(LayThere(moves=places, beside=seen, margin=_MARGIN))
        return orders


def _points_of_best_pond_closed(fold: State, tile: Tile, cell: str, rotation: int) -> int:
    """Returns the points of the best pond that the tile closes there; 0 if it closes none."""
    ponds, _ = join_ponds(fold.ponds, fold.frontier[cell], cell, FACES[tile][rotation])
    return max((worth_of_pond(pond.animals).points for pond in ponds.values() if not pond.open), default=0)
