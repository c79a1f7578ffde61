"""A table where a late player is waited for, until more than half of the other people let the clock play.

When the grace is over the clock does not act: the others are asked on their pages. Who is late may answer until
then. Where nobody can vote, because the others are bots, or absent, the clock plays. A vote holds for the whole
stretch of questions.
"""

from sqlmodel import Session

from pbem.errors import N_, Gone, Invalid
from pbem.models.tables import AskRow, Match, VoteRow
from pbem.services import ballot, presence, store
from pbem.services.moves import play_fallback
from pbem.services.site import Site

VOTE = "vote"
LATE = ("fallback", VOTE)
"""What happens at a table when the grace is over."""
WHEN_LATE = N_("When the time is up either the “fallback” plays, or the table takes a “vote”.")


def checked_late(late: str | None) -> str:
    """What is to happen to who is late; the fallback plays unless the table says otherwise. Raises Invalid."""
    if late is None:
        return LATE[0]
    if late not in LATE:
        raise Invalid(WHEN_LATE)
    return late


def may_play(site: Site, session: Session, match: Match, ask: AskRow) -> bool:
    """Whether the clock may answer this question, whose grace is over; if not, the vote is open from now on.

    The match must be locked.
    """
    seats = store.seats_of(session, match.id)
    if match.late != VOTE or not ballot.there(seats[ask.seat]):
        return True
    voters = ballot.voters_of(seats, ask.seat)
    if len(ballot.votes_for(session, ask) & {*voters}) >= ballot.majority(len(voters)):
        return True
    ask.vote_since, ask.acts_at = ask.vote_since or site.now(), None
    session.add(ask)
    session.flush()
    return False


def vote(site: Site, match_id: str, voter: int, late: int) -> bool:
    """The voter is for letting the clock play for the late seat; says whether it has. Again: nothing happens.

    Raises NotFound, Gone.
    """
    with site.writing() as session:
        match = store.lock_match(session, match_id)
        ask = next((ask for ask in store.open_asks(session, match_id) if ask.seat == late), None)
        if match.status != "running" or ask is None or ask.vote_since is None:
            raise Gone(N_("There is nothing to vote on any more."))
        if voter not in ballot.voters_of(store.seats_of(session, match_id), late):
            raise Gone(N_("Only those who are at the table may vote, and not on themselves."))
        row = {"match_id": match_id, "key": ask.origin, "seat": late, "voter": voter, "at": site.now()}
        store.insert_once(session, VoteRow, row)
        if not may_play(site, session, match, ask):
            return False
        play_fallback(site, session, match, store.game_of(match), ask)
        presence.missed(session, match, ask, site.now())
        return True
