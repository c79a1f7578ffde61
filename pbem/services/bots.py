"""Seats that programs fill: their asks are answered in a worker as soon as the log has moved, without any mail.

1. Claim open asks of bot seats.
2. For each, lock the match, look again, and let the bot answer from its seat's own fold with luck of its own.
3. In a race (first come, first served) a bot answers once after each person's answer, so that a person is not
   beaten by speed; when no person is asked any more it takes all it wants.
4. Go on until nothing is left to claim: the answer of one bot may ask the next.
"""

from datetime import timedelta

import structlog
from sqlmodel import Session

from pbem.errors import Busy
from pbem.models.tables import AskRow, Match, table
from pbem.rules.bots import bots_of
from pbem.rules.chance import SeedChance
from pbem.rules.codec import encode
from pbem.rules.contract import AnyGame
from pbem.rules.replay import AnyEntry, By, fold
from pbem.services import store
from pbem.services.claims import AskId, claim
from pbem.services.site import Site

ROUNDS = 1000

log = structlog.get_logger()


def play_bots(site: Site) -> int:
    """Answers every ask of a bot that can be answered now; gives how many. Safe to run twice or in two places."""
    t = table(AskRow)
    played = 0
    for _ in range(ROUNDS):
        answered = sum(_answer(site, ask) for ask in claim(site, t.c.bot.is_not(None), order=t.c.opened_at))
        played += answered
        if not answered:
            break
    return played


def _answer(site: Site, ask_id: AskId) -> bool:
    """Lets the bot answer this claimed ask; says whether it did."""
    match_id, key, seat = ask_id
    try:
        with site.writing() as session:
            match = store.lock_match(session, match_id)
            ask = session.get(AskRow, ask_id, populate_existing=True)
            if ask is None or ask.closed_at is not None or match.status != "running":
                return False
            game = store.game_of(match)
            entries = store.load_entries(session, match_id, game)
            if game.meta.asks[ask.kind].race and not _may_race(session, ask, entries):
                # Whoever answers next rings the bell; the claim must not stand in the way then.
                ask.claimed_until = site.now() - timedelta(seconds=1)
                return False
            _play(site, session, match, game, ask, entries)
            return True
    except Busy:
        log.info("bot.busy", match=match_id, key=key)
    except Exception:
        # A bot that fails must not stop the others; the clock plays for it at the deadline, and the log says why.
        log.exception("bot.failed", match=match_id, key=key, seat=seat)
    return False


def _may_race(session: Session, ask: AskRow, entries: list[AnyEntry]) -> bool:
    """Whether a person has answered since the bot was asked this, or none is asked any more."""
    if any(entry.by.seat is not None for entry in entries[ask.opened_n :]):
        return True
    return all(other.bot is not None for other in store.open_asks(session, ask.match_id))


def _play(site: Site, session: Session, match: Match, game: AnyGame, ask: AskRow, entries: list[AnyEntry]) -> None:
    choose = bots_of(game)[ask.bot or ""]
    first, seat = match.version + 1, ask.seat
    move = choose(fold(game, entries, seat), seat, SeedChance(match.seed, first, "bot", seat))
    state = store.load_state(session, match, game)
    events = game.decide(state, seat, move, SeedChance(match.seed, first, "decide", seat))
    step = store.Step(events, By(bot=seat, via=ask.bot), ask, encode(move).decode(), closed_by="bot")
    store.append(session, match, game, state, step, site.now(), site.config.mail_hold_s)
