"""What is done about the matches of a season that are not over on its date, in slices.

Those that share a deal are called off, and so is every such match of a duplicate season: whatever its standings told
would tell about cards that somebody still plays. Then all deals open at once. The others go on as ordinary matches.
A process that goes on after a crash calls off those that are left; nothing is done twice.
"""

from collections.abc import Callable, Iterator, Sequence

import structlog
from sqlalchemy import select, true

from pbem.errors import Busy
from pbem.features.leagues.tables import SeasonMatch
from pbem.features.leagues.terms import SeasonTerms
from pbem.kit.codec import encode
from pbem.kit.replay import CancelReason
from pbem.models.tables import Match, table
from pbem.services.clock import outages
from pbem.services.log import store
from pbem.services.log.cancellation import call_off
from pbem.services.log.table import lock_table
from pbem.services.site import Site

SLICE = 20
"""How many matches are called off or looked at before this process may stop, and its claim is renewed."""
REASON: CancelReason = "season"
CALLED_OFF = encode({"reason": REASON}).decode()
"""The outcome of a match that was called off because its season ended."""
_OVER = ("over", "cancelled")

_m, _sm = table(Match), table(SeasonMatch)
log = structlog.get_logger()
Scores = dict[str, tuple[int, ...] | None]


def call_off_shared(site: Site, season_id: str, terms: SeasonTerms, goes_on: Callable[[], bool]) -> bool:
    """Calls off the matches whose deal others share, all of a duplicate season; False if some are left for later.

    `goes_on` is asked before each slice. One that cannot be called off is logged and holds up no other.
    """
    which = true() if terms.duplicate else _m.c.deal_id.is_not(None)
    with site.reading() as session:
        found = (
            select(_sm.c.match_id)
            .join(_m, _m.c.id == _sm.c.match_id)
            .where(_sm.c.season_id == season_id, _m.c.status.not_in(_OVER), which)
            .order_by(_sm.c.match_id)
        )
        ids = session.execute(found).scalars().all()
    done = True
    for some in _slices(ids):
        if not goes_on():
            return False
        for match_id in some:
            done &= _call_off(site, match_id)
    return done


def _call_off(site: Site, match_id: str) -> bool:
    try:
        with site.writing() as work:
            locked = lock_table(work, match_id)
            if locked.match.status not in _OVER:
                outages.catch_up(locked)
                call_off(locked, REASON)
    except Busy:
        log.info("season.busy", match=match_id)  # somebody is moving: the next sweep tries again
        return False
    except Exception:
        log.exception("season.not_called_off", match=match_id)
        return False
    return True


def scores_as_they_stand(site: Site, ids: Sequence[str], goes_on: Callable[[], bool]) -> Scores | None:
    """Returns the public scores of these matches at this moment, or when the season called them off, by match.

    None in it: the game keeps none, or the match cannot be read, which is logged. Returns None if this process must
    stop before the last one.
    """
    made: Scores = {}
    for some in _slices(ids):
        if not goes_on():
            return None
        with site.reading() as session:
            for match_id in some:
                try:
                    match = store.get_match(session, match_id)
                    game = store.game_of(match)
                    made[match_id] = game.scores(store.load_state(session, match, game)) if _stands(match) else None
                except Exception:
                    log.exception("season.no_scores", match=match_id)  # it counts as a draw
                    made[match_id] = None
    return made


def _stands(match: Match) -> bool:
    return match.status in ("running", "paused") or match.outcome == CALLED_OFF


def _slices(ids: Sequence[str]) -> Iterator[Sequence[str]]:
    return (ids[first : first + SLICE] for first in range(0, len(ids), SLICE))
