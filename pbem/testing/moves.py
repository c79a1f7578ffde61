"""What legal moves promise, and what happens to moves that are nearly legal."""

import time
from typing import Any, NamedTuple

import msgspec

from pbem.games.bots_of_packages import NAME, RESERVED
from pbem.kit.answers import read_answer
from pbem.kit.bots import EASY, think_on_level, view_for
from pbem.kit.chance import Chance
from pbem.kit.choices import kinds_of
from pbem.kit.codec import codec_for, encode, plain
from pbem.kit.contract import AnyGame, Ask, Bot, IllegalMove, Move, PlayerView, Unreadable
from pbem.kit.game.facts import Counting
from pbem.kit.laws.imagined import check_imagined, view_of
from pbem.kit.laws.malformed import bend
from pbem.kit.laws.matches import check_paths, check_phrase
from pbem.kit.laws.positions import check_said
from pbem.kit.play import LawBroken, Table, random_decisions
from pbem.kit.replay import By
from pbem.kit.secrecy import agrees, redact
from pbem.kit.texts import LANGS

LEGAL, NEAR = 12, 12
"""The most legal moves of a position that are tried, and of moves beside one of them, of each kind."""
SLOW_S = 2
"""A bot that takes longer for an answer, and for the same one again, keeps everybody waiting, and all other bots."""
MOST_PATHS = 400
"""Where there are more legal moves than this, their paths are not compared with each other."""
MOST_CALLED = 60
"""Of this many legal moves it is compared what they are called."""
MOST_ALIKE = 8
"""In this many positions of a match it may be that what is hidden is known all the same."""
IMAGINED = 5
"""At one in this many decisions the bot of playouts is asked as in an imagined match."""
MOST_CHANCE = 1 + 1e-6
"""A chance, and the sum of several, may be so much: floats are rounded."""
TYPED = ("", "?", "0", "1 2 3 4", "a", "x" * 300, "é ü 漢", "{0}", "-1", "A" * 3)


def check_moves(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
    """Tries legal moves and their neighbours in one random match. Raises LawBroken, or whatever a move raises."""
    table = Table(game, seats, options, seed)
    before: Decided | None = None
    for at, (ask, _) in enumerate(random_decisions(table)):
        _check_turn_goes_on(table, ask, before)
        before = Decided(ask, len(table.entries), len(game.pending(table.state)) == 1)
        luck = table.luck.bot(table.next_entry_number, f"{ask.key}:tried", ask.seat)
        for kind in kinds_of(game.legal(table.state, ask.seat)).values():
            for move in luck.shuffled(kind[:: max(1, len(kind) // LEGAL)])[:LEGAL]:
                _check_legal_move(table, ask, move)
            _check_moves_near_legal_one(table, ask, luck.pick(kind), luck)
        if at % 5 == 0:
            _check_moves_differ(table, ask)
        if at % 5 == 0 and len(game.legal(table.state, ask.seat)) <= MOST_PATHS:
            check_paths(table, ask.seat)
        _check_unreadable_texts_get_hint(table, ask)


def _check_turn_goes_on(table: Table, ask: Ask, before: "Decided | None") -> None:
    """Checks that what asks the seat again right after its own answer goes on with its turn, where pbem counts turns.

    A turn has one deadline and one mail.
    """
    if before is None or before.ask.seat != ask.seat or not isinstance(table.state, Counting):
        return
    events = [entry.event for entry in table.entries[before.number :]]
    windows = any(table.game.meta.asks[one.kind].window for one in (before.ask, ask))
    alone = before.alone and len(table.game.pending(table.state)) == 1
    if alone and not windows and before.ask.turn != ask.turn and not any(event.ends_turn for event in events):
        raise table.broken(
            f"seat {ask.seat} is asked again, but in a turn of its own: {before.ask.key}, then {ask.key}"
        )


class Decided(NamedTuple):
    """An answer: to which question, the index of the entry that it made first, and whether nobody else was asked."""

    ask: Ask
    number: int
    alone: bool


def _check_moves_differ(table: Table, ask: Ask) -> None:
    """Checks that each answer is listed once, and that no two are called the same, in a sentence or as a step."""
    game, own, legal = table.game, table.folds[ask.seat], table.game.legal(table.state, ask.seat)
    some = legal[:: max(1, len(legal) // MOST_CALLED)]
    for at, move in enumerate(some):
        if move not in legal:
            raise table.broken(f"{move} is listed among the legal moves, but not contained in them")
        if move in some[:at]:
            raise table.broken(f"{move} is listed twice among the legal moves")
    for lang in LANGS:
        sentences: dict[str, Move] = {}
        steps: dict[tuple[str, ...], str] = {}
        for move in some:
            label, path = game.label(move, own, lang), game.path(move, own, lang)
            if (other := sentences.setdefault(label, move)) != move:
                raise table.broken(f"{other} and {move} are both called {label!r}")
            for n, step in enumerate(path):
                before = tuple(one.text for one in path[:n])
                if (text := steps.setdefault((*before, step.label), step.text)) != step.text:
                    raise table.broken(f"{text!r} and {step.text!r} are both called {step.label!r}")


def _check_legal_move(table: Table, ask: Ask, move: Move) -> None:
    """Checks that the move can be played, foreseen, written, read and said."""
    game, seat, own = table.game, ask.seat, table.folds[ask.seat]
    try:
        events = game.decide(table.state, seat, move, table.luck.rules(table.next_entry_number, seat))
    except IllegalMove as refusal:
        raise table.broken(f"legal move {move} of seat {seat} is refused: {refusal.code}") from None
    except Exception as error:
        raise table.broken(f"the legal move {move} of seat {seat} raises {error!r}") from error
    try:
        foreseen = game.preview(own, seat, move)
    except Exception as error:
        raise table.broken(f"the preview of the legal move {move} of seat {seat} raises {error!r}") from error
    if len(foreseen) > len(events) or not all(
        agrees(redact(event, seat), redact(expected, seat)) for event, expected in zip(events, foreseen, strict=False)
    ):
        raise table.broken(f"the preview of {move} foresees {[*foreseen]}, but it is {[*events]}")
    written = game.format(move)
    try:
        read = game.parse(written, seat)
    except Unreadable:
        raise table.broken(f"{move} is written as {written!r}, which `parse` cannot read") from None
    if read != move:
        raise table.broken(f"{move} reads back from {written!r} as {read}")
    for typed in (written[:1].upper() + written[1:], f"  {written} "):  # as telephones and people write it
        try:
            same = game.parse(typed, seat) == move
        except Unreadable:
            same = False
        if not same:
            raise table.broken(f"{move} is written as {written!r}, but not read from {typed!r}")
    for lang in LANGS:
        for text in (game.label(move, own, lang), *(step.label for step in game.path(move, own, lang))):
            check_phrase(table, text, lang)


def _check_moves_near_legal_one(table: Table, ask: Ask, move: Move, luck: Chance) -> None:
    """Checks that what is beside a legal move is legal, or refused with a reason that has its words."""
    game, legal = table.game, table.game.legal(table.state, ask.seat)
    beside = [one for one in bend(move) if one not in legal]
    for near in luck.shuffled(beside)[:NEAR]:
        try:
            codec_for(game).move_of(plain(near))
        except msgspec.ValidationError:
            continue  # no message can carry it; `check_match` tries such moves
        try:
            game.decide(table.state, ask.seat, near, table.luck.rules(table.next_entry_number, ask.seat))
        except IllegalMove as refusal:
            check_said(table, refusal)
        except Exception as error:
            raise table.broken(f"decide breaks on {near} of seat {ask.seat}: {error!r}") from error
        else:
            raise table.broken(f"{near} of seat {ask.seat} is accepted though it is not legal")


def _check_unreadable_texts_get_hint(table: Table, ask: Ask) -> None:
    """Checks that whatever is typed is a move or cannot be read, with a hint."""
    legal = table.game.legal(table.state, ask.seat)
    for text in TYPED:
        try:
            read_answer(table.game, text, ask.seat, legal[:20])
        except Unreadable as unreadable:
            if not all(unreadable.hint[lang] for lang in LANGS):
                raise table.broken(f"{text!r} is not read, but nothing says what to write instead") from None
        except Exception as error:
            raise table.broken(f"parse breaks on {text!r}: {error!r}") from error


def check_bot(name: str, bot: Bot, game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
    """Lets a bot of the game answer every question of a match. Raises LawBroken if it answers illegally."""
    table = Table(game, seats, options, seed)
    for at in range(game.meta.bound):
        asks = game.pending(table.state)
        if not asks:
            return
        ask = asks[0]
        moves, took = [], list[float]()
        for _ in range(2):
            began = time.perf_counter()
            moves.append(_answer_of_bot(name, bot, table, ask, view_of(table, ask.seat)))
            took.append(time.perf_counter() - began)
        if min(took) > SLOW_S:
            raise table.broken(f"the bot {name!r} takes {min(took):.0f} seconds to answer {ask}")
        if moves[0] != moves[1]:
            raise table.broken(f"the bot {name!r} answers {ask} in two ways: {moves[0]} and {moves[1]}")
        if moves[0] not in game.legal(table.state, ask.seat):
            raise table.broken(f"the bot {name!r} answers {ask} with {moves[0]}, which is not legal")
        if bot is game.playout and at % IMAGINED == 0:
            move = _answer_of_bot(name, bot, table, ask, view_for(table.state, seats, ask.seat))
            if move not in game.legal(table.state, ask.seat):
                raise table.broken(f"the bot {name!r} answers {ask} with {move} in an imagined match")
        table.play(ask, moves[0], By(bot=ask.seat, via=name))
    if game.pending(table.state):
        raise table.broken(f"the match does not end within {game.meta.bound} decisions of the bot {name!r}")


def check_bot_names(game: AnyGame) -> None:
    """Checks what the game calls its own bots. Raises LawBroken."""
    for name in game.bots:
        if name in RESERVED:
            raise LawBroken(f"the bot {name!r} has the name of one that every game has")
        if not NAME.fullmatch(name):
            raise LawBroken(f"the bot {name!r} has no name of small letters, digits, _ and -, of 32 at most")


def _answer_of_bot(name: str, bot: Bot, table: Table, ask: Ask, view: PlayerView) -> Move:
    """Returns what the bot answers. Raises LawBroken if it raises, or changes what it is given."""
    was, luck = encode(view.fold), table.luck.bot(table.next_entry_number, ask.key, ask.seat)
    try:
        move: Move = bot(view, ask.seat, luck)
    except Exception as error:
        where = "" if view.seen else " in an imagined match, of which nothing was seen"
        raise table.broken(f"the bot {name!r} raises {error!r} at {ask}{where}") from error
    if encode(view.fold) != was:
        raise table.broken(f"the bot {name!r} changes the fold that it is given, at {ask}")
    return move


def check_estimate(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
    """Checks that what a position is said to be worth are chances to win. Raises LawBroken."""
    assert game.estimate is not None, "the game estimates"
    table = Table(game, seats, options, seed)
    for _ in random_decisions(table):
        was, told = encode(table.state), game.estimate(table.state)
        if told is not None and (
            len(told) != seats or not all(0 <= one <= MOST_CHANCE for one in told) or sum(told) > MOST_CHANCE
        ):
            raise table.broken(f"the estimate is {[*told]}, but must be the chance to win of each of {seats} seats")
        if encode(table.state) != was:
            raise table.broken("the estimate changes the state that it is given")


def check_imagination(game: AnyGame, seats: int, options: Any, seed: bytes, *, thinking: int = 1) -> None:
    """Imagines the positions of a random match, and lets a bot think at the first ones. Raises LawBroken."""
    table, imagined = Table(game, seats, options, seed), list[bool]()
    for at, (ask, _) in enumerate(random_decisions(table)):
        state = check_imagined(table, ask)
        if state != table.folds[ask.seat] and len(imagined) < MOST_ALIKE:
            imagined.append(all(_imagine_with_other_luck(table, ask, number) == state for number in range(3)))
        if at < thinking:
            luck = table.luck.bot(table.next_entry_number, f"{ask.key}:thought", ask.seat)
            move = think_on_level(game, view_of(table, ask.seat), ask.seat, luck, EASY).move
            if move not in game.legal(table.state, ask.seat):
                raise table.broken(f"a bot that thinks answers {ask} with {move}, which is not legal")
    if len(imagined) == MOST_ALIKE and all(imagined):
        raise table.broken(f"what is hidden is imagined the same with all luck, in each of {MOST_ALIKE} positions")


def _imagine_with_other_luck(table: Table, ask: Ask, number: int) -> Any:
    assert table.game.imagine is not None, "the game imagines"
    luck = table.luck.bot(table.next_entry_number, f"{ask.key}:imagined{number}", ask.seat)
    return table.game.imagine(view_of(table, ask.seat), ask.seat, luck)
