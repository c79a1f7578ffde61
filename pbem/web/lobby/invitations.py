"""Before the start: the organiser confirms, the others accept or decline, the organiser invites somebody else."""

from collections.abc import Callable

from flask import Blueprint, Response, redirect, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Changed, Invalid, NotFound, Problem, Stale
from pbem.services.lobby import joining, lucky_words, matches, rematches, reminding
from pbem.services.lobby.match_request import Invitee
from pbem.services.lobby.seating import SeatSeen
from pbem.services.tokens import SeatClaim, SeatPurpose
from pbem.services.views import seats
from pbem.services.views.seats import Seated
from pbem.web.play import seat_page
from pbem.web.protocol.forms import language_typed, lucky_field, lucky_word_typed, zone_field, zone_typed
from pbem.web.protocol.language import remember_language, speak
from pbem.web.protocol.page import claim_of, number_in, page, seat_of_link, site
from pbem.web.protocol.sign_in import caller_of, current_player
from pbem.web.views.match_page import ending_sentence, seat_lines, status_line_of_match

bp = Blueprint("lobby", __name__)


@bp.get("/confirm/<token>")
def ask_confirm(token: str) -> Response:
    """Shows the match to its organiser, with the button that confirms it."""
    return _render_invitation_page(token, "confirm", seat_of_link(token, "confirm"))


@bp.get("/invitation/<token>")
def ask_accept(token: str) -> Response:
    """Shows the invitation, with the buttons to accept or decline."""
    return _render_invitation_page(token, "invitation", seat_of_link(token, "invitation"))


def _render_invitation_page(
    token: str, purpose: SeatPurpose, seated: Seated, trouble: Problem | None = None
) -> Response:
    sheet = seated.sheet
    zone = zone_field(seated.zone, known=seated.has_settings)
    claim, invited = claim_of(token, purpose), purpose == "invitation" and seated.status == "invited"
    lucky = lucky_field(lucky_words.read_proposed_word(site(), claim) if invited else "")
    waits = {"confirm": "unconfirmed", "invitation": "inviting"}[purpose]
    return page(
        "lobby/invitation.html", game=sheet.game, refused=trouble,
        token=token, purpose=purpose, seated=seated, sheet=sheet, who=seat_lines(sheet, seated.seat),
        alone=all(place.status == "accepted" for place in sheet.seats if place.seat != seated.seat),
        open=sheet.status == waits and seated.status == "invited", headline=status_line_of_match(sheet, seated.seat),
        ending=ending_sentence(sheet),
        language=language_typed(seated.language if seated.has_settings else None), zone=zone,
        name=request.form.get("name", seated.latest_name),
        wrong_name=seated.unnamed and isinstance(trouble, Invalid) and not zone.trouble and not lucky.trouble,
        lucky=lucky, own=seated.own_token(site().tokens) if seated.status == "accepted" else None,
    )  # fmt: skip


@bp.post("/confirm/<token>")
def confirm(token: str) -> AnyResponse:
    """Confirms the match as its organiser, and leads to their seat."""
    seated = seat_of_link(token, "confirm")
    language, zone = language_typed(), zone_typed()
    try:
        matches.confirm_match(site(), claim_of(token, "confirm"), language, zone)
    except Problem as problem:
        return _render_invitation_page(token, "confirm", seated, problem)
    own = seated.own_token(site().tokens)
    return remember_language(redirect(url_for("play.show_seat", token=own, done="started"), 303), language)


@bp.post("/invitation/<token>")
def answer_invitation(token: str) -> AnyResponse:
    """Accepts or declines the invitation."""
    claim, seated = claim_of(token, "invitation"), seat_of_link(token, "invitation")
    language, zone = language_typed(), zone_typed()
    try:
        if request.form.get("answer") == "decline":
            matches.decline_invitation(site(), claim)
            return redirect(url_for("lobby.ask_accept", token=token), 303)
        name = request.form.get("name", "") if seated.unnamed else None
        taken = matches.accept_invitation(site(), claim, language, zone, name, word=lucky_word_typed())
    except Problem as problem:
        return _render_invitation_page(token, "invitation", seat_of_link(token, "invitation"), problem)
    token = seats.play_token(site(), *taken)
    return remember_language(redirect(url_for("play.show_seat", token=token, done="sat"), 303), language)


@bp.post("/play/<token>/name")
def invite_another(token: str) -> AnyResponse:
    """Invites somebody else to a free seat, as the organiser."""
    who_else = Invitee(request.form.get("name", ""), request.form.get("address", ""))
    return act_as_organiser(
        token,
        "named",
        lambda claim, place: matches.invite_to_untaken_seat(site(), claim, place, who_else, seat_seen_in_form()),
    )


@bp.post("/play/<token>/remind")
def remind_invited(token: str) -> AnyResponse:
    """Sends an invitation that has no answer yet once more, for the organiser."""

    def remind_seat(claim: SeatClaim, place: int) -> None:
        if (number := number_in("number", 2)) is None:
            raise Invalid(N_("This button is from an older page. Please press it again."))
        reminding.remind_invited_player(site(), claim, place, number)

    return act_as_organiser(token, "reminded", remind_seat)


@bp.get("/play/<token>/withdraw")
def ask_withdraw(token: str) -> Response:
    """Explains withdrawing, with the button for it."""
    seated = seat_of_link(token, "play")
    return page("lobby/withdraw.html", game=seated.sheet.game, token=token, seated=seated, sheet=seated.sheet)


@bp.post("/play/<token>/withdraw")
def withdraw(token: str) -> AnyResponse:
    """Cancels the match as its organiser, or gives up a seat as anybody else."""
    claim = claim_of(token)
    seats.read_play(site(), claim)
    matches.cancel_or_leave_match(site(), claim)
    return redirect(url_for("play.show_seat", token=token, done="left"), 303)


@bp.post("/play/<token>/open")
def open_seat(token: str) -> AnyResponse:
    """Opens a seat that nobody has taken, or makes a new link to it."""
    return act_as_organiser(
        token, "opened", lambda claim, place: joining.open_seat(site(), claim, place, seat_seen_in_form())
    )


@bp.post("/play/<token>/fill")
def give_seat_to_bot(token: str) -> AnyResponse:
    """Gives a seat that nobody has taken to a bot."""
    bot = request.form.get("bot", "")
    return act_as_organiser(
        token, "filled", lambda claim, place: joining.fill_with_bot(site(), claim, place, bot, seat_seen_in_form())
    )


def seat_seen_in_form() -> SeatSeen | None:
    """Returns the seat as the organiser saw it beside the form; None if that was opened before forms told it."""
    if (told := request.form.get("version")) is None:
        return None
    status, _, name = told.partition(" ")
    return SeatSeen(name, status)


def act_as_organiser(token: str, done: str, act: Callable[[SeatClaim, int], object]) -> AnyResponse:
    """Acts on the seat that the form names, and leads back to the organiser's page, which says that it is `done`.

    A problem that `act` raises is shown there.
    """
    claim, place = claim_of(token), number_in("seat", 2)
    try:
        if place is None:
            raise NotFound(N_("There is no such seat."))
        act(claim, place)
    except Changed as problem:  # the page shows the seat as it is now, and beside it what was entered
        return seat_page.render_seat(token, trouble=Stale(problem.message))
    except Problem as problem:
        return seat_page.render_seat(token, trouble=problem)
    return redirect(url_for("play.show_seat", token=token, done=done), 303)


@bp.post("/play/<token>/rematch")
def rematch(token: str) -> AnyResponse:
    """Creates the rematch, or finds it, and leads to the player's seat in it, unless somebody else is signed in."""
    player, claim = current_player(), claim_of(token)
    seated = seats.read_seat(site(), claim)
    speak(seated.language)
    try:
        way = rematches.sit_down_in_rematch(site(), claim, caller_of(player), word=lucky_word_typed())
    except Problem as problem:
        return seat_page.render_seat(token, trouble=problem)
    if way.seat == "mail":
        return redirect(url_for("play.show_seat", token=token, done="again_by_mail"), 303)
    done = "rematch" if way.made else "sat" if way.sat else None
    return redirect(url_for("play.show_seat", token=way.token, done=done), 303)
