"""What is kept of a match: folds that are written down and read again go on as if they had not been."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import msgspec

from pbem.kit import folds
from pbem.kit.codec import codec_for, encode
from pbem.kit.contract import AnyGame, Ask
from pbem.kit.folds import KeptFolds, fold_for_all, no_folds
from pbem.kit.play import EPOCH, Table, random_decisions
from pbem.kit.replay import Absent, AnyEntry, By, Entry, Resigned, Undone, entries_not_taken_back, evolve_all, full_fold
from pbem.kit.secrecy import redact
from pbem.kit.texts import LANGS
from pbem.services.views.match_views import View, WholeView
from pbem.testing.records import play_random_match

Position = tuple[list[AnyEntry], tuple[Ask, ...]]
EVERY = 16
"""Folds may be kept after about this many entries."""
LENGTH = 180
"""Of logs that are looked at."""
SELDOM = 13
"""One in this many positions is looked at, unless every one is."""


def check_folds_survive_storage(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
    """Writes every fold of a random match down after each event, and goes on from what is read. Raises LawBroken."""
    table, codec = play_random_match(game, seats, options, seed).table, codec_for(game)
    for viewer in table.viewers:
        fold: Any = None
        for entry in table.entries:
            before, was = fold, encode(fold)
            fold = game.evolve(before, redact(entry.event, viewer))
            if encode(before) != was:
                raise table.broken(f"{entry.event} changes the fold of {viewer} before it, which others still use")
            read = codec.state(encode(fold))
            if read != fold:
                raise table.broken(f"the fold of {viewer} after {entry.event} reads back as something else: {read}")
            fold = read
        if fold != table.folds[viewer]:
            raise table.broken(f"the fold of {viewer} goes on otherwise once it was written down")


def check_views_from_kept_folds(
    game: AnyGame, seats: int, options: Any, seed: bytes, each: int = SELDOM
) -> Counter[bool]:
    """Checks that viewers see from kept folds and the end of a log what they see from all of it. Raises LawBroken.

    Looks at one position in `each`. Returns how often kept folds were of use: while nothing fades, and where it does.
    """
    table, used = Table(game, seats, options, seed), Counter[bool]()
    for count, (log, asks) in enumerate(positions_with_absence_and_undo(table)):
        if count % each and not any(isinstance(one.event, Undone) for one in log):
            continue
        for n in entries_to_cut_after(log):
            kept = folds_as_stored(game, seats, log, n)
            for viewer in table.viewers:
                for fades in (True, False):
                    used[fades] += _check_view_from_kept_folds(table, log, asks, kept, viewer, fades=fades)
    return used


def _check_view_from_kept_folds(
    table: Table, log: Sequence[AnyEntry], asks: tuple[Ask, ...], kept: KeptFolds, viewer: int | None, *, fades: bool
) -> bool:
    """Compares what is seen from the kept folds with what the whole log shows; returns False if they are of no use."""
    game, n = table.game, kept.n
    whole = folds.view_of_whole_log(game, log, viewer, asks, (), fades=fades)
    part = folds.view_since(game, kept, log[n:], viewer, asks, (), fades=fades)
    if part is None:
        return False
    before = evolve_all(game, None, (one.event for one in entries_not_taken_back(whole.entries[:n])))
    told, all_told = _view_of_part(View, game, viewer, part), _view_of_part(WholeView, game, viewer, whole)
    same = {
        "events": (part.entries, whole.entries[n:]),
        "fold": (encode(part.fold), encode(whole.fold)),
        "fold before": (encode(part.start.fold), encode(before)),
        "story": tuple([one.story(lang, n) for lang in LANGS] for one in (told, all_told)),
    }
    if viewer is not None and told.has_news():
        same["news"] = tuple(
            (one.news(LANGS[0]), one.last_own, one.others_moved, one.has_moved) for one in (told, all_told)
        )
    for what, (one, other) in same.items():
        if one != other:
            raise table.broken(f"the {what} of {viewer} from folds that were kept after entry {n}: {one}, not {other}")
    return True


def positions_with_absence_and_undo(table: Table) -> Iterator[Position]:
    """Yields logs as they grow, each with what is asked: one player is absent and has a bot, one move is taken back."""
    game = table.game
    ends, gone = [0], False
    for _ in random_decisions(table):
        log, asks = _log_with_bot_for_absent(table.entries), game.pending(table.state)
        ends.append(len(log))
        yield log, asks
        if len(ends) == 9:
            table.tell(Absent(1))
        if len(ends) == 30:
            table.tell(Resigned(0))
        if len(ends) > 60 and not gone:
            gone = True
            yield from _positions_after_undo_and_replay(game, log, ends[-3], ends)
        if len(log) > LENGTH:
            return


def _log_with_bot_for_absent(log: Sequence[AnyEntry]) -> list[AnyEntry]:
    """Returns the log as it is if a bot has played for the player who is absent."""
    away = next((one.n for one in log if isinstance(one.event, Absent)), len(log))
    bot = By(bot=1, via="some")
    return [msgspec.structs.replace(one, by=bot) if one.n > away and one.by.seat == 1 else one for one in log]


def _positions_after_undo_and_replay(
    game: AnyGame, log: list[AnyEntry], to: int, ends: Sequence[int]
) -> Iterator[Position]:
    """Yields the log after what came after entry `to` was taken back, and as it is played again."""
    back = [*log, Entry(len(log) + 1, EPOCH, By(table=True), None, Undone(to))]
    yield back, game.pending(full_fold(game, back))
    for first, last in pairwise([n for n in ends if n >= to]):
        again = [msgspec.structs.replace(one, n=len(back) + at, key=f"{one.key}~1" if one.key else None)
                 for at, one in enumerate(log[first:last], 1)]  # fmt: skip
        back = [*back, *again]
        yield back, game.pending(full_fold(game, back))


def folds_as_stored(game: AnyGame, seats: int, log: Sequence[AnyEntry], n: int) -> KeptFolds:
    """Returns the folds after entry `n` as a row of the database gives them back."""
    packed = folds.pack_folds(game, fold_for_all(game, no_folds(seats), entries_not_taken_back(log[:n])))
    opened = folds.unpack_folds(game, n, seats, packed)
    assert isinstance(opened, KeptFolds), "it was packed by the same release"
    return opened


def entries_to_cut_after(log: Sequence[AnyEntry]) -> list[int]:
    """Returns two numbers of entries after which folds may be kept: a decision ends there that still counts."""
    undone = [(one.event.to, one.n) for one in log if isinstance(one.event, Undone)]
    ends = [one.n for one, then in zip(log, [*log[1:], None], strict=True) if not then or then.key != one.key]
    kept = [n for n in ends if not any(to < n < back for to, back in undone)]
    return [*{n // EVERY: n for n in kept if n >= EVERY}.values()][-2:]


def _view_of_part(kind: type[View], game: AnyGame, viewer: int | None, part: folds.Part) -> View:
    """Returns the view of a match that is nothing but this log."""
    shown = SimpleNamespace(game=game, seen=None, status="running")
    return kind(cast(Any, shown), viewer, part.entries, part.fold, None, start=part.start)
