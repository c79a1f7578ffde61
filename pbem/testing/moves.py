"""What legal moves promise, and what happens to moves that are nearly legal."""

import time
from collections.abc import Mapping
from typing import Any, NamedTuple

import msgspec

from pbem.kit.answers import read_answer
from pbem.kit.bots import EASY, think
from pbem.kit.chance import Chance
from pbem.kit.choices import kinds_of
from pbem.kit.codec import codec_for, plain
from pbem.kit.contract import AnyGame, Ask, Bot, Event, IllegalMove, Move, Scene, Unreadable
from pbem.kit.game.facts import Counting
from pbem.kit.laws.imagined import check_imagined, view_of
from pbem.kit.laws.malformed import bend
from pbem.kit.laws.matches import check_paths, check_phrase
from pbem.kit.laws.positions import check_said
from pbem.kit.play import LawBroken, Table, random_decisions
from pbem.kit.replay import By
from pbem.kit.secrecy import agrees, redact
from pbem.kit.texts import LANGS
from pbem.testing.records import LIKELY

LEGAL, NEAR = 12, 12
"""The most legal moves of a position that are tried, and of moves beside one of them, of each kind."""
SLOW_S = 4
"""A bot that takes longer for two answers keeps everybody waiting, and all other bots."""
MOST_PATHS = 400
"""Where there are more legal moves than this, their paths are not compared with each other."""
ORDERS = "orders"
TYPED = ("", "?", "0", "1 2 3 4", "a", "x" * 300, "é ü 漢", "{0}", "-1", "A" * 3)


def check_moves(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
    """Tries legal moves and their neighbours in one random match. Raises LawBroken, or whatever a move raises."""
    table, said = Table(game, seats, options, seed), list[tuple[Decided, Mapping[str, object]]]()
    before: Decided | None = None
    for at, (ask, played) in enumerate(random_decisions(table)):
        if before is not None and at % 5 == 1:
            said.append((before, _facts_by_face(game, before, table.entries[before.number].event)))
        _check_turn(table, ask, before)
        before = Decided(ask, table.folds[ask.seat], played, len(table.entries), len(game.pending(table.state)) == 1)
        luck = table.luck.bot(table.position, f"{ask.key}:tried", ask.seat)
        for kind in kinds_of(game.legal(table.state, ask.seat)).values():
            for move in luck.shuffled(kind[:: max(1, len(kind) // LEGAL)])[:LEGAL]:
                _check_legal(table, ask, move)
            _check_near(table, ask, luck.pick(kind), luck)
        if at % 5 == 0 and len(game.legal(table.state, ask.seat)) <= MOST_PATHS:
            check_paths(table, ask.seat)
        _check_typed(table, ask)
    for decided, once in said:
        for face, now in _facts_by_face(game, decided, table.entries[decided.number].event).items():
            if now != once[face]:
                raise table.broken(f"`{face}` of the same fold says {once[face]}, and after the match {now}")


def _check_turn(table: Table, ask: Ask, before: "Decided | None") -> None:
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
    """An answer: to which question, from which fold of its seat, and the index of the entry that it made first.

    `alone`: whether nobody else was asked.
    """

    ask: Ask
    own: Any
    move: Move
    number: int
    alone: bool


def _facts_by_face(game: AnyGame, decided: Decided, event: Event) -> Mapping[str, object]:
    """Returns what the seat is told before its answer, and of what happened then, by the face that says it."""
    lang, (ask, own, move, _, _) = LANGS[0], decided
    return {
        "prompt": game.prompt(ask, own, lang),
        "label": game.label(move, own, lang),
        "name": game.name(move, lang),
        "format": game.format(move),
        "path": game.path(move, own, lang),
        "pad": game.pad(ask, own, lang),
        "candidates": [*game.candidates(ask, own, lang)],
        "answers": [*game.answers(ask.kind, own, ask.seat)],
        "preview": [*game.preview(own, ask.seat, move)],
        "describe": game.describe(own, ask.seat, lang),
        "draw": game.draw(own, ask.seat, lang, Scene()),
        "tell": game.tell(redact(event, ask.seat), own, lang),
    }


def _check_legal(table: Table, ask: Ask, move: Move) -> None:
    """Checks that the move can be played, foreseen, written, read and said."""
    game, seat, own = table.game, ask.seat, table.folds[ask.seat]
    try:
        events = game.decide(table.state, seat, move, table.luck.rules(table.position, seat))
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
    for lang in LANGS:
        for text in (game.label(move, own, lang), *(step.label for step in game.path(move, own, lang))):
            check_phrase(table, text)


def _check_near(table: Table, ask: Ask, move: Move, luck: Chance) -> None:
    """Checks that what is beside a legal move is legal, or refused with a reason that has its words."""
    game, legal = table.game, table.game.legal(table.state, ask.seat)
    beside = [one for one in bend(move) if one not in legal]
    for near in luck.shuffled(beside)[:NEAR]:
        try:
            codec_for(game).move_of(plain(near))
        except msgspec.ValidationError:
            continue  # no message can carry it; `check_match` tries such moves
        try:
            game.decide(table.state, ask.seat, near, table.luck.rules(table.position, ask.seat))
        except IllegalMove as refusal:
            check_said(table, refusal)
        except Exception as error:
            raise table.broken(f"decide breaks on {near} of seat {ask.seat}: {error!r}") from error
        else:
            raise table.broken(f"{near} of seat {ask.seat} is accepted though it is not legal")


def _check_typed(table: Table, ask: Ask) -> None:
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
    for _ in range(game.meta.bound):
        asks = game.pending(table.state)
        if not asks:
            return
        ask = asks[0]
        moves, began = [], time.perf_counter()
        for _ in range(2):
            try:
                moves.append(bot(view_of(table, ask.seat), ask.seat, table.luck.bot(table.position, ask.key, ask.seat)))
            except Exception as error:
                raise table.broken(f"the bot {name!r} raises {error!r} at {ask}") from error
        if (took := time.perf_counter() - began) > SLOW_S:
            raise table.broken(f"the bot {name!r} takes {took / 2:.0f} seconds to answer {ask}")
        if moves[0] != moves[1]:
            raise table.broken(f"the bot {name!r} answers {ask} in two ways: {moves[0]} and {moves[1]}")
        if moves[0] not in game.legal(table.state, ask.seat):
            raise table.broken(f"the bot {name!r} answers {ask} with {moves[0]}, which is not legal")
        table.play(ask, moves[0], By(bot=ask.seat, via=name))
    if game.pending(table.state):
        raise table.broken(f"the match does not end within {game.meta.bound} decisions of the bot {name!r}")


def check_imagination(game: AnyGame, seats: int, options: Any, seed: bytes, *, thinking: int = 1) -> None:
    """Imagines the positions of a random match, and lets a bot think at the first ones. Raises LawBroken."""
    table = Table(game, seats, options, seed)
    for at, (ask, _) in enumerate(random_decisions(table)):
        check_imagined(table, ask)
        if at < thinking:
            luck = table.luck.bot(table.position, f"{ask.key}:thought", ask.seat)
            move = think(game, view_of(table, ask.seat), ask.seat, luck, EASY).move
            if move not in game.legal(table.state, ask.seat):
                raise table.broken(f"a bot that thinks answers {ask} with {move}, which is not legal")


class Questions:
    """What is asked in the matches that it has looked at."""

    def __init__(self, game: AnyGame) -> None:
        self.game, self.matches, self.asked, self.answered = game, 0, set[str](), set[str]()

    def look(self, game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
        """Plays one random match."""
        self.matches += 1
        table = Table(game, seats, options, seed)
        for ask, _ in random_decisions(table):
            self.asked.add(ask.kind)
            for kind in game.meta.orders:
                if kind.word not in self.answered and ask.kind in kind.asks:
                    luck = table.luck.bot(table.position, f"{ask.key}:order", ask.seat)
                    if any(game.follow(one, table.folds[ask.seat], ask, luck) is not None for one in kind.samples):
                        self.answered.add(kind.word)

    def check(self, game: AnyGame) -> None:
        """Checks that every question, and one that each order answers, was asked. Raises LawBroken.

        Nothing is said after a few matches, in which something rare need not come.
        """
        if self.matches < LIKELY:
            return
        for kind in game.meta.orders:
            if not self.asked.intersection(kind.asks):
                raise LawBroken(f"the order {kind.word!r} is never asked: no match puts a question that it answers")
            if kind.word not in self.answered:
                raise LawBroken(f"the order {kind.word!r} is never followed: no sample of it answers a question")
        if never := [kind for kind in game.meta.asks if kind not in self.asked]:
            raise LawBroken(f"the question {never[0]!r} is never asked in {self.matches} matches")
