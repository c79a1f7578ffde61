"""Other full logs of a match of Hagakure that one viewer cannot distinguish from the true one.

Played cards are public, so only the current round hides anything: the cards still held and the Yomi. Those
that the viewer has neither been dealt, nor drawn, nor looked at are shuffled, and piles keep their size;
a player who could not follow a samurai holds only villagers. Every decision of the round is then made again.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from pbem.games.hagakure import GAME
from pbem.games.hagakure.facts import Dealt, Ended, Keep, Kept, Look, Looked, Play, Played, Raise, Raised, Swap, Swapped
from pbem.games.hagakure.facts_cards import SIGNS, is_warrior
from pbem.games.hagakure.facts_state import State
from pbem.kit.chance import Chance, ScriptedChance, SeedChance
from pbem.kit.contract import IllegalMove, Move, Viewer
from pbem.kit.replay import AnyEntry, full_fold

Piles = list[tuple[int, ...]]
"""What was dealt to each seat, and last the Yomi."""

TRIES_A_WORLD = 60


def worlds(entries: Sequence[AnyEntry], viewer: Viewer, limit: int) -> Iterator[list[AnyEntry]]:
    """Up to `limit` other logs with the same redacted form for this viewer, each one the rules could produce."""
    begin = max(at for at, entry in enumerate(entries) if isinstance(entry.event, Dealt))
    now = list(entries[begin:])
    if any(isinstance(entry.event, Ended) for entry in now):
        return
    luck = SeedChance(bytes(32), position=len(entries), purpose="bot", seat=viewer)
    before: State | None = full_fold(GAME, entries[:begin]) if begin else None
    found: list[Piles] = [_piles_of_deal(now[0].event)]
    for _ in range(limit * TRIES_A_WORLD):
        piles = _lay_again(now, viewer, luck)
        if piles is None or piles in found:
            continue
        other = _rewrite_round(now, piles)
        if _has_same_events(before, other):
            found.append(piles)
            yield [*entries[:begin], *other]
            if len(found) > limit:
                return


def _piles_of_deal(dealt: Dealt) -> Piles:
    return [tuple(card for card in pile if card is not None) for pile in (*dealt.hands, dealt.yomi)]


def _events_with_holders(now: Sequence[AnyEntry]) -> Iterator[tuple[Any, list[int]]]:
    """Each event of the round with the holder of each pile before it; last in the list is the Yomi's place."""
    holds = list(range(len(now[0].event.hands) + 1))
    for entry in now:
        yield entry.event, list(holds)
        if isinstance(entry.event, Swapped):
            seat = entry.event.seat
            holds[seat], holds[-1] = holds[-1], holds[seat]


def _lay_again(now: Sequence[AnyEntry], viewer: Viewer, luck: Chance) -> Piles | None:
    """The piles with everything hidden from the viewer shuffled; None if a player could then have followed."""
    piles = _piles_of_deal(now[0].event)
    seen, villagers_only, played = _public_facts_of_piles(now, viewer)
    places = []
    for number, pile in enumerate(piles):
        for at, card in enumerate(pile):
            if card in played[number]:
                played[number].remove(card)
            elif number not in seen:
                places.append((number, at))
    laid = [list(pile) for pile in piles]
    for (number, at), card in zip(places, luck.shuffled(piles[n][i] for n, i in places), strict=True):
        if number in villagers_only and is_warrior(card):
            return None
        laid[number][at] = card
    return [tuple(pile) for pile in laid]


def _public_facts_of_piles(now: Sequence[AnyEntry], viewer: Viewer) -> tuple[set[int], set[int], list[list[int]]]:
    """The piles that the viewer has seen, those that hold only villagers now, and the cards played from each."""
    seen = set() if viewer is None else {viewer}
    villagers_only = set()
    played: list[list[int]] = [[] for _ in _piles_of_deal(now[0].event)]
    led = 0
    for at, (event, holds) in enumerate(_events_with_holders(now)):
        match event:
            case Swapped(seat) if seat == viewer:
                seen.add(holds[-1])
            case Looked(seat, target) if seat == viewer:
                seen.add(holds[-1 if target is None else target])
            case Played(seat, card):
                played[holds[seat]].append(card)
                if not isinstance(now[at - 1].event, Played):
                    led = card
                elif is_warrior(led) and not is_warrior(card):
                    villagers_only.add(holds[seat])
    return seen, villagers_only, played


def _rewrite_round(now: Sequence[AnyEntry], piles: Piles) -> list[AnyEntry]:
    """The round with these piles."""
    out = []
    for entry, (event, holds) in zip(now, _events_with_holders(now), strict=True):
        match event:
            case Dealt():
                event = replace(event, hands=tuple(piles[:-1]), yomi=piles[-1])
            case Swapped():
                event = replace(event, drawn=piles[holds[-1]])
            case Looked(_, target):
                event = replace(event, cards=piles[holds[-1 if target is None else target]])
        out.append(replace(entry, event=event))
    return out


def _has_same_events(before: State | None, now: Sequence[AnyEntry]) -> bool:
    """True if the rules lead to the same events for every decision in the round."""
    state = GAME.evolve(before, now[0].event)
    at = 1
    while at < len(now):
        # What follows the deal at once answers the decision before it.
        group = [entry for entry in now[at:] if entry.key == now[at].key]
        if group[0].key != now[0].key and not _same(state, [entry.event for entry in group]):
            return False
        for entry in group:
            state = GAME.evolve(state, entry.event)
        at += len(group)
    return True


def _same(state: State, events: Sequence[Any]) -> bool:
    try:
        return GAME.decide(state, events[0].seat, move_of(events[0]), ScriptedChance()) == events
    except IllegalMove:
        return False


def move_of(event: Any) -> Move:
    """The move that the first event of a decision records."""
    match event:
        case Kept():
            return Keep()
        case Raised(_, nobori):
            return Raise(nobori)
        case Swapped():
            return Swap()
        case Looked(_, target):
            return Look(target)
        case Played(_, card):
            return Play(card)
    raise AssertionError(f"{event} begins no decision")


BLIND_MOVES = ("Keep", "Raise")
"""Moves whose own consequences do not rest on cards hidden from the mover: after the last card that is chosen
in a round everybody's last card is laid, and to swap or to look is to see."""

TRIES: tuple[Move, ...] = (
    Keep(),
    *(Raise(nobori) for nobori in SIGNS),
    Swap(),
    Look(None),
    *(Look(seat) for seat in range(6)),
    *(Play(card) for card in range(28)),
)
"""Moves that somebody might try, legal or not."""
