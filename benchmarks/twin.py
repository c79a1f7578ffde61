"""Whether a game is still the same game after it was written in another way: both play the same matches, and all they
say is compared.

    python -m benchmarks.twin hogen 200 ../before

`../before` is another tree of pbem with its `.venv`. Each tree plays matches of random moves from the same seeds and
writes a line for each thing that it says: questions, keys, legal moves in their order, typed moves and what is read,
labels, paths, pads, candidates, refusals, previews, suppositions, orders, facts, stories, boards and cards. Lines that
differ are counted and shown. Ends with 1 if there are any.

`--sparse 7` looks only at every seventh position at what takes long. `--without label` leaves out what is meant to
differ.
"""

import argparse
import hashlib
import os
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import islice, zip_longest
from pathlib import Path
from typing import Any

from pbem.games import find_game
from pbem.kit.chance import NO_LUCK, Chance, KeyLuck
from pbem.kit.codec import encode
from pbem.kit.contract import AnyGame, Ask, IllegalMove, Move, Scene, Unreadable
from pbem.kit.folds import fold_for_all, no_folds
from pbem.kit.laws.malformed import COURTESIES, moves_out_of_bounds
from pbem.kit.orders.shapes import Always
from pbem.kit.play import Table, random_decisions
from pbem.kit.secrecy import redact
from pbem.kit.takeback import Answered, kind_of_knowledge_told
from pbem.kit.texts import LANGS

ROOT = Path(__file__).parents[1]
SOME, LEGAL = 40, 600
"""How many moves are looked at closely at a position, and how many are compared at all."""
SHOWN = 3
"""How many differences of each kind are shown."""

Line = tuple[str, str]
"""What is said, and what the game says."""


def lines_of_match(game: AnyGame, number: int, sparse: int) -> Iterator[Line]:
    """Yields all that the game says in one match of random moves."""
    seed = hashlib.sha256(f"twin {game.meta.slug} {number}".encode()).digest()
    every = (game.meta.options(), *game.meta.samples)
    seats, options = game.meta.seats[number % len(game.meta.seats)], every[number % len(every)]
    table = Table(game, seats, options, seed)
    luck = KeyLuck(seed).bot(1, "twin", 0)
    folds = fold_for_all(game, no_folds(seats), table.entries)
    for at, (ask, move) in enumerate(random_decisions(table)):
        yield from _lines_of_position(table, ask, move)
        if at % sparse == number % sparse:
            yield from _lines_of_asked_seat(table, ask, luck)
        before, made = (
            dict(table.folds),
            [*game.decide(table.state, ask.seat, move, table.luck.rules(table.next_entry_number))],
        )
        yield "told", str(kind_of_knowledge_told(game, folds, Answered(ask.seat, move, made)))
        for viewer, fold in before.items():
            for count, event in enumerate(made):
                seen = redact(event, viewer)
                yield from _lines_of_story(game, seen, fold, viewer)
                fold = game.evolve(fold, seen)
                if viewer is not None:
                    yield (
                        "supposed",
                        _suppositions(game, fold, viewer, [redact(one, viewer) for one in made[: count + 1]]),
                    )
        folds = folds.after(game, made, ask.key)
    yield "end", f"{game.outcome(table.state)} {table.drawn}"
    for viewer in table.viewers:
        for lang in LANGS:
            yield "board", game.draw(table.folds[viewer], viewer, lang, Scene())
            yield "words", str(game.describe(table.folds[viewer], viewer, lang))


def _lines_of_position(table: Table, ask: Ask, move: Move) -> Iterator[Line]:
    game, state = table.game, table.state
    yield "questions", str(game.pending(state))
    yield "state", encode(state).decode()
    yield "facts", "\n".join(encode(entry.event).decode() for entry in table.entries[-6:])
    yield "scores", f"{game.scores(state)} {game.outcome(state)} {game.round_of(state)}"
    yield "move", f"{encode(move).decode()} {game.format(move)}"
    legal = game.legal(table.folds[ask.seat], ask.seat)
    yield "legal", f"{len(legal)} {[encode(one).decode() for one in islice(legal, LEGAL)]}"
    yield "fallback", str(game.fallback(table.folds[ask.seat], ask.seat, table.luck.fallback(1, ask.key, ask.seat)))


def _lines_of_asked_seat(table: Table, ask: Ask, luck: Chance) -> Iterator[Line]:
    """Yields what the game says to the seat that is asked, and what others may suppose."""
    game, seat, own = table.game, ask.seat, table.folds[ask.seat]
    legal = game.legal(own, seat)
    some = [*islice(legal, 0, None, max(1, len(legal) // SOME))]
    yield "format", str([game.format(one) for one in some])
    yield "preview", str([game.preview(own, seat, one) for one in some])
    for lang in LANGS:
        yield "prompt", game.prompt(ask, own, lang)
        yield "label", str([game.label(one, own, lang) for one in some])
        yield "name", str([game.name(one, lang) for one in some])
        yield "path", str([game.path(one, own, lang) for one in some])
        yield "pad", str(game.pad(ask, own, lang))
        yield "candidates", str(game.candidates(ask, own, lang))
    candidates = [one.move for one in game.candidates(ask, own, "en")]
    for shape in game.meta.shapes:
        for lang in LANGS:
            yield "board", game.draw(own, seat, lang, Scene(shape=shape))
    tried = [*candidates, *(bad for one in some[:8] for bad in moves_out_of_bounds(game, one))]
    for kind in game.meta.asks:
        for viewer in range(table.seats):
            answers = game.answers(kind, table.folds[viewer], viewer)
            yield "answers", str([*answers])
            tried += answers[:SOME]
            for move in answers[:SOME]:
                yield (
                    "order",
                    _refusal_of_act(game.check_order, Always(kind=kind, move=move), table.folds[viewer], viewer),
                )
    yield "refusals", str([_refusal_of_act(game.decide, own, seat, one, NO_LUCK) for one in tried if one not in legal])
    for viewer in range(table.seats):
        yield "supposed", _suppositions(game, table.folds[viewer], viewer, ())
    for text in _texts_people_may_type(game, [game.format(one) for one in some], luck):
        yield "read", f"{text!r} {_result_of_reading(game, text)}"


def _suppositions(game: AnyGame, fold: Any, viewer: int, since: Sequence[Any]) -> str:
    found = game.supposable(fold, viewer, since)
    told = [game.foretell(one, fold, lang) for one in found or () for lang in LANGS]
    return f"{None if found is None else sorted(map(str, found))} {sorted(told)}"


def _lines_of_story(game: AnyGame, event: Any, fold: Any, viewer: int | None) -> Iterator[Line]:
    for lang in LANGS:
        yield "story", game.tell(event, fold, lang)
        if game.card is not None:
            yield "card", str(game.card(event, fold, viewer, lang))


def _refusal_of_act(act: Callable[..., object], *given: object) -> str:
    try:
        act(*given)
    except IllegalMove as refusal:
        return f"{refusal.code} {refusal.facts}"
    except AssertionError:
        return "draws"
    return ""


def _texts_people_may_type(game: AnyGame, typed: Sequence[str], luck: Chance) -> Iterator[str]:
    """Yields what people may type: moves, parts of them, moves with other words in them, and words in any order."""
    words = [*COURTESIES, *" ".join(typed).split(), *" ".join(game.meta.title[lang].lower() for lang in LANGS).split()]
    for text in typed[:8]:
        parts = text.split()
        yield from (text, text.lower().replace(" ", ""), " ".join(reversed(parts)), " ".join(parts[1:]), parts[0])
        at = luck.below(len(parts) + 1)
        yield " ".join([*parts[:at], luck.pick(words), *parts[at:]])
        yield " ".join(luck.pick(words) for _ in range(1 + luck.below(4)))


def _result_of_reading(game: AnyGame, text: str) -> str:
    try:
        return encode(game.parse(text)).decode()
    except Unreadable:
        return "unreadable"


# --- two trees -----------------------------------------------------------------------------------------------


def record_lines(game: AnyGame, matches: int, sparse: int) -> Iterator[str]:
    """Yields a line for each thing that the game says: where, what, its digest, and its beginning."""
    for number in range(matches):
        for at, (what, said) in enumerate(lines_of_match(game, number, sparse)):
            digest = hashlib.sha256(said.encode()).hexdigest()[:16]
            yield f"{number}.{at}\t{what}\t{digest}\t{said[:2000]!r}"


def compare_recordings(ours: Iterator[str], theirs: Iterator[str], without: Sequence[str]) -> int:
    """Prints what differs, and how much was compared; returns the number of differences."""
    compared, differences = Counter[str](), Counter[str]()
    for line, other in zip_longest(ours, theirs, fillvalue="\t-\t\t"):
        (at, what, digest, said), (_, was, before, text) = line.rstrip("\n").split("\t"), other.rstrip("\n").split("\t")
        compared[what] += 1
        if (what, digest) == (was, before) or what in without:
            continue
        differences[what] += 1
        if differences[what] <= SHOWN:
            sys.stdout.write(f"{at} {what}\n  now    {said}\n  before {text}\n")
        if what != was:
            sys.stdout.write(f"{at}: {what} stands where {was} did\n")
            break
    for what, count in sorted(compared.items()):
        left_out = "left out" if what in without else f"{differences[what]} differences"
        sys.stdout.write(f"{what:<12}{count:>10,}  {left_out}\n")
    return sum(differences.values())


def main(words: Sequence[str] | None = None) -> int:
    """Plays in both trees and compares; returns the exit code."""
    parser = argparse.ArgumentParser(description="Compares a game with what it was in another tree.")
    parser.add_argument("slug")
    parser.add_argument("matches", type=int)
    parser.add_argument("before", type=Path, nargs="?", help="another tree; without it, this one's lines are printed")
    parser.add_argument("--sparse", type=int, default=3, help="look closely at every so many positions")
    parser.add_argument("--without", nargs="*", default=[], help="what is not compared")
    args = parser.parse_args(words)
    game = find_game(args.slug)
    if game is None:
        parser.error(f"there is no game {args.slug}")
    own = record_lines(game, args.matches, args.sparse)
    if args.before is None:
        sys.stdout.writelines(f"{line}\n" for line in own)
        return 0
    python = str(args.before / ".venv/bin/python")  # it runs the copy of this program that fits its pbem
    command = [python, "-m", "benchmarks.twin", args.slug, str(args.matches), f"--sparse={args.sparse}"]
    other = subprocess.Popen(
        command, cwd=args.before, env=os.environ | {"PYTHONPATH": str(args.before)}, stdout=subprocess.PIPE, text=True
    )
    with other:
        assert other.stdout is not None, "it is a pipe"
        differences = compare_recordings(own, iter(other.stdout), args.without)
        other.stdout.read()
    return 1 if differences or other.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
