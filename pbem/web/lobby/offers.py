"""Taking a place by a link: an open seat, one that was left, and by the link in a substitute's mail.

Features have pages of their own for their places. They share the form that asks for one, the answer to it, and the page
after that.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem, Unauthorized
from pbem.services.lobby import joining, lucky_words
from pbem.services.lobby.match_request import Invitee
from pbem.services.lobby.offers import Offer, Taken, Vacancy, What
from pbem.services.play import substitutes
from pbem.services.players.players import Account
from pbem.services.site import Site
from pbem.services.tokens import Claim, OfferClaim, OpeningClaim, VacancyClaim
from pbem.services.views import seats
from pbem.web.protocol.forms import language_typed, lucky_field, lucky_word_typed, zone_field, zone_typed
from pbem.web.protocol.language import _, remember_language, speak
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import current_player, current_player_of_form
from pbem.web.views.match_page import seat_lines, table_on_page

bp = Blueprint("vacancies", __name__)

# --- what all offers share -----------------------------------------------------------------------------------


def offer_form_context(player: Account | None, trouble: Problem | None) -> dict[str, Any]:
    """Returns what the form shows: the fields as typed, and what is wrong with them.

    Raises Unauthorized if that is what is wrong: nobody gets a form at an invalid link.
    """
    if isinstance(trouble, Unauthorized):
        raise trouble
    typed, name = request.form, seats.latest_name(site(), player) if player is not None else ""
    return {
        "player": player, "name": typed.get("name", name), "address": typed.get("address", ""),
        "language": language_typed(), "zone": zone_field(known=False), "refused": trouble,
    }  # fmt: skip


def take_offer_or_send_mail(
    offer: Offer[What, Taken], what: What, sent: AnyResponse, lead: Callable[[Taken], AnyResponse],
    show: Callable[[Account | None, Problem], AnyResponse],
) -> AnyResponse:  # fmt: skip
    """Gives the place to a signed-in player and leads them there; has a mail sent to anybody else and returns `sent`.

    `show` returns the form with a problem. Raises CSRFError.
    """
    player, typed = current_player_of_form(), request.form
    name = typed.get("name", "")
    try:
        if player is not None:
            return lead(offer.take(site(), what, player.id, name))
        offer.ask(site(), what, Invitee(name, typed.get("address", "")), language_typed(), zone_typed())
    except Problem as problem:
        return show(player, problem)
    return sent


def render_mail_sent(text: str, **more: Any) -> Response:
    """Says that the mail is on its way; the page does not tell whether the address was known."""
    return page("note.html", title=_("Check your mailbox"), text=text, mailbox=True, **more)


# --- seats ---------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Way:
    """How the holders of one kind of link come to the seat; `done` is what the seat's page tells those who took it.

    `propose` gives the lucky word that the form proposes to the player who takes the seat by it; None where a seat
    comes with the word it has.
    """

    claim: type[Claim]
    read: Callable[[Site, Any], Vacancy]
    offer: Offer[Any, tuple[str, int]]
    done: str
    propose: Callable[[Site, Any], str] | None = None


WAYS = {
    "join": Way(
        OpeningClaim, joining.read_open_seat,
        replace(joining.OFFER, take=lambda *seat: joining.take_seat_at_once(*seat, word=lucky_word_typed())), "sat",
        lucky_words.read_proposed_word,
    ),
    "substitute": Way(VacancyClaim, substitutes.read_vacancy, substitutes.OFFER, "taken"),
}  # fmt: skip


@bp.get("/join/<token>", defaults={"way": "join"})
@bp.get("/substitute/<token>", defaults={"way": "substitute"})
def show_seat_form(way: str, token: str) -> Response:
    """Shows the match as everybody may see it, and the form that asks for the seat."""
    return _render_seat_form(way, token, current_player())


def _read_vacancy(way: str, token: str) -> Vacancy:
    return WAYS[way].read(site(), site().tokens.read(WAYS[way].claim, token))


def _render_seat_form(way: str, token: str, player: Account | None, trouble: Problem | None = None) -> Response:
    vacancy, form = _read_vacancy(way, token), offer_form_context(player, trouble)
    own = seats.own_seat(site(), player, vacancy.sheet.id) if player else None
    # The word is for those who take the seat by this form, not by a mail.
    propose = WAYS[way].propose if player is not None else None
    lucky = lucky_field(propose(site(), site().tokens.read(WAYS[way].claim, token))) if propose else None
    return _render_vacancy(vacancy, offered=False, own=own, lucky=lucky, **form)


def _render_vacancy(vacancy: Vacancy, **more: Any) -> Response:
    view, sheet = vacancy.view, vacancy.sheet
    return page(
        "lobby/vacancy.html", game=sheet.game, vacancy=vacancy, sheet=sheet, who=seat_lines(sheet, None),
        table=table_on_page(view, (), request.path) if view is not None else None, **more,
    )  # fmt: skip


@bp.post("/join/<token>", defaults={"way": "join"})
@bp.post("/substitute/<token>", defaults={"way": "substitute"})
def ask_for_seat(way: str, token: str) -> AnyResponse:
    """Asks for the seat: a signed-in player gets it at once, anybody else by a mail."""
    claim = site().tokens.read(WAYS[way].claim, token)
    sent = remember_language(redirect(url_for("vacancies.show_sent", way=way, token=token), 303), language_typed())
    return take_offer_or_send_mail(
        WAYS[way].offer,
        claim,
        sent,
        lambda taken: _redirect_to_seat(*taken, WAYS[way].done),
        partial(_render_seat_form, way, token),
    )


def _redirect_to_seat(match_id: str, seat: int, done: str) -> AnyResponse:
    return redirect(url_for("play.show_seat", token=seats.play_token(site(), match_id, seat), done=done), 303)


@bp.get("/join/<token>/sent", defaults={"way": "join"})
@bp.get("/substitute/<token>/sent", defaults={"way": "substitute"})
def show_sent(way: str, token: str) -> Response:
    """Says that the mail is on its way; the page does not tell whether the address was known."""
    vacancy = _read_vacancy(way, token)
    # Whose names look alike is for those alone who see the names: the holder of an old link does not.
    seen: dict[str, Any] = {"sheet": vacancy.sheet} if vacancy.how == "free" else {}
    text = _("An email is on its way to the address that you gave. The seat is yours when you accept it there.")
    return render_mail_sent(text, game=vacancy.sheet.game, **seen)


@bp.get("/takeover/<token>")
def ask_accept(token: str, trouble: Problem | None = None) -> Response:
    """Shows the match as everybody may see it, with the button that takes the seat, or the link to it once taken."""
    vacancy = substitutes.read_offer(site(), site().tokens.read(OfferClaim, token))
    speak(vacancy.language)
    zone = zone_field(vacancy.zone, known=vacancy.verified)
    language = language_typed(vacancy.language if vacancy.verified else None)
    form = offer_form_context(None, trouble) | {"name": vacancy.name, "address": "", "zone": zone, "language": language}
    return _render_vacancy(vacancy, offered=True, own=None, lucky=None, **form)


@bp.post("/takeover/<token>")
def accept(token: str) -> AnyResponse:
    """Takes the seat, and leads to it."""
    language, zone = language_typed(), zone_typed()
    try:
        taken = substitutes.accept_offer(site(), site().tokens.read(OfferClaim, token), language, zone)
    except Problem as problem:
        return ask_accept(token, problem)
    return remember_language(_redirect_to_seat(*taken, "taken"), language)
