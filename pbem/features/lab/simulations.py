"""Matches that bots play among themselves, without checking the laws: fast, and only counted.

A bot may be kept from playing something, so that one sees what it is worth (Jaffe et al. 2012).
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from pbem.features.lab.course import Course, Listener, Played
from pbem.features.lab.ordered import play_with_orders
from pbem.features.lab.plans import NONE, PLANNER, Chunk, Plan, seed_of_match
from pbem.features.lab.tallies import Closeness, Tally
from pbem.games import find_game
from pbem.kit.bots import LEVELS, RANDOM, bots_of, is_thinking_bot, think_on_level
from pbem.kit.chance import Chance
from pbem.kit.choices import draw_random_move
from pbem.kit.codec import codec_for
from pbem.kit.contract import AnyGame, Bot, Move, PlayerView, Unreadable
from pbem.kit.play import Table, first_to_answer, random_decisions

MATCHES = 8
"""In this many matches of random play, each verb of the notation is looked for."""
TRIES = 8
"""So often a bot that does not think is asked for another answer."""


def words_that_bar_move(game: AnyGame, move: Move, without: Sequence[str]) -> list[str]:
    """Returns those of these words that bar the move."""
    kind, written = type(move).__name__, f"{game.format(move)} "
    return [word for word in without if word == kind or written.startswith(f"{word} ")]


def may_be_word_of_move(game: AnyGame, word: str) -> bool:
    """Returns whether this is a kind of move, or the notation of some move may begin so, as far as a few matches tell.

    >>> from pbem.games import all_games
    >>> hagakure = all_games()["hagakure"]
    >>> [may_be_word_of_move(hagakure, word) for word in ("Swap", "play V7", "Typo", "xyz", "")]
    [True, True, False, False, False]
    """
    if any(word == kind.__name__ for kind in game.meta.moves):
        return True
    first = word.partition(" ")[0]
    for number in range(MATCHES):
        table = Table(game, game.meta.seats[0], game.meta.options(), bytes([number] * 32))
        if any(game.format(move).split()[:1] == [first] for _, move in random_decisions(table)):
            return True
    try:
        return bool(first) and game.format(game.parse(word)).split()[0] == first
    except Unreadable:
        return False


def bot_without_barred_moves(game: AnyGame, name: str, without: Sequence[str], barred: Counter[str]) -> Bot:
    """Returns the bot of this name as it plays without some moves.

    One that thinks gives the best of the other answers that it has tried; any other is asked again, with the luck that
    follows. When that does not help, an allowed move is drawn by the weights of the game; where none is left, the bot
    plays what it wanted. `barred` counts what each word has kept it from.
    """
    bot = bots_of(game)[name]

    def choose(view: PlayerView, seat: int, chance: Chance) -> Any:
        wanted = first = bot(view, seat, chance)
        if not words_that_bar_move(game, first, without):
            return first
        barred.update(words_that_bar_move(game, first, without))
        legal = game.legal(view.fold, seat)
        if is_thinking_bot(name) and len(legal) > 1:
            tried = think_on_level(game, view, seat, chance, LEVELS[name]).considered
            best = next((one.move for one in tried if not words_that_bar_move(game, one.move, without)), None)
            if best is not None:
                return best
        for _ in range(TRIES):
            wanted = bot(view, seat, chance)
            if not words_that_bar_move(game, wanted, without):
                return wanted
        allowed = [move for move in legal if not words_that_bar_move(game, move, without)]
        return draw_random_move(allowed, game.meta.weights, chance) if allowed else first

    return choose


def play_match(
    game: AnyGame, plan: Plan, number: int, options: Any, seed: bytes, listeners: Sequence[Listener] = ()
) -> Played:
    """Plays the match of a plan that has this number, under decoded options, with its own seed.

    Raises LawBroken if the match does not end within the game's bound.
    """
    names, known, bound = plan.bots_of_match(number), bots_of(game), plan.seat_barred_from_moves(number)
    players = [known[name] for name in names]
    barred: Counter[str] = Counter()
    if bound is not None:
        players[bound] = bot_without_barred_moves(game, names[bound], plan.without, barred)
    ordered = [plan.orders_of(seat) for seat in range(plan.seats)]
    if set(ordered) != {NONE}:
        ordering, planning = [one != NONE for one in ordered], [one == PLANNER for one in ordered]
        played = play_with_orders(
            game, plan.seats, options, seed, players, ordering, planning, listeners=listeners
        )  # fmt: skip
    else:
        # A random bot needs no fold of its own seat: the legal moves are the same on the full state.
        seeing = [seat for seat, name in enumerate(names) if name != RANDOM]
        played = _play_without_orders(Course(game, plan.seats, options, seed, seeing, listeners), players)
    return msgspec.structs.replace(played, barred=barred) if barred else played


def _play_without_orders(course: Course, players: Sequence[Bot]) -> Played:
    """Plays a match without orders. If several seats are asked at once, the one to answer first is drawn each time."""
    opened = dict.fromkeys(course.asks, 0)
    course.count_wait_and_mails(len(opened))
    while course.asks:
        ask = first_to_answer(course.asks, course.luck, course.next_entry_number)
        course.now = max(course.now, course.pace.next_look_of_seat(ask.seat, opened[ask]))
        view = course.views.get(ask.seat) or PlayerView(course.state, course.seats)
        move = players[ask.seat](view, ask.seat, course.luck.bot(course.next_entry_number, ask.key, ask.seat))
        course.count_decision(ask.seat)
        course.play(ask, move)
        course.count_wait_and_mails(sum(other.seat != ask.seat and other not in opened for other in course.asks))
        opened = {other: opened.get(other, course.now) for other in course.asks}
    return course.end_and_sum_up()


def play_matches(game: AnyGame, chunk: Chunk) -> Tally:
    """Plays the matches of the chunk, whose plan is of this game, and returns their tally.

    Raises LawBroken if a match does not end.
    """
    plan, tally = chunk.plan, Tally(chunk.plan.seats)
    options, seed = codec_for(game).options(plan.options), bytes.fromhex(plan.seed)
    close = Closeness(game, plan.seats) if plan.closely else None
    for number in range(chunk.first, chunk.beyond):
        own = seed_of_match(seed, plan.seats, number)
        listeners = () if close is None else close.listeners_of(number, own)
        tally.add(play_match(game, plan, number, options, own, listeners))
    tally.closely = None if close is None else close.closely
    return tally


def play_chunk(chunk: Chunk) -> Tally:
    """Plays the matches of the chunk and returns their tally.

    Raises ValueError if the game is not installed, LawBroken if a match does not end.
    """
    game = find_game(chunk.plan.game)
    if game is None:
        raise ValueError(f"there is no game {chunk.plan.game!r}")
    return play_matches(game, chunk)


def simulate(plan: dict[str, Any], first: int, beyond: int) -> dict[str, Any]:
    """Runs `play_chunk` for a worker: plan and tally are converted from and to JSON values."""
    tally = play_chunk(Chunk(msgspec.convert(plan, Plan), first, beyond))
    return dict(msgspec.to_builtins(tally, str_keys=True))
