"""Hints for somebody's first match of a game: one for each kind of question, until they put it away for good."""

from sqlalchemy import bindparam, select

from pbem.errors import N_, Invalid
from pbem.models.prepared import Prepared
from pbem.models.tables import Match, Player, SeatRow, table
from pbem.services.access import seat_links
from pbem.services.log import locks, store
from pbem.services.site import Reading, Site
from pbem.services.tokens import SeatClaim
from pbem.services.views.match_views import View


def shows_hint(session: Reading, player: Player, view: View) -> bool:
    """Returns whether the player sees the hint of the question that they are asked.

    It has not been put away, and they have begun no match of the game before this one. Costs a query only while there
    is a hint to show.
    """
    if view.ask is None or view.game.meta.asks[view.ask.kind].hint is None:
        return False
    if _name(view.game.meta.slug, view.ask.kind) in player.hints_hidden.split():
        return False
    asked = {"player": player.id, "game": view.game.meta.slug, "began": view.sheet.started_at}
    return not _EARLIER.ask(session, asked).rows()


_matches, _seats = table(Match), table(SeatRow)
_EARLIER = Prepared(
    select(_matches.c.id)
    .join(_seats, _seats.c.match_id == _matches.c.id)
    .where(
        _seats.c.player_id == bindparam("player"),
        _seats.c.status == "accepted",
        _matches.c.game == bindparam("game"),
        _matches.c.started_at < bindparam("began"),
    )
    .limit(1)
)
"""`player`, `game`, `began` → a match of the game that they had begun before."""


def hide_hint(site: Site, claim: SeatClaim, kind: str) -> None:
    """Puts the hint of this kind of question away for the seat's player, in all matches of the game.

    Raises Unauthorized, and Invalid if the game asks no such question.
    """
    with site.writing() as work:
        row = seat_links.seat_of(work, claim, "play")
        player = locks.lock_player(work, row.player_id, or_guest=True)
        game = store.game_of(store.get_match(work, row.match_id))
        if kind not in game.meta.asks:
            raise Invalid(N_("The game asks no such question."))
        hidden = {*player.hints_hidden.split(), _name(game.meta.slug, kind)}
        player.hints_hidden = " ".join(sorted(hidden))


def _name(slug: str, kind: str) -> str:
    return f"{slug}.{kind}"
