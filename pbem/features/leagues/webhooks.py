"""What webhooks know of leagues: one of a league tells its organiser what everybody may know of its seasons."""

from sqlmodel import Session

from pbem.errors import N_, Forbidden
from pbem.features.leagues import lookups
from pbem.features.leagues.calls import cursors, payloads
from pbem.features.leagues.tables import SeasonCursor
from pbem.features.webhooks.subjects import Described, Subject
from pbem.services.who import HOST, Owner

KINDS = ("over", "season")
"""What a webhook of a league may be told: a result is public; a season has begun, ended, …"""


def _check(session: Session, owner: Owner, league_id: str) -> None:
    """Raises NotFound if there is no league that the owner may see, and Forbidden if they are not its organiser."""
    league = lookups.league_of(session, league_id)
    if owner is not HOST:
        lookups.check_may_see(session, league, owner)
    if league.owner_id is None or league.owner_id != owner:
        raise Forbidden(N_("Only the organiser of the league can do this."))


SUBJECT = Subject(
    "league",
    KINDS,
    described=Described(
        where="or in a league of theirs",
        kinds="Of a league only `over`: a result is in the season's feed, and `season`: players can enter one, or it "
        "has begun, was closed, or does not take place.",
        which="A league that the caller organises, in place of matches: what everybody may know.",
        number="of a league, the number of the result",
        wrong_kind=N_(
            "A webhook can subscribe to “your_turn”, “moved” and “over”; one of a league to “over” and “season”."
        ),
    ),
    words={"season": N_("a season begins or ends")},
    which=N_("those of a league that you organise"),
    not_both=N_("A webhook is about one match or one league, not both."),
    cursors=SeasonCursor,
    check=_check,
    start_cursors=cursors.start_cursors,
    sweep=cursors.sweep_seasons,
    read_news=payloads.read_news,
)
