"""Plays the seats of bots: a worker answers their asks as soon as the log has moved, without any mail.

1. Claim open asks of bot seats.
2. For each, lock the match, check it again, and let the bot answer from its own seat's fold, with its own randomness.
3. In a race (first come, first served) a bot answers once per answer of a person, so that speed gives it no advantage;
   when no person is asked any more it takes all it wants. If the clock answers for a person, that counts as the
   person's answer.
4. Repeat until nothing is left to claim, because one bot's answer may open an ask for the next.
"""

from datetime import timedelta
from typing import Any

import structlog
from sqlalchemy import select
from sqlmodel import Session

from pbem.errors import Busy
from pbem.kit.bots import bots_of
from pbem.kit.contract import AnyGame
from pbem.kit.replay import By, fold, question_of
from pbem.models.tables import AskRow, Match, table
from pbem.services.log import leases, locks, proofs, store
from pbem.services.log.leases import AskId
from pbem.services.play import decisions
from pbem.services.site import Site
from pbem.services.work import Work

ROUNDS = 1000

log = structlog.get_logger()


def play_bots(site: Site) -> int:
    """Answers every ask of a bot that can be answered now; returns the number answered.

    Safe to run twice or in two places.
    """
    t = table(AskRow)
    played, waiting = 0, set[AskId]()
    for _ in range(ROUNDS):
        if site.stopping():
            break
        # Bots that wait for a person in a race must not hold up other bots, however many there are: asks that were
        # never tried come first, then those tried longest ago.
        fresh = _claim(site, t.c.claimed_until.is_(None), order=t.c.opened_at)
        asks = fresh or _claim(site, order=t.c.claimed_until)
        tried = waiting.issuperset(asks) or len(asks) < leases.BATCH
        answered = {ask for ask in asks if not site.stopping() and _answer(site, ask)}
        waiting |= {*asks} - answered
        played += len(answered)
        if not (fresh or answered) and tried:
            break
    return played


def _claim(site: Site, *wanted: Any, order: Any) -> list[AskId]:
    t = table(AskRow)
    return leases.claim(site, t.c.bot.is_not(None), t.c.sealed_at.is_(None), *wanted, order=order)


def _answer(site: Site, ask_id: AskId) -> bool:
    """Lets the bot answer this claimed ask; returns True if it did."""
    match_id, key, seat = ask_id
    try:
        with site.writing() as work:
            match = locks.lock_match(work, match_id)
            ask = work.get(AskRow, ask_id, populate_existing=True)
            if ask is None or ask.closed_at is not None or ask.sealed_at is not None or match.status != "running":
                return False
            game = store.game_of(match)
            if game.meta.asks[ask.kind].race and not _may_race(work, ask):
                # The next answer wakes the bots; the claim must not be in the way then.
                ask.claimed_until = site.now() - timedelta(seconds=1)
                return False
            _play(site, work, match, game, ask)
            return True
    except Busy:
        log.info("bot.busy", match=match_id, key=key)
    except Exception:
        # A failing bot must not stop the others; the clock moves for it at the deadline.
        log.exception("bot.failed", match=match_id, key=key, seat=seat)
    return False


def _may_race(session: Session, ask: AskRow) -> bool:
    """True if people have answered more often in this race than the bot, or no person is asked any more."""
    if all(other.bot is not None for other in store.open_asks(session, ask.match_id)):
        return True
    t = table(AskRow)
    answers = select(t.c.seat, t.c.bot).where(
        t.c.match_id == ask.match_id, t.c.turn == ask.turn, t.c.closed_by.in_(("seat", "clock", "bot"))
    )
    rows = session.execute(answers).all()
    people = [seat for seat, bot in rows if bot is None]
    own = [seat for seat, _ in rows if seat == ask.seat]
    return len(people) > len(own)


def _play(site: Site, work: Work, match: Match, game: AnyGame, ask: AskRow) -> None:
    choose = bots_of(game)[ask.bot or ""]
    entries = store.load_entries(work, match.id, game)
    seat, luck = ask.seat, proofs.luck_of(match)
    move = choose(fold(game, entries, seat), seat, luck.bot(match.version + 1, question_of(ask.key), seat))
    by = By(bot=seat, via=ask.bot, version=game.meta.bot_version)
    decisions.apply_move(site, work, match, game, ask, move, by, site.now(), "bot")
