"""Votes on late players: the table waits until more than half of the other people let the clock move.

When the grace is over the clock does not act; the others are asked on their pages instead. The late player may answer
until the vote is decided, which voids it. If nobody can vote, because the others are bots, absent or late themselves,
the clock moves; so it does after thirty days without a decision. A vote holds for the whole stretch of asks.
"""

from datetime import datetime, timedelta

from pbem.errors import N_, Gone
from pbem.kit.replay import PutToVote, Voted
from pbem.models.clocks import VoteRow
from pbem.models.tables import AskRow, Match
from pbem.services.access import seat_links
from pbem.services.lobby.match_request import VOTE
from pbem.services.log import outbox, store, vote_count
from pbem.services.play import presence
from pbem.services.play.decisions import play_fallback
from pbem.services.site import Site, Work
from pbem.services.tokens import SeatClaim

WAITING = timedelta(days=30)
"""How long a vote may stay undecided; after that the clock moves."""


def may_play(work: Work, match: Match, ask: AskRow, now: datetime) -> bool:
    """True if the clock may answer this ask, whose grace is over; otherwise opens the vote if it is not open yet.

    In a silent window there is no vote: it would show who has not answered. The match must be locked.
    """
    if ask.floor_at is not None:
        return True
    seats = store.seats_of(work, match.id)
    if match.late != VOTE or not vote_count.is_active(seats[ask.seat]):
        return True
    voters = vote_count.voters_of(seats, store.open_asks(work, match.id), ask.seat, now)
    if len(vote_count.votes_for(work, ask) & {*voters}) >= vote_count.majority(len(voters)):
        return True
    if ask.vote_since is None:
        ask.vote_since = now
        _put_to_vote(work, match, ask, voters, now)
    elif ask.vote_since + WAITING <= now:
        return True
    ask.acts_at = ask.vote_since + WAITING
    return False


def _put_to_vote(work: Work, match: Match, ask: AskRow, voters: list[int], now: datetime) -> None:
    """Puts the late seat to the vote and mails the voters, once per stretch of asks."""
    presence.recount_votes(work, match, now)  # a late player loses their vote on others
    store.record(work, match, [PutToVote(ask.seat)], now)
    for voter in voters:
        dedupe = f"vote:{match.id}:{ask.origin}:{match.version}:{voter}"
        outbox.enqueue(work, dedupe, "vote", now, match_id=match.id, seat=voter, key=ask.origin)


def vote(site: Site, claim: SeatClaim, late: int) -> bool:
    """Records a vote for letting the clock move for the late seat; returns True if the clock has moved. Idempotent.

    `claim` is the voter's play link, validated under the lock. Raises NotFound, Gone, Unauthorized.
    """
    with site.writing() as work:
        match, voter = seat_links.lock_seat(work, claim)
        asks = store.open_asks(work, match.id)
        ask = next((ask for ask in asks if ask.seat == late), None)
        if match.status != "running" or ask is None or ask.vote_since is None:
            raise Gone(N_("There is no longer anything to vote on."))
        if voter.seat not in vote_count.voters_of(store.seats_of(work, match.id), asks, late):
            raise Gone(N_("Only players may vote, not about themselves, and not while their own move is overdue."))
        if voter.seat not in vote_count.votes_for(work, ask):
            store.record(work, match, [Voted(late, voter.seat)], site.now())
        row = {"match_id": match.id, "key": ask.origin, "seat": late, "voter": voter.seat, "at": site.now()}
        outbox.insert_once(work, VoteRow, row)
        if not may_play(work, match, ask, site.now()):
            return False
        play_fallback(site, work, match, store.game_of(match), ask)
        return True
