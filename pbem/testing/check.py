"""All that `pbem check` looks at, in the order in which it is said."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.resources.abc import Traversable
from typing import Any, NamedTuple

from pbem.kit.assemble import no_supposable
from pbem.kit.chance import KeyLuck, SeedChance
from pbem.kit.contract import AnyGame
from pbem.kit.laws.bounds import check_bounds
from pbem.kit.laws.luck import check_luck
from pbem.kit.laws.matches import check_fallbacks, check_match
from pbem.kit.laws.newcomers import check_intro
from pbem.kit.laws.orders import check_declared, check_orders
from pbem.kit.laws.plans import check_plans
from pbem.testing.boards import BOARDS, Boards, boards_of, figures_of
from pbem.testing.faults import ENDLESS, Fault, faults_of
from pbem.testing.folds import check_folds
from pbem.testing.leaks import LEAKS, Leaks
from pbem.testing.moves import ORDERS, Questions, check_bot, check_imagination, check_moves
from pbem.testing.records import record
from pbem.testing.texts import RULES, TEXTS, Said, find_wrong_rules, find_wrong_texts
from pbem.testing.visibility import FIELDS, Hiding, find_silent

FEW, FEWER = 0.3, 0.05
"""The part of the matches that is played where it takes long: by bots, and with all boards."""
EVERY = 15
"""Boards are drawn at one decision in this many."""

Law = Callable[[AnyGame, int, Any, bytes], object]
"""Plays a match with this number of seats, these options and this seed. Raises whatever is wrong."""


class Check(NamedTuple):
    """One of the checks: its name, what it looked at, and what is wrong."""

    name: str
    said: str
    faults: Sequence[Fault]


class Match(NamedTuple):
    """What a random match is played with."""

    seats: int
    options: Any
    seed: bytes


def matches_of(game: AnyGame, count: int) -> list[Match]:
    """Returns this many matches: with each number of seats, and with each of the game's sample options, in turn."""
    meta = game.meta
    options = (meta.options(), *meta.samples)
    return [
        Match(meta.seats[n % len(meta.seats)], options[n // len(meta.seats) % len(options)], n.to_bytes(32, "big"))
        for n in range(count)
    ]


def check_game(game: AnyGame, folder: Traversable, count: int) -> Iterator[Check]:
    """Checks a game on this many random matches; `folder` has its code and texts. Yields each check when it is done."""
    matches = matches_of(game, count)
    few, fewer = (matches[: max(len(game.meta.seats), round(count * part))] for part in (FEW, FEWER))
    yield Check(RULES, "the rulebooks have every number that is cited", [*find_wrong_rules(game, folder)])
    played = _check_laws("matches", game, matches, check_match, check_fallbacks, check_luck, once=(check_bounds,))
    yield played
    if any(ENDLESS in fault.said for fault in played.faults):
        return  # so does everything else that plays it
    yield _check_laws("moves", game, matches, check_moves)
    bots = {**game.bots, **({"playout": game.playout} if game.playout is not None else {})}
    lets_play = [partial(check_bot, name, bot) for name, bot in bots.items()]
    yield _check_laws("bots", game, few, *lets_play, *([check_imagination] if game.imagine is not None else []))
    questions = Questions(game)
    yield _check_laws(ORDERS, game, matches, check_orders, questions.look, once=(check_declared, questions.check))
    if game.supposable is not no_supposable:
        yield _check_laws("plans", game, few, check_plans)
    yield _check_laws("folds", game, few, check_folds)
    yield from _check_secrecy(game, matches)
    yield _check_boards(game, fewer)


def _check_laws(
    name: str, game: AnyGame, matches: Sequence[Match], *laws: Law, once: Sequence[Callable[[AnyGame], object]] = ()
) -> Check:
    """Checks each law until it is broken, and then those that need no match."""
    faults = list[Fault]()
    for law in laws:
        for match in matches:
            if broken := [*faults_of(name, partial(law, game, *match))]:
                faults += broken
                break
    for law_of_game in once:
        faults += faults_of(name, partial(law_of_game, game))
    return Check(name, f"{len(matches)} matches", [*dict.fromkeys(faults)])


def _check_secrecy(game: AnyGame, matches: Sequence[Match]) -> Iterator[Check]:
    """Checks who sees what, and what is said, on the same matches."""
    leaks, hiding, said = Leaks(game), Hiding(game), Said()

    def look(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
        leaks.look_at_setup(seats, options, KeyLuck(seed).rules(1))
        played = record(game, seats, options, seed)
        leaks.look(played, SeedChance(seed, 1, "bot"))
        hiding.look(played)
        said.look(played)

    found = _check_laws(LEAKS, game, matches, look)
    yield Check(FIELDS, "each says who sees it", [*find_silent(game, leaks.found), *hiding.faults()])
    yield found._replace(faults=[*leaks.faults(), *found.faults])
    about = [*find_wrong_texts(game), *faults_of(TEXTS, partial(check_intro, game))]
    yield Check(TEXTS, "French and English differ", [*about, *said.faults()])


def _check_boards(game: AnyGame, matches: Sequence[Match]) -> Check:
    boards = Boards(game)

    def look(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
        for board in boards_of(game, seats, options, seed, EVERY):
            boards.look(board)

    def look_at_figures(game: AnyGame) -> None:
        for figure in figures_of(game):
            boards.look(figure)

    found = _check_laws(BOARDS, game, matches, look, once=(look_at_figures,))
    shapes = ", ".join(game.meta.shapes)
    return Check(
        BOARDS,
        f"{boards.count} drawn ({shapes}), {boards.pictures} kinds as pictures",
        [*boards.faults(), *found.faults],
    )
