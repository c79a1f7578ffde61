"""Who plays in a season: entering by a signed-in player or by mail, invitations, withdrawing, bots.

Entering needs no account beyond an address: anyone who types theirs gets one mail, whose link enters with one press. A
player who has entered has agreed to all matches of the season: there are no further invitations.
"""

from collections.abc import Sequence
from datetime import timedelta
from itertools import count

from msgspec import Struct
from sqlalchemy import and_, exists, insert, or_
from sqlmodel import Session, select

from pbem.errors import N_, Forbidden, Invalid, NotFound
from pbem.features.leagues import lookups
from pbem.features.leagues.claims import EntrantClaim
from pbem.features.leagues.entry import entrants
from pbem.features.leagues.entry.entrants import entrant_of_player
from pbem.features.leagues.news import ENTERED, INVITED, WITHDRAWN
from pbem.features.leagues.tables import Entrant, League, Season
from pbem.features.leagues.terms import game_of_league, terms_of
from pbem.models.tables import Player, table
from pbem.names import looks_of_name
from pbem.services import versions
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.lobby.match_request import Invitee, check_bot
from pbem.services.lobby.offers import ASKED, Offer, transaction_with_player_of_address
from pbem.services.lobby.offers import INVITED as MANY_INVITED
from pbem.services.log import locks, outbox
from pbem.services.players import quotas
from pbem.services.players.players import (
    Account,
    account_of_player,
    check_address,
    check_language,
    find_or_add,
    normalise_name,
    player_at_address,
    set_language_and_zone_if_unproved,
)
from pbem.services.privacy.retention import sweep_of_old_rows_but_newest
from pbem.services.site import Site, Work
from pbem.services.tokens import unknown_link
from pbem.services.who import HOST, STRANGER, Caller, Owner

_e, _s, _p = table(Entrant), table(Season), table(Player)
BOTS_MOST = 500
INVITED_MOST = 200
"""How many addresses one organiser may type in a day, for all their seasons."""
SILENT = timedelta(days=30)
"""How long nobody can have mail sent to somebody who has withdrawn or declined, by typing their address."""


class EntryShown(Struct, frozen=True, rename={"entrant_id": "id", "season_id": "season", "league_id": "league"}):
    """An entrant as the link of their mail shows them."""

    entrant_id: int
    season_id: str
    league_id: str
    name: str
    status: str


def enter_player(
    site: Site,
    who: int,
    season_id: str,
    name: str,
    *,
    once: IdempotencyKey | None = None,
    version: str | None = None,
) -> int:
    """Enters the signed-in player under this name; returns the entrant's id. Entering again changes the name.

    `version` is that of a form of `name_if_entered`. Raises Changed, Invalid, NotFound, Gone once the season has begun,
    Forbidden for a guest and where only members of a circle play, TooManyOpen if its matches are more than the player
    may have open.
    """
    name = normalise_name(name)
    with site.writing() as work:
        player = locks.lock_player(work, who)
        if (made := idempotency.claim_key(work, once, site.now())) is not None:
            return int(made)
        entrant_id = _enter_locked_player(site, work, player, season_id, name, version).id
        idempotency.store_answer(work, once, str(entrant_id))
        return entrant_id


def _enter_locked_player(
    site: Site, work: Work, player: Player, season_id: str, name: str, version: str | None
) -> Entrant:  # fmt: skip
    """Enters the locked player: what they have promised by then is what they may be held to."""
    league, _ = lookups.visible_league_and_season(work, player.id, season_id)
    season = _lock_open_season(work, season_id)
    lookups.check_may_enter(work, league.circle_id, player.id)
    entrant = entrant_of_player(work, season_id, player.id) or _add_invited_entrant(site, work, season, player.id, name)
    if entrant.status != ENTERED:
        entrants.check_not_entered_twice(work, season, player)
        entrants.check_room_for_entrants(work, season, 1)
        entrants.check_limit_of_open_matches(site, work, player.id, terms_of(season).matches)
    (name,) = versions.merge_or_raise_changed(version, (name_if_entered(entrant),), (name,))
    entrants.check_entrant_name_is_free(work, season, entrant, name)
    entrant.name, entrant.status, entrant.at = name, ENTERED, site.now()
    work.flush()
    return entrant


def name_if_entered(entrant: Entrant | EntryShown) -> str | None:
    """Returns the name under which they have entered; None if they have not."""
    return entrant.name if entrant.status == ENTERED else None


def send_entry_link(site: Site, who: Caller, season_id: str, person: Invitee, language: str, zone: str) -> None:
    """Sends the address a mail whose link enters the season with one press; never reveals whether it is known.

    `who` typed it. At most one mail a day leaves to an entrant, and none for a month after they have withdrawn. Raises
    Invalid, NotFound, Gone, TooMany, and Forbidden where only members of a circle play: they sign in.
    """
    with transaction_with_player_of_address(site, person, language, zone) as (work, player, name):
        league, _ = lookups.visible_league_and_season(work, who, season_id)
        set_language_and_zone_if_unproved(work, player, language, zone)
        season = _lock_open_season(work, season_id)
        if league.circle_id is not None:
            raise Forbidden(N_("Only members of a circle play here. Sign in, then enter."))
        quotas.count_action(
            site, work, quotas.Quota(f"season-ask:{season.id}", site.config.mails_per_address_day), ASKED
        )
        entrant = entrant_of_player(work, season_id, player.id) or _add_invited_entrant(
            site, work, season, player.id, name
        )
        outbox.imitate_enqueue(work, site.now())  # also where a mail has left today
        if entrant.status == WITHDRAWN and entrant.at > site.now() - SILENT:
            return
        if entrant.status in (INVITED, WITHDRAWN):
            entrant.status, entrant.at = INVITED, site.now()  # the link in the newest mail must work as long as others
            work.flush()
        key = f"season_entry:{entrant.id}:{site.now().date().isoformat()}"
        outbox.enqueue(work, key, "entry", site.now(), player_id=player.id, key=str(entrant.id))


OFFER = Offer[str, int](
    lambda site, season_id, *asker: send_entry_link(site, STRANGER, season_id, *asker),
    lambda site, season_id, who, name: enter_player(site, who, season_id, name),
)


def invite_to_season(
    site: Site, who: Owner, season_id: str, people: Sequence[Invitee], language: str, *,
    once: IdempotencyKey | None = None,
) -> int:  # fmt: skip
    """Invites these people by mail, on behalf of the league's organiser; returns how many were named.

    Nothing tells whether an address is known, or has entered under another name. A player who was invited before keeps
    their row and gets no second mail. `language` is that of new players. Raises Invalid, NotFound, Forbidden, Gone,
    TooMany.
    """
    language = check_language(language)
    named = [(normalise_name(one.name), check_address(one.address)[0]) for one in people]
    with site.writing() as work:
        ordered = sorted({*(address for _, address in named)}, key=lambda address: check_address(address)[1])
        players = {address: find_or_add(work, address, language, site.now()) for address in ordered}
        league, season = lookups.lock_own_season(work, who, season_id)
        if (answer := idempotency.claim_key(work, once, site.now())) is not None:
            return int(answer)
        lookups.check_season_open(season)
        quotas.count_action(
            site, work, quotas.Quota(f"entrants:{league.owner_id}", INVITED_MOST), MANY_INVITED, len(named)
        )
        for name, address in named:
            player = players[address]
            entrant = entrant_of_player(work, season_id, player.id) or _add_invited_entrant(
                site, work, season, player.id, name
            )
            if entrant.status == INVITED:
                outbox.enqueue(
                    work, f"callup:{entrant.id}", "callup", site.now(), player_id=player.id, key=str(entrant.id)
                )
        outbox.imitate_enqueue(work, site.now())  # also where all were invited before
        idempotency.store_answer(work, once, str(len(named)))
        return len(named)


def enter_bots(
    site: Site, who: Owner, season_id: str, bot: str, number: int, *, once: IdempotencyKey | None = None
) -> list[int]:  # fmt: skip
    """Enters this many bots of this kind, on behalf of the league's organiser; returns the ids of their entrants.

    Raises Invalid, NotFound, Forbidden, Gone.
    """
    if not 1 <= number <= BOTS_MOST:
        raise Invalid(N_("Between 1 and %(most)s bots can enter at once."), {"most": str(BOTS_MOST)}, fields=("bots",))
    with site.writing() as work:
        league, season = lookups.lock_own_season(work, who, season_id)
        if (answer := idempotency.claim_key(work, once, site.now())) is not None:
            return [int(number) for number in answer.split()]
        lookups.check_season_open(season)
        entrants.check_number_of_bots(site, work, who, season, number)
        made = add_bot_entrants(site, work, league, season, [check_bot(game_of_league(league), bot)] * number)
        idempotency.store_answer(work, once, " ".join(map(str, made)))
        return made


def add_bot_entrants(site: Site, work: Work, league: League, season: Season, bots: Sequence[str]) -> list[int]:
    """Enters these bots into the locked season, each under a name unlike all others there."""
    entrants.check_room_for_entrants(work, season, len(bots))
    own = game_of_league(league).meta.bot_names
    taken = entrants.looks_of_names_taken(work, season, INVITED, ENTERED)
    laps = (name if lap == 1 else f"{name} {lap}" for lap in count(1) for name in own)
    free = (name for name in laps if not looks_of_name(name) & taken)
    named = dict(zip(free, bots, strict=False))
    rows = [
        {"season_id": season.id, "bot": bot, "name": name, "status": ENTERED, "at": site.now()}
        for name, bot in named.items()
    ]
    work.connection().execute(insert(_e), rows)
    found = work.execute(select(_e.c.name, _e.c.id).where(_e.c.season_id == season.id, _e.c.bot.is_not(None)))
    ids = {name: number for name, number in found if name in named}
    return [ids[name] for name in named]


def read_entry(site: Site, claim: EntrantClaim) -> tuple[EntryShown, Account]:
    """Returns what the link of a season's mail shows its reader, and who that is. Raises Unauthorized."""
    with site.reading() as session:
        entrant, player = _entrant_and_player_of_link(site, session, claim)
        season = lookups.season_of(session, entrant.season_id)
        shown = EntryShown(entrant.id, season.id, season.league_id, entrant.name, entrant.status)
        return shown, account_of_player(player)


def enter_by_link(
    site: Site, claim: EntrantClaim, name: str | None = None, *, version: str | None = None
) -> EntryShown:
    """Enters the season with one press, under the name in the mail or this one; verifies the address.

    Entering again changes nothing else. `version` is that of a form of `name_if_entered`. Raises Unauthorized, Invalid,
    Changed, Gone, TooManyOpen.
    """
    with site.writing() as work:
        locks.lock_player(work, _entrant_and_player_of_link(site, work, claim)[1].id)
        entrant, player = _entrant_and_player_of_link(
            site, work, claim
        )  # they may have changed their address meanwhile
        player.verified_at = player.verified_at or site.now()
        _enter_locked_player(site, work, player, entrant.season_id, normalise_name(name or entrant.name), version)
    return read_entry(site, claim)[0]


def withdraw_by_link(site: Site, claim: EntrantClaim) -> EntryShown:
    """Withdraws from a season that has not begun, or declines to enter it, with one press. Raises Unauthorized, Gone.

    Once it has begun, its matches can be resigned from like any others.
    """
    with site.writing() as work:
        entrant, _ = _entrant_and_player_of_link(site, work, claim)
        _withdraw_from_open_season(site, work, entrant)
    return read_entry(site, claim)[0]


def decline_by_link(site: Site, claim: EntrantClaim) -> None:
    """Declines for somebody who is asked to enter. Raises Unauthorized.

    A player who has entered stays: the button of an old mail never withdraws them.
    """
    with site.writing() as work:
        entrant, _ = _entrant_and_player_of_link(site, work, claim)
        if lookups.lock_season(work, entrant.season_id).status != "open":
            return
        work.refresh(entrant)
        if entrant.status == INVITED:
            _withdraw_from_open_season(site, work, entrant)


def withdraw_player(site: Site, who: int, season_id: str) -> None:
    """Withdraws the signed-in player from a season that has not begun. Raises NotFound, Gone."""
    with site.writing() as work:
        if (entrant := entrant_of_player(work, season_id, who)) is not None:
            _withdraw_from_open_season(site, work, entrant)
        else:
            lookups.visible_league_and_season(work, who, season_id)


def remove_entrant(site: Site, who: Owner, season_id: str, entrant_id: int) -> None:
    """Withdraws the caller from a season that has not begun, or anybody on behalf of its organiser.

    A player who has gone may enter again. The organiser removes only somebody who has entered: nothing tells them which
    number an invited person has. Raises NotFound, Forbidden, Gone.
    """
    with site.writing() as work:
        entrant = entrant_of_player(work, season_id, who) if who is not HOST else None
        if entrant is None or entrant.id != entrant_id:
            lookups.lock_own_season(work, who, season_id)
            entrant = work.get(Entrant, entrant_id) if entrant_id < 2**31 else None
            if entrant is None or entrant.season_id != season_id or entrant.status != ENTERED:
                raise NotFound(lookups.NO_ENTRANT)
        _withdraw_from_open_season(site, work, entrant)


def _withdraw_from_open_season(site: Site, work: Work, entrant: Entrant) -> None:
    _lock_open_season(work, entrant.season_id)
    work.refresh(entrant)
    if entrant.status in (ENTERED, INVITED):
        entrant.status, entrant.at = WITHDRAWN, site.now()


# --- checks --------------------------------------------------------------------------------------------------


def _entrant_and_player_of_link(site: Site, session: Session, claim: EntrantClaim) -> tuple[Entrant, Player]:
    entrant = session.get(Entrant, claim.entrant_id)
    if entrant is None:
        raise unknown_link()
    return entrant, player_at_address(site, session, entrant.player_id, claim.digest)


def _lock_open_season(session: Session, season_id: str) -> Season:
    season = lookups.lock_season(session, season_id)
    lookups.check_season_open(season)
    return season


def _add_invited_entrant(site: Site, work: Work, season: Season, player_id: int | None, name: str) -> Entrant:
    return work.put(Entrant(season_id=season.id, player_id=player_id, name=name, status=INVITED, at=site.now()))


_is_open = exists(select(_s.c.id).where(_s.c.id == _e.c.season_id, _s.c.status == "open"))
_known = exists(select(_p.c.id).where(_p.c.id == _e.c.player_id, _p.c.verified_at.is_not(None)))
_unused = or_(_e.c.status == WITHDRAWN, and_(_e.c.status == INVITED, ~(_is_open & _known)))
forget_old = sweep_of_old_rows_but_newest(Entrant, lambda c, now: [c.at <= now - SILENT, _unused])
"""Deletes entrants who do not play, a month after they were asked or withdrew. Somebody who has shown to read their
address may still accept an invitation until the season begins."""
