"""What leagues add to results, erasure, retention and the clock.

When results of matches are written, those of a season can be told, and may rate people at tables with bots. Of a player
who is erased, a league keeps the results by seat, without a name.
"""

import msgspec
from sqlalchemy import select, update
from sqlmodel import Session, col

from pbem.features.leagues import founding
from pbem.features.leagues.entry import entering
from pbem.features.leagues.news import ERASED
from pbem.features.leagues.scores import feed
from pbem.features.leagues.tables import Entrant, League, Season, SeasonMatch
from pbem.models.tables import table
from pbem.services.hooks import Fate, Hooks, Moments, Personal, Results
from pbem.services.lobby.seating import FREE
from pbem.services.site import Site, Work

_e, _seasons, _season_matches = table(Entrant), table(Season), table(SeasonMatch)

# --- results --------------------------------------------------------------------------------------------------


def note_results(work: Work, match_ids: list[str]) -> None:
    """Notes that the results of these matches are written, and can be told; see `scores.feed`."""
    told = update(_season_matches).where(_season_matches.c.match_id.in_(match_ids)).values(tallied=True)
    work.connection().execute(told)


class _SaidOfBots(msgspec.Struct):
    """What the terms of a season say of matches at which bots sit; all else that they say is passed over."""

    rated_with_bots: bool = False


_read_terms = msgspec.json.Decoder(_SaidOfBots).decode


def rate_with_bots(session: Session, match_ids: set[str]) -> set[str]:
    """Returns those of these matches, at which bots sit, that the terms of their season let rate their people."""
    sm, s = _season_matches.c, _seasons.c
    found = select(sm.match_id, s.terms).join(_seasons, s.id == sm.season_id).where(sm.match_id.in_(sorted(match_ids)))
    return {match_id for match_id, terms in session.execute(found) if _terms_rate_with_bots(terms)}


def _terms_rate_with_bots(terms: str) -> bool:
    """Returns whether these terms rate people with bots; False if they cannot be read, as other results must go on."""
    try:
        return _read_terms(terms).rated_with_bots
    except msgspec.DecodeError:
        return False


# --- erasure --------------------------------------------------------------------------------------------------


def end_leagues(site: Site, player_id: int) -> None:
    """Ends the leagues that the player organises: what runs goes on to its date, what has not begun is called off."""
    with site.reading() as session:
        leagues = current_league_ids_of_organiser(session, player_id)
    for league_id in leagues:
        founding.end_league(site, player_id, league_id)


def current_league_ids_of_organiser(session: Session, player_id: int) -> list[str]:
    """Returns the ids of the leagues that the player organises and that have not ended."""
    own = select(col(League.id)).where(col(League.owner_id) == player_id, col(League.ended_at).is_(None))
    return list(session.execute(own.order_by(col(League.id))).scalars())


def forget_name(session: Session, player_id: int) -> None:
    """Blanks the names of the player's entrants; they enter no season that has not begun."""
    session.execute(update(_e).where(_e.c.player_id == player_id).values(name=FREE, status=ERASED))


HOOKS = Hooks(
    results=Results(note_results, rate_with_bots, after=feed.publish_results),
    personal=Personal(
        fates={
            "leagues.owner_id": Fate("forgotten", export=("id", "name", "game", "terms", "created_at", "ended_at")),
            "entrants.player_id": Fate(
                "forgotten", export=("season_id", "name", "status", "division", "points", "place", "at")
            ),
        },
        export_through={"webhook_season_marks.webhook_id": ()},  # how far they have come
        leave=end_leagues,
        takes_part_in=current_league_ids_of_organiser,
        forget_player=forget_name,
        forget_old={"entrants": entering.forget_old},
    ),
    moments=Moments(
        happened={"entrants": ("at",), "leagues": ("created_at", "ended_at"), "seasons": ("closed_at", "created_at")},
        left={
            "seasons": {
                "starts_at": "a date of the organiser", "ends_at": "a date of the organiser",
                "due_at": "one of these dates, or a claim; seasons go on only while the clock is settled",
            },
        },
    ),
)  # fmt: skip
