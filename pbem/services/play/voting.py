"""Votes on late players: the table waits until more than half of the other people let the clock move.

When the grace is over the clock does not act; the others are asked on their pages instead. The late player may answer
until the vote is decided, which voids it. If nobody can vote, because the others are bots, absent or late themselves,
the clock moves; so it does after thirty days without a decision. A vote holds for the whole stretch of asks.
"""

from datetime import timedelta

from pbem.errors import N_, Gone
from pbem.kit.replay import PutToVote, Voted
from pbem.models.clocks import VoteRow
from pbem.models.tables import AskRow
from pbem.services.access import seat_links
from pbem.services.lobby.match_request import VOTE
from pbem.services.log import consent, outbox
from pbem.services.log.table import LockedTable
from pbem.services.play import presence
from pbem.services.play.decisions import answer_as_clock_or_stand_in
from pbem.services.site import Site
from pbem.services.tokens import SeatClaim

WAITING = timedelta(days=30)
"""How long a vote may stay undecided; after that the clock moves."""


def may_clock_play_or_open_vote(table: LockedTable, ask: AskRow) -> bool:
    """True if the clock may answer this ask, whose grace is over; otherwise opens the vote if it is not open yet.

    In a silent window there is no vote: it would show who has not answered.
    """
    seats, now = table.seats, table.now
    if ask.floor_at is not None or table.match.late != VOTE or not consent.is_active_person(seats[ask.seat]):
        return True
    voters = consent.voters_on_late_seat(seats, table.asks, ask.seat, now)
    if len(consent.seats_that_voted_on_late_ask(table.work, ask) & {*voters}) >= consent.votes_needed_for_majority(
        len(voters)
    ):
        return True
    if ask.vote_since is None:
        ask.vote_since = now
        presence.have_open_votes_recounted(table)  # a late player loses their vote on others
        table.record([PutToVote(ask.seat)])
        for voter in voters:  # once per stretch of asks
            table.queue_mail(
                "vote", voter, f"vote:{table.id}:{ask.origin}:{table.match.version}:{voter}", key=ask.origin
            )
    elif ask.vote_since + WAITING <= now:
        return True
    ask.acts_at = ask.vote_since + WAITING
    return False


def vote_to_let_clock_move(site: Site, claim: SeatClaim, late: int) -> bool:
    """Records a vote for letting the clock move for the late seat; returns True if the clock has moved. Idempotent.

    `claim` is the voter's play link, validated under the lock. Raises NotFound, Gone, Unauthorized.
    """
    with site.writing() as work:
        table, voter = seat_links.lock_seat(work, claim)
        ask = table.ask_to(late)
        if table.match.status != "running" or ask is None or ask.vote_since is None:
            raise Gone(N_("There is no longer anything to vote on."))
        if voter.seat not in consent.voters_on_late_seat(table.seats, table.asks, late):
            raise Gone(N_("Only players may vote, not about themselves, and not while their own move is overdue."))
        if voter.seat not in consent.seats_that_voted_on_late_ask(work, ask):
            table.record([Voted(late, voter.seat)])
        row = {"match_id": table.id, "key": ask.origin, "seat": late, "voter": voter.seat, "at": table.now}
        outbox.insert_row_unless_key_exists(work, VoteRow, row)
        if not may_clock_play_or_open_vote(table, ask):
            return False
        answer_as_clock_or_stand_in(table, ask)
        return True
