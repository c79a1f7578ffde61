"""Who plays in a season: entering by a signed-in player or by mail, invitations, withdrawing, bots.

Entering needs no account beyond an address: whoever types theirs gets one mail, whose link enters with one press. A
player who has entered has agreed to all matches of the season: there are no further invitations.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count

from sqlalchemy import func, insert
from sqlmodel import Session, col, select

from pbem.errors import N_, Forbidden, Gone, Invalid, TooMany, TooManyOpen
from pbem.models.leagues import Entrant, League, Season
from pbem.models.tables import Player, table
from pbem.services.access import idempotency
from pbem.services.access.idempotency import IdempotencyKey
from pbem.services.leagues import founding, lookups
from pbem.services.leagues.news import ENTERED, INVITED, WITHDRAWN, mail_key
from pbem.services.leagues.terms import game_of, terms_of
from pbem.services.lobby.match_request import Invitee, checked_bot
from pbem.services.log import locks, outbox
from pbem.services.players import open_matches, quotas
from pbem.services.players.players import checked_address, checked_language, checked_name, checked_zone, find_or_add
from pbem.services.site import Site
from pbem.services.tokens import EntrantClaim, unknown_link
from pbem.services.who import Caller, Owner
from pbem.services.work import Work

_e = table(Entrant)
BOTS_MOST = 500
ENTRANTS_MOST = 20_000
INVITED_MOST = 200
"""How many people one organiser may invite in a day, to all their seasons."""


@dataclass(frozen=True)
class Entry:
    """An entrant as their own link shows them. `status`: invited, entered, withdrawn."""

    entrant_id: int
    season_id: str
    league_id: str
    player_id: int
    name: str
    status: str
    language: str
    zone: str
    can_change: bool
    """Whether the season is still open."""


def enter(site: Site, who: int, season_id: str, name: str, *, once: IdempotencyKey | None = None) -> int:
    """Enters the signed-in player under this name; returns the entrant's id. Entering again changes the name.

    Raises Invalid, NotFound, Gone once the season has begun, Forbidden for a guest and where only members of a circle
    play, TooManyOpen if its matches are more than the player may have open.
    """
    name = checked_name(name)
    with site.reading() as session:
        entered = _of_player(session, season_id, who)
        needed = terms_of(lookups.season_of(session, season_id)).matches
    if entered is None or entered.status != ENTERED:
        _check_may_play(site, who, needed)
    with site.writing() as work:
        player = locks.lock_player(work, who)
        if (made := idempotency.claim_key(work, once, site.now())) is not None:
            return int(made)
        entrant_id = _enter(site, work, player, season_id, name).id or 0
        idempotency.remember(work, once, str(entrant_id))
        return entrant_id


def _enter(site: Site, work: Work, player: Player, season_id: str, name: str) -> Entrant:
    season = _lock_open(work, season_id)
    league = lookups.league_of(work, season.league_id)
    if league.circle_id is not None and player.id is not None:
        founding.require_member(work, player.id, league.circle_id)
    entrant = _of_player(work, season_id, player.id) or _add(site, work, season, player.id, name)
    _check_name(work, season, entrant, name)
    entrant.name, entrant.status, entrant.at = name, ENTERED, site.now()
    work.add(entrant)
    work.flush()
    return entrant


def ask_to_enter(site: Site, who: Caller, season_id: str, name: str, address: str, language: str, zone: str) -> None:
    """Sends the address a mail whose link enters the season with one press; never reveals whether it is known.

    `who` typed it. At most one mail a day leaves to an entrant. Raises Invalid, NotFound, Gone, and Forbidden where
    only members of a circle play: they sign in.
    """
    name, language, zone = checked_name(name), checked_language(language), checked_zone(zone)
    checked_address(address)
    with site.writing() as work:
        player = find_or_add(work, address, language, site.now())
        if player.verified_at is None:
            player.language, player.zone = language, zone
            work.add(player)
        season = _lock_open(work, season_id)
        if lookups.league_of(work, season.league_id).circle_id is not None:
            raise Forbidden(N_("Only members of a circle play here. Sign in, then enter."))
        entrant = _of_player(work, season_id, player.id) or _add(site, work, season, player.id, name)
        if entrant.status == WITHDRAWN:
            entrant.status = INVITED
            work.add(entrant)
            work.flush()
        key = f"{mail_key('season_entry', entrant.id)}:{site.now().date().isoformat()}"
        outbox.enqueue(work, key, "entry", site.now(), player_id=player.id, key=str(entrant.id))


def invite(
    site: Site, who: Owner, season_id: str, people: Sequence[Invitee], language: str, *,
    once: IdempotencyKey | None = None,
) -> list[int]:  # fmt: skip
    """Invites these people by mail, on behalf of the league's organiser; returns the ids of their entrants, in order.

    Whoever was invited before keeps their row and gets no second mail. `language` is that of new players. Raises
    Invalid, NotFound, Forbidden, Gone, TooMany.
    """
    language = checked_language(language)
    named = [(checked_name(one.name), checked_address(one.address)[0]) for one in people]
    with site.writing() as work:
        ordered = sorted({*(address for _, address in named)}, key=lambda address: checked_address(address)[1])
        players = {address: find_or_add(work, address, language, site.now()) for address in ordered}
        league, season = lookups.own_season(work, who, season_id)
        if (answer := idempotency.claim_key(work, once, site.now())) is not None:
            return [int(number) for number in answer.split()]
        lookups.check_open(season)
        made = []
        for name, address in named:
            player = players[address]
            known = _of_player(work, season_id, player.id)
            entrant = known or _add(site, work, season, player.id, name)
            if known is None and site.config.capped:
                _take_invitation(site, work, league)
            key = mail_key("callup", entrant.id)
            if entrant.status == INVITED:
                outbox.enqueue(work, key, "callup", site.now(), player_id=player.id, key=str(entrant.id))
            made.append(entrant.id or 0)
        idempotency.remember(work, once, " ".join(map(str, made)))
        return made


def enter_bots(
    site: Site, who: Owner, season_id: str, bot: str, number: int, *, once: IdempotencyKey | None = None
) -> list[int]:  # fmt: skip
    """Enters so many bots of this kind, on behalf of the league's organiser; returns the ids of their entrants.

    Raises Invalid, NotFound, Forbidden, Gone.
    """
    if not 1 <= number <= BOTS_MOST:
        raise Invalid(N_("Between 1 and %(most)s bots can enter at once."), {"most": str(BOTS_MOST)})
    with site.writing() as work:
        league, season = lookups.own_season(work, who, season_id)
        if (answer := idempotency.claim_key(work, once, site.now())) is not None:
            return [int(number) for number in answer.split()]
        lookups.check_open(season)
        made = add_bots(site, work, league, season, [checked_bot(game_of(league), bot)] * number)
        idempotency.remember(work, once, " ".join(map(str, made)))
        return made


def add_bots(site: Site, work: Work, league: League, season: Season, bots: Sequence[str]) -> list[int]:
    """Enters these bots into the locked season, each under a name that nobody else has there."""
    _check_room(work, season, len(bots))
    own = game_of(league).meta.bot_names
    taken = {name.casefold() for name in _names(work, season)}
    free = (name for lap in count(1) for name in _lap(own, lap) if name.casefold() not in taken)
    named = dict(zip(free, bots, strict=False))
    rows = [
        {"season_id": season.id, "bot": bot, "name": name, "status": ENTERED, "at": site.now()}
        for name, bot in named.items()
    ]
    work.connection().execute(insert(_e), rows)
    found = work.execute(select(_e.c.name, _e.c.id).where(_e.c.season_id == season.id, _e.c.bot.is_not(None)))
    ids = {name: number for name, number in found if name in named}
    return [ids[name] for name in named]


def _lap(names: Sequence[str], lap: int) -> list[str]:
    return [*names] if lap == 1 else [f"{name} {lap}" for name in names]


def read_entry(site: Site, claim: EntrantClaim) -> Entry:
    """Returns what the link of a season's mail shows its reader. Raises Unauthorized."""
    with site.reading() as session:
        entrant, player = _claimed(site, session, claim)
        season = lookups.season_of(session, entrant.season_id)
        return Entry(
            claim.entrant_id, season.id, season.league_id, player.id or 0, entrant.name, entrant.status,
            player.language, player.zone, season.status == "open",
        )  # fmt: skip


def confirm(site: Site, claim: EntrantClaim, name: str | None = None) -> Entry:
    """Enters the season with one press, under the name in the mail or this one; verifies the address.

    Entering again changes nothing else. Raises Unauthorized, Invalid, Gone, TooManyOpen.
    """
    with site.reading() as session:
        entrant, player = _claimed(site, session, claim)
        season_id, wanted, entered = entrant.season_id, checked_name(name or entrant.name), entrant.status == ENTERED
        needed = terms_of(lookups.season_of(session, season_id)).matches
    if not entered:
        _check_may_play(site, player.id or 0, needed)
    with site.writing() as work:
        player = locks.lock_player(work, player.id)
        _claimed(site, work, claim)
        player.verified_at = player.verified_at or site.now()
        work.add(player)
        _enter(site, work, player, season_id, wanted)
    return read_entry(site, claim)


def withdraw(site: Site, claim: EntrantClaim) -> Entry:
    """Withdraws from a season that has not begun, or declines to enter it, with one press. Raises Unauthorized, Gone.

    Once it has begun, its matches can be resigned from like any others.
    """
    with site.writing() as work:
        entrant, _ = _claimed(site, work, claim)
        _withdraw(site, work, entrant)
    return read_entry(site, claim)


def decline(site: Site, claim: EntrantClaim) -> None:
    """Declines for somebody who is asked to enter. Whoever has entered stays: an old mail's button never withdraws.

    Raises Unauthorized.
    """
    with site.writing() as work:
        entrant, _ = _claimed(site, work, claim)
        if lookups.lock_season(work, entrant.season_id).status != "open":
            return
        work.refresh(entrant)
        if entrant.status == INVITED:
            _withdraw(site, work, entrant)


def withdraw_own(site: Site, who: int, season_id: str) -> None:
    """Withdraws the signed-in player from a season that has not begun. Raises NotFound, Gone."""
    with site.writing() as work:
        lookups.season_of(work, season_id)
        if (entrant := _of_player(work, season_id, who)) is not None:
            _withdraw(site, work, entrant)


def remove(site: Site, who: Owner, season_id: str, entrant_id: int) -> None:
    """Removes an entrant from a season that has not begun, on behalf of its organiser. They may enter again.

    Raises NotFound, Forbidden, Gone.
    """
    with site.writing() as work:
        lookups.own_season(work, who, season_id)
        entrant = work.get(Entrant, entrant_id)
        if entrant is None or entrant.season_id != season_id:
            raise lookups.no_entrant()
        _withdraw(site, work, entrant)


def _withdraw(site: Site, work: Work, entrant: Entrant) -> None:
    _lock_open(work, entrant.season_id)
    work.refresh(entrant)
    if entrant.status in (ENTERED, INVITED):
        entrant.status, entrant.at = WITHDRAWN, site.now()
        work.add(entrant)


# --- checks --------------------------------------------------------------------------------------------------


def _claimed(site: Site, session: Session, claim: EntrantClaim) -> tuple[Entrant, Player]:
    entrant = session.get(Entrant, claim.entrant_id)
    player = session.get(Player, entrant.player_id) if entrant is not None and entrant.player_id else None
    if entrant is None or player is None or not player.canonical:
        raise unknown_link()
    if site.tokens.address_digest(player.canonical) != claim.digest:
        raise unknown_link()
    return entrant, player


def _lock_open(session: Session, season_id: str) -> Season:
    season = lookups.lock_season(session, season_id)
    lookups.check_open(season)
    return season


def _of_player(session: Session, season_id: str, player_id: int | None) -> Entrant | None:
    own = select(Entrant).where(Entrant.season_id == season_id, Entrant.player_id == player_id)
    return session.exec(own).first() if player_id is not None else None


def _add(site: Site, work: Work, season: Season, player_id: int | None, name: str) -> Entrant:
    _check_room(work, season, 1)
    entrant = Entrant(season_id=season.id, player_id=player_id, name=name, status=INVITED, at=site.now())
    work.add(entrant)
    work.flush()
    return entrant


def _check_room(session: Session, season: Season, more: int) -> None:
    number = session.exec(select(func.count()).where(Entrant.season_id == season.id)).one()
    if number + more > ENTRANTS_MOST:
        raise Gone(N_("This season is full."))


def _names(session: Session, season: Season) -> Sequence[str]:
    return session.exec(
        select(Entrant.name).where(Entrant.season_id == season.id, col(Entrant.status).in_((INVITED, ENTERED)))
    ).all()


def _check_name(session: Session, season: Season, entrant: Entrant, name: str) -> None:
    """Raises Invalid if somebody who has entered has this name: the standings would show it twice."""
    same = select(Entrant.id).where(
        Entrant.season_id == season.id, Entrant.status == ENTERED, Entrant.id != entrant.id,
        func.lower(Entrant.name) == func.lower(name),
    )  # fmt: skip
    if session.exec(same.limit(1)).first() is not None:
        raise Invalid(N_("Somebody called “%(name)s” has entered already. Please choose another name."), {"name": name})


def _take_invitation(site: Site, session: Session, league: League) -> None:
    try:
        quotas.take(session, quotas.Quota(f"entrants:{league.owner_id}", INVITED_MOST), site.now())
    except quotas.Spent as spent:
        message = N_("You have invited many people today. Please wait until tomorrow.")
        raise TooMany(message, retry_after=spent.wait_s(site.now())) from None


def _check_may_play(site: Site, player_id: int, needed: int) -> None:
    """Raises TooManyOpen unless the player may have so many more matches open, beside those of seasons to come."""
    opened = open_matches.read_open_matches(site, player_id)
    if opened.most is None:
        return
    with site.reading() as session:
        promised = session.exec(
            select(Season)
            .join(Entrant, col(Entrant.season_id) == col(Season.id))
            .where(Entrant.player_id == player_id, Entrant.status == ENTERED)
            .where(col(Season.status).in_(("open", "starting")))
        ).all()
    have = opened.count + sum(terms_of(season).matches for season in promised)
    if have + needed > opened.most:
        facts = {"needed": str(needed), "have": str(have), "most": str(opened.most)}
        message = N_(
            "The season has %(needed)s matches, you have %(have)s open or promised, and may have %(most)s. Play some to"
            " their end, then enter."
        )
        raise TooManyOpen(message, facts)
