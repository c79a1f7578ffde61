"""What a viewer sees from kept folds and the end of a log is what they see from all of it, in every game."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, pairwise
from types import SimpleNamespace
from typing import Any, cast

import msgspec
import pytest

from pbem.games import all_games
from pbem.kit import folds
from pbem.kit.codec import encode
from pbem.kit.contract import AnyGame, Ask
from pbem.kit.folds import KeptFolds, fold_for_all, no_folds
from pbem.kit.play import EPOCH, Table, random_decisions
from pbem.kit.replay import Absent, AnyEntry, By, Entry, Resigned, Undone, effective, evolve_all, full_fold
from pbem.kit.texts import LANGS
from pbem.services.views.match_views import View, WholeView
from tests.games.discovered import SEATED, options_of
from tests.transcripts import seed_of

Position = tuple[list[AnyEntry], tuple[Ask, ...]]
EVERY = 16
LENGTH = 180


def positions(game: AnyGame, seats: int, number: int) -> Iterator[Position]:
    """Yields logs as they grow, each with what is asked: one player is absent and has a bot, one move is taken back."""
    table = Table(game, seats, options_of(game, number), seed_of("kept folds", seats, number))
    ends, gone = [0], False
    for _ in random_decisions(table):
        log, asks = _with_bot(table.entries), game.pending(table.state)
        ends.append(len(log))
        yield log, asks
        if len(ends) == 9:
            table.tell(Absent(1))
        if len(ends) == 30:
            table.tell(Resigned(0))
        if len(ends) > 60 and not gone:
            gone = True
            yield from _with_undone(game, log, ends[-3], ends)
        if len(log) > LENGTH:
            return


def _with_bot(log: Sequence[AnyEntry]) -> list[AnyEntry]:
    """Returns the log as it is if a bot has played for the player who is absent."""
    away = next((one.n for one in log if isinstance(one.event, Absent)), len(log))
    bot = By(bot=1, via="some")
    return [msgspec.structs.replace(one, by=bot) if one.n > away and one.by.seat == 1 else one for one in log]


def _with_undone(game: AnyGame, log: list[AnyEntry], to: int, ends: Sequence[int]) -> Iterator[Position]:
    """Yields the log after what came after entry `to` was taken back, and as it is played again."""
    back = [*log, Entry(len(log) + 1, EPOCH, By(table=True), None, Undone(to))]
    yield back, game.pending(full_fold(game, back))
    for first, last in pairwise([n for n in ends if n >= to]):
        again = [msgspec.structs.replace(one, n=len(back) + at, key=f"{one.key}~1" if one.key else None)
                 for at, one in enumerate(log[first:last], 1)]  # fmt: skip
        back = [*back, *again]
        yield back, game.pending(full_fold(game, back))


def keep(game: AnyGame, seats: int, log: Sequence[AnyEntry], n: int) -> KeptFolds:
    """Returns the folds after entry `n` as a row of the database gives them back."""
    packed = folds.pack(game, fold_for_all(game, no_folds(seats), effective(log[:n])))
    opened = folds.unpack(game, n, seats, packed)
    assert isinstance(opened, KeptFolds)
    return opened


def cuts(log: Sequence[AnyEntry]) -> list[int]:
    """Returns two numbers of entries after which folds may be kept: a decision ends there that still counts."""
    undone = [(one.event.to, one.n) for one in log if isinstance(one.event, Undone)]
    ends = [one.n for one, then in zip(log, [*log[1:], None], strict=True) if not then or then.key != one.key]
    kept = [n for n in ends if not any(to < n < back for to, back in undone)]
    return [*{n // EVERY: n for n in kept if n >= EVERY}.values()][-2:]


def view(kind: type[View], game: AnyGame, viewer: int | None, part: folds.Part) -> View:
    """Returns the view of a match that is nothing but this log."""
    shown = SimpleNamespace(game=game, seen=None, status="running")
    return kind(cast(Any, shown), viewer, part.entries, part.fold, None, start=part.start)


@pytest.mark.parametrize("number", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2, 3))])
@SEATED
def test_what_is_seen_from_kept_folds_is_what_the_log_shows(
    game: AnyGame, seats: int, number: int, request: pytest.FixtureRequest
) -> None:
    each = 1 if number else 13  # the long run looks at every entry
    used = Counter[bool]()
    for count, (log, asks) in enumerate(positions(game, seats, number)):
        undone = any(isinstance(one.event, Undone) for one in log)
        if count % each and not undone:
            continue
        for n in cuts(log):
            kept = keep(game, seats, log, n)
            for viewer in (None, *range(seats)):
                for fades in (True, False):
                    whole = folds.whole(game, log, viewer, asks, (), fades=fades)
                    part = folds.since(game, kept, log[n:], viewer, asks, (), fades=fades)
                    if part is None:
                        continue
                    used[fades] += 1
                    assert part.entries == whole.entries[n:]
                    assert encode(part.fold) == encode(whole.fold)
                    before = (one.event for one in effective(whole.entries[:n]))
                    assert encode(part.start.fold) == encode(evolve_all(game, None, before))
                    told, all_told = view(View, game, viewer, part), view(WholeView, game, viewer, whole)
                    for lang in LANGS[:: 1 if number else 2]:
                        assert told.story(lang, n) == all_told.story(lang, n)
                    if viewer is not None and told.has_news:
                        assert told.news(LANGS[0]) == all_told.news(LANGS[0])
                        assert told.last_own() == all_told.last_own()
                        assert told.others_moved == all_told.others_moved
                        assert told.has_moved == all_told.has_moved
    assert min(used[True], used[False]) > 10, "kept folds are of use, also while something fades"


@SEATED
def test_folds_that_go_on_are_those_of_the_whole_log(game: AnyGame, seats: int) -> None:
    *_, (log, _) = positions(game, seats, 0)
    for n in cuts(log):
        whole = fold_for_all(game, no_folds(seats), effective(log))
        rest = [one for one in effective(log) if one.n > n]
        assert fold_for_all(game, keep(game, seats, log, n).everyone(), rest) == whole


@pytest.mark.parametrize("memory", ["open", "closed"])
def test_folds_are_kept_twice_only_where_the_table_lets_something_fade(memory: str) -> None:
    """Then they are of use wherever what is fresh begins."""
    game = all_games()["allegeance"]
    table = Table(game, 3, game.meta.options(memory=memory), seed_of("kept folds", 3, 0))
    used = Counter[bool]()
    for _ in islice(random_decisions(table), 60):
        log, asks = table.entries, game.pending(table.state)
        for n in cuts(log):
            kept = keep(game, 3, log, n)
            assert kept.has_faded == (memory == "closed")
            for viewer in (None, *range(3)):
                used[folds.since(game, kept, log[n:], viewer, asks, (), fades=True) is None] += 1
    assert bool(used[True]) == (memory == "closed")
    assert used[False]
