"""A match against bots that starts at once, for somebody who need not have an address.

Its table is untimed: nobody else waits there, so no question has a deadline, no mail is due, and nobody becomes absent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from pbem.kit.bots import usual_bot
from pbem.kit.codec import encode
from pbem.models.tables import Player
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby import seating
from pbem.services.lobby.match_request import (
    BotSeat,
    Invitee,
    NewMatch,
    check_bot,
    check_game,
    check_slug,
    check_word,
    decode_options,
)
from pbem.services.lobby.seating import Place, Terms, bot_place
from pbem.services.log import locks, store
from pbem.services.log.table import LockedTable
from pbem.services.players import guests
from pbem.services.players.players import check_language, check_zone, normalise_name
from pbem.services.site import Site
from pbem.services.tokens import PlayerClaim
from pbem.services.who import ORGANISER, Caller

TWICE = timedelta(minutes=1)
"""A request that comes again within this time is one button pressed twice; later, another match is wanted."""


@dataclass(frozen=True)
class Started:
    """A match that has begun, its person's seat, and their claim to a session."""

    match_id: str
    player: PlayerClaim
    seat: int = ORGANISER


def play_now(
    site: Site, who: Caller, game_slug: str, name: str, language: str, zone: str, *,
    bots: Sequence[BotSeat] = (), options: Mapping[str, Any] | None = None, spectators: bool = True,
    word: str | None = None, once: IdempotencyKey | None = None,
) -> Started:  # fmt: skip
    """Starts a match of the game against these bots, or the best ones, as few as it takes; a stranger becomes a guest.

    `language` and `zone` are a new guest's, `word` is the player's lucky word. A request done less than TWICE ago
    under its key returns the same match. Raises Invalid, Unauthorized, Gone, and TooMany if this player has started
    many.
    """
    name, language, zone = normalise_name(name), check_language(language), check_zone(zone)
    word = check_word(word)
    game = check_slug(game_slug)
    others = bots or [BotSeat(usual_bot(game))] * (min(game.meta.seats) - 1)
    check_game(NewMatch(game_slug, [Invitee(name, ""), *others]))
    places = [bot_place(check_bot(game, one.bot)) for one in others]
    chosen = encode(decode_options(game, options or {})).decode()
    turn_s, window_s = site.config.turn_s, min(site.config.window_s, site.config.turn_s)  # a bot's own, if it fails
    with site.writing() as work:
        known = locks.lock_player(work, who, or_guest=True) if isinstance(who, int) else None
        player = known or guests.add_guest(work, language, zone, site.now())
        assert player.id is not None, "a stored player has an id"
        begun = idempotency.claim_key(work, once, site.now(), kept=TWICE)
        if begun is None:
            terms = Terms(game.meta.slug, chosen, turn_s, window_s, spectators, player.id, untimed=True)
            match = seating.set_up_match(site, work, terms, [Place("accepted", name, player.id), *places], word)
            seating.open_doors(LockedTable(work, match))
            idempotency.remember(work, once, match.id)
            return Started(match.id, PlayerClaim(player.id, player.epoch))
        work.rollback()  # undoes add_guest
    return _match_of_first_request(site, begun, who)


def _match_of_first_request(site: Site, match_id: str, who: Caller) -> Started:
    """Returns the match that the first of two equal requests has begun. Raises Gone if its guest is none any more."""
    with site.reading() as session:
        player = session.get(Player, store.get_match(session, match_id).organiser_id or 0)
    if player is None or player.id is None or (player.address is not None and player.id != who):
        raise idempotency.missing_result_error()
    return Started(match_id, PlayerClaim(player.id, player.epoch))
