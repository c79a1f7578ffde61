"""What every game must obey, checked by random play.

`check_match` plays one match of random moves and checks the laws after each decision; `check_fallbacks` lets
the clock play all seats. Both raise LawBroken, which names the law and the position. What occurred is counted
in a `Sample`, which lists the events and endings that never came up: it proves nothing about those.
"""

import re
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import msgspec

from pbem.kit.answers import MOST_COLUMNS, MOST_FIELDS, MOST_PLACES
from pbem.kit.choices import kinds_of
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask, Card, Event, Move, Scene, Viewer, ask_of
from pbem.kit.laws.positions import (
    check_decision,
    check_fallback,
    check_no_python,
    check_position,
    check_refusal,
    check_refusals,
)
from pbem.kit.play import Sample, Table, random_decisions
from pbem.kit.replay import AnyEntry, By, entry_type_of_game, evolve_all
from pbem.kit.secrecy import redact, withholds
from pbem.kit.texts import LANGS, Lang

_PLACEHOLDER = re.compile(r"\{([^{}]*)\}")
MOST_LINES, MOST_CARD_COLUMNS = 4, 4
"""What a card has room for on a phone, besides its title."""


def check_match(game: AnyGame, seats: int, options: Any, seed: bytes) -> tuple[Sample, Table]:
    """Plays one match of random moves and checks every law on the way."""
    sample = Sample(matches=1)
    table = Table(game, seats, options, seed)
    if list(game.setup(seats, options, table.luck.rules(1))) != [e.event for e in table.entries]:
        raise table.broken("setup gives other events for the same luck")
    played: dict[type[Move], Move] = {}
    for ask, move in random_decisions(table):
        played[type(move)] = move
        sample.moves.update(kinds_of(game.legal(table.state, ask.seat)).keys())
        check_position(table)
        check_fallback(table, ask)
        check_refusals(table, ask, sample, table.luck.bot(table.next_entry_number, f"{ask.key}:refused", ask.seat))
        check_decision(table, ask, move)
        _check_words(table, ask, move)
        sample.decisions += 1
    check_position(table)
    for seat in range(seats):
        for move in played.values():
            check_refusal(table, seat, move, sample)
    _check_end(table, sample)
    return sample, table


def check_fallbacks(game: AnyGame, seats: int, options: Any, seed: bytes) -> Table:
    """Lets the clock play for everybody; the match must end within the bound. Returns the finished table."""
    table = Table(game, seats, options, seed)
    for _ in range(game.meta.bound):
        asks = game.pending(table.state)
        if not asks:
            return table
        ask = asks[0]
        table.play(ask, check_fallback(table, ask), By(clock=ask.seat))
    if game.pending(table.state):
        raise table.broken("fallbacks alone do not end the match")
    return table


def _check_words(table: Table, ask: Ask, move: Move) -> None:
    """Checks notation and texts for the seat that is about to move."""
    game, own = table.game, table.folds[ask.seat]
    if (read := game.parse(game.format(move), ask.seat)) != move:
        raise table.broken(f"{move} reads back from {game.format(move)!r} as {read}")
    if codec_for(game).move(encode(move)) != move:
        raise table.broken(f"{move} does not survive JSON")
    foreseen = evolve_all(game, own, game.preview(own, ask.seat, move))
    for lang in LANGS:
        steps = game.path(move, own, lang)
        for text in (game.prompt(ask, own, lang), game.label(move, own, lang), *(step.label for step in steps)):
            check_phrase(table, text, lang)
        _check_board_in_words(table, foreseen, ask.seat, lang)
        if not game.draw(foreseen, ask.seat, lang, Scene()).startswith("<svg"):
            raise table.broken("the board is not an SVG element")


def _check_board_in_words(table: Table, seen: Any, viewer: Viewer, lang: Lang) -> None:
    lines = table.game.describe(seen, viewer, lang)
    if not lines:
        raise table.broken("the board in words has no line")
    for line in lines:
        check_phrase(table, line, lang)


def check_phrase(table: Table, text: str, lang: Lang) -> None:
    """Checks that a phrase is not empty, has no words of Python, and that its placeholders are seats or things."""
    if not text:
        raise table.broken("an empty phrase")
    check_no_python(table, text, lang)
    for name in _PLACEHOLDER.findall(text):
        if not (name.isdigit() and int(name) < table.seats) and name not in table.game.meta.marks:
            raise table.broken(f"the phrase {text!r} has the unknown placeholder {name!r}")


def check_paths(table: Table, seat: int) -> None:
    """Checks that no two legal moves of the seat share a path, that no path is a prefix of another, and the pad."""
    own = table.folds[seat]
    paths = {tuple(s.text for s in table.game.path(m, own, "fr")): m for m in table.game.legal(own, seat)}
    if len(paths) != len(table.game.legal(own, seat)):
        raise table.broken("two legal moves share a path")
    for path in paths:
        if any(path[:i] in paths for i in range(len(path))):
            raise table.broken(f"a path begins the path {path}")
    if not paths:
        return
    ask = ask_of(table.game, own, seat)
    assert ask is not None, "only who is asked has legal moves"
    if table.game.meta.asks[ask.kind].any_order:
        # No move has all the steps of another, and they have one order.
        sets = {frozenset(path) for path in paths}
        if len(sets) != len(paths) or len({len(path) for path in paths}) > 1:
            raise table.broken("the steps of a move are among those of another")
        before = {pair for path in paths for pair in combinations(path, 2)}
        if any((later, earlier) in before for earlier, later in before):
            raise table.broken("two paths have the same steps in another order")
    _check_pad(table, ask, [*paths])


def _check_pad(table: Table, ask: Ask, paths: Sequence[tuple[str, ...]]) -> None:
    """Checks that each legal move's path begins with one field of the pad, and that each field begins such a path."""
    game, own = table.game, table.folds[ask.seat]
    for lang in LANGS:
        pad = game.pad(ask, own, lang)
        places = [cell for row in pad.places for cell in row]
        cells = [*(cell for row in pad.rows for cell in row), *places]
        for text in (pad.title, *filter(None, (pad.note, *(cell.text for cell in cells)))):
            check_phrase(table, text, lang)
        picks = [tuple(step.text for step in cell.steps) for cell in cells if cell.steps is not None]
        begun = [[chosen for chosen in picks if path[: len(chosen)] == chosen] for path in paths]
        if any(len(cells) != 1 for cells in begun) or {cells[0] for cells in begun} != set(picks):
            raise table.broken(f"the pad {picks} does not divide the legal moves")
        chosen_places = sum(cell.steps is not None for cell in places)
        if len({*map(len, pad.places)}) > 1 or chosen_places > MOST_PLACES:
            raise table.broken(f"a mail has no room for the map {pad.places}")
        if len(picks) - chosen_places > MOST_FIELDS or max(map(len, pad.rows)) > MOST_COLUMNS:
            raise table.broken(f"a mail has no room for {len(picks)} answers in rows of {[*map(len, pad.rows)]}")


def _check_end(table: Table, sample: Sample) -> None:
    game = table.game
    outcome = game.outcome(table.state)
    assert outcome is not None, "nobody is asked any more"
    if unknown := {type(entry.event).__name__ for entry in table.entries if type(entry.event) not in game.meta.events}:
        raise table.broken(f"{', '.join(sorted(unknown))} is not among the events of `Meta`: no log can be read")
    data = encode(table.entries)
    decoder: msgspec.json.Decoder[list[AnyEntry]] = msgspec.json.Decoder(list[entry_type_of_game(game)])  # type: ignore[misc]  # built at run time
    again = decoder.decode(data)
    if encode(again) != data or evolve_all(game, None, (e.event for e in again)) != table.state:
        raise table.broken("the log does not give the same state after JSON")
    if codec_for(game).state(encode(table.state)) != table.state:
        raise table.broken("the state does not survive JSON")
    for entry in table.entries:
        event: Event = entry.event
        if withholds(event):
            raise table.broken(f"{event} has a hidden field in the full log")
    _check_story(table)
    sample.events.update(type(e.event).__name__ for e in table.entries)
    sample.endings[outcome.reason] += 1
    sample.draws.update(name.partition(":")[0] for name in table.drawn)


def _check_card(table: Table, card: Card | None, told: str, lang: Lang) -> None:
    """Checks the card of an event whose line of the story is `told`."""
    if card is None:
        return
    if not told:
        raise table.broken(f"the card {card.title!r} has no line in the story")
    for text in (card.title, *card.lines, *filter(None, (cell for row in card.table for cell in row))):
        check_phrase(table, text, lang)
    columns = {len(row) for row in card.table}
    if len(columns) > 1 or len(card.table) == 1 or max(columns, default=2) not in range(2, MOST_CARD_COLUMNS + 1):
        raise table.broken(f"the table of the card {card.title!r} has rows of {sorted(columns)} cells")
    if len(card.lines) > MOST_LINES:
        raise table.broken(f"a phone has no room for the {len(card.lines)} lines of the card {card.title!r}")


def _check_story(table: Table) -> None:
    game = table.game
    for viewer in table.viewers:
        before = None
        for entry in table.entries:
            event = redact(entry.event, viewer)
            for lang in LANGS:
                text = game.tell(event, before, lang)
                if text:
                    check_phrase(table, text, lang)
                if game.card is not None:
                    _check_card(table, game.card(event, before, viewer, lang), text, lang)
            before = game.evolve(before, event)
        for lang in LANGS:
            _check_board_in_words(table, before, viewer, lang)
            # Its rules have ended the match: it is the same when it is told that the match is over.
            if game.describe(before, viewer, lang, over=True) != game.describe(before, viewer, lang):
                raise table.broken(
                    "the board in words of an ended match is another one where it is told that it is over"
                )  # fmt: skip
            if game.draw(before, viewer, lang, Scene(over=True)) != game.draw(before, viewer, lang, Scene()):
                raise table.broken("the drawn board of an ended match is another one where it is told that it is over")
