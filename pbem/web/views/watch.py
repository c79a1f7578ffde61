"""A running match, for spectators."""

from flask import Blueprint, Response, url_for

from pbem.services.lobby import rematches
from pbem.services.views import match_views, seats
from pbem.services.views.match_views import Sheet
from pbem.web.protocol.language import page_language
from pbem.web.protocol.page import page, site, tag_of, unless_known
from pbem.web.protocol.security import keep_private
from pbem.web.views import share
from pbem.web.views.match_page import SHOWN_LINES, ending, extent_asked, headline, seat_lines, table
from pbem.web.views.result import result
from pbem.web.views.strip import strip

bp = Blueprint("watch", __name__)


@bp.get("/match/<match_id>")
def match(match_id: str) -> Response:
    """Shows the match as a spectator sees it; 304 if they have it already."""
    keep_private()
    sheet = match_views.read_sheet(site(), match_id, None)
    if same := unless_known(_tag(sheet)[0]):
        return same
    view = seats.watch(site(), match_id, page_language(), SHOWN_LINES)
    sheet, path = view.sheet, url_for("watch.match", match_id=match_id)
    tag, again = _tag(sheet)
    shown = table(view, (), path, extent_asked()) if view.fold is not None else None
    ended = result(view, lambda step: url_for("replay.public", match_id=match_id, step=step), path)
    return page(
        "views/match.html", etag=tag, game=sheet.game, sheet=sheet, table=shown, headline=headline(sheet, None),
        ending=ending(sheet), who=seat_lines(sheet, None), zone="UTC", now=site().now(), path=path, tag=tag,
        result=ended, card=share.match_card(sheet), again=again, strip=strip(shown),
    )  # fmt: skip


def _tag(sheet: Sheet) -> tuple[str, str | None]:
    """Returns the tag of the page, and the match that plays this one again, if any."""
    again = rematches.read_rematch(site(), sheet.id) if sheet.over else None
    return tag_of(sheet, None, sidebar=again), again
