"""All that `pbem check` looks at, in the order in which it is said."""

import re
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.resources.abc import Traversable
from math import lcm
from typing import Any, NamedTuple

from msgspec import structs

from pbem.discovery import attributes_of_features, packages_of_features
from pbem.games import read_text_file_of_game
from pbem.kit.assemble import no_supposable
from pbem.kit.bots import bots_of, extra_bots
from pbem.kit.chance import KeyLuck, SeedChance
from pbem.kit.contract import AnyGame, Meta, Options
from pbem.kit.laws.bounds import check_bounds
from pbem.kit.laws.luck import check_luck
from pbem.kit.laws.matches import check_fallbacks, check_match
from pbem.kit.laws.newcomers import check_intro
from pbem.kit.laws.offered import PARTS
from pbem.kit.laws.orders import check_declared, check_orders
from pbem.kit.laws.plans import check_plans
from pbem.kit.options import options_of
from pbem.testing.elsewhere import KEEPING, PROCESSES, Elsewhere
from pbem.testing.faces.boards import BOARDS, Boards
from pbem.testing.faces.languages import Languages
from pbem.testing.faces.rulebooks import RULES, find_wrong_rules
from pbem.testing.faces.texts import TEXTS, Said, find_wrong_texts, missing_aids_for_newcomers
from pbem.testing.faults import ENDLESS, Fault, fault_if_check_raises
from pbem.testing.folds import check_folds_survive_storage, check_views_from_kept_folds
from pbem.testing.leaks import LEAKS, Leaks
from pbem.testing.moves import check_bot, check_bot_names, check_estimate, check_imagination, check_moves
from pbem.testing.naming import Names, find_state_kept_by_functions
from pbem.testing.occurring import DECLARED, ORDERS, Occurring
from pbem.testing.older import OLDER, find_broken_logs, logs_in
from pbem.testing.records import play_random_match
from pbem.testing.visibility import FIELDS, Hiding, find_fields_without_visibility

FEW = 0.3
"""The part of the matches that is played where it takes long: by bots."""
ENOUGH_S = 12
"""Of computing, for one of the checks: a game that takes long is played in fewer matches."""

Progress = Callable[[str], object]
"""Takes what is being looked at."""
_MATCH = re.compile(r" \[\d+ seats, .*\]$")
"""The match at the end of what is said of a fault."""
Law = Callable[[AnyGame, int, Any, bytes], object]
"""Plays a match with this number of seats, these options and this seed. Raises whatever is wrong."""


class Check(NamedTuple):
    """One of the checks: its name, what it looked at, what is wrong, and what may be."""

    name: str
    said: str
    faults: Sequence[Fault]
    hints: Sequence[Fault] = ()


class Match(NamedTuple):
    """What a random match is played with."""

    seats: int
    options: Any
    seed: bytes

    def __str__(self) -> str:
        """How an author is told which match it is."""
        return f"{self.seats} seats, {self.options}, seed {int.from_bytes(self.seed, 'big')}"


def options_tried(meta: Meta) -> tuple[Options, ...]:
    """Returns the options that matches are played with: the usual ones, the game's samples, and what these leave out.

    That is each choice of an option which none of them has; of numbers the least and the most.
    """
    found = [meta.options(), *meta.samples]
    for option in options_of(meta):
        numbers = [choice for choice in option.choices if type(choice.value) is int]
        for choice in option.choices:
            tried = choice not in numbers[1:-1]
            if tried and all(getattr(one, option.name) != choice.value for one in found):
                found.append(structs.replace(found[0], **{option.name: choice.value}))
    return tuple(found)


def matches_to_check(game: AnyGame, count: int) -> list[Match]:
    """Returns this many matches: the first ones with each number of seats and with all options, then all pairs."""
    seats, options = game.meta.seats, options_tried(game.meta)
    again = lcm(len(seats), len(options))
    return [
        Match(seats[n % len(seats)], options[(n + n // again) % len(options)], n.to_bytes(32, "big"))
        for n in range(count)
    ]


def check_game(
    game: AnyGame, folder: Traversable, count: int, progress: Progress = lambda said: None
) -> Iterator[Check]:
    """Checks a game on this many random matches; `folder` has its code and texts. Yields each check when it is done.

    Features look at what they show of it, by their `laws.LAWS`. A check that finds just what one before it has found,
    in whatever match, is not yielded: it could not look any further.
    """
    known = set[str]()
    for check in _run_checks(game, folder, count, progress):
        said = {_MATCH.sub("", fault.said) for fault in check.faults}
        if not said or not said <= known:
            yield check
        known |= said


def _run_checks(game: AnyGame, folder: Traversable, count: int, progress: Progress) -> Iterator[Check]:
    check_laws = partial(_check_laws_on_matches, progress=progress)
    matches = matches_to_check(game, count)
    few = matches[: max(len(game.meta.seats), len(options_tried(game.meta)), round(count * FEW))]
    yield Check(RULES, "the rulebooks have every number that is cited", [*find_wrong_rules(game, folder)])
    occurring, names = Occurring(game), Names(folder)

    def play(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
        occurring.sample.add(check_match(game, seats, options, seed)[0])

    played = check_laws("matches", game, matches, play, check_fallbacks, check_luck, once=(check_bounds,))
    yield played
    if any(ENDLESS in fault.said for fault in played.faults):
        return  # so does everything else that plays it
    yield check_laws("moves", game, matches, check_moves)
    bots = {**game.bots, **({"playout": game.playout} if game.playout is not None else {})}
    bots |= {name: bots_of(game)[name] for name in extra_bots(game)}
    lets_play = [partial(check_bot, name, bot) for name, bot in bots.items()]
    thinks = [(game.imagine, check_imagination), (game.estimate, check_estimate)]
    laws: list[Law] = [*lets_play, *(law for face, law in thinks if face is not None)]
    yield check_laws("bots", game, few, *laws, once=(check_bot_names,))
    yield check_laws(
        ORDERS,
        game,
        matches,
        check_orders,
        occurring.play_and_note_what_occurs,
        once=(check_declared, occurring.check_orders_are_followed),
    )
    yield Check(DECLARED, "it comes up", [*occurring.faults(names)], [*occurring.possible_but_never_seen(names)])
    if game.supposable is not no_supposable:
        yield check_laws("plans", game, few, check_plans)
    yield check_laws("folds", game, few, check_folds_survive_storage, check_views_from_kept_folds)
    elsewhere = Elsewhere()
    done = check_laws(
        PROCESSES, game, few, elsewhere.play_and_note_faces, once=(elsewhere.require_same_in_other_process,)
    )
    hints = [Fault(PROCESSES, f"a function in {kept}", KEEPING) for kept in find_state_kept_by_functions(folder)]
    yield done._replace(said=f"{len(elsewhere.matches)} matches", hints=hints)
    if older := logs_in(folder):
        yield Check(OLDER, f"{len(older)} replayed", [*find_broken_logs(game, folder)])
    yield from _check_secrecy_and_texts(game, matches, check_laws)
    yield from _check_laws_of_features(game)
    yield _check_boards(game, read_text_file_of_game(game.meta.slug, PARTS), matches, check_laws)


def _check_laws_of_features(game: AnyGame) -> Iterator[Check]:
    """Checks what features say about faces that the game has."""
    for laws in attributes_of_features("laws", "LAWS", packages_of_features()):
        for face, law in laws.items():
            if getattr(game, face) is not None:
                yield Check(face, "it can be shown", [*fault_if_check_raises(face, partial(law, game))])


def _check_laws_on_matches(
    name: str, game: AnyGame, matches: Sequence[Match], *laws: Law, progress: Progress,
    once: Sequence[Callable[[AnyGame], object]] = (), pairs: bool = True,
) -> Check:  # fmt: skip
    """Checks each law until it is broken or has taken long enough, and then those that need no match.

    Each number of seats is played, with each of the options tried, however long that takes; without `pairs`, each of
    them is played in some match.
    """
    faults, played = list[Fault](), 0
    seats, options = len(game.meta.seats), len(options_tried(game.meta))
    least = seats * options if pairs else max(seats, options)
    for law in laws:
        end = time.process_time() + ENOUGH_S / len(laws)
        for number, match in enumerate(matches, 1):
            progress(f"{name}: match {number} of {len(matches)}")
            if broken := [*fault_if_check_raises(name, partial(law, game, *match), str(match))]:
                faults += broken
                break
            played = max(played, number)
            if number >= least and time.process_time() > end:
                break
    for law_of_game in once:
        faults += fault_if_check_raises(name, partial(law_of_game, game))
    return Check(name, f"{played} matches", [*dict.fromkeys(faults)])


def _check_secrecy_and_texts(
    game: AnyGame, matches: Sequence[Match], check_laws: Callable[..., Check]
) -> Iterator[Check]:
    """Checks who sees what, and what is said, on the same matches."""
    languages = Languages(game.meta.slug)
    leaks, hiding, said = Leaks(game), Hiding(game), Said(game, languages)

    def look_at_setup(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
        leaks.look_at_setup(seats, options, KeyLuck(seed).rules(1))

    def look(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
        played = play_random_match(game, seats, options, seed)
        leaks.look_at_match(played, SeedChance(seed, 1, "bot"))
        hiding.compare_folds_with_state(played)
        said.read_what_match_says(played)

    found = check_laws(LEAKS, game, matches, look_at_setup, look)
    yield Check(FIELDS, "each says who sees it", [*find_fields_without_visibility(game, leaks.found), *hiding.faults()])
    yield found._replace(faults=[*leaks.faults(), *found.faults], hints=[*leaks.doubtful_leaks()])
    wrong = list[Fault]()
    broken = [
        *fault_if_check_raises(TEXTS, lambda: wrong.extend(find_wrong_texts(game, languages))),
        *fault_if_check_raises(TEXTS, partial(check_intro, game)),
    ]
    absent = ", ".join(missing_aids_for_newcomers(game))
    looked = f"French and English differ{f'; it could have, too: {absent}' if absent else ''}"
    yield Check(TEXTS, looked, [*wrong, *broken, *said.faults()])


def _check_boards(game: AnyGame, parts: str, matches: Sequence[Match], check_laws: Callable[..., Check]) -> Check:
    boards = Boards(game)

    def look(game: AnyGame, seats: int, options: Any, seed: bytes) -> None:
        boards.look_at_boards_of_random_match(seats, options, seed)

    found = check_laws(BOARDS, game, matches, look, once=(lambda game: boards.look_at_figures(parts),), pairs=False)
    shapes = ", ".join(game.meta.shapes)
    return Check(
        BOARDS,
        f"{boards.count} drawn ({shapes}), {boards.pictures} kinds as pictures",
        [*boards.faults(), *found.faults],
    )
