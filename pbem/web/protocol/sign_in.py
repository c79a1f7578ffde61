"""Who is signed in on this browser, by the session that a link has opened, and who has been before.

Browsers in which a player signed in are remembered: strangers who enter the address cannot use up the quota there. That
cookie grants nothing. It outlives the session, and ends with the player's epoch: when they sign out, renew all links,
or change their address.
"""

from flask import Flask, Request, Response, g, redirect, request, session, url_for
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface, SessionMixin
from flask_wtf.csrf import CSRFProtect, generate_csrf
from itsdangerous import BadSignature, TimestampSigner, URLSafeTimedSerializer
from werkzeug.wrappers import Response as AnyResponse

from pbem.errors import N_, Forbidden, Unauthorized
from pbem.services.log.locks import NEEDS_ADDRESS
from pbem.services.players import guests, players
from pbem.services.players.players import Account
from pbem.services.privacy import erasure
from pbem.services.tokens import PlayerClaim
from pbem.services.who import STRANGER, Caller
from pbem.web.protocol.language import speak
from pbem.web.protocol.page import note_visit, site
from pbem.web.protocol.security import keep_private

KNOWN_COOKIE = "known"
_KNOWN_S = 400 * 86_400

csrf = CSRFProtect()


class _SiteSigner(TimestampSigner):
    """Signs with the time of the site's clock."""

    def get_timestamp(self) -> int:
        return int(site().now().timestamp())


class Sessions(SecureCookieSessionInterface):
    """Reads a session only if the browser sent its cookie, so that other requests cost nothing.

    A player's lasts a week; a guest's for as long as they are kept without a visit.
    """

    def get_signing_serializer(self, app: Flask) -> URLSafeTimedSerializer | None:
        """Returns what signs the cookie, with the time of the site's clock."""
        signs = super().get_signing_serializer(app)
        if signs is not None:
            signs.signer = _SiteSigner
        return signs

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Opens the session of the cookie, or a new one if there is none, it has ended, or it is not ours.

        The API has none: it reads no cookie and sends none.
        """
        if request.path.startswith("/api/"):
            return self.make_null_session(app)
        value = request.cookies.get(self.get_cookie_name(app)) if "HTTP_COOKIE" in request.environ else None
        signer = self.get_signing_serializer(app) if value is not None else None
        if value is None or signer is None:
            return self.session_class()
        try:
            said, at = signer.loads(value, max_age=int(guests.KEPT.total_seconds()), return_timestamp=True)
        except BadSignature:
            return self.session_class()
        if "guest" not in said and site().now() - at > app.permanent_session_lifetime:
            return self.session_class()
        return self.session_class(said)

    def save_session(self, app: Flask, session: SessionMixin, response: Response) -> None:
        """Sends the cookie if the session has changed: a guest's with its age, so that no two clocks need to agree."""
        changed = session.permanent and self.should_set_cookie(app, session)
        signs = self.get_signing_serializer(app) if changed else None
        if signs is None:
            super().save_session(app, session, response)
            return
        response.vary.add("Cookie")
        response.set_cookie(
            self.get_cookie_name(app), signs.dumps(dict(session)), max_age=guests.KEPT,
            path=self.get_cookie_path(app), domain=self.get_cookie_domain(app), secure=self.get_cookie_secure(app),
            httponly=self.get_cookie_httponly(app), samesite=self.get_cookie_samesite(app),
        )  # fmt: skip

    def should_set_cookie(self, app: Flask, session: SessionMixin) -> bool:
        """True if the session has changed; a guest's does once a day."""
        return session.modified


def require_player() -> Account:
    """Returns the session's player, who has an address, and sets the page's language to theirs.

    Raises Unauthorized, and Forbidden for a guest.
    """
    player = require_visitor()
    if player.address is None:
        raise Forbidden(NEEDS_ADDRESS)
    return player


def require_player_of_form() -> Account:
    """Returns the session's player for a form, which must be our own. Raises CSRFError, Unauthorized, Forbidden."""
    csrf.protect()
    return require_player()


def require_visitor() -> Account:
    """Returns the session's player, who may be a guest, and sets the page's language to theirs. Raises Unauthorized."""
    keep_private()
    if "player" not in session:
        raise Unauthorized(N_("You are not signed in. Ask for your links: one of them signs you in."))
    player = players.read_account(site(), _session_claim())
    speak(player.language)
    if player.address is None:
        note_visit()
    g.signed = player.id  # the page may hold what only this session may see, whatever its address is
    return player


def current_visitor() -> Account | None:
    """Returns the session's player, who may be a guest; None without a session, or with one that has ended."""
    if "player" not in session:
        return None
    try:
        return require_visitor()
    except Unauthorized:
        g.stranger = True
        return None


def current_player() -> Account | None:
    """Returns the session's player if they have an address; for anything else a guest counts as a stranger."""
    player = current_visitor()
    return player if player is not None and player.address is not None else None


def current_guest() -> Account | None:
    """Returns the session's player if they are a guest, and leaves the page's language as it is; None for others."""
    if "guest" not in session:
        return None
    try:
        player = players.read_account(site(), _session_claim())
    except Unauthorized:
        return None
    return player if player.address is None else None


def current_player_of_form() -> Account | None:
    """Returns the current player, for a form with effects; if there is one, it must be our own form.

    Raises CSRFError.
    """
    player = current_player()
    if player is not None:
        csrf.protect()
    return player


def open_session(claim: PlayerClaim, *, guest: bool = False) -> None:
    """Signs the player in on this browser. A guest's session lasts, because it is the only key to their seats.

    It replaces the session of a guest, so a player takes along what the guest has.
    """
    if not guest and "guest" in session:
        erasure.move_guest_to_player(site(), _session_claim(), claim)
    session.clear()
    session["player"], session["epoch"] = claim.player_id, claim.epoch
    generate_csrf()  # now, so that no page with a form has to send the cookie again
    if guest:
        session.permanent, session["guest"] = True, site().now().date().isoformat()


def _session_claim() -> PlayerClaim:
    return PlayerClaim(session["player"], session["epoch"])


def caller_of(player: Account | None) -> Caller:
    """Returns the caller, as a use case takes it: the player who is signed in, or a stranger."""
    return STRANGER if player is None else player.id


def redirect_home_and_remember_player(player: Account) -> AnyResponse:
    """Leads to the home page, with the cookie that remembers the player."""
    response = redirect(url_for("start.show_home"), 303)
    token = site().tokens.sign(PlayerClaim(player.id, player.epoch))
    secure = site().config.url.startswith("https:")
    response.set_cookie(KNOWN_COOKIE, token, _KNOWN_S, path="/", secure=secure, httponly=True, samesite="Lax")
    return response


def player_known_here() -> int | None:
    """Returns the id of the player who has signed in on this browser before; None if nobody has."""
    if (token := request.cookies.get(KNOWN_COOKIE)) is None:
        return None
    try:
        return players.read_account(site(), site().tokens.read(PlayerClaim, token)).id
    except Unauthorized:
        return None
