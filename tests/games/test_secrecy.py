"""The secrecy law of every game: a viewer receives the same in every world that they cannot distinguish."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import pytest

from pbem.kit.bots import EASY, FAIR, Level, think_on_level
from pbem.kit.chance import KeyLuck, SeedChance
from pbem.kit.codec import encode
from pbem.kit.contract import AnyGame, Ask, IllegalMove, Order, PlayerView, Scene, Viewer, ask_of
from pbem.kit.play import Table, random_decisions
from pbem.kit.replay import AnyEntry, fold_for_viewer, full_fold, player_view, redact_entries
from pbem.kit.texts import LANGS
from tests.games.discovered import GAMES, SEATED, log_as_seen, options_of, stop_match, worlds_of
from tests.transcripts import seed_of

ADVISED = Level("advised", EASY.iterations)
"""A short budget with the advice that stronger levels take: they differ from it by their budget alone."""
EARLY = 4
"""So long everybody is in doubt about whatever is hidden from them."""


class Compared(NamedTuple):
    """The number of other worlds, and of those in which a seat saw all the time what it sees in this one."""

    worlds: int
    remembered: int


def what_is_received(
    game: AnyGame, entries: Sequence[AnyEntry], viewer: Viewer, thinkers: Sequence[Level] = ()
) -> dict[str, bytes]:  # fmt: skip
    """Everything that the viewer can see at this point, under names that say which part differs."""
    state, own = full_fold(game, entries), fold_for_viewer(game, entries, viewer)
    shown = log_as_seen(game, entries, viewer)
    out: dict[str, Any] = {"log": shown, "fold": own, "pending": game.pending(state), "outcome": game.outcome(state)}
    for lang in LANGS:
        before, story, cards = None, [], []
        for entry in shown:
            story.append(game.tell(entry.event, before, lang))
            cards.append(game.card(entry.event, before, viewer, lang) if game.card is not None else None)
            before = game.evolve(before, entry.event)
        out |= {f"story {lang}": story, f"cards {lang}": cards}
        out[f"board in words {lang}"] = game.describe(own, viewer, lang)
        out[f"board in words, called off {lang}"] = game.describe(own, viewer, lang, over=True)
        recent = tuple((i, e.event) for i, e in enumerate(shown[-5:], 1))
        for shape in game.meta.shapes:
            out[f"{shape} board {lang}"] = game.draw(own, viewer, lang, Scene(recent=recent, shape=shape))
    if viewer is not None:
        view = player_view(game, entries, state.seats, viewer, KeyLuck(bytes(32)).memory(viewer))
        out |= what_answers_show(game, state, view, viewer, len(entries), thinkers)
    return {name: encode(value) for name, value in out.items()}


def what_answers_show(
    game: AnyGame, state: Any, view: PlayerView, seat: int, at: int, thinkers: Sequence[Level]
) -> dict[str, Any]:  # fmt: skip
    """The seat's legal moves, what bots would choose and think, and the answers when it tries illegal ones."""
    own, legal = view.fold, game.legal(state, seat)
    some = [*legal[:20], *legal[20::97]]
    ask = ask_of(game, state, seat)
    luck = SeedChance(bytes(32), at, "fallback", seat)
    return {
        "legal": list(legal),
        "previews": [game.preview(own, seat, move) for move in some],
        "labels": [game.label(move, own, lang) for move in some for lang in LANGS],
        "prompts": [game.prompt(ask, own, lang) for lang in LANGS] if ask else [],
        "pads": [game.pad(ask, own, lang) for lang in LANGS] if ask else [],
        "fallback": game.fallback(own, seat, luck) if ask else None,
        "orders": list(game.typical(view, seat, luck)),
        "ordered": [game.follow(order, own, ask, luck) for order in samples_for(game, ask)] if ask else [],
        "bots": [bot(view, seat, luck) for bot in game.bots.values()] if ask else [],
        "thoughts": [think_on_level(game, view, seat, luck, level) for level in thinkers] if ask else [],
        "refusals": [
            refusal_to_seat(game, state, seat, move, at) for move in worlds_of(game).TRIES if move not in legal
        ],
    }


def samples_for(game: AnyGame, ask: Ask) -> list[Order]:
    """The game's sample orders for this kind of question."""
    return [sample for kind in game.meta.orders if ask.kind in kind.asks for sample in kind.samples]


def refusal_to_seat(game: AnyGame, state: Any, seat: int, move: Any, at: int) -> tuple[str, dict[str, str | int]]:
    """The answer to the seat."""
    with pytest.raises(IllegalMove) as caught:
        game.decide(state, seat, move, SeedChance(bytes(32), at, "decide", seat))
    return caught.value.code, dict(caught.value.facts)


def compare_worlds(game: AnyGame, table: Table, viewer: Viewer, limit: int, thinkers: Sequence[Level]) -> Compared:
    """Compares what the viewer receives in other worlds with this one.

    Bots and scripted people remember what their seat saw when it was fresh: they choose the same wherever that was.
    """
    others = list(worlds_of(game).worlds(table.entries, viewer, limit))
    true = what_is_received(game, table.entries, viewer, thinkers) if others else {}
    was_shown = redact_entries(table.entries, viewer)
    remembered = 0
    for other in others:
        assert [e.event for e in other] != [e.event for e in table.entries]
        same = redact_entries(other, viewer) == was_shown
        assert without_bots(what_is_received(game, other, viewer, thinkers), same) == without_bots(true, same)
        remembered += same and viewer is not None
    return Compared(len(others), remembered)


def without_bots(everything: dict[str, bytes], same: bool) -> dict[str, bytes]:
    """What the viewer sees, and what bots and scripted people choose if they could remember the `same`."""
    return {name: value for name, value in everything.items() if same or name not in ("bots", "thoughts", "orders")}


@pytest.mark.long
@SEATED
@pytest.mark.parametrize(
    ("matches", "at", "limit", "thinkers"),
    [
        pytest.param(1, (0, 2, 7, 20, 45), 1, (EASY, ADVISED), id=""),
        pytest.param(
            4, (0, 1, 2, 3, 4, 6, 9, 12, 15, 20, 28, 40, 50, 70), 3, (EASY, FAIR), marks=pytest.mark.long, id="many"
        ),
    ],
)
def test_all_views_are_equal_in_worlds_that_look_alike_to_the_viewer(
    game: AnyGame, seats: int, matches: int, at: tuple[int, ...], limit: int, thinkers: tuple[Level, ...]
) -> None:
    pairs = remembered = 0
    for number in range(seats, seats + matches):
        table = Table(game, seats, options_of(game, number), seed_of(f"worlds of {game.meta.slug}", seats, number))
        for played, _ in enumerate(random_decisions(table)):
            if played > at[-1]:
                break
            for viewer in table.viewers if played in at else ():
                found = compare_worlds(game, table, viewer, limit, thinkers)
                hidden = log_as_seen(game, table.entries, viewer) != table.entries
                assert found.worlds or not hidden or played > EARLY, f"{viewer} knows everything after {played}"
                pairs += found.worlds
                remembered += found.remembered
    assert pairs > 2 * matches * seats
    assert remembered > matches * seats


@pytest.mark.long
@GAMES
def test_worlds_alike_to_a_spectator_differ_for_a_seat_that_sees_more(game: AnyGame) -> None:
    """A seat can distinguish worlds that a spectator cannot, just where it is shown more than the spectator."""
    shown_more = told_apart = False
    for after in (1, 12):
        table = stop_match(game, game.meta.seats[1], 0, after)
        true = what_is_received(game, table.entries, 0)
        others = worlds_of(game).worlds(table.entries, None, 60)
        told_apart = told_apart or any(what_is_received(game, other, 0) != true for other in others)
        shown_more = shown_more or log_as_seen(game, table.entries, 0) != log_as_seen(game, table.entries, None)
    assert told_apart == shown_more
