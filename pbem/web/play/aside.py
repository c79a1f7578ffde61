"""The pages beside that of a seat, behind the same link: its orders; the talk and its note; who plays while it is away.

Each is shown by its own address, and again by the forms on it: with what was entered, if that is refused.
"""

from flask import Response, g, request, url_for

from pbem.errors import N_, Gone, Problem
from pbem.render import phrases
from pbem.services.views import seats, talk
from pbem.services.views.match_views import WholeView
from pbem.services.views.seats import Seated
from pbem.web.play import orders
from pbem.web.play.beside import next_match
from pbem.web.protocol.language import _, speak
from pbem.web.protocol.page import claim_of, page, seat_of_link, site, tag_of, unless_known

DONE = {
    "noted": N_("Note saved."),
    "stands_in": N_("Your choice for the time you are away is saved."),
}
"""What the forms of the talk and of absence say is done; those of the orders have words of their own."""


def find_orders(token: str) -> tuple[Seated, WholeView]:
    """Returns the seat and the match as it sees it, and sets the page's language.

    Raises Unauthorized, and Gone before the match has begun.
    """
    seated, view = seats.read_play(site(), claim_of(token))
    speak(seated.language)
    if view.fold is None:
        raise Gone(N_("The match has not begun yet."))
    return seated, view


def render_orders(
    token: str,
    seated: Seated,
    view: WholeView,
    *,
    trouble: Problem | None = None,
    entered: orders.Entered | None = None,
) -> Response:
    """Renders the orders of the seat: what they have done, those that stand, and the forms for more.

    `entered` is what was entered in a form. Once something is saved, the next match that waits is one tap away.
    """
    g.path = url_for("acts.show_orders", token=token)
    return page(
        "play/orders.html", game=view.game, refused=trouble, token=token, seated=seated, sheet=view.sheet,
        notice=_notice(orders.DONE), orders=orders.panel(seated, view, token, entered),
        ordered=orders.order_news(seated, view, token),
        following=next_match(seated) if request.args.get("done") in orders.DONE else None,
        name_choice=lambda name: phrases.text(name, view.sheet.names),  # no drawing stands in a list to choose from
    )  # fmt: skip


def render_talk(token: str, *, trouble: Problem | None = None) -> Response:
    """Renders what is said at the table and the seat's note; 304 if the reader has it. Folds nothing.

    Raises Unauthorized, and NotFound for a seat that has not accepted.
    """
    seated = seat_of_link(token)
    sheet, seat, path = seated.sheet, seated.seat, url_for("acts.show_talk", token=token)
    said = talk.read_talk(site(), sheet.id, seat)
    g.path = path
    tag = tag_of(sheet, seat, said.messages[-1].id if said.messages else 0, said.note)
    if trouble is None and (same := unless_known(tag)):
        return same
    return page(
        "play/talk.html", game=sheet.game, refused=trouble, etag=tag, tag=tag, path=path, token=token, seated=seated,
        sheet=sheet, talk=said, notice=_notice(DONE), form=request.form, zone=seated.zone,
    )  # fmt: skip


def render_away(token: str, *, trouble: Problem | None = None) -> Response:
    """Renders who plays for the seat while its owner is absent. Raises Unauthorized."""
    seated = seat_of_link(token)
    g.path = url_for("acts.show_away", token=token)
    return page(
        "play/away.html", game=seated.sheet.game, refused=trouble, token=token, seated=seated, sheet=seated.sheet,
        notice=_notice(DONE), form=request.form,
    )  # fmt: skip


def _notice(done: dict[str, str]) -> str | None:
    """Returns what the reader has just done here, in words."""
    word = request.args.get("done", "")
    return _(done[word]) if word in done else None
