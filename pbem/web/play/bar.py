"""The bar under the headline: what the reader can take back, and what somebody asks them to agree to."""

from dataclasses import dataclass

from markupsafe import Markup

from pbem.errors import Gone
from pbem.render import phrases
from pbem.render.i18n import join_and
from pbem.services.play import takeback
from pbem.services.play.reversible import Reversible
from pbem.services.tokens import SeatClaim
from pbem.services.views.match_views import OpenRequest, View
from pbem.services.views.seats import Seated
from pbem.web.protocol.language import _, page_language
from pbem.web.protocol.page import site

SHOWN_AT_ONCE = ("luck", "shown", "window")
"""Why nothing can be taken back is said about these when somebody has just moved; nobody has to hear of the others."""


@dataclass(frozen=True)
class Bar:
    """What the reader can take back; `told` is the story's line for it, `why` why they cannot, or must ask."""

    can: Reversible
    told: Markup
    why: str
    needed: str
    agreed: str
    missing: str
    """The names of those who must agree, who have agreed, and who have not yet."""


@dataclass(frozen=True)
class Asked:
    """What somebody asks the reader to let them take back; `told` is the story's line for it."""

    request: OpenRequest
    name: str
    told: Markup
    agreed: bool
    """True if the reader has agreed."""


def read_can(view: View, claim: SeatClaim) -> Reversible | None:
    """Returns what the seat can take back, for a page whose match was read before; None if its page says nothing."""
    if not takeback.shows_takeback(view):
        return None
    try:
        return takeback.read_takeback(site(), claim).reversible
    except Gone:  # the match has ended or paused since the view was read
        return None


def bar(view: View, can: Reversible | None, *, has_moved: bool) -> Bar | None:
    """Returns the bar; None if there is nothing to take back, or if others have played and the reader is asked now."""
    if can is None or can.to is None or (can.state == "no" and not (has_moved and can.reason in SHOWN_AT_ONCE)):
        return None
    names = view.sheet.names
    needed, agreed = ([names[one] for one in seats] for seats in (can.needed, can.agreed))
    missing = [name for name in needed if name not in agreed]
    lang = page_language()
    return Bar(
        can, _told(view, can.to), _(takeback.REASONS[can.reason]) if can.reason else "",
        join_and(needed, lang), join_and(agreed, lang), join_and(missing, lang),
    )  # fmt: skip


def asked(seated: Seated, view: View) -> Asked | None:
    """Returns what somebody asks the reader to let them take back; None if nobody does."""
    request = view.sheet.takeback
    if view.sheet.status != "running" or request is None or seated.seat not in request.needed:
        return None
    name = view.sheet.names[request.seat]
    return Asked(request, name, _told(view, request.to), seated.seat in request.agreed)


def _told(view: View, to: int) -> Markup:
    """Returns the story's line for the first entry after `to`."""
    lines = view.story(page_language(), after=to)
    return phrases.html(lines[0].text, view.sheet.names, view.game.meta) if lines else Markup()
