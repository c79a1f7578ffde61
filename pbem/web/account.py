"""Sign-in links by mail, the session that such a link opens, preferences, and unsubscribing."""

from collections.abc import Callable
from typing import Any

from flask import Blueprint, Response, redirect, request, session, url_for
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import Changed, Problem
from pbem.render.addresses import mask_address
from pbem.services.clock import holidays
from pbem.services.kinds import is_sent
from pbem.services.mail import digests
from pbem.services.players import players
from pbem.services.players.players import Account
from pbem.services.results import sharing
from pbem.services.tokens import NeverClaim, PlayerClaim, StopClaim
from pbem.services.views import seats
from pbem.web.features import preferences_parts
from pbem.web.play import seat_page
from pbem.web.protocol import forms, security, sign_in
from pbem.web.protocol.forms import typed_zone, zone_field
from pbem.web.protocol.language import _, page_language, remember_language, speak
from pbem.web.protocol.page import claim_of, form_version, page, site
from pbem.web.protocol.sign_in import csrf, require_player, require_visitor
from pbem.web.views.match_page import day_text

bp = Blueprint("account", __name__)


@bp.get("/links")
def ask_links() -> Response:
    """Shows the form that sends a player their links."""
    return page("account/links.html", typed="")


@bp.post("/links")
def send_links() -> AnyResponse:
    """Sends the links if the address is known; the answer does not tell."""
    typed = request.form.get("address", "")
    try:
        players.send_links(site(), typed, sign_in.known_player())
    except Problem as problem:
        return page("account/links.html", refused=problem, typed=typed)
    return redirect(url_for("account.links_sent"), 303)


@bp.get("/signup")
def ask_account() -> Response:
    """Shows the form that sends a link to sign in with, to somebody who need not have played here."""
    return _sign_up()


@bp.post("/signup")
def sign_up() -> AnyResponse:
    """Sends the link to the one who has the address; the answer does not tell whether they are known."""
    try:
        players.sign_up(site(), request.form.get("address", ""), page_language(), typed_zone(), sign_in.known_player())
    except Problem as problem:
        return _sign_up(problem)
    return redirect(url_for("account.links_sent", new="1"), 303)


def _sign_up(trouble: Problem | None = None) -> Response:
    return page(
        "account/sign_up.html", refused=trouble,
        typed=request.form.get("address", ""), field=zone_field(known=False),
    )  # fmt: skip


@bp.get("/links/sent")
def links_sent() -> Response:
    """Says that the mail is on its way."""
    if request.args.get("new"):
        text = _(
            "An email with a link that signs you in is on its way, or has arrived a short while ago. If none arrives, "
            "look among the unwanted mail, or try again tomorrow."
        )
        return page("note.html", title=_("Check your mailbox"), text=text, mailbox=True)
    text = _(
        "If this address plays here, an email with all its links is on its way, or has arrived a short while ago. "
        "The link in the newest one still signs you in."
    )
    return page("note.html", title=_("Check your mailbox"), text=text, mailbox=True)


@bp.post("/play/<token>/mail")
def write_to_owner(token: str) -> AnyResponse:
    """Sends a bouncing player of a seat their links: if that mail is accepted, the bounce is cleared."""
    claim = claim_of(token)
    seated, view = seats.read_play(site(), claim)
    speak(seated.language)
    try:
        seats.write_to_owner(site(), claim)
    except Problem as problem:
        return seat_page.render(token, seated, view, trouble=problem)
    return redirect(url_for("play.show", token=token, done="mailed"), 303)


# --- the session ---------------------------------------------------------------------------------------------


@bp.get("/account/<token>")
def ask_open(token: str) -> Response:
    """Shows the button that opens the session: a mail scanner may follow the link, so the link itself opens nothing."""
    player = players.read_account(site(), site().tokens.read_account(token, site().now()))
    assert player.address is not None, "the link was mailed to an address"
    speak(player.language)
    masked, guest = mask_address(player.address), sign_in.current_guest()
    return security.give_origin(page("account/sign_in.html", token=token, address=masked, guest=guest))


@bp.post("/account/<token>")
def open_session(token: str) -> AnyResponse:
    """Opens a session for the player of the link, who takes along the matches of a guest of this browser."""
    player = players.open_account(site(), site().tokens.read_account(token, site().now()))
    sign_in.open_session(PlayerClaim(player.id, player.epoch))
    return sign_in.remember_browser(redirect(url_for("start.home"), 303), player)


@bp.get("/me")
def me() -> Response:
    """Shows the player's preferences."""
    return preferences(require_visitor())


def preferences(player: Account, trouble: Problem | None = None) -> Response:
    """Renders the player's preferences, with the problem that prevented a change."""
    calendar = holidays.read_calendar(site(), player.id)
    return page(
        "account/preferences.html", refused=trouble, player=player,
        language=request.form.get("language", player.language), zone=zone_field(player.zone),
        hour=request.form.get("digest", _hour_text(player.digest_hour)),
        pictures=player.pictures if (wanted := _wants_pictures()) is None else wanted,
        calendar=calendar, today=calendar.day_of(site().now()), written=day_text, allowance=holidays.ALLOWANCE,
        parts=preferences_parts(player) if player.address is not None else [],
        shared=sharing.read_shared(site(), player.id), weekly_sent=is_sent("week", site().config.features),
        hours=holidays.hours_of(calendar),
        version=form_version(*digests.settings_of(player), entered="language" in request.form),
    )  # fmt: skip


def _hour_text(hour: int | None) -> str:
    """Returns the hour of the daily digest as typed; None for a mail each turn."""
    return "" if hour is None else str(hour)


def _wants_pictures() -> bool | None:
    """Returns whether the box for pictures in mails is ticked; None if the form has no such box.

    A browser leaves out a box that is not ticked, so a hidden "0" stands before it in the form.
    """
    said = request.form.getlist("pictures")
    return "1" in said if said else None


@bp.post("/me")
def prefer() -> AnyResponse:
    """Sets language, time zone, a mail each turn or one a day, and whether mails show the board as a picture."""
    csrf.protect()
    player = require_visitor()
    language, pictures = request.form.get("language", ""), _wants_pictures()
    try:
        hour = digests.checked_hour(request.form.get("digest", _hour_text(player.digest_hour)))
        stored = digests.set_preferences(
            site(), player.id, language, typed_zone(), hour, pictures=pictures, version=forms.seen_version()
        )  # fmt: skip
    except Changed as problem:
        entered = (language, typed_zone(), hour, player.pictures if pictures is None else pictures)
        return _ask_again(problem, player.id, entered)
    except Problem as problem:
        return preferences(player, problem)
    return remember_language(redirect(url_for("account.me", done="1"), 303), stored)


def _ask_again(problem: Changed, player_id: int, entered: tuple[str, str, int | None, bool]) -> Response:
    def digest(hour: int | None) -> str:
        return _("An email each turn") if hour is None else _("One email a day, at %(hour)s:00", hour=hour)

    titles = (_("Language"), _("Time zone"), _("Emails"), _("Show the board as a picture in my emails"))
    says: tuple[Callable[[Any], str], ...] = (
        {"fr": "Français", "en": "English"}.__getitem__,
        str,
        digest,
        forms.yes_or_no,
    )
    stored = digests.settings_of(players.read_account(site(), player_id))
    fields = [
        forms.Field(title, now, wanted, words)
        for title, now, wanted, words in zip(titles, stored, entered, says, strict=True)
    ]
    return forms.ask_again(problem, fields, url_for("account.me"))


@bp.post("/me/leave")
def leave() -> AnyResponse:
    """Signs the player out, in all browsers."""
    csrf.protect()
    player = require_player()
    players.sign_out(site(), player.id)
    session.clear()
    return sign_in.forget_browser(redirect(url_for("start.home"), 303))


# --- less mail -----------------------------------------------------------------------------------------------


@bp.get("/mute/<token>")
def ask_mute(token: str) -> Response:
    """Explains muting, with the button for it."""
    seated = seats.read_seat(site(), claim_of(token, "mute"))
    speak(seated.language)
    return page("account/mute.html", game=seated.sheet.game, token=token, seated=seated, sheet=seated.sheet)


@bp.post("/mute/<token>")
@security.one_click
def mute(token: str) -> AnyResponse:
    """Mutes the match, or unmutes it; without a confirmation for a mail program's one click (RFC 8058)."""
    claim = claim_of(token, "mute")
    if request.form.get("List-Unsubscribe") == "One-Click":
        seats.mute(site(), claim, True)
        return Response("ok", mimetype="text/plain")
    seats.mute(site(), claim, request.form.get("muted") != "0")
    return redirect(url_for("account.ask_mute", token=token), 303)


@bp.get("/daily")
def daily() -> AnyResponse:
    """Returns where a daily digest can be chosen: the player's preferences, or the form for the sign-in link."""
    if "player" in session:
        return redirect(url_for("account.me", _anchor="mails"))
    return redirect(url_for("account.ask_links", daily="1"))


@bp.get("/digest/<token>")
def ask_stop(token: str) -> Response:
    """Explains muting all matches, with the button for it, and how to get a mail each turn instead."""
    language, muted = digests.read_stop(site(), site().tokens.read(StopClaim, token))
    speak(language)
    return page("account/mute_all.html", token=token, muted=muted)


@bp.post("/digest/<token>")
@security.one_click
def stop(token: str) -> AnyResponse:
    """Mutes all matches, or unmutes them; without a confirmation for a mail program's one click (RFC 8058)."""
    claim = site().tokens.read(StopClaim, token)
    if request.form.get("List-Unsubscribe") == "One-Click":
        digests.mute_all(site(), claim, True)
        return Response("ok", mimetype="text/plain")
    digests.mute_all(site(), claim, request.form.get("muted") != "0")
    return redirect(url_for("account.ask_stop", token=token), 303)


@bp.get("/never/<token>")
def ask_never(token: str) -> Response:
    """Explains "stop all emails", with the button for it."""
    language, done = players.read_never(site(), site().tokens.read(NeverClaim, token))
    speak(language)
    return page("account/never.html", token=token, done=done)


@bp.post("/never/<token>")
@security.one_click
def never(token: str) -> AnyResponse:
    """Suppresses the address; without a confirmation for a mail program's one click (RFC 8058)."""
    players.never_again(site(), site().tokens.read(NeverClaim, token))
    if request.form.get("List-Unsubscribe") == "One-Click":
        return Response("ok", mimetype="text/plain")
    return redirect(url_for("account.ask_never", token=token), 303)
