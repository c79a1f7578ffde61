"""The session that an account link has opened in this browser."""

from flask import Flask, Request, g, session
from flask.sessions import SecureCookieSession, SecureCookieSessionInterface
from flask_wtf.csrf import CSRFProtect

from pbem.errors import N_, Unauthorized
from pbem.services.players import players
from pbem.services.players.players import Account
from pbem.services.tokens import PlayerClaim
from pbem.services.who import STRANGER, Caller
from pbem.web.protocol.language import speak
from pbem.web.protocol.page import site
from pbem.web.protocol.security import keep_private

csrf = CSRFProtect()


class Sessions(SecureCookieSessionInterface):
    """Reads a session only if the browser sent its cookie, so that other requests cost nothing."""

    def open_session(self, app: Flask, request: Request) -> SecureCookieSession | None:
        """Opens the session of the cookie, or a new one."""
        if self.get_cookie_name(app) not in request.cookies:
            return self.session_class()
        return super().open_session(app, request)


def require_player() -> Account:
    """Returns the session's player, and sets the page's language to theirs. Raises Unauthorized."""
    keep_private()
    if "player" not in session:
        raise Unauthorized(N_("You are not signed in. Ask for your links: one of them signs you in."))
    player = players.read_account(site(), PlayerClaim(session["player"], session["epoch"]))
    speak(player.language)
    g.signed = player.id  # the page may hold what only this session may see, whatever its address is
    return player


def current_player() -> Account | None:
    """Returns the session's player; None if nobody is signed in or the session has become invalid."""
    if "player" not in session:
        return None
    try:
        return require_player()
    except Unauthorized:
        return None


def checked_player() -> Account | None:
    """Returns the current player, for a form with effects; if somebody is signed in, it must be our own form.

    Raises CSRFError.
    """
    player = current_player()
    if player is not None:
        csrf.protect()
    return player


def caller(player: Account | None) -> Caller:
    """Returns the caller, as a use case takes it: the player who is signed in, or a stranger."""
    return STRANGER if player is None else player.id
