"""Seats before a match starts: setting up the table, inviting, taking seats, and starting once all are taken.

Everything here runs in the transaction of a use case, on a match that it has locked or is creating.
"""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import timedelta
from itertools import chain, count, groupby

from sqlmodel import Session, col, select

from pbem.errors import CHANGED, N_, Changed, Forbidden, Gone, Invalid, NotFound, TooMany
from pbem.kit.codec import codec_for
from pbem.kit.logs.chain import commit, hash_word, word_from_seed
from pbem.kit.replay import By
from pbem.models.deals import DealRow
from pbem.models.tables import Match, OutboxRow, Player, SeatRow, SubstituteRow
from pbem.names import look_alike
from pbem.services.access import seat_links
from pbem.services.lobby.lucky_words import lucky_word_to_store
from pbem.services.lobby.match_request import BotSeat, OpenSeat, Terms
from pbem.services.lobby.offers import ASKED, INVITED, check_seat_is_free, free_or_why_too_late
from pbem.services.log import deals, locks, outbox, proofs, store
from pbem.services.log.table import LockedTable, Step
from pbem.services.players import first_names, open_matches, quotas
from pbem.services.players.mailboxes import has_same_mailbox_as_other
from pbem.services.players.players import name_of_unnamed_seat
from pbem.services.site import Site, Work
from pbem.services.tokens import SeatClaim, next_opening, opening_of
from pbem.services.who import ORGANISER

ALIKE = N_("“%(other)s” is at this table already, and “%(name)s” looks like it. Please choose another name.")
SAME_MAILBOX = N_("You are already in this match with another spelling of your address: one mailbox plays one seat.")
FREE = "?"
"""The name of an open seat; not a word in any language, since names are stored."""
UNNAMED = ""
"""In a `Place`, the name of a person who has none yet: their seat is called by its letter."""

FIRST_EPOCH = 0
"""The epoch of a seat that a person or a bot has from the start."""


# --- setting up the table ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Place:
    """What a seat of a new table holds: a person to invite, a bot, or nobody yet."""

    status: str
    name: str = FREE
    player_id: int | None = None
    bot: str | None = None
    epoch: int = FIRST_EPOCH


def place_of_bot_or_open_seat(wish: BotSeat | OpenSeat) -> Place:
    """Returns the place for a bot, or for anybody with its link."""
    return Place("accepted", bot=wish.bot) if isinstance(wish, BotSeat) else Place("open", epoch=next_opening(0))


def set_up_match(
    site: Site, session: Work, terms: Terms, places: Sequence[Place], word: str | None = None,
    *, deal: DealRow | None = None,
) -> Match:  # fmt: skip
    """Creates an unconfirmed match with these places and returns it: with the luck of `deal`, or a seed of its own.

    The commitment to its luck is made here, once and for all: it covers the seed and the organiser's lucky `word`. A
    deal has its own commitment, and takes no words. Raises Gone if the deal is closed, Invalid for a word at its table.
    """
    now, seed, match_id = site.now(), deal.seed if deal is not None else site.entropy(32), site.entropy(12).hex()
    typed = lucky_word_to_store(seed, ORGANISER, word, shared=deal is not None)
    first_word = hash_word(typed or word_from_seed(seed, ORGANISER))
    match = Match(
        **asdict(terms), id=match_id, status="unconfirmed", seed=seed, deal_id=deal.id if deal is not None else None,
        commitment=deal.commitment if deal is not None else commit(match_id, seed, first_word),
        created_at=now, lapses_at=now + timedelta(days=site.config.lapse_days),
    )  # fmt: skip
    if deal is not None:
        deals.count_table_of_deal(session, deal, terms.game, terms.options, len(places))
    session.put(match)
    taken = [place.name for place in places if place.bot is None]
    for number, place in enumerate(_drop_similar_names(places)):
        row = SeatRow(match_id=match.id, seat=number, bank_s=terms.bank_s, **asdict(place))
        row.name, row.word = row.name or name_of_unnamed_seat(number), typed if number == ORGANISER else None
        if row.bot is not None:
            row.name = choose_bot_name(match, taken, place.name)
            taken.append(row.name)
        session.add(row)
    session.flush()
    return match


def _drop_similar_names(places: Sequence[Place]) -> list[Place]:
    """Returns the places, but persons whose name looks like that of somebody before them without one.

    A player who chooses names for a new table is told of such names before. But people who have played together under
    them, or are members of one circle since before that was looked at, sit down again: one of them is asked for
    another.
    """
    told = list[Place]()
    for place in places:
        people = [one.name for one in told if one.player_id is not None and one.name != UNNAMED]
        twice = place.player_id is not None and any(look_alike(place.name, name) for name in people)
        told.append(replace(place, name=UNNAMED) if twice and place.name != UNNAMED else place)
    return told


def choose_bot_name(match: Match, taken: Iterable[str], wish: str = FREE) -> str:
    """Returns a name for a bot that looks like nobody else's at the table, the same in every language.

    It is `wish` if that is one of the game's names; otherwise the match's id chooses, so that tables differ.
    """
    own, others = store.game_by_slug(match.game).meta.bot_names, [*taken]
    first = own.index(wish) if wish in own else int(match.id[:8], 16) % len(own)
    order = own[first:] + own[:first]
    more = (f"{name} {lap}" for lap in count(2) for name in order)  # a table of many who are called like bots
    return next(name for name in chain(order, more) if not any(look_alike(name, other) for other in others))


# --- inviting ------------------------------------------------------------------------------------------------


def invite_others_and_start_if_full(table: LockedTable) -> None:
    """Invites everybody else after the organiser's confirmation, and starts the match if nobody has to be waited for.

    Only now it counts against the organiser's daily limit, because anybody may name anybody as organiser. Call this
    after all locks are taken. Raises TooMany if that is reached, TooManyOpen if they have as many open as they may.
    """
    site, organiser = table.work.site, table.match.organiser_id
    if site.config.has_caps:
        open_matches.check_may_start(site, table.work, organiser)
        quota = quotas.Quota(f"matches:{organiser}", site.config.matches_per_address_day)
        refusal = N_("This address has started many matches today. Please wait until tomorrow.")
        quotas.count_action(site, table.work, quota, refusal)
    table.match.status = "inviting"
    table.match.lapses_at = table.now + timedelta(days=site.config.lapse_days)
    for seat in table.seats:
        if seat.status == "invited":
            queue_invitation(table, seat)
    start_if_full(table)


def queue_invitation(table: LockedTable, seat: SeatRow) -> None:
    """Queues the seat's invitation: at most one per player and match, whatever happens to the seat."""
    table.queue_mail("invitation", seat.seat, invitation_key(seat), key=f"{seat_links.EPOCH}{seat.epoch}")


def invitation_key(seat: SeatRow) -> str:
    """Returns the key under which the first invitation of the seat's player to this match is queued."""
    return seat_links.invitation_mail_key(seat.match_id, seat.player_id)


def was_invited(session: Session, match_id: str, player: Player) -> bool:
    """True if an invitation to this match was queued for the player, sent or not."""
    return bool(outbox.keys_in_outbox(session, [seat_links.invitation_mail_key(match_id, player.id)]))


def check_invitation_limit(table: LockedTable, *, by_link: bool = False) -> None:
    """Raises TooMany if the organiser's matches have caused too many invitations today, no matter who they go to.

    Invitations requested through join links are counted separately (`by_link`), so that they do not use up the
    organiser's own.
    """
    config = table.work.site.config
    if not config.has_caps:
        return
    keys = table.work.exec(
        select(OutboxRow.key).where(
            col(OutboxRow.match_id) == col(Match.id),
            col(OutboxRow.kind) == "invitation",
            col(OutboxRow.created_at) > table.now - timedelta(days=1),
            col(Match.organiser_id) == table.match.organiser_id,
        )
    ).all()
    eras = [opening_of(int((key or "").removeprefix(seat_links.EPOCH) or 0)) for key in keys]
    if sum((era is not None) == by_link for era in eras) >= config.mails_per_address_day:
        raise TooMany(ASKED if by_link else INVITED, retry_after=3600)


def hold_people_at_table(session: Session, match_id: str) -> set[int | None]:
    """Returns the ids of all who sit at the table, are invited or have asked; rows may point to them from now on.

    The match must not be locked yet.
    """
    sitting = select(SeatRow.player_id).where(SeatRow.match_id == match_id)
    asking = select(SubstituteRow.player_id).where(SubstituteRow.match_id == match_id)
    return locks.hold_players(session, [*session.exec(sitting), *session.exec(asking)])


def end_other_invitations(
    site: Site, work: Work, seat: SeatRow, held: set[int | None], winner: int | None = None
) -> None:
    """Ends all invitations to the seat but that of the `winner`, and tells everyone who had them by a mail.

    Call it before the seat changes hands; `held` is what `hold_people_at_table` returned before the match was locked. A
    player gets at most one such mail a day about a match. Raises Busy if somebody has asked for the seat meanwhile.
    """
    claims = seat_links.end_claims_except_of_winner(work, seat, winner)
    if seat.status == "invited" and outbox.is_mail_sent_or_leaving(work, invitation_key(seat)):
        claims.add(seat.player_id)
    losers = claims - {winner, None}
    if not losers <= held:
        raise locks.busy_error()
    for loser in sorted(one for one in losers if one is not None):
        dedupe = f"displaced:{seat.match_id}:{loser}:{site.now():%Y-%m-%d}"
        outbox.enqueue(
            work, dedupe, "displaced", site.now(), match_id=seat.match_id, seat=seat.seat, player_id=loser
        )  # fmt: skip


# --- taking seats --------------------------------------------------------------------------------------------


def check_name_is_free(session: Session, seat: SeatRow, name: str) -> None:
    """Raises Invalid if somebody else at the table has this name, or one that looks like it."""
    if (other := seat_with_similar_name(session, seat, name)) is not None and other.name.casefold() != name.casefold():
        raise Invalid(ALIKE, {"name": name, "other": other.name})
    if other is not None:
        two = N_("Two players are called “%(name)s”.")
        raise Invalid(N_("A bot at the table is called “%(name)s”.") if other.bot else two, {"name": name})


def free_name_taken_by_bot(table: LockedTable, seat: SeatRow, name: str) -> None:
    """Frees the name for the player who is about to get the seat, before the start: a bot that has it gets another.

    Raises Invalid if a person at the table has it, or one that looks like it.
    """
    if (other := seat_with_similar_name(table.work, seat, name)) is not None and other.bot is not None:
        other.name = choose_bot_name(table.match, [name, *(sat.name for sat in table.seats)])
        table.work.flush()
    check_name_is_free(table.work, seat, name)


def seat_with_similar_name(session: Session, seat: SeatRow, name: str) -> SeatRow | None:
    """Returns another seat at the table that has this name, or one that looks like it; None if there is none."""
    others = (other for other in store.seats_of(session, seat.match_id) if other.seat != seat.seat)
    return next((other for other in others if look_alike(other.name, name)), None)


@dataclass(frozen=True)
class SeatSeen:
    """A seat as the organiser last saw it, before giving it to somebody else."""

    name: str
    status: str


def lock_untaken_seat(work: Work, claim: SeatClaim, number: int, was: SeatSeen | None) -> tuple[LockedTable, SeatRow]:
    """Returns the locked match and a seat that nobody has taken, for the organiser with this play link.

    If `was` is given, the seat must still be as seen. Raises Unauthorized, Forbidden, NotFound, Gone, Changed.
    """
    table = lock_table_of_organiser(work, claim)
    return table, find_untaken_seat(table, number, was)


def lock_table_of_organiser(work: Work, claim: SeatClaim) -> LockedTable:
    """Returns the locked match of the organiser with this play link. Raises Unauthorized, Forbidden."""
    table, organiser = seat_links.lock_seat_and_hold_player(work, claim, "play")
    if organiser.seat != ORGANISER:
        raise Forbidden(N_("Only the organiser can do this."))
    return table


def find_untaken_seat(table: LockedTable, number: int, was: SeatSeen | None = None) -> SeatRow:
    """Returns a seat of the match that nobody has taken. Raises NotFound, Gone, Changed as `lock_untaken_seat`."""
    require_inviting(table.match)
    seat = next((place for place in table.seats if place.seat == number), None)
    if seat is None:
        raise NotFound(N_("There is no such seat."))
    if was is not None and was != SeatSeen(seat.name, seat.status):
        raise Changed(CHANGED, etag="")
    if seat.status == "accepted":
        raise Gone(N_("%(name)s has already accepted."), {"name": seat.name})
    return seat


def require_inviting(match: Match) -> None:
    """Guarantees that the match is waiting for its players. Raises Gone."""
    check_seat_is_free(free_or_why_too_late(match.status))


def check_has_no_other_seat(session: Session, seat: SeatRow, player_id: int | None) -> None:
    """Raises Gone if the player has taken another seat at this table: one mailbox plays one seat, however written.

    Only somebody who has proven that the mailbox is theirs may learn it. The match and the player must be locked,
    because they may be taking that seat concurrently.
    """
    others = [one for one in store.seats_of(session, seat.match_id) if one.seat != seat.seat]
    sitting = [one.player_id for one in others if one.status == "accepted" and one.player_id is not None]
    if player_id in sitting:
        raise Gone(N_("You are already in this match: one address plays one seat."))
    if has_same_mailbox_as_other(session, player_id, sitting):
        raise Gone(SAME_MAILBOX)


def start_if_full(table: LockedTable) -> None:
    """Starts the match if all seats are taken."""
    work, match, seats = table.work, table.match, table.seats
    if any(seat.status != "accepted" for seat in seats):
        return
    match.status, match.started_at, match.lapses_at = "running", table.now, None
    match.nth = _number_that_tells_subjects_apart(work, match, seats)
    proofs.store_word_hashes(match, seats)
    work.flush()
    options = codec_for(table.game).options(proofs.options_dict_as_stored(match))
    table.append(Step(table.game.setup(len(seats), options, proofs.luck_of(match).rules(1)), By(table=True)))


def _number_that_tells_subjects_apart(session: Session, match: Match, seats: Sequence[SeatRow]) -> int:
    """Returns the lowest number that no other match has whose mails have the same subject for one of these people.

    A subject names the game and, as of the start, everybody else at the table; see `first_names`.
    """
    mine = {
        seat.player_id: _names_of_other_seats(seats, None, seat.seat) for seat in seats if seat.player_id is not None
    }
    theirs = select(col(SeatRow.match_id)).where(col(SeatRow.player_id).in_(mine))
    found = session.exec(
        select(Match, SeatRow)
        .join(SeatRow, col(SeatRow.match_id) == col(Match.id))
        .where(col(Match.id).in_(theirs), col(Match.id) != match.id, col(Match.game) == match.game)
        .where(col(Match.status).in_(("running", "paused")))
        .order_by(col(Match.id), col(SeatRow.seat))
    ).all()
    taken = set()
    for _, rows in groupby(found, key=lambda row: row[0].id):
        other, sitting = list(zip(*rows, strict=True))
        beside = (
            (seat.player_id, _names_of_other_seats(sitting, other[0].first_names, seat.seat))
            for seat in sitting
            if seat.player_id in mine
        )
        if any(mine[player_id] == names for player_id, names in beside):
            taken.add(other[0].nth)
    return next(nth for nth in count(1) if nth not in taken)


def _names_of_other_seats(seats: Sequence[SeatRow], stored: str | None, own: int) -> list[str]:
    """Returns the names of all other seats at the start of the match, sorted."""
    names = first_names.names_at_start(stored, [seat.name for seat in seats])
    return sorted(name for number, name in enumerate(names) if number != own)
