"""What a seat of Hexen Rennen may order beside fixed answers and lists, and when it may want to be asked."""

from typing import Annotated

import msgspec
from msgspec.structs import replace

from pbem.games.hexen_rennen import facts_race as race
from pbem.games.hexen_rennen.bots import greedy
from pbem.games.hexen_rennen.facts import Fly, Leave, Play
from pbem.games.hexen_rennen.rules import RULES, Race
from pbem.games.hexen_rennen.words import TILE, which_witch
from pbem.kit.chance import Chance
from pbem.kit.contract import Ask, GuardKind, Move, Order, OrderKind, Parameter, PlayerView
from pbem.kit.texts import Lang
from pbem.kit.words import OR, T, counted, joined, say

Steps = Annotated[int, msgspec.Meta(ge=1, le=race.COURSE)]
Face = Annotated[int, msgspec.Meta(ge=1, le=6)]
Six = Annotated[tuple[race.Origin | None, ...], msgspec.Meta(min_length=6, max_length=6)]


class Dice(Order, frozen=True):
    """Fly the witch that stands at this place, for each face of the die from 1 to 6; None: ask.

    `unseen`: ask, too, if the tile has been turned up where she would land by one of these faces.
    """

    witches: Six
    unseen: Annotated[tuple[Face, ...], msgspec.Meta(max_length=6)] = ()


class SendBack(Order, frozen=True):
    """At another's witch on one's symbol: the card that sends her back farthest if that is far enough, else leave her.

    Obliged to play, if none is far enough: the card that sends her back least. `spare`: the same at witches of somebody
    whose three are together more than this many tiles behind one's own; 0 spares nobody.
    """

    least: Steps
    spare: Annotated[int, msgspec.Meta(ge=0, le=3 * race.COURSE)] = 0


class Advance(Order, frozen=True):
    """At one's own witch on one's symbol: the card that takes her farthest if that is far enough, else keep them."""

    least: Steps


def _witch_to_fly_in_words(place: int | None, lang: Lang) -> str:
    if place is None:
        return say(lang, "à vous de choisir", "you choose")
    return which_witch(place, lang)


def _dice_order_in_words(order: Dice, lang: Lang) -> str:
    told = [f"{face} : {_witch_to_fly_in_words(at, lang)}" for face, at in zip(race.FACES, order.witches, strict=True)]
    if lang == "en":
        told = [one.replace(" :", ":") for one in told]
    faces = joined(order.unseen, lang, OR)
    fr = f" Vous choisissez aussi si la tuile où elle arriverait par {faces} a été retournée."
    turned = say(lang, fr, f" You also choose if the tile where she would land with {faces} has been turned up.")
    flies = say(lang, "Selon le dé, vole avec la sorcière : ", "For each roll, flies the witch: ")
    return f"{flies}{', '.join(told)}.{turned if faces else ''}"


def _send_back_in_words(order: SendBack, lang: Lang) -> str:
    fr = f" Épargne les joueurs qui ont plus de {order.spare} tuiles de retard sur vous."
    spared = say(lang, fr, f" Spares players more than {order.spare} tiles behind you.")
    sent = say(
        lang,
        f"Sur votre symbole, renvoie la sorcière d’un autre le plus loin possible si elle recule d’au moins "
        f"{counted(order.least, TILE, lang)}, sinon la laisse ; si vous devez jouer, le moins loin possible.",
        f"On your symbol, sends another player’s witch back as far as possible if that is at least "
        f"{counted(order.least, TILE, lang)}, else leaves her; if you must play, as little as possible.",
    )
    return sent + (spared if order.spare else "")


def _advance_in_words(order: Advance, lang: Lang) -> str:
    return say(
        lang,
        f"Sur votre symbole, avance votre sorcière le plus loin possible si c’est d’au moins "
        f"{counted(order.least, TILE, lang)}, sinon garde vos cartes.",
        f"On your symbol, moves your own witch as far as possible if that is at least "
        f"{counted(order.least, TILE, lang)}, else keeps your cards.",
    )


_DICE = {
    "witches": Parameter(
        T("Quelle sorcière vole, selon le dé ?", "Which witch flies, by the die?"),
        lambda fold, seat: [None, *sorted({place for place in fold.witches[seat] if place <= race.COURSE})],
        _witch_to_fly_in_words,
        tuple(T(f"Dé {n}", f"Die {n}") for n in race.FACES),
    ),
    "unseen": Parameter(
        T("Me demander quand même si la tuile où elle arrive a été retournée, pour ces jets",
          "Ask me anyway if the tile where she lands has been turned up, for these rolls"),
        lambda fold, seat: race.FACES,
    ),
}  # fmt: skip
_BACK = {
    "least": Parameter(T("La renvoyer si elle recule d’au moins ce nombre de tuiles",
                         "Send her back if she goes back at least this many tiles")),
    "spare": Parameter(T("Épargner les joueurs qui ont plus de tuiles de retard sur vous que ce nombre (0 : personne)",
                         "Spare players more than this many tiles behind you (0: no one)")),
}  # fmt: skip
_ADVANCE = {
    "least": Parameter(T("La faire avancer si c’est d’au moins ce nombre de tuiles",
                         "Move her forward if she gains at least this many tiles")),
}  # fmt: skip

ORDERS = (
    OrderKind(
        Dice, "dice", ("fly",), T("Une sorcière par face du dé", "A witch for each face of the die"),
        _dice_order_in_words,
        (Dice(witches=(0, 0, 0, 0, 0, 0), scope="turn"), Dice(witches=(None, 48, 0, 7, None, 12))),
        _DICE, "turn",
    ),
    OrderKind(
        SendBack, "back", ("foreign",), T("Renvoyer au plus loin", "Send back farthest"), _send_back_in_words,
        (SendBack(least=1), SendBack(least=6, spare=20), SendBack(least=race.COURSE)),
        _BACK, "match",
    ),
    OrderKind(
        Advance, "advance", ("own",), T("Avancer au plus loin", "Advance farthest"), _advance_in_words,
        (Advance(least=1), Advance(least=6)),
        _ADVANCE, "match",
    ),
)  # fmt: skip

GUARDS = {
    "turned": GuardKind(
        T("une de vos tuiles est visible à la dernière étape", "one of your tiles is face up in the last stage"),
        lambda fold, seat: any(
            tile is not None and race.owner_of_tile(fold, tile) == seat for tile in fold.shown[2 * race.COURSE // 3 :]
        ),
    ),
    "arrived": GuardKind(
        T("une de vos sorcières est arrivée", "one of your witches has arrived"),
        lambda fold, seat: fold.witches[seat][-1] > race.COURSE,
    ),
    "ending": GuardKind(
        T("quelqu’un a deux sorcières à l’arrivée", "someone has two witches in the goal"),
        lambda fold, seat: any(three[1] > race.COURSE for three in fold.witches),
    ),
}


def _is_tile_face_up(fold: race.State, place: int) -> bool:
    return place <= race.COURSE and fold.shown[place - 1] is not None


def _farthest_card_or_leave(fold: race.State, seat: int, least: int, way: int) -> Move:
    """Returns the card that takes the witch on the symbol farthest this way, if it is far enough; else none.

    Where one must be played, the one that takes her least far.
    """
    here = fold.witch or 0
    ways = {
        card: way * (_farthest_place_card_leads_to(fold, seat, card) - here)
        for card in race.targets_of_playable_cards(fold, seat)
    }
    farthest = max(ways, key=lambda card: ways[card])
    if ways[farthest] >= least:
        return Play(farthest)
    return Play(min(ways, key=lambda card: ways[card])) if fold.obliged else Leave()


def _farthest_place_card_leads_to(fold: race.State, seat: int, card: str) -> int:
    """Returns the farthest place this card leads the witch to over tiles face up: numbers carry her on, symbols work.

    If she comes to a symbol, its owner is taken to play the card that takes her farthest.
    """
    state = fold
    for event in RULES.preview(fold, seat, Play(card)):
        state = RULES.evolve(state, event)
    here = state.witch or 0
    if state.asked is None:
        return here
    ends = (here, *race.targets_of_playable_cards(state, state.asked).values())
    return max(ends) if state.asked == state.active else min(ends)


_ENOUGH = 5
"""A card that sends a witch back fewer tiles is kept."""
_FAR = 20
"""Who is farther behind is spared: it would help those ahead just as much."""


class HexenRennen(Race):
    """The rules, with the orders that a seat may leave."""

    orders, guards = ORDERS, GUARDS

    def follow(self, order: Order, fold: race.State, ask: Ask, chance: Chance, /) -> Move | None:
        """Returns the flight for the die that was rolled; the card that sends or takes a witch far enough, or none."""
        match order:
            case Dice(witches=witches, unseen=unseen):
                die = fold.die or 1
                origin = witches[die - 1]
                target = None if origin is None else race.flights_of_active_seat(fold).get(origin)
                if origin is None or target is None or (die in unseen and _is_tile_face_up(fold, target)):
                    return None
                return Fly(origin)
            case SendBack(least=least, spare=spare):
                behind = sum(fold.witches[ask.seat]) - sum(fold.witches[fold.active or 0])  # the three of each together
                return _farthest_card_or_leave(fold, ask.seat, race.COURSE if spare and behind > spare else least, -1)
            case Advance(least=least):
                return _farthest_card_or_leave(fold, ask.seat, least, 1)
        raise TypeError(f"{order} is no order of Hexen Rennen")

    def check_order(self, order: Order, fold: race.State, seat: int, /) -> None:
        """Refuses flights of witches that have arrived."""
        super().check_order(order, fold, seat)
        if isinstance(order, Dice) and any(place is not None and place > race.COURSE for place in order.witches):
            raise Fly.in_goal()

    def typical(self, view: PlayerView, seat: int, chance: Chance, /) -> list[Order]:
        """Returns the orders of a person who chooses a witch for each face of the die, and plays cards that pay."""
        fold: race.State = view.fold
        if not fold.turn or fold.finisher is not None:
            return []
        witches: list[int | None] = []
        unseen: list[int] = []
        for die in race.FACES:
            turn = replace(
                fold, active=seat, die=die, witch=None, asked=None, obliged=False
            )  # as if it were theirs now
            possible = race.flights_of_active_seat(turn)
            move = greedy(PlayerView(turn, turn.seats), seat, chance) if possible else None
            witches.append(move.origin if isinstance(move, Fly) else None)
            # They want to be asked if the tile where she would land lies face down, and has been turned up by then.
            if isinstance(move, Fly) and not _is_tile_face_up(fold, possible[move.origin]):
                unseen.append(die)
        dice = Dice(witches=tuple(witches), unseen=tuple(unseen), scope="turn")
        return [dice, SendBack(least=_ENOUGH, spare=_FAR, scope="match")]
