"""Taking a seat by a link: that of an open seat, that of a seat that was left, and the one in a substitute's mail."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem, Unauthorized
from pbem.render.problems import sentence
from pbem.services.lobby import joining, lucky_words
from pbem.services.lobby.match_request import Invitee
from pbem.services.lobby.vacancies import Vacancy
from pbem.services.play import substitutes
from pbem.services.players.players import Account
from pbem.services.site import Site
from pbem.services.tokens import Claim, OfferClaim, OpeningClaim, VacancyClaim
from pbem.services.views import seats
from pbem.web.protocol.forms import LuckyField, lucky_field, typed_word, typed_zone, zone_field
from pbem.web.protocol.language import _, page_language, remember_language, speak
from pbem.web.protocol.page import page, site
from pbem.web.protocol.sign_in import checked_player, current_player
from pbem.web.views.match_page import seat_lines, table

bp = Blueprint("vacancies", __name__)


@dataclass(frozen=True)
class Way:
    """How the holders of one kind of link come to the seat; `done` is what the seat's page tells those who took it.

    `propose` gives the lucky word that the form proposes to the player who takes the seat by it; None where a seat
    comes with the word it has.
    """

    claim: type[Claim]
    read: Callable[[Site, Any], Vacancy]
    ask: Callable[..., tuple[str, int]]
    sit: Callable[..., tuple[str, int]]
    done: str
    propose: Callable[[Site, Any], str] | None = None

    def word(self) -> dict[str, str | None]:
        """Returns the lucky word that was typed, as the last argument of `sit`, if it takes any."""
        return {"word": typed_word()} if self.propose else {}


WAYS = {
    "join": Way(
        OpeningClaim, joining.read_opening, joining.join, joining.sit_down, "sat",
        lucky_words.read_proposed_word,
    ),
    "substitute": Way(
        VacancyClaim, substitutes.read_vacancy, substitutes.ask, substitutes.sit_in, "taken"
    ),
}  # fmt: skip


@bp.get("/join/<token>", defaults={"way": "join"})
@bp.get("/substitute/<token>", defaults={"way": "substitute"})
def ask_for(way: str, token: str) -> Response:
    """Shows the match as everybody may see it, and the form that asks for the seat."""
    player = current_player()
    return _ask(_read(way, token), player, lucky=_lucky(way, token, player))


def _read(way: str, token: str) -> Vacancy:
    return WAYS[way].read(site(), site().tokens.read(WAYS[way].claim, token))


def _lucky(way: str, token: str, player: Account | None) -> LuckyField | None:
    """Returns the field for the word; None for those who do not take the seat by this form, but by a mail."""
    propose = WAYS[way].propose if player is not None else None
    return lucky_field(propose(site(), site().tokens.read(WAYS[way].claim, token))) if propose else None


def _ask(
    vacancy: Vacancy, player: Account | None, trouble: Problem | None = None, *, lucky: LuckyField | None
) -> Response:
    form = request.form
    name = seats.latest_name(site(), player) if player else ""
    return _page(
        vacancy, trouble, player=player, offered=False,
        own=seats.own_seat(site(), player, vacancy.sheet.id) if player else None,
        name=form.get("name", name), address=form.get("address", ""), zone=zone_field(known=False),
        lucky=lucky,
    )  # fmt: skip


def _page(vacancy: Vacancy, trouble: Problem | None, **more: Any) -> Response:
    view, sheet = vacancy.view, vacancy.sheet
    return page(
        "play/vacancy.html", game=sheet.game, refused=trouble, vacancy=vacancy, sheet=sheet,
        table=table(view, (), request.path) if view is not None else None, who=seat_lines(sheet, None),
        trouble=sentence(trouble, page_language()) if trouble else None,
        language=request.form.get("language", page_language()), **more,
    )  # fmt: skip


@bp.post("/join/<token>", defaults={"way": "join"})
@bp.post("/substitute/<token>", defaults={"way": "substitute"})
def ask(way: str, token: str) -> AnyResponse:
    """Asks for the seat: a signed-in player gets it at once, anybody else by a mail."""
    player, claim = checked_player(), site().tokens.read(WAYS[way].claim, token)
    name, language = request.form.get("name", ""), request.form.get("language", "")
    try:
        if player is not None:
            return _to_seat(*WAYS[way].sit(site(), claim, player.id, name, **WAYS[way].word()), WAYS[way].done)
        newcomer = Invitee(name, request.form.get("address", ""))
        WAYS[way].ask(site(), claim, newcomer, language, typed_zone())
    except Unauthorized:
        raise
    except Problem as problem:
        return _ask(_read(way, token), player, problem, lucky=_lucky(way, token, player))
    return remember_language(redirect(url_for("vacancies.sent", way=way, token=token), 303), language)


def _to_seat(match_id: str, seat: int, done: str) -> AnyResponse:
    return redirect(url_for("play.show", token=seats.play_token(site(), match_id, seat), done=done), 303)


@bp.get("/join/<token>/sent", defaults={"way": "join"})
@bp.get("/substitute/<token>/sent", defaults={"way": "substitute"})
def sent(way: str, token: str) -> Response:
    """Says that the mail is on its way; the page does not tell whether the address was known."""
    vacancy = _read(way, token)
    # Whose names look alike is for those alone who see the names: the holder of an old link does not.
    seen: dict[str, Any] = {"sheet": vacancy.sheet} if vacancy.how == "free" else {}
    text = _("An email is on its way to the address that you gave. The seat is yours when you accept it there.")
    return page("note.html", game=vacancy.sheet.game, title=_("Check your mailbox"), text=text, mailbox=True, **seen)


@bp.get("/takeover/<token>")
def ask_accept(token: str) -> Response:
    """Shows the match as everybody may see it, with the button that takes the seat, or the link to it once taken."""
    return _offer(token)


def _offer(token: str, trouble: Problem | None = None) -> Response:
    vacancy = substitutes.read_offer(site(), site().tokens.read(OfferClaim, token))
    speak(vacancy.language)
    zone = zone_field(vacancy.zone, known=vacancy.verified)
    return _page(
        vacancy, trouble, player=None, own=None, offered=True, name=vacancy.name, address="", zone=zone, lucky=None
    )


@bp.post("/takeover/<token>")
def accept(token: str) -> AnyResponse:
    """Takes the seat, and leads to it."""
    language, zone = request.form.get("language", ""), typed_zone()
    try:
        taken = substitutes.accept(site(), site().tokens.read(OfferClaim, token), language, zone)
    except Unauthorized:
        raise
    except Problem as problem:
        return _offer(token, problem)
    return remember_language(_to_seat(*taken, "taken"), language)
