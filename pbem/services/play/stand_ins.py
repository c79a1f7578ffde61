"""Who plays for a player who is absent: the fallback, or a bot of their choice.

The choice is its owner's own until the bot has played. So it changes nothing that others see before: the questions of
an absent seat are due at once as always, and the sweep that would let the fallback answer lets the bot. One that thinks
is handed over to the process of those bots; if it has not answered within BOT_PATIENCE from then on, the fallback does.
"""

from datetime import timedelta

import structlog

from pbem.errors import CHANGED, N_, Changed, Gone, NotFound
from pbem.games import slow_bots
from pbem.kit.bots import bots_of, version_of
from pbem.kit.contract import Move, require_legal
from pbem.kit.replay import By, key_without_takebacks, player_view
from pbem.models.tables import AskRow, SeatRow
from pbem.services import versions
from pbem.services.access import seat_links
from pbem.services.lobby.match_request import check_bot
from pbem.services.log import proofs
from pbem.services.log.table import LockedTable
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim

BOT_PATIENCE = timedelta(minutes=10)
"""How long the sweep leaves a question to a bot that thinks, once it could answer it itself and has handed it over."""
CHOOSING = ("inviting", "running", "paused")

log = structlog.get_logger()


def read_stand_in(site: Site, claim: SeatClaim) -> str:
    """Returns the bot that the owner of this play link has chosen; "" if the fallback plays. Show it to nobody else.

    Raises NotFound, Unauthorized.
    """
    with site.reading() as session:
        seat = seat_links.seat_of_link(session, claim, "play")
        if seat.status != "accepted":
            raise NotFound(N_("There is no such seat."))
        return seat.stand_in or ""


def choose_stand_in(
    site: Site, claim: SeatClaim, bot: str, *, was: str | None = None, version: str | None = None
) -> None:  # fmt: skip
    """Has this bot play for the seat while its owner is absent, or the fallback for "". Idempotent.

    `claim` is the owner's play link, validated under the lock. If `was` is given, the change is made only if the
    choice is still that one; `version` is that of the form. It does not end an absence. Raises NotFound, Gone,
    Unauthorized, Changed, and Invalid if the game has no such bot.
    """
    with site.writing() as work:
        table, seat = seat_links.lock_seat(work, claim)
        if was is not None and was != (seat.stand_in or ""):
            raise Changed(CHANGED, etag="")
        if table.match.status not in CHOOSING:
            raise Gone(N_("The match is not being played."))
        if seat.resigned:
            raise Gone(N_("You have resigned: your moves are automatic until the end."))
        wanted = check_bot(table.game, bot) if bot else ""
        (wanted,) = versions.merge_or_raise_changed(version, (seat.stand_in or "",), (wanted,))
        chosen = wanted or None
        if chosen == seat.stand_in:
            return  # it may be thinking
        seat.stand_in = chosen
        for ask in table.asks:
            if ask.seat == seat.seat and ask.bot is not None:  # the bot chosen before is still thinking
                if chosen is not None and chosen in slow_bots():
                    ask.bot = chosen  # for what is left of the time, so that no change of mind gains any
                else:
                    ask.bot = ask.claimed_until = None


def stand_in_of_absent_seat(seat: SeatRow) -> str | None:
    """Returns the bot that plays for the absent owner of this seat; None if the fallback does, or they are present."""
    return seat.stand_in if seat.absent and not seat.resigned else None


def leave_to_thinking_stand_in(table: LockedTable, ask: AskRow) -> bool:
    """Leaves the ask of an absent seat to the bot that stands in, if that has to think; returns whether it did.

    The ask is kept for those bots for BOT_PATIENCE, however late the sweep came. False if it was left to the bot
    before: then the bot has had its time.
    """
    bot = stand_in_of_absent_seat(table.seats[ask.seat])
    if bot is None or bot not in slow_bots() or ask.bot is not None:
        return False
    ask.bot, ask.claimed_until = bot, table.now + BOT_PATIENCE
    table.work.wakes = True
    return True


def answer_of_quick_stand_in(table: LockedTable, ask: AskRow) -> tuple[Move, By] | None:
    """Returns what a bot that answers at once answers for the absent owner of the seat; None if none stands in.

    It decides from what the seat knows, with its own randomness.
    """
    bot, match, game = stand_in_of_absent_seat(table.seats[ask.seat]), table.match, table.game
    if bot is None or bot in slow_bots():
        return None
    luck = proofs.luck_of(match)
    view = player_view(game, table.entries, len(table.seats), ask.seat, luck.memory(ask.seat))
    try:
        chance = luck.bot(match.version + 1, key_without_takebacks(ask.key), ask.seat)
        move: Move = bots_of(game)[bot](view, ask.seat, chance)
        require_legal(game, view.fold, ask.seat, move)
    except Exception:
        # A failing bot must not stop the match: the fallback plays.
        log.exception("bot.failed", match=match.id, key=ask.key, seat=ask.seat, bot=bot)
        return None
    return move, By(bot=ask.seat, via=bot, version=version_of(game, bot))
