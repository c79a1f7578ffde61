"""Finding one's matches again: links by mail, a session from a mailed link, preferences; and wanting no mail."""

from flask import Blueprint, Response, redirect, request, session, url_for
from flask_wtf.csrf import CSRFProtect
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Problem, Unauthorized
from pbem.faces.problems import sentence
from pbem.models.tables import Player
from pbem.services import players, seats, views
from pbem.services.tokens import PlayerClaim, unknown_link
from pbem.web.language import _, settle, speak, spoken
from pbem.web.lobby import zones
from pbem.web.page import page, site
from pbem.web.security import keep_private
from pbem.web.table import ending, headline

bp = Blueprint("account", __name__)
csrf = CSRFProtect()


@bp.get("/links")
def ask_links() -> Response:
    """The form that sends somebody his links."""
    return page("links.html", trouble=None, typed="")


@bp.post("/links")
def send_links() -> AnyResponse:
    """Sends the links, if the address is known; the answer is the same either way."""
    typed = request.form.get("address", "")
    try:
        players.send_links(site(), typed)
    except Problem as problem:
        return page("links.html", status=problem.status, trouble=sentence(problem, spoken()), typed=typed)
    return redirect(url_for("account.links_sent"), 303)


@bp.get("/links/sent")
def links_sent() -> Response:
    """Where to look now."""
    text = _("If this address plays here, a mail with all its links is on its way.")
    return page("note.html", title=_("Look into your mailbox"), text=text, mailbox=True)


# --- the session ---------------------------------------------------------------------------------------------


@bp.get("/account/<token>")
def ask_open(token: str) -> Response:
    """The button that opens the session: a link alone, which a mail scanner may follow, opens nothing."""
    claim = site().tokens.read_account(token, site().now())
    with site().reading() as db:
        speak(players.player_of(db, claim).language)
    return page("account.html", token=token)


@bp.post("/account/<token>")
def open_session(token: str) -> AnyResponse:
    """Opens a session for the player whose link this is."""
    player = players.open_account(site(), token)
    session.clear()
    session["player"], session["epoch"] = player.id, player.epoch
    return redirect(url_for("account.me"), 303)


def _player() -> Player:
    """The player of the session. Raises Unauthorized."""
    keep_private()
    if "player" not in session:
        raise Unauthorized(N_("You are not signed in. Ask for your links: one of them signs you in."))
    with site().reading() as db:
        player = players.player_of(db, PlayerClaim(session["player"], session["epoch"]))
        db.expunge(player)
    speak(player.language)
    return player


@bp.get("/me")
def me() -> Response:
    """The player's open invitations, his matches, his turn first, and his preferences."""
    return _me(_player())


def _me(player: Player, trouble: Problem | None = None) -> Response:
    with site().reading() as db:
        mine = views.my_matches(site(), db, player)
        invitations = seats.open_invitations(site(), db, player)
    common, placed = zones()
    return page(
        "me.html", status=trouble.status if trouble else 200, player=player, now=site().now(),
        mine=[(m, headline(m.sheet, m.seat), ending(m.sheet)) for m in mine], invitations=invitations,
        language=request.form.get("language", player.language), zone=request.form.get("zone", player.zone),
        common=common, placed=placed, trouble=sentence(trouble, spoken()) if trouble else None,
    )  # fmt: skip


@bp.post("/me")
def prefer() -> AnyResponse:
    """Sets language and time zone."""
    csrf.protect()
    player = _player()
    assert player.id is not None, "a stored player has an id"
    language = request.form.get("language", "")
    try:
        players.prefer(site(), player.id, language, request.form.get("zone", ""))
    except Problem as problem:
        return _me(player, problem)
    return settle(redirect(url_for("account.me", done="1"), 303), language)


@bp.post("/me/leave")
def leave() -> AnyResponse:
    """Ends the session, here and wherever else its cookie may lie."""
    csrf.protect()
    player = _player()
    assert player.id is not None, "a stored player has an id"
    players.sign_out(site(), player.id)
    session.clear()
    return redirect(url_for("start.home"), 303)


# --- less mail -----------------------------------------------------------------------------------------------


@bp.get("/mute/<token>")
def ask_mute(token: str) -> Response:
    """What muting means, and the button for it."""
    seated = seats.read_seat(site(), "mute", token)
    speak(seated.language)
    return page("mute.html", game=seated.sheet.game, token=token, seated=seated, sheet=seated.sheet)


@bp.post("/mute/<token>")
def mute(token: str) -> AnyResponse:
    """Mutes the match, or lets its mails come again; at once for a mail program's one click (RFC 8058)."""
    if request.form.get("List-Unsubscribe") == "One-Click":
        seats.mute(site(), token, True)
        return Response("ok", mimetype="text/plain")
    seats.mute(site(), token, request.form.get("muted") != "0")
    return redirect(url_for("account.ask_mute", token=token), 303)


@bp.get("/never/<token>")
def ask_never(token: str) -> Response:
    """What "never again" means, and the button for it."""
    player_id = site().tokens.read_never(token)
    with site().reading() as db:
        player = db.get(Player, player_id)
        if player is None:
            raise unknown_link()
        speak(player.language)
        done = players.suppressed(site(), db, player)
    return page("never.html", token=token, done=done)


@bp.post("/never/<token>")
def never(token: str) -> AnyResponse:
    """Sees to it that nothing is sent to the address any more."""
    players.never_again(site(), token)
    return redirect(url_for("account.ask_never", token=token), 303)
