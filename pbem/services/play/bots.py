"""Plays the seats of bots: a worker answers their asks as soon as the log has moved, without any mail.

Those that answer at once are played by `play_quick_bots`, in the process that sends mails and moves clocks. Those that
think are played by `play_thinkers`, in a process of its own, so that nobody waits for their thoughts. So are those of
packages, since nobody knows how long they take; one that takes too long is stopped, and has failed.

1. Claim open asks of bot seats: of those that think one at a time, so that the claim lasts as long as the thought.
2. For each, read the match and let the bot think, from what its seat knows and with its own randomness. Nothing is
   locked meanwhile: thinking may take seconds, and people go on playing.
3. Lock the match and play the move if the match is still where it was; else the bot thinks again.
4. In a race (first come, first served) a bot answers once per answer of a person, so that speed gives it no advantage;
   when no person is asked any more it takes all it wants. If the clock answers for a person, that counts as the
   person's answer.
5. Repeat until nothing is left to claim, because one bot's answer may open an ask for the next.
"""

from datetime import timedelta
from functools import cache
from typing import Any, NamedTuple

import structlog
from sqlalchemy import select

from pbem.errors import Busy, GameUnavailable
from pbem.games import find_game, slow_bots
from pbem.kit.bots import LEVELS, RANDOM, bots_of, extra_bots, is_thinking_bot, think_on_level, version_of
from pbem.kit.contract import Move
from pbem.kit.replay import By, key_without_takebacks, player_view
from pbem.models.prepared import Prepared
from pbem.models.tables import AskRow, Match, table
from pbem.services.log import leases, proofs, store
from pbem.services.log.leases import AskId
from pbem.services.log.store import Table
from pbem.services.log.table import lock_table
from pbem.services.play import decisions
from pbem.services.play.patience import BotFailed, answer_of_bot
from pbem.services.site import Site

ROUNDS = 1000
ATTEMPTS = 4
"""So often a bot thinks about one question while others go on playing; then its claim has to run out."""

_asks = table(AskRow).c
log = structlog.get_logger()


def is_any_bot_asked(site: Site) -> bool:
    """Returns whether a bot is asked in a match that is being played: mostly none is, and nothing is to be done."""
    with site.one_statement() as connection:
        return bool(_ANY.send(connection, {}).rows())


def play_quick_bots(site: Site) -> int:
    """Answers every ask of a bot that answers at once, if it can be answered now; returns the number answered.

    Safe to run twice or in two places.
    """
    return _claim_and_answer_asks_of_bots(site, _asks.bot.not_in(slow_bots()), leases.BATCH)


def play_thinkers(site: Site) -> int:
    """Answers every ask of a bot that thinks, if it can be answered now; returns the number answered.

    Safe to run twice or in two places: if two think about one question, the first that is ready is played.
    """
    return _claim_and_answer_asks_of_bots(site, _asks.bot.in_(slow_bots()), 1)


def is_any_thinker_asked(site: Site) -> bool:
    """Returns whether `play_thinkers` has something to do: a bot that thinks is asked, and waits for nobody else."""
    wanted = (*_ASKED, _asks.bot.in_(slow_bots()))
    free = leases.read_unclaimed_asks(site, *wanted, order=_asks.claimed_until, most=leases.BATCH, reserved=True)
    if not free:
        return False
    if len(free) == leases.BATCH:  # too many to look whether all of them wait for people in their races
        return True
    with site.reading() as session:
        for ask_id in free:
            ask, table = session.get(AskRow, ask_id), Table(session, store.get_match(session, ask_id[0]))
            waits = (
                ask is not None and _is_ask_open_for_bot(table.match, ask) and find_game(table.match.game) is not None
            )
            if ask is not None and waits and _may_bot_answer_race_now(table, ask):
                return True
    return False


def _claim_and_answer_asks_of_bots(site: Site, which: Any, most: int) -> int:
    """Answers every ask of these bots that can be answered now; claims this many of them at once."""
    played, waiting = 0, set[AskId]()
    for _ in range(ROUNDS):
        if site.stopping():
            break
        # Bots that wait for a person in a race must not hold up other bots, however many there are: asks that were
        # never tried come first, then those tried longest ago.
        fresh = _claim_asks_of_bots(
            site, which, leases.condition_of_untried(site.now()), order=_asks.opened_at, most=most
        )
        asks = fresh or _claim_asks_of_bots(site, which, order=_asks.claimed_until, most=most)
        tried = waiting.issuperset(asks) or len(asks) < most
        answered = {ask for ask in asks if not site.stopping() and _answer_ask(site, ask)}
        waiting |= {*asks} - answered
        played += len(answered)
        if not (fresh or answered) and tried:
            break
    return played


_ASKED = (
    _asks.bot.is_not(None),
    _asks.sealed_at.is_(None),
    # Each ask looks up its own match, so that a plan begins with the few asks of bots and not with all matches in play.
    select(table(Match).c.status).where(table(Match).c.id == _asks.match_id).scalar_subquery() == "running",
)
"""A bot is asked in a match that is being played; in one that is paused it would be claimed again and again."""
_ANY = Prepared(select(_asks.key).where(*_ASKED, _asks.closed_at.is_(None)).limit(1))


def _claim_asks_of_bots(site: Site, *wanted: Any, order: Any, most: int) -> list[AskId]:
    return leases.claim_asks(site, *_ASKED, *wanted, order=order, most=most, reserved=True)


class _Thought(NamedTuple):
    """What is to be played, the bot that is asked, the version of the match for which it holds, and who thought so.

    No move leaves it to the clock.
    """

    bot: str
    version: int
    move: Move | None
    via: str


def _answer_ask(site: Site, ask_id: AskId) -> bool:
    """Lets the bot answer this claimed ask; returns True if it did."""
    match_id, key, seat = ask_id
    try:
        for _ in range(ATTEMPTS):
            thought = _choose_answer(site, ask_id)
            answered = _play_chosen_answer(site, ask_id, thought)
            if answered is not None:
                return answered
        # Others play faster than it thinks: their next answer, or the end of the claim, brings it back.
        log.info("bot.overtaken", match=match_id, key=key)
    except (Busy, GameUnavailable) as problem:
        log.info("bot.busy", match=match_id, key=key, code=problem.code)
    except BotFailed as failed:
        log.exception("bot.failed", match=match_id, key=key, seat=seat, bot=failed.bot)
    except Exception:
        # A failing bot must not stop the others; the clock moves for it at the deadline.
        log.exception("bot.failed", match=match_id, key=key, seat=seat)
    return False


def _choose_answer(site: Site, ask_id: AskId) -> _Thought | None:
    """Returns what the bot answers as the match stands; None if it is not to answer now. Locks nothing."""
    match_id, key, seat = ask_id
    with site.reading() as session:
        table = Table(session, store.get_match(session, match_id))
        match, ask = table.match, session.get(AskRow, ask_id)
        if ask is None or not _is_ask_open_for_bot(match, ask):
            return None
        game, name = table.game, str(ask.bot)
        if not _may_bot_answer_race_now(table, ask):
            return None
        entries, luck = table.entries, proofs.luck_of(match)
    if len(entries) != match.version:  # somebody played between the reads
        return None
    known, via = bots_of(game), name
    if name not in known:  # its package is gone
        _log_unknown_bot(game.meta.slug, name)
        if not match.untimed:
            return _Thought(name, len(entries), None, via)
        via = RANDOM  # nobody waits for the clock there
    view = player_view(game, entries, len(proofs.word_hashes(match)), seat, luck.memory(seat))
    chance = luck.bot(len(entries) + 1, key_without_takebacks(key), seat)
    if (packaged := extra_bots(game).get(name)) is not None:
        return _Thought(name, len(entries), answer_of_bot(game, name, packaged, view, seat, chance), via)
    move = known[via](view, seat, chance)
    if is_thinking_bot(name) and len(game.legal(view.fold, seat)) == 1:
        # A forced answer takes as long as any other: who watches the clock must not learn that there was no choice.
        think_on_level(game, view, seat, chance, LEVELS[name])
    return _Thought(name, len(entries), move, via)


@cache
def _log_unknown_bot(game: str, bot: str) -> None:
    """Logs that there is no such bot, once in a process."""
    log.warning("bot.unknown", game=game, bot=bot)


def _play_chosen_answer(site: Site, ask_id: AskId, thought: _Thought | None) -> bool | None:
    """Plays what the bot wants; returns whether it has, or None if the match has gone on and it must think again."""
    match_id, _, seat = ask_id
    with site.writing() as work:
        table = lock_table(work, match_id)
        ask = work.get(AskRow, ask_id, populate_existing=True)
        if ask is None or not _is_ask_open_for_bot(table.match, ask):
            return False
        if not _may_bot_answer_race_now(table, ask):
            # The next answer wakes the bots; the claim must not be in the way then.
            ask.claimed_until = table.now - timedelta(seconds=1)
            return False
        if thought is None or (thought.bot, thought.version) != (ask.bot, table.match.version):
            return None
        if thought.move is None:
            return False
        by = By(bot=seat, via=thought.via, version=version_of(table.game, thought.via))
        decisions.apply_or_seal_move(table, ask, thought.move, by, "bot")
    return True


def _is_ask_open_for_bot(match: Match, ask: AskRow) -> bool:
    """True if a bot is asked, also one that stands in: a player who is back answers themselves."""
    return ask.bot is not None and ask.closed_at is None and ask.sealed_at is None and match.status == "running"


def _may_bot_answer_race_now(table: Table, ask: AskRow) -> bool:
    """True if it is no race, if people have answered more often in it than the bot, or if no person is asked any more.

    A bot that stands in for a person does not wait, as the clock would not.
    """
    if not table.game.meta.asks[ask.kind].race or table.seats[ask.seat].bot is None:
        return True
    if all(other.bot is not None for other in table.asks):
        return True
    answers = select(_asks.seat, _asks.bot).where(
        _asks.match_id == ask.match_id, _asks.turn == ask.turn, _asks.closed_by.in_(("seat", "clock", "bot"))
    )
    rows = table.session.execute(answers).all()
    people = [seat for seat, bot in rows if bot is None]
    own = [seat for seat, _ in rows if seat == ask.seat]
    return len(people) > len(own)
