"""What leagues do when results of matches are written: those of a season can be told, and may rate with bots."""

import msgspec
from sqlalchemy import select, update
from sqlmodel import Session

from pbem.features.leagues.tables import Season, SeasonMatch
from pbem.models.tables import table
from pbem.services.site import Work

_seasons, _season_matches = table(Season), table(SeasonMatch)


def note_results(work: Work, match_ids: list[str]) -> None:
    """Notes that the results of these matches are written, and can be told; see `scores.feed`."""
    told = update(_season_matches).where(_season_matches.c.match_id.in_(match_ids)).values(tallied=True)
    work.connection().execute(told)


class _SaidOfBots(msgspec.Struct):
    """What the terms of a season say of matches at which bots sit."""

    rated_with_bots: bool = False


_read_terms = msgspec.json.Decoder(_SaidOfBots).decode


def rate_with_bots(session: Session, match_ids: set[str]) -> set[str]:
    """Returns those of these matches, at which bots sit, that the terms of their season let rate their people."""
    sm, s = _season_matches.c, _seasons.c
    found = select(sm.match_id, s.terms).join(_seasons, s.id == sm.season_id).where(sm.match_id.in_(sorted(match_ids)))
    return {match_id for match_id, terms in session.execute(found) if _read_terms(terms).rated_with_bots}
