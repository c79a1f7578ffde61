"""Sign-in links by mail, the session that such a link opens, and unsubscribing."""

from flask import Blueprint, Response, redirect, request, session, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Problem
from pbem.render.addresses import mask_address
from pbem.services.mail import digests
from pbem.services.players import players
from pbem.services.tokens import NeverClaim, PlayerClaim, StopClaim
from pbem.services.views import seats
from pbem.web.play import seat_page
from pbem.web.protocol import security, sign_in
from pbem.web.protocol.forms import zone_field, zone_typed
from pbem.web.protocol.language import _, page_language, speak
from pbem.web.protocol.page import claim_of, page, seat_of_link, site
from pbem.web.protocol.sign_in import require_player_of_form

bp = Blueprint("account", __name__)


@bp.get("/links")
def show_links_form() -> Response:
    """Shows the form that sends a player their links."""
    return page("account/links.html", typed="")


@bp.post("/links")
def send_links() -> AnyResponse:
    """Sends the links if the address is known; the answer does not tell."""
    typed = request.form.get("address", "")
    try:
        players.request_links(site(), typed, sign_in.player_known_here())
    except Problem as problem:
        return page("account/links.html", refused=problem, typed=typed)
    return redirect(url_for("account.show_links_sent"), 303)


@bp.get("/signup")
def show_sign_up_form(trouble: Problem | None = None) -> Response:
    """Shows the form that sends a link to sign in with, to somebody who need not have played here."""
    return page(
        "account/sign_up.html", refused=trouble,
        typed=request.form.get("address", ""), field=zone_field(known=False),
    )  # fmt: skip


@bp.post("/signup")
def sign_up() -> AnyResponse:
    """Sends the link to the one who has the address; the answer does not tell whether they are known."""
    try:
        players.sign_up(
            site(), request.form.get("address", ""), page_language(), zone_typed(), sign_in.player_known_here()
        )
    except Problem as problem:
        return show_sign_up_form(problem)
    return redirect(url_for("account.show_links_sent", new="1"), 303)


@bp.get("/links/sent")
def show_links_sent() -> Response:
    """Says that the mail is on its way."""
    text = (
        _(
            "An email with a link that signs you in is on its way, or has arrived a short while ago. If none arrives, "
            "look among the unwanted mail, or try again tomorrow."
        )
        if request.args.get("new")
        else _(
            "If this address plays here, an email with all its links is on its way, or has arrived a short while ago. "
            "The link in the newest one still signs you in."
        )
    )
    return page("note.html", title=_("Check your mailbox"), text=text, mailbox=True)


@bp.post("/play/<token>/mail")
def send_links_to_seat(token: str) -> AnyResponse:
    """Sends a bouncing player of a seat their links: if that mail is accepted, the bounce is cleared."""
    claim = seat_page.claim_and_set_language(token)
    try:
        seats.write_to_owner(site(), claim)
    except Problem as problem:
        return seat_page.render_seat(token, trouble=problem)
    return redirect(url_for("play.show_seat", token=token, done="mailed"), 303)


# --- the session ---------------------------------------------------------------------------------------------


@bp.get("/account/<token>")
def ask_open_session(token: str) -> Response:
    """Shows the button that opens the session: a mail scanner may follow the link, so the link itself opens nothing."""
    player = players.read_account(site(), site().tokens.read_account(token, site().now()))
    assert player.address is not None, "the link was mailed to an address"
    speak(player.language)
    masked, guest = mask_address(player.address), sign_in.current_guest()
    return security.give_origin(page("account/sign_in.html", token=token, address=masked, guest=guest))


@bp.post("/account/<token>")
def open_session(token: str) -> AnyResponse:
    """Opens a session for the player of the link, who takes along the matches of a guest of this browser."""
    player = players.verify_and_read_account(site(), site().tokens.read_account(token, site().now()))
    sign_in.open_session(PlayerClaim(player.id, player.epoch))
    return sign_in.redirect_home_and_remember_player(player)


@bp.post("/me/leave")
def sign_out_everywhere() -> AnyResponse:
    """Signs the player out, in all browsers."""
    player = require_player_of_form()
    players.sign_out(site(), player.id)
    session.clear()
    response = redirect(url_for("start.show_home"), 303)
    if sign_in.KNOWN_COOKIE in request.cookies:
        response.delete_cookie(sign_in.KNOWN_COOKIE, path="/")
    return response


# --- less mail -----------------------------------------------------------------------------------------------


@bp.get("/mute/<token>")
def ask_mute(token: str) -> Response:
    """Explains muting, with the button for it."""
    seated = seat_of_link(token, "mute")
    return page("account/mute.html", game=seated.sheet.game, token=token, seated=seated, sheet=seated.sheet)


@bp.post("/mute/<token>")
@security.one_click
def mute(token: str) -> AnyResponse:
    """Mutes the match, or unmutes it; without a confirmation for a mail program's one click (RFC 8058)."""
    seats.mute(site(), claim_of(token, "mute"), security.is_one_click() or request.form.get("muted") != "0")
    return redirect(url_for("account.ask_mute", token=token), 303)


@bp.get("/daily")
def go_to_digest_choice() -> AnyResponse:
    """Redirects to where a daily digest can be chosen: the player's preferences, or the form for the sign-in link."""
    if "player" in session:
        return redirect(url_for("preferences.show_preferences", _anchor="mails"))
    return redirect(url_for("account.show_links_form", daily="1"))


@bp.get("/digest/<token>")
def ask_mute_all_matches(token: str) -> Response:
    """Explains muting all matches, with the button for it, and how to get a mail each turn instead."""
    language, muted = digests.read_language_and_mute_of_stop_link(site(), site().tokens.read(StopClaim, token))
    speak(language)
    return page("account/mute_all.html", token=token, muted=muted)


@bp.post("/digest/<token>")
@security.one_click
def mute_all_matches(token: str) -> AnyResponse:
    """Mutes all matches, or unmutes them; without a confirmation for a mail program's one click (RFC 8058)."""
    muted = security.is_one_click() or request.form.get("muted") != "0"
    digests.mute_all_matches(site(), site().tokens.read(StopClaim, token), muted)
    return redirect(url_for("account.ask_mute_all_matches", token=token), 303)


@bp.get("/never/<token>")
def ask_stop_emails(token: str) -> Response:
    """Explains "stop all emails", with the button for it."""
    language, done = players.read_language_and_use_of_never_link(site(), site().tokens.read(NeverClaim, token))
    speak(language)
    return page("account/never.html", token=token, done=done)


@bp.post("/never/<token>")
@security.one_click
def stop_emails(token: str) -> AnyResponse:
    """Suppresses the address; without a confirmation for a mail program's one click (RFC 8058)."""
    players.suppress_by_link(site(), site().tokens.read(NeverClaim, token))
    return redirect(url_for("account.ask_stop_emails", token=token), 303)
